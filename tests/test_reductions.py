"""The reductions as estimators: costs, components, rounds, warnings and files."""

from __future__ import annotations

import copy
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stakes import (
    GBSE,
    GBSET,
    AverageCost,
    C45Classifier,
    CostBagging,
    CostBoosting,
    Costing,
    CostMatrix,
    DataSpaceExpansion,
    Guard,
    IterativeWeighting,
    MetaCost,
    SamplingWarning,
    load_model,
)
from stakes.models import effective_tree
from stakes.reductions import _rows
from stakes.reductions.boosting import VARIANTS

METHODS = [
    GBSE(n_estimators=5),
    GBSET(n_estimators=5, alpha=0.3),
    DataSpaceExpansion(n_estimators=5),
    IterativeWeighting(n_estimators=3, n_votes=2),
    AverageCost(n_estimators=5),
    Costing(n_estimators=5),
    CostBagging(n_estimators=5),
    CostBagging(n_estimators=5, bootstrap=True),
    MetaCost(n_estimators=5),
    MetaCost(n_estimators=5, bootstrap=True, max_samples=0.8),
    MetaCost(n_estimators=5, relearn=False, use_proba=False),
    CostBoosting(n_estimators=5),
    CostBoosting(n_estimators=5, variant="cost_uboost", sampling="rejection"),
    CostBoosting(n_estimators=5, variant="adaboost_m2"),
    GBSE(n_estimators=4, sampling="sample_weight", decision="min_cost"),
]
each = pytest.mark.parametrize("method", METHODS, ids=lambda m: repr(m).replace(" ", ""))

COSTS = CostMatrix([[0, 1, 4], [8, 0, 2], [5, 9, 0]], ["a", "b", "c"])


def problem(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n_rows),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "z": rng.normal(size=n_rows),
        }
    )
    score = frame.x + (frame.colour == "red") - frame.z / 2 + rng.normal(size=n_rows) / 5
    y = np.array(["a", "b", "c"])[np.digitize(score, [-0.3, 0.9])]
    return frame, y


def bill(model, frame, y, costs=COSTS):
    return costs.values[costs.codes(y), costs.codes(model.predict(frame))].mean()


def constant_cost(y, costs=COSTS):
    return costs.values[costs.codes(y)].mean(axis=0).min()


# ---- what every method does ---------------------------------------------------------------------------


@each
def test_it_learns(method):
    frame, y = problem()
    model = clone(method).set_params(cost_matrix=COSTS).fit(frame, y)
    assert bill(model, *problem(seed=1)) < 0.8 * constant_cost(y)
    assert len(model.sample_counts_) == len(model.alphas_) == method.n_estimators
    np.testing.assert_allclose(model.predict_proba(frame).sum(axis=1), 1)


@each
def test_costs_per_example_that_repeat_the_matrix_change_nothing(method):
    frame, y = problem()
    by_class = clone(method).set_params(cost_matrix=COSTS).fit(frame, y)
    by_row = clone(method).fit(frame, y, costs=COSTS.values[COSTS.codes(y)])
    np.testing.assert_array_equal(by_row.predict_proba(frame), by_class.predict_proba(frame))
    np.testing.assert_allclose(by_row.cost_matrix_.values, COSTS.values)


@each
def test_a_constant_added_to_a_row_of_costs_changes_nothing(method):
    frame, y = problem()
    costs = COSTS.values[COSTS.codes(y)]
    plain = clone(method).set_params(cost_matrix=COSTS).fit(frame, y, costs=costs)
    shifted = (
        clone(method).set_params(cost_matrix=COSTS).fit(frame, y, costs=costs + np.arange(300)[:, None] % 4)
    )
    np.testing.assert_array_equal(plain.predict_proba(frame), shifted.predict_proba(frame))


