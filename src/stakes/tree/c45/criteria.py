"""Criteria of splits that are registered by name, next to those of the core."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from stakes._core import Candidate

Criterion = TypeVar("Criterion", bound=Callable[[Candidate], float])

#: Those of the core that weigh the gain against the price of the column.
PRICED = ("cs_gain", "cs_gain_ratio", "nunez", "mitchell", "norton", "tan")

#: What a split can be judged by; the core knows those that have no function here.
CRITERIA: dict[str, Callable[[Candidate], float] | None] = dict.fromkeys(
    ("gain_ratio", "gain", "gini", *PRICED, "total_cost")
)
_IN_CORE = tuple(CRITERIA)


def judges(name: str) -> Callable[[Criterion], Criterion]:
    """Register a criterion, which `C45Classifier` then takes as ``criterion=name``.

    The function is called with the best split of each column that a node could be split by, and returns a
    number: the column with the largest one wins, and one with minus infinity or NaN is not taken. It sees the
    split's ``gain`` in bits and its own entropy ``split_info``, the ``price`` that the column adds to that of
    the tree (0 without feature costs), the ``share`` of the training weight at the node, and the parameter
    ``gamma``. A saved model, or a process that fits, can only use the criterion where it is registered.

    Parameters
    ----------
    name : str
        Name of the criterion; those of the core and "total_cost" are taken.

    Examples
    --------
    >>> from stakes import C45Classifier, datasets
    >>> from stakes.tree import judges
    >>> @judges("cheapest")
    ... def cheapest(split):
    ...     return -split.price if split.gain > 0 else float("-inf")
    >>> german = datasets.load("german")
    >>> prices = {name: 5 for name in german.X} | {"age": 1}
    >>> unpruned = {"max_depth": 1, "collapse": False, "prune": None}
    >>> tree = C45Classifier(criterion="cheapest", feature_costs=prices, **unpruned)
    >>> tree.fit(german.X, german.y).upfront_cost()
    1.0
    """
    if name in _IN_CORE:
        raise ValueError(f"name must be that of a new criterion, got {name!r}")

    def register(criterion: Criterion) -> Criterion:
        CRITERIA[name] = criterion
        return criterion

    return register


def split_criteria() -> list[str]:
    """Return what ``criterion`` can be: the criteria of the papers first, then those registered."""
    return list(CRITERIA)
