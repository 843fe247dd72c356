"""What mistakes and looking cost: class costs, costs per example, prices of features, random cost models."""

from stakes.costs._feature_inputs import as_feature_costs
from stakes.costs._features import FeatureCosts, PriceArrays
from stakes.costs._matrix import (
    CostMatrix,
    as_cost_matrix,
    check_example_costs,
    example_vector,
    mean_cost_matrix,
)
from stakes.costs._models import abe_costs, davis_prices, kretowski_costs, ting_costs

__all__ = [
    "CostMatrix",
    "FeatureCosts",
    "PriceArrays",
    "abe_costs",
    "as_cost_matrix",
    "as_feature_costs",
    "check_example_costs",
    "davis_prices",
    "example_vector",
    "kretowski_costs",
    "mean_cost_matrix",
    "ting_costs",
]
