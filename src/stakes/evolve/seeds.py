"""Trees of the C4.5 family as a start: pruned and not, with and without costs, and of bootstrap samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes.costs import CostMatrix
from stakes.evolve.problem import Problem, Sketch, sketch_of
from stakes.table import Table
from stakes.tree import TreeModel
from stakes.tree.c45.learn import RowWeights, learn_tree, row_weights
from stakes.tree.prices import core_prices

#: Seeds are learnt from at most this many rows: they need not be perfect.
_ROWS = 20_000

#: cost_use and prune of the first trees; then bootstrap samples take turns with them.
_KINDS = (("weights", "error"), ("weights", None), ("none", "cost"), ("none", "error"))


def seed_trees(table: Table, problem: Problem, n_seeds: int, max_depth: int, seed: int) -> Iterator[Sketch]:
    """Grow at most ``n_seeds`` trees for the first population, each when it is asked for."""
    rng = np.random.default_rng([seed, 0x5EED])
    n_rows = len(problem.codes)
    sample = rng.choice(n_rows, _ROWS, replace=False) if n_rows > _ROWS else np.arange(n_rows)
    rows = table.take(sample) if n_rows > _ROWS else table
    for i in range(n_seeds):
        cost_use, prune = _KINDS[i % len(_KINDS)]
        times = (
            None if i < len(_KINDS) else rng.multinomial(len(sample), np.full(len(sample), 1 / len(sample)))
        )
        tree = c45_tree(rows, problem, sample, times, cost_use, prune, max_depth, i)
        sketch = sketch_of(tree, problem.coded)
        if sketch is not None:
            yield sketch


def c45_tree(
    rows: Table,
    problem: Problem,
    sample: NDArray[np.intp],
    times: NDArray[np.int64] | None = None,
    cost_use: str = "weights",
    prune: str | None = "error",
    max_depth: int = -1,
    turn: int = 0,
) -> TreeModel:
    """Learn a tree of the C4.5 family from a sample of the problem's rows, whose table is ``rows``."""
    codes = np.ascontiguousarray(problem.codes[sample])
    weight = None if problem.weights is None else problem.weights[sample]
    if times is not None:
        weight = times.astype(np.float64) if weight is None else times * weight
    costs = None if problem.costs is None else problem.costs[sample]
    matrix = CostMatrix(problem.cost_values, problem.classes)
    try:
        weights = row_weights(cost_use, "sum", codes, weight, matrix, costs)
    except ValueError:  # no mistake of these rows costs anything
        weights = RowWeights(weight, weight, weight)
    growing = _core.GrowOptions(group_values=True, max_depth=max_depth, collapse=False)
    prices = None
    if problem.feature_costs is not None:
        prices = core_prices(problem.feature_costs.arrays(problem.schema.names))
        growing = growing.replace(criterion="cs_gain", gamma=10.0 ** -(turn % 4))
    tree, _ = learn_tree(
        rows,
        codes,
        len(problem.classes),
        weights,
        problem.cost_values,
        growing,
        prices,
        prune=prune,
        confidence=0.25,
        raise_subtrees=False,
    )
    return tree
