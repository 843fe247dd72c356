"""
MinExpectedCost: cheap decisions from any classifier
====================================================

Any classifier that gives probabilities can take costs into account: answer the class of least expected cost.
The probabilities must then be right, not only in the right order, so calibrate those of boosting.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import train_test_split

from stakes import MinExpectedCost, datasets
from stakes.metrics import best_constant, total_cost

german = datasets.load("german")
costs = german.cost_matrix
numbers = pd.get_dummies(german.X)
X, X_new, y, y_new = train_test_split(numbers, german.y, stratify=german.y, random_state=0)

boosting = GradientBoostingClassifier(random_state=0)
models = {
    "boosting": boosting,
    "least expected cost": MinExpectedCost(boosting, cost_matrix=costs),
    "the same, calibrated": MinExpectedCost(boosting, cost_matrix=costs, calibration="isotonic"),
}
bills = {
    name: total_cost(y_new, model.fit(X, y).predict(X_new), cost_matrix=costs)
    for name, model in models.items()
}
fig, ax = plt.subplots(figsize=(6, 2.5), layout="constrained")
ax.barh(list(bills), list(bills.values()))
ax.axvline(best_constant(y_new, cost_matrix=costs).cost, ls="--", color="0.5", label="best constant")
ax.legend()
ax.set_xlabel(f"cost of {len(y_new)} new customers")
plt.show()
