"""What a report says, as plain data; how it looks is the template's affair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes import metrics
from stakes._base.answering import model_size, paid_tests
from stakes._text.words import amount
from stakes.compare import Comparison, Interval
from stakes.compare.comparison import mean_interval
from stakes.costs import as_cost_matrix, as_feature_costs
from stakes.decision import Answers, Guard, answers_of, min_cost_class
from stakes.evolve import EvolutionHistory
from stakes.export import render
from stakes.metrics import ClassCost
from stakes.models import effective_tree
from stakes.report.answered import AnsweredRows
from stakes.report.ask import walker_data
from stakes.report.curve import ThresholdCurve, threshold_curve
from stakes.report.leaves import LeafCost, leaf_costs, rows_to_leaves, tree_estimator
from stakes.report.parts import Node, RuleLine, rule_lines, tree_outline
from stakes.report.ratio import RatioView, ratio_view
from stakes.report.use import Abstention, ColumnUse, Tradeoff, abstentions, column_use, tradeoff
from stakes.rules import RuleClassifier
from stakes.table import Table
from stakes.tree import FittedTree, TradeoffSearchCV

#: A drawing with more leaves than this is cut at the depth where it still can be read.
MOST_DRAWN = 24


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
        Cost per row on these rows.
    total, errors, high_cost_errors, savings : float
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
    test_cost, total_cost : Interval or None
        Where columns have prices: cost of the tests per row, and of tests and mistakes together.
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
    curve: ThresholdCurve | None
    comparison: Comparison | None
    note: str = ""
    walker: dict[str, Any] | None = None
    noun: str = "case"
    n_nodes: int | None = None
    test_cost: Interval | None = None
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
    constant = metrics.best_constant(labels, **total_cost)
    n_rows = float(weight.sum())
    has_proba = hasattr(model, "predict_proba")  # a wrapper may have decision_proba all the same
    proba = answers.decision_proba if has_proba and len(matrix) == 2 else None
    fitted = None if tree_estimator(model) is None else effective_tree(model)
    own = getattr(model, "cost_matrix_", None)
    own_costs = own is not None and np.array_equal(as_cost_matrix(own, classes).values, matrix.values)
    view = ModelView(
        title=title,
        words=(),
        cost_words=tuple(matrix.describe(noun).splitlines()),
        n_rows=n_rows,
        cost=mean_interval(answered.paid, weight),
        total=total,
        errors=float(weight @ answered.wrong),
        high_cost_errors=metrics.high_cost_errors(labels, predicted, **total_cost),
        savings=metrics.savings(labels, predicted, **total_cost),
        constant=constant.label,
        constant_cost=constant.cost / n_rows,
        n_leaves=model_size(model).leaves,
        confusion=_confusion(answered),
        classes=tuple(metrics.cost_by_class(labels, predicted, **total_cost)),
        leaves=leaf_costs(model, answered),
        tree_svg="" if fitted is None else _drawing(fitted),
        curve=None if proba is None else threshold_curve(proba, answered),
        comparison=comparison,
        note=note,
        noun=noun,
        n_nodes=model_size(model).nodes,
        rivals=_rivals(answered),
        ratio=None if proba is None else ratio_view(proba, answered),
        outline=None if fitted is None else tree_outline(fitted, rows_to_leaves(model, answered), answered),
        rules=rule_lines(model, answered) if isinstance(model, RuleClassifier) else (),
        n_rules=len(model.rules_) if isinstance(model, RuleClassifier) else 0,
        # A model refuses by its own costs; for others that would say nothing.
        abstention=abstentions(answers, answered, constant.cost / n_rows) if own_costs else (),
        tradeoff=tradeoff(model) if isinstance(model, TradeoffSearchCV) else None,
        evolution=getattr(model, "evolution_", None),
        **_test_cost_parts(model, answered, feature_costs),
    )
    return replace(view, words=tuple(_costs_in_words(view, model, noun)))


def _rivals(answered: AnsweredRows) -> tuple[Rival, ...]:
    """The model, the best constant, and what somebody would answer who knows no costs."""
    weight, matrix = answered.weight, answered.matrix
    assert matrix.classes is not None
    names, n_rows = matrix.classes.tolist(), float(weight.sum())
    constants = weight @ matrix.values[answered.actual]
    best = int(min_cost_class(constants[None, :])[0])
    most = int(np.bincount(answered.actual, weights=weight, minlength=len(names)).argmax())
    totals = {"the model": answered.total, f"always {names[best]}: the best constant": float(constants[best])}
    if most != best:
        totals[f"always {names[most]}: the most frequent class"] = float(constants[most])
    costliest = max(*totals.values(), 0.0)
    return tuple(
        Rival(name, total, total / n_rows, total / costliest if costliest > 0 else 0.0, i == 0)
        for i, (name, total) in enumerate(totals.items())
    )


def _test_cost_parts(model: Any, answered: AnsweredRows, feature_costs: Any) -> dict[str, Any]:
    """What the view says about columns and their prices: the prices given, or else the model's own."""
    X, weight = answered.X, answered.weight
    estimator, walker = tree_estimator(model), None
    prices = None if estimator is None else estimator.fitted_tree_.feature_costs
    if isinstance(model, RuleClassifier):
        prices = model.rule_set_.feature_costs
    if feature_costs is not None:
        table = X if isinstance(X, Table) else Table.from_data(X)
        schema = table.schema if estimator is None else estimator.fitted_tree_.schema
        prices = as_feature_costs(feature_costs, schema.names)
    if estimator is not None:
        walker = walker_data(replace(effective_tree(model), feature_costs=prices))
    parts: dict[str, Any] = {"walker": walker, "use": column_use(model, answered, prices)}
    if prices is None:
        return parts
    paid_for = paid_tests(model, X, prices, answered.routing)
    return parts | {
        "test_cost": mean_interval(paid_for.by_row, weight),
        "total_cost": mean_interval(answered.paid + paid_for.by_row, weight),
        "upfront_cost": paid_for.upfront,
    }


