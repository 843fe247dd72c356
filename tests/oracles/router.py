"""Routing one row by recursion, as obvious as it can be; rows are lists of floats and category codes."""

from __future__ import annotations

import math


def leaves_reached(tree, row, node=0, weight=1.0):
    """(weight, node) of each place where a row ends, first branch first."""
    if tree.feature[node] < 0:
        return [(weight, node)]
    value = row[tree.feature[node]]
    children = [int(tree.first_child[node]) + b for b in range(int(tree.n_branches[node]))]
    if math.isnan(tree.threshold[node]):
        branches = tree.value_branch[tree.value_start[node] : tree.value_start[node + 1]]
        branch = int(branches[int(value)]) if 0 <= value < len(branches) else -1
    elif math.isnan(value):
        branch = -1
    else:
        branch = 0 if value <= tree.threshold[node] else 1
    if branch >= 0:
        return leaves_reached(tree, row, children[branch], weight)
    weights = [add(tree.class_weights[child].tolist()) for child in children]
    total = add(weights)
    if total == 0:
        return [(weight, node)]
    reached = []
    for child, child_weight in zip(children, weights):
        reached += leaves_reached(tree, row, child, weight * (child_weight / total))
    return reached


def probabilities(fitted, row):
    """Class probabilities of a row: leaves averaged with the weights that reach them."""
    mixture = [0.0] * len(fitted.classes)
    for weight, node in leaves_reached(fitted.tree, row):
        for k in range(len(mixture)):
            mixture[k] += weight * float(fitted.values[node, k])
    return mixture


def predict_code(fitted, row):
    """Class code of a row."""
    p = probabilities(fitted, row)
    if fitted.min_cost:
        costs = fitted.cost_values
        scores = [add(p[j] * float(costs[j, k]) for j in range(len(p))) for k in range(len(p))]
    else:
        scores = [-value for value in p]
    best = min(scores)
    for code, score in enumerate(scores):
        if score - best <= 1e-12 * abs(best):
            return code
    raise AssertionError("no best class")


def add(values):
    """Sum from left to right; sum() compensates for rounding in recent Python versions."""
    total = 0.0
    for value in values:
        total += value
    return total
