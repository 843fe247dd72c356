"""A fitted tree with all that reading, drawing and exporting it needs: plain data, no estimator."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes import _json
from stakes.table import Schema
from stakes.tree.model import LARGEST, TreeModel

FORMAT, VERSION = "stakes-tree", 1

#: Scores this close to the best one, relative to it, are ties. Exports add the same products in other
#: languages and on other machines; the last bits of a sum must not choose the class.
TOLERANCE = 1e-12

Label = str | bool | int | float


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
    observed : float64 array of shape (n_nodes, n_classes), optional
        What reports call the weight of a class at a node, where the learner weighted rows by their costs
        and reports should not. The tree's ``class_weights`` by default. Never used for routing.
    """

    tree: TreeModel
    schema: Schema
    classes: NDArray[Any]
    values: NDArray[np.float64]
    decision: NDArray[np.int32]
    costs: NDArray[np.float64] | None = None
    min_cost: bool = False
    observed: NDArray[np.float64] | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def labels(self) -> list[Label]:
        """The classes as plain Python values."""
        return self.classes.tolist()

    @property
    def bill(self) -> NDArray[np.float64]:
        """The costs, 0 for a hit and 1 for a mistake where none were given."""
        return 1.0 - np.eye(self.n_classes) if self.costs is None else self.costs

    @property
    def counts(self) -> NDArray[np.float64]:
        """Class weights of each node for reports."""
        return self.tree.class_weights if self.observed is None else self.observed

    def node_costs(self) -> NDArray[np.float64]:
        """Cost of each node's training rows, were the node a leaf."""
        return (self.counts * self.bill.T[self.decision]).sum(axis=1)

    def choose(self, probabilities: NDArray[np.float64]) -> NDArray[np.int32]:
        """Class codes for rows of class probabilities, decided as this tree decides."""
        return choose(probabilities, self.bill if self.min_cost else None)

    def validate(self) -> None:
        """Raise ValueError unless every part is sound and the parts fit each other."""
        n_classes, n_nodes = self.n_classes, self.tree.n_nodes
        if n_classes < 1 or len(set(self.labels)) != n_classes:
            raise ValueError("classes must hold at least one label, each once")
        columns = self.schema.columns
        sizes = [None if column.kind == "numeric" else len(column.categories or ()) for column in columns]
        self.tree.validate(len(columns), sizes, n_classes)
        if self.values.shape != (n_nodes, n_classes) or not np.all((self.values >= 0) & (self.values <= 1)):
            raise ValueError(f"values must be probabilities of shape {(n_nodes, n_classes)}")
        if np.any(np.abs(self.values.sum(axis=1) - 1) > 1e-6):
            raise ValueError("values must add up to 1 at each node")
        if self.decision.shape != (n_nodes,) or self.decision.min() < 0 or self.decision.max() >= n_classes:
            raise ValueError(f"decision must hold {n_nodes} class codes from 0 to {n_classes - 1}")
        if self.costs is not None and (
            self.costs.shape != (n_classes, n_classes) or not np.all(np.abs(self.costs) <= LARGEST)
        ):
            raise ValueError(f"costs must be finite, of shape {(n_classes, n_classes)}, at most {LARGEST:g}")
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
            "classes": _labels_to_dict(self.classes),
            "tree": self.tree.to_dict(),
            "values": self.values.tolist(),
            "decision": self.decision.tolist(),
            "costs": None if self.costs is None else self.costs.tolist(),
            "min_cost": bool(self.min_cost),
            "observed": None if self.observed is None else self.observed.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FittedTree:
        """Read what :meth:`to_dict` wrote and check all of it.

        Raises
        ------
        ValueError
            When anything in the document is missing, of a wrong type, out of range or inconsistent.
        """
        _json.check_format(data, FORMAT, VERSION, "the model")
        keys = ("schema", "classes", "tree", "values", "decision", "costs", "min_cost")
        _json.check_mapping(data, "the model", keys)
        if not isinstance(data["min_cost"], bool):
            raise ValueError("min_cost must be true or false")
        costs, observed = data["costs"], data.get("observed")
        fitted = cls(
            tree=TreeModel.from_dict(data["tree"]),
            schema=_read_schema(data["schema"]),
            classes=_labels_from_dict(data["classes"]),
            values=_json.float_matrix(data["values"], "values"),
            decision=_json.int_array(data["decision"], "decision"),
            costs=None if costs is None else _json.float_matrix(costs, "costs"),
            min_cost=data["min_cost"],
            observed=None if observed is None else _json.float_matrix(observed, "observed"),
        )
        fitted.validate()
        return fitted


