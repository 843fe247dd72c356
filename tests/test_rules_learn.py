"""The steps of learning rules, each on rows few enough to count by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from stakes import C45Classifier, CostMatrix, RuleClassifier
from stakes.costs import FeatureCosts
from stakes.rules import RuleSearchWarning, plot_coverage
from stakes.rules.bins import Bins
from stakes.rules.inputs import (
    check_t_good_values,
    class_cost_vector,
    more_samples,
    read_samples,
    support_vector,
)
from stakes.rules.learn import (
    RuleSamples,
    Settings,
    _set_aside,
    _supports,
    _warn,
    covered,
    in_order,
    recounted,
    surviving,
    with_undecided_weights,
)
from stakes.rules.model import RuleSet
from stakes.rules.path import CoveragePoint, cheapest, coverage_points, cross_validated, point_sums
from stakes.table import Column, Schema, Table

TOWN = Schema((Column("town", "nominal", ("n", "s", "w")), Column("car", "nominal", ("no", "yes"))))


def ints(*values):
    return np.array(values, dtype=np.int32)


def rules_on(conditions, label):
    """Rules that are lists of (column, value); the quality falls from rule to rule."""
    flat = [pair for rule in conditions for pair in rule]
    return RuleSet(
        bins=Bins(TOWN, (np.array([]), np.array([]))),
        classes=np.array(["bad", "good"]),
        start=np.cumsum([0, *map(len, conditions)]).astype(np.int32),
        feature=ints(*(f for f, _ in flat)),
        value=ints(*(v for _, v in flat)),
        label=ints(*label),
        quality=np.linspace(0.9, 0.1, len(label)),
        class_weights=np.ones((len(label), 2)),
        undecided_weights=np.zeros(2),
        costs=np.array([[0.0, 5], [1, 0]]),
        t_good=0.5,
    )


def examples(towns, cars, codes, weight=None, row_costs=None, **changes):
    return RuleSamples(
        table=Table(TOWN, [ints(*towns), ints(*cars)]),
        codes=ints(*codes),
        classes=np.array(["bad", "good"]),
        weight=None if weight is None else np.array(weight, dtype=float),
        cost_matrix=CostMatrix([[0.0, 5], [1, 0]], ["bad", "good"]),
        class_costs=np.array([5.0, 1.0]),
        row_costs=None if row_costs is None else np.array(row_costs, dtype=float),
        **changes,
    )


#: Five rows: of the three in town n two are good, of the other two one.
TOWNS, CARS, CODES = (0, 0, 0, 1, 1), (0, 1, 1, 0, 1), (0, 1, 1, 0, 1)
IN_N, WITH_CAR_IN_N = [(0, 0)], [(0, 0), (1, 1)]


# ---- counting ----------------------------------------------------------------------------------------------


def test_what_rules_cover():
    rules = rules_on([IN_N, WITH_CAR_IN_N], [0, 1])
    weights, shares = covered(rules, examples(TOWNS, CARS, CODES))
    assert weights.tolist() == [[1, 2], [0, 2]] and shares.tolist() == [[5, 2], [0, 2]]
    weights, shares = covered(rules, examples(TOWNS, CARS, CODES, weight=[3, 1, 0.5, 9, 9]))
    assert weights.tolist() == [[3, 1.5], [0, 1.5]] and shares.tolist() == [[15, 1.5], [0, 1.5]]
    weights, shares = covered(
        rules, examples(TOWNS, CARS, CODES, weight=[3, 1, 0.5, 9, 9], row_costs=[2, 4, 8, 9, 9])
    )
    assert weights.tolist() == [[3, 1.5], [0, 1.5]] and shares.tolist() == [[6, 8], [0, 8]]


def test_a_rule_survives_where_its_class_bears_the_most_cost():
    rules = rules_on([IN_N, IN_N, WITH_CAR_IN_N, [(0, 2)]], [0, 1, 1, 0])
    # a bad row that costs 5 outweighs two good ones that cost 1; nobody lives in w
    kept = surviving(rules, examples(TOWNS, CARS, CODES))
    assert kept.label.tolist() == [0, 1] and [kept.conditions(i) for i in (0, 1)] == [IN_N, WITH_CAR_IN_N]
    assert kept.start.tolist() == [0, 1, 3] and kept.quality.tolist() == rules.quality[[0, 2]].tolist()
    none = surviving(rules, examples((2,), (0,), (1,)))
    assert len(none) == 0 and none.start.tolist() == [0]


def test_what_stays_is_judged_on_all_rows():
    rules = recounted(rules_on([IN_N, WITH_CAR_IN_N], [1, 0]), examples(TOWNS, CARS, CODES))
    assert rules.class_weights.tolist() == [[1, 2], [0, 2]]
    assert rules.label.tolist() == [0, 1]
    share = 5 / 7
    entropy = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
    np.testing.assert_allclose(rules.quality, [entropy, 0.0])


def test_precedence_is_quality_then_support_then_length():
    rules = replace(
        rules_on([[(0, 0)], [(0, 1), (1, 0)], [(0, 1)], [(1, 1)], [(1, 0)]], [0, 1, 1, 0, 0]),
        quality=np.array([0.4, 0.2, 0.2 + 1e-14, 0.2, 0.1]),
        class_weights=np.array([[9.0, 0], [5, 3], [0, 3], [4, 0], [1, 1]]),
    )
    ordered = in_order(rules)
    assert [ordered.conditions(i) for i in range(5)] == [
        [(1, 0)],
        [(1, 1)],
        [(0, 1)],
        [(0, 1), (1, 0)],
        [(0, 0)],
    ]
    assert ordered.label.tolist() == [0, 0, 1, 1, 0]
    assert ordered.class_weights.tolist() == [[1, 1], [4, 0], [0, 3], [5, 3], [9, 0]]


def test_rows_without_a_rule_are_counted():
    rules = rules_on([IN_N], [0])
    rows = examples(TOWNS, CARS, CODES, weight=[1, 1, 1, 0.5, 3])
    assert with_undecided_weights(rules, rows).undecided_weights.tolist() == [0.5, 3]
    assert with_undecided_weights(rules, examples(TOWNS, CARS, CODES)).undecided_weights.tolist() == [1, 1]
    # where all rows have a rule, or those without weigh nothing, all rows count
    assert with_undecided_weights(rules, examples((0, 0), (0, 0), (0, 1))).undecided_weights.tolist() == [
        1,
        1,
    ]
    weightless = examples(TOWNS, CARS, CODES, weight=[2, 1, 1, 0, 0])
    assert with_undecided_weights(rules, weightless).undecided_weights.tolist() == [2, 2]


# ---- held-out rows -----------------------------------------------------------------------------------------


def numbered(n_rows, **changes):
    """Rows that can be told apart by their costs."""
    codes = np.arange(n_rows) % 2
    return examples([0] * n_rows, [0] * n_rows, codes, row_costs=np.arange(n_rows), **changes)


@pytest.mark.parametrize(
    "share, n_rows, n_held_out", [(0.5, 4, 2), (0.33, 12, 4), (0.25, 8, 2), (0.1, 40, 4)]
)
def test_held_out_rows_are_not_learnt_from(share, n_rows, n_held_out):
    learnt_from, held_out = _set_aside(numbered(n_rows), Settings(validation_fraction=share))
    assert len(held_out.codes) == n_held_out and len(learnt_from.codes) == n_rows - n_held_out
    both = sorted([*learnt_from.row_costs, *held_out.row_costs])
    assert both == list(range(n_rows))
    # the classes are dealt out evenly, and another seed deals differently
    assert held_out.codes.sum() * 2 == n_held_out
    others = [
        _set_aside(numbered(n_rows), Settings(validation_fraction=share, random_state=s))[1] for s in range(9)
    ]
    assert len({tuple(rows.row_costs) for rows in others}) > 1


@pytest.mark.parametrize("share, n_rows", [(0.0, 50), (0.5, 3), (0.25, 7)])
def test_nothing_is_held_out_of_too_few_rows(share, n_rows):
    rows = numbered(n_rows)
    assert _set_aside(rows, Settings(validation_fraction=share)) == (rows, None)


def test_rows_that_weigh_nothing_are_nothing_to_learn_from():
    held_out = _set_aside(numbered(4), Settings(validation_fraction=0.5))[1].row_costs
    rows = numbered(4, weight=[float(i in held_out) for i in range(4)])
    assert _set_aside(rows, Settings(validation_fraction=0.5)) == (rows, None)
    assert _set_aside(numbered(4, weight=[1, 1, 1, 1]), Settings(validation_fraction=0.5))[1] is not None


def test_held_out_rows_contradict_a_rule():
    """A fit that checks its rules is the steps above, one after the other."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"x{j}": rng.choice(list("abcdef"), 240) for j in range(4)})
    y = np.where(X["x0"] == "a", "yes", np.where(rng.random(240) < 0.5, "yes", "no"))
    weight = rng.integers(1, 3, 240).astype(float)
    params = {"t_good": 0.4, "min_support": 3, "max_length": 2, "class_costs": {"yes": 1.0, "no": 1.5}}
    model = RuleClassifier(validation_fraction=0.5, **params).fit(X, y, sample_weight=weight)
    rows = read_samples(RuleClassifier(class_costs=params["class_costs"]), X, y, weight, None)
    kept, held_out = _set_aside(rows, Settings(validation_fraction=0.5))
    text = kept.table.columns
    names = np.array(list("abcdef"), dtype=object)
    frame = pd.DataFrame({f"x{j}": names[codes] for j, codes in enumerate(text)})
    draft = RuleClassifier(**params).fit(frame, kept.classes[kept.codes], sample_weight=kept.weight)
    checked = surviving(draft.rule_set_, held_out)
    assert 0 < len(checked) < len(draft.rule_set_)
    expected = with_undecided_weights(in_order(recounted(checked, rows)), rows)
    ours, theirs = model.rule_set_.to_dict(), expected.to_dict()
    for name in ("start", "feature", "value", "label", "quality", "class_weights", "silent_weights"):
        assert ours[name] == theirs[name], name


