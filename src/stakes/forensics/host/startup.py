"""Start of the tracer inside a program that ``stakes clarify record`` or ``run`` has started.

Only modules that the interpreter has loaded anyway are imported: what the program imports later must still be
new to it, or it would do other things here than it does alone.
"""

from __future__ import annotations

import os
import sys

from . import backend, memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    import mmap
    from collections.abc import Mapping

#: Set by the starting command: the folder for the files of counters, and what to count ("trees", "lines").
FOLDER, COUNT = "STAKES_CLARIFY_FOLDER", "STAKES_CLARIFY_COUNT"
#: In that folder, where a model is deployed: functions, lines, trees, digest, interpreter and versions.
WATCH = "watch"
REFUSED = ".refused"


def begin(environment: Mapping[str, str]) -> None:
    """Start counting as the environment says; without a folder do nothing."""
    folder = environment.get(FOLDER)
    if not folder:
        return
    if os.path.exists(os.path.join(folder, WATCH)):
        _watch(folder)
    else:
        _record(folder, environment.get(COUNT, ""))


def _record(folder: str, count: str) -> None:
    tracer, _ = backend.recorder()
    trees, lines = "trees" in count, "lines" in count
    capacity = memory.recording(trees, lines)
    _follow_forks(tracer, folder, capacity, 0)
    tracer.start(memory.create(folder, capacity), trees, lines, True)


def _watch(folder: str) -> None:
    import marshal  # built in, unlike json, which would load a dozen modules

    from . import versions
    from .selection import Selection

    with open(os.path.join(folder, WATCH), "rb") as file:
        functions, lines, trees, digest, interpreter, wanted = marshal.load(file)
    selection = Selection(functions, lines, trees)
    refused = versions.mismatch(interpreter, wanted, sys.path)
    if not refused:
        try:
            tracer, _ = backend.watcher(selection, exits=False)  # who started the program sees its exit
        except RuntimeError as error:
            refused = str(error)
    if refused:
        with open(os.path.join(folder, f"{os.getpid()}{REFUSED}"), "w", encoding="utf-8") as note:
            note.write(refused)
        return
    _follow_forks(tracer, folder, selection.capacity, digest)
    tracer.watch(memory.create(folder, selection.capacity, digest), selection, True, memory.BUDGET)


def _follow_forks(tracer: backend.Tracer, folder: str, capacity: dict[str, int], digest: int) -> None:
    def tables() -> tuple[mmap.mmap | memoryview, bool]:
        try:
            return memory.create(folder, capacity, digest), True
        except OSError:  # it may no longer write there: it counts for itself
            return memory.create(None, capacity, digest), False

    def follow() -> None:
        try:
            tracer.rebase(*tables())
        except Exception:
            return  # it goes on unwatched

    os.register_at_fork(after_in_child=follow)
