"""Options of ``stakes reproduce``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options
from stakes._cli.names import papers


def command(
    protocol: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PAPER]...",
            help=f"One of {', '.join(papers())}, or a .toml file of your own; all papers by default.",
            show_default=False,
        ),
    ] = None,
    table: Annotated[list[str] | None, typer.Option(help="Number of a table; may be repeated.")] = None,
    figure: Annotated[list[str] | None, typer.Option(help="Number of a figure; may be repeated.")] = None,
    datasets: Annotated[str | None, typer.Option(metavar="A,B", help="These data sets only.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few repeats: a smoke test.")] = False,
    more: Annotated[
        bool,
        typer.Option(
            "--more", help="Also the tables that go beyond the papers: other readings, other methods."
        ),
    ] = False,
    n_jobs: options.JobsOption = -1,
    cluster: options.ClusterOption = None,
    python: Annotated[
        str | None,
        typer.Option(metavar="PYTHON", help="Interpreter of the programs of davis2006's figure 1."),
    ] = None,
    programs: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where these programs are, where stakes does not run from a checkout.",
        ),
    ] = None,
    allow_imports: Annotated[
        bool,
        typer.Option(
            "--allow-imports",
            help="Let a .toml file name any class, which is then run. By default its learners must be "
            "estimators of stakes or scikit-learn.",
        ),
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where results and tables go.")
    ] = Path("stakes-lab"),
    debug: options.DebugOption = False,
) -> None:
    """Run the experiments of the papers, or your own, and print tables with the papers' figures next to ours.

    Results are kept as they come. A run that was stopped, even killed, goes on where it was; a changed
    setting runs only what it touches. Tables are written as Markdown, LaTeX, CSV and JSON, and all of them
    with pictures as one HTML page, FOLDER/PAPER.html, that needs no network.

    For example:

    - `stakes reproduce --quick`

    - `stakes reproduce ting1998 --table 1 --datasets german,heart`

    - `stakes reproduce my-study.toml -o my-study`

    - `stakes reproduce davis2006 --figure 1 --python python3.12`, which records programs from PyPI: an hour
    """
    options.perform("reproduce", locals())
