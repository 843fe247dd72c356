"""One trial: a learner is fitted on one part of the rows and judged on another."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.answering import model_size, paid_tests
from stakes._base.features import take_rows, takes
from stakes._base.interrupts import early_end
from stakes.costs import CostMatrix, FeatureCosts
from stakes.decision import Answers, answers_of


@dataclass(frozen=True, eq=False)
class Part:
    """Rows with their labels; ``weight`` is None where every row counts once."""

    X: Any
    labels: NDArray[Any]
    weight: NDArray[np.float64] | None = None

    def take(self, rows: NDArray[np.intp]) -> Part:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Part(take_rows(self.X, rows), self.labels[rows], weight)

    @property
    def shares(self) -> NDArray[np.float64]:
        """What each row counts."""
        return np.ones(len(self.labels)) if self.weight is None else self.weight


@dataclass(frozen=True)
class Trial:
    """What came of it: sums over the (weighted) rows that were tested.

    Attributes
    ----------
    weight, train_weight : float
        Rows tested and learnt from.
    cost, errors, high_cost_errors : float
        Of the rows that were decided. Errors are costly where they cost more than the cheapest kind.
    undecided : float
        Rows that the learner left undecided.
    rows, right, abstained : tuple of float
        By class, in the order of the costs: rows tested, decided rightly, left undecided.
    leaves, nodes : int or None
        Size of the model where it has one.
    seconds : float
        Time of the fit.
    test_cost, upfront_cost : float or None
        Where columns have prices: of the tests that the rows met, and of every column that may be asked for.
    """

    weight: float
    train_weight: float
    cost: float
    errors: float
    high_cost_errors: float
    undecided: float
    rows: tuple[float, ...]
    right: tuple[float, ...]
    abstained: tuple[float, ...]
    leaves: int | None
    nodes: int | None
    seconds: float
    test_cost: float | None = None
    upfront_cost: float | None = None


def run_trial(
    model: Any,
    train: Part,
    test: Part,
    matrix: CostMatrix,
    prices: FeatureCosts | None = None,
    *,
    abstains: bool = False,
) -> Trial:
    """Fit the model on one part and judge it on the other.

    Parameters
    ----------
    model : classifier, not fitted yet; it is fitted in place
    train, test : Part
    matrix : CostMatrix
        The costs to judge by; the model keeps its own.
    prices : FeatureCosts, optional
        Prices to judge by.
    abstains : bool
        Whether the model may leave rows undecided: its ``decide`` is asked instead of ``predict``.

    Examples
    --------
    >>> from stakes import C45Classifier, CostMatrix, datasets
    >>> table, costs = datasets.load_table("german")
    >>> rows = Part(table, table.labels())
    >>> train, test = rows.take(np.arange(700)), rows.take(np.arange(700, 1000))
    >>> run_trial(C45Classifier(cost_matrix=costs), train, test, costs).cost
    212.0
    """
    extra = (
        {} if train.weight is None or not takes(model, "sample_weight") else {"sample_weight": train.weight}
    )
    start = time.perf_counter()
    with early_end(False):
        model.fit(train.X, train.labels, **extra)
    seconds = time.perf_counter() - start
    answers = answers_of(model, test.X)
    sums = _sums(test, matrix, *answer_codes(answers, matrix, abstains))
    paid = None if prices is None else paid_tests(model, test.X, prices, answers.routing)
    size = model_size(model)
    return Trial(
        **sums,
        train_weight=float(train.shares.sum()),
        leaves=size.leaves,
        nodes=size.nodes,
        seconds=seconds,
        test_cost=None if paid is None else float(test.shares @ paid.due),
        upfront_cost=None if paid is None else paid.upfront,
    )


def abstaining_trial(trial: Trial, model: Any, test: Part, matrix: CostMatrix, abstain_cost: float) -> Trial:
    """Return the trial as it is where rows may be left undecided at this cost; the model has been fitted."""
    sums = _sums(test, matrix, *answer_codes(answers_of(model, test.X), matrix, True, abstain_cost))
    return replace(trial, **sums | {"cost": sums["cost"] + abstain_cost * sums["undecided"]})


def held_out_costs(
    model: Any,
    test: Part,
    matrix: CostMatrix,
    prices: FeatureCosts | None = None,
    abstain_cost: float | None = None,
) -> NDArray[np.float64]:
    """What each row costs in all, with its tests; the model has been fitted, and may abstain at a cost."""
    answers = answers_of(model, test.X)
    predicted, decided = answer_codes(answers, matrix, abstain_cost is not None, abstain_cost)
    mistakes = matrix.values[matrix.codes(test.labels), predicted]
    paid = mistakes if abstain_cost is None else np.where(decided, mistakes, abstain_cost)
    return paid if prices is None else paid + paid_tests(model, test.X, prices, answers.routing).due


def _sums(
    test: Part, matrix: CostMatrix, predicted: NDArray[np.intp], decided: NDArray[np.bool_]
) -> dict[str, Any]:
    """What comes of these answers, for the rows of the test part."""
    actual, share = matrix.codes(test.labels), test.shares
    wrong = decided & (actual != predicted)
    costly = wrong & (matrix.normalise().values[actual, predicted] > 1.0)

    def by_class(which: NDArray[np.bool_]) -> tuple[float, ...]:
        sums = np.bincount(actual[which], weights=share[which], minlength=len(matrix.values))
        return tuple(sums.tolist())

    return {
        "weight": float(share.sum()),
        "cost": float(share[decided] @ matrix.values[actual, predicted][decided]),
        "errors": float(share @ wrong),
        "high_cost_errors": float(share @ costly),
        "undecided": float(share @ ~decided),
        "rows": by_class(np.ones(len(actual), dtype=bool)),
        "right": by_class(decided & ~wrong),
        "abstained": by_class(~decided),
    }


def answer_codes(
    answers: Answers, matrix: CostMatrix, abstains: bool, abstain_cost: float | None = None
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Codes of the answers, and which rows have one; a row without has code 0."""
    if not abstains:
        predicted = matrix.codes(answers.labels, "predictions")
        return predicted, np.ones(len(predicted), dtype=bool)
    decision = answers.decide(abstain_cost)
    decided = ~np.asarray(decision.undecided, dtype=bool)
    predicted = np.zeros(len(decided), dtype=np.intp)
    predicted[decided] = matrix.codes(np.asarray(decision.labels)[decided], "predictions")
    return predicted, decided
