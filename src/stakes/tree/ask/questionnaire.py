"""How people are asked for columns: a file of wordings, units, ranges, and tests ordered together."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stakes._text.words import did_you_mean
from stakes.table import Column, Schema, days_of
from stakes.tree.ask.answers import AskedColumn, encode_answer

KEYS = ("ask", "unit", "min", "max", "answers")
#: An array of tables of this name has the groups.
GROUPS = "together"


@dataclass(frozen=True)
class Questionnaire:
    """How people are asked for the columns of a model.

    Attributes
    ----------
    schema : Schema
        The model's columns, those that the file names with their units and ranges.
    together : tuple of tuple of str
        Columns that are asked for one right after the other, as soon as one of them is needed.
    """

    schema: Schema
    together: tuple[tuple[str, ...], ...] = ()

    @property
    def worded(self) -> Schema:
        """The schema with the words for categories in place of these."""
        return Schema(tuple(c.worded if isinstance(c, AskedColumn) else c for c in self.schema.columns))

    def row_in_words(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Put what is known of a row into the words for its categories."""
        words = dict(row)
        for column in self.schema.columns:
            if isinstance(column, AskedColumn) and column.is_nominal and column.name in row:
                code = encode_answer(column, row[column.name], "error")
                words[column.name] = None if code < 0 else column.answers[int(code)]
        return words


def read_questionnaire(path: str | os.PathLike[str], schema: Schema) -> Questionnaire:
    r"""Read a TOML file that says how people are asked for the columns of a model.

    The file has a table for each column, of which all may be left out: ``ask`` is the question, ``unit`` what
    numbers are measured in, ``min`` and ``max`` the range that is accepted (dates for a column of dates), and
    ``answers`` has the words that people read in place of categories. ``[[together]]`` names columns that are
    asked for one right after the other as soon as one of them is needed, such as values of one blood sample.

    Parameters
    ----------
    path : path
    schema : Schema
        The columns of the model.

    Raises
    ------
    ValueError
        Where the file cannot be read as that; the message names the file, the table and the key.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "questions.toml"
    >>> _ = path.write_text('[income]\nask = "What do you earn?"\nunit = "EUR"\nmin = 0')
    >>> read_questionnaire(path, Schema([Column("income")])).schema.columns[0].allowed
    'at least 0 EUR'
    """
    file = os.fspath(path)
    try:
        tables = tomllib.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except RecursionError:
        raise ValueError(f"{file} cannot be read: its lists are nested too deeply") from None
    except ValueError as error:  # no UTF-8, no TOML
        raise ValueError(f"{file} cannot be read: {error}") from None
    groups = tables.pop(GROUPS) if isinstance(tables.get(GROUPS), list) else []
    for name in tables:
        _check_name(f"{file}: [{name}]", name, schema.names)
    columns = [
        _asked_column(f"{file}: [{column.name}]", column, tables[column.name])
        if column.name in tables
        else column
        for column in schema.columns
    ]
    return Questionnaire(Schema(tuple(columns)), _groups(f"{file}: [[{GROUPS}]]", groups, schema.names))


def _check_name(where: str, name: Any, names: tuple[str, ...]) -> None:
    if name not in names:
        known = did_you_mean(name, names, "columns")
        raise ValueError(f"{where} must name a column of the model, got {name!r}{known}")


def _asked_column(where: str, column: Column, table: Any) -> AskedColumn:
    if not isinstance(table, dict):
        raise ValueError(f'{where} must be a table, such as ask = "How old are you?" below it, got {table!r}')
    for key in table:
        if key not in KEYS:
            raise ValueError(f"{where} has an unknown key, {key!r}{did_you_mean(key, KEYS, 'keys')}")
    kind = "of categories" if column.is_nominal else "of dates" if column.dates else "of numbers"
    unfit = ("unit", "min", "max") if column.is_nominal else ("unit",) if column.dates else ()
    for key in (*unfit, *(() if column.is_nominal else ("answers",))):
        if key in table:
            raise ValueError(f"{where} {key} must be left out for a column {kind}, got {table[key]!r}")
    low, high = (_bound(f"{where} {key}", column, table.get(key), end) for key, end in _ENDS.items())
    if low > high:
        raise ValueError(f"{where} max must be at least min, {table['min']}, got {table['max']}")
    return AskedColumn(
        column.name,
        column.kind,
        column.categories,
        column.dates,
        ask=_text(f"{where} ask", table.get("ask", "")),
        unit=_text(f"{where} unit", table.get("unit", "")),
        low=low,
        high=high,
        answers=_answers(f"{where} answers", column, table.get("answers", {})),
    )


_ENDS = {"min": -math.inf, "max": math.inf}


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{where} must be a text, got {value!r}")
    return value.strip()


def _bound(where: str, column: Column, value: Any, end: float) -> float:
    if value is None:
        return end
    if column.dates:
        if (days := days_of(value)) is None:
            raise ValueError(f"{where} must be a date such as 2020-01-31, got {value!r}")
        return days
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{where} must be a finite number, got {value!r}")
    return float(value)


def _answers(where: str, column: Column, table: Any) -> tuple[Any, ...]:
    if not isinstance(table, dict):
        raise ValueError(
            f'{where} must be a table of words for categories, "<0" = "overdrawn", got {table!r}'
        )
    written = [str(category) for category in column.categories]
    for category in table:
        if category not in written:
            known = did_you_mean(category, written, "categories")
            raise ValueError(f"{where} must be for categories of the column, got {category!r}{known}")
    words = {text: _text(f"{where} {text!r}", table.get(text, text)) for text in written}
    for text in table:
        if not words[text]:
            raise ValueError(f"{where} {text!r} must be a text that is not empty, got {table[text]!r}")
        if list(words.values()).count(words[text]) > 1:
            raise ValueError(f"{where} must differ from each other, got {words[text]!r} twice")
    return tuple(
        words[text] if text in table else category
        for text, category in zip(written, column.categories, strict=True)
    )


def _groups(where: str, groups: list[Any], names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    seen: list[str] = []
    for group in groups:
        if not isinstance(group, dict) or set(group) != {"columns"}:
            raise ValueError(f'{where} must have columns = ["...", "..."] and no other key, got {group!r}')
        columns = group["columns"]
        if not isinstance(columns, list) or len(columns) < 2:
            raise ValueError(f"{where} columns must be a list of two names or more, got {columns!r}")
        for name in columns:
            _check_name(f"{where} columns", name, names)
            if name in seen:
                raise ValueError(f"{where} columns must name each column once, got {name!r} twice")
            seen.append(name)
    return tuple(tuple(group["columns"]) for group in groups)
