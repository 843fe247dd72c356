"""Options of ``stakes clarify record``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options

EPILOG = None  # it ends as the program does


def command(
    command: options.WatchedArgument,
    runs: Annotated[Path, typer.Option("--runs", "-r", help="Folder for the profiles.")] = Path("runs"),
    label: Annotated[
        str | None, typer.Option(help="The cause of what goes wrong, where it is known.")
    ] = None,
    input: Annotated[
        str | None, typer.Option("--input", help="Name of the input; runs of one input are repetitions.")
    ] = None,
    trees: Annotated[bool, typer.Option(help="Record who called whom, not only how often.")] = True,
    lines: Annotated[bool, typer.Option("--lines", help="Record how often each line was reached.")] = False,
    symptom: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Keep whether a line of standard error matches this regular expression. May be repeated.",
        ),
    ] = None,
    keep_message: Annotated[
        bool,
        typer.Option(
            "--keep-message", help="Keep the last line of standard error for `label`; it may hold data."
        ),
    ] = False,
    each: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN",
            help="Run the program once for each file that matches, put in the place of {}; what is recorded "
            "already is skipped.",
        ),
    ] = None,
) -> None:
    """Run a program and keep what it did: names of functions and counts, never data.

    The program's output and exit status are its own. Every Python process it starts is recorded with it. With
    `--symptom` or `--keep-message` standard error is a pipe to the program, and handed on. With `--each` the
    exit status is 0 whether runs failed or not; the last line counts them.

    For example:

    - `stakes clarify record --label no-such-version -- python -m pip download demo==9`

    - `stakes clarify record --symptom "No matching distribution" -- python -m pip download demo==9`

    - `stakes clarify record --each 'inputs/*' -- python convert.py {}`
    """
    options.perform("clarify.record", locals())
