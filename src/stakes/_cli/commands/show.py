"""Options of ``stakes show``."""

from __future__ import annotations

from typing import Annotated

import typer

from stakes._cli import options

VIEWS = ("text", "leaves", "svg", "dot")


def command(
    model: options.ModelArgument,
    format: Annotated[
        str | None,
        options.choice(
            "--format",
            VIEWS,
            None,
            "By default what the name of the file says, else text; one of",
            "-f",
            default=False,
        ),
    ] = None,
    output: options.OutputOption = None,
    max_depth: Annotated[int | None, typer.Option(min=1, help="Levels of tests to show.")] = None,
    tree: options.TreeOption = False,
    as_json: options.JsonOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Show a tree as text, as a table of its leaves, or as a drawing (SVG, or DOT for Graphviz).

    Rules are shown as text, or as a table with `--format leaves`.

    `--json` prints the leaves: conditions, answer, training weight, errors and share of the cost.

    For example:

    - `stakes show model.json`

    - `stakes show model.json --format leaves`

    - `stakes show model.json -o tree.svg --max-depth 4`

    - `stakes show model.json -f dot | dot -Tpng > tree.png`
    """
    options.perform("show", locals())
