"""Parts of a report: leaves, outline, rules, columns, curve and slider of models small enough to follow."""

import numpy as np
import pandas as pd
import pytest

from stakes import (
    C45Classifier,
    CostBagging,
    CostMatrix,
    FeatureCosts,
    Guard,
    MinExpectedCost,
    RuleClassifier,
    TradeoffSearchCV,
)
from stakes.decision import Answers, answers_of
from stakes.report import model_view, parts, use, views
from stakes.report.answered import AnsweredRows
from stakes.report.ask import script_json, walker_data
from stakes.report.curve import ThresholdCurve, threshold_curve
from stakes.report.leaves import LeafCost, rows_to_leaves, tree_estimator
from stakes.report.parts import Node, RuleLine, tree_outline
from stakes.report.ratio import places, ratio_view
from stakes.report.use import ColumnUse, column_use

COSTS = CostMatrix([[0, 5], [1, 0]], classes=["bad", "good"])
#: Learnt from: n tells some of the bad ones, colour the others. Two columns say nothing.
LEARNT = (
    [(1.0, "a", "bad")] * 6 + [(2.0, "a", "bad")] * 3 + [(2.0, "b", "good")] * 9 + [(1.0, "b", "bad")] * 4
)
#: Reported: a row whose colour is missing meets several leaves.
SHOWN = pd.DataFrame(
    [(1.0, "a"), (1.0, "b"), (2.0, "a"), (2.0, "b"), (2.0, None), (2.0, "b")], columns=["n", "colour"]
).assign(idle=0.0)
Y = np.array(["good", "bad", "good", "bad", "bad", "good"])
WEIGHT = np.array([1, 2, 1, 3, 4, 1.0])
PRICES = {"n": 1.0, "colour": 4.0, "idle": 8.0}


def learnt():
    frame = pd.DataFrame([row[:2] for row in LEARNT], columns=["n", "colour"]).assign(idle=0.0)
    return frame, np.array([row[2] for row in LEARNT])


@pytest.fixture(scope="module")
def tree():
    """Asks n first: at most 1 is bad; then colour: a is bad, b is good."""
    return C45Classifier(cost_matrix=COSTS, prune=None).fit(*learnt())


@pytest.fixture(scope="module")
def rules():
    """First n <= 1.5 is bad, then colour a is bad; the rest is undecided."""
    return RuleClassifier(cost_matrix=COSTS, t_good=0.9, min_support=0.05).fit(*learnt())


def view_of(model, **options):
    return model_view(model, SHOWN, Y, sample_weight=WEIGHT, **options)


def answered_rows(model, rows=SHOWN):
    answers = answers_of(model, rows)
    return AnsweredRows(rows, Y, COSTS, COSTS.codes(Y), COSTS.codes(answers.labels), WEIGHT, answers)


# ---- rows and what they cost


def test_rows_are_billed_by_place():
    """Wrong are rows 0, 2 and 3: good ones called bad at 1, and three bad ones called good at 5."""
    answers = np.array(["bad", "bad", "bad", "good", "bad", "good"])
    answered = AnsweredRows(SHOWN, Y, COSTS, COSTS.codes(Y), COSTS.codes(answers), WEIGHT)
    assert answered.wrong.tolist() == [True, False, True, True, False, False]
    assert answered.paid.tolist() == [1, 0, 1, 5, 0, 0] and answered.total == 17
    assert answered.sums(np.array([0, 0, 2, -1, 2, 1]), 4).tolist() == [
        [3, 1, 1],
        [1, 0, 0],
        [5, 1, 1],
        [0, 0, 0],
    ]


# ---- trees


def test_leaves_are_billed_the_dearest_first(tree):
    assert view_of(tree).leaves == (
        LeafCost(("n > 1", "colour is 'b'"), "good", 4, 3, 15, 15 / 17),
        LeafCost(("n <= 1",), "bad", 3, 1, 1, 1 / 17),
        LeafCost(("n > 1", "colour is 'a'"), "bad", 1, 1, 1, 1 / 17),
        LeafCost(
            ("a value is missing or was never seen, so that several leaves answer",), "by weight", 4, 0, 0, 0
        ),
    )
    right = model_view(tree, SHOWN[1:2], Y[1:2]).leaves  # nothing is paid
    assert right == (LeafCost(("n <= 1",), "bad", 1, 0, 0, 0),)


