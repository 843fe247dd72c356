"""What a report says, as plain data; how it looks is the template's affair."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes import metrics
from stakes._base.answering import model_size, own_prices
from stakes._base.groups import columns_by
from stakes._base.intervals import mean_interval
from stakes._base.saving import remembered_currency
from stakes._text.money import check_currency, stating
from stakes.compare import Comparison, Interval
from stakes.costs import FeatureCosts, as_cost_matrix, as_feature_costs
from stakes.decision import Answers, WholeCost, answers_of, min_cost_class, whole_cost
from stakes.evolve import EvolutionHistory
from stakes.export import render, svg
from stakes.metrics import ClassCost
from stakes.models import effective_tree
from stakes.report.answered import AnsweredRows
from stakes.report.ask import walker_data
from stakes.report.curve import ThresholdCurve, threshold_curve
from stakes.report.groups import GroupTable, group_tables
from stakes.report.leaves import LeafCost, leaf_costs, rows_to_leaves, rules_estimator, tree_estimator
from stakes.report.parts import Node, RuleLine, rule_lines, tree_outline
from stakes.report.ratio import RatioView, ratio_view
from stakes.report.reliability import Reliability, reliabilities
from stakes.report.sentences import costs_in_words
from stakes.report.use import Abstention, ColumnUse, Tradeoff, abstentions, column_use, tradeoff
from stakes.table import Table
from stakes.tree import FittedTree, TradeoffSearchCV, read_questionnaire

#: A drawing with more leaves than this is cut at the depth where it still can be read.
MOST_DRAWN = 24


@dataclass(frozen=True)
class Mistake:
    """Rows of one class that were answered as another, what each of them costs, and all of them."""

    actual: Any
    predicted: Any
    rows: float
    each: float
    cost: float
    share: float


@dataclass(frozen=True)
class Confusion:
    """Numbers of rows and what was spent on them, ``[actual][predicted]``."""

    labels: tuple[Any, ...]
    counts: tuple[tuple[float, ...], ...]
    costs: tuple[tuple[float, ...], ...]
    spent: tuple[tuple[float, ...], ...]

    @property
    def most(self) -> float:
        """The largest amount in one cell."""
        return max(max(row) for row in self.spent)

    @property
    def costliest(self) -> list[Mistake]:
        """Up to ten kinds of mistakes, the costliest first."""
        total = sum(map(sum, self.spent))
        mistakes = [
            Mistake(actual, predicted, *cell, cell[-1] / total if total > 0 else 0.0)
            for i, actual in enumerate(self.labels)
            for j, predicted in enumerate(self.labels)
            if i != j and (cell := (self.counts[i][j], self.costs[i][j], self.spent[i][j]))[0] > 0
        ]
        return sorted(mistakes, key=lambda mistake: (-mistake.cost, -mistake.rows))[:10]

    @property
    def has_costlier_mistakes(self) -> bool:
        """Whether some mistakes cost more than others."""
        cells = ((i, j) for i in range(len(self.costs)) for j in range(len(self.costs)) if i != j)
        return len({self.costs[i][j] for i, j in cells}) > 1


@dataclass(frozen=True)
class Rival:
    """The model, or an answer that needs none: what it costs in all, per row, and next to the costliest."""

    name: str
    total: float
    per_row: float
    share: float
    is_model: bool


@dataclass(frozen=True)
class ModelView:
    """Everything a report on one model and one set of rows shows.

    Attributes
    ----------
    title : str
    words : tuple of str
        The bill in sentences.
    cost_words : tuple of str
        What mistakes cost, in sentences.
    n_rows : float
    cost : Interval
        Cost of the mistakes per row, were every row answered.
    total, errors, high_cost_errors : float
        Cost and number of these mistakes.
    savings : float
        Share of the best constant's cost that is saved, tests and undecided rows included.
    constant : label of the best constant
    constant_cost : float
        What the best constant costs per row.
    n_leaves : int or None
    confusion : Confusion
    classes : tuple of ClassCost
    leaves : tuple of LeafCost
        Costliest first; empty where the model is no tree.
    tree_svg : str
        Drawing of the tree, empty where the model is no tree.
    tree_legend : tuple of (words, colour)
        What its colours mean.
    curve : ThresholdCurve or None
    comparison : Comparison or None
    note : str
        What a reader should know about these rows, such as whether the model has seen them before.
    walker : dict or None
        The tree as the page's script takes it; None where the model is no tree or asks nothing.
    noun : str
        What one row is.
    n_nodes : int or None
        Nodes of the tree, leaves included.
    test_cost : Interval or None
        Where columns have prices: cost of the tests per row.
    abstention_cost : Interval or None
        Where the model may leave rows undecided: cost of these per row.
    n_undecided : float
        Their number.
    total_cost : Interval or None
        Where either is there: the whole cost per row, of mistakes among the rows that are decided, of tests
        and of undecided rows.
    upfront_cost : float or None
        Where columns have prices: price of all columns that the model may ask for.
    rivals : tuple of Rival
        The model next to the best constant and to the most frequent class.
    ratio : RatioView or None
        For two classes: the bill by the ratio of the costs.
    outline : Node or None
        The tree, to be unfolded.
    rules, n_rules : tuple of RuleLine, int
        The rules in their order, the first of them where they are too many; and their number.
    use : tuple of ColumnUse
    abstention : tuple of Abstention
    tradeoff : Tradeoff or None
        What a search over prices and accuracy has tried.
    evolution : EvolutionHistory or None
        Of an evolved tree just fitted; a saved one has none.
    reliability : tuple of Reliability
        Whether the class probabilities come true; empty where there are none, or too few rows.
    groups : tuple of GroupTable
        The cost by each column that was asked for.
    currency : str or None
        What costs are in.
    """

    title: str
    words: tuple[str, ...]
    cost_words: tuple[str, ...]
    n_rows: float
    cost: Interval
    total: float
    errors: float
    high_cost_errors: float
    savings: float
    constant: Any
    constant_cost: float
    n_leaves: int | None
    confusion: Confusion
    classes: tuple[ClassCost, ...]
    leaves: tuple[LeafCost, ...]
    tree_svg: str
    tree_legend: tuple[tuple[str, str], ...]
    curve: ThresholdCurve | None
    comparison: Comparison | None
    note: str = ""
    walker: dict[str, Any] | None = None
    noun: str = "case"
    n_nodes: int | None = None
    test_cost: Interval | None = None
    abstention_cost: Interval | None = None
    n_undecided: float = 0.0
    total_cost: Interval | None = None
    upfront_cost: float | None = None
    rivals: tuple[Rival, ...] = ()
    ratio: RatioView | None = None
    outline: Node | None = None
    rules: tuple[RuleLine, ...] = ()
    n_rules: int = 0
    use: tuple[ColumnUse, ...] = ()
    abstention: tuple[Abstention, ...] = ()
    tradeoff: Tradeoff | None = None
    evolution: EvolutionHistory | None = None
    reliability: tuple[Reliability, ...] = ()
    groups: tuple[GroupTable, ...] = ()
    currency: str | None = None

    @property
    def decisive(self) -> Interval:
        """The whole cost per row."""
        return self.cost if self.total_cost is None else self.total_cost


def model_view(
    model: Any,
    X: Any,
    y: Any,
    *,
    cost_matrix: Any = None,
    feature_costs: Any = None,
    sample_weight: Any = None,
    comparison: Comparison | None = None,
    title: str = "What the model costs",
    noun: str = "case",
    note: str = "",
    by: Any = None,
    questions: str | os.PathLike[str] | None = None,
    currency: str | None = None,
    answers: Answers | None = None,
) -> ModelView:
    """Work out what a report shows; parameters as in :func:`stakes.report.model_report`.

    ``answers`` are those of the model for these rows, where it has been asked already.
    """
    given = cost_matrix if cost_matrix is not None else getattr(model, "cost_matrix_", None)
    classes = getattr(model, "classes_", np.unique(np.asarray(y)))
    matrix = as_cost_matrix(given, classes)
    answers = answers_of(model, X) if answers is None else answers
    labels, predicted = np.asarray(y), answers.labels
    total_cost: dict[str, Any] = {"cost_matrix": matrix, "sample_weight": sample_weight}
    total = metrics.total_cost(labels, predicted, **total_cost)  # checks labels, lengths and weights
    weight = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    answered = AnsweredRows(X, labels, matrix, matrix.codes(labels), matrix.codes(predicted), weight, answers)
    prices = _prices(model, X, feature_costs)
    answered = replace(answered, whole=_whole_cost(model, answered, prices))
    rules = rules_estimator(model)
    constant = metrics.best_constant(labels, **total_cost)
    n_rows = float(weight.sum())
    has_proba = hasattr(model, "predict_proba")  # a wrapper may have decision_proba all the same
    every_proba = answers.decision_proba if has_proba else None
    proba = every_proba if len(matrix) == 2 else None
    fitted = None if tree_estimator(model) is None else effective_tree(model)
    own = getattr(model, "cost_matrix_", None)
    own_costs = own is not None and np.array_equal(as_cost_matrix(own, classes).values, matrix.values)
    view = ModelView(
        title=title,
        words=(),
        cost_words=(),
        n_rows=n_rows,
        cost=mean_interval(answered.paid, weight),
        total=total,
        errors=float(weight @ answered.wrong),
        high_cost_errors=metrics.high_cost_errors(labels, predicted, **total_cost),
        savings=_savings(constant.cost, float(weight @ answered.all_paid)),
        constant=constant.label,
        constant_cost=constant.cost / n_rows,
        n_leaves=model_size(model).leaves,
        confusion=_confusion(answered),
        classes=tuple(metrics.cost_by_class(labels, predicted, as_frame=False, **total_cost)),
        leaves=leaf_costs(model, answered),
        tree_svg="" if fitted is None else _drawing(fitted),
        tree_legend=() if fitted is None else tuple(svg.svg_legend(fitted)),
        curve=None if proba is None else threshold_curve(proba, answered),
        comparison=comparison,
        note=note,
        noun=noun,
        n_nodes=model_size(model).nodes,
        rivals=_rivals(answered),
        ratio=None if proba is None else ratio_view(proba, answered),
        outline=None if fitted is None else tree_outline(fitted, rows_to_leaves(model, answered), answered),
        rules=() if rules is None else rule_lines(rules, answered),
        n_rules=0 if rules is None else len(rules.rules_),
        # A model refuses by its own costs; for others that would say nothing.
        abstention=abstentions(answers, answered, constant.cost / n_rows) if own_costs else (),
        tradeoff=tradeoff(model) if isinstance(model, TradeoffSearchCV) else None,
        evolution=getattr(model, "evolution_", None),
        walker=_walker(model, prices, questions),
        use=column_use(model, answered, prices),
        reliability=() if every_proba is None else reliabilities(every_proba, answered),
        groups=group_tables(columns_by(by, X, len(labels)), answered, matrix.codes([constant.label])[0]),
        currency=check_currency(currency) or remembered_currency(model),
        **_parts_of_the_bill(answered, prices),
    )
    with stating(view.currency):
        words = tuple(costs_in_words(view, model, answers.abstain_cost))
        return replace(view, words=words, cost_words=tuple(matrix.describe(noun).splitlines()))


def _rivals(answered: AnsweredRows) -> tuple[Rival, ...]:
    """The model, the best constant, and what somebody would answer who knows no costs."""
    weight, matrix = answered.weight, answered.matrix
    assert matrix.classes is not None
    names, n_rows = matrix.classes.tolist(), float(weight.sum())
    constants = weight @ matrix.values[answered.actual]
    best = int(min_cost_class(constants[None, :])[0])
    most = int(np.bincount(answered.actual, weights=weight, minlength=len(names)).argmax())
    totals = {
        "the model": float(weight @ answered.all_paid),
        f"always {names[best]}: the best constant": float(constants[best]),
    }
    if most != best:
        totals[f"always {names[most]}: the most frequent class"] = float(constants[most])
    if answered.abstain_cost is not None:
        totals["no answer for any row"] = answered.abstain_cost * n_rows
    costliest = max(*totals.values(), 0.0)
    return tuple(
        Rival(name, total, total / n_rows, total / costliest if costliest > 0 else 0.0, i == 0)
        for i, (name, total) in enumerate(totals.items())
    )


def _prices(model: Any, X: Any, feature_costs: Any) -> FeatureCosts | None:
    """Return the prices given, or else the model's own."""
    if feature_costs is None:
        return own_prices(model)
    estimator = tree_estimator(model)
    table = X if isinstance(X, Table) else Table.from_data(X)
    schema = table.schema if estimator is None else estimator.fitted_tree_.schema
    return as_feature_costs(feature_costs, schema.names)


