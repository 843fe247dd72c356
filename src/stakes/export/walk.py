"""Trees cut into functions: the order in which exported code visits the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from stakes.table import Column
from stakes.tree import FittedTree

#: Tests nested in one function. Python allows 100 levels of indentation, C99 compilers 127 of blocks.
NESTING = 30


class _Call:
    """How a walk came to a node: from which branch of which parent, and whether another function goes on."""

    __slots__ = ("branch", "cut", "parent")

    def __init__(self, parent: int, branch: int, cut: bool) -> None:
        self.parent, self.branch, self.cut = parent, branch, cut


def function_roots(fitted: FittedTree) -> list[int]:
    """Nodes that start a function: the root, and inner nodes after every NESTING levels."""
    depth = fitted.tree.depth
    cut = (depth % NESTING == 0) & (fitted.tree.feature >= 0)
    return [0, *(node for node in range(1, fitted.tree.n_nodes) if cut[node])]


def walk_function(fitted: FittedTree, root: int) -> Iterator[tuple[int, int, _Call]]:
    """Yield (node, depth, how) for the nodes of one function; node -1 closes the last open block."""
    tree = fitted.tree
    stack = [(root, 0, _Call(-1, 0, False))]
    while stack:
        node, depth, call = stack.pop()
        yield node, depth, call
        if node < 0:
            continue
        if node != root:
            stack.append((-1, depth - 1, call))
        if not call.cut:
            below = list(enumerate(tree.children(node)))
            for branch, child in reversed(below):
                cut = (depth + 1) % NESTING == 0 and bool(tree.feature[child] >= 0)
                stack.append((child, depth + 1, _Call(node, branch, cut)))


def refuse_dates(columns: Iterable[Column], language: str) -> None:
    """Refuse a model that tests dates: code that is given them as dates would compare something else."""
    for column in columns:
        if column.dates:
            raise ValueError(
                f"{language} code cannot be written: the model tests column {column.name!r}, which has "
                "dates; fit it without that column, or with a number in its place, such as days since 1970"
            )


def tested_columns(fitted: FittedTree) -> list[Column]:
    """Columns that a tree tests."""
    features = np.unique(fitted.tree.feature[fitted.tree.feature >= 0])
    return [fitted.schema.columns[feature] for feature in features.tolist()]
