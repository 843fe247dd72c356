"""
MDLDiscretizer: cut columns where the classes change
====================================================

Numeric columns are cut where that shortens the description of the classes (Fayyad and Irani); a column that
says nothing about them stays whole. It is a transformer of its own, and what ``RuleClassifier`` uses.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from stakes import MDLDiscretizer

iris = load_iris(as_frame=True)
cutter = MDLDiscretizer().fit(iris.data, iris.target)
for name, intervals in cutter.interval_names_.items():
    print(f"{name}: {', '.join(intervals)}")

# %%
# The cuts of two columns:

fig, ax = plt.subplots(figsize=(5, 4), layout="constrained")
for number, species in enumerate(iris.target_names):
    rows = iris.data[iris.target == number]
    ax.plot(rows.iloc[:, 2], rows.iloc[:, 3], "o", markersize=4, alpha=0.6, label=species)
for cut in cutter.cuts_[2]:
    ax.axvline(cut, color="0.5")
for cut in cutter.cuts_[3]:
    ax.axhline(cut, color="0.5")
ax.set_xlabel(iris.feature_names[2])
ax.set_ylabel(iris.feature_names[3])
ax.legend()
plt.show()
