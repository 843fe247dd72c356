"""Fitted rules as data: conditions in arrays, in the order in which they speak."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes._base import documents
from stakes._base.labels import Label, labels_from_dict, labels_to_dict
from stakes._base.saving import read_prices
from stakes._base.weights import LARGEST
from stakes.costs import FeatureCosts, as_feature_costs
from stakes.decision import expected_costs, min_cost_class
from stakes.rules.bins import Bins
from stakes.table import Schema, Table

FORMAT, VERSION = "stakes-rules", 1

#: Fields that are called otherwise in files.
_KEYS = {"undecided_weights": "silent_weights"}


@dataclass(frozen=True, eq=False)
class RuleSet:
    """Rules in the order of their precedence: the first that applies to a row speaks.

    Attributes
    ----------
    bins : Bins
        What conditions are about.
    classes : array of shape (n_classes,)
        Class labels.
    start, feature, value : int32 arrays
        Rule ``i`` asks that the columns ``feature[start[i]:start[i + 1]]`` lie in the bins ``value[...]``.
    label : int32 array of shape (n_rules,)
        Class code of each rule.
    quality : float64 array of shape (n_rules,)
        Cost-weighted entropy of each rule on its training rows, low is good.
    class_weights : float64 array of shape (n_rules, n_classes)
        Training weight of each class that a rule covers.
    undecided_weights : float64 array of shape (n_classes,)
        Training weight of each class where no rule speaks.
    costs : float64 array of shape (n_classes, n_classes)
        Cost matrix, ``[actual, predicted]``.
    t_good : float
        Cut-off that the rules were accepted by.
    feature_costs : FeatureCosts or None
        What it costs to look at the columns.
    """

    bins: Bins
    classes: NDArray[Any]
    start: NDArray[np.int32]
    feature: NDArray[np.int32]
    value: NDArray[np.int32]
    label: NDArray[np.int32]
    quality: NDArray[np.float64]
    class_weights: NDArray[np.float64]
    undecided_weights: NDArray[np.float64]
    costs: NDArray[np.float64]
    t_good: float
    feature_costs: FeatureCosts | None = None

    def __len__(self) -> int:
        return len(self.label)

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.bins.schema

    @property
    def labels(self) -> list[Label]:
        """The classes as plain Python values."""
        return self.classes.tolist()

    def conditions(self, rule: int) -> list[tuple[int, int]]:
        """Column and bin of each condition of a rule."""
        part = slice(self.start[rule], self.start[rule + 1])
        return list(zip(self.feature[part].tolist(), self.value[part].tolist(), strict=True))

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Class probabilities where each rule speaks and, in the last row, where none does.

        Shares of the training weight with Laplace's correction: one more row of every class.
        """
        weights = np.vstack([self.class_weights, self.undecided_weights]) + 1.0
        return weights / weights.sum(axis=1, keepdims=True)

    @cached_property
    def fallback(self) -> int:
        """Class code of least expected cost where no rule speaks."""
        return int(min_cost_class(expected_costs(self.shares[-1:], self.costs))[0])

    def column_savings(self) -> NDArray[np.float64]:
        """What the rules save of the cost of the rows that they cover, in equal parts for their columns.

        A rule saves what its rows would cost by the answer given where no rule applies, less what they cost
        by its own.
        """
        rows = np.arange(len(self))
        by_answer = expected_costs(self.class_weights, self.costs)
        saved = np.maximum(by_answer[:, self.fallback] - by_answer[rows, self.label], 0.0)
        n_conditions = np.diff(self.start)
        parts = np.repeat(saved / n_conditions, n_conditions)
        return np.bincount(self.feature, weights=parts, minlength=len(self.schema)).astype(np.float64)

    def match(self, table: Table, n_threads: int = 1) -> NDArray[np.int32]:
        """Rule that speaks for each row of an encoded table, -1 where none does."""
        first, _ = _core.match_rules(
            self.bins.core(table), self.start, self.feature, self.value, n_threads=n_threads
        )
        return first

    def priced(self, feature_costs: Any) -> RuleSet:
        """Return the same rules with other prices of their columns; None keeps their own."""
        if feature_costs is None:
            return self
        return replace(self, feature_costs=as_feature_costs(feature_costs, self.schema.names))

    def upfront_cost(self) -> float:
        """Price of every column that a rule asks for."""
        if self.feature_costs is None:
            return 0.0
        return self.feature_costs.cost(self.schema.names[f] for f in np.unique(self.feature).tolist())

    def columns_read(self, table: Table, n_threads: int = 1) -> NDArray[np.uint8]:
        """Tell which columns must be read until a rule applies to a row, or all have failed, 1 for those.

        Rules are tried in their order and conditions in theirs; a rule is given up at its first condition
        that fails, and a column once read is known.
        """
        _, read = _core.match_rules(
            self.bins.core(table), self.start, self.feature, self.value, looked=True, n_threads=n_threads
        )
        return read.reshape(table.n_samples, -1)

    def path_cost(self, table: Table, n_threads: int = 1) -> NDArray[np.float64]:
        """Price of the columns that must be read for each row."""
        if self.feature_costs is None:
            return np.zeros(table.n_samples)
        return self.price_of(self.columns_read(table, n_threads))

    def price_of(self, columns_read: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Price of the columns that were read for each row."""
        if self.feature_costs is None:
            return np.zeros(len(columns_read))
        sets, which = np.unique(columns_read, axis=0, return_inverse=True)
        names = self.schema.names
        prices = [self.feature_costs.cost(names[f] for f in np.flatnonzero(read).tolist()) for read in sets]
        return np.array(prices)[which.ravel()] if prices else np.zeros(len(columns_read))

    def validate(self) -> None:
        """Raise ValueError unless every part is sound and the parts fit each other."""
        n_rules, k = len(self), len(self.classes)
        if len(set(self.labels)) != k:
            raise ValueError("classes must hold each label once")
        if self.start.shape != (n_rules + 1,) or self.start[0] != 0 or (np.diff(self.start) < 1).any():
            raise ValueError(f"start must have {n_rules + 1} entries that rise from 0")
        if not len(self.feature) == len(self.value) == self.start[-1]:
            raise ValueError("feature and value must have one entry per condition")
        sizes = np.array(self.bins.n_bins)
        if (self.feature < 0).any() or (self.feature >= len(sizes)).any():
            raise ValueError("feature must hold numbers of columns")
        if (self.value < 0).any() or (self.value >= sizes[self.feature]).any():
            raise ValueError("value must hold bins of the columns")
        if (self.label < 0).any() or (self.label >= k).any():
            raise ValueError(f"label must hold class codes from 0 to {k - 1}")
        if self.quality.shape != (n_rules,) or not np.all((self.quality >= 0) & (self.quality <= 1 + 1e-9)):
            raise ValueError("quality must hold a number from 0 to 1 for each rule")
        for name, shape in (("class_weights", (n_rules, k)), ("undecided_weights", (k,))):
            weights = getattr(self, name)
            if weights.shape != shape or not np.all((weights >= 0) & (weights <= LARGEST)):
                raise ValueError(f"{name} must hold weights from 0 to {LARGEST:g}, of shape {shape}")
        if self.costs.shape != (k, k) or not np.all(np.abs(self.costs) <= LARGEST):
            raise ValueError(f"costs must be finite, of shape {(k, k)}, at most {LARGEST:g}")
        if self.feature_costs is not None:
            self.feature_costs.align(self.schema.names)

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as plain values, ready for JSON; numbers come back exactly."""
        codes = ("start", "feature", "value", "label")
        arrays = (*codes, "quality", "class_weights", "undecided_weights", "costs")
        return {
            "format": FORMAT,
            "version": VERSION,
            "bins": self.bins.to_dict(),
            "classes": labels_to_dict(self.classes),
            **{_KEYS.get(name, name): getattr(self, name).tolist() for name in arrays},
            "t_good": float(self.t_good),
            "feature_costs": None if self.feature_costs is None else self.feature_costs.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RuleSet:
        """Read back what :meth:`to_dict` gave; anything else is a ValueError."""
        documents.check_format(data, FORMAT, VERSION, "the model")
        keys = [_KEYS.get(field.name, field.name) for field in fields(cls)]
        documents.check_mapping(data, "the model", keys)
        classes = labels_from_dict(data["classes"])
        weights = documents.float_matrix(data["class_weights"], "class_weights")
        rules = cls(
            bins=Bins.from_dict(data["bins"]),
            classes=classes,
            **{
                name: documents.int_array(data[name], name) for name in ("start", "feature", "value", "label")
            },
            quality=documents.float_array(data["quality"], "quality"),
            class_weights=weights if len(weights) else np.zeros((0, len(classes))),
            undecided_weights=documents.float_array(data["silent_weights"], "silent_weights"),
            costs=documents.float_matrix(data["costs"], "costs"),
            t_good=float(documents.float_array([data["t_good"]], "t_good")[0]),
            feature_costs=read_prices(data["feature_costs"]),
        )
        rules.validate()
        return rules
