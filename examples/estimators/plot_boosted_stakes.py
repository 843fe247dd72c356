"""
BoostedStakes: only the bill counts
===================================

Boosted trees, a linear and a kernel model, weighed by what they said about rows that they had not seen,
calibrated on the same rows, and guarded: where a constant answer would have been no costlier, it gives that.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from stakes import BoostedStakes, C45Classifier, datasets
from stakes.metrics import best_constant, mean_cost

german = datasets.load("german")
costs = german.cost_matrix
X, X_new, y, y_new = train_test_split(german.X, german.y, stratify=german.y, random_state=0)

model = BoostedStakes(cost_matrix=costs, random_state=0).fit(X, y)
print(f"forecast of the cost per row {model.cv_cost_:.2f}, constant {model.constant_cost_:.2f}")

# %%
# Next to trees and to always saying the same:

bills = {
    "C4.5": mean_cost(y_new, C45Classifier().fit(X, y).predict(X_new), cost_matrix=costs),
    "best constant": best_constant(y_new, cost_matrix=costs).cost / len(y_new),
    "C4.5 with costs": mean_cost(
        y_new, C45Classifier(cost_matrix=costs).fit(X, y).predict(X_new), cost_matrix=costs
    ),
    "BoostedStakes": mean_cost(y_new, model.predict(X_new), cost_matrix=costs),
}
fig, ax = plt.subplots(figsize=(6, 2.5), layout="constrained")
ax.barh(list(bills), list(bills.values()))
ax.set_xlabel("cost per customer")
plt.show()
