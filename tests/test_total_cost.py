import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.total_cost import least_cost
from stakes import C45Classifier, _core
from stakes._base.training import TrainingSet
from stakes.costs import CostMatrix, PriceArrays
from stakes.table import Column, Schema, Table
from stakes.tree.core import as_model
from stakes.tree.model import node_probabilities
from stakes.tree.prices import core_prices, path_prices, pay
from stakes.tree.total_cost.learn import clearly_best, learn_total_cost
from stakes.tree.total_cost.teacher import out_of_bag

SEARCH = {
    "leaf_penalty": 0.0,
    "max_depth": 4,
    "width": 4,
    "exhaustive": False,
    "min_samples_leaf": 1.0,
    "max_bins": 255,
    "max_path_cost": math.inf,
    "max_upfront_cost": math.inf,
}


def random_prices(rng, n_columns):
    """Resources that columns share, some of them with a price for later ones of a group."""
    n = int(rng.integers(1, n_columns + 2))
    price = rng.integers(0, 6, n).astype(float)
    needs = [
        sorted(rng.choice(n, size=int(rng.integers(0, min(3, n) + 1)), replace=False))
        for _ in range(n_columns)
    ]
    return PriceArrays(
        price,
        np.floor(price * rng.choice([0.5, 1.0])),
        rng.integers(-1, min(2, n), n).astype(np.int32),
        np.cumsum([0, *map(len, needs)]).astype(np.int32),
        np.array([r for need in needs for r in need], dtype=np.int32),
    )


def random_problem(seed, n_rows=12, n_columns=3, missing=0.1):
    rng = np.random.default_rng(seed)
    columns, n_values = [], []
    for _ in range(n_columns):
        n = int(rng.choice([-1, 2, 3, 4]))
        values = rng.integers(0, max(n, 3), n_rows)
        gone = rng.random(n_rows) < missing
        columns.append(
            np.where(gone, np.nan, values).astype(float)
            if n < 0
            else np.where(gone, -1, values % n).astype(np.int32)
        )
        n_values.append(n)
    n_classes = int(rng.integers(2, 4))
    costs = rng.integers(1, 20, (n_classes, n_classes)).astype(float)
    np.fill_diagonal(costs, 0.0)
    return {
        "columns": columns,
        "n_values": n_values,
        "codes": rng.integers(0, n_classes, n_rows).astype(np.int32),
        "weights": rng.choice([0.5, 1.0, 2.0, 3.0], n_rows),
        "costs": costs,
        "prices": random_prices(rng, n_columns),
    }


def grow(problem, **search):
    tree = _core.grow_total_cost(
        _core.Table(problem["columns"], problem["n_values"]),
        problem["codes"],
        len(problem["costs"]),
        problem["weights"],
        problem["costs"],
        _core.TotalCostOptions(**{**SEARCH, **search}),
        core_prices(problem["prices"]),
    )
    return as_model(tree, len(problem["costs"]))


def bill(tree, problem, penalty=0.0):
    """Training bill of a tree, read off its leaves."""
    paths = path_prices(problem["prices"], tree)
    leaves = [leaf for leaf in tree.leaves if tree.weight[leaf] > 0]
    mistakes = (tree.class_weights[leaves] @ problem["costs"]).min(axis=1)
    return float(mistakes.sum() + tree.weight[leaves] @ paths[leaves] + penalty * len(leaves))


