"""Options of ``stakes compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options
from stakes._cli.names import peers


def command(
    data: options.DataArgument,
    costs: options.CostsOption = None,
    accept_costs: options.AcceptCostsOption = False,
    currency: options.CurrencyOption = None,
    target: options.TargetOption = None,
    drop: options.DropOption = None,
    learner: Annotated[
        list[str] | None,
        typer.Option("--learner", "-l", help=f"May be repeated: {', '.join(peers())}. All by default."),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 10,
    repeats: Annotated[int, typer.Option(min=1, help="How often it is repeated.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Shuffles the rows into folds.")] = 0,
    n_jobs: options.JobsOption = -1,
    cluster: options.ClusterOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Keep results there, and write the table and an HTML page.",
        ),
    ] = None,
    as_json: options.JsonOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Compare what learners cost on your data: cost-sensitive trees, scikit-learn, LightGBM, XGBoost.

    Peers answer the class of least expected cost by their probabilities. All see the same folds. What is not
    installed is named. `stakes evaluate` compares the learners of stakes in more detail.

    For example:

    - `stakes compare german`

    - `stakes compare loans.csv --target class --costs costs.csv --repeats 5 -o loans`
    """
    options.perform("compare", locals())
