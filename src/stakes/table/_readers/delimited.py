"""CSV with a header: separator sniffed, kinds of the columns inferred from all rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from stakes import _core
from stakes._text.words import is_number
from stakes.table._readers.common import (
    NO_ROWS,
    Declared,
    FieldKind,
    RawTable,
    TableFileError,
    call_core,
    check_names,
    raw_table,
    read_declared,
    read_text,
    reads,
)
from stakes.table._readers.pieces import TextPieces, with_more
from stakes.table._readers.texts import TextKinds

MISSING = ["", "?", "NA", "NaN", "nan"]
_BLANK_LINES = re.compile(r"\A\s*\n")


@reads(".csv", ".tsv", ".txt")
def read_csv(path: Path) -> RawTable:
    """Read a CSV file; a column is numeric if all its values that are not missing are numbers."""
    return parse_csv(path, read_text(path))


def parse_csv(path: Path, data: bytes) -> RawTable:
    """Read the text of a CSV file."""
    offset, line = _first_record(path, data)
    names, format = _layout(path, data[:offset])
    probed, _, _, _, _ = call_core(path, data, offset, line, format, _probes(names))
    declared = _declared(names, [all_numbers for _, _, all_numbers in probed])
    table, texts = read_declared(path, data, offset, line, format, declared), TextKinds(path)
    for column, values in zip(table.columns, table.arrays, strict=True):
        texts.see(column.name, values, column.categories if column.is_nominal else None)
    return texts.convert(table)


def csv_blocks(path: Path) -> Iterator[RawTable]:
    """Read a CSV file block by block: once for the kinds of the columns, once more for the rows."""
    pieces = TextPieces(path)
    names, format, offset, line = _read_layout(pieces)
    all_numbers, n_rows = [True] * len(names), 0
    for results, n_here, _ in _read_pieces(pieces, offset, line, format, _probes(names)):
        all_numbers = [so_far and column[2] for so_far, column in zip(all_numbers, results, strict=True)]
        n_rows += n_here
    if n_rows == 0:
        raise TableFileError(path, NO_ROWS)
    declared = _declared(names, all_numbers)
    texts = TextKinds(path)
    for results, _, _ in _read_pieces(pieces, offset, line, format, declared):
        for column, (values, distinct, _) in zip(declared, results, strict=True):
            texts.see(column.name, values, distinct)
        if texts.is_settled:
            break
    for results, n_here, data in _read_pieces(pieces, offset, line, format, declared):
        if n_here > 0:
            yield texts.convert(raw_table(path, data, declared, results, None))


def _read_layout(pieces: TextPieces) -> tuple[list[str], _core.TextFormat, int, int]:
    """Names and format, and where the rows begin: offset and line."""
    data = b""
    for piece in pieces:
        data += piece
        with suppress(TableFileError):  # more of the header may follow
            offset, line = _first_record(pieces.path, data)
            if data[offset - 1 : offset] == b"\n":
                break
    offset, line = _first_record(pieces.path, data)
    return *_layout(pieces.path, data[:offset]), offset, line


def _read_pieces(
    pieces: TextPieces, offset: int, line: int, format: _core.TextFormat, declared: list[Declared]
) -> Iterator[tuple[Any, int, bytes]]:
    """What the core reads of each piece, the number of its rows, and their text; a row may span pieces."""
    data = b""
    for piece, more in with_more(pieces):
        data += piece
        if more and len(data) <= offset:
            continue
        results, _, n_rows, end, line = call_core(pieces.path, data, offset, line, format, declared, more)
        text, data, offset = data[:end], data[end:], 0
        yield results, n_rows, text


def _probes(names: list[str]) -> list[Declared]:
    return [Declared(name, FieldKind.PROBE) for name in names]


def _declared(names: list[str], all_numbers: list[bool]) -> list[Declared]:
    kinds = [FieldKind.NUMERIC if numbers else FieldKind.OPEN for numbers in all_numbers]
    return [Declared(name, kind) for name, kind in zip(names, kinds, strict=True)]


def _layout(path: Path, begin: bytes) -> tuple[list[str], _core.TextFormat]:
    """Names of the columns, and how the rows are written, by the header."""
    header = _BLANK_LINES.sub("", begin.decode("utf-8")).rstrip("\r\n")
    tabs = ".tsv" in path.suffixes  # else the mark that the header has most of
    delimiter = "\t" if tabs else max(",;\t", key=lambda mark: _count_outside_quotes(header, mark))
    names = _names(path, header, delimiter)
    return names, _core.TextFormat(
        delimiter=delimiter,
        quotes='"',
        doubled_quotes=True,
        multiline=True,
        quoted_missing=True,
        missing=MISSING,
    )


def _first_record(path: Path, data: bytes) -> tuple[int, int]:
    """End of the header, which may have line ends inside quotes, and the number of the line after it."""
    position, line, quotes, blank = 0, 1, 0, True
    while True:
        end = data.find(b"\n", position)
        end = len(data) if end < 0 else end
        record = data[position:end]
        quotes += record.count(b'"')
        line += 1
        blank = blank and not record.strip()
        position = min(end + 1, len(data))
        if quotes % 2 == 0 and not blank:
            return position, line
        if position == len(data):
            raise TableFileError(path, "a quote in the header is opened but not closed.", 1)


def _count_outside_quotes(text: str, mark: str) -> int:
    return sum(part.count(mark) for part in text.split('"')[::2])


def _names(path: Path, header: str, delimiter: str) -> list[str]:
    try:
        cells = next(csv.reader(io.StringIO(header, newline=""), delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration) as error:
        raise TableFileError(path, f"the header cannot be read ({error}).", 1) from None
    # pandas and R write an index without a name.
    names = [cell.strip() or f"column{j}" for j, cell in enumerate(cells)]
    check_names(path, names, 1)
    if all(is_number(name) for name in names):
        raise TableFileError(path, "the first line holds numbers only; a header with names is needed.", 1)
    return names
