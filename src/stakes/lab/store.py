"""Results of units in one SQLite file, written as they finish."""

from __future__ import annotations

import errno
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

#: Of the layout of the file.
VERSION = 2
_SCHEMA = """
create table if not exists units (
    key text primary key,
    what text not null,
    record text,
    traceback text,
    seconds real not null,
    cpu real not null,
    memory integer,
    finished text not null default current_timestamp,
    checksum integer
) without rowid
"""


#: What is wrong with the disk, and not with what the file holds.
_TROUBLE = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_BUSY: errno.EBUSY,
}


@dataclass(frozen=True)
class Outcome:
    """What came of one unit.

    Attributes
    ----------
    key : str
    what : dict
        Study, data set, case, repeat, fold and learner, for people who look into the file.
    record : dict or None
        Its measures; None where it failed.
    traceback : str or None
        How it failed.
    seconds, cpu : float
        Time of all of it, and of the processor.
    memory : int or None
        Most bytes that the process held meanwhile.
    """

    key: str
    what: dict[str, Any]
    record: dict[str, Any] | None
    traceback: str | None
    seconds: float
    cpu: float
    memory: int | None


@dataclass(frozen=True)
class UnitTime:
    """What one unit took: seconds of the processor, and the most bytes that the process held meanwhile."""

    what: dict[str, Any]
    cpu: float
    memory: int | None
    failed: bool


_COLUMNS = ", ".join(field.name for field in fields(Outcome))


class Store:
    """The file. Write-ahead logging: killed at any moment, it holds every outcome that was added before.

    Examples
    --------
    >>> with Store(":memory:") as store:
    ...     store.add(Outcome("k", {"learner": "C4.5"}, {"cost": 3.0}, None, 0.1, 0.1, None))
    ...     store.records(["k", "other"])
    {'k': {'cost': 3.0}}
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        with self._sentences():
            self._connection = sqlite3.connect(path, isolation_level=None)
        try:
            with self._sentences():
                self._open()
        except BaseException:
            self._connection.close()
            raise

    def _open(self) -> None:
        ask = self._connection.execute
        ask("pragma journal_mode = wal")
        # A killed process loses nothing so; a power cut may lose the last units, which are run again.
        ask("pragma synchronous = normal")
        known = ask("select name from sqlite_master where name = 'units'").fetchone()
        version = ask("pragma user_version").fetchone()[0]
        if known is not None and version not in (1, VERSION):
            raise ValueError(f"it is of version {version}, this one reads up to {VERSION}")
        # damage is found now and not after an hour
        check = ask("pragma quick_check(1)").fetchone()[0]
        if check != "ok":
            raise ValueError(check)
        ask(_SCHEMA)
        if known is not None and version == 1:
            ask("alter table units add column checksum integer")
        ask(f"pragma user_version = {VERSION}")

    def __enter__(self) -> Self:
        """Use it in a with statement."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close the file."""
        self._connection.close()

    def add(self, outcome: Outcome) -> None:
        """Write one outcome; a newer one replaces that of an earlier, failed attempt."""
        record = None if outcome.record is None else json.dumps(outcome.record)
        texts = outcome.key, json.dumps(outcome.what, ensure_ascii=False), record, outcome.traceback
        # a name of a file may hold half a character, which SQLite does not take
        row = (
            *(text and text.encode(errors="backslashreplace").decode() for text in texts),
            *(float(outcome.seconds), float(outcome.cpu), outcome.memory),
        )
        with self._sentences():
            self._connection.execute(
                f"insert or replace into units ({_COLUMNS}, checksum) values (?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, _checksum(row)),
            )

    def records(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Measures of those units that have succeeded."""
        return {done.key: done.record for done in self._outcomes(keys) if done.record is not None}

    def failures(self, keys: Iterable[str]) -> list[Outcome]:
        """Those units that have failed."""
        return [outcome for outcome in self._outcomes(keys) if outcome.traceback is not None]

    def totals(self, keys: Iterable[str]) -> tuple[float, int]:
        """Processor seconds of all units together, and the most bytes that one of them held."""
        outcomes = list(self._outcomes(keys))
        memory = max((outcome.memory or 0 for outcome in outcomes), default=0)
        return sum(outcome.cpu for outcome in outcomes), memory

    def times(self, keys: Iterable[str]) -> list[UnitTime]:
        """What each unit took that has run."""
        return [
            UnitTime(outcome.what, outcome.cpu, outcome.memory, outcome.traceback is not None)
            for outcome in self._outcomes(keys)
        ]

    def _outcomes(self, keys: Iterable[str]) -> Iterator[Outcome]:
        wanted = list(keys)
        for start in range(0, len(wanted), 500):
            some = wanted[start : start + 500]
            question = f"select {_COLUMNS}, checksum from units where key in ({', '.join('?' * len(some))})"
            with self._sentences():
                outcomes = [_outcome(row) for row in self._connection.execute(question, some)]
            yield from outcomes

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turn what SQLite and damaged rows raise into sentences that name the file."""
        try:
            yield
        except sqlite3.Error as error:
            code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
            if code in _TROUBLE:
                raise OSError(_TROUBLE[code], f"results cannot be kept ({error})", str(self.path)) from None
            raise self._damaged(error) from None
        except ValueError as error:
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> ValueError:
        accepted = "a file of results that this version of stakes wrote, undamaged, or not exist"
        return ValueError(f"{self.path} must be {accepted}: {error}")


def _checksum(row: tuple[Any, ...]) -> int:
    return zlib.crc32(repr(row).encode())


def _outcome(stored: tuple[Any, ...]) -> Outcome:
    """Outcome of a row of the table; rows that version 1 wrote have no checksum."""
    *row, checksum = stored
    if checksum not in (None, _checksum(tuple(row))):
        raise ValueError("a row of its table has been changed")
    key, what, record, *rest = row
    return Outcome(key, json.loads(what), None if record is None else json.loads(record), *rest)