def expected_costs(probabilities: NDArray[np.float64], costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Expected cost of predicting each class, the actual classes added in their order."""
    total = np.zeros(probabilities.shape)
    # A matrix product adds in an order of its own; exported code cannot follow that.
    for actual in range(len(costs)):
        total += probabilities[:, actual : actual + 1] * costs[actual]
    return total


def choose(probabilities: NDArray[np.float64], costs: NDArray[np.float64] | None = None) -> NDArray[np.int32]:
    """Most probable class of each row, or with costs the cheapest one; the lowest code wins ties.

    Two scores tie when they differ by at most 1e-12 of the best one.

    Examples
    --------
    >>> import numpy as np
    >>> choose(np.array([[0.2, 0.8], [0.5, 0.5]])).tolist()
    [1, 0]
    >>> choose(np.array([[0.2, 0.8]]), np.array([[0.0, 5.0], [1.0, 0.0]])).tolist()
    [0]
    """
    if costs is None:
        best = probabilities.max(axis=1, keepdims=True)
        good = probabilities >= best - TOLERANCE * np.abs(best)
    else:
        expected = expected_costs(probabilities, costs)
        best = expected.min(axis=1, keepdims=True)
        good = expected <= best + TOLERANCE * np.abs(best)
    return good.argmax(axis=1).astype(np.int32)


def _labels_to_dict(classes: NDArray[Any]) -> dict[str, Any]:
    labels = classes.tolist()
    for label in labels:
        if not isinstance(label, bool | int | float | str) or not _finite(label):
            raise ValueError(
                f"class labels must be strings, booleans or finite numbers to be written, got {label!r}"
            )
    return {"dtype": "str" if classes.dtype.kind == "U" else classes.dtype.name, "labels": labels}


def _labels_from_dict(data: Any) -> NDArray[Any]:
    _json.check_mapping(data, "classes", ("dtype", "labels"))
    dtype, labels = data["dtype"], data["labels"]
    kinds = _LABEL_TYPES.get(dtype) if isinstance(dtype, str) else None
    if kinds is None:
        raise ValueError(f"the dtype of classes must be one of {', '.join(_LABEL_TYPES)}")
    if not isinstance(labels, list) or not labels or any(type(label) not in kinds for label in labels):
        raise ValueError(f"the labels of classes must be a list of values that fit the dtype {dtype}")
    if dtype == "object":
        array = np.empty(len(labels), dtype=object)
        array[:] = labels
        return array
    try:
        with np.errstate(over="ignore"):
            array = np.array(labels, dtype=dtype)
    except OverflowError:
        array = np.array([])
    if array.tolist() != labels:
        raise ValueError(f"the labels of classes do not fit the dtype {dtype}")
    return array


def _read_schema(data: Any) -> Schema:
    try:
        return Schema.from_dict(data)
    except ValueError:
        raise
    except Exception as error:
        # The document comes from outside: whatever stumbles over it, the document is what is wrong.
        raise ValueError(f"the schema of the model cannot be read: {error!r}") from error


def _finite(label: Label) -> bool:
    return not isinstance(label, float) or math.isfinite(label)


_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_LABEL_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "object": (str, bool, int, float),
    "bool": (bool,),
    "float32": (float,),
    "float64": (float,),
    **dict.fromkeys(_WHOLE, (int,)),
}
