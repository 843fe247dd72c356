"""A fitted tree as data: flat arrays, children numbered after their parent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class TreeModel:
    """The nodes of one tree in breadth-first order; node 0 is the root.

    Attributes
    ----------
    feature : int32 array of shape (n_nodes,)
        Column tested at the node, -1 in leaves.
    threshold : float64 array of shape (n_nodes,)
        Numeric test: ``value <= threshold`` goes to branch 0, else to branch 1. NaN at other nodes.
    first_child : int32 array of shape (n_nodes,)
        Branch ``b`` of node ``i`` is node ``first_child[i] + b``; -1 in leaves.
    n_branches : int32 array of shape (n_nodes,)
        Number of branches, 0 in leaves.
    value_start, value_branch : int32 arrays of shape (n_nodes + 1,) and (n_values,)
        Nominal test: category code ``v`` goes to branch ``value_branch[value_start[i] + v]``; the range is
        empty at other nodes.
    class_weights : float64 array of shape (n_nodes, n_classes)
        Training weight of each class at the node; all zero where no training row arrived.
    label : int32 array of shape (n_nodes,)
        Class code with the largest weight; an empty leaf has its parent's label.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    first_child: NDArray[np.int32]
    n_branches: NDArray[np.int32]
    value_start: NDArray[np.int32]
    value_branch: NDArray[np.int32]
    class_weights: NDArray[np.float64]
    label: NDArray[np.int32]

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.feature)
