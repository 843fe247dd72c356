"""The bill: what predictions cost, next to the best constant, by class, as curves and as scorers.

Every function takes the costs by keyword: ``cost_matrix=`` for costs per class (a ``CostMatrix``, an array, a
dict, a data frame or a path, indexed ``[actual, predicted]``), ``costs=`` for costs per sample (an array of
shape (n_samples, n_classes)). With neither, every mistake costs 1. Labels are matched by name where the
matrix has names. Else columns stand for ``classes``; without these, labels that are integers below the number
of columns are column numbers, and other labels are taken in sorted order if there are as many as columns.
"""

from stakes.metrics._costs import (
    BestConstant,
    ClassCost,
    best_constant,
    confusion_with_undecided,
    cost_by_class,
    cost_with_abstention,
    coverage,
    high_cost_errors,
    mean_cost,
    normalised_cost,
    savings,
    total_cost,
)
from stakes.metrics._curves import CostCurve, cost_curve, expected_calibration_error, probability_cost
from stakes.metrics._scorers import cost_scorer, neg_mean_cost, sample_cost_scorer
from stakes.metrics._total import CostWithTests, cost_with_tests

__all__ = [
    "BestConstant",
    "ClassCost",
    "CostCurve",
    "CostWithTests",
    "best_constant",
    "confusion_with_undecided",
    "cost_by_class",
    "cost_curve",
    "cost_scorer",
    "cost_with_abstention",
    "cost_with_tests",
    "coverage",
    "expected_calibration_error",
    "high_cost_errors",
    "mean_cost",
    "neg_mean_cost",
    "normalised_cost",
    "probability_cost",
    "sample_cost_scorer",
    "savings",
    "total_cost",
]
