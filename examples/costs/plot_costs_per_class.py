"""
A price per kind of mistake
===========================

Lending to a customer who does not pay costs 5, turning a good one away costs 1. A tree that knows this makes
more mistakes, and a smaller bill.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from stakes import C45Classifier, CostMatrix, datasets
from stakes.metrics import best_constant, cost_by_class

costs = CostMatrix.from_pairs({("bad", "good"): 5, ("good", "bad"): 1})
print(costs.describe(noun="customer"))

# %%
# The tree without costs is right more often. The tree with costs says "bad" sooner.

german = datasets.load("german")
X, X_new, y, y_new = train_test_split(german.X, german.y, stratify=german.y, random_state=0)
answers = {
    "without costs": C45Classifier().fit(X, y).predict(X_new),
    "with costs": C45Classifier(cost_matrix=costs).fit(X, y).predict(X_new),
}
for name, answer in answers.items():
    print(f"{name}: {(answer != y_new).sum()} mistakes in {len(y_new)} answers")

# %%
# The bill, by what the customers really were, next to that of always giving the same answer:

constant = best_constant(y_new, cost_matrix=costs)
answers[f"always {constant.label}"] = np.repeat(constant.label, len(y_new))
bills = {
    name: cost_by_class(y_new, answer, cost_matrix=costs, as_frame=False) for name, answer in answers.items()
}
fig, ax = plt.subplots(figsize=(6, 2.5), layout="constrained")
left = np.zeros(len(bills))
for lines in zip(*bills.values(), strict=True):
    spent = [line.cost for line in lines]
    ax.barh(list(bills), spent, left=left, label=f"{lines[0].actual} customers")
    left += spent
ax.set_xlabel("cost of the mistakes")
ax.legend()
plt.show()
