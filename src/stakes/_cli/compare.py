"""``stakes compare``: learners and peers on one's own data and costs, in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli.evaluate import comparison_grid
from stakes._cli.reproduce import ClusterOption, JobsOption
from stakes._cli.shared import (
    CostsOption,
    DataArgument,
    DebugOption,
    JsonOption,
    TargetOption,
    notes,
    out,
    print_json,
    progress_bar,
    say,
    write_page,
)
from stakes._cli.suspects import AcceptCostsOption
from stakes.lab import compare_with_peers
from stakes.lab.peers import peer_names
from stakes.report import write_comparison_report


def command(
    data: DataArgument,
    costs: CostsOption = None,
    accept_costs: AcceptCostsOption = False,
    target: TargetOption = None,
    learner: Annotated[
        list[str] | None,
        typer.Option("--learner", "-l", help=f"May be repeated: {', '.join(peer_names())}. All by default."),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 10,
    repeats: Annotated[int, typer.Option(min=1, help="How often it is repeated.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Shuffles the rows into folds.")] = 0,
    n_jobs: JobsOption = -1,
    cluster: ClusterOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Keep results there, and write the table and an HTML page.",
        ),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Compare what learners cost on your data: cost-sensitive trees, scikit-learn, LightGBM, XGBoost.

    Peers answer the class of least expected cost by their probabilities. All see the same folds. What is not
    installed is named. `stakes evaluate` compares the learners of stakes in more detail.

    For example:

    - `stakes compare german`

    - `stakes compare loans.csv --target class --costs costs.csv --repeats 5 -o loans`
    """
    with notes(), progress_bar("Comparing") as progress:
        result = compare_with_peers(
            data,
            costs=costs,
            target=target,
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
        if write_page(lambda: write_comparison_report(path, result, Path(data).name)) is not None:
            say(f"The report is in {path}: open it in a browser.")
    for outcome in result.failures[:5]:
        say(f"Failed: {outcome.what['learner']}: {(outcome.traceback or '').splitlines()[-1]}", style="red")
    if result.failures:
        say(f"{len(result.failures)} units failed; learners that failed are left out.", style="bold red")
        raise typer.Exit(1)
