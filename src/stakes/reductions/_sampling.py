"""Weighted rejection sampling, block by block, with random numbers that belong to rows and not to blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.reductions._rows import joined
from stakes.table import Table

_PER_STEP = 4  # numbers that Philox makes of one value of its counter


def uniforms(seed: int, stream: int, start: int, count: int) -> NDArray[np.float64]:
    """Numbers ``start`` to ``start + count`` of a stream of uniform numbers in [0, 1).

    Examples
    --------
    >>> whole = uniforms(seed=7, stream=0, start=0, count=10)
    >>> bool((uniforms(seed=7, stream=0, start=6, count=4) == whole[6:]).all())
    True
    """
    step, skipped = divmod(start, _PER_STEP)
    key = np.array([seed, stream], dtype=np.uint64)
    bits = np.random.Philox(key=key, counter=np.array([step, 0, 0, 0], dtype=np.uint64))
    return np.random.Generator(bits).random(skipped + count)[skipped:]


@dataclass(frozen=True, eq=False)
class Sample:
    """What one component learns from.

    Attributes
    ----------
    table : Table
        Rows.
    pair : int32 array
        Class code that each row was paired with; 0 where rows were not expanded.
    target : int32 array
        What the component is to answer.
    actual : int32 array
        Class code of each row in the training data.
    weights : float64 array or None
        Importance of each row, scaled to add up to the number of rows that these stand for; None where it is
        in the sample's composition.
    """

    table: Table
    pair: NDArray[np.int32]
    target: NDArray[np.int32]
    actual: NDArray[np.int32]
    weights: NDArray[np.float64] | None


@dataclass(eq=False)
class Sampler:
    """Accepts a pair with probability ``share * weight / largest weight``, each pair at most once.

    The largest weight is known only after the last block. So candidates are accepted by the largest so far,
    and those that the final one refuses are dropped at the end: what comes out does not depend on the blocks.

    Parameters
    ----------
    how : {"rejection", "sample_weight"}
        The latter accepts with probability ``share`` and hands the weights on.
    share : float
    seed, stream : int
        Of :func:`uniforms`.
    """

    how: str
    share: float
    seed: int
    stream: int
    largest: float = 0.0
    _parts: list[tuple[Any, ...]] = field(default_factory=list)

    def add(
        self,
        start: int,
        table: Table,
        actual: NDArray[np.int32],
        weights: NDArray[np.float64],
        targets: NDArray[np.int32],
        multiplicity: NDArray[np.float64],
    ) -> None:
        """Draw from the pairs of one block, whose first row has the number ``start``.

        ``weights`` and ``targets`` have a row per row of the table and a column per pair of it;
        ``multiplicity`` says how many rows each row stands for, which ``weights`` know already.
        """
        width = weights.shape[1]
        self.largest = max(self.largest, float(weights.max()))
        uniform = uniforms(self.seed, self.stream, start * width, weights.size).reshape(weights.shape)
        rows, pair = np.nonzero(self._accepts(uniform, weights))
        if not len(rows):
            # Should nothing at all be accepted, the pair that came closest is taken.
            rows, pair = np.unravel_index([_closest(uniform.ravel(), weights.ravel())], weights.shape)
        self._parts.append(
            (
                table.take(rows),
                pair.astype(np.int32),
                targets[rows, pair],
                actual[rows],
                uniform[rows, pair],
                weights[rows, pair],
                multiplicity[rows],
            )
        )

    def _accepts(self, uniform: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.bool_]:
        if self.how == "rejection":
            return uniform * self.largest < self.share * weights
        return (uniform < self.share) & (weights > 0)

    def sample(self) -> Sample:
        """Return what was accepted.

        Raises
        ------
        ValueError
            Where every weight is 0.
        """
        if self.largest <= 0:
            raise ValueError(
                "costs must make at least one mistake on the training rows cost something; here each costs 0"
            )
        tables, *arrays = zip(*self._parts, strict=True)
        pair, target, actual, uniform, weights, multiplicity = (np.concatenate(parts) for parts in arrays)
        kept = np.flatnonzero(self._accepts(uniform, weights))
        if not len(kept):
            kept = np.array([_closest(uniform, weights)])
        table = joined(tables)
        if len(kept) < len(pair):
            table = table.take(kept)
        handed_on = None
        if self.how == "sample_weight":
            handed_on = weights[kept] * (multiplicity[kept].sum() / weights[kept].sum())
        return Sample(table, pair[kept], target[kept], actual[kept], handed_on)


def bootstrap_counts(weights: NDArray[np.float64], n: int, seed: int, stream: int) -> NDArray[np.intp]:
    """How often each row is among ``n`` that are drawn with replacement, by the rows' weights.

    Examples
    --------
    >>> bootstrap_counts(np.array([1.0, 0.0, 1.0, 2.0]), 8, seed=7, stream=0)
    array([1, 0, 4, 3])
    """
    upto = np.cumsum(weights)
    drawn = np.searchsorted(upto, uniforms(seed, stream, 0, n) * upto[-1], side="right")
    return np.bincount(drawn, minlength=len(weights))


def _closest(uniform: NDArray[np.float64], weights: NDArray[np.float64]) -> int:
    ratio = np.divide(uniform, weights, out=np.full(len(uniform), np.inf), where=weights > 0)
    return int(np.argmin(ratio))
