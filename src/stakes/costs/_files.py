"""Text formats of cost matrices: CSV and C5.0's ``.costs``. Text in, labels and numbers out."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stakes._text.decimals import Decimals, comma_number, is_comma_number
from stakes._text.encodings import marked_encoding
from stakes._text.files import write_text
from stakes._text.words import is_number
from stakes._text.workbooks import sheet_text

Pairs = dict[tuple[str, str], float]


def read_text(path: str | os.PathLike[str]) -> str:
    """Text of a file, that of an Excel file's first sheet as CSV; the file is named when it is neither."""
    if Path(path).is_dir():
        raise ValueError(f"costs are read from files, got the folder {os.fspath(path) or '.'!r}")
    try:
        data = Path(path).read_bytes()
        if Path(path).suffix.lower() == ".xlsx":
            return _sheet(data, path)
        encoding = marked_encoding(data) or "utf-8"
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        name = "UTF-16" if encoding == "utf-16" else "UTF-8"
        raise ValueError(
            f"{path} is not a text file in {name}: {error.reason} at byte {error.start}"
        ) from None


def _sheet(data: bytes, path: str | os.PathLike[str]) -> str:
    try:
        return sheet_text(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def read_json(path: str | os.PathLike[str], **options: Any) -> Any:
    """Read what a JSON file holds; ``options`` are those of `json.loads`."""
    text = read_text(path)
    try:
        return json.loads(text, **options)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    except RecursionError:
        raise ValueError(f"{path} is not JSON of costs: its lists are nested too deeply") from None
    except ValueError as error:  # what `options` refuse, or a number with thousands of digits
        raise ValueError(f"{path}: {error}") from None


def parse_number(text: str, where: str) -> float:
    """Return a finite cost written as text."""
    try:
        # float() would also take "1_000", which no writer of these formats means as a number
        value = float(text) if "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{where}: the cost must be a finite number, got {text!r}")
    return value


def write_csv(path: str | os.PathLike[str], rows: Iterable[list[str]]) -> None:
    """Write cells as a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    write_text(path, text.getvalue())


def csv_lines(text: str, name: str, expected: str) -> list[tuple[int, list[str]]]:
    """Numbers and stripped cells of the lines that are not blank; decimal commas become points.

    Cells are separated by what the first line has most of: semicolons, tabs or commas.
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    outside = "".join(first.split('"')[::2])
    delimiter = max(";\t,", key=outside.count)
    file = io.StringIO(text, newline="")
    reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True, strict=True)
    rows = []
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                rows.append((reader.line_num, stripped))
    except csv.Error as error:
        raise ValueError(f"{name} line {reader.line_num} is not CSV: {error}") from None
    if not rows:
        raise ValueError(f"{name} is empty; expected {expected}")
    return _with_points(rows, name)


def _with_points(rows: list[tuple[int, list[str]]], name: str) -> list[tuple[int, list[str]]]:
    """Write numbers with decimal points where the file has commas; the first cell of a line is a name."""
    decimals = Decimals()
    for line, cells in rows:
        for cell in cells[1:]:
            if is_comma_number(cell) or is_number(cell):
                decimals.see(cell, f"line {line}")
    try:
        if not decimals.use_commas():
            return rows
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return [(line, [cells[0], *map(_with_point, cells[1:])]) for line, cells in rows]


def _with_point(cell: str) -> str:
    return repr(comma_number(cell)) if "," in cell and is_comma_number(cell) else cell


def parse_csv(text: str, name: str) -> tuple[list[str], list[str], list[list[float]]]:
    r"""Actual labels, predicted labels and rows of a CSV file with the corner ``actual\predicted``."""
    rows = csv_lines(text, name, "a header 'actual\\predicted,<class>,...' and a row per class")
    header = rows[0][1]
    if header[0].lower().startswith("predict"):
        raise ValueError(
            f"{name} has its rows by predicted class (corner {header[0]!r}); rows must be actual classes: "
            "swap rows and columns, or read the numbers yourself and use CostMatrix.from_predicted_rows"
        )
    if is_number(header[0]):
        raise ValueError(
            f"{name} begins with the number {header[0]}; expected a header 'actual\\predicted,<class>,...'"
        )
    predicted = header[1:]
    if not predicted:
        raise ValueError(f"{name} names no class in its header; expected 'actual\\predicted,<class>,...'")
    actual, values = [], []
    for line, cells in rows[1:]:
        if len(cells) != len(header):
            raise ValueError(f"{name} line {line} has {len(cells)} cells, but the header has {len(header)}")
        actual.append(cells[0])
        values.append([parse_number(cell, f"{name} line {line}") for cell in cells[1:]])
    if not actual:
        raise ValueError(f"{name} has a header and no rows; expected one row per class")
    return actual, predicted, values


def format_csv(labels: list[str], values: list[list[float]]) -> list[list[str]]:
    """Cells of the CSV file that ``parse_csv`` reads back to the same labels and numbers."""
    for label in labels:
        # the reader drops blanks around a cell, and text mode rewrites line ends
        if label != label.strip() or len(label.splitlines()) != 1:
            raise ValueError(
                f"class label {label!r} cannot be kept in CSV: outer blanks or line ends; use to_dict"
            )
    head = ["actual\\predicted", *labels]
    return [head, *([label, *map(repr, row)] for label, row in zip(labels, values, strict=True))]


def _split_unescaped(text: str, separator: str) -> list[str]:
    """Split at separators that no backslash precedes; escapes stay in the parts."""
    parts, start, i = [], 0, 0
    while i < len(text):
        if text[i] == "\\":
            i += 1
        elif text[i] == separator:
            parts.append(text[start:i])
            start = i + 1
        i += 1
    return [*parts, text[start:]]


def _name(text: str) -> str:
    """C5.0's reading of a name: blanks at the ends dropped, inner runs made one, escapes undone."""
    out, i = [], 0
    text = " ".join(text.split())
    while i < len(text):
        i += text[i] == "\\" and i + 1 < len(text)
        out.append(text[i])
        i += 1
    return "".join(out)


def parse_c50(text: str, name: str) -> Pairs:
    """Entries of a ``.costs`` file as ``(actual, predicted): cost``."""
    pairs: Pairs = {}
    for number, raw in enumerate(text.splitlines(), start=1):
        line = _split_unescaped(raw, "|")[0].strip()
        if not line:
            continue
        where = f"{name} line {number}"
        names, *cost = _split_unescaped(line, ":")
        labels = [_name(part) for part in _split_unescaped(names, ",")]
        if len(cost) != 1 or len(labels) != 2 or not all(labels):
            raise ValueError(f"{where} must read 'predicted, actual: cost', got {line!r}")
        predicted, actual = labels
        value = parse_number(cost[0].strip(), where)
        if value < 0:
            raise ValueError(f"{where}: a cost in a .costs file must be at least 0, got {value:g}")
        if (actual, predicted) in pairs:
            raise ValueError(f"{where} repeats the entry for predicted {predicted!r}, actual {actual!r}")
        if actual == predicted and value != 0:
            raise ValueError(f"{where}: the cost of being right about {actual!r} must be 0, got {value:g}")
        pairs[actual, predicted] = value
    if not pairs:
        raise ValueError(f"{name} has no entry; expected lines 'predicted, actual: cost'")
    return pairs
