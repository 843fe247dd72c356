"""Labels, costs and weights of a metric's arguments, brought to codes and arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.weights import check_weight
from stakes._text.words import some
from stakes.costs import CostMatrix, as_cost_matrix, check_sample_costs, column_labels
from stakes.decision import Decision

UNDECIDED = -1


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with their costs.

    Attributes
    ----------
    classes : labels of the columns
    actual, predicted : class codes; ``predicted`` is -1 where undecided
    costs : float64 array of shape (n_samples, n_classes)
    weight : float64 array of shape (n_samples,)
    matrix : the class costs, None where costs were given per sample
    """

    classes: NDArray[Any]
    actual: NDArray[np.intp]
    predicted: NDArray[np.intp]
    costs: NDArray[np.float64]
    weight: NDArray[np.float64]
    matrix: CostMatrix | None

    def paid(self, abstain_cost: float | NDArray[np.float64] = np.nan) -> NDArray[np.float64]:
        """Cost of each row, not weighted."""
        cost = self.costs[np.arange(len(self.actual)), self.predicted]
        return np.where(self.predicted == UNDECIDED, abstain_cost, cost)


def read_rows(
    y_true: Any,
    y_pred: Any,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
    *,
    undecided_ok: bool = False,
) -> Rows:
    """Check the arguments that all metrics share; ``y_pred`` may be a Decision."""
    true = _labels(y_true, "y_true")
    pred = _labels(y_pred.labels if isinstance(y_pred, Decision) else y_pred, "y_pred")
    if len(true) != len(pred):
        raise ValueError(f"y_true and y_pred must have the same length, got {len(true)} and {len(pred)}")
    if len(true) == 0:
        raise ValueError("y_true must have at least one row, got none")
    if cost_matrix is not None and costs is not None:
        raise ValueError("give either cost_matrix= (costs per class) or costs= (costs per sample), not both")
    open_rows = undecided_rows(y_pred if isinstance(y_pred, Decision) else pred)
    if open_rows.any() and not undecided_ok:
        raise ValueError(
            f"y_pred has {int(open_rows.sum())} undecided rows; cost_with_abstention() prices them"
        )
    matrix, known = _column_labels(cost_matrix, costs, classes, true, pred[~open_rows])
    actual = known.codes(true, "y_true")
    predicted = np.full(len(pred), UNDECIDED, dtype=np.intp)
    predicted[~open_rows] = known.codes(pred[~open_rows], "y_pred")
    assert known.classes is not None
    rows = (
        check_sample_costs(costs, len(true), len(known), known.classes)
        if matrix is None
        else matrix.values[actual]
    )
    return Rows(known.classes, actual, predicted, rows, row_weights(sample_weight, len(true)), matrix)


def undecided_rows(decision: Any) -> NDArray[np.bool_]:
    """Mask of the undecided rows of a Decision, or of labels with None or NaN in their place."""
    if isinstance(decision, Decision):
        return np.asarray(decision.undecided, dtype=bool)
    labels = _labels(decision, "decision")
    if labels.dtype.kind == "f":
        return np.isnan(labels)
    if labels.dtype != object:
        return np.zeros(len(labels), dtype=bool)
    return np.array([_is_missing(label) for label in labels.tolist()], dtype=bool)


def _is_missing(label: Any) -> bool:
    # pandas.NA by name, as pandas need not be installed
    missing = label is None or type(label).__name__ == "NAType"
    return missing or (isinstance(label, float) and math.isnan(label))


def row_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64]:
    """Weights as an array, ones by default."""
    return np.ones(n_samples) if sample_weight is None else check_weight(sample_weight, n_samples)


def _labels(y: Any, name: str) -> NDArray[Any]:
    labels = y if isinstance(y, np.ndarray) else None
    if labels is None:
        items = y.to_list() if hasattr(y, "to_list") else list(y)
        mixed = len({type(item) for item in items}) > 1
        # NumPy would turn a list with text and None, or text and numbers, into text
        labels = np.array(items, dtype=object if mixed else None)
    if labels.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {labels.shape}")
    return labels


def _column_labels(
    cost_matrix: Any, costs: Any, classes: Any, true: NDArray[Any], pred: NDArray[Any]
) -> tuple[CostMatrix | None, CostMatrix]:
    """Class costs (None for costs per sample) and a matrix that knows the labels of the columns."""
    if costs is None:
        if classes is not None:
            matrix = as_cost_matrix(cost_matrix, classes)
        elif cost_matrix is None:
            matrix = CostMatrix.uniform(_distinct(true, pred))
        else:
            matrix = _as_given(cost_matrix, _distinct(true, pred))
        if matrix.classes is None:
            matrix = matrix.align(_infer_classes(len(matrix), _distinct(true, pred), "cost_matrix"))
        return matrix, matrix
    shape = np.shape(costs)
    if classes is None:
        classes = column_labels(costs)
    if classes is None and len(shape) == 2:
        classes = _infer_classes(shape[1], _distinct(true, pred), "costs")
    if classes is None:
        raise ValueError(f"costs must have one row per sample and one column per class, got shape {shape}")
    return None, CostMatrix.uniform(classes)


def _as_given(cost_matrix: Any, met: list[Any]) -> CostMatrix:
    """Return the matrix with all classes it names, also those that the rows at hand lack."""
    if isinstance(cost_matrix, CostMatrix):
        return cost_matrix
    if isinstance(cost_matrix, dict) and "values" not in cost_matrix:
        return CostMatrix.from_pairs(cost_matrix)
    if isinstance(cost_matrix, list | tuple | np.ndarray):
        return CostMatrix(cost_matrix)
    if hasattr(cost_matrix, "columns"):
        return CostMatrix.from_frame(cost_matrix)
    return as_cost_matrix(cost_matrix, met)


def _distinct(true: NDArray[Any], pred: NDArray[Any]) -> list[Any]:
    met = list(dict.fromkeys(true.tolist() + pred.tolist()))
    try:
        return sorted(met)
    except TypeError:
        return met


def _infer_classes(n_columns: int, met: list[Any], name: str) -> list[Any]:
    if all(isinstance(label, int) and 0 <= label < n_columns for label in met):
        return list(range(n_columns))
    if len(met) == n_columns:
        return met
    raise ValueError(
        f"{name} has {n_columns} classes without labels, but y_true and y_pred have {len(met)} "
        f"({some(met)}); say which is which with classes="
    )
