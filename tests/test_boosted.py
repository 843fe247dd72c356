"""BoostedStakes: its parts against slow twins and scikit-learn, its blend, its guard, its files."""

from __future__ import annotations

import copy
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from threadpoolctl import threadpool_limits

from stakes import BoostedStakes, CostMatrix, GuardWarning, Table, datasets, load_model
from stakes.boosted.blend import blend, fit_blend
from stakes.boosted.encoder import FARTHEST, MOST_CATEGORIES, TableEncoder
from stakes.boosted.folds import Training, log_shares, softmax
from stakes.boosted.smooth import fit_kernel, fit_linear, nearness, softmax_regression
from stakes.boosted.trees import fit_trees, flatten


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """As inside a fit; threads that wait for each other take longer than the sums of these small tables."""
    with threadpool_limits(1):
        yield


# ---- data --------------------------------------------------------------------------------------------------


def mixed(n_rows=120, n_classes=3, seed=0):
    """Numbers and text with missing values, classes that follow from both."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n_rows)
    colour = rng.choice(["red", "green", "blue"], n_rows).astype(object)
    score = size + (colour == "red") + rng.normal(size=n_rows) / 3
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    size[rng.random(n_rows) < 0.1] = np.nan
    colour[rng.random(n_rows) < 0.1] = None
    return pd.DataFrame({"size": size, "colour": colour, "noise": rng.normal(size=n_rows)}), y


def plan(codes, weight=None, seed=0):
    codes = np.asarray(codes)
    return Training.plan(codes, np.ones(len(codes)) if weight is None else weight, seed, None)


@pytest.fixture(scope="module")
def fitted():
    X, y = mixed()
    return X, y, BoostedStakes(cost_matrix=[[0, 1, 2], [3, 0, 1], [9, 4, 0]]).fit(X, y)


# ---- trees -------------------------------------------------------------------------------------------------


def test_sums_on_threads_are_the_same():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    model = HistGradientBoostingClassifier(max_iter=20).fit(X, np.digitize(X[:, 0] * X[:, 1], [-0.3, 0.3]))
    trees = flatten([model], 0, 20, 3)
    np.testing.assert_array_equal(trees.scores(X, 1), trees.scores(X, 4))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_flat_trees_score_as_scikit_learn_does(n_classes, weighted):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(300, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.digitize(np.nan_to_num(X[:, 0]) + rng.normal(size=300) / 2, np.linspace(-0.5, 0.5, n_classes - 1))
    weight = rng.uniform(0.5, 2, 300) if weighted else None
    models = [
        HistGradientBoostingClassifier(max_iter=15, max_features=0.5, random_state=i).fit(X, y, weight)
        for i in (0, 1)
    ]
    expected = np.mean([model.decision_function(X) for model in models], axis=0)
    scores = flatten(models, 0, 15, n_classes).scores(X)
    np.testing.assert_allclose(scores if n_classes > 2 else scores[:, 1] - scores[:, 0], expected, atol=1e-10)
    np.testing.assert_allclose(
        softmax(flatten(models[:1], 0, 15, n_classes).scores(X)), models[0].predict_proba(X)
    )


# ---- regressions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strength", [0.1, 10.0])
def test_softmax_regression_agrees_with_scikit_learn(strength):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = np.digitize(X[:, 0] + rng.normal(size=200), [-0.5, 0.5])
    weight = rng.uniform(0.5, 2.0, 200)
    weight /= weight.mean()
    ours = softmax_regression(X, y, 3, weight, strength, max_iter=1000)
    theirs = LogisticRegression(C=strength, tol=1e-8, max_iter=5000).fit(X, y, weight)
    np.testing.assert_allclose(softmax(ours.scores(X)), theirs.predict_proba(X), atol=2e-3)


def test_nearness_is_one_at_home_and_falls():
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(nearness(rows, rows[:1], 0.1)[:, 0], np.exp([0.0, -0.1, -2.5]))


@pytest.mark.parametrize("learn", [fit_trees, fit_linear, fit_kernel])
def test_held_out_scores_have_not_seen_their_rows(learn):
    """Labels that follow from nothing: whoever has seen them does better than the class shares."""
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(150, 5)), rng.integers(2, size=150)
    training = plan(codes)
    _, held = learn(X, training)
    assert training.loss(held) > 0.95 * training.loss(training.start())


def test_each_part_has_a_case_of_its_own():
    """A slope for the linear part, a ring for the kernel, a staircase for the trees."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(250, 2))
    ring = plan(((X**2).sum(axis=1) < 0.6).astype(int))
    coefficients = plan((X.sum(axis=1) > 0).astype(int))
    stairs = plan((np.floor(4 * X[:, 0]) % 2).astype(int))
    loss = {
        (name, case): training.loss(learn(X, training)[1])
        for name, learn in (("trees", fit_trees), ("linear", fit_linear), ("kernel", fit_kernel))
        for case, training in (("ring", ring), ("slope", coefficients), ("stairs", stairs))
    }
    assert loss["kernel", "ring"] < min(loss["trees", "ring"], loss["linear", "ring"])
    assert loss["linear", "slope"] < loss["trees", "slope"]
    assert loss["trees", "stairs"] < min(loss["kernel", "stairs"], loss["linear", "stairs"])


