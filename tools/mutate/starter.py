"""Run pytest again and again without importing the libraries each time: a process that forks.

Each line on stdin is a list of arguments for pytest, as JSON. The number of the process that runs it, which
leads a session of its own, and then its exit status are written to stdout, a line each. The child imports the
package, which may be changed, and pytest, which rewrites the plugins that it imports.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module

LIBRARIES = (
    "matplotlib",
    "narwhals",
    "numpy",
    "pandas",
    "pyarrow",
    "rich.console",
    "scipy.stats",
    "sklearn.calibration",
    "sklearn.ensemble",
    "sklearn.model_selection",
    "typer",
)


def serve() -> None:
    """Answer requests until there are no more."""
    for name in LIBRARIES:
        import_module(name)
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            run(json.loads(line))
        print(process, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def run(arguments: list[str]) -> None:
    """Run pytest in the child, and end it."""
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    status = 1
    try:
        import pytest

        status = int(pytest.main(arguments))
    finally:
        os._exit(status)


if __name__ == "__main__":
    serve()
