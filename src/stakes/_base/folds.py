"""Folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray


def stratified_folds(codes: NDArray[np.intp], n_folds: int, random_state: Any) -> NDArray[np.intp]:
    """Fold number of each row. Dealing on from class to class keeps folds even, however small the classes."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31)
    try:
        generator = np.random.default_rng(random_state)
    except (TypeError, ValueError):
        accepted = "an int of at least 0, a RandomState or None"
        raise ValueError(f"random_state must be {accepted}, got {random_state!r}") from None
    shuffled = generator.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold = np.empty(len(codes), dtype=np.intp)
    fold[by_class] = np.arange(len(codes)) % n_folds
    return fold


def check_folds(cv: Any) -> Any:
    """Number of folds as an int >= 2, or the splitter or iterable of splits as it is."""
    if not isinstance(cv, str | bytes):  # which have a method split, too
        if hasattr(cv, "split"):
            return cv
        if isinstance(cv, Iterable) and getattr(cv, "ndim", 1) > 0:
            return _splits(cv)
    if not isinstance(cv, Integral) or isinstance(cv, bool) or cv < 2:
        raise ValueError(f"cv must be an int >= 2, a splitter or an iterable of splits, got {cv!r}")
    return int(cv)


def _splits(cv: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    for split in cv:
        if not isinstance(split, Sequence | np.ndarray) or len(split) != 2 or not all(map(_are_rows, split)):
            accepted = "pairs of rows to learn from and rows to test on"
            raise ValueError(f"cv must give {accepted}, got {split!r}")
        yield split[0], split[1]


def _are_rows(rows: Any) -> bool:
    return isinstance(rows, slice) or np.size(rows) == 0 or np.asarray(rows).dtype.kind in "iub"
