"""Evolution against a slow twin that draws the same random numbers: every tree of every generation."""

from __future__ import annotations

import numpy as np
import pytest

from oracles import evolve as twin
from oracles import evolve_steps
from test_evolve_core import OPTIONS, population


def nested(tree, node=0):
    """A node of the core's arrays and all below it, as the twin has it."""
    feature, cut, first, n, start, values, missing, answer, weights = tree
    weights = weights.reshape(len(feature), -1)[node]
    below = tuple(nested(tree, first[node] + b) for b in range(n[node]))
    groups = values[start[node] : start[node + 1]].tolist()
    return (
        int(feature[node]), int(cut[node]), tuple(groups), int(missing[node]), int(answer[node]),
        tuple(weights.tolist()), below,
    )  # fmt: skip


def table(seed, n=100, values=(2, 9, 4, 3), missing=0.1, n_classes=3, **more):
    """Numeric and nominal columns in turn; classes follow the columns but for some noise."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(v, size=n) for v in values]
    classes = (sum(c >= v // 2 for c, v in zip(codes, values)) + (rng.random(n) < 0.2)) % n_classes
    gone = [rng.random(n) < missing for _ in values]
    columns = [[None if g else int(c) for c, g in zip(*pair)] for pair in zip(codes, gone)]
    per_row = more.pop("per_row", False)
    costs = rng.integers(0, 9, (n if per_row else n_classes, n_classes)).astype(float)
    if more.get("weights"):
        more["weights"] = rng.choice([0.25, 1.0, 3.0], n).tolist()
    nominal = [f % 2 == 1 for f in range(len(values))]
    return twin.Rows(columns, list(values), nominal, classes.tolist(), n_classes, costs, per_row, **more)


def twin_of(rows, options):
    known = {name: value for name, value in options.items() if name not in ("check", "n_threads")}
    return evolve_steps.Evolution(rows, **known)


def same_generations(rows, n_steps=3, **changed):
    options = OPTIONS | {"check": False, "population_size": 6} | changed
    made = population(rows, **options)
    slow = twin_of(rows, options)
    slow.start()
    for step in range(n_steps + 1):
        assert [nested(t) for t in made.trees()] == [slow.trees.as_tuple(t) for t in slow.population], step
        assert nested(made.best()) == slow.trees.as_tuple(slow.best())
        assert made.report() == pytest.approx(slow.report(), rel=1e-12)
        if step < n_steps:
            made.step()
            slow.step()


def test_trees_that_are_given_start_the_population_and_are_pruned():
    rows = table(17)
    given = population(rows, check=False, alpha=0.0, **NO_SEARCH).trees()[:3]
    options = OPTIONS | NO_SEARCH | {"alpha": 0.01, "check": False}
    made = population(rows, started=False, **options)
    made.start([list(tree[:6]) for tree in given])
    slow = twin_of(rows, options)
    slow.start([as_sketch(nested(tree)) for tree in given])
    for _ in range(2):
        assert [nested(t) for t in made.trees()] == [slow.trees.as_tuple(t) for t in slow.population]
        made.step()
        slow.step()


def as_sketch(node):
    column, cut, branch, *_, below = node
    if column < 0:
        return evolve_steps.Node()
    test = evolve_steps.Test(column, cut, branch, len(below))
    return evolve_steps.sketch_of(test, [as_sketch(child) for child in below])


def test_a_restored_population_goes_on_as_it_would_have():
    rows = table(19)
    first, again = (population(rows, **NO_SEARCH) for _ in range(2))
    first.step()
    again.restore([list(tree[:6]) for tree in first.trees()], 1)
    for _ in range(2):
        assert [nested(tree) for tree in first.trees()] == [nested(tree) for tree in again.trees()]
        first.step()
        again.step()


NO_SEARCH = {"local_rate": 0.0, "mutation_rate": 0.5}
ONLY_SEARCH = {"crossover_rate": 0.0, "mutation_rate": 0.0, "local_rate": 1.0}


@pytest.mark.parametrize(
    "changed",
    [{"crossover_rate": 1.0, "mutation_rate": 0.0, "crossover_odds": row} for row in np.eye(3).tolist()]
    + [{"crossover_rate": 0.0, "inner_odds": row} for row in np.eye(5).tolist()]
    + [{"crossover_rate": 0.0, "leaf_odds": row} for row in np.eye(2).tolist()],
    ids=str,
)
def test_each_operator_changes_trees_as_the_twin_does(changed):
    same_generations(table(3), **(NO_SEARCH | changed))


KINDS = {
    "weights": {"weights": True},
    "costs of rows": {"per_row": True},
    "weights and costs of rows": {"per_row": True, "weights": True},
    "abstaining": {"abstain": 1.5},
    "prices on paths": {"prices": [0.5, 0.25, 1.0, 0.0]},
    "prices up front": {"prices": [0.5, 0.25, 1.0, 0.0], "mode": "upfront"},
    "many values": {"values": (300, 70, 20), "missing": 0.05},
    "few rows": {"n": 7},
    "lists of rows": {"n": 300, "missing": 0.0},
    "nothing missing": {"missing": 0.0},
    "one class": {"n_classes": 1},
}


@pytest.mark.parametrize("kind", KINDS)
def test_generations_are_those_of_the_twin(kind):
    same_generations(table(5, **KINDS[kind]), **NO_SEARCH)


@pytest.mark.parametrize("kind", KINDS)
def test_searches_are_those_of_the_twin(kind):
    depth = {"max_depth": 3} if kind == "many values" else {}
    same_generations(table(7, **({"n": 60, "values": (2, 5, 3, 3)} | KINDS[kind])), **ONLY_SEARCH, **depth)


def test_a_better_test_may_exchange_the_branches():
    """The first column is the second one the other way round, with noise; subtrees ask for the third."""
    rng = np.random.default_rng(2)
    b, c = rng.integers(6, size=(2, 120))
    a = np.where(rng.random(120) < 0.15, rng.integers(6, size=120), 5 - b)
    classes = (b >= 3) ^ (c >= 3)
    columns = [column.tolist() for column in (a, b, c)]
    rows = twin.Rows(columns, [6] * 3, [False] * 3, classes.astype(int).tolist(), 2, 1.0 - np.eye(2), False)
    test, leaf = evolve_steps.Test, evolve_steps.Node
    below = [evolve_steps.sketch_of(test(2, 2, (), 2), [leaf(), leaf()]) for _ in range(2)]
    given = evolve_steps.sketch_of(test(0, 2, (), 2), below)
    options = OPTIONS | ONLY_SEARCH | {"check": False, "population_size": 24}
    made, slow = population(rows, started=False, **options), twin_of(rows, options)
    arrays = [[0, 2, 2, -1, -1, -1, -1], [2, 2, 2, -1, -1, -1, -1], [1, 3, 5, -1, -1, -1, -1]]
    arrays += [[2, 2, 2, 0, 0, 0, 0], [0] * 8, []]
    made.start([[np.array(part, dtype=np.int32) for part in arrays]] * 24)
    slow.start([given] * 24)
    for _ in range(2):
        assert [nested(t) for t in made.trees()] == [slow.trees.as_tuple(t) for t in slow.population]
        made.step()
        slow.step()
    assert made.best()[0][0] == 1  # the test without noise, over the same subtrees


def rare():
    """One row of another class among 400: no draw of 64 rows is sure to find it."""
    rows = table(1, n=400, values=(5, 3), n_classes=2, missing=0.0)
    rows.classes = [int(i == 250) for i in range(400)]
    rows.costs = np.array([[0.0, 1.0], [100.0, 0.0]])
    return rows


def test_a_rare_class_is_found():
    """A test can only be drawn where a row of another class is found: by a pass over all rows if need be."""
    rows = rare()
    rows.columns, rows.n_values, rows.nominal = [[int(i == 250) for i in range(400)]], [2], [False]
    options = {**NO_SEARCH, "crossover_rate": 0.0, "mutation_rate": 1.0, "inner_odds": np.eye(5)[0].tolist()}
    options["sample_rows"] = 400  # so that first trees have tests
    same_generations(rare(), **options, n_steps=2)
    same_generations(rows, **options, n_steps=2)


SETTINGS = {
    "large leaves": {"min_rows": 6},
    "few levels": {"max_depth": 2},
    "no levels": {"max_depth": 0},
    "small samples": {"sample_rows": 9, "min_split": 4},
    "an odd number of trees": {"population_size": 5, "elite_size": 2},
    "one tree": {"population_size": 1},
    "no elite and weak pressure": {"population_size": 7, "elite_size": 0, "selection_pressure": 1.25},
    "few changes": {"max_mutations": 1.5},
    "no penalty": {"alpha": 0.0},
    "large trees are bad": {"alpha": 0.05, "seed": 12345},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_mean_what_they_mean_to_the_twin(name):
    same_generations(table(11, n=90), **(NO_SEARCH | SETTINGS[name]))


SEARCHES = {
    "large leaves": ({}, {"min_rows": 6}),
    "samples": ({"n": 90}, {"local_rows": 41}),
    "samples of weighted rows": ({"n": 90, "weights": True}, {"local_rows": 41, "min_rows": 4}),
    "one level": ({}, {"max_depth": 1}),
    "two levels": ({}, {"max_depth": 2, "alpha": 0.0}),
    "three levels, all trees": ({"values": (4, 2, 5), "missing": 0.0}, {"max_depth": 3, "alpha": 0.0}),
    "four levels, all trees": ({"values": (2, 2, 3), "missing": 0.0}, {"max_depth": 4, "alpha": 0.0}),
    "four levels, some trees": ({"values": (5, 3, 4)}, {"max_depth": 4}),
    "more values than groups": ({"n": 110, "values": (45, 40)}, {"max_depth": 2}),
    "ten classes": ({"n_classes": 10, "n": 110}, {}),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_limits_of_searches_are_those_of_the_twin(name):
    rows, options = SEARCHES[name]
    same_generations(table(13, **({"n": 60, "values": (2, 5, 3, 3)} | rows)), **ONLY_SEARCH, **options)
