"""Parameters of estimators: what counts as a number or a flag, in one place."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes._base.private_sklearn import Interval

#: Largest whole number that the core takes.
MOST = 2**31 - 1

#: Whole numbers beyond those that floats reach count as infinite.
LARGEST = int(np.finfo(np.float64).max)

#: Constraints of ``n_jobs``, of which 0 means nothing.
N_JOBS = [Interval(Integral, -MOST, -1, closed="both"), Interval(Integral, 1, MOST, closed="both"), None]


class PlainParameters:
    """For estimators: NumPy's flags and numbers become Python's where a parameter is set.

    So a value out of an array is taken by the core and by JSON wherever a plain one is. Setting a plain value
    keeps the object itself, as `sklearn.base.clone` asks.
    """

    if not TYPE_CHECKING:  # a type checker would no longer notice attributes that there are not

        def __setattr__(self, name: str, value: Any) -> None:
            """Set a parameter as a plain value, and anything else as it is."""
            super().__setattr__(name, value if name.endswith("_") else plain_scalar(value))


def plain_scalar(value: Any) -> Any:
    """Return a NumPy flag or number as Python's, anything else as it is.

    Examples
    --------
    >>> [plain_scalar(value) for value in (np.bool_(True), np.int64(3), np.float32(0.5), "a", 10**400)]
    [True, 3, 0.5, 'a', inf]
    """
    for kind, plain in ((np.bool_, bool), (np.integer, int), (np.floating, float)):
        if isinstance(value, kind):
            return plain(value)
    if isinstance(value, int) and abs(value) > LARGEST:
        return math.inf if value > 0 else -math.inf
    if isinstance(value, Fraction):
        whole = plain_scalar(int(value))  # an infinite one, or some number
        return float(value) if isinstance(whole, int) else whole
    return value
