"""From class probabilities and costs to a decision: the cheapest class, or none."""

from stakes.decision._choose import (
    RELATIVE_ROUNDING,
    CostDecisionMixin,
    Decision,
    decide,
    expected_costs,
    min_cost_class,
    most_probable_class,
    or_abstain,
    threshold,
)
from stakes.decision._constant import GuardWarning, best_constant, loses_to_constant
from stakes.decision._guard import Guard
from stakes.decision._min_cost import MinExpectedCost

__all__ = [
    "RELATIVE_ROUNDING",
    "CostDecisionMixin",
    "Decision",
    "Guard",
    "GuardWarning",
    "MinExpectedCost",
    "best_constant",
    "decide",
    "expected_costs",
    "loses_to_constant",
    "min_cost_class",
    "most_probable_class",
    "or_abstain",
    "threshold",
]
