"""Mistakes and tests together: what predictions cost in all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stakes._text.words import rounded_repr
from stakes.metrics._rows import read_rows


@rounded_repr
@dataclass(frozen=True, eq=False)
class CostWithTests:
    """What predictions cost in all.

    Attributes
    ----------
    misclassification, tests : float
        Cost of the predictions, and of the tests, summed over the (weighted) rows.
    rows : float
        (Weighted) number of rows.
    misclassification_by_row, tests_by_row : float64 arrays of shape (n_samples,)
        The same for each row, not weighted.
    """

    misclassification: float
    tests: float
    rows: float
    misclassification_by_row: NDArray[np.float64]
    tests_by_row: NDArray[np.float64]

    @property
    def total(self) -> float:
        """Both together."""
        return self.misclassification + self.tests

    @property
    def per_row(self) -> float:
        """Both together per (weighted) row."""
        return self.total / self.rows

    @property
    def by_row(self) -> NDArray[np.float64]:
        """Both together for each row."""
        return self.misclassification_by_row + self.tests_by_row

    def __str__(self) -> str:
        """Tell the sums."""
        return (
            f"{self.total:.6g} in all, {self.per_row:.4g} per row: "
            f"{self.misclassification:.6g} for mistakes, {self.tests:.6g} for tests"
        )


def cost_with_tests(
    y_true: Any,
    y_pred: Any,
    *,
    test_costs: float | ArrayLike,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
) -> CostWithTests:
    """Cost of the predictions plus cost of the tests that they needed.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
    test_costs : float or array-like of shape (n_samples,)
        What the tests cost in each row, as a tree's ``path_cost(X)`` says; or the same for every row, as
        ``upfront_cost()`` does.
    cost_matrix, costs, classes, sample_weight
        As in :func:`total_cost`; test costs are in the same money.

    Examples
    --------
    >>> costs = {("bad", "good"): 5, ("good", "bad"): 1}
    >>> cost = cost_with_tests(["bad", "good"], ["good", "good"], test_costs=[0.5, 2], cost_matrix=costs)
    >>> print(cost)
    7.5 in all, 3.75 per row: 5 for mistakes, 2.5 for tests
    >>> cost.by_row
    array([5.5, 2. ])
    """
    rows = read_rows(y_true, y_pred, cost_matrix, costs, classes, sample_weight)
    tests = _check_test_costs(test_costs, len(rows.weight))
    paid = rows.paid()
    return CostWithTests(
        misclassification=float(rows.weight @ paid),
        tests=float(rows.weight @ tests),
        rows=float(rows.weight.sum()),
        misclassification_by_row=paid,
        tests_by_row=tests,
    )


def _check_test_costs(test_costs: Any, n_rows: int) -> NDArray[np.float64]:
    try:
        paid = np.asarray(test_costs, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"test_costs must be a number, or one per row, got {type(test_costs).__name__}"
        ) from None
    if paid.shape not in ((), (n_rows,)):
        raise ValueError(
            f"test_costs must be a number, or one per row ({n_rows}), got an array of shape {paid.shape}"
        )
    if not np.isfinite(paid).all() or (paid < 0).any():
        raise ValueError("test_costs must be finite and not negative")
    return np.broadcast_to(paid, (n_rows,)).copy()
