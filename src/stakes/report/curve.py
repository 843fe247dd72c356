"""Two classes: what each threshold on the probability would cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.costs import CostMatrix
from stakes.decision import min_cost_class, threshold
from stakes.report.answered import AnsweredRows


@dataclass(frozen=True)
class ThresholdCurve:
    """Two classes: cost per row where ``label`` is predicted from a probability on.

    Attributes
    ----------
    label : the class that is predicted from the threshold on
    points : tuple of (threshold, cost per row), thresholds rising
        The cost, that of the model's tests included, holds above this threshold, up to and with the next one.
    best : threshold that follows from the costs, or None where they give none
    constant : cost per row of the best constant
    """

    label: Any
    points: tuple[tuple[float, float], ...]
    best: float | None
    constant: float


def threshold_curve(proba: NDArray[np.float64], answered: AnsweredRows) -> ThresholdCurve:
    """The curve, by the probabilities of two classes."""
    matrix, weight = answered.matrix, answered.weight
    # From the costlier class's side, since that is the one to be careful about.
    costs = matrix.values
    positive = 0 if costs[0, 1] > costs[1, 0] else 1
    score = proba[:, positive]
    edges = np.unique(np.concatenate([[0.0], score]))
    spent = weight[:, None] * costs[answered.actual]
    order = np.argsort(score, kind="stable")
    below = np.searchsorted(score[order], edges, side="right")  # rows that are negative just above an edge
    yes, no = (np.concatenate([[0.0], np.cumsum(spent[order, c])]) for c in (positive, 1 - positive))
    cost = (no[below] + yes[-1] - yes[below]) / weight.sum() + answered.tests_per_row
    constants = spent.sum(axis=0) / weight.sum()
    try:
        best = threshold(CostMatrix(costs if positive else costs[::-1, ::-1], check=False))
    except ValueError:
        best = None
    assert matrix.classes is not None
    label = matrix.classes.tolist()[positive]
    constant = float(constants[int(min_cost_class(constants[None, :])[0])])
    return ThresholdCurve(label, tuple(zip(edges.tolist(), cost.tolist(), strict=True)), best, constant)
