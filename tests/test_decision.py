import json
import warnings
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from recorder import Recorder
from stakes._base.folds import stratified_folds
from stakes.costs import CostMatrix, mean_cost_matrix
from stakes.decision import (
    CostDecisionMixin,
    Guard,
    GuardWarning,
    MinExpectedCost,
    decide,
    expected_costs,
    min_cost_class,
    threshold,
)

# costs are drawn at random or written for their edges, so that many make no sense
pytestmark = pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")

costs = st.floats(-100, 100)


# -- pure functions


@given(
    st.integers(1, 5).flatmap(
        lambda k: st.tuples(
            arrays(float, (3, k), elements=st.floats(0, 1)), arrays(float, (k, k), elements=costs)
        )
    )
)
def test_expected_costs_against_loops(drawn):
    proba, values = drawn
    got = expected_costs(proba, values)
    for i in range(len(proba)):
        for j in range(len(values)):
            wanted = sum(proba[i, a] * values[a, j] for a in range(len(values)))
            assert got[i, j] == pytest.approx(wanted, abs=1e-9)


@given(arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.integers(0, 3).map(float)))
def test_min_cost_class_takes_the_first_of_equals(expected):
    for row, got in zip(expected.tolist(), min_cost_class(expected)):
        assert got == row.index(min(row))


@given(
    st.lists(st.integers(0, 6), min_size=2, max_size=4).filter(any),
    st.data(),
)
def test_ties_on_paper_are_ties_in_floating_point(counts, data):
    k = len(counts)
    tenths = data.draw(arrays(int, (k, k), elements=st.integers(0, 9)))
    shares = [Fraction(count, sum(counts)) for count in counts]
    exact = [sum(shares[a] * Fraction(int(tenths[a, j]), 10) for a in range(k)) for j in range(k)]
    proba = np.array([[float(share) for share in shares]])
    assert min_cost_class(expected_costs(proba, tenths / 10))[0] == exact.index(min(exact))


@given(arrays(float, (2, 2), elements=st.integers(-3, 6).map(float)), st.floats(0, 1))
def test_threshold_agrees_with_expected_costs(values, p):
    try:
        t = threshold(CostMatrix(values))
    except ValueError:
        gain = values[1, 0] - values[1, 1]
        assert gain < 0 or np.array_equal(values[:, 0], values[:, 1])
        return
    first, second = expected_costs([[1 - p, p]], values)[0]
    if p > t + 1e-9:
        assert second <= first + 1e-9
    elif p < t - 1e-9:
        assert first <= second + 1e-9
    assert 0 <= t <= 1


def test_threshold_cases():
    assert threshold([[0, 1], [1, 0]]) == 0.5
    assert threshold([[0, 1], [9, 0]]) == 0.1
    assert threshold([[1, 0], [1, 0]]) == 0.0
    assert threshold([[0, 1], [0, 0]]) == 1.0
    with pytest.raises(ValueError, match="both classes cost the same"):
        threshold([[1, 1], [2, 2]])
    with pytest.raises(ValueError, match="is the matrix transposed"):
        threshold([[5, 0], [0, 1]])
    with pytest.raises(ValueError, match="two classes for a threshold, got 3"):
        threshold(np.zeros((3, 3)))


@given(
    arrays(float, (6, 3), elements=st.floats(0, 1)),
    arrays(float, (3, 3), elements=st.floats(0, 10)),
    st.none() | st.floats(0, 5),
)
def test_decide_against_loops(proba, values, abstain_cost):
    matrix = CostMatrix(values, ["a", "b", "c"])
    decision = decide(proba, matrix, abstain_cost)
    chosen = min_cost_class(proba @ values)
    for i in range(6):
        cost = sum(proba[i, a] * values[a, chosen[i]] for a in range(3))
        if abstain_cost is not None and cost > abstain_cost + 1e-9:
            assert decision.undecided[i]
            assert decision.labels[i] is None
            assert decision.expected_cost[i] == abstain_cost
        elif abstain_cost is None or cost < abstain_cost - 1e-9:
            assert not decision.undecided[i]
            assert decision.labels[i] == "abc"[chosen[i]]
            assert decision.expected_cost[i] == pytest.approx(cost, abs=1e-12)


