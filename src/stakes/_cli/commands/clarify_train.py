"""Options of ``stakes clarify train``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options


def command(
    runs: Annotated[Path, typer.Argument(help="Folder of labelled runs.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")] = Path(
        "model.json"
    ),
    max_loss: Annotated[
        float,
        typer.Option(
            min=0.0, max=0.99, help="Accuracy that may be lost to watch less, as a share of the runs."
        ),
    ] = 0.01,
    texts: Annotated[
        Path | None,
        typer.Option(
            "--texts", help="TOML or JSON file with what to tell users for each cause.", metavar="FILE"
        ),
    ] = None,
    trees: Annotated[bool, typer.Option(help="Count call trees, not only functions.")] = True,
    lines: Annotated[bool, typer.Option("--lines", help="Count lines too; the runs must have them.")] = False,
    merge: Annotated[
        list[str] | None, typer.Option("--merge", metavar="A+B", help="Take causes as one. May be repeated.")
    ] = None,
    purity: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of similar runs that must agree, else `unknown`.")
    ] = 0.9,
    max_wrong: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Share of unseen runs that may be explained wrongly; chooses the purity.",
            show_default=False,
        ),
    ] = None,
    guard: Annotated[
        bool,
        typer.Option(
            help="Watch the place that all recorded failures passed, and say `unknown` of failures elsewhere."
        ),
    ] = True,
    program: Annotated[str | None, typer.Option(help="How explanations name the program.")] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validations.")] = 5,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the trade-off there (SVG, PNG or PDF)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Shuffles the runs into folds.")] = 0,
    as_json: options.JsonOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Learn which few functions are worth watching, and what their counts say about the cause.

    The accuracy is measured on inputs that were not learnt from, with all choices made again without them.

    For example:

    - `stakes clarify train runs/ --max-loss 0.01 --texts causes.toml -o model.json`

    - `stakes clarify train runs/ --lines --merge no-such-version+only-pre-releases -o model.json`
    """
    options.perform("clarify_train", locals())
