"""``stakes show``: look at a saved model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.table import Table as Grid

from stakes._base.answering import asks_nothing, first_with
from stakes._cli.console import out, say
from stakes._cli.rules import rule_grid
from stakes._cli.shared import print_json, read_model, write_text
from stakes._text.files import check_output
from stakes._text.money import heading
from stakes._text.words import amount
from stakes.export import render
from stakes.models import effective_tree
from stakes.rules import RuleClassifier
from stakes.tree import FittedTree, leaf_table


def run(
    model: Path,
    format: str | None,
    output: Path | None,
    max_depth: int | None,
    tree: bool,
    as_json: bool,
) -> None:
    """Show the model the way that is asked for."""
    check_output(output, model)
    loaded = read_model(model)
    rules = open_rules(loaded, tree)
    if rules is not None:
        _show_rules(rules, format, output, as_json)
        return
    fitted = open_tree(loaded, tree)
    if as_json:
        print_json([asdict(leaf) for leaf in leaf_table(fitted)])
        return
    if format is None:
        suffix = "" if output is None else output.suffix.lower()
        format = {".svg": "svg", ".dot": "dot", ".gv": "dot"}.get(suffix, "text")
    if format == "leaves" and output is None:
        out().print(_leaves(fitted))
    elif format == "leaves":
        lines = [f"{'; '.join(leaf.conditions)} -> {leaf.label}" for leaf in leaf_table(fitted)]
        write_text("\n".join(lines), output)
    else:
        write_text(render(fitted, format, max_depth=max_depth), output)


def _show_rules(model: RuleClassifier, format: str | None, output: Path | None, as_json: bool) -> None:
    if as_json:
        print_json(model.rules_.to_dicts())
    elif format == "leaves" and output is None:
        out().print(rule_grid(model.rules_))
    elif format in (None, "text", "leaves"):
        write_text(model.export_text(merged=format != "leaves"), output)
    else:
        raise typer.BadParameter("rules are shown as text or leaves.", param_hint="--format")


def open_rules(model: Any, unguarded: bool) -> RuleClassifier | None:
    """Return the rules to show or export; None for other models, and where a guard has replaced the rules."""
    if asks_nothing(model) and not unguarded:
        return None
    rules = first_with(model, "rule_set_")
    if asks_nothing(model) and rules is not None:
        say(_guarded_words(model, "these are the rules it is guarded against"), style="yellow")
    return rules


def open_tree(model: Any, unguarded: bool) -> FittedTree:
    """Return the tree to show or export, and say on stderr where a guard has replaced it."""
    rules = first_with(model, "rule_set_")
    replaced = rules is not None and asks_nothing(model) and not unguarded
    fitted = _constant(model, rules) if replaced else effective_tree(model, unguarded=unguarded)
    if asks_nothing(model):
        inside = "tree" if rules is None else "rules"
        what = "this is the tree it is guarded against" if unguarded else f"--tree has the {inside}"
        say(_guarded_words(model, what), style="yellow")
    return fitted


def _constant(model: Any, rules: RuleClassifier) -> FittedTree:
    """Return the answer that a guard gives in the place of rules."""
    known = first_with(model, "_training_info")
    weight = 1.0 if known is None else float(known._training_info.get("n_samples", 1))
    costs = model.cost_matrix_.values
    return FittedTree.leaf(
        rules.rule_set_.schema, model.classes_, model.constant_, model.prior_, costs, weight
    )


def _guarded_words(model: Any, what: str) -> str:
    return f"Note: this model answers {model.constant_} for everyone; {what}."


def _leaves(fitted: FittedTree) -> Grid:
    grid = Grid("leaf", "answer")
    for name in ("weight", "wrong", heading("expected cost"), heading("cost"), "share"):
        grid.add_column(name, justify="right")
    for leaf in sorted(leaf_table(fitted), key=lambda leaf: -leaf.cost):
        grid.add_row(
            "; ".join(leaf.conditions) or "every row",
            str(leaf.label),
            *map(amount, (leaf.weight, leaf.errors, leaf.expected_cost, leaf.cost)),
            f"{leaf.share:.0%}",
        )
    return grid
