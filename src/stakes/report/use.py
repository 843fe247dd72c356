"""Which columns a model uses, what was tried to spend less on them, and leaving rows undecided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes import metrics
from stakes._base.answering import answering_models, asks_nothing
from stakes.costs import FeatureCosts
from stakes.decision import Answers
from stakes.report.answered import AnsweredRows
from stakes.table import Table
from stakes.tree import TradeoffPoint, TradeoffSearchCV

#: Columns are shuffled for so many rows at most.
MOST_ROWS = 2000
#: Prices of an undecided row, as shares of what the best constant costs per row.
PRICES = (0.1, 0.25, 0.5, 1.0)


@dataclass(frozen=True)
class ColumnUse:
    """How a model uses one column.

    Attributes
    ----------
    name : str
    tests : int or None
        Nodes or conditions that ask for it; None for a model that is neither tree nor rules.
    read : float or None
        Share of the rows for which it must be read.
    price : float or None
        What reading it costs, where columns have prices.
    worth : float or None
        For other models: how much costlier a row becomes where the column's values are shuffled.
    """

    name: str
    tests: int | None = None
    read: float | None = None
    price: float | None = None
    worth: float | None = None


@dataclass(frozen=True)
class Abstention:
    """What comes of leaving rows undecided at a price; None where rules abstain by themselves."""

    price: float | None
    coverage: float
    errors: float | None
    cost: float | None


@dataclass(frozen=True)
class Tradeoff:
    """Settings that a `TradeoffSearchCV` tried, the one it chose, and what it judged them by."""

    points: tuple[TradeoffPoint, ...]
    chosen: TradeoffPoint
    objective: str


def tradeoff(model: TradeoffSearchCV) -> Tradeoff:
    """What a fitted search has tried."""
    return Tradeoff((*model.results_, model.baseline_), model.best_point_, model.objective)


def column_use(model: Any, answered: AnsweredRows, prices: FeatureCosts | None) -> tuple[ColumnUse, ...]:
    """Columns that the model uses, the most used first; empty for a model that is not of stakes."""
    if asks_nothing(model):
        return ()
    for inner in answering_models(model):
        if hasattr(inner, "fitted_tree_") or hasattr(inner, "rule_set_"):
            return _read_columns(inner, answered, prices)
        if hasattr(inner, "schema_"):
            return _worth_of_columns(inner, answered)
    return ()


def _read_columns(model: Any, answered: AnsweredRows, prices: FeatureCosts | None) -> tuple[ColumnUse, ...]:
    if hasattr(model, "rule_set_"):
        names, tested = model.rule_set_.schema.names, model.rule_set_.feature
    else:
        names, tested = model.fitted_tree_.schema.names, model.tree_.feature
    uses = []
    for column, read in answered.routing.columns_read():
        price = None if prices is None else prices.cost([names[column]])
        share = float(answered.weight @ read / answered.weight.sum())
        uses.append(ColumnUse(names[column], int((tested == column).sum()), share, price))
    return tuple(sorted(uses, key=lambda use: (-(use.read or 0.0), -(use.tests or 0), use.name)))


def _worth_of_columns(model: Any, answered: AnsweredRows) -> tuple[ColumnUse, ...]:
    """Shuffle each column among the rows and see by how much the bill grows."""
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(len(answered.weight))[:MOST_ROWS])
    table = model.schema_.encode(answered.X).take(rows)
    matrix, actual, weight = answered.matrix, answered.actual[rows], answered.weight[rows]

    def mean_cost(columns: list[NDArray[Any]]) -> float:
        answer = matrix.codes(np.asarray(model.predict(Table(table.schema, columns))))
        return float(weight @ matrix.values[actual, answer] / weight.sum())

    whole, uses = mean_cost(list(table.columns)), []
    for j, name in enumerate(table.schema.names):
        shuffled = list(table.columns)
        shuffled[j] = np.ascontiguousarray(shuffled[j][rng.permutation(table.n_samples)])
        uses.append(ColumnUse(name, worth=mean_cost(shuffled) - whole))
    return tuple(sorted(uses, key=lambda use: (-(use.worth or 0.0), use.name)))


def abstentions(answers: Answers, answered: AnsweredRows, constant_cost: float) -> tuple[Abstention, ...]:
    """What leaving rows undecided does at some prices; empty where the model must always answer."""
    model = answers.model
    if not hasattr(model, "decide") or not hasattr(model, "predict_proba"):
        return ()
    prices: list[float | None] = [share * constant_cost for share in PRICES] if constant_cost > 0 else []
    if answers.abstains:
        prices.insert(0, None)
    return tuple(_abstention(answers, answered, price) for price in prices)


def _abstention(answers: Answers, answered: AnsweredRows, price: float | None) -> Abstention:
    labels, weight = answered.labels, answered.weight
    decision = answers.decide(price)
    decided = ~decision.undecided
    n_decided = float(weight[decided].sum())
    wrong = float(weight[decided] @ (np.asarray(decision.labels)[decided] != labels[decided]))
    cost = None
    if price is not None:
        cost = metrics.cost_with_abstention(
            labels, decision, abstain_cost=price, cost_matrix=answered.matrix, sample_weight=weight
        )
        cost += answered.tests_per_row
    coverage = metrics.coverage(decision, weight)
    return Abstention(price, coverage, wrong / n_decided if n_decided else None, cost)