# ---- bounds ------------------------------------------------------------------------------------------------


def test_supports():
    rows = examples([0] * 50, [0] * 50, [0] * 50)
    assert _supports(0.1, rows).tolist() == [5, 5]
    assert _supports(0.01, rows).tolist() == [2, 2]
    assert _supports([0.5, 1], rows).tolist() == [25, 1]
    assert _supports([0.999, 7.5], rows).tolist() == [49.95, 7.5]
    light = examples([0], [0], [0], weight=[1.5])
    assert _supports(0.1, light).tolist() == [1.5, 1.5]


def test_words_of_a_search_cut_short():
    _warn([], 3)
    with pytest.warns(RuleSearchWarning) as caught:
        _warn([("max_candidates", 2, 30, 70), ("max_memory", 3, 0, 9)], 3)
    assert str(caught[0].message) == (
        "The search for rules was cut short at length 3: of 70 rules of length 2 only the 30 of best quality "
        "were followed (raise max_candidates to follow them all); of 9 rules of length 3 none were followed "
        "(raise max_memory to follow them all). A larger min_support or a smaller max_length or t_bad makes "
        "it smaller."
    )


# ---- bills -------------------------------------------------------------------------------------------------


def priced():
    return replace(
        rules_on([IN_N, [(1, 1)]], [0, 1]), feature_costs=FeatureCosts({"town": 10.0, "car": 100.0})
    )


