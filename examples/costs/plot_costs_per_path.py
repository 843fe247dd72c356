"""
Tests that are made one after another
=====================================

A doctor orders the next test when the last one is back, so a patient pays only for the tests on their own
path. ``criterion="total_cost"`` looks for the tree whose mistakes and tests cost least together.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from stakes import C45Classifier
from stakes.metrics import best_constant, cost_with_tests

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
costs = {("malignant", "benign"): 50, ("benign", "malignant"): 10}

# %%
# Mean values are cheap to measure, errors of the mean costlier, worst values costliest.

prices = {
    name: 0.2 if name.startswith("mean") else 1.0 if name.endswith("error") else 2.0 for name in X.columns
}
X, X_new, y, y_new = train_test_split(X, y, stratify=y, random_state=1)
trees = {
    "C4.5 with costs": C45Classifier(cost_matrix=costs, feature_costs=prices),
    "total_cost": C45Classifier(cost_matrix=costs, feature_costs=prices, criterion="total_cost"),
}
bills = {}
for name, tree in trees.items():
    tree.fit(X, y)
    bills[name] = cost_with_tests(
        y_new, tree.predict(X_new), test_costs=tree.path_cost(X_new), cost_matrix=costs
    )
print(trees["total_cost"].export_text())

# %%
# What a new patient pays, on average:

fig, ax = plt.subplots(figsize=(6, 2.5), layout="constrained")
mistakes = np.array([bill.misclassification / bill.rows for bill in bills.values()])
tests = np.array([bill.tests / bill.rows for bill in bills.values()])
ax.barh(list(bills), mistakes, label="mistakes")
ax.barh(list(bills), tests, left=mistakes, label="tests")
constant = best_constant(y_new, cost_matrix=costs)
ax.axvline(constant.cost / len(y_new), ls="--", color="0.5", label=f"always {constant.label}")
ax.set_xlabel("cost per patient")
ax.legend()
plt.show()
