"""A mean over rows, and how sure one may be of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from stakes._base import documents
from stakes._text.words import rounded_repr


@rounded_repr
@dataclass(frozen=True)
class Interval:
    """A mean and the ends of its confidence interval."""

    mean: float
    low: float
    high: float


def mean_interval(values: NDArray[np.float64], weight: NDArray[np.float64], level: float = 0.95) -> Interval:
    """Mean of independent (weighted) rows with its t interval."""
    share = weight / weight.sum()
    mean = float(share @ values)
    size = 1 / float(share @ share)  # number of equally weighted rows that say as much
    if size <= 1:
        return Interval(mean, mean, mean)
    variance = float(share @ (values - mean) ** 2) * size / (size - 1)
    half = float(stdtrit(size - 1, (1 + level) / 2)) * float(np.sqrt(variance / size))
    return Interval(mean, mean - half, mean + half)


def interval_to_dict(ends: tuple[float, float] | None) -> dict[str, Any]:
    """Return the interval of a held-out cost as a document keeps it: nothing where there is none."""
    return {} if ends is None else {"cv_interval": list(ends)}


def interval_from_dict(data: Any) -> tuple[float, float] | None:
    """Read back what :func:`interval_to_dict` gave, None from a file that is older than that."""
    if data.get("cv_interval") is None:
        return None
    ends = documents.float_array(data["cv_interval"], "cv_interval").tolist()
    if len(ends) != 2 or ends[0] > ends[1]:
        raise ValueError("cv_interval must be two numbers, the smaller one first")
    return ends[0], ends[1]
