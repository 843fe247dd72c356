"""Options of ``stakes demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options


def command(
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the report goes.")
    ] = Path("stakes-demo"),
    debug: options.DebugOption = False,
) -> None:
    """Compare learners on german credit, show a tree and write a report. Takes about half a minute.

    A bad customer who gets the credit costs 5, a good one who is sent away costs 1.

    For example:

    - `stakes demo -o /tmp/stakes-demo`
    """
    options.perform("demo", locals())
