"""Learners side by side: trials, comparisons, tests of significance, constants to compare with."""

from stakes._base.intervals import Interval
from stakes.compare.comparison import Comparison, LearnerResult, evaluate_learners
from stakes.compare.constant import ConstantClassifier
from stakes.compare.encode import CodedLabels, OneHotTable
from stakes.compare.groups import CostsBy, GroupCosts
from stakes.compare.trial import Part, Trial, run_trial

__all__ = [
    "CodedLabels",
    "Comparison",
    "ConstantClassifier",
    "CostsBy",
    "GroupCosts",
    "Interval",
    "LearnerResult",
    "OneHotTable",
    "Part",
    "Trial",
    "evaluate_learners",
    "run_trial",
]