# ---- numbers -----------------------------------------------------------------------------------------------


def test_numbers_are_standardised_and_categories_get_one_each():
    frame = pd.DataFrame(
        {"x": [1.0, 3.0, np.nan, 1e9], "kind": ["a", "b", None, "a"], "same": 7.0, "empty": np.nan}
    )
    table = Table.from_data(frame)
    numbers = TableEncoder.learn(table)
    matrix = numbers.encode(table)
    assert numbers.column.tolist() == [0, 1, 1] and numbers.category.tolist() == [-1, 0, 1]
    assert matrix[:, 1:].tolist() == [[1, 0], [0, 1], [0, 0], [1, 0]]
    assert np.isnan(matrix[:, 0]).tolist() == [False, False, True, False]
    known = matrix[[0, 1, 3], 0]
    assert abs(known.mean()) < 1e-9 and abs(known.std() - 1) < 1e-9
    filled = numbers.fill(matrix)
    assert filled[2].tolist() == [0, 0, 0, 1] and filled[:, 3].tolist() == [0, 0, 1, 0]
    far = table.schema.encode([[1e12, "a", 0.0, 0.0]])
    assert numbers.encode(far)[0, 0] == FARTHEST


def test_huge_values_and_many_categories_stay_finite_and_few():
    big = Table.from_data(np.array([[1e308], [-1e308], [1e300], [0.0]]))
    assert np.isfinite(TableEncoder.learn(big).encode(big)).all()
    values = np.repeat([f"v{i}" for i in range(MOST_CATEGORIES + 20)], 2).astype(object)[:, np.newaxis]
    assert len(TableEncoder.learn(Table.from_data(values))) == MOST_CATEGORIES


# ---- folds and blend ---------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 6), min_size=2, max_size=60))
@settings(max_examples=80, deadline=None)
def test_every_fold_learns_every_class(labels):
    codes = np.unique(labels, return_inverse=True)[1]
    training = plan(codes)
    held = np.concatenate([held for _, held in training.splits])
    assert len(held) == len(set(held.tolist()))
    assert set(held.tolist()) == set(np.flatnonzero(np.bincount(codes)[codes] > 1).tolist())
    for train, _ in training.splits:
        assert set(codes[train]) == set(codes)


def test_a_sure_and_wrong_part_is_not_heard():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=400)
    good = np.eye(3)[codes] * 2 + rng.normal(size=(400, 3))
    noise = rng.normal(size=(400, 3)) * 5
    training = plan(codes)
    weights, shift = fit_blend([good, noise], training)
    assert weights[0] > 10 * weights[1]
    loss = training.loss(np.log(blend([good, noise], weights, shift, training.prior)))
    assert loss < training.loss(good) and loss < training.loss(noise)


