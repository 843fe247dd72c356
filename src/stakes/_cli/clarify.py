"""``stakes clarify``: record runs of a program, and explain its failures."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from stakes._base.documents import dumps
from stakes._cli.shared import JsonOption
from stakes._text.files import check_folder
from stakes._text.words import plain

app = typer.Typer(
    no_args_is_help=True, help="Watch the few functions that matter, explain why a program failed."
)

Command = Annotated[
    list[str], typer.Argument(help="The program and its arguments, after --.", show_default=False)
]


@app.command()
def record(
    command: Command,
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
) -> None:
    """Run a program and keep what it did: names of functions and counts, never data.

    The program's output and exit status are its own. Every Python process it starts is recorded with it. With
    `--symptom` or `--keep-message` standard error is a pipe to the program, and handed on.

    For example:

    - `stakes clarify record --label no-such-version -- python -m pip download demo==9`

    - `stakes clarify record --symptom "No matching distribution" -- python -m pip download demo==9`
    """
    from stakes.forensics import NothingRecorded, write_profile
    from stakes.forensics import record as record_run

    check_folder(runs)
    try:
        status, profile = record_run(
            command, trees=trees, lines=lines, label=label, input=input, keep_message=keep_message,
            patterns=symptom or (),
        )  # fmt: skip
    except NothingRecorded as nothing:
        _append(f"Note: {nothing}.")
        _leave(nothing.exit_status)
    target = runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 10**9:09d}.profile.gz"
    try:
        write_profile(profile, target)
    except OSError as error:
        _append(f"Error: {target} could not be written: {error.strerror or error}.")
        _leave(status or 1)
    _append(f"Recorded {target}: {len(profile.functions)} functions, {sum(profile.counts)} calls.")
    if not profile.complete:
        _append("Note: not all that happened could be counted, so training will leave this run out.")
    _leave(status)


@app.command()
def run(
    command: Command,
    model: Annotated[Path, typer.Option("--model", "-m", help="A model of `stakes clarify train`.")],
    as_json: JsonOption = False,
) -> None:
    """Run a program and explain its failure below its own output.

    The program's output and exit status are its own. Where it succeeds, nothing is added.

    For example:

    - `stakes clarify run -m model.json -- python -m pip download demo`
    """
    from stakes.forensics import ClarifyModel
    from stakes.forensics import run as run_watched

    status, verdict = run_watched(command, ClarifyModel.read(model))
    if verdict is not None:
        _append(dumps(verdict.to_dict()) if as_json else str(verdict))
    _leave(status)


def _append(text: str) -> None:
    """Write below the program's own output; where nobody reads that, its exit status stays."""
    try:
        typer.echo("\n".join(map(plain, text.splitlines())), err=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # or Python would try again at exit, and fail


def _leave(status: int) -> NoReturn:
    """Exit as the program did; a signal that ended it becomes 128 and its number, as in a shell."""
    raise typer.Exit(status if status >= 0 else 128 - status)
