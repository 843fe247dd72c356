"""Where the cost sits: the bill of each leaf of a tree, or of each rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.answering import asks_nothing, first_with
from stakes.models import effective_tree
from stakes.report.billed import Billed
from stakes.rules import RuleClassifier
from stakes.tree import leaf_table


@dataclass(frozen=True)
class LeafBill:
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


def rows_to_leaves(model: Any, billed: Billed) -> NDArray[np.int32]:
    """Leaf of each row in the tree that a model answers by, -1 where several answer."""
    if asks_nothing(model):
        return np.zeros(len(billed.weight), dtype=np.int32)
    return billed.routing.leaf


def leaf_bills(model: Any, billed: Billed) -> tuple[LeafBill, ...]:
    """Leaves or rules that rows come to, the dearest first; empty for a model that has neither."""
    if isinstance(model, RuleClassifier):
        place = billed.routing.rule
        known = [(rule.conditions, rule.label, i) for i, rule in enumerate(model.rules_)]
        rest = ("no rule applies: answered by the fallback",), "undecided"
    elif tree_estimator(model) is not None:
        known = [(leaf.conditions, leaf.label, leaf.node) for leaf in leaf_table(effective_tree(model))]
        place = rows_to_leaves(model, billed)
        rest = ("a value is missing or was never seen, so that several leaves answer",), "by weight"
    else:
        return ()
    n_places = 1 + max((number for *_, number in known), default=-1)
    # Rows without a place of their own come last.
    sums = billed.sums(np.where(place < 0, n_places, place), n_places + 1)
    total = billed.total
    bills = []
    for conditions, label, number in [*known, (*rest, n_places)]:
        rows, errors, cost = sums[number].tolist()
        share = cost / total if total else 0.0
        bills.append(LeafBill(conditions or ("every row",), label, rows, errors, cost, share))
    return tuple(sorted((b for b in bills if b.rows > 0), key=lambda bill: (-bill.cost, -bill.rows)))