def test_the_parts_of_a_bill():
    # three rows get "bad" (one is), one gets "good" rightly and one gets no answer
    rows = examples(TOWNS, CARS, CODES, weight=[1, 2, 4, 8, 16])
    sums, n_rules = point_sums(priced(), rows, abstain_cost=0.25)
    assert n_rules == 2
    assert sums.tolist() == [31, 23, 1 + 16, (2 + 4) * 1, 7 * 10 + 24 * 110, 8 * 0.25]
    wrong = examples((1,), (1,), (0,))
    assert point_sums(priced(), wrong, abstain_cost=0.25)[0].tolist() == [1, 1, 0, 5, 110, 0]


def test_points_are_means_over_the_rows_of_all_folds():
    train = examples([0] * 6 + [1] * 6, [0] * 12, [0] * 6 + [1] * 6)
    tests = [examples((0, 0), (0, 0), (0, 1)), examples((1, 2, 1, 1), (0, 0, 0, 0), (1, 1, 1, 0))]
    settings = Settings(min_support=2, max_length=1)
    points = coverage_points([(train, test) for test in tests], settings, [0.0, 0.5], 0.5)
    # town n is bad, town s is good, nothing is known of town w: right is one of two, and two of three
    expected = {"coverage": 5 / 6, "accuracy": 3 / 5, "mistakes": 6 / 6, "tests": 0, "abstention": 0.5 / 6}
    for point, t_good in zip(points, (0.0, 0.5), strict=True):
        assert point == CoveragePoint(t_good=t_good, n_rules=2, **expected)
        assert point.total_cost == pytest.approx(1 + 0.5 / 6)


