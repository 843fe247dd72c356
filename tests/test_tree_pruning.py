"""Pruning methods that are registered by name, and what cutting a tree leaves."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

from commands import run
from oracles.random_trees import random_fitted
from stakes import C45Classifier, datasets, load_model
from stakes.tree import prunes, pruning_methods
from stakes.tree.c45.pruning import METHODS, cut


@pytest.fixture(autouse=True)
def registered():
    """What a test registers is gone after it."""
    with patch.dict(METHODS):
        yield


@pytest.fixture(scope="module")
def german():
    return datasets.load("german")


def nested(fitted, leaves, node=0):
    """The tree as tuples in each other, where these nodes are leaves."""
    tree = fitted.tree
    parts = (
        fitted.values,
        fitted.decision,
        fitted.observed,
        fitted.row_values,
        tree.class_weights,
        tree.label,
    )
    here = [None if part is None else part[node].tolist() for part in parts]
    if tree.feature[node] < 0 or leaves[node]:
        return here
    test = (int(tree.feature[node]), repr(tree.threshold[node]), tree.branches(node).tolist())
    return here, test, [nested(fitted, leaves, child) for child in tree.children(node)]


@pytest.mark.parametrize("seed", range(40))
def test_a_tree_that_is_cut_is_the_same_tree_but_for_what_is_below_the_leaves(seed):
    rng = np.random.default_rng(seed)
    fitted = random_fitted(seed, shape="bushy" if seed % 2 else "chain")
    if seed % 3 == 0:
        fitted = replace(fitted, observed=rng.random(fitted.values.shape), row_values=fitted.values[:, ::-1])
    leaves = rng.random(fitted.tree.n_nodes) < 0.3
    less = cut(fitted, leaves)
    less.validate()
    assert nested(less, np.zeros(less.tree.n_nodes, dtype=bool)) == nested(fitted, leaves)


def test_nothing_or_all_is_cut():
    fitted = random_fitted(3)
    n_nodes = fitted.tree.n_nodes
    assert n_nodes > 3
    assert cut(fitted, np.zeros(n_nodes, dtype=bool)).to_dict() == fitted.to_dict()
    assert cut(fitted, np.ones(n_nodes, dtype=bool)).tree.n_nodes == 1


def estimated_cost(fitted):
    """What ``prune="cost"`` does in the core: Laplace-corrected loss, from the leaves up."""
    counts = fitted.counts
    shares = (counts + 1) / (counts.sum(axis=1, keepdims=True) + fitted.n_classes)
    loss = counts.sum(axis=1) * (shares @ fitted.cost_values).min(axis=1)
    leaves = np.zeros(len(loss), dtype=bool)
    for node in reversed(range(len(loss))):
        below = fitted.tree.children(node)
        if below:
            as_tree = sum(loss[child] for child in below)
            leaves[node] = loss[node] <= as_tree
            loss[node] = min(loss[node], as_tree)
    return leaves


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cost_use": "none", "decision": "min_cost", "smoothing": "laplace"},
        {"cost_use": "priors", "min_samples_leaf": 8},
        {"smoothing": "m", "group_values": True},
    ],
)
def test_a_method_in_python_prunes_as_the_core_does(german, options):
    prunes("estimated cost")(estimated_cost)
    trees = [
        C45Classifier(cost_matrix=german.cost_matrix, prune=prune, **options).fit(german.X, german.y)
        for prune in ("cost", "estimated cost", None)
    ]
    core, python, grown = trees
    assert python.get_n_leaves() < grown.get_n_leaves()
    assert python.export_text() == core.export_text()
    np.testing.assert_allclose(python.predict_proba(german.X), core.predict_proba(german.X), atol=1e-12)
    np.testing.assert_allclose(python.expected_cost(german.X), core.expected_cost(german.X), atol=1e-12)


def test_a_tree_of_least_total_cost_is_not_pruned_by_any_method(german):
    prunes("root")(lambda fitted: np.ones(fitted.tree.n_nodes, dtype=bool))
    X, y = german.X[["checking_status", "duration"]][:300], german.y[:300]
    searched = [
        C45Classifier(criterion="total_cost", max_depth=2, prune=prune).fit(X, y).export_text()
        for prune in (None, "root")
    ]
    assert searched[0] == searched[1] and "checking_status" in searched[0]


def test_a_method_is_known_by_its_name_as_long_as_it_is_registered(german, tmp_path):
    with patch.dict(METHODS):
        prunes("stump")(lambda fitted: fitted.tree.depth == 1)
        assert pruning_methods() == ["error", "cost", "stump"]
        tree = C45Classifier(prune="stump").fit(german.X, german.y)
        assert tree.get_depth() == 1
        tree.to_json(tmp_path / "tree.json")
        assert load_model(tmp_path / "tree.json").get_depth() == 1
        run("fit", "german", "--prune", "stump", "--no-guard", "-o", tmp_path / "model.json")
        assert load_model(tmp_path / "model.json").get_depth() == 1
        with pytest.raises(ValueError, match=r"among \{'error', 'cost', 'stump'\} or None. Got 'bush'"):
            C45Classifier(prune="bush").fit(german.X, german.y)
    with pytest.raises(ValueError, match=r"among \{'error', 'cost'\} or None. Got 'stump'"):
        C45Classifier(prune="stump").fit(german.X, german.y)
    with pytest.raises(ValueError, match="Got 'stump'"):
        load_model(tmp_path / "tree.json")
    refused = run("fit", "german", "--prune", "stump", code=2).stderr
    assert "--prune" in refused and "'stump' is not known" in refused


@pytest.mark.parametrize("name", ["error", "cost", "none"])
def test_names_that_are_taken(name):
    with pytest.raises(ValueError, match=f"name must be that of a new pruning method, got '{name}'"):
        prunes(name)


@pytest.mark.parametrize("answer", [[True], [0, 0, 0], None])
def test_a_method_that_answers_something_else_is_refused(answer):
    tree = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    prunes("wrong")(lambda fitted: answer)
    with pytest.raises(ValueError, match="a pruning method must return 3 bools, one per node, got an array"):
        C45Classifier(prune="wrong").fit(*tree)
