"""The arrays of a tree: what follows from them, and what is wrong with damaged ones."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from oracles.hand_trees import towns
from stakes import FeatureCosts
from stakes._base.labels import labels_from_dict, labels_to_dict
from stakes._base.saving import read_prices, read_schema
from stakes.tree.fitted import FittedTree
from stakes.tree.model import MAX_DEPTH, TreeModel


def ints(*values):
    return np.array(values, dtype=np.int32)


# ---- what follows ------------------------------------------------------------------------------------------


def test_shape_of_a_tree():
    tree = towns().tree
    assert (tree.n_nodes, tree.n_classes) == (8, 3)
    assert tree.parent.tolist() == [-1, 0, 0, 0, 1, 1, 5, 5] and tree.parent.dtype == np.int32
    assert tree.depth.tolist() == [0, 1, 1, 1, 2, 2, 3, 3]
    assert tree.leaves == [4, 6, 7, 2, 3] and tree.walk() == [0, 1, 4, 5, 6, 7, 2, 3]
    assert tree.walk(5) == [5, 6, 7] and list(tree.children(0)) == [1, 2, 3] and not tree.children(2)
    assert tree.weight.tolist() == [20, 12, 8, 0, 9, 3, 0, 0]
    assert tree.fractions().tolist() == [1, 0.6, 0.4, 0, 0.75, 0.25, 0, 0]
    assert [tree.is_numeric(node) for node in (0, 1, 5)] == [False, True, True]
    assert tree.branches(0).tolist() == [0, 0, 0, 0, 0, 1, 2, -1] and len(tree.branches(1)) == 0
    assert tree.links() == (
        tree.feature, tree.threshold, tree.first_child, tree.n_branches, tree.value_start, tree.value_branch,
        pytest.approx(tree.weight),
    )  # fmt: skip


def test_costs_of_nodes():
    fitted = towns()
    # every node's answer: of the second class but for node 2, which says the third
    assert fitted.decision.tolist() == [1, 1, 2, 1, 1, 1, 1, 1]
    assert fitted.node_costs().tolist() == [16, 8, 5, 0, 8, 0, 0, 0]
    assert fitted.n_classes == 3 and fitted.labels == [1, 2, 30]
    plain = replace(fitted, costs=None)
    assert plain.cost_values.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert plain.node_costs().tolist() == [16, 8, 2, 0, 8, 0, 0, 0]
    observed = replace(fitted, observed=np.ones((8, 3)))
    assert observed.node_costs().tolist() == [2, 2, 3.5, 2, 2, 2, 2, 2]
    priced = replace(fitted, feature_costs=FeatureCosts({"a <&> b": 1.0, "town": 10.0}))
    assert priced.path_costs().tolist() == [0, 10, 10, 10, 11, 11, 11, 11]
    assert fitted.path_costs().tolist() == [0] * 8


def test_trees_decide_by_cost_or_by_chance():
    fitted, rows = towns(), np.array([[0.4, 0.2, 0.4], [0.2, 0.2, 0.6], [0.0, 0.0, 1.0]])
    assert fitted.choose(rows).tolist() == [1, 2, 2] and fitted.choose(rows).dtype == np.int32
    assert replace(fitted, min_cost=False).choose(rows).tolist() == [0, 2, 2]
    drafted = FittedTree.decided(
        tree=fitted.tree, schema=fitted.schema, classes=fitted.classes, values=fitted.values
    )
    assert drafted.decision.tolist() == [0, 0, 2, 0, 0, 1, 1, 1]


def test_prices_in_the_order_of_the_nodes():
    """The column met first is paid in full, and the other one less."""
    later = {"a <&> b": ("g", 1.0), "town": ("g", 2.0)}
    costs = FeatureCosts({"a <&> b": 10.0, "town": 20.0}, later=later)
    assert replace(towns(), feature_costs=costs).upfront_cost() == 21
    assert towns().upfront_cost() == 0


# ---- damage ------------------------------------------------------------------------------------------------


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


DAMAGE = {
    "class code below 0": ("label", 0, -1, "label must hold class codes from 0 to 2"),
    "class code beyond": ("label", 7, 3, "label must hold class codes from 0 to 2"),
    "negative weight": ("class_weights", (2, 1), -1.0, "class_weights must be numbers from 0 to"),
    "no number": ("class_weights", (2, 1), np.nan, "class_weights must be numbers from 0 to"),
    "feature below -1": ("feature", 2, -2, "feature must be a column number, or -1 in leaves"),
    "column that is not there": ("feature", 1, 2, "node 1 tests column 2, but there are 2 columns"),
    "leaf with a child": (
        "first_child",
        2,
        4,
        "a leaf of the tree must have first_child -1 and n_branches 0",
    ),
    "leaf with branches": ("n_branches", 2, 1, "a leaf of the tree must have first_child -1"),
    "one branch": ("n_branches", 1, 1, "an inner node of the tree must have at least two branches"),
    "its own child": ("first_child", 0, 0, "must come after it and within the tree"),
    "beyond the end": ("n_branches", 5, 3, "must come after it and within the tree"),
    "shared child": ("n_branches", 1, 3, "every node but the root must be the child of exactly one node"),
    "late start": ("value_start", 0, 1, "value_start must begin with 0 and never fall"),
    "start that falls": ("value_start", 3, 7, "value_start must begin with 0 and never fall"),
    "end elsewhere": ("value_start", 8, 9, "value_start must end with the length of value_branch"),
    "leaf with a threshold": ("threshold", 2, 1.0, "neither a threshold nor a value_branch"),
    "no threshold": ("threshold", 1, np.nan, "node 1 is numeric and needs a finite threshold, two branches"),
    "infinite threshold": ("threshold", 1, np.inf, "node 1 is numeric and needs a finite threshold"),
    "nominal with a threshold": ("threshold", 0, 1.0, "node 0 tests a nominal column: it cannot have"),
    "branch below -1": ("value_branch", 0, -2, "node 0 sends a category to a branch that it does not have"),
    "branch beyond": ("value_branch", 0, 3, "node 0 sends a category to a branch that it does not have"),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_damaged_arrays(case):
    name, place, value, words = DAMAGE[case]
    fitted = towns()
    array = changed(getattr(fitted.tree, name), place, value)
    with pytest.raises(ValueError, match=re.escape(words)):
        replace(fitted.tree, **{name: array}).validate(2, [None, 8], 3)
    fitted.tree.validate(2, [None, 8], 3)


def test_arrays_that_do_not_fit():
    tree = towns().tree
    with pytest.raises(ValueError, match=r"n_values must have one entry per column \(2\), got 1"):
        tree.validate(2, [None], 3)
    with pytest.raises(ValueError, match="node 0 maps 8 categories to branches; its column has 7"):
        tree.validate(2, [None, 7], 3)
    with pytest.raises(ValueError, match=r"class_weights must have shape \(8, 2\), got \(8, 3\)"):
        tree.validate(2, [None, 8], 2)
    with pytest.raises(ValueError, match=r"value_start must have shape \(9,\), got \(8,\)"):
        replace(tree, value_start=tree.value_start[:-1]).validate(2, [None, 8], 3)
    with pytest.raises(ValueError, match=r"label must have shape \(8,\), got \(7,\)"):
        replace(tree, label=tree.label[:-1]).validate(2, [None, 8], 3)
    for name, array in (("label", tree.label.astype(float)), ("threshold", tree.threshold.tolist())):
        with pytest.raises(ValueError, match=f"the tree's {name} must be an array of"):
            replace(tree, **{name: array}).validate(2, [None, 8], 3)
    with pytest.raises(ValueError, match="value_branch must have one dimension"):
        replace(tree, value_branch=tree.value_branch.reshape(2, 4)).validate(2, [None, 8], 3)
    for nothing in ([], ints()):
        with pytest.raises(ValueError, match="made of arrays and have at least one node"):
            replace(tree, feature=nothing).validate(2, [None, 8], 3)


def test_numeric_nodes_have_two_branches_and_no_categories():
    tree = towns().tree
    three = replace(
        tree, n_branches=ints(3, 2, 0, 0, 0, 3, 0, 0, 0), feature=np.append(tree.feature, ints(-1)),
        first_child=np.append(tree.first_child, ints(-1)), threshold=np.append(tree.threshold, np.nan),
        value_start=np.append(tree.value_start, ints(8)), label=np.append(tree.label, ints(0)),
        class_weights=np.vstack([tree.class_weights, np.zeros(3)]),
    )  # fmt: skip
    with pytest.raises(ValueError, match="node 5 is numeric and needs"):
        three.validate(2, [None, 8], 3)
    more = replace(
        tree, value_start=ints(0, 8, 9, 9, 9, 9, 9, 9, 9), value_branch=np.append(tree.value_branch, ints(0))
    )
    with pytest.raises(ValueError, match="node 1 is numeric and needs"):
        more.validate(2, [None, 8], 3)
    leaf = replace(more, value_start=ints(0, 8, 8, 9, 9, 9, 9, 9, 9))
    with pytest.raises(ValueError, match="neither a threshold nor a value_branch"):
        leaf.validate(2, [None, 8], 3)


def chain(depth):
    inner = np.append(np.tile([True, False], depth), [False])
    n = len(inner)
    return TreeModel(
        feature=np.where(inner, 0, -1).astype(np.int32),
        threshold=np.where(inner, 0.5, np.nan),
        first_child=np.where(inner, np.arange(n) + 1, -1).astype(np.int32),
        n_branches=np.where(inner, 2, 0).astype(np.int32),
        value_start=np.zeros(n + 1, np.int32),
        value_branch=ints(),
        class_weights=np.ones((n, 1)),
        label=np.zeros(n, np.int32),
    )


def test_the_deepest_tree():
    chain(MAX_DEPTH).validate(1, [None], 1)
    with pytest.raises(ValueError, match=f"the tree must not be deeper than {MAX_DEPTH} tests"):
        chain(MAX_DEPTH + 1).validate(1, [None], 1)


FITTED = {
    "label twice": ({"classes": np.array([1, 2, 2])}, "classes must hold at least one label, each once"),
    "probability above 1": ({"values": np.full((8, 3), 1.5)}, "values must be probabilities of shape (8, 3)"),
    "probability below 0": ({"values": np.tile([1.2, -0.1, -0.1], (8, 1))}, "values must be probabilities"),
    "of another shape": ({"values": np.full((7, 3), 1 / 3)}, "values must be probabilities of shape (8, 3)"),
    "no sum of 1": ({"values": np.full((8, 3), 0.33333)}, "values must add up to 1 at each node"),
    "rows of another shape": ({"row_values": np.ones((8, 1))}, "row_values must be probabilities of shape"),
    "rows of no sum": ({"row_values": np.zeros((8, 3))}, "row_values must add up to 1 at each node"),
    "too few decisions": ({"decision": ints(0)}, "decision must hold 8 class codes from 0 to 2"),
    "decision below 0": ({"decision": ints(*[0] * 7, -1)}, "decision must hold 8 class codes from 0 to 2"),
    "decision beyond": ({"decision": ints(*[0] * 7, 3)}, "decision must hold 8 class codes from 0 to 2"),
    "costs of another shape": ({"costs": np.ones((3, 2))}, "costs must be finite, of shape (3, 3), at most"),
    "infinite costs": ({"costs": np.full((3, 3), np.inf)}, "costs must be finite, of shape (3, 3)"),
    "huge costs": ({"costs": np.full((3, 3), -1e300)}, "costs must be finite, of shape (3, 3)"),
    "prices of other columns": ({"feature_costs": FeatureCosts({"town": 1.0})}, "a <&> b"),
    "observed of another shape": ({"observed": np.ones((7, 3))}, "observed must hold weights from 0 to"),
    "observed below 0": ({"observed": np.full((8, 3), -1.0)}, "observed must hold weights from 0 to"),
    "observed too large": ({"observed": np.full((8, 3), 1e300)}, "observed must hold weights from 0 to"),
}


@pytest.mark.parametrize("case", FITTED)
def test_damaged_parts_of_a_fitted_tree(case):
    changes, words = FITTED[case]
    with pytest.raises(ValueError, match=re.escape(words)):
        replace(towns(), **changes).validate()


def test_parts_at_the_edge_of_what_is_sound():
    near = towns().values + np.tile([4e-7, 0, 0], (8, 1)) * (towns().values[:, :1] < 0.9)
    sound = {"values": near, "row_values": near, "observed": np.zeros((8, 3)), "costs": np.full((3, 3), -1.0)}
    replace(towns(), **sound, decision=ints(0, 0, 0, 0, 0, 0, 0, 2)).validate()


# ---- documents ---------------------------------------------------------------------------------------------


def test_a_fitted_tree_comes_back_as_it_was():
    ones = np.ones((8, 3))
    costs = FeatureCosts({"a <&> b": 1.0, "town": 10.0})
    full = replace(towns(), observed=ones, row_values=ones / 3, feature_costs=costs)
    heaviest = towns().values.argmax(axis=1).astype(np.int32)
    for fitted in (full, replace(towns(), costs=None, min_cost=False, decision=heaviest)):
        document = fitted.to_dict()
        back = FittedTree.from_dict(document)
        assert back.to_dict() == document
        assert back.min_cost is fitted.min_cost and document["format"] == "stakes-tree"
        assert document["version"] == 1 and document["tree"]["threshold"][:2] == [None, 1.5]
        assert (back.costs is None, back.observed is None) == (fitted.costs is None, fitted.observed is None)
        assert (back.row_values is None) == (fitted.row_values is None)


@pytest.mark.parametrize(
    "labels",
    [np.array([1, 2], np.int8), np.array([1.5, 2], np.float32), np.array([False, True]), np.array(["a", "b"]),
     np.array(["a", 1, 2.5, True], dtype=object), np.array([2**63], np.uint64)],
)  # fmt: skip
def test_labels_come_back_with_their_type(labels):
    back = labels_from_dict(labels_to_dict(labels))
    assert back.dtype == labels.dtype and back.tolist() == labels.tolist()
    assert list(map(type, back.tolist())) == list(map(type, labels.tolist()))


@pytest.mark.parametrize(
    "dtype, labels, words",
    [
        ("complex64", [1], "the dtype of classes must be one of str, object, bool, float32, float64, int8"),
        (3, [1], "the dtype of classes must be one of"),
        ("int8", [], "must be a list of values that fit the dtype int8"),
        ("int8", (1,), "must be a list of values that fit the dtype int8"),
        ("int8", [True], "must be a list of values that fit the dtype int8"),
        ("bool", [1], "must be a list of values that fit the dtype bool"),
        ("str", ["a", 1], "must be a list of values that fit the dtype str"),
        ("object", [None], "must be a list of values that fit the dtype object"),
        ("int8", [128], "the labels of classes do not fit the dtype int8"),
        ("uint8", [-1], "the labels of classes do not fit the dtype uint8"),
        ("int64", [2**64], "the labels of classes do not fit the dtype int64"),
        ("float32", [0.1], "the labels of classes do not fit the dtype float32"),
        ("float32", [1e300], "the labels of classes do not fit the dtype float32"),
    ],
)
def test_labels_that_do_not_fit(dtype, labels, words):
    with pytest.raises(ValueError, match=words):
        labels_from_dict({"dtype": dtype, "labels": labels})


def test_labels_that_are_not_written():
    for label in (np.inf, np.nan, None, b"x"):
        with pytest.raises(
            ValueError, match="class labels must be strings, booleans or finite numbers to be"
        ):
            labels_to_dict(np.array([label, "a"], dtype=object))


def test_what_is_wrong_with_schemas_and_prices():
    with pytest.raises(ValueError, match="schema"):
        read_schema(7)
    assert read_prices(None) is None
    with pytest.raises(ValueError):
        read_prices(7)
    with pytest.raises(ValueError, match="min_cost must be true or false"):
        FittedTree.from_dict(towns().to_dict() | {"min_cost": 1})
