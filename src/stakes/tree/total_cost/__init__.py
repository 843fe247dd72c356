"""Trees that keep the sum of test costs and misclassification costs small."""

from stakes.tree.total_cost.learn import learn_total_cost

__all__ = ["learn_total_cost"]
