"""
Columns that share a resource
=============================

Blood is drawn once, and then each test on it is cheap. ``FeatureCosts`` prices what it takes to see a column;
columns that need the same thing pay for it once, and a tree knows what is already there.
"""

import matplotlib.pyplot as plt
import numpy as np

from stakes import C45Classifier, FeatureCosts, datasets

german = datasets.load("german")

# %%
# A bank statement shows two columns, a credit report four; everything else is on the form, at 0.2 each.

statement = {"checking_status": 0.2, "savings_status": 0.2}
report = {"credit_history": 0.2, "existing_credits": 0.2, "other_payment_plans": 0.2, "num_dependents": 0.2}
form = {name: 0.2 for name in german.X.columns if name not in {**statement, **report}}
prices = FeatureCosts.from_groups({"statement": (3.0, statement), "report": (5.0, report)}, singles=form)
print(prices.describe())

# %%
# The second column of a group is cheap:

print(prices.cost(["checking_status"]), prices.cost(["checking_status", "savings_status"]))

# %%
# As ``gamma`` grows the tree first does without the report, then without the statement.

gammas = [0.0, 0.003, 0.01, 0.03]
parts = {"statement": [], "report": [], "columns": []}
for gamma in gammas:
    tree = C45Classifier(
        cost_matrix=german.cost_matrix, feature_costs=prices, criterion="cs_gain", gamma=gamma
    ).fit(german.X, german.y)
    used = {german.X.columns[column] for column in tree.tree_.feature if column >= 0}
    parts["statement"].append(3.0 if used & {*statement} else 0.0)
    parts["report"].append(5.0 if used & {*report} else 0.0)
    parts["columns"].append(tree.upfront_cost() - parts["statement"][-1] - parts["report"][-1])

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
bottom = np.zeros(len(gammas))
for name, spent in parts.items():
    ax.bar([f"{gamma:g}" for gamma in gammas], spent, bottom=bottom, label=name)
    bottom += spent
ax.set_xlabel("gamma")
ax.set_ylabel("price of all that the tree needs")
ax.legend()
plt.show()