def test_decide_types_and_prices():
    proba = [[0.5, 0.5], [1, 0]]
    matrix = CostMatrix([[0, 1], [1, 0]], [10, 20])
    assert decide(proba, matrix).labels.dtype == matrix.classes.dtype
    assert decide(proba, matrix, 0.2).labels.tolist() == [None, 10]
    assert pd.isna(decide(proba, matrix, 0.2).labels).tolist() == [True, False]
    assert decide(proba, matrix, 0.5).labels.tolist() == [10, 10], "a tie is decided"
    assert decide(proba, matrix, np.inf).labels.tolist() == [10, 10]
    assert decide(proba, matrix, [0.9, -1]).labels.tolist() == [10, None]
    assert decide(proba, matrix.values, 0.9).labels.tolist() == [0, 0]
    assert len(decide(proba, matrix)) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expected_costs([0.5, 0.5], np.eye(2)), "one column per class"),
        (lambda: expected_costs([[0.5, 0.3, 0.2]], np.eye(2)), r"shape \(n_samples, 2\), got \(1, 3\)"),
        (lambda: expected_costs([[0.5, 0.5]], np.ones((2, 3))), "cost_values must be square"),
        (lambda: expected_costs([[0.5, np.nan]], np.eye(2)), "proba must be finite"),
        (lambda: min_cost_class([1, 2]), "expected must have shape"),
        (lambda: min_cost_class(np.zeros((2, 0))), "expected must have shape"),
        (lambda: min_cost_class([[np.nan, 1]]), "expected must be finite"),
        (lambda: decide([[1, 0]], np.eye(2), np.nan), "abstain_cost must be a number"),
        (lambda: decide([[1, 0]], np.eye(2), -np.inf), "abstain_cost must be a number"),
        (
            lambda: decide([[1, 0]] * 2, np.eye(2), np.ma.array([0.5, 0.5], mask=[0, 1])),
            "abstain_cost must have a value for every sample, but row 1 is masked",
        ),
        (lambda: decide([[1, 0]] * 2, np.eye(2), [0.5, np.nan]), "abstain_cost must be a number"),
        (lambda: decide([[1, 0]] * 2, np.eye(2), [0.5, -np.inf]), "abstain_cost must be a number"),
        (lambda: decide([[1, 0]], np.eye(2), [1, 2]), "one number per row"),
        (lambda: decide([[1, 0]], np.ones((2, 3))), "square array"),
    ],
)
def test_malformed_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_mixin_on_any_classifier():
    class Costly(CostDecisionMixin, GaussianNB):
        pass

    X, y = load_iris(return_X_y=True)
    model = Costly().fit(X, y)
    model.cost_matrix_ = CostMatrix.uniform([0, 1, 2])
    assert (model.decide(X).labels == model.predict(X)).all()
    assert model.expected_cost(X).shape == (150, 3)
    with pytest.raises(NotFittedError):
        Costly().decide(X)


# -- MinExpectedCost

CANCER = load_breast_cancer(return_X_y=True)
DEAR_MISS = CostMatrix.from_pairs({(0, 1): 5, (1, 0): 1})


def test_min_expected_cost_is_argmin_of_expected_costs():
    X, y = CANCER
    model = MinExpectedCost(GaussianNB(), cost_matrix=DEAR_MISS).fit(X, y)
    proba = GaussianNB().fit(X, y).predict_proba(X)
    wanted = [0 if p[1] * 1 <= p[0] * 5 else 1 for p in proba]
    assert model.predict(X).tolist() == wanted
    assert (model.decide(X).labels == model.predict(X)).all()


@pytest.mark.parametrize("calibration", ["isotonic", "sigmoid"])
def test_calibration_is_scikit_learns(calibration):
    X, y = CANCER
    model = MinExpectedCost(GaussianNB(), calibration=calibration, cv=3).fit(X, y)
    peer = CalibratedClassifierCV(GaussianNB(), method=calibration, cv=3).fit(X, y)
    assert np.array_equal(model.predict_proba(X), peer.predict_proba(X))


def test_calibration_lowers_folds_for_small_classes():
    X = np.arange(20.0).reshape(-1, 1)
    y = np.array(["a"] * 17 + ["b"] * 3)
    model = MinExpectedCost(GaussianNB(), calibration="sigmoid")
    assert len(model.fit(X, y).estimator_.calibrated_classifiers_) == 3
    y[17] = "a"
    assert len(model.fit(X, y).estimator_.calibrated_classifiers_) == 2
    y[:18] = "c"
    y[0] = "a"
    with pytest.raises(ValueError, match="more than 1 sample of each class"):
        MinExpectedCost(GaussianNB(), calibration="sigmoid").fit(X, y)


