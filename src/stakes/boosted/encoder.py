"""A table as numbers, the same for every part of `BoostedStakes`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base import documents
from stakes.table import Schema, Table

Matrix = NDArray[np.float64]

#: Of a column with more categories than this only the most frequent get a number of their own.
MOST_CATEGORIES = 100

#: Standardised numbers end here: one wild value must not carry a linear model away.
FARTHEST = 6.0


@dataclass(frozen=True)
class TableEncoder:
    """How columns become numbers: standardised, and one 0/1 number for each category.

    Missing numbers stay NaN in `encode`, which trees can use; `fill` makes them 0, the mean, and adds a 0/1
    number for each column where training rows lacked one. A row without a category has 0 everywhere.

    Attributes
    ----------
    column : int32 array of shape (n_numbers,)
        Column of the table that each number comes from.
    category : int32 array of shape (n_numbers,)
        Its category, -1 for a numeric column.
    unit, center, scale : arrays of shape (n_numbers,)
        A numeric value x becomes ``(x / unit - center) / scale``. The unit keeps sums of large values finite.
    gaps : int32 array
        Numbers that were missing in some training row.
    """

    column: NDArray[np.int32]
    category: NDArray[np.int32]
    unit: Matrix
    center: Matrix
    scale: Matrix
    gaps: NDArray[np.int32]

    @classmethod
    def learn(cls, table: Table) -> TableEncoder:
        """Read scales and categories off the training rows; a column that never varies is left out."""
        entries: list[tuple[int, int, float, float, float]] = []
        gaps = []
        for j, (column, values) in enumerate(zip(table.schema.columns, table.columns, strict=True)):
            if column.is_nominal:
                entries += [(j, code, 1.0, 0.0, 1.0) for code in _frequent(values, len(column.categories))]
                continue
            known = values[~np.isnan(values)]
            if len(known) == 0 or known.min() == known.max():
                continue
            unit = float(np.abs(known).max())
            center = float((known / unit).mean())
            if len(known) < len(values):
                gaps.append(len(entries))
            entries.append((j, -1, unit, center, float((known / unit).std())))
        parts: list[Any] = [list(part) for part in zip(*entries, strict=True)] or [[]] * 5
        origin, category, gap = (np.array(part, dtype=np.int32) for part in (*parts[:2], gaps))
        units, centers, scales = (np.array(part, dtype=np.float64) for part in parts[2:])
        return cls(origin, category, units, centers, scales, gap)

    def __len__(self) -> int:
        return len(self.column)

    def encode(self, table: Table) -> Matrix:
        """Return the numbers of the rows, missing ones NaN, shape (n_samples, n_numbers)."""
        matrix = np.empty((table.n_samples, len(self)))
        for i, (j, code) in enumerate(zip(self.column, self.category, strict=True)):
            if code < 0:
                matrix[:, i] = (table.columns[j] / self.unit[i] - self.center[i]) / self.scale[i]
            else:
                matrix[:, i] = table.columns[j] == code
        return np.clip(matrix, -FARTHEST, FARTHEST, out=matrix)

    def fill(self, matrix: Matrix) -> Matrix:
        """Return what `encode` gave without NaN, shape (n_samples, n_numbers + n_gaps)."""
        return np.hstack([np.nan_to_num(matrix), np.isnan(matrix[:, self.gaps])])

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, ready for JSON."""
        return {name: getattr(self, name).tolist() for name in self.__dataclass_fields__}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], schema: Schema) -> TableEncoder:
        """Read back what `to_dict` gave and check it against the columns."""
        documents.check_mapping(data, "numbers", cls.__dataclass_fields__)
        column, category, gaps = (documents.int_array(data[n], n) for n in ("column", "category", "gaps"))
        unit, center, scale = (documents.float_array(data[n], n) for n in ("unit", "center", "scale"))
        encoder = cls(column, category, unit, center, scale, gaps)
        if {len(category), len(unit), len(center), len(scale)} != {len(column)}:
            raise ValueError("numbers must have lists of one length")
        if not ((encoder.unit > 0).all() and (encoder.scale > 0).all()):
            raise ValueError("numbers must have units and scales above 0")
        if not _inside(encoder.gaps, len(encoder)) or not _inside(encoder.column, len(schema)):
            raise ValueError("numbers must come from columns of the schema")
        for j, code in zip(encoder.column, encoder.category, strict=True):
            if schema.columns[j].is_nominal != (code >= 0) or code >= max(
                1, len(schema.columns[j].categories)
            ):
                raise ValueError(f"numbers of column {schema.columns[j].name!r} do not fit its kind")
        return encoder


def _frequent(codes: NDArray[np.int32], n_categories: int) -> list[int]:
    """Categories that occur, in their order; of very many the most frequent."""
    counts = np.bincount(codes[codes >= 0], minlength=n_categories)
    chosen = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    return sorted(int(code) for code in chosen if 0 < counts[code] < len(codes))


def _inside(values: NDArray[np.int32], n: int) -> bool:
    return bool(np.all((values >= 0) & (values < n)))
