"""Learn which few functions are worth watching, and what their counts say about the cause of a failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.folds import stratified_folds
from stakes.forensics.candidates import (
    KINDS,
    Columns,
    Resource,
    cheapest_of_equals,
    columns_of,
    expected,
    nanoseconds,
    observe_all,
    prices_of,
    resources_of,
)
from stakes.forensics.guard import guard_of
from stakes.forensics.host.model import FORMAT, VERSION, ClarifyModel
from stakes.forensics.host.watch import Watch
from stakes.forensics.refit import Refitted, Refitter
from stakes.forensics.runs import Runs
from stakes.tree import C45Classifier, TradeoffSearchCV


@dataclass(frozen=True)
class Settings:
    """How to learn.

    Attributes
    ----------
    kinds : subset of {"functions", "trees", "lines"}
        What may be counted.
    max_loss : float
        Accuracy that may be lost against a tree that counts whatever it likes.
    folds : int
        Of the cross-validation that chooses how much to pay. Runs of one input stay together.
    purity : float
        Share of a leaf's runs that must agree, else the cause is "unknown".
    random_state : int
        Shuffles runs into folds.
    guard : bool
        Whether to watch the place that all recorded failures passed, so that others are not explained.
    """

    kinds: tuple[str, ...] = ("functions", "trees")
    max_loss: float = 0.01
    folds: int = 5
    purity: float = 0.9
    random_state: int = 0
    guard: bool = True

    def __post_init__(self) -> None:
        """Say what is wrong with a setting."""
        if not self.kinds or not set(self.kinds) <= set(KINDS):
            raise ValueError(f"kinds must be some of {', '.join(KINDS)}, got {self.kinds!r}")
        if not 0 <= self.max_loss < 1:
            raise ValueError(f"max_loss must be from 0 to below 1, got {self.max_loss!r}")
        if self.folds < 2:
            raise ValueError(f"folds must be at least 2, got {self.folds!r}")
        if not 0 <= self.purity <= 1:
            raise ValueError(f"purity must be from 0 to 1, got {self.purity!r}")


@dataclass(frozen=True, eq=False)
class Trained:
    """What was learnt.

    Attributes
    ----------
    model : ClarifyModel
        To be deployed; its ``document`` is JSON.
    search : TradeoffSearchCV
        Every price that was tried and its accuracy; ``search.plot()`` draws them. Its costs are nanoseconds
        per run.
    nanoseconds : float
        That watching should add to a run.
    accuracy : float
        Of the deployed tree, cross-validated on the folds that everything was chosen on: optimistic, and
        what the paper reports. :func:`stakes.forensics.validation.validate` is honest.
    """

    model: ClarifyModel
    search: TradeoffSearchCV
    nanoseconds: float
    accuracy: float

    @property
    def expected_events(self) -> float:
        """Events per run of everything that is watched."""
        return float(self.model.document["expected_events"])


def train(
    runs: Runs,
    settings: Settings = Settings(),
    *,
    texts: Mapping[str, str] | None = None,
    program: str | None = None,
) -> Trained:
    """Learn a model from labelled runs.

    Parameters
    ----------
    runs : Runs
        From :func:`stakes.forensics.read_runs`.
    settings : Settings
    texts : dict of str to str, optional
        What to tell the user for each cause; a cause without text is told by its label.
    program : str, optional
        How explanations name the program; by default the package most of whose functions are watched.
    """
    columns = all_columns(runs, settings)
    return learn(columns, runs.distinct(), settings, texts=texts, program=program)


def all_columns(runs: Runs, settings: Settings) -> Columns:
    """Count everything that may be counted in all runs, repetitions included."""
    if len(set(runs.labels)) < 2:
        raise ValueError(f"the runs must have at least two causes to tell apart, got {set(runs.labels)}")
    columns = columns_of(runs, runs.usable(), settings.kinds)
    # That a call led to nothing can only be seen while everything it might lead to is watched.
    columns = columns.take([place for place, key in enumerate(columns.keys) if key[0] != "tree" or key[2][1]])
    if not columns.keys:
        raise ValueError("nothing that was counted differs between the runs")
    return columns


def learn(
    columns: Columns,
    rows: NDArray[np.intp],
    settings: Settings,
    *,
    texts: Mapping[str, str] | None = None,
    program: str | None = None,
) -> Trained:
    """Learn from some rows of the columns of all runs; the others only tell which columns are stable."""
    part = columns.rows(rows)
    events = expected(part.runs)
    folds = list(splits(part.runs, settings.folds, settings.random_state))
    searches = [_search(part.of_kinds(kinds), events, folds, settings) for kinds in _offers(settings.kinds)]
    search = searches[-1][1]
    floor = search.baseline_.accuracy - settings.max_loss
    refitter = Refitter(columns.runs, part.runs, rows, events, folds)
    refitted = refitter.choose(_candidates(searches, floor), floor)
    watch, classes = refitted.watch(), search.classes_.tolist()
    counts = observe_all(part.runs, watch)
    guard = Watch((), ())
    if settings.guard:
        guard = guard_of(part.runs, columns.runs.usable(), watch, settings.kinds)
    resources = resources_of(watch | guard, part.runs)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "program": program or _program(watch),
        "interpreter": part.runs.interpreter,
        "versions": _versions(watch | guard, part.runs.versions),
        "watch": watch.to_dict(),
        "tree": _tree(refitted),
        "classes": classes,
        "texts": _texts(texts or {}, classes),
        "ranges": [[int(column.min()), int(column.max())] for column in counts.T],
        "endings": [list(ending) for ending in sorted(set(part.runs.endings), key=str)],
        "guard": {**guard.to_dict(), "counts": observe_all(part.runs, guard)[0].tolist()},
        "purity": settings.purity,
        # A return belongs to its start.
        "expected_events": sum(events[resource] for resource in resources if resource.event != "return"),
        "runs": _distinct_runs(part.runs, counts),
    }
    model = ClarifyModel.from_dict(document)
    return Trained(model, search, nanoseconds(resources, events), refitter.accuracy(refitted))


def _offers(kinds: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Kinds of features to search among, all of them last.

    A greedy tree takes a cheap call tree where a function would do, and loses in the projection what made it
    worth taking. So plainer features are also offered alone.
    """
    plainer = [("functions",), ("functions", "lines")]
    return [*(some for some in plainer if set(some) < set(kinds)), kinds]


