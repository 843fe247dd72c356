"""What could be counted in runs with some functions watched, as columns, and what counting costs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stakes.costs import FeatureCosts
from stakes.forensics.host.names import CallTree, Feature
from stakes.forensics.host.trees import seen_trees
from stakes.forensics.host.watch import Watch
from stakes.forensics.runs import Runs, stable

#: Kinds of features: function counts, call trees of depth 1 and 2, lines.
KINDS = ("functions", "trees", "lines")

#: Nanoseconds that one event adds to a run with compiled callbacks, the means of what benchmarks/tracer.py
#: measured on CPython 3.12 and 3.13: start of a watched function (11 and 15); its return where trees are
#: needed (the rest of 32 and 36); a line (the rest of 33 and 36). Other runs of it give a few more
#: (benchmarks/results/tracer.md); what is chosen depends on their proportions.
NANOSECONDS = {"start": 13.0, "return": 21.0, "line": 21.5}

_Key = tuple[Any, ...]
_EVENTS = {"function": ("start",), "tree": ("start", "return")}


class Resource(NamedTuple):
    """What is paid for once watched: the starts or returns of a function, or a line, by its number."""

    event: str
    number: int

    def __str__(self) -> str:
        """Give a short name, which prices go by."""
        return f"{self.event[0]}{self.number}"


@dataclass(frozen=True, eq=False)
class Columns:
    """Counts of features in runs.

    Attributes
    ----------
    runs : Runs
    keys : list of tuples
        What each column counts: ("function", function), ("tree", depth, tree) or ("line", line); see
        :meth:`feature`.
    counts : int64 array of shape (n_runs, n_columns)
    """

    runs: Runs
    keys: list[_Key]
    counts: NDArray[np.int64]

    def take(self, columns: Sequence[int] | NDArray[np.intp]) -> Columns:
        """Return some columns."""
        chosen = np.asarray(columns, dtype=np.intp)
        return Columns(self.runs, [self.keys[column] for column in chosen], self.counts[:, chosen])

    def rows(self, rows: NDArray[np.intp]) -> Columns:
        """Return some rows."""
        return Columns(self.runs.take(rows), self.keys, self.counts[rows])

    def of_kinds(self, kinds: Collection[str]) -> Columns:
        """Return the columns of some kinds."""
        wanted = [place for place, key in enumerate(self.keys) if f"{key[0]}s" in kinds]
        return self if len(wanted) == len(self.keys) else self.take(wanted)

    def feature(self, column: int) -> Feature:
        """Return a column's feature by name."""
        kind, *what = self.keys[column]
        if kind == "tree":
            return Feature(_call_tree(what[1], self.runs), what[0])
        return Feature((self.runs.functions if kind == "function" else self.runs.lines)[what[0]])

    def resources(self, column: int) -> frozenset[Resource]:
        """Return what must be watched for a column.

        A line's function is watched too: that is how the line is found in a running program.
        """
        kind, *what = self.keys[column]
        if kind == "line":
            function = int(self.runs.line_function[what[0]])
            return frozenset({Resource("line", what[0]), Resource("start", function)})
        functions = {what[0]} if kind == "function" else set(_functions(what[1]))
        return frozenset(Resource(event, place) for place in functions for event in _EVENTS[kind])


def _call_tree(tree: Any, runs: Runs) -> CallTree:
    function, below = tree
    return CallTree(runs.functions[function], frozenset(_call_tree(child, runs) for child in below))


def _functions(tree: Any) -> Iterator[int]:
    yield tree[0]
    for child in tree[1]:
        yield from _functions(child)


def columns_of(
    runs: Runs,
    watched: NDArray[np.bool_],
    kinds: Collection[str],
    lines: Collection[int] | NDArray[np.intp] | None = None,
) -> Columns:
    """Count everything that can be counted with some functions watched.

    Parameters
    ----------
    runs : Runs
    watched : bool array of shape (n_functions,)
        Trees are those of a program that has no other functions.
    kinds : collection of {"functions", "trees", "lines"}
    lines : collection of int or None
        Lines to count; None for all lines of watched functions.

    Returns
    -------
    Columns
        Those that are not the same in all runs, and the same in all runs of one input.
    """
    keys: list[_Key] = []
    blocks: list[Any] = []
    if "functions" in kinds:
        chosen = np.flatnonzero(watched)
        keys += [("function", int(function)) for function in chosen]
        blocks.append(runs.starts[:, chosen])
    if "trees" in kinds:
        for depth, trees, selector in _tree_blocks(runs, watched):
            keys += [("tree", depth, tree) for tree in trees]
            blocks.append(runs.calls @ selector)
    if "lines" in kinds:
        if lines is None:
            lines = np.flatnonzero(watched[runs.line_function])
        keys += [("line", int(line)) for line in lines]
        blocks.append(runs.reached[:, list(lines)])
    if not keys:
        return Columns(runs, [], np.zeros((len(runs), 0), dtype=np.int64))
    counts = sparse.hstack(blocks, format="csc")
    least, most = extremes(counts)
    kept = np.flatnonzero(stable(counts.tocsr(), runs.inputs) & (least != most))
    return Columns(runs, [keys[column] for column in kept], counts[:, kept].toarray().astype(np.int64))


