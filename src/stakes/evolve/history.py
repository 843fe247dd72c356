"""What happened while trees evolved."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stakes.tree import FittedTree


@dataclass(frozen=True)
class Generation:
    """One generation, as callbacks get it.

    Attributes
    ----------
    number : int
        0 is the first population.
    best_fitness, best_cost, best_size : float, float, int
        Fitness, mean cost per row and number of nodes of the best tree.
    mean_fitness, mean_size : float
        Means over the population.
    diversity : float
        Share of trees that differ from all others in cost or size.
    improved : bool
        Whether the best tree is better than the generation's before.
    """

    number: int
    best_fitness: float
    best_cost: float
    best_size: int
    mean_fitness: float
    mean_size: float
    diversity: float
    improved: bool


@dataclass(frozen=True, eq=False)
class EvolutionHistory:
    """All generations, the first population included, and the trees that were the best for a while.

    Attributes
    ----------
    best_fitness, best_cost, best_size : arrays of shape (n_generations + 1,)
        Of the best tree, as in :class:`Generation`.
    mean_fitness, mean_size, diversity : arrays of shape (n_generations + 1,)
        Of the population, as in :class:`Generation`.
    best_trees : list of (int, FittedTree)
        Each best tree with the generation that it appeared in.
    """

    best_fitness: NDArray[np.float64]
    best_cost: NDArray[np.float64]
    best_size: NDArray[np.int64]
    mean_fitness: NDArray[np.float64]
    mean_size: NDArray[np.float64]
    diversity: NDArray[np.float64]
    best_trees: list[tuple[int, FittedTree]] = field(repr=False)

    def __len__(self) -> int:
        """Return the number of generations, the first population included."""
        return len(self.best_fitness)
