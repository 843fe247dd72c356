"""
TradeoffSearchCV: how much to pay for features
==============================================

It fits the whole range of ``gamma``, cross-validates each, and keeps the tree of least feature costs
among those that are at most a point less accurate than one that may look at everything.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from stakes import C45Classifier, TradeoffSearchCV

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
prices = dict(zip(X.columns, np.random.default_rng(0).uniform(size=X.shape[1]), strict=True))

search = TradeoffSearchCV(C45Classifier(criterion="cs_gain", feature_costs=prices), cv=5)
search.fit(X, y)
print(search.describe())

# %%
# Every point is a tree; those on the front are worth a look.

search.plot()
plt.show()