def extremes(counts: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least and the most of each column of a sparse matrix."""
    return counts.min(axis=0).toarray().ravel(), counts.max(axis=0).toarray().ravel()


def trees_with(runs: Runs, caller: int, called: int) -> list[Feature]:
    """Trees in which one function calls another, with no others watched; those that all runs have alike."""
    watched = np.zeros(len(runs.functions), dtype=bool)
    watched[[caller, called]] = True
    _, trees, selector = next(_tree_blocks(runs, watched))
    least, most = extremes((runs.calls @ selector).tocsc())
    return [
        Feature(_call_tree(tree, runs), 1)
        for tree, low, high in zip(trees, least, most, strict=True)
        if low == high > 0 and tree[0] == caller and (called, frozenset()) in tree[1]
    ]


def _tree_blocks(runs: Runs, watched: NDArray[np.bool_]) -> Iterator[tuple[int, list[Any], Any]]:
    """Trees of depth 1 and 2 of the watched functions, and which of the recorded trees each of them is."""
    numbers: tuple[dict[Any, int], dict[Any, int]] = ({}, {})
    places: tuple[list[int], list[int]] = ([], [])
    which: list[int] = []
    for number, by_depth in enumerate(seen_trees(runs.trees, watched.tolist(), lambda *tree: tree)):
        if by_depth:
            which.append(number)
            for numbering, place, tree in zip(numbers, places, by_depth[1:], strict=True):
                place.append(numbering.setdefault(tree, len(numbering)))
    once = np.ones(len(which), np.int64)
    for depth, numbering, place in zip((1, 2), numbers, places, strict=True):
        shape = (len(runs.trees), len(numbering))
        yield depth, list(numbering), sparse.csr_matrix((once, (which, place)), shape=shape)


def expected(runs: Runs) -> dict[Resource, float]:
    """Mean events per run of each resource."""
    starts, reached = (np.asarray(counts.mean(axis=0)).ravel() for counts in (runs.starts, runs.reached))
    events = {
        Resource(event, place): float(count)
        for event in ("start", "return")
        for place, count in enumerate(starts)
    }
    return events | {Resource("line", place): float(count) for place, count in enumerate(reached)}


def resources(functions: Collection[int], lines: Collection[int], trees: bool) -> list[Resource]:
    """Return what is counted while these are watched: starts, returns where trees are needed, and lines."""
    starts = [Resource("start", n) for n in functions]
    returns = [Resource("return", n) for n in functions if trees]
    return starts + returns + [Resource("line", n) for n in lines]


def resources_of(watch: Watch, runs: Runs) -> list[Resource]:
    """Return the same for what a model watches."""
    functions, subjects = set(watch.functions), {feature.subject for feature in watch.features}
    return resources(
        [place for place, function in enumerate(runs.functions) if function in functions],
        [place for place, line in enumerate(runs.lines) if line in subjects],
        watch.needs_trees,
    )


def nanoseconds(counted: Collection[Resource], events: dict[Resource, float]) -> float:
    """Return the time that counting these resources adds to a run."""
    return sum(events[resource] * NANOSECONDS[resource.event] for resource in counted)


def prices_of(columns: Columns, events: dict[Resource, float]) -> FeatureCosts:
    """Nanoseconds per run that each column costs; column ``j`` is called ``xj``, as in a plain array.

    A function that is watched already is free for the next feature that needs it.
    """
    needed = {f"x{column}": columns.resources(column) for column in range(len(columns.keys))}
    every = frozenset().union(*needed.values())
    prices = {str(resource): nanoseconds([resource], events) for resource in every}
    requires = {column: frozenset(map(str, resources)) for column, resources in needed.items()}
    return FeatureCosts(dict(sorted(prices.items())), requires)


def cheapest_of_equals(columns: Columns, events: dict[Resource, float]) -> Columns:
    """Drop columns that are equal to a cheaper one in all runs, and those that are constant."""
    prices = prices_of(columns, events)
    order = sorted(range(len(columns.keys)), key=lambda column: (prices.cost([f"x{column}"]), column))
    return columns.take(first_of_equals(columns.counts, order))


def first_of_equals(counts: NDArray[np.int64], order: Sequence[int] | NDArray[np.intp]) -> list[int]:
    """Columns in order, without those that are constant or equal to an earlier one."""
    first: dict[bytes, int] = {}
    for column in order:
        values = counts[:, column]
        if (values != values[0]).any():
            first.setdefault(values.tobytes(), int(column))
    return list(first.values())


def observe_all(runs: Runs, watch: Watch) -> NDArray[np.int64]:
    """Counts of all runs as a deployed model would see them; a column for each of its features."""
    number = {function: place for place, function in enumerate(runs.functions)}
    watched = np.zeros(len(runs.functions), dtype=bool)
    watched[[number[function] for function in watch.functions if function in number]] = True
    counts_of: dict[Feature, Any] = {
        Feature(f): runs.starts[:, p].toarray().ravel() for f, p in number.items() if watched[p]
    }
    for depth, trees, selector in _tree_blocks(runs, watched) if watch.needs_trees else ():
        counts = (runs.calls @ selector).tocsc()
        wanted = {feature.subject for feature in watch.features if feature.depth == depth}
        for place, tree in enumerate(trees):
            if (named := _call_tree(tree, runs)) in wanted:
                counts_of[Feature(named, depth)] = counts[:, place].toarray().ravel()
    for place, line in enumerate(runs.lines if watch.needs_lines else ()):
        if Feature(line) in watch.features:
            counts_of[Feature(line)] = runs.reached[:, place].toarray().ravel()
    nothing = np.zeros(len(runs), dtype=np.int64)
    return np.column_stack(
        [counts_of.get(feature, nothing) for feature in watch.features] or [np.zeros((len(runs), 0))]
    )
