"""Which units a protocol needs for the tables that are asked for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stakes._text.words import did_you_mean
from stakes.lab._sections import ProtocolError
from stakes.lab.build import make_learner
from stakes.lab.code_version import code_version
from stakes.lab.estimates import Draw
from stakes.lab.sources import read_data
from stakes.lab.specs import DataSpec, LearnerSpec, Protocol, SplitSpec, Study, TableSpec
from stakes.lab.trial_costs import is_drawn
from stakes.lab.units import Task, unit_key

NOT_ASKED = "not asked for"
NOT_QUICK = "not part of the quick version"

Cell = tuple[str, str, str, str]  # study, data set, case, learner


@dataclass
class Plan:
    """Tasks, and where the results of each cell will be found.

    Attributes
    ----------
    protocol : Protocol
        With what the quick version leaves out left out.
    tables : the tables asked for
    tasks : list of Task
        Largest data sets first, so that no worker is left with one of them at the end.
    keys : dict of (study, data set, case, learner) to keys
        One per repeat and fold, in order.
    draws : dict of (study, data set, case) to draws
        For each trial, what it shares with others: those of the same random costs are not independent.
    absent : dict of (study, data set) or learner to a reason
        What is not available, or was not asked for.
    quick : bool
    """

    protocol: Protocol
    tables: tuple[TableSpec, ...]
    tasks: list[Task] = field(default_factory=list)
    keys: dict[Cell, list[str]] = field(default_factory=dict)
    draws: dict[tuple[str, str, str], list[Draw]] = field(default_factory=dict)
    absent: dict[Any, str] = field(default_factory=dict)
    quick: bool = False

    @property
    def all_keys(self) -> set[str]:
        """Every unit once."""
        return {key for keys in self.keys.values() for key in keys}


def make_plan(
    protocol: Protocol,
    *,
    tables: Sequence[str] | None = None,
    figures: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    quick: bool = False,
    more: bool = False,
) -> Plan:
    """Work out the units for some tables and figures on some data sets (None: all).

    Where neither tables nor figures are named these are all that stand in the paper, with ``more`` all.
    """
    plan = Plan(protocol, _chosen(protocol, tables, figures, more), quick=quick)
    _check_datasets(protocol, datasets)
    digests = _Digests()
    studies = {}
    for name in dict.fromkeys(spec.study for spec in plan.tables):
        study = protocol.studies[name]
        shown = [spec for spec in plan.tables if spec.study == name]
        studies[name] = _quick(study, plan) if quick else study
        _add_study(plan, studies[name], shown, datasets, digests)
    plan.protocol = replace(protocol, studies={**protocol.studies, **studies})
    plan.tasks.sort(key=lambda task: -digests.size(task.data))
    return plan


def _chosen(
    protocol: Protocol, tables: Sequence[str] | None, figures: Sequence[str] | None, more: bool
) -> tuple[TableSpec, ...]:
    if tables is None and figures is None:
        return tuple(spec for spec in protocol.tables if more or not spec.more)
    chosen = []
    for kind, wanted in (("table", tables or ()), ("figure", figures or ())):
        known = {spec.number.lower(): spec for spec in protocol.tables if spec.kind == kind}
        for number in wanted:
            if str(number).lower() not in known:
                raise ValueError(
                    f"{kind} must be one of those of {protocol.name}, got {number!r}"
                    f"{did_you_mean(number, known, f'{kind}s')}"
                )
            chosen.append(known[str(number).lower()])
    return tuple(chosen)


def _check_datasets(protocol: Protocol, wanted: Sequence[str] | None) -> None:
    known = {spec.name for study in protocol.studies.values() for spec in study.datasets}
    sources = {spec.load for study in protocol.studies.values() for spec in study.datasets}
    lower = {str(name).lower() for name in known | sources}
    for name in wanted or ():
        if name.lower() not in lower:
            raise ValueError(
                f"datasets must be some of those of {protocol.name}, got {name!r}"
                f"{did_you_mean(name, sorted(known), 'data sets')}"
            )


def is_wanted(spec: DataSpec, wanted: Iterable[str] | None) -> bool:
    """Whether a data set is among those asked for, by its own name or by that in tables."""
    names = None if wanted is None else {name.lower() for name in wanted}
    return names is None or spec.name.lower() in names or (spec.load or "").lower() in names


class _Digests:
    """Content hashes and sizes of data sets, each read once."""

    def __init__(self) -> None:
        self.read: dict[DataSpec, tuple[str, int] | str] = {}

    def of(self, spec: DataSpec, splits: SplitSpec) -> tuple[str, int] | str:
        """Hash and size; a text says why there is none."""
        source = replace(spec, costs=None, splits=None, group="")
        if source not in self.read:
            self.read[source] = self._read(spec, splits)
        return self.read[source]

    @staticmethod
    def _read(spec: DataSpec, splits: SplitSpec) -> tuple[str, int] | str:
        if spec.missing is not None:
            return spec.missing
        if spec.generate is not None:
            return f"{spec.generate} {code_version(spec.generate)}", splits.train_rows + splits.test_rows
        try:
            data = read_data(spec)
        except ProtocolError as error:
            raise ProtocolError(f"data set {spec.name}: {error}") from None
        except (ValueError, OSError) as error:
            return f"is not available: {error}".rstrip(".")
        return data.digest, data.size

    def size(self, spec: DataSpec) -> int:
        """Number of values of a data set that was read."""
        entry = self.read[replace(spec, costs=None, splits=None, group="")]
        return 0 if isinstance(entry, str) else entry[1]


def _quick(study: Study, plan: Plan) -> Study:
    """The smoke version: few repeats, perhaps fewer data sets and learners."""
    quick = study.quick
    for spec in study.datasets:
        if quick.datasets is not None and spec.name not in quick.datasets:
            plan.absent[study.name, spec.name] = NOT_QUICK

    def shorter(splits: SplitSpec) -> SplitSpec:
        folds = splits.folds if quick.folds is None else quick.folds
        return replace(splits, repeats=min(splits.repeats, quick.repeats), folds=folds)

    datasets = tuple(
        replace(spec, splits=None if spec.splits is None else shorter(spec.splits)) for spec in study.datasets
    )
    learners = tuple(
        replace(spec, params={**spec.params, **quick.params.get(spec.family, {})}) for spec in study.learners
    )
    for learner in learners:
        if quick.learners is not None and learner.family not in quick.learners:
            plan.absent[study.name, "", learner.name] = NOT_QUICK
    return replace(study, datasets=datasets, learners=learners, splits=shorter(study.splits))


def _add_study(
    plan: Plan, study: Study, shown: list[TableSpec], datasets: Sequence[str] | None, digests: _Digests
) -> None:
    needed = _needed_learners(plan, study, shown)
    for spec in study.datasets:
        if all(table.datasets is not None and spec.name not in table.datasets for table in shown):
            continue
        if not is_wanted(spec, datasets):
            plan.absent[study.name, spec.name] = NOT_ASKED
        if (study.name, spec.name) in plan.absent:
            continue
        splits = spec.splits or study.splits
        digest = digests.of(spec, splits)
        if isinstance(digest, str):
            plan.absent[study.name, spec.name] = digest
            continue
        learners = tuple(
            replace(learner, params={**learner.params, **spec.params.get(learner.family, {})})
            for learner in needed
        )
        trials = itertools.product(study.cases.items(), range(splits.repeats), range(splits.parts))
        for (case, costs), repeat, fold in trials:
            where = study.name, spec, splits, case
            task = Task(*where, spec.costs or costs, study.prices, repeat, fold, study.attributes, learners)
            _add_task(plan, task, digest[0])


def _add_task(plan: Plan, task: Task, digest: str) -> None:
    keys = tuple(unit_key(task, learner, digest) for learner in task.learners)
    for key, learner in zip(keys, task.learners, strict=True):
        cell = (task.study, task.data.name, task.case, learner.name)
        plan.keys.setdefault(cell, []).append(key)
    plan.draws.setdefault((task.study, task.data.name, task.case), []).append(_draw(task))
    plan.tasks.append(replace(task, keys=keys))


def _draw(task: Task) -> Draw:
    """Return the draw of random costs or prices of a trial, which data sets share; without one, the trial."""
    drawn = [spec.per for spec in (task.costs, task.prices) if spec is not None and is_drawn(spec)]
    if "repeat" in drawn:
        return task.repeat
    return (task.repeat, task.fold) if drawn else (task.data.name, task.repeat, task.fold)


def _needed_learners(plan: Plan, study: Study, shown: list[TableSpec]) -> tuple[LearnerSpec, ...]:
    needed: set[str] = set()
    for table in shown:
        if "learner" in table.rows or table.ranks is not None:
            needed |= {spec.name for spec in study.learners if table.shows(spec)}
        for column in table.columns:
            needed |= {name for name in (column.learner, column.over, column.minus) if name is not None}
    return tuple(spec for spec in study.learners if spec.name in needed and _can_be_had(plan, study, spec))


def _can_be_had(plan: Plan, study: Study, spec: LearnerSpec) -> bool:
    """Whether a learner can be made; one that should be there and is not is an error before anything runs."""
    place = study.name, "", spec.name
    if spec.missing is not None:
        plan.absent.setdefault(place, spec.missing)
    elif place not in plan.absent:
        try:
            make_learner(spec, None, None, 0)
        except ValueError as error:
            if not spec.optional:
                raise ProtocolError(f"{plan.protocol.name}.toml: learners.{spec.family}: {error}") from None
            plan.absent[place] = "not installed"
    return place not in plan.absent