def test_the_accuracy_of_no_answer_is_not_known():
    rows = examples([2, 2], [0, 0], [0, 1])
    (point,) = coverage_points([(rows, rows)], Settings(), [0.1], 2.0)
    assert np.isnan(point.accuracy)
    assert (point.coverage, point.mistakes, point.abstention, point.n_rules) == (0, 0, 2, 0)


def test_folds_of_a_cross_validation():
    rows = examples([0] * 6 + [1] * 6, [0] * 12, [0] * 6 + [1] * 6)
    settings = Settings(min_support=2, max_length=1)
    folds = [(np.arange(12) != i, np.arange(12) == i) for i in range(12)]
    pairs = [(np.flatnonzero(train), np.flatnonzero(test)) for train, test in folds]
    own = cross_validated(rows, settings, [0.2], 1.0, pairs)
    assert own == [CoveragePoint(0.2, 1.0, 1.0, 0.0, 0.0, 0.0, 2.0)]
    assert cross_validated(rows, settings, [0.2], 1.0, 50) == own  # no more folds than rows
    assert cross_validated(rows, settings, [0.2], 1.0, 3) == own
    # parts that weigh nothing are left out
    assert cross_validated(rows, settings, [0.2], 1.0, [(np.arange(12), np.arange(0))]) == []
    light = replace(rows, weight=np.array([1.0] * 11 + [0.0]))
    assert cross_validated(light, settings, [0.2], 1.0, [(np.array([11]), np.arange(11))]) == []
    assert cross_validated(light, settings, [0.2], 1.0, [(np.arange(11), np.array([11]))]) == []

    class Splitter:
        def split(self, X, y):
            assert len(X) == 12 and y.tolist() == rows.codes.tolist()
            return pairs[:2]

        def get_n_splits(self, X=None, y=None):
            return 2

    assert cross_validated(rows, settings, [0.2], 1.0, Splitter()) == own


def test_the_seed_deals_the_folds():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 60)
    rows = examples(rng.integers(0, 3, 60), rng.integers(0, 2, 60), codes)
    found = {
        tuple(cross_validated(rows, Settings(random_state=seed, min_support=2), [1.0], 1.0, 2))
        for seed in range(4)
    }
    assert len(found) > 1


def test_equal_bills_go_to_coverage_and_then_to_the_strictest():
    def point(t_good, coverage, mistakes, abstention):
        return CoveragePoint(t_good, coverage, 1.0, mistakes, 0.0, abstention, 1)

    points = [point(0.1, 0.5, 0.1, 0.2), point(0.3, 0.7, 0.2, 0.1), point(0.2, 0.7, 0.3, 0.0)]
    assert cheapest(points).t_good == 0.2
    assert cheapest([*points, point(0.9, 0.1, 0.0, 0.299)]).t_good == 0.9
    assert cheapest([*points, point(0.9, 0.9, 0.0, 0.3 + 1e-15)]).t_good == 0.9


# ---- what is given -----------------------------------------------------------------------------------------