def _whole_cost(model: Any, answered: AnsweredRows, prices: FeatureCosts | None) -> WholeCost | None:
    """All that the rows cost; None where that is what their mistakes cost."""
    answers, matrix = answered.answers, answered.matrix
    if answers is None or (prices is None and answered.abstain_cost is None):
        return None
    decision = None if answered.abstain_cost is None else answers.decide()
    row_costs = matrix.values[answered.actual]
    return whole_cost(model, answered.X, answers, matrix, row_costs, prices, decision)


def _walker(
    model: Any, prices: FeatureCosts | None, questions: str | os.PathLike[str] | None
) -> dict[str, Any] | None:
    if tree_estimator(model) is None:
        if questions is not None:
            raise ValueError(
                f"questions must be None for a model that is no tree, got {os.fspath(questions)}"
            )
        return None
    fitted = replace(effective_tree(model), feature_costs=prices)
    if questions is None:
        return walker_data(fitted)
    questionnaire = read_questionnaire(questions, fitted.schema)
    return walker_data(replace(fitted, schema=questionnaire.worded), questionnaire.together)


def _parts_of_the_bill(answered: AnsweredRows, prices: FeatureCosts | None) -> dict[str, Any]:
    """What the view says about tests and undecided rows, and about all together."""
    whole, weight = answered.whole, answered.weight
    if whole is None:
        return {}
    parts: dict[str, Any] = {"total_cost": mean_interval(whole.by_row, weight)}
    if prices is not None:
        parts["test_cost"] = mean_interval(whole.tests, weight)
        parts["upfront_cost"] = whole.upfront
    if answered.abstain_cost is not None:
        parts["abstention_cost"] = mean_interval(whole.abstention, weight)
        parts["n_undecided"] = float(weight @ whole.undecided)
    return parts


def _savings(constant: float, total: float) -> float:
    """Share of what the best constant costs that is saved; infinite where that costs nothing."""
    saved = constant - total
    if constant == 0:
        return 0.0 if saved == 0 else float(np.copysign(np.inf, saved))
    return saved / abs(constant)


def _confusion(answered: AnsweredRows) -> Confusion:
    matrix = answered.matrix
    counts = np.zeros(matrix.values.shape)
    np.add.at(counts, (answered.actual, answered.answer), answered.weight)
    assert matrix.classes is not None
    rows = (tuple(map(tuple, array.tolist())) for array in (counts, matrix.values, counts * matrix.values))
    return Confusion(tuple(matrix.classes.tolist()), *rows)


def _drawing(fitted: FittedTree) -> str:
    depth = fitted.tree.depth
    is_leaf = fitted.tree.feature < 0
    deepest = int(depth.max())
    # Nodes at the cut are drawn as ends too, so they count.
    ends = [int(((depth == d) | (is_leaf & (depth < d))).sum()) for d in range(deepest + 1)]
    shown = max((d for d in range(1, deepest + 1) if ends[d] <= MOST_DRAWN), default=1)
    return render(fitted, "svg", max_depth=None if shown >= deepest else shown, legend=False)
