"""The front, the choice, and the search that makes both, against slow obvious versions of themselves.

The interrupted search has many rows so that there is something to stop; it is not waited for.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from stakes import C45Classifier, CostMatrix, Table, TradeoffSearchCV, load_model
from stakes.models import effective_tree, save_model
from stakes.tree import TradeoffPoint
from stakes.tree.core import SortedTable, presort
from stakes.tree.tradeoff.path import choose_point, gamma_grid, is_within, pareto_front

PRICES = {"x0": 4.0, "x1": 1.0, "x2": 0.5, "x3": 2.0, "x4": 3.0}


def data(n_rows=240, seed=0, n_classes=2):
    """The first column tells nearly all; the others tell it again, less well and for less."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    X[:, 1] = X[:, 0] + rng.normal(size=n_rows) * 0.3
    X[:, 2] = X[:, 0] + rng.normal(size=n_rows)
    y = np.digitize(X[:, 0] + rng.normal(size=n_rows) * 0.1, np.linspace(-0.5, 0.5, n_classes - 1))
    return X, y


def tree(**settings):
    return C45Classifier(**({"criterion": "cs_gain", "feature_costs": PRICES} | settings))


GRID = [0.0, 0.01, 0.05, 0.2, 1.0, 100.0]


# ---- the front and the choice ------------------------------------------------------------------------------

figures = st.integers(0, 6).map(lambda n: n / 2)
points = st.lists(st.tuples(figures, figures, figures), min_size=1, max_size=12).map(
    lambda rows: [
        TradeoffPoint(i, cost, 1 - right / 4, mistakes) for i, (cost, right, mistakes) in enumerate(rows)
    ]
)


@given(points, st.sampled_from(["accuracy", "cost"]))
def test_the_front_is_what_no_other_point_beats(points, objective):
    def beats(a, b):
        no_worse = a.test_cost <= b.test_cost and a.loss(objective) <= b.loss(objective)
        better = a.test_cost < b.test_cost or a.loss(objective) < b.loss(objective)
        return no_worse and (better or points.index(a) < points.index(b))

    expected = [p for p in points if not any(beats(q, p) for q in points if q is not p)]
    front = pareto_front(points, objective)
    assert sorted(p.value for p in front) == sorted(p.value for p in expected)
    assert [p.test_cost for p in front] == sorted(p.test_cost for p in front)


@given(points, st.sampled_from(["accuracy", "cost"]), st.sampled_from(["within", "total"]))
def test_the_choice(points, objective, select):
    *others, baseline = points
    judged = [
        TradeoffPoint(
            p.value, p.test_cost, p.accuracy, p.mistake_cost, is_within(p, baseline, objective, 0.3)
        )
        for p in others
    ]
    chosen = choose_point(judged, baseline, objective=objective, select=select)
    if select == "total":
        assert all(chosen.total_cost <= p.total_cost for p in points)
        return
    limit = baseline.loss(objective) + (0.3 if objective == "accuracy" else 0.3 * baseline.mistake_cost)
    good = [p for p in judged if p.loss(objective) <= limit + 1e-9]
    assert chosen is baseline or chosen in good
    cheapest = min(p.test_cost for p in [*good, baseline])
    assert chosen.test_cost == cheapest
    assert all(p.test_cost > cheapest or p.loss(objective) >= chosen.loss(objective) for p in good)
    assert chosen is not baseline or not any(
        p.test_cost == cheapest and p.loss(objective) <= baseline.loss(objective) for p in good
    )


def test_a_loss_of_exactly_the_tolerance_is_within():
    baseline = TradeoffPoint(None, 1.0, 0.8, 0.2)
    assert is_within(TradeoffPoint(0, 1.0, 0.7, 0.3), baseline, "accuracy", 0.1)
    assert not is_within(TradeoffPoint(0, 1.0, 0.699, 0.3), baseline, "accuracy", 0.1)


@pytest.mark.parametrize("cost, more, within", [(0.0, 5e-13, True), (0.0, 2e-12, False), (1e6, 5e-7, True)])
def test_a_loss_that_differs_by_rounding_is_within(cost, more, within):
    baseline = TradeoffPoint(None, test_cost=5, accuracy=0.9, mistake_cost=cost)
    assert is_within(TradeoffPoint(0, 1.0, 0.9, cost + more), baseline, "cost", 0.0) is within


