"""A fitted tree with all that reading, drawing and exporting it needs: plain data, no estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base import documents
from stakes._base.labels import Label, labels_from_dict, labels_to_dict
from stakes._base.saving import read_prices, read_schema
from stakes._base.weights import LARGEST
from stakes.costs import FeatureCosts, as_feature_costs
from stakes.decision import expected_costs, min_cost_class, most_probable_class
from stakes.table import Schema
from stakes.tree.model import TreeModel
from stakes.tree.prices import path_prices

FORMAT, VERSION = "stakes-tree", 1

#: Savings smaller than this, relative to the costliest node, are rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class FittedTree:
    """One tree, the schema of its table, its classes and how it decides.

    Attributes
    ----------
    tree : TreeModel
        The nodes.
    schema : Schema
        Columns with ``name``, ``kind`` ("numeric" or "nominal") and ``categories``.
    classes : array of shape (n_classes,)
        Labels in the order of the class codes.
    values : float64 array of shape (n_nodes, n_classes)
        Class probabilities of each node, smoothed as the learner does it.
    decision : int32 array of shape (n_nodes,)
        Class code that each node answers.
    costs : float64 array of shape (n_classes, n_classes) or None
        Costs indexed [actual, predicted]; None means that every mistake costs 1.
    min_cost : bool
        Whether the answer is the class of minimum expected cost, or else the most probable one.
    observed, row_values : float64 arrays of shape (n_nodes, n_classes), optional
        Class weights and probabilities as they would be without costs, where the learner weighted rows by
        their costs. Reports and expected costs are made of these; the tree's ``class_weights`` and ``values``
        by default.
    feature_costs : FeatureCosts, optional
        What it costs to read the columns; None where all are free.
    """

    tree: TreeModel
    schema: Schema
    classes: NDArray[Any]
    values: NDArray[np.float64]
    decision: NDArray[np.int32]
    costs: NDArray[np.float64] | None = None
    min_cost: bool = False
    observed: NDArray[np.float64] | None = None
    row_values: NDArray[np.float64] | None = None
    feature_costs: FeatureCosts | None = None

    @classmethod
    def decided(cls, *, values: NDArray[np.float64], **parts: Any) -> FittedTree:
        """Make a fitted tree whose nodes answer what their own probabilities and the costs call for."""
        draft = cls(values=values, decision=np.zeros(len(values), dtype=np.int32), **parts)
        return replace(draft, decision=draft.choose(values))

    def decided_by(self, costs: NDArray[np.float64]) -> FittedTree:
        """Return the same tree with nodes that answer the class of least expected cost."""
        draft = replace(self, costs=costs, min_cost=True)
        return replace(draft, decision=draft.choose(draft.values))

    def constant(
        self, classes: NDArray[Any], label: Label, shares: NDArray[np.float64], costs: NDArray[np.float64]
    ) -> FittedTree:
        """Return a tree of one leaf that always answers a label, whatever the shares of the classes."""
        return self.leaf(self.schema, classes, label, shares, costs, float(self.counts[0].sum()))

    @classmethod
    def leaf(
        cls,
        schema: Schema,
        classes: NDArray[Any],
        label: Label,
        shares: NDArray[np.float64],
        costs: NDArray[np.float64],
        weight: float = 1.0,
    ) -> FittedTree:
        """Make a tree of one leaf that always answers a label; ``weight`` is that of its training rows."""
        code = np.flatnonzero(classes == label)[:1].astype(np.int32)
        # Exports decide by the probabilities that they are given, and these must leave no doubt; costs see
        # the shares.
        certain = (np.arange(len(classes)) == code).astype(np.float64)[None, :]
        leaf = TreeModel.leaf(shares * weight, code)
        return cls(leaf, schema, classes, certain, code, costs, row_values=shares[None, :])

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def labels(self) -> list[Label]:
        """The classes as plain Python values."""
        return self.classes.tolist()

    @property
    def cost_values(self) -> NDArray[np.float64]:
        """The costs, 0 for a hit and 1 for a mistake where none were given."""
        return 1.0 - np.eye(self.n_classes) if self.costs is None else self.costs

    @property
    def counts(self) -> NDArray[np.float64]:
        """Class weights of each node for reports."""
        return self.tree.class_weights if self.observed is None else self.observed

    @property
    def shares(self) -> NDArray[np.float64]:
        """Probabilities of each node that expected costs are made of."""
        return self.values if self.row_values is None else self.row_values

    def priced(self, feature_costs: Any) -> FittedTree:
        """Return the same tree with other prices of its columns; None keeps its own."""
        if feature_costs is None:
            return self
        return replace(self, feature_costs=as_feature_costs(feature_costs, self.schema.names))

    def upfront_cost(self) -> float:
        """Price of every column that the tree may test, in the order in which its nodes stand."""
        if self.feature_costs is None:
            return 0.0
        tested = self.tree.feature[self.tree.feature >= 0]
        names = self.schema.names
        return self.feature_costs.cost(dict.fromkeys(names[f] for f in tested.tolist()))

    def path_costs(self) -> NDArray[np.float64]:
        """Price of the tests on the way to each node."""
        if self.feature_costs is None:
            return np.zeros(self.tree.n_nodes)
        return path_prices(self.feature_costs.arrays(self.schema.names), self.tree)

    def node_costs(self) -> NDArray[np.float64]:
        """Cost of each node's training rows, were the node a leaf."""
        return (self.counts * self.cost_values.T[self.decision]).sum(axis=1)

    def column_savings(self) -> NDArray[np.float64]:
        """What the tests of each column save of the cost of the training rows.

        A test saves what the rows of its node cost by their cheapest answer, less what the rows of its
        branches cost by theirs.
        """
        tree, cheapest = self.tree, expected_costs(self.counts, self.cost_values).min(axis=1)
        inner = np.flatnonzero(tree.feature >= 0)
        below = np.bincount(tree.parent[1:], weights=cheapest[1:], minlength=tree.n_nodes)
        saved = (cheapest - below)[inner]
        saved[saved < ROUNDING * np.abs(cheapest).max()] = 0.0
        return np.bincount(tree.feature[inner], weights=saved, minlength=len(self.schema)).astype(np.float64)

    def totals(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Weight, errors and cost of each node's training rows under the node's own answer."""
        weight = self.counts.sum(axis=1)
        return weight, weight - self.counts[np.arange(len(weight)), self.decision], self.node_costs()

    def choose(self, probabilities: NDArray[np.float64]) -> NDArray[np.int32]:
        """Class codes for rows of class probabilities, decided as this tree decides."""
        if not self.min_cost:
            return most_probable_class(probabilities).astype(np.int32)
        return min_cost_class(expected_costs(probabilities, self.cost_values)).astype(np.int32)

    def validate(self) -> None:
        """Raise ValueError unless every part is sound and the parts fit each other."""
        n_classes, n_nodes = self.n_classes, self.tree.n_nodes
        if n_classes < 1 or len(set(self.labels)) != n_classes:
            raise ValueError("classes must hold at least one label, each once")
        columns = self.schema.columns
        sizes = [None if column.kind == "numeric" else len(column.categories or ()) for column in columns]
        self.tree.validate(len(columns), sizes, n_classes)
        _check_probabilities(self.values, "values", (n_nodes, n_classes))
        _check_probabilities(self.shares, "row_values", (n_nodes, n_classes))
        if self.decision.shape != (n_nodes,) or self.decision.min() < 0 or self.decision.max() >= n_classes:
            raise ValueError(f"decision must hold {n_nodes} class codes from 0 to {n_classes - 1}")
        if self.costs is not None and (
            self.costs.shape != (n_classes, n_classes) or not np.all(np.abs(self.costs) <= LARGEST)
        ):
            raise ValueError(f"costs must be finite, of shape {(n_classes, n_classes)}, at most {LARGEST:g}")
        if self.feature_costs is not None:
            self.feature_costs.align(self.schema.names)
        if self.observed is not None and (
            self.observed.shape != (n_nodes, n_classes)
            or not np.all((self.observed >= 0) & (self.observed <= LARGEST))
        ):
            raise ValueError(f"observed must hold weights from 0 to {LARGEST:g}, a row per node")

    def to_dict(self) -> dict[str, Any]:
        """The whole as plain values, ready for JSON; numbers come back exactly."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "schema": self.schema.to_dict(),
            "classes": labels_to_dict(self.classes),
            "tree": self.tree.to_dict(),
            "values": self.values.tolist(),
            "decision": self.decision.tolist(),
            "costs": None if self.costs is None else self.costs.tolist(),
            "min_cost": bool(self.min_cost),
            "observed": None if self.observed is None else self.observed.tolist(),
            "row_values": None if self.row_values is None else self.row_values.tolist(),
            "feature_costs": None if self.feature_costs is None else self.feature_costs.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FittedTree:
        """Read what :meth:`to_dict` wrote and check all of it.

        Raises
        ------
        ValueError
            When anything in the document is missing, of a wrong type, out of range or inconsistent.
        """
        documents.check_format(data, FORMAT, VERSION, "the model")
        keys = [field.name for field in fields(cls)]
        documents.check_mapping(data, "the model", keys)
        if not isinstance(data["min_cost"], bool):
            raise ValueError("min_cost must be true or false")
        documents.check_mapping(data["tree"], "tree", ("label",))
        nodes = data["tree"]["label"] if isinstance(data["tree"]["label"], list) else []
        for name in ("values", "decision"):
            documents.check_length(data[name], name, len(nodes))

        def optional(name: str) -> NDArray[np.float64] | None:
            return None if data[name] is None else documents.float_matrix(data[name], name)

        fitted = cls(
            tree=TreeModel.from_dict(data["tree"]),
            schema=read_schema(data["schema"]),
            classes=labels_from_dict(data["classes"]),
            values=documents.float_matrix(data["values"], "values"),
            decision=documents.int_array(data["decision"], "decision"),
            costs=optional("costs"),
            min_cost=data["min_cost"],
            observed=optional("observed"),
            row_values=optional("row_values"),
            feature_costs=read_prices(data["feature_costs"]),
        )
        fitted.validate()
        return fitted


def _check_probabilities(values: NDArray[np.float64], name: str, shape: tuple[int, int]) -> None:
    if values.shape != shape or not np.all((values >= 0) & (values <= 1)):
        raise ValueError(f"{name} must be probabilities of shape {shape}")
    if np.any(np.abs(values.sum(axis=1) - 1) > 1e-6):
        raise ValueError(f"{name} must add up to 1 at each node")