@each
def test_saved_and_read_back_by_name(method, tmp_path):
    frame, y = problem()
    model = clone(method).set_params(cost_matrix=COSTS).fit(frame, y)
    model.to_json(tmp_path / "model.json")
    for back in (load_model(tmp_path / "model.json"), type(model).from_json(model.to_json())):
        assert type(back) is type(model)
        np.testing.assert_array_equal(back.predict(frame), model.predict(frame))
        np.testing.assert_array_equal(back.predict_proba(frame), model.predict_proba(frame))
        for a, b in zip(back.staged_expected_cost(frame), model.staged_expected_cost(frame), strict=True):
            np.testing.assert_array_equal(a, b)
        assert back.sample_counts_ == model.sample_counts_


@each
def test_warm_start_gives_the_same_as_one_fit(method):
    frame, y = problem()
    whole = clone(method).set_params(cost_matrix=COSTS).fit(frame, y)
    grown = clone(method).set_params(cost_matrix=COSTS, warm_start=True)
    for n_rounds in (1, 2, method.n_estimators):
        grown.set_params(n_estimators=n_rounds).fit(frame, y)
    np.testing.assert_array_equal(grown.predict_proba(frame), whole.predict_proba(frame))
    assert grown.sample_counts_ == whole.sample_counts_
    assert grown.alphas_ == whole.alphas_


@each
def test_threads_give_the_same(method):
    frame, y = problem()
    models = [clone(method).set_params(cost_matrix=COSTS, n_jobs=n).fit(frame, y) for n in (1, 3)]
    assert models[0].to_dict() | {"params": 0} == models[1].to_dict() | {"params": 0}


@each
def test_early_stopping(method):
    frame, y = problem()
    settings = {"cost_matrix": COSTS, "n_estimators": 12, "n_iter_no_change": 2, "validation_fraction": 0.3}
    model = clone(method).set_params(**settings).fit(frame, y)
    costs = model.validation_costs_
    best = int(np.argmin(costs))
    assert len(model.alphas_) == len(model.sample_counts_) == best + 1
    assert len(model.estimators_) == (best + 1) * model._draws_per_round
    assert len(costs) == min(12, best + 3)
    assert bill(model, frame, y) < constant_cost(y)


@each
def test_staged_ends_at_the_mixture(method):
    frame, y = problem()
    model = clone(method).set_params(cost_matrix=COSTS).fit(frame, y)
    *_, last = model.staged_predict_proba(frame)
    if not getattr(model, "relearn", False):
        np.testing.assert_array_equal(last, model.predict_proba(frame))
    *_, expected = model.staged_expected_cost(frame)
    np.testing.assert_allclose(expected, last @ COSTS.values)


@each
def test_one_class_and_two_classes(method):
    frame, y = problem(60)
    model = clone(method).fit(frame, ["a"] * 60)
    assert model.estimators_ == [] and set(model.predict(frame)) == {"a"}
    model = clone(method).fit(frame, y == "a")
    assert (model.predict(frame) == (y == "a")).mean() > 0.8


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
@each
def test_no_costs_at_all_are_refused(method):
    frame, y = problem(60)
    if isinstance(method, CostBagging):
        assert set(
            clone(method).set_params(cost_matrix=np.zeros((3, 3))).fit(frame, y).predict(frame)
        ) <= set(y)
        return
    with pytest.raises(ValueError, match="at least one mistake"):
        clone(method).set_params(cost_matrix=np.zeros((3, 3))).fit(frame, y)


@pytest.mark.parametrize("block", [1, 7, 64])
def test_the_size_of_blocks_does_not_matter(block, monkeypatch):
    frame, y = problem(120)
    whole = GBSE(cost_matrix=COSTS, n_estimators=4).fit(frame, y)
    monkeypatch.setattr(_rows, "BLOCK", block)
    small = GBSE(cost_matrix=COSTS, n_estimators=4).fit(frame, y)
    assert whole.to_dict() == small.to_dict()
    np.testing.assert_array_equal(whole.predict_proba(frame), small.predict_proba(frame))


# ---- components -----------------------------------------------------------------------------------------


def foreign():
    yield RandomForestClassifier(20)
    yield make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=500))
    yield KNeighborsClassifier(5)
    yield Guard(C45Classifier(), cv=2)
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        return
    yield LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1)