def test_the_blend_calibrates():
    """Scores that are three times too large are weighed by about a third."""
    rng = np.random.default_rng(1)
    true = rng.normal(size=(3000, 2)) * 1.5
    codes = (rng.random(3000) < softmax(true)[:, 1]).astype(int)
    weights, _ = fit_blend([3 * true], plan(codes))
    assert 0.28 < weights[0] < 0.40


def test_no_class_is_impossible():
    prior = np.array([0.9, 0.1])
    assert np.exp(log_shares(np.array([[0.0, -1e6]]), prior))[0, 1] == pytest.approx(1e-4)


# ---- the estimator -----------------------------------------------------------------------------------------


def test_it_beats_the_constant_on_german():
    german = datasets.load("german")
    train, test = np.arange(0, 1000, 2), np.arange(1, 1000, 2)
    model = BoostedStakes(cost_matrix=german.cost_matrix).fit(german.X.iloc[train], german.y[train])
    bill = german.cost_matrix.align(model.classes_).values
    paid = bill[np.searchsorted(model.classes_, german.y[test]), :]
    chosen = np.searchsorted(model.classes_, model.predict(german.X.iloc[test]))
    assert paid[np.arange(len(test)), chosen].mean() < 0.65 < paid.mean(axis=0).min()
    assert abs(model.cv_cost_ - paid[np.arange(len(test)), chosen].mean()) < 0.12


@pytest.mark.parametrize(
    "codes",
    [[0, 1], [0, 0, 1], [0, 1, 2], [0] * 5 + [1], [0] * 9 + [1, 1] + [2], list(range(26)) * 3],
    ids=lambda codes: f"{len(codes)} rows, {len(set(codes))} classes",
)
def test_few_rows_and_tiny_classes_in_one_column(codes):
    X = np.random.default_rng(0).normal(size=(len(codes), 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuardWarning)
        model = BoostedStakes().fit(X, codes)
    proba = model.predict_proba(X)
    assert proba.shape == (len(codes), len(set(codes)))
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert set(model.predict(X)) <= set(codes)


def test_columns_that_say_nothing():
    X = pd.DataFrame({"same": [1.0] * 30, "empty": [np.nan] * 30, "word": ["a"] * 30})
    model = BoostedStakes(cost_matrix=[[0, 1], [5, 0]]).fit(X, [0] * 20 + [1] * 10)
    assert model.blend_ is None and set(model.predict(X)) == {1}
    np.testing.assert_allclose(model.predict_proba(X)[0], [2 / 3, 1 / 3])


def test_noise_is_guarded():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 3)), np.repeat(["fine", "fraud"], [190, 10])
    with pytest.warns(GuardWarning, match="always predicting fine"):
        model = BoostedStakes(cost_matrix=[[0, 1], [1, 0]]).fit(X, y)
    assert model.guarded_ and set(model.predict(X)) == {"fine"}
    np.testing.assert_allclose(model.predict_proba(X)[0], [0.95, 0.05])
    assert model.cv_cost_ >= model.constant_cost_ == 0.05


def test_costs_per_example_make_the_bill():
    X, y = mixed(150, 2)
    amount = np.random.default_rng(0).uniform(1, 3, 150)
    costs = np.zeros((150, 2))
    costs[np.arange(150), 1 - y] = amount * np.where(y == 1, 10, 1)
    model = BoostedStakes().fit(X, y, costs=costs)
    np.testing.assert_allclose(model.cost_matrix_.values[1, 0], costs[y == 1, 0].mean())
    assert model.constant_cost_ == pytest.approx(costs.mean(axis=0).min())
    assert (model.predict(X) == 1).mean() > (BoostedStakes().fit(X, y).predict(X) == 1).mean()


