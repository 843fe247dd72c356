"""Which tracer counts: chosen here and nowhere else."""

from __future__ import annotations

import sys

try:
    from . import _tracer
except ImportError:  # it is not built for this interpreter
    _tracer = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    import mmap
    from contextvars import ContextVar
    from types import CodeType
    from typing import Any, Protocol

    from .selection import Selection

    Memory = mmap.mmap | memoryview

    class Scope(Protocol):
        """Counts of one part of a program: of functions, call trees and lines."""

        def counts(self) -> tuple[list[int], list[int], list[int]]: ...

    #: Holds the scope that the present thread or task counts into.
    Variable = ContextVar[Scope | None] | None

    class Tracer(Protocol):
        """What counts in this process; it can be moved to other tables after a fork."""

        def rebase(self, tables: Memory, in_file: bool) -> None: ...

    class Recorder(Tracer, Protocol):
        """A tracer that can count everything that runs."""

        def start(self, tables: Memory, trees: bool, lines: bool, in_file: bool) -> None: ...

    class Watcher(Tracer, Protocol):
        """A tracer that can count chosen functions, within a budget of events per second, and by scope."""

        def watch(
            self,
            tables: Memory,
            selection: Selection,
            in_file: bool,
            budget: int = 0,
            variable: Variable = None,
        ) -> None: ...
        def stop(self) -> None: ...


#: ``sys.monitoring``, which Python 3.11 does not have.
monitoring: Any = getattr(sys, "monitoring", None)

#: Flags of generators, coroutines and asynchronous generators.
GENERATORS = 0x20 | 0x80 | 0x200

#: Debuggers, coverage, profilers and optimisers have the other numbers.
TOOLS = (4, 3)


def recorder() -> tuple[Recorder, str]:
    """Return the tracer for recording, and why it was chosen."""
    if _tracer is None:
        from .fallback import PlainTracer

        return PlainTracer(), f"in plain Python, since none is compiled for {sys.implementation.cache_tag}"
    if sys.version_info >= (3, 12):
        return MonitoringTracer(), "compiled, called by sys.monitoring: the cheapest that Python offers"
    return ProfileTracer(), "compiled, as a profile function: sys.monitoring came with Python 3.12"


def watcher(selection: Selection, exits: bool = True) -> tuple[Watcher, str]:
    """Return the tracer for a deployed model, and why it was chosen; RuntimeError where none can do it.

    With ``exits`` it also sees with which status the program ends.
    """
    if sys.version_info >= (3, 12):
        if _tracer is not None:
            # Which calls have ended is read from frames, which may look different from Python 3.14 on.
            alone = not exits and (sys.version_info < (3, 14) or not selection.trees)
            return MonitoringTracer(alone), "compiled, called by sys.monitoring for the chosen functions only"
        from .fallback import PlainTracer

        return PlainTracer(), f"in plain Python, since none is compiled for {sys.implementation.cache_tag}"
    if _tracer is None:
        raise RuntimeError("before Python 3.12 the compiled tracer is needed to watch single functions")
    if selection.trees or selection.lines:
        raise RuntimeError(
            "before Python 3.12 only starts of functions can be watched, not call trees or lines"
        )
    from .inject import InjectingTracer

    how = "compiled, called from within the chosen functions: Python 3.11 has no monitoring"
    return InjectingTracer(), how


def free_tool() -> int:
    """Return a tool number of sys.monitoring that nobody uses."""
    for tool in TOOLS:
        if monitoring.get_tool(tool) is None:
            return tool
    raise RuntimeError("every tool number of sys.monitoring is in use")


def counting(selection: Selection, budget: int, variable: Variable, select: Any = None) -> Any:
    """Return what begins to count a selection into tables; ``select`` is told the code of its functions."""
    disable = None if select is None else monitoring.DISABLE
    return lambda tables, in_file: _tracer.start(
        tables, selection.trees, bool(selection.lines), in_file, selection.functions, selection.lines,
        selection.by_name, select, disable, variable, budget,
    )  # fmt: skip


