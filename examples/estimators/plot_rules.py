"""
RuleClassifier: rules that may abstain
======================================

It learns overlapping rules and says nothing where none of them is good enough. ``t_good`` is how good: from
0, only rules of one class, to 1.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from stakes import RuleClassifier
from stakes.rules import plot_coverage

iris = load_iris(as_frame=True)
species = iris.target_names[iris.target]
rules = RuleClassifier(t_good=0.1).fit(iris.data, species)
print(rules.rules_)
print(rules.explain(iris.data[50:51])[0])

# %%
# Stricter rules are right more often and decide less. Given a price of abstaining, ``fit`` chooses the
# cut-off.

plot_coverage(rules.coverage_path(iris.data, species, [0.05, 0.1, 0.2, 0.3, 0.5, 0.8]))
plt.show()

# %%

for price in (0.02, 0.2, 1.0):
    chosen = RuleClassifier(abstain_cost=price).fit(iris.data, species)
    undecided = chosen.decide(iris.data).undecided.mean()
    print(f"abstaining costs {price}: cut-off {chosen.t_good_:g}, {undecided:.0%} undecided")
