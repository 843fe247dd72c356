"""From a tree over everything that was recorded to one over what the chosen functions alone would show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.forensics.candidates import (
    Columns,
    Resource,
    cheapest_of_equals,
    columns_of,
    nanoseconds,
    resources,
)
from stakes.forensics.host.watch import Watch
from stakes.forensics.runs import Runs
from stakes.tree import C45Classifier


@dataclass(frozen=True, eq=False)
class Refitted:
    """A tree, the columns that it was learnt from, and the functions that must be watched to see them.

    Attributes
    ----------
    columns : Columns
    tree : C45Classifier
    watched : bool array of shape (n_functions,)
    """

    columns: Columns
    tree: C45Classifier
    watched: NDArray[np.bool_]

    @cached_property
    def used(self) -> list[int]:
        """Columns that the tree tests."""
        tested = self.tree.tree_.feature
        return np.unique(tested[tested >= 0]).tolist()

    @property
    def keys(self) -> list[Any]:
        """What the columns that the tree tests count."""
        return [self.columns.keys[column] for column in self.used]

    @property
    def has_trees(self) -> bool:
        """Whether a call tree is counted."""
        return any(key[0] == "tree" for key in self.keys)

    @property
    def lines(self) -> list[int]:
        """Lines that are counted."""
        return [key[1] for key in self.keys if key[0] == "line"]

    @property
    def named(self) -> NDArray[np.bool_]:
        """Functions that the tested columns name."""
        named_by = (self.columns.resources(column) for column in self.used)
        named = np.zeros(len(self.columns.runs.functions), dtype=bool)
        named[[number for event, number in frozenset().union(*named_by) if event == "start"]] = True
        return named

    @cached_property
    def errors(self) -> int:
        """Runs learnt from that the tree gets wrong."""
        counts, labels = self.columns.counts.astype(np.float64), np.array(self.columns.runs.labels)
        return int((self.tree.predict(counts) != labels).sum())

    def watch(self) -> Watch:
        """Return what to watch, in names."""
        functions = (self.columns.runs.functions[place] for place in np.flatnonzero(self.watched))
        return Watch(tuple(functions), tuple(self.columns.feature(column) for column in self.used))

    def resources(self) -> list[Resource]:
        """Return what is counted: starts, returns where trees are needed, and lines."""
        return resources(np.flatnonzero(self.watched).tolist(), self.lines, self.has_trees)


class Refitter:
    """Learns again from what chosen functions show, and chooses the cheapest set that is good enough.

    With only some functions watched ``f -> {a, b}`` also matches calls that reached ``a`` through something
    else, so that a tree over whole call trees would be shown other counts than it was learnt from. What is
    watched is paid for, so prices play no part in learning again.

    Parameters
    ----------
    runs : Runs
        All, repetitions included.
    part, rows : Runs, int array
        Those to learn from, and where they are; taken once, as with lines they are hundreds of megabytes.
    events : dict
        Mean events per run of each resource.
    folds : list of (train, test)
        Of the rows.
    """

    def __init__(
        self, runs: Runs, part: Runs, rows: NDArray[np.intp], events: dict[Resource, float], folds: list[Any]
    ) -> None:
        self.runs, self.part, self.rows = runs, part, rows
        self.events, self.folds = events, folds

    def price(self, refitted: Refitted) -> float:
        """Nanoseconds that watching adds to a run."""
        return nanoseconds(refitted.resources(), self.events)

    def accuracy(self, refitted: Refitted) -> float:
        """Cross-validated accuracy of trees learnt from the same columns in the same way."""
        counts, labels = refitted.columns.counts.astype(np.float64), np.array(refitted.columns.runs.labels)
        right = 0
        for known, unseen in self.folds:
            tree = C45Classifier(**refitted.tree.get_params()).fit(counts[known], labels[known])
            right += int((tree.predict(counts[unseen]) == labels[unseen]).sum())
        return right / sum(len(unseen) for _, unseen in self.folds)

    def choose(self, candidates: Iterable[tuple[Columns, C45Classifier]], floor: float) -> Refitted:
        """Refit trees in turn until one is accurate enough, and drop what it does not miss.

        Of trees that are all too inaccurate the best is taken.
        """
        best, most = None, -1.0
        for columns, tree in candidates:
            refitted = self.refit(columns, tree)
            if refitted is None:
                continue
            accuracy = self.accuracy(refitted)
            if accuracy > most:
                best, most = refitted, accuracy
            if accuracy >= floor - 1e-12:
                break
        if best is None:
            raise ValueError("what the chosen functions show by themselves is the same in all runs")
        return self.thin(best, most)

    def refit(self, columns: Columns, tree: C45Classifier) -> Refitted | None:
        """Learn again from what a tree's functions show; functions that no test names go where they may.

        They may still matter, as what a call did not lead to, so they go where no more errors are made. None
        where the functions show nothing without the others.
        """
        first = Refitted(columns, tree, np.zeros(0, dtype=bool))
        first = replace(first, watched=first.named)
        if not first.has_trees:
            return first
        refitted = self._learn(first.watched, first.lines, True)
        while refitted is not None and (refitted.named != refitted.watched).any():
            fewer = self._learn(refitted.named, refitted.lines, True)
            if fewer is None or fewer.errors > refitted.errors:
                break
            refitted = fewer
        return refitted

    def thin(self, refitted: Refitted, accuracy: float) -> Refitted:
        """Leave out functions and lines, costliest first, as long as the cross-validated accuracy stays."""
        by_price = sorted(refitted.resources(), key=lambda resource: -nanoseconds([resource], self.events))
        for resource in by_price:
            if resource not in refitted.resources() or resource.event == "return":
                continue
            fewer = self._without(refitted, resource)
            if fewer is not None and self.price(fewer) < self.price(refitted):
                now = self.accuracy(fewer)
                if now >= accuracy:
                    refitted, accuracy = fewer, now
        return refitted

    def _without(self, refitted: Refitted, resource: Resource) -> Refitted | None:
        number, watched, lines = resource.number, refitted.watched.copy(), refitted.lines
        if resource.event == "start":
            watched[number] = False
            lines = [line for line in lines if self.runs.line_function[line] != number]
        else:
            lines = [line for line in lines if line != number]
        return self._learn(watched, lines, refitted.has_trees)

    def _learn(self, watched: NDArray[np.bool_], lines: list[int], trees: bool) -> Refitted | None:
        kinds = ("functions", *(["trees"] if trees else []), *(["lines"] if lines else []))
        every = columns_of(self.runs, watched, kinds, lines)
        columns = cheapest_of_equals(Columns(self.part, every.keys, every.counts[self.rows]), self.events)
        if not columns.keys:
            return None
        counts, labels = columns.counts.astype(np.float64), np.array(columns.runs.labels)
        refitted = Refitted(columns, C45Classifier(criterion="gain").fit(counts, labels), watched)
        return refitted if trees else replace(refitted, watched=refitted.named)