def _costs_in_words(view: ModelView, model: Any, noun: str) -> list[str]:
    n_rows, wrong = amount(view.n_rows), amount(view.errors)
    words = [
        f"On these {n_rows} {noun}s the model costs {amount(view.total)}: {amount(view.cost.mean)} per "
        f"{noun}, with {wrong} mistakes, {amount(view.high_cost_errors)} of them costly ones."
    ]
    baseline = amount(view.constant_cost * view.n_rows)
    constant = f"Always answering {view.constant} would cost {baseline}"
    if not np.isfinite(view.savings):
        words.append(f"{constant}; nothing can be saved there.")
    elif view.savings > 0:
        words.append(f"{constant}; the model saves {view.savings:.0%} of that.")
    elif view.savings < 0:
        words.append(f"{constant}; the model costs {-view.savings:.0%} more than that.")
    else:
        words.append(f"{constant}; the model saves nothing over that.")
    if view.total_cost is not None and view.test_cost is not None and view.upfront_cost is not None:
        words.append(
            f"Looking costs {amount(view.test_cost.mean)} per {noun} more where tests are made one by one, "
            f"{amount(view.upfront_cost)} where all are made up front; mistakes and tests one by one come to "
            f"{amount(view.total_cost.mean)} per {noun}."
        )
    if isinstance(model, Guard) and model.guarded_:
        words.append(
            f"The model is guarded and answers {model.constant_} for everyone: in cross-validation on its "
            f"training data the learner cost {model.cv_cost_:.4g} per {noun}, the constant "
            f"{model.constant_cost_:.4g}."
        )
    costliest = max(view.classes, key=lambda line: line.cost)
    if costliest.cost > 0 and costliest.costliest_mistake is not None:
        words.append(
            f"{costliest.share:.0%} of the bill comes from {costliest.actual} {noun}s, most of it "
            f"({amount(costliest.costliest_cost)}) from calling them {costliest.costliest_mistake}."
        )
    return words


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
    return render(fitted, "svg", max_depth=None if shown >= deepest else shown)