def upfront(tree, prices):
    used = {int(f) for f in tree.feature if f >= 0}
    paid, total = frozenset(), 0.0
    for column in sorted(used):
        extra, paid = pay(prices, column, paid)
        total += extra
    return total


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("depth", [1, 2])
def test_exhaustive_search_finds_the_least_bill(seed, depth):
    problem = random_problem(seed, n_rows=10)
    rng = np.random.default_rng(seed)
    penalty, least = float(rng.choice([0.0, 1.5, 6.0])), float(rng.choice([1.0, 2.0]))
    limit = float(rng.choice([math.inf, 5.0, 0.0]))
    search = {"leaf_penalty": penalty, "min_samples_leaf": least, "max_path_cost": limit}
    tree = grow(problem, exhaustive=True, max_depth=depth, **search)
    rows = list(enumerate(problem["weights"].tolist()))
    data = (problem["columns"], problem["n_values"], problem["codes"], rows)
    expected = least_cost(*data, problem["costs"], problem["prices"], penalty, depth, least, limit)
    assert bill(tree, problem, penalty) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_columns_own_resources_open_their_group():
    # Two resources of group 0 around one without a group: 5, 1, and 2 for the later one of the group.
    prices = PriceArrays(
        np.array([5.0, 1.0, 5.0]), np.array([2.0, 1.0, 2.0]), np.array([0, -1, 0], dtype=np.int32),
        np.array([0, 3], dtype=np.int32), np.array([0, 1, 2], dtype=np.int32),
    )  # fmt: skip
    problem = {
        "columns": [np.array([0.0, 1.0])], "n_values": [-1], "codes": np.array([0, 1], dtype=np.int32),
        "weights": None, "costs": 100.0 * (1.0 - np.eye(2)), "prices": prices,
    }  # fmt: skip
    assert grow(problem, max_path_cost=8.0).n_nodes == 3
    assert grow(problem, max_path_cost=7.9).n_nodes == 1
    assert path_prices(prices, grow(problem)).tolist() == [0.0, 8.0, 8.0]


@pytest.mark.parametrize("seed", range(20))
def test_look_ahead_lies_between_the_best_and_a_leaf(seed):
    problem = random_problem(seed, n_rows=40, n_columns=4)
    best = bill(grow(problem, exhaustive=True, max_depth=2), problem)
    found = bill(grow(problem, max_depth=2), problem)
    assert best - 1e-9 <= found <= bill(grow(problem, max_depth=0), problem) + 1e-9


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), limit=st.integers(0, 12), exhaustive=st.booleans())
def test_no_path_costs_more_than_its_limit(seed, limit, exhaustive):
    problem = random_problem(seed, n_rows=25, n_columns=4)
    tree = grow(problem, max_path_cost=limit, exhaustive=exhaustive, max_depth=3)
    assert path_prices(problem["prices"], tree).max() <= limit


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), limit=st.integers(0, 12))
def test_the_whole_tree_costs_no_more_than_its_limit(seed, limit):
    problem = random_problem(seed, n_rows=25, n_columns=4)
    tree = grow(problem, max_upfront_cost=limit)
    assert upfront(tree, problem["prices"]) <= limit
    assert bill(tree, problem) <= bill(grow(problem, max_depth=0), problem) + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_larger_penalties_never_give_more_leaves(seed):
    problem = random_problem(seed, n_rows=12, missing=0.0)
    n_leaves = []
    for penalty in (0.0, 1.0, 3.0, 9.0, 1e6):
        tree = grow(problem, leaf_penalty=penalty, exhaustive=True, max_depth=2)
        n_leaves.append(sum(tree.weight[leaf] > 0 for leaf in tree.leaves))
    # Among optimal trees the number of leaves falls with the penalty, except for ties in the bill.
    assert n_leaves == sorted(n_leaves, reverse=True)
    assert n_leaves[-1] == 1


def test_thresholds_lie_between_the_values():
    X = np.array([1.0, 1.0, 4.0, 4.0])
    problem = {
        "columns": [X], "n_values": [-1], "codes": np.array([0, 0, 1, 1], dtype=np.int32), "weights": None,
        "costs": 1.0 - np.eye(2), "prices": PriceArrays.plain([0.1]),
    }  # fmt: skip
    assert grow(problem).threshold[0] == 2.5


def test_thresholds_of_bins_lie_next_to_the_last_value_of_a_bin():
    """Half of the values are in a bin; the next value is the next row's, not the other bin's last one."""
    X = np.arange(10.0)
    problem = {
        "columns": [X], "n_values": [-1], "codes": (X >= 5).astype(np.int32), "weights": None,
        "costs": 1.0 - np.eye(2), "prices": PriceArrays.plain([0.1]),
    }  # fmt: skip
    assert grow(problem, max_bins=2).threshold[0] == 4.5


