"""Results of units in one SQLite file, written as they finish."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

#: Of the layout of the file.
VERSION = 1
_SCHEMA = """
create table if not exists units (
    key text primary key,
    what text not null,
    record text,
    traceback text,
    seconds real not null,
    cpu real not null,
    memory integer,
    finished text not null default current_timestamp
) without rowid
"""


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
        try:
            self._connection = sqlite3.connect(path, isolation_level=None)
            self._connection.execute("pragma journal_mode = wal")
            # A killed process loses nothing so; a power cut may lose the last units, which are run again.
            self._connection.execute("pragma synchronous = normal")
            known = self._connection.execute("select name from sqlite_master where name = 'units'").fetchone()
            version = self._connection.execute("pragma user_version").fetchone()[0]
            if known is not None and version != VERSION:
                raise sqlite3.DatabaseError(f"it is of version {version}, this one reads {VERSION}")
            self._connection.execute(_SCHEMA)
            self._connection.execute(f"pragma user_version = {VERSION}")
        except sqlite3.DatabaseError as error:
            accepted = "a file of results that this version of stakes wrote, or not exist"
            raise ValueError(f"{path} must be {accepted}: {error}") from None

    def __enter__(self) -> Self:
        """Use it in a with statement."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close the file."""
        self._connection.close()

    def add(self, outcome: Outcome) -> None:
        """Write one outcome; a newer one replaces that of an earlier, failed attempt."""
        self._connection.execute(
            "insert or replace into units (key, what, record, traceback, seconds, cpu, memory) "
            "values (:key, :what, :record, :traceback, :seconds, :cpu, :memory)",
            vars(outcome)
            | {
                "what": json.dumps(outcome.what, ensure_ascii=False),
                "record": None if outcome.record is None else json.dumps(outcome.record),
            },
        )

    def records(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Measures of those units that have succeeded."""
        return {row[0]: json.loads(row[1]) for row in self._rows("key, record", keys) if row[1] is not None}

    def failures(self, keys: Iterable[str]) -> list[Outcome]:
        """Those units that have failed."""
        columns = "key, what, traceback, seconds, cpu, memory"
        return [
            Outcome(key, json.loads(what), None, trace, seconds, cpu, memory)
            for key, what, trace, seconds, cpu, memory in self._rows(columns, keys)
            if trace is not None
        ]

    def totals(self, keys: Iterable[str]) -> tuple[float, int]:
        """Processor seconds of all units together, and the most bytes that one of them held."""
        rows = list(self._rows("cpu, memory", keys))
        return sum(row[0] for row in rows), max((row[1] or 0 for row in rows), default=0)

    def times(self, keys: Iterable[str]) -> list[UnitTime]:
        """What each unit took that has run."""
        return [
            UnitTime(json.loads(what), cpu, memory, trace is not None)
            for what, cpu, memory, trace in self._rows("what, cpu, memory, traceback", keys)
        ]

    def _rows(self, columns: str, keys: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        wanted = list(keys)
        for start in range(0, len(wanted), 500):
            some = wanted[start : start + 500]
            marks = ", ".join("?" * len(some))
            yield from self._connection.execute(f"select {columns} from units where key in ({marks})", some)
