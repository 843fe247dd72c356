"""What predictions cost, and what the best constant would have cost."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stakes._base.frames import frame_or, library_of
from stakes._text.words import rounded_repr, short_repr
from stakes.decision import min_cost_class
from stakes.metrics._rows import UNDECIDED, Rows, read_rows, row_weights, undecided_rows


class BestConstant(NamedTuple):
    """The class that is cheapest to predict for every row, and the total cost of doing so."""

    label: Any
    cost: float

    def __repr__(self) -> str:
        return f"BestConstant(label={self.label!r}, cost={short_repr(self.cost, 4)})"


@rounded_repr
@dataclass(frozen=True)
class ClassCost:
    """One line of the bill: what the rows of one actual class cost.

    Attributes
    ----------
    actual : label of the class
    rows : (weighted) number of rows
    errors : (weighted) number of rows called something else
    cost : total cost of the rows
    share : their share of the whole bill, 0 where the whole bill is 0
    costliest_mistake : label of the prediction on which most was spent, None where no mistake was made
    costliest_cost : what was spent on it
    """

    actual: Any
    rows: float
    errors: float
    cost: float
    share: float
    costliest_mistake: Any
    costliest_cost: float


def total_cost(
    y_true: Any,
    y_pred: Any,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
) -> float:
    """Sum of what the predictions cost.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
    cost_matrix : CostMatrix, array, dict, data frame or path, optional
        Costs per class, ``[actual, predicted]``.
    costs : array-like of shape (n_samples, n_classes), optional
        Costs per sample; the columns of a data frame are found by the labels that they are named after.
    classes : sequence of labels, optional
        What the rows and columns of costs without labels stand for.
    sample_weight : array-like of shape (n_samples,), optional

    Examples
    --------
    >>> total_cost(["bad", "good"], ["good", "good"], cost_matrix={("bad", "good"): 5, ("good", "bad"): 1})
    5.0
    """
    rows = read_rows(y_true, y_pred, cost_matrix, costs, classes, sample_weight)
    return float(rows.weight @ rows.paid())


def mean_cost(
    y_true: Any,
    y_pred: Any,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
) -> float:
    """Cost per (weighted) row; parameters as in :func:`total_cost`.

    Examples
    --------
    >>> mean_cost([0, 1, 1, 0], [0, 0, 1, 0], cost_matrix=[[0, 1], [4, 0]])
    1.0
    """
    rows = read_rows(y_true, y_pred, cost_matrix, costs, classes, sample_weight)
    return float(rows.weight @ rows.paid() / rows.weight.sum())


def normalised_cost(
    y_true: Any,
    y_pred: Any,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
) -> float:
    """Mean cost over the mean cost of making the costliest mistake in every row, Krętowski's MC / MaxMC.

    ``MaxMC = (1/M) sum_k |C_k| max_{i != k} Cost(k, i)``. It is 0 where MaxMC is 0: nothing could be lost.

    Examples
    --------
    >>> normalised_cost([0, 1, 1, 0], [0, 0, 1, 0], cost_matrix=[[0, 1], [4, 0]])
    0.4
    """
    rows = read_rows(y_true, y_pred, cost_matrix, costs, classes, sample_weight)
    wrong = rows.costs.copy()
    wrong[np.arange(len(wrong)), rows.actual] = -np.inf
    costliest = wrong.max(axis=1) if wrong.shape[1] > 1 else np.zeros(len(wrong))
    worst = float(rows.weight @ costliest)
    return float(rows.weight @ rows.paid()) / worst if worst > 0 else 0.0


def best_constant(
    y_true: Any, *, cost_matrix: Any = None, costs: Any = None, classes: Any = None, sample_weight: Any = None
) -> BestConstant:
    """Class that is cheapest to predict for every row, and its total cost; the first one on ties.

    Examples
    --------
    >>> best_constant(["bad", "good", "good"], cost_matrix={("bad", "good"): 5, ("good", "bad"): 1})
    BestConstant(label='bad', cost=2.0)
    """
    return _best_constant(read_rows(y_true, y_true, cost_matrix, costs, classes, sample_weight))


def _best_constant(rows: Rows) -> BestConstant:
    totals = rows.weight @ rows.costs
    best = int(min_cost_class(totals[np.newaxis, :])[0])
    return BestConstant(rows.classes[best : best + 1].tolist()[0], float(totals[best]))


def savings(
    y_true: Any,
    y_pred: Any,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
) -> float:
    """Share of the best constant's cost that the predictions save: ``1 - cost / cost of the best constant``.

    1 is a cost of 0, 0 is as good as the constant, below 0 is worse. Where the constant earns something
    its size is what is divided by. Where it costs nothing: 0 for predictions that cost nothing too, minus
    infinity for others (infinity for ones that earn).

    Examples
    --------
    >>> savings([0, 1, 1, 0], [0, 0, 1, 0], cost_matrix=[[0, 2], [4, 0]])
    0.0
    """
    rows = read_rows(y_true, y_pred, cost_matrix, costs, classes, sample_weight)
    base = _best_constant(rows).cost
    saved = base - float(rows.weight @ rows.paid())
    if base == 0:
        return 0.0 if saved == 0 else float(np.copysign(np.inf, saved))
    return saved / abs(base)


def high_cost_errors(
    y_true: Any,
    y_pred: Any,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: Any = None,
    threshold: float = 1.0,
    normalise: bool = True,
    sample_weight: Any = None,
) -> float:
    """Count the (weighted) mistakes that cost more than ``threshold``.

    With ``normalise`` class costs are first divided so that the smallest positive cost of a mistake is 1,
    Ting's unity condition, so that the default counts every mistake costlier than the cheapest kind. Costs
    per sample are always taken as given.

    Examples
    --------
    >>> high_cost_errors([0, 1, 1, 0], [1, 0, 1, 0], cost_matrix=[[0, 20], [100, 0]])
    1.0
    """
    rows = read_rows(y_true, y_pred, cost_matrix, costs, classes, sample_weight)
    paid = rows.paid()
    if normalise and rows.matrix is not None:
        paid = rows.matrix.normalise().values[rows.actual, rows.predicted]
    return float(rows.weight @ ((paid > threshold) & (rows.actual != rows.predicted)))


def cost_with_abstention(
    y_true: Any,
    decision: Any,
    *,
    abstain_cost: float | ArrayLike,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
) -> float:
    """Cost per (weighted) row where undecided rows cost ``abstain_cost``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
    decision : Decision, or labels with None or NaN where undecided
    abstain_cost : float or array-like of shape (n_samples,)
    cost_matrix, costs, classes, sample_weight
        As in :func:`total_cost`.

    Examples
    --------
    >>> cost_with_abstention(["a", "b"], ["b", None], abstain_cost=0.5)
    0.75
    """
    rows = read_rows(y_true, decision, cost_matrix, costs, classes, sample_weight, undecided_ok=True)
    price = np.asarray(abstain_cost, dtype=float)
    if price.shape not in ((), rows.weight.shape) or not np.isfinite(price).all():
        raise ValueError(f"abstain_cost must be a finite number, or one per row, got {abstain_cost!r}")
    return float(rows.weight @ rows.paid(price) / rows.weight.sum())


def coverage(decision: Any, sample_weight: Any = None) -> float:
    """Share of the (weighted) rows that were decided.

    Examples
    --------
    >>> coverage(["a", None, "b", "a"])
    0.75
    """
    undecided = undecided_rows(decision)
    if len(undecided) == 0:
        raise ValueError("decision must have at least one row, got none")
    weight = row_weights(sample_weight, len(undecided))
    return float(weight @ ~undecided / weight.sum())


def confusion_with_undecided(
    y_true: Any, decision: Any, *, classes: Any = None, sample_weight: Any = None
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Confusion matrix ``[actual, predicted]`` with a last column for undecided rows, and the class labels.

    Examples
    --------
    >>> confusion_with_undecided(["a", "b", "b"], ["a", "a", None])[0]
    array([[1., 0., 0.],
           [1., 0., 1.]])
    """
    rows = read_rows(y_true, decision, classes=classes, sample_weight=sample_weight, undecided_ok=True)
    k = len(rows.classes)
    column = np.where(rows.predicted == UNDECIDED, k, rows.predicted)
    counts = np.zeros((k, k + 1))
    np.add.at(counts, (rows.actual, column), rows.weight)
    return counts, rows.classes


