"""The C4.5 family of trees."""

from stakes.tree.acquire import Acquired, Acquisition
from stakes.tree.c45 import C45Classifier
from stakes.tree.explain import Explanation
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel

__all__ = ["Acquired", "Acquisition", "C45Classifier", "Explanation", "FittedTree", "TreeModel"]
