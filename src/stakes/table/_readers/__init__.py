"""Readers of table files: each returns the columns as its file has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stakes._text.extras import extra_module
from stakes.table._columns import NOMINAL, Column, plain_value
from stakes.table._encode import infer_columns, open_input
from stakes.table._readers import arff, c45, delimited  # noqa: F401  (each registers what it reads)
from stakes.table._readers.arff import write_arff
from stakes.table._readers.common import READERS, RawTable, TableFileError, reads, suffix_of

__all__ = ["TableFileError", "read_raw", "read_raw_blocks", "reads", "write_arff"]

#: A block of a Parquet file has at most so many rows, and so many cells; bytes are read by so many at a time.
_MOST_ROWS, _MOST_CELLS, _BUFFER = 1 << 16, 1 << 22, 1 << 20


def read_raw(path: Path, target: str | Literal[False] | None) -> RawTable:
    """Read the columns of a file and take the target out of them."""
    content = _reader(path)(path)
    table = content if isinstance(content, RawTable) else _infer(path, content)
    return _with_target(path, table, target)


def read_raw_blocks(path: Path, target: str | Literal[False] | None) -> Iterator[RawTable]:
    """Read a file block by block where its format allows that, else as one block."""
    reader = _reader(path)
    # a pipe cannot be read twice
    if reader not in _BLOCKS or not path.is_file():
        yield read_raw(path, target)
        return
    for table in _BLOCKS[reader](path):
        yield _with_target(path, table, target)


def _reader(path: Path) -> Callable[[Path], Any]:
    suffix = suffix_of(path)
    if suffix not in READERS:
        raise TableFileError(
            path,
            f"the extension {suffix!r} is not known; files end in {', '.join(READERS)}, with or without .gz.",
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
        known = ", ".join(column.name for column in table.columns[:20])
        raise TableFileError(
            path, f"there is no column {table.target!r} to be the target; there are {known}."
        )
    table.y, table.classes = _class_codes(path, table.columns.pop(position), table.arrays.pop(position))
    return table


def _infer(path: Path, data: Any, first_row: int = 0) -> RawTable:
    """Columns of a data frame or array, with the kinds that its dtypes say."""
    try:
        columns, arrays = infer_columns(open_input(data), None, True)
    except (TypeError, ValueError) as error:
        counted = f" Rows are counted from row {first_row} on." if first_row else ""
        raise TableFileError(path, f"{error}{counted}") from error
    return RawTable(list(columns), arrays)


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


@reads(".parquet", ".pq")
def read_parquet(path: Path) -> Any:
    """Read a Parquet file as an Arrow table."""
    with _parquet(path) as parquet:
        return parquet.read_table(path)


def parquet_blocks(path: Path) -> Iterator[RawTable]:
    """Read a Parquet file block by block."""
    with _parquet(path) as parquet, parquet.ParquetFile(path, buffer_size=_BUFFER) as file:
        if file.metadata.num_rows == 0 or file.metadata.num_columns == 0:
            yield _infer(path, file.read())  # raises
        n_rows = max(1, min(_MOST_ROWS, _MOST_CELLS // file.metadata.num_columns))
        first_row = 0
        for batch in file.iter_batches(n_rows):
            table = _infer(path, extra_module("pyarrow", "", "data").Table.from_batches([batch]), first_row)
            table.columns = [_typed(column, batch.schema) for column in table.columns]
            yield table
            first_row += len(batch)


def _typed(column: Column, schema: Any) -> Column:
    """Column of a block; one without a value too shows by a category that it holds booleans or numbers."""
    kind = schema.field(column.name).type
    kind = str(getattr(kind, "value_type", kind))
    if not column.is_nominal or column.categories or "string" in kind:
        return column
    return Column(column.name, NOMINAL, (False if kind == "bool" else 0,))


@contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    """Give the module that reads Parquet, with errors that name the file."""
    arrow = extra_module("pyarrow", "reading Parquet", "data")
    try:
        yield extra_module("pyarrow.parquet", "reading Parquet", "data")
    except (arrow.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TableFileError(path, f"the Parquet file cannot be read ({reason}).") from error


#: Readers that can also read block by block, each with what does that.
_BLOCKS: dict[Callable[[Path], Any], Callable[[Path], Iterator[RawTable]]] = {
    delimited.read_csv: delimited.csv_blocks,
    read_parquet: parquet_blocks,
}