def test_the_grid_is_fine_where_the_cost_changes():
    asked = []

    def costs_at(values):
        asked.extend(values)
        return [0.0 if value > 3e-3 else 1.0 if value > 2e-5 else 2.0 for value in values]

    param_range = gamma_grid(costs_at)
    assert len(asked) == 13
    assert param_range == sorted(param_range) and param_range[:2] == [0.0, 1e-6] and param_range[-1] == 1e6
    np.testing.assert_allclose(
        [g for g in param_range if 9e-6 < g < 2e-4], 10 ** np.array([-5, -4.75, -4.5, -4.25, -4])
    )
    assert sum(1e-3 <= g <= 1.0001e-2 for g in param_range) == 5
    assert sum(1 <= g <= 10 for g in param_range) == 2


# ---- the search --------------------------------------------------------------------------------------------


def by_hand(X, y, settings, splits, prices=PRICES):
    """Price, accuracy and path cost of one setting, from estimators fitted one by one."""
    right, paths = [], []
    for train, test in splits:
        model = C45Classifier(feature_costs=prices, **settings).fit(X[train], y[train])
        right.append(model.predict(X[test]) == y[test])
        paths.append(model.path_cost(X[test]))
    whole = C45Classifier(feature_costs=prices, **settings).fit(X, y)
    return whole.upfront_cost(), np.concatenate(right).mean(), np.concatenate(paths).mean()


@pytest.mark.parametrize("pay", ["upfront", "path"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_results_are_those_of_separate_fits(pay, n_classes):
    X, y = data(n_classes=n_classes)
    X[::7, 1] = np.nan
    splits = list(StratifiedKFold(4, shuffle=True, random_state=1).split(X, y))
    search = TradeoffSearchCV(tree(), param_range=GRID, cv=splits, pay=pay).fit(X, y)
    rows = [*search.results_, search.baseline_]
    assert [row.value for row in rows] == [*GRID, None]
    for row in rows:
        settings = (
            {"criterion": "gain_ratio"} if row.is_baseline else {"criterion": "cs_gain", "gamma": row.value}
        )
        upfront, accuracy, path = by_hand(X, y, settings, splits)
        assert row.test_cost == pytest.approx(upfront if pay == "upfront" else path)
        assert row.accuracy == pytest.approx(accuracy)
        assert row.mistake_cost == pytest.approx(1 - accuracy)


def test_the_chosen_model_is_the_cheapest_within_the_tolerance():
    X, y = data()
    search = TradeoffSearchCV(tree(), cv=5, tolerance=0.1).fit(X, y)
    best, base = search.best_point_, search.baseline_
    assert best.accuracy >= base.accuracy - 0.1 - 1e-12
    assert best.test_cost == min(p.test_cost for p in search.results_ if p.accuracy >= base.accuracy - 0.1)
    assert best.test_cost < base.test_cost
    assert best.on_front and best in search.front_
    assert search.best_params_ == {"gamma": best.value}
    alone = tree(gamma=best.value).fit(X, y)
    assert search.upfront_cost() == alone.upfront_cost() == best.test_cost
    np.testing.assert_array_equal(search.predict(X), alone.predict(X))
    np.testing.assert_array_equal(search.predict_proba(X), alone.predict_proba(X))
    np.testing.assert_array_equal(search.path_cost(X), alone.path_cost(X))
    np.testing.assert_array_equal(search.expected_cost(X), alone.expected_cost(X))
    np.testing.assert_array_equal(search.decide(X, 0.1).undecided, alone.decide(X, 0.1).undecided)
    assert search.best_estimator_.gamma == best.value
    assert "gamma=" in search.describe()


def test_the_baseline_stays_where_nothing_is_good_enough():
    X, y = data()
    search = TradeoffSearchCV(tree(), param_range=[1e5, 1e6], tolerance=0.0).fit(X, y)
    assert all(not p.within and p.test_cost == 0 for p in search.results_)
    assert search.baseline_chosen_ and search.best_point_ is search.baseline_
    assert search.best_params_ == {"criterion": "gain_ratio"}
    plain = C45Classifier(feature_costs=PRICES).fit(X, y)
    assert search.upfront_cost() == plain.upfront_cost()
    np.testing.assert_array_equal(search.predict(X), plain.predict(X))
    assert "baseline stays" in search.describe()


def test_the_baseline_has_no_limits():
    X, y = data()
    search = TradeoffSearchCV(tree(), param_name="max_upfront_cost", param_range=[0.0, 0.5, 1.5], cv=4).fit(
        X, y
    )
    assert [p.test_cost <= p.value for p in search.results_] == [True] * 3
    assert search.baseline_.test_cost == C45Classifier(feature_costs=PRICES).fit(X, y).upfront_cost()


def test_the_least_total_bill():
    X, y = data()
    costs = CostMatrix([[0, 30], [10, 0]])
    search = TradeoffSearchCV(
        tree(), param_range=GRID, cv=5, objective="cost", select="total", pay="path", cost_matrix=costs
    ).fit(X, y)
    totals = [p.test_cost + p.mistake_cost for p in [*search.results_, search.baseline_]]
    assert search.best_point_.total_cost == min(totals)
    assert not search.baseline_chosen_


def test_mistakes_are_billed_by_the_costs_given():
    X, y = data()
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(y)) < 0.2, 1 - y, y)
    costs = rng.uniform(1, 9, (len(y), 2))
    costs[np.arange(len(y)), noisy] = 0
    splits = list(StratifiedKFold(3).split(X, noisy))
    search = TradeoffSearchCV(tree(), param_range=[0.1], cv=splits).fit(X, noisy, costs=costs)
    paid = [
        costs[test, tree(gamma=0.1).fit(X[train], noisy[train], costs=costs[train]).predict(X[test])]
        for train, test in splits
    ]
    assert search.results_[0].mistake_cost == pytest.approx(np.concatenate(paid).mean())