def test_the_outline_has_all_that_is_below_a_node(tree):
    last = (
        Node("is 'a'", "", "bad", 1, 1, 1, 1 / 17, 1, ()),
        Node("is 'b'", "", "good", 4, 3, 15, 15 / 17, 1, ()),
    )
    below = Node("> 1", "colour", "bad", 5, 4, 16, 16 / 17, 2, last)
    first = Node("<= 1", "", "bad", 3, 1, 1, 1 / 17, 1, ())
    view = view_of(tree)
    assert view.outline == Node("", "n", "bad", 8, 5, 17, 1, 3, (first, below))
    assert (view.n_leaves, view.n_nodes) == (3, 5)
    assert model_view(tree, SHOWN[1:2], Y[1:2]).outline.share == 0


def test_an_outline_is_cut_below_a_level_that_still_fits(tree, monkeypatch):
    """Of the 5 nodes 1 is at depth 0 and 2 are at depth 1."""

    def depth(node):
        return 1 + max((depth(child) for child in node.children), default=-1)

    def shown():
        return depth(tree_outline(tree.fitted_tree_, tree.apply(SHOWN), answered_rows(tree)))

    for lines, levels in ((5, 2), (4, 1), (3, 1), (1, 1)):
        monkeypatch.setattr(parts, "MOST_LINES", lines)
        assert shown() == levels
    for lines in (4, 5):
        monkeypatch.setattr(parts, "MOST_LINES", lines)
        monkeypatch.setattr(parts, "MOST_LEVELS", 0)
        assert shown() == 0


def test_limits_of_what_a_page_shows():
    assert (parts.MOST_LINES, parts.MOST_LEVELS, views.MOST_DRAWN, use.MOST_ROWS) == (1500, 40, 24, 2000)
    assert use.PRICES == (0.1, 0.25, 0.5, 1.0)


def test_a_drawing_is_cut_where_it_can_still_be_read(tree, monkeypatch):
    """With up to 2 ends the root's children are drawn, with up to 3 the whole tree."""
    asked = []
    monkeypatch.setattr(
        views, "render", lambda fitted, language, max_depth, legend: asked.append(max_depth) or language
    )
    for most in (24, 3, 2, 1):
        monkeypatch.setattr(views, "MOST_DRAWN", most)
        assert view_of(tree).tree_svg == "svg"
    assert asked == [None, None, 1, 1]


def test_trees_are_found_inside_wrappers(tree):
    wrapped = MinExpectedCost(C45Classifier(prune=None), cost_matrix=COSTS).fit(*learnt())
    assert tree_estimator(tree) is tree
    assert tree_estimator(wrapped) is wrapped.estimator_
    assert tree_estimator(object()) is None
    assert [use.name for use in view_of(wrapped).use] == ["n", "colour"]


@pytest.fixture(scope="module")
def guards():
    """One whose tree is kept, and one that answers bad for everyone."""
    X, y = learnt()
    kept = Guard(C45Classifier(cost_matrix=COSTS, prune=None), cost_matrix=COSTS, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="the constant is predicted"):
        noise = Guard(C45Classifier(cost_matrix=COSTS), cost_matrix=COSTS, random_state=0).fit(X[["idle"]], y)
    assert not kept.guarded_ and noise.guarded_
    return kept, noise


def test_a_guarded_model_has_one_leaf_and_uses_no_column(guards):
    kept, noise = guards
    rows = SHOWN[["idle"]]
    view = model_view(noise, rows, Y, sample_weight=WEIGHT, feature_costs={"idle": 8.0})
    assert view.leaves == (LeafCost(("every row",), "bad", 12, 3, 3, 1),)
    assert (view.use, view.upfront_cost, view.test_cost.mean) == ((), 0, 0)
    assert rows_to_leaves(noise, answered_rows(noise, rows)).tolist() == [0] * 6
    assert rows_to_leaves(kept, answered_rows(kept)).tolist() == kept.estimator_.apply(SHOWN).tolist()
    assert [use.name for use in view_of(kept).use] == ["n", "colour"]


# ---- columns and their prices


