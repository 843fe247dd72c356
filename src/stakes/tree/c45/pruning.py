"""Pruning methods that are registered by name, next to the two of the core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel

Method = TypeVar("Method", bound=Callable[[FittedTree], Any])

_IN_CORE = ("error", "cost")

#: The core prunes by the methods that have no function here; see ``learn_tree``.
METHODS: dict[str, Callable[[FittedTree], Any] | None] = dict.fromkeys(_IN_CORE)


def prunes(name: str) -> Callable[[Method], Method]:
    """Register a pruning method, which `C45Classifier` then takes as ``prune=name``.

    The function takes the grown tree and returns one bool per node: whether the node becomes a leaf, and all
    below it goes. Children are numbered after their parent. A saved model can only be read where its method
    is registered.

    Parameters
    ----------
    name : str
        Name of the method; "error", "cost" and "none" are taken.

    Examples
    --------
    >>> from stakes import C45Classifier, datasets
    >>> from stakes.tree import prunes
    >>> @prunes("two_levels")
    ... def keep_two_levels(fitted):
    ...     return fitted.tree.depth == 2
    >>> german = datasets.load("german")
    >>> C45Classifier(prune="two_levels").fit(german.X, german.y).get_depth()
    2
    """
    if name in (*_IN_CORE, "none"):
        raise ValueError(f"name must be that of a new pruning method, got {name!r}")

    def register(method: Method) -> Method:
        METHODS[name] = method
        return method

    return register


def pruning_methods() -> list[str]:
    """Return what ``prune`` can be, None aside: the methods of the core first, then those registered."""
    return list(METHODS)


def prune_by(name: str | None, fitted: FittedTree) -> FittedTree:
    """Prune by a registered method; a tree that the core has pruned, or that nobody shall prune, stays."""
    method = None if name is None else METHODS[name]
    return fitted if method is None else cut(fitted, method(fitted))


def cut(fitted: FittedTree, leaves: Any) -> FittedTree:
    """Return the tree in which these nodes are leaves.

    Parameters
    ----------
    fitted : FittedTree
    leaves : bool array of shape (n_nodes,)
        True for the nodes that become leaves.
    """
    leaves = np.asarray(leaves)
    if leaves.dtype != bool or leaves.shape != (fitted.tree.n_nodes,):
        raise ValueError(
            f"a pruning method must return {fitted.tree.n_nodes} bools, one per node, got an array of "
            f"{leaves.dtype} of shape {leaves.shape}"
        )
    parent, kept = fitted.tree.parent, np.ones(len(leaves), dtype=bool)
    for node in range(1, len(leaves)):  # parents come first
        kept[node] = kept[parent[node]] and not leaves[parent[node]]
    return replace(
        fitted,
        tree=_cut_nodes(fitted.tree, leaves, kept),
        values=fitted.values[kept],
        decision=fitted.decision[kept],
        observed=None if fitted.observed is None else fitted.observed[kept],
        row_values=None if fitted.row_values is None else fitted.row_values[kept],
    )


def _cut_nodes(tree: TreeModel, leaves: NDArray[np.bool_], kept: NDArray[np.bool_]) -> TreeModel:
    number = np.cumsum(kept, dtype=np.int32) - 1
    inner = (tree.feature >= 0) & ~leaves & kept
    n_values = np.diff(tree.value_start)
    value_start = np.concatenate([[0], np.cumsum(np.where(inner, n_values, 0)[kept])])
    return TreeModel(
        feature=np.where(inner, tree.feature, -1)[kept].astype(np.int32),
        threshold=np.where(inner, tree.threshold, np.nan)[kept],
        first_child=np.where(inner, number[tree.first_child], -1)[kept].astype(np.int32),
        n_branches=np.where(inner, tree.n_branches, 0)[kept].astype(np.int32),
        value_start=value_start.astype(np.int32),
        value_branch=tree.value_branch[np.repeat(inner, n_values)],
        class_weights=tree.class_weights[kept],
        label=tree.label[kept],
    )
