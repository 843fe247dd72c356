"""Groups of rows by a column, which no model need know: categories, numbers by quartiles, dates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.frames import library_of
from stakes._text.words import day_text, did_you_mean, number, plain, some
from stakes.table import Column, Schema, Table

#: A number with more values than this is shown by quartiles.
MOST_NUMBERS = 8
#: Groups that have a line of their own; the smaller ones share the last.
MOST_GROUPS = 24


def columns_by(by: Any, X: Any, n_rows: int) -> Table | None:
    """Read what the parameter ``by`` of a report names or holds; None for None.

    Parameters
    ----------
    by : str, list of str, array-like of shape (n_samples,), data frame or Table
        Names of columns of ``X``, or the values themselves.
    X : data frame or Table
        Other arrays have no names.
    n_rows : int

    Examples
    --------
    >>> columns_by(["f", "m", "f"], None, 3)
    Traceback (most recent call last):
        ...
    TypeError: by names columns 'f', 'm', 'f', but X has no names; by=numpy.asarray(...) gives values
    """
    if by is None:
        return None
    if isinstance(by, str) or (isinstance(by, list | tuple) and all(isinstance(name, str) for name in by)):
        table = _named([by] if isinstance(by, str) else list(by), X)
    elif isinstance(by, Table):
        table = by
    elif library_of(by) is not None:
        table = Table.from_data(by.to_frame() if len(by.shape) == 1 else by)
    else:
        values = np.asarray(by)
        if values.ndim != 1:
            raise ValueError(
                f"by must be a column name, values for each row or a data frame, got {values.ndim} dimensions"
            )
        given = Table.from_data(values[:, None])
        table = Table(Schema((replace(given.schema.columns[0], name="group"),)), given.columns)
    if len(table) != n_rows:
        raise ValueError(f"by must have a value for each of the {n_rows} rows, got {len(table)}")
    return table


def _named(names: list[str], X: Any) -> Table:
    if not isinstance(X, Table) and library_of(X) is None:
        raise TypeError(
            f"by names columns {some(names, 3)}, but X has no names; by=numpy.asarray(...) gives values"
        )
    known = list(X.schema.names) if isinstance(X, Table) else list(X.columns)
    missing = [name for name in names if name not in known]
    if missing:
        raise ValueError(f"by names {missing[0]!r}{did_you_mean(missing[0], known, 'columns')}")
    return X.select(names) if isinstance(X, Table) else Table.from_data(X[names])


def row_groups(
    column: Column, values: NDArray[Any], weight: NDArray[np.float64]
) -> list[tuple[str, NDArray[np.bool_]]]:
    """Names of the groups that a column makes and the rows in them; missing values are a group."""
    missing = values < 0 if column.is_nominal else np.isnan(values)
    known = values[~missing & (weight > 0)]
    write = day_text if column.dates else number
    if column.is_nominal:
        names = [(plain(str(category)), values == code) for code, category in enumerate(column.categories)]
    elif len(distinct := np.unique(known)) <= MOST_NUMBERS:
        names = [(write(value), values == value) for value in distinct]
    else:
        edges = _quartiles(values[~missing], weight[~missing])
        ends = [-np.inf, *edges[edges < known.max()], np.inf]
        names = [
            (_between(low, high, write), (values > low) & (values <= high) & ~missing)
            for low, high in pairwise(ends)
        ]
    sizes = [float(weight @ rows) for _, rows in names]
    if column.is_nominal:
        names = _with_rest(names, sizes)
    else:
        names = [part for part, size in zip(names, sizes, strict=True) if size > 0]
    return names + ([("missing", missing)] if weight @ missing > 0 else [])


def _between(low: float, high: float, write: Callable[[float], str]) -> str:
    if np.isinf(low):
        return "any number" if np.isinf(high) else f"up to {write(high)}"
    return f"over {write(low)}" + ("" if np.isinf(high) else f" to {write(high)}")


def _with_rest(
    parts: Sequence[tuple[str, NDArray[np.bool_]]], sizes: Sequence[float]
) -> list[tuple[str, NDArray[np.bool_]]]:
    """Groups that have rows, the largest first, those beyond `MOST_GROUPS` as one."""
    order = sorted((i for i, size in enumerate(sizes) if size > 0), key=lambda i: -sizes[i])
    if len(order) <= MOST_GROUPS:
        return [parts[i] for i in order]
    kept, rest = order[: MOST_GROUPS - 1], order[MOST_GROUPS - 1 :]
    together = np.logical_or.reduce([parts[i][1] for i in rest])
    return [*(parts[i] for i in kept), (f"{len(rest)} smaller groups", together)]


def _quartiles(values: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distinct values at which a quarter, a half and three quarters of the rows are reached."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order])
    places = np.searchsorted(reached, np.array([0.25, 0.5, 0.75]) * reached[-1] * (1 - 1e-12))
    return np.unique(values[order][places])
