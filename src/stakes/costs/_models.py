"""The random cost models of the papers, as functions of a seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stakes._text.words import some
from stakes.costs._labels import check_labels, finite_array, lookup, repeated
from stakes.costs._matrix import CostMatrix

Seed = int | np.random.Generator | np.random.RandomState | None


def ting_costs(classes: Iterable[Any], random_state: Seed = None) -> CostMatrix:
    """Costs as in Ting's experiments: mistakes cost integers from 1 to 10, at least one of them 1.

    Where no entry came out as 1, one of them, drawn at random, becomes 1.

    Examples
    --------
    >>> 1.0 in ting_costs(["a", "b", "c"], random_state=0).mistakes()
    True
    """
    labels = check_labels(classes)
    rng = _generator(random_state)
    mistakes = rng.integers(1, 11, size=len(labels) * (len(labels) - 1))
    if len(mistakes) and 1 not in mistakes:
        mistakes[rng.integers(len(mistakes))] = 1
    return _from_mistakes(mistakes, labels)


def kretowski_costs(classes: Iterable[Any], random_state: Seed = None) -> CostMatrix:
    """Costs as in Krętowski's experiments: mistakes cost a real number, uniform between 1 and 10."""
    labels = check_labels(classes)
    mistakes = _generator(random_state).uniform(1, 10, size=len(labels) * (len(labels) - 1))
    return _from_mistakes(mistakes, labels)


def abe_costs(
    classes: Iterable[Any], priors: ArrayLike | Mapping[Any, float], random_state: Seed = None
) -> CostMatrix:
    """Costs as in Abe's and Domingos' experiments: uniform between 0 and 2000 P(predicted) / P(actual).

    Parameters
    ----------
    classes : sequence of labels
    priors : array-like of shape (n_classes,) or dict by label
        Shares of the classes, or their counts; only ratios matter. All positive.
    random_state : int, generator or None

    Examples
    --------
    >>> costs = abe_costs(["rare", "common"], [0.01, 0.99], random_state=0)
    >>> bool(costs.values[0, 1] > costs.values[1, 0])
    True
    """
    labels = check_labels(classes)
    if isinstance(priors, Mapping):
        known = list(priors)
        priors = [list(priors.values())[i] for i in lookup(known, labels.tolist(), "priors")]
    shares = finite_array(priors, "priors")
    if shares.shape != (len(labels),) or not (shares > 0).all():
        raise ValueError(
            f"priors must be {len(labels)} positive numbers, one per class, got {shares.tolist()}"
        )
    top = 2000 * shares[np.newaxis, :] / shares[:, np.newaxis]
    values = _generator(random_state).uniform(0, 1, size=top.shape) * top
    np.fill_diagonal(values, 0.0)
    return CostMatrix(values, labels, check=False)


def davis_prices(feature_names: Iterable[str], random_state: Seed = None) -> dict[str, float]:
    """Prices of features as in Davis' experiments: uniform between 0 and 1.

    Examples
    --------
    >>> sorted(davis_prices(["age", "income"], random_state=0))
    ['age', 'income']
    """
    if isinstance(feature_names, str):
        raise TypeError(f"feature_names must be a sequence of names, got the string {feature_names!r}")
    names = list(feature_names)
    if len(set(names)) != len(names):
        raise ValueError(f"feature_names must be distinct, repeated: {some(repeated(names))}")
    return dict(zip(names, _generator(random_state).uniform(size=len(names)).tolist(), strict=True))


def _from_mistakes(mistakes: NDArray[Any], labels: NDArray[Any]) -> CostMatrix:
    values = np.zeros((len(labels), len(labels)))
    values[~np.eye(len(labels), dtype=bool)] = mistakes
    return CostMatrix(values, labels, check=False)


def _generator(random_state: Seed) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state must be an int >= 0, a generator or None, got {random_state!r}"
        ) from None
