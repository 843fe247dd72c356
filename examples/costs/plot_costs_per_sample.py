"""
A price per sample
==================

A loan that is not paid back costs 40 % of its own amount, a good customer turned away costs 400. No single
matrix says this: small loans are safe to give and large ones are not. Every learner takes prices per sample
as ``fit(X, y, costs=...)``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from stakes import C45Classifier, datasets
from stakes.metrics import best_constant, total_cost

german = datasets.load("german")
amount = german.X["credit_amount"].to_numpy(dtype=float)

# %%
# One row per customer, one column per answer, in the order of the sorted labels: "bad", "good".

costs = np.column_stack(
    [
        np.where(german.y == "good", 400.0, 0.0),  # to say "bad"
        np.where(german.y == "bad", 0.40 * amount, 0.0),  # to say "good"
    ]
)
X, X_new, y, y_new, costs, costs_new = train_test_split(
    german.X, german.y, costs, stratify=german.y, random_state=0
)

# %%
# The same tree, told nothing, told the mean price of each mistake, and told every price. Metrics take the
# same array.

mean = {
    ("bad", "good"): costs[y == "bad", 1].mean(),
    ("good", "bad"): costs[y == "good", 0].mean(),
}
trees = {
    "no costs": C45Classifier().fit(X, y),
    "a price per mistake": C45Classifier(cost_matrix=mean).fit(X, y),
    "a price per sample": C45Classifier().fit(X, y, costs=costs),
}
bills = {name: total_cost(y_new, tree.predict(X_new), costs=costs_new) for name, tree in trees.items()}
constant = best_constant(y_new, costs=costs_new)

fig, ax = plt.subplots(figsize=(6, 2.5), layout="constrained")
ax.barh(list(bills), list(bills.values()))
ax.axvline(constant.cost, ls="--", color="0.5", label=f"always {constant.label}")
ax.legend()
ax.set_xlabel(f"cost of {len(y_new)} new customers")
plt.show()
