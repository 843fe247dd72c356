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
from stakes.decision._guard import Guard, GuardWarning
from stakes.decision._min_cost import MinExpectedCost

__all__ = [
    "RELATIVE_ROUNDING",
    "CostDecisionMixin",
    "Decision",
    "Guard",
    "GuardWarning",
    "MinExpectedCost",
    "decide",
    "expected_costs",
    "min_cost_class",
    "most_probable_class",
    "or_abstain",
    "threshold",
]