@pytest.mark.parametrize("n_values", [255, 256, 65_535, 65_536])
def test_categories_are_told_apart_and_from_a_missing_value_however_many(n_values):
    """The codes of a column take one, two or four bytes, and the highest one means missing."""
    column = np.arange(-1, n_values, dtype=np.int32)
    codes = (column % 2).astype(np.int32)
    tree = _core.grow_total_cost(
        _core.Table([column], [n_values]),
        codes,
        2,
        None,
        1.0 - np.eye(2),
        _core.TotalCostOptions(max_depth=1),
    )
    feature, _, _, n_branches, _, value_branch, weights, label = tree.arrays()
    assert n_branches[0] == n_values and value_branch.tolist() == list(range(n_values))
    assert (label[1:] == codes[1:]).all() and (feature[1:] == -1).all()
    # The row without a value has a share in every branch.
    np.testing.assert_allclose(weights.reshape(-1, 2)[1:].sum(axis=1), 1 + 1 / n_values)


def test_columns_without_any_known_value_are_not_tested():
    problem = random_problem(1, n_rows=20)
    problem["columns"][0] = np.full(20, np.nan)
    problem["n_values"][0] = -1
    assert 0 not in grow(problem).feature


@pytest.mark.parametrize(
    "change",
    [
        {"leaf_penalty": -1.0},
        {"leaf_penalty": math.nan},
        {"max_depth": -1},
        {"max_bins": 256},
        {"min_samples_leaf": 0.0},
        {"max_path_cost": -1.0},
        {"max_upfront_cost": math.nan},
    ],
)
def test_the_core_refuses_what_makes_no_sense(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        grow(random_problem(0), **change)


@pytest.mark.parametrize(
    "change",
    [
        {"resource": np.array([7], dtype=np.int32)},
        {"resource": np.array([-1], dtype=np.int32)},
        {"start": np.array([0, 9], dtype=np.int32)},
        {"start": np.array([0], dtype=np.int32)},
        {"group": np.array([5], dtype=np.int32)},
        {"resource_price": np.array([-1.0])},
        {"later_price": np.array([math.nan])},
    ],
)
def test_the_core_refuses_broken_prices(change):
    prices = PriceArrays(**{**vars(PriceArrays.plain([1.0])), **change})
    problem = {
        "columns": [np.array([0.0, 1.0])], "n_values": [-1], "codes": np.array([0, 1], dtype=np.int32),
        "weights": None, "costs": 1.0 - np.eye(2), "prices": prices,
    }  # fmt: skip
    with pytest.raises(ValueError, match=r"price|start|resource|group"):
        grow(problem)


# -- the learner


def table_of(problem):
    columns = [
        Column(f"c{j}", "numeric") if n < 0 else Column(f"c{j}", "nominal", tuple("abcd"[:n]))
        for j, n in enumerate(problem["n_values"])
    ]
    return Table(Schema(columns), problem["columns"])


def learn(problem, **options):
    classes = np.arange(len(problem["costs"]))
    rows = TrainingSet(
        table=table_of(problem),
        classes=classes,
        codes=problem["codes"],
        weight=problem["weights"],
        cost_matrix=CostMatrix(problem["costs"], classes),
    )
    return learn_total_cost(rows, problem["prices"], **{"n_trees": 20, **options})


def telling_problem(n=300, price=1.0, noise=0.1):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    codes = ((X[:, 0] > 0) ^ (rng.random(n) < noise)).astype(np.int32)
    return {
        "columns": list(np.ascontiguousarray(X.T)), "n_values": [-1] * 3, "codes": codes, "weights": None,
        "costs": np.array([[0.0, 10.0], [10.0, 0.0]]), "prices": PriceArrays.plain([price, 0.5, 0.5]),
    }  # fmt: skip


def test_asks_for_the_telling_column_and_nothing_else():
    tree = learn(telling_problem())
    assert set(tree.feature[tree.feature >= 0]) == {0}
    assert tree.n_nodes == 3


def test_what_being_right_earns_changes_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    trees = [
        C45Classifier(criterion="total_cost", cost_matrix=costs).fit(X, y)
        for costs in ([[0, 6], [3, 0]], [[-1, 5], [1, -2]], [[-100, -94], [1, -2]])
    ]
    assert trees[0].n_nodes_ > 1
    for tree in trees[1:]:
        np.testing.assert_array_equal(tree.predict(X), trees[0].predict(X))


def test_asks_nothing_where_tests_cost_more_than_they_save():
    assert learn(telling_problem(price=6.0)).n_nodes == 1
    assert learn(telling_problem(noise=0.5)).n_nodes == 1


@pytest.mark.parametrize("seed", range(3))
def test_same_seed_same_tree_whatever_the_threads(seed):
    problem = random_problem(seed, n_rows=80, n_columns=5)
    first, again = learn(problem, random_state=seed), learn(problem, random_state=seed, n_jobs=3)
    assert first.to_dict() == again.to_dict()


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), limit=st.integers(0, 8))
def test_the_learner_keeps_to_budgets(seed, limit):
    problem = random_problem(seed, n_rows=40, n_columns=4)
    options = {"leaf_penalty": 0.0, "random_state": seed, "min_samples_leaf": 1.0, "n_trees": 5}
    assert path_prices(problem["prices"], learn(problem, max_path_cost=limit, **options)).max() <= limit
    assert upfront(learn(problem, max_upfront_cost=limit, **options), problem["prices"]) <= limit


