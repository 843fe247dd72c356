"""Costs and prices of a trial, fixed or drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stakes.costs import (
    CostMatrix,
    FeatureCosts,
    abe_costs,
    as_cost_matrix,
    davis_prices,
    kretowski_costs,
    ting_costs,
)
from stakes.lab.build import import_object
from stakes.lab.sources import Data, Rows
from stakes.lab.specs import CostSpec


def cost_seed(spec: CostSpec, repeat: int, fold: int) -> int:
    """Seed of a random cost model for a trial."""
    return spec.seed + {"fold": 1000 * repeat + fold, "repeat": repeat, "study": 0}[spec.per]


def is_drawn(spec: CostSpec) -> bool:
    """Whether the costs are random and drawn more than once."""
    return spec.model not in _FIXED and spec.per != "study"


def trial_costs(spec: CostSpec, data: Data, train: Rows, repeat: int = 0, fold: int = 0) -> CostMatrix:
    """The costs of a trial, in the order of the classes as declared."""
    if spec.model in _FIXED:
        return _FIXED[spec.model](spec, data)
    seed = cost_seed(spec, repeat, fold)
    if spec.model == "abe":
        # A class that no training row has counts as one row, since costs are ratios of the shares.
        count = np.bincount(data.codes[train], minlength=len(data.classes))
        return abe_costs(data.classes, np.maximum(count, 1), seed)
    model = {"ting": ting_costs, "kretowski": kretowski_costs}.get(spec.model) or import_object(spec.model)
    return as_cost_matrix(model(data.classes, seed), data.classes, check=False)


def trial_prices(
    spec: CostSpec | None, names: tuple[str, ...], repeat: int, fold: int
) -> FeatureCosts | None:
    """Prices of the columns for a trial."""
    if spec is None:
        return None
    model = davis_prices if spec.model == "davis" else import_object(spec.model)
    return FeatureCosts(model(names, cost_seed(spec, repeat, fold)))


def _published(spec: CostSpec, data: Data) -> CostMatrix:
    if data.published is None:
        raise ValueError('costs "published" need a data set with published costs; this one has none')
    return data.published.align(data.classes)


def _by_class(spec: CostSpec, data: Data) -> CostMatrix:
    values = np.array(spec.values, dtype=float)
    if len(values) != len(data.classes):
        raise ValueError(f"by_class must have {len(data.classes)} costs, one per class, got {len(values)}")
    labels = spec.classes or data.classes
    return CostMatrix(values[:, None] * (1 - np.eye(len(values))), labels, check=False).align(data.classes)


_FIXED: dict[str, Callable[[CostSpec, Data], CostMatrix]] = {
    "equal": lambda spec, data: CostMatrix.uniform(data.classes),
    "published": _published,
    "known": lambda spec, data: as_cost_matrix(data.published, data.classes, check=False),
    "file": lambda spec, data: as_cost_matrix(spec.values[0], data.classes, check=False),
    "matrix": lambda spec, data: CostMatrix(
        np.array(spec.values), spec.classes or data.classes, check=False
    ).align(data.classes),
    "by_class": _by_class,
}
