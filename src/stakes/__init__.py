"""Cost-sensitive classification: trees, rules and ensembles that keep the bill small."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stakes import datasets, forensics, metrics
    from stakes.boosted import BoostedStakes
    from stakes.costs import CostMatrix, CostMatrixWarning, FeatureCosts
    from stakes.decision import Decision, Guard, GuardWarning, MinExpectedCost
    from stakes.evolve import GDTClassifier
    from stakes.models import load_model
    from stakes.reductions import (
        GBSE,
        GBSET,
        AverageCost,
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
    "CostMatrixWarning",
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
    "forensics",
    "load_model",
    "metrics",
    "read_table",
]

#: Where the names above live. They are fetched when asked for: a program that installs a model of
#: `stakes.forensics` must not load scikit-learn for that.
_MODULES = ("costs", "decision", "table", "tree", "evolve", "rules", "reductions", "boosted", "models")


def __getattr__(name: str) -> Any:
    if name in (*_MODULES, "datasets", "forensics", "metrics"):
        return import_module(f"stakes.{name}")
    if name in __all__:
        for module in _MODULES:
            value = getattr(import_module(f"stakes.{module}"), name, None)
            if value is not None:
                globals()[name] = value
                return value
    raise AttributeError(f"module 'stakes' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
