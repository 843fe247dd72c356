"""What a report says, as plain data; how it looks is the template's affair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes import metrics
from stakes.costs import CostMatrix, as_cost_matrix, as_feature_costs
from stakes.decision import Guard, min_cost_class, threshold
from stakes.lab.comparison import Comparison, Interval, mean_interval
from stakes.lab.looking import looking
from stakes.lab.trial import count_leaves, count_nodes
from stakes.metrics import ClassBill
from stakes.models import effective_tree
from stakes.report.ask import walker_data
from stakes.rules import RuleClassifier
from stakes.table import Table
from stakes.tree.draw import draw_svg
from stakes.tree.words import amount, leaf_table

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
class LeafBill:
    """What the rows of one leaf cost; ``rule`` says what leads there."""

    rule: tuple[str, ...]
    label: Any
    rows: float
    errors: float
    cost: float
    share: float


@dataclass(frozen=True)
class ThresholdCurve:
    """Two classes: cost per row where ``label`` is predicted from a probability on.

    Attributes
    ----------
    label : the class that is predicted from the threshold on
    points : tuple of (threshold, cost per row), thresholds rising
        The cost holds above this threshold, up to and with the next one.
    best : threshold that follows from the costs, or None where they give none
    constant : cost per row of the best constant
    """

    label: Any
    points: tuple[tuple[float, float], ...]
    best: float | None
    constant: float


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
    classes : tuple of ClassBill
    leaves : tuple of LeafBill
        Dearest first; empty where the model is no tree.
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
    test_cost, bill : Interval or None
        Where columns have prices: cost of the tests per row, and of tests and mistakes together.
    upfront_cost : float or None
        Where columns have prices: price of all columns that the model may ask for.
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
    classes: tuple[ClassBill, ...]
    leaves: tuple[LeafBill, ...]
    tree_svg: str
    curve: ThresholdCurve | None
    comparison: Comparison | None
    note: str = ""
    walker: dict[str, Any] | None = None
    noun: str = "case"
    n_nodes: int | None = None
    test_cost: Interval | None = None
    bill: Interval | None = None
    upfront_cost: float | None = None


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
) -> ModelView:
    """Work out what a report shows; parameters as in :func:`stakes.report.model_report`."""
    given = cost_matrix if cost_matrix is not None else getattr(model, "cost_matrix_", None)
    classes = getattr(model, "classes_", np.unique(np.asarray(y)))
    matrix = as_cost_matrix(given, classes)
    bill: dict[str, Any] = {"cost_matrix": matrix, "sample_weight": sample_weight}
    labels, predicted = np.asarray(y), np.asarray(model.predict(X))
    weight = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    constant = metrics.best_constant(labels, **bill)
    actual, answer = matrix.codes(labels), matrix.codes(predicted)
    paid = matrix.values[actual, answer]
    confusion = _confusion(matrix, actual, answer, weight)
    view = ModelView(
        title=title,
        words=(),
        cost_words=tuple(matrix.describe(noun).splitlines()),
        n_rows=float(weight.sum()),
        cost=mean_interval(paid, weight),
        total=metrics.total_cost(labels, predicted, **bill),
        errors=float(weight @ (actual != answer)),
        high_cost_errors=metrics.high_cost_errors(labels, predicted, **bill),
        savings=metrics.savings(labels, predicted, **bill),
        constant=constant.label,
        constant_cost=constant.cost / float(weight.sum()),
        n_leaves=count_leaves(model),
        confusion=confusion,
        classes=tuple(metrics.cost_by_class(labels, predicted, **bill)),
        leaves=_leaf_bills(model, X, actual != answer, paid, weight),
        tree_svg=_drawing(model),
        curve=_threshold_curve(model, X, matrix, actual, weight),
        comparison=comparison,
        note=note,
        noun=noun,
        n_nodes=count_nodes(model),
        **_looking_parts(model, X, feature_costs, paid, weight),
    )
    return replace(view, words=tuple(_bill_in_words(view, model, noun)))


def _looking_parts(
    model: Any, X: Any, feature_costs: Any, paid: NDArray[np.float64], weight: NDArray[np.float64]
) -> dict[str, Any]:
    """What the view says about tests and their prices: the prices given, or else the model's own."""
    estimator, walker = _tree_estimator(model), None
    prices = None if estimator is None else estimator.fitted_tree_.feature_costs
    if feature_costs is not None:
        table = X if isinstance(X, Table) else Table.from_data(X)
        schema = table.schema if estimator is None else estimator.fitted_tree_.schema
        prices = as_feature_costs(feature_costs, schema.names)
    if estimator is not None:
        walker = walker_data(replace(effective_tree(model), feature_costs=prices))
    if prices is None:
        return {"walker": walker}
    looked = looking(model, X, prices)
    return {
        "walker": walker,
        "test_cost": mean_interval(looked.by_row, weight),
        "bill": mean_interval(paid + looked.by_row, weight),
        "upfront_cost": looked.upfront,
    }


