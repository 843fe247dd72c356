"""What mistakes and features cost: class costs, costs per sample, prices of features, random cost models."""

from stakes.costs._feature_inputs import as_feature_costs
from stakes.costs._features import FeatureCosts, PriceArrays
from stakes.costs._matrix import (
    CostMatrix,
    as_cost_matrix,
    check_sample_costs,
    mean_cost_matrix,
    sample_vector,
)
from stakes.costs._models import abe_costs, davis_prices, kretowski_costs, ting_costs
from stakes.costs._sample_frames import column_labels
from stakes.costs._sense import CostMatrixWarning, warn_of_odd_costs

__all__ = [
    "CostMatrix",
    "CostMatrixWarning",
    "FeatureCosts",
    "PriceArrays",
    "abe_costs",
    "as_cost_matrix",
    "as_feature_costs",
    "check_sample_costs",
    "column_labels",
    "davis_prices",
    "kretowski_costs",
    "mean_cost_matrix",
    "sample_vector",
    "ting_costs",
    "warn_of_odd_costs",
]
