"""How far a fit is: learners say which part of their work comes next, and whoever watches is told.

A thread knows nothing of the parts that another thread is at; `teller` is handed to it where it should tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from stakes import _core

#: Is told the share of the work that is done, from 0 to 1, and what is being done.
Watcher = Callable[[float, str], None]


@dataclass(frozen=True)
class _Part:
    """A stretch of the whole work."""

    watcher: Watcher
    first: float = 0.0
    last: float = 1.0
    what: str = ""

    def at(self, share: float) -> float:
        return self.first + share * (self.last - self.first)


_part: ContextVar[_Part | None] = ContextVar("stakes_progress", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Tell a function how far the fits inside are; it never hears that less is done than before.

    Examples
    --------
    >>> from stakes import C45Classifier, Guard
    >>> heard = {}
    >>> with watched(lambda share, what: heard.update({what: share})):
    ...     model = Guard(C45Classifier(), cv=3).fit([[1], [2], [3], [4]] * 3, [0, 0, 1, 1] * 3)
    >>> heard
    {'learning': 0.25, 'guard, fold 1 of 3': 0.5, 'guard, fold 2 of 3': 0.75, 'guard, fold 3 of 3': 1.0}
    """
    most = 0.0

    def ahead(share: float, what: str) -> None:
        nonlocal most
        most = max(most, min(share, 1.0))  # some parts are done again
        watcher(most, what)

    token = _part.set(_Part(ahead))
    _core.tell_progress(tell)
    try:
        yield
    finally:
        _core.tell_progress(None)
        _part.reset(token)


def tell(share: float) -> None:
    """Tell how much of the present part is done."""
    teller()(share)


def teller() -> Callable[[float], None]:
    """Return what tells how much of the present part is done, for other threads as well."""
    here = _part.get()
    if here is None:
        return lambda share: None
    return lambda share: here.watcher(here.at(share), here.what)


@contextmanager
def part(first: float, last: float, what: str = "") -> Iterator[None]:
    """Say that what is done inside is a stretch of the present part; `what` names it for people."""
    here = _part.get()
    if here is None:
        yield
        return
    inside = _Part(here.watcher, here.at(first), here.at(last), what or here.what)
    token = _part.set(inside)
    try:
        if what:
            tell(0.0)
        yield
        tell(1.0)
    finally:
        _part.reset(token)


def part_of(number: int, all_parts: int, what: str = "") -> AbstractContextManager[None]:
    """Say that what is done inside is one of so many equal parts, which are counted from 0."""
    return part(number / all_parts, (number + 1) / all_parts, what)
