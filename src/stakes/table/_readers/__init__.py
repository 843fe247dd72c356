"""Readers of table files: each returns the columns as its file has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stakes._text.words import did_you_mean
from stakes.table._columns import Column, plain_value
from stakes.table._encode import infer_columns, open_input
from stakes.table._readers import arff, c45, delimited, excel  # noqa: F401  (each registers what it reads)
from stakes.table._readers.arff import write_arff
from stakes.table._readers.blocks import BLOCKS, typed
from stakes.table._readers.common import READERS, RawTable, TableFileError, reads, suffix_of
from stakes.table._readers.parquet import read_parquet, without_index
from stakes.table._recode import met_categories

__all__ = [
    "TableFileError",
    "read_parquet",
    "read_raw",
    "read_raw_blocks",
    "reads",
    "without_index",
    "write_arff",
]


def read_raw(path: Path, target: str | Literal[False] | None) -> RawTable:
    """Read the columns of a file and take the target out of them."""
    content = _reader(path)(path)
    table = content if isinstance(content, RawTable) else _infer(path, content)
    return _with_target(path, table, target)


def read_raw_blocks(path: Path, target: str | Literal[False] | None) -> Iterator[RawTable]:
    """Read a file block by block where its format allows that, else as one block."""
    read = BLOCKS.get(suffix_of(path))
    # a reader that somebody has registered for the suffix reads all; a pipe cannot be read twice
    if read is None or not _reader(path).__module__.startswith(__name__) or not path.is_file():
        yield read_raw(path, target)
        return
    first_row = 0
    for content in read(path):
        table = content if isinstance(content, RawTable) else _infer_block(path, content, first_row)
        first_row += len(table.arrays[0])
        yield _with_target(path, table, target)


def _infer_block(path: Path, content: Any, first_row: int) -> RawTable:
    try:
        table = _infer(path, content)
    except TableFileError as error:
        counted = f" Rows are counted from row {first_row} on." if first_row else ""
        raise TableFileError(path, f"{error.message}{counted}") from error
    table.columns = [typed(column, content.schema) for column in table.columns]
    return table


def _reader(path: Path) -> Callable[[Path], Any]:
    suffix = suffix_of(path)
    if suffix not in READERS:
        raise TableFileError(
            path,
            f"the extension {suffix!r} is not known{did_you_mean(suffix, READERS, 'extensions')}, "
            "with or without .gz.",
        )
    return READERS[suffix]


def _with_target(path: Path, table: RawTable, target: str | Literal[False] | None) -> RawTable:
    """Take the target out of the columns."""
    if target is not None:
        table.target = target or None
    elif table.target is None:
        table.target = next((c.name for c in table.columns if c.name.lower() == "class"), None)
    if table.target is None:
        return table
    position = next((j for j, column in enumerate(table.columns) if column.name == table.target), None)
    if position is None:
        known = did_you_mean(table.target, [column.name for column in table.columns], "columns")
        raise TableFileError(path, f"there is no column {table.target!r} to be the target{known}.")
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
        return values, np.array(column.categories, dtype=None if column.categories else str)
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
    labels = [plain_value(value) for value in distinct.tolist()]
    return codes, np.array(labels, dtype=None if labels else int)
