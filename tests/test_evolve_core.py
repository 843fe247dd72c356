"""The core of evolution against a slow twin: routing, costs, fitness, and what operators must keep."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import evolve as twin
from stakes import _core
from stakes.costs import PriceArrays
from stakes.evolve.coding import thresholds
from stakes.tree.prices import core_prices

ALPHA = 0.001


@st.composite
def coded_rows(draw, max_rows=90):
    """Tables of codes. More than 64 rows need two words; few rows in one branch are kept as a list."""
    n = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(1, 4))
    columns, n_values, nominal = [], [], []
    for _ in range(draw(st.integers(1, 4))):
        values = draw(st.sampled_from([1, 2, 3, 7, 70, 300]))
        share = draw(st.sampled_from([0.0, 0.0, 0.2, 1.0]))
        codes = [None if rng.random() < share else int(rng.integers(values)) for _ in range(n)]
        columns.append(codes)
        n_values.append(values)
        nominal.append(bool(rng.integers(2)))
    per_row = draw(st.booleans())
    costs = rng.integers(0, 5, (n if per_row else n_classes, n_classes)).astype(float)
    return twin.Rows(
        columns,
        n_values,
        nominal,
        rng.integers(n_classes, size=n).tolist(),
        n_classes,
        costs,
        per_row,
        weights=draw(st.sampled_from([None, rng.choice([0.25, 1.0, 3.0], n).tolist()])),
        abstain=draw(st.sampled_from([None, 0.5, 2.0])),
        prices=draw(st.sampled_from([None, rng.integers(0, 3, len(columns)).astype(float).tolist()])),
        mode=draw(st.sampled_from(["path", "upfront"])),
    )


OPTIONS = {
    "alpha": ALPHA,
    "population_size": 8,
    "crossover_rate": 0.5,
    "mutation_rate": 0.3,
    "max_mutations": 1e9,
    "selection_pressure": 2.0,
    "elite_size": 1,
    "min_rows": 1,
    "max_depth": 100,
    "min_split": 2,
    "sample_rows": 50,
    "crossover_odds": [1.0] * 3,
    "inner_odds": [1.0] * 5,
    "leaf_odds": [1.0] * 2,
    "local_rate": 0.3,
    "local_rows": 60,
    "check": True,
    "seed": 1,
    "n_threads": 1,
}


def population(rows, *, started=True, **changed):
    arrays = []
    for codes, n in zip(rows.columns, rows.n_values):
        dtype = np.uint8 if n <= 255 else np.uint16
        arrays.append(np.array([n if c is None else c for c in codes], dtype=dtype))
    made = _core.Evolution(
        arrays,
        rows.n_values,
        rows.nominal,
        np.array(rows.classes, dtype=np.int32),
        rows.n_classes,
        rows.costs,
        _core.EvolveOptions(**(OPTIONS | changed)),
        costs_per_row=rows.per_row,
        weights=None if rows.weights is None else np.array(rows.weights),
        abstain_cost=rows.abstain,
        prices=None if rows.prices is None else core_prices(PriceArrays.plain(rows.prices)),
        pay=rows.mode,
    )
    if started:
        made.start([])
    return made


def agree(made, rows, min_rows=1, max_depth=100):
    """Every tree is what the twin finds, and sound."""
    for tree in made.trees():
        cost, fitness = made.evaluate(list(tree[:6]))
        assert cost == pytest.approx(twin.mean_cost(tree, rows), abs=1e-9)
        assert fitness == pytest.approx(twin.fitness(tree, rows, ALPHA), abs=1e-9)
        judged = twin.judge(tree, rows)
        counts = tree[8].reshape(len(tree[0]), -1)
        for node, expected in judged.class_weights.items():
            assert counts[node] == pytest.approx(expected)
            assert judged.answer[node][tree[7][node]] == pytest.approx(min(judged.answer[node]))
            assert tree[0][node] < 0 or tree[6][node] == judged.missing_branch[node]
        if len(tree[0]) > 1:
            assert min(map(len, judged.leaves)) >= min_rows
        assert depth_of(tree) <= max_depth
        check_tests(tree, rows)


def depth_of(tree):
    depth = np.zeros(len(tree[0]), dtype=int)
    for i in np.flatnonzero(tree[0] >= 0):
        depth[tree[2][i] : tree[2][i] + tree[3][i]] = depth[i] + 1
    return int(depth.max())


def check_tests(tree, rows):
    for i in np.flatnonzero(tree[0] >= 0):
        f = tree[0][i]
        groups = tree[5][tree[4][i] : tree[4][i + 1]]
        if rows.nominal[f]:
            assert set(groups.tolist()) == set(range(tree[3][i]))  # at least one value per branch
        else:
            assert tree[3][i] == 2 and 0 <= tree[1][i] < rows.n_values[f] - 1


@settings(max_examples=40, deadline=None)
@given(coded_rows(), st.integers(1, 4), st.sampled_from([1, 2, 100]))
def test_trees_cost_what_the_twin_says(rows, min_rows, max_depth):
    made = population(rows, min_rows=min_rows, max_depth=max_depth)
    agree(made, rows, min_rows, max_depth)
    for _ in range(4):
        made.step()
    agree(made, rows, min_rows, max_depth)
    best = max(twin.fitness(tree, rows, ALPHA) for tree in made.trees())
    assert made.report()[0] == pytest.approx(best, abs=1e-9)


@settings(max_examples=10, deadline=None)
@given(coded_rows())
def test_local_search_and_elite_never_lose_fitness(rows):
    made = population(rows, crossover_rate=0.0, mutation_rate=0.0, local_rate=1.0)
    before = made.report()[0]
    for _ in range(5):
        made.step()
        assert made.report()[0] >= before
        before = made.report()[0]


def some_rows(n=200, seed=0):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(20, size=n).tolist(), rng.integers(4, size=n).tolist()]
    classes = [int(a > 9) ^ int(b > 1) for a, b in zip(*columns)]
    return twin.Rows(columns, [20, 4], [False, True], classes, 2, np.array([[0.0, 1.0], [5.0, 0.0]]))


def test_a_single_tests_best_cut_is_found_by_local_search():
    rows = some_rows()
    made = population(rows, local_rate=1.0, population_size=16)
    for _ in range(40):
        made.step()
    assert made.report()[1] == 0.0  # two levels of tests explain the classes
    assert made.report()[2] == 7


def test_ranking_prefers_the_fitter():
    """With the strongest pressure the best of the first population spreads; with none it drifts."""
    rows = some_rows()
    strong = population(rows, crossover_rate=0.0, mutation_rate=0.0, local_rate=0.0, population_size=64)
    mean = strong.report()[3]
    strong.step()
    assert strong.report()[3] > mean


def test_a_limit_on_changes_leaves_most_trees_alone():
    rows = some_rows()
    options = {"crossover_rate": 0.0, "mutation_rate": 1.0, "local_rate": 0.0, "population_size": 64}
    changed = []
    for most in (1e-9, 0.5, 1e9):
        made = population(rows, max_mutations=most, **options)
        before = [list(map(bytes, tree[:6])) for tree in made.trees()]
        made.step()
        changed.append(sum(list(map(bytes, tree[:6])) not in before for tree in made.trees()))
    assert changed[0] == 0 < changed[1] < 40 < changed[2]


def test_no_costs_at_all_prefer_a_leaf():
    rows = some_rows()
    rows.costs = np.zeros((2, 2))
    made = population(rows)
    assert made.report()[:3] == (1.0 / (1.0 + ALPHA), 0.0, 1)


@pytest.mark.parametrize("kernel_rows", [63, 64, 65, 1000, 40_000])
def test_any_number_of_rows(kernel_rows):
    """Words, blocks of words and lists of rows all have ends."""
    rows = some_rows(kernel_rows, seed=kernel_rows)
    made = population(rows, population_size=4)
    for _ in range(3):
        made.step()
    tree = max(made.trees(), key=lambda t: len(t[0]))
    assert made.evaluate(list(tree[:6]))[0] == pytest.approx(twin.mean_cost(tree, rows), abs=1e-9)


# ---- what comes from outside -------------------------------------------------------------------------------


def damaged(tree):
    feature, cut, first, branches, start, values = (np.array(a) for a in tree[:6])
    yield (
        "an unknown column",
        [np.where(feature >= 0, 9, -1).astype(np.int32), cut, first, branches, start, values],
    )
    yield "leads nowhere", [feature, cut, first + np.int32(1), branches, start, values]
    yield "out of reach|leads nowhere", [feature, cut, first, branches + np.int32(1), start, values]
    yield (
        "a cut of its column|leads nowhere",
        [feature, cut + np.int32(1000), first, branches, start, values - np.int32(9)],
    )
    yield "of one length", [feature[:-1], cut, first, branches, start, values]


def test_damaged_trees_are_refused():
    rows = some_rows()
    made = population(rows, local_rate=1.0)
    for _ in range(20):
        made.step()
    for words, tree in damaged(made.best()):
        with pytest.raises(ValueError, match=words):
            made.evaluate([np.ascontiguousarray(a) for a in tree])
        with pytest.raises(ValueError, match=r"."):
            made.restore([tree] * 8, 3)


@pytest.mark.parametrize(
    "changed",
    [
        {"alpha": -1.0},
        {"population_size": 0},
        {"selection_pressure": 3.0},
        {"elite_size": 9},
        {"min_rows": 0},
        {"max_mutations": 0.0},
        {"max_depth": 10**6},
        {"min_split": 1},
        {"inner_odds": [1.0]},
        {"leaf_odds": [-1.0, 1.0]},
        {"pay": "neither"},
    ],
    ids=str,
)
def test_bad_options_are_refused(changed):
    rows = some_rows()
    rows.prices = [1.0, 1.0]
    if "pay" in changed:
        rows.mode = changed.pop("pay")
    with pytest.raises(ValueError, match=r"."):
        population(rows, **changed)


def test_bad_rows_are_refused():
    for change in (
        {"classes": [7] * 200},
        {"n_values": [3, 4]},
        {"costs": np.zeros((3, 2))},
        {"costs": np.array([[0.0, -1.0], [1.0, 0.0]])},
        {"weights": [0.0] * 200},
        {"weights": [1.0]},
        {"abstain": -1.0},
        {"prices": [1.0]},
    ):
        rows = some_rows()
        vars(rows).update(change)
        with pytest.raises((ValueError, TypeError), match=r"."):
            population(rows)


def test_a_population_must_be_started():
    rows = some_rows()
    made = population(rows)
    with pytest.raises(ValueError, match="a tree per individual"):
        made.restore([], 0)


# ---- thresholds --------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([None, *range(9), 1e-9, 1e300]), st.integers(0, 2)), min_size=1))
def test_thresholds_are_the_boundaries(rows):
    values = np.array([np.nan if v is None else float(v) for v, _ in rows])
    classes = np.array([c for _, c in rows], dtype=np.int32)
    blocks = [
        (v, set(classes[values == v].tolist())) for v in sorted(set(values[~np.isnan(values)].tolist()))
    ]
    pairs = list(itertools.pairwise(blocks))
    wanted = [(a[0], b[0]) for a, b in pairs if not (len(a[1]) == 1 and a[1] == b[1])]
    found = thresholds(values, classes, 100)
    assert len(found) == len(wanted)
    assert all(low <= cut < high for cut, (low, high) in zip(found.tolist(), wanted))
    assert len(thresholds(values, classes, 100, boundary=False)) == len(pairs)
    assert len(thresholds(values, classes, 2)) <= 2
