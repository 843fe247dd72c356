"""Metrics at their edges: two classes and one, nothing to lose, rows of no weight, points outside a curve."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from stakes import CostMatrix
from stakes.decision import Decision
from stakes.metrics import (
    ClassCost,
    CostCurve,
    CostWithTests,
    best_constant,
    cost_by_class,
    cost_curve,
    cost_scorer,
    cost_with_abstention,
    cost_with_tests,
    coverage,
    expected_calibration_error,
    mean_cost,
    neg_mean_cost,
    normalised_cost,
    probability_cost,
    savings,
    total_cost,
)
from stakes.metrics._rows import Rows, undecided_rows


@pytest.mark.parametrize("cls", [ClassCost, CostCurve, Rows, CostWithTests, Decision])
def test_results_cannot_be_changed(cls):
    with pytest.raises(FrozenInstanceError):
        object.__new__(cls).anything = 1


@pytest.mark.parametrize("cls", [CostCurve, Rows, CostWithTests, Decision])
def test_results_that_hold_arrays_are_equal_only_to_themselves(cls):
    one, other = object.__new__(cls), object.__new__(cls)
    assert one == one and one != other and len({one, other}) == 2


# ---- bills -------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
def test_the_dearest_mistakes_of_two_classes_and_of_one():
    y, said = [0, 1, 1, 0], [0, 0, 1, 0]
    assert normalised_cost(y, said, cost_matrix=[[0, 1], [4, 0]]) == 0.4
    assert normalised_cost([0, 1], [1, 1], cost_matrix=[[0, 0.25], [0.5, 0]]) == pytest.approx(1 / 3)
    assert normalised_cost([0, 1], [1, 1], cost_matrix=[[0, 0], [0, 0]]) == 0.0
    alone = CostMatrix([[0]], ["a"])
    assert normalised_cost(["a", "a"], ["a", "a"], cost_matrix=alone, sample_weight=[1, 0]) == 0.0


def test_savings_where_the_constant_costs_nothing():
    for size in (0.5, 1.0):  # constants: the gain of one row is the loss of the other
        costs = [[-size, size], [size, -size]]
        assert savings([0, 1], [0, 1], cost_matrix=costs) == np.inf
        assert savings([0, 1], [1, 0], cost_matrix=costs) == -np.inf
        assert savings([0, 1], [1, 1], cost_matrix=costs) == 0.0


def test_the_best_constant_is_a_plain_label():
    best = best_constant(np.array([3, 7, 7]))
    assert best == (7, 1.0) and type(best.label) is int


def test_mistakes_on_rows_of_no_weight_are_not_made():
    line, other = cost_by_class(["a", "a", "b"], ["a", "b", "b"], sample_weight=[1, 0, 1], as_frame=False)
    assert (line.errors, line.costliest_mistake, line.costliest_cost) == (0.0, None, 0.0)
    assert (line.rows, line.cost, line.share, other.share) == (1.0, 0.0, 0.0, 0.0)


def test_prices_of_undecided_rows():
    assert cost_with_abstention(["a", "b"], ["a", None], abstain_cost=Fraction(1, 2)) == 0.25
    for wrong in ([1, np.nan], [np.inf, 1], [[1, 1]]):
        with pytest.raises(ValueError, match="abstain_cost must be a finite number"):
            cost_with_abstention(["a", "b"], ["a", None], abstain_cost=wrong)
    assert coverage(["a"]) == 1.0 and coverage([None]) == 0.0
    assert coverage(["a", None], [3, 1]) == 0.75


def test_one_row_has_a_bill():
    assert total_cost(["a"], ["b"]) == 1.0 and mean_cost([0], [0]) == 0.0


# ---- both bills --------------------------------------------------------------------------------------------


def test_both_bills_by_hand():
    costs = CostMatrix([[0, 2], [5, 0]], ["a", "b"])
    rows = {"y_true": ["a", "b", "b"], "y_pred": ["b", "a", "b"], "cost_matrix": costs}
    bill = cost_with_tests(**rows, test_costs=[1, 0, 3], sample_weight=[2, 1, 1])
    assert (bill.misclassification, bill.tests, bill.rows) == (9.0, 5.0, 4.0)
    assert (bill.total, bill.per_row) == (14.0, 3.5)
    assert bill.misclassification_by_row.tolist() == [2.0, 5.0, 0.0]
    assert bill.tests_by_row.tolist() == [1.0, 0.0, 3.0] and bill.by_row.tolist() == [3.0, 5.0, 3.0]
    assert str(bill) == "14 in all, 3.5 per row: 9 for mistakes, 5 for tests"
    every = cost_with_tests([0, 1], [1, 1], test_costs=0.5, costs=[[0, 3], [1, 0]], classes=[0, 1])
    assert (every.misclassification, every.tests) == (3.0, 1.0)
    assert cost_with_tests([0, 1], [1, 1], test_costs=0).total == 1.0
    assert cost_with_tests([0], [0], test_costs=[Fraction(1, 2)]).tests == 0.5


@pytest.mark.parametrize("wrong", [-0.1, [1, -1], np.nan, [1, np.inf], [-1, np.nan]])
def test_looking_costs_something_finite(wrong):
    with pytest.raises(ValueError, match="test_costs must be finite and not negative"):
        cost_with_tests([0, 1], [0, 1], test_costs=wrong)


def test_looking_has_one_price_or_one_per_row():
    for wrong in ([1], [1, 2, 3], [[1, 2]]):
        with pytest.raises(ValueError, match=r"one per row \(2\), got an array of shape"):
            cost_with_tests([0, 1], [0, 1], test_costs=wrong)
    with pytest.raises(ValueError, match="test_costs must be a number, or one per row, got str"):
        cost_with_tests([0, 1], [0, 1], test_costs="much")


# ---- labels ------------------------------------------------------------------------------------------------


def test_undecided_rows_of_all_kinds():
    mixed = np.array(["a", None, np.nan, 1.5, pd.NA, 2], dtype=object)
    assert undecided_rows(mixed).tolist() == [False, True, True, False, True, False]
    for labels in (["a", "b"], [1, 2], [True, False], [1.5, 2.5]):
        found = undecided_rows(labels)
        assert found.dtype == bool and not found.any()
    decision = Decision(np.array(["a", "b"]), np.array([0, 1]), np.zeros(2))
    assert undecided_rows(decision).tolist() == [False, True]
    with pytest.raises(ValueError, match="1 undecided rows"):
        total_cost(["a", "b"], ["a", None])


def test_columns_that_numbers_may_stand_for():
    square = [[0, 1], [2, 0]]
    assert total_cost([1], [1], cost_matrix=square) == 0  # 1 is the last column
    with pytest.raises(ValueError, match=r"2 classes without labels, but y_true and y_pred have 1 \(2\)"):
        total_cost([2], [2], cost_matrix=square)
    with pytest.raises(ValueError, match="have 1"):
        total_cost([-1], [-1], cost_matrix=square)
    assert total_cost([0.0, 1.0], [1.0, 1.0], cost_matrix=square) == 1  # in order, as they are no integers
    assert total_cost([0, 7], [7, 7], cost_matrix=square) == 1
    assert total_cost([0, 0], [1, 1], costs=[[0, 4], [0, 5]]) == 9
    assert total_cost(["x", "y"], ["y", "y"], cost_matrix=CostMatrix(square)) == 1
    saved = CostMatrix(square, ["x", "y"]).to_dict()
    assert total_cost(["x", "y"], ["y", "y"], cost_matrix=saved) == 1
    with pytest.raises(ValueError, match=r"one column per class, got shape \(2, 2, 1\)"):
        total_cost([0, 1], [0, 1], costs=np.zeros((2, 2, 1)))


# ---- curves ------------------------------------------------------------------------------------------------


def test_points_of_a_curve_lie_between_nothing_and_one():
    curve = cost_curve([0, 1], [0.1, 0.2])
    for wrong in (-0.1, 1.1, [0.5, 1.5], [-0.5, 0.5]):
        with pytest.raises(ValueError, match="probability_cost must lie between 0 and 1"):
            curve.at(wrong)


def test_a_score_that_says_nothing_has_two_lines():
    curve = cost_curve([1, 0, 1, 0], [2, 2, 1, 1])
    assert curve.thresholds.tolist() == [np.inf, -np.inf]
    assert curve.probability_cost.tolist() == [0.0, 0.5, 1.0]
    assert curve.normalised_expected_cost.tolist() == [0.0, 0.5, 0.0]


def test_curves_that_cannot_be_drawn():
    with pytest.raises(ValueError, match="one-dimensional and equally long"):
        cost_curve([[0, 1]], [[0.1, 0.2]])
    for weight in ([0, 1], [1, 0]):
        with pytest.raises(ValueError, match="some weight to both classes"):
            cost_curve([0, 1], [0.1, 0.2], sample_weight=weight)
    with pytest.raises(ValueError, match="score must be finite"):
        cost_curve([0, 1], [np.inf, 0.2])
    for prior in (-0.1, 1.1):
        with pytest.raises(ValueError, match="prior must lie between 0 and 1"):
            probability_cost([[0, 1], [1, 0]], prior)


def test_small_costs_have_an_operating_point():
    labelled = CostMatrix([[0, 0.25], [0.5, 0]], ["no", "yes"])
    assert probability_cost(labelled, 0.5) == pytest.approx(2 / 3)


# ---- calibration -------------------------------------------------------------------------------------------


def test_ten_bins_by_default():
    proba = [[0.81, 0.19], [0.89, 0.11]]  # one bin of ten, two of eleven
    assert expected_calibration_error([0, 1], proba) == pytest.approx(abs(0.81 - 1 + 0.89) / 2)


def test_the_lowest_bins_are_two():
    """A dear mistake makes a class worth choosing that is hardly ever right."""
    proba = [[0.05, 0.95], [0.15, 0.85]]
    costs = CostMatrix([[0, 99], [1, 0]], [0, 1])
    found = expected_calibration_error([0, 1], proba, cost_matrix=costs)
    assert found == pytest.approx((abs(0.05 - 1) + 0.15) / 2)


def test_a_matrix_without_names_has_the_sorted_labels():
    proba = [[0.9, 0.1], [0.9, 0.1]]
    plain = CostMatrix([[0, 1], [1, 0]])
    assert expected_calibration_error(["b", "a"], proba, cost_matrix=plain) == pytest.approx(0.4)


# ---- scorers -----------------------------------------------------------------------------------------------


def test_a_bill_of_nothing_is_not_minus_nothing():
    assert str(neg_mean_cost(["a"], ["a"])) == "0.0"


def test_a_scorer_by_any_kind_of_costs():
    X, y = np.zeros((4, 1)), np.array(["a", "a", "a", "b"])
    model = DummyClassifier(strategy="most_frequent").fit(X, y)
    named = CostMatrix([[0, 1], [8, 0]], ["a", "b"])
    pairs = {("a", "b"): 1, ("b", "a"): 8}
    for costs in (
        named,
        pairs,
        named.values,
        named.values.tolist(),
        ((0, 1), (8, 0)),
        pd.DataFrame(named.values, list("ab"), list("ab")),
    ):
        assert cost_scorer(costs)(model, X, y) == -2.0
        assert cost_scorer(costs, ["a", "b"])(model, X[3:], y[3:]) == -8.0
