"""The size penalty chosen by cross-validation along a path from small trees to large ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes._base.folds import stratified_folds
from stakes._base.interrupts import may_end_early
from stakes._base.progress import part_of
from stakes.decision import expected_costs
from stakes.evolve.checkpoint import read_arrays, write_arrays
from stakes.evolve.problem import Problem, Sketch
from stakes.evolve.run import evolve
from stakes.evolve.seeds import c45_tree, seed_trees
from stakes.evolve.settings import Settings
from stakes.tree import FittedTree
from stakes.tree.core import core_table

Floats = NDArray[np.float64]

#: Penalties that are compared, times the number of rows, from small trees to large ones. Roughly how many of
#: the costliest mistakes a node must save.
STEPS = (10.0, 5.0, 3.0, 2.0, 1.0, 0.3, 0.05)

#: The one that is used unless another is clearly better.
USUAL = 3.0

#: No smaller penalty is chosen by noise: trees of thousands of nodes would take too long to evolve.
LEAST = 5e-5

_FOLDS = 5

#: Standard deviations of a row's cost that a node must save, and rows that they are measured on.
_NOISE, _ROWS = 3.0, 20_000

#: Each step of the path starts where the one before ended, so it can be short.
_GENERATIONS, _PATIENCE = 40, 20


@dataclass(frozen=True, eq=False)
class AlphaPath:
    """Cross-validated cost along the path.

    Attributes
    ----------
    alphas : array of shape (n_alphas,)
        Penalties, from large to small.
    costs : array of shape (n_folds, n_alphas)
        Mean cost of the rows left out, tests and abstentions included.
    sizes : array of shape (n_folds, n_alphas)
        Number of nodes.
    interrupted : bool
        Whether Ctrl-C ended it; there are fewer folds then.
    """

    alphas: Floats
    costs: Floats
    sizes: Floats
    interrupted: bool = False

    @property
    def best(self) -> float:
        """The usual penalty, or another whose cost is lower by more than a standard error over the folds."""
        if not len(self.costs):
            return float(self.alphas[STEPS.index(USUAL)])
        saved = self.costs[:, [STEPS.index(USUAL)]] - self.costs
        error = saved.std(axis=0) / np.sqrt(max(1, len(saved) - 1))
        mean = saved.mean(axis=0)
        chosen = np.where(mean > error, mean, 0.0).argmax() if (mean > error).any() else STEPS.index(USUAL)
        return float(self.alphas[int(chosen)])


def alpha_path(
    problem: Problem,
    settings: Settings,
    seed: int,
    checkpoint: Path | None = None,
    fingerprint: str = "",
) -> AlphaPath:
    """Follow the path on each fold; Ctrl-C leaves it at those that are done, unless more must end with it.

    Parameters
    ----------
    problem : Problem
        All rows.
    settings : Settings
    seed : int
        Seed of the folds, and of the search on each.
    checkpoint : Path, optional
        File that finished folds are kept in.
    fingerprint : str
        What the file must say that it belongs to.
    """
    n_folds = min(_FOLDS, len(problem.codes))
    fold = stratified_folds(problem.codes.astype(np.intp), n_folds, seed)
    steps = np.array(STEPS)
    costs, sizes = np.zeros((0, len(steps))), np.zeros((0, len(steps)))
    if checkpoint is not None and checkpoint.exists():
        kept = read_arrays(checkpoint, fingerprint)
        costs, sizes = kept["costs"], kept["sizes"]
    interrupted = False
    try:
        for k in range(len(costs), n_folds):
            inside, outside = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            rows, test = problem.take(inside), problem.take(outside)
            with part_of(k, n_folds):
                models = _follow(rows, settings, seed)
            fold_costs = [held_out_cost(model, test) for model in models]
            costs, sizes = (
                np.vstack([costs, fold_costs]),
                np.vstack([sizes, [m.tree.n_nodes for m in models]]),
            )
            if checkpoint is not None:
                write_arrays(checkpoint, fingerprint, {"costs": costs, "sizes": sizes})
    except KeyboardInterrupt:
        if not may_end_early():
            raise
        interrupted = True
    return AlphaPath(steps / len(problem.codes), costs, sizes, interrupted)


def _follow(problem: Problem, settings: Settings, seed: int) -> list[FittedTree]:
    """Return the best tree for each penalty, each population started from the one before."""
    models = []
    trees: Iterable[Sketch] = seed_trees(problem, settings, seed)
    for number, step in enumerate(STEPS):
        population = problem.population(settings.options(len(problem), step / len(problem), seed))
        with part_of(number, len(STEPS)):
            run = evolve(
                population, trees, max_generations=_GENERATIONS, n_iter_no_change=_PATIENCE, stoppable=False
            )
        trees = [list(tree[:6]) for tree in population.trees()]
        models.append(problem.fitted(run.best[-1][1], settings.smoothing, settings.smoothing_strength))
    return models


def held_out_cost(model: FittedTree, problem: Problem) -> float:
    """Mean cost of rows that the model has not seen."""
    return float(np.average(held_out_costs(model, problem), weights=problem.weight))


def held_out_costs(model: FittedTree, problem: Problem) -> Floats:
    """Cost of each row: mistakes, abstentions and tests."""
    all_rows = np.arange(len(problem.codes), dtype=np.int64)
    values = np.ascontiguousarray(np.column_stack([model.shares, model.path_costs()]))
    reached = _core.route_mixture(core_table(problem.table), *model.tree.links(), all_rows, values)
    reached = reached.reshape(len(all_rows), -1)
    shares, path_price = reached[:, :-1], reached[:, -1]
    row_costs = problem.sample_costs[all_rows, model.choose(shares)]
    if problem.abstain_cost is not None:
        cheapest = expected_costs(shares, model.cost_values).min(axis=1)
        row_costs = np.where(cheapest > problem.abstain_cost, problem.abstain_cost, row_costs)
    if problem.feature_costs is not None:
        row_costs = row_costs + (path_price if problem.pay == "path" else model.upfront_cost())
    return row_costs


def noise_alpha(problem: Problem, seed: int) -> float:
    """Return the penalty at which a node must save a few standard deviations of what a row costs.

    The deviation is that of rows left out of C4.5 trees. Where these make no mistakes trees may grow; where
    they make many, chance alone saves as much somewhere.
    """
    n_rows = len(problem.codes)
    sample = np.random.default_rng([seed, 0xA1FA]).permutation(n_rows)[:_ROWS]
    fold = stratified_folds(problem.codes[sample].astype(np.intp), min(_FOLDS, len(sample)), seed)
    row_costs, largest = np.zeros(len(sample)), problem.largest_cost()
    for k in range(fold.max() + 1 if len(sample) > 1 else 0):
        inside, outside = sample[fold != k], sample[fold == k]
        model = _c45_model(problem.take(inside))
        row_costs[fold == k] = held_out_costs(model, problem.take(outside))
    if largest <= 0:
        return 0.0
    weights = None if problem.weight is None else problem.weight[sample]
    row_costs -= problem.shift
    mean = np.average(row_costs, weights=weights)
    deviation = np.sqrt(np.average((row_costs - mean) ** 2, weights=weights))
    # A node more divides the fitness by about 1 + alpha, as if that share of what is saved so far were lost.
    penalty = _NOISE * deviation / (n_rows * max(largest - mean, 0.1 * largest))
    return float(max(penalty, LEAST))


def _c45_model(rows: Problem) -> FittedTree:
    tree = c45_tree(rows)
    return FittedTree.decided(
        tree=tree,
        schema=rows.table.schema,
        classes=rows.classes,
        values=tree.probabilities(),
        feature_costs=rows.feature_costs,
    )
