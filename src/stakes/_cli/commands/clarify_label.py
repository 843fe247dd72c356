"""Options of ``stakes clarify label``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options


def command(
    runs: Annotated[Path, typer.Argument(help="Folder of recorded runs.", show_default=False)],
    again: Annotated[bool, typer.Option("--again", help="Ask about labelled runs too.")] = False,
    debug: options.DebugOption = False,
) -> None:
    r"""Go through the runs without a label and say what went wrong in each.

    Answer with the number of a known cause, with the name of a new one, with nothing to leave the run as it
    is, or with `q` to stop. All runs of the same input get the same label.

    For example:

    - `stakes clarify label runs/`

    - `printf 'no-such-version\n1\n' | stakes clarify label runs/`
    """
    options.perform("clarify_label", locals())
