"""The decision itself: pure functions of probabilities and costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stakes._base.weights import refuse_mask
from stakes.costs import CostMatrix

#: Sums of products of probabilities and costs that are equal on paper differ by a few units in the last
#: place, and other languages and machines round them differently: scores this close to the best one, relative
#: to it, are ties.
RELATIVE_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Decision:
    """What was decided for each row.

    Attributes
    ----------
    labels : array of shape (n_samples,)
        The class of least expected cost. Where abstention was allowed this is an object array with None in
        the undecided rows, which ``pandas.isna`` reads as missing; else it has the type of the class labels.
    undecided : bool array of shape (n_samples,)
        True where no class was worth the risk.
    expected_cost : float64 array of shape (n_samples,)
        Expected cost of the decision taken: of the label, or the cost of abstaining.
    """

    labels: NDArray[Any]
    undecided: NDArray[np.bool_]
    expected_cost: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.labels)


def expected_costs(proba: ArrayLike, cost_values: ArrayLike) -> NDArray[np.float64]:
    """Expected cost of predicting each class: ``proba @ cost_values``.

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
        Class probabilities, or any class weights.
    cost_values : array-like of shape (n_classes, n_classes)
        Costs indexed ``[actual, predicted]``.

    Examples
    --------
    >>> expected_costs([[0.75, 0.25]], [[0, 1], [5, 0]])
    array([[1.25, 0.75]])
    """
    p, values = np.asarray(proba, dtype=float), np.asarray(cost_values, dtype=float)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(f"cost_values must be square, got shape {values.shape}")
    if p.ndim != 2 or p.shape[1] != len(values):
        raise ValueError(
            f"proba must have one column per class, shape (n_samples, {len(values)}), got {p.shape}"
        )
    if not np.isfinite(p).all():
        raise ValueError("proba must be finite, got NaN or infinity")
    total = np.zeros(p.shape)
    # Actual classes are added in their order, so that exported code can repeat it; a matrix product cannot.
    for actual in range(len(values)):
        total += p[:, actual : actual + 1] * values[actual]
    return total


def min_cost_class(expected: ArrayLike) -> NDArray[np.intp]:
    """Column of the least cost in each row; of costs equal up to rounding (relative 1e-12) the first column.

    Examples
    --------
    >>> min_cost_class([[2.0, 1.0, 1.0], [0.1 + 0.2, 0.3, 1.0]])
    array([1, 0])
    """
    costs = np.asarray(expected, dtype=float)
    if costs.ndim != 2 or costs.shape[1] == 0:
        raise ValueError(f"expected must have shape (n_samples, n_classes), got {costs.shape}")
    if not np.isfinite(costs).all():
        raise ValueError("expected must be finite, got NaN or infinity")
    best = costs.min(axis=1, keepdims=True)
    return np.argmax(costs <= best + RELATIVE_ROUNDING * np.abs(best), axis=1)


def most_probable_class(proba: ArrayLike) -> NDArray[np.intp]:
    """Column of the largest probability in each row; of those equal up to rounding the first.

    Examples
    --------
    >>> most_probable_class([[0.2, 0.8], [0.5, 0.5]])
    array([1, 0])
    """
    return min_cost_class(-np.asarray(proba, dtype=float))


def threshold(cost_matrix: CostMatrix | ArrayLike) -> float:
    """Probability of the second class from which on predicting it is no costlier than predicting the first.

    At the threshold itself both cost the same; :func:`min_cost_class` then takes the first.

    Returns
    -------
    float
        0.0 where the second class is never costlier, 1.0 where it is as cheap as the first only when certain.

    Raises
    ------
    ValueError
        Where no such threshold exists: the decision does not matter, or predicting the second class is
        costlier even when it is certain.

    Examples
    --------
    >>> threshold([[0, 1], [4, 0]])
    0.2
    """
    matrix = cost_matrix if isinstance(cost_matrix, CostMatrix) else CostMatrix(cost_matrix, check=False)
    if len(matrix) != 2:
        raise ValueError(f"cost_matrix must have two classes for a threshold, got {len(matrix)}")
    (right_first, false_second), (false_first, right_second) = matrix.values.tolist()
    loss = false_second - right_first
    gain = false_first - right_second
    if loss == gain == 0:
        raise ValueError(
            "cost_matrix must have costs that depend on the prediction; here both classes cost the same"
        )
    if gain < 0:
        raise ValueError(
            "cost_matrix has no threshold: where the second class is true, predicting it costs "
            f"{right_second:g}, but predicting the first only {false_first:g}; is the matrix transposed?"
        )
    return 0.0 if loss <= 0 else loss / (loss + gain)


def decide(
    proba: ArrayLike, cost_matrix: CostMatrix | ArrayLike, abstain_cost: float | ArrayLike | None = None
) -> Decision:
    """Cheapest class of each row, or none where abstaining is expected to cost less.

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
        Class probabilities, columns in the order of the matrix.
    cost_matrix : CostMatrix or array-like
        Without labels the decisions are column numbers.
    abstain_cost : float or array-like of shape (n_samples,), optional
        What it costs to leave a row undecided; None forbids it. A tie is decided.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1], [1, 0]], classes=["a", "b"])
    >>> decision = decide([[0.9, 0.1], [0.5, 0.5]], costs, abstain_cost=0.3)
    >>> decision.labels
    array(['a', None], dtype=object)
    >>> decision.expected_cost
    array([0.1, 0.3])
    """
    matrix = cost_matrix if isinstance(cost_matrix, CostMatrix) else CostMatrix(cost_matrix)
    return cheapest(expected_costs(proba, matrix.values), matrix, abstain_cost)


def cheapest(
    expected: NDArray[np.float64], matrix: CostMatrix, abstain_cost: float | ArrayLike | None
) -> Decision:
    """Decide as :func:`decide` does, by what predicting each class is expected to cost."""
    chosen = min_cost_class(expected)
    classes = np.arange(len(matrix)) if matrix.classes is None else matrix.classes
    return or_abstain(classes[chosen], expected[np.arange(len(expected)), chosen], abstain_cost)


def or_abstain(
    labels: NDArray[Any], cost: NDArray[np.float64], abstain_cost: float | ArrayLike | None
) -> Decision:
    """Keep each row's label, or none where its expected cost exceeds that of abstaining.

    Examples
    --------
    >>> or_abstain(np.array(["a", "b"]), np.array([0.1, 0.5]), 0.3).labels
    array(['a', None], dtype=object)
    """
    if abstain_cost is None:
        return Decision(labels, np.zeros(len(cost), dtype=bool), cost)
    refuse_mask(abstain_cost, "abstain_cost")
    price = np.asarray(abstain_cost, dtype=float)
    if price.shape not in ((), cost.shape) or np.isnan(price).any() or np.isneginf(price).any():
        raise ValueError(
            f"abstain_cost must be a number, or one number per row ({len(cost)}), got {abstain_cost!r}"
        )
    price = np.broadcast_to(price, cost.shape)
    # inf - inf is not a number, so an infinite price is set aside before the comparison
    finite = np.where(np.isinf(price), cost, price)
    undecided = cost - finite > RELATIVE_ROUNDING * np.maximum(np.abs(cost), np.abs(finite))
    labels = labels.astype(object)
    labels[undecided] = np.array(None, dtype=object)
    return Decision(labels, undecided, np.where(undecided, finite, cost))
