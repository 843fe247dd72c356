"""The parts of a model as an outline that can be folded: nodes of a tree, rules in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._text.words import plain
from stakes.report.answered import AnsweredRows
from stakes.rules import RuleClassifier
from stakes.tree import FittedTree, branch_words, categories_met

#: An outline with more lines than this would be slow to open, and deeper it cannot be read; the rest is
#: counted.
MOST_LINES = 1500
MOST_LEVELS = 40


@dataclass(frozen=True)
class Node:
    """One node of a tree and what these rows cost there.

    Attributes
    ----------
    branch : str
        How one gets here from the node above, such as "<= 24"; empty at the root.
    asks : str
        Column that is tested next; empty in a leaf.
    label : class that is answered here
    rows, errors, cost : float
        Of the rows of the report that come to one leaf below.
    share : float
        Of the whole bill.
    n_leaves : int
    children : tuple of Node
        Empty in a leaf, and where the tree is too large to show all of it.
    """

    branch: str
    asks: str
    label: Any
    rows: float
    errors: float
    cost: float
    share: float
    n_leaves: int
    children: tuple[Node, ...]


@dataclass(frozen=True)
class RuleLine:
    """One rule, what it covered in training, and what the rows that it speaks for cost."""

    number: int
    conditions: tuple[str, ...]
    label: Any
    quality: float
    support: float
    coverage: float
    rows: float
    errors: float
    cost: float


def tree_outline(fitted: FittedTree, leaf: NDArray[np.int32], answered: AnsweredRows) -> Node:
    """The tree from the root on; ``leaf`` is the leaf of each row, negative where several answer."""
    tree = fitted.tree
    n, sums = tree.n_nodes, answered.sums(leaf, tree.n_nodes)
    n_leaves = (tree.feature < 0).astype(int)
    parent, met = tree.parent, categories_met(tree)
    for node in range(n - 1, 0, -1):  # children are numbered after their parent
        sums[parent[node]] += sums[node]
        n_leaves[parent[node]] += n_leaves[node]
    total = answered.total
    # Nodes come level by level, so that a large tree is cut below a level, not in the middle of one.
    deepest = MOST_LEVELS if n <= MOST_LINES else min(MOST_LEVELS, max(1, int(tree.depth[MOST_LINES]) - 1))

    def view(node: int, branch: str) -> Node:
        rows, errors, cost = sums[node].tolist()
        is_leaf = tree.feature[node] < 0
        below = () if is_leaf or tree.depth[node] >= deepest else tuple(tree.children(node))
        return Node(
            branch=branch,
            asks="" if is_leaf else plain(fitted.schema.columns[int(tree.feature[node])].name),
            label=fitted.labels[int(fitted.decision[node])],
            rows=rows,
            errors=errors,
            cost=cost,
            share=cost / total if total else 0.0,
            n_leaves=int(n_leaves[node]),
            children=tuple(
                view(child, branch_words(fitted, node, b, met=met)) for b, child in enumerate(below)
            ),
        )

    return view(0, "")


def rule_lines(model: RuleClassifier, answered: AnsweredRows) -> tuple[RuleLine, ...]:
    """The rules in the order in which they speak."""
    rules = list(model.rules_)
    sums = answered.sums(answered.routing.rule, len(rules)).tolist()
    return tuple(
        RuleLine(i + 1, rule.conditions, rule.label, rule.quality, rule.support, rule.coverage, *sums[i])
        for i, rule in enumerate(rules[:MOST_LINES])
    )