def test_weights_count_as_rows():
    X, y = data(90)
    weight = np.random.default_rng(0).integers(1, 4, 90)
    splits = list(StratifiedKFold(3).split(X, y))
    again = np.repeat(np.arange(90), weight)
    repeated = [(np.flatnonzero(np.isin(again, a)), np.flatnonzero(np.isin(again, b))) for a, b in splits]
    one = TradeoffSearchCV(tree(), param_range=GRID, cv=splits).fit(X, y, sample_weight=weight)
    other = TradeoffSearchCV(tree(), param_range=GRID, cv=repeated).fit(X[again], y[again])
    for a, b in zip(one.results_, other.results_):
        assert (a.test_cost, a.within) == (b.test_cost, b.within)
        assert a.accuracy == pytest.approx(b.accuracy)


@pytest.mark.parametrize("pay", ["upfront", "path"])
def test_threads_change_nothing(pay):
    X, y = data()
    searches = [TradeoffSearchCV(tree(), cv=4, pay=pay, n_jobs=n).fit(X, y) for n in (None, 2, 5)]
    for other in searches[1:]:
        assert other.results_ == searches[0].results_
        assert other.best_params_ == searches[0].best_params_
        assert other.best_estimator_.export_text() == searches[0].best_estimator_.export_text()


def test_without_prices_the_columns_are_counted():
    X, y = data()
    search = TradeoffSearchCV(param_range=GRID, cv=4).fit(X, y)
    used = {int(f) for f in search.best_estimator_.tree_.feature if f >= 0}
    assert search.upfront_cost() == len(used)
    assert clone(search.best_estimator_).fit(X, y).upfront_cost() == len(used)


@pytest.mark.parametrize("values", [[[1]], ["x0"], [0.1, -1.0]])
def test_values_that_the_parameter_does_not_take(values):
    with pytest.raises(ValueError, match=r"param_range must hold values of 'gamma': .*Got"):
        TradeoffSearchCV(tree(), param_range=values, cv=3).fit(*data(60))


def test_a_class_of_one_row():
    X, y = data(60)
    y[0] = 2
    costs = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0.0]])
    for settings in ({}, {"cost_matrix": costs}):
        search = TradeoffSearchCV(tree(**settings), param_range=GRID, cv=3).fit(X, y)
        assert list(search.classes_) == [0, 1, 2]
        assert all(np.isfinite(p.mistake_cost) for p in search.results_)


def test_nominal_columns_by_number():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, 120), rng.normal(size=120)])
    y = (X[:, 0] == 1).astype(int)
    estimator = C45Classifier(criterion="cs_gain", feature_costs=[1.0, 2.0], categorical_features=[0])
    search = TradeoffSearchCV(estimator, param_range=[0.0, 0.01], cv=3).fit(X, y)
    assert search.best_estimator_.categorical_features == [0]
    assert search.best_estimator_.tree_.n_branches[0] == 3
    assert search.score(X, y) == 1


