"""What a run looks like when only some functions are watched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .names import CallTree, Feature, Function, Line
from .watch import Watch


@dataclass(frozen=True)
class Projection:
    """Counts of a run as they would be with only some functions watched.

    Attributes
    ----------
    functions : dict of Function to int
        Starts of each watched function (FC).
    trees : tuple of three dicts of CallTree to int
        Calls by their tree of depth 0, 1 and 2 (CTP-D0 to CTP-D2). What a generator does between two
        suspensions is one call here, while ``functions`` counts its starts only.
    """

    functions: dict[Function, int]
    trees: tuple[dict[CallTree, int], dict[CallTree, int], dict[CallTree, int]]

    def count(self, feature: Feature, lines: dict[Line, int]) -> int:
        """Return the count of one feature, those of lines from ``lines``."""
        if isinstance(feature.subject, CallTree):
            return self.trees[feature.depth].get(feature.subject, 0)
        if isinstance(feature.subject, Line):
            return lines.get(feature.subject, 0)
        return self.functions.get(feature.subject, 0)


def seen_trees(
    trees: Sequence[tuple[int, tuple[int, ...]]],
    watched: Sequence[bool],
    made: Callable[[int, frozenset[Any]], Any],
) -> Iterator[tuple[Any, ...]]:
    """Each tree as it is seen down to depth 0, 1 and 2; nothing of one whose function is not watched.

    ``made`` puts a function and the trees below it together. The trees below a tree come before it.
    """
    nothing: frozenset[Any] = frozenset()
    # What a tree shows to its caller, down to depth 0 and 1: itself where watched, else what it called.
    shallow: list[frozenset[Any]] = []
    deep: list[frozenset[Any]] = []
    for function, children in trees:
        below = nothing.union(*(shallow[child] for child in children))
        below_deep = nothing.union(*(deep[child] for child in children))
        if watched[function]:
            leaf, tree = made(function, nothing), made(function, below)
            yield leaf, tree, made(function, below_deep)
            below, below_deep = frozenset((leaf,)), frozenset((tree,))
        else:
            yield ()
        shallow.append(below)
        deep.append(below_deep)


def project(
    functions: Sequence[Function],
    starts: Sequence[int],
    trees: Sequence[tuple[int, tuple[int, ...]]],
    calls: Sequence[int],
    watched: Sequence[bool],
) -> Projection:
    """Return the counts with only some functions watched; the trees below a tree come before it."""
    depths: tuple[Counter[CallTree], ...] = (Counter(), Counter(), Counter())
    seen = seen_trees(trees, watched, lambda function, below: CallTree(functions[function], below))
    for by_depth, count in zip(seen, calls, strict=True):
        if by_depth and count:
            for counts, tree in zip(depths, by_depth, strict=True):
                counts[tree] += count
    return Projection(
        {function: n for function, n, wanted in zip(functions, starts, watched, strict=True) if wanted and n},
        (dict(depths[0]), dict(depths[1]), dict(depths[2])),
    )


def counts_of(watch: Watch, projection: Projection, lines: dict[Line, int]) -> list[int]:
    """Return the counts of what is watched, in the order of its features."""
    return [projection.count(feature, lines) for feature in watch.features]
