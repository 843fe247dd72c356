"""The best constant: what a learner must beat to be worth its trouble."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._text.money import money
from stakes.decision._choose import RELATIVE_ROUNDING, min_cost_class


class GuardWarning(UserWarning):
    """The guarded estimator costs no less than always predicting one class."""


def best_constant(row_costs: NDArray[np.float64], weight: NDArray[np.float64]) -> tuple[int, float]:
    """Return the code of the class that is cheapest for all rows, and its mean cost per row.

    Parameters
    ----------
    row_costs : array of shape (n_samples, n_classes)
        What predicting each class costs for each row.
    weight : array of shape (n_samples,)
    """
    means = np.average(row_costs, axis=0, weights=weight)
    best = int(min_cost_class(means[np.newaxis, :])[0])
    return best, float(means[best])


def loses_to_constant(
    name: str,
    cost: float,
    constant: Any,
    constant_cost: float,
    *,
    where: str = "",
    so: str = "the constant is predicted from here on",
    stacklevel: int = 2,
) -> bool:
    """Tell whether a held-out cost is no better than that of a constant, and warn where it is not.

    Parameters
    ----------
    name : str
        Who is judged, for the warning.
    cost, constant_cost : float
        Mean costs per row: of held-out predictions, and of the constant.
    constant : label
    where, so : str
        For the warning: what else the cost is of, and what follows.
    stacklevel : int
        As for `warnings.warn`, counted from the caller.
    """
    slack = RELATIVE_ROUNDING * max(abs(cost), abs(constant_cost))
    if cost < constant_cost - slack:
        return False
    four = "{:.4g}".format  # digits
    warnings.warn(
        f"{name} costs {money(cost, four)} per row in cross-validation{where}, always predicting {constant} "
        f"costs {money(constant_cost, four)}; {so}",
        GuardWarning,
        stacklevel=stacklevel + 1,
    )
    return True
