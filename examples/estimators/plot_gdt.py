"""
GDTClassifier: whole trees by evolution
=======================================

C4.5 chooses one test after another and never goes back. Here whole trees are selected, crossed and mutated,
and judged by what their mistakes cost and by how large they are: the tree is smaller, for some seconds of
work.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from stakes import C45Classifier, GDTClassifier, datasets
from stakes.evolve import plot_evolution
from stakes.metrics import best_constant, total_cost

german = datasets.load("german")
costs = german.cost_matrix
X, X_new, y, y_new = train_test_split(german.X, german.y, stratify=german.y, random_state=0)

evolved = GDTClassifier(cost_matrix=costs, random_state=0).fit(X, y)
for name, tree in {"C4.5CS": C45Classifier(cost_matrix=costs).fit(X, y), "GDT": evolved}.items():
    cost = total_cost(y_new, tree.predict(X_new), cost_matrix=costs)
    print(f"{name}: bill {cost:g}, {tree.get_n_leaves()} leaves")
print(f"best constant: bill {best_constant(y_new, cost_matrix=costs).cost:g}")
print(evolved.export_text())

# %%
# How the search went:

plot_evolution(evolved)
plt.show()
