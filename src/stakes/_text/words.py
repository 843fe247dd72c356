"""Numbers and names for people."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any


def any_of(categories: Sequence[Any], codes: Sequence[int], most: int = 1000) -> str:
    """Name some categories: ``'a'``, ``'a' or 'b'``, ``'a', 'b' or 7 more``."""
    if not codes:
        return "no known value"
    words = [repr(categories[code]) for code in codes]
    if len(words) > most:
        words = (
            [*words[: most - 1], f"{len(words) - most + 1} more"] if most > 1 else [f"one of {len(words)}"]
        )
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def number(value: float) -> str:
    """Write a number for reading: exactly when that is short, else with seven digits."""
    exact = repr(float(value)).removesuffix(".0")
    return exact if len(exact) <= 9 else f"{value:.7g}"


def day_moment(days: float) -> datetime.datetime:
    """Date and time so many days after the first of January 1970."""
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(days=days)


def day_text(days: float) -> str:
    """Write days for reading: as an ISO date, with the time where there is one.

    Examples
    --------
    >>> day_text(18262.0), day_text(18262.5), day_text(1e9)
    ('2020-01-01', '2020-01-01 12:00', '1e+09 days after 1970-01-01')
    """
    try:
        moment = day_moment(days)
    except OverflowError:
        return f"{days:.7g} days after 1970-01-01"
    if moment.time() == datetime.time():
        return moment.date().isoformat()
    exact = "auto" if moment.microsecond else "seconds" if moment.second else "minutes"
    return moment.isoformat(" ", exact)


def amount(value: float) -> str:
    """Write a weight or a cost: two decimals at most, none where they say nothing."""
    if value and (abs(value) < 0.005 or abs(value) >= 1e9):
        return f"{value:.3g}"
    return f"{value:.2f}".rstrip("0").rstrip(".")


def rounded(value: float) -> str:
    """Write an amount for people: two or three digits, thousands apart, none that say nothing.

    Examples
    --------
    >>> [rounded(value) for value in (1234567.8, 211.75, 5.0, 0.708, 0.01234, 0.0)]
    ['1,234,568', '211.8', '5', '0.71', '0.012', '0']
    """
    size = abs(value)
    if not size < 1e15 or 0 < size < 0.1:
        return f"{value:.2g}"
    digits = 0 if size >= 999.5 else 1 if size >= 99.95 else 2
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if digits else text


def counted(n: float, singular: str, plural: str | None = None) -> str:
    """Write a number with its noun: ``1 row``, ``1,234 rows``."""
    return f"{rounded(n)} {singular if n == 1 else plural or f'{singular}s'}"


def plain(text: str) -> str:
    """Keep a name on one line: line breaks and control characters become visible escapes."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def visible(text: str) -> str:
    """Keep lines as they are, but show as escapes what a terminal would obey instead of printing it."""
    return _OBEYED.sub(lambda char: repr(char[0])[1:-1], text)


#: Control characters but tabs and line ends, marks that turn the direction of writing, and undecoded bytes.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def percent(share: float) -> str:
    """Write a share without calling something nothing."""
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def shorten(values: Iterable[Any], limit: int = 8) -> str:
    """First few values for a message."""
    shown = list(values)
    return ", ".join(map(repr, shown[:limit])) + (", ..." if len(shown) > limit else "")


def some(items: Iterable[Any], most: int = 8) -> str:
    """Write the first few items for a message, and how many more there are.

    Examples
    --------
    >>> some("abcd", most=2)
    "'a', 'b' and 2 more"
    """
    listed = list(items)
    text = ", ".join(map(repr, listed[:most]))
    return text if len(listed) <= most else f"{text} and {len(listed) - most:,} more"


def near(unknown: Any, known: Iterable[Any]) -> list[str]:
    """Return the names that are written most like an unknown one, three at most, whatever their case."""
    folded = {_folded(name): str(name) for name in known}
    return [folded[name] for name in get_close_matches(_folded(unknown), folded)]


def _folded(name: Any) -> str:
    return str(name).casefold().replace("-", "_")


def did_you_mean(unknown: Any, known: Iterable[Any], what: str = "known ones", most: int = 40) -> str:
    """End of a message about a name that is not known: the near ones, then those that there are.

    Examples
    --------
    >>> did_you_mean("agee", ["sex", "age"], "columns")
    "; did you mean 'age'? The columns are 'sex', 'age'"
    >>> did_you_mean("x", ["sex", "age"], "columns", most=1)
    "; the columns are 'sex' and 1 more"
    >>> did_you_mean("x", [], "columns")
    '; there are no columns'
    """
    names = list(known)
    if not names:
        return f"; there are no {what}"
    close, listed = near(unknown, names), f"he {what} are {some(names, most)}"
    return f"; did you mean {' or '.join(map(repr, close))}? T{listed}" if close else f"; t{listed}"
