"""Optimal trees by pystreed: problems come pickled on standard input, trees go pickled to standard output.

A file of its own because pystreed may live in another environment; needs NumPy and pystreed alone. A tree is a class
code, or (column, tree where the column is 0, tree where it is 1).
"""

from __future__ import annotations

import pickle
import sys
import time

import numpy as np


def optimal_tree(X, y, costs, tests, max_depth, time_limit=600):
    """The tree, or None where the time did not suffice to prove one optimal, and CPU seconds."""
    from pystreed import CostSpecifier, FeatureCostSpecifier, STreeDCostSensitiveClassifier

    specifiers = [
        FeatureCostSpecifier(price, later, group or "x", a, b) for price, later, group, a, b in tests
    ]
    model = STreeDCostSensitiveClassifier(max_depth=max_depth, time_limit=time_limit)
    started = time.process_time()
    model.fit(X.astype(np.int32), y.astype(np.int32), CostSpecifier(costs, specifiers))
    seconds = time.process_time() - started
    return (as_tuples(model.get_tree()) if model.fit_result.is_optimal() else None), seconds


def as_tuples(node):
    if not node.is_branching_node():
        return int(node.label)
    return int(node.feature), as_tuples(node.left_child), as_tuples(node.right_child)


if __name__ == "__main__":
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    problems = pickle.load(sys.stdin.buffer)
    pickle.dump([optimal_tree(*problem) for problem in problems], out)
