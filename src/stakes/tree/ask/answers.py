"""From an answer, as a person or a program gives it, to the value that a column of a table holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from stakes._text.ranges import level
from stakes._text.words import did_you_mean, some
from stakes.table import Column, Schema, days_of
from stakes.table._columns import is_missing

#: A value as tables hold it: a float, NaN where missing, or the code of a category, -1 where missing.
Encoded = float | int


@dataclass(frozen=True)
class AskedColumn(Column):
    """A column as people are asked for it.

    Parameters
    ----------
    name, kind, categories, dates
        As of any `Column`.
    ask : str
        The question; the name of the column is asked for where there is none.
    unit : str
        What numbers are measured in.
    low, high : float
        The least and the largest number that is accepted.
    answers : tuple
        What people read in place of each category.

    Examples
    --------
    >>> AskedColumn("income", unit="EUR", low=0.0).allowed
    'at least 0 EUR'
    """

    ask: str = ""
    unit: str = ""
    low: float = -math.inf
    high: float = math.inf
    answers: tuple[Any, ...] = ()

    @property
    def allowed(self) -> str:
        """The range of numbers and their unit in words; empty where there is neither."""
        low, high = level(self, self.low), level(self, self.high)
        if math.isinf(self.low) and math.isinf(self.high):
            return f"in {self.unit}" if self.unit else ""
        if math.isinf(self.low):
            return f"at most {high}"
        return f"at least {low}" if math.isinf(self.high) else f"from {low} to {high}"

    @property
    def worded(self) -> AskedColumn:
        """The same column with the words for its categories as its categories."""
        return replace(self, categories=self.answers)


def encode_answer(column: Column, answer: Any, unseen: str = "missing") -> Encoded:
    """Return the encoded value of one answer.

    Parameters
    ----------
    column : Column
    answer : number, text, date, category or None
        None and NaN are missing. Numbers may come as text; a category may come as it is written. A column of
        dates takes dates, as text or as Python has them, and days since 1970-01-01 as a number.
    unseen : {"missing", "error"}
        What a category is that the column does not have.

    Examples
    --------
    >>> encode_answer(Column("income"), " 24.5 ")
    24.5
    >>> encode_answer(Column("housing", "nominal", ("rent", "own")), "own")
    1
    >>> encode_answer(Column("income"), "much")
    Traceback (most recent call last):
        ...
    ValueError: the answer for 'income' must be a finite number, or None where it is unknown, got 'much'
    """
    value = _plain(answer)
    if is_missing(value):
        return missing_value(column)
    return _category(column, value, unseen) if column.is_nominal else _number(column, value)


def missing_value(column: Column) -> Encoded:
    """Return what stands for a missing value in this column."""
    return -1 if column.is_nominal else math.nan


def is_unknown(answer: Any) -> bool:
    """Whether the answer says that nothing is known."""
    return is_missing(_plain(answer))


def _plain(answer: Any) -> Any:
    if isinstance(answer, np.datetime64):
        answer = answer.astype("datetime64[us]")  # a finer one would be a number
    return answer.item() if isinstance(answer, np.generic) else answer


def encode_known(schema: Schema, row: Any, unseen: str) -> dict[int, Encoded]:
    """Encode what is known of a row, a mapping of names to values, by column number."""
    if row is None:
        return {}
    if not isinstance(row, Mapping) and not (hasattr(row, "keys") and hasattr(row, "__getitem__")):
        raise TypeError(f"row must be a mapping of names of columns to values, got {type(row).__name__}")
    known = dict(row)
    strange = [name for name in known if name not in schema.names]
    if strange:
        raise ValueError(
            f"row must have names of columns, got {some(strange)}"
            f"{did_you_mean(strange[0], schema.names, 'columns')}"
        )
    return {
        j: encode_answer(column, known[column.name], unseen)
        for j, column in enumerate(schema.columns)
        if column.name in known
    }


def _number(column: Column, value: Any) -> float:
    number = _read_number(value, column.dates)
    accepted, hint = "a date such as 2020-01-31" if column.dates else "a finite number", ""
    if isinstance(column, AskedColumn) and column.allowed:
        accepted = f"{f'{accepted},' if column.dates else 'a number'} {column.allowed}"
        if number < column.low or number > column.high:
            number = math.inf
    if math.isinf(number):
        if not column.dates and isinstance(value, str) and "," in value:
            hint = "; write decimals with a point"
        raise ValueError(
            f"the answer for {column.name!r} must be {accepted}, or None where it is unknown, "
            f"got {value!r}{hint}"
        )
    return number


def _read_number(value: Any, dates: bool) -> float:
    """Number that an answer stands for, days for a date; infinity where it stands for none."""
    if dates and not isinstance(value, Real):
        days = days_of(value)
        return math.inf if days is None else days
    try:
        # Python reads 1_000, nobody else does
        if isinstance(value, Real) or (isinstance(value, str) and "_" not in value):
            return float(value)
    except (ValueError, OverflowError):
        pass
    return math.inf


def _category(column: Column, value: Any, unseen: str) -> int:
    categories = column.categories
    if isinstance(value, str | bool | int | float):
        if value in categories:
            return categories.index(value)
        # A file or a terminal has text where the model has numbers, or the other way round.
        written = [str(category) for category in categories]
        if str(value) in written:
            return written.index(str(value))
        if unseen == "missing":
            return -1
    raise ValueError(
        f"the answer for {column.name!r} must be one of the categories, or None where it is unknown, "
        f"got {value!r}{did_you_mean(value, categories, 'categories', most=8)}"
    )
