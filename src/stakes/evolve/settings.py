"""What the parameters of an evolved tree stand for: values of None, and the options of the core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from stakes._core import MAX_DEPTH, EvolveOptions

#: What None stands for; see docs/decisions/0011. The paper does not say how many rows a leaf must have.
VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {"alpha": 0.001, "max_generations": 1000, "patience": 200, "min_samples_leaf": "sqrt"},
    "memetic": {"alpha": "noise", "max_generations": 300, "patience": 100, "min_samples_leaf": 5},
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


def setting(params: dict[str, Any], name: str) -> Any:
    """Return a parameter, or what None stands for in the variant.

    Examples
    --------
    >>> setting({"variant": "paper", "patience": None}, "patience")
    200
    """
    value = params[name]
    return VARIANTS[params["variant"]][name] if value is None else value


def core_options(params: dict[str, Any], n_rows: int, alpha: float, seed: int) -> EvolveOptions:
    """Options of the core that follow from the parameters of a classifier.

    Parameters
    ----------
    params : dict
        Parameters of :class:`~stakes.evolve.GDTClassifier` by name.
    n_rows : int
        Rows that trees are evolved on.
    alpha : float
        Penalty of a node.
    seed : int
        Seed of all random streams.
    """
    min_rows, max_depth, memetic = (
        setting(params, "min_samples_leaf"),
        params["max_depth"],
        params["variant"] == "memetic",
    )
    return EvolveOptions(
        alpha=alpha,
        population_size=params["population_size"],
        crossover_rate=params["crossover_rate"],
        mutation_rate=params["mutation_rate"],
        selection_pressure=params["selection_pressure"],
        max_mutations=LARGE_MUTATIONS if memetic and n_rows > LARGE_ROWS else float("inf"),
        elite_size=min(params["elite_size"], params["population_size"]),
        min_rows=round(n_rows**0.5) if min_rows == "sqrt" else min_rows,
        max_depth=MAX_DEPTH if max_depth is None else min(max_depth, MAX_DEPTH),
        min_split=params["min_samples_split"],
        sample_rows=params["sample_rows"] or int(np.clip(n_rows // 10, 50, 500)),
        crossover_odds=odds(params["crossover_odds"], 3, "crossover_odds"),
        inner_odds=odds(params["inner_odds"], 5, "inner_odds"),
        leaf_odds=odds(params["leaf_odds"], 2, "leaf_odds"),
        local_rate=params["local_search"] if memetic else 0.0,
        local_rows=_LOCAL_ROWS,
        check=params["debug"],
        seed=seed,
        n_threads=effective_n_jobs(params["n_jobs"]),
    )


def odds(values: Sequence[float], n: int, name: str) -> list[float]:
    """Return ``n`` odds as floats; anything else is a ValueError that names the parameter."""
    found = np.asarray(values, dtype=np.float64)
    if found.shape != (n,) or not np.isfinite(found).all() or (found < 0).any() or found.sum() <= 0:
        raise ValueError(f"{name} must be {n} numbers of at least 0, not all of them 0, got {values!r}")
    return found.tolist()
