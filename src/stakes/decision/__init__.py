"""From class probabilities and costs to a decision: the cheapest class, or none."""

from stakes.decision._answers import (
    Answers,
    AnswersMixin,
    CostDecisionMixin,
    InnerAnswers,
    answers_of,
    lazy,
)
from stakes.decision._choose import (
    RELATIVE_ROUNDING,
    Decision,
    decide,
    expected_costs,
    min_cost_class,
    most_probable_class,
    or_abstain,
    threshold,
)
from stakes.decision._constant import GuardWarning, best_constant, loses_to_constant
from stakes.decision._explain import Reason, Reasons, cost_shares
from stakes.decision._guard import Guard
from stakes.decision._importances import as_shares, importances_of
from stakes.decision._min_cost import MinExpectedCost
from stakes.decision._shares import CostExplanation, CostShares
from stakes.decision._whole import WholeCost, whole_cost

__all__ = [
    "RELATIVE_ROUNDING",
    "Answers",
    "AnswersMixin",
    "CostDecisionMixin",
    "CostExplanation",
    "CostShares",
    "Decision",
    "Guard",
    "GuardWarning",
    "InnerAnswers",
    "MinExpectedCost",
    "Reason",
    "Reasons",
    "WholeCost",
    "answers_of",
    "as_shares",
    "best_constant",
    "cost_shares",
    "decide",
    "expected_costs",
    "importances_of",
    "lazy",
    "loses_to_constant",
    "min_cost_class",
    "most_probable_class",
    "or_abstain",
    "threshold",
    "whole_cost",
]
