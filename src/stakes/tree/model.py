"""A fitted tree as data: flat arrays, children numbered after their parent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base import documents
from stakes._base.weights import LARGEST
from stakes._core import MAX_DEPTH

_Codes = NDArray[np.int32]
_Numbers = NDArray[np.float64]
Links = tuple[_Codes, _Numbers, _Codes, _Codes, _Codes, _Codes, _Numbers]


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

    @classmethod
    def leaf(cls, class_weights: NDArray[np.float64], code: NDArray[np.int32]) -> TreeModel:
        """Make a tree of one leaf that answers a class."""
        return cls(
            feature=np.array([-1], dtype=np.int32),
            threshold=np.array([np.nan]),
            first_child=np.array([-1], dtype=np.int32),
            n_branches=np.array([0], dtype=np.int32),
            value_start=np.array([0, 0], dtype=np.int32),
            value_branch=np.zeros(0, dtype=np.int32),
            class_weights=class_weights[None, :],
            label=code,
        )

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.feature)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.class_weights.shape[1]

    @property
    def weight(self) -> NDArray[np.float64]:
        """Training weight of each node, its classes added in their order."""
        # cumsum adds from left to right; sum() adds in pairs and differs in the last bit from a plain loop.
        return np.cumsum(self.class_weights, axis=1)[:, -1]

    def probabilities(
        self,
        smoothing: str | None = None,
        strength: float = 0.0,
        counts: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Class probabilities of each node, smoothed; see `node_probabilities`. Other counts may be given."""
        counts = self.class_weights if counts is None else counts
        return node_probabilities(counts, self.parent, smoothing, strength)

    def links(self) -> Links:
        """What the core needs to route rows: tests, branches and the weight of each node."""
        return (
            self.feature,
            self.threshold,
            self.first_child,
            self.n_branches,
            self.value_start,
            self.value_branch,
            self.weight,
        )

    @property
    def parent(self) -> NDArray[np.int32]:
        """Parent of each node, -1 at the root."""
        # The children of inner nodes tile the nodes after the root, in order.
        inner = np.flatnonzero(self.feature >= 0).astype(np.int32)
        return np.concatenate([np.array([-1], dtype=np.int32), np.repeat(inner, self.n_branches[inner])])

    @property
    def depth(self) -> NDArray[np.int32]:
        """Number of tests above each node."""
        parent, depth = self.parent, np.zeros(self.n_nodes, dtype=np.int32)
        for node in range(1, self.n_nodes):
            depth[node] = depth[parent[node]] + 1
        return depth

    @property
    def leaves(self) -> list[int]:
        """The leaves from the first branch to the last, depth first."""
        return [node for node in self.walk() if self.feature[node] < 0]

    def children(self, node: int) -> range:
        """Nodes below ``node``, in branch order."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_branches[node]))

    def walk(self, root: int = 0) -> list[int]:
        """Nodes at and below ``root`` depth first, parents before children, in branch order."""
        order, stack = [], [root]
        while stack:
            node = stack.pop()
            order.append(node)
            stack.extend(reversed(self.children(node)))
        return order

    def is_numeric(self, node: int) -> bool:
        """Whether the node compares a number with a threshold."""
        return not math.isnan(self.threshold[node])

    def branches(self, node: int) -> NDArray[np.int32]:
        """Branch of each category code at a nominal node, -1 where no training row had it."""
        return self.value_branch[self.value_start[node] : self.value_start[node + 1]]

    def fractions(self) -> NDArray[np.float64]:
        """Share of each node in the training weight of its siblings and itself.

        A row whose tested value is missing is spread over the branches in these shares. The shares are all
        zero where no branch has weight: there the node above answers itself.
        """
        weight, share = self.weight, np.zeros(self.n_nodes)
        share[0] = 1.0
        for node in np.flatnonzero(self.feature >= 0):
            below = self.children(int(node))
            total = 0.0
            for child in below:
                total += weight[child]
            if total > 0:
                share[below.start : below.stop] = weight[below.start : below.stop] / total
        return share

    def validate(self, n_features: int, n_values: Sequence[int | None], n_classes: int) -> None:
        """Raise ValueError unless routing, drawing and exporting this tree is safe.

        Parameters
        ----------
        n_features : int
            Columns of the table.
        n_values : sequence of length n_features
            Number of categories of each nominal column, None for a numeric one.
        n_classes : int
            Number of classes.

        Examples
        --------
        >>> import numpy as np
        >>> leaf = TreeModel.from_dict({
        ...     "feature": [-1], "threshold": [None], "first_child": [-1], "n_branches": [0],
        ...     "value_start": [0, 0], "value_branch": [], "class_weights": [[2.0, 1.0]], "label": [0]})
        >>> leaf.validate(1, [None], 2)
        >>> leaf.validate(1, [None], 3)
        Traceback (most recent call last):
            ...
        ValueError: the tree's class_weights must have shape (1, 3), got (1, 2)
        """
        if len(n_values) != n_features:
            raise ValueError(f"n_values must have one entry per column ({n_features}), got {len(n_values)}")
        self._check_shapes(n_classes)
        self._check_links()
        for node in np.flatnonzero(self.feature >= 0):
            self._check_test(int(node), n_values)
        if np.any(self.label < 0) or np.any(self.label >= n_classes):
            raise ValueError(f"the tree's label must hold class codes from 0 to {n_classes - 1}")
        # "not (all fine)" so that NaN is caught too.
        if not np.all((self.class_weights >= 0) & (self.class_weights <= LARGEST)):
            raise ValueError(f"the tree's class_weights must be numbers from 0 to {LARGEST:g}")

    def _check_shapes(self, n_classes: int) -> None:
        n_nodes = self.n_nodes if isinstance(self.feature, np.ndarray) else 0
        if n_nodes < 1:
            raise ValueError("the tree must be made of arrays and have at least one node")
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(_INTEGER + _FLOAT, (n_nodes,))
        shapes["value_start"] = (n_nodes + 1,)
        shapes["class_weights"] = (n_nodes, n_classes)
        del shapes["value_branch"]
        for name in (*shapes, "value_branch"):
            array = getattr(self, name)
            dtype = np.dtype(np.int32 if name in _INTEGER else np.float64)
            if not isinstance(array, np.ndarray) or array.dtype != dtype:
                raise ValueError(f"the tree's {name} must be an array of {dtype}")
            if name in shapes and array.shape != shapes[name]:
                raise ValueError(f"the tree's {name} must have shape {shapes[name]}, got {array.shape}")
        if self.value_branch.ndim != 1:
            raise ValueError("the tree's value_branch must have one dimension")

    def _check_links(self) -> None:
        """Each node but the root has one parent, which comes before it: no cycles, no shared children."""
        inner = self.feature >= 0
        if np.any(self.feature < -1):
            raise ValueError("the tree's feature must be a column number, or -1 in leaves")
        if np.any(self.first_child[~inner] != -1) or np.any(self.n_branches[~inner] != 0):
            raise ValueError("a leaf of the tree must have first_child -1 and n_branches 0")
        if np.any(self.n_branches[inner] < 2):
            raise ValueError("an inner node of the tree must have at least two branches")
        first = self.first_child[inner].astype(np.int64)
        last = first + self.n_branches[inner]
        if np.any(first <= np.flatnonzero(inner)) or np.any(last > self.n_nodes):
            raise ValueError("the children of a node must come after it and within the tree")
        # The ranges must tile 1..n_nodes in order: a gap is an orphan, an overlap a node with two parents.
        if np.any(np.append(first, self.n_nodes) != np.append(1, last)):
            raise ValueError(
                "every node but the root must be the child of exactly one node, numbered breadth-first"
            )
        if self.depth.max() > MAX_DEPTH:
            raise ValueError(f"the tree must not be deeper than {MAX_DEPTH} tests")
        if np.any(np.diff(self.value_start) < 0) or self.value_start[0] != 0:
            raise ValueError("the tree's value_start must begin with 0 and never fall")
        if self.value_start[-1] != len(self.value_branch):
            raise ValueError("the tree's value_start must end with the length of value_branch")
        if np.any(np.diff(self.value_start)[~inner]) or not np.all(np.isnan(self.threshold[~inner])):
            raise ValueError("a leaf of the tree must have neither a threshold nor a value_branch")

    def _check_test(self, node: int, n_values: Sequence[int | None]) -> None:
        feature, values = int(self.feature[node]), self.branches(node)
        if feature >= len(n_values):
            raise ValueError(f"node {node} tests column {feature}, but there are {len(n_values)} columns")
        expected = n_values[feature]
        if expected is None:
            if len(values) or self.n_branches[node] != 2 or not np.isfinite(self.threshold[node]):
                raise ValueError(
                    f"node {node} is numeric and needs a finite threshold, two branches and no value_branch"
                )
            return
        if not np.isnan(self.threshold[node]):
            raise ValueError(f"node {node} tests a nominal column: it cannot have a threshold")
        if len(values) != expected:
            raise ValueError(
                f"node {node} maps {len(values)} categories to branches; its column has {expected}"
            )
        if np.any(values < -1) or np.any(values >= self.n_branches[node]):
            raise ValueError(f"node {node} sends a category to a branch that it does not have")

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, ready for JSON; a missing threshold is None."""
        arrays = {name: getattr(self, name).tolist() for name in _INTEGER + _FLOAT}
        arrays["threshold"] = [None if math.isnan(value) else value for value in arrays["threshold"]]
        return arrays

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TreeModel:
        """Read what :meth:`to_dict` wrote; call :meth:`validate` before trusting it."""
        documents.check_mapping(data, "tree", _INTEGER + _FLOAT)
        nodes = data["feature"] if isinstance(data["feature"], list) else []
        for name in _PER_NODE:  # before anything is made of a long list
            documents.check_length(data[name], f"tree.{name}", len(nodes))
        integers = {name: documents.int_array(data[name], f"tree.{name}") for name in _INTEGER}
        return cls(
            threshold=documents.float_array(data["threshold"], "tree.threshold", nan_as_null=True),
            class_weights=documents.float_matrix(data["class_weights"], "tree.class_weights"),
            **integers,
        )


_INTEGER = ("feature", "first_child", "n_branches", "value_start", "value_branch", "label")
_FLOAT = ("threshold", "class_weights")
_PER_NODE = ("feature", "first_child", "n_branches", "label", "threshold", "class_weights")


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
