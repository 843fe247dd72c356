"""Where rows come to in a fitted tree, and all that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes.decision import Answers, lazy
from stakes.tree.fitted import FittedTree

Floats = NDArray[np.float64]


class TreeAnswers(Answers):
    """Answers of a tree classifier.

    Parameters
    ----------
    model : fitted TreeClassifier
    fitted : FittedTree
    rows : table of the core
    n_threads : int

    Attributes
    ----------
    leaf : int32 array of shape (n_samples,)
        Leaf of each row, -1 where a missing value spreads the row over several.
    """

    def __init__(self, model: Any, fitted: FittedTree, rows: _core.Table, n_threads: int) -> None:
        super().__init__(model)
        self._fitted = fitted
        self._rows = rows
        self.leaf = _core.route_leaves(rows, *fitted.tree.links(), n_threads=n_threads)
        self._spread = np.flatnonzero(self.leaf < 0)

    @property
    def routing(self) -> TreeAnswers:
        """These answers."""
        return self

    @lazy
    def labels(self) -> NDArray[Any]:
        """Class of each row's leaf, or what the mixture of several leaves calls for."""
        fitted = self._fitted
        labels = fitted.classes[fitted.decision].take(self.leaf)
        if len(self._spread):
            labels[self._spread] = fitted.classes[fitted.choose(self._spread_shares[0])]
        return labels

    @lazy
    def probabilities(self) -> Floats:
        """Share of each class in the training weight where a row arrives."""
        return self._of_leaves(self._fitted.values, lambda: self._spread_shares[0])

    @lazy
    def decision_proba(self) -> Floats:
        """Share of each class in the training rows where a row arrives, whatever these weighed."""
        if self._fitted.row_values is None:
            return self.probabilities
        return self._of_leaves(self._fitted.row_values, lambda: self._spread_shares[1])

    def path_cost(self, feature_costs: Any = None) -> Floats:
        """Price of the tests that each row met, by the tree's own prices or by these."""
        values = self._fitted.priced(feature_costs).path_costs()
        return self._of_leaves(values, lambda: self._mixture(values[:, np.newaxis])[:, 0])

    def columns_read(self) -> Iterator[tuple[int, Floats]]:
        """Give each column that the tree tests, with the share of every row that meets one of the tests."""
        tree = self._fitted.tree
        columns = np.unique(tree.feature[tree.feature >= 0])
        place = np.searchsorted(columns, tree.feature)
        read = np.zeros((tree.n_nodes, len(columns)))
        for node, above in enumerate(tree.parent[1:].tolist(), 1):  # parents come first
            read[node] = read[above]
            read[node, place[above]] = 1.0
        spread = self._mixture(read)
        for j, column in enumerate(columns.tolist()):
            share = read[self.leaf, j]
            share[self._spread] = spread[:, j]
            yield column, share

    @lazy
    def _spread_shares(self) -> tuple[Floats, Floats]:
        """Class shares of the spread rows, of the training weight and of the training rows, by one walk."""
        values, rows, k = self._fitted.values, self._fitted.row_values, self._fitted.n_classes
        mixed = self._mixture(values) if rows is None else self._mixture(values, rows)
        return mixed[:, :k], mixed[:, -k:]

    def _mixture(self, *values: Floats) -> Floats:
        """Values of the nodes for the spread rows, mixed by the row's share in each leaf; side by side."""
        width = sum(array.shape[1] for array in values)
        if not len(self._spread):
            return np.zeros((0, width))
        links, stacked = self._fitted.tree.links(), np.hstack(values)
        return _core.route_mixture(self._rows, *links, self._spread, stacked).reshape(-1, width)

    def _of_leaves(self, values: Floats, of_spread: Callable[[], Floats]) -> Floats:
        """Values of each row's leaf; those of spread rows are worked out where there are such rows."""
        rows = values[self.leaf]
        if len(self._spread):
            rows[self._spread] = of_spread()
        return rows
