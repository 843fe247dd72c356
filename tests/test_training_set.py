"""What fit is given, read once: the record that learners get, and labels that are coded already."""

from __future__ import annotations

import warnings
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils.fixes import parse_version

from stakes import (
    GBSE,
    BoostedStakes,
    C45Classifier,
    CostBagging,
    Costing,
    CostMatrix,
    GDTClassifier,
    Guard,
    MinExpectedCost,
    RuleClassifier,
    Table,
)
from stakes._base import training as training_module
from stakes._base.labels import CodedTarget, code_labels
from stakes._base.training import Targets, read_targets, read_training, target_for
from test_common import ESTIMATORS, FOREIGN, name_of

OLD_SKLEARN = parse_version(sklearn.__version__) < parse_version("1.9")

X = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "town": ["n", "s", "n", "s"]})
Y = ["low", "high", "high", "low"]
COSTS = np.array([[0.0, 1.0], [4.0, 0.0], [0.0, 3.0], [2.0, 0.0]])[:, ::-1]


def test_a_training_set_is_all_that_fit_was_given():
    prices = {"town": 2.0, "age": 5.0}
    owner = C45Classifier(cost_matrix={("low", "high"): 7.0, ("high", "low"): 1.0}, feature_costs=prices)
    rows = read_training(owner, X, Y, [1, 2, 0, 4], COSTS)
    assert rows.classes.tolist() == ["high", "low"] and rows.codes.tolist() == [1, 0, 0, 1]
    assert rows.codes.dtype == np.int32 and len(rows) == 4 and rows.labels.tolist() == Y
    assert rows.weight.tolist() == rows.weight_or_ones.tolist() == [1, 2, 0, 4]
    assert rows.cost_values.tolist() == [[0, 1], [7, 0]] and rows.sample_costs is rows.costs
    assert rows.feature_costs.features == ("age", "town")
    assert rows.price_arrays.resource_price.tolist() == [5, 2]
    assert owner.feature_names_in_.tolist() == ["age", "town"]
    assert owner._training_info["n_samples"] == 4
    some = rows.take(np.array([3, 1]))
    assert some.labels.tolist() == ["low", "high"] and some.table.columns[0].tolist() == [4, 2]
    assert some.weight.tolist() == [4, 2] and some.costs.tolist() == COSTS[[3, 1]].tolist()
    assert some.cost_matrix is rows.cost_matrix and some.feature_costs is rows.feature_costs
    with pytest.raises(FrozenInstanceError):
        rows.weight = None


def test_what_was_not_given_is_none_and_counts_as_usual():
    rows = read_training(C45Classifier(), X, Y)
    assert (rows.weight, rows.costs, rows.cost_matrix, rows.feature_costs, rows.price_arrays) == (None,) * 5
    assert rows.weight_or_ones.tolist() == [1.0] * 4 and rows.cost_values.tolist() == [[0, 1], [1, 0]]
    assert rows.effective_cost_matrix == CostMatrix([[0, 1], [1, 0]], ["high", "low"])
    assert rows.sample_costs.tolist() == [[1, 0], [0, 1], [0, 1], [1, 0]]
    assert rows.take(np.array([0])).weight is None


def test_classes_cost_the_mean_of_their_samples():
    target = CodedTarget.of(np.array(Y))
    rows = read_targets(target, [1, 3, 1, 1], COSTS, None)
    np.testing.assert_allclose(rows.cost_values[0], np.average(COSTS[[1, 2]], axis=0, weights=[3, 1]))
    np.testing.assert_allclose(rows.cost_values[1], np.average(COSTS[[0, 3]], axis=0))
    one = rows.take(np.array([1]))
    assert one.cost_matrix is rows.cost_matrix  # what a class costs stays
    assert one.with_class_costs(None).cost_values[0].tolist() == COSTS[1].tolist()
    assert one.with_class_costs([[0, 9], [8, 0]]).cost_values.tolist() == [[0, 9], [8, 0]]


# ---- coded labels ------------------------------------------------------------------------------------------


