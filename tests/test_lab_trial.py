"""One trial and many side by side, worked out by hand: figures, sizes, prices, intervals and tests."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stakes import (
    C45Classifier,
    CostBagging,
    CostMatrix,
    FeatureCosts,
    Guard,
    MetaCost,
    MinExpectedCost,
    datasets,
)
from stakes._base.answering import Size, model_size, paid_tests
from stakes._base.folds import stratified_folds
from stakes._base.intervals import Interval, mean_interval
from stakes.compare import comparison
from stakes.compare.comparison import evaluate_learners, summarise
from stakes.compare.constant import ConstantClassifier
from stakes.compare.statistics import against, corrected_t_test, rank_learners, wilcoxon_test
from stakes.compare.trial import Part, Trial, run_trial
from stakes.decision import Decision
from stakes.lab.measures import check_measure, figure
from stakes.lab.results import Cell, Column, ResultTable, Row
from stakes.metrics import cost_with_abstention

COSTS = CostMatrix([[0, 5], [1, 0]], classes=["bad", "good"])
Y = np.array(["bad", "bad", "good", "good"])
ANSWERS = np.array(["bad", "good", "good", "bad"])
WEIGHT = np.array([1.0, 2.0, 3.0, 4.0])
X = np.arange(4)[:, None]
PRICES = FeatureCosts({"x0": 3.0})


class Fixed:
    """Answers as above; leaves rows 0 and 3 undecided where it may."""

    def __init__(self):
        self.given = None

    def fit(self, X, y, sample_weight=None):
        self.given = sample_weight
        return self

    def predict(self, X):
        return ANSWERS[X[:, 0]]

    def decide(self, X):
        return Decision(ANSWERS[X[:, 0]], np.isin(X[:, 0], [0, 3]), np.zeros((len(X), 2)))


class Unweighted(Fixed):
    def fit(self, X, y):
        return self


# ---- one trial


def test_a_trial_by_hand():
    """Wrong are row 1 (2 bad ones called good, at 5) and row 3 (4 good ones called bad, at 1)."""
    model = Fixed()
    rows = Part(X, Y, WEIGHT)
    found = run_trial(model, rows.take(np.array([0, 2])), rows, COSTS, PRICES)
    assert model.given.tolist() == [1, 3]
    assert (found.weight, found.train_weight, found.cost, found.errors) == (10, 4, 14, 6)
    assert (found.high_cost_errors, found.undecided) == (2, 0)
    assert (found.rows, found.right, found.abstained) == ((3, 7), (1, 3), (0, 0))
    assert (found.leaves, found.nodes) == (None, None) and found.seconds >= 0
    assert (found.test_cost, found.upfront_cost) == (30, 3)


def test_a_trial_that_leaves_rows_undecided():
    """Rows 1 and 2 are decided, of which row 1 is wrong."""
    found = run_trial(Fixed(), Part(X, Y), Part(X, Y, WEIGHT), COSTS, abstains=True)
    assert (found.train_weight, found.cost, found.errors, found.high_cost_errors) == (4, 10, 2, 2)
    assert (found.undecided, found.abstained, found.right) == (5, (1, 4), (0, 3))
    assert (found.test_cost, found.upfront_cost) == (None, None)


def test_weights_are_given_to_those_that_take_them():
    run_trial(Unweighted(), Part(X, Y, WEIGHT), Part(X, Y), COSTS)
    model = Fixed()
    run_trial(model, Part(X, Y), Part(X, Y), COSTS)
    assert model.given is None
    assert Part(X, Y).shares.tolist() == [1, 1, 1, 1] and Part(X, Y).take(np.array([1])).weight is None


@pytest.fixture(scope="module")
def fitted():
    """Forty rows of two columns, of which the first tells the classes."""
    data = np.column_stack([np.repeat([1.0, 2.0], 20), np.zeros(40)])
    y = np.repeat(["bad", "good"], 20)
    with pytest.warns(UserWarning, match="the constant is predicted"):
        guarded = Guard(C45Classifier(cost_matrix=COSTS), cost_matrix=COSTS).fit(data[:, 1:], y)
    inner = C45Classifier(cost_matrix=COSTS)
    models = {
        "guarded": guarded,
        "kept": Guard(inner, cost_matrix=COSTS, random_state=0).fit(data, y),
        "wrapped": MinExpectedCost(inner, cost_matrix=COSTS).fit(data, y),
        "pipeline": make_pipeline(StandardScaler(), DecisionTreeClassifier()).fit(data, y),
        "meta": MetaCost(cost_matrix=COSTS, n_estimators=2, random_state=0).fit(data, y),
        "bagging": CostBagging(cost_matrix=COSTS, n_estimators=2, random_state=0).fit(data, y),
        "constant": ConstantClassifier(COSTS).fit(data, y),
        "bayes": GaussianNB().fit(data[:, :1], y),
    }
    return data, models


@pytest.mark.parametrize(
    ("name", "leaves", "nodes"),
    [
        ("guarded", 1, 1), ("kept", 2, 3), ("wrapped", 2, 3), ("pipeline", 2, 3), ("meta", 2, 3),
        ("bagging", None, None), ("constant", 1, 1), ("bayes", None, None),
    ],
)  # fmt: skip
def test_sizes_through_wrappers(fitted, name, leaves, nodes):
    model = fitted[1][name]
    assert model_size(model) == Size(leaves, nodes)


@pytest.mark.parametrize(
    ("name", "price"),
    [("guarded", 0), ("kept", 1), ("wrapped", 1), ("bagging", 3), ("constant", 0), ("bayes", 3)],
)
def test_what_looking_costs_through_wrappers(fitted, name, price):
    """Trees ask for the first column, at 1; of other models it is only known that they are given both."""
    data, models = fitted
    found = paid_tests(models[name], data, FeatureCosts({"x0": 1.0, "x1": 2.0}))
    assert (found.by_row.tolist(), found.upfront) == ([price] * 40, price)


def test_rows_are_counted_in_lists_too(fitted):
    found = paid_tests(fitted[1]["bayes"], [[1.0], [2.0]], FeatureCosts({"x0": 1.0}))
    assert found.by_row.tolist() == [1, 1]


def test_the_cheapest_constant():
    """Of 2 bad and 9 good rows always bad costs 9, always good 10; with weights of good ones it turns."""
    y = np.repeat(["bad", "good"], [2, 9])
    model = ConstantClassifier(COSTS).fit(np.zeros((11, 1)), y)
    assert model.prior_.tolist() == [2 / 11, 9 / 11] and model.get_n_leaves() == 1
    assert model.predict(np.zeros((2, 1))).tolist() == ["bad", "bad"]
    heavy = model.fit(np.zeros((11, 1)), y, sample_weight=np.where(y == "good", 2.0, 1.0))
    assert heavy.predict(np.zeros((1, 1))).tolist() == ["good"] and heavy.prior_[0] == 0.1


# ---- figures of a trial


def test_every_measure():
    record = {
        "cost": 6.0, "weight": 12.0, "errors": 3.0, "undecided": 2.0, "high_cost_errors": 1.0, "leaves": 4,
        "nodes": 7, "test_cost": 24.0, "upfront_cost": 5.0, "right": [4.0, 3.0], "rows": [6.0, 8.0],
        "abstained": [1.0, 2.0], "attributes": {"n_": None},
    }  # fmt: skip
    wanted = {
        "cost": 6, "mean_cost": 0.5, "errors": 3, "error_rate": 0.25, "accuracy": 0.7, "high_cost_errors": 1,
        "undecided": 1 / 6, "leaves": 4, "nodes": 7, "test_cost": 2, "upfront_cost": 5, "correct:0": 4 / 6,
        "correct:1": 3 / 8, "undecided:0": 1 / 6, "undecided:1": 1 / 4,
    }  # fmt: skip
    assert {name: figure(record, name) for name in wanted} == pytest.approx(wanted)
    assert math.isnan(figure(record, "n_"))
    for name in (*wanted, "n_"):
        check_measure(name, ["n_"])


@pytest.mark.parametrize("name", ["n_", "costs", "correct", "correct:x", "wrong:1"])
def test_measures_that_there_are_not(name):
    with pytest.raises(
        ValueError, match=r"must be a measure, .*'cost', 'mean_cost'|must then be one of the study's"
    ):
        check_measure(name)


# ---- many trials


def trial(cost, weight=10.0, **more):
    parts = {
        "weight": weight, "train_weight": 40.0, "cost": cost, "errors": cost / 2, "high_cost_errors": 1.0,
        "undecided": 0.0, "rows": (), "right": (), "abstained": (), "leaves": 2, "nodes": 3, "seconds": 0.5,
    }  # fmt: skip
    return Trial(**parts | more)


def interval(per_row, mean, ratio, level):
    """Corrected resampled t interval, by scipy."""
    spread = math.sqrt((1 / len(per_row) + ratio) * np.var(per_row, ddof=1))
    half = stats.t.ppf((1 + level) / 2, len(per_row) - 1) * spread
    return Interval(pytest.approx(mean), pytest.approx(mean - half), pytest.approx(mean + half))


DATA = Part(X, Y, WEIGHT)  # always bad costs 7 of 10, always good 15


def test_trials_are_summed_up():
    """Rows of a fold count as many as they weigh: 2 of 10 and 8 of 30 are 10 of 40 in all."""
    folds = [trial(2.0), trial(8.0, 30.0, leaves=5, nodes=8, seconds=1.5, high_cost_errors=2.0)]
    found = summarise({"a": folds}, DATA, COSTS, 2, 1, level=0.9)
    [one] = found.results
    ratio = (10 / 40 + 30 / 40) / 2
    assert one.cost == interval([2 / 10, 8 / 30], 10 / 40, ratio, 0.9)
    assert one.total == pytest.approx(2.5)  # of the 10 rows of the data
    wide = interval([1 / 10, 4 / 30], 5 / 40, ratio, 0.9)
    assert one.errors == Interval(wide.mean, max(0.0, one.errors.low), wide.high)
    assert one.high_cost_errors == pytest.approx(3 / 40 * 10)
    assert (one.leaves, one.nodes, one.seconds) == (3.5, 5.5, 1.0)
    cost = one.cost
    saved = [(0.7 - value) / 0.7 for value in (cost.mean, cost.high, cost.low)]
    assert (one.savings.mean, one.savings.low, one.savings.high) == pytest.approx(tuple(saved))
    assert (one.test_cost, one.total_cost, one.upfront_cost, one.decisive) == (None, None, None, cost)
    assert (found.n_rows, found.n_folds, found.n_repeats, found.level) == (4, 2, 1, 0.9)
    assert (found.constant, found.constant_cost, found.priced, found.tests) == ("bad", 0.7, False, ())
    assert summarise({"a": folds}, DATA, COSTS, 2, 1).level == 0.95


def test_the_whole_bill_decides_where_columns_have_prices():
    """Of mistakes alone a is the cheaper, with its tests b is."""
    a = [trial(1.0, test_cost=30.0, upfront_cost=4.0), trial(2.0, test_cost=30.0, upfront_cost=6.0)]
    b = [trial(5.0, test_cost=0.0, upfront_cost=0.0), trial(7.0, test_cost=1.0, upfront_cost=0.0)]
    found = summarise({"a": a, "b": b}, DATA, COSTS, 2, 1)
    one, two = found.results
    assert one.test_cost == interval([3.0, 3.0], 3.0, 1 / 4, 0.95)
    assert one.total_cost == interval([3.1, 3.2], 3.15, 1 / 4, 0.95) and one.decisive is one.total_cost
    assert (one.upfront_cost, two.upfront_cost) == (5, 0)
    assert found.priced and found.cheapest is two
    [test] = found.tests
    assert (test.name, test.difference) == ("a", pytest.approx((2.6 + 2.4) / 2))
    assert test.p == pytest.approx(corrected_t_test([2.6, 2.4], 1 / 4)[1])


def test_shares_of_errors_stay_between_nothing_and_all():
    [one] = summarise({"a": [trial(0.0), trial(20.0)]}, DATA, COSTS, 2, 1).results
    assert (one.errors.mean, one.errors.low, one.errors.high) == (0.5, 0.0, 1.0)


def test_one_fold_has_no_interval_and_a_free_constant_no_savings():
    good = Part(X[2:], Y[2:])
    [one] = summarise({"a": [trial(2.0)]}, good, COSTS, 2, 1).results
    assert (one.cost, one.savings) == (Interval(0.2, 0.2, 0.2), None)
    plain = CostMatrix([[0, 5], [1, 0]])
    assert summarise({"a": [trial(2.0)]}, Part(X, np.array([0, 1, 1, 1])), plain, 2, 1).constant in (0, 1)


def test_progress_and_folds_that_weigh_nothing():
    """With weight on two rows of three folds, one fold has none and is left out."""
    data, y = np.arange(10.0)[:, None], np.array(["bad", "good"] * 5)
    seen = []
    learners = {"a": ConstantClassifier(COSTS), "b": ConstantClassifier()}
    found = evaluate_learners(
        learners, data, y, cost_matrix=COSTS, n_folds=2, n_repeats=2, progress=lambda *step: seen.append(step)
    )
    assert seen == [*((i, 8, "a") for i in range(4)), *((i, 8, "b") for i in range(4, 8)), (8, 8, "")]
    assert (found.n_rows, found.n_folds, found.n_repeats, found.level) == (10, 2, 2, 0.95)
    seen.clear()
    fold = stratified_folds((y == "good").astype(int), 3, 0)
    weight = np.zeros(10)
    weight[[np.flatnonzero((fold == k) & (y == label))[0] for k, label in enumerate(["bad", "good"])]] = 1.0
    folds = evaluate_learners(
        {"a": ConstantClassifier(COSTS)}, data, y, cost_matrix=COSTS, n_folds=3,
        sample_weight=weight, progress=lambda *step: seen.append(step),
    )  # fmt: skip
    assert folds.results[0].cost.mean == 3 and seen == [(0, 3, "a"), (1, 3, "a"), (2, 3, "")]
    priced = evaluate_learners(learners, data, y, cost_matrix=COSTS, feature_costs={"x0": 2.0}, n_folds=2)
    assert priced.results[0].test_cost == Interval(0, 0, 0) and priced.priced
    with pytest.raises(ValueError, match="n_folds must be between 2 and the number of rows, 10, got 11"):
        evaluate_learners(learners, data, y, n_folds=11)
    for level in (0, 1):
        with pytest.raises(ValueError, match="level must be between 0 and 1"):
            evaluate_learners(learners, data, y, level=level)


def test_a_learner_that_may_abstain_has_a_second_result():
    """The same folds by hand: what `decide` leaves undecided costs its price, the rest what mistakes cost."""
    german = datasets.load("german")
    learners = {
        "none": ConstantClassifier(german.cost_matrix),
        "tree": C45Classifier(cost_matrix=german.cost_matrix),
    }
    options = {"cost_matrix": german.cost_matrix, "n_folds": 3}
    found = evaluate_learners(learners, german.X, german.y, **options, abstain_costs={"tree": 0.25})
    plain = evaluate_learners(learners, german.X, german.y, **options)
    none, abstaining, tree = found.results
    assert [none.name, abstaining.name, tree.name] == ["none", "tree, undecided at 0.25", "tree"]
    assert [replace(r, seconds=0) for r in (none, tree)] == [replace(r, seconds=0) for r in plain.results]
    fold = stratified_folds((german.y == "good").astype(np.intp), 3, 0)
    paid = undecided = wrong = 0.0
    for k in range(3):
        model = C45Classifier(cost_matrix=german.cost_matrix).fit(german.X[fold != k], german.y[fold != k])
        decision = model.decide(german.X[fold == k], abstain_cost=0.25)
        rows = {"abstain_cost": 0.25, "cost_matrix": german.cost_matrix}
        paid += cost_with_abstention(german.y[fold == k], decision, **rows) * (fold == k).sum()
        undecided += decision.undecided.sum()
        wrong += (decision.labels != german.y[fold == k])[~decision.undecided].sum()
    assert abstaining.total == pytest.approx(paid) and abstaining.cost.mean == pytest.approx(paid / 1000)
    assert abstaining.undecided == undecided / 1000 > 0 == tree.undecided
    assert abstaining.errors.mean == pytest.approx(wrong / 1000) and abstaining.leaves == tree.leaves


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("c", "abstain_costs must name learners, a, b, got 'c'"),
        ("b", "abstain_costs must name learners that have a decide method, got 'b'"),
    ],
)
def test_who_cannot_abstain_has_no_second_result(name, message):
    learners = {"a": ConstantClassifier(COSTS), "b": DecisionTreeClassifier()}
    with pytest.raises(ValueError, match=message):
        evaluate_learners(learners, X, Y, n_folds=2, abstain_costs={name: 0.5})


def test_plain_values_for_json():
    found = summarise({"a": [trial(2.0), trial(4.0)]}, DATA, COSTS, 2, 1)
    values = found.to_dict()
    assert values["results"][0]["cost"]["mean"] == pytest.approx(0.3) and values["n_rows"] == 4
    assert isinstance(values["results"], list)


def test_folds_without_weight_are_left_out_on_either_side():
    folds = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
    pairs = [
        [part.tolist() for part in pair] for pair in comparison._splits(folds, np.array([1.0, 2.0, 0.0, 0.0]))
    ]
    # of the first division one part has all the weight, so that neither learning nor testing is possible
    assert pairs == [[[1, 3], [0, 2]], [[0, 2], [1, 3]]]


def test_the_mean_of_weighted_rows():
    """Weights 1 and 3: shares 1/4 and 3/4, which say as much as 1.6 rows."""
    found = mean_interval(np.array([0.0, 4.0]), np.array([1.0, 3.0]), level=0.8)
    size, variance = 1.6, 3.0 * 1.6 / 0.6
    half = stats.t.ppf(0.9, 0.6) * math.sqrt(variance / size)
    assert (found.mean, found.low, found.high) == (3, pytest.approx(3 - half), pytest.approx(3 + half))
    assert mean_interval(np.array([2.0]), np.array([5.0])) == Interval(2, 2, 2)


# ---- tests


def test_one_trial_tells_nothing():
    [one] = against("a", {"a": np.array([1.0]), "b": np.array([3.0])}, 0.5)
    assert (one.name, one.difference, one.p, one.adjusted) == ("b", 2.0, 1.0, 1.0)


def test_differences_that_are_rounding_alone_are_none():
    t, p = corrected_t_test([0.1, 0.1 + 1e-17, 0.1 - 1e-17, 0.3 - 0.2], 0.1)
    assert (t, p) == (math.inf, 0.0)
    assert math.isfinite(corrected_t_test([1.0, 1.0 + 1e-12], 0.1)[0])


def test_ranks_say_what_they_are_made_of():
    figures = {"b": [2.0, 2.0, 3.0], "a": [1.0, 1.0, 1.0], "c": [3.0, 3.0, 2.0]}
    found = rank_learners(figures, level=0.1)
    assert (found.names, found.level) == (("a", "b", "c"), 0.1)
    assert found.ranks == pytest.approx((1, 7 / 3, 8 / 3))
    assert [test.difference for test in found.against_best] == pytest.approx([4 / 3, 5 / 3])
    assert found.against_best[0].p == wilcoxon_test([1, 1, 2])
    assert wilcoxon_test([0.0, 1.0, 2.0]) == stats.wilcoxon([0.0, 1.0, 2.0], zero_method="pratt").pvalue
    with pytest.raises(ValueError, match="got 1 learners and 2 data sets"):
        rank_learners({"a": [1.0, 2.0]})


# ---- results


def test_names_and_headings_of_tables():
    table = ResultTable("p", "table", "2 B", "", ("x",), (Column("a"),), (Row(("r",), (Cell(1.0),)),))
    assert (table.name, table.heading, table.has_paper) == ("p-table-2-b", "Table 2 B", False)
    assert (table.columns[0].digits, table.quick, table.transpose, table.log_x) == (2, False, False, False)
    assert (
        Cell(3.0, 1.0).difference == 2 and Cell(3.0).difference is None and Cell(None, 1.0).difference is None
    )
