"""Cost curves of Drummond and Holte, and the calibration of the class that is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stakes.costs import CostMatrix, as_cost_matrix
from stakes.decision import expected_costs, min_cost_class
from stakes.metrics._rows import row_weights


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Lower envelope of the cost lines of all thresholds of a score.

    Attributes
    ----------
    probability_cost : float64 array of shape (n_corners,)
        Corners of the envelope on the axis PC(+), from 0 to 1.
    normalised_expected_cost : float64 array of shape (n_corners,)
        The envelope there; it is straight in between.
    thresholds : float64 array of shape (n_corners - 1,)
        Between corners ``i`` and ``i + 1`` it is best to predict the positive class for scores of at least
        ``thresholds[i]``; infinity predicts it never, minus infinity always.
    """

    probability_cost: NDArray[np.float64]
    normalised_expected_cost: NDArray[np.float64]
    thresholds: NDArray[np.float64]

    def at(self, probability_cost: ArrayLike) -> NDArray[np.float64]:
        """Envelope at any points of the axis."""
        points = np.asarray(probability_cost)
        if not ((points >= 0) & (points <= 1)).all():
            raise ValueError("probability_cost must lie between 0 and 1")
        return np.interp(points, self.probability_cost, self.normalised_expected_cost)

    def area(self) -> float:
        """Area under the envelope: mean cost over equally likely operating points, at most 0.25."""
        y, x = self.normalised_expected_cost, self.probability_cost
        return float(((y[1:] + y[:-1]) / 2) @ np.diff(x))


def cost_curve(
    y_true: Any, score: ArrayLike, *, pos_label: Any = None, sample_weight: Any = None
) -> CostCurve:
    """Cost curve of a score for two classes.

    A threshold with false positive rate FP and false negative rate FN is the line ``FP + (FN - FP) PC(+)``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
    score : array-like of shape (n_samples,)
        Larger for the positive class.
    pos_label : label, optional
        By default the larger of the two labels.
    sample_weight : array-like of shape (n_samples,), optional

    Examples
    --------
    >>> curve = cost_curve([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> curve.at([0.25, 0.5])
    array([0.125, 0.25 ])
    """
    y, s = np.asarray(y_true), np.asarray(score, dtype=float)
    if y.ndim != 1 or y.shape != s.shape:
        raise ValueError(
            f"y_true and score must be one-dimensional and equally long, got {y.shape} and {s.shape}"
        )
    if not np.isfinite(s).all():
        raise ValueError("score must be finite, got NaN or infinity")
    labels = np.unique(y)
    if len(labels) != 2:
        raise ValueError(f"y_true must have two classes for a cost curve, got {len(labels)}")
    if pos_label is not None and pos_label not in labels.tolist():
        raise ValueError(f"pos_label must be one of {labels.tolist()}, got {pos_label!r}")
    weight = row_weights(sample_weight, len(y))
    positive = y == (labels[1] if pos_label is None else pos_label)
    if weight[positive].sum() == 0 or weight[~positive].sum() == 0:
        raise ValueError("sample_weight must leave some weight to both classes")
    return _envelope(*_rates(positive, s, weight))


def _rates(
    positive: NDArray[np.bool_], score: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """False and true positive rates at every threshold, the strictest first."""
    order = np.argsort(-score, kind="stable")
    last_of_score = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))
    hits = np.cumsum(np.where(positive, weight, 0.0)[order])[last_of_score]
    alarms = np.cumsum(np.where(positive, 0.0, weight)[order])[last_of_score]
    fpr = np.concatenate([[0.0], alarms / alarms[-1]])
    tpr = np.concatenate([[0.0], hits / hits[-1]])
    thresholds = np.concatenate([[np.inf], score[order][last_of_score]])
    thresholds[-1] = -np.inf  # every row is positive from the lowest score on
    return fpr, tpr, thresholds


def _envelope(
    fpr: NDArray[np.float64], tpr: NDArray[np.float64], thresholds: NDArray[np.float64]
) -> CostCurve:
    """Corners of the ROC convex hull are lines of the lower envelope, its edges are corners (duality)."""
    hull: list[int] = []
    for i in range(len(fpr)):
        while len(hull) > 1 and not _turns_right(fpr, tpr, hull[-2], hull[-1], i):
            hull.pop()
        hull.append(i)
    f, t = fpr[hull], tpr[hull]
    crossing = np.diff(f) / (np.diff(f) + np.diff(t))
    corners = np.concatenate([[0.0], crossing, [1.0]])
    # the cost at a corner by the line on its left, at 0 by the first
    line = np.concatenate([[0], np.arange(len(hull))])
    cost = f[line] + (1 - t[line] - f[line]) * corners
    return CostCurve(corners, cost, thresholds[hull])


