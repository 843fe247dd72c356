"""Sums of trees, one row and one node at a time."""

from __future__ import annotations

import math

import numpy as np


def additive_sums(matrix, feature, threshold, left, right, missing_left, value, root, target, n_targets):
    """What ``_core.additive_sums`` gives, as an array of shape (n_rows, n_targets)."""
    sums = np.zeros((len(matrix), n_targets))
    for row, numbers in enumerate(matrix):
        for first, column in zip(root, target, strict=True):
            node = first
            while feature[node] >= 0:
                x = numbers[feature[node]]
                goes_left = bool(missing_left[node]) if math.isnan(x) else x <= threshold[node]
                node = left[node] if goes_left else right[node]
            sums[row, column] += value[node]
    return sums
