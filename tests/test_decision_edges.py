"""Decisions at their edges: shapes, ties up to rounding, shares that add up, what wrappers write."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

from recorder import Recorder
from stakes import C45Classifier, CostMatrix
from stakes._base.folds import check_folds
from stakes.decision import (
    Guard,
    GuardWarning,
    MinExpectedCost,
    decide,
    expected_costs,
    min_cost_class,
    most_probable_class,
    threshold,
)
from test_decision import changed, noise

wrappers = pytest.mark.parametrize("wrapper", [MinExpectedCost, Guard])


def test_shapes_that_do_not_fit():
    for proba in ([0.5, 0.5], [[[0.5, 0.5]]], [[0.5, 0.5, 0.0]]):
        with pytest.raises(ValueError, match="proba must have one column per class"):
            expected_costs(proba, np.eye(2))
    for values in ([1, 2], np.zeros((2, 3)), np.zeros((2, 2, 2))):
        with pytest.raises(ValueError, match="cost_values must be square"):
            expected_costs([[0.5, 0.5]], values)
    with pytest.raises(ValueError, match="expected must have shape"):
        min_cost_class(np.zeros((2, 2, 2)))
    assert min_cost_class([[5.0]]).tolist() == [0]
    assert expected_costs([["1", "0"]], [["0", "1"], ["4", "0"]]).tolist() == [[0.0, 1.0]]


def test_costs_closer_than_a_millionth_of_a_millionth_are_ties():
    for scale in (1e-3, 1.0, 1e3, -1.0):
        near, far = scale + abs(scale) * 5e-13, scale + abs(scale) * 1.5e-12
        assert min_cost_class([[near, scale], [far, scale]]).tolist() == [0, 1]
    assert most_probable_class([["0.2", "0.8"], ["0.5", "0.5"]]).tolist() == [1, 0]
    prices = [1 - 5e-13, 1 - 1.5e-12]
    assert decide([[1.0], [1.0]], [[1.0]], prices).undecided.tolist() == [False, True]


def test_thresholds_of_small_differences():
    assert threshold([[0, 0.5], [0.5, 0]]) == 0.5
    assert threshold([[0, 1], [2, 1]]) == 0.5
    assert threshold([[1, 1], [4, 0]]) == 0.0


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
def test_decisions_without_a_price_say_that_all_rows_are_decided():
    assert decide([[1.0, 0.0]], np.eye(2)).undecided.dtype == bool
    assert decide([[1.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]], "0.5").undecided.tolist() == [True]


@wrappers
def test_wrappers_that_are_not_fitted_say_so(wrapper):
    model = wrapper(GaussianNB())
    for call in (model.predict, model.predict_proba, model.decide, model.expected_cost):
        with pytest.raises(NotFittedError, match=f"This {wrapper.__name__} instance is not fitted yet"):
            call([[0.0]])


@wrappers
def test_classes_are_checked_in_the_words_of_scikit_learn(wrapper):
    X = np.arange(6.0)[:, np.newaxis]
    model = wrapper(GaussianNB())
    with pytest.raises(ValueError, match=f"{wrapper.__name__} requires y to be passed"):
        model.fit(X, None)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        model.fit(X, [0, 1, 0, 1, 0, np.nan])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        model.fit(X, X[:, 0] + 0.5)
    with pytest.warns(UserWarning, match="A column-vector y was passed"):
        model.fit(X, np.array([[0], [0], [0], [1], [1], [1]]))
    assert model.n_features_in_ == 1


@pytest.mark.filterwarnings("ignore::stakes.decision.GuardWarning")
@wrappers
def test_documents_hold_plain_parameters(wrapper):
    X, y = noise()
    written = wrapper(Recorder(cost_matrix=[[0, 1], [1, 0]]), cv=4).fit(X, y).to_dict()
    assert (written["format"], written["version"], written["class"]) == ("stakes-model", 2, wrapper.__name__)
    own = {"calibration": None} if wrapper is MinExpectedCost else {"random_state": 0}
    assert written["params"] == {"cost_matrix": None, "cv": 4} | own
    for damaged in (written | {"params": []}, changed(written, {"fitted": []})):
        with pytest.raises(ValueError, match="must be a JSON object"):
            wrapper.from_dict(damaged)


@pytest.mark.filterwarnings("ignore::stakes.decision.GuardWarning")
@wrappers
def test_columns_come_back_with_the_estimator(wrapper):
    X, y = noise()
    model = wrapper(C45Classifier()).fit(X, y)
    back = wrapper.from_dict(json.loads(json.dumps(model.to_dict())))
    assert back.n_features_in_ == 3 and not hasattr(back, "feature_names_in_")


def test_shares_of_a_saved_guard_add_up_to_a_millionth():
    X, y = noise()
    with pytest.warns(GuardWarning):
        good = Guard(Recorder()).fit(X, y).to_dict()
    fitted = good["state"]["fitted"]
    assert Guard.from_dict(changed(good, {"fitted": fitted | {"prior": [0.5, 0.5 + 5e-7]}}))
    with pytest.raises(ValueError, match="which add up to 1"):
        Guard.from_dict(changed(good, {"fitted": fitted | {"prior": [0.5, 0.5 + 1.5e-6]}}))


def test_a_guard_has_the_tags_of_its_estimator():
    assert get_tags(Guard(C45Classifier())).input_tags.categorical
    assert not get_tags(Guard(GaussianNB())).input_tags.categorical
    assert get_tags(Guard(GaussianNB())).classifier_tags.multi_class


def test_two_folds_are_enough():
    assert check_folds(2) == 2 and list(check_folds([(1, 2)])) == [(1, 2)]
    X, y = np.arange(8.0)[:, np.newaxis], [0, 0, 0, 0, 1, 1, 1, 1]
    assert not Guard(GaussianNB(), cv=2).fit(X, y).guarded_


def test_a_class_that_has_no_weight_has_no_share():
    X, y = np.arange(6.0)[:, np.newaxis], np.array([0, 0, 1, 1, 2, 2])
    costs = CostMatrix.uniform([0, 1, 2])
    with pytest.warns(GuardWarning):
        model = Guard(Recorder(), cost_matrix=costs, cv=2).fit(X, y, sample_weight=[1, 1, 1, 1, 0, 0])
    assert model.prior_.tolist() == [0.5, 0.5, 0.0]
