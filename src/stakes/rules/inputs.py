"""What the rule learner is given, checked and in one shape."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.training import read_training
from stakes._base.weights import check_size
from stakes._text.words import some
from stakes.costs import CostMatrix, sample_vector
from stakes.rules.learn import RuleSamples

#: Least support of a class that ``min_support`` does not name.
DEFAULT_SUPPORT = 0.01


def read_samples(owner: Any, X: Any, y: Any, sample_weight: Any, costs: Any) -> RuleSamples:
    """Read what a `RuleClassifier` is given to learn from, with what mistakes cost by its parameters."""
    training = read_training(owner, X, y, sample_weight, costs)
    classes = training.classes
    if owner.class_costs is not None:
        if owner.cost_matrix is not None:
            raise ValueError("class_costs and cost_matrix must not be given together; one of them is enough")
        vector = class_cost_vector(owner.class_costs, classes)
        check_size(vector)
        matrix = CostMatrix(vector[:, None] * (1.0 - np.eye(len(classes))), classes, check=False)
    else:
        matrix = training.effective_cost_matrix
        vector = matrix.vector(owner.cost_vector)
    own = training.costs
    return RuleSamples(
        **vars(training) | {"cost_matrix": matrix},
        # with one class there is no mistake, and a rule for it is as good as any
        class_costs=np.ascontiguousarray(vector) if len(classes) > 1 else np.ones(1),
        row_costs=None if own is None else sample_vector(own, training.codes, owner.cost_vector),
    )


def more_samples(samples: RuleSamples, X: Any, y: Any, *, unseen: str, owner: str) -> RuleSamples:
    """Other rows of the same problem, to judge rules on."""
    table = samples.table.schema.encode(X, unseen=unseen, owner=owner)
    codes = samples.effective_cost_matrix.codes(y).astype(np.int32)
    return replace(samples, table=table, codes=codes, weight=None, costs=None, row_costs=None)


def class_cost_vector(class_costs: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Cost of mistaking each class, from a dict by label or a vector in the order of the classes."""
    values = _by_class(class_costs, classes, "class_costs")
    if None in values:
        absent = classes[values.index(None)]
        raise ValueError(f"class_costs must name every class, {absent!r} is not there")
    return np.array(_at_least_0(values, "class_costs"))


def support_vector(min_support: Any, classes: NDArray[Any]) -> Any:
    """Least support as one number, or a list in the order of the classes."""
    if not isinstance(min_support, Mapping | list):
        return float(min_support)
    values = [DEFAULT_SUPPORT if v is None else v for v in _by_class(min_support, classes, "min_support")]
    return _at_least_0(values, "min_support")


def check_t_good_values(t_good_values: Sequence[float]) -> list[float]:
    """Distinct cut-offs, ascending."""
    given = np.ravel(np.asarray(t_good_values, dtype=object)).tolist()
    if not given or not all(isinstance(value, Real) and 0 <= float(value) <= 1 for value in given):
        raise ValueError(f"t_good_values must be at least one number from 0 to 1, got {some(given)}")
    return sorted(set(map(float, given)))


def known_fallback(fallback: Any, classes: NDArray[Any]) -> Any:
    """Return the fallback, or say that it answers classes that the rules do not have."""
    if hasattr(fallback, "classes_"):
        CostMatrix.uniform(classes).codes(fallback.classes_, "the fallback")
    return fallback


def _at_least_0(values: list[Any], name: str) -> list[float]:
    if not all(isinstance(value, Real) and math.isfinite(value) and float(value) >= 0 for value in values):
        raise ValueError(f"{name} must be finite and at least 0, got {values}")
    return list(map(float, values))


def _by_class(given: Any, classes: NDArray[Any], name: str) -> list[Any]:
    labels = classes.tolist()
    if isinstance(given, Mapping):
        unknown = [label for label in given if label not in labels]
        if unknown:
            raise ValueError(f"{name} names {unknown[0]!r}, but the classes are {labels}")
        return [given.get(label) for label in labels]
    values = np.asarray(given, dtype=object).tolist()
    if not isinstance(values, list) or len(values) != len(labels):
        raise ValueError(f"{name} must have one number for each of the {len(labels)} classes, got {given!r}")
    return values
