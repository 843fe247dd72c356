"""Views of reports: every figure and sentence, for a few rows that can be worked out by hand."""

import numpy as np
import pytest

from stakes import CostMatrix, FeatureCosts, Guard, metrics
from stakes._base.intervals import Interval, mean_interval
from stakes.decision import Decision
from stakes.report.sentences import costs_in_words
from stakes.report.use import Abstention
from stakes.report.views import Confusion, Rival, model_view

COSTS = CostMatrix([[0, 5], [1, 0]], classes=["bad", "good"])
#: What is true, what is answered, the probability of bad, and how many rows it stands for.
ROWS = [
    ("bad", "bad", 0.75, 1.0),
    ("bad", "good", 0.25, 2.0),
    ("good", "good", 0.25, 1.0),
    ("good", "bad", 0.5, 1.0),
    ("good", "good", 0.125, 1.0),
    ("good", "good", 0.0625, 2.0),
]
Y, ANSWERS, BAD, WEIGHT = (np.array(column) for column in zip(*ROWS))


class Fixed:
    """A model whose answers are those above; X is the numbers of the rows."""

    classes_ = np.array(["bad", "good"])
    cost_matrix_ = COSTS

    def predict(self, X):
        return ANSWERS[X[:, 0]]

    def predict_proba(self, X):
        return np.column_stack([BAD, 1 - BAD])[X[:, 0]]

    def decide(self, X, abstain_cost):
        """Refuses row 1, and row 3 as well where that is cheap."""
        undecided = np.isin(X[:, 0], [1, 3] if abstain_cost < 0.2 else [1])
        return Decision(ANSWERS[X[:, 0]], undecided, np.zeros((len(X), 2)))


X = np.arange(6)[:, None]


def view_of(model=None, rows=slice(None), **options):
    options.setdefault("sample_weight", WEIGHT[rows])
    return model_view(model or Fixed(), X[rows], Y[rows], **options)


# ---- the bill


def test_every_figure_of_the_bill():
    """Of 8 rows 3 are wrong: 2 bad ones called good at 5 each, and 1 good one called bad at 1."""
    view = view_of(title="T", noun="customer", note="N")
    assert (view.title, view.noun, view.note, view.comparison) == ("T", "customer", "N", None)
    assert (view.n_rows, view.total, view.errors, view.high_cost_errors) == (8, 11, 3, 2)
    assert view.cost == mean_interval(np.array([0, 5, 0, 1, 0, 0.0]), WEIGHT) and view.cost.mean == 11 / 8
    assert (view.constant, view.constant_cost, view.savings) == ("bad", 5 / 8, pytest.approx(-1.2))
    assert view.confusion == Confusion(("bad", "good"), ((1, 2), (1, 4)), ((0, 5), (1, 0)), ((0, 10), (1, 0)))
    assert view.confusion.most == 10
    assert view.classes == tuple(
        metrics.cost_by_class(Y, ANSWERS, cost_matrix=COSTS, sample_weight=WEIGHT, as_frame=False)
    )
    assert (view.n_leaves, view.n_nodes, view.leaves, view.tree_svg, view.outline) == (
        None,
        None,
        (),
        "",
        None,
    )
    assert (view.rules, view.n_rules, view.use, view.tradeoff, view.evolution) == ((), 0, (), None, None)
    assert (view.walker, view.test_cost, view.total_cost, view.upfront_cost) == (None, None, None, None)
    assert view.cost_words == tuple(COSTS.describe("customer").splitlines())


def test_without_weights_every_row_counts_once():
    view = view_of(sample_weight=None)
    assert (view.n_rows, view.total, view.errors) == (6, 6, 2)
    assert (view.title, view.noun, view.note) == ("What the model costs", "case", "")
    assert view.cost_words == tuple(COSTS.describe("case").splitlines())


def test_the_model_next_to_answers_that_need_none():
    """Always bad costs 5 for 5 good rows, always good 15 for 3 bad ones; the dearest is 15."""
    assert view_of().rivals == (
        Rival("the model", 11, 11 / 8, 11 / 15, True),
        Rival("always bad: the best constant", 5, 5 / 8, 5 / 15, False),
        Rival("always good: the most frequent class", 15, 15 / 8, 1.0, False),
    )
    bad = view_of(rows=slice(0, 2))  # bad alone: the best constant is the most frequent class too
    assert bad.rivals == (
        Rival("the model", 10, 10 / 3, 1.0, True),
        Rival("always bad: the best constant", 0, 0, 0, False),
    )
    free = view_of(rows=slice(0, 1))
    assert [(rival.total, rival.share) for rival in free.rivals] == [(0, 0.0), (0, 0.0)]
    cheap = view_of(rows=slice(1, 2), sample_weight=None, cost_matrix=[[0, 0.5], [0.25, 0]])
    assert [(rival.total, rival.share) for rival in cheap.rivals] == [(0.5, 1.0), (0, 0.0)]
    assert (
        cheap.words[-1] == "100% of the bill comes from bad cases, most of it (0.5) from calling them good."
    )


