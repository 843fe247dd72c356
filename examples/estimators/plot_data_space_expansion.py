"""
DataSpaceExpansion: every row with every class
==============================================

DSE gives each row every class in turn, weighed by what that class saves against the costliest one. A
classifier with the least weighted error on the expanded rows is one of least cost (theorem 2 of Abe et al.).
The price is the number of rows.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from stakes import GBSE, AverageCost, CostBagging, CostMatrix, DataSpaceExpansion
from stakes.metrics import best_constant, mean_cost

X, y = load_wine(return_X_y=True, as_frame=True)
costs = CostMatrix([[0, 1, 2], [5, 0, 5], [9, 9, 0]])
X, X_new, y, y_new = train_test_split(X, y, stratify=y, random_state=0)

learnt_from = {}
for method in (CostBagging, AverageCost, GBSE, DataSpaceExpansion):
    model = method(cost_matrix=costs, random_state=0).fit(X, y)
    learnt_from[method.__name__] = sum(model.sample_counts_)
    cost = mean_cost(y_new, model.predict(X_new), cost_matrix=costs)
    print(f"{method.__name__}: cost per row {cost:.2f}")
print(f"best constant: cost per row {best_constant(y_new, cost_matrix=costs).cost / len(y_new):.2f}")

# %%
# Rows, or pairs of a row and a class, that thirty rounds learnt from:

fig, ax = plt.subplots(figsize=(6, 2.5), layout="constrained")
ax.barh(list(learnt_from), list(learnt_from.values()))
ax.set_xlabel("rows learnt from")
plt.show()
