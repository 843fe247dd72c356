"""What looking costs a fitted model, whatever it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.costs import FeatureCosts
from stakes.decision import Guard


@dataclass(frozen=True, eq=False)
class Looking:
    """Price of the tests of each row, made one after another, and of all that may be made, paid up front."""

    by_row: NDArray[np.float64]
    upfront: float


def looking(model: Any, X: Any, prices: FeatureCosts) -> Looking:
    """Work out what it costs to let a model answer.

    A constant looks at nothing, a tree at what is on a row's way. Of other models nothing is known but that
    they are given every column.
    """
    n_rows = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    if getattr(model, "asks_nothing", False) or (isinstance(model, Guard) and model.guarded_):
        return Looking(np.zeros(n_rows), 0.0)
    if hasattr(model, "path_cost"):
        return Looking(model.path_cost(X, prices), model.upfront_cost(prices))
    inner = getattr(model, "estimator_", None)
    if inner is not None:
        return looking(inner, X, prices)
    everything = prices.cost(prices.features)
    return Looking(np.full(n_rows, everything), everything)
