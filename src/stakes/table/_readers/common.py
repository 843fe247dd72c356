"""What the readers share: suffixes, opening a file, the error, and the call of the compiled row reader."""

from __future__ import annotations

import gzip
import re
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes._text.encodings import marked_encoding
from stakes.table._columns import NOMINAL, NUMERIC, WHOLE, Column, rounding_words

_LONG_NUMBER = re.compile(rb"(?<![\w.])\d{16,300}(?![\w.])")


class TableFileError(ValueError):
    """A table file that cannot be read.

    Parameters
    ----------
    path : path
        The file.
    message : str
        What is wrong with it, a sentence.
    line : int, optional
        Where, counted from 1.

    Examples
    --------
    >>> from stakes.table import TableFileError
    >>> print(TableFileError("iris.arff", "the row has 4 fields, but 5 are expected.", line=12))
    iris.arff, line 12: the row has 4 fields, but 5 are expected.
    """

    def __init__(self, path: str | Path, message: str, line: int | None = None) -> None:
        where = "" if line is None else f", line {line}"
        super().__init__(f"{path}{where}: {message}")
        self.path, self.message, self.line = path, message, line

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the three parts when pickled, as when raised in another process."""
        return (type(self), (self.path, self.message, self.line))


#: How a gzip file begins, and what is said where it is none or is damaged.
GZIP = b"\x1f\x8b"
NO_GZIP = "the name ends in .gz, but the content is not gzip."
NO_ROWS = "there are no rows of data."
DAMAGED_UTF16 = "the file begins as UTF-16 does, but is not UTF-16 ({})."
DAMAGED_GZIP = "the gzip data is cut short or damaged ({})."

Reader = TypeVar("Reader", bound=Callable[[Path], Any])

#: Which function reads the files of a suffix.
READERS: dict[str, Callable[[Path], Any]] = {}


def reads(*suffixes: str) -> Callable[[Reader], Reader]:
    r"""Register a function that reads table files whose names end in one of these suffixes.

    The function takes the path, whose name may have a ".gz" after the suffix, and returns a data frame or
    whatever else `Table.from_data` takes, the class among its columns.

    Parameters
    ----------
    *suffixes : str
        In lower case, with the dot.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from stakes.table import read_table, reads
    >>> @reads(".numbers")
    ... def read_numbers(path):
    ...     return [[float(number) for number in line.split()] for line in path.read_text().splitlines()]
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.numbers"
    >>> _ = path.write_text("1 2 3\n4 5 6\n")
    >>> read_table(path)
    Table(2 rows, 3 numeric, 0 nominal)
    """

    def register(reader: Reader) -> Reader:
        READERS.update(dict.fromkeys(suffixes, reader))
        return reader

    return register


_SHEET = re.compile(r"(?P<file>.+\.xlsx(?:\.gz)?)#(?P<sheet>.+)", re.IGNORECASE | re.DOTALL)


def sheet_of(path: Path) -> tuple[Path, str | None]:
    """Return an Excel file and the sheet that is named after it, None where there is none.

    Examples
    --------
    >>> sheet_of(Path("loans.xlsx#2026.1"))[1], sheet_of(Path("loans#1.xlsx"))[1]
    ('2026.1', None)
    """
    match = _SHEET.fullmatch(str(path))
    return (path, None) if match is None else (Path(match["file"]), match["sheet"])


def suffix_of(path: Path) -> str:
    """Return the suffix that says what a file is, in lower case, .gz and the name of a sheet aside."""
    suffixes = [suffix.lower() for suffix in sheet_of(path)[0].suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


class FieldKind(IntEnum):
    """Kinds of fields of the compiled reader, in its order."""

    NUMERIC = 0
    NOMINAL = 1
    OPEN = 2
    IGNORED = 3
    PROBE = 4


@dataclass
class Declared:
    """A column as a file's header declares it."""

    name: str
    kind: FieldKind
    values: list[str] = field(default_factory=list)
    most_values: int | None = None


