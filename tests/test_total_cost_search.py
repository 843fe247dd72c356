"""The search for small total costs against a slow twin: every test, threshold and class weight."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.total_cost_search import Search
from stakes.costs import PriceArrays
from test_total_cost import SEARCH, bill, grow, random_problem


def same(tree, node, search, slow):
    """A node of the core's arrays and all below it against the twin's."""
    weights = search.class_weights(slow.rows)
    assert tree.class_weights[node] == pytest.approx(weights, rel=1e-12)
    assert sum(weights) == 0 or weights[tree.label[node]] == pytest.approx(max(weights), rel=1e-12)
    if slow.test is None:
        assert tree.feature[node] == -1 and tree.n_branches[node] == 0
        return
    f = slow.test.column
    assert tree.feature[node] == f
    assert tree.n_branches[node] == len(slow.branches)
    values = tree.value_branch[tree.value_start[node] : tree.value_start[node + 1]].tolist()
    if slow.test.cut is not None:
        assert tree.threshold[node] == slow.test.cut and values == []
    else:
        n = search.n_values[f]
        assert values == [v if slow.test.value is None else int(v != slow.test.value) for v in range(n)]
    for b, branch in enumerate(slow.branches):
        same(tree, tree.first_child[node] + b, search, branch)


def twin_of(problem, **options):
    search = Search(problem, **{**SEARCH, **options})
    return search, search.run([(i, w) for i, w in enumerate(problem["weights"].tolist()) if w > 0])


def same_search(problem, **options):
    search, slow = twin_of(problem, **options)
    same(grow(problem, **options), 0, search, slow)
    return slow


def telling(seed, missing=0.0, **shape):
    """A problem in which columns tell classes: trees of some levels are worth their prices."""
    problem = random_problem(seed, missing=missing, **shape)
    problem["costs"] *= 10.0
    marks = [
        np.nan_to_num(c, nan=0.0) if n < 0 else np.maximum(c, 0)
        for c, n in zip(problem["columns"], problem["n_values"])
    ]
    k = len(problem["costs"])
    noise = np.random.default_rng(seed).random(len(marks[0])) < 0.15
    problem["codes"] = ((sum(m > 0 for m in marks) + noise) % k).astype(np.int32)
    return problem


@pytest.mark.parametrize("seed", range(12))
def test_the_search_is_that_of_the_twin(seed):
    rng = np.random.default_rng(seed)
    exhaustive = seed % 6 == 5
    same_search(
        telling(seed, n_rows=20 if exhaustive else 30, n_columns=4),
        leaf_penalty=float(rng.choice([0.0, 1.5, 6.0])),
        min_samples_leaf=float(rng.choice([1.0, 3.0])),
        max_depth=2 if exhaustive else 3,
        width=int(rng.choice([1, 2, 4])),
        exhaustive=exhaustive,
        max_bins=int(rng.choice([2, 255])),
    )


@pytest.mark.parametrize("seed", range(20, 36))
def test_one_test_is_chosen_as_the_twin_does(seed):
    """Rows without a value pay for the test too, and share in the mistakes of all branches."""
    problem = telling(seed, n_rows=24, n_columns=4, missing=0.15 * (seed % 4))
    problem["prices"] = PriceArrays.plain(np.random.default_rng(seed).integers(0, 30, 4).tolist())
    # Shares of rows make equal bills differ in the last bit: what is found must be as good, not the same.
    assert bill(grow(problem, width=1, max_depth=1), problem) == pytest.approx(
        twin_of(problem, width=1, max_depth=1)[1].cost
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limit", ["max_path_cost", "max_upfront_cost"])
def test_limits_change_the_tree_as_the_twin_does(seed, limit):
    problem = telling(seed, n_rows=24, n_columns=3)
    free = same_search(problem, max_depth=2)
    spent = {1.0, 3.0, *(Search(problem, **SEARCH).price_of({f}) for f in free.columns())}
    for most in sorted(spent)[-2:]:
        same_search(problem, max_depth=2, **{limit: max(0.0, most - 0.5)})


def two_columns(first, second, codes, prices):
    return {
        "columns": [np.array(first, dtype=float), np.array(second, dtype=float)], "n_values": [-1, -1],
        "codes": np.array(codes, dtype=np.int32), "weights": np.ones(len(codes)),
        "costs": 100.0 * (1.0 - np.eye(2)), "prices": PriceArrays.plain(prices),
    }  # fmt: skip


def test_the_limit_of_a_path_is_for_all_of_its_tests():
    either = two_columns([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0], [3.0, 3.0])
    assert grow(either, max_path_cost=6.0, exhaustive=True).n_nodes == 7
    assert grow(either, max_path_cost=5.9, exhaustive=True).n_nodes == 1


def test_the_limit_of_a_tree_drops_what_is_worth_least():
    # The first column is right for seven rows of eight, the second settles the last one.
    problem = two_columns(
        [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1], [3, 4]
    )
    problem["codes"] = np.array([0, 0, 0, 1, 1, 1, 1, 0], dtype=np.int32)
    problem["columns"][1] = np.array([0, 0, 0, 9, 0, 0, 0, 5], dtype=float)
    assert set(grow(problem).feature.tolist()) == {0, 1, -1}
    assert set(grow(problem, max_upfront_cost=6.9).feature.tolist()) == {0, -1}
    assert set(grow(problem, max_upfront_cost=7.0).feature.tolist()) == {0, 1, -1}


def test_rows_without_a_value_pay_for_the_test_and_make_mistakes():
    """The first column tells all of the ten rows that have it, the second sixteen of all twenty."""
    gone = [np.nan] * 5
    problem = two_columns(
        [0] * 5 + gone + [1] * 5 + gone,
        [0] * 8 + [1] * 2 + [1] * 8 + [0] * 2,
        [0] * 10 + [1] * 10,
        [2.0, 2.0],
    )
    problem["costs"] = 10.0 * (1.0 - np.eye(2))
    # Prices of 2 for all rows and mistakes of 10: 40 + 5 * 10 with the first, 40 + 4 * 10 with the second.
    # The first is preferred by gain, so that the second is only tried for its bill.
    tree = grow(problem, width=1, max_depth=1)
    assert tree.feature.tolist() == [1, -1, -1]
    assert bill(tree, problem) == 80.0
