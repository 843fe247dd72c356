"""Trees of the least bill: what rows count as, what is searched with which penalty, how that is chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stakes._base.training import TrainingSet
from stakes._core import GrowOptions, TotalCostOptions
from stakes.costs import PriceArrays
from stakes.table import Column, Schema, Table
from stakes.tree.total_cost import learn as total_cost
from stakes.tree.total_cost import teacher as _teacher
from stakes.tree.total_cost.learn import _choose_penalty, _Learner, clearly_best, learn_total_cost
from stakes.tree.total_cost.teacher import out_of_bag


def ints(*values):
    return np.array(values, dtype=np.int32)


def test_rows_outside_a_bag_are_answered_by_those_inside():
    """One nominal column: each value's outside rows get the class shares of its rows in the bag."""
    n = 60
    draw = np.random.default_rng(3)
    x, weights = draw.integers(0, 2, n).astype(np.int32), draw.integers(1, 4, n).astype(float)
    codes = np.where(draw.random(n) < 0.2, 1 - x, x).astype(np.int32)
    for given in (None, weights):
        rng = np.random.default_rng(8)
        total, answers = np.zeros((n, 2)), np.zeros(n)
        for _ in range(3):
            bag = np.bincount(rng.integers(n, size=n), minlength=n)
            rng.integers(1, 1, endpoint=True), rng.choice(1, size=1, replace=False)
            for i in np.flatnonzero(bag == 0):
                inside = np.flatnonzero((bag > 0) & (x == x[i]))
                share = np.bincount(
                    codes[inside], (bag if given is None else bag * given)[inside], minlength=2
                )
                total[i] += share / share.sum()
                answers[i] += 1
        expected = total / np.maximum(answers, 1)[:, None]
        found = out_of_bag([x], [2], codes, 2, given, np.random.default_rng(8), 3)
        np.testing.assert_allclose(found, expected)
        assert (answers == 0).any() and (answers == 2).any()


def test_bagged_trees_take_half_of_the_columns_or_more(monkeypatch):
    sizes = []
    table = _teacher._core.Table

    def noting(columns, n_values):
        sizes.append((len(columns), tuple(n_values)))
        return table(columns, n_values)

    class Core:
        Table = staticmethod(noting)
        grow_tree = staticmethod(_teacher._core.grow_tree)
        route_mixture = staticmethod(_teacher._core.route_mixture)

    monkeypatch.setattr(_teacher, "_core", Core)
    columns = [np.arange(9, dtype=np.int32) % k for k in range(2, 7)]
    out_of_bag(columns, [2, 3, 4, 5, 6], ints(*[0, 1, 0] * 3), 2, None, np.random.default_rng(0), 40)
    assert {size for size, _ in sizes} == {3, 4, 5} and len(sizes) == 40
    assert all(list(values) == sorted(set(values)) for _, values in sizes)


def learner(trust=0.5, n_trees=100, **search):
    options = TotalCostOptions(**({"max_depth": 2, "max_bins": 64} | search))
    costs = np.array([[0.0, 10], [4, 0]])
    return _Learner(2, costs, PriceArrays.plain([1.0, 2.0]), trust, n_trees, options)


def rows_of(columns, n_values, codes, weights=None):
    """Rows of two classes; -1 values are numbers."""
    schema = Schema(
        Column(f"c{j}") if n < 0 else Column(f"c{j}", "nominal", tuple("abcd"[:n]))
        for j, n in enumerate(n_values)
    )
    return TrainingSet(table=Table(schema, columns), classes=np.arange(2), codes=codes, weight=weights)


def four_rows(weights=None):
    return rows_of([ints(0, 0, 1, 1), ints(0, 1, 0, 1)], [2, 2], ints(0, 0, 1, 1), weights)


