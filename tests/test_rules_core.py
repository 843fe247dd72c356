"""The core finds the rules that plain enumeration finds, whatever the counting and the threads."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import rules as twin
from stakes import _core

T_GOOD_VALUES = [0.0, 0.1, 0.3, 0.5, 0.8, 0.9, 1.0]


@st.composite
def problems(draw, max_rows=60):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, k = draw(st.integers(1, max_rows)), draw(st.sampled_from([1, 2, 2, 3, 20]))
    n_columns = draw(st.integers(1, 5))
    n_values = [int(rng.integers(1, 4)) for _ in range(n_columns)]
    lowest = draw(st.sampled_from([0, -1]))
    columns = [rng.integers(lowest, v, n) for v in n_values]
    classes = (columns[0] + columns[-1] * 2 + (rng.random(n) < 0.2)) % min(k, 3)
    weights = draw(st.sampled_from([None, [0.0, 0.5, 1.0, 2.0]]))
    if weights is not None:
        weights = rng.choice(weights, n).tolist()
        weights[0] = 1.0
    return twin.Problem(
        columns=[[None if v < 0 else int(v) for v in column] for column in columns],
        n_values=n_values,
        classes=classes.tolist(),
        n_classes=k,
        weights=weights,
        class_costs=rng.choice([0.0, 1.0, 1.0, 2.0, 5.0], k).tolist(),
        row_costs=draw(st.sampled_from([None, None, rng.choice([0.0, 1.0, 2.5], n).tolist()])),
        t_bad=draw(st.sampled_from([1.0, 1.0, 0.9, 0.7])),
        min_support=rng.choice([0.0, 1.0, 2.0, 3.0], k).tolist(),
        max_length=draw(st.integers(1, n_columns)),
        mark_all=draw(st.booleans()),
    )


def table_of(problem):
    columns = [np.array([-1 if v is None else v for v in c], dtype=np.int32) for c in problem.columns]
    return _core.Table(columns, problem.n_values)


def search(problem, t_good_values, **changes):
    def array(values):
        return None if values is None else np.array(values, dtype=np.float64)

    costs = {name: changes.pop(name, array(getattr(problem, name))) for name in ("class_costs", "row_costs")}
    options = {
        "t_good": t_good_values,
        "t_bad": problem.t_bad,
        "min_support": problem.min_support,
        "max_length": problem.max_length,
        "mark_all": problem.mark_all,
        "max_candidates": 10**9,
        "max_bytes": 10**9,
    }
    classes = np.array(problem.classes, dtype=np.int32)
    return _core.search_rules(
        table_of(problem),
        classes,
        problem.n_classes,
        array(problem.weights),
        _core.RuleOptions(**(options | changes)),
        **costs,
    )


def as_rules(arrays):
    start, feature, value, label, _, _ = (a.tolist() for a in arrays)
    return [(tuple(zip(feature[a:b], value[a:b])), c) for a, b, c in zip(start, start[1:], label)]


@given(problems(), st.sets(st.sampled_from(T_GOOD_VALUES), min_size=1, max_size=3))
@settings(max_examples=2 * settings().max_examples)
def test_rules_are_those_of_the_twin(problem, t_good_values):
    """One search for several cut-offs finds for each what a search for it alone finds."""
    chosen = sorted(t_good_values)
    found, cuts, _, _ = search(problem, chosen)
    assert cuts == []
    for t_good, arrays in zip(chosen, found):
        problem.t_good = t_good
        expected = twin.search(problem)
        assert as_rules(arrays) == [(conditions, label) for conditions, label, _, _ in expected]
        np.testing.assert_allclose(arrays[4], [rule[2] for rule in expected], atol=1e-12)
        np.testing.assert_allclose(arrays[5], np.ravel([rule[3] for rule in expected]))


def large(n_rows=4000, n_columns=7, seed=0):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 3, n_rows) for _ in range(n_columns)]
    score = (
        (columns[0] == 1) * 1.0 + (columns[1] == 2) * (columns[2] == 0) * 2 + rng.normal(size=n_rows) * 0.4
    )
    return twin.Problem(
        columns=[c.tolist() for c in columns],
        n_values=[3] * n_columns,
        classes=np.digitize(score, [0.5, 1.5]).tolist(),
        n_classes=3,
        class_costs=[1.0, 2.0, 1.0],
        min_support=[20.0] * 3,
        max_length=4,
    )


def test_counting_by_bits_and_by_rows_is_the_same():
    """Weights of 1 are counted row by row, no weights by bits."""
    problem = large()
    plain = search(problem, [0.2, 0.6])[0]
    problem.weights = [1.0] * len(problem.classes)
    weighted = search(problem, [0.2, 0.6])[0]
    for a, b in zip(plain, weighted):
        assert len(a[3]) > 0
        for x, y in zip(a, b):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("bounds", [{}, {"max_candidates": 3000}, {"max_bytes": 40_000}])
def test_threads_change_nothing(bounds):
    one, two, five = (search(large(), [0.05, 0.4], n_threads=n, **bounds) for n in (1, 2, 5))
    for other in (two, five):
        assert other[1:] == one[1:]
        for a, b in zip(one[0], other[0]):
            for x, y in zip(a, b):
                np.testing.assert_array_equal(x, y)


def test_a_bound_on_candidates():
    _, cuts, n_candidates, _ = search(large(), [0.05], max_candidates=3000)
    assert n_candidates <= 3000
    assert [(bound, kept < of) for bound, _, kept, of in cuts] == [("max_candidates", True)] * len(cuts)
    assert cuts


def test_a_bound_on_memory():
    _, cuts, _, _ = search(large(), [0.05], max_bytes=40_000)
    assert {bound for bound, *_ in cuts} == {"max_memory"}


def test_a_bound_on_memory_keeps_the_best_conditions():
    """The conditions that fit, best quality first; the others are as if their values were not known."""
    problem = large(600, 5, seed=3)
    conditions = [((f, v),) for f in range(5) for v in range(3)]
    qualities = [twin.judge(problem, twin.cover(problem, c))[1] for c in conditions]
    best = [conditions[i][0] for i in np.argsort(qualities, kind="stable")[:6]]
    found, cuts, _, _ = search(problem, [0.5], max_bytes=memory_of(problem, best))
    assert cuts == [("max_memory", 1, 6, 15)]
    problem.columns = [
        [v if (f, v) in best else None for v in column] for f, column in enumerate(problem.columns)
    ]
    expected = search(problem, [0.5])[0][0]
    assert len(expected[3]) > 3 and as_rules(found[0]) == as_rules(expected)


def memory_of(problem, conditions):
    """A bit for each row and condition, and two bytes for each row and column; classes fill whole words."""
    n_words = sum(-(-problem.classes.count(c) // 64) for c in range(problem.n_classes))
    return 8 * n_words * len(conditions) + 128 * n_words * len({f for f, _ in conditions})


def test_rules_are_extended_by_later_columns_only():
    """Two values in each of three columns, and nothing good: six conditions, twelve pairs, eight threes."""
    values = np.array(list(np.ndindex(2, 2, 2, 2)))
    problem = twin.Problem(values[:, :3].T.tolist(), [2] * 3, values[:, 3].tolist(), 2, max_length=3)
    problem.class_costs, problem.min_support = [1.0, 1.0], [0.0, 0.0]
    found, _, n_candidates, length = search(problem, [0.1])
    assert len(found[0][3]) == 0 and length == 3
    assert n_candidates == 12 + 8


def test_a_bound_changes_nothing_that_fits():
    _, _, n_candidates, _ = free = search(large(), [0.3])
    bound = search(large(), [0.3], max_candidates=n_candidates)
    assert bound[1] == [] and as_rules(bound[0][0]) == as_rules(free[0][0])


def test_quality():
    """A cut-off of 0.8 is about 75 % of the cost in one class of two."""
    value, label = _core.rule_quality(np.array([3.0, 1.0]))
    assert value == pytest.approx(0.811278) and label == 0
    assert _core.rule_quality(np.array([0.0, 7.0, 0.0])) == (0.0, 1)
    assert _core.rule_quality(np.array([1.0, 1.0, 1.0]))[0] == pytest.approx(1.0)
    assert _core.rule_quality(np.array([0.0, 0.0])) == (1.0, 0)
    assert _core.rule_quality(np.array([4.0])) == (0.0, 0)


@given(problems())
def test_matching_is_the_first_rule_that_applies(problem):
    arrays = search(problem, [0.5])[0][0]
    rules = as_rules(arrays)
    first, looked = _core.match_rules(table_of(problem), *arrays[:3], looked=True)
    for i in range(len(problem.classes)):
        expected, seen = -1, set()
        for number, (conditions, _) in enumerate(rules):
            for feature, value in conditions:
                seen.add(feature)
                if problem.columns[feature][i] != value:
                    break
            else:
                expected = number
                break
        assert first[i] == expected
        row = looked.reshape(len(problem.classes), -1)[i]
        assert set(np.flatnonzero(row).tolist()) == seen


def ints(*values):
    return np.array(values, dtype=np.int32)


@pytest.mark.parametrize(
    "start, feature, value",
    [
        (ints(), ints(), ints()),
        (ints(1), ints(), ints()),
        (ints(0, 2), ints(0), ints(0)),
        (ints(0, 2, 1), ints(0), ints(0)),
        (ints(0, 1), ints(9), ints(0)),
        (ints(0, 1), ints(-1), ints(0)),
        (ints(0, 1), ints(1), ints(0)),
        (ints(0, 1), ints(0), ints()),
    ],
)
def test_bad_rules_are_refused(start, feature, value):
    table = _core.Table([ints(0, 1), np.array([0.5, 1.5])], [2, -1])
    with pytest.raises(ValueError):
        _core.match_rules(table, start, feature, value)


def test_a_value_that_no_row_has_matches_nothing():
    first, _ = _core.match_rules(_core.Table([ints(0, -1)], [2]), ints(0, 1), ints(0), ints(-1))
    assert first.tolist() == [-1, -1]


@pytest.mark.parametrize(
    "changes",
    [
        {"t_good": []},
        {"t_good": [0.5, 0.1]},
        {"max_length": 0},
        {"min_support": [1.0]},
        {"min_support": [np.nan] * 3},
        {"class_costs": np.array([1.0, -1.0, 1.0])},
        {"class_costs": np.array([1.0, np.inf, 1.0])},
        {"row_costs": np.ones(3)},
    ],
)
def test_bad_options_are_refused(changes):
    problem = large(50)
    options = {"t_good": [0.5]} | changes
    with pytest.raises(ValueError):
        search(problem, options.pop("t_good"), **options)


def test_numeric_columns_are_refused():
    with pytest.raises(ValueError, match="nominal"):
        _core.search_rules(
            _core.Table([np.zeros(2)], [-1]), ints(0, 1), 2, None,
            _core.RuleOptions(t_good=[0.5], min_support=[1, 1], max_candidates=10, max_bytes=10**6),
            class_costs=np.ones(2),
        )  # fmt: skip


def test_an_interrupt_ends_the_search():
    problem = large(20_000, 22)
    problem.min_support = [0.0] * 3
    problem.max_length = 8
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search(problem, [0.0], n_threads=2)
