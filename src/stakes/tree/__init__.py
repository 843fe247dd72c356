"""The C4.5 family of trees."""

from stakes.tree.acquire import Acquired, Acquisition
from stakes.tree.c45 import C45Classifier
from stakes.tree.explain import Explanation
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel
from stakes.tree.tradeoff import TradeoffSearchCV
from stakes.tree.tradeoff_path import TradeoffPoint

__all__ = [
    "Acquired",
    "Acquisition",
    "C45Classifier",
    "Explanation",
    "FittedTree",
    "TradeoffPoint",
    "TradeoffSearchCV",
    "TreeModel",
]