def test_columns_are_read_where_rows_meet_them(tree):
    """n is read for all rows, colour for the 9 of 12 with n above 1; idle is not asked for."""
    assert view_of(tree).use == (ColumnUse("n", 1, 1.0), ColumnUse("colour", 1, 0.75))
    view = view_of(tree, feature_costs=PRICES)
    assert view.use == (ColumnUse("n", 1, 1.0, 1.0), ColumnUse("colour", 1, 0.75, 4.0))
    assert view.test_cost.mean == pytest.approx(1 + 0.75 * 4) and view.upfront_cost == 5
    assert view.total_cost.mean == pytest.approx(4 + 17 / 12)
    assert view.walker["prices"]["price"] == [1.0, 4.0]


def test_columns_come_by_how_often_they_are_read_then_by_tests_then_by_name():
    class Model:
        fitted_tree_ = type("Fitted", (), {"schema": type("Schema", (), {"names": ("d", "c", "b", "a")})})
        tree_ = type("Tree", (), {"feature": np.array([0, 3, -1, 1, 1, 2, -1, -1])})

    class Routed(Answers):
        @property
        def routing(self):
            return self

        def columns_read(self):
            return [(column, np.full(6, 0.25 if column == 0 else 0.5)) for column in range(4)]

    answered = AnsweredRows(SHOWN, Y, COSTS, COSTS.codes(Y), COSTS.codes(Y), WEIGHT, Routed(None))
    found = column_use(Model(), answered, None)
    assert [(use.name, use.tests, use.read) for use in found] == [
        ("c", 2, 0.5), ("a", 1, 0.5), ("b", 1, 0.5), ("d", 1, 0.25),
    ]  # fmt: skip


def test_the_models_own_prices_count_unless_others_are_given(tree, rules):
    for kind, plain in ((C45Classifier, tree), (RuleClassifier, rules)):
        priced = kind(**plain.get_params() | {"feature_costs": FeatureCosts(PRICES)}).fit(*learnt())
        assert view_of(plain).upfront_cost is None
        assert view_of(priced).upfront_cost == priced.upfront_cost(FeatureCosts(PRICES)) == 5
        assert view_of(priced, feature_costs={"n": 2.0, "colour": 2.0, "idle": 0.0}).upfront_cost == 4
        assert view_of(plain, feature_costs=PRICES).upfront_cost == 5


def test_an_ensemble_is_asked_what_shuffled_columns_cost():
    """The same draws: rows first, then one permutation for each column; here all rows and their costs."""
    X, y = learnt()
    model = CostBagging(cost_matrix=COSTS, n_estimators=3, random_state=0).fit(X, y)
    draw = np.random.default_rng(0)
    draw.permutation(6)
    paid = COSTS.values[COSTS.codes(Y), COSTS.codes(model.predict(SHOWN))]
    worth = {}
    for name in SHOWN.columns:
        other = SHOWN.assign(**{name: SHOWN[name].to_numpy()[draw.permutation(6)]})
        moved = COSTS.values[COSTS.codes(Y), COSTS.codes(model.predict(other))]
        worth[name] = WEIGHT @ (moved - paid) / 12
    found = view_of(model).use
    assert {use.name: use.worth for use in found} == pytest.approx(worth)
    assert [use.name for use in found] == sorted(worth, key=lambda name: (-worth[name], name))
    assert all((use.tests, use.read, use.price) == (None, None, None) for use in found)


def test_columns_are_shuffled_for_so_many_rows_at_most(monkeypatch):
    X, y = learnt()
    model = CostBagging(cost_matrix=COSTS, n_estimators=3, random_state=0).fit(X, y)
    monkeypatch.setattr(use, "MOST_ROWS", 2)
    rows = np.sort(np.random.default_rng(0).permutation(6)[:2])
    seen, predict = [], model.predict
    answered = answered_rows(model)
    monkeypatch.setattr(type(model), "predict", lambda self, table: seen.append(table) or predict(table))
    column_use(model, answered, None)
    assert [table.n_samples for table in seen] == [2] * 4
    assert seen[0].columns[0].tolist() == SHOWN["n"].to_numpy()[rows].tolist()


# ---- rules


