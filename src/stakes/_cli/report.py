"""``stakes report``: what a saved model costs, as a page to read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stakes._cli.shared import (
    CostsOption,
    DataArgument,
    DebugOption,
    FeatureCostsOption,
    ModelArgument,
    TargetOption,
    WeightsOption,
    for_model,
    out,
    read_problem,
)
from stakes._cli.suspects import AcceptCostsOption
from stakes._text.files import check_output
from stakes.costs import as_feature_costs
from stakes.models import load_model
from stakes.report import model_view, write_view


def command(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes.")
    ] = Path("report.html"),
    costs: CostsOption = None,
    accept_costs: AcceptCostsOption = False,
    target: TargetOption = None,
    weights: WeightsOption = None,
    feature_costs: FeatureCostsOption = None,
    noun: Annotated[str, typer.Option(help="What one row is: customer, patient.")] = "case",
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    note: Annotated[str, typer.Option(help="What a reader should know about these rows.")] = "",
    debug: DebugOption = False,
) -> None:
    """Write a page on what a saved model costs on the rows of DATA, best ones that it has not seen.

    It has the bill next to the best constant, the confusion matrix with costs, the tree or the rules to
    unfold, the columns that are used, and for two classes a slider over the ratio of the costs. One file,
    which needs no network. Costs are those of the model unless `--costs` gives others.

    For example:

    - `stakes report model.json test.csv`

    - `stakes report model.json test.csv --target repaid --noun customer -o loans.html`
    """
    check_output(output, model, data, costs, feature_costs)
    fitted = load_model(model)
    problem = for_model(fitted, read_problem(data, target, costs, weights, accept_costs), costs, data)
    view = model_view(
        fitted,
        problem.table,
        problem.labels,
        cost_matrix=problem.cost_matrix,
        sample_weight=problem.weight,
        feature_costs=as_feature_costs(feature_costs, problem.table.schema.names),
        title=f"What the model costs on {problem.name}" if title is None else title,
        noun=noun,
        note=note,
    )
    write_view(output, view)
    for sentence in view.words[:2]:
        out().print(sentence)
    out().print(f"Written to {output}: open it in a browser.")
