"""Dates of ARFF: values that are written as a pattern of Java's SimpleDateFormat says, as days since 1970."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stakes._text.words import some
from stakes.table._columns import Column
from stakes.table._dates import days_of
from stakes.table._readers.common import RawTable, TableFileError

#: What ARFF means where an attribute of dates has no pattern.
DEFAULT = "yyyy-MM-dd'T'HH:mm:ss"
#: Letters of a pattern that are read: digits of numbers at most, None for text.
LETTERS = {"y": 4, "M": 2, "d": 2, "H": 2, "h": 2, "m": 2, "s": 2, "S": 3, "a": None}
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_TOKEN = re.compile(r"'(?P<quoted>(?:[^']|'')*)'|(?P<letter>[A-Za-z])(?P=letter)*|(?P<plain>[^A-Za-z'])")


@dataclass(frozen=True)
class DatePattern:
    """A pattern, and the regular expression that values have to match.

    Examples
    --------
    >>> pattern = DatePattern.read("d.M.yyyy 'at' h:mm a")
    >>> pattern.days("2.1.1970 at 6:00 PM"), pattern.days("31.2.1970 at 6:00 PM")
    (1.75, None)
    >>> DatePattern.read("yyyy-MM-dd z")
    Traceback (most recent call last):
    ...
    ValueError: the letter 'z' is not read, but 'y', 'M', 'd', 'H', 'h', 'm', 's', 'S', 'a' are
    """

    text: str
    value: re.Pattern[str]

    @classmethod
    def read(cls, text: str) -> DatePattern:
        """Read a pattern; one that is not read here is a ValueError without a full stop."""
        tokens = list(_tokens(text))
        letters = [each["letter"] for each in tokens if each["letter"]]
        twice = next((letter for letter in letters if letters.count(letter) > 1), None)
        if twice is not None:
            raise ValueError(f"the letter {twice!r} stands in two places")
        if not letters:
            raise ValueError("no letter of a date or time is in it")
        following = [each["letter"] or "" for each in tokens[1:]] + [""]
        parts = map(_expression, tokens, following)
        return cls(text, re.compile("".join(parts), re.IGNORECASE))

    def days(self, value: str) -> float | None:
        """Days of a value; None where it does not fit the pattern, or there is no such day or time."""
        match = self.value.fullmatch(value)
        if match is None:
            return None
        fields = match.groupdict()
        month, hour = _month(fields.get("M", "1")), _hour(fields)
        if month is None or hour is None:
            return None
        numbers = [int(fields.get(letter, usual)) for letter, usual in _USUAL]
        year, day, minute, second, thousandths = numbers
        clock = f"{hour:02}:{minute:02}:{second:02}.{thousandths:03}"
        return days_of(f"{year:04}-{month:02}-{day:02}T{clock}")


def dates_to_days(
    path: Path,
    table: RawTable,
    patterns: Mapping[str, DatePattern],
    line_of_another: Callable[[str, list[str]], int | None],
) -> None:
    """Make days of the texts of columns; what does not fit its pattern is a `TableFileError`.

    Parameters
    ----------
    path : path
        The file, for messages.
    table : RawTable
        Columns as they are in the file; dates are categories.
    patterns : mapping
        How dates are written, by the names of their columns.
    line_of_another : callable
        Told a column and some of its values, returns the line where it has another one first.
    """
    for name, pattern in patterns.items():
        j = next(j for j, column in enumerate(table.columns) if column.name == name)
        texts, codes = table.columns[j].categories, table.arrays[j]
        days = [pattern.days(text) for text in texts] + [np.nan]  # the last is that of missing ones
        strange = [code for code in codes.tolist() if days[code] is None]
        if strange:
            line = line_of_another(
                name, [text for text, day in zip(texts, days, strict=False) if day is not None]
            )
            what = f"the value {texts[strange[0]]!r} of column {name!r} does not fit its date pattern"
            raise TableFileError(path, f"{what} {pattern.text!r}, or there is no such date.", line)
        table.arrays[j] = np.array(days, dtype=np.float64)[codes]
        table.columns[j] = Column(name, dates=True)


#: What a number is that no letter of the pattern stands for.
_USUAL = (("y", "1970"), ("d", "1"), ("m", "0"), ("s", "0"), ("S", "0"))


def _tokens(text: str) -> Iterator[re.Match[str]]:
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise ValueError("a quote is opened but not closed")
        letter = token["letter"]
        if letter is not None and letter not in LETTERS:
            known = some(LETTERS, len(LETTERS))
            raise ValueError(f"the letter {letter!r} is not read, but {known} are")
        yield token
        position = token.end()


def _expression(token: re.Match[str], following: str) -> str:
    """Regular expression of a piece of a pattern; ``following`` is the letter of the next piece."""
    if token["plain"] is not None:
        return re.escape(token["plain"])
    if token["quoted"] is not None:
        return re.escape(token["quoted"].replace("''", "'") or "'")
    letter, count = token["letter"], len(token[0])
    if letter == "a":
        return "(?P<a>am|pm)"
    if letter == "M" and count > 2:
        return "(?P<M>[a-z]+)"
    if letter == "y":
        if count == 2:
            raise ValueError("a year of two digits does not say its century; 'yyyy' is needed")
        return "(?P<y>[0-9]{4})"
    most = LETTERS[letter]
    assert most is not None
    if count > most:
        raise ValueError(f"the letter {letter!r} stands there {count} times, and {most} are read")
    # digits of a number end where those of the next one begin
    abuts = LETTERS.get(following) is not None
    return f"(?P<{letter}>[0-9]{{{count if abuts else f'1,{most}'}}})"


def _month(text: str) -> int | None:
    if text.isdecimal():
        return int(text)
    names = [number for number, name in enumerate(_MONTHS, 1) if text.lower() in (name, name[:3])]
    return names[0] if names else None


def _hour(fields: dict[str, str]) -> int | None:
    """Hour of the day; those of a clock with twelve hours run from 1 to 12, and 12 comes first."""
    if "H" in fields or "h" not in fields:
        return int(fields.get("H", "0"))
    hour = int(fields["h"])
    afternoon = fields.get("a", "am").lower() == "pm"
    return hour % 12 + 12 * afternoon if 1 <= hour <= 12 else None
