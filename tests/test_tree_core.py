"""The core grows, collapses, prunes, counts and routes as the slow twin of tests/oracles/c45.py does."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import c45, c45_prune
from oracles.c45 import Options
from oracles.c45_ties import Agreement, as_nodes, same_tree
from oracles.tables import (
    core_classes,
    core_grow,
    core_model,
    core_table,
    core_weights,
    options,
    seeded_table,
    tables,
)
from stakes import _core
from stakes.tree.c45.learn import deviate
from stakes.tree.model import node_probabilities

BOTH = pytest.mark.parametrize("dialect", ["c45", "j48"])


# ---- growing -----------------------------------------------------------------------------------------------


@given(tables(), options())
@settings(max_examples=4 * settings().max_examples)
def test_small_tables_grow_as_the_twin(data, how):
    Agreement(data, how, core_model(core_grow(data, how), data)).check()


@given(tables(), options(group_values=True, max_depth=None, max_leaf_nodes=None))
def test_grouped_values_grow_as_the_twin(data, how):
    Agreement(data, how, core_model(core_grow(data, how), data)).check()


@given(st.integers(0, 10**6), options())
@settings(max_examples=settings().max_examples // 2)
def test_larger_tables_grow_as_the_twin(seed, how):
    data = seeded_table(seed, 80)
    agreement = Agreement(data, how, core_model(core_grow(data, how), data))
    agreement.check()


@BOTH
@pytest.mark.parametrize("criterion", ["gain_ratio", "gain", "gini"])
def test_twin_rarely_needs_ties(dialect, criterion):
    """Were ties found everywhere, the agreement would say nothing."""
    own = tied = same = 0
    for seed in range(12):
        data, how = seeded_table(seed, 80), Options(dialect=dialect, criterion=criterion, collapse=False)
        model = core_model(core_grow(data, how), data)
        agreement = Agreement(data, how, model)
        agreement.check()
        own, tied = own + agreement.n_own, tied + agreement.n_tied
        same += same_tree(c45.grow(data, how), as_nodes(model))
    assert tied < 0.1 * own
    assert same >= 8


def test_many_numbers_are_put_in_order():
    """Above some hundred rows digits are sorted, not values: signs, a negative zero, far exponents."""
    numbers = np.random.default_rng(0).permutation(
        np.concatenate([0.37 * np.arange(-350, 350), [-1e9, 1e9, -0.0]])
    )
    data = c45.Data([numbers.tolist()], [None], (numbers > 12.3).astype(int).tolist(), 2)
    model = core_model(core_grow(data, Options()), data)
    assert model.feature.tolist() == [0, -1, -1]
    assert model.threshold[0] == numbers[numbers <= 12.3].max()
    equal = c45.Data([[0.0, -0.0] * 300], [None], [0, 1] * 300, 2)
    assert core_model(core_grow(equal, Options()), equal).n_nodes == 1


# ---- collapsing --------------------------------------------------------------------------------------------


@given(st.one_of(tables(), st.integers(0, 10**6).map(lambda seed: seeded_table(seed, 60))), options())
def test_collapse_as_the_twin(data, how):
    raw = as_nodes(core_model(core_grow(data, how), data))
    close = has_close_collapse(raw)
    expected = c45.collapse(copy.deepcopy(raw))
    how.collapse = True
    assert same_tree(expected, as_nodes(core_model(core_grow(data, how), data))) or close


def has_close_collapse(node):
    if not node.children:
        return False
    if any(has_close_collapse(child) for child in node.children):
        return True
    return abs(node.leaf_errors - node.errors + c45.EPSILON) < 1e-9


# ---- pruning -----------------------------------------------------------------------------------------------

ANY_TABLE = st.one_of(tables(), st.integers(0, 10**6).map(lambda seed: seeded_table(seed, 100)))
CONFIDENCES = st.sampled_from([0.25, 0.25, 0.01, 0.1, 0.5, 0.9, 1.0, 1e-4])


@given(ANY_TABLE, options(max_leaf_nodes=None, max_depth=None, collapse=True), CONFIDENCES, st.booleans())
@settings(max_examples=2 * settings().max_examples)
def test_error_pruning_as_the_twin(data, how, confidence, raise_subtrees):
    tree = core_grow(data, how)
    grown = as_nodes(core_model(tree, data))
    pruner = c45_prune.Pruner(data, how.dialect, confidence, raise_subtrees)
    expected = pruner.prune(grown)
    z = deviate(confidence, how.dialect)
    tree.prune_by_errors(
        core_table(data), core_classes(data), core_weights(data), how.dialect, confidence, z, raise_subtrees
    )
    model = core_model(tree, data)
    assert same_tree(expected, as_nodes(model)) or pruner.close_call
    check_labels(model)


def check_labels(model):
    """A node's label has the most weight; a node without any has the label of the node above."""
    for node in range(model.n_nodes):
        weights = model.class_weights[node]
        if weights.sum() > 0:
            assert weights[model.label[node]] == weights.max()
        else:
            assert model.label[node] == model.label[model.parent[node]]


