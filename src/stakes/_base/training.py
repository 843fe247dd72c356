"""What ``fit`` is given, read once: columns, class codes, weights, costs and prices, in one record."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from stakes._base.background import read_rows, typical_rows
from stakes._base.features import check_features
from stakes._base.labels import CodedTarget, code_labels
from stakes._base.saving import training_info
from stakes._base.weights import check_size, check_weight
from stakes.costs import (
    CostMatrix,
    FeatureCosts,
    PriceArrays,
    as_cost_matrix,
    as_feature_costs,
    check_sample_costs,
    mean_cost_matrix,
    warn_of_odd_costs,
)
from stakes.table import Table

Floats = NDArray[np.float64]

#: Categories of a column that the core counts.
MOST_CATEGORIES = 65_534


@dataclass(frozen=True, eq=False, kw_only=True)
class Targets:
    """What is known of samples besides their columns.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        Labels in order.
    codes : int32 array of shape (n_samples,)
        Position of each sample's label among them.
    cost_matrix : CostMatrix or None
        Costs of the classes, in their order: as given, or else the mean of the samples' own; None where there
        are neither.
    costs : array of shape (n_samples, n_classes) or None
        What predicting each class costs for each sample, where samples have costs of their own.
    weight : array of shape (n_samples,) or None
        How many rows each sample stands for; None: 1 each.
    """

    classes: NDArray[Any]
    codes: NDArray[np.int32]
    cost_matrix: CostMatrix | None = None
    costs: Floats | None = None
    weight: Floats | None = None

    def take(self, samples: NDArray[Any]) -> Self:
        """Return some of the samples, with the same classes and class costs."""
        return replace(
            self,
            codes=self.codes[samples],
            costs=None if self.costs is None else self.costs[samples],
            weight=None if self.weight is None else self.weight[samples],
        )

    def with_class_costs(self, cost_matrix: Any, *, check: bool = False) -> Self:
        """Return the same samples with class costs from anything that describes them, else from their own."""
        if cost_matrix is not None:
            return replace(self, cost_matrix=as_cost_matrix(cost_matrix, self.classes, check=check))
        if self.costs is None:
            return replace(self, cost_matrix=None)
        mean = mean_cost_matrix(self.costs, self.codes, self.classes, self.weight)
        return replace(self, cost_matrix=mean)

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.codes)

    @property
    def target(self) -> CodedTarget:
        """The labels as estimators of stakes take them."""
        return CodedTarget(self.classes, self.codes)

    @property
    def labels(self) -> NDArray[Any]:
        """The labels themselves."""
        return self.classes[self.codes]

    @property
    def weight_or_ones(self) -> Floats:
        """Weight of each sample, 1 where none was given."""
        return np.ones(len(self.codes)) if self.weight is None else self.weight

    @property
    def class_weight(self) -> Floats:
        """What the samples of each class weigh together."""
        return np.bincount(self.codes, weights=self.weight, minlength=len(self.classes)).astype(float)

    @property
    def effective_cost_matrix(self) -> CostMatrix:
        """Costs of the classes, 1 for every mistake where none were given."""
        return as_cost_matrix(None, self.classes) if self.cost_matrix is None else self.cost_matrix

    @property
    def cost_values(self) -> Floats:
        """The same as an array of shape (n_classes, n_classes), [actual, predicted]."""
        return 1.0 - np.eye(len(self.classes)) if self.cost_matrix is None else self.cost_matrix.values

    @property
    def sample_costs(self) -> Floats:
        """What predicting each class costs for each sample: its own costs, or those of its class."""
        return self.cost_values[self.codes] if self.costs is None else self.costs


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingSet(Targets):
    """Samples to learn from: what learners are given.

    Attributes
    ----------
    table : Table
        The columns.
    feature_costs : FeatureCosts or None
        What it costs to read them, in their order; None where all are free.
    """

    table: Table
    feature_costs: FeatureCosts | None = None

    def take(self, samples: NDArray[Any]) -> Self:
        """Return some of the samples, with the same classes, class costs and prices."""
        return replace(super().take(samples), table=self.table.take(samples))

    @property
    def price_arrays(self) -> PriceArrays | None:
        """Prices of the columns as learners take them; None where all are free."""
        return None if self.feature_costs is None else self.feature_costs.arrays(self.table.schema.names)

    def fingerprint(self) -> str:
        """Return a SHA-256 of the columns with all their values, the labels and the weights."""
        names = [self.table.schema.to_dict(), self.classes.tolist()]
        digest = hashlib.sha256(json.dumps(names).encode())
        for values in (*self.table.columns, self.codes, self.weight_or_ones):
            digest.update(np.ascontiguousarray(values).data)
        return digest.hexdigest()


def read_training(
    owner: Any, X: Any, y: Any, sample_weight: Any = None, costs: Any = None, *, check_finite: bool = True
) -> TrainingSet:
    """Check an estimator's parameters and what its ``fit`` was given, and tell it its columns.

    Parameters
    ----------
    owner : estimator
        Its ``categorical_features`` say what is nominal; where it has ``cost_matrix`` and ``feature_costs``,
        these are the costs of classes and the prices of columns.
    X, y, sample_weight, costs
        As ``fit`` takes them.
    check_finite : bool
        Whether to look for infinite values; False for a learner whose core looks itself.
    """
    owner._validate_params()
    table, target = read_table_and_target(owner, X, y, check_finite=check_finite)
    targets = read_targets(target, sample_weight, costs, getattr(owner, "cost_matrix", None), check=is_own(y))
    prices = as_feature_costs(getattr(owner, "feature_costs", None), table.schema.names)
    note_typical_rows(owner, table, y, targets)
    return TrainingSet(**vars(targets), table=table, feature_costs=prices)


def note_typical_rows(owner: Any, table: Table | None, y: Any, targets: Targets) -> None:
    """Tell an estimator what its explanations compare with, where its rows are in memory.

    One that is fitted inside another explains nothing, and takes coded labels from it.
    """
    owner._background = None
    if table is not None and hasattr(owner, "keep_background") and not isinstance(y, CodedTarget):
        rows = read_rows(targets.weight, len(targets))
        read = table if len(rows) == table.n_samples else table.take(rows)
        owner._background = typical_rows(
            read, targets.codes[rows], len(targets.classes), targets.class_weight
        )


def read_table_and_target(
    owner: Any, X: Any, y: Any, *, check_finite: bool = True
) -> tuple[Table, CodedTarget]:
    """Read columns and labels of as many samples, and tell an estimator its columns."""
    table = table_to_learn(X, owner.categorical_features, check_finite=check_finite)
    check_features(owner, X, reset=True)
    target = code_labels(y, type(owner).__name__, table.n_samples)
    owner._training_info = training_info(table.schema, table.target, y, table.n_samples)
    return table, target


def is_own(y: Any) -> bool:
    """Whether labels are a user's own; coded ones come from what wraps the estimator, which warned."""
    return not isinstance(y, CodedTarget)


