"""What the parameters of an evolved tree stand for: values of None, and the options of the core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs

from stakes._core import MAX_DEPTH, EvolveOptions

#: What None stands for; see docs/decisions/0011. The paper does not say how many rows a leaf must have.
VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {"alpha": 0.001, "max_generations": 1000, "n_iter_no_change": 200, "min_samples_leaf": "sqrt"},
    "memetic": {"alpha": "noise", "max_generations": 300, "n_iter_no_change": 100, "min_samples_leaf": 5},
}

#: Trees of large tables have hundreds of nodes. Changing each with the usual probability spoils every
#: offspring, so that above so many rows "memetic" expects no more than so many changes of one; see
#: docs/decisions/0011.
LARGE_ROWS, LARGE_MUTATIONS = 20_000, 1.0

#: Rows that local search looks at.
_LOCAL_ROWS = 8192

#: Options that a run depends on, as files of interrupted runs name them. Threads are none of them: a run may
#: go on with more.
SEARCH_OPTIONS = (
    *("population_size", "crossover_rate", "mutation_rate", "selection_pressure", "alpha", "max_mutations"),
    *("elite_size", "min_rows", "max_depth", "min_split", "sample_rows", "crossover_odds", "inner_odds"),
    *("leaf_odds", "local_rate", "local_rows", "seed"),
)


@dataclass(frozen=True)
class Settings:
    """How to search: parameters of `GDTClassifier`, with what None stands for in its place."""

    variant: str
    alpha: float | str
    population_size: int
    max_generations: int
    n_iter_no_change: int
    crossover_rate: float
    mutation_rate: float
    selection_pressure: float
    elite_size: int
    crossover_odds: Sequence[float]
    inner_odds: Sequence[float]
    leaf_odds: Sequence[float]
    min_samples_leaf: int | str
    min_samples_split: int
    sample_rows: int | None
    max_depth: int | None
    max_thresholds: int | None
    pay: str
    abstain_cost: float | None
    seeds: float
    local_search: float
    smoothing: str | None
    smoothing_strength: float
    debug: bool
    n_jobs: int | None

    @classmethod
    def of(cls, model: Any) -> Self:
        """Read the settings off a classifier; what None stands for follows from the variant.

        Examples
        --------
        >>> from stakes import GDTClassifier
        >>> Settings.of(GDTClassifier(variant="paper")).n_iter_no_change
        200
        """
        given = {field.name: getattr(model, field.name) for field in fields(cls)}
        usual = VARIANTS[model.variant].items()
        return cls(**given | {name: value for name, value in usual if given[name] is None})

    @property
    def memetic(self) -> bool:
        """Whether there are seed trees and local search."""
        return self.variant == "memetic"

    @property
    def n_seeds(self) -> int:
        """Most trees of other learners in the first population."""
        return round(self.seeds * self.population_size) if self.memetic else 0

    def options(self, n_rows: int, alpha: float, seed: int) -> EvolveOptions:
        """Options of the core.

        Parameters
        ----------
        n_rows : int
            Rows that trees are evolved on.
        alpha : float
            Penalty of a node.
        seed : int
            Seed of all random streams.
        """
        return EvolveOptions(
            alpha=alpha,
            population_size=self.population_size,
            crossover_rate=self.crossover_rate,
            mutation_rate=self.mutation_rate,
            selection_pressure=self.selection_pressure,
            max_mutations=LARGE_MUTATIONS if self.memetic and n_rows > LARGE_ROWS else float("inf"),
            elite_size=min(self.elite_size, self.population_size),
            min_rows=_least_rows(self.min_samples_leaf, n_rows),
            max_depth=MAX_DEPTH if self.max_depth is None else min(self.max_depth, MAX_DEPTH),
            min_split=self.min_samples_split,
            sample_rows=self.sample_rows or int(np.clip(n_rows // 10, 50, 500)),
            crossover_odds=odds(self.crossover_odds, 3, "crossover_odds"),
            inner_odds=odds(self.inner_odds, 5, "inner_odds"),
            leaf_odds=odds(self.leaf_odds, 2, "leaf_odds"),
            local_rate=self.local_search if self.memetic else 0.0,
            local_rows=_LOCAL_ROWS,
            check=self.debug,
            seed=seed,
            n_threads=effective_n_jobs(self.n_jobs),
        )


def _least_rows(min_samples_leaf: int | str, n_rows: int) -> int:
    return round(n_rows**0.5) if isinstance(min_samples_leaf, str) else min_samples_leaf


def odds(values: Sequence[float], n: int, name: str) -> list[float]:
    """Return ``n`` odds as floats; anything else is a ValueError that names the parameter."""
    odds_array = np.asarray(values, dtype=np.float64)
    if (
        odds_array.shape != (n,)
        or not np.isfinite(odds_array).all()
        or (odds_array < 0).any()
        or odds_array.sum() <= 0
    ):
        raise ValueError(f"{name} must be {n} numbers of at least 0, not all of them 0, got {values!r}")
    return odds_array.tolist()