def read(X, y, weight=None, costs=None, **changes):
    return read_samples(RuleClassifier(**changes), X, y, weight, costs)


X3, Y3 = np.arange(4.0).reshape(-1, 1), ["b", "a", "c", "a"]


def test_costs_of_classes_are_a_matrix_and_a_vector():
    rows = read(X3, Y3, class_costs={"a": 2, "b": 0, "c": 7})
    assert rows.cost_values.tolist() == [[0, 2, 2], [0, 0, 0], [7, 7, 0]]
    assert rows.class_costs.tolist() == [2, 0, 7]
    matrix = [[0, 1, 2], [4, 0, 8], [16, 32, 0]]
    for how, vector in (("sum", [3, 12, 48]), ("max", [2, 8, 32]), ("mean", [1.5, 6, 24])):
        rows = read(X3, Y3, cost_matrix=matrix, cost_vector=how)
        assert rows.cost_values.tolist() == matrix and rows.class_costs.tolist() == vector
    assert read(X3, Y3).cost_values.tolist() == (1 - np.eye(3)).tolist()
    assert read(X3, Y3).row_costs is None


def test_costs_of_rows():
    costs = [[1, 0, 3], [0, 2, 2], [4, 4, 0], [0, 6, 0]]
    rows = read(X3, Y3, [1, 3, 1, 1], costs)
    assert rows.row_costs.tolist() == [4, 4, 8, 6]
    # the mean row of each class, by weight
    assert rows.cost_values.tolist() == [[0, 3, 1.5], [1, 0, 3], [4, 4, 0]]
    assert rows.class_costs.tolist() == [4.5, 4, 8]
    assert read(X3, Y3, None, costs, cost_vector="max").row_costs.tolist() == [3, 2, 4, 6]
    both = read(X3, Y3, None, costs, cost_matrix=1 - np.eye(3))
    assert both.cost_values.tolist() == (1 - np.eye(3)).tolist() and both.row_costs.tolist() == [4, 4, 8, 6]


def test_one_class_is_worth_a_rule():
    rows = read(X3, ["a"] * 4)
    assert rows.class_costs.tolist() == [1.0] and rows.cost_values.tolist() == [[0.0]]


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
def test_other_rows_of_the_same_problem():
    rows = read(X3, Y3, [1, 2, 3, 4], np.ones((4, 3)), feature_costs=[7.0])
    other = more_samples(rows, [[5.0], [np.nan]], ["c", "a"], unseen="missing", owner="Somebody")
    assert other.codes.tolist() == [2, 0] and other.codes.dtype == np.int32
    assert other.weight is None and other.row_costs is None and other.feature_costs is rows.feature_costs
    np.testing.assert_array_equal(other.table.columns[0], [5.0, np.nan])
    part = rows.take(np.array([2, 0]))
    assert part.codes.tolist() == [2, 1] and part.weight.tolist() == [3, 1] and len(part.row_costs) == 2
    assert part.table.columns[0].tolist() == [2.0, 0.0]
    towns = read(pd.DataFrame({"town": ["n", "s"]}), ["a", "b"])
    strange = (towns, pd.DataFrame({"town": ["x"]}), ["a"])
    assert more_samples(*strange, unseen="missing", owner="").table.columns[0].tolist() == [-1]
    with pytest.raises(ValueError, match="town"):
        more_samples(*strange, unseen="error", owner="")


LABELS = np.array(["a", "b"])


def test_numbers_by_class():
    assert class_cost_vector({"b": 2, "a": 1}, LABELS).tolist() == [1, 2]
    assert class_cost_vector([0, 2], LABELS).tolist() == [0, 2]
    assert support_vector(3, LABELS) == 3.0 and isinstance(support_vector(3, LABELS), float)
    assert support_vector({"b": 5}, LABELS) == [0.01, 5.0]
    assert repr(support_vector([0, 2], LABELS)) == "[0.0, 2.0]"