@pytest.mark.parametrize("n_rows, n_trees", [(4, 100), (2000, 50), (10_000, 20)])
def test_classes_are_mixed_with_what_others_say(monkeypatch, n_rows, n_trees):
    seen = []

    def others(columns, n_values, codes, n_classes, weights, rng, n_trees):
        seen.append((len(columns), n_values, n_classes, weights, n_trees))
        said = np.tile([[0.25, 0.75], [0.985, 0.015], [0.0, 0.0], [1.0, 0.0]], (len(codes) // 4, 1))
        return said

    monkeypatch.setattr(total_cost, "out_of_bag", others)
    weights = np.ones(n_rows)
    rows = rows_of([np.zeros(n_rows)], [-1], np.tile(ints(0, 0, 1, 1), n_rows // 4), weights)
    shares = learner().shares(rows, np.random.SeedSequence(0))
    np.testing.assert_allclose(shares[:4], [[0.625, 0.375], [1, 0], [0, 1], [0.5, 0.5]])
    assert seen == [(1, [-1], 2, weights, n_trees)]
    assert learner(trust=1.0).shares(rows, None)[:4].tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    trusting = learner(trust=0.75, n_trees=7).shares(rows, np.random.SeedSequence(0))
    np.testing.assert_allclose(trusting[0], [0.8125, 0.1875])
    assert seen[-1][-1] == min(7, n_trees)


def test_the_search_gets_penalties_in_units_of_a_row(monkeypatch):
    calls = []

    class Core:
        Table = staticmethod(total_cost._core.Table)

        @staticmethod
        def grow_total_cost(table, codes, n_classes, weights, costs, options, prices):
            calls.append((codes.tolist(), weights.tolist(), options))
            return None

    monkeypatch.setattr(total_cost, "_core", Core)
    monkeypatch.setattr(total_cost, "as_model", lambda tree, n_classes: n_classes)
    shares = np.array([[0.5, 0.5], [1, 0], [0, 1], [0, 1]])
    found = learner(width=5).grow(four_rows(np.array([2.0, 1, 1, 1])), shares, (1.0, 3.0, np.inf))
    assert found == [2, 2, 2]
    codes, weights, options = calls[0]
    assert codes == [0, 1, 0, 1, 1] and weights == [1, 1, 1, 1, 1]
    # 2 of the first class at 10 or 3 of the second at 4, for a weight of 5
    assert [call[2].leaf_penalty for call in calls] == pytest.approx([12 / 5, 36 / 5, 0.0])
    assert [call[2].max_depth for call in calls] == [2, 2, 0] and options.width == 5
    monkeypatch.setattr(total_cost, "_LARGE", 7)
    learner(width=5).grow(four_rows(), shares, (1.0,))
    learner(width=1).grow(four_rows(), shares, (1.0,))
    monkeypatch.setattr(total_cost, "_LARGE", 8)
    learner(width=5).grow(four_rows(), shares, (1.0,))
    assert [call[2].width for call in calls[3:]] == [2, 1, 5]


def test_a_class_without_rows_has_costs_as_well():
    """What a row costs without a test is the least over all three answers."""
    costs = np.array([[0.0, 10, 1], [4, 0, 1], [9, 9, 0]])
    three = _Learner(3, costs, PriceArrays.plain([1.0, 2.0]), 1.0, 1, learner().search)
    rows = four_rows()
    (tree,) = three.grow(rows, three.shares(rows, None), (1.0,))
    assert tree.class_weights.tolist() == [[2, 2, 0]]


def test_bills_of_rows_by_a_tree():
    judge = learner(trust=1.0, max_depth=1, min_samples_leaf=1.0)
    rows = four_rows()
    (tree,) = judge.grow(rows, judge.shares(rows, None), (0.0,))
    assert tree.feature.tolist() == [0, -1, -1]
    other = np.array([[0.75, 0.25], [0, 1], [0.5, 0.5], [0, 1.0]])
    # a price of 1, and 4 or 10 for each share that is mistaken
    assert judge.row_costs(tree, rows, other).tolist() == [1 + 1, 1 + 4, 1 + 5, 1]


def test_what_is_surely_saved_is_what_counts():
    # the second saves 3 give or take 2.9, the third saves 2 for sure
    row_costs = np.array([[10.0, 2.9, 8.0], [10.0, 11.1, 8.0]])
    assert clearly_best(row_costs, np.ones(2)) == 2
    # by weight, it is nearly as sure
    assert clearly_best(row_costs, np.array([99.0, 1.0])) == 1
    assert clearly_best(row_costs[:, [0, 1]], np.ones(2)) == 1
    assert clearly_best(row_costs[:, [0, 1]] + [[0, 0.2]], np.ones(2)) == 0


class Judged(_Learner):
    """Notes what is learnt from and judged; the third penalty has the least bill by far."""

    def grow(self, rows, shares, penalties):
        self.search["grown"].append((len(rows.codes), len(penalties)))
        return list(penalties)

    def shares(self, rows, seed):
        self.search["seeds"].append(seed)

    def row_costs(self, tree, rows, shares):
        self.search["judged"].append(len(rows.codes))
        assert shares.tolist() == rows.table.columns[0].tolist()
        return np.full(len(rows.codes), 3.0 if tree == 4.0 else 5.0) + rows.table.columns[0] / 1000


def test_penalties_are_judged_on_other_rows(monkeypatch):
    def chosen(n_rows, seeds):
        notes = {"grown": [], "seeds": [], "judged": []}
        judge = Judged(2, np.eye(2), PriceArrays.plain([1.0]), 0.5, 10, notes)
        column = np.arange(float(n_rows))
        rows = rows_of([column], [-1], ints(*(np.arange(n_rows) % 2)), None)
        return _choose_penalty(judge, rows, column, seeds, 1), notes

    seeds = np.random.SeedSequence(0).spawn(6)
    penalty, notes = chosen(10, seeds)
    assert penalty == 4.0 and notes["grown"] == [(8, 5)] * 5 and notes["judged"] == [2] * 25
    assert notes["seeds"] == seeds[:5]
    assert chosen(3, seeds)[1]["grown"] == [(2, 5)] * 3 and chosen(2, seeds)[1]["grown"] == [(1, 5)] * 2
    assert chosen(1, seeds) == (1.0, {"grown": [], "seeds": [], "judged": []})
    monkeypatch.setattr(total_cost, "_LARGE", 9)
    assert chosen(10, seeds)[1]["grown"] == [(8, 5)] * 2
    monkeypatch.setattr(total_cost, "_LARGE", 10)
    assert chosen(10, seeds)[1]["grown"] == [(8, 5)] * 5


def test_folds_are_drawn_with_a_seed_of_their_own(monkeypatch):
    drawn, folds = [], total_cost.stratified_folds

    def noting(codes, n_folds, rng):
        drawn.append(rng.bit_generator.seed_seq)
        return folds(codes, n_folds, rng)

    monkeypatch.setattr(total_cost, "stratified_folds", noting)
    seeds = np.random.SeedSequence(0).spawn(6)
    column = np.arange(10.0)
    rows = rows_of([column, column], [-1, -1], ints(*[0, 1] * 5), None)
    for large, n_judged in ((19, 2), (20, 5)):
        # ten rows of two columns are twenty cells
        monkeypatch.setattr(total_cost, "_LARGE", large)
        notes = {"grown": [], "seeds": [], "judged": []}
        judge = Judged(2, np.eye(2), PriceArrays.plain([1.0, 1.0]), 0.5, 10, notes)
        _choose_penalty(judge, rows, column, seeds, 1)
        assert drawn.pop() is seeds[5] and notes["seeds"] == seeds[:n_judged]


def test_a_bag_of_all_rows_is_passed_over():
    """Of two rows, each is outside where the other one was drawn twice, and gets its class."""
    found = [
        out_of_bag([np.array([0.0, 1])], [-1], ints(0, 1), 2, None, np.random.default_rng(seed), 40)
        for seed in range(4)
    ]
    assert [shares.tolist() for shares in found] == [[[0, 1], [1, 0]]] * 4
    # a bag that weighs nothing says nothing
    weights, rng = np.array([1.0, 0.0]), np.random.default_rng(0)
    assert out_of_bag([np.array([0.0, 1])], [-1], ints(0, 1), 2, weights, rng, 40).tolist() == [
        [0, 0],
        [1, 0],
    ]


def test_bagged_trees_are_grown_to_the_end(monkeypatch):
    grown, grow = [], _teacher._core.grow_tree

    def noting(table, codes, n_classes, weights, options):
        grown.append(options)
        return grow(table, codes, n_classes, weights, options)

    monkeypatch.setattr(_teacher._core, "grow_tree", noting)
    out_of_bag([np.arange(9.0)], [-1], ints(*[0, 1, 0] * 3), 2, None, np.random.default_rng(0), 1)
    assert grown == [
        GrowOptions(
            criterion="gain", dialect="c45", min_samples_leaf=1.0, group_values=False, max_depth=-1,
            max_leaf_nodes=0, min_gain=0.0, max_bins=255, collapse=False, n_threads=1,
        )
    ]  # fmt: skip


def test_defaults_of_the_search(monkeypatch):
    seen = []

    class Noting:
        def __init__(self, *args):
            seen.append(args)

        def shares(self, rows, seed):
            seen.append(rows)

        def grow(self, rows, shares, penalties):
            return [penalties]

    monkeypatch.setattr(total_cost, "_Learner", Noting)
    monkeypatch.setattr(total_cost, "_choose_penalty", lambda *args: seen.append(args) or 8.0)
    table = Table.from_data(pd.DataFrame({"x": [1.0, 2, 3], "t": ["a", "b", "a"]}))
    weights = np.array([1.0, 0.0, 2.0])
    some = TrainingSet(table=table, classes=np.arange(2), codes=ints(0, 1, 0), weight=weights)
    found = learn_total_cost(some, "prices")
    assert list(total_cost.PENALTIES) == [1, 2, 4, 8, np.inf]
    assert found == (8.0,)
    (n_classes, _, prices, trust, n_trees, search), rows, choosing = seen
    assert (n_classes, prices, trust, n_trees) == (2, "prices", 0.5, 100)
    assert search == TotalCostOptions(
        max_depth=6, width=4, exhaustive=False, min_samples_leaf=3.0, max_bins=64, max_path_cost=np.inf,
        max_upfront_cost=np.inf,
    )  # fmt: skip
    assert rows.codes.tolist() == [0, 0] and rows.weight.tolist() == [1, 2]
    assert rows.table.schema.n_values == [-1, 2]
    assert len(choosing[3]) == 6 and choosing[4] == 1 and choosing[3][0].entropy == 0
    assert learn_total_cost(replace(some, weight=None), "", leaf_penalty=3.0) == (3.0,)