def test_rules_with_what_they_covered_and_what_their_rows_cost(rules, monkeypatch):
    view = view_of(rules)
    lines = (
        RuleLine(1, ("n <= 1.5",), "bad", 0.0, 10.0, 10.0, 3, 1, 1),
        RuleLine(2, ("colour is 'a'",), "bad", 0.0, 9.0, 9.0, 1, 1, 1),
    )
    assert (view.rules, view.n_rules) == (lines, 2)
    assert view.leaves == (
        LeafCost(("no rule applies: answered by the fallback",), "undecided", 8, 7, 35, 35 / 37),
        LeafCost(("n <= 1.5",), "bad", 3, 1, 1, 1 / 37),
        LeafCost(("colour is 'a'",), "bad", 1, 1, 1, 1 / 37),
    )
    silent = view.abstention[0]
    assert (silent.price, silent.coverage, silent.errors, silent.cost) == (None, 4 / 12, 2 / 4, None)
    assert [line.price for line in view.abstention[1:]] == pytest.approx([0.025, 0.0625, 0.125, 0.25])
    monkeypatch.setattr(parts, "MOST_LINES", 1)
    assert (view_of(rules).rules, view_of(rules).n_rules) == (lines[:1], 2)


def test_a_search_shows_all_it_tried():
    inner = C45Classifier(criterion="cs_gain", cost_matrix=COSTS, feature_costs=PRICES, prune=None)
    model = TradeoffSearchCV(inner, param_range=[0.5], cv=2).fit(*learnt())
    found = view_of(model).tradeoff
    assert found.points == (*model.results_, model.baseline_)
    assert (found.chosen, found.objective) == (model.best_point_, model.objective)


# ---- what the page's script takes


def test_a_tree_for_the_browser_has_the_columns_that_are_tested(tree):
    data = view_of(tree).walker
    known = [{key: column[key] for key in ("name", "numeric", "categories")} for column in data["columns"]]
    assert known == [
        {"name": "n", "numeric": True, "categories": []},
        {"name": "colour", "numeric": False, "categories": ["a", "b"]},
    ]
    # nothing but the model's own words where no file of questions says otherwise
    said = {tuple(column[key] for key in ("ask", "unit", "low", "high")) for column in data["columns"]}
    assert said == {("", "", None, None)}
    assert data["feature"] == [0, -1, 1, -1, -1] and data["threshold"] == [1.0, None, None, None, None]
    assert (data["first"], data["branches"]) == ([1, -1, 3, -1, -1], [2, 0, 2, 0, 0])
    assert (data["start"], data["branch"]) == ([0, 0, 0, 2, 2, 2], [0, 1])
    assert data["fraction"] == tree.fitted_tree_.tree.fractions().tolist()
    assert data["values"] == tree.fitted_tree_.values.tolist() and data["decision"] == [0, 0, 0, 0, 1]
    assert (data["cost_values"], data["classes"]) == ([[0.0, 5.0], [1.0, 0.0]], ["bad", "good"])
    assert (data["minCost"], data["prices"]) == (False, None)
    assert data["shares"] == tree.fitted_tree_.row_values.tolist()


def test_a_tree_without_questions_or_too_large_has_no_form(tree, monkeypatch):
    X, y = learnt()
    leaf = C45Classifier(cost_matrix=COSTS).fit(X[["idle"]], y)
    assert leaf.n_nodes_ == 1 and walker_data(leaf.fitted_tree_) is None
    monkeypatch.setattr("stakes.report.ask.MOST_NODES", 5)
    assert walker_data(tree.fitted_tree_) is not None
    monkeypatch.setattr("stakes.report.ask.MOST_NODES", 4)
    assert walker_data(tree.fitted_tree_) is None


def test_json_in_a_page_ends_no_script():
    assert script_json({"a": ["</é>&", 1.5]}) == r'{"a":["\u003c/\u00e9\u003e\u0026",1.5]}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_json({"a": float("nan")})