def test_saved_and_read(tmp_path):
    X, y = data()
    for settings in ({"param_range": GRID}, {"param_range": GRID[-1:], "tolerance": 0.0}):
        search = TradeoffSearchCV(tree(), cv=3, **settings).fit(X, y)
        save_model(search, tmp_path / "model.json")
        for back in (load_model(tmp_path / "model.json"), pickle.loads(pickle.dumps(search))):
            assert back.results_ == search.results_ and back.front_ == search.front_
            assert back.best_params_ == search.best_params_
            np.testing.assert_array_equal(back.predict(X), search.predict(X))
        assert effective_tree(search).tree.n_nodes == search.best_estimator_.n_nodes_


@pytest.mark.parametrize(
    "change",
    [
        lambda fitted: fitted.pop("points"),
        lambda fitted: fitted.update(points=[]),
        lambda fitted: fitted["points"][0].update(colour="red"),
        lambda fitted: fitted["points"][0].update(test_cost="dear"),
        lambda fitted: fitted["points"][0].update(test_cost=float("nan")),
    ],
)
def test_damaged_documents(change):
    X, y = data(60)
    document = TradeoffSearchCV(tree(), param_range=GRID, cv=3).fit(X, y).to_dict()
    change(document["state"]["fitted"])
    with pytest.raises(ValueError, match="fitted"):
        TradeoffSearchCV.from_dict(document)


# ---- sorting once ------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
@pytest.mark.parametrize("missing", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    "settings", [{}, {"max_bins": 16}, {"cost_matrix": [[0, 0], [3, 0]]}, {"dialect": "j48"}]
)
def test_a_sorted_table_grows_the_same_tree(missing, settings):
    rng = np.random.default_rng(0)
    X, y = data(700)
    X = np.round(X, 1)
    X[rng.random(700) < missing, 0] = np.nan
    weight = rng.integers(0, 3, 700).astype(float)
    table = Table.from_data(X)
    kept = presort(table)
    for extra in ({}, {"sample_weight": weight}, {"sample_weight": weight + 1}):
        for gamma in (0.0, 0.02):
            model = tree(gamma=gamma, **settings)
            one, other = clone(model).fit(table, y, **extra), clone(model).fit(kept, y, **extra)
            assert one.export_text() == other.export_text()
            np.testing.assert_array_equal(one.predict_proba(table), other.predict_proba(table))


def test_sorting_refuses_infinite_values():
    X, _ = data(30)
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        presort(Table.from_data(X, check_finite=False))


def test_a_sorted_table_is_forgotten_by_its_rows():
    X, _ = data(30)
    kept = presort(Table.from_data(X))
    for part in (kept.take([0, 1]), kept.select(["x1"])):
        assert not isinstance(part, SortedTable)


# ---- errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings, error, words",
    [
        ({"estimator": DecisionTreeClassifier()}, TypeError, "tree classifier"),
        ({"estimator": C45Classifier(feature_costs=PRICES)}, ValueError, "criterion with feature costs"),
        ({"param_name": "colour"}, ValueError, "param_name must be a parameter of C45Classifier"),
        ({"param_name": "confidence"}, ValueError, "param_range must list the values"),
        ({"param_range": []}, ValueError, "at least one value"),
        ({"param_range": [-1.0]}, ValueError, "gamma"),
        ({"param_range": "many"}, ValueError, "param_range"),
        ({"cv": 1}, ValueError, "cv must be"),
        ({"cv": []}, ValueError, "cv must test"),
        ({"tolerance": -0.1}, ValueError, "tolerance"),
        ({"objective": "speed"}, ValueError, "objective"),
        ({"select": "best"}, ValueError, "select"),
        ({"pay": "none"}, ValueError, "pay"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        (
            {"estimator": C45Classifier(criterion="cs_gain", feature_costs={"x0": 1.0})},
            ValueError,
            "x1|price",
        ),
    ],
)
def test_errors(settings, error, words):
    X, y = data(60)
    with pytest.raises(error, match=words):
        TradeoffSearchCV(**({"estimator": tree()} | settings)).fit(X, y)


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ on Windows")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c(n_jobs):
    program = f"""
        import numpy as np
        from stakes import C45Classifier, TradeoffSearchCV
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(5_000, 1_000)), rng.integers(0, 2, 5_000)
        print("ready", flush=True)
        try:
            TradeoffSearchCV(n_jobs={n_jobs}).fit(X, y)
        except KeyboardInterrupt:
            print("stopped", flush=True)
    """
    run = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert run.stdout.readline() == "ready\n"
        time.sleep(1.0)
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=60)
        assert out == "stopped\n"
    finally:
        run.kill()
