"""What every public estimator must do, from one list; a classifier missing from the list fails a test."""

from __future__ import annotations

import inspect
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import stakes
from stakes import (
    GBSE,
    GBSET,
    AverageCost,
    BoostedStakes,
    C45Classifier,
    CostBagging,
    CostBoosting,
    Costing,
    CostMatrix,
    DataSpaceExpansion,
    GDTClassifier,
    Guard,
    GuardWarning,
    IterativeWeighting,
    MDLDiscretizer,
    MetaCost,
    MinExpectedCost,
    RuleClassifier,
    SamplingWarning,
    TradeoffSearchCV,
)
from stakes.boosted import trees as boosted_trees
from stakes.decision import cost_shares, decide, expected_costs

ESTIMATORS = [
    C45Classifier(),
    C45Classifier(dialect="j48", raise_subtrees=False),
    C45Classifier(cost_use="priors", decision="min_cost", smoothing="laplace"),
    C45Classifier(prune="cost", collapse=False, smoothing="m", smoothing_strength=4.0, decision="min_cost"),
    C45Classifier(criterion="gini", prune=None, max_depth=4, n_jobs=2),
    C45Classifier(criterion="gain", max_leaf_nodes=8, max_bins=32, group_values=True),
    C45Classifier(criterion="total_cost", max_depth=3),
    GDTClassifier(population_size=8, max_generations=10),
    GDTClassifier(variant="paper", population_size=8, max_generations=10, n_jobs=2),
    RuleClassifier(),
    RuleClassifier(
        abstain_cost=0.4, mark="all", validation_fraction=0.25, cv=3, max_length=2, keep_whole=True
    ),
    MinExpectedCost(C45Classifier(cost_use="none")),
    Guard(C45Classifier()),
    TradeoffSearchCV(C45Classifier(criterion="cs_gain"), param_range=[0.0, 0.02, 0.5], cv=3),
    GBSE(C45Classifier(), n_estimators=4),
    GBSET(C45Classifier(), n_estimators=6, alpha=0.3),
    DataSpaceExpansion(C45Classifier(), n_estimators=3),
    IterativeWeighting(C45Classifier(), n_estimators=2, n_votes=3),
    AverageCost(C45Classifier(), n_estimators=6, n_jobs=2),
    Costing(C45Classifier(), n_estimators=3, sampling="sample_weight", decision="min_cost"),
    CostBagging(C45Classifier(), n_estimators=3),
    MetaCost(C45Classifier(), n_estimators=3),
    CostBoosting(C45Classifier(), n_estimators=3),
    BoostedStakes(),
]

#: The same around a classifier of another library; these take numbers only and cannot be written to JSON.
FOREIGN = [
    MinExpectedCost(LogisticRegression()),
    MinExpectedCost(DecisionTreeClassifier(max_depth=3, random_state=0), calibration="sigmoid"),
    Guard(DecisionTreeClassifier(max_depth=3, random_state=0)),
    GBSE(DecisionTreeClassifier(max_depth=6), n_estimators=6),
]


def name_of(estimator):
    changed = {k: v for k, v in estimator.get_params(deep=False).items() if not isinstance(v, BaseEstimator)}
    default = {p.name: p.default for p in inspect.signature(type(estimator)).parameters.values()}
    changed = {k: v for k, v in changed.items() if v != default[k]}
    inner = type(getattr(estimator, "estimator", None)).__name__.replace("NoneType", "")
    return f"{type(estimator).__name__}({inner}{','.join(f'{k}={v}' for k, v in changed.items())})"


each = pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch):
    """BoostedStakes has no parameter for its size; what is asked of it here holds after a few rounds, too."""
    monkeypatch.setattr(boosted_trees, "ROUNDS", (20,))


