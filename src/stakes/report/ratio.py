"""What if a missed case cost more, or less? Figures for every place of the slider in the page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.decision import expected_costs, min_cost_class, or_abstain
from stakes.report.answered import AnsweredRows

#: Places of the slider in one factor of ten: round numbers, for people to read.
STEPS = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
#: It reaches from the model's own ratio this many times down and up.
FARTHEST = 100.0


Pair = tuple[float, float]
Square = tuple[Pair, Pair]


@dataclass(frozen=True)
class RatioPoint:
    """The bill at one place of the slider.

    ``counts`` and ``costs`` are indexed [actual][predicted], the class to be careful about second.
    ``besides`` is what tests and undecided rows cost.
    """

    ratio: float
    threshold: float
    counts: Square
    costs: Square
    besides: float
    n_rows: float
    own: float
    constant: float
    constant_label: Any

    @property
    def total(self) -> float:
        """What all rows cost."""
        return _total(self.counts, self.costs) + self.besides

    @property
    def most(self) -> float:
        """The largest amount in one cell."""
        return max(self.counts[i][j] * self.costs[i][j] for i in (0, 1) for j in (0, 1))


@dataclass(frozen=True)
class RatioView:
    """Two classes: the bill by how many times more it costs to miss ``positive`` than to raise a false alarm.

    The costs of a false alarm and of right answers stay as they are, that of a miss moves. For each ratio the
    class of least expected cost is answered, which is a threshold on the probability. All figures are sums
    over the rows, so that their number does not depend on that of the rows and nothing is rounded.

    Attributes
    ----------
    positive, negative : labels
        Missing the positive class is the costlier mistake.
    ratios, missed : tuple of float
        Places of the slider, and what a miss costs there.
    found, alarms : tuple of float
        Weight of the positive and of the negative rows that are answered as positive, for each place.
    n_positive, n_negative : float
        Weight of all rows of the classes.
    own_detected, own_alarms : float
        The same for what the model itself answers, which does not move.
    right_negative, alarm, right_positive : float
        What the other outcomes cost.
    start : int
        Place of the costs of this report.
    positive_first : bool
        Whether the costs name the positive class first.
    tests : float
        What the tests of all rows cost, wherever the line is; a constant needs none.
    abstain_cost : float or None
        What an undecided row costs, where the model may leave rows undecided.
    undecided, own_undecided : tuple of pairs, pair
        Weight of the negative and the positive rows that are left undecided, for each place and by the model.
    """

    positive: Any
    negative: Any
    ratios: tuple[float, ...]
    missed: tuple[float, ...]
    detected: tuple[float, ...]
    alarms: tuple[float, ...]
    n_positive: float
    n_negative: float
    own_detected: float
    own_alarms: float
    right_negative: float
    alarm: float
    right_positive: float
    start: int
    positive_first: bool
    tests: float = 0.0
    abstain_cost: float | None = None
    undecided: tuple[Pair, ...] = ()
    own_undecided: Pair = (0.0, 0.0)

    @property
    def labels(self) -> tuple[Any, Any]:
        """The classes as they are counted here."""
        return self.negative, self.positive

    @property
    def order(self) -> tuple[int, int]:
        """Places of the classes in the order of the costs, as other tables of the report have them."""
        return (1, 0) if self.positive_first else (0, 1)

    def at(self, place: int) -> RatioPoint:
        """The bill at one place; the page's script computes the same."""
        missed, detected, alarms = self.missed[place], self.detected[place], self.alarms[place]
        undecided = self.undecided[place] if self.undecided else (0.0, 0.0)
        costs = ((self.right_negative, self.alarm), (missed, self.right_positive))
        never = self.n_negative * self.right_negative + self.n_positive * missed
        always = self.n_negative * self.alarm + self.n_positive * self.right_positive
        return RatioPoint(
            ratio=self.ratios[place],
            threshold=1.0 / (1.0 + self.ratios[place]),
            counts=_counts(self, detected, alarms, undecided),
            costs=costs,
            besides=self._besides(undecided),
            n_rows=self.n_negative + self.n_positive,
            own=_total(_counts(self, self.own_detected, self.own_alarms, self.own_undecided), costs)
            + self._besides(self.own_undecided),
            constant=min(never, always),
            constant_label=self.negative if never <= always else self.positive,
        )

    def _besides(self, undecided: Pair) -> float:
        return self.tests + (self.abstain_cost or 0.0) * sum(undecided)

    @property
    def first(self) -> RatioPoint:
        """The bill where the slider starts."""
        return self.at(self.start)

    @property
    def own_differs(self) -> float:
        """Cost of the model's own answers less that of the threshold, where the slider starts."""
        return self.first.own - self.first.total

    def data(self) -> dict[str, Any]:
        """What the page's script takes."""
        return {
            "labels": [str(label) for label in self.labels],
            "ratios": self.ratios,
            "missed": self.missed,
            "found": self.detected,
            "alarms": self.alarms,
            "rows": [self.n_negative, self.n_positive],
            "own": [self.own_alarms, self.own_detected],
            "costs": [self.right_negative, self.alarm, self.right_positive],
            "start": self.start,
            "tests": self.tests,
            "abstain": self.abstain_cost or 0.0,
            "undecided": self.undecided or [(0.0, 0.0)] * len(self.ratios),
            "ownUndecided": self.own_undecided,
        }


