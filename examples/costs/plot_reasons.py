"""
Why this answer, and why not the better one
===========================================

For every model ``explain`` shares out among the columns by how much the answer is expected to cost less than
the next one, and ``reasons`` names what spoke against the better answer.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from stakes import CostBagging, datasets

german = datasets.load("german")
X, X_new, y, y_new = train_test_split(german.X, german.y, stratify=german.y, random_state=0)
model = CostBagging(cost_matrix=german.cost_matrix, random_state=0).fit(X, y)

# %%
# Customers who are sent away may ask why. They are compared with a hundred who got the credit.

approved = X[model.predict(X) == "good"]
for reasons in model.reasons(X_new[:6], background=approved):
    print(reasons)

# %%
# The shares of the columns and the base, the difference of those compared with, add up to the difference.

refused = X_new[model.predict(X_new) == "bad"][:1]
shares = model.explain(refused, background=approved)
print(shares[0])
largest = np.argsort(-np.abs(shares.shares[0]))[:8]

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
names = [f"{shares.columns[j]} = {shares.values[j][0]}" for j in largest]
ax.barh(names, shares.shares[0, largest], xerr=shares.error[0, largest])
ax.axvline(0, color="0.5", linewidth=0.8)
ax.invert_yaxis()
ax.set_xlabel("share of what giving the credit would have cost more")
plt.show()
