"""
Only a ratio, or a range
========================

What a missed case costs is often known only roughly. A cost curve shows what the decisions by a model's
probabilities cost for every ratio at once, each at its best threshold: the lowest line is the model to take,
and where two lines cross the range matters.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_predict

from stakes import C45Classifier, CostBagging, CostMatrix, datasets
from stakes.metrics import cost_curve, probability_cost

german = datasets.load("german")
X, bad = german.X, german.y == "bad"
models = {
    "one tree": C45Classifier(),
    "one tree, Laplace": C45Classifier(smoothing="laplace"),
    "bagged trees": CostBagging(random_state=0),
}

# %%
# The range that you have in mind is a stretch of the axis: here a missed bad customer costs 3 to 20 times as
# much as a good one turned away.

fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
points = np.linspace(0, 1, 201)
for name, model in models.items():
    score = cross_val_predict(model, X, bad, cv=5, method="predict_proba")[:, 1]
    ax.plot(points, cost_curve(bad, score).at(points), label=name)
ax.plot([0, 0.5, 1], [0, 0.5, 0], ":", color="0.5", label="best constant")
low, high = (probability_cost(CostMatrix([[0, 1], [ratio, 0]]), bad.mean()) for ratio in (3, 20))
ax.axvspan(low, high, alpha=0.15)
ax.set_xlabel("share of the cost at stake that is in bad customers")
ax.set_ylabel("normalised expected cost")
ax.legend()
plt.show()
