"""Points of a trade-off between feature costs and costs of mistakes: the front, and which one to take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._text.words import rounded_repr

#: Relative slack when sums that are equal on paper are compared.
ROUNDING = 1e-12

#: Ends of the default grid for gamma, as powers of ten, and how many values a decade has at its finest.
FIRST, LAST, PER_DECADE = -6, 6, 4


@rounded_repr
@dataclass(frozen=True)
class TradeoffPoint:
    """One setting of the knob, and what came of it.

    Attributes
    ----------
    value : the setting, None for the baseline
    test_cost : feature costs per row: of all columns of the tree learnt from all rows ("upfront"), or the
        mean of what rows of the test folds met ("path")
    accuracy : share of the rows that the cross-validation got right
    mistake_cost : mean cost of its mistakes per row
    within : whether it is as good as the baseline up to the tolerance
    on_front : whether nothing is better in one respect and no worse in the other
    is_baseline : whether this is the baseline
    """

    value: Any
    test_cost: float
    accuracy: float
    mistake_cost: float
    within: bool = False
    on_front: bool = False
    is_baseline: bool = False

    @property
    def total_cost(self) -> float:
        """Feature costs and cost of mistakes together, per row."""
        return self.test_cost + self.mistake_cost

    def loss(self, objective: str) -> float:
        """What should be small besides the test cost: the share of errors, or what they cost."""
        return 1.0 - self.accuracy if objective == "accuracy" else self.mistake_cost


def is_within(point: TradeoffPoint, baseline: TradeoffPoint, objective: str, tolerance: float) -> bool:
    """Whether a point loses at most ``tolerance`` against the baseline.

    The tolerance is a share of the rows for "accuracy", a share of the baseline's own cost for "cost".

    Examples
    --------
    >>> baseline = TradeoffPoint(None, test_cost=5, accuracy=0.9, mistake_cost=0.1)
    >>> is_within(TradeoffPoint(1.0, 2, 0.89, 0.11), baseline, "accuracy", 0.01)
    True
    >>> is_within(TradeoffPoint(1.0, 2, 0.89, 0.11), baseline, "cost", 0.01)
    False
    """
    limit = baseline.loss(objective)
    limit += tolerance if objective == "accuracy" else tolerance * abs(limit)
    return point.loss(objective) <= limit + ROUNDING * max(1.0, abs(limit))


def pareto_front(points: Iterable[TradeoffPoint], objective: str) -> list[TradeoffPoint]:
    """Points that no other one beats, from the cheapest to the costliest; of equal ones the first.

    Examples
    --------
    >>> figures = [(0, 3, 0.9), (1, 2, 0.8), (2, 2, 0.7), (3, 0, 0.7)]
    >>> points = [TradeoffPoint(gamma, cost, right, 1 - right) for gamma, cost, right in figures]
    >>> [point.value for point in pareto_front(points, "accuracy")]
    [3, 1, 0]
    """
    front: list[TradeoffPoint] = []
    for point in sorted(points, key=lambda p: (p.test_cost, p.loss(objective))):
        if not front or point.loss(objective) < front[-1].loss(objective):
            front.append(point)
    return front


def choose_point(
    points: Sequence[TradeoffPoint], baseline: TradeoffPoint, *, objective: str, select: str
) -> TradeoffPoint:
    """The point to use: the cheapest of those within the tolerance, or the one of least total cost.

    Points of the same cost differ by their loss, and then by their order. The baseline comes last: it is
    taken only where nothing else is as cheap.
    """
    candidates = [*points, baseline]
    if select == "total":
        return min(candidates, key=lambda p: (p.total_cost, p.test_cost))
    within = [p for p in candidates if p.within or p is baseline]
    return min(within, key=lambda p: (p.test_cost, p.loss(objective)))


def gamma_grid(costs_at: Callable[[list[float]], list[float]]) -> list[float]:
    """0 and 1e-6 to 1e6: one value per decade, and four in those decades over which the cost changes.

    Parameters
    ----------
    costs_at : callable
        Gives the cost of the model for each of some values.

    Examples
    --------
    >>> grid = gamma_grid(lambda values: [float(value < 2) for value in values])
    >>> len(grid), [round(value, 2) for value in grid if 0.5 < value < 20]
    (17, [1.0, 1.78, 3.16, 5.62, 10.0])
    """
    steps = list(range(FIRST * PER_DECADE, LAST * PER_DECADE + 1, PER_DECADE))
    costs = costs_at([_power(step) for step in steps])
    finer = [
        step + between
        for step, cost, following in zip(steps[:-1], costs[:-1], costs[1:], strict=True)
        if cost != following
        for between in range(1, PER_DECADE)
    ]
    return [0.0, *(_power(step) for step in sorted(steps + finer))]


def _power(step: int) -> float:
    return float(np.power(10.0, step / PER_DECADE))
