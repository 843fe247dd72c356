"""The C4.5 family of trees."""

from stakes.tree.ask import AskedColumn, Question, Questionnaire, read_questionnaire
from stakes.tree.ask.acquire import Acquired, Acquisition
from stakes.tree.base import TreeClassifier
from stakes.tree.c45.classifier import C45Classifier
from stakes.tree.c45.criteria import judges, split_criteria
from stakes.tree.c45.pruning import prunes, pruning_methods
from stakes.tree.explain import Explanation
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel
from stakes.tree.routing import TreeAnswers
from stakes.tree.tradeoff.path import TradeoffPoint
from stakes.tree.tradeoff.search import TradeoffSearchCV
from stakes.tree.words import Leaf, branch_words, categories_met, leaf_table, path_conditions, path_ranges

__all__ = [
    "Acquired",
    "Acquisition",
    "AskedColumn",
    "C45Classifier",
    "Explanation",
    "FittedTree",
    "Leaf",
    "Question",
    "Questionnaire",
    "TradeoffPoint",
    "TradeoffSearchCV",
    "TreeAnswers",
    "TreeClassifier",
    "TreeModel",
    "branch_words",
    "categories_met",
    "judges",
    "leaf_table",
    "path_conditions",
    "path_ranges",
    "prunes",
    "pruning_methods",
    "read_questionnaire",
    "split_criteria",
]
