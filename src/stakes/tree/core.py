"""Tables and trees on their way into the compiled core and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes.table import Table
from stakes.tree.model import TreeModel


class SortedTable(Table):
    """A table whose columns the core has sorted, for every tree that is learnt from it."""

    __slots__ = ("core",)

    core: _core.Table


def core_table(table: Table) -> _core.Table:
    """Hand a table's columns to the core, without copying them."""
    if isinstance(table, SortedTable):
        return table.core
    return _core.Table(table.columns, table.schema.n_values)


def presort(table: Table) -> SortedTable:
    """Return the same columns, sorted by the core."""
    kept = SortedTable(table.schema, table.columns)
    kept.core = core_table(table)
    kept.core.presort()
    return kept


def as_model(tree: _core.Tree, n_classes: int) -> TreeModel:
    """Flat arrays of the core as a tree."""
    *links, class_weights, label = tree.arrays()
    return TreeModel(*links, class_weights.reshape(-1, n_classes), label)  # type: ignore[call-arg, arg-type]


def node_probabilities(
    counts: NDArray[np.float64],
    parent: NDArray[np.int32],
    smoothing: str | None = None,
    strength: float = 0.0,
) -> NDArray[np.float64]:
    """Class probabilities of each node, smoothed.

    Parameters
    ----------
    counts : array of shape (n_nodes, n_classes)
        Class weights of each node; the first row is the root's.
    parent : array of shape (n_nodes,)
        Parent of each node. A node without weight answers like the nearest one above it that has some.
    smoothing : {None, "laplace", "m"}
        Raw shares, ``(n_j + 1) / (n + K)``, or ``(n_j + m b_j) / (n + m)`` with ``b`` the shares at the root.
    strength : float
        The ``m`` of the m-estimate.
    """
    total = counts.sum(axis=1, keepdims=True)
    if smoothing == "laplace":
        values = (counts + 1.0) / (total + counts.shape[1])
    elif smoothing == "m":
        prior = counts[0] / total[0]
        values = (counts + strength * prior) / (total + strength)
    else:
        values = counts / np.where(total > 0, total, 1.0)
    for node in np.flatnonzero(total[:, 0] <= 0):  # parents come first
        values[node] = values[parent[node]]
    return values
