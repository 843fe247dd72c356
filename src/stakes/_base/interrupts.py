"""Ctrl-C: whether a fit may end early with the best it has, or the work around it must end with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_early: ContextVar[bool] = ContextVar("stakes_early_end", default=True)


def may_end_early() -> bool:
    """Whether a fit that is interrupted may return with what it has, instead of raising KeyboardInterrupt.

    Examples
    --------
    >>> with early_end(False):
    ...     may_end_early()
    False
    >>> may_end_early()
    True
    """
    return _early.get()


@contextmanager
def early_end(allowed: bool) -> Iterator[None]:
    """Say what holds for the fits inside; one of many must not return, or the next would begin."""
    token = _early.set(allowed)
    try:
        yield
    finally:
        _early.reset(token)
