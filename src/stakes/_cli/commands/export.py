"""Options of ``stakes export``."""

from __future__ import annotations

from typing import Annotated

import typer

from stakes._cli import options
from stakes._cli.names import LANGUAGES


def _languages() -> list[str]:
    from stakes._cli.export import languages_of_all

    return languages_of_all()


def command(
    model: options.ModelArgument,
    to: Annotated[
        str | None,
        options.choice(
            "--to",
            LANGUAGES,
            _languages,
            "By default what the name of the output file says; one of",
            default=False,
        ),
    ] = None,
    output: options.OutputOption = None,
    name: Annotated[str, typer.Option(help="Prefix of the names in C.")] = "tree",
    table: Annotated[str | None, typer.Option(help="SQL: write a whole query on this table.")] = None,
    column: Annotated[str, typer.Option(help="SQL: name of the answer's column.")] = "prediction",
    abstain: Annotated[
        bool, typer.Option("--abstain", help="SQL of rules: NULL where no rule applies.")
    ] = False,
    tree: options.TreeOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Write a tree as code of its own that answers as the model does, missing values included.

    `json` is the tree without the estimator around it, `svg` and `text` are for reading. Rules are written as
    `sql` or `json`.

    For example:

    - `stakes export model.json --to python -o tree.py`

    - `stakes export model.json --to sql --table customers`

    - `stakes export model.json -o tree.c --name credit`
    """
    options.perform("export", locals())
