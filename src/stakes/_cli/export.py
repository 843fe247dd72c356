"""``stakes export``: a saved model as code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from stakes._base import documents
from stakes._cli.shared import write_text
from stakes._cli.show import open_rules, open_tree
from stakes._text.files import check_output
from stakes.export import languages, render
from stakes.models import load_model
from stakes.rules import RuleClassifier, RuleSet
from stakes.tree import FittedTree

SUFFIXES = {".py": "python", ".c": "c", ".sql": "sql", ".dot": "dot", ".gv": "dot", ".json": "json"}


def languages_of_all() -> list[str]:
    """Return what --to can be: the languages of trees and rules, and the model itself as JSON."""
    return [*dict.fromkeys([*languages(FittedTree), *languages(RuleSet)]), "json"]


def run(
    model: Path,
    to: str | None,
    output: Path | None,
    name: str,
    table: str | None,
    column: str,
    abstain: bool,
    tree: bool,
) -> None:
    """Write the model as code."""
    if to is None and output is not None:
        to = SUFFIXES.get(output.suffix.lower())
    if to is None:
        raise typer.BadParameter(
            f"say one of {', '.join(languages_of_all())}, or an output file that tells.", param_hint="--to"
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
