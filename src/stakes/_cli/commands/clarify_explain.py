"""Options of ``stakes clarify explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options


def command(
    model: Annotated[
        Path, typer.Argument(help="A model that `stakes clarify train` wrote.", show_default=False)
    ],
    as_json: options.JsonOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Show what a model watches, events per run, the overhead to expect, and what it cannot tell apart.

    For example:

    - `stakes clarify explain model.json`
    """
    options.perform("clarify_explain", locals())
