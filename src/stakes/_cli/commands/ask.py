"""Options of ``stakes ask``."""

from __future__ import annotations

from typing import Annotated

import typer

from stakes._cli import options


def command(
    model: options.ModelArgument,
    budget: Annotated[
        float | None, typer.Option(min=0.0, help="What may be spent; costlier questions are not asked.")
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="NAME=VALUE", help="Known already. May be repeated."),
    ] = None,
    feature_costs: options.FeatureCostsOption = None,
    currency: options.CurrencyOption = None,
    questions: options.QuestionsOption = None,
    tree: options.TreeOption = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="For scripts: a JSON object per line for each question and for the result; answers are read "
            "as JSON values, one per line, null where unknown.",
        ),
    ] = False,
    debug: options.DebugOption = False,
) -> None:
    r"""Answer questions about one case: the model asks only for what it needs next, and says what that costs.

    An empty answer or `?` means unknown and costs nothing: the model then weighs all possibilities. `<` takes
    the last answer back. Where the input ends, the rest counts as unknown.

    `--questions` names a TOML file with a table for each column that is to be asked for in other words. A key
    may be left out, and so may a column. An answer out of range is refused and asked for again. Dates are
    written as 2020-01-31, in the file as well.

    ```toml
    [amount]
    ask = "How much is the loan?"
    unit = "EUR"
    min = 0
    max = 100000
    [checking_status.answers]
    "<0" = "overdrawn"
    [[together]]
    columns = ["blood_sugar", "blood_fat"]
    ```

    As soon as one of the columns of a `[[together]]` is needed, those that may come to be needed are asked
    for one right after the other: they are ordered before any result is known. Each costs what it adds to the
    bill, and what they share in `--feature-costs` is paid once. What the budget does not allow is not
    ordered.
    With `--json`, ranges and `[[together]]` count as well; categories stay as the model has them.

    For example:

    - `stakes ask model.json`

    - `stakes ask model.json --questions questions.toml`

    - `stakes ask model.json --budget 20 --set age=41 --set housing=own`

    - `printf '"own"\n24\n' | stakes ask model.json --json`
    """
    options.perform("ask", locals())
