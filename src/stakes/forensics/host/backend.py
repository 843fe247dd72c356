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
    from typing import Any

    from .selection import Selection


#: ``sys.monitoring``, which Python 3.11 does not have.
monitoring: Any = getattr(sys, "monitoring", None)

#: Debuggers, coverage, profilers and optimisers have the other numbers.
TOOLS = (4, 3)


def recorder() -> tuple[Any, str]:
    """Return the tracer for recording, and why it was chosen."""
    if _tracer is None:
        from .fallback import PlainTracer

        return PlainTracer(), f"in plain Python, since none is compiled for {sys.implementation.cache_tag}"
    if sys.version_info >= (3, 12):
        return MonitoringTracer(), "compiled, called by sys.monitoring: the cheapest that Python offers"
    return ProfileTracer(), "compiled, as a profile function: sys.monitoring came with Python 3.12"


def watcher(selection: Selection) -> tuple[Any, str]:
    """Return the tracer for a deployed model, and why it was chosen; RuntimeError where none can do it."""
    if sys.version_info >= (3, 12):
        if _tracer is not None:
            return MonitoringTracer(), "compiled, called by sys.monitoring for the chosen functions only"
        from .fallback import PlainTracer

        return PlainTracer(), f"in plain Python, since none is compiled for {sys.implementation.cache_tag}"
    if _tracer is None:
        raise RuntimeError("before Python 3.12 the compiled tracer is needed to watch single functions")
    if selection.trees or selection.lines:
        raise RuntimeError(
            "before Python 3.12 only starts of functions can be watched, not call trees or lines"
        )
    from .inject import InjectingTracer

    return (
        InjectingTracer(),
        "compiled, called from within the chosen functions: Python 3.11 has no monitoring",
    )


def free_tool() -> int:
    """Return a tool number of sys.monitoring that nobody uses."""
    for tool in TOOLS:
        if monitoring.get_tool(tool) is None:
            return tool
    raise RuntimeError("every tool number of sys.monitoring is in use")


class MonitoringTracer:
    """Python 3.12 and later."""

    def start(self, tables: mmap.mmap, trees: bool, lines: bool, in_file: bool) -> None:
        """Begin to count everything that runs."""
        events = monitoring.events
        self._start = lambda tables, in_file: _tracer.start(tables, trees, lines, in_file)
        wanted = {events.PY_START: _tracer.on_start}
        if trees:
            wanted |= dict.fromkeys((events.PY_RESUME, events.PY_THROW), _tracer.on_resume)
            wanted |= dict.fromkeys((events.PY_RETURN, events.PY_YIELD), _tracer.on_end)
            wanted[events.PY_UNWIND] = _tracer.on_unwind
        if lines:
            wanted[events.LINE] = _tracer.on_line
        self._begin(tables, in_file, wanted, sum(wanted))

    def watch(
        self, tables: mmap.mmap, selection: Selection, in_file: bool, budget: int = 0, variable: Any = None
    ) -> None:
        """Begin to count what is selected; the rest is disabled function by function when first met."""
        events = monitoring.events
        ends = events.PY_RETURN | events.PY_YIELD | events.PY_RESUME if selection.trees else 0
        with_lines = {function for function, _ in selection.lines}

        def select(code: Any, number: int) -> None:
            local = ends | (events.LINE if number in with_lines else 0)
            if local:
                monitoring.set_local_events(self.tool, code, local)

        self._start = lambda tables, in_file: _tracer.start(
            tables, selection.trees, bool(selection.lines), in_file, selection.functions, selection.lines,
            selection.by_name, select, monitoring.DISABLE, variable, budget,
        )  # fmt: skip
        everywhere = events.PY_START | events.PY_UNWIND | (events.PY_THROW if selection.trees else 0)
        wanted = {
            events.PY_START: _tracer.on_start,
            events.PY_UNWIND: _tracer.on_unwind,
            events.LINE: _tracer.on_line,
            **dict.fromkeys((events.PY_RESUME, events.PY_THROW), _tracer.on_resume),
            **dict.fromkeys((events.PY_RETURN, events.PY_YIELD), _tracer.on_end),
        }
        self._begin(tables, in_file, wanted, everywhere)

    def _begin(self, tables: mmap.mmap, in_file: bool, wanted: dict[int, Any], everywhere: int) -> None:
        self.tool = free_tool()
        self._start(tables, in_file)
        monitoring.use_tool_id(self.tool, "stakes.clarify")
        for event, callback in wanted.items():
            monitoring.register_callback(self.tool, event, callback)
        monitoring.set_events(self.tool, everywhere)

    def rebase(self, tables: mmap.mmap, in_file: bool) -> None:
        """Count into other, empty tables from now on."""
        self._start(tables, in_file)

    def stop(self) -> None:
        """Count no more."""
        monitoring.set_events(self.tool, 0)
        monitoring.free_tool_id(self.tool)
        _tracer.stop()


class ProfileTracer:
    """Python 3.11: each thread has its own profile function, given to new ones by the threading module."""

    def start(self, tables: mmap.mmap, trees: bool, lines: bool, in_file: bool) -> None:
        """Begin to count everything that runs."""
        import threading

        self._start = lambda tables, in_file: _tracer.start(tables, trees, lines, in_file)
        self._start(tables, in_file)
        threading.setprofile(_tracer.profile_thread)
        _tracer.profile_thread()

    def rebase(self, tables: mmap.mmap, in_file: bool) -> None:
        """Count into other, empty tables from now on."""
        self._start(tables, in_file)
