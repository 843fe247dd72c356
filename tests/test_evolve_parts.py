"""What stands around the core of evolution: parameters, options, codes and problems, by hand."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from stakes import CostMatrix, FeatureCosts, GDTClassifier, Table
from stakes._base.labels import CodedTarget
from stakes._base.training import TrainingSet, read_targets
from stakes._core import MAX_DEPTH, EvolveOptions
from stakes.costs import as_feature_costs
from stakes.evolve import coding, problem
from stakes.evolve.coding import code_table, thresholds
from stakes.evolve.problem import problem_of, sketch_of
from stakes.evolve.settings import Settings, odds
from stakes.tree.model import TreeModel

# ---- parameters --------------------------------------------------------------------------------------------


def test_defaults_are_the_documented_ones():
    assert GDTClassifier().get_params() == {
        "cost_matrix": None,
        "variant": "memetic",
        "alpha": None,
        "population_size": 64,
        "max_generations": None,
        "n_iter_no_change": None,
        "crossover_rate": 0.2,
        "mutation_rate": 0.05,
        "selection_pressure": 2.0,
        "elite_size": 1,
        "crossover_odds": (1.0, 1.0, 1.0),
        "inner_odds": (1.0, 1.0, 1.0, 1.0, 1.0),
        "leaf_odds": (1.0, 1.0),
        "min_samples_leaf": None,
        "min_samples_split": 5,
        "sample_rows": None,
        "max_depth": None,
        "max_thresholds": None,
        "feature_costs": None,
        "pay": "path",
        "abstain_cost": None,
        "seeds": 0.25,
        "local_search": 0.05,
        "smoothing": None,
        "smoothing_strength": 2.0,
        "callback": None,
        "verbose": False,
        "checkpoint": None,
        "debug": False,
        "categorical_features": None,
        "unseen": "missing",
        "n_jobs": None,
        "random_state": 0,
    }


def test_none_stands_for_what_the_docstring_says():
    names = ("alpha", "max_generations", "n_iter_no_change", "min_samples_leaf")
    stands_for = {
        variant: [getattr(Settings.of(GDTClassifier(variant=variant)), name) for name in names]
        for variant in ("paper", "memetic")
    }
    assert stands_for == {"paper": [0.001, 1000, 200, "sqrt"], "memetic": ["noise", 300, 100, 5]}
    assert Settings.of(GDTClassifier(variant="paper", n_iter_no_change=7)).n_iter_no_change == 7


LARGEST = 2**31 - 1
ALLOWED = {
    "variant": (["paper", "memetic"], ["Paper", None]),
    "alpha": ([0, 0.5, 7.0, "auto", "noise", None], [-1e-9, "best"]),
    "population_size": ([2, 1_000_000], [1, 1_000_001, 2.5, None]),
    "max_generations": ([0, LARGEST, None], [-1, LARGEST + 1]),
    "n_iter_no_change": ([1, LARGEST, None], [0, LARGEST + 1]),
    "crossover_rate": ([0, 1], [-0.1, 1.1]),
    "mutation_rate": ([0, 1], [-0.1, 1.1]),
    "selection_pressure": ([1, 2], [0.9, 2.1]),
    "elite_size": ([0, 1_000_000], [-1, 1_000_001]),
    "crossover_odds": ([[1, 2, 3]], [None, 1.0]),
    "inner_odds": ([[1, 2, 3, 4, 5]], [None, 1.0]),
    "leaf_odds": ([[1, 2]], [None, 1.0]),
    "min_samples_leaf": ([1, LARGEST, "sqrt", None], [0, LARGEST + 1, "log"]),
    "min_samples_split": ([2, LARGEST], [1, LARGEST + 1, None]),
    "sample_rows": ([2, LARGEST, None], [1, LARGEST + 1]),
    "max_depth": ([0, LARGEST, None], [-1, LARGEST + 1]),
    "max_thresholds": ([1, 65_534, None], [0, 65_535]),
    "pay": (["path", "upfront"], ["both", None]),
    "abstain_cost": ([0, 3.5, None], [-0.1]),
    "seeds": ([0, 1], [-0.1, 1.1]),
    "local_search": ([0, 1], [-0.1, 1.1]),
    "smoothing": (["laplace", "m", None], ["n"]),
    "smoothing_strength": ([1e-9, 9.0], [0, -1.0]),
    "callback": ([print, None], [3]),
    "verbose": ([True, False], ["yes"]),
    "checkpoint": (["run", None], [3]),
    "debug": ([True, False], ["yes"]),
    "categorical_features": ([[0], None], [3]),
    "unseen": (["missing", "error"], ["other"]),
    "n_jobs": ([-LARGEST, LARGEST, None], [-LARGEST - 1, LARGEST + 1]),
    "random_state": ([0, LARGEST, None], [-1, LARGEST + 1]),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_parameters_end_where_they_should(name):
    allowed, refused = ALLOWED[name]
    for value in allowed:
        GDTClassifier(**{name: value})._validate_params()
    for value in refused:
        with pytest.raises(ValueError, match=f"The '{name}' parameter of GDTClassifier"):
            GDTClassifier(**{name: value})._validate_params()


def test_options_of_the_core_follow_from_the_parameters():
    model = GDTClassifier(
        population_size=8,
        crossover_rate=0.3,
        mutation_rate=0.1,
        selection_pressure=1.5,
        elite_size=20,
        crossover_odds=[1, 2, 3],
        inner_odds=(5, 4, 3, 2, 1),
        leaf_odds=[0, 1],
        min_samples_split=7,
        sample_rows=33,
        max_depth=4,
        min_samples_leaf=9,
        local_search=0.2,
        debug=True,
        n_jobs=3,
    )
    options = EvolveOptions(
        **{
            "population_size": 8,
            "crossover_rate": 0.3,
            "mutation_rate": 0.1,
            "selection_pressure": 1.5,
            "alpha": 0.25,
            "max_mutations": float("inf"),
            "elite_size": 8,
            "min_rows": 9,
            "max_depth": 4,
            "min_split": 7,
            "sample_rows": 33,
            "crossover_odds": [1.0, 2.0, 3.0],
            "inner_odds": [5.0, 4.0, 3.0, 2.0, 1.0],
            "leaf_odds": [0.0, 1.0],
            "local_rate": 0.2,
            "local_rows": 8192,
            "check": True,
            "seed": 77,
            "n_threads": 3,
        }
    )
    settings = Settings.of(model)
    assert settings.options(400, 0.25, 77) == options
    assert settings.options(20_000, 0.25, 77) == options
    assert settings.options(20_001, 0.25, 77) == options.replace(max_mutations=1.0)
    paper = clone(model).set_params(variant="paper", min_samples_leaf=None, max_depth=None, sample_rows=None)
    for n_rows, min_rows, sample_rows in ((400, 20, 50), (3000, 55, 300), (90_000, 300, 500)):
        assert Settings.of(paper).options(n_rows, 0.25, 77) == options.replace(
            min_rows=min_rows, max_depth=MAX_DEPTH, sample_rows=sample_rows, local_rate=0.0
        )
    assert replace(settings, max_depth=10**6).options(400, 0.25, 77).max_depth == MAX_DEPTH


@pytest.mark.parametrize("values", [[1.0], [0.0, 0.0], [-1.0, 2.0], [1.0, np.inf], [1.0, np.nan]], ids=str)
def test_odds_that_cannot_be_odds_are_named(values):
    with pytest.raises(
        ValueError, match=r"^leaf_odds must be 2 numbers of at least 0, not all of them 0, got"
    ):
        odds(values, 2, "leaf_odds")


# ---- codes -------------------------------------------------------------------------------------------------


def some_table():
    return Table.from_data(
        pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan, 5.0], "kind": ["a", "b", None, "b", "a"]})
    )


CODES = np.array([0, 0, 1, 1, 1], dtype=np.int32)


def test_columns_are_ranks_among_thresholds_or_categories():
    every = code_table(some_table(), CODES, 100, boundary=False)
    assert [column.tolist() for column in every.columns] == [[0, 1, 2, 4, 3], [0, 1, 2, 1, 0]]
    assert [cuts.tolist() for cuts in every.cuts] == [[1.5, 2.5, 4.0], []]
    assert every.n_values == [4, 2] and every.nominal == [False, True]
    assert every.missing().tolist() == [True, True]
    some = code_table(some_table().take(np.arange(2)), CODES[:2], 100, boundary=False)
    assert some.missing().tolist() == [False, False]
    few = code_table(some_table(), CODES, 100, boundary=True)
    assert few.cuts[0].tolist() == [2.5] and few.columns[0].tolist() == [0, 0, 1, 2, 1]


def test_codes_are_as_narrow_as_they_can_be(monkeypatch):
    for n_values, dtype in ((255, np.uint8), (256, np.uint16)):
        values = np.append(np.arange(float(n_values)), np.nan)
        coded = code_table(
            Table.from_data(values[:, np.newaxis]), np.zeros(n_values + 1, np.int32), 1000, boundary=False
        )
        assert coded.n_values == [n_values] and coded.columns[0].dtype == dtype
        assert coded.columns[0].tolist() == list(range(n_values + 1))  # the last is missing
    monkeypatch.setattr(coding, "MOST_THRESHOLDS", 2)
    assert code_table(some_table(), CODES, 2, boundary=True).n_values[1] == 2
    monkeypatch.setattr(coding, "MOST_THRESHOLDS", 1)
    with pytest.raises(ValueError, match=r"^column 'kind' has 2 categories, at most 1 work$"):
        code_table(some_table(), CODES, 1, boundary=True)


def test_too_many_thresholds_are_spread_over_the_rows():
    classes = np.zeros(100, dtype=np.int32)
    even = thresholds(np.arange(100.0), classes, 3, boundary=False)
    assert even.tolist() == [24.5, 49.5, 74.5]
    assert thresholds(np.arange(100.0), classes, 99, boundary=False).tolist() == list(np.arange(99) + 0.5)
    # Half of the rows have one value: the other half gets the thresholds.
    uneven = thresholds(np.append(np.zeros(50), np.arange(1.0, 51.0)), classes, 3, boundary=False)
    assert uneven.tolist() == [0.5, 25.5]


def test_a_threshold_lies_between_neighbours_however_near():
    low, high = 1.0, np.nextafter(1.0, 2.0)
    assert thresholds(np.array([low, high]), np.array([0, 1], np.int32), 9).tolist() == [low]
    huge = 1.7e308
    assert thresholds(np.array([-huge, huge, 1.6e308]), np.array([0, 0, 1], np.int32), 9).tolist() == [
        pytest.approx(-5e306),
        pytest.approx(1.65e308),
    ]
    assert thresholds(np.array([np.nan]), np.array([0], np.int32), 9).tolist() == []


# ---- problems ----------------------------------------------------------------------------------------------


def some_problem(weights=None, costs=None, **params):
    return problem_on(some_table(), CODES, weights, costs, GDTClassifier(**params), np.array(["no", "yes"]))


def problem_on(table, codes, weights=None, costs=None, model=None, classes=(0, 1)):
    """The problem that a classifier makes of rows."""
    model = GDTClassifier() if model is None else model
    targets = read_targets(CodedTarget(np.asarray(classes), codes), weights, costs, model.cost_matrix)
    prices = as_feature_costs(model.feature_costs, table.schema.names)
    training = TrainingSet(**vars(targets), table=table, feature_costs=prices)
    return problem_of(training, Settings.of(model))


ROW_COSTS = np.array([[0.0, 1.0], [0.0, 4.0], [6.0, 0.0], [2.0, 0.0], [1.0, 0.0]])


def test_a_problem_is_read_off_the_parameters():
    plain = some_problem()
    assert plain.cost_values.tolist() == [[0, 1], [1, 0]] and plain.costs is None and plain.weight is None
    assert (plain.pay, plain.abstain_cost, plain.feature_costs) == ("path", None, None)
    assert plain.coded.n_values == [4, 2]
    paper = some_problem(variant="paper")
    assert paper.coded.n_values == [2, 2]
    assert some_problem(variant="paper", costs=ROW_COSTS).coded.n_values == [4, 2]
    assert some_problem(max_thresholds=1).coded.n_values == [2, 2]
    full = some_problem(
        np.array([1.0, 1.0, 1.0, 1.0, 2.0]),
        ROW_COSTS,
        feature_costs={"x": 2.0, "kind": 0.5},
        pay="upfront",
        abstain_cost=0.25,
    )
    assert full.weight.tolist() == [1, 1, 1, 1, 2] and (full.costs == ROW_COSTS).all()
    np.testing.assert_allclose(full.cost_values, [[0, 2.5], [2.5, 0]])  # weighted means of the classes
    assert (full.pay, full.abstain_cost) == ("upfront", 0.25)
    assert full.feature_costs.cost(["x", "kind"]) == 2.5
    assert some_problem(np.ones(5)).weight is None
    given = some_problem(costs=ROW_COSTS, cost_matrix=[[0, 3], [7, 0]])
    assert given.cost_values.tolist() == [[0, 3], [7, 0]] and given.cost_values.flags.c_contiguous


def test_only_small_codes_by_default_but_every_threshold_for_the_paper():
    table = Table.from_data(np.arange(600.0)[:, np.newaxis])
    codes = (np.arange(600) % 2).astype(np.int32)
    n_values = [
        problem_on(table, codes, model=GDTClassifier(variant=variant)).coded.n_values
        for variant in ("memetic", "paper")
    ]
    assert n_values == [[255], [600]]


def test_some_of_the_rows_are_the_same_problem():
    whole = some_problem(np.arange(1.0, 6.0), ROW_COSTS, abstain_cost=0.5)
    part = whole.take(np.array([4, 0]))
    assert [column.tolist() for column in part.coded.columns] == [[3, 0], [0, 0]]
    assert all(column.flags.c_contiguous for column in part.coded.columns)
    assert part.codes.tolist() == [1, 0] and part.weight.tolist() == [5.0, 1.0]
    assert part.costs.tolist() == [[1.0, 0.0], [0.0, 1.0]] and part.abstain_cost == 0.5
    plain = some_problem().take(np.array([4, 0]))
    assert plain.weight is None and plain.costs is None


def test_costs_count_from_nothing_to_the_worst_answer():
    assert some_problem().shift == 0.0 and some_problem().largest_cost() == 1.0
    gains = some_problem(cost_matrix=[[-2, 4], [1, -1]], feature_costs={"x": 2.0, "kind": 0.5})
    assert gains.shift == -2.0
    assert gains.largest_cost() == pytest.approx((2 * 4 + 3 * 1) / 5 + 2 + 2.5)
    rows = some_problem(np.array([1.0, 1.0, 1.0, 1.0, 6.0]), ROW_COSTS, cost_matrix=[[-9, 9], [9, -9]])
    assert rows.shift == 0.0  # each row's own costs are what is paid
    assert rows.largest_cost() == pytest.approx((1 + 4 + 6 + 2 + 6) / 10)


def test_the_core_gets_costs_from_nothing_on():
    taken = {}

    class Core:
        def __init__(self, *arrays, **more):
            taken.update(more, costs=arrays[5], options=arrays[6], arrays=arrays)

    gains = some_problem(np.arange(1.0, 6.0), cost_matrix=[[-2, 4], [1, -1]], abstain_cost=0.5, pay="upfront")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problem._core, "Evolution", Core)
        gains.population(EvolveOptions(alpha=0.5))
        assert taken["costs"].tolist() == [[0, 6], [3, 1]] and taken["abstain_cost"] == 2.5
        assert taken["arrays"][:3] == (gains.coded.columns, [4, 2], [False, True])
        assert taken["arrays"][3].tolist() == CODES.tolist() and taken["arrays"][4] == 2
        assert not taken["costs_per_row"] and taken["options"].alpha == 0.5 and taken["pay"] == "upfront"
        assert taken["weights"].tolist() == [1, 2, 3, 4, 5] and taken["prices"] is None
        some_problem(costs=ROW_COSTS, feature_costs={"x": 2.0, "kind": 0.5}).population(EvolveOptions())
    assert taken["costs_per_row"] and taken["costs"].tolist() == ROW_COSTS.tolist()
    assert taken["abstain_cost"] is None and taken["prices"] is not None and taken["weights"] is None


def test_whatever_the_search_depends_on_is_in_the_fingerprint():
    base = some_problem(np.arange(1.0, 6.0), ROW_COSTS, feature_costs={"x": 2.0, "kind": 0.5})
    coded = base.coded
    others = [
        replace(base, coded=replace(coded, columns=[coded.columns[0][::-1], coded.columns[1]])),
        replace(base, coded=replace(coded, cuts=[coded.cuts[0] + 1, coded.cuts[1]])),
        replace(base, coded=replace(coded, n_values=[5, 2])),
        replace(base, codes=1 - base.codes),
        replace(base, codes=base.codes.view(np.float32)),
        replace(base, cost_matrix=CostMatrix(base.cost_values + 1, base.classes)),
        replace(base, cost_matrix=SimpleNamespace(values=base.cost_values.reshape(1, 4))),
        replace(base, costs=base.costs + 1),
        replace(base, costs=None),
        replace(base, weight=base.weight + 1),
        replace(base, weight=None),
        replace(base, feature_costs=FeatureCosts({"x": 2.0, "kind": 0.75})),
        replace(base, feature_costs=None),
        replace(base, pay="upfront"),
        replace(base, abstain_cost=0.5),
    ]
    prints = [entry.fingerprint() for entry in (base, *others)]
    assert len(set(prints)) == len(prints)
    assert replace(base, costs=np.asfortranarray(base.costs)).fingerprint() == prints[0]


def ints(*values):
    return np.array(values, dtype=np.int32)


def two_tests(missing_branch=(1, 1, -1, -1, -1)):
    """The tree x <= 2.5 over kind in {a} as the core gives it; leaves are nodes 2, 3 and 4."""
    return (
        ints(0, 1, -1, -1, -1),
        ints(1, -1, -1, -1, -1),
        ints(1, 3, -1, -1, -1),
        ints(2, 2, 0, 0, 0),
        ints(0, 0, 2, 2, 2, 2),
        ints(0, 1),
        ints(*missing_branch),
        ints(1, 0, 1, 0, 0),
        np.array([2.0, 3, 2, 1, 0, 2, 2, 0, 0, 1]),
    )


def test_a_tree_of_the_core_becomes_a_fitted_one():
    free = some_problem(cost_matrix=[[0, 1], [2, 0]])
    fitted = free.fitted(two_tests())
    counts = [[2, 3], [2, 1], [0, 2], [2, 0], [0, 1]]
    np.testing.assert_array_equal(fitted.tree.threshold, [2.5, np.nan, np.nan, np.nan, np.nan])
    assert fitted.decision.tolist() == [1, 0, 1, 0, 0]  # what the core answers, whatever the shares are
    assert fitted.tree.label.tolist() == [1, 0, 1, 0, 1] and fitted.tree.label.dtype == np.int32
    assert fitted.costs.tolist() == [[0, 1], [2, 0]] and fitted.min_cost
    assert fitted.counts.tolist() == counts
    np.testing.assert_allclose(fitted.shares, np.array(counts) / np.sum(counts, axis=1, keepdims=True))
    # A row without a value goes where most went: nothing is left for the other branches.
    assert fitted.tree.class_weights.tolist() == [[2, 3], [0, 0], [0, 2], [0, 0], [0, 1]]
    assert some_problem().fitted(two_tests()).costs is None
    smooth = free.fitted(two_tests(), "laplace")
    np.testing.assert_allclose(smooth.values[:, 0], [3 / 7, 3 / 5, 1 / 4, 3 / 4, 1 / 3])
    assert smooth.decision.tolist() == [1, 1, 1, 0, 1]  # by the smoothed shares and the costs
    by_root = free.fitted(two_tests(), "m", 5.0)
    np.testing.assert_allclose(by_root.values[2], [2 / 7, 5 / 7])


def test_where_every_row_had_its_values_missing_ones_are_spread():
    table = some_table().take(np.array([0, 1, 4]))
    full = problem_on(table, CODES[[0, 1, 4]])
    fitted = full.fitted((*two_tests()[:1], ints(1, -1, -1, -1, -1), *two_tests()[2:]))
    assert fitted.observed is None and fitted.row_values is None
    assert fitted.tree.class_weights.tolist() == [[2, 3], [2, 1], [0, 2], [2, 0], [0, 1]]


def test_trees_of_other_learners_become_tests_on_codes():
    coded = some_problem().coded
    tree = TreeModel(
        ints(0, 1, -1, -1, -1),
        np.array([3.4, np.nan, np.nan, np.nan, np.nan]),
        ints(1, 3, -1, -1, -1),
        ints(2, 2, 0, 0, 0),
        ints(0, 0, 2, 2, 2, 2),
        ints(-1, 0),
        np.array([[4.0, 3], [2, 3], [2, 0], [1, 0], [1, 3]]),
        ints(0, 1, 0, 0, 1),
    )
    feature, cut, first_child, n_branches, value_start, value_branch = sketch_of(tree, coded)
    assert cut.tolist() == [2, -1, -1, -1, -1]  # 4.0 is nearer than 2.5
    assert value_branch.tolist() == [1, 0]  # a category that the tree has not seen joins the fullest branch
    assert tree.value_branch.tolist() == [-1, 0]  # and the tree is left as it was
    for given, kept in zip(
        (feature, first_child, n_branches, value_start),
        (tree.feature, tree.first_child, tree.n_branches, tree.value_start),
    ):
        assert given is kept
    assert sketch_of(tree, replace(coded, cuts=[np.empty(0), np.empty(0)])) is None


def test_categories_that_no_branch_has_join_the_fullest_one_of_their_own_test():
    coded = replace(some_problem().coded, nominal=(True, True))
    tree = TreeModel(
        ints(0, 1, -1, -1, -1),
        np.full(5, np.nan),
        ints(1, 3, -1, -1, -1),
        ints(2, 2, 0, 0, 0),
        ints(0, 2, 4, 4, 4, 4),
        ints(-1, 0, -1, 1),
        np.array([[5.0, 3], [2, 1], [3, 2], [2, 0], [0, 1]]),
        ints(0, 0, 0, 0, 1),
    )
    assert sketch_of(tree, coded)[5].tolist() == [1, 0, 0, 1]
