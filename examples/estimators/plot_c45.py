"""
C45Classifier: one readable tree
================================

C4.5, with costs. Rows weigh what mistaking them costs (C4.5CS), nominal columns and missing values are taken
as they are, and the fitted tree is drawn, put in words, or written as code.
"""

# sphinx_gallery_thumbnail_path = 'generated/images/german.svg'

from sklearn.model_selection import train_test_split

from stakes import C45Classifier, datasets
from stakes.metrics import best_constant, total_cost

german = datasets.load("german")
costs = german.cost_matrix
X, X_new, y, y_new = train_test_split(german.X, german.y, stratify=german.y, random_state=0)

tree = C45Classifier(cost_matrix=costs, criterion="gain", max_leaf_nodes=9, group_values=True).fit(X, y)
print("bill:", total_cost(y_new, tree.predict(X_new), cost_matrix=costs))
print("best constant:", best_constant(y_new, cost_matrix=costs))

# %%
# The tree itself:


class Drawing:
    """Shows a picture on this page."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_html_(self):
        return f'<div style="overflow-x: auto">{self.svg}</div>'


Drawing(tree.export_svg())

# %%
# Why a customer got an answer, and the tree as SQL:

print(tree.explain(X_new[:1])[0])
print(tree.export_sql()[:400], "...")