def test_coded_labels_come_back_in_order_and_without_classes_that_nobody_has():
    given = CodedTarget(np.array(["c", "a", "b", "d"]), np.array([1, 0, 1, 3], dtype=np.int32))
    assert np.asarray(given).tolist() == ["a", "c", "a", "d"] and len(given) == 4
    read = code_labels(given, "Tree", 4)
    told = code_labels(np.asarray(given), "Tree", 4)
    for one in (read, told):
        assert one.classes.tolist() == ["a", "c", "d"] and one.codes.tolist() == [0, 1, 0, 2]
        assert one.codes.dtype == np.int32
    assert read.classes.dtype == told.classes.dtype
    with pytest.raises(ValueError, match="inconsistent numbers of samples: X has 3 rows, y 4"):
        code_labels(given, "Tree", 3)


def test_too_many_classes_are_told_of_coded_labels_as_well():
    labels = np.array([f"c{i}" for i in range(30)])
    told = []
    for given in (labels, CodedTarget(labels, np.arange(30, dtype=np.int32))):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            code_labels(given, "Tree")
        told.append([str(warning.message) for warning in caught])
    assert told[0] == told[1]
    assert any("unique classes" in text for text in told[0]) or OLD_SKLEARN  # which says nothing


@pytest.mark.parametrize("estimator", [*ESTIMATORS, *FOREIGN], ids=name_of)
def test_coded_labels_give_the_same_model(estimator):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(60, 3)).round(1)
    labels = np.where(numbers[:, 0] + rng.normal(size=60) / 2 > 0, "yes", "no")
    coded = CodedTarget(np.array(["yes", "n/a", "no"]), np.where(labels == "yes", 0, 2).astype(np.int32))
    given = type(estimator)(**estimator.get_params(deep=False))
    one = given.fit(numbers, labels).predict_proba(numbers)
    two = type(estimator)(**estimator.get_params(deep=False)).fit(numbers, coded)
    np.testing.assert_array_equal(two.predict_proba(numbers), one)
    assert two.classes_.tolist() == ["no", "yes"] and two.classes_.dtype == given.classes_.dtype


def test_labels_are_compared_once_however_many_folds(monkeypatch):
    table, coded = Table.from_data(np.arange(40.0)[:, None]), []
    real = training_module.code_labels
    monkeypatch.setattr(
        training_module, "code_labels", lambda y, *more: coded.append(type(y)) or real(y, *more)
    )
    labels = np.repeat(["a", "b"], 20)
    Guard(C45Classifier(), cv=5).fit(table, labels)
    assert coded == [CodedTarget] * 6  # five folds and all rows; the guard itself read the text
    coded.clear()
    MinExpectedCost(C45Classifier()).fit(table, labels)
    assert coded == [CodedTarget]


def test_estimators_from_elsewhere_get_labels():
    class Own(C45Classifier):
        pass

    rows = Targets(classes=np.array(["a", "b"]), codes=np.array([1, 0], dtype=np.int32))
    assert isinstance(target_for(GDTClassifier(), rows), CodedTarget)
    for other in (DummyClassifier(), Own()):
        assert target_for(other, rows).tolist() == ["b", "a"]
    rules = RuleClassifier(fallback=DummyClassifier()).fit([[0.0], [1.0]], rows.target)
    assert rules.fallback_.classes_.tolist() == ["a", "b"]


# ---- what cannot be learnt from ----------------------------------------------------------------------------

FITS = (C45Classifier(), Guard(C45Classifier()), GBSE(n_estimators=1), RuleClassifier())


@pytest.mark.parametrize(
    "y, words",
    [
        (["a", None, "b", "a"], r"y must have a class label for every sample, but row 1 has None"),
        (["a", "b", float("nan"), "a"], r"but row 2 has nan"),
        ([0, None, 1, 0], r"but row 1 has None"),
        (pd.Series(["a", "b", pd.NA, "a"], dtype="string"), r"but row 2 has <NA>"),
        (pd.Series(pd.Categorical(["a", "b", None, "a"])), r"but row 2 has nan"),
        (["a", "b", 3, "a"], r"y must have labels of one type, but row 0 has 'a' and row 2 has 3"),
        (np.array([1, 2.5, "a", True], dtype=object), r"but row 0 has 1 and row 2 has 'a'"),
        (np.ma.array([0, 1, 0, 1], mask=[0, 0, 0, 1]), r"y must have a value for every sample, but row 3 is"),
    ],
)
def test_labels_with_gaps_or_of_several_types(y, words):
    for model in FITS:
        with pytest.raises(ValueError, match=words):
            model.fit([[1.0], [2.0], [3.0], [4.0]], y)


