"""Which model answers through wrappers, how large it is, and what its tests cost."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stakes import C45Classifier, FeatureCosts, Guard, MetaCost, MinExpectedCost
from stakes._base.answering import (
    Size,
    answering_models,
    asks_nothing,
    effective_tree,
    first_with,
    model_size,
    paid_tests,
)

X = np.arange(16.0).reshape(8, 2)
Y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
PRICES = FeatureCosts({"x0": 2.0, "x1": 5.0})


def test_wrappers_are_followed_to_the_innermost_model():
    model = MinExpectedCost(Guard(C45Classifier())).fit(X, Y)
    guard = model.estimator_
    assert list(answering_models(model)) == [model, guard, guard.estimator_]
    assert first_with(model, "guarded_") is guard and first_with(model, "no_such_name") is None
    assert model_size(model) == Size(2, 3) and effective_tree(model).tree.n_nodes == 3
    paid = paid_tests(model, X, PRICES)
    assert paid.upfront == 2.0 and paid.by_row.tolist() == [2.0] * 8


def test_wrappers_that_are_not_fitted_answer_by_nothing():
    guard = Guard(C45Classifier())
    assert list(answering_models(guard)) == [guard] and model_size(guard) == Size(None, None)


def test_a_constant_reads_nothing_but_has_a_tree_behind_it():
    with pytest.warns(UserWarning, match="the constant is predicted"):
        guard = Guard(C45Classifier(max_depth=0), cv=2).fit(X, Y)
    assert asks_nothing(guard) and model_size(guard) == Size(1, 1)
    assert paid_tests(guard, X, PRICES).upfront == 0.0
    guard.estimator_ = C45Classifier().fit(X, Y)
    leaf = effective_tree(guard)
    assert leaf.tree.n_nodes == 1 and leaf.labels[leaf.decision[0]] == guard.constant_
    assert leaf.shares.tolist() == [[0.5, 0.5]] and leaf.counts.tolist() == [[4.0, 4.0]]
    assert effective_tree(guard, unguarded=True).tree.n_nodes == 3


def test_metacost_answers_by_its_own_tree():
    model = MetaCost(C45Classifier(), n_estimators=3, random_state=0).fit(X, Y + 5)
    assert list(answering_models(model)) == [model, model.model_]
    assert effective_tree(model).classes.tolist() == [5, 6]


def test_models_of_other_libraries():
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier()).fit(X, Y)
    assert list(answering_models(pipeline)) == [pipeline, pipeline[-1]]
    assert model_size(pipeline) == Size(2, 3)
    ensemble = BaggingClassifier(n_estimators=2, random_state=0).fit(X, Y)
    assert list(answering_models(ensemble)) == [ensemble]
    assert paid_tests(ensemble, X, PRICES).by_row.tolist() == [7.0] * 8
    with pytest.raises(ValueError, match="must be a tree or a wrapper around one, got BaggingClassifier"):
        effective_tree(ensemble)
