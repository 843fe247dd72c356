"""Formats that are read block by block, and how Parquet is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stakes._text.extras import extra_module
from stakes.table._columns import NOMINAL, Column
from stakes.table._readers.common import TableFileError
from stakes.table._readers.delimited import csv_blocks
from stakes.table._readers.parquet import without_index

#: A block of a Parquet file has at most so many rows, and so many cells; bytes are read by so many at a time.
MOST_ROWS, MOST_CELLS, BUFFER = 1 << 16, 1 << 22, 1 << 20


def parquet_blocks(path: Path) -> Iterator[Any]:
    """Read a Parquet file as Arrow tables."""
    arrow = extra_module("pyarrow", "reading Parquet", "data")
    parquet = extra_module("pyarrow.parquet", "reading Parquet", "data")
    with _errors_named(path, arrow), parquet.ParquetFile(path, buffer_size=BUFFER) as file:
        if file.metadata.num_rows == 0 or file.metadata.num_columns == 0:
            yield without_index(file.read())
            return
        for batch in file.iter_batches(max(1, min(MOST_ROWS, MOST_CELLS // file.metadata.num_columns))):
            yield without_index(arrow.Table.from_batches([batch]))


def typed(column: Column, schema: Any) -> Column:
    """Column of a block; one without a value too shows by a category that it holds booleans or numbers."""
    kind = schema.field(column.name).type
    kind = str(getattr(kind, "value_type", kind))
    if not column.is_nominal or column.categories or "string" in kind:
        return column
    return Column(column.name, NOMINAL, (False if kind == "bool" else 0,))


@contextmanager
def _errors_named(path: Path, arrow: Any) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except (arrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TableFileError(path, f"the Parquet file cannot be read ({reason}).") from error


#: What reads the files of a suffix block by block: columns as they are in the file, or Arrow tables.
BLOCKS: dict[str, Callable[[Path], Iterator[Any]]] = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), csv_blocks),
    **dict.fromkeys((".parquet", ".pq"), parquet_blocks),
}