def test_example_costs_become_class_means():
    X, y = CANCER
    rows = np.random.default_rng(0).uniform(0, 10, (len(y), 2))
    rows[np.arange(len(y)), y] = 0
    model = MinExpectedCost(GaussianNB()).fit(X, y, costs=rows)
    assert model.cost_matrix_ == mean_cost_matrix(rows, y, model.classes_)
    both = MinExpectedCost(GaussianNB(), cost_matrix=DEAR_MISS).fit(X, y, costs=rows)
    assert both.cost_matrix_ == DEAR_MISS


def test_inner_cost_matrix_is_taken_over():
    X, y = [[0.0]] * 4, ["a", "a", "a", "b"]
    pairs = {("a", "b"): 1, ("b", "a"): 10}
    assert MinExpectedCost(Recorder(cost_matrix=pairs)).fit(X, y).predict(X).tolist() == ["b"] * 4
    own = {("a", "b"): 1, ("b", "a"): 1}
    assert (
        MinExpectedCost(Recorder(cost_matrix=pairs), cost_matrix=own).fit(X, y).predict(X).tolist()
        == ["a"] * 4
    )


@pytest.mark.parametrize("wrapper", [MinExpectedCost, Guard])
@pytest.mark.filterwarnings("ignore::stakes.decision.GuardWarning")
def test_frames_with_nominal_columns_and_gaps_pass_through(wrapper):
    X = pd.DataFrame({"colour": ["red", "blue", None, "red"] * 10, "other": [1.0, 2.0, 3.0, 4.0] * 10})
    y = pd.Series(["yes", "no", "no", "yes"] * 10)
    inner = make_pipeline(make_column_transformer((OneHotEncoder(), ["colour"])), LogisticRegression())
    model = wrapper(inner).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert model.feature_names_in_.tolist() == ["colour", "other"]


@pytest.mark.parametrize(
    ("make", "kwargs", "error", "message"),
    [
        (lambda: MinExpectedCost(LinearSVC()), {}, TypeError, "estimator must have predict_proba, LinearSVC"),
        (
            lambda: MinExpectedCost(GaussianNB(), calibration="magic"),
            {},
            ValueError,
            "calibration must be None",
        ),
        (
            lambda: MinExpectedCost(GaussianNB(), calibration="sigmoid", cv=1),
            {},
            ValueError,
            "cv must be an int >= 2",
        ),
        (lambda: Guard(GaussianNB(), cv=1), {}, ValueError, "cv must be an int >= 2"),
        (lambda: Guard(GaussianNB(), cv=True), {}, ValueError, "cv must be an int >= 2"),
        (lambda: Guard(GaussianNB(), cv="five"), {}, ValueError, "cv must be an int >= 2"),
        (lambda: Guard(GaussianNB(), cv=None), {}, ValueError, "cv must be an int >= 2"),
        (lambda: Guard(GaussianNB(), cv=2.5), {}, ValueError, "cv must be an int >= 2"),
        (lambda: Guard(GaussianNB(), cv={1}), {}, ValueError, "cv must give pairs of rows .*, got 1"),
        (
            lambda: Guard(GaussianNB()),
            {"costs": np.zeros((2, 2))},
            ValueError,
            "costs must have one row per sample",
        ),
        (lambda: Guard(GaussianNB()), {"costs": np.zeros((569, 3))}, ValueError, "one column per class"),
        (lambda: Guard(GaussianNB()), {"costs": DEAR_MISS}, TypeError, "pass it as cost_matrix="),
        (lambda: Guard(GaussianNB(), cost_matrix=np.zeros((3, 3))), {}, ValueError, "give it labels"),
        (
            lambda: Guard(GaussianNB(), cost_matrix={("a", "b"): 1, ("b", "a"): 1}),
            {},
            ValueError,
            "has no row for 0, 1, which the data has; the labels are 'a', 'b'",
        ),
        (
            lambda: Guard(GaussianNB()),
            {"sample_weight": np.ones(3)},
            ValueError,
            "sample_weight must have shape",
        ),
        (lambda: Guard(GaussianNB()), {"sample_weight": -np.ones(569)}, ValueError, "not negative"),
        (
            lambda: Guard(KNeighborsClassifier()),
            {"sample_weight": np.ones(569)},
            TypeError,
            "does not take it",
        ),
    ],
)
def test_bad_fits(make, kwargs, error, message):
    with pytest.raises(error, match=message):
        make().fit(*CANCER, **kwargs)


