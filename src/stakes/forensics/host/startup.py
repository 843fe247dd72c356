"""Start of the tracer inside a program that ``stakes clarify record`` or ``run`` has started.

Only modules that the interpreter has loaded anyway are imported: what the program imports later must still be new.
"""

from __future__ import annotations

import os

from . import memory
from .backend import recorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import mmap
    from collections.abc import Mapping

#: Set by the starting command: the folder for the files of counters, and what to count ("trees", "lines").
FOLDER, COUNT = "STAKES_CLARIFY_FOLDER", "STAKES_CLARIFY_COUNT"


def begin(environment: Mapping[str, str]) -> None:
    """Start counting as the environment says; without a folder do nothing."""
    folder, count = environment.get(FOLDER), environment.get(COUNT, "")
    if not folder:
        return
    tracer, _ = recorder()

    def follow() -> None:
        tables, in_file = _tables(folder)
        tracer.rebase(tables, in_file)

    os.register_at_fork(after_in_child=follow)
    tracer.start(memory.create(folder, memory.RECORDING), "trees" in count, "lines" in count, True)


def _tables(folder: str) -> tuple[mmap.mmap, bool]:
    """Return tables for a forked process: in memory where it may no longer write to the folder."""
    try:
        return memory.create(folder, memory.RECORDING), True
    except OSError:
        return memory.create(None, memory.RECORDING), False
