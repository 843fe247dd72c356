"""
Costing: samples in proportion to costs
=======================================

A row gets into a sample with a chance in proportion to what its worst mistake costs, at most once, and the
components vote (Zadrozny, Langford and Abe). With two classes and a price per sample this turns any
classifier into a cost-sensitive one.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from stakes import Costing, datasets
from stakes.metrics import best_constant, total_cost

german = datasets.load("german")
amount = german.X["credit_amount"].to_numpy(dtype=float)
costs = np.column_stack(
    [np.where(german.y == "good", 400.0, 0.0), np.where(german.y == "bad", 0.4 * amount, 0.0)]
)
X, X_new, y, y_new, costs, costs_new = train_test_split(
    german.X, german.y, costs, stratify=german.y, random_state=0
)

# %%
# One sample is small, so that a single tree learns from little; thirty samples together do well.

model = Costing(random_state=0).fit(X, y, costs=costs)
print(f"{len(X)} rows, about {np.mean(model.sample_counts_):.0f} in a sample")
bills = [
    total_cost(y_new, model.classes_[shares.argmax(axis=1)], costs=costs_new)
    for shares in model.staged_predict_proba(X_new)
]
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.plot(range(1, len(bills) + 1), bills, label="Costing")
constant = best_constant(y_new, costs=costs_new)
ax.axhline(constant.cost, ls="--", color="0.5", label=f"always {constant.label}")
ax.legend()
ax.set_xlabel("samples")
ax.set_ylabel(f"cost of {len(y_new)} new customers")
plt.show()
