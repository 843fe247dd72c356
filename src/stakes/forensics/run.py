"""Run a program with a model watching it, and explain its failure afterwards, however it ended."""

from __future__ import annotations

import marshal
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from stakes.forensics.host import startup
from stakes.forensics.host.model import ClarifyModel, Verdict
from stakes.forensics.host.names import Ending
from stakes.forensics.host.watching import selection_of, unknown, verdict
from stakes.forensics.passing import passed_through
from stakes.forensics.record import read_counts, traced

#: CPU time that this adds to the start of a program; benchmarks/tracer.py measures it.
START_MILLISECONDS = 2


def run(
    command: Sequence[str], model: ClarifyModel, *, env: Mapping[str, str] | None = None
) -> tuple[int, Verdict | None]:
    """Run a command and return its exit status and, where that is not 0, what the model says.

    The program only counts; the verdict is made here, once it has ended. So a program that was killed is
    explained as well, and nothing is added to one that succeeds.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    model : ClarifyModel
        What to watch, and what it means.
    env : dict or None
        Environment of the program, instead of the present one.
    """
    with tempfile.TemporaryDirectory(prefix="clarify-", ignore_cleanup_errors=True) as folder:
        selection = selection_of(model)
        functions = [tuple(function) for function in selection.functions]
        wanted = dict(model.document["versions"])
        digest, interpreter = int(model.digest, 16), model.document["interpreter"]
        order = (functions, list(selection.lines), selection.trees, digest, interpreter, wanted)
        Path(folder, startup.WATCH).write_bytes(marshal.dumps(order, 2))
        status = passed_through(command, traced(os.environ if env is None else env, folder))
        if status == 0:
            return status, None
        counts = read_counts(Path(folder))
        refused = sorted(Path(folder).glob(f"*{startup.REFUSED}"))
        if not counts:
            why = refused[0].read_text(encoding="utf-8") if refused else "no Python program was seen"
            return status, unknown(model, why)
        exception = next((process.exception for process in counts if process.exception), None)
        return status, verdict(model, counts, Ending(status, exception))