def test_rows_without_weight_are_left_out():
    X, y = mixed(140)
    weight = np.ones(140)
    weight[100:] = 0
    some = BoostedStakes().fit(X.iloc[:100], y[:100])
    same = BoostedStakes().fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(some.predict_proba(X), same.predict_proba(X))
    strange = BoostedStakes().fit(X, np.where(weight > 0, y, 7), sample_weight=weight)
    assert strange.classes_.tolist() == [0, 1, 2, 7]
    np.testing.assert_array_equal(strange.predict_proba(X)[:, :3], some.predict_proba(X))
    assert (strange.predict_proba(X)[:, 3] == 0).all()


def test_rows_reach_the_parts_with_their_weights(monkeypatch):
    X, y = mixed(150, 2)
    weight = np.random.default_rng(0).integers(0, 4, 150).astype(float)
    seen = []

    def fit_parts(table, training, say):
        seen.append((table, training))
        return None, np.tile([0.9, 0.1], (table.n_samples, 1))

    monkeypatch.setattr("stakes.boosted.classifier.fit_parts", fit_parts)
    kept = weight > 0
    model = BoostedStakes(random_state=5).fit(X, y, sample_weight=weight)
    (table, training) = seen.pop()
    np.testing.assert_array_equal(table.columns[2], X["noise"][kept])
    np.testing.assert_allclose(training.weight, weight[kept] / weight[kept].mean())
    np.testing.assert_array_equal(training.codes, y[kept])
    assert training.seed == 5
    np.testing.assert_allclose(model.shares_, np.bincount(y, weights=weight) / weight.sum())
    assert model.cv_cost_ == pytest.approx(weight[y == 1].sum() / weight.sum())
    BoostedStakes().fit(X, y)
    assert (seen.pop()[1].weight == 1).all()
    for _ in range(2):
        BoostedStakes(random_state=None).fit(X, y)
    assert seen[0][1].seed != seen[1][1].seed  # drawn anew


def test_seed_and_threads(fitted):
    X, y, model = fitted
    again = BoostedStakes(cost_matrix=model.cost_matrix, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    other = BoostedStakes(cost_matrix=model.cost_matrix, random_state=1).fit(X, y)
    assert (other.predict_proba(X) != model.predict_proba(X)).any()


def test_verbose_tells_the_story(capsys):
    X, y = mixed(60)
    BoostedStakes(verbose=1).fit(X, y)
    said = capsys.readouterr().err
    for word in ("boosted trees", "linear", "kernel", "blend", "per row"):
        assert word in said


def test_decisions_follow_from_probabilities(fitted):
    X, _, model = fitted
    expected = model.predict_proba(X) @ model.cost_matrix_.values
    np.testing.assert_allclose(model.expected_cost(X), expected)
    np.testing.assert_array_equal(model.predict(X), expected.argmin(axis=1))
    decision = model.decide(X, abstain_cost=0.2)
    assert decision.undecided.any() and not decision.undecided.all()


# ---- files -------------------------------------------------------------------------------------------------


def test_saved_and_read_back(fitted, tmp_path):
    X, _, model = fitted
    model.to_json(tmp_path / "model.json")
    for back in (load_model(tmp_path / "model.json"), BoostedStakes.from_json(model.to_json())):
        np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(back.predict(X), model.predict(X))
        assert back.cv_cost_ == model.cv_cost_ and back.get_params()["random_state"] == 0


def test_a_guarded_model_is_saved_too():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), np.repeat(["no", "yes"], [57, 3])
    with pytest.warns(GuardWarning):
        model = BoostedStakes().fit(X, y)
    back = BoostedStakes.from_json(model.to_json())
    assert back.guarded_ and back.constant_ == "no" and set(back.predict(X)) == {"no"}


def spoil(document, path, value):
    *way, last = path
    for key in way:
        document = document[key]
    document[last] = value


