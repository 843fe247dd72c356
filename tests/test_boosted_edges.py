"""Parts of BoostedStakes at their edges: strengths, floors, leaves, threads, and files that do not fit."""

from __future__ import annotations

import copy
import threading

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import OptimizeResult, approx_fprime
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from stakes import BoostedStakes, Table
from stakes.boosted import blend as boosted_blend
from stakes.boosted import smooth as boosted_smooth
from stakes.boosted import trees as boosted_trees
from stakes.boosted.blend import fit_blend
from stakes.boosted.encoder import TableEncoder
from stakes.boosted.folds import Training
from stakes.boosted.model import check_shares
from stakes.boosted.smooth import Linear, Path, fit_kernel, fit_linear, softmax_regression
from stakes.boosted.trees import fit_trees, flatten
from test_boosted import plan

# ---- regressions -------------------------------------------------------------------------------------------


class Recorder:
    """Stands for a path: keeps what it was given, answers with slopes that show the features' root."""

    made = ()
    best_loss = 0.0

    def __init__(self, features, training, strengths):
        self.features, self.strengths = features, strengths
        type(self).made += (self,)

    def all_folds(self):
        return Linear(np.eye(self.features.shape[1]), np.zeros(self.features.shape[1])), None


@pytest.fixture
def paths(monkeypatch):
    monkeypatch.setattr(boosted_smooth, "Path", Recorder)
    monkeypatch.setattr(Recorder, "made", ())
    return lambda: Recorder.made


def test_strengths_go_from_strong_to_weak(paths):
    fit_linear(np.zeros((4, 1)), plan([0, 0, 1, 1]))
    fit_kernel(np.arange(4.0)[:, np.newaxis], plan([0, 0, 1, 1]))
    linear, *kernels = [path.strengths for path in paths()]
    assert linear == (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
    assert kernels == [(1.0, 10.0, 100.0, 1000.0)] * 2


def test_of_many_rows_three_hundred_are_landmarks(paths):
    rows = np.arange(310.0)[:, np.newaxis]
    kernel, _ = fit_kernel(rows, plan(np.arange(310) % 2))
    assert len(kernel.landmarks) == 300 and (np.diff(kernel.landmarks[:, 0]) > 0).all()
    assert all(path.features.shape == (310, 300) for path in paths())


def test_directions_without_spread_are_bounded(paths):
    """All landmarks are the same: one direction counts, the others end at 1e-9 of it."""
    n = 5
    kernel, _ = fit_kernel(np.ones((n, 2)), plan([0, 0, 1, 1, 1]))
    assert kernel.gamma == 0.25 / 1e-12
    one = np.full((n, n), 1 / n)
    root = one / np.sqrt(n) + (np.eye(n) - one) / np.sqrt(1e-9 * n)
    np.testing.assert_allclose(kernel.linear.coefficients, root, rtol=1e-6)


def test_the_loss_of_a_regression_and_its_slope(monkeypatch):
    rng = np.random.default_rng(0)
    X, codes, weight = rng.normal(size=(20, 2)), rng.integers(3, size=20), rng.uniform(0.5, 2, 20)
    place = rng.normal(size=9)

    def check(objective, first, **_):
        level, coefficients = place[:3], place[3:].reshape(2, 3)
        scores = X @ coefficients + level
        logs = (scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))[np.arange(20), codes]
        penalty = (coefficients**2).sum() / (2 * 0.5)
        assert objective(place)[0] * weight.sum() == pytest.approx(-weight @ logs + penalty)
        gradient = approx_fprime(place, lambda point: objective(point)[0], 1e-7)
        np.testing.assert_allclose(objective(place)[1], gradient, rtol=1e-4, atol=1e-6)
        # A row that is called impossible costs much, but not everything.
        far = np.concatenate([np.where(np.arange(3) == codes[0], -1e6, 0.0), np.zeros(6)])
        wrong = weight[codes == codes[0]].sum()
        rest = (weight.sum() - wrong) * np.log(2)
        assert objective(far)[0] * weight.sum() == pytest.approx(wrong * 300 * np.log(10) + rest)
        return OptimizeResult(x=first)

    monkeypatch.setattr(boosted_smooth, "minimize", check)
    softmax_regression(X, codes, 3, weight, 0.5)


