"""Options of ``stakes evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options
from stakes._cli.names import LEARNERS, PRICED_LEARNERS


def command(
    data: options.DataArgument,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", metavar="FILE", help="Evaluate this saved model on the data."),
    ] = None,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            "--learner",
            "-l",
            help=f"May be repeated: {', '.join(LEARNERS)}; with prices {', '.join(PRICED_LEARNERS)}; or all.",
        ),
    ] = None,
    costs: options.CostsOption = None,
    accept_costs: options.AcceptCostsOption = False,
    target: options.TargetOption = None,
    drop: options.DropOption = None,
    weights: options.WeightsOption = None,
    feature_costs: options.FeatureCostsOption = None,
    currency: options.CurrencyOption = None,
    folds: Annotated[int | None, typer.Option(min=2, help="Folds of the cross-validation; 10.")] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="How often it is repeated; once.")] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Shuffles the rows into folds.")] = 0,
    abstain_cost: Annotated[
        float | None, typer.Option(min=0.0, help="With --model: what it costs to leave a row undecided.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --model: write an HTML report there.")
    ] = None,
    questions: options.QuestionsOption = None,
    by: options.ByOption = None,
    noun: Annotated[str, typer.Option(help="What one row is: customer, patient.")] = "case",
    as_json: options.JsonOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Find out what learners cost, by repeated stratified cross-validation, or a saved model on a test file.

    A saved model brings its class column, its costs and its prices of columns along; a note says where
    `--target`, `--costs` or `--feature-costs` give others.

    All learners see the same folds. Intervals are corrected for the overlap of the training sets (Nadeau and
    Bengio).

    For example:

    - `stakes evaluate german`

    - `stakes evaluate loans.csv -c costs.csv -l c4.5 -l c4.5cs -l sklearn --folds 10 --repeats 5`

    - `stakes evaluate patients.csv -c costs.csv --feature-costs prices.csv -l c4.5 -l cs_gain`

    - `stakes evaluate test.csv --model model.json --report report.html`

    - `stakes evaluate test.csv --model model.json --abstain-cost 0.5 --json`

    - `stakes evaluate test.csv --model model.json --by sex`

    - `stakes evaluate loans.csv -c costs.csv --drop sex --by sex`, the cost by a column no learner sees
    """
    options.perform("evaluate", locals())
