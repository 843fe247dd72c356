"""The least bill of any tree up to a depth, by trying every tree. Slow and plain."""

from __future__ import annotations

import math

import numpy as np


def cost_of_leaf(rows, codes, costs, penalty):
    weights = np.zeros(len(costs))
    for i, weight in rows:
        weights[codes[i]] += weight
    return min(float(weights @ costs[:, k]) for k in range(len(costs))) + penalty


def marginal(prices, column, paid):
    """Price of a column once the resources in `paid` (in their order) are paid for, and what is paid then."""
    extra, after = 0.0, list(paid)
    for r in prices.resource[prices.start[column] : prices.start[column + 1]].tolist():
        if r in after:
            continue
        opened = prices.group[r] >= 0 and any(prices.group[q] == prices.group[r] for q in after)
        extra += float(prices.later_price[r] if opened else prices.resource_price[r])
        after.append(r)
    return extra, tuple(after)


def tests_of(rows, column, n_values):
    """Functions from a value to a branch, with the number of branches."""
    known = [column[i] for i, _ in rows if not is_missing(column[i], n_values)]
    present = sorted(set(known))
    if n_values < 0:
        for cut in present[:-1]:
            yield (lambda v, cut=cut: int(v > cut)), 2
        return
    if len(present) >= 2:
        yield int, n_values
    if len(present) > 2:
        for value in present:
            yield (lambda v, value=value: int(v != value)), 2


def is_missing(value, n_values):
    return math.isnan(value) if n_values < 0 else value < 0


def divide(rows, column, n_values, branch_of, n_branches):
    """Rows of each branch; missing values go down all branches with known rows, by their weight."""
    branches = [[] for _ in range(n_branches)]
    missing = []
    for i, weight in rows:
        if is_missing(column[i], n_values):
            missing.append((i, weight))
        else:
            branches[branch_of(column[i])].append((i, weight))
    known = [sum(w for _, w in b) for b in branches]
    for b, share in zip(branches, known):
        if share > 0:
            b.extend((i, w * share / sum(known)) for i, w in missing)
    return branches, known


def large_enough(known, min_samples_leaf):
    return sum(weight >= min_samples_leaf for weight in known) >= 2


def least_cost(
    columns,
    n_values,
    codes,
    rows,
    costs,
    prices,
    penalty,
    depth,
    min_samples_leaf=1.0,
    limit=math.inf,
    paid=(),
    spent=0.0,
):
    """Least of mistakes, prices and penalties over all trees of at most this depth."""
    best = cost_of_leaf(rows, codes, costs, penalty)
    weight = sum(w for _, w in rows)
    if depth == 0 or weight < 2 * min_samples_leaf:
        return best
    for j, column in enumerate(columns):
        extra, after = marginal(prices, j, paid)
        if spent + extra > limit:
            continue
        for branch_of, n_branches in tests_of(rows, column, n_values[j]):
            branches, known = divide(rows, column, n_values[j], branch_of, n_branches)
            if not large_enough(known, min_samples_leaf):
                continue
            cost = extra * weight + sum(
                least_cost(
                    columns, n_values, codes, b, costs, prices, penalty, depth - 1, min_samples_leaf, limit,
                    after,
                    spent + extra,
                )
                for b in branches
                if b
            )  # fmt: skip
            best = min(best, cost)
    return best