def test_other_folds_start_from_the_first(monkeypatch):
    asked = []

    def fit(self, rows, strength, start):
        asked.append((rows.tolist(), strength, start))
        return Linear(np.full((1, 2), len(asked)), np.zeros(2))

    monkeypatch.setattr(Path, "_fit", fit)
    training = plan(np.arange(8) % 2)
    path = Path(np.ones((8, 1)), training, (2.0,))
    mean, _ = path.all_folds()
    assert [rows for rows, _, _ in asked] == [train.tolist() for train, _ in training.splits]
    assert all(strength == 2.0 for _, strength, _ in asked)
    assert [start for _, _, start in asked[:2]] == [None, None]
    assert all(start is path.fitted[0] for _, _, start in asked[2:])
    assert mean.coefficients.tolist() == [[4.5, 4.5]]


def test_a_path_without_held_out_rows_costs_nothing():
    path = Path(np.arange(3.0)[:, np.newaxis], plan([0, 1, 2]), (1.0,))
    assert path.best_loss == 0.0 and len(path.fitted) == 1


def test_a_path_that_never_gets_better_ends_after_two(monkeypatch):
    asked = []
    monkeypatch.setattr(Path, "_fit", lambda self, rows, strength, start: asked.append(strength))
    monkeypatch.setattr(Path, "_loss", lambda self, model, held: np.inf)
    assert Path(np.zeros((8, 1)), plan(np.arange(8) % 2), (1.0, 2.0, 3.0)).strength == 1.0
    assert asked == [1.0, 1.0, 2.0, 2.0]


# ---- blend -------------------------------------------------------------------------------------------------


def test_a_part_that_is_always_wrong_weighs_nothing():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=100)
    good = np.eye(2)[codes] * 2 + rng.normal(size=(100, 2))
    weights, _ = fit_blend([good, -good], plan(codes))
    assert weights[0] > 0.5 and weights[1] == 0.0


def test_a_blend_that_calls_a_row_impossible_costs_much_but_not_everything(monkeypatch):
    def check(objective, first, **_):
        # The second class is shifted away; its two rows cost 300 digits each.
        loss = objective(np.array([0.0, 0.0, -1e4]))[0]
        assert loss == pytest.approx(2 * 300 * np.log(10) + 1.0 + 1e8, abs=1e-3)
        return OptimizeResult(x=first)

    monkeypatch.setattr(boosted_blend, "minimize", check)
    fit_blend([np.zeros((4, 2))], plan([0, 0, 1, 1]))


# ---- trees -------------------------------------------------------------------------------------------------


def test_leaves_and_inner_nodes_hold_nothing_else():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    X[::5, 0] = np.nan
    model = HistGradientBoostingClassifier(max_iter=3).fit(X, (X[:, 1] > 0) | np.isnan(X[:, 0]))
    trees = flatten([model], 0, 3, 2)
    leaf = trees.feature == -1
    assert leaf.any() and not leaf.all()
    for values in (trees.left, trees.right, trees.missing_left, trees.threshold):
        assert (values[leaf] == 0).all()
    assert (trees.value[~leaf] == 0).all() and np.isfinite(trees.threshold).all()
    nothing = flatten([model], 0, 0, 2)
    assert len(nothing.feature) == len(nothing.root) == 0
    assert nothing.scores(X[:2]).tolist() == [nothing.intercept.tolist()] * 2
    assert nothing.intercept[1] == pytest.approx(model._baseline_prediction.item())


