"""Shapley values by their definition: the mean over all orders, coalition by coalition."""

from __future__ import annotations

from itertools import permutations

import numpy as np


def worth(value, sample, background, weight, coalition):
    """Mean value of the background rows that have the sample's values in the coalition's columns."""
    rows = [[sample[j] if j in coalition else row[j] for j in range(len(row))] for row in background]
    return sum(w * value(row) for w, row in zip(weight, rows, strict=True))


def shapley(value, sample, background, weight=None):
    """Share of each column in what the sample is worth beyond the background."""
    weight = np.full(len(background), 1 / len(background)) if weight is None else weight
    orders = list(permutations(range(len(sample))))
    shares = np.zeros(len(sample))
    for order in orders:
        for step, column in enumerate(order):
            before, after = set(order[:step]), set(order[: step + 1])
            shares[column] += worth(value, sample, background, weight, after)
            shares[column] -= worth(value, sample, background, weight, before)
    return shares / len(orders)
