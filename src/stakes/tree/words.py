"""A tree's tests, paths and leaves in words; what text, drawings and explanations have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.labels import Label
from stakes._text.ranges import Range, level, range_words
from stakes._text.words import any_of, rounded_repr
from stakes.table import Column
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel


@rounded_repr
@dataclass(frozen=True)
class Leaf:
    """One leaf as a row of a table.

    Attributes
    ----------
    node : int
        Number of the leaf in the tree.
    conditions : tuple of str
        What leads here, one condition per column, intervals merged; empty for a tree without tests.
    label : str, bool, int or float
        Class that the leaf answers.
    weight, errors : float
        Training weight that arrived, and the part of it that is of another class.
    expected_cost : float
        Expected cost of the answer for one row, by the leaf's class probabilities.
    cost, share : float
        Cost of the training weight, and its share of the whole tree's cost (0 where the tree costs nothing).
    """

    node: int
    conditions: tuple[str, ...]
    label: Label
    weight: float
    errors: float
    expected_cost: float
    cost: float
    share: float


def leaf_table(fitted: FittedTree) -> list[Leaf]:
    """List the leaves from the first branch to the last, with what leads to them and what they cost.

    Examples
    --------
    >>> from stakes.tree.words import leaf_table, example
    >>> for leaf in leaf_table(example()):
    ...     print("; ".join(leaf.conditions), "->", leaf.label, f"{leaf.share:.0%}")
    income <= 24 -> bad 31%
    24 < income <= 60; housing is 'own' -> good 62%
    24 < income <= 60; housing is 'rent' or 'free' -> bad 6%
    income > 60 -> good 0%
    """
    leaves, parent = fitted.tree.leaves, fitted.tree.parent
    weight, errors, costs = fitted.totals()
    total = float(costs[leaves].sum())
    rows = []
    for node in leaves:
        code = int(fitted.decision[node])
        rows.append(
            Leaf(
                node=node,
                conditions=tuple(path_conditions(fitted, node, parent)),
                label=fitted.labels[code],
                weight=float(weight[node]),
                errors=float(errors[node]),
                expected_cost=float(fitted.values[node] @ fitted.cost_values[:, code]),
                cost=float(costs[node]),
                share=float(costs[node]) / total if total > 0 else 0.0,
            )
        )
    return rows


def leaf_columns(leaves: Sequence[Leaf]) -> dict[str, list[Any]]:
    """Return leaves as the columns of a data frame, the conditions of each as one text."""
    columns = {field.name: [getattr(leaf, field.name) for leaf in leaves] for field in fields(Leaf)}
    return columns | {"conditions": [" and ".join(leaf.conditions) or "always" for leaf in leaves]}


def path_conditions(fitted: FittedTree, node: int, parent: NDArray[np.int32]) -> list[str]:
    """Conditions from the root to a node, one per column in the order of their first test."""
    return [
        range_words(fitted.schema.columns[feature], kept)
        for feature, kept in path_ranges(fitted, node, parent).items()
    ]


def path_ranges(fitted: FittedTree, node: int, parent: NDArray[np.int32]) -> dict[int, Range]:
    """What the tests above a node leave of each column tested."""
    tree = fitted.tree
    path = []
    while node > 0:
        path.append((int(parent[node]), node - int(tree.first_child[parent[node]])))
        node = int(parent[node])
    ranges: dict[int, Range] = {}
    for above, branch in reversed(path):
        kept = ranges.setdefault(int(tree.feature[above]), Range())
        threshold = float(tree.threshold[above])
        if not tree.is_numeric(above):
            codes = np.flatnonzero(tree.branches(above) == branch).tolist()
            kept.codes = codes if kept.codes is None else [code for code in kept.codes if code in codes]
        elif branch == 0:
            kept.high = min(kept.high, threshold)
        else:
            kept.low = max(kept.low, threshold)
    return ranges


def categories_met(tree: TreeModel) -> dict[int, set[int]]:
    """Codes of the categories that can come to each nominal test which stands below another of its column."""
    met: dict[int, set[int]] = {}
    left: list[dict[int, set[int]]] = [{} for _ in range(tree.n_nodes)]
    for node in range(tree.n_nodes):  # children are numbered after their parent
        feature, above = int(tree.feature[node]), left[node]
        if feature in above and not tree.is_numeric(node):
            met[node] = above[feature]
        for branch, child in enumerate(tree.children(node)):
            left[child] = above
            if not tree.is_numeric(node):
                codes = set(np.flatnonzero(tree.branches(node) == branch).tolist())
                left[child] = above | {feature: codes & above.get(feature, codes)}
    return met


def branch_words(
    fitted: FittedTree, node: int, branch: int, most: int = 1000, met: Mapping[int, set[int]] | None = None
) -> str:
    """Outcome of a node's test in words, such as ``<= 31.5`` or ``is 'own' or 'free'``.

    ``met`` is what `categories_met` gave: other categories are left out.
    """
    if fitted.tree.is_numeric(node):
        column = fitted.schema.columns[int(fitted.tree.feature[node])]
        return f"{'<=' if branch == 0 else '>'} {level(column, fitted.tree.threshold[node])}"
    codes = np.flatnonzero(fitted.tree.branches(node) == branch).tolist()
    if met is not None and node in met:
        codes = [code for code in codes if code in met[node]]
    return f"is {any_of(fitted.schema.columns[int(fitted.tree.feature[node])].categories, codes, most)}"


def example() -> FittedTree:
    """Build a small tree by hand for the examples in this package's documentation."""
    from stakes.table import Schema

    nan = np.nan
    weights = np.array([[34.0, 60], [25, 5], [9, 55], [9, 23], [0, 32], [2, 22], [7, 1]])
    tree = TreeModel(
        feature=np.array([0, -1, 0, 1, -1, -1, -1], dtype=np.int32),
        threshold=np.array([24, nan, 60, nan, nan, nan, nan]),
        first_child=np.array([1, -1, 3, 5, -1, -1, -1], dtype=np.int32),
        n_branches=np.array([2, 0, 2, 2, 0, 0, 0], dtype=np.int32),
        value_start=np.array([0, 0, 0, 0, 3, 3, 3, 3], dtype=np.int32),
        value_branch=np.array([0, 1, 1], dtype=np.int32),
        class_weights=weights,
        label=weights.argmax(axis=1).astype(np.int32),
    )
    columns = (Column("income"), Column("housing", "nominal", ("own", "rent", "free")))
    values = weights / weights.sum(axis=1, keepdims=True)
    return FittedTree(
        tree, Schema(columns), np.array(["bad", "good"]), values, tree.label, np.array([[0.0, 5], [1, 0]])
    )