@pytest.mark.parametrize("kind", sorted({type(e) for e in ESTIMATORS}, key=lambda kind: kind.__name__))
def test_every_classifier_has_a_report(kind):
    estimator = next(e for e in ESTIMATORS if type(e) is kind)
    X, y = load_iris(return_X_y=True, as_frame=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        page = clone(estimator).fit(X[::3], y[::3]).report(X, y, title="A report")
    assert "<h1>A report</h1>" in page and "petal width (cm)" in page


def test_every_public_classifier_is_in_the_list():
    public = {
        value
        for value in (getattr(stakes, name) for name in stakes.__all__)
        if inspect.isclass(value) and issubclass(value, ClassifierMixin)
    }
    assert public == {type(estimator) for estimator in ESTIMATORS}


def known_failures(estimator):
    drawn = (
        isinstance(estimator, BoostedStakes)
        or getattr(estimator, "variant", None) == "memetic"
        or getattr(estimator, "criterion", None) == "total_cost"
        or (isinstance(estimator, RuleClassifier) and estimator.validation_fraction > 0)
        or getattr(estimator, "sampling", None) == "rejection"
    )
    if not drawn:
        return {}
    why = "rows are drawn at random, and a row of weight two is drawn otherwise than the same row twice"
    return {"check_sample_weight_equivalence_on_dense_data": why}


@parametrize_with_checks(
    [*ESTIMATORS, *FOREIGN, MDLDiscretizer()],
    expected_failed_checks=known_failures,
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuardWarning)  # scikit-learn fits noise, too
        warnings.simplefilter("ignore", SamplingWarning)
        check(estimator)


# ---- data --------------------------------------------------------------------------------------------------

COSTS = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [9.0, 4.0, 0.0]])


