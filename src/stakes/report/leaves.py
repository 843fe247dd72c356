"""Where the cost sits: what each leaf of a tree, or each rule, costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.answering import asks_nothing, first_with
from stakes.models import effective_tree
from stakes.report.answered import AnsweredRows
from stakes.tree import leaf_table


@dataclass(frozen=True)
class LeafCost:
    """What the rows of one leaf cost; ``rule`` says what leads there."""

    rule: tuple[str, ...]
    label: Any
    rows: float
    errors: float
    cost: float
    share: float


def tree_estimator(model: Any) -> Any:
    """The tree classifier inside wrappers, None where there is none."""
    return first_with(model, "fitted_tree_")


def rules_estimator(model: Any) -> Any:
    """The rules inside wrappers, None where there are none, or where a constant answers in their place."""
    return None if asks_nothing(model) else first_with(model, "rule_set_")


def rows_to_leaves(model: Any, answered: AnsweredRows) -> NDArray[np.int32]:
    """Leaf of each row in the tree that a model answers by, -1 where several answer."""
    if asks_nothing(model):
        return np.zeros(len(answered.weight), dtype=np.int32)
    return answered.routing.leaf


def leaf_costs(model: Any, answered: AnsweredRows) -> tuple[LeafCost, ...]:
    """Leaves or rules that rows come to, the costliest first; empty for a model that has neither."""
    rules = rules_estimator(model)
    if rules is not None:
        place = answered.routing.rule
        known = [(rule.conditions, rule.label, i) for i, rule in enumerate(rules.rules_)]
        rest = ("no rule applies: answered by the fallback",), "undecided"
    elif tree_estimator(model) is not None:
        known = [(leaf.conditions, leaf.label, leaf.node) for leaf in leaf_table(effective_tree(model))]
        place = rows_to_leaves(model, answered)
        rest = ("a value is missing or was never seen, so that several leaves answer",), "by weight"
    else:
        return ()
    n_places = 1 + max((number for *_, number in known), default=-1)
    # Rows without a place of their own come last.
    sums = answered.sums(np.where(place < 0, n_places, place), n_places + 1)
    total = answered.total
    leaves = []
    for conditions, label, number in [*known, (*rest, n_places)]:
        rows, errors, cost = sums[number].tolist()
        share = cost / total if total else 0.0
        leaves.append(LeafCost(conditions or ("every row",), label, rows, errors, cost, share))
    return tuple(sorted((b for b in leaves if b.rows > 0), key=lambda line: (-line.cost, -line.rows)))