@pytest.mark.parametrize(
    "function, given, words",
    [
        (class_cost_vector, {"a": 1.0}, "class_costs must name every class, 'b' is not there|np.str_"),
        (class_cost_vector, {"a": 1.0, "x": 2.0}, r"class_costs names 'x', but the classes are \['a', 'b'\]"),
        (class_cost_vector, [1.0, -1.0], r"class_costs must be finite and at least 0, got \[1.0, -1.0\]"),
        (class_cost_vector, [1.0, np.inf], "class_costs must be finite"),
        (class_cost_vector, [1.0] * 3, "class_costs must have one number for each of the 2 classes, got"),
        (class_cost_vector, 1.0, "class_costs must have one number for each of the 2 classes, got 1.0"),
        (support_vector, [1.0], "min_support must have one number for each of the 2 classes"),
        (support_vector, [1.0, -1.0], r"min_support must be finite and at least 0, got \[1.0, -1.0\]"),
        (support_vector, [1.0, np.inf], "min_support must be finite"),
    ],
)
def test_bad_numbers_by_class(function, given, words):
    with pytest.raises(ValueError, match=words):
        function(given, LABELS)


def test_cut_offs():
    assert check_t_good_values([0.5, 0, 1, 0.5]) == [0.0, 0.5, 1.0]
    assert check_t_good_values(np.array(0.5)) == [0.5]
    for bad in ([], [-0.1, 0.5], [0.5, 1.1], np.array(2), "half"):
        with pytest.raises(ValueError, match="t_good_values must be at least one number from 0 to 1, got"):
            check_t_good_values(bad)


# ---- the classifier ----------------------------------------------------------------------------------------


class Noting(BaseEstimator):
    """A classifier that notes what it is fitted with."""

    def fit(self, X, y, **extra):
        self.given_, self.classes_ = (X, y, extra), np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def test_the_fallback_is_fitted_with_the_weights():
    X, y, weight = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat(["a", "b"], 10), np.arange(20.0)
    model = RuleClassifier(fallback=Noting()).fit(X, y, sample_weight=weight)
    assert model.fallback_.given_ == (X, y, {"sample_weight": weight})
    assert RuleClassifier(fallback=Noting()).fit(X, y).fallback_.given_ == (X, y, {})
    (part,) = RuleClassifier(fallback=Noting()).fit_path(X, y, [0.5], weight)
    assert part.fallback_.given_ == (X, y, {"sample_weight": weight})


def test_without_a_price_of_silence_the_cut_off_is_one_half():
    X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat(["a", "b"], 10)
    model = RuleClassifier().fit(X, y)
    assert model.t_good_ == 0.5 and model.coverage_path_ == [] and model.rule_set_.t_good == 0.5
    assert RuleClassifier(t_good=0.25).fit(X, y).t_good_ == 0.25
    # a single row cannot be cross-validated
    alone = RuleClassifier(abstain_cost=1.0).fit(X[:1], y[:1])
    assert alone.t_good_ == 0.5 and alone.coverage_path_ == []


def test_one_search_gives_every_cut_off():
    X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat(["a", "b"], 10)
    model = RuleClassifier(t_good_values=[0.7, 0.3], abstain_cost=0.5)
    frame = pd.DataFrame(X, columns=["x"])
    assert [(m.t_good, m.t_good_, m.feature_names_in_.tolist()) for m in model.fit_path(frame, y)] == [
        (0.3, 0.3, ["x"]),
        (0.7, 0.7, ["x"]),
    ]
    assert [m.t_good_ for m in model.fit_path(X, y, [0.4])] == [0.4]
    test = (np.array([[0.0], [np.nan]]), ["b", "a"])
    (point,) = model.coverage_path(X, y, [0.3], test)
    assert point == CoveragePoint(0.3, 0.5, 0.0, 0.5, 0.0, 0.25, 2.0)
    assert [p.t_good for p in model.coverage_path(X, y, test=test)] == [0.3, 0.7]
    # the second half of the rows weighs nothing, and one class is learnt
    weight = np.repeat([1.0, 0.0], 10)
    (point,) = RuleClassifier(keep_whole=True).coverage_path(X, y, [0.3], test, sample_weight=weight)
    assert (point.coverage, point.accuracy, point.abstention, point.n_rules) == (0.5, 0.0, 0.0, 1.0)
    # a splitter of its own
    (point,) = RuleClassifier(cv=[(np.arange(1, 20), [0])]).coverage_path(X, y, [0.3])
    assert (point.coverage, point.accuracy) == (1.0, 1.0)


