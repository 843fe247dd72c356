"""Learners side by side: repeated stratified cross-validation of what they cost, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from sklearn.base import clone

from stakes._base.folds import stratified_folds
from stakes._base.groups import columns_by
from stakes._base.intervals import Interval
from stakes._text.words import rounded_repr
from stakes.compare.groups import CostsBy, HeldOutCosts
from stakes.compare.statistics import PairTest, against
from stakes.compare.trial import Part, Trial, abstaining_trial, held_out_costs, run_trial
from stakes.costs import CostMatrix, as_cost_matrix, as_feature_costs
from stakes.decision import min_cost_class
from stakes.table import Table

Progress = Callable[[int, int, str], None]


@rounded_repr
@dataclass(frozen=True)
class LearnerResult:
    """What one learner did in cross-validation.

    Attributes
    ----------
    name : str
    cost : Interval
        Cost per (weighted) row.
    total : float
        Cost of one pass over all rows, the mean of the repetitions.
    errors : Interval
        Share of the rows that were called something else.
    high_cost_errors : float
        Number of mistakes costlier than the cheapest kind, in one pass over all rows.
    savings : Interval or None
        Share of the best constant's cost that was saved, tests included where columns have prices; None where
        that costs nothing.
    leaves : float or None
        Mean number of leaves; None for a learner without leaves.
    seconds : float
        Mean time of one fit.
    nodes : float or None
        Mean number of nodes, leaves included; None for a learner without nodes.
    test_cost, total_cost : Interval or None
        Where columns have prices: cost of the tests per row, and of tests and mistakes together.
    upfront_cost : float or None
        Where columns have prices: mean price of all columns that a model may ask for.
    undecided : float
        Share of the rows that were left undecided, at a price that is part of the cost.
    """

    name: str
    cost: Interval
    total: float
    errors: Interval
    high_cost_errors: float
    savings: Interval | None
    leaves: float | None
    seconds: float
    nodes: float | None = None
    test_cost: Interval | None = None
    total_cost: Interval | None = None
    upfront_cost: float | None = None
    undecided: float = 0.0

    @property
    def decisive(self) -> Interval:
        """What learners are compared by: the whole bill where columns have prices, else mistakes."""
        return self.cost if self.total_cost is None else self.total_cost


@rounded_repr
@dataclass(frozen=True)
class Comparison:
    """Results of several learners on the same folds.

    Attributes
    ----------
    results : tuple of LearnerResult
        In the order in which the learners were given.
    n_rows, n_folds, n_repeats : int
    constant : label of the best constant prediction
    constant_cost : float
        What it costs per row.
    level : float
        Confidence level of the intervals.
    tests : tuple of PairTest
        Corrected resampled t-test of each other learner against the cheapest, on the costs of the folds.
    by : tuple of CostsBy
        What held-out rows cost by each column that was asked for.
    """

    results: tuple[LearnerResult, ...]
    n_rows: int
    n_folds: int
    n_repeats: int
    constant: Any
    constant_cost: float
    level: float = 0.95
    tests: tuple[PairTest, ...] = ()
    by: tuple[CostsBy, ...] = field(default=(), repr=False)

    @property
    def cheapest(self) -> LearnerResult:
        """The result of least cost, tests included where columns have prices; the first one on ties."""
        return _cheapest(self.results)

    @property
    def priced(self) -> bool:
        """Whether columns have prices."""
        return any(result.total_cost is not None for result in self.results)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        values = asdict(self) | {"results": [asdict(result) for result in self.results]}
        del values["by"]
        groups = {table.column: [asdict(group) for group in table.groups] for table in self.by}
        return values | ({"by": groups} if groups else {})


def evaluate_learners(
    learners: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    cost_matrix: Any = None,
    feature_costs: Any = None,
    sample_weight: Any = None,
    n_folds: int = 10,
    n_repeats: int = 1,
    random_state: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
    abstain_costs: Mapping[str, float] | None = None,
    by: Any = None,
) -> Comparison:
    """Cross-validate learners on the same folds.

    Intervals follow Nadeau and Bengio: the variance over folds is enlarged because training sets overlap.

    Parameters
    ----------
    learners : mapping of name to classifier
    X, y : data and labels, as the learners take them
    cost_matrix : anything that `as_cost_matrix` takes
        The costs that all are judged by; the learners keep their own.
    feature_costs : anything that `as_feature_costs` takes
        What it costs to read the columns, for the bill; the learners keep their own. Trees pay for what they
        ask, other learners for every column.
    sample_weight : array-like of shape (n_samples,), optional
    n_folds, n_repeats : int
        Folds of one repetition, which are stratified, and number of repetitions.
    random_state : int
        Repetition r shuffles with ``random_state + r``.
    level : float
        Confidence level.
    progress : callable, optional
        Called with the number of fits done, of all fits, and the name of the learner whose turn it is.
    abstain_costs : mapping of name to float, optional
        Learners that are judged a second time, on the same fits, where they may leave a row undecided at this
        cost. The second result has the name "NAME, undecided at COST" and comes before the first.
    by : optional
        Columns that the cost is shown by, as in `stakes.report.model_report`; the learners need not see them.

    References
    ----------
    C. Nadeau, Y. Bengio (2003). Inference for the Generalization Error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> from stakes import C45Classifier, datasets
    >>> table, costs = datasets.load_table("german")
    >>> learners = {"C4.5": C45Classifier(), "C4.5CS": C45Classifier(cost_matrix=costs)}
    >>> evaluate_learners(learners, table, table.labels(), cost_matrix=costs).cheapest.name
    'C4.5CS'
    """
    labels = np.asarray(y)
    classes, codes = np.unique(labels, return_inverse=True)
    abstain_costs = {} if abstain_costs is None else abstain_costs
    _check_plan(learners, abstain_costs, len(labels), n_folds, n_repeats, level)
    matrix = as_cost_matrix(cost_matrix, classes)
    names = () if feature_costs is None else Table.from_data(X).schema.names
    prices = as_feature_costs(feature_costs, names)
    weight = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    data = Part(X, labels, None if sample_weight is None else weight)
    folds = [stratified_folds(codes, n_folds, random_state + r) for r in range(n_repeats)]
    columns = columns_by(by, X, len(labels))
    groups = None if columns is None else HeldOutCosts(columns, weight, n_repeats)
    total_fits, done = len(learners) * n_repeats * n_folds, 0
    trials: dict[str, list[Trial]] = {}
    for name, learner in learners.items():
        second = f"{name}, undecided at {abstain_costs[name]:g}" if name in abstain_costs else None
        trials |= {title: [] for title in (second, name) if title is not None}
        for train, test in _splits(folds, weight):
            if progress is not None:
                progress(done, total_fits, name)
            model, held_out = clone(learner), data.take(test)
            trial = run_trial(model, data.take(train), held_out, matrix, prices)
            trials[name].append(trial)
            if second is not None:
                trials[second].append(abstaining_trial(trial, model, held_out, matrix, abstain_costs[name]))
            for title, price in ((second, abstain_costs.get(name)), (name, None)):
                if groups is not None and title is not None:
                    groups.add(title, test, held_out_costs(model, held_out, matrix, prices, price))
            done += 1
    if progress is not None:
        progress(done, total_fits, "")
    comparison = summarise(trials, data, matrix, n_folds, n_repeats, level)
    return comparison if groups is None else replace(comparison, by=groups.tables())


def summarise(
    trials: Mapping[str, list[Trial]],
    data: Part,
    matrix: CostMatrix,
    n_folds: int,
    n_repeats: int,
    level: float = 0.95,
) -> Comparison:
    """Put the trials of learners, which must be on the same folds, side by side."""
    weight = data.shares
    constants = weight @ matrix.values[matrix.codes(data.labels)] / weight.sum()
    best = int(min_cost_class(constants[None, :])[0])
    base = float(constants[best])
    results = tuple(_summary(name, folds, float(weight.sum()), base, level) for name, folds in trials.items())
    return Comparison(
        results,
        len(data.labels),
        n_folds,
        n_repeats,
        best if matrix.classes is None else matrix.classes.tolist()[best],
        base,
        level,
        tuple(_tests(trials, _cheapest(results).name)),
    )


def _cheapest(results: tuple[LearnerResult, ...]) -> LearnerResult:
    return min(results, key=lambda result: result.decisive.mean)


def _tests(trials: Mapping[str, list[Trial]], cheapest: str) -> list[PairTest]:
    paid = {
        name: np.array([(fold.cost + (fold.test_cost or 0.0)) / fold.weight for fold in learner_trials])
        for name, learner_trials in trials.items()
    }
    ratio = float(np.mean([fold.weight / fold.train_weight for fold in trials[cheapest]]))
    return against(cheapest, paid, ratio)


def _check_plan(
    learners: Mapping[str, Any],
    abstain_costs: Mapping[str, float],
    n_rows: int,
    n_folds: int,
    n_repeats: int,
    level: float,
) -> None:
    if not learners:
        raise ValueError("learners must hold at least one learner, got none")
    for name in abstain_costs:
        if name not in learners:
            raise ValueError(f"abstain_costs must name learners, {', '.join(learners)}, got {name!r}")
        if not hasattr(learners[name], "decide"):
            raise ValueError(f"abstain_costs must name learners that have a decide method, got {name!r}")
    if not 2 <= n_folds <= n_rows:
        raise ValueError(f"n_folds must be between 2 and the number of rows, {n_rows}, got {n_folds}")
    if n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1, got {n_repeats}")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, such as 0.95, got {level}")


def _splits(
    folds: list[NDArray[np.intp]], weight: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    for fold in folds:
        for number in range(int(fold.max()) + 1):
            train, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            if weight[train].sum() > 0 and weight[test].sum() > 0:
                yield train, test


def _summary(name: str, folds: list[Trial], weight: float, base: float, level: float) -> LearnerResult:
    tested = sum(fold.weight for fold in folds)
    cost = _interval([(fold.cost, fold) for fold in folds], level)
    errors = _interval([(fold.errors, fold) for fold in folds], level)
    tests = [(fold.test_cost, fold) for fold in folds if fold.test_cost is not None]
    totals = [(fold.cost + paid_for, fold) for paid_for, fold in tests]
    whole = _interval(totals, level) if totals else None
    decisive = cost if whole is None else whole
    return LearnerResult(
        name=name,
        cost=cost,
        total=cost.mean * weight,
        errors=Interval(errors.mean, max(errors.low, 0.0), min(errors.high, 1.0)),
        high_cost_errors=sum(fold.high_cost_errors for fold in folds) / tested * weight,
        savings=None
        if base == 0
        else Interval(*((base - x) / abs(base) for x in (decisive.mean, decisive.high, decisive.low))),
        leaves=_mean([fold.leaves for fold in folds]),
        seconds=float(np.mean([fold.seconds for fold in folds])),
        nodes=_mean([fold.nodes for fold in folds]),
        test_cost=_interval(tests, level) if tests else None,
        total_cost=whole,
        upfront_cost=_mean([fold.upfront_cost for fold in folds]),
        undecided=sum(fold.undecided for fold in folds) / tested,
    )


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _interval(sums: list[tuple[float, Trial]], level: float) -> Interval:
    """Corrected resampled t interval of a mean per row, the mean being that of all rows."""
    per_row = np.array([value / fold.weight for value, fold in sums])
    mean = sum(value for value, _ in sums) / sum(fold.weight for _, fold in sums)
    if len(per_row) < 2:
        return Interval(mean, mean, mean)
    ratio = float(np.mean([fold.weight / fold.train_weight for _, fold in sums]))
    spread = float(np.sqrt((1 / len(per_row) + ratio) * per_row.var(ddof=1)))
    half = float(stdtrit(len(per_row) - 1, (1 + level) / 2)) * spread
    return Interval(mean, mean - half, mean + half)
