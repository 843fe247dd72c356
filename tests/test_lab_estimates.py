"""Standard errors of figures whose trials share a draw of costs."""

import math

import numpy as np
import pytest

from stakes.lab.estimates import Estimate, mean_of_estimates, mean_of_trials, ratio_of_trials
from stakes.lab.plan import make_plan
from stakes.lab.protocol import load_protocol

DRAWS = np.repeat(np.arange(10), 10)


def drawn(rng, n=10, size=10):
    """Trials of ``n`` draws, each with a level of its own."""
    return np.repeat(rng.normal(5, 1, size=n), size) + rng.normal(0, 0.2, size=n * size)


def test_trials_that_share_nothing_have_the_usual_error():
    values = np.random.default_rng(0).normal(size=50)
    found = mean_of_trials(values, range(50))
    assert found.value == pytest.approx(values.mean())
    assert found.error == pytest.approx(values.std(ddof=1) / math.sqrt(50))


def test_trials_that_share_a_draw_count_as_one():
    """The error of the mean over draws, whose trials are averaged first."""
    values = drawn(np.random.default_rng(0))
    means = values.reshape(10, 10).mean(axis=1)
    found = mean_of_trials(values, DRAWS.tolist())
    assert found.error == pytest.approx(means.std(ddof=1) / math.sqrt(10))
    assert found.error > 2 * mean_of_trials(values, range(100)).error


def test_the_error_of_a_ratio_is_that_of_drawing_draws_anew():
    rng = np.random.default_rng(0)
    below = np.repeat(rng.uniform(1, 3, size=40), 5)
    above = below * np.repeat(rng.normal(0.7, 0.1, size=40), 5)
    draws = np.repeat(np.arange(40), 5)
    found = ratio_of_trials(above, below, draws.tolist())
    assert found.value == pytest.approx(above.mean() / below.mean())
    chosen = rng.integers(40, size=(4000, 40))
    a, b = above.reshape(40, 5).mean(axis=1), below.reshape(40, 5).mean(axis=1)
    assert found.error == pytest.approx((a[chosen].mean(axis=1) / b[chosen].mean(axis=1)).std(), rel=0.1)


def test_a_mean_over_data_sets_that_share_draws():
    rng = np.random.default_rng(0)
    first, second = drawn(rng), drawn(rng)
    found = mean_of_estimates([mean_of_trials(values, DRAWS.tolist()) for values in (first, second)])
    both = (first + second).reshape(10, 10).mean(axis=1) / 2
    assert found.value == pytest.approx(both.mean())
    assert found.error == pytest.approx(both.std(ddof=1) / math.sqrt(10))
    apart = [Estimate(2, {"x": 3.0}), Estimate(3, {"y": 4.0})]
    assert mean_of_estimates(apart).error == 2.5  # half of the root of 9 + 16


def test_trials_without_a_figure_are_left_out():
    found = mean_of_trials(np.array([1.0, 3.0, math.nan]), [0, 1, 2])
    assert (found.value, found.error) == (2, pytest.approx(1))
    assert mean_of_trials(np.array([math.nan]), [0]) is None


def test_one_draw_has_no_error():
    assert mean_of_trials(np.array([1.0, 3.0]), [0, 0]).error is None
    alone = mean_of_trials(np.array([1.0]), [0])
    assert mean_of_estimates([alone, Estimate(3.0, {"a": 1.0})]) == Estimate(2.0)
    assert mean_of_estimates([None, Estimate(3.0)]) is None and mean_of_estimates([]) is None


def test_ratios_that_are_none():
    values, draws = np.array([1.0, 3.0]), [0, 1]
    assert ratio_of_trials(values, np.zeros(2), draws) is None
    assert ratio_of_trials(np.array([1.0, math.nan]), values, draws) is None
    assert ratio_of_trials(values, np.array([1.0, math.nan]), draws) is None


STUDY = """
title = "Draws"

[[dataset]]
name = "german"
load = "german"

[learners.tree]
class = "stakes.C45Classifier"

[study.main]
splits = { folds = 2, repeats = 2 }
"""


@pytest.mark.parametrize(
    ("costs", "draws"),
    [
        ('costs = { model = "kretowski", per = "repeat" }', [0, 0, 1, 1]),
        ('costs = { model = "ting", per = "fold" }', [(0, 0), (0, 1), (1, 0), (1, 1)]),
        ('prices = { model = "davis", per = "repeat" }', [0, 0, 1, 1]),
        ('costs = { model = "ting" }\nprices = { model = "davis", per = "repeat" }', [0, 0, 1, 1]),
        *(
            (costs, [("german", r, f) for r in range(2) for f in range(2)])
            for costs in ('costs = { model = "kretowski", per = "study" }', 'costs = { model = "published" }')
        ),
    ],
)
def test_which_trials_share_a_draw(tmp_path, costs, draws):
    path = tmp_path / "draws.toml"
    path.write_text(STUDY + costs)
    assert make_plan(load_protocol(path)).draws == {("main", "german", ""): draws}
