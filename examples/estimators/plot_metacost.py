"""
MetaCost: relabel, then learn one model
=======================================

Domingos' MetaCost asks bagged trees for each training row's probabilities, gives the row the label of least
expected cost, and learns one readable model from the new labels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from stakes import C45Classifier, MetaCost, datasets
from stakes.metrics import best_constant, total_cost

german = datasets.load("german")
costs = german.cost_matrix
X, X_new, y, y_new = train_test_split(german.X, german.y, stratify=german.y, random_state=0)

model = MetaCost(cost_matrix=costs, random_state=0).fit(X, y)
print(f"bill {total_cost(y_new, model.predict(X_new), cost_matrix=costs):g}")
print(f"best constant {best_constant(y_new, cost_matrix=costs).cost:g}")
print(f"one tree with {model.model_.get_n_leaves()} leaves")

# %%
# It says "bad" far more often than customers are: that is what the prices ask for.

plain = C45Classifier().fit(X, y)
shares = {
    "are bad": np.mean(y_new == "bad"),
    "bad by C4.5": np.mean(plain.predict(X_new) == "bad"),
    "bad by MetaCost": np.mean(model.predict(X_new) == "bad"),
}
fig, ax = plt.subplots(figsize=(6, 2.5), layout="constrained")
ax.barh(list(shares), list(shares.values()))
ax.set_xlabel("share of new customers")
plt.show()
