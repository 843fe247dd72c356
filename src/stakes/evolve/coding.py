"""Columns as small codes: ranks among thresholds, or categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.table import Table

Floats = NDArray[np.float64]

#: Codes have at most 16 bits, and one of them means missing.
MOST_THRESHOLDS = 65_534

#: So many thresholds still fit a code of one byte.
FEW_THRESHOLDS = 254


@dataclass(frozen=True, eq=False)
class Coded:
    """A table's columns as the core takes them.

    Attributes
    ----------
    columns : list of uint8 or uint16 arrays of shape (n_samples,)
        Numeric: the number of thresholds below the value. Nominal: the category. ``n_values`` means missing.
    n_values : list of int
        Number of codes of each column.
    nominal : list of bool
        Which columns hold categories.
    cuts : list of float64 arrays
        Thresholds of each numeric column: ``value <= cuts[i]`` is ``code <= i``. Empty where nominal.
    """

    columns: list[NDArray[Any]]
    n_values: list[int]
    nominal: list[bool]
    cuts: list[Floats]

    def missing(self) -> NDArray[np.bool_]:
        """For each column whether some row has no value."""
        pairs = zip(self.columns, self.n_values, strict=True)
        return np.array([bool((column == n).any()) for column, n in pairs])


def code_table(table: Table, classes: NDArray[np.int32], max_thresholds: int, *, boundary: bool) -> Coded:
    """Code all columns.

    Parameters
    ----------
    table : Table
        The columns.
    classes : int32 array of shape (n_samples,)
        Class codes.
    max_thresholds : int
        Most thresholds of a column; evenly spread over its rows where there are more.
    boundary : bool
        Whether only thresholds between rows of different classes are kept.
    """
    coded = Coded([], [], [], [])
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        if column.is_nominal:
            n_values, cuts = len(column.categories), np.empty(0)
            if n_values > MOST_THRESHOLDS:
                raise ValueError(
                    f"column {column.name!r} has {n_values} categories, at most {MOST_THRESHOLDS} work"
                )
            codes = np.where(values < 0, n_values, values)
        else:
            cuts = thresholds(values, classes, max_thresholds, boundary=boundary)
            n_values = len(cuts) + 1
            codes = np.where(np.isnan(values), n_values, np.searchsorted(cuts, values))
        coded.columns.append(codes.astype(np.uint8 if n_values <= FEW_THRESHOLDS + 1 else np.uint16))
        coded.n_values.append(n_values)
        coded.nominal.append(column.is_nominal)
        coded.cuts.append(cuts)
    return coded


def thresholds(
    values: Floats, classes: NDArray[np.int32], max_thresholds: int, *, boundary: bool = True
) -> Floats:
    """Midpoints between neighbouring values, in order.

    Parameters
    ----------
    values : float64 array of shape (n_samples,)
        NaN is missing.
    classes : int32 array of shape (n_samples,)
        Class codes.
    max_thresholds : int
        Most thresholds; evenly spread over the rows where there are more.
    boundary : bool
        Whether to leave out those between values all of whose rows are of one and the same class (Fayyad and
        Irani's boundary points).

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([1.0, 2.0, 3.0, 3.0, np.nan]), np.array([0, 0, 0, 1, 1], dtype=np.int32)
    >>> thresholds(x, y, 10).tolist()
    [2.5]
    >>> thresholds(x, y, 10, boundary=False).tolist()
    [1.5, 2.5]
    """
    known = ~np.isnan(values)
    order = np.flatnonzero(known)[np.argsort(values[known], kind="stable")]
    if not len(order):
        return np.empty(0)
    ordered, labels = values[order], classes[order]
    start = np.flatnonzero(np.append(True, ordered[1:] > ordered[:-1]))
    if boundary:
        low, high = np.minimum.reduceat(labels, start), np.maximum.reduceat(labels, start)
        wanted = (low[:-1] != low[1:]) | (high[:-1] != high[1:]) | (low[:-1] != high[:-1])
    else:
        wanted = np.ones(len(start) - 1, dtype=bool)
    upper = start[1:][wanted]  # the first row above each threshold
    if len(upper) > max_thresholds:
        ranks = np.linspace(0, len(order), max_thresholds + 2)[1:-1]
        upper = np.unique(upper[np.clip(np.searchsorted(upper, ranks), 0, len(upper) - 1)])
    below, above = ordered[upper - 1], ordered[upper]
    middle = below / 2.0 + above / 2.0
    # Halfway, but never so near to the value above that it would pass the test too.
    return np.where((middle >= below) & (middle < above), middle, below)