@pytest.mark.parametrize("weight, given", [(None, None), ([1.0, 3.0, 1.0, 3.0], [0.5, 1.5, 0.5, 1.5])])
def test_rounds_that_gain_nothing_are_not_kept(weight, given, monkeypatch):
    seen = []

    class Model:
        def __init__(self, **settings):
            pass

        def set_params(self, max_iter):
            return self

        def fit(self, X, y, sample_weight):
            seen.append((X[:, 0], sample_weight))
            return self

    class Sum:
        def __init__(self, models, first, last, n_classes):
            self.kept = first, last

        def scores(self, rows):
            return np.zeros((len(rows), 2))

    monkeypatch.setattr(boosted_trees, "HistGradientBoostingClassifier", Model)
    monkeypatch.setattr(boosted_trees, "flatten", Sum)
    monkeypatch.setattr(Training, "loss", lambda self, scores: 1.0)
    training = plan([0, 0, 1, 1], None if weight is None else np.array(weight))
    trees, scores = fit_trees(np.arange(4.0)[:, np.newaxis], training)
    assert trees.kept == (0, 0)
    np.testing.assert_array_equal(scores, training.start())
    for rows, said in seen:  # equal weights are left out
        assert said is None if given is None else said.tolist() == [given[int(row)] for row in rows]


# ---- threads -----------------------------------------------------------------------------------------------


def n_threads():
    return {entry["user_api"]: entry["num_threads"] for entry in threadpool_info()}


def test_each_thread_has_openmp_for_itself():
    with threadpool_limits(2):
        outside = n_threads()
        (inside,) = plan([0, 1]).run(lambda _: n_threads(), [0])
    assert inside["openmp"] == 1
    assert inside.get("blas") == outside.get("blas")


def test_folds_are_learnt_at_once():
    both = threading.Barrier(2)
    training = Training.plan(np.array([0, 1]), np.ones(2), 0, 2)
    assert sorted(training.run(lambda _: both.wait(timeout=60), range(2))) == [0, 1]


def test_sums_inside_a_fit_have_one_thread(monkeypatch):
    seen = []

    def fit_parts(table, training, say):
        seen.append(n_threads())
        return None, np.tile([0.5, 0.5], (table.n_samples, 1))

    monkeypatch.setattr("stakes.boosted.classifier.fit_parts", fit_parts)
    with threadpool_limits(2):
        outside = n_threads()
        BoostedStakes().fit([[0.0], [1.0]], [0, 1])
    assert seen[0].get("blas", 1) == 1 and seen[0]["openmp"] == outside["openmp"]


# ---- numbers -----------------------------------------------------------------------------------------------


def test_columns_after_those_that_say_nothing_count():
    frame = pd.DataFrame(
        {"k": ["u", "v", "v"], "same": [1.0] * 3, "x": [1.0, 2.0, 3.0], "m": ["a"] * 3, "z": [0.0, 0.0, 1.0]}
    )
    table = Table.from_data(frame)
    assert TableEncoder.learn(table).column.tolist() == [0, 0, 2, 4]
    assert TableEncoder.learn(table.take(slice(1, 3))).column.tolist() == [2, 4]  # of k only v is left


def test_of_equally_frequent_categories_the_first_are_kept():
    values = np.repeat([f"v{i:03}" for i in range(120)], 2).astype(object)[:, np.newaxis]
    assert TableEncoder.learn(Table.from_data(values)).category.tolist() == list(range(100))


# ---- files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shares", [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5 + 5e-7]])
def test_class_shares_add_up(shares):
    check_shares(np.array(shares), 3)


@pytest.mark.parametrize(
    "shares", [[0.5, 0.5], [0.6, 0.5, -0.1], [0.2, 0.3, 0.4], [0.2, 0.3, 0.5 + 1.5e-6], [[0.2, 0.3, 0.5]]]
)
def test_what_cannot_be_class_shares_is_refused(shares):
    with pytest.raises(ValueError, match="class shares must be 3 numbers that add up to 1"):
        check_shares(np.array(shares), 3)