@dataclass
class RawTable:
    """Columns as a file has them, the class among them."""

    columns: list[Column]
    arrays: list[NDArray[Any]]
    weights: NDArray[np.float64] | None = None
    target: str | None = None
    y: NDArray[np.int32] | None = None
    classes: NDArray[Any] | None = None


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file, decompressed where it is gzip."""
    try:
        data = path.read_bytes()
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise TableFileError(path, f"the file cannot be opened: {error.strerror}.") from error
    if data[:2] != GZIP:
        if path.suffix == ".gz" and data:
            raise TableFileError(path, NO_GZIP)
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise TableFileError(path, DAMAGED_GZIP.format(error)) from error


def read_text(path: Path) -> bytes:
    r"""Return the bytes of a text file as UTF-8 with \n or \r\n line ends."""
    data = read_bytes(path)
    if (encoding := marked_encoding(data)) is not None:
        try:
            data = data.decode(encoding).encode("utf-8")
        except UnicodeDecodeError as error:
            if encoding == "utf-16":
                raise TableFileError(path, DAMAGED_UTF16.format(error.reason)) from None
            data = data[3:]  # Latin-1 all the same
    if not data.strip():
        raise TableFileError(path, "the file is empty.")
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise TableFileError(path, "this is not a text file: it contains a zero byte.", line)
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            # Old files come in Latin-1, which accepts every byte.
            data = data.decode("latin-1").encode("utf-8")
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return data


#: Array, distinct values and whether all are numbers for each column; weights; number of rows; and the offset
#: and the line where reading stopped.
Rows = tuple[list[tuple[Any, list[str] | None, bool]], NDArray[np.float64] | None, int, int, int]


def call_core(
    path: Path,
    data: bytes,
    offset: int,
    line: int,
    format: _core.TextFormat,
    declared: Sequence[Declared],
    more: bool = False,
) -> Rows:
    """Read the rows, with errors that name the file; where more follows, a row that may go on is left."""
    try:
        return _core.read_rows(
            data,
            offset,
            line,
            format,
            [column.name for column in declared],
            [int(column.kind) for column in declared],
            [column.values for column in declared],
            more,
        )
    except _core.TextError as error:
        number, message = re.fullmatch(r"line (\d+): (.*)", str(error), re.DOTALL).groups()  # type: ignore[union-attr]
        raise TableFileError(path, message, int(number)) from None


def read_declared(
    path: Path, data: bytes, offset: int, line: int, format: _core.TextFormat, declared: Sequence[Declared]
) -> RawTable:
    """Read rows whose columns are known, and leave out the ignored ones."""
    results, weights, n_rows, _, _ = call_core(path, data, offset, line, format, declared)
    if n_rows == 0:
        raise TableFileError(path, NO_ROWS)
    return raw_table(path, data, declared, results, weights)


def raw_table(
    path: Path,
    data: bytes,
    declared: Sequence[Declared],
    results: Sequence[tuple[Any, list[str] | None, bool]],
    weights: NDArray[np.float64] | None,
) -> RawTable:
    """Columns of what the core has read, the ignored ones left out."""
    table = RawTable([], [], weights)
    for column, (array, distinct, _) in zip(declared, results, strict=True):
        if column.kind == FieldKind.IGNORED:
            continue
        values, codes = column.values, array
        if distinct is not None:
            if column.most_values is not None and len(distinct) > column.most_values:
                raise TableFileError(
                    path,
                    f"column {column.name!r} is declared with {column.most_values} values, but has "
                    f"{len(distinct)}.",
                )
            values, codes = (distinct, array) if column.most_values else _in_order(distinct, array)
        kind = NUMERIC if column.kind == FieldKind.NUMERIC else NOMINAL
        table.columns.append(Column(column.name, kind, tuple(values)))
        table.arrays.append(codes)
    if not table.columns:
        raise TableFileError(path, "all columns are ignored.")
    _warn_of_rounding(table, data)
    return table


def _warn_of_rounding(table: RawTable, data: bytes) -> None:
    """Warn of columns of large numbers, where the file has a whole number that no float is."""
    large = [
        column.name
        for column, values in zip(table.columns, table.arrays, strict=True)
        if not column.is_nominal and np.fmax.reduce(np.abs(values), initial=0.0) >= WHOLE
    ]
    if large and any(int(float(digits)) != int(digits) for digits in _LONG_NUMBER.findall(data)):
        for name in large:
            warnings.warn(rounding_words(name), stacklevel=2)


def _in_order(values: list[str], codes: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int32]]:
    """Collected values sorted, so that the order of the rows does not matter."""
    order = sorted(range(len(values)), key=values.__getitem__)
    new_code = np.full(len(values) + 1, -1, dtype=np.int32)
    new_code[order] = np.arange(len(values), dtype=np.int32)
    return [values[i] for i in order], new_code[codes]


def check_names(path: Path, names: Sequence[str], line: int | None = None) -> None:
    """Refuse a name that occurs twice."""
    seen = set()
    for name in names:
        if name in seen:
            raise TableFileError(path, f"the name {name!r} occurs more than once.", line)
        seen.add(name)
