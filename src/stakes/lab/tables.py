"""From records of units to tables."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.compare import statistics
from stakes.lab.estimates import Estimate, mean_of_estimates, mean_of_trials, ratio_of_trials
from stakes.lab.measures import figure
from stakes.lab.plan import NOT_ASKED, Plan
from stakes.lab.results import Cell, Column, ResultTable, Row
from stakes.lab.specs import ColumnSpec, DataSpec, LearnerSpec, Study, TableSpec
from stakes.lab.store import Store

#: Said where a mean of the paper is over other data sets than ours.
NOT_COMPARED = (
    "A mean of the paper's over all of its data sets stands alone, since ours is of those that ran, and the "
    "paper does not give its figure for each of these here."
)


def build_tables(plan: Plan, store: Store) -> list[ResultTable]:
    """The tables of a plan from what the store holds."""
    records = store.records(plan.all_keys)
    return [_Builder(plan, spec, records).table() for spec in plan.tables]


class _Builder:
    """Builds one table."""

    def __init__(self, plan: Plan, spec: TableSpec, records: Mapping[str, Any]) -> None:
        self.plan, self.spec, self.records = plan, spec, records
        self.study: Study = plan.protocol.studies[spec.study]
        self.all_datasets = [
            d for d in self.study.datasets if spec.datasets is None or d.name in spec.datasets
        ]
        # What was not asked for is in a note; what was asked for and is not available has a row of its own.
        self.datasets = [d for d in self.all_datasets if plan.absent.get((spec.study, d.name)) != NOT_ASKED]
        self.learners = [learner for learner in self.study.learners if spec.shows(learner)]
        self.cases = list(self.study.cases)
        self.estimates: dict[tuple[tuple[str, ...], int], Estimate | None] = {}
        self.not_compared = False

    def table(self) -> ResultTable:
        spec = self.spec
        rows = self.group_rows() if spec.rows == ("group",) else self.plain_rows()
        return ResultTable(
            protocol=self.plan.protocol.name,
            kind=spec.kind,
            number=spec.number,
            title=spec.title,
            row_names=tuple({"dataset": "data set", "case": "costs"}.get(name, name) for name in spec.rows),
            columns=tuple(Column(column.label, column.digits) for column in spec.columns),
            rows=tuple(rows),
            notes=tuple(self.notes()),
            quick=self.plan.quick,
            transpose=spec.transpose,
            ranks=self.ranks(),
            x_label=spec.x_label,
            log_x=spec.log_x,
        )

    # ---- rows

    def plain_rows(self) -> list[Row]:
        if self.spec.mean is None:
            return list(self.rows_of(self.datasets))
        rows: list[Row] = []
        for group in self.groups():
            here = [d for d in self.datasets if d.group == group]
            part = list(self.rows_of(here))
            label = f"{self.spec.mean}, {group}" if group else self.spec.mean
            whole = sum(d.group == group for d in self.all_datasets) == len(here)
            rows += part + (self.mean_rows(part, label, whole) if len(part) > 1 else [])
        return rows

    def groups(self) -> list[str]:
        return list(dict.fromkeys(spec.group for spec in self.datasets))

    def rows_of(self, datasets: list[DataSpec]) -> Iterable[Row]:
        names = self.spec.rows
        choices: dict[str, list[Any]] = {"dataset": datasets, "learner": self.learners, "case": self.cases}
        for chosen in itertools.product(*(choices[name] for name in names)):
            at = dict(zip(names, chosen, strict=True))
            labels = tuple(c if isinstance(c, str) else c.name for c in chosen)
            rest = [at["dataset"]] if "dataset" in at else datasets
            cells = [
                self.cell(labels, i, rest, at.get("case", self.cases[0]), at.get("learner"), column)
                for i, column in enumerate(self.spec.columns)
            ]
            yield Row(labels, tuple(cells), x=self.position(at))

    def position(self, at: Mapping[str, Any]) -> float | None:
        if self.spec.kind != "figure":
            return None
        learner: LearnerSpec | None = at.get("learner")
        return learner.x if learner is not None else float(self.cases.index(at["case"]))

    def cell(
        self,
        labels: tuple[str, ...],
        index: int,
        datasets: list[DataSpec],
        case: str,
        learner: LearnerSpec | None,
        column: ColumnSpec,
    ) -> Cell:
        values = [self.value(d.name, case, learner, column) for d in datasets]
        estimate = self.estimates[labels, index] = (
            values[0] if len(values) == 1 else mean_of_estimates(values)
        )
        ours, spread = _figures(estimate)
        paper = _at(self.spec.paper, labels, index)
        if "dataset" not in self.spec.rows and self.datasets != self.all_datasets and paper is not None:
            self.not_compared = True
            return Cell(ours, None, spread)
        return Cell(ours, paper, spread, _at(self.spec.paper_spread, labels, index))

    def mean_rows(self, rows: list[Row], label: str, whole: bool) -> list[Row]:
        """Mean of rows; ``whole`` says whether they are about all data sets that the table is about."""
        shared = [self.mean_cell(rows, i, column) for i, column in enumerate(self.spec.columns)]
        complete = [
            whole and not any(row.cells[i].ours is None and row.cells[i].paper is not None for row in rows)
            for i in range(len(shared))
        ]
        return self.like_with_like((label, *[""] * (len(self.spec.rows) - 1)), shared, complete)

    def like_with_like(self, labels: tuple[str, ...], shared: list[Cell], complete: list[bool]) -> list[Row]:
        """A row of means, and one more where the paper's own are over data sets that ours lack.

        Parameters
        ----------
        labels : tuple of str
            Those of the row; the first one is the key of the paper's means.
        shared : list of Cell
            Ours, next to the paper's mean over the same data sets where that is known.
        complete : list of bool
            For each column, whether ours is over all data sets.
        """
        means = [
            _at(self.spec.paper, labels[:1], i) if column.mean else None
            for i, column in enumerate(self.spec.columns)
        ]
        apart = [
            not whole and cell.ours is not None and (paper is not None or cell.paper is not None)
            for cell, paper, whole in zip(shared, means, complete, strict=True)
        ]
        cells = (
            Cell(paper=paper) if alone and paper is not None else Cell(cell.ours, paper, cell.spread)
            for cell, paper, alone in zip(shared, means, apart, strict=True)
        )
        row = Row(labels, tuple(cells), is_mean=True)
        if not any(apart):
            return [row]
        first, *rest = labels
        self.not_compared |= any(a and cell.paper is None for a, cell in zip(apart, shared, strict=True))
        return [row, Row((f"{first}, of those that ran", *rest), tuple(shared), is_mean=True)]

    def mean_cell(self, rows: list[Row], index: int, column: ColumnSpec) -> Cell:
        if not column.mean:
            return Cell()
        shown = [row for row in rows if row.cells[index].ours is not None]
        cells = [row.cells[index] for row in shown]
        ours, spread = _figures(mean_of_estimates([self.estimates[row.labels, index] for row in shown]))
        paper = [cell.paper for cell in cells if cell.paper is not None]
        return Cell(ours, float(np.mean(paper)) if paper and len(paper) == len(cells) else None, spread)

    def group_rows(self) -> list[Row]:
        rows: list[Row] = []
        for group in self.groups():
            members = [d.name for d in self.all_datasets if d.group == group]
            cells, complete = [], []
            for column in self.spec.columns:
                values = [self.value(name, self.cases[0], None, column) for name in members]
                ran = [value for value in values if value is not None]
                ours, spread = _figures(mean_of_estimates(ran))
                cells.append(Cell(ours, None, spread))
                complete.append(len(ran) == len(values))
            rows += self.like_with_like((group or "all data sets",), cells, complete)
        return rows

    # ---- values

    def value(
        self, dataset: str, case: str, learner: LearnerSpec | None, column: ColumnSpec
    ) -> Estimate | None:
        """Figure of a cell and its standard error; None where units are not there or have failed."""
        name = learner.name if column.learner is None and learner is not None else str(column.learner)
        values = self.series(dataset, case, name, column.measure)
        if values is None:
            return None
        draws = self.plan.draws[self.spec.study, dataset, case]
        values = column.scale * values
        other = column.over or column.minus
        if other is None:
            return mean_of_trials(values, draws)
        base = self.series(dataset, case, other, column.measure)
        if base is None:
            return None
        if column.minus is not None:
            return mean_of_trials(values - column.scale * base, draws)
        return ratio_of_trials(values, base, draws)

    def series(self, dataset: str, case: str, learner: str, measure: str) -> NDArray[np.float64] | None:
        """Figures of the trials of a cell, in order; None unless all are there."""
        keys = self.plan.keys.get((self.spec.study, dataset, case, learner), [])
        if not keys or any(key not in self.records for key in keys):
            return None
        return np.array([figure(self.records[key], measure) for key in keys])

    def ranks(self) -> statistics.Ranks | None:
        """Learners over the data sets on which all of them ran, where there are enough of both."""
        if self.spec.ranks is None:
            return None
        shown = self.shown_learners()
        names = [
            spec.name for spec in self.learners if spec.name in shown and not self.absent_learner(spec.name)
        ]
        figures: dict[str, list[float]] = {name: [] for name in names}
        for data, case in itertools.product(self.datasets, self.cases):
            values = [self.series(data.name, case, name, self.spec.ranks) for name in names]
            if all(value is not None for value in values):
                for name, value in zip(names, values, strict=True):
                    figures[name].append(float(np.mean(value)))  # type: ignore[arg-type]
        n_datasets = len(next(iter(figures.values()), []))
        return statistics.rank_learners(figures) if len(names) > 1 and n_datasets > 1 else None

    # ---- notes

    def shown_learners(self) -> list[str]:
        """Names of the learners that the table speaks of; the study may have more."""
        shown = {learner.name for learner in self.learners} if "learner" in self.spec.rows else set()
        shown |= {str(n) for c in self.spec.columns for n in (c.learner, c.over, c.minus) if n is not None}
        return [learner.name for learner in self.study.learners if learner.name in shown]

    def absent_learner(self, name: str) -> str | None:
        return self.plan.absent.get((self.spec.study, "", name))

    def notes(self) -> Iterable[str]:
        if self.plan.quick:
            yield self.quick_note()
        yield from self.spec.notes
        yield from _together(
            (data.name, self.plan.absent.get((self.spec.study, data.name))) for data in self.all_datasets
        )
        shown = self.shown_learners()
        yield from _together((name, self.absent_learner(name)) for name in shown)
        if self.not_compared:
            yield NOT_COMPARED
        yield from self.failures(shown)

    def quick_note(self) -> str:
        quick, splits = self.study.quick, self.study.splits
        parts = [f"{splits.repeats} repeat" + ("s" if splits.repeats > 1 else "")]
        parts += [f"{quick.folds} folds"] if quick.folds is not None else []
        parts += ["smaller settings of " + ", ".join(quick.params)] if quick.params else []
        return f"Quick version ({', '.join(parts)}): a smoke test, not the paper's protocol."

    def failures(self, shown: list[str]) -> Iterable[str]:
        names = {data.name for data in self.datasets}
        for (study, dataset, case, learner), keys in self.plan.keys.items():
            if study != self.spec.study or dataset not in names or learner not in shown:
                continue
            failed = sum(key not in self.records for key in keys)
            if failed:
                where = f"{dataset}, {case}, {learner}" if case else f"{dataset}, {learner}"
                yield f"{where}: {failed} of {len(keys)} trials failed, so that there is no figure."


def _together(pairs: Iterable[tuple[str, str | None]]) -> Iterable[str]:
    """One sentence for each reason."""
    together: dict[str, list[str]] = {}
    for name, reason in pairs:
        if reason is not None:
            together.setdefault(reason, []).append(name)
    for reason, names in together.items():
        yield f"{', '.join(names)}: {reason}."


def _at(
    figures: Mapping[tuple[str, ...], tuple[float, ...]], labels: tuple[str, ...], index: int
) -> float | None:
    row = figures.get(labels)
    return None if row is None or math.isnan(row[index]) else row[index]


def _figures(estimate: Estimate | None) -> tuple[float | None, float | None]:
    """Value and standard error."""
    return (None, None) if estimate is None else (estimate.value, estimate.error)