def test_a_picture_of_accuracy_against_coverage():
    pytest.importorskip("matplotlib").use("agg")
    import matplotlib.pyplot as plt

    points = [CoveragePoint(0.1, 0.0, np.nan, 0, 0, 1, 0), CoveragePoint(0.25, 0.5, 0.9, 0, 0, 1, 3)]
    ax = plot_coverage([*points, CoveragePoint(0.5, 1.0, 0.8, 0, 0, 1, 3)], label="mine")
    assert ax.lines[0].get_xydata().tolist() == [[0.5, 0.9], [1.0, 0.8]]
    assert [(text.get_text(), text.xy) for text in ax.texts] == [("0.25", (0.5, 0.9)), ("0.5", (1.0, 0.8))]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("share of rows decided", "accuracy where decided")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["mine"]
    assert not ax.get_legend().get_frame_on()
    assert (ax.lines[0].get_marker(), ax.lines[0].get_markersize()) == ("o", 4)
    assert {(text.xyann, text.anncoords) for text in ax.texts} == {((4, 4), "offset points")}
    assert ax.figure.get_size_inches().tolist() == [5, 3.6] and ax.figure.get_layout_engine() is not None
    plt.close(ax.figure)
    figure, other = plt.subplots()
    assert plot_coverage(points, ax=other) is other and other.get_legend() is None
    plt.close(figure)
    with pytest.raises(ValueError, match="points must hold at least one point, got none"):
        plot_coverage([])


def test_parameters_by_class_are_written_as_lists():
    X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat(["a", "b"], 10)
    model = RuleClassifier(
        min_support={"b": 3},
        class_costs={"b": 2, "a": 1},
        t_good_values=(0.5, 0.1),
        cv=[(np.arange(20), [0])],
    )
    params = model.fit(X, y).to_dict()["params"]
    assert params["min_support"] == [0.01, 3.0] and params["class_costs"] == [1.0, 2.0]
    assert params["t_good_values"] == [0.1, 0.5] and "cv" not in params and params["fallback"] is None
    plain = RuleClassifier(cv=3).fit(X, y).to_dict()["params"]
    assert plain["cv"] == 3 and plain["class_costs"] is None and plain["min_support"] == 0.01


def test_a_fallback_is_read_with_the_rules():
    X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat(["a", "b"], 10)
    document = RuleClassifier().fit(X, y).to_dict()
    assert document["state"]["fallback"] is None and RuleClassifier.from_dict(document).fallback_ is None
    document = RuleClassifier(fallback=C45Classifier()).fit(X, y).to_dict()
    back = RuleClassifier.from_dict(document)
    assert back.fallback is back.fallback_ and back.fallback_.predict(X).tolist() == y.tolist()
    document["state"]["fallback"] = {"some": "document"}
    with pytest.raises(ValueError, match="lacks class"):
        RuleClassifier.from_dict(document)


def test_the_matrix_of_a_fitted_model():
    X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat(["a", "b"], 10)
    model = RuleClassifier(cost_matrix=[[0, 3], [1, 0]]).fit(X, y)
    assert model.cost_matrix_ == CostMatrix([[0, 3], [1, 0]], ["a", "b"])


def test_the_seed_decides_which_rows_are_held_out():
    X = np.random.default_rng(0).normal(size=(120, 3)).round(1)
    y = (X[:, 0] + X[:, 1] / 2 > 0).astype(int)

    def learnt(seed):
        model = RuleClassifier(validation_fraction=0.5, min_support=0.05, random_state=seed).fit(X, y)
        return str(model.rules_.to_dicts())

    assert learnt(0) == learnt(0)
    assert len({learnt(seed) for seed in range(4)}) > 1


def test_cut_offs_that_are_tried_are_tenths():
    assert RuleClassifier().t_good_values == tuple(n / 10 for n in range(1, 10))
