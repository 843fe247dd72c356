"""The whole cost of rows: of mistakes, of tests, and of leaving rows undecided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.answering import paid_tests
from stakes.costs import CostMatrix, FeatureCosts
from stakes.decision._answers import Answers
from stakes.decision._choose import Decision

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WholeCost:
    """What each row costs.

    Attributes
    ----------
    mistakes : array of shape (n_samples,)
        Cost of the answer, 0 where a row is left undecided.
    tests : array of shape (n_samples,)
        Price of the columns that were read.
    abstention : array of shape (n_samples,)
        Cost of leaving the row undecided, 0 where it is decided.
    answer : int array of shape (n_samples,)
        Code of the class that is answered, -1 where none is.
    upfront : float
        Price of all columns that the model may ask for.
    """

    mistakes: Floats
    tests: Floats
    abstention: Floats
    answer: NDArray[np.intp]
    upfront: float = 0.0

    @property
    def undecided(self) -> NDArray[np.bool_]:
        """Which rows are left undecided."""
        return self.answer < 0

    @property
    def by_row(self) -> Floats:
        """All of it."""
        return self.mistakes + self.tests + self.abstention


def whole_cost(
    model: Any,
    X: Any,
    answers: Answers,
    classes: CostMatrix,
    row_costs: Floats,
    prices: FeatureCosts | None = None,
    decision: Decision | None = None,
) -> WholeCost:
    """Work out what it costs to let a fitted model answer.

    Parameters
    ----------
    model : fitted classifier
    X : rows, as the model takes them
    answers : Answers
        What the model says about them.
    classes : CostMatrix
        Labels of the columns of ``row_costs``.
    row_costs : array of shape (n_samples, n_classes)
        What predicting each class costs for each row.
    prices : FeatureCosts, optional
        What it costs to read the columns; free without. A model that has a parameter ``pay`` says when it is
        due.
    decision : Decision, optional
        What the model decides, with what its undecided rows cost. Without it every row is answered, as by
        ``predict``.
    """
    n_rows = len(row_costs)
    paid = None if prices is None else paid_tests(model, X, prices, answers.routing)
    tests, upfront = (np.zeros(n_rows), 0.0) if paid is None else (paid.due, paid.upfront)
    answer, abstention = np.full(n_rows, -1, dtype=np.intp), np.zeros(n_rows)
    if decision is None:
        answer = classes.codes(answers.labels, "predictions of the estimator")
    else:
        decided = ~decision.undecided
        answer[decided] = classes.codes(decision.labels[decided], "decisions of the estimator")
        abstention[~decided] = decision.expected_cost[~decided]
    mistakes = np.where(answer < 0, 0.0, row_costs[np.arange(n_rows), answer])
    return WholeCost(mistakes, tests, abstention, answer, upfront)
