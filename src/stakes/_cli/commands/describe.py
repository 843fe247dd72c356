"""Options of ``stakes describe``."""

from __future__ import annotations

from typing import Annotated

import typer

from stakes._cli import options


def command(
    data: Annotated[
        str,
        typer.Argument(metavar="DATA", help=f"{options.DATA_HELP} Or a saved model.", show_default=False),
    ],
    costs: options.CostsOption = None,
    accept_costs: options.AcceptCostsOption = False,
    target: options.TargetOption = None,
    drop: options.DropOption = None,
    weights: options.WeightsOption = None,
    feature_costs: options.FeatureCostsOption = None,
    currency: options.CurrencyOption = None,
    test: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Test rows: how many of them are training rows, too?"),
    ] = None,
    noun: Annotated[str, typer.Option(help="What one row is: customer, patient.")] = "case",
    as_json: options.JsonOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Say what is in the data, what mistakes cost, and what the best constant answer would cost.

    Of a saved model it prints the card: what it is, the data and costs it was fitted with, and what it cost
    on held-out rows.

    Read the costs in words before anything else: a matrix the wrong way round is noticed here. Notes tell of
    columns that look like an id, of a column that alone decides the class, and of test rows met in training.

    For example:

    - `stakes describe german`

    - `stakes describe loans.csv --target repaid --costs costs.csv --noun customer`

    - `stakes describe patients.csv --feature-costs prices.csv`

    - `stakes describe train.csv --test test.csv`

    - `stakes describe loans.arff --json | jq .classes`

    - `stakes describe model.json`
    """
    options.perform("describe", locals())
