"""Rows with what the model answered and what that cost: what every part of a report starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.costs import CostMatrix
from stakes.decision import Answers, WholeCost


@dataclass(frozen=True, eq=False)
class AnsweredRows:
    """The rows of a report.

    Attributes
    ----------
    X : rows, as the model takes them
    labels : array of true labels
    matrix : CostMatrix
    actual, answer : arrays of class codes
    weight : float array
        How many rows each row stands for.
    answers : Answers, optional
        What the model says about them, by one routing.
    whole : WholeCost, optional
        Where columns have prices or rows may be left undecided: all that the rows cost.
    """

    X: Any
    labels: NDArray[Any]
    matrix: CostMatrix
    actual: NDArray[np.intp]
    answer: NDArray[np.intp]
    weight: NDArray[np.float64]
    answers: Answers | None = None
    whole: WholeCost | None = None

    @property
    def routing(self) -> Any:
        """Where the rows came to in the tree or the rules that answer."""
        return None if self.answers is None else self.answers.routing

    @property
    def abstain_cost(self) -> float | None:
        """What an undecided row costs by the model itself; None where it answers every row."""
        return None if self.answers is None else self.answers.abstain_cost

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which rows are called something else."""
        return self.actual != self.answer

    @property
    def paid(self) -> NDArray[np.float64]:
        """What the mistake of each row costs, were all answered."""
        return self.matrix.values[self.actual, self.answer]

    @property
    def all_paid(self) -> NDArray[np.float64]:
        """What each row costs in all: its mistake and its tests, or leaving it undecided."""
        return self.paid if self.whole is None else self.whole.by_row

    @property
    def tests_per_row(self) -> float:
        """What the tests cost per row."""
        return 0.0 if self.whole is None else float(self.weight @ self.whole.tests / self.weight.sum())

    @property
    def total(self) -> float:
        """What all mistakes cost."""
        return float(self.weight @ self.paid)

    def sums(self, place: NDArray[Any], n_places: int) -> NDArray[np.float64]:
        """Rows, mistakes and cost by place; rows with a negative one are left out."""
        known = place >= 0
        parts = (self.weight, self.weight * self.wrong, self.weight * self.paid)
        return np.stack(
            [np.bincount(place[known], weights=part[known], minlength=n_places) for part in parts], axis=1
        )
