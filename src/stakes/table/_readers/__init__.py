"""Readers of table files: each returns the columns as its file has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stakes.table._columns import Column, plain_value
from stakes.table._encode import infer_columns, open_input
from stakes.table._readers.arff import read_arff, write_arff
from stakes.table._readers.c45 import read_c45
from stakes.table._readers.common import RawTable, TableFileError
from stakes.table._readers.delimited import read_csv

__all__ = ["RawTable", "TableFileError", "read_raw", "write_arff"]

FORMATS = {
    ".arff": "arff",
    ".names": "c45",
    ".data": "c45",
    ".test": "c45",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def format_of(path: Path) -> tuple[str, str]:
    """Format of a file and the suffix that says so, .gz aside."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in FORMATS:
        raise TableFileError(
            path,
            f"the extension {suffix!r} is not known; files end in {', '.join(FORMATS)}, with or without .gz.",
        )
    return FORMATS[suffix], suffix


def read_raw(path: Path, target: str | Literal[False] | None) -> RawTable:
    """Read the columns of a file and take the target out of them."""
    format, suffix = format_of(path)
    if format == "c45":
        table = read_c45(path, suffix)
    else:
        table = {"arff": read_arff, "csv": read_csv, "parquet": read_parquet}[format](path)
        table.target = next((c.name for c in table.columns if c.name.lower() == "class"), None)
    table.target = table.target if target is None else (target or None)
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


def read_parquet(path: Path) -> RawTable:
    """Read a Parquet file through Arrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError("reading Parquet needs pyarrow: pip install 'stakes[data]'.") from error
    try:
        frame = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TableFileError(path, f"the Parquet file cannot be read ({reason}).") from error
    try:
        columns, arrays = infer_columns(open_input(frame), None, True)
    except (TypeError, ValueError) as error:
        raise TableFileError(path, str(error)) from error
    return RawTable(list(columns), arrays)