def table_to_learn(X: Any, categorical_features: Any, *, check_finite: bool = True) -> Table:
    """Read columns to learn from; what a data frame declares of categories besides its values is left out."""
    table = Table.from_data(X, categorical_features, check_finite=check_finite)
    table = table if isinstance(X, Table) else table.with_met_categories()
    for column in table.schema.columns:
        if len(column.categories) > MOST_CATEGORIES:
            raise ValueError(
                f"column {column.name!r} has {len(column.categories)} categories, at most {MOST_CATEGORIES} "
                "work; leave it out if it names the rows, or put rare categories together"
            )
    return table


def read_targets(
    target: CodedTarget, sample_weight: Any, costs: Any, cost_matrix: Any, *, check: bool = False
) -> Targets:
    """Check weights and costs of labels that are coded; ``check`` warns of costs that can hardly be meant."""
    n_samples, n_classes = len(target), len(target.classes)
    own = None if costs is None else check_sample_costs(costs, n_samples, n_classes, target.classes)
    if own is not None:
        check_size(own)
    targets = Targets(
        classes=target.classes,
        codes=target.codes,
        weight=None if sample_weight is None else check_weight(sample_weight, n_samples),
        costs=own,
    )
    if check and own is not None:
        way_out = "filter CostMatrixWarning where they are meant"
        warn_of_odd_costs(own, targets.codes, targets.classes.tolist(), way_out)
    targets = targets.with_class_costs(cost_matrix, check=check)
    if targets.cost_matrix is not None:
        check_size(targets.cost_matrix.values)
    return targets


def target_for(estimator: Any, targets: Targets) -> Any:
    """Return labels as an estimator takes them: coded where it is one of stakes, which would code them."""
    own = type(estimator).__module__.startswith("stakes.")
    return targets.target if own else targets.labels