def _bill_in_words(view: ModelView, model: Any, noun: str) -> list[str]:
    n_rows, wrong = amount(view.n_rows), amount(view.errors)
    words = [
        f"On these {n_rows} {noun}s the model costs {amount(view.total)}: {amount(view.cost.mean)} per "
        f"{noun}, with {wrong} mistakes, {amount(view.high_cost_errors)} of them dear ones."
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
    if view.bill is not None and view.test_cost is not None and view.upfront_cost is not None:
        words.append(
            f"Looking costs {amount(view.test_cost.mean)} per {noun} more where tests are made one by one, "
            f"{amount(view.upfront_cost)} where all are made up front; mistakes and tests one by one come to "
            f"{amount(view.bill.mean)} per {noun}."
        )
    if isinstance(model, Guard) and model.guarded_:
        words.append(
            f"The model is guarded and answers {model.constant_} for everyone: in cross-validation on its "
            f"training data the learner cost {model.cv_cost_:.4g} per {noun}, the constant "
            f"{model.constant_cost_:.4g}."
        )
    dearest = max(view.classes, key=lambda line: line.cost)
    if dearest.cost > 0 and dearest.dearest_mistake is not None:
        words.append(
            f"{dearest.share:.0%} of the bill comes from {dearest.actual} {noun}s, most of it "
            f"({amount(dearest.dearest_cost)}) from calling them {dearest.dearest_mistake}."
        )
    return words


def _confusion(
    matrix: CostMatrix, actual: NDArray[np.intp], answer: NDArray[np.intp], weight: NDArray[np.float64]
) -> Confusion:
    counts = np.zeros(matrix.values.shape)
    np.add.at(counts, (actual, answer), weight)
    assert matrix.classes is not None
    rows = (tuple(map(tuple, array.tolist())) for array in (counts, matrix.values, counts * matrix.values))
    return Confusion(tuple(matrix.classes.tolist()), *rows)


def _tree_estimator(model: Any) -> Any:
    """The tree classifier inside wrappers, None where there is none."""
    while model is not None and not hasattr(model, "fitted_tree_"):
        model = getattr(model, "estimator_", None)
    return model


def _leaf_bills(
    model: Any, X: Any, wrong: NDArray[np.bool_], paid: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[LeafBill, ...]:
    if isinstance(model, RuleClassifier):
        return _rule_bills(model, X, wrong, paid, weight)
    tree = _tree_estimator(model)
    if tree is None:
        return ()
    guarded = isinstance(model, Guard) and model.guarded_
    leaf = np.zeros(len(paid), dtype=np.int32) if guarded else tree.apply(X)
    total = float(weight @ paid)
    bills = []
    for known in leaf_table(effective_tree(model)):
        bills.append(
            _leaf_bill(known.conditions, known.label, leaf == known.node, wrong, paid, weight, total)
        )
    if (leaf < 0).any():
        rule = ("a value is missing or was never seen, so that several leaves answer",)
        bills.append(_leaf_bill(rule, "by weight", leaf < 0, wrong, paid, weight, total))
    reached = [bill for bill in bills if bill.rows > 0]
    return tuple(sorted(reached, key=lambda bill: (-bill.cost, -bill.rows)))


def _rule_bills(
    model: RuleClassifier,
    X: Any,
    wrong: NDArray[np.bool_],
    paid: NDArray[np.float64],
    weight: NDArray[np.float64],
) -> tuple[LeafBill, ...]:
    """What the rows of each rule cost, and those that no rule decides."""
    speaking, total = model.apply(X), float(weight @ paid)
    known = [(rule.conditions, rule.label) for rule in model.rules_]
    known.append((("no rule applies: answered by the fallback",), "undecided"))
    numbers = [*range(len(known) - 1), -1]
    bills = [
        _leaf_bill(conditions, label, speaking == number, wrong, paid, weight, total)
        for number, (conditions, label) in zip(numbers, known, strict=True)
    ]
    reached = [bill for bill in bills if bill.rows > 0]
    return tuple(sorted(reached, key=lambda bill: (-bill.cost, -bill.rows)))


def _leaf_bill(
    rule: tuple[str, ...],
    label: Any,
    here: NDArray[np.bool_],
    wrong: NDArray[np.bool_],
    paid: NDArray[np.float64],
    weight: NDArray[np.float64],
    total: float,
) -> LeafBill:
    cost = float(weight[here] @ paid[here])
    rows, errors = float(weight[here].sum()), float(weight[here] @ wrong[here])
    return LeafBill(rule or ("every row",), label, rows, errors, cost, cost / total if total else 0.0)


def _drawing(model: Any) -> str:
    if _tree_estimator(model) is None:
        return ""
    fitted = effective_tree(model)
    depth = fitted.tree.depth
    is_leaf = fitted.tree.feature < 0
    deepest = int(depth.max())
    # Nodes at the cut are drawn as ends too, so they count.
    ends = [int(((depth == d) | (is_leaf & (depth < d))).sum()) for d in range(deepest + 1)]
    shown = max((d for d in range(1, deepest + 1) if ends[d] <= MOST_DRAWN), default=1)
    return draw_svg(fitted, max_depth=None if shown >= deepest else shown)


def _threshold_curve(
    model: Any, X: Any, matrix: CostMatrix, actual: NDArray[np.intp], weight: NDArray[np.float64]
) -> ThresholdCurve | None:
    if len(matrix) != 2 or not hasattr(model, "predict_proba"):
        return None
    ask = getattr(model, "decision_proba", model.predict_proba)
    # From the dearer class's side, since that is the one to be careful about.
    costs = matrix.values
    positive = 0 if costs[0, 1] > costs[1, 0] else 1
    score = np.asarray(ask(X))[:, positive]
    edges = np.unique(np.concatenate([[0.0], score]))
    spent = weight[:, None] * costs[actual]
    order = np.argsort(score, kind="stable")
    below = np.searchsorted(score[order], edges, side="right")  # rows that are negative just above an edge
    yes, no = (np.concatenate([[0.0], np.cumsum(spent[order, c])]) for c in (positive, 1 - positive))
    cost = (no[below] + yes[-1] - yes[below]) / weight.sum()
    constants = spent.sum(axis=0) / weight.sum()
    try:
        best = threshold(CostMatrix(costs if positive else costs[::-1, ::-1]))
    except ValueError:
        best = None
    assert matrix.classes is not None
    label = matrix.classes[positive : positive + 1].tolist()[0]
    constant = float(constants[int(min_cost_class(constants[None, :])[0])])
    return ThresholdCurve(label, tuple(zip(edges.tolist(), cost.tolist(), strict=True)), best, constant)
