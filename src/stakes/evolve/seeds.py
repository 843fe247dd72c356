"""Trees of the C4.5 family as a start: pruned and not, with and without costs, and of bootstrap samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes._base.training import TrainingSet
from stakes.evolve.problem import Problem, Sketch, sketch_of
from stakes.evolve.settings import Settings
from stakes.tree import TreeModel
from stakes.tree.c45.learn import RowWeights, learn_tree, row_weights

#: Seeds are learnt from at most this many rows: they need not be perfect.
_ROWS = 20_000

#: cost_use and prune of the first trees; then bootstrap samples take turns with them.
_KINDS = (("weights", "error"), ("weights", None), ("none", "cost"), ("none", "error"))


def seed_trees(problem: Problem, settings: Settings, seed: int) -> Iterator[Sketch]:
    """Grow trees for the first population, each when it is asked for."""
    if settings.n_seeds == 0:
        return
    rng = np.random.default_rng([seed, 0x5EED])
    n_rows = len(problem)
    rows = problem.take(rng.choice(n_rows, _ROWS, replace=False)) if n_rows > _ROWS else problem
    max_depth = -1 if settings.max_depth is None else settings.max_depth
    for i in range(settings.n_seeds):
        cost_use, prune = _KINDS[i % len(_KINDS)]
        times = None
        if i >= len(_KINDS):
            times = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)))
        tree = c45_tree(rows, times, cost_use, prune, max_depth, i)
        sketch = sketch_of(tree, problem.coded)
        if sketch is not None:
            yield sketch


def c45_tree(
    rows: TrainingSet,
    times: NDArray[np.int64] | None = None,
    cost_use: str = "weights",
    prune: str | None = "error",
    max_depth: int = -1,
    turn: int = 0,
) -> TreeModel:
    """Learn a tree of the C4.5 family from rows, each taken so many times."""
    weight = rows.weight if times is None else times * rows.weight_or_ones
    rows = replace(rows, weight=weight, cost_matrix=rows.effective_cost_matrix)
    try:
        weights = row_weights(rows, cost_use, "sum")
    except ValueError:  # no mistake of these rows costs anything
        weights = RowWeights(weight, weight, weight)
    growing = _core.GrowOptions(group_values=True, max_depth=max_depth, collapse=False)
    if rows.feature_costs is not None:
        growing = growing.replace(criterion="cs_gain", gamma=10.0 ** -(turn % 4))
    tree, _ = learn_tree(rows, weights, growing, prune=prune, confidence=0.25, raise_subtrees=False)
    return tree
