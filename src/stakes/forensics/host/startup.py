"""Start of the tracer inside a program that ``stakes clarify record`` or ``run`` has started.

Only modules that the interpreter has loaded anyway are imported: what the program imports later must still be new.
"""

from __future__ import annotations

import os

from . import memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Set by the starting command: the folder for the files of counters, and what to count ("trees", "lines").
FOLDER, COUNT = "STAKES_CLARIFY_FOLDER", "STAKES_CLARIFY_COUNT"


def begin(environment: Mapping[str, str]) -> None:
    """Start counting as the environment says; without a folder do nothing."""
    folder, count = environment.get(FOLDER), environment.get(COUNT, "")
    if not folder:
        return
    from .fallback import Tracer

    tracer = Tracer()

    def follow() -> None:
        try:
            tracer.rebase(memory.create(folder, memory.RECORDING))
        except Exception:
            tracer.rebase(memory.create(None, memory.RECORDING))

    tables = memory.create(folder, memory.RECORDING)
    os.register_at_fork(after_in_child=follow)
    tracer.start(tables, "trees" in count, "lines" in count)
