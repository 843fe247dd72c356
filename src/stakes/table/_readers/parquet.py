"""Parquet files, without the columns in which pandas keeps the index of a frame."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

from stakes._text.extras import extra_module
from stakes.table._readers.common import TableFileError, reads


@reads(".parquet", ".pq")
def read_parquet(path: Path) -> Any:
    """Read a Parquet file as an Arrow table."""
    arrow = extra_module("pyarrow", "reading Parquet", "data")
    parquet = extra_module("pyarrow.parquet", "reading Parquet", "data")
    try:
        return without_index(parquet.read_table(path))
    except (arrow.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError):  # of which Arrow says the path alone
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from None
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TableFileError(path, f"the Parquet file cannot be read ({reason}).") from error


def without_index(table: Any, keep: str | None = None) -> Any:
    """Arrow table without the index of the pandas frame that it was written from, as its metadata names it.

    pandas itself would not take the index for a column either, and a CSV file of the same rows has none.

    Parameters
    ----------
    table : pyarrow.Table
    keep : str, optional
        A column to keep even so: the class.
    """
    index = [name for name in _index_columns(table.schema.metadata) if name != keep]
    return table.drop_columns([name for name in index if name in table.column_names])


def _index_columns(metadata: dict[bytes, bytes] | None) -> list[str]:
    """Names of the columns that hold an index; an index that is only a range is no column."""
    try:
        columns = json.loads((metadata or {}).get(b"pandas", b"{}"))["index_columns"]
        return [name for name in columns if isinstance(name, str)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []  # from somebody else than pandas, who may write what they like there
