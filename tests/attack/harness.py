"""Attacks by number: what is tried follows from class, number and seed, so that a failure repeats.

A class of attacks is a module with ``ATTACKS``, a list of functions that take a `Draw`. One that returns was
answered rightly; `Draw.attempt` calls what is attacked and turns an error with a proper sentence into
`Refused`. Anything else that is raised is a failure, an `AssertionError` of an oracle among them.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SEED = os.environ.get("STAKES_TEST_SEED", "0")

#: What Python, NumPy, pandas or nanobind say, and no sentence of ours does.
RAW = re.compile(
    r"not supported between instances|incompatible (function|constructor) arguments|object has no attribute"
    r"|object is not (iterable|subscriptable|callable)|object does not support|index out of range"
    r"|^index .* is out of bounds|could not be broadcast|unhashable|unsupported operand|list indices must"
    r"|'NoneType' object|must be real number|cannot be interpreted as an|invalid literal for|ufunc '"
    r"|^setting an array|KeyError|not enough values to unpack|too many values to unpack|zip\(\) argument"
    r"|__init__\(\)|0x[0-9a-f]{6,}"
)
#: After these words a sentence may name what stumbled over a document that somebody has damaged.
CAUSE = re.compile(r"(?:cannot be read|\.to_dict\(\) gave): ")


class Refused(Exception):
    """What was attacked gave a proper sentence."""


class Draw(random.Random):
    """Draws of one attack, with a folder of its own and notes of what was drawn."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.notes: list[str] = []
        self._folder: Path | None = None
        self._undo = ExitStack()
        self.callback = self._undo.callback

    @property
    def folder(self) -> Path:
        """An empty folder, made when it is first asked for."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="stakes-attack-"))
        return self._folder

    def note(self, *values: Any) -> None:
        """Keep what was drawn, for the message of a failure."""
        self.notes += [(value if isinstance(value, str) else repr(value))[:80] for value in values]

    def of(self, values: Sequence[Any]) -> Any:
        """Return one of the values, and note it."""
        value = self.choice(values)
        self.note(getattr(value, "__name__", value))
        return value

    def attempt(self, attacked: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return what was attacked answers; an error with a proper sentence is `Refused`."""
        try:
            return attacked(*args, **kwargs)
        except (ValueError, TypeError, FileNotFoundError) as error:
            check_sentence(str(error))
            raise Refused(str(error)) from error

    def close(self) -> None:
        """Undo what was set up, and remove the folder."""
        self._undo.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def check_sentence(text: str) -> None:
    """Fail unless this is a sentence that helps: some words, and none of another library."""
    assert len(text) >= 15 and " " in text.strip(), f"not a sentence: {text!r}"
    raw = RAW.search(CAUSE.split(text)[0])
    assert raw is None, f"not a sentence of ours: {text[:300]!r}"


@dataclass
class Tally:
    """How attacks ended."""

    answered: int = 0
    refused: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count those of another tally as well."""
        self.answered += other.answered
        self.refused += other.refused
        self.failures += other.failures

    def __str__(self) -> str:
        """Say the counts in one line."""
        n = self.answered + self.refused + len(self.failures)
        return f"{n} tried, {self.answered} answered, {self.refused} refused, {len(self.failures)} failed"


def run(name: str, attacks: Sequence[Callable[[Draw], None]], numbers: Sequence[int]) -> Tally:
    """Try the attacks with these numbers."""
    tally = Tally()
    for number in numbers:
        attack = attacks[number % len(attacks)]
        draw = Draw(f"{name} {number} {SEED}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                attack(draw)
            tally.answered += 1
        except Refused:
            tally.refused += 1
        except (Exception, KeyboardInterrupt) as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            told = " ".join(f"{type(error).__name__}: {error}".split())[:500]
            place = f"{Path(where.filename).name}:{where.lineno}"
            notes = ", ".join(draw.notes)
            tally.failures.append(f"{name} {number} ({attack.__name__}; {notes}): {told} [{place}]")
        finally:
            draw.close()
    return tally


def by_attack(failures: Sequence[str]) -> Counter[str]:
    """How many failures each attack has."""
    return Counter(line.partition("(")[2].partition(";")[0] for line in failures)