@BOTH
def test_pruning_does_prune_and_raise(dialect):
    """The tables above are worth something only if subtrees are cut and raised in them."""
    smaller = raised = close = 0
    for seed in range(30):
        data = seeded_table(seed)
        tree = core_grow(data, Options(dialect=dialect))
        grown = as_nodes(core_model(tree, data))
        pruner = c45_prune.Pruner(data, dialect)
        pruned = pruner.prune(grown)
        unraised = c45_prune.Pruner(data, dialect, raise_subtrees=False).prune(grown)
        smaller += pruned.n_nodes < grown.n_nodes
        raised += not same_tree(pruned, unraised)
        close += pruner.close_call
    assert smaller >= 20
    assert raised >= 5
    assert close <= 6


@given(ANY_TABLE, options(collapse=True), st.data())
def test_recounting_as_the_twin(data, how, draw):
    """Altered priors: grown with one set of weights, counted and pruned with another."""
    tree = core_grow(data, how)
    grown = as_nodes(core_model(tree, data))
    n = len(data.classes)
    weights = draw.draw(st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
    if weights is not None:
        weights[-1] = weights[-1] or 1.0
    expected = c45_prune.recount(data, grown, weights or [1.0] * n)
    array = None if weights is None else np.array(weights)
    tree.recount(core_table(data), core_classes(data), array)
    model = core_model(tree, data)
    assert same_tree(expected, as_nodes(model))
    check_labels(model)


def two_sided(weights=None):
    return c45.Data([[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]], [None], [0, 0, 0, 1, 1, 1], 2, weights)


@BOTH
def test_of_two_classes_of_one_weight_c45_keeps_the_one_it_had(dialect):
    """Grown where the second class weighs more, pruned and counted where both weigh the same."""
    heavier, even = two_sided([1.0] * 3 + [2.0] * 3), two_sided()
    tree = core_grow(heavier, Options(dialect=dialect))
    assert core_model(tree, heavier).label[0] == 1
    tree.prune_by_errors(
        core_table(even), core_classes(even), None, dialect, 0.25, deviate(0.25, dialect), True
    )
    assert core_model(tree, even).label.tolist() == [1 if dialect == "c45" else 0, 0, 1]
    tree.recount(core_table(even), core_classes(even), None)
    assert core_model(tree, even).label.tolist() == [0, 0, 1]


def test_a_subtree_that_costs_as_much_as_a_leaf_becomes_one():
    data = two_sided()
    tree = core_grow(data, Options())
    assert core_model(tree, data).n_nodes == 3
    tree.prune_by_cost(1.0 - np.eye(2))
    assert core_model(tree, data).n_nodes == 3
    # Every answer costs the same: six rows lose 3 in one leaf, and as much in two.
    tree.prune_by_cost(np.array([[0.5, 0.5], [0.5, 0.5]]))
    assert core_model(tree, data).n_nodes == 1


@given(ANY_TABLE, options(max_leaf_nodes=None), st.data())
def test_cost_pruning_as_the_twin(data, how, draw):
    tree = core_grow(data, how)
    grown = as_nodes(core_model(tree, data))
    k = data.n_classes
    seed = draw.draw(st.integers(0, 10**6))
    costs = np.random.default_rng(seed).integers(0, 6, (k, k)).astype(float)
    close: list = []
    expected, _ = c45_prune.prune_by_cost(grown, costs.tolist(), close)
    tree.prune_by_cost(costs)
    assert same_tree(expected, as_nodes(core_model(tree, data))) or close


# ---- extra errors ------------------------------------------------------------------------------------------

SAME = {(6, 0): 1.237797, (9, 0): 1.284804, (1, 0): 0.75}
REFERENCE = {
    "c45": SAME
    | {
        (16, 1): 1.506894,
        (10, 0.5): 1.367556,
        (100, 10): 2.814705,
        (14, 5): 1.794993,
        (2, 1): 0.796241,
        (1, 1): 0.0,
        (2, 1.6): 0.268,
        (1000, 100): 7.276903,
    },
    "j48": SAME
    | {
        (16, 1): 1.475715,
        (10, 0.5): 1.353528,
        (100, 10): 2.749611,
        (14, 5): 1.761120,
        (2, 1.6): 0.4,
        (1000, 100): 7.095746,
    },
}


@BOTH
def test_extra_errors_of_the_original_programs(dialect):
    z = deviate(0.25, dialect)
    for (n, e), expected in REFERENCE[dialect].items():
        assert _core.extra_errors(n, e, dialect, 0.25, z) == pytest.approx(expected, abs=1e-6)
        assert c45_prune.extra_errors(n, e, 0.25, dialect) == pytest.approx(expected, abs=1e-6)


@given(
    st.sampled_from(["c45", "j48"]),
    st.floats(0.01, 1e6),
    st.floats(0, 1),
    st.floats(1e-6, 1.0),
)
def test_extra_errors_as_the_twin(dialect, n, share, confidence):
    e = n * share
    z = deviate(confidence, dialect)
    assert z == pytest.approx(c45_prune.deviate(confidence, dialect), abs=1e-9)
    expected = c45_prune.extra_errors(n, e, confidence, dialect)
    assert _core.extra_errors(n, e, dialect, confidence, z) == pytest.approx(expected, rel=1e-9, abs=1e-7)


# ---- routing -----------------------------------------------------------------------------------------------


@given(ANY_TABLE, options(collapse=True), st.integers(0, 10**6))
def test_rows_are_routed_as_the_twin_says(data, how, seed):
    model = core_model(core_grow(data, how), data)
    nested = as_nodes(model)
    rng = np.random.default_rng(seed)
    rows = [shaken(rng, data, int(i)) for i in rng.integers(0, len(data.classes), 30)]
    columns = [list(column) for column in zip(*rows)]
    table = core_table(c45.Data(columns, data.n_values, [0] * 30, 1))
    arrays = (model.feature, model.threshold, model.first_child, model.n_branches, model.value_start)
    arrays += (model.value_branch, model.weight)
    values = node_probabilities(model.class_weights, model.parent, None, 0.0)
    leaf = _core.route_leaves(table, *arrays)
    mixture = _core.route_mixture(table, *arrays, np.arange(30), values).reshape(30, -1)
    for i, row in enumerate(rows):
        known = [
            None if v is not None and n is not None and v >= n else v for v, n in zip(row, data.n_values)
        ]
        expected = c45_prune.predict_proba(nested, known)
        np.testing.assert_allclose(mixture[i], expected, rtol=1e-9, atol=1e-12)
        if leaf[i] >= 0:
            np.testing.assert_array_equal(mixture[i], values[leaf[i]])


def test_branches_of_little_weight_are_mixed_too():
    """A missing value goes down all branches by their weight, however little that is."""
    arrays = (
        np.array([0, -1, -1], dtype=np.int32), np.array([0.5, np.nan, np.nan]),
        np.array([1, -1, -1], dtype=np.int32), np.array([2, 0, 0], dtype=np.int32),
        np.zeros(4, dtype=np.int32), np.zeros(0, dtype=np.int32),
    )  # fmt: skip
    values, table = np.array([[9.0], [1.0], [0.0]]), _core.Table([np.array([np.nan])], [-1])
    for weights, expected in (([4.0, 3.0, 1.0], 0.75), ([1e-3, 7.5e-4, 2.5e-4], 0.75), ([0.0] * 3, 9.0)):
        mixture = _core.route_mixture(table, *arrays, np.array(weights), np.arange(1), values)
        assert mixture.ravel().tolist() == pytest.approx([expected])


def shaken(rng, data, i):
    """A training row with some values missing, moved, or of a category that was not there."""
    row = []
    for column, n in zip(data.columns, data.n_values):
        value = column[i]
        if rng.random() < 0.2:
            value = None
        elif rng.random() < 0.2:
            value = float(rng.normal()) if n is None else int(rng.integers(0, n + 2))
        row.append(value)
    return row
