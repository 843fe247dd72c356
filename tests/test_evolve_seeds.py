"""Seed trees and penalties of evolution, by hand and against C4.5 itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stakes import C45Classifier, CostMatrix, FeatureCosts, GDTClassifier, Table, datasets
from stakes._base.folds import stratified_folds
from stakes.evolve import alpha as alpha_module
from stakes.evolve import problem, seeds
from stakes.evolve.alpha import STEPS, AlphaPath, held_out_cost, held_out_costs, noise_alpha
from stakes.evolve.settings import Settings
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel
from test_evolve_parts import ROW_COSTS, ints, problem_on, some_problem

# ---- seeds -------------------------------------------------------------------------------------------------


def test_seeds_take_turns_and_then_draw_rows(monkeypatch):
    whole, calls = some_problem(), []

    def c45_tree(*args):
        calls.append(args)
        return args[-1]

    def grow(n_seeds, max_depth):
        settings = Settings.of(GDTClassifier(population_size=n_seeds, seeds=1.0, max_depth=max_depth))
        return list(seeds.seed_trees(whole, settings, 3))

    monkeypatch.setattr(seeds, "c45_tree", c45_tree)
    monkeypatch.setattr(seeds, "sketch_of", lambda tree, coded: None if tree == 1 else (tree, coded))
    made = grow(6, 9)
    assert made == [
        (turn, whole.coded) for turn in (0, 2, 3, 4, 5)
    ]  # a tree without a counterpart is left out
    assert [call[2:4] for call in calls] == [
        ("weights", "error"),
        ("weights", None),
        ("none", "cost"),
        ("none", "error"),
        ("weights", "error"),
        ("weights", None),
    ]
    assert [call[4:] for call in calls] == [(9, turn) for turn in range(6)]
    assert all(call[0] is whole for call in calls)
    assert [call[1] for call in calls[:4]] == [None] * 4
    drawn = [call[1].tolist() for call in calls[4:]]
    assert [sum(times) for times in drawn] == [5, 5] and drawn[0] != drawn[1]
    calls.clear()
    monkeypatch.setattr(seeds, "_ROWS", 5)  # not more rows than are allowed
    grow(1, None)
    assert calls[0][0] is whole and calls[0][4] == -1
    monkeypatch.setattr(seeds, "_ROWS", 4)
    grow(5, None)
    rows, times, *_ = calls[-1]
    assert len(rows) == 4 and times.sum() == 4
    kept = [next(i for i in range(5) if same_row(rows, k, whole, i)) for k in range(4)]
    assert len(set(kept)) == 4


def same_row(some, k, whole, i):
    """Whether two rows have the same values in every column."""
    pairs = zip(some.table.columns, whole.table.columns, strict=True)
    return all(np.array_equal(a[k], b[i], equal_nan=True) for a, b in pairs)


@pytest.fixture(scope="module")
def german():
    bunch = datasets.load("german")
    table = Table.from_data(bunch.X)
    classes, codes = np.unique(bunch.y, return_inverse=True)
    model = GDTClassifier(cost_matrix=bunch.cost_matrix)
    whole = problem_on(table, codes.astype(np.int32), model=model, classes=classes)
    return table, bunch.y, bunch.cost_matrix, whole


PRICES = {"duration": 3.0, "checking_status": 1.0}


@pytest.mark.parametrize(
    "cost_use, prune, turn, priced",
    [("weights", "error", 0, False), ("none", "cost", 0, False), ("weights", None, 6, True)],
)
def test_seed_trees_are_those_of_c45(german, cost_use, prune, turn, priced):
    table, y, matrix, whole = german
    sample = np.arange(0, 1000, 2)
    times = np.random.default_rng(0).integers(0, 3, len(sample))
    growing = {}
    if priced:
        prices = FeatureCosts({name: PRICES.get(name, 0.5) for name in table.schema.names})
        whole = replace(whole, feature_costs=prices)
        growing = {"criterion": "cs_gain", "gamma": 0.01, "feature_costs": prices}
    found = seeds.c45_tree(whole.take(sample), times, cost_use, prune, 7, turn)
    classifier = C45Classifier(
        cost_matrix=matrix,
        cost_use=cost_use,
        prune=prune,
        raise_subtrees=False,
        collapse=False,
        group_values=True,
        max_depth=7,
        **growing,
    )
    wanted = classifier.fit(table.take(sample), y[sample], sample_weight=times.astype(float)).tree_
    for name in ("feature", "threshold", "first_child", "value_branch", "class_weights"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
    plain = seeds.c45_tree(whole.take(sample))
    heavy = seeds.c45_tree(replace(whole, weight=np.ones(1000)).take(sample), times)
    only_times = seeds.c45_tree(whole.take(sample), times)
    assert plain.class_weights[0].sum() > 0
    np.testing.assert_array_equal(heavy.class_weights, only_times.class_weights)


def test_seeds_grow_even_where_no_mistake_costs_anything():
    free = some_problem(np.arange(1.0, 6.0), cost_matrix=np.zeros((2, 2)))
    tree = seeds.c45_tree(free)
    assert tree.class_weights[0].tolist() == [3.0, 12.0]


def test_seed_trees_weigh_rows_by_their_own_costs():
    own = some_problem(np.array([1.0, 1, 1, 1, 3]), ROW_COSTS)
    tree = seeds.c45_tree(own.take(np.array([1, 2, 4])))
    # Weights are costs scaled to the rows' weight: 4, 6 and 3 * 1 for weights of 1, 1 and 3.
    np.testing.assert_allclose(tree.class_weights[0] / tree.class_weights[0].sum(), [4 / 13, 9 / 13])


# ---- penalties ---------------------------------------------------------------------------------------------


def test_the_usual_penalty_unless_another_is_clearly_cheaper():
    alphas = np.array(STEPS) / 100
    assert STEPS == (10.0, 5.0, 3.0, 2.0, 1.0, 0.3, 0.05)
    usual = AlphaPath(alphas, np.zeros((0, 7)), np.zeros((0, 7)))
    assert usual.best == 0.03 and not usual.interrupted
    costs = np.full((3, 7), 1.0)
    assert AlphaPath(alphas, costs, costs).best == 0.03
    costs[:, 4] = [0.9, 0.8, 0.7]  # saves 0.2 +- 0.058
    assert AlphaPath(alphas, costs, costs).best == 0.01
    costs[:, 5] = [0.0, 1.0, 0.7]  # saves 0.43 +- 0.3: more
    assert AlphaPath(alphas, costs, costs).best == pytest.approx(0.003)
    costs[:, 5] = [-0.4, 1.5, 0.5]  # saves 0.47 +- 0.55: perhaps nothing
    assert AlphaPath(alphas, costs, costs).best == 0.01
    assert AlphaPath(alphas, costs[:1], costs[:1]).best == pytest.approx(0.003)  # one fold has no error


def test_each_penalty_starts_where_the_one_before_ended(monkeypatch):
    whole, steps = some_problem(), []

    class Population:
        def __init__(self, penalty):
            self.penalty = penalty

        def trees(self):
            return [(self.penalty, 1, 2, 3, 4, 5, 6, 7, 8)]

    class Ended:
        def __init__(self, penalty):
            self.best = [(0, "first"), (3, penalty)]

    def evolve(population, trees, **options):
        steps.append((population.penalty, trees, options))
        return Ended(population.penalty)

    monkeypatch.setattr(problem.Problem, "population", lambda self, options: Population(options.alpha))
    monkeypatch.setattr(alpha_module, "evolve", evolve)
    monkeypatch.setattr(alpha_module, "seed_trees", lambda part, settings, seed: "seeds")
    monkeypatch.setattr(problem.Problem, "fitted", lambda self, tree, *_: (self is whole, tree))
    models = alpha_module._follow(whole, Settings.of(GDTClassifier()), 3)
    penalties = [step / 5 for step in STEPS]
    assert models == [(True, penalty) for penalty in penalties]
    assert [penalty for penalty, _, _ in steps] == penalties
    assert [trees for _, trees, _ in steps] == ["seeds", *([[p, 1, 2, 3, 4, 5]] for p in penalties[:-1])]
    assert all(o == {"max_generations": 40, "n_iter_no_change": 20, "stoppable": False} for _, _, o in steps)


def decided_tree(whole, costs):
    """Rows of x <= 2.5 are (3, 1), others (1, 4) and (0, 1) for kinds a and b."""
    tree = TreeModel(
        ints(0, -1, 1, -1, -1),
        np.array([2.5, np.nan, np.nan, np.nan, np.nan]),
        ints(1, -1, 3, -1, -1),
        ints(2, 0, 2, 0, 0),
        ints(0, 0, 0, 2, 2, 2),
        ints(0, 1),
        np.array([[4.0, 6], [3, 1], [1, 5], [1, 4], [0, 1]]),
        ints(1, 0, 1, 1, 1),
    )
    return FittedTree.decided(
        tree=tree,
        schema=whole.table.schema,
        classes=whole.classes,
        values=tree.class_weights / tree.class_weights.sum(axis=1, keepdims=True),
        costs=costs,
        min_cost=True,
        feature_costs=whole.feature_costs,
    )


def test_rows_left_out_pay_for_mistakes_tests_and_abstentions():
    matrix = np.array([[0.0, 1.0], [5.0, 0.0]])
    whole = some_problem(np.array([1.0, 1, 1, 1, 2]), cost_matrix=matrix)
    model = decided_tree(whole, matrix)
    # Everything is answered with the second class: 5 * 1/4 > 3/4.
    mistakes = [1.0, 1.0, 0.0, 0.0, 0.0]
    assert held_out_costs(model, whole).tolist() == mistakes
    assert held_out_cost(model, whole) == pytest.approx(2 / 6)
    own = replace(whole, costs=ROW_COSTS[:, ::-1].copy())
    assert held_out_costs(model, own).tolist() == [0.0, 0.0, 6.0, 2.0, 1.0]
    # Expected costs: 3/4 twice, 1/6 without a kind, 3/10 without x, 1/5.
    careful = replace(whole, abstain_cost=0.5)
    assert held_out_costs(model, careful).tolist() == [0.5, 0.5, 0.0, 0.0, 0.0]
    assert held_out_costs(model, replace(whole, abstain_cost=0.75)).tolist() == mistakes
    eager = replace(whole, abstain_cost=0.25)
    assert held_out_costs(model, eager).tolist() == [0.25, 0.25, 0.0, 0.25, 0.0]
    prices = FeatureCosts({"x": 2.0, "kind": 0.5})
    priced = replace(whole, feature_costs=prices)
    model = decided_tree(priced, matrix)
    by_path = held_out_costs(model, priced)
    np.testing.assert_allclose(by_path, [3.0, 3.0, 2.5, 2 + 0.6 * 0.5, 2.5])
    at_once = held_out_costs(model, replace(priced, pay="upfront"))
    assert at_once.tolist() == [3.5, 3.5, 2.5, 2.5, 2.5]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_penalty_by_noise_step_by_step(german, monkeypatch, weighted):
    table, y, _, whole = german
    sample = np.random.default_rng([11, 0xA1FA]).permutation(1000)[:200]
    monkeypatch.setattr(alpha_module, "_ROWS", 200)
    weights = np.random.default_rng(5).uniform(0.5, 3.0, 1000) if weighted else None
    gains = whole.cost_values - 1.0
    whole = replace(whole, weight=weights, cost_matrix=CostMatrix(gains, whole.classes))
    fold = stratified_folds(whole.codes[sample].astype(np.intp), 5, 11)
    bill = np.zeros(200)
    for k in range(5):
        inside, outside = sample[fold != k], sample[fold == k]
        tree = C45Classifier(cost_matrix=gains, raise_subtrees=False, collapse=False, group_values=True)
        given = None if weights is None else weights[inside]
        tree.fit(table.take(inside), y[inside], sample_weight=given)
        answer = np.searchsorted(whole.classes, tree.predict(table.take(outside)))
        bill[fold == k] = gains[whole.codes[outside], answer] + 1.0
    counted = np.ones(200) if weights is None else weights[sample]
    mean = counted @ bill / counted.sum()
    deviation = np.sqrt(counted @ (bill - mean) ** 2 / counted.sum())
    worst = (whole.cost_values.max(axis=1) + 1.0)[whole.codes]
    largest = np.average(worst, weights=weights)
    expected = 3 * deviation / (1000 * (largest - mean))
    assert noise_alpha(whole, 11) == pytest.approx(expected, rel=1e-9)


def test_the_penalty_by_noise_has_limits(monkeypatch):
    whole = some_problem()
    costs = np.array([1.0, 0.0, 1.0, 1.0, 1.0])
    monkeypatch.setattr(alpha_module, "_c45_model", lambda *_: None)
    monkeypatch.setattr(alpha_module, "held_out_costs", lambda _, part: costs[part.coded.columns[0] % 5])
    # Nearly everything is lost already: a tenth of the largest cost is the least that is counted.
    monkeypatch.setattr(problem.Problem, "largest_cost", lambda self: 0.8)
    assert noise_alpha(whole, 0) == pytest.approx(3 * 0.4 / (5 * 0.08))
    costs[:] = 0.0
    assert noise_alpha(whole, 0) == 5e-5
    monkeypatch.setattr(problem.Problem, "largest_cost", lambda self: 0.0)
    assert noise_alpha(whole, 0) == 0.0
    monkeypatch.setattr(problem.Problem, "largest_cost", lambda self: 1.0)
    assert noise_alpha(whole.take(np.array([0])), 0) == 5e-5
