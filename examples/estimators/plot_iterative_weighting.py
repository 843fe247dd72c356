"""
IterativeWeighting: reweigh, learn again, keep the last
=======================================================

IW starts from the cost of each row's worst mistake. Where the round's answer is wrong, the row's weight moves
towards what that answer costs. Only the last round answers, so its cost goes up and down instead of settling.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from stakes import CostMatrix, IterativeWeighting
from stakes.metrics import best_constant, mean_cost

X, y = load_wine(return_X_y=True, as_frame=True)
costs = CostMatrix([[0, 1, 2], [5, 0, 5], [9, 9, 0]])
X, X_new, y, y_new = train_test_split(X, y, stratify=y, random_state=0)

rounds = range(1, 13)
cost = []
for n_rounds in rounds:
    model = IterativeWeighting(cost_matrix=costs, n_estimators=n_rounds, random_state=0).fit(X, y)
    cost.append(mean_cost(y_new, model.predict(X_new), cost_matrix=costs))

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.plot(rounds, cost, "o-", label="IterativeWeighting")
ax.axhline(
    best_constant(y_new, cost_matrix=costs).cost / len(y_new), ls="--", color="0.5", label="best constant"
)
ax.legend()
ax.set_xlabel("rounds")
ax.set_ylabel("cost per row")
plt.show()
