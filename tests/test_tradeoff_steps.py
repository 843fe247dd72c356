"""The steps of a search for a trade-off, on points and rows few enough to judge by hand."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from stakes import C45Classifier, CostMatrix, TradeoffSearchCV
from stakes._base.labels import CodedTarget
from stakes._base.training import read_targets
from stakes.table import Table
from stakes.tree.tradeoff import study as tradeoff_study
from stakes.tree.tradeoff.path import TradeoffPoint, choose_point, gamma_grid, is_within, pareto_front
from stakes.tree.tradeoff.study import Study, progress

#: Value, test cost, accuracy, cost of mistakes; the last is the baseline.
POINTS = [
    TradeoffPoint(0.0, 9.0, 0.95, 0.5),
    TradeoffPoint(0.5, 4.0, 0.895, 1.0),
    TradeoffPoint(1.0, 4.0, 0.9, 1.2),
    TradeoffPoint(12345.678, 1.0, 0.8, 2.0),
    TradeoffPoint(None, 10.0, 0.905, 0.99, is_baseline=True),
]


def judged(points=POINTS, **params):
    search = TradeoffSearchCV(**params)
    search.estimator_ = "chosen"
    search.classes_ = np.array([0, 1])
    search._judge(points)
    return search


# ---- points ------------------------------------------------------------------------------------------------


def test_what_follows_from_the_points():
    search = judged()
    assert [p.within for p in [*search.results_, search.baseline_]] == [True, True, True, False, True]
    assert [p.value for p in search.front_] == [12345.678, 1.0, 0.0]
    assert [p.on_front for p in search.results_] == [True, False, True, True]
    assert search.best_params_ == {"gamma": 1.0} and not search.baseline_chosen_
    assert search.best_estimator_ == "chosen"
    assert judged(tolerance=0.0).best_params_ == {"gamma": 0.0}
    assert judged(objective="cost", tolerance=0.02).best_params_ == {"gamma": 0.5}
    assert judged(objective="cost", tolerance=0.0).best_params_ == {"gamma": 0.0}
    assert judged(objective="cost", tolerance=2.0).best_params_ == {"gamma": 12345.678}
    assert judged(select="total").best_params_ == {"gamma": 12345.678}
    poor = judged([POINTS[3], POINTS[4]])
    assert poor.baseline_chosen_ and poor.best_params_ == {"criterion": "gain_ratio"}


def test_within_is_a_share_of_rows_or_of_the_cost():
    baseline = TradeoffPoint(None, 5.0, 0.5, 4.0)

    def within(accuracy, mistakes, objective, tolerance):
        return is_within(TradeoffPoint(0, 1.0, accuracy, mistakes), baseline, objective, tolerance)

    assert within(0.25, 9.0, "accuracy", 0.25) and not within(0.2499, 0.0, "accuracy", 0.25)
    assert within(0.0, 5.0, "cost", 0.25) and not within(1.0, 5.001, "cost", 0.25)
    assert within(0.5, 4.0, "accuracy", 0.0) and within(0.5, 4.0, "cost", 0.0)
    assert within(0.0, 4.0 * (1 + 1e-13), "cost", 0.0) and not within(0.0, 4.0 * (1 + 1e-11), "cost", 0.0)


def test_equal_points_go_to_the_better_and_then_to_the_first():
    baseline = TradeoffPoint(None, 3.0, 0.9, 0.1)
    a, b = TradeoffPoint("a", 3.0, 0.8, 0.2, within=True), TradeoffPoint("b", 3.0, 0.8, 0.2, within=True)
    c = TradeoffPoint("c", 2.0, 0.5, 1.1, within=False)
    options = {"objective": "accuracy", "select": "within"}
    assert choose_point([a, b], baseline, **options) is baseline
    assert choose_point([a, b], TradeoffPoint(None, 3.0, 0.8, 0.2), **options) is a
    assert choose_point([a, b, c], TradeoffPoint(None, 4.0, 0.9, 0.1), **options) is a
    # of equal totals the one with the smaller feature costs
    assert choose_point([a, b, c], baseline, objective="cost", select="total") is c
    assert [p.value for p in pareto_front([a, b, c, baseline], "cost")] == ["c", None]
    new = TradeoffPoint(1, 2.0, 3.0, 4.0)
    assert (new.within, new.on_front, new.is_baseline) == (False, False, False)
    assert c.total_cost == 3.1 and c.loss("accuracy") == 0.5 and c.loss("cost") == 1.1


def test_the_whole_default_grid():
    flat = gamma_grid(lambda values: [1.0] * len(values))
    np.testing.assert_allclose(flat, [0.0, *(10.0**k for k in range(-6, 7))])
    fine = gamma_grid(lambda values: [-value for value in values])
    np.testing.assert_allclose(fine, [0.0, *(10 ** (k / 4) for k in range(-24, 25))])


def test_descriptions():
    assert judged().describe() == (
        "gamma=1: features cost 4, accuracy 0.9000, mistakes cost 1.2 per row. "
        "Baseline: features cost 10, accuracy 0.9050, mistakes cost 0.99 per row."
    )
    assert judged(select="total").describe().startswith("gamma=1.235e+04: features cost 1, accuracy 0.8000")
    named = [TradeoffPoint("nunez", 1.0, 1.0, 0.0), POINTS[-1]]
    assert judged(named, param_name="criterion").describe().startswith("criterion='nunez': features cost 1,")
    assert judged(POINTS[3:], param_name="min_samples_leaf").describe() == (
        "No setting of min_samples_leaf is good enough and cheaper: the baseline stays "
        "(features cost 10, accuracy 0.9050, mistakes cost 0.99 per row)."
    )


@pytest.mark.parametrize(
    "objective, heights, name", [("accuracy", [0.95, 0.895, 0.9, 0.8], "accuracy"),
                                 ("cost", [0.5, 1.0, 1.2, 2.0], "cost of mistakes per row")],
)  # fmt: skip
def test_a_picture_of_the_points(objective, heights, name):
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot

    search = judged(objective=objective, pay="path")
    ax = search.plot()
    drawn = {line.get_label(): line.get_xydata().tolist() for line in ax.lines}
    assert drawn["values of gamma"] == [[x, y] for x, y in zip([9, 4, 4, 1], heights, strict=True)]
    height = [p.accuracy if objective == "accuracy" else p.mistake_cost for p in search.front_]
    assert drawn["front"] == [[p.test_cost, h] for p, h in zip(search.front_, height, strict=True)]
    assert drawn["baseline"] == [[10, 0.905 if objective == "accuracy" else 0.99]]
    assert drawn["chosen"][0][0] == search.best_point_.test_cost
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("feature costs (path)", name)
    assert {line.get_label(): (line.get_marker(), line.get_color()) for line in ax.lines} == {
        "values of gamma": ("o", "0.75"),
        "front": ("o", "C0"),
        "baseline": ("s", "C1"),
        "chosen": ("*", "C3"),
    }
    assert [line.get_markersize() for line in ax.lines[2:]] == [8, 15]
    assert ax.lines[1].get_drawstyle() == "steps-post"
    assert len(ax.get_legend().get_texts()) == 4
    assert search.plot(ax) is ax
    pyplot.close(ax.figure)


def test_what_a_picture_needs_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"a plot needs matplotlib: pip install 'stakes\[report\]'"):
        judged().plot()


def test_points_are_written_and_read():
    search = judged(param_range=[1])
    document = search._fitted_to_dict()
    assert document["grid_given"] is True and judged()._fitted_to_dict()["grid_given"] is False
    back = TradeoffSearchCV(tolerance=0.0)
    back._fitted_from_dict(document)
    assert back.param_range == [0.0, 0.5, 1.0, 12345.678] and back.best_params_ == {"gamma": 0.0}
    assert back.baseline_.is_baseline and not any(p.is_baseline for p in back.results_)
    free = TradeoffSearchCV()
    free._fitted_from_dict(document | {"grid_given": False})
    assert free.param_range is None
    with pytest.raises(ValueError, match="'tolerance' parameter"):
        TradeoffSearchCV(tolerance=-1)._fitted_from_dict(document)
    with pytest.raises(ValueError, match="must have at least two points, all of finite numbers"):
        back._fitted_from_dict(document | {"points": document["points"][:1]})
    with pytest.raises(ValueError, match=r"fitted must be what TradeoffSearchCV.to_dict\(\) gave"):
        back._fitted_from_dict({"grid_given": True})


# ---- the grid and the estimator ----------------------------------------------------------------------------


def test_grids_are_plain_values():
    inner = C45Classifier(criterion="cs_gain")
    given = TradeoffSearchCV(param_range=np.array([1.0, 2.0]))._given_grid(inner)
    assert given == [1.0, 2.0] and type(given[0]) is float
    mixed = TradeoffSearchCV(param_name="max_depth", param_range=(np.int64(2), None))._given_grid(inner)
    assert mixed == [2, None] and type(mixed[0]) is int
    assert TradeoffSearchCV()._given_grid(inner) is None


def test_the_estimator_by_default_knows_prices():
    inner = TradeoffSearchCV()._inner()
    assert inner.criterion == "cs_gain" and inner.feature_costs is None
    for criterion in ("gain_ratio", "gain", "gini"):
        estimator = C45Classifier(criterion=criterion)
        with pytest.raises(
            ValueError, match=f"feature costs for param_name='gamma'.*got criterion='{criterion}'"
        ):
            TradeoffSearchCV(estimator)._inner()
        assert TradeoffSearchCV(estimator, param_name="min_samples_leaf")._inner() is estimator


# ---- fits --------------------------------------------------------------------------------------------------

X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]])
Y = np.array(["a", "a", "b", "b", "c", "c"])


def study(estimator=None, rows=None, weight=None, **params):
    inner = C45Classifier(criterion="cs_gain") if estimator is None else estimator
    search = TradeoffSearchCV(estimator, **params)
    matrix = CostMatrix([[0, 1, 2], [3, 0, 4], [5, 6, 0]], ["a", "b", "c"])
    targets = read_targets(CodedTarget.of(Y), weight, rows, matrix)
    return Study(search, inner, Table.from_data(X), targets)


def test_the_baseline_has_neither_prices_in_its_criterion_nor_limits():
    estimator = C45Classifier(
        criterion="cs_gain", feature_costs=[2.0, 3.0], max_path_cost=0, max_upfront_cost=0
    )
    kept = study(estimator)
    assert kept.learn({"gamma": 0.0}).get_depth() == 0
    model = kept.learn(None)
    assert model.criterion == "gain_ratio" and model.max_path_cost is None and model.max_upfront_cost is None
    assert model.feature_costs.cost(["x0", "x1"]) == 5 and study().learn(None).feature_costs.cost(["x0"]) == 1


def test_a_fold_without_a_class_goes_without_its_costs():
    matrix = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    estimator = C45Classifier(criterion="cs_gain", cost_matrix=matrix)
    kept = study(estimator, rows=np.arange(18.0).reshape(6, 3), weight=np.arange(1.0, 7))
    seen = []

    class Noting:
        def __init__(self, **params):
            self.params = params

        def fit(self, table, y, **extra):
            seen.append((self.params["cost_matrix"], list(y), {k: v.tolist() for k, v in extra.items()}))
            return self

    kept.kind = Noting
    which = np.array([0, 1, 4])
    kept._fit(kept.table.take(which), kept.targets.take(which), {"gamma": 2.0})
    part, labels, extra = seen.pop()
    assert part == CostMatrix([[0, 2], [5, 0]], ["a", "c"]) and labels == ["a", "a", "c"]
    assert extra == {"sample_weight": [1, 2, 5], "costs": [[0, 2], [3, 5], [12, 14]]}
    kept._fit(kept.table.take(which[:2]), kept.targets.take(which[:2]), None)
    assert seen.pop() == (None, ["a", "a"], {"sample_weight": [1, 2]})
    kept._fit(kept.table, kept.targets, None)
    whole, _, extra = seen.pop()
    assert whole == CostMatrix(matrix, ["a", "b", "c"]) and len(extra["costs"]) == 6


def test_figures_of_a_cross_validation():
    """Rows are answered by a model that knows one class, so that each part can be counted."""

    class Constant:
        def __init__(self, answer):
            self.answer = answer

        def answers(self, table):
            paths = np.full(table.n_samples, 7.0) + table.columns[0]
            labels = np.repeat(self.answer, table.n_samples)
            return SimpleNamespace(labels=labels, path_cost=lambda: paths)

    weight = np.array([1.0, 1, 1, 1, 2, 2])
    splits = [(np.arange(4), np.array([4, 5])), (np.array([4, 5]), np.array([0, 2]))]
    for pay, paths in (("path", (9 * 4 + 7 + 8) / 6), ("upfront", 0)):
        kept = study(weight=weight, cv=splits, pay=pay)
        kept._fit = lambda table, targets, changed: Constant("b" if changed is None else "c")
        right, mistakes, looked = kept.cross_validate([1.0])
        np.testing.assert_allclose(right, [4 / 6, 1 / 6])
        # "c" mistakes a and b for 2 and 4; "b" mistakes c twice with weight 2 for 6, and a for 1
        np.testing.assert_allclose(mistakes, [(2 + 4) / 6, (24 + 1) / 6])
        np.testing.assert_allclose(looked, [paths, paths])
    own = study(rows=np.arange(18.0).reshape(6, 3), cv=splits)
    own._fit = kept._fit
    np.testing.assert_allclose(own.cross_validate([])[1], [(13 + 16 + 1 + 7) / 4])


def test_a_stopped_search_fits_no_more():
    kept = study(cv=2)
    kept.stop.set()
    kept._fit = pytest.fail
    rows = np.arange(6)
    assert kept._fold(rows, rows, [None, None]).tolist() == [[0, 0, 0]] * 2


def test_splits_of_a_search():
    def parts(**params):
        return [(list(a), list(b)) for a, b in study(**params)._splits()]

    everything = parts(cv=3)
    assert len(everything) == 3 and sorted(i for _, test in everything for i in test) == list(range(6))
    assert all(sorted(train + test) == list(range(6)) for train, test in everything)
    assert len(parts(cv=50)) == 6 and parts(cv=3, random_state=1) != everything
    assert parts(cv=KFold(2)) == [([3, 4, 5], [0, 1, 2]), ([0, 1, 2], [3, 4, 5])]
    assert parts(cv=[(slice(0, 2), [5])]) == [([0, 1], [5])]
    weight = np.array([0.0, 0, 1, 1, 1, 1])
    assert parts(cv=[([0, 1], [5]), ([1, 2], [5])], weight=weight) == [([1, 2], [5])]
    single = study(cv=2)
    single.targets = single.targets.take(np.arange(1))
    with pytest.raises(ValueError, match="cv needs at least 2 rows to split, got n_samples=1"):
        list(single._splits())
    with pytest.raises(ValueError, match="cv must test at least one row of positive weight"):
        study(cv=[(np.arange(5), np.arange(0))]).cross_validate([])


def test_prices_of_the_grid_and_of_the_baseline():
    kept = study()
    counted = []
    kept.advance = lambda done, more: counted.append(more)

    class Priced:
        def __init__(self, price):
            self.price = price

        def upfront_cost(self):
            return self.price

    asked = []

    def learn(changed):
        asked.append(changed)
        return Priced(99.0 if changed is None else -changed["gamma"])

    kept.learn = learn
    assert kept.upfront([2.0, 1.0]) == ([2.0, 1.0], [-2.0, -1.0, 99.0])
    assert asked == [{"gamma": 2.0}, {"gamma": 1.0}, None] and counted == [2, 1]
    asked.clear()
    counted.clear()
    param_range, costs = kept.upfront(None)
    assert len(param_range) == 50 and costs == [*(-value for value in param_range), 99.0]
    # each value is learnt once
    assert (
        sorted(c["gamma"] for c in asked[:-1]) == param_range and asked[-1] is None and counted == [13, 37, 1]
    )


def test_as_many_fits_are_announced_as_are_made():
    kept, counted = study(cv=2), []
    kept.advance = lambda done, more: counted.append((done, more))
    kept.upfront([0.0, 1.0])
    assert np.sum(counted, axis=0).tolist() == [3, 3]
    kept.cross_validate([0.0, 1.0])
    # two settings and the baseline, for all rows and for each of two folds
    assert np.sum(counted, axis=0).tolist() == [9, 9]


def test_an_error_in_one_thread_stops_the_others():
    kept = study(n_jobs=1)

    def work(item):
        if item == 1:
            raise KeyboardInterrupt
        return item

    assert kept._in_threads(work, [3, 2]) == [3, 2]
    with pytest.raises(KeyboardInterrupt):
        kept._in_threads(work, [0, 1, 2])
    assert kept.stop.is_set() and kept._in_threads(work, [2]) == [None]


@pytest.mark.parametrize("verbose, terminal", [(1, True), (1, False), (0, True)])
def test_progress_is_shown_on_a_terminal(monkeypatch, verbose, terminal):
    out = io.StringIO()
    console = tradeoff_study.Console
    monkeypatch.setattr(
        tradeoff_study,
        "Console",
        lambda stderr: console(file=out, force_terminal=terminal, width=90, stderr=stderr),
    )
    with progress(verbose) as advance:
        advance(0, 3)
        advance(2, 4)
    told = out.getvalue()
    assert ("Fitting" in told and "2/7" in told) == (bool(verbose) and terminal)


def test_fitting_says_what_was_chosen_where_asked(capsys):
    frame = pd.DataFrame(X, columns=["p", "q"])
    options = {"param_range": [0.0, 50.0], "cv": [(np.arange(6), np.arange(6))]}
    quiet = TradeoffSearchCV(**options).fit(frame, Y)
    assert capsys.readouterr().err == ""
    loud = TradeoffSearchCV(verbose=1, **options).fit(frame, Y)
    assert capsys.readouterr().err == loud.describe() + "\n" and loud.results_ == quiet.results_
    assert quiet.best_estimator_.feature_names_in_.tolist() == ["p", "q"]
    with pytest.raises(ValueError, match="sample_weight must not be zero for every row"):
        TradeoffSearchCV(**options).fit(frame, Y, sample_weight=np.zeros(6))
    with pytest.raises(ValueError, match="requires y to be passed"):
        TradeoffSearchCV(**options).fit(frame, None)
