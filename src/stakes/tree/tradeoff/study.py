"""The fits behind a search for a trade-off, in threads, with progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Event
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from stakes._base.folds import check_folds, stratified_folds
from stakes._base.progress import part_of, teller
from stakes._base.training import Targets, target_for
from stakes.costs import CostMatrix, FeatureCosts, as_cost_matrix, as_feature_costs
from stakes.table import Table
from stakes.tree.core import presort
from stakes.tree.tradeoff.path import gamma_grid


class Study:
    """The fits behind one search: data that is encoded once, and the models learnt from it.

    Columns are encoded once and sorted once per fold, for all settings of the knob. With the default grid of
    gamma that saves 10 to 18 % of a search's time for full trees of 10 columns and 1,000 to 100,000 rows,
    a quarter where trees have at most 4 leaves; a grid of four values hardly gains.
    """

    def __init__(
        self,
        search: Any,
        inner: Any,
        table: Table,
        targets: Targets,
    ) -> None:
        self.search, self.table, self.targets = search, table, targets
        self.sorted = presort(table)
        names, matrix = table.schema.names, inner.cost_matrix
        prices = as_feature_costs(inner.feature_costs, names)
        self.matrix = None if matrix is None else as_cost_matrix(matrix, targets.classes)
        self.kind = type(inner)
        # Parameters that would be read again for each fit are read here.
        self.params = inner.get_params(deep=False) | {
            "feature_costs": FeatureCosts(dict.fromkeys(names, 1.0)) if prices is None else prices,
            "categorical_features": None,
            "cost_matrix": self.matrix,
        }
        plain = {"criterion": "gain_ratio", "max_upfront_cost": None, "max_path_cost": None}
        self.plain = {name: value for name, value in plain.items() if name in self.params}
        self.advance: Callable[[int, int], None] = lambda done, more: None
        self.stop = Event()

    def learn(self, changed: dict[str, Any] | None) -> Any:
        """The model of all rows for a setting of the knob, None being the baseline."""
        return self._fit(self.sorted, self.targets, changed)

    def _fit(self, table: Table, targets: Targets, changed: dict[str, Any] | None) -> Any:
        params = self.params | (self.plain if changed is None else changed)
        present = np.unique(targets.codes)
        extra: dict[str, Any] = {} if targets.weight is None else {"sample_weight": targets.weight}
        # A training fold may lack a class, and with it goes its part of the costs.
        if len(present) == 1:
            params = params | {"cost_matrix": None}
        else:
            if self.matrix is not None and len(present) < len(targets.classes):
                part = self.matrix.values[np.ix_(present, present)]
                params = params | {"cost_matrix": CostMatrix(part, targets.classes[present], check=False)}
            if targets.costs is not None:
                extra["costs"] = targets.costs[:, present]
        model = self.kind(**params)
        model.fit(table, target_for(model, targets), **extra)
        self.advance(1, 0)
        return model

    def _in_threads(self, work: Callable[[Any], Any], items: list[Any]) -> list[Any]:
        """Results in the order of the items. Threads share the table, and the core lets them run."""
        tell_done, done = teller(), count(1)

        def unless_stopped(number: int, item: Any) -> Any:
            if self.stop.is_set():
                return None
            with part_of(number, len(items)):
                result = work(item)
            tell_done(next(done) / len(items))
            return result

        try:
            pool = Parallel(n_jobs=self.search.n_jobs, require="sharedmem")
            return list(pool(delayed(unless_stopped)(*item) for item in enumerate(items)))
        except BaseException:
            self.stop.set()
            raise

    def upfront(self, given: list[Any] | None) -> tuple[list[Any], list[float]]:
        """The grid, and the price of the columns of each value's model; the baseline's comes last."""
        known: dict[float, float] = {}

        def costs_at(values: list[Any]) -> list[float]:
            self.advance(0, len(values))
            return self._in_threads(lambda v: self.learn({self.search.param_name: v}).upfront_cost(), values)

        def remember(values: list[float]) -> list[float]:
            costs = costs_at(values)
            known.update(zip(values, costs, strict=True))
            return costs

        if given is None:
            given = gamma_grid(remember)
            remember([value for value in given if value not in known])
            costs = [known[value] for value in given]
        else:
            costs = costs_at(given)
        self.advance(0, 1)
        return given, [*costs, self.learn(None).upfront_cost()]

    def cross_validate(self, grid: list[Any]) -> tuple[NDArray[np.float64], ...]:
        """Accuracy, cost of mistakes and cost of paths, per row; for each value and for the baseline."""
        settings = [*({self.search.param_name: value} for value in grid), None]
        splits = list(self._splits())
        self.advance(0, len(splits) * len(settings))

        def fold(split: tuple[NDArray[np.intp], NDArray[np.intp]]) -> NDArray[np.float64]:
            return self._fold(*split, settings)

        sums = np.sum(self._in_threads(fold, splits), axis=0)
        weight = self.targets.weight_or_ones
        tested = sum(float(weight[test].sum()) for _, test in splits)
        if tested <= 0:
            raise ValueError("cv must test at least one row of positive weight")
        return tuple(sums.T / tested)

    def _fold(
        self, train: NDArray[np.intp], test: NDArray[np.intp], settings: list[dict[str, Any] | None]
    ) -> NDArray[np.float64]:
        """Weighted sums over the test rows: right answers, cost of mistakes, of paths; a row per setting."""
        table, unknown = presort(self.table.take(train)), self.table.take(test)
        learnt_from, judged = self.targets.take(train), self.targets.take(test)
        weight, row_costs = judged.weight_or_ones, judged.sample_costs
        sums = np.zeros((len(settings), 3))
        for i, changed in enumerate(settings):
            if self.stop.is_set():
                break
            with part_of(i, len(settings)):
                model = self._fit(table, learnt_from, changed)
            answers = model.answers(unknown)
            predicted = np.searchsorted(judged.classes, answers.labels)
            paths = answers.path_cost() if self.search.pay == "path" else np.zeros(len(test))
            mistakes = row_costs[np.arange(len(test)), predicted]
            sums[i] = weight @ (predicted == judged.codes), weight @ mistakes, weight @ paths
        return sums

    def _splits(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Row numbers of the training and test parts; a part that weighs nothing is no part."""
        folds, every = check_folds(self.search.cv), np.arange(len(self.targets))
        if isinstance(folds, int):
            if len(every) < 2:
                raise ValueError("cv needs at least 2 rows to split, got n_samples=1")
            codes = self.targets.codes.astype(np.intp)
            fold = stratified_folds(codes, min(folds, len(every)), self.search.random_state)
            folds = [(fold != number, fold == number) for number in range(fold.max() + 1)]
        elif hasattr(folds, "split"):
            folds = folds.split(every[:, np.newaxis], self.targets.labels)
        for train, test in folds:
            if self.targets.weight_or_ones[train].sum() > 0:
                yield every[train], every[test]


@contextmanager
def progress(verbose: int) -> Iterator[Callable[[int, int], None]]:
    """Count the fits on stderr; nothing where that is no terminal."""
    console = Console(stderr=True)
    if not verbose or not console.is_terminal:  # a bar that is disabled prints an empty line before rich 15
        yield lambda done, more: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task, total = bar.add_task("Fitting", total=0), 0

        def advance(done: int, more: int) -> None:
            nonlocal total
            total += more
            bar.update(task, advance=done, total=total)

        yield advance
