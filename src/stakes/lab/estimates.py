"""Figures of a table with their standard errors, where trials share what was drawn for them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: What trials share: those with the same draw of costs are not independent.
Draw = Hashable


@dataclass(frozen=True)
class Estimate:
    """A figure, and by how much each draw of costs moves it.

    Attributes
    ----------
    value : float
    influence : dict of draw to float, or None
        What the trials of the draw add to the difference from the true figure; the squares add up to the
        square of the standard error. None where there are too few draws to tell.
    """

    value: float
    influence: Mapping[Draw, float] | None = None

    @property
    def error(self) -> float | None:
        """Standard error; None where it is not known.

        Examples
        --------
        >>> Estimate(2.0, {"first": 3.0, "second": -4.0}).error
        5.0
        """
        if self.influence is None:
            return None
        return math.sqrt(sum(moved**2 for moved in self.influence.values()))


def mean_of_trials(values: NDArray[np.float64], draws: Sequence[Draw]) -> Estimate | None:
    """Mean over trials; those without a figure, nan, are left out.

    Examples
    --------
    >>> independent = mean_of_trials(np.array([1.0, 1.0, 3.0, 3.0]), [0, 1, 2, 3])
    >>> paired = mean_of_trials(np.array([1.0, 1.0, 3.0, 3.0]), [0, 0, 1, 1])
    >>> independent.value, round(independent.error, 3), paired.value, round(paired.error, 3)
    (2.0, 0.577, 2.0, 1.0)
    """
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return None
    mean = float(values[known].mean())
    return Estimate(mean, _influence((values[known] - mean) / len(known), [draws[i] for i in known.tolist()]))


def ratio_of_trials(
    above: NDArray[np.float64], below: NDArray[np.float64], draws: Sequence[Draw]
) -> Estimate | None:
    """Ratio of two means over the same trials, its error by the first term of Taylor's series.

    Examples
    --------
    >>> ratio = ratio_of_trials(np.array([1.0, 3.0]), np.array([2.0, 6.0]), [0, 1])
    >>> ratio.value, ratio.error
    (0.5, 0.0)
    """
    whole = float(below.mean())
    if whole == 0 or math.isnan(whole) or np.isnan(above).any():
        return None
    ratio = float(above.mean()) / whole
    return Estimate(ratio, _influence((above - ratio * below) / (whole * len(above)), draws))


def mean_of_estimates(estimates: Sequence[Estimate | None]) -> Estimate | None:
    """Mean of figures, which may share draws; None where one is missing.

    Examples
    --------
    >>> first, second = Estimate(1.0, {"a": 3.0}), Estimate(3.0, {"b": 4.0})
    >>> mean_of_estimates([first, second])
    Estimate(value=2.0, influence={'a': 1.5, 'b': 2.0})
    >>> mean_of_estimates([first, Estimate(3.0, {"a": 4.0})]).error
    3.5
    """
    known = [estimate for estimate in estimates if estimate is not None]
    if not known or len(known) < len(estimates):
        return None
    mean = float(np.mean([estimate.value for estimate in known]))
    total: dict[Draw, float] = {}
    for estimate in known:
        if estimate.influence is None:
            return Estimate(mean)
        for draw, moved in estimate.influence.items():
            total[draw] = total.get(draw, 0.0) + moved / len(known)
    return Estimate(mean, total)


def _influence(parts: NDArray[np.float64], draws: Sequence[Draw]) -> dict[Draw, float] | None:
    """Sums by draw, enlarged as the variance of a small sample is."""
    sums: dict[Draw, float] = {}
    for part, draw in zip(parts.tolist(), draws, strict=True):
        sums[draw] = sums.get(draw, 0.0) + part
    if len(sums) < 2:
        return None
    enlarged = math.sqrt(len(sums) / (len(sums) - 1))
    return {draw: enlarged * moved for draw, moved in sums.items()}
