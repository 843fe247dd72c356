"""Explanations inside a program: :func:`install` once, and failures are explained."""

from __future__ import annotations

import atexit
import json
import logging
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .memory import BUDGET
from .model import ClarifyModel, Verdict
from .names import Ending, exception_name
from .watching import Clarify, Scope, write_all


def install(
    model: str | os.PathLike[str] | Mapping[str, Any], *, as_json: bool = False, budget: int = BUDGET
) -> Clarify:
    """Watch what a model names, and explain failures of this program below its own messages.

    Uncaught exceptions of all threads and exits with a status other than 0 are explained on standard error,
    each after the program's own output, which stays as it is. On Python 3.11 an exit is seen where it goes
    through ``sys.exit``.

    Parameters
    ----------
    model : path or dict
        A model of ``stakes clarify train``.
    as_json : bool
        Whether to write each explanation as one line of JSON instead of a sentence.
    budget : int
        Watched events per second past which watching ends for good.

    Returns
    -------
    Clarify
        Watching; with ``refused`` saying why not where the program or the interpreter is not the model's.
    """
    loaded = ClarifyModel.from_dict(model) if isinstance(model, Mapping) else ClarifyModel.read(model)
    uninstall()
    _Hooks.set(Clarify(loaded, budget), as_json)
    return active()


def uninstall() -> None:
    """Watch and explain no more."""
    if _Hooks.clarify is not None:
        _Hooks.clarify.stop()
        _Hooks.unset()


def active() -> Clarify:
    """Return what :func:`install` has started; RuntimeError where it has not been called."""
    if _Hooks.clarify is None:
        raise RuntimeError("nothing is watched: call stakes.forensics.install(model) first")
    return _Hooks.clarify


def explain() -> Verdict:
    """Say what the counts so far look like: those of the present scope, or of the process."""
    return active().explain()


@contextmanager
def scope() -> Iterator[Scope]:
    """Count separately what happens inside, in this thread or task: one request of a server."""
    with active().scope() as counts:
        yield counts


def fingerprint() -> str:
    """Return what to group by in an error tracker: the same for runs that look the same to the model."""
    return explain().fingerprint


class ClarifyHandler(logging.Handler):
    """Follows each logged error with its explanation, through the logger ``stakes.clarify``.

    The record has the verdict as ``record.clarify``, a dict.
    """

    def __init__(self, level: int = logging.ERROR) -> None:
        super().__init__(level)
        self._logger = logging.getLogger("stakes.clarify")

    def emit(self, record: logging.LogRecord) -> None:
        """Log the explanation of what another record reports."""
        if _Hooks.clarify is None or record.name == self._logger.name:
            return
        try:
            verdict = _Hooks.clarify.explain()
            self._logger.log(record.levelno, "%s", verdict, extra={"clarify": verdict.to_dict()})
        except Exception:
            self.handleError(record)


class _Hooks:
    """Where a program's failure can be seen; what was there before is called first, unchanged."""

    clarify: Clarify | None = None
    as_json = explained = failed = False
    before: Any = None

    @classmethod
    def set(cls, clarify: Clarify, as_json: bool) -> None:
        cls.clarify, cls.as_json, cls.explained, cls.failed = clarify, as_json, False, False
        cls.before = (sys.excepthook, threading.excepthook, sys.exit)
        sys.excepthook, threading.excepthook = cls.uncaught, cls.uncaught_in_thread
        if sys.version_info < (3, 12):
            sys.exit = cls.exit  # type: ignore[assignment]
        atexit.register(cls.at_exit)

    @classmethod
    def unset(cls) -> None:
        # Only where nobody has put another hook over it meanwhile.
        if sys.excepthook == cls.uncaught:
            sys.excepthook = cls.before[0]
        if threading.excepthook == cls.uncaught_in_thread:
            threading.excepthook = cls.before[1]
        if sys.exit == cls.exit:
            sys.exit = cls.before[2]
        cls.clarify = None
        atexit.unregister(cls.at_exit)

    @classmethod
    def uncaught(cls, kind: type, *details: Any) -> None:
        cls.before[0](kind, *details)
        cls.tell(Ending(None, exception_name(kind)))

    @classmethod
    def uncaught_in_thread(cls, details: Any) -> None:
        cls.before[1](details)
        if not issubclass(details.exc_type, SystemExit):
            cls.tell(None)  # it ends a thread, not the program

    @classmethod
    def exit(cls, status: Any = None, /) -> None:
        cls.failed = status is not None and status != 0
        raise SystemExit(status)

    @classmethod
    def at_exit(cls) -> None:
        if not cls.explained and (cls.failed or (cls.clarify is not None and cls.clarify.failed())):
            cls.tell(Ending(None, None))

    @classmethod
    def tell(cls, ending: Ending | None) -> None:
        """Append the explanation; whatever goes wrong, the program does not notice."""
        if cls.clarify is None or cls.clarify.refused:
            return
        cls.explained = True
        try:
            verdict = cls.clarify.explain(ending)
            write_all((json.dumps(verdict.to_dict()) if cls.as_json else str(verdict)) + "\n")
        except Exception:
            pass
