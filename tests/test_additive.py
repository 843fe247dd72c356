"""Sums of trees by the core, against a slow twin; damaged trees are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.additive import additive_sums
from stakes import _core


@st.composite
def random_trees(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_columns, n_targets, n_trees = (int(rng.integers(1, 5)) for _ in range(3))
    nodes, root = [], []
    for _ in range(n_trees):
        start = len(nodes)
        root.append(start)
        nodes.append(None)
        open_nodes = [start]
        while open_nodes:
            node = open_nodes.pop()
            if len(nodes) - start < 12 and rng.random() < 0.7:
                left, right = len(nodes), len(nodes) + 1
                nodes += [None, None]
                open_nodes += [left, right]
                column, cut = rng.integers(n_columns), rng.integers(-2, 3) / 2
                nodes[node] = (column, cut, left, right, rng.integers(2), 0.0)
            else:
                nodes[node] = (-1, 0.0, 0, 0, 0, rng.normal())
    feature, threshold, left, right, missing, value = (np.array(part) for part in zip(*nodes, strict=True))
    matrix = rng.integers(-2, 3, size=(int(rng.integers(0, 150)), n_columns)) / 2
    matrix[rng.random(matrix.shape) < 0.2] = np.nan
    whole = [part.astype(np.int32) for part in (feature, left, right, missing)]
    target = rng.integers(n_targets, size=n_trees).astype(np.int32)
    root = np.array(root, dtype=np.int32)
    return matrix, whole[0], threshold, *whole[1:], value, root, target, n_targets


@settings(max_examples=60, deadline=None)
@given(random_trees(), st.integers(1, 3))
def test_sums_of_trees_agree_with_the_slow_twin(case, n_threads):
    sums = _core.additive_sums(*case, n_threads=n_threads)
    np.testing.assert_array_equal(sums.reshape(-1, case[-1]), additive_sums(*case))


TREE = {
    "matrix": np.zeros((2, 2)),
    "feature": np.array([1, -1, -1], dtype=np.int32),
    "threshold": np.zeros(3),
    "left": np.array([1, 0, 0], dtype=np.int32),
    "right": np.array([2, 0, 0], dtype=np.int32),
    "missing_left": np.zeros(3, dtype=np.int32),
    "value": np.array([0.0, 1.0, 2.0]),
    "root": np.zeros(1, dtype=np.int32),
    "target": np.zeros(1, dtype=np.int32),
    "n_targets": 1,
}


@pytest.mark.parametrize(
    "change, words",
    [
        ({"feature": np.array([2, -1, -1], dtype=np.int32)}, "unknown column"),
        ({"left": np.array([0, 0, 0], dtype=np.int32)}, "nowhere"),
        ({"right": np.array([3, 0, 0], dtype=np.int32)}, "nowhere"),
        ({"left": np.array([-1, 0, 0], dtype=np.int32)}, "nowhere"),
        ({"value": np.zeros(2)}, "length"),
        ({"root": np.array([3], dtype=np.int32)}, "first node"),
        ({"target": np.array([1], dtype=np.int32)}, "unknown column"),
        ({"target": np.zeros(2, dtype=np.int32)}, "length"),
        ({"n_targets": 0}, "n_targets"),
    ],
)
def test_damaged_trees_are_refused(change, words):
    assert _core.additive_sums(**TREE).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match=words):
        _core.additive_sums(**(TREE | change))
