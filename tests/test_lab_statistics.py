"""Tests of the tests: against scipy where it has them, against slow and obvious ones where not."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stakes.compare.statistics import (
    against,
    corrected_t_test,
    critical_difference,
    friedman,
    holm,
    rank_learners,
    wilcoxon_test,
)
from stakes.lab.pictures import critical_difference_picture

numbers = st.lists(st.floats(-100, 100).map(lambda x: round(x, 3)), min_size=2, max_size=20)


@given(numbers)
def test_without_overlap_the_corrected_test_is_the_plain_one(values):
    if len(set(values)) == 1:
        return
    t, p = corrected_t_test(values, 0.0)
    expected = stats.ttest_1samp(values, 0.0)
    assert t == pytest.approx(expected.statistic, rel=1e-9)
    assert p == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-300)


def test_overlap_shrinks_t_as_nadeau_and_bengio_say():
    values = [0.3, -0.1, 0.4, 0.2, 0.25, 0.1, 0.35, 0.0, 0.15, 0.2]
    mean, variance, n = np.mean(values), np.var(values, ddof=1), len(values)
    expected = mean / math.sqrt((1 / n + 1 / 9) * variance)
    t, p = corrected_t_test(values, 1 / 9)
    assert t == pytest.approx(expected)
    assert p == pytest.approx(2 * (1 - stats.t.cdf(expected, n - 1)))


def test_differences_without_variance():
    assert corrected_t_test([0.0, 0.0, 0.0], 0.1) == (0.0, 1.0)
    assert corrected_t_test([0.1, 0.1, 0.1], 0.1) == (math.inf, 0.0)
    assert corrected_t_test([-0.1, -0.1], 0.1) == (-math.inf, 0.0)


@pytest.mark.parametrize(
    "values, ratio", [([1.0], 0.1), ([[1.0, 2.0]], 0.1), ([1.0, 2.0], -1), ([1, 2], math.nan)]
)
def test_bad_input_of_the_corrected_test(values, ratio):
    with pytest.raises(ValueError, match="must be"):
        corrected_t_test(values, ratio)


def slow_wilcoxon(values):
    """Every assignment of signs to the ranks is as likely as any other."""
    ranks = stats.rankdata(np.abs(values))
    seen = abs(sum(r if v > 0 else -r for r, v in zip(ranks, values)))
    signs = itertools.product((1, -1), repeat=len(values))
    sums = [abs(sum(s * r for s, r in zip(sign, ranks))) for sign in signs]
    return float(np.mean([total >= seen - 1e-9 for total in sums]))


@given(st.lists(st.integers(1, 50), min_size=2, max_size=9, unique=True), st.data())
def test_wilcoxon_counts_signs(sizes, data):
    values = [size * data.draw(st.sampled_from((1, -1))) for size in sizes]
    assert wilcoxon_test(values) == pytest.approx(slow_wilcoxon(values))


def test_wilcoxon_without_differences():
    assert wilcoxon_test([0.0, 0.0, 0.0]) == 1.0


def slow_holm(p_values):
    """Adjusted p: the least level at which Holm's step-down procedure rejects."""
    adjusted = []
    for i, p in enumerate(p_values):
        smaller = [q for j, q in enumerate(p_values) if q < p or (q == p and j <= i)]
        steps = [
            (len(p_values) - sum(r < q or (r == q and k < j) for k, r in enumerate(p_values))) * q
            for j, q in enumerate(p_values)
            if q in smaller
        ]
        adjusted.append(min(1.0, max(steps)))
    return adjusted


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6, unique=True))
def test_holm_against_its_definition(p_values):
    assert holm(p_values) == pytest.approx(slow_holm(p_values))


def test_holm_of_nothing():
    assert holm([]) == []


@given(st.integers(2, 8), st.integers(3, 5), st.integers(0, 1000))
def test_friedman_is_scipys(n_datasets, n_learners, seed):
    values = np.random.default_rng(seed).integers(0, 5, size=(n_datasets, n_learners)).astype(float)
    if all(len(set(row)) == 1 for row in values.tolist()):
        assert friedman(values) == 1.0
        return
    assert friedman(values) == pytest.approx(stats.friedmanchisquare(*values.T).pvalue)


def test_critical_differences_of_demsars_table():
    # q at 0.05 for 2, 5 and 10 classifiers: 1.960, 2.728, 3.164
    for k, q in ((2, 1.960), (5, 2.728), (10, 3.164)):
        assert critical_difference(k, 14) == pytest.approx(q * math.sqrt(k * (k + 1) / (6 * 14)), abs=2e-3)


def test_ranks_ties_and_groups():
    figures = {"bad": [3, 3, 3, 3] * 4, "good": [1, 1, 1, 2] * 4, "middle": [2, 2, 2, 2] * 4}
    ranks = rank_learners(figures)
    assert ranks.names == ("good", "middle", "bad")
    assert ranks.ranks == (1.125, 1.875, 3.0)  # a tie on every fourth data set
    assert ranks.n_datasets == 16
    assert ranks.groups == (("good", "middle"),)
    assert [test.name for test in ranks.against_best] == ["middle", "bad"]
    assert all(test.adjusted >= test.p for test in ranks.against_best)


def test_learners_that_are_alike_are_one_group():
    ranks = rank_learners({"a": [1, 1], "b": [1, 1], "c": [1, 1]})
    assert ranks.p == 1.0 and ranks.groups == (("a", "b", "c"),)


def test_too_little_to_rank():
    with pytest.raises(ValueError, match="at least 2 learners on at least 2 data sets"):
        rank_learners({"a": [1.0], "b": [2.0]})


def test_against_one_learner():
    trials = {
        "a": np.array([1.0, 2, 3, 4]),
        "b": np.array([1.1, 2.2, 3.1, 4.2]),
        "c": np.array([1.0, 2, 3, 4]),
    }
    tests = {test.name: test for test in against("a", trials, 1 / 3)}
    assert tests["c"].p == 1.0 and tests["c"].difference == 0
    assert tests["b"].p == corrected_t_test([0.1, 0.2, 0.1, 0.2], 1 / 3)[1]


def test_picture_of_critical_differences_names_everyone():
    ranks = rank_learners({"a<b": [1, 2, 1], "c": [2, 1, 2], "d": [3, 3, 3], "e": [4, 4, 4]})
    picture = critical_difference_picture(ranks)
    assert "a&lt;b 1.33" in picture and "critical difference" in picture
    assert picture.count('class="group"') == len(ranks.groups)