def a_table(n_rows=160, seed=0):
    """Numbers, text, categories, booleans and missing values, and classes that follow from them."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n_rows).astype(float)
    income = rng.lognormal(3, 1, n_rows)
    job = rng.choice(["nurse", "cook", "smith"], n_rows).astype(object)
    town = rng.choice(["north", "south"], n_rows)
    owns = rng.random(n_rows) < 0.5
    score = age / 20 + (job == "nurse") * 1.5 - owns + rng.normal(size=n_rows) / 4
    y = np.array(["low", "mid", "top"])[np.digitize(score, [1.5, 3.0])]
    age[rng.random(n_rows) < 0.1] = np.nan
    job[rng.random(n_rows) < 0.1] = None
    frame = pd.DataFrame(
        {"age": age, "income": income, "job": job, "town": pd.Categorical(town), "owns": owns}
    )
    return frame, y


def numbers(n_rows=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    return X, np.digitize(X[:, 0] + X[:, 1] / 2, [-0.5, 0.5])


@pytest.fixture(autouse=True)
def no_guard_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuardWarning)
        yield


# ---- input -------------------------------------------------------------------------------------------------


@each
def test_the_kind_of_frame_does_not_matter(estimator):
    frame, y = a_table()
    as_objects = frame.astype(object).to_numpy()
    as_objects[pd.isna(as_objects)] = None
    polars = pl.DataFrame(
        {name: column.astype(object).where(column.notna(), None).tolist() for name, column in frame.items()}
    )
    expected = clone(estimator).fit(frame, y)
    for X in (polars, as_objects):
        other = clone(estimator).fit(X, y)
        np.testing.assert_array_equal(other.predict(X), expected.predict(frame))
        np.testing.assert_allclose(other.predict_proba(X), expected.predict_proba(frame))
    np.testing.assert_array_equal(expected.predict(polars), expected.predict(frame))
    assert list(expected.feature_names_in_) == list(frame.columns)


@each
def test_declared_categories_do_not_matter(estimator):
    """The same values, with another order of the declared categories and some that no row has."""
    X, y = a_table(60)
    one, other = X.copy(), X.copy()
    for name in ("job", "town"):
        values = sorted({value for value in X[name] if isinstance(value, str)})
        one[name] = pd.Categorical(X[name], categories=values)
        other[name] = pd.Categorical(X[name], categories=["zz", *values[::-1], "aa"])
    first, second = clone(estimator).fit(one, y), clone(estimator).fit(other, y)
    assert first.to_json() == second.to_json()
    np.testing.assert_array_equal(first.predict(one), second.predict(other))


@each
def test_missing_and_unseen_values_at_prediction(estimator):
    frame, y = a_table()
    model = clone(estimator).fit(frame, y)
    strange = frame.copy()
    strange.loc[:4, "job"] = "astronaut"
    strange["age"] = np.nan
    proba = model.predict_proba(strange)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    without = strange.copy()
    without.loc[:4, "job"] = None
    np.testing.assert_array_equal(proba, model.predict_proba(without))


@each
def test_one_class(estimator):
    frame, _y = a_table(20)
    model = clone(estimator).fit(frame, ["only"] * 20)
    np.testing.assert_array_equal(model.feature_importances_, np.zeros(5))
    assert set(model.predict(frame)) == {"only"}
    np.testing.assert_array_equal(model.predict_proba(frame), np.ones((20, 1)))


@each
@pytest.mark.parametrize(
    "change, words",
    [
        (lambda X, y: (X[:0], y[:0]), r"0 sample|minimum of 1"),
        (lambda X, y: (X[:, :0], y), r"0 feature"),
        (lambda X, y: (X[:, 0], y), r"2D|2-D|two dim|[Rr]eshape"),
        (lambda X, y: (X[:5], y), r"inconsistent"),
        (lambda X, y: (np.where(X[3, 1] == X, np.inf, X), y), r"infinity"),
        (lambda X, y: (X, y + 0.5), r"continuous|Unknown label"),
        (lambda X, y: (X, None), r"y"),
        (lambda X, y: (X, np.where(y == 1, np.nan, y.astype(float))), r"NaN"),
    ],
)
def test_bad_tables_are_answered_by_a_sentence(estimator, change, words):
    with pytest.raises(ValueError, match=words):
        clone(estimator).fit(*change(*numbers()))


@each
@pytest.mark.parametrize(
    "costs, words",
    [
        ([[0, np.nan, 1], [1, 0, 1], [1, 1, 0]], "finite"),
        ([[0, np.inf, 1], [1, 0, 1], [1, 1, 0]], "finite"),
        ([[0, 1], [1, 0]], "3|classes"),
        ([[0, 1, 2]], "square|shape"),
        ("no such file.csv", "file"),
        ({(0, 1): 1, (7, 0): 2}, "pairs must list every"),
        (CostMatrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]], ["a", "b", "c"]), "label|class"),
        ([["x", 1, 1], [1, 0, 1], [1, 1, 0]], "number"),
    ],
)
def test_bad_costs_are_answered_by_a_sentence(estimator, costs, words):
    X, y = numbers()
    with pytest.raises((ValueError, FileNotFoundError), match=words):
        clone(estimator).set_params(cost_matrix=costs).fit(X, y)


@each
@pytest.mark.parametrize("costs", [np.ones((3, 3)), np.ones((150, 2)), np.full((150, 3), np.nan), "text"])
def test_bad_costs_per_example(estimator, costs):
    X, y = numbers()
    with pytest.raises((ValueError, TypeError), match="costs"):
        clone(estimator).fit(X, y, costs=costs)


@each
@pytest.mark.parametrize("weight", [np.full(150, np.nan), np.full(150, -1.0), np.zeros(150), np.ones(7)])
def test_bad_weights(estimator, weight):
    X, y = numbers()
    with pytest.raises(ValueError, match="sample_weight"):
        clone(estimator).fit(X, y, sample_weight=weight)


@each
def test_sparse_rows_are_refused_with_what_to_do(estimator):
    X, y = numbers()
    words = r"got a sparse csr_array of shape 150 x 4. X.toarray\(\) makes it dense and takes 1 MB of memory"
    with pytest.raises(TypeError, match=words):
        clone(estimator).fit(sparse.csr_array(X), y)
    model = clone(estimator).fit(X, y)
    with pytest.raises(TypeError, match=words):
        model.predict(sparse.csr_array(X))


@each
def test_prediction_refuses_other_columns(estimator):
    X, y = numbers()
    model = clone(estimator).fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :3])
    X[4, 2] = -np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.predict(X)


@each
def test_everything_said_about_rows_comes_of_one_routing(estimator):
    frame, y = a_table()
    model = with_costs(estimator).fit(frame, y)
    rows, _ = a_table(70, seed=1)
    answers = model.answers(rows)
    np.testing.assert_array_equal(answers.expected_cost, model.expected_cost(rows))
    np.testing.assert_array_equal(
        answers.expected_cost, expected_costs(model.decision_proba(rows), model.cost_matrix_.values)
    )
    for price in (None, 0.4, np.linspace(0, 2, 70)):
        decision, others = answers.decide(price), [model.decide(rows, price)]
        if not isinstance(estimator, RuleClassifier):  # which decides by the rule that speaks
            others.append(decide(model.decision_proba(rows), model.cost_matrix_, price))
        for other in others:
            np.testing.assert_array_equal(decision.labels, other.labels)
            np.testing.assert_array_equal(decision.undecided, other.undecided)
            np.testing.assert_array_equal(decision.expected_cost, other.expected_cost)
    np.testing.assert_array_equal(answers.probabilities, model.predict_proba(rows))
    np.testing.assert_array_equal(answers.labels, model.predict(rows))
    np.testing.assert_array_equal(answers.decision_proba, model.decision_proba(rows))


def adds_up(shares):
    np.testing.assert_allclose(shares.base + shares.shares.sum(axis=1), shares.difference, rtol=0, atol=1e-9)


@each
def test_every_answer_is_explained(estimator):
    frame, y = a_table()
    model = with_costs(estimator).fit(frame, y)
    rows, _ = a_table(6, seed=1)
    decided = model.predict(rows)
    for why, label in zip(model.explain(rows), decided.tolist(), strict=True):
        # a rule says what it says of a row, even where none applies and the cheapest class is answered
        assert why.label == label or why.label is None
        assert str(label if why.label is None else why.label) in str(why)
    for background in (None, frame[20:32]):
        shares = cost_shares(model, rows, background)
        assert shares.columns == tuple(frame.columns)
        adds_up(shares)
    reasons = model.reasons(rows, n=2)
    assert [(why.label, why.better) for why in reasons] == [(label, "low") for label in decided.tolist()]
    assert all(len(why.reasons) <= 2 * (why.label != "low") for why in reasons)


@pytest.mark.parametrize("estimator", FOREIGN, ids=name_of)
def test_answers_of_other_libraries_are_explained(estimator):
    X, y = numbers()
    model = clone(estimator).fit(X, y)
    for background in (None, X[20:40]):
        shares = model.explain(X[:5], background)
        adds_up(shares)
        assert [why.label for why in shares] == model.predict(X[:5]).tolist()
        assert np.abs(shares.shares[:, :2]).max() > 0.1 > np.abs(shares.shares[:, 2:]).max()
    assert len(model.reasons(X[:5], n=1, better=0)) == 5
    with pytest.raises(TypeError, match="sparse"):
        model.explain(sparse.csr_array(X[:5]))


@each
def test_importances_are_shares_of_what_the_columns_save(estimator):
    rng = np.random.default_rng(0)
    y = rng.choice(["low", "mid", "top"], 200)
    height = np.select([y == "low", y == "mid"], [0.0, 1.0], 2.0) + rng.normal(scale=0.35, size=200)
    rows = pd.DataFrame({"noise": rng.random(200), "height": height, "same": 1.0})
    rows["town"] = rng.choice(["north", "south"], 200)
    model = with_costs(estimator)
    with pytest.raises(NotFittedError):
        _ = model.feature_importances_
    importances = model.fit(rows, y).feature_importances_
    assert importances.shape == (model.n_features_in_,)
    assert (importances >= 0).all() and importances.sum() == pytest.approx(1)
    assert importances.argmax() == 1 and importances[1] > 0.5
    assert importances[2] == 0  # a column that is nowhere read
    back = type(model).from_json(model.to_json())
    np.testing.assert_array_equal(back.feature_importances_, importances)


@pytest.mark.parametrize("estimator", FOREIGN, ids=name_of)
def test_importances_of_other_libraries(estimator):
    X, y = numbers()
    importances = clone(estimator).fit(X, y).feature_importances_
    assert importances.shape == (4,) and importances.sum() == pytest.approx(1)
    assert importances.argmax() == 0


# ---- copies ------------------------------------------------------------------------------------------------


def with_costs(estimator):
    return clone(estimator).set_params(cost_matrix=CostMatrix(COSTS, ["low", "mid", "top"]))


def agree(a, b, X):
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))
    np.testing.assert_array_equal(a.expected_cost(X), b.expected_cost(X))
    for abstain in (None, 0.4):
        np.testing.assert_array_equal(a.decide(X, abstain).undecided, b.decide(X, abstain).undecided)
    np.testing.assert_array_equal(a.classes_, b.classes_)


@each
def test_pickle(estimator):
    frame, y = a_table()
    model = with_costs(estimator).fit(frame, y)
    agree(model, pickle.loads(pickle.dumps(model)), frame)


@each
def test_json(estimator):
    frame, y = a_table()
    model = with_costs(estimator).fit(frame, y)
    document = json.loads(json.dumps(model.to_dict(), allow_nan=False))
    back = type(model).from_dict(document)
    agree(model, back, frame)
    assert type(model).from_json(model.to_json()).to_json() == model.to_json()
    assert json.dumps(back.to_dict()) == json.dumps(model.to_dict())


SAVED = [name for name in stakes.__all__ if hasattr(getattr(stakes, name), "to_json")]


@pytest.mark.parametrize("name", SAVED)
def test_json_of_another_class_says_which_it_is(name, tmp_path):
    """Every public class that is saved reads its own files alone, and names the class of others."""
    kind = getattr(stakes, name)
    held = MDLDiscretizer if kind is C45Classifier else C45Classifier
    path = tmp_path / "model.json"
    held().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"]).to_json(path)
    sentence = f"must be a {name}, got a {held.__name__}: {held.__name__}.from_json reads it"
    with pytest.raises(ValueError, match=sentence) as caught:
        kind.from_json(path)
    assert str(path) in str(caught.value)
    with pytest.raises(ValueError, match=sentence):
        kind.from_json(path.read_text(encoding="utf-8"))
    assert type(held.from_json(path)) is held


@each
def test_clone_and_refit(estimator):
    frame, y = a_table()
    model = with_costs(estimator).fit(frame, y)
    agree(model, clone(model).fit(frame, y), frame)
    X, labels = numbers()
    again = model.set_params(cost_matrix=COSTS).fit(X, labels)
    agree(again, clone(again).fit(X, labels), X)
    assert not hasattr(again, "feature_names_in_")


@each
def test_threads_change_nothing(estimator):
    name = "estimator__n_jobs" if hasattr(estimator, "estimator") else "n_jobs"
    # the threads of BoostedStakes share folds, not rows
    boosted = isinstance(estimator, BoostedStakes)
    X, y = numbers(500 if boosted else 12_000)
    one, several = (clone(estimator).set_params(**{name: n}).fit(X, y) for n in (1, 3))
    agree(one, several, X)


# ---- costs -------------------------------------------------------------------------------------------------


@each
def test_costs_per_example_are_used(estimator):
    X, y = numbers(400)
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(400) < 0.3, rng.integers(0, 3, 400), y)
    if isinstance(estimator, RuleClassifier):
        estimator = clone(estimator).set_params(t_good=0.8)  # no rule over so much noise reaches 0.5
    plain = clone(estimator).fit(X, noisy)
    dear = COSTS[noisy] * np.array([1.0, 1.0, 30.0])[noisy][:, np.newaxis]
    costly = clone(estimator)
    if getattr(costly, "cost_use", "") == "none":
        costly.set_params(cost_use="weights")
    costly.fit(X, noisy, costs=dear)
    assert dear[np.arange(400), costly.predict(X)].sum() < dear[np.arange(400), plain.predict(X)].sum()


@each
def test_costs_are_routed(estimator):
    X, y = numbers()
    costs = np.random.default_rng(0).uniform(1, 9, (150, 3))
    costs[np.arange(150), y] = 0
    seen = []

    class Spy(type(estimator)):
        def fit(self, X, y, costs=None, sample_weight=None):
            seen.append(None if costs is None else np.asarray(costs).shape)
            return super().fit(X, y, costs=costs, sample_weight=sample_weight)

    Spy.__init__.__signature__ = inspect.signature(type(estimator).__init__)
    spy = Spy(**clone(estimator).get_params(deep=False))
    with sklearn.config_context(enable_metadata_routing=True):
        spy.set_fit_request(costs=True, sample_weight=False)
        pipeline = make_pipeline(StandardScaler(), spy)
        result = cross_validate(pipeline, X, y, params={"costs": costs}, cv=3, error_score="raise")
    assert len(result["test_score"]) == 3
    assert seen == [(100, 3)] * 3