def _search(
    columns: Columns, events: dict[Resource, float], folds: list[Any], settings: Settings
) -> tuple[Columns, TradeoffSearchCV]:
    reduced = cheapest_of_equals(columns, events)
    if not reduced.keys:
        raise ValueError("nothing that was counted differs between the runs")
    estimator = C45Classifier(criterion="cs_gain", feature_costs=prices_of(reduced, events))
    search = TradeoffSearchCV(estimator, cv=folds, tolerance=settings.max_loss)
    return reduced, search.fit(reduced.counts.astype(np.float64), np.array(columns.runs.labels))


def _candidates(
    searches: list[tuple[Columns, TradeoffSearchCV]], floor: float
) -> Iterator[tuple[Columns, C45Classifier]]:
    """Trees that are accurate enough on all that was recorded, from the cheapest on."""
    points = [
        (point.test_cost, -point.accuracy, number, point.value)
        for number, (_, search) in enumerate(searches)
        for point in search.results_
        if point.accuracy >= floor - 1e-12
    ]
    seen = set()
    for price, _, number, gamma in sorted(points):
        columns, search = searches[number]
        if (number, price) not in seen:  # the same price means the same functions
            seen.add((number, price))
            tree = C45Classifier(**{**search.estimator.get_params(), "gamma": gamma})
            yield columns, tree.fit(columns.counts.astype(np.float64), np.array(columns.runs.labels))
    columns, search = searches[-1]
    yield columns, search.best_estimator_


def splits(runs: Runs, folds: int, seed: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Training and test rows; runs of one input stay together, causes are spread evenly."""
    first: dict[str, str] = {}
    for name, label in zip(runs.inputs, runs.labels, strict=True):
        first.setdefault(name, label)
    _, codes = np.unique(list(first.values()), return_inverse=True)
    if len(codes) < 2:
        raise ValueError("the runs must be of at least two inputs, got one")
    fold_of = dict(zip(first, stratified_folds(codes, min(folds, len(codes)), seed), strict=True))
    fold = np.array([fold_of[name] for name in runs.inputs])
    for number in range(fold.max() + 1):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def _tree(refitted: Refitted) -> dict[str, Any]:
    """The tree as JSON, its features numbered as in the model."""
    place = {column: number for number, column in enumerate(refitted.used)} | {-1: -1}
    tree = refitted.tree.tree_
    feature = np.array([place[column] for column in tree.feature.tolist()], dtype=np.int32)
    return replace(tree, feature=feature).to_dict()


def _program(watch: Watch) -> str:
    tops = Counter(function.path.split("/")[0] for function in watch.functions)
    return tops.most_common(1)[0][0] if tops else "the program"


def _versions(watch: Watch, versions: Mapping[str, str]) -> dict[str, str]:
    names = {name for function in watch.functions for name in (function.path, function.path.split("/")[0])}
    return {name: versions[name] for name in sorted(names) if name in versions}


def _texts(texts: Mapping[str, str], labels: Collection[str]) -> dict[str, str]:
    """Texts of the causes; of causes made one all of their texts."""
    return {
        label: texts.get(label, " Or: ".join(texts.get(part, part) for part in label.split("+")))
        for label in labels
        if label in texts or any(part in texts for part in label.split("+"))
    }


def _distinct_runs(runs: Runs, counts: NDArray[np.int64]) -> list[list[Any]]:
    seen: dict[tuple[Any, ...], list[Any]] = {}
    for name, label, row in zip(runs.names, runs.labels, counts.tolist(), strict=True):
        seen.setdefault((label, *row), [name, label, row])
    return list(seen.values())
