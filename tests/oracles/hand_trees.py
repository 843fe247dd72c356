"""Trees made by hand."""

from __future__ import annotations

import numpy as np

from stakes.table import Column, Schema
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel


def towns():
    """Three classes, a test with three branches, a category of no branch, a test without rows."""
    nan = np.nan
    weights = np.array(
        [[8.0, 4, 8], [6, 4, 2], [2, 0, 6], [0, 0, 0], [6, 1, 2], [0, 3, 0], [0, 0, 0], [0, 0, 0]]
    )
    tree = TreeModel(
        feature=np.array([1, 0, -1, -1, -1, 0, -1, -1], dtype=np.int32),
        threshold=np.array([nan, 1.5, nan, nan, nan, 1 / 3, nan, nan]),
        first_child=np.array([1, 4, -1, -1, -1, 6, -1, -1], dtype=np.int32),
        n_branches=np.array([3, 2, 0, 0, 0, 2, 0, 0], dtype=np.int32),
        value_start=np.array([0, 8, 8, 8, 8, 8, 8, 8, 8], dtype=np.int32),
        value_branch=np.array([0, 0, 0, 0, 0, 1, 2, -1], dtype=np.int32),
        class_weights=weights,
        label=np.array([0, 0, 2, 0, 0, 1, 1, 1], dtype=np.int32),
    )
    values = np.array(
        [[0.4, 0.2, 0.4], [0.5, 0.3, 0.2], [0.25, 0, 0.75], [0.4, 0.2, 0.4], [0.625, 0.125, 0.25]]
    )
    values = np.vstack([values, [[0.0, 1.0, 0.0]] * 3])
    town = Column("town", "nominal", ("ash", "bay", "cod", "dee", "elm", "it's", 'q"', "zoo"))
    return FittedTree.decided(
        tree=tree,
        schema=Schema((Column("a <&> b"), town)),
        classes=np.array([1, 2, 30]),
        values=values,
        costs=np.array([[0.0, 1, 2.5], [1, 0, 1], [4, 1, 0]]),
        min_cost=True,
    )
