"""
GBSET: the variant with a proof
===============================

GBSE-T weighs pairs so that the cost of its mixture on the training rows falls exponentially, if each round
learns a little. It asks for more than GBSE does: a class must beat the mixture's cost divided by the number
of classes, so fewer pairs count as good.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from stakes import GBSE, GBSET, CostMatrix

X, y = load_wine(return_X_y=True)
costs = CostMatrix([[0, 1, 2], [5, 0, 5], [9, 9, 0]])

# %%
# The mean cost of drawing the answer from the mixture, on the training rows. A straight line falls
# exponentially.

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
for method in (GBSE, GBSET):
    # The theorem is about a constant step.
    model = method(cost_matrix=costs, alpha=0.2, random_state=0).fit(X, y)
    curve = [np.mean((shares * costs.values[y]).sum(axis=1)) for shares in model.staged_predict_proba(X)]
    ax.semilogy(range(1, len(curve) + 1), curve, label=method.__name__)
ax.set_xlabel("rounds")
ax.set_ylabel("cost of the mixture")
ax.legend()
plt.show()