# ---- two classes


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
def test_a_curve_by_hand():
    """From the side of bad: above 0 and 0.25 row 1 is answered good, above 0.5 row 2 is not bad any more."""
    proba = np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])
    codes = np.array([0, 0, 1])
    answered = AnsweredRows(None, None, COSTS, codes, codes, np.array([1.0, 2.0, 1.0]))
    points = ((0.0, 1 / 4), (0.25, 11 / 4), (0.5, 10 / 4), (0.75, 15 / 4))
    assert threshold_curve(proba, answered) == ThresholdCurve("bad", points, 1 / 6, 1 / 4)
    turned = CostMatrix(COSTS.values[::-1, ::-1], classes=["good", "bad"])
    other = AnsweredRows(None, None, turned, 1 - codes, 1 - codes, answered.weight)
    assert threshold_curve(proba[:, ::-1], other) == ThresholdCurve("bad", points, 1 / 6, 1 / 4)
    even = CostMatrix([[0, 1], [1, 0]], classes=["bad", "good"])
    assert (
        threshold_curve(proba, AnsweredRows(None, None, even, codes, codes, answered.weight)).label == "good"
    )
    free = CostMatrix([[0, 0], [1, 1]], classes=["bad", "good"])
    assert threshold_curve(proba, AnsweredRows(None, None, free, codes, codes, answered.weight)).best is None


def test_places_of_the_slider_are_round_numbers_around_the_own_one():
    found = places(3.3)
    assert found[0] == 0.035 and found[-1] == 300.0 and found[found.index(3.3) - 1] == 3.0
    assert found == sorted(found) and len(found) == len(set(found))
    steps = [1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    assert [ratio for ratio in found if 10 <= ratio < 100] == [10 * step for step in steps]
    ends = places(1.0)
    assert (ends[0], ends[-1], ends.count(1.0), len(ends)) == (0.01, 100.0, 1, 57)


def slider(costs, proba=((0.75, 0.25), (0.25, 0.75), (0.5, 0.5))):
    codes = np.array([0, 0, 1])
    matrix = CostMatrix(costs, classes=["bad", "good"])
    return ratio_view(
        np.array(proba), AnsweredRows(None, None, matrix, codes, np.array([0, 1, 0]), np.array([1.0, 2, 1]))
    )


def test_the_slider_by_hand():
    """At 4 to 1 all three are called bad, and at 1 to 1 the second, of weight 2, is missed."""
    view = slider([[1, 9], [3, 1]])
    assert (view.positive, view.negative, view.labels) == ("bad", "good", ("good", "bad"))
    assert (view.positive_first, view.order) == (True, (1, 0))
    assert (view.right_negative, view.alarm, view.right_positive) == (1, 3, 1)
    assert (view.n_positive, view.n_negative, view.own_detected, view.own_alarms) == (3, 1, 1, 1)
    first = view.first
    assert (first.ratio, first.threshold) == (4.0, 0.2) == (view.ratios[view.start], 1 / 5)
    assert (first.counts, first.costs) == (((0, 1), (0, 3)), ((1, 3), (9, 1)))
    assert (first.total, first.most, first.n_rows) == (6, 3, 4)
    assert (first.own, view.own_differs) == (3 + 18 + 1, 16)
    assert (first.constant, first.constant_label) == (6, "bad")
    even = view.at(view.ratios.index(1.0))
    assert (even.counts, even.costs[1]) == (((0, 1), (2, 1)), (3, 1))
    assert (even.total, even.own) == (3 + 6 + 1, 3 + 6 + 1)
    assert view.data() == {
        "labels": ["good", "bad"], "ratios": view.ratios, "missed": view.missed, "found": view.detected,
        "alarms": view.alarms, "rows": [1, 3], "own": [1, 1], "costs": [1, 3, 1], "start": view.start,
        "tests": 0, "abstain": 0, "undecided": [(0, 0)] * len(view.ratios), "ownUndecided": (0, 0),
    }  # fmt: skip
    assert slider([[0, 1], [1, 0]]).positive == "good" and not slider([[0, 1], [1, 0]]).positive_first
    assert slider([[0, 1], [1, 0]]).order == (0, 1)


def test_a_tie_of_constants_is_the_class_that_is_not_dear():
    view = slider([[0, 3], [9, 0]])  # never bad costs 9, always bad too
    assert (view.positive, view.first.constant, view.first.constant_label) == ("good", 9, "bad")


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
@pytest.mark.parametrize("costs", [[[0, 1], [0, 0]], [[0, 1], [1, 1]], [[1, 1], [1, 0]], [[0, 5], [1, 2]]])
def test_no_slider_unless_both_mistakes_cost_more_than_being_right(costs):
    assert slider(costs) is None
