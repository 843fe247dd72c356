"""Options of ``stakes predict``."""

from __future__ import annotations

from typing import Annotated

import typer

from stakes._cli import options

FORMATS = ("csv", "arff", "parquet", "json")


def command(
    model: options.ModelArgument,
    data: options.DataArgument,
    output: options.OutputOption = None,
    format: Annotated[
        str | None,
        options.choice(
            "--format",
            FORMATS,
            None,
            "By default what the name of the file says, else CSV; one of",
            "-f",
            default=False,
        ),
    ] = None,
    abstain_cost: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="Leave a row undecided where deciding is expected to cost more than this."
        ),
    ] = None,
    abstain: Annotated[
        bool, typer.Option("--abstain", help="Rules: leave a row undecided where no rule applies.")
    ] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Add a column that says why: the path, the rule, or columns' shares."),
    ] = False,
    with_data: Annotated[
        bool, typer.Option("--with-data", help="Repeat the data's columns in front.")
    ] = False,
    currency: options.CurrencyOption = None,
    as_json: options.JsonOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Answer for each row of a file: the class, the probabilities, and what the answer is expected to cost.

    Columns are found by name; more columns than the model needs do no harm. An undecided row has no class.
    With `--abstain-cost` the cheapest class is answered, or none, whatever the leaf's own answer.
    CSV and Parquet are read and written block by block, so that files may be larger than memory.

    For example:

    - `stakes predict model.json new.csv > answers.csv`

    - `stakes predict model.json new.arff -o answers.parquet --abstain-cost 0.3`

    - `stakes predict model.json new.csv --explain --json | jq '.[0].why'`
    """
    options.perform("predict", locals())
