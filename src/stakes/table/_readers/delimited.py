"""CSV with a header: separator sniffed, kinds of the columns inferred from all rows."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from stakes import _core
from stakes._text.words import is_number
from stakes.table._readers.common import (
    Declared,
    FieldKind,
    RawTable,
    TableFileError,
    call_core,
    check_names,
    read_declared,
    read_text,
    reads,
)

MISSING = ["", "?", "NA", "NaN", "nan"]
_BLANK_LINES = re.compile(r"\A\s*\n")


@reads(".csv", ".tsv", ".txt")
def read_csv(path: Path) -> RawTable:
    """Read a CSV file; a column is numeric if all its values that are not missing are numbers."""
    data = read_text(path)
    offset, line = _first_record(path, data)
    header = _BLANK_LINES.sub("", data[:offset].decode("utf-8")).rstrip("\r\n")
    delimiter = max(",;\t", key=lambda mark: _count_outside_quotes(header, mark))
    names = _names(path, header, delimiter)
    format = _core.TextFormat(
        delimiter=delimiter,
        quotes='"',
        doubled_quotes=True,
        multiline=True,
        quoted_missing=True,
        missing=MISSING,
    )
    probes = [Declared(name, FieldKind.PROBE) for name in names]
    results, _, _ = call_core(path, data, offset, line, format, probes)
    declared = [
        Declared(name, FieldKind.NUMERIC if all_numbers else FieldKind.OPEN)
        for name, (_, _, all_numbers) in zip(names, results, strict=True)
    ]
    return read_declared(path, data, offset, line, format, declared)


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