@pytest.mark.filterwarnings("ignore::stakes.GuardWarning")
@pytest.mark.parametrize("component", list(foreign()), ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("method", [GBSE, DataSpaceExpansion, CostBagging], ids=lambda c: c.__name__)
def test_any_classifier_is_a_component(method, component):
    frame, y = problem()
    model = method(component, cost_matrix=COSTS, n_estimators=5).fit(frame, y)
    assert bill(model, *problem(seed=1)) < 0.55 * constant_cost(y)


def test_linear_components_can_tell_classes_apart():
    # Were the class only one more column, the order of the classes would be the same for every row.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = GBSE(LogisticRegression(), n_estimators=10).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.85


def test_components_without_probabilities_vote():
    frame, y = problem()
    model = CostBagging(RidgeClassifier(), cost_matrix=COSTS, n_estimators=5).fit(frame, y)
    shares = model.predict_proba(frame)
    np.testing.assert_allclose(shares * 5, np.round(shares * 5), atol=1e-9)


def test_components_have_seeds_of_their_own():
    frame, y = problem()
    model = CostBagging(RandomForestClassifier(2, random_state=3), max_samples=1.0, n_estimators=3).fit(
        frame, y
    )
    assert len({component.random_state for component in model.estimators_}) == 3
    again = clone(model).fit(frame, y)
    np.testing.assert_array_equal(model.predict_proba(frame), again.predict_proba(frame))


class Deaf(ClassifierMixin, BaseEstimator):
    """A classifier that takes no weights."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_weights_need_a_component_that_takes_them():
    frame, y = problem(60)
    with pytest.raises(TypeError, match=r"Deaf\.fit does not take it"):
        GBSE(Deaf(), sampling="sample_weight").fit(frame, y)
    GBSE(Deaf(), n_estimators=2).fit(frame, y)


def test_components_that_cannot_be_written():
    frame, y = problem(60)
    model = AverageCost(RandomForestClassifier(2), n_estimators=2).fit(frame, y)
    with pytest.raises(
        TypeError, match="a RandomForestClassifier inside cannot be written as JSON, use pickle"
    ):
        model.to_dict()


def test_a_column_called_class_and_numbers_that_are_names():
    frame, y = problem()
    renamed = frame.rename(columns={"x": "class"}).assign(code=np.arange(300) % 4)
    model = GBSE(cost_matrix=COSTS, n_estimators=4, categorical_features=["code"]).fit(renamed, y)
    assert model.schema_.columns[3].is_nominal
    assert bill(model, renamed, y) < 0.5 * constant_cost(y)


# ---- rounds ---------------------------------------------------------------------------------------------


def test_alpha():
    frame, y = problem()
    given = GBSE(cost_matrix=COSTS, n_estimators=4, alpha=lambda t: 1 / t).fit(frame, y)
    np.testing.assert_array_equal(
        given.predict_proba(frame), GBSE(cost_matrix=COSTS, n_estimators=4).fit(frame, y).predict_proba(frame)
    )
    assert GBSE(cost_matrix=COSTS, n_estimators=3, alpha=0.2).fit(frame, y).alphas_ == [0.2] * 3
    with pytest.raises(ValueError, match=r"alpha must give numbers from 0 to 1, got 2 for round 2"):
        GBSE(alpha=lambda t: t).fit(frame, y)


def test_decision():
    frame, y = problem()
    model = GBSE(cost_matrix=COSTS, n_estimators=6).fit(frame, y)
    shares = model.predict_proba(frame)
    assert model.predict(frame).tolist() == model.classes_[shares.argmax(axis=1)].tolist()
    model.set_params(decision="min_cost")
    assert model.predict(frame).tolist() == model.classes_[(shares @ COSTS.values).argmin(axis=1)].tolist()


def test_sample_counts_follow_the_weights():
    frame, y = problem(3000)
    costs = CostMatrix([[0, 1, 1], [1, 0, 1], [10, 10, 0]], ["a", "b", "c"])
    rare = (y == "c").sum()
    counts = np.array(Costing(cost_matrix=costs, n_estimators=5).fit(frame, y).sample_counts_)
    np.testing.assert_allclose(counts, rare + (3000 - rare) / 10, rtol=0.1)
    counts = np.array(CostBagging(n_estimators=5).fit(frame, y).sample_counts_)
    np.testing.assert_allclose(counts, 2000, rtol=0.05)
    counts = GBSE(cost_matrix=costs, n_estimators=5, sampling="sample_weight").fit(frame, y).sample_counts_
    assert counts[0] <= 9000


def test_rows_without_weight_are_in_no_sample():
    frame, y = problem()
    weight = (frame.x > 0).to_numpy().astype(float)
    kept = GBSE(cost_matrix=COSTS, n_estimators=3, sampling="sample_weight").fit(
        frame, y, sample_weight=weight
    )
    alone = GBSE(cost_matrix=COSTS, n_estimators=3, sampling="sample_weight")
    alone.fit(frame[weight > 0], y[weight > 0])
    np.testing.assert_allclose(kept.predict_proba(frame), alone.predict_proba(frame))


def test_a_class_that_no_sample_has_is_told():
    frame, y = problem()
    costs = CostMatrix([[0, 1e-7, 1e-7], [1, 0, 1], [1, 1, 0]], ["a", "b", "c"])
    with pytest.warns(SamplingWarning, match="no row of class a is in any sample"):
        AverageCost(cost_matrix=costs, n_estimators=3).fit(frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AverageCost(cost_matrix=costs, n_estimators=1, sampling="sample_weight").fit(frame, y)


def test_warm_start_refuses_other_rows_and_fewer_rounds():
    frame, y = problem()
    model = GBSE(n_estimators=3, warm_start=True).fit(frame, y)
    with pytest.raises(ValueError, match="columns and classes must be the same"):
        model.set_params(n_estimators=4).fit(frame[["x", "z"]], y)
    with pytest.raises(ValueError, match=r"n_estimators must be at least 3.*got 2"):
        GBSE(n_estimators=3, warm_start=True).fit(frame, y).set_params(n_estimators=2).fit(frame, y)


def test_early_stopping_needs_rows():
    with pytest.raises(ValueError, match="needs rows to hold out"):
        GBSE(n_iter_no_change=1, validation_fraction=0.999999).fit([[0.0], [1.0]], [0, 1])


def test_boosting_starts_again_where_a_round_fails():
    # A component that is always wrong has no weight, and the first round speaks alone.
    class Wrong(Deaf):
        def fit(self, X, y, sample_weight=None):
            super().fit(X, y)
            self.classes_ = np.array([0, 1])
            return self

        def predict_proba(self, X):
            return np.tile([0.9, 0.1], (len(X), 1))

    X = np.arange(20.0).reshape(-1, 1)
    y = (np.arange(20) >= 4).astype(int)
    model = CostBoosting(Wrong(), variant="adaboost", n_estimators=3).fit(X, y)
    assert model.alphas_[0] == 1.0 and all(0 <= a <= 1 for a in model.alphas_)


@pytest.mark.parametrize("variant", VARIANTS)
def test_boosting_variants(variant):
    frame, y = problem()
    model = CostBoosting(variant=variant, cost_matrix=COSTS, n_estimators=6).fit(frame, y)
    assert bill(model, *problem(seed=1)) < 0.6 * constant_cost(y)


# ---- MetaCost -------------------------------------------------------------------------------------------


def test_metacost_learns_one_readable_model_of_new_labels():
    frame, y = problem()
    bagged = MetaCost(cost_matrix=COSTS, n_estimators=6, relearn=False).fit(frame, y)
    model = MetaCost(cost_matrix=COSTS, n_estimators=6).fit(frame, y)
    labels = bagged.predict(frame)
    assert (labels != y).any()
    tree = C45Classifier().fit(frame, labels)
    np.testing.assert_array_equal(model.predict(frame), tree.predict(frame))
    assert effective_tree(model).tree.n_nodes == tree.n_nodes_
    assert effective_tree(model).labels == ["a", "b", "c"]
    assert "colour" in model.model_.export_text()
    with pytest.raises(ValueError, match="a tree or a wrapper"):
        effective_tree(bagged)


def test_votes_and_probabilities_differ():
    frame, y = problem()
    votes = CostBagging(cost_matrix=COSTS, n_estimators=4, use_proba=False).fit(frame, y).predict_proba(frame)
    np.testing.assert_array_equal(votes * 4, np.round(votes * 4))
    shares = CostBagging(cost_matrix=COSTS, n_estimators=4).fit(frame, y).predict_proba(frame)
    assert (shares * 4 != np.round(shares * 4)).any()


# ---- documents that do not fit -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda d: d.update({"class": "Costing"}), "must be a AverageCost"),
        (lambda d: d["state"].pop("alphas"), "lacks alphas"),
        (lambda d: d["state"]["alphas"].append(0.5), "1 estimators for each of its alphas"),
        (lambda d: d["state"]["alphas"].__setitem__(0, 3.0), "alphas"),
        (lambda d: d["state"]["alphas"].__setitem__(0, "x"), "alphas"),
        (lambda d: d["state"]["estimators"].pop(), "estimators"),
        (lambda d: d["state"].update(estimators={}), "estimators"),
        (lambda d: d["state"]["estimators"].__setitem__(0, {"constant": 7}), "constant component"),
        (lambda d: d["state"]["estimators"].__setitem__(0, {}), "lacks class"),
        (lambda d: d["params"].update(colour=1), "colour"),
        (lambda d: d["params"].update(n_estimators=-1), "n_estimators"),
        (lambda d: d.update(params=[]), "params"),
        (lambda d: d["state"].update(feature_names=["x"]), "feature_names"),
        (lambda d: d["state"]["classes"].update(labels=["a", "b"]), "class|label"),
        (lambda d: d["state"]["schema"]["columns"].pop(), "features|columns|names"),
        (lambda d: d["state"].update(seed="x"), "seed"),
        (lambda d: d["state"].update(sample_counts=[1]), "sample count"),
    ],
)
def test_damaged_documents_are_answered_by_a_sentence(change, words):
    frame, y = problem(60)
    document = copy.deepcopy(AverageCost(cost_matrix=COSTS, n_estimators=2).fit(frame, y).to_dict())
    change(document)
    with pytest.raises(ValueError, match=words):
        AverageCost.from_dict(document)


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"sampling": "bootstrap"}, "sampling"),
        ({"max_samples": 0.0}, "max_samples"),
        ({"max_samples": 1.5}, "max_samples"),
        ({"decision": "cheap"}, "decision"),
        ({"alpha": 0}, "alpha"),
        ({"validation_fraction": 1.0}, "validation_fraction"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_bad_parameters_are_named(settings, words):
    with pytest.raises(ValueError, match=words):
        GBSE(**settings).fit(*problem(30))


class Meeting(DecisionTreeClassifier):
    """Does not go on before another one is being fitted at the same time."""

    both = threading.Barrier(2)

    def fit(self, X, y, sample_weight=None):
        self.both.wait(timeout=60)
        return super().fit(X, y, sample_weight=sample_weight)


def test_rounds_are_learnt_at_once():
    X, y = load_iris(return_X_y=True)
    model = CostBagging(Meeting(), n_estimators=4, n_jobs=2).fit(X, y)
    assert len(model.alphas_) == 4


class Wrong(DecisionTreeClassifier):
    """Answers what is never right; from the third fit on it does as it should."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        y = np.asarray(y)
        return super().fit(X, (y + 1) % 3 if self.fits < 3 else y, sample_weight=sample_weight)


def test_rounds_that_are_wrong_more_often_than_right_do_not_count():
    X, y = load_iris(return_X_y=True)
    Wrong.fits = 0
    model = CostBoosting(Wrong(max_depth=9), n_estimators=3).fit(X, y)
    assert model.alphas_ == [1.0, 1.0, 1.0]  # nothing is kept of the rounds before the third
    assert (model.predict(X) == y).mean() > 0.9
