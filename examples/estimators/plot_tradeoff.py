"""
TradeoffSearchCV: how much to pay for features
==============================================

It fits the whole range of ``gamma``, cross-validates each, and keeps the tree of least feature costs
among those whose mistakes cost at most a tenth more than those of one that may look at everything.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from stakes import C45Classifier, CostMatrix, TradeoffSearchCV

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
prices = dict(zip(X.columns, np.random.default_rng(0).uniform(size=X.shape[1]), strict=True))

costs = CostMatrix.from_pairs({(0, 1): 5, (1, 0): 1})  # 0 is malignant

tree = C45Classifier(cost_matrix=costs, criterion="cs_gain", feature_costs=prices)
search = TradeoffSearchCV(tree, objective="cost", tolerance=0.1, cv=5)
search.fit(X, y)
print(search.describe())

# %%
# Every point is a tree; those on the front are worth a look.

search.plot()
plt.show()
