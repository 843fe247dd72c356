"""Columns as bins: intervals of numbers, or categories; what conditions of rules are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes._base import documents
from stakes._base.saving import read_schema
from stakes._base.training import TrainingSet
from stakes._text.ranges import Range, level
from stakes.table import Schema, Table


@dataclass(frozen=True, eq=False)
class Bins:
    """Where the numeric columns of a schema are cut.

    Attributes
    ----------
    schema : Schema
        The columns.
    cuts : tuple of float64 arrays
        One for each column, ascending; a value lies to the left of a cut where it is at most that. Empty for
        nominal columns and for numeric ones that are not cut.
    whole : bool
        Whether a numeric column without a cut is one bin of all known values; else it has none.
    """

    schema: Schema
    cuts: tuple[NDArray[np.float64], ...]
    whole: bool = False

    @cached_property
    def n_bins(self) -> tuple[int, ...]:
        """Number of bins of each column: its categories or intervals."""
        return tuple(
            len(column.categories) if column.is_nominal else len(cuts) + 1 if len(cuts) or self.whole else 0
            for column, cuts in zip(self.schema.columns, self.cuts, strict=True)
        )

    def codes(self, table: Table) -> list[NDArray[np.int32]]:
        """Bin of each value of an encoded table, column by column; -1 where it is missing or has no bin."""
        result: list[NDArray[np.int32]] = []
        for j, (values, cuts) in enumerate(zip(table.columns, self.cuts, strict=True)):
            if self.schema.columns[j].is_nominal:
                result.append(values)
            elif self.n_bins[j] == 0:
                result.append(np.broadcast_to(np.int32(-1), (table.n_samples,)))
            else:
                codes = np.searchsorted(cuts, values, side="left").astype(np.int32)
                codes[np.isnan(values)] = -1
                result.append(codes)
        return result

    def core(self, table: Table) -> _core.Table:
        """Bins of a table as the core takes them."""
        return _core.Table(self.codes(table), list(self.n_bins))

    def range(self, feature: int, bins: Sequence[int]) -> Range:
        """What bins of a column leave of it; bins of a numeric column must be neighbours."""
        if self.schema.columns[feature].is_nominal:
            return Range(codes=sorted(bins))
        cuts = self.cuts[feature]
        first, last = min(bins), max(bins)
        return Range(
            low=float(cuts[first - 1]) if first > 0 else -np.inf,
            high=float(cuts[last]) if last < len(cuts) else np.inf,
        )

    def names(self, feature: int) -> list[str]:
        """Names of a column's bins for reading: ``<= 2.5``, ``2.5 to 4``, ``> 4``; categories as text.

        Examples
        --------
        >>> import numpy as np
        >>> from stakes.table import Column, Schema
        >>> Bins(Schema((Column("age"),)), (np.array([18.0, 65.0]),)).names(0)
        ['<= 18', '18 to 65', '> 65']
        """
        column, cuts = self.schema.columns[feature], self.cuts[feature].tolist()
        if column.is_nominal:
            return [str(category) for category in column.categories]
        if not cuts:
            return ["any value"] if self.whole else []
        words = [level(column, cut) for cut in cuts]
        if len(set(words)) < len(words):  # rounded for reading, neighbours would look alike
            words = [repr(cut) for cut in cuts]
        between = [f"{low} to {high}" for low, high in pairwise(words)]
        return [f"<= {words[0]}", *between, f"> {words[-1]}"]

    def to_dict(self) -> dict[str, Any]:
        """Return the bins as plain values, ready for JSON."""
        return {
            "schema": self.schema.to_dict(),
            "cuts": [cuts.tolist() for cuts in self.cuts],
            "whole": self.whole,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Bins:
        """Read back what :meth:`to_dict` gave; anything else is a ValueError."""
        documents.check_mapping(data, "bins", ("schema", "cuts", "whole"))
        schema = read_schema(data["schema"])
        if not isinstance(data["cuts"], list) or len(data["cuts"]) != len(schema):
            raise ValueError(f"cuts must be {len(schema)} lists, one for each column")
        cuts = tuple(documents.float_array(entry, "cuts") for entry in data["cuts"])
        for column, entry in zip(schema.columns, cuts, strict=True):
            if (np.diff(entry) <= 0).any() or (column.is_nominal and len(entry)):
                raise ValueError(f"cuts of column {column.name!r} must rise, and a nominal column has none")
        if not isinstance(data["whole"], bool):
            raise ValueError("whole must be true or false")
        return cls(schema, cuts, data["whole"])


def mdl_bins(training: TrainingSet, *, whole: bool = False, n_threads: int = 1) -> Bins:
    """Cut the numeric columns of a table by Fayyad and Irani's criterion."""
    table = training.table
    columns = _core.Table(table.columns, table.schema.n_values)
    cuts = _core.mdl_cuts(columns, training.codes, len(training.classes), training.weight, n_threads)
    return Bins(table.schema, tuple(cuts), whole)
