"""The parts of BoostedStakes by hand and against slow twins: folds, trees, regressions, blend, judgement."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import sqrtm
from scipy.optimize import OptimizeResult, approx_fprime
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from stakes import BoostedStakes, GuardWarning, Table
from stakes.boosted import smooth as boosted_smooth
from stakes.boosted import trees as boosted_trees
from stakes.boosted.blend import blend, fit_blend
from stakes.boosted.encoder import TableEncoder
from stakes.boosted.folds import Training, log_shares, softmax
from stakes.boosted.model import fit_parts
from stakes.boosted.smooth import Linear, Path, fit_kernel, fit_linear, nearness, softmax_regression
from stakes.boosted.trees import fit_trees
from test_boosted import mixed, plan


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """As inside a fit; threads that wait for each other take longer than the sums of these small tables."""
    with threadpool_limits(1):
        yield


# ---- folds -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_rows, n_folds", [(4, 4), (10, 10), (600, 10), (601, 5)])
def test_ten_folds_and_five_of_many_rows(n_rows, n_folds):
    training = plan(np.arange(n_rows) % 2)
    assert len(training.splits) == n_folds
    assert sorted(np.concatenate([held for _, held in training.splits])) == list(range(n_rows))
    for train, held in training.splits:
        assert sorted([*train, *held]) == list(range(n_rows))


def test_a_plan_by_hand():
    training = Training.plan(np.array([0, 1, 1, 2, 1, 2]), np.array([1.0, 2, 3, 4, 1, 1]), 5, None)
    np.testing.assert_allclose(training.weight, [0.5, 1, 1.5, 2, 0.5, 0.5])  # the mean is 1
    np.testing.assert_allclose(training.prior, [1.5 / 9, 4 / 9, 3.5 / 9])  # each class once more
    assert training.fold[0] == -1 and sorted(training.fold[1:]) == [0, 1, 2, 3, 4]
    assert training.n_classes == 3 and training.seed == 5
    np.testing.assert_allclose(training.start(), np.log([[1.5 / 9, 4 / 9, 3.5 / 9]] * 6))
    lonely = plan([0, 1, 2])
    assert [[part.tolist() for part in split] for split in lonely.splits] == [[[0, 1, 2], []]]


def test_the_loss_by_hand():
    training = Training.plan(np.array([0, 1, 1]), np.array([1.0, 1, 4]), 0, None)
    scores = np.log([[0.8, 0.2], [0.4, 0.6], [0.9, 0.1]])
    shares = 0.999 * np.array([0.8, 0.6, 0.1]) + 0.001 * np.array([1.5 / 5, 3.5 / 5, 3.5 / 5])
    assert training.loss(scores) == pytest.approx(-np.log(shares) @ [1, 1, 4] / 6)
    assert training.loss(scores, np.array([2, 0])) == pytest.approx(-np.log(shares[[2, 0]]) @ [4, 1] / 5)
    np.testing.assert_allclose(softmax(np.array([[1e4, 1e4 + np.log(3)]])), [[0.25, 0.75]])


def test_work_is_shared_in_the_order_of_the_items():
    assert plan([0, 1]).run(lambda item: item * 2, iter(range(5))) == [0, 2, 4, 6, 8]


# ---- weights -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learn", [fit_trees, fit_linear, fit_kernel])
def test_weights_reach_every_part(learn, monkeypatch):
    """The noise says nothing, so that held-out rows get the weighted share of the classes."""
    monkeypatch.setattr(boosted_trees, "ROUNDS", (10,))
    monkeypatch.setattr(boosted_smooth, "N_LANDMARKS", 20)
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(120, 2)), np.arange(120) % 2
    plain, heavy = (
        softmax(learn(X, plan(codes, weight))[0].scores(X))[:, 1].mean()
        for weight in (None, np.where(codes == 1, 3.0, 1.0))
    )
    assert plain == pytest.approx(0.5, abs=0.05)
    assert heavy == pytest.approx(0.75, abs=0.1)


def test_weights_reach_the_blend():
    codes = np.arange(400) % 2
    nothing = [np.zeros((400, 2))]
    for weight, share in ((None, 0.5), (np.where(codes == 1, 3.0, 1.0), 0.75)):
        training = plan(codes, weight)
        weights, shift = fit_blend(nothing, training)
        found = blend(nothing, weights, shift, training.prior)[0, 1]
        assert found == pytest.approx(share, abs=0.01)


# ---- trees -------------------------------------------------------------------------------------------------


def staged(model, X):
    """Raw scores after each round."""
    return [scores.copy() for scores in model.staged_decision_function(X)]


@pytest.mark.parametrize("weighted", [False, True])
def test_boosting_on_folds_is_scikit_learns(weighted, monkeypatch):
    monkeypatch.setattr(boosted_trees, "ROUNDS", (10, 20))
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 3))
    codes = np.digitize(X[:, 0] + rng.normal(size=90) / 4, [-0.5, 0.5])
    # Some weights are 1 even when their mean is.
    weight = np.tile([0.5, 1.0, 1.5], 30) if weighted else np.ones(90)
    training = Training.plan(codes, weight, 3, None)
    training = replace(training, fold=training.fold % 3)  # three folds are enough here
    found, held = fit_trees(X, training)
    models = [
        HistGradientBoostingClassifier(
            max_iter=20,
            learning_rate=0.1,
            max_leaf_nodes=8,
            min_samples_leaf=5,
            max_features=0.5,
            early_stopping=False,
            random_state=3,
        ).fit(X[train], codes[train], weight[train] if weighted else None)
        for train, _ in training.splits
    ]
    courses = [staged(model, X) for model in models]
    best, best_loss, scores = 0, training.loss(training.start()), training.start()
    for rounds in (10, 20):
        for n in range(rounds // 2 + 1 if rounds > 10 else 1, rounds + 1):
            if n % 10:
                continue
            tried = np.zeros((90, 3))
            for course, (_, rows) in zip(courses, training.splits):
                tried[rows] = course[n - 1][rows]
            if training.loss(tried) < best_loss:
                best, best_loss, scores = n, training.loss(tried), tried
        if best <= 0.75 * rounds:
            break
    assert best == len(found.root) / (3 * len(models)) > 0
    np.testing.assert_allclose(held, scores, atol=1e-9)
    mean = np.mean([course[best - 1] for course in courses], axis=0)
    np.testing.assert_allclose(found.scores(X), mean, atol=1e-9)


def test_rounds_double_until_the_best_is_well_behind(monkeypatch):
    """A loss that falls up to a round says how many rounds are made and kept."""
    assert boosted_trees.ROUNDS == (20, 40, 80, 160, 320) and boosted_trees.STEP == 10
    made = []

    class Model:
        def __init__(self, **settings):
            pass

        def set_params(self, max_iter):
            made.append(max_iter)
            return self

        def fit(self, *_):
            return self

    class Sum:
        def __init__(self, models, first, last, n_classes):
            self.kept = first, last

        def scores(self, rows):
            return np.full((len(rows), 2), float(self.kept[1] - self.kept[0]))

    monkeypatch.setattr(boosted_trees, "HistGradientBoostingClassifier", Model)
    monkeypatch.setattr(boosted_trees, "flatten", Sum)
    for best, last_made in ((10, 20), (20, 40), (30, 40), (40, 80), (60, 80), (70, 160), (320, 320)):
        made.clear()
        monkeypatch.setattr(Training, "loss", lambda self, scores, best=best: abs(scores[0, 0] - best))
        trees, scores = fit_trees(np.zeros((4, 1)), plan([0, 0, 1, 1]))
        assert trees.kept == (0, best) and made[-1] == last_made
        assert (scores == best).all()


# ---- regressions -------------------------------------------------------------------------------------------


def test_a_regression_starts_from_the_shares_or_from_another(monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 2))
    codes, weight = np.arange(40) % 4 // 3, np.ones(40)
    strict = softmax_regression(X, codes, 2, weight, 1e-12)
    np.testing.assert_allclose(softmax(strict.intercept[np.newaxis]), [[0.75, 0.25]], rtol=1e-3)
    np.testing.assert_allclose(strict.coefficients, 0, atol=1e-6)
    limits = []

    def stay(objective, first, options, **_):
        limits.append(options["maxiter"])
        return OptimizeResult(x=first)

    monkeypatch.setattr(boosted_smooth, "minimize", stay)
    start = Linear(np.arange(4.0).reshape(2, 2), np.array([5.0, 6.0]))
    kept = softmax_regression(X, codes, 2, weight, 1.0, start, max_iter=7)
    np.testing.assert_array_equal(kept.coefficients, start.coefficients)
    np.testing.assert_array_equal(kept.intercept, start.intercept)
    first = softmax_regression(X, codes, 3, weight, 1.0)  # the third class has no rows
    np.testing.assert_allclose(first.intercept, np.log([0.75, 0.25, 1e-6]))
    assert first.coefficients.tolist() == [[0.0] * 3] * 2 and limits == [7, 100]


def scripted_path(monkeypatch, losses, n_rows=20):
    """A path whose regressions only say which strength, rows and start they were asked for."""
    asked = []

    def fit(self, rows, strength, start):
        asked.append((len(rows), strength, start))
        return f"{strength} on {len(rows)}"

    monkeypatch.setattr(Path, "_fit", fit)
    monkeypatch.setattr(Path, "_loss", lambda self, model, held: losses[float(model.split()[0])])
    return Path(np.zeros((n_rows, 1)), plan(np.arange(n_rows) % 2), (1.0, 2.0, 3.0, 4.0, 5.0)), asked


def test_a_path_goes_on_until_two_strengths_are_no_better(monkeypatch):
    path, asked = scripted_path(monkeypatch, {1.0: 0.5, 2.0: 0.3, 3.0: 0.3, 4.0: 0.4, 5.0: 0.1})
    assert (path.strength, path.best_loss) == (2.0, 0.3) and path.fitted == ["2.0 on 18"] * 2
    assert [strength for _, strength, _ in asked] == [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]
    assert [start for _, _, start in asked[:4]] == [None, None, "1.0 on 18", "1.0 on 18"]
    path, _ = scripted_path(monkeypatch, {1.0: 0.5, 2.0: 0.6, 3.0: 0.4, 4.0: 0.5, 5.0: 0.3})
    assert (path.strength, path.best_loss) == (5.0, 0.3)  # one that is worse does not end it
    path, _ = scripted_path(monkeypatch, dict.fromkeys([1.0, 2.0, 3.0, 4.0, 5.0], np.inf))
    assert path.strength == 1.0


def test_all_folds_of_a_path_are_fitted_and_averaged(monkeypatch):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(40, 2)), rng.integers(2, size=40)
    training = plan(codes)
    path = Path(X, training, (1.0,))
    mean, held = path.all_folds()
    models = [
        softmax_regression(X[train], codes[train], 2, training.weight[train], 1.0)
        for train, _ in training.splits
    ]
    for fast, slow in (
        (mean.coefficients, [m.coefficients for m in models]),
        (mean.intercept, [m.intercept for m in models]),
    ):
        np.testing.assert_allclose(fast, np.mean(slow, axis=0), atol=0.02)
    for model, (_, rows) in zip(models, training.splits):
        np.testing.assert_allclose(softmax(held[rows]), softmax(model.scores(X[rows])), atol=0.02)
    losses = [
        training.loss(model.scores(X), rows) for model, (_, rows) in zip(models[:2], training.splits[:2])
    ]
    assert path.best_loss == pytest.approx(np.mean(losses), rel=1e-3)


def test_the_kernel_is_that_of_its_formulas(monkeypatch):
    monkeypatch.setattr(boosted_smooth, "N_LANDMARKS", 12)
    monkeypatch.setattr(boosted_smooth, "KERNEL_STRENGTHS", (3.0,))
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, size=(40, 2))
    training = plan(((X**2).sum(axis=1) < 0.6).astype(int))
    kernel, held = fit_kernel(X, training)
    landmarks = X[np.sort(np.random.default_rng(0).permutation(40)[:12])]
    np.testing.assert_array_equal(kernel.landmarks, landmarks)
    tried = []
    for width in (0.25, 1.0):
        gamma = width / X.var(axis=0).sum()
        root = np.linalg.inv(np.real(sqrtm(nearness(landmarks, landmarks, gamma))))
        tried.append((Path(nearness(X, landmarks, gamma) @ root, training, (3.0,)), gamma))
    path, gamma = min(tried, key=lambda entry: entry[0].best_loss)
    assert kernel.gamma == pytest.approx(gamma)
    linear, expected = path.all_folds()
    np.testing.assert_allclose(held, expected, atol=1e-3)
    np.testing.assert_allclose(
        softmax(kernel.scores(X)), softmax(linear.scores(path.features)), atol=1e-3
    )  # scores of any row by the landmarks alone
    assert boosted_smooth.WIDTHS == (0.25, 1.0)


def test_rows_that_are_all_the_same_have_a_kernel_too():
    kernel, held = fit_kernel(np.ones((12, 2)), plan(np.arange(12) % 2))
    assert np.isfinite(held).all() and np.isfinite(kernel.scores(np.ones((1, 2)))).all()


# ---- numbers -----------------------------------------------------------------------------------------------


def test_numbers_by_hand():
    frame = pd.DataFrame(
        {"a": [2.0, 4.0, np.nan, -4.0], "b": [1.0, 1.0, 3.0, 3.0], "k": ["u", "v", "v", "v"]}
    )
    numbers = TableEncoder.learn(Table.from_data(frame))
    assert numbers.to_dict() == {
        "column": [0, 1, 2, 2],
        "category": [-1, -1, 0, 1],
        "unit": [4.0, 3.0, 1.0, 1.0],
        "center": pytest.approx([0.5 / 3, 2 / 3, 0.0, 0.0]),
        "scale": pytest.approx([np.std([0.5, 1.0, -1.0]), 1 / 3, 1.0, 1.0]),
        "gaps": [0],
    }
    matrix = numbers.encode(Table.from_data(frame))
    assert numbers.fill(matrix)[2].tolist() == [0.0, pytest.approx(1.0), 0.0, 1.0, 1.0]
    assert numbers.fill(matrix).shape == (4, 5)
    far = Table.from_data(frame.assign(b=[-1e9, 1e9, 1.0, 1.0]))
    assert numbers.encode(far)[:2, 1].tolist() == [-6.0, 6.0]


def test_of_many_categories_the_most_frequent_are_kept(monkeypatch):
    monkeypatch.setattr("stakes.boosted.encoder.MOST_CATEGORIES", 2)
    values = np.array(["a", "b", "b", "c", "d", "d", "d", None], dtype=object)[:, np.newaxis]
    assert TableEncoder.learn(Table.from_data(values)).category.tolist() == [1, 3]
    monkeypatch.setattr("stakes.boosted.encoder.MOST_CATEGORIES", 3)
    assert TableEncoder.learn(Table.from_data(values)).category.tolist() == [
        0,
        1,
        3,
    ]  # a before c: as frequent
    same = np.array(["a", "a"], dtype=object)[:, np.newaxis]
    assert len(TableEncoder.learn(Table.from_data(same))) == 0


# ---- blend -------------------------------------------------------------------------------------------------


def test_a_blend_by_hand():
    prior = np.array([0.5, 0.5])
    parts = [np.log([[0.8, 0.2]]), np.log([[0.4, 0.6]])]
    first, second = (0.999 * np.array(p) + 0.0005 for p in ([0.8, 0.2], [0.4, 0.6]))
    product = first**2.0 * second**0.5 * np.exp([0.0, 1.0])
    np.testing.assert_allclose(
        blend(parts, np.array([2.0, 0.5]), np.array([0.0, 1.0]), prior), [product / product.sum()]
    )


def test_the_slope_that_the_search_for_a_blend_is_given_is_that_of_its_loss(monkeypatch):
    rng = np.random.default_rng(1)
    codes = rng.integers(3, size=30)
    parts = [rng.normal(size=(30, 3)) for _ in range(2)]
    place = np.array([0.9, 0.2, 0.5, -0.4, 0.3])

    def check(objective, first, **_):
        def loss(point):
            return objective(point)[0]

        np.testing.assert_allclose(objective(place)[1], approx_fprime(place, loss, 1e-7), rtol=1e-4)
        return SimpleNamespace(x=first)

    monkeypatch.setattr("stakes.boosted.blend.minimize", check)
    weights, shift = fit_blend(parts, plan(codes, rng.uniform(0.5, 2.0, 30)))
    assert weights.tolist() == [0.5, 0.5] and shift.tolist() == [0.0, 0.0, 0.0]  # where the search starts


def test_no_other_blend_is_better():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=60)
    parts = [np.eye(3)[codes] * 2 + rng.normal(size=(60, 3)), rng.normal(size=(60, 3))]
    training = plan(codes, rng.uniform(0.5, 2.0, 60))
    logs = [log_shares(part, training.prior) for part in parts]

    def objective(weights, shift):
        shares = softmax(sum(w * log for w, log in zip(weights, logs)) + shift)
        loss = -training.weight @ np.log(shares[np.arange(60), codes])
        return loss + ((weights - 0.5) ** 2).sum() + (shift**2).sum()

    weights, shift = fit_blend(parts, training)
    assert (weights >= 0).all() and weights.shape == (2,) and shift.shape == (3,)
    least = objective(weights, shift)
    for step in (1e-2, -1e-2):
        for i in range(2):
            assert objective(np.maximum(weights + step * np.eye(2)[i], 0), shift) >= least
        for i in range(3):
            assert objective(weights, shift + step * np.eye(3)[i]) > least


# ---- judgement and story -----------------------------------------------------------------------------------


def judged(proba, weight, row_costs, classes=("a", "b"), costs=((0, 1), (1, 0))):
    model = BoostedStakes()
    model.classes_ = np.array(classes)
    model.blend_, model.feature_costs_ = object(), None
    model.cost_matrix_ = type("Costs", (), {"values": np.array(costs, dtype=float)})()
    model._judge(np.array(proba), np.array(weight), np.array(row_costs))
    return model


def test_the_bill_of_held_out_rows_by_hand():
    proba = [[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]]
    row_costs = [[0.0, 2.0], [3.0, 0.0], [5.0, 3.0]]
    with pytest.warns(GuardWarning):
        model = judged(proba, [1.0, 1.0, 2.0], row_costs)
    # Answers a, b, a cost 0, 0 and twice 5; always b costs 2, 0 and twice 3, always a 0, 3 and twice 5.
    assert (model.cv_cost_, model.constant_, model.constant_cost_) == (2.5, "b", 2.0)
    assert model.guarded_
    assert judged(proba, [1.0, 1.0, 0.0], row_costs).guarded_ is False


def test_as_dear_as_the_constant_is_not_good_enough():
    with pytest.warns(GuardWarning) as warned:
        model = judged([[0.9, 0.1], [0.9, 0.1]], [1.0, 1.0], [[0.3, 1.0], [0.1, 1.0]])
    assert model.guarded_
    assert str(warned[0].message) == (
        "BoostedStakes costs 0.2 per row in cross-validation, always predicting a costs 0.2; "
        "the constant is predicted from here on"
    )
    slightly = judged([[0.9, 0.1], [0.4, 0.6]], [1.0, 1.0], [[0.3, 1.0], [0.1, 0.1 - 1e-9]])
    assert not slightly.guarded_


def test_the_warning_points_at_the_fit():
    rng = np.random.default_rng(3)
    with pytest.warns(GuardWarning) as warned:
        BoostedStakes().fit(rng.normal(size=(30, 1)), np.repeat([0, 1], [28, 2]))
    assert warned[0].filename == __file__


def test_parts_tell_their_story():
    X, y = mixed(60)
    table, training, said = Table.from_data(X), plan(y), []
    found, proba = fit_parts(table, training, said.append)
    weights = ", ".join(f"{w:.2f}" for w in found.weights)
    assert re.fullmatch(r"boosted trees: log loss 0\.\d{4} with \d+ trees", said[0])
    assert said[0].endswith(f" with {len(found.trees.root)} trees")
    assert re.fullmatch(r"linear: log loss 0\.\d{4}", said[1])
    assert re.fullmatch(r"kernel: log loss 0\.\d{4}", said[2])
    logs = np.log(0.999 * proba[np.arange(60), y] + 0.001 * training.prior[y])
    assert said[3] == f"blend: log loss {-logs.mean():.4f} with weights {weights}"
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    # Models that have seen the rows know them better than those that have not.
    seen = found.proba(table, 1)
    assert np.log(seen[np.arange(60), y]).mean() > logs.mean()


DEFAULTS = {
    "cost_matrix": None,
    "categorical_features": None,
    "unseen": "missing",
    "feature_costs": None,
    "n_jobs": None,
    "random_state": 0,
    "verbose": 0,
}
LARGEST = 2**31 - 1


@pytest.mark.parametrize(
    "name, allowed, refused",
    [
        ("unseen", ["missing", "error"], ["other", None]),
        ("n_jobs", [None, -LARGEST, LARGEST], [-LARGEST - 1, LARGEST + 1, 0.5]),
        ("random_state", [None, 0, LARGEST], [-1, LARGEST + 1]),
        ("verbose", [0, 1, True], [-1, "much"]),
        ("categorical_features", [None, [0]], [3]),
    ],
)
def test_parameters_end_where_they_should(name, allowed, refused):
    assert BoostedStakes().get_params() == DEFAULTS
    for value in allowed:
        BoostedStakes(**{name: value})._validate_params()
    for value in refused:
        with pytest.raises(ValueError, match=f"The '{name}' parameter of BoostedStakes"):
            BoostedStakes(**{name: value})._validate_params()
