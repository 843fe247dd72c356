"""The fitness of an evolved tree, row by row: plain lists, no bits, nothing remembered."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Rows:
    """A coded table: ``columns[f][i]`` is None where missing."""

    columns: list
    n_values: list
    nominal: list
    classes: list
    n_classes: int
    costs: np.ndarray  # (k, k), or (n, k) with per_row
    per_row: bool = False
    weights: list | None = None
    abstain: float | None = None
    prices: list | None = None  # of each column
    mode: str = "path"

    def weight(self, i):
        return 1.0 if self.weights is None else self.weights[i]

    def cost(self, i, label):
        if label is None:
            return self.abstain
        return self.costs[i if self.per_row else self.classes[i]][label]


@dataclass
class Judged:
    cost: float = 0.0
    leaves: list = field(default_factory=list)  # rows of each
    used: set = field(default_factory=set)
    class_weights: dict = field(default_factory=dict)  # of each node
    missing_branch: dict = field(default_factory=dict)
    answer: dict = field(default_factory=dict)


def judge(tree, rows):
    """Send every row down the tree and add up what it pays."""
    judged = Judged()
    _visit(tree, 0, list(range(len(rows.classes))), rows, frozenset(), judged)
    return judged


def _visit(tree, node, here, rows, paid, judged):
    feature, cut, first_child, n_branches, value_start, value_branch = tree[:6]
    counts = np.zeros(rows.n_classes)
    for i in here:
        counts[rows.classes[i]] += rows.weight(i)
    judged.class_weights[node] = counts
    answer_costs = [sum(rows.weight(i) * rows.cost(i, p) for i in here) for p in range(rows.n_classes)]
    judged.answer[node] = answer_costs
    f = int(feature[node])
    if f < 0:
        judged.leaves.append(here)
        best = min(answer_costs)
        if rows.abstain is not None:
            best = min(best, rows.abstain * sum(rows.weight(i) for i in here))
        judged.cost += best
        return
    judged.used.add(f)
    if rows.prices is not None and rows.mode == "path" and f not in paid:
        judged.cost += rows.prices[f] * sum(rows.weight(i) for i in here)
    branches = [[] for _ in range(int(n_branches[node]))]
    missing = []
    for i in here:
        code = rows.columns[f][i]
        if code is None:
            missing.append(i)
        elif rows.nominal[f]:
            branches[value_branch[value_start[node] + code]].append(i)
        else:
            branches[0 if code <= cut[node] else 1].append(i)
    sizes = [len(branch) for branch in branches]
    judged.missing_branch[node] = sizes.index(max(sizes))
    branches[judged.missing_branch[node]] += missing
    for b, branch in enumerate(branches):
        _visit(tree, int(first_child[node]) + b, sorted(branch), rows, paid | {f}, judged)


def mean_cost(tree, rows):
    judged = judge(tree, rows)
    total = sum(rows.weight(i) for i in range(len(rows.classes)))
    upfront = (
        sum(rows.prices[f] for f in judged.used) if rows.prices is not None and rows.mode == "upfront" else 0
    )
    return judged.cost / total + upfront


def fitness(tree, rows, alpha):
    """Equation 3 of the paper; prices of all columns belong to the largest cost."""
    n = len(rows.classes)
    total = sum(rows.weight(i) for i in range(n))
    largest = (
        sum(rows.weight(i) * max(rows.cost(i, p) for p in range(rows.n_classes)) for i in range(n)) / total
    )
    largest += 0.0 if rows.prices is None else sum(rows.prices)
    good = 1.0 - mean_cost(tree, rows) / largest if largest > 0 else 1.0
    return good / (1.0 + alpha * len(tree[0]))


def least_cost(rows, depth, min_rows=1, here=None):
    """What the best tree of numeric tests and at most so many levels costs in all, by trying every one."""
    here = list(range(len(rows.classes))) if here is None else here
    best = min(sum(rows.weight(i) * rows.cost(i, p) for i in here) for p in range(rows.n_classes))
    if rows.abstain is not None:
        best = min(best, rows.abstain * sum(rows.weight(i) for i in here))
    if depth == 0:
        return best
    for column, n_values in zip(rows.columns, rows.n_values):
        for cut in range(n_values - 1):
            sides = [i for i in here if column[i] <= cut], [i for i in here if column[i] > cut]
            if min(map(len, sides)) >= min_rows:
                best = min(best, sum(least_cost(rows, depth - 1, min_rows, side) for side in sides))
    return best
