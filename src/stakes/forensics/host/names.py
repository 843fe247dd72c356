"""Names of what can be counted: functions, call trees and lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .checks import is_text, is_whole


class Function(NamedTuple):
    """A function by where it was written: file from the parent of its package, name, first line."""

    path: str
    name: str
    line: int

    def __str__(self) -> str:
        """Return ``path:name:line``."""
        return f"{self.path}:{self.name}:{self.line}"


def functions_of(entries: Iterable[tuple[Any, Any, Any]]) -> tuple[Function, ...]:
    """Return the functions of entries (path, name, line), as in JSON; anything else is a ValueError."""
    functions = tuple(Function(path, name, line) for path, name, line in entries)
    for function in functions:
        if not (is_text(function.path) and is_text(function.name) and is_whole(function.line)):
            raise ValueError(f"a function must be a path, a name and a line, got {list(function)}")
    return functions


class Ending(NamedTuple):
    """How a run ended; what a program writes is not looked at.

    Attributes
    ----------
    exit_status : int or None
        Negative where a signal ended the program; None where it cannot be seen.
    exception : str or None
        Type of the exception that nobody caught, as a traceback names it; None where there was none.

    Examples
    --------
    >>> print(Ending(1, "KeyError"), Ending(-9, None), Ending(None, "KeyError"), sep=" / ")
    exit status 1 and KeyError / signal 9 and no uncaught exception / KeyError
    >>> Ending(None, "KeyError").may_be(Ending(1, "KeyError"))
    True
    """

    exit_status: int | None
    exception: str | None

    def may_be(self, other: Ending) -> bool:
        """Whether nothing that can be seen is different."""
        return self.exception == other.exception and self.exit_status in (None, other.exit_status)

    def __str__(self) -> str:
        """Return it in words."""
        exception = self.exception or "no uncaught exception"
        if self.exit_status is None:
            return exception
        kind = "exit status" if self.exit_status >= 0 else "signal"
        return f"{kind} {abs(self.exit_status)} and {exception}"


def exception_name(kind: type) -> str:
    """Return the name of a type of exceptions as a traceback has it.

    Examples
    --------
    >>> import json
    >>> exception_name(KeyError), exception_name(json.JSONDecodeError)
    ('KeyError', 'json.decoder.JSONDecodeError')
    """
    module = kind.__module__
    named = isinstance(module, str) and module not in ("builtins", "__main__")
    return f"{module}.{kind.__qualname__}" if named else kind.__qualname__


class CallTree(NamedTuple):
    """A function and the set of call trees below it; two are the same feature where they are equal."""

    function: Function
    children: frozenset[CallTree] = frozenset()

    def __str__(self) -> str:
        """Return ``f``, or ``f -> {a, b -> {c}}`` with the children in order."""
        below = ", ".join(sorted(map(str, self.children)))
        return f"{self.function} -> {{{below}}}" if self.children else str(self.function)

    @property
    def functions(self) -> frozenset[Function]:
        """Every function in the tree."""
        return frozenset({self.function}).union(*(child.functions for child in self.children))


class Line(NamedTuple):
    """A line of a function, by its number in the file."""

    function: Function
    line: int

    def __str__(self) -> str:
        """Return ``function@line``."""
        return f"{self.function}@{self.line}"


class Feature(NamedTuple):
    """One number counted in a run.

    Attributes
    ----------
    subject : Function, CallTree or Line
        What is counted: starts of a function, calls that had a tree, or times a line was reached.
    depth : int
        Of a call tree, the levels below the call that are compared, 1 or 2; else 0.
    """

    subject: Function | CallTree | Line
    depth: int = 0

    def __str__(self) -> str:
        """Return the subject in words, unique among features."""
        return f"D{self.depth} {self.subject}" if self.depth else str(self.subject)

    @property
    def functions(self) -> frozenset[Function]:
        """Functions that must be watched to count this."""
        if isinstance(self.subject, CallTree):
            return self.subject.functions
        return frozenset({self.subject.function if isinstance(self.subject, Line) else self.subject})