def _turns_right(x: NDArray[np.float64], y: NDArray[np.float64], a: int, b: int, c: int) -> bool:
    return (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]) < 0


def probability_cost(cost_matrix: CostMatrix | ArrayLike, prior: float) -> float:
    """Operating point PC(+) of two classes, the second one positive, whose share is ``prior``.

    ``PC(+) = p(+) C(-|+) / (p(+) C(-|+) + p(-) C(+|-))``, costs less the cost of being right.

    Examples
    --------
    >>> probability_cost([[0, 1], [4, 0]], prior=0.2)
    0.5
    """
    matrix = cost_matrix if isinstance(cost_matrix, CostMatrix) else CostMatrix(cost_matrix, check=False)
    if len(matrix) != 2:
        raise ValueError(f"cost_matrix must have two classes for an operating point, got {len(matrix)}")
    if not 0 <= prior <= 1:
        raise ValueError(f"prior must lie between 0 and 1, got {prior!r}")
    missed = prior * (matrix.values[1, 0] - matrix.values[1, 1])
    alarm = (1 - prior) * (matrix.values[0, 1] - matrix.values[0, 0])
    if missed < 0 or alarm < 0 or missed + alarm == 0:
        raise ValueError("cost_matrix must have mistakes that cost more than being right")
    return float(missed / (missed + alarm))


def expected_calibration_error(
    y_true: Any,
    proba: ArrayLike,
    *,
    cost_matrix: Any = None,
    classes: Any = None,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    sample_weight: Any = None,
) -> float:
    """How far the probability of the chosen class is from how often it is right, averaged over bins.

    The chosen class is the one of least expected cost, so this is the calibration that a decision leans on.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
    proba : array-like of shape (n_samples, n_classes)
    cost_matrix : CostMatrix, array, dict, data frame or path, optional
    classes : sequence of labels, optional
        Labels of the columns, ``classes_`` of the classifier. By default those of the matrix, else the sorted
        labels of ``y_true``.
    n_bins : int
    strategy : {"uniform", "quantile"}
        Bins of equal width, or with equally many rows.
    sample_weight : array-like of shape (n_samples,), optional

    Examples
    --------
    >>> expected_calibration_error([0, 1, 1, 1], [[0.75, 0.25], [0.75, 0.25], [0, 1], [0, 1]])
    0.125
    """
    if isinstance(n_bins, bool) or not isinstance(n_bins, int) or n_bins < 1:
        raise ValueError(f"n_bins must be an int >= 1, got {n_bins!r}")
    if strategy not in ("uniform", "quantile"):
        raise ValueError(f"strategy must be 'uniform' or 'quantile', got {strategy!r}")
    if classes is None:
        named = isinstance(cost_matrix, CostMatrix) and cost_matrix.classes is not None
        classes = cost_matrix.classes if named else np.unique(np.asarray(y_true))
    matrix = as_cost_matrix(cost_matrix, classes)
    chosen = min_cost_class(expected_costs(proba, matrix.values))
    actual = matrix.codes(y_true, "y_true")
    if len(actual) != len(chosen):
        raise ValueError(f"y_true and proba must have the same length, got {len(actual)} and {len(chosen)}")
    weight = row_weights(sample_weight, len(actual))
    confidence = np.asarray(proba, dtype=float)[np.arange(len(chosen)), chosen]
    gap = weight * (confidence - (actual == chosen))
    bins = _bins(confidence, n_bins, strategy)
    return float(np.abs(np.bincount(bins, weights=gap)).sum() / weight.sum())


def _bins(confidence: NDArray[np.float64], n_bins: int, strategy: str) -> NDArray[np.intp]:
    if strategy == "uniform":
        return np.clip((confidence * n_bins).astype(np.intp), 0, n_bins - 1)
    # rows of one confidence stay in one bin, whatever their order
    edges = np.quantile(confidence, np.linspace(0, 1, n_bins + 1)[1:-1])
    return np.searchsorted(edges, confidence)  # an edge itself belongs to the lower bin
