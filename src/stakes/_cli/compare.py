"""``stakes compare``: learners and peers on one's own data and costs, in one line."""

from __future__ import annotations

from pathlib import Path

import typer

from stakes._cli.console import out, say
from stakes._cli.evaluate import comparison_grid
from stakes._cli.shared import listed_names, notes, print_json, progress_bar, write_page
from stakes._text.money import stated_currency
from stakes.lab import compare_with_peers
from stakes.report import write_comparison_report


def run(
    data: str,
    costs: Path | None,
    accept_costs: bool,
    target: str | None,
    drop: list[str] | None,
    learner: list[str] | None,
    folds: int,
    repeats: int,
    seed: int,
    n_jobs: int,
    cluster: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Compare the learners, print the table, and write the page where a folder is named."""
    with notes(), progress_bar("Comparing") as progress:
        result = compare_with_peers(
            data,
            costs=costs,
            target=target,
            drop=listed_names(drop),
            learners=learner,
            n_folds=folds,
            n_repeats=repeats,
            seed=seed,
            folder=output,
            n_jobs=n_jobs,
            cluster=cluster,
            progress=progress,
            check_costs=not accept_costs,
        )
    if as_json:
        print_json(result.comparison.to_dict() | {"absent": result.absent})
    else:
        out().print(comparison_grid(result.comparison, Path(data).name))
    for name, reason in result.absent.items():
        say(f"{name}: {reason}.")
    if output is not None:
        path = output / "comparison.html"
        name, currency = Path(data).name, stated_currency()
        if write_page(lambda: write_comparison_report(path, result, name, currency)) is not None:
            say(f"The report is in {path}: open it in a browser.")
    for outcome in result.failures[:5]:
        say(f"Failed: {outcome.what['learner']}: {(outcome.traceback or '').splitlines()[-1]}", style="red")
    if result.failures:
        say(f"{len(result.failures)} units failed; learners that failed are left out.", style="bold red")
        raise typer.Exit(1)
