"""
Guard: never costlier than always saying the same
=================================================

Where one class is rare and costly, a learner can easily cost more than a constant answer. ``Guard``
cross-validates the bill on the training rows, and where the learner does not beat the constant it warns and
answers the constant.
"""

import warnings

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from stakes import C45Classifier, CostMatrix, Guard, GuardWarning, datasets
from stakes.metrics import best_constant, total_cost

german = datasets.load("german")
X, X_new, y, y_new = train_test_split(german.X, german.y, stratify=german.y, random_state=0)

# %%
# The costlier a missed bad customer, the better it is to call everybody bad. The tree without costs keeps on
# answering; its guarded twin notices.

ratios = [1, 2, 3, 5, 8, 12]
bare, guarded, constant = [], [], []
for ratio in ratios:
    costs = CostMatrix.from_pairs({("bad", "good"): ratio, ("good", "bad"): 1})
    tree = C45Classifier(cost_matrix=costs, cost_use="none")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuardWarning)
        guard = Guard(tree, cost_matrix=costs).fit(X, y)
    bare.append(total_cost(y_new, tree.fit(X, y).predict(X_new), cost_matrix=costs))
    guarded.append(total_cost(y_new, guard.predict(X_new), cost_matrix=costs))
    constant.append(best_constant(y_new, cost_matrix=costs).cost)
    print(f"1 to {ratio}: {'always ' + str(guard.constant_) if guard.guarded_ else 'the tree'}")

# %%

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.plot(ratios, bare, "o-", label="tree without costs")
ax.plot(ratios, guarded, "s--", label="the same, guarded")
ax.plot(ratios, constant, ":", color="0.5", label="best constant")
ax.set_xlabel("a bad customer called good costs")
ax.set_ylabel(f"cost of {len(y_new)} new customers")
ax.legend()
plt.show()
