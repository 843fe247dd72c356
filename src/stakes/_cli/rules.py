"""What the commands do with a model of rules instead of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table as Grid

from stakes import metrics
from stakes._cli.shared import Problem
from stakes._text.money import heading
from stakes._text.words import amount
from stakes.decision import Decision
from stakes.rules import RuleClassifier, RuleTable


def fit_facts(model: RuleClassifier, problem: Problem) -> dict[str, Any]:
    """Say what was learnt, and what it does with the training rows."""
    lengths = np.diff(model.rule_set_.start)
    return {
        "rules": len(model.rules_),
        "longest": int(lengths.max()) if len(lengths) else 0,
        "t_good": model.t_good_,
        **coverage_facts(model.decide(problem.table), problem),
    }


def fit_words(facts: dict[str, Any]) -> str:
    """Say how many training rows the rules decide; how well is not known from these."""
    return (
        f"The rules decide {facts['coverage']:.0%} of the training rows; predict answers the others by the "
        "cheapest class."
    )


def coverage_facts(decision: Decision, problem: Problem) -> dict[str, Any]:
    """How many rows the rules decide, and how many of those rightly."""
    weight = problem.weight_or_ones
    decided = ~decision.undecided
    right = weight[decided] @ (decision.labels[decided] == problem.labels[decided])
    total = float(weight[decided].sum())
    return {
        "coverage": metrics.coverage(decision, problem.weight),
        "accuracy_where_decided": float(right / total) if total > 0 else None,
    }


def coverage_words(facts: dict[str, Any], of_what: str) -> str:
    """Say how many rows the rules decide."""
    if facts["accuracy_where_decided"] is None:
        return f"The rules decide none {of_what}."
    return (
        f"The rules decide {facts['coverage']:.0%} {of_what}, {facts['accuracy_where_decided']:.0%} of these "
        "rightly; predict answers the others by the cheapest class."
    )


def rule_grid(rules: RuleTable) -> Grid:
    """Rules as a table for the terminal."""
    grid = Grid("rule", "answer")
    for name in ("quality", "support", "coverage", heading("cost")):
        grid.add_column(name, justify="right")
    for rule in rules:
        grid.add_row(
            " and ".join(rule.conditions),
            str(rule.label),
            f"{rule.quality:.2f}",
            *map(amount, (rule.support, rule.coverage, rule.cost)),
        )
    return grid