def test_rows_left_undecided_cost_their_price():
    """At 1/16 (a tenth of the constant's 5/8) rows 1 and 3 are left, of weight 3; above 0.2 row 1 alone."""
    share = 5 / 8
    lines = view_of().abstention
    assert lines == (
        Abstention(pytest.approx(0.1 * share), 5 / 8, 0.0, pytest.approx(3 * 0.1 * share / 8)),
        Abstention(pytest.approx(0.25 * share), 5 / 8, 0.0, pytest.approx(3 * 0.25 * share / 8)),
        Abstention(pytest.approx(0.5 * share), 6 / 8, 1 / 6, pytest.approx((1 + 2 * 0.5 * share) / 8)),
        Abstention(pytest.approx(share), 6 / 8, 1 / 6, pytest.approx((1 + 2 * share) / 8)),
    )
    [first, *_] = view_of(rows=slice(1, 4)).abstention  # rows 1 and 3 are left, and 2 is decided rightly
    assert (first.coverage, first.errors) == (1 / 4, 0.0)
    only = model_view(Fixed(), X[1:4:2], Y[1:4:2]).abstention[0]
    assert (only.coverage, only.errors) == (0, None)


class WithoutCosts(Fixed):
    cost_matrix_ = None


class Forced(Fixed):
    decide = property()


class Labels(Fixed):
    predict_proba = property()


def test_a_model_refuses_by_its_own_costs_only():
    other = CostMatrix([[0, 4], [1, 0]], classes=["bad", "good"])
    assert view_of(cost_matrix=other).abstention == ()
    assert len(view_of(cost_matrix=COSTS).abstention) == 4
    assert view_of(WithoutCosts(), cost_matrix=COSTS).abstention == ()
    assert view_of(Forced()).abstention == () and view_of(Labels()).abstention == ()
    assert view_of(rows=slice(0, 2)).abstention == ()  # nothing to refuse where the constant is free


def test_without_costs_every_mistake_costs_one():
    view = view_of(WithoutCosts())
    assert (view.total, view.constant, view.constant_cost) == (3, "good", 3 / 8)
    assert view_of(cost_matrix=[[0, 4], [1, 0]]).total == 9


def test_a_slider_and_a_curve_need_probabilities():
    view = view_of()
    assert (view.curve.label, view.curve.best, view.curve.constant) == ("bad", pytest.approx(1 / 6), 5 / 8)
    assert view.ratio.first.own == 11 and view.ratio.n_negative == 5
    assert view_of(Labels()).curve is None and view_of(Labels()).ratio is None


class Calibrated(Fixed):
    def decision_proba(self, X):
        return np.full((len(X), 2), 0.5)


def test_probabilities_that_costs_are_multiplied_with_come_first():
    assert [x for x, _ in view_of(Calibrated()).curve.points] == [0.0, 0.5]

    class Wrapper(Calibrated):  # has the method, though what is inside has no probabilities
        predict_proba = property()

    assert view_of(Wrapper()).curve is None


# ---- sentences


FIRST = "On these 8 customers the model costs 11: 1.38 per customer, with 3 mistakes, 2 of them costly."
LAST = "91% of the bill comes from bad customers, most of it (10) from calling them good."


def test_the_bill_in_words():
    assert view_of(noun="customer").words == (
        FIRST,
        "Always answering bad would cost 5; the model costs 120% more than that.",
        LAST,
    )
    # good alone: 5 rows, 1 of them called bad, and the constant that is right everywhere
    assert view_of(rows=slice(2, 6)).words == (
        "On these 5 cases the model costs 1: 0.2 per case, with 1 mistake, none of them costly.",
        "Always answering good would cost 0; nothing can be saved there.",
        "100% of the bill comes from good cases, most of it (1) from calling them bad.",
    )


def test_the_bill_in_words_where_the_model_is_cheaper_or_as_dear():
    cheaper = model_view(Fixed(), X[[0, 2, 4]], Y[[0, 2, 4]])
    assert cheaper.words[1:] == ("Always answering bad would cost 2; the model saves 100% of that.",)
    even = model_view(Fixed(), X[[0, 3]], Y[[0, 3]])
    assert even.words[1] == "Always answering bad would cost 1; the model saves nothing over that."


def test_what_looking_costs_in_words():
    """A model that is no tree pays for both columns, 1 and 2, for every row."""

    wide = np.column_stack([X, X])
    prices = FeatureCosts({"x0": 1.0, "x1": 2.0})
    view = model_view(Fixed(), wide, Y, feature_costs=prices, sample_weight=WEIGHT, noun="customer")
    assert (view.test_cost, view.upfront_cost) == (Interval(3, 3, 3), 3)
    assert view.total_cost.mean == pytest.approx(3 + 11 / 8)
    assert view.total_cost.high - view.total_cost.mean == pytest.approx(view.cost.high - view.cost.mean)
    assert view.words == (
        "On these 8 customers the model costs 35 in all: 4.38 per customer, 1.38 for mistakes and 3 for "
        "tests. There are 3 mistakes, 2 of them costly.",
        "Always answering bad would cost 5; the model costs 7 times that.",
        "Tests cost 3 per customer; all columns that the model may ask for cost 3 up front.",
        LAST.replace("bill", "cost of mistakes"),
    )


def test_a_guarded_model_says_so():
    guard = Guard(Fixed())
    guard.guarded_, guard.constant_, guard.cv_cost_, guard.constant_cost_ = True, "bad", 1.23456, 0.625
    guard.estimator_, guard.classes_, guard.cost_matrix_ = Fixed(), Fixed.classes_, COSTS
    base = view_of(noun="customer")
    words = (
        "The model is guarded and answers bad for everyone: in cross-validation on its training data the "
        "learner cost 1.23 per customer, the constant 0.62."
    )
    assert costs_in_words(base, guard)[2] == words
    guard.guarded_ = False
    assert len(costs_in_words(base, guard)) == 3