# -- Guard


def noise(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), np.where(rng.uniform(size=n) < 0.15, "rare", "usual")


def test_guard_falls_back_on_noise():
    X, y = noise()
    with pytest.warns(GuardWarning, match=r"DecisionTreeClassifier costs .* always predicting usual costs"):
        model = Guard(DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert model.guarded_
    assert set(model.predict(X)) == {"usual"}
    assert model.predict(X).dtype == model.classes_.dtype
    assert np.allclose(model.predict_proba(X)[0], [np.mean(y == "rare"), np.mean(y == "usual")])
    assert (model.decide(X).labels == "usual").all()
    assert model.estimator_.predict(X).tolist() == y.tolist()


def test_guard_lets_a_good_model_through():
    X, y = CANCER
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Guard(GaussianNB(), cost_matrix=DEAR_MISS).fit(X, y)
    assert not model.guarded_
    assert np.array_equal(model.predict(X), GaussianNB().fit(X, y).predict(X))
    assert model.cv_cost_ < model.constant_cost_


@given(st.data())
def test_the_constant_is_the_cheapest(data):
    k, n = data.draw(st.integers(2, 3)), data.draw(st.integers(4, 12))
    y = np.array(
        data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n).filter(lambda v: len(set(v)) == k))
    )
    rows = data.draw(arrays(float, (n, k), elements=st.integers(0, 9).map(float)))
    weight = data.draw(arrays(float, n, elements=st.sampled_from([0.5, 1.0, 2.0])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuardWarning)
        model = Guard(Recorder(), cv=3).fit(np.zeros((n, 1)), y, costs=rows, sample_weight=weight)
    bills = [sum(weight[i] * rows[i, c] for i in range(n)) for c in range(k)]
    assert model.constant_ == bills.index(min(bills))
    assert model.constant_cost_ == pytest.approx(min(bills) / weight.sum())
    # where guarded, the decision layer agrees with the constant
    if model.guarded_:
        cheapest = model.expected_cost(np.zeros((1, 1)))[0]
        assert cheapest[model.constant_] == pytest.approx(min(cheapest))


def test_cv_cost_against_a_loop():
    X, y = CANCER
    splitter = StratifiedKFold(4, shuffle=True, random_state=1)
    model = Guard(GaussianNB(), cost_matrix=DEAR_MISS, cv=splitter).fit(X, y)
    bill = 0.0
    for train, test in splitter.split(X, y):
        for actual, said in zip(y[test], GaussianNB().fit(X[train], y[train]).predict(X[test])):
            bill += {(0, 1): 5, (1, 0): 1}.get((int(actual), int(said)), 0)
    assert model.cv_cost_ == pytest.approx(bill / len(y))
    listed = Guard(GaussianNB(), cost_matrix=DEAR_MISS, cv=list(splitter.split(X, y))).fit(X, y)
    assert listed.cv_cost_ == model.cv_cost_
    assert (
        Guard(GaussianNB(), cv=np.int64(3)).fit(X, y).cv_cost_ == Guard(GaussianNB(), cv=3).fit(X, y).cv_cost_
    )


def test_cv_cost_by_hand_with_weights_own_costs_and_a_fold_of_one_class():
    X, y = np.zeros((6, 1)), np.array(["a", "a", "a", "b", "b", "b"])
    bills = np.array([[0, 1], [0, 2], [5, 3], [4, 0], [7, 0], [6, 0]], dtype=float)
    weight = np.array([1.0, 1.0, 2.0, 1.0, 3.0, 0.5])
    splits = [([0, 1, 3], [2, 4]), ([3, 4], [0]), ([0, 1, 2], [5])]
    with pytest.warns(GuardWarning) as warned:
        model = Guard(Recorder(), cv=splits).fit(X, y, costs=bills, sample_weight=weight)
    # Predicted are a for rows 2 and 4, b for row 0, which saw only b, and a for row 5, which saw only a.
    assert model.cv_cost_ == pytest.approx((2 * 5 + 3 * 7 + 1 * 1 + 0.5 * 6) / 6.5)
    assert model.constant_ == "b" and model.constant_cost_ == pytest.approx((1 + 2 + 6) / 8.5)
    np.testing.assert_allclose(model.prior_, [4 / 8.5, 4.5 / 8.5])
    assert str(warned[0].message) == (
        "Recorder costs 5.385 per row in cross-validation, always predicting b costs 1.059; "
        "the constant is predicted from here on"
    )
    assert warned[0].filename == __file__
    weight[[2, 4]] = 0.0
    with pytest.warns(GuardWarning):  # nothing was tested
        model = Guard(Recorder(), cv=splits[:1]).fit(X, y, costs=bills, sample_weight=weight)
    assert model.cv_cost_ == model.constant_cost_


def test_a_guard_is_as_good_as_the_constant_or_better():
    X, y = np.zeros((4, 1)), np.array([0, 0, 0, 1])
    with pytest.warns(GuardWarning):
        assert Guard(Recorder(), cv=[([0, 1, 3], [2, 3, 0, 1])]).fit(X, y).guarded_  # as dear is not enough
    assert Guard(Recorder()).fit(X, [1, 1, 1, 1]).guarded_ is False  # one class: nothing to guard against
    shuffled = [stratified_folds(np.zeros(9, int), 3, np.random.RandomState(s)).tolist() for s in (1, 1, 2)]
    assert shuffled[0] == shuffled[1] != shuffled[2]
    defaults = {"estimator": None, "cost_matrix": None}
    assert Guard(None).get_params() == defaults | {"feature_costs": None, "cv": 10, "random_state": 0}
    assert MinExpectedCost(None).get_params() == defaults | {"calibration": None, "cv": 5}


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40), st.integers(2, 6), st.integers(0, 5))
def test_folds_are_even_overall_and_in_each_class(y, n_folds, seed):
    codes = np.array(y)
    fold = stratified_folds(codes, n_folds, seed)
    for part in [codes >= 0] + [codes == c for c in set(y)]:
        sizes = np.bincount(fold[part], minlength=n_folds)
        assert sizes.max() - sizes.min() <= 1
    assert np.array_equal(fold, stratified_folds(codes, n_folds, seed))


