"""ARFF: dense and sparse rows, quoted names and values, dates, comments, weights of rows."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes import _core
from stakes._text.files import write_bytes
from stakes.table._readers.arff_dates import DEFAULT, DatePattern, dates_to_days
from stakes.table._readers.common import (
    Declared,
    FieldKind,
    RawTable,
    TableFileError,
    call_core,
    read_declared,
    read_text,
    reads,
)

if TYPE_CHECKING:
    from stakes.table import Table

_NUMERIC_TYPES = {"numeric", "real", "integer"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_NEEDS_QUOTES = re.compile(r"[\s,{}'\"%\\?]|^$")


@reads(".arff")
def read_arff(path: Path) -> RawTable:
    """Read an ARFF file."""
    data = read_text(path)
    declared: list[Declared] = []
    patterns: dict[str, DatePattern] = {}
    names: set[str] = set()
    for number, start, text in _header_lines(path, data):
        keyword, _, rest = text.partition(" ")
        keyword = keyword.lower()
        if keyword == "@data":
            if not declared:
                raise TableFileError(path, "@data comes before any @attribute.", number)
            format = _core.TextFormat(
                quotes="'\"",
                escapes=True,
                sparse_rows=True,
                comment="%",
                comment_after_blank=True,
                missing=["?"],
            )
            table = read_declared(path, data, start, number + 1, format, declared)
            read_again = partial(call_core, path, data, start, number + 1, format)
            dates_to_days(path, table, patterns, partial(_line_of_another, read_again, declared))
            return table
        if keyword == "@attribute":
            column, pattern = _attribute(path, number, rest)
            if column.name in names:
                raise TableFileError(path, f"the attribute {column.name!r} is declared twice.", number)
            names.add(column.name)
            if pattern is not None:
                patterns[column.name] = pattern
            declared.append(column)
        elif keyword != "@relation":
            raise TableFileError(
                path,
                f"expected @relation, @attribute or @data, got {text[:40]!r}; this is no ARFF header.",
                number,
            )
    raise TableFileError(path, "the header has no @data: the file is cut short or not ARFF.")


def _header_lines(path: Path, data: bytes) -> Iterator[tuple[int, int, str]]:
    """Number, end and text of each line that is not blank and not a comment."""
    position = number = 0
    while position < len(data):
        end = data.find(b"\n", position)
        end = len(data) if end < 0 else end
        number += 1
        # Tabs separate keyword, name and type as spaces do.
        text = data[position:end].decode("utf-8").strip()
        if text and not text.startswith("%"):
            first = re.match(r"@\w+", text)
            if first:
                text = first.group() + " " + text[first.end() :].strip()
            yield number, min(end + 1, len(data)), text
        position = end + 1


def _line_of_another(
    read_again: Callable[[list[Declared]], Any], declared: list[Declared], name: str, known: list[str]
) -> int | None:
    """Line of the first value of a column that is none of the known ones: there the core stops."""
    try:
        read_again(
            [Declared(name, FieldKind.NOMINAL, known) if each.name == name else each for each in declared]
        )
    except TableFileError as error:
        return error.line
    return None


def _attribute(path: Path, number: int, text: str) -> tuple[Declared, DatePattern | None]:
    """Read what follows @attribute: a name and a type, for dates with the pattern they are written by."""
    name, position = _token(path, number, text, 0, " \t{")
    if not name:
        raise TableFileError(path, "an @attribute has no name.", number)
    rest = text[position:].strip()
    if rest.startswith("{"):
        return Declared(name, FieldKind.NOMINAL, _nominal_values(path, number, name, rest)), None
    word = re.match(r"[A-Za-z]*", rest)
    kind, tail = word.group().lower() if word else "", rest[word.end() :].strip() if word else rest
    if kind == "relational":
        raise TableFileError(
            path,
            f"attribute {name!r} is of type {kind}, which is not read. Hint: make it numeric or nominal.",
            number,
        )
    if kind not in _NUMERIC_TYPES | {"string", "date"}:
        raise TableFileError(
            path,
            f"attribute {name!r} has the type {rest[:40]!r}; numeric, real, integer, string, date or "
            "{values} is needed.",
            number,
        )
    pattern = None
    if kind == "date":
        pattern, tail = _date_pattern(path, number, name, tail)
    if tail and not re.match(r"%|\[[^]]*\]\s*$|\{[^}]*\}\s*$", tail):
        raise TableFileError(
            path, f"unexpected text {tail[:40]!r} after the type of attribute {name!r}.", number
        )
    return Declared(name, FieldKind.NUMERIC if kind in _NUMERIC_TYPES else FieldKind.OPEN), pattern


def _date_pattern(path: Path, number: int, name: str, text: str) -> tuple[DatePattern, str]:
    """Read the pattern after the type date, and return what follows it."""
    pattern, position = DEFAULT, 0
    if text and text[0] not in "%[{":
        pattern, position = _token(path, number, text, 0, " \t")
    try:
        return DatePattern.read(pattern), text[position:].strip()
    except ValueError as error:
        raise TableFileError(
            path, f"attribute {name!r} has the date pattern {pattern!r}: {error}.", number
        ) from None


def _nominal_values(path: Path, number: int, name: str, text: str) -> list[str]:
    """Read '{a, b, ...}'."""
    values: list[str] = []
    position = 1
    while True:
        while position < len(text) and text[position].isspace():
            position += 1
        if position < len(text) and text[position] == "}" and not values:
            break
        quoted = position < len(text) and text[position] in "'\""
        value, position = _token(path, number, text, position, ",}")
        if position >= len(text):
            raise TableFileError(path, f"the values of attribute {name!r} are not closed by '}}'.", number)
        if not value and not quoted:
            raise TableFileError(path, f"attribute {name!r} declares an empty value.", number)
        if text[position] not in ",}":
            raise TableFileError(
                path, f"a comma is missing between the values of attribute {name!r}.", number
            )
        values.append(value)
        position += 1
        if text[position - 1] == "}":
            break
    tail = text[position:].strip()
    if tail and tail != "}" and not tail.startswith("%"):
        raise TableFileError(
            path, f"unexpected text {tail[:40]!r} after the values of attribute {name!r}.", number
        )
    if len(set(values)) < len(values):
        twice = next(value for i, value in enumerate(values) if value in values[:i])
        raise TableFileError(path, f"attribute {name!r} declares the value {twice!r} twice.", number)
    return values


def _token(path: Path, number: int, text: str, position: int, stops: str) -> tuple[str, int]:
    """Read one quoted or plain word from its first mark; return it and the position of what stopped it."""
    if position < len(text) and text[position] in "'\"":
        quote, word = text[position], []
        position += 1
        while position < len(text) and text[position] != quote:
            if text[position] == "\\" and position + 1 < len(text):
                position += 1
                word.append(_ESCAPES.get(text[position], text[position]))
            else:
                word.append(text[position])
            position += 1
        if position >= len(text):
            raise TableFileError(path, "a quote is opened but not closed.", number)
        position += 1
        while position < len(text) and text[position].isspace():
            position += 1
        return "".join(word), position
    start = position
    while position < len(text) and text[position] not in stops:
        position += 1
    return text[start:position].strip(), position


# --- writing ----------------------------------------------------------------------------------------------


def quote(text: str) -> str:
    """Write a name or a value as ARFF wants it."""
    if not _NEEDS_QUOTES.search(text):
        return text
    for plain, escaped in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(plain, escaped)
    return f"'{text}'"


def write_arff(table: Table, path: str | Path, relation: str = "table", comment: str = "") -> None:
    """Write a table as ARFF, the class last; the same table gives the same bytes.

    Parameters
    ----------
    table : Table
        What to write.
    path : path
        Compressed where it ends in .gz.
    relation : str
        Name of the relation.
    comment : str
        Text for the top of the file.
    """
    lines = [f"% {line}".rstrip() for line in comment.splitlines()]
    lines += [f"@relation {quote(relation)}", ""]
    fields = []
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        labels = [quote(str(value)) for value in column.categories]
        kind = f"{{{','.join(labels)}}}" if column.is_nominal else "numeric"
        lines.append(f"@attribute {quote(column.name)} {kind}")
        fields.append(_coded(values, labels) if column.is_nominal else [_number(v) for v in values.tolist()])
    if table.y is not None and table.classes is not None:
        labels = [quote(str(value)) for value in table.classes.tolist()]
        lines.append(f"@attribute {quote(table.target or 'class')} {{{','.join(labels)}}}")
        fields.append(_coded(table.y, labels))
    if table.weights is not None:
        fields.append([f"{{{_number(weight)}}}" for weight in table.weights.tolist()])
    lines += ["", "@data"]
    lines += [",".join(row) for row in zip(*fields, strict=True)]
    data = ("\n".join(lines) + "\n").encode("utf-8")
    write_bytes(path, gzip.compress(data, mtime=0) if Path(path).suffix == ".gz" else data)


def _coded(codes: np.ndarray, labels: list[str]) -> list[str]:
    shown = [*labels, "?"]
    return [shown[code] for code in codes.tolist()]


def _number(value: float) -> str:
    if value != value:  # noqa: PLR0124 - NaN
        return "?"
    return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
