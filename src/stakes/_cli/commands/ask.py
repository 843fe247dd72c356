"""Options of ``stakes ask``."""

from __future__ import annotations

from typing import Annotated

import typer

from stakes._cli import options


def command(
    model: options.ModelArgument,
    budget: Annotated[
        float | None, typer.Option(min=0.0, help="What may be spent; costlier questions are not asked.")
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="NAME=VALUE", help="Known already. May be repeated."),
    ] = None,
    feature_costs: options.FeatureCostsOption = None,
    tree: options.TreeOption = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="For scripts: a JSON object per line for each question and for the result; answers are read "
            "as JSON values, one per line, null where unknown.",
        ),
    ] = False,
    debug: options.DebugOption = False,
) -> None:
    r"""Answer questions about one case: the model asks only for what it needs next, and says what that costs.

    An empty answer or `?` means unknown and costs nothing: the model then weighs all possibilities. `<` takes
    the last answer back. Where the input ends, the rest counts as unknown.

    For example:

    - `stakes ask model.json`

    - `stakes ask model.json --budget 20 --set age=41 --set housing=own`

    - `printf '"own"\n24\n' | stakes ask model.json --json`
    """
    options.perform("ask", locals())
