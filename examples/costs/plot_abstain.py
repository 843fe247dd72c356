"""
A price of not deciding
=======================

A second look by an expert costs 0.40 per customer. ``decide`` leaves those undecided for whom every answer is
expected to cost more than that.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from stakes import CostBagging, datasets
from stakes.metrics import best_constant, confusion_with_undecided, cost_with_abstention, coverage

german = datasets.load("german")
costs = german.cost_matrix
X, X_new, y, y_new = train_test_split(german.X, german.y, stratify=german.y, random_state=0)
model = CostBagging(cost_matrix=costs, random_state=0).fit(X, y)

decision = model.decide(X_new, abstain_cost=0.4)
table, labels = confusion_with_undecided(y_new, decision)
print(labels)
print(table)

# %%
# The costlier a second look is, the more is decided, and the nearer the bill comes to that of deciding all.

looks = np.linspace(0.05, 1.0, 20)
bills, decided = [], []
for look in looks:
    decision = model.decide(X_new, abstain_cost=look)
    bills.append(cost_with_abstention(y_new, decision, abstain_cost=look, cost_matrix=costs))
    decided.append(coverage(decision))

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.plot(looks, bills, label="cost per customer")
ax.axhline(
    best_constant(y_new, cost_matrix=costs).cost / len(y_new), ls=":", color="0.5", label="best constant"
)
ax.plot(looks, decided, "--", label="share decided")
ax.set_xlabel("price of a second look")
ax.set_ylim(0)
ax.legend()
plt.show()