def test_dates_are_no_weights():
    for model in FITS:
        with pytest.raises(
            ValueError, match=r"sample_weight must be numbers, got dates or times \(datetime64\[D\]\)"
        ):
            model.fit(
                [[1.0], [2.0]], [0, 1], sample_weight=np.array(["2020-01-01", "2020-01-02"], "datetime64[D]")
            )


def test_columns_in_a_dict_are_refused_by_a_sentence():
    for model in (C45Classifier(), Guard(C45Classifier()), CostBagging(n_estimators=1), BoostedStakes()):
        with pytest.raises((TypeError, ValueError), match=r"X must be an array|numbers of samples"):
            model.fit({"a": [1.0, 2.0, 3.0, 4.0]}, [0, 1, 0, 1])


@pytest.mark.parametrize("kind", ["Int64", "boolean", "int64[pyarrow]"])
def test_labels_of_pandas_own_types_are_not_rounded(kind):
    plain = np.array([0, 1, 1, 0]) + (0 if kind == "boolean" else 2**53)
    model = C45Classifier(min_samples_leaf=1).fit([[1.0], [2.0], [3.0], [4.0]], pd.Series(plain, dtype=kind))
    wanted = plain.astype(bool) if kind == "boolean" else plain
    assert model.classes_.dtype == wanted.dtype and model.classes_.tolist() == sorted(set(wanted.tolist()))


def test_a_mask_is_a_missing_value_in_columns_and_refused_elsewhere():
    X = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]])
    masked = np.ma.array(X, mask=np.zeros((4, 2), dtype=bool))
    table = Table.from_data(masked)
    assert not np.isnan(table.columns[0]).any()
    masked[1, 0] = np.ma.masked
    assert np.flatnonzero(np.isnan(Table.from_data(masked).columns[0])).tolist() == [1]
    assert np.isnan(table.schema.encode(masked).columns[0]).tolist() == [False, True, False, False]
    whole = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    assert np.isnan(Table.from_data(whole).columns[1]).tolist() == [True, False]
    words = np.ma.array([["a"], ["b"]], mask=[[0], [1]])
    assert Table.from_data(words).columns[0].tolist() == [0, -1]

    y, gap = [0, 0, 1, 1], np.ma.array(np.ones(4), mask=[0, 1, 0, 0])
    costs = np.ma.array(np.ones((4, 2)), mask=np.eye(4, 2, dtype=bool))
    for model in FITS:
        with pytest.raises(ValueError, match="sample_weight must have a value for every sample, but row 1"):
            model.fit(X, y, sample_weight=gap)
        with pytest.raises(ValueError, match=r"costs must have all values, but the one at \[0, 0\] is"):
            model.fit(X, y, costs=costs)
    with pytest.raises(ValueError, match=r"values must have all values, but the one at \[0, 0\] is masked"):
        CostMatrix(costs[:2])


HUGE = np.array([[0.0, 1e308], [1e308, 0.0]])


@pytest.mark.parametrize("model", [*FITS, GDTClassifier(), BoostedStakes(), Costing(n_estimators=1)])
def test_costs_beyond_what_can_be_added_up(model):
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    with pytest.raises(
        ValueError, match=r"costs must be at most 1e\+100, got 1e\+308; count them in a larger"
    ):
        clone(model).set_params(cost_matrix=HUGE).fit(X, y)
    with pytest.raises(ValueError, match=r"costs must be at most 1e\+100, got 1e\+308"):
        clone(model).fit(X, y, costs=HUGE[y])


@pytest.mark.parametrize("model", FITS)
def test_columns_of_too_many_categories_are_named(model):
    names = np.array([[f"v{i}"] for i in range(65_535)], dtype=object)
    with pytest.raises(
        ValueError, match="column 'x0' has 65535 categories, at most 65534 work; leave it out"
    ):
        model.fit(names, np.arange(len(names)) % 2)


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_one_class_needs_no_calibration(calibration):
    model = MinExpectedCost(C45Classifier(cost_use="none"), calibration=calibration)
    assert model.fit([[1.0], [2.0]], ["a", "a"]).predict([[3.0]]).tolist() == ["a"]
