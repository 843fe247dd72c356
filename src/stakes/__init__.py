"""Cost-sensitive classification: trees, rules and ensembles that keep the bill small."""

from stakes import datasets, metrics
from stakes.costs import CostMatrix, FeatureCosts
from stakes.decision import Decision, Guard, GuardWarning, MinExpectedCost
from stakes.evolve import GDTClassifier
from stakes.models import load_model
from stakes.reductions import (
    GBSE,
    GBSET,
    AverageCost,
    BoostedStakes,
    CostBagging,
    CostBoosting,
    Costing,
    DataSpaceExpansion,
    IterativeWeighting,
    MetaCost,
    SamplingWarning,
)
from stakes.rules import MDLDiscretizer, RuleClassifier
from stakes.table import Table, read_table
from stakes.tree import C45Classifier, TradeoffSearchCV

__all__ = [
    "GBSE",
    "GBSET",
    "AverageCost",
    "BoostedStakes",
    "C45Classifier",
    "CostBagging",
    "CostBoosting",
    "CostMatrix",
    "Costing",
    "DataSpaceExpansion",
    "Decision",
    "FeatureCosts",
    "GDTClassifier",
    "Guard",
    "GuardWarning",
    "IterativeWeighting",
    "MDLDiscretizer",
    "MetaCost",
    "MinExpectedCost",
    "RuleClassifier",
    "SamplingWarning",
    "Table",
    "TradeoffSearchCV",
    "datasets",
    "load_model",
    "metrics",
    "read_table",
]
