"""
GBSE: many classes, many prices
===============================

With many classes a mistake has many prices, and one weight per row cannot tell them apart. GBSE (Abe,
Zadrozny and Langford) asks in each round which pairs of a row and a class would save money against the
answers so far, and lets a binary tree learn which do.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from stakes import GBSE, CostMatrix
from stakes.metrics import best_constant, mean_cost

X, y = load_digits(return_X_y=True)
values = np.random.default_rng(0).integers(1, 10, size=(10, 10))
np.fill_diagonal(values, 0)
costs = CostMatrix(values)
X, X_new, y, y_new = train_test_split(X, y, stratify=y, random_state=0)

model = GBSE(cost_matrix=costs, random_state=0).fit(X, y)

# %%
# The cost falls with the rounds; ``n_iter_no_change`` stops where it no longer does.

curve = [
    mean_cost(y_new, model.classes_[shares.argmax(axis=1)], cost_matrix=costs)
    for shares in model.staged_predict_proba(X_new)
]
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.plot(range(1, len(curve) + 1), curve, label="GBSE")
ax.axhline(
    best_constant(y_new, cost_matrix=costs).cost / len(y_new), ls="--", color="0.5", label="best constant"
)
ax.legend()
ax.set_xlabel("rounds")
ax.set_ylabel("cost per digit")
plt.show()
