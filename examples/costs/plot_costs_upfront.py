"""
Columns that are paid for up front
==================================

Some columns must be paid for before it is known which will matter: a program is instrumented before it
fails, a questionnaire is printed before it is filled in. Then a tree costs the price of every column that it
tests anywhere, once. ``criterion="cs_gain"`` asks at each node whether a new column is worth its price, and
uses those already bought for nothing. ``gamma`` says how much prices matter. What it buys is measured in the
money that mistakes cost: ``score`` is the accuracy, which knows no costs, so a scorer by costs takes its
place.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score

from stakes import C45Classifier, CostMatrix
from stakes.metrics import cost_scorer

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
costs = CostMatrix.from_pairs({(0, 1): 5, (1, 0): 1})  # 0 is malignant
prices = dict(zip(X.columns, np.random.default_rng(0).uniform(size=X.shape[1]), strict=True))

gammas = [0.0, 0.003, 0.01, 0.03, 0.1, 0.3]
spent, mistakes = [], []
for gamma in gammas:
    tree = C45Classifier(cost_matrix=costs, criterion="cs_gain", feature_costs=prices, gamma=gamma)
    spent.append(tree.fit(X, y).upfront_cost())
    mistakes.append(-cross_val_score(tree, X, y, cv=5, scoring=cost_scorer(costs)).mean())

# %%
# Most of the columns' price buys little. :ref:`sphx_glr_generated_gallery_estimators_plot_tradeoff.py` finds
# ``gamma`` for you.

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.plot(spent, mistakes, "o-")
for gamma, x, height in zip(gammas, spent, mistakes, strict=True):
    ax.annotate(f"gamma {gamma:g}", (x, height), xytext=(5, -10), textcoords="offset points", fontsize=8)
ax.set_xlabel("price of all columns of the tree")
ax.set_ylabel("cost of mistakes per row, 5 folds")
ax.margins(x=0.15, y=0.15)
plt.show()
