"""Samples and background rows together, from which mixed rows are made: each column from a row of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stakes._base.background import plain_columns
from stakes._text.words import day_moment, day_text
from stakes.table import Table

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Pool:
    """Rows to mix.

    Attributes
    ----------
    names : tuple of str
    values : list of lists
        Plain values of each column, for reading.
    identity : int array of shape (n_rows, n_columns)
        Equal where two rows have the same value in a column.
    mix : callable
        Takes row numbers of shape (n_mixed, n_columns) and returns the rows made of them, in the form in
        which the pool's rows came.
    """

    names: tuple[str, ...]
    values: list[list[Any]]
    identity: NDArray[np.intp]
    mix: Callable[[Indices], Any]


def pool_of(X: Any, background: Any) -> Pool:
    """Put the samples and, after them, the background rows together; both have the same form and columns."""
    if isinstance(X, Table) and isinstance(background, Table):
        return _pool_of_tables(X, background)
    if nw.dependencies.is_into_dataframe(X) and nw.dependencies.is_into_dataframe(background):
        return _pool_of_frames(X, background)
    if _is_framed(X) or _is_framed(background):
        kinds = type(X).__name__, type(background).__name__
        raise ValueError(f"background must have the form of X, which is a {kinds[0]}, got a {kinds[1]}")
    for rows in (X, background):
        if sparse.issparse(rows):
            Table.from_data(rows)  # refuses it and says what to do
    return _pool_of_arrays(np.asarray(X), np.asarray(background))


def in_form_of(X: Any, table: Table) -> Any:
    """Return the rows of a table in the form in which a classifier of another library is given X."""
    if isinstance(X, Table):
        return X.schema.encode(table)
    columns = plain_columns(table)
    if not nw.dependencies.is_into_dataframe(X):
        rows = np.array(columns, dtype=float if table.schema.all_numeric else object)
        return rows.T
    for column, values in zip(table.schema.columns, columns, strict=True):
        if column.dates:
            values[:] = [None if days is None else day_moment(days) for days in values]
    try:
        frame = type(X)(dict(zip(table.schema.names, columns, strict=True)))
        return frame.astype(X.dtypes) if hasattr(frame, "astype") else frame.cast(X.schema)
    except Exception as error:  # whatever another library makes of it
        raise ValueError(
            f"the rows that the model remembers cannot be written as a {type(X).__name__} like X: give "
            f"background=, some rows like those of X ({error})"
        ) from error


def _is_framed(X: Any) -> bool:
    return isinstance(X, Table) or nw.dependencies.is_into_dataframe(X)


def _pool_of_tables(X: Table, background: Table) -> Pool:
    schema = X.schema
    columns = [np.concatenate(parts) for parts in zip(X.columns, background.columns, strict=True)]
    table = Table._trusted(schema, columns, X.n_samples + background.n_samples)

    def mix(rows: Indices) -> Table:
        mixed = [values[chosen] for values, chosen in zip(columns, rows.T, strict=True)]
        return Table._trusted(schema, mixed, len(rows))

    identity = np.column_stack([np.unique(values, return_inverse=True)[1] for values in columns])
    return Pool(schema.names, _readable(table), identity, mix)


def _readable(table: Table) -> list[list[Any]]:
    columns = plain_columns(table)
    for column, values in zip(table.schema.columns, columns, strict=True):
        if column.dates:
            values[:] = [None if days is None else day_text(days) for days in values]
    return columns


def _pool_of_arrays(X: NDArray[Any], background: NDArray[Any]) -> Pool:
    if X.ndim != 2 or background.ndim != 2 or X.shape[1] != background.shape[1]:
        raise ValueError(
            f"background must have the columns of X, got shapes {background.shape} and {X.shape}"
        )
    values = np.concatenate([X, background])
    each = np.arange(values.shape[1])
    columns = [column.tolist() for column in values.T]
    names = tuple(f"x{j}" for j in each.tolist())
    return Pool(names, columns, _identity(columns), lambda rows: values[rows, each])


def _pool_of_frames(X: Any, background: Any) -> Pool:
    parts = [nw.from_native(frame, eager_only=True) for frame in (X, background)]
    if parts[0].columns != parts[1].columns:
        raise ValueError(f"background must have the columns of X, got {', '.join(parts[1].columns)}")
    frame = nw.concat([nw.maybe_reset_index(part) for part in parts], how="vertical")

    def mix(rows: Indices) -> Any:
        columns = [
            nw.maybe_reset_index(frame.select(name)[chosen.tolist()])
            for name, chosen in zip(frame.columns, rows.T, strict=True)
        ]
        return nw.concat(columns, how="horizontal").to_native()

    columns = [frame.get_column(name).to_list() for name in frame.columns]
    return Pool(tuple(map(str, frame.columns)), columns, _identity(columns), mix)


def is_missing(value: Any) -> bool:
    """Tell whether a plain value stands for a missing one: None, NaN, pandas' NA."""
    return (
        value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"
    )


def _identity(columns: list[list[Any]]) -> NDArray[np.intp]:
    """Number the distinct values of each column; missing ones are one value."""
    numbers = []
    for values in columns:
        seen: dict[Any, int] = {}
        numbers.append([seen.setdefault(None if is_missing(v) else v, len(seen)) for v in values])
    return np.array(numbers, dtype=np.intp).T
