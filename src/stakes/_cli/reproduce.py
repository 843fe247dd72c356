"""``stakes reproduce``: the papers' tables, or those of a study of one's own."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import typer

from stakes._cli.console import say
from stakes._cli.shared import echo, progress_bar, write_page
from stakes.lab import Reproduction, load_protocol, papers, reproduce
from stakes.lab import programs as figure_programs
from stakes.lab.study import RESULTS, page
from stakes.report import write_lab_index, write_lab_report


def run(
    protocol: list[str] | None,
    table: list[str] | None,
    figure: list[str] | None,
    datasets: str | None,
    quick: bool,
    more: bool,
    n_jobs: int,
    cluster: str | None,
    python: str | None,
    programs: Path | None,
    allow_imports: bool,
    output: Path,
) -> None:
    """Run the studies, and write their tables and pages."""
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
                more=more,
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