def test_rows_without_weight_do_not_count():
    problem = random_problem(3, n_rows=60, n_columns=4)
    problem["weights"][::3] = 0.0
    kept = np.flatnonzero(problem["weights"] > 0)
    smaller = {
        **problem, "columns": [c[kept] for c in problem["columns"]], "codes": problem["codes"][kept],
        "weights": problem["weights"][kept],
    }  # fmt: skip
    assert learn(problem).to_dict() == learn(smaller).to_dict()


@pytest.mark.parametrize("n_rows", [1, 2, 3, 5])
def test_a_handful_of_rows_is_enough(n_rows):
    tree = learn(random_problem(5, n_rows=n_rows))
    assert tree.weight[0] > 0


def test_an_infinite_penalty_asks_nothing():
    assert learn(telling_problem(), leaf_penalty=math.inf).n_nodes == 1


def test_out_of_bag_shares_ignore_the_rows_own_class():
    # Rows are alone with their value: nothing but their own class could tell it.
    values = [np.arange(40, dtype=np.int32)]
    codes = np.array([0] * 39 + [1], dtype=np.int32)
    shares = out_of_bag(values, [40], codes, 2, None, np.random.default_rng(0), 50)
    assert shares[-1, 1] == 0.0
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_empty_nodes_have_the_shares_above_them():
    problem = random_problem(0, n_rows=30)
    tree = grow(problem)
    shares = node_probabilities(tree.class_weights, tree.parent)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    for node in np.flatnonzero(tree.weight <= 0):
        np.testing.assert_array_equal(shares[node], shares[tree.parent[node]])


def test_a_choice_must_be_better_by_more_than_its_error():
    rng = np.random.default_rng(0)
    first = rng.normal(10, 1, 50)
    row_costs = np.column_stack([first, first + rng.normal(-0.01, 1, 50), first - 1 + rng.normal(0, 0.1, 50)])
    assert clearly_best(row_costs, np.ones(50)) == 2
    assert clearly_best(row_costs[:, :2], np.ones(50)) == 0


def test_a_few_hundred_rows_take_a_moment():
    started = time.perf_counter()
    learn(telling_problem(), n_trees=100)
    assert time.perf_counter() - started < 10  # well under one second on an idle machine
