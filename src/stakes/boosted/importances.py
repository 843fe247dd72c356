"""What the columns of `BoostedStakes` save: measured on training rows, a column exchanged at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stakes.boosted.folds import Matrix
from stakes.boosted.model import Blend
from stakes.decision import expected_costs, min_cost_class
from stakes.table import Table

#: At most so many rows are answered for each column.
MOST_ROWS = 1000


def column_savings(
    blend: Blend, table: Table, row_costs: Matrix, weight: Matrix, costs: Matrix, seed: int
) -> Matrix:
    """What the cheapest answers cost more for rows whose values of a column come from another row.

    Parameters
    ----------
    blend : Blend
    table : Table
        Training rows; of more than `MOST_ROWS` some evenly spaced ones are taken.
    row_costs : array of shape (n_samples, n_classes)
        What predicting each class costs for each row, of the classes that the blend knows.
    weight : array of shape (n_samples,)
    costs : array of shape (n_classes, n_classes)
        Costs that the answers are chosen by.
    seed : int
        Of the exchange.
    """
    rows = np.unique(np.linspace(0, len(weight) - 1, MOST_ROWS).astype(np.intp))
    matrix, paid_for = blend.encoder.encode(table.take(rows)), row_costs[rows]
    other = np.random.default_rng(seed).permutation(len(rows))

    def cost(numbers: Matrix) -> float:
        chosen = min_cost_class(expected_costs(blend.proba_of_numbers(numbers, 1), costs))
        return float(weight[rows] @ paid_for[np.arange(len(rows)), chosen])

    known, savings = cost(matrix), np.zeros(len(table.schema))
    for j in np.unique(blend.encoder.column):
        savings[j] = max(0.0, cost(_exchanged(matrix, blend.encoder.column == j, other)) - known)
    return savings


def _exchanged(matrix: Matrix, numbers: NDArray[np.bool_], other: NDArray[np.intp]) -> Matrix:
    """Rows whose numbers of one column are those of another row."""
    mixed = matrix.copy()
    mixed[:, numbers] = matrix[np.ix_(other, np.flatnonzero(numbers))]
    return mixed
