"""Readers of table files: each returns the columns as its file has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stakes._text.extras import extra_module
from stakes.table._columns import Column, plain_value
from stakes.table._encode import infer_columns, open_input
from stakes.table._readers import arff, c45, delimited  # noqa: F401  (each registers what it reads)
from stakes.table._readers.arff import write_arff
from stakes.table._readers.common import READERS, RawTable, TableFileError, reads, suffix_of
from stakes.table._recode import met_categories

__all__ = ["TableFileError", "read_raw", "reads", "write_arff"]


def read_raw(path: Path, target: str | Literal[False] | None) -> RawTable:
    """Read the columns of a file and take the target out of them."""
    suffix = suffix_of(path)
    if suffix not in READERS:
        raise TableFileError(
            path,
            f"the extension {suffix!r} is not known; files end in {', '.join(READERS)}, with or without .gz.",
        )
    content = READERS[suffix](path)
    table = content if isinstance(content, RawTable) else _infer(path, content)
    if target is not None:
        table.target = target or None
    elif table.target is None:
        table.target = next((c.name for c in table.columns if c.name.lower() == "class"), None)
    if table.target is None:
        return table
    position = next((j for j, column in enumerate(table.columns) if column.name == table.target), None)
    if position is None:
        known = ", ".join(column.name for column in table.columns[:20])
        raise TableFileError(
            path, f"there is no column {table.target!r} to be the target; there are {known}."
        )
    table.y, table.classes = _class_codes(path, table.columns.pop(position), table.arrays.pop(position))
    return table


def _infer(path: Path, data: Any) -> RawTable:
    """Columns of a data frame or array, with the kinds that its dtypes say."""
    try:
        inferred = infer_columns(open_input(data), None, True)
    except (TypeError, ValueError) as error:
        raise TableFileError(path, str(error)) from error
    # A dictionary of Arrow is a way of storing, and its order says nothing.
    pairs = [met_categories(*pair) for pair in zip(*inferred, strict=True)]
    return RawTable([column for column, _ in pairs], [values for _, values in pairs])


def _class_codes(path: Path, column: Column, values: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Codes and labels of the target; whole numbers are labels too."""
    if column.is_nominal:
        return values, np.array(column.categories)
    distinct = np.unique(values)
    distinct = distinct[~np.isnan(distinct)]
    if (distinct != np.floor(distinct)).any():
        raise TableFileError(
            path,
            f"the target {column.name!r} holds numbers with fractions, but classes are needed. "
            "Use target= to name another column, or target=False for none.",
        )
    codes = np.searchsorted(distinct, values).astype(np.int32)
    codes[np.isnan(values)] = -1
    return codes, np.array([plain_value(value) for value in distinct.tolist()])


@reads(".parquet", ".pq")
def read_parquet(path: Path) -> Any:
    """Read a Parquet file as an Arrow table."""
    arrow = extra_module("pyarrow", "reading Parquet", "data")
    parquet = extra_module("pyarrow.parquet", "reading Parquet", "data")
    try:
        return parquet.read_table(path)
    except (arrow.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TableFileError(path, f"the Parquet file cannot be read ({reason}).") from error
