"""``stakes export``: a saved model as code."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stakes._base import documents
from stakes._cli.shared import DebugOption, ModelArgument, OutputOption, choice, write_text
from stakes._cli.show import TreeOption, open_rules, open_tree
from stakes._text.files import check_output
from stakes.export import languages, render
from stakes.models import load_model
from stakes.rules import RuleClassifier, RuleSet
from stakes.tree import FittedTree

SUFFIXES = {".py": "python", ".c": "c", ".sql": "sql", ".dot": "dot", ".gv": "dot", ".json": "json"}


def _languages() -> list[str]:
    """Return what --to can be: the languages of trees and rules, and the model itself as JSON."""
    return [*dict.fromkeys([*languages(FittedTree), *languages(RuleSet)]), "json"]


def command(
    model: ModelArgument,
    to: Annotated[
        str | None,
        choice("--to", _languages, "By default what the name of the output file says."),
    ] = None,
    output: OutputOption = None,
    name: Annotated[str, typer.Option(help="Prefix of the names in C.")] = "tree",
    table: Annotated[str | None, typer.Option(help="SQL: write a whole query on this table.")] = None,
    column: Annotated[str, typer.Option(help="SQL: name of the answer's column.")] = "prediction",
    abstain: Annotated[
        bool, typer.Option("--abstain", help="SQL of rules: NULL where no rule applies.")
    ] = False,
    tree: TreeOption = False,
    debug: DebugOption = False,
) -> None:
    """Write a tree as code of its own that answers as the model does, missing values included.

    `json` is the tree without the estimator around it, `svg` and `text` are for reading. Rules are written as
    `sql` or `json`.

    For example:

    - `stakes export model.json --to python -o tree.py`

    - `stakes export model.json --to sql --table customers`

    - `stakes export model.json -o tree.c --name credit`
    """
    if to is None and output is not None:
        to = SUFFIXES.get(output.suffix.lower())
    if to is None:
        raise typer.BadParameter(
            f"say one of {', '.join(_languages())}, or an output file that tells.", param_hint="--to"
        )
    check_output(output, model)
    loaded = load_model(model)
    rules = open_rules(loaded, tree)
    if rules is not None:
        source = _rules_source(rules, to, table, column, abstain)
    else:
        source = _source(open_tree(loaded, tree), to, name, table, column)
    write_text(source, output)


def _rules_source(model: RuleClassifier, to: str, table: str | None, column: str, abstain: bool) -> str:
    if to == "sql":
        return model.export_sql(table=table, output=column, abstain=abstain)
    if to == "json":
        return documents.dumps(model.rule_set_.to_dict())
    if to not in languages(RuleSet):
        known = " or ".join([*languages(RuleSet), "json"])
        raise typer.BadParameter(f"rules are written as {known}.", param_hint="--to")
    return render(model.rule_set_, to)


def _source(fitted: FittedTree, to: str, name: str, table: str | None, column: str) -> str:
    if to == "json":
        return documents.dumps(fitted.to_dict())
    options: dict[str, dict[str, Any]] = {"c": {"name": name}, "sql": {"table": table, "output": column}}
    return render(fitted, to, **options.get(to, {}))
