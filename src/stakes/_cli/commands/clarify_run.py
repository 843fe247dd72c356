"""Options of ``stakes clarify run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options

EPILOG = None  # it ends as the program does


def command(
    command: options.WatchedArgument,
    model: Annotated[Path, typer.Option("--model", "-m", help="A model of `stakes clarify train`.")],
    as_json: options.JsonOption = False,
) -> None:
    """Run a program and explain its failure below its own output.

    The program's output and exit status are its own. Where it succeeds, nothing is added.

    For example:

    - `stakes clarify run -m model.json -- python -m pip download demo`
    """
    options.perform("clarify.run", locals())
