"""Costs reduced to plain classification: ensembles over any classifier, by weighted samples."""

from stakes.reductions.average_cost import AverageCost, Costing
from stakes.reductions.bagging import CostBagging, MetaCost
from stakes.reductions.base import Reduction, SamplingWarning
from stakes.reductions.boosting import CostBoosting
from stakes.reductions.expansion import DataSpaceExpansion
from stakes.reductions.gbse import GBSE, GBSET
from stakes.reductions.iterative import IterativeWeighting

__all__ = [
    "GBSE",
    "GBSET",
    "AverageCost",
    "CostBagging",
    "CostBoosting",
    "Costing",
    "DataSpaceExpansion",
    "IterativeWeighting",
    "MetaCost",
    "Reduction",
    "SamplingWarning",
]
