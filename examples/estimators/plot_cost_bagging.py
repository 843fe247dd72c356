"""
CostBagging: average the probabilities, then decide
===================================================

The leaves of one tree give poor probabilities, and costs need good ones. Averaged over trees of different
samples they are much better, and the class of least expected cost is then cheap. The trees never see the
costs.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from stakes import C45Classifier, CostBagging, datasets
from stakes.metrics import best_constant, total_cost

german = datasets.load("german")
costs = german.cost_matrix
X, X_new, y, y_new = train_test_split(german.X, german.y, stratify=german.y, random_state=0)

model = CostBagging(cost_matrix=costs, n_estimators=50, random_state=0).fit(X, y)
bills = [
    total_cost(y_new, model.classes_[expected.argmin(axis=1)], cost_matrix=costs)
    for expected in model.staged_expected_cost(X_new)
]
one = C45Classifier(cost_matrix=costs).fit(X, y)

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.plot(range(1, len(bills) + 1), bills, label="bagged trees")
ax.axhline(
    total_cost(y_new, one.predict(X_new), cost_matrix=costs),
    ls="--",
    color="0.5",
    label="one tree with costs",
)
constant = best_constant(y_new, cost_matrix=costs)
ax.axhline(constant.cost, ls=":", color="0.5", label=f"always {constant.label}")
ax.set_xlabel("trees")
ax.set_ylabel(f"cost of {len(y_new)} new customers")
ax.legend()
plt.show()
