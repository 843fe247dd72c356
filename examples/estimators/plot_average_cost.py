"""
AverageCost: rows weigh the mean cost of their mistakes
=======================================================

The plainest way to many prices: a row gets into a sample as often as its mistakes are costly on average. Rows
of costly classes are then seen more often, and those of cheap ones hardly.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from stakes import AverageCost, CostMatrix
from stakes.metrics import cost_by_class

X, y = load_wine(return_X_y=True, as_frame=True)
costs = CostMatrix([[0, 1, 2], [5, 0, 5], [9, 9, 0]])
X, X_new, y, y_new = train_test_split(X, y, stratify=y, test_size=0.5, random_state=0)

model = AverageCost(cost_matrix=costs, random_state=0).fit(X, y)
print(cost_by_class(y_new, model.predict(X_new), cost_matrix=costs))

# %%
# The chance of a row of each class to be in a sample:

weight = costs.values.sum(axis=1) / (len(costs) - 1)
fig, ax = plt.subplots(figsize=(5, 2.5), layout="constrained")
ax.bar([f"class {label}" for label in model.classes_], weight / weight.max())
ax.set_ylabel("chance to be drawn")
plt.show()
