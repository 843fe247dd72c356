"""A deployed model at work in this process: what it watches is counted, and counts become verdicts."""

from __future__ import annotations

import mmap
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from . import memory, versions
from .backend import _tracer, watcher
from .counters import Counts, read
from .model import ClarifyModel, Verdict
from .names import Ending, Function, Line
from .selection import Selection
from .trees import counts_of, project
from .watch import Watch

if TYPE_CHECKING:
    from . import backend


class Clarify:
    """Watches what a model names, from now on; see :func:`install`."""

    def __init__(self, model: ClarifyModel, budget: int = memory.BUDGET) -> None:
        self.model = model
        self.refused = versions.mismatch(model.document["interpreter"], model.document["versions"], sys.path)
        self._variable: ContextVar[backend.Scope | None] = ContextVar("clarify", default=None)
        self._tracer: backend.Watcher | None = None
        self._memory: mmap.mmap | memoryview | None = None
        if not self.refused:
            self._start(budget)
        if self.refused:
            warnings.warn(f"clarify does not watch: {self.refused}", RuntimeWarning, stacklevel=4)

    def _start(self, budget: int) -> None:
        selection = selection_of(self.model)
        try:
            tracer, self.how = watcher(selection)
            self._memory = memory.create(None, selection.capacity, int(self.model.digest, 16))
            tracer.watch(self._memory, selection, False, budget, self._variable)
            self._tracer = tracer
        except (OSError, MemoryError, RuntimeError, ValueError) as error:
            self.refused = str(error)

    def explain(self, ending: Ending | None = None) -> Verdict:
        """Say what the counts so far look like: those of the present scope, or of the process."""
        if self._memory is None:
            return unknown(self.model, self.refused)
        scope = self._variable.get()
        counts = read(self._memory)
        return verdict(self.model, [counts if scope is None else _within(counts, scope.counts())], ending)

    @contextmanager
    def scope(self) -> Iterator[Scope]:
        """Count separately what happens inside: one request of a server, one job of a worker."""
        scope = Scope(self, None if self._tracer is None else _new_scope(self._tracer))
        token = self._variable.set(scope.counter)
        try:
            yield scope
        finally:
            self._variable.reset(token)

    def stop(self) -> None:
        """Watch no more."""
        if self._tracer is not None:
            self._tracer.stop()
            self._tracer = None

    def failed(self) -> bool:
        """Whether the program is about to exit with a status other than 0, as far as that can be seen."""
        return self._tracer is not None and _tracer is not None and _tracer.failed()


class Scope:
    """Counts of what happened inside a ``with scope():`` in this thread or task."""

    def __init__(self, clarify: Clarify, counter: backend.Scope | None) -> None:
        self._clarify, self.counter = clarify, counter

    def explain(self) -> Verdict:
        """Say what the counts of this scope look like, also after it has ended."""
        clarify = self._clarify
        if clarify._memory is None or self.counter is None:
            return unknown(clarify.model, clarify.refused or "nothing is watched any more")
        return verdict(clarify.model, [_within(read(clarify._memory), self.counter.counts())])


def _new_scope(tracer: backend.Watcher) -> backend.Scope:
    from .fallback import PlainScope, PlainTracer

    return PlainScope() if isinstance(tracer, PlainTracer) else _tracer.Scope()


def selection_of(model: ClarifyModel) -> Selection:
    """Return what a model watches for the tracers."""
    watched = model.watched
    number = {function: place for place, function in enumerate(watched.functions)}
    subjects = [feature.subject for feature in watched.features]
    lines = [(number[subject.function], subject.line) for subject in subjects if isinstance(subject, Line)]
    return Selection(watched.functions, lines, watched.needs_trees)


def _within(counts: Counts, scope: tuple[list[int], list[int], list[int]]) -> Counts:
    """Return the tables with the counts of a scope instead of the process's."""

    def padded(values: list[int], length: int) -> list[int]:
        return values[:length] + [0] * (length - len(values))

    from dataclasses import replace

    starts, calls, lines = scope
    arrivals = padded(lines, len(counts.lines))
    return replace(
        counts,
        starts=padded(starts, len(counts.functions)),
        calls=padded(calls, len(counts.trees)),
        lines=[(function, line, n) for (function, line, _), n in zip(counts.lines, arrivals, strict=True)],
    )


def verdict(model: ClarifyModel, processes: list[Counts], ending: Ending | None = None) -> Verdict:
    """Add the counts of the processes of one run and say what they look like."""
    functions = model.watched.functions
    totals, guard = [0] * len(model.watch.features), [0] * len(model.guard.features)
    for counts in processes:
        files = {(functions[i].path, path) for i, (path, _, _) in enumerate(counts.functions)}
        changed = versions.changed_file(model.document["versions"], files)
        if changed:
            return unknown(model, changed)
        if counts.over_budget:
            return unknown(model, "the watched functions ran too often, so watching was ended")
        if counts.full:
            return unknown(model, "not all that happened could be counted")
        totals = [a + b for a, b in zip(totals, observed(functions, model.watch, counts), strict=True)]
        guard = [a + b for a, b in zip(guard, observed(functions, model.guard, counts), strict=True)]
    return model.explain(totals, ending, guard)


def observed(functions: tuple[Function, ...], watch: Watch, counts: Counts) -> list[int]:
    """Return the counts of a process, of all its functions, as if no more than this had been watched."""
    wanted = [function in watch.functions for function in functions]
    projection = project(functions, counts.starts, counts.trees, counts.calls, wanted)
    lines = {Line(functions[function], line): n for function, line, n in counts.lines}
    return counts_of(watch, projection, lines)


def unknown(model: ClarifyModel, why: str) -> Verdict:
    """Return the verdict that says nothing but why there is none."""
    return Verdict(None, "", 0, 0, why, (), f"{model.digest}-none", ())


def write_all(text: str) -> None:
    """Append to standard error whatever became of ``sys.stderr``; never raises."""
    try:
        sys.stderr.flush()
        os.write(2, text.encode(errors="replace"))
    except Exception:
        pass
