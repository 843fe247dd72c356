"""Shapley values of one sample's columns: exact where they are few, else by drawn orders with an error.

A game is played between a sample and each row of a background. A coalition of columns is worth what the model
says about a background row whose values in these columns are the sample's, on average over the background. A
plan says which such rows are needed, and makes shares of what the model says about them.
"""

from __future__ import annotations

from math import comb
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Where all coalitions together need no more rows than this, none is left out.
MOST_EXACT_ROWS = 2048
_SEED = 0


class Plan(Protocol):
    """Rows that a game needs, and what follows from what the model says about them.

    Attributes
    ----------
    beside : int array of shape (n_rows,)
        Number of the background row that each row has values of.
    """

    beside: NDArray[np.intp]

    def taken(self, rows: slice) -> NDArray[np.bool_]:
        """Return for some rows the columns whose value is the sample's, shape (n_rows, n_columns)."""

    def shares(self, values: Floats, start: Floats, end: float) -> tuple[Floats, Floats]:
        """Return the share of each column and its standard error.

        Parameters
        ----------
        values : array of shape (n_rows,)
            What the planned rows are worth.
        start : array of shape (n_background,)
            What the background rows are worth as they are.
        end : float
            What the sample is worth.
        """


def plan_of(differs: NDArray[np.bool_], weight: Floats, n_permutations: int) -> Plan:
    """Return the cheapest plan: all coalitions, or drawn orders.

    Parameters
    ----------
    differs : bool array of shape (n_background, n_columns)
        Where the sample has another value than a background row.
    weight : array of shape (n_background,)
        They add up to 1.
    n_permutations : int
        About so many orders are drawn.
    """
    n_background, n_columns = differs.shape
    if n_background << min(n_columns, 60) <= MOST_EXACT_ROWS:
        return Coalitions(n_columns, weight)
    return Orders(differs, weight, n_permutations)


class Coalitions:
    """Every coalition: Shapley's formula as it stands."""

    def __init__(self, n_columns: int, weight: Floats) -> None:
        self._weight = weight
        self._members = (np.arange(2**n_columns)[:, np.newaxis] >> np.arange(n_columns)) & 1 == 1
        self._set = np.repeat(np.arange(1, 2**n_columns - 1), len(weight))
        self.beside = np.tile(np.arange(len(weight)), 2**n_columns - 2)

    def taken(self, rows: slice) -> NDArray[np.bool_]:
        """Return the coalitions of the rows."""
        return self._members[self._set[rows]]

    def shares(self, values: Floats, start: Floats, end: float) -> tuple[Floats, Floats]:
        """Return exact shares; their errors are 0."""
        n_sets, n_columns = self._members.shape
        inner = values.reshape(-1, len(self._weight)) @ self._weight
        worth = np.concatenate([[self._weight @ start], inner, [end]])
        sets, size = np.arange(n_sets), self._members.sum(axis=1)
        chance = np.array([1 / (n_columns * comb(n_columns - 1, s)) for s in range(n_columns)])
        shares = np.zeros(n_columns)
        for j in range(n_columns):
            without = sets[~self._members[:, j]]
            shares[j] = chance[size[without]] @ (worth[without | 1 << j] - worth[without])
        return shares, np.zeros(n_columns)


class Orders:
    """Walks from a background row to the sample, one column after another, in drawn orders.

    What a column changes when its turn comes is its share of that walk, so that the shares of a walk add up
    whatever the order. Each background row is left equally often. Walks come in pairs, the second in the
    opposite order: most of what the first owes to chance is taken back by the second.
    """

    def __init__(self, differs: NDArray[np.bool_], weight: Floats, n_permutations: int) -> None:
        n_background, n_columns = differs.shape
        rows = np.tile(np.arange(n_background), 1 + n_background % 2)  # an even number, to be paired
        self._repeats = max(1, round(n_permutations / len(rows)))
        self._from = np.tile(rows, self._repeats)
        drawn = np.random.default_rng(_SEED).random((len(self._from) // 2, n_columns))
        turn = drawn.argsort(axis=1).argsort(axis=1)
        self._turn = np.stack([turn, n_columns - 1 - turn], axis=1).reshape(-1, n_columns)
        self._weight = weight[self._from] * (n_background / len(self._from))
        # A step at which nothing changes needs no row, nor does the last, which arrives at the sample.
        changes = np.take_along_axis(differs[self._from], self._turn.argsort(axis=1), axis=1)
        self._asked = changes[:, :-1]
        self._walk, self._step = np.nonzero(self._asked)
        self.beside = self._from[self._walk]

    def taken(self, rows: slice) -> NDArray[np.bool_]:
        """Return the columns that had their turn."""
        return self._turn[self._walk[rows]] <= self._step[rows, np.newaxis]

    def shares(self, values: Floats, start: Floats, end: float) -> tuple[Floats, Floats]:
        """Return mean shares of the walks, and their standard errors."""
        n_walks, n_columns = self._turn.shape
        worth = np.empty((n_walks, n_columns + 1))
        worth[:, 0], worth[:, -1] = start[self._from], end
        worth[:, 1:-1][self._asked] = values
        latest = np.maximum.accumulate(np.where(self._asked, np.arange(1, n_columns), 0), axis=1)
        worth[:, 1:-1] = np.take_along_axis(worth, latest, axis=1)
        by_walk = np.take_along_axis(np.diff(worth, axis=1), self._turn, axis=1) * self._weight[:, np.newaxis]
        pairs = by_walk.reshape(self._repeats, -1, 2, n_columns).sum(axis=2)
        return pairs.sum(axis=(0, 1)), np.sqrt(self._variance(pairs))

    @staticmethod
    def _variance(pairs: Floats) -> Floats:
        """Variance of the sum over all pairs, from repeats of the same pair of rows where there are any.

        Else the pairs are compared with each other: that counts how background rows differ, too, and so
        errs on the safe side.
        """
        repeats, n_pairs, _ = pairs.shape
        if repeats > 1:
            return repeats * pairs.var(axis=0, ddof=1).sum(axis=0)
        return n_pairs * pairs[0].var(axis=0, ddof=1)
