"""Parts of a column in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from stakes._text.words import any_of, day_text, number, plain


class NamedColumn(Protocol):
    """What is asked of a column: its name, and its categories where it is nominal."""

    @property
    def name(self) -> str:
        """Name of the column."""

    @property
    def categories(self) -> Sequence[Any]:
        """Values of a nominal column."""

    @property
    def dates(self) -> bool:
        """Whether the numbers of a column are days."""


@dataclass
class Range:
    """What the tests on one column leave of it."""

    low: float = -np.inf
    high: float = np.inf
    codes: list[int] | None = field(default=None)


def level(column: NamedColumn, value: float) -> str:
    """Write a number of a column for reading: a date as such, and with its unit where a column has one."""
    text, unit = day_text(value) if column.dates else number(value), getattr(column, "unit", "")
    return f"{text} {unit}" if unit else text


def range_words(column: NamedColumn, kept: Range) -> str:
    """Say which part of a column is meant, such as ``24 < income <= 60`` or ``housing is 'own'``."""
    name = plain(column.name)
    if kept.codes is not None:
        return f"{name} is {any_of(column.categories, kept.codes)}"
    if np.isinf(kept.low):
        return f"{name} <= {level(column, kept.high)}"
    if np.isinf(kept.high):
        return f"{name} > {level(column, kept.low)}"
    return f"{level(column, kept.low)} < {name} <= {level(column, kept.high)}"
