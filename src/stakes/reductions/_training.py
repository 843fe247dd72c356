"""The training rows with what changes from round to round; all of it per row, none of it per feature."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from stakes.reductions._rows import BLOCK, Rows
from stakes.reductions._sampling import uniforms
from stakes.table import Table

Floats = NDArray[np.float64]

#: Streams of rounds count up from 0; this one says which rows are held out.
_HELD_OUT = 2**63


@dataclass(eq=False)
class Training:
    """Rows, their costs, and the state of the rounds.

    Attributes
    ----------
    rows : Rows
    held : bool array of shape (n_samples,) or None
        Rows that no sample may have.
    """

    rows: Rows
    held: NDArray[np.bool_] | None

    @cached_property
    def mixture(self) -> Floats:
        """``H_t(y|x)``, shape (n_samples, n_classes), uniform at first."""
        n_classes = len(self.rows.classes)
        return np.full((len(self.rows.codes), n_classes), 1 / n_classes)

    @cached_property
    def importance(self) -> Floats:
        """Weight of each row, for the methods that change one number per row."""
        return np.ones(len(self.rows.codes))

    @classmethod
    def of(cls, rows: Rows, seed: int, fraction: float) -> Self:
        """Start with a fraction of the rows held out."""
        held = None
        if fraction > 0:
            uniform = uniforms(seed, _HELD_OUT, 0, len(rows.codes))
            held = uniform < fraction
            held[np.argmin(uniform)] = True
            if held.all():
                raise ValueError(f"n_iter_no_change needs rows to hold out, got {len(rows.codes)} in all")
        return cls(rows, held)

    @property
    def class_weights(self) -> NDArray[Any]:
        """Weight of each class among the rows."""
        return np.bincount(self.rows.codes, self.rows.weight, minlength=len(self.rows.classes))

    @property
    def usable_weights(self) -> Floats:
        """The user's weight of each row, 0 for rows that are held out."""
        weights = np.ones(len(self.rows.codes)) if self.rows.weight is None else self.rows.weight
        return weights if self.held is None else np.where(self.held, 0.0, weights)

    def parts(self) -> Iterator[Part]:
        """Blocks of the rows, in their order, read anew each time."""
        start = 0
        for table in self.rows.blocks():
            yield Part(self, start, table)
            start += table.n_samples

    def costs(self, rows: slice | NDArray[np.bool_]) -> Floats:
        """Costs of each class for these rows, shifted so that the cheapest costs 0."""
        codes = self.rows.codes[rows]
        row_costs = self.rows.cost_values[codes] if self.rows.costs is None else self.rows.costs[rows]
        return row_costs - row_costs.min(axis=1, keepdims=True)

    def weigh(self, importance: Callable[[Floats], Floats]) -> None:
        """Set the weights of the rows from their costs, a block at a time."""
        for start in range(0, len(self.importance), BLOCK):
            at = slice(start, start + BLOCK)
            self.importance[at] = importance(self.costs(at))

    def held_out_cost(self, chosen: NDArray[np.intp]) -> float:
        """Mean cost of these class codes for the held-out rows."""
        assert self.held is not None
        row_costs = self.costs(self.held)[np.arange(len(chosen)), chosen]
        return float(
            np.average(row_costs, weights=None if self.rows.weight is None else self.rows.weight[self.held])
        )


@dataclass(frozen=True, eq=False)
class Part:
    """One block of the training rows."""

    training: Training
    start: int
    table: Table

    @property
    def at(self) -> slice:
        """Where the block is among all rows."""
        return slice(self.start, self.start + self.table.n_samples)

    @property
    def codes(self) -> NDArray[np.int32]:
        """Class codes."""
        return self.training.rows.codes[self.at]

    @property
    def costs(self) -> Floats:
        """Costs of each class, shifted so that the cheapest costs 0."""
        return self.training.costs(self.at)

    @property
    def mixture(self) -> Floats:
        """Shares of the classes by the rounds so far; a view that can be changed."""
        return self.training.mixture[self.at]

    @property
    def importance(self) -> Floats:
        """Weight of each row; a view that can be changed."""
        return self.training.importance[self.at]

    @property
    def weight(self) -> Floats:
        """The user's weight of each row, 1 where none was given."""
        weight = self.training.rows.weight
        return np.ones(self.table.n_samples) if weight is None else weight[self.at]

    @property
    def cheapest(self) -> NDArray[np.int32]:
        """Class of least cost for each row: its own, unless another is cheaper."""
        costs, codes = self.costs, self.codes
        own = costs[np.arange(len(codes)), codes] == 0
        return np.where(own, codes, costs.argmin(axis=1)).astype(np.int32)

    def usable(self, weights: Floats) -> Floats:
        """Weights times those of the user, 0 for rows that are held out."""
        rows = self.training.rows
        if rows.weight is not None:
            weights = weights * rows.weight[self.at, np.newaxis]
        if self.training.held is not None:
            weights = np.where(self.training.held[self.at, np.newaxis], 0.0, weights)
        return weights
