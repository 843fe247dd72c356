"""What the columns of `BoostedStakes` save: measured on training rows, a column exchanged at a time."""

from __future__ import annotations

import numpy as np

from stakes.boosted.folds import Matrix
from stakes.boosted.model import Blend
from stakes.decision import expected_costs, min_cost_class
from stakes.table import Table

#: At most so many rows are answered for each column.
MOST_ROWS = 500


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
    by_trees = blend.trees.scores(matrix)

    def cost(tree_scores: Matrix, numbers: Matrix) -> float:
        proba = blend.blended((tree_scores, *blend.smooth_scores(numbers)))
        chosen = min_cost_class(expected_costs(proba, costs))
        return float(weight[rows] @ paid_for[np.arange(len(rows)), chosen])

    known, savings = cost(by_trees, matrix), np.zeros(len(table.schema))
    for j in np.unique(blend.encoder.column):
        numbers = np.flatnonzero(blend.encoder.column == j)
        mixed = matrix.copy()
        mixed[:, numbers] = matrix[np.ix_(other, numbers)]
        trees = blend.trees.that_test(numbers)  # the scores of the others stay
        change = trees.scores(mixed) - trees.scores(matrix)
        savings[j] = max(0.0, cost(by_trees + change, mixed) - known)
    return savings
