"""What mistakes cost: class costs with labels, costs per example, and the papers' random cost models."""

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
    "abe_costs",
    "as_cost_matrix",
    "check_example_costs",
    "davis_prices",
    "example_vector",
    "kretowski_costs",
    "mean_cost_matrix",
    "ting_costs",
]
