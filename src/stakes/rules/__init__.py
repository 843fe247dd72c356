"""Rules that may abstain: discretisation, cost-sensitive rules, accuracy against coverage."""

from stakes.rules.classifier import RuleClassifier
from stakes.rules.discretize import MDLDiscretizer
from stakes.rules.learn import RuleSearchWarning
from stakes.rules.model import RuleSet
from stakes.rules.path import CoveragePoint, plot_coverage
from stakes.rules.words import Rule, RuleTable

__all__ = [
    "CoveragePoint",
    "MDLDiscretizer",
    "Rule",
    "RuleClassifier",
    "RuleSearchWarning",
    "RuleSet",
    "RuleTable",
    "plot_coverage",
]