@pytest.fixture(scope="module")
def written():
    """A small model: the numbers of a column with a gap, and two categories of three."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=40), "k": np.array(["a", "b", "c"], object)[np.arange(40) % 3]})
    X.loc[3, "x"] = np.nan
    patch = pytest.MonkeyPatch()
    patch.setattr(boosted_trees, "ROUNDS", (10,))
    patch.setattr(boosted_smooth, "N_LANDMARKS", 5)
    patch.setattr(boosted_smooth, "LINEAR_STRENGTHS", (1.0,))
    patch.setattr(boosted_smooth, "KERNEL_STRENGTHS", (1.0,))
    model = BoostedStakes(cost_matrix=[[0, 1], [1, 0]]).fit(X, (X["x"].fillna(0) > 0).astype(int))
    patch.undo()
    assert model.blend_ is not None and not model.guarded_
    return model.to_dict()


def test_every_piece_of_a_blend_is_missed(written):
    parts = [[], ["numbers"], ["trees"], ["linear"], ["kernel"], ["kernel", "linear"]]
    for way in parts:
        keys = written["state"]["blend"]
        for name in way:
            keys = keys[name]
        for key in keys:
            damaged = copy.deepcopy(written)
            part = damaged["state"]["blend"]
            for name in way:
                part = part[name]
            del part[key]
            with pytest.raises(ValueError, match=f"lacks {key}"):
                BoostedStakes.from_dict(damaged)


@pytest.mark.parametrize(
    "path, value, words",
    [
        (["prior"], [0.5, 0.6], "class shares must be 2 numbers"),
        (["prior"], [1.0], "class shares must be 2 numbers"),
        (["prior"], [0.0, 1.0], "leave every class possible"),
        (["weights"], [1.0, 1.0, -0.5], "3 weights of at least 0 and 2 shifts"),
        (["weights"], [1.0] * 4, "3 weights of at least 0 and 2 shifts"),
        (["shift"], [0.0], "3 weights of at least 0 and 2 shifts"),
        (["numbers", "gaps"], [4], "must come from columns of the schema"),
        (["numbers", "gaps"], [-1], "must come from columns of the schema"),
        (["numbers", "column", 3], 2, "must come from columns of the schema"),
        (["numbers", "column", 3], -1, "must come from columns of the schema"),
        (["numbers", "category", 3], 3, "numbers of column 'k' do not fit its kind"),
        (["numbers", "category", 3], -1, "numbers of column 'k' do not fit its kind"),
        (["numbers", "category", 0], 0, "numbers of column 'x' do not fit its kind"),
        (["linear", "level"], [0.0], "the linear part must have coefficients of shape"),
        (["kernel", "gamma"], -1e-9, "the kernel part must have landmarks of 5 numbers"),
    ],
)
def test_pieces_that_do_not_fit_are_told_apart(written, path, value, words):
    damaged = copy.deepcopy(written)
    part = damaged["state"]["blend"]
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    with pytest.raises(ValueError, match=words):
        BoostedStakes.from_dict(damaged)


def test_parts_of_no_weight_and_a_flat_kernel_are_read(written):
    changed = copy.deepcopy(written)
    blend = changed["state"]["blend"]
    blend["weights"], blend["kernel"]["gamma"] = [0.0, 1.0, 0.0], 0.0
    assert BoostedStakes.from_dict(changed).blend_.weights.tolist() == [0.0, 1.0, 0.0]
    for constant, label in ((0, 0), (1, 1)):
        assert (
            BoostedStakes.from_dict(written | {"state": written["state"] | {"constant": constant}}).constant_
            == label
        )
    for constant in (-1, 2):
        with pytest.raises(ValueError, match="constant must be the number of a class"):
            BoostedStakes.from_dict(written | {"state": written["state"] | {"constant": constant}})


def test_a_fitted_model_says_what_it_expects(written):
    model = BoostedStakes.from_dict(written)
    with pytest.raises(ValueError, match="X has 1 features, but BoostedStakes is expecting 2 features"):
        model.predict_proba(Table.from_data([[1.0]]))
    with pytest.warns(UserWarning, match="valid feature names, but BoostedStakes was fitted with"):
        model.predict_proba([[1.0, "a"]])
    new = pd.DataFrame({"x": [0.0], "k": ["other"]})
    assert model.predict_proba(new).shape == (1, 2)
    with pytest.raises(ValueError, match="other"):
        model.set_params(unseen="error").predict_proba(new)