class MonitoringTracer:
    """Python 3.12 and later.

    With ``alone``, watched functions are found as they come into being and nothing else is monitored. An
    event for all code costs a program 1.2 % where it runs most of its code for the first time, as pip does.
    """

    def __init__(self, alone: bool = False) -> None:
        self._alone = alone

    def start(self, tables: Memory, trees: bool, lines: bool, in_file: bool) -> None:
        """Begin to count everything that runs."""
        events = monitoring.events
        self._start = lambda tables, in_file: _tracer.start(tables, trees, lines, in_file)
        ends = events.PY_RETURN | events.PY_YIELD | events.PY_UNWIND
        calls = events.PY_RESUME | events.PY_THROW | ends if trees else 0
        self._begin(tables, in_file, events.PY_START | calls | (events.LINE if lines else 0))

    def watch(
        self, tables: Memory, selection: Selection, in_file: bool, budget: int = 0, variable: Variable = None
    ) -> None:
        """Begin to count what is selected; the rest is not monitored, or disabled when first met."""
        events = monitoring.events
        starts = events.PY_START if self._alone else 0
        ends = events.PY_RETURN | events.PY_YIELD | events.PY_RESUME if selection.trees else 0
        with_lines = {function for function, _ in selection.lines}
        unwinding = events.PY_UNWIND | (events.PY_THROW if selection.trees else 0)

        def see_unwinding() -> None:
            # There are no such events for single functions. Frames tell the same later, but not where a
            # generator is thrown into, and not of a thread that has ended.
            if selection.trees:
                monitoring.set_events(self.tool, unwinding)

        def select(code: CodeType, number: int) -> None:
            local = starts | ends | (events.LINE if number in with_lines else 0)
            if local:
                monitoring.set_local_events(self.tool, code, local)
            if self._alone and code.co_flags & GENERATORS:
                see_unwinding()

        self._start = counting(selection, budget, variable, select)
        self._begin(tables, in_file, 0 if self._alone else events.PY_START | unwinding)
        if self._alone:
            files = tuple({path for path, _, _ in selection.functions})
            self._find = lambda: _tracer.find(files, see_unwinding)
            self._find()

    def _begin(self, tables: Memory, in_file: bool, everywhere: int) -> None:
        events = monitoring.events
        self.tool = free_tool()
        self._start(tables, in_file)
        monitoring.use_tool_id(self.tool, "stakes.clarify")
        callbacks = {
            events.PY_START: _tracer.on_start,
            events.PY_UNWIND: _tracer.on_unwind,
            events.LINE: _tracer.on_line,
            **dict.fromkeys((events.PY_RESUME, events.PY_THROW), _tracer.on_resume),
            **dict.fromkeys((events.PY_RETURN, events.PY_YIELD), _tracer.on_end),
        }
        for event, callback in callbacks.items():
            monitoring.register_callback(self.tool, event, callback)
        monitoring.set_events(self.tool, everywhere)

    def rebase(self, tables: Memory, in_file: bool) -> None:
        """Count into other, empty tables from now on."""
        self._start(tables, in_file)
        if self._alone:
            self._find()

    def stop(self) -> None:
        """Count no more."""
        monitoring.set_events(self.tool, 0)
        monitoring.free_tool_id(self.tool)
        _tracer.stop()


class ProfileTracer:
    """Python 3.11: each thread has its own profile function, given to new ones by the threading module."""

    def start(self, tables: Memory, trees: bool, lines: bool, in_file: bool) -> None:
        """Begin to count everything that runs."""
        import threading

        self._start = lambda tables, in_file: _tracer.start(tables, trees, lines, in_file)
        self._start(tables, in_file)
        threading.setprofile(_tracer.profile_thread)
        _tracer.profile_thread()

    def rebase(self, tables: Memory, in_file: bool) -> None:
        """Count into other, empty tables from now on."""
        self._start(tables, in_file)
