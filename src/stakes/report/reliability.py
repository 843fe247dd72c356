"""Whether probabilities come true: what a model says next to how often it happens."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.report.answered import AnsweredRows

#: Bins of about equally many rows, fewer where there are few rows or few different probabilities.
MOST_BINS = 10
#: With fewer rows than this a diagram would say nothing; with more classes a page has the costliest alone.
FEWEST_ROWS = 20
MOST_CLASSES = 30
#: Quantile of the normal distribution for intervals of 95 %.
_Z = 1.959963984540054


@dataclass(frozen=True)
class ReliabilityBin:
    """Rows with similar probabilities.

    Attributes
    ----------
    probability : float
        Mean probability.
    share : float
        Share of the rows that are of the class.
    low, high : float
        Ends of the share's interval of 95 %, Wilson's.
    rows : float
    """

    probability: float
    share: float
    low: float
    high: float
    rows: float


@dataclass(frozen=True)
class Reliability:
    """The bins of one class, or of whichever class is the most likely, where ``label`` is None."""

    label: Any
    bins: tuple[ReliabilityBin, ...]

    @property
    def name(self) -> str:
        """What the probabilities are of, in words."""
        return "the most likely class" if self.label is None else str(self.label)

    @property
    def difference(self) -> float:
        """By how much probability and share differ, the mean over the rows."""
        total = sum(part.rows for part in self.bins)
        return sum(part.rows * abs(part.probability - part.share) for part in self.bins) / total

    @property
    def n_within(self) -> int:
        """Number of bins whose interval holds the mean probability."""
        return sum(part.low <= part.probability <= part.high for part in self.bins)


def wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson's interval of 95 % for a share of ``n`` rows.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(0.1, 50)]
    [0.043, 0.214]
    >>> [round(end, 3) for end in wilson(0.0, 20)]
    [0.0, 0.161]
    """
    spread = _Z * _Z / n
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt(share * (1 - share) / n + spread / (4 * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def reliabilities(proba: NDArray[np.float64], answered: AnsweredRows) -> tuple[Reliability, ...]:
    """Diagrams by the probabilities that costs are multiplied with; none for few rows or where all are alike.

    Of two classes it is the one whose mistakes are costlier. Of more it is whichever is the most likely, and
    then each class, the one whose rows cost the most first.
    """
    matrix, actual, weight = answered.matrix, answered.actual, answered.weight
    if weight.sum() < FEWEST_ROWS or not np.ptp(proba, axis=0).any():
        return ()
    assert matrix.classes is not None
    labels, costs = matrix.classes.tolist(), matrix.values
    if len(labels) == 2:
        positive = 0 if costs[0, 1] > costs[1, 0] else 1
        return (Reliability(labels[positive], bins(proba[:, positive], actual == positive, weight)),)
    top = proba.argmax(axis=1)
    spent = np.bincount(actual, weights=weight * answered.paid, minlength=len(labels))
    order = np.argsort(-spent, kind="stable")[:MOST_CLASSES].tolist()
    return (
        Reliability(None, bins(proba[np.arange(len(top)), top], top == actual, weight)),
        *(Reliability(labels[code], bins(proba[:, code], actual == code, weight)) for code in order),
    )


def bins(
    probability: NDArray[np.float64], is_so: NDArray[np.bool_], weight: NDArray[np.float64]
) -> tuple[ReliabilityBin, ...]:
    """Put rows into bins of about equal weight, the least probabilities first.

    Rows with the same probability stay together, in the bin that the middle of their weight falls into.
    """
    place = np.unique(probability, return_inverse=True)[1]
    of_value = np.bincount(place, weights=weight)
    n_bins = int(min(MOST_BINS, weight.sum() // (FEWEST_ROWS / 2)))
    middle = (np.cumsum(of_value) - of_value / 2) / weight.sum()
    number = np.minimum((middle * n_bins).astype(int), n_bins - 1)[place]
    rows, squares, sums, matches = (
        np.bincount(number, weights=part, minlength=n_bins)
        for part in (weight, weight**2, weight * probability, weight * is_so)
    )
    shares = np.minimum(1.0, matches / np.maximum(rows, 1e-300))
    return tuple(
        ReliabilityBin(
            float(sums[i] / rows[i]),
            float(shares[i]),
            *wilson(float(shares[i]), float(rows[i] ** 2 / squares[i])),
            rows=float(rows[i]),
        )
        for i in np.flatnonzero(rows)
    )