def test_guard_with_classes_of_one_row():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0]])
    y = ["a", "a", "a", "b", "b", "b", "single"]
    rows = CostMatrix.uniform(["a", "b", "single"]).expand(y)
    model = Guard(DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert model.predict(X).tolist() == y
    with pytest.warns(GuardWarning):
        Guard(Recorder()).fit(X, y, costs=rows)
    with pytest.warns(GuardWarning):
        assert Guard(LogisticRegression()).fit([[0], [1]], [0, 1]).guarded_


def test_costs_reach_only_those_who_ask():
    X, y = noise()
    rows = CostMatrix.uniform(["rare", "usual"]).expand(y)
    with pytest.warns(GuardWarning):
        asked = Guard(Recorder()).fit(X, y, costs=rows, sample_weight=np.ones(60))
    assert asked.estimator_.seen_[:2] == (60, (60, 2))
    assert asked.estimator_.seen_[2].tolist() == [1] * 60
    with pytest.warns(GuardWarning):
        Guard(DecisionTreeClassifier(random_state=0)).fit(X, y, costs=rows)


def test_guard_without_probabilities():
    X, y = CANCER
    model = Guard(make_pipeline(LinearSVC(random_state=0, C=1e-3, max_iter=20000))).fit(X, y)
    assert model.predict(X).shape == y.shape
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError):
        model.decide(X)


def test_guard_repeats_itself_and_clones():
    X, y = noise(seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuardWarning)
        model = Guard(
            DecisionTreeClassifier(random_state=0), cost_matrix={("rare", "usual"): 9, ("usual", "rare"): 1}
        )
        first = model.fit(X, y).cv_cost_
        assert clone(model).fit(X, y).cv_cost_ == first
        assert model.set_params(random_state=7).fit(X, y).cv_cost_ != first


def test_metadata_routing_reaches_fit():
    X, y = CANCER
    rows = DEAR_MISS.expand(y) * 3
    with sklearn.config_context(enable_metadata_routing=True):
        model = MinExpectedCost(GaussianNB()).set_fit_request(costs=True, sample_weight=True)
        model.set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"estimator__var_smoothing": [1e-9, 1e-3]}, cv=3)
        search.fit(X, y, costs=rows, sample_weight=np.ones(len(y)))
        calibrated = MinExpectedCost(GaussianNB(), calibration="sigmoid").fit(
            X, y, sample_weight=np.ones(len(y))
        )
    assert np.allclose(search.best_estimator_.cost_matrix_.values, DEAR_MISS.values * 3)
    assert calibrated.predict(X).shape == y.shape


