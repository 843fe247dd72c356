"""Dates and times as numbers: days since the first of January 1970, the time of the day as a fraction."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TIME = r"\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?"
_ISO = re.compile(rf"\d{{4}}-\d\d-\d\d(?:[T ]{_TIME}(?P<zone>Z|[+-]\d\d:?\d\d)?)?")
_DAY_FIRST = re.compile(rf"(\d{{1,2}})\.(\d{{1,2}})\.(\d{{4}})(?: ({_TIME}))?")
_EPOCH = datetime.datetime(1970, 1, 1)
_MICROSECONDS = 86_400_000_000  # of a day


def text_days(texts: Sequence[str], form: str | None = None) -> NDArray[np.float64] | None:
    """Days of texts that all are dates in one form; None where some are not.

    Parameters
    ----------
    texts : sequence of str
        ISO dates, or all as day.month.year; with a time, or without. Times with a zone are turned into UTC.
    form : str, optional
        One of `FORMS`; None tries them all.

    Examples
    --------
    >>> text_days(["1970-01-02", "1970-01-03T12:00"]), text_days(["2.1.1970"])
    (array([1. , 2.5]), array([1.]))
    >>> text_days(["1970-02-30"]), text_days(["1970-01-02", "3.1.1970"]), text_days(["1.13.1970"])
    (None, None, None)
    """
    tried = (_all(texts, FORMS[name]) for name in (FORMS if form is None else [form]))
    plain = next((iso for iso in tried if iso is not None), None)
    if not plain:
        return None
    try:
        return _days(np.array(plain, dtype="datetime64[us]"))
    except ValueError:  # there is no such day
        return None


def _all(texts: Iterable[str], form: Callable[[str], str | None]) -> list[str] | None:
    plain = []
    for text in texts:
        if (date := form(text)) is None:
            return None
        plain.append(date)
    return plain


def _iso(text: str) -> str | None:
    match = _ISO.fullmatch(text)
    if match is None or match["zone"] is None:
        return None if match is None else text
    try:
        moment = datetime.datetime.fromisoformat(text)
        return moment.astimezone(datetime.UTC).replace(tzinfo=None).isoformat()
    except (ValueError, OverflowError):
        return None


def _day_first(text: str) -> str | None:
    match = _DAY_FIRST.fullmatch(text)
    if match is None:
        return None
    day, month, year, time = match.groups()
    return f"{year}-{month:0>2}-{day:0>2}" + ("" if time is None else f"T{time}")


#: How dates are written as text, and what makes ISO dates of them.
FORMS: dict[str, Callable[[str], str | None]] = {"iso": _iso, "day_first": _day_first}


def array_days(moments: NDArray[np.datetime64]) -> NDArray[np.float64]:
    """Days of an array of datetime64; NaN where a value is missing."""
    missing = np.isnat(moments)
    days = _days(np.where(missing, np.datetime64(0, "us"), moments.astype("datetime64[us]")))
    days[missing] = np.nan
    return days


def object_days(value: datetime.date) -> float:
    """Days of one date or time of Python."""
    if not isinstance(value, datetime.datetime):
        return float((value - _EPOCH.date()).days)
    moment = value if value.tzinfo is None else value.astimezone(datetime.UTC).replace(tzinfo=None)
    return (moment - _EPOCH) // datetime.timedelta(microseconds=1) / _MICROSECONDS


def days_of(value: Any) -> float | None:
    """Days since the first of January 1970 of one date, as text or as Python has it; None where it is none.

    Examples
    --------
    >>> days_of("1970-01-02"), days_of(datetime.datetime(1970, 1, 1, 12)), days_of("tomorrow")
    (1.0, 0.5, None)
    """
    if isinstance(value, datetime.date):
        return object_days(value)
    days = text_days([value.strip()]) if isinstance(value, str) else None
    return None if days is None else float(days[0])


def _days(moments: NDArray[np.datetime64]) -> NDArray[np.float64]:
    return moments.astype(np.int64) / float(_MICROSECONDS)
