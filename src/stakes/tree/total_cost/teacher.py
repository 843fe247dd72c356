"""What other rows say about a row: class probabilities from trees that have not seen it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes._base.progress import part_of
from stakes.tree.core import as_model

_GROWING = _core.GrowOptions(criterion="gain", min_samples_leaf=1.0, max_bins=255, collapse=False)


def out_of_bag(
    columns: Sequence[NDArray[Any]],
    n_values: Sequence[int],
    codes: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64] | None,
    rng: np.random.Generator,
    n_trees: int,
) -> NDArray[np.float64]:
    """Class probabilities of each row, from bagged trees on half of the columns or more, drawn at random.

    Only trees whose bag lacks the row answer for it, so that its own class has no say. Rows that are in every
    bag get zeros.

    Parameters
    ----------
    columns, n_values
        Columns of a table as the core takes them.
    codes : int32 array of shape (n_samples,)
    n_classes : int
    weights : array of shape (n_samples,) or None
    rng : numpy.random.Generator
    n_trees : int

    Returns
    -------
    array of shape (n_samples, n_classes)
    """
    n_samples, n_columns = len(codes), len(columns)
    total, answers = np.zeros((n_samples, n_classes)), np.zeros(n_samples)
    half = -(-n_columns // 2)
    for number in range(n_trees):
        bag = np.bincount(rng.integers(n_samples, size=n_samples), minlength=n_samples).astype(np.float64)
        n_chosen = rng.integers(half, n_columns, endpoint=True)
        chosen = np.sort(rng.choice(n_columns, size=n_chosen, replace=False))
        bag_weights = bag if weights is None else bag * weights
        outside = np.flatnonzero(bag == 0)
        if not len(outside) or not bag_weights.any():
            continue
        table = _core.Table([columns[j] for j in chosen], [n_values[j] for j in chosen])
        with part_of(number, n_trees):
            tree = as_model(_core.grow_tree(table, codes, n_classes, bag_weights, _GROWING), n_classes)
        shares = tree.probabilities()
        answer = _core.route_mixture(table, *tree.links(), outside, shares)
        total[outside] += answer.reshape(-1, n_classes)
        answers[outside] += 1
    return total / np.maximum(answers, 1)[:, np.newaxis]
