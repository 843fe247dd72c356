"""What a run looks like when only some functions are watched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

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


def project(
    functions: Sequence[Function],
    starts: Sequence[int],
    trees: Sequence[tuple[int, tuple[int, ...]]],
    calls: Sequence[int],
    watched: Sequence[bool],
) -> Projection:
    """Return the counts with only some functions watched; the trees below a tree come before it."""
    leaves = [CallTree(function) for function in functions]
    nothing: frozenset[CallTree] = frozenset()
    depths: tuple[Counter[CallTree], ...] = (Counter(), Counter(), Counter())
    # What a tree shows to its caller, down to depth 0 and 1: itself where watched, else what it called.
    shallow: list[frozenset[CallTree]] = []
    deep: list[frozenset[CallTree]] = []
    for (function, children), count in zip(trees, calls, strict=True):
        below = nothing.union(*(shallow[child] for child in children))
        below_deep = nothing.union(*(deep[child] for child in children))
        if not watched[function]:
            shallow.append(below)
            deep.append(below_deep)
            continue
        tree = CallTree(functions[function], below)
        shallow.append(frozenset((leaves[function],)))
        deep.append(frozenset((tree,)))
        if count:
            depths[0][leaves[function]] += count
            depths[1][tree] += count
            depths[2][CallTree(functions[function], below_deep)] += count
    return Projection(
        {function: n for function, n, seen in zip(functions, starts, watched, strict=True) if seen and n},
        (dict(depths[0]), dict(depths[1]), dict(depths[2])),
    )


def counts_of(watch: Watch, projection: Projection, lines: dict[Line, int]) -> list[int]:
    """Return the counts of what is watched, in the order of its features."""
    return [projection.count(feature, lines) for feature in watch.features]