@pytest.mark.parametrize(
    "path, value",
    [
        (["class"], "Other"),
        (["params", "surprise"], 1),
        (["params", "unseen"], "often"),
        (["state", "shares"], [0.5, 0.5]),
        (["state", "shares"], [0.5, 0.6, -0.1]),
        (["state", "constant"], 3),
        (["state", "constant"], True),
        (["state", "guarded"], 1),
        (["state", "cv_cost"], None),
        (["state", "feature_names"], ["a"]),
        (["state", "costs"], [[0, 1], [1, 0]]),
        (["state", "blend", "weights"], [1.0]),
        (["state", "blend", "weights"], [1.0, -1.0, 0.0]),
        (["state", "blend", "shift"], [0.0]),
        (["state", "blend", "prior"], [1.0, 0.0, 0.0]),
        (["state", "blend", "trees", "left", 0], 0),
        (["state", "blend", "trees", "feature", 0], 99),
        (["state", "blend", "trees", "level"], [0.0]),
        (["state", "blend", "linear", "slope"], [[0.0, 0.0, 0.0]]),
        (["state", "blend", "linear", "level", 0], "x"),
        (["state", "blend", "kernel", "landmarks"], [[0.0]]),
        (["state", "blend", "kernel", "gamma"], -1.0),
        (["state", "blend", "numbers", "scale", 0], 0.0),
        (["state", "blend", "numbers", "column", 0], 9),
        (["state", "blend", "numbers", "category", 0], 2),
        (["state", "blend", "numbers", "gaps"], [77]),
        (["state", "blend", "numbers", "unit"], [1.0]),
        (["state", "blend", "numbers", "unit", 0], 0.0),
        (["format"], "other"),
        (["version"], 3),
    ],
)
def test_damaged_files_are_refused(fitted, path, value):
    document = json.loads(fitted[2].to_json())
    spoil(document, path, value)
    with pytest.raises(ValueError):
        BoostedStakes.from_dict(document)


def test_columns_that_were_declared_nominal_are_written_as_a_list(fitted):
    model = copy.copy(fitted[2])
    assert model.to_dict()["params"]["categorical_features"] is None
    model.categorical_features = np.array(["noise"])
    assert model.to_dict()["params"]["categorical_features"] == ["noise"]


def test_rows_are_checked_before_they_are_used(fitted):
    X, _, model = fitted
    with pytest.raises(NotFittedError):
        BoostedStakes().predict_proba(X)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict_proba(X[["size", "noise"]])
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
        model.predict_proba(np.zeros(4))
    reads = get_tags(model).input_tags
    assert reads.allow_nan and reads.categorical and reads.string


@pytest.mark.parametrize("key", ["blend", "shares", "schema", "classes", "costs", "params"])
def test_missing_pieces_are_named(fitted, key):
    document = json.loads(fitted[2].to_json())
    del (document if key == "params" else document["state"])[key]
    with pytest.raises(ValueError, match=key):
        BoostedStakes.from_dict(document)


def test_labelled_costs_are_put_in_order():
    X, y = mixed(90, 2)
    labels = np.array(["b", "a"])[y]
    costs = CostMatrix([[0, 7], [1, 0]], classes=["b", "a"])
    model = BoostedStakes(cost_matrix=costs).fit(X, labels)
    assert model.cost_matrix_.values.tolist() == [[0, 1], [7, 0]]


def test_the_command_line_learns_and_uses_it(tmp_path):
    from typer.testing import CliRunner

    from stakes.cli import app

    X, y = mixed(80, 2)
    data, path = tmp_path / "data.csv", tmp_path / "model.json"
    X.assign(**{"class": np.array(["bad", "good"])[y]}).to_csv(data, index=False)
    runner = CliRunner()
    said = runner.invoke(app, ["fit", str(data), "--learner", "boosted", "-o", str(path)])
    assert said.exit_code == 0, said.output
    assert "An ensemble from 80 rows." in said.output
    assert isinstance(load_model(path), BoostedStakes)
    facts = runner.invoke(app, ["evaluate", str(data), "--model", str(path), "--json"])
    assert json.loads(facts.stdout)["rows"] == 80
