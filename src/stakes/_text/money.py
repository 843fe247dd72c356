"""Amounts of money in words: the one place that puts the currency behind them.

Costs are plain numbers everywhere. Which currency they are in matters only to people who read them, so it is
no parameter of what computes them: whoever writes for people states it around the writing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from stakes._text.words import amount

#: Characters of a currency at most.
LONGEST = 8


@dataclass(frozen=True)
class _Currency:
    name: str
    space: str


_STATED: ContextVar[_Currency | None] = ContextVar("currency", default=None)


def check_currency(name: Any) -> str | None:
    """Return a currency, or None; anything but a short text is a ValueError.

    Examples
    --------
    >>> check_currency("EUR")
    'EUR'
    >>> check_currency("5 EUR")
    Traceback (most recent call last):
        ...
    ValueError: currency must be 1 to 8 printable characters without digits, such as EUR or €, got '5 EUR'
    """
    if name is None:
        return None
    fits = isinstance(name, str) and 0 < len(name) <= LONGEST and name.isprintable() and name == name.strip()
    if not fits or any(char.isnumeric() for char in name):
        raise ValueError(
            f"currency must be 1 to {LONGEST} printable characters without digits, such as EUR or €, "
            f"got {name!r}"
        )
    return str(name)


@contextmanager
def stating(currency: str | None, space: str = " ") -> Iterator[None]:
    """Write amounts in this currency, with this space before it; in none where it is None.

    Examples
    --------
    >>> with stating("EUR"):
    ...     money(1.5), heading("cost per row"), money(0.123, "{:.1f}".format)
    ('1.5 EUR', 'cost per row (EUR)', '0.1 EUR')
    >>> money(1.5), heading("cost per row")
    ('1.5', 'cost per row')
    """
    token = _STATED.set(None if currency is None else _Currency(currency, space))
    try:
        yield
    finally:
        _STATED.reset(token)


def state_by_default(currency: str | None) -> None:
    """Write amounts in this currency from here on where none is stated, until `stating` around it ends."""
    if _STATED.get() is None and currency is not None:
        _STATED.set(_Currency(currency, " "))


def stated_currency() -> str | None:
    """Return the currency that amounts are written in, None where none is known."""
    stated = _STATED.get()
    return None if stated is None else stated.name


def money(value: float, write: Callable[[float], str] = amount) -> str:
    """Write an amount of money."""
    return in_currency(write(value))


def in_currency(text: str) -> str:
    """Put the currency behind an amount, or a range of amounts, that is written already."""
    stated = _STATED.get()
    return text if stated is None else f"{text}{stated.space}{stated.name}"


def heading(text: str) -> str:
    """Name the currency in a heading, of plain amounts below it."""
    stated = _STATED.get()
    return text if stated is None else f"{text} ({stated.name})"


def unbroken(text: str) -> str:
    """Take the space that is stated now between amounts and currency, in a sentence with a plain one."""
    stated = _STATED.get()
    if stated is None:
        return text
    return re.sub(rf"(?<=\d) (?={re.escape(stated.name)})", stated.space, text)


def with_currency(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts for a program, with the currency where one is stated."""
    currency = stated_currency()
    return dict(facts) if currency is None else {**facts, "currency": currency}
