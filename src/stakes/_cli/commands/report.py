"""Options of ``stakes report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options


def command(
    model: options.ModelArgument,
    data: options.DataArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes.")
    ] = Path("report.html"),
    costs: options.CostsOption = None,
    accept_costs: options.AcceptCostsOption = False,
    target: options.TargetOption = None,
    weights: options.WeightsOption = None,
    feature_costs: options.FeatureCostsOption = None,
    currency: options.CurrencyOption = None,
    by: options.ByOption = None,
    noun: Annotated[str, typer.Option(help="What one row is: customer, patient.")] = "case",
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    note: Annotated[str, typer.Option(help="What a reader should know about these rows.")] = "",
    questions: options.QuestionsOption = None,
    debug: options.DebugOption = False,
) -> None:
    """Write a page on what a saved model costs on the rows of DATA, best ones that it has not seen.

    It has the bill next to the best constant, the confusion matrix with costs, the tree or the rules to
    unfold, the columns that are used, and for two classes a slider over the ratio of the costs. One file,
    which needs no network.

    The class column, the costs and the prices of columns are those of the model
    unless `--target`, `--costs` and `--feature-costs` give others, which a note then says.

    For example:

    - `stakes report model.json test.csv`

    - `stakes report model.json test.csv --costs new-costs.csv --noun customer -o loans.html`

    - `stakes report model.json test.csv --by sex --by age`

    - `stakes report model.json test.csv --questions questions.toml`, for the form on the page
    """
    options.perform("report", locals())
