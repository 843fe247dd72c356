"""``stakes reproduce``: the papers' tables, or those of a study of one's own."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from stakes._cli.shared import DebugOption, echo, progress_bar, say, write_page
from stakes.lab import Reproduction, load_protocol, papers, reproduce
from stakes.lab import programs as figure_programs
from stakes.lab.study import RESULTS, page
from stakes.report import write_lab_index, write_lab_report

JobsOption = Annotated[int, typer.Option("--n-jobs", "-j", help="Processes; -1 for one per core.")]
ClusterOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on the workers of this Dask scheduler, tcp://host:8786."),
]


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
    n_jobs: JobsOption = -1,
    cluster: ClusterOption = None,
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
    debug: DebugOption = False,
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
    names = protocol or papers()
    chosen = None if datasets is None else [name.strip() for name in datasets.split(",")]
    if len(names) > 1 and (table or figure):
        raise typer.BadParameter("needs one paper, since numbers are those of a paper.", param_hint="--table")
    if names == [figure_programs.PAPER] and figure_programs.FIGURE in (figure or ()):
        _programs(output, programs, chosen, quick, python)
        figure = [number for number in figure or () if number != figure_programs.FIGURE]
        if not figure and not table:
            return
    # All of them are read before anything runs, so that a slip in the last one does not come after an hour.
    loaded = [load_protocol(name, allow_imports=allow_imports) for name in names]
    done: list[Reproduction] = []
    for study in loaded:
        with progress_bar(study.name) as progress:
            reproduction = reproduce(
                study,
                output,
                tables=table,
                figures=figure,
                datasets=chosen,
                quick=quick,
                n_jobs=n_jobs,
                cluster=cluster,
                progress=progress,
            )
        echo(page(reproduction))
        done.append(reproduction)
        _summary(reproduction, output)
        written = write_page(partial(write_lab_report, output / f"{study.name}.html", reproduction))
        if written is not None:
            say(f"The report is in {written}: open it in a browser.")
    if len(done) > 1:
        written = write_page(partial(write_lab_index, output, done))
        if written is not None:
            say(f"The way to all of them is {written}.")
    if any(reproduction.failures for reproduction in done):
        raise typer.Exit(1)


def _programs(
    folder: Path, source: Path | None, programs: list[str] | None, quick: bool, python: str | None
) -> None:
    """Figure 1 of Davis et al., which is about programs instead of data sets."""
    recorded = figure_programs.load_programs(source)
    with progress_bar(figure_programs.PAPER) as progress:
        reproduction = recorded.reproduce_programs(
            folder, programs=programs, quick=quick, python=python, progress=progress
        )
    echo(recorded.page(reproduction))
    say(f"The page is in {folder}; what was recorded and learnt is kept in {folder / 'programs'}.")


def _summary(reproduction: Reproduction, folder: Path) -> None:
    """Say what was done, and what failed."""
    name = reproduction.protocol.name
    say(
        f"{name}: {reproduction.n_units} units, {reproduction.seconds:.0f} s of processor time, at most "
        f"{reproduction.memory / 2**20:.0f} MB; tables in {folder}, results in {folder / RESULTS}."
    )
    for outcome in reproduction.failures[:5]:
        what = ", ".join(f"{key} {value}" for key, value in outcome.what.items() if value != "")
        last = (outcome.traceback or "").strip().splitlines()[-1]
        say(f"Failed: {what}: {last}", style="red")
    if reproduction.failures:
        say(
            f"{len(reproduction.failures)} of {reproduction.n_units} units failed; tracebacks in "
            f"{folder / name}-failures.txt. The next run tries them again.",
            style="bold red",
        )