def test_folds_that_lack_a_class_still_fit():
    X = np.arange(12.0).reshape(-1, 1)
    y = np.array(["a"] * 6 + ["b"] * 5 + ["rare"])
    matrix = CostMatrix.uniform(["a", "b", "rare"])
    splits = [(np.arange(0, 11), np.array([11])), (np.arange(1, 12), np.array([0]))]
    scores = cross_val_score(MinExpectedCost(GaussianNB(), cost_matrix=matrix), X, y, cv=splits)
    assert scores.tolist() == [0, 1]


# -- JSON


@pytest.mark.parametrize("wrapper", [MinExpectedCost, Guard])
@pytest.mark.filterwarnings("ignore::stakes.decision.GuardWarning")
def test_json_round_trip(wrapper):
    X, y = noise()
    model = wrapper(Recorder(), cost_matrix={("rare", "usual"): 99, ("usual", "rare"): 1}, cv=3).fit(X, y)
    back = wrapper.from_dict(json.loads(json.dumps(model.to_dict())))
    assert back.predict(X).tolist() == model.predict(X).tolist()
    assert np.array_equal(back.predict_proba(X), model.predict_proba(X))
    assert back.cost_matrix_ == model.cost_matrix_
    assert back.cv == 3
    assert clone(back).fit(X, y).predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.filterwarnings("ignore::stakes.decision.GuardWarning")
def test_json_refusals():
    X, y = noise()
    with pytest.raises(TypeError, match="a GaussianNB inside cannot be written as JSON, use pickle"):
        Guard(GaussianNB()).fit(X, y).to_dict()
    with pytest.raises(NotFittedError):
        Guard(Recorder()).to_dict()
    good = Guard(Recorder()).fit(X, y).to_dict()
    for change, message in [
        ({"class": "Pickle"}, "class must be one that can be read, got 'Pickle'"),
        ({"params": {"evil": 1}}, "must be parameters of Guard, got"),
        ({"fitted": {}}, "must be what Guard.to_dict"),
        ({"fitted": good["state"]["fitted"] | {"constant": 2}}, "must fit the 2 classes"),
        ({"fitted": good["state"]["fitted"] | {"constant": -1}}, "must fit the 2 classes"),
        ({"fitted": good["state"]["fitted"] | {"constant": True}}, "a number as 'constant'"),
        ({"fitted": good["state"]["fitted"] | {"guarded": 1}}, "true or false as 'guarded'"),
        ({"fitted": good["state"]["fitted"] | {"prior": [0.5, 0.51]}}, "which add up to 1"),
        ({"fitted": good["state"]["fitted"] | {"prior": [0.5, 0.49]}}, "which add up to 1"),
        ({"fitted": good["state"]["fitted"] | {"prior": [-0.1, 1.1]}}, "which add up to 1"),
        ({"fitted": 3}, "fitted must be a JSON object, got 3"),
        ({"params": 3}, "params must be a JSON object, got 3"),
        ({"fitted": good["state"]["fitted"] | {"prior": [1.0]}}, "must fit the 2 classes"),
        ({"cost_matrix": {"values": [[0]]}}, "1 classes without labels"),
    ]:
        with pytest.raises(ValueError, match=message):
            Guard.from_dict(changed(good, change))
    sure = good["state"]["fitted"] | {"prior": [1.0, 0.0], "constant": 0}
    assert Guard.from_dict(changed(good, {"fitted": sure})).constant_ == "rare"
    with pytest.raises(ValueError, match="format"):
        Guard.from_dict({"class": "Guard"})


def changed(document, change):
    """The document with other entries, which are those of its state unless they stand beside it."""
    beside = {name: value for name, value in change.items() if name in document}
    inside = {name: value for name, value in change.items() if name not in document}
    return document | {"state": document["state"] | inside} | beside


@pytest.mark.parametrize("guarded", [False, True])
def test_a_guard_decides_by_what_its_estimator_decides_by(guarded):
    guard = Guard(LogisticRegression())
    guard.guarded_, guard.prior_, guard.classes_ = guarded, np.array([0.25, 0.75]), np.array([0, 1])
    guard.estimator_ = SimpleNamespace(
        predict_proba=lambda X: np.full((len(X), 2), 0.5), decision_proba=lambda X: np.eye(2)[[0] * len(X)]
    )
    expected = [0.25, 0.75] if guarded else [1, 0]
    np.testing.assert_array_equal(guard.decision_proba([[0], [1]]), [expected] * 2)
