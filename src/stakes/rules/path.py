"""Accuracy against coverage over cut-offs, and the cut-off of least total cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.folds import check_folds, stratified_folds
from stakes._base.progress import part_of
from stakes._text.extras import extra_module
from stakes.rules.learn import RuleSamples, Settings, learn_rules
from stakes.rules.model import RuleSet

#: The cut-offs of the paper.
T_GOOD_VALUES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class CoveragePoint:
    """How rules of one cut-off did on rows that they were not learnt from.

    Attributes
    ----------
    t_good : float
        The cut-off.
    coverage : float
        Share of the rows that were decided.
    accuracy : float
        Share of the decided rows that were decided rightly, NaN where none was decided.
    mistakes, tests, abstention : float
        Parts of the total cost per row: mistakes, columns read, rows left undecided.
    n_rules : float
        Number of rules, on average over the folds.
    """

    t_good: float
    coverage: float
    accuracy: float
    mistakes: float
    tests: float
    abstention: float
    n_rules: float

    @property
    def total_cost(self) -> float:
        """The total cost per row."""
        return self.mistakes + self.tests + self.abstention


def point_sums(
    rules: RuleSet, rows: RuleSamples, abstain_cost: float, n_threads: int = 1
) -> tuple[NDArray[np.float64], int]:
    """Weighted sums of weight, decided, right, mistakes, tests, abstention; and the number of rules."""
    speaking = rules.match(rows.table, n_threads)
    weight, decided = rows.weight_or_ones, speaking >= 0
    answer = rules.label[speaking[decided]]
    actual, share = rows.codes[decided], weight[decided]
    sums = np.array(
        [
            weight.sum(),
            share.sum(),
            share[answer == actual].sum(),
            share @ rules.costs[actual, answer],
            weight @ rules.path_cost(rows.table, n_threads),
            abstain_cost * weight[~decided].sum(),
        ]
    )
    return sums, len(rules)


def coverage_points(
    folds: Sequence[tuple[RuleSamples, RuleSamples]],
    settings: Settings,
    t_good_values: Sequence[float],
    abstain_cost: float,
) -> list[CoveragePoint]:
    """Learn from the first and judge on the second of each pair; one search a pair for all cut-offs."""
    sums = np.zeros((len(t_good_values), 6))
    sizes = np.zeros(len(t_good_values))
    for number, (train, test) in enumerate(folds):
        with part_of(number, len(folds)):
            learnt = learn_rules(train, settings, t_good_values)
        for i, rules in enumerate(learnt):
            of_fold, n_rules = point_sums(rules, test, abstain_cost, settings.n_threads)
            sums[i] += of_fold
            sizes[i] += n_rules
    return [
        _point(t_good, row, size / len(folds))
        for t_good, row, size in zip(t_good_values, sums, sizes, strict=True)
    ]


def _point(t_good: float, sums: NDArray[np.float64], n_rules: float) -> CoveragePoint:
    weight, decided, right, mistakes, tests, abstention = sums.tolist()
    return CoveragePoint(
        t_good=float(t_good),
        coverage=decided / weight,
        accuracy=right / decided if decided > 0 else float("nan"),
        mistakes=mistakes / weight,
        tests=tests / weight,
        abstention=abstention / weight,
        n_rules=n_rules,
    )


def cross_validated(
    samples: RuleSamples, settings: Settings, t_good_values: Sequence[float], abstain_cost: float, cv: Any
) -> list[CoveragePoint]:
    """Points of a cross-validation: stratified folds where ``cv`` is their number. Empty for a single row."""
    weight = samples.weight_or_ones
    pairs = [
        (samples.take(train), samples.take(test))
        for train, test in _splits(samples, cv, settings.random_state)
        if weight[train].any() and weight[test].any()
    ]
    return coverage_points(pairs, settings, t_good_values, abstain_cost) if pairs else []


def _splits(samples: RuleSamples, cv: Any, random_state: Any) -> Iterable[tuple[Any, Any]]:
    n_rows, folds = len(samples.codes), check_folds(cv)
    if not isinstance(folds, int):
        return folds.split(np.zeros(n_rows), samples.codes) if hasattr(folds, "split") else folds
    fold = stratified_folds(samples.codes.astype(np.intp), min(folds, n_rows), random_state)
    return [
        (np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(fold.max() + 1)
    ]


def cheapest(points: Sequence[CoveragePoint]) -> CoveragePoint:
    """Return the point of least total cost; of equal ones the one that decides most, then the strictest."""
    return min(points, key=lambda point: (round(point.total_cost, 12), -point.coverage, point.t_good))


def plot_coverage(points: Sequence[CoveragePoint], *, ax: Any = None, label: str | None = None) -> Any:
    """Draw accuracy on the decided rows against the share of rows decided, a point per cut-off.

    Parameters
    ----------
    points : sequence of CoveragePoint
        From :meth:`~stakes.RuleClassifier.coverage_path`, or ``coverage_path_`` of a fitted classifier.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    label : str, optional
        Name of the line.

    Returns
    -------
    matplotlib axes
    """
    if not points:
        raise ValueError("points must hold at least one point, got none")
    if ax is None:
        pyplot = extra_module("matplotlib.pyplot", "drawing", "report")
        _, ax = pyplot.subplots(figsize=(5, 3.6), layout="constrained")
    known = [point for point in points if point.coverage > 0]
    ax.plot([p.coverage for p in known], [p.accuracy for p in known], marker="o", markersize=4, label=label)
    for point in known:
        ax.annotate(
            f"{point.t_good:g}", (point.coverage, point.accuracy), xytext=(4, 4), textcoords="offset points"
        )
    ax.set_xlabel("share of rows decided")
    ax.set_ylabel("accuracy where decided")
    if label is not None:
        ax.legend(frameon=False)
    return ax
