"""
CostBoosting: boosting whose weights know costs
===============================================

Rows start with the weight of what mistakes on them cost, and gain weight where they are mistaken (Ting and
Zheng). The variants differ in what else counts; "adaboost" is boosting without costs until the last step.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from stakes import CostBoosting, datasets
from stakes.metrics import best_constant, total_cost

german = datasets.load("german")
costs = german.cost_matrix
X, X_new, y, y_new = train_test_split(german.X, german.y, stratify=german.y, random_state=0)

bills = {}
for variant in ("adaboost", "csb0", "csb1", "csb2", "cost_uboost"):
    model = CostBoosting(variant=variant, cost_matrix=costs, n_estimators=20, random_state=0)
    bills[variant] = total_cost(y_new, model.fit(X, y).predict(X_new), cost_matrix=costs)

fig, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
ax.barh(list(bills), list(bills.values()))
ax.axvline(best_constant(y_new, cost_matrix=costs).cost, ls="--", color="0.5", label="best constant")
ax.legend()
ax.set_xlabel(f"cost of {len(y_new)} new customers")
plt.show()
