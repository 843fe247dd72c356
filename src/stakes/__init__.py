"""Cost-sensitive classification: trees, rules and ensembles that keep the bill small."""

from stakes import datasets, metrics
from stakes.costs import CostMatrix, FeatureCosts
from stakes.decision import Decision, Guard, GuardWarning, MinExpectedCost
from stakes.evolve import GDTClassifier
from stakes.models import load_model
from stakes.table import Table, read_table
from stakes.tree import C45Classifier, TradeoffSearchCV

__all__ = [
    "C45Classifier",
    "CostMatrix",
    "Decision",
    "FeatureCosts",
    "GDTClassifier",
    "Guard",
    "GuardWarning",
    "MinExpectedCost",
    "Table",
    "TradeoffSearchCV",
    "datasets",
    "load_model",
    "metrics",
    "read_table",
]
