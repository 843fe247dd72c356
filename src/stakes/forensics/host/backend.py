"""Which tracer counts: chosen here and nowhere else."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import mmap
    from typing import Any, Protocol

    class Tracer(Protocol):
        """Counts into mapped tables until it is stopped."""

        def start(self, tables: mmap.mmap, trees: bool, lines: bool, in_file: bool) -> None:
            """Begin to count everything that runs."""

        def rebase(self, tables: mmap.mmap, in_file: bool) -> None:
            """Count into other, empty tables from now on."""


#: Debuggers, coverage, profilers and optimisers have the other numbers.
TOOLS = (4, 3)


def recorder() -> tuple[Tracer, str]:
    """Return the tracer for recording, and why it was chosen."""
    if not compiled():
        from .fallback import PlainTracer

        return PlainTracer(), f"in plain Python, since none is compiled for {sys.implementation.cache_tag}"
    if sys.version_info >= (3, 12):
        return MonitoringTracer(), "compiled, called by sys.monitoring: the cheapest that Python offers"
    return ProfileTracer(), "compiled, as a profile function: sys.monitoring came with Python 3.12"


def compiled() -> bool:
    """Whether the extension is built for this interpreter."""
    try:
        from . import _tracer  # noqa: F401
    except ImportError:
        return False
    return True


def free_tool() -> int:
    """Return a tool number of sys.monitoring that nobody uses."""
    for tool in TOOLS:
        if sys.monitoring.get_tool(tool) is None:
            return tool
    raise RuntimeError("every tool number of sys.monitoring is in use")


class MonitoringTracer:
    """Python 3.12 and later."""

    def start(self, tables: mmap.mmap, trees: bool, lines: bool, in_file: bool) -> None:
        """Begin to count everything that runs."""
        from . import _tracer

        monitoring, events = sys.monitoring, sys.monitoring.events
        tool = free_tool()
        self._start = lambda tables, in_file: _tracer.start(tables, trees, lines, in_file)
        self._start(tables, in_file)
        monitoring.use_tool_id(tool, "stakes.clarify")
        wanted = {events.PY_START: _tracer.on_start}
        if trees:
            wanted |= dict.fromkeys((events.PY_RESUME, events.PY_THROW), _tracer.on_resume)
            wanted |= dict.fromkeys((events.PY_RETURN, events.PY_YIELD, events.PY_UNWIND), _tracer.on_end)
        if lines:
            wanted[events.LINE] = _tracer.on_line
        for event, callback in wanted.items():
            monitoring.register_callback(tool, event, callback)
        monitoring.set_events(tool, sum(wanted))

    def rebase(self, tables: mmap.mmap, in_file: bool) -> None:
        """Count into other, empty tables from now on."""
        self._start(tables, in_file)


class ProfileTracer:
    """Python 3.11: each thread has its own profile function, given to new ones by the threading module."""

    def start(self, tables: mmap.mmap, trees: bool, lines: bool, in_file: bool) -> None:
        """Begin to count everything that runs."""
        import threading

        from . import _tracer

        self._start = lambda tables, in_file: _tracer.start(tables, trees, lines, in_file)
        self._start(tables, in_file)
        threading.setprofile(_tracer.profile_thread)
        _tracer.profile_thread()

    def rebase(self, tables: mmap.mmap, in_file: bool) -> None:
        """Count into other, empty tables from now on."""
        self._start(tables, in_file)
