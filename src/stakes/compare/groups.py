"""What held-out rows cost by a column, for learners side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stakes._base.groups import row_groups
from stakes._text.words import plain
from stakes.table import Table


@dataclass(frozen=True)
class GroupCosts:
    """Some of the rows, and what each learner costs per row of them, tests included, by its name."""

    name: str
    rows: float
    costs: dict[str, float]


@dataclass(frozen=True)
class CostsBy:
    """The groups that a column makes, and all rows together."""

    column: str
    groups: tuple[GroupCosts, ...]
    everything: GroupCosts


class HeldOutCosts:
    """Gathers what each row costs where it is held out, the mean of the repetitions.

    Parameters
    ----------
    columns : Table
        What the rows are grouped by.
    weight : float array
        How many rows each row stands for.
    n_repeats : int
        How often every row is held out.
    """

    def __init__(self, columns: Table, weight: NDArray[np.float64], n_repeats: int) -> None:
        self.columns, self.weight, self.n_repeats = columns, weight, n_repeats
        self.paid: dict[str, NDArray[np.float64]] = {}

    def add(self, learner: str, rows: NDArray[np.intp], paid: NDArray[np.float64]) -> None:
        """Take what each of these rows costs."""
        self.paid.setdefault(learner, np.zeros(len(self.weight)))[rows] += paid / self.n_repeats

    def tables(self) -> tuple[CostsBy, ...]:
        """Return the cost by each column."""
        everything = self._group("all rows", np.ones(len(self.weight), dtype=bool))
        return tuple(
            CostsBy(
                plain(column.name),
                tuple(self._group(name, rows) for name, rows in row_groups(column, values, self.weight)),
                everything,
            )
            for column, values in zip(self.columns.schema.columns, self.columns.columns, strict=True)
        )

    def _group(self, name: str, rows: NDArray[np.bool_]) -> GroupCosts:
        weight = self.weight[rows]
        costs = {learner: float(weight @ paid[rows] / weight.sum()) for learner, paid in self.paid.items()}
        return GroupCosts(name, float(weight.sum()), costs)