def cost_by_class(
    y_true: Any,
    y_pred: Any,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
    as_frame: bool | None = None,
) -> Any:
    """Return the bill by actual class.

    Parameters
    ----------
    y_true, y_pred, cost_matrix, costs, classes, sample_weight
        As for :func:`total_cost`.
    as_frame : bool or None
        True for a data frame with a line for each class, of the library of the labels, else of pandas or of
        polars; False for a list of ClassCost. None: a data frame where one of the two is installed.

    Returns
    -------
    data frame, or list of ClassCost

    Examples
    --------
    >>> costs = {("a", "b"): 3, ("b", "a"): 1}
    >>> cost_by_class(["a", "b", "b"], ["b", "b", "a"], cost_matrix=costs)
      actual  rows  errors  cost  share costliest_mistake  costliest_cost
    0      a     1       1     3   0.75                 b               3
    1      b     2       1     1   0.25                 a               1
    >>> for line in cost_by_class(["a", "b", "b"], ["b", "b", "a"], cost_matrix=costs, as_frame=False):
    ...     print(line.actual, line.cost)
    a 3.0
    b 1.0
    """
    rows = read_rows(y_true, y_pred, cost_matrix, costs, classes, sample_weight)
    spent = rows.weight * rows.paid()
    total = float(spent.sum())
    table = [_class_cost(rows, spent, total, code) for code in range(len(rows.classes))]
    columns = {field.name: [getattr(line, field.name) for line in table] for field in fields(ClassCost)}
    return frame_or(table, columns, library_of(y_true, y_pred), as_frame)


def _class_cost(rows: Rows, spent: NDArray[np.float64], total: float, code: int) -> ClassCost:
    labels = rows.classes.tolist()
    of_class = rows.actual == code
    wrong = of_class & (rows.predicted != code) & (rows.weight > 0)
    cost = float(spent[of_class].sum())
    by_prediction = np.bincount(rows.predicted[wrong], weights=spent[wrong], minlength=len(labels))
    made = np.unique(rows.predicted[wrong])
    costliest = int(made[np.argmax(by_prediction[made])]) if len(made) else None
    return ClassCost(
        actual=labels[code],
        rows=float(rows.weight[of_class].sum()),
        errors=float(rows.weight[wrong].sum()),
        cost=cost,
        share=cost / total if total else 0.0,
        costliest_mistake=None if costliest is None else labels[costliest],
        costliest_cost=0.0 if costliest is None else float(by_prediction[costliest]),
    )