def _counts(view: RatioView, detected: float, alarms: float, undecided: Pair) -> Square:
    negative, positive = undecided
    return (
        (view.n_negative - alarms - negative, alarms),
        (view.n_positive - detected - positive, detected),
    )


def _total(counts: Square, costs: Square) -> float:
    return sum(counts[i][j] * costs[i][j] for i in (0, 1) for j in (0, 1))


def places(own: float) -> list[float]:
    """Ratios that the slider stops at: round numbers around the model's own one, which is among them.

    Examples
    --------
    >>> stops = places(5.0)
    >>> stops[0], stops[-1], 5.0 in stops, 1.0 in stops, len(stops)
    (0.05, 500.0, True, True, 57)
    """
    low, high = own / FARTHEST, own * FARTHEST
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    round_ones = [float(f"{step}e{decade}") for decade in decades for step in STEPS]
    near = [ratio for ratio in round_ones if low <= ratio <= high and not math.isclose(ratio, own)]
    return sorted([*near, own])


def ratio_view(proba: NDArray[np.float64], answered: AnsweredRows) -> RatioView | None:
    """Work out what the slider shows; None unless both mistakes cost more than being right.

    Parameters
    ----------
    proba : array of shape (n_samples, 2)
        Probabilities that costs are multiplied with, classes in the order of the costs.
    answered : AnsweredRows
        The rows and what the model itself answers.
    """
    matrix, actual, weight, whole = answered.matrix, answered.actual, answered.weight, answered.whole
    own = answered.answer if whole is None else whole.answer
    costs = matrix.values
    assert matrix.classes is not None
    positive = 0 if costs[0, 1] - costs[0, 0] > costs[1, 0] - costs[1, 1] else 1
    negative = 1 - positive
    right_negative, alarm = float(costs[negative, negative]), float(costs[negative, positive])
    miss, right_positive = float(costs[positive, negative]), float(costs[positive, positive])
    step = alarm - right_negative
    if step <= 0 or miss <= right_positive:
        return None
    ratio = (miss - right_positive) / step
    ratios = places(ratio)
    start = ratios.index(ratio)
    missed = [miss if i == start else right_positive + r * step for i, r in enumerate(ratios)]
    is_positive = actual == positive

    def by_class(rows: NDArray[np.bool_]) -> Pair:
        return float(weight[rows & ~is_positive].sum()), float(weight[rows & is_positive].sum())

    alarms_and_hits, undecided = [], []
    for price in missed:
        values = costs.copy()
        values[positive, negative] = price
        called, abstained = _moved_line(proba, values, answered)
        alarms_and_hits.append(by_class((called == positive) & ~abstained))
        undecided.append(by_class(abstained))
    alarms, detected = zip(*alarms_and_hits, strict=True)
    own_alarms, own_detected = by_class(own == positive)
    labels = matrix.classes.tolist()
    return RatioView(
        positive=labels[positive],
        negative=labels[negative],
        ratios=tuple(ratios),
        missed=tuple(missed),
        detected=detected,
        alarms=alarms,
        n_positive=float(weight[is_positive].sum()),
        n_negative=float(weight[~is_positive].sum()),
        own_detected=own_detected,
        own_alarms=own_alarms,
        right_negative=right_negative,
        alarm=alarm,
        right_positive=right_positive,
        start=start,
        positive_first=positive == 0,
        tests=0.0 if whole is None else float(weight @ whole.tests),
        abstain_cost=answered.abstain_cost,
        undecided=() if answered.abstain_cost is None else tuple(undecided),
        own_undecided=by_class(own < 0),
    )


def _moved_line(
    proba: NDArray[np.float64], values: NDArray[np.float64], answered: AnsweredRows
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Cheapest class of each row at some costs, and which are left undecided: rules know by themselves."""
    expected = expected_costs(proba, values)
    called = min_cost_class(expected)
    if answered.whole is not None and answered.answers is not None and answered.answers.abstains:
        return called, answered.whole.undecided
    cheapest = expected[np.arange(len(called)), called]
    return called, or_abstain(called, cheapest, answered.abstain_cost).undecided
