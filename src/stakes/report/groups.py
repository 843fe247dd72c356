"""What the rows cost by a column, which the model need not know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stakes._base.groups import row_groups
from stakes._base.intervals import mean_interval
from stakes._text.words import plain
from stakes.compare import Interval
from stakes.report.answered import AnsweredRows
from stakes.table import Table


@dataclass(frozen=True)
class GroupCost:
    """What some of the rows cost.

    Attributes
    ----------
    name : str
    rows : float
    cost : Interval
        Cost per row, tests and undecided rows included.
    constant : float
        What the best constant of all rows costs per row of these.
    errors, undecided : float
        Rows that are answered wrongly, and that are left undecided.
    tests : float
        Cost of the tests per row.
    """

    name: str
    rows: float
    cost: Interval
    constant: float
    errors: float
    undecided: float
    tests: float


@dataclass(frozen=True)
class GroupTable:
    """The groups that a column makes, and all rows together."""

    column: str
    groups: tuple[GroupCost, ...]
    everything: GroupCost


def group_tables(table: Table | None, answered: AnsweredRows, constant: int) -> tuple[GroupTable, ...]:
    """The cost by each column; ``constant`` is the code of the best constant of all rows."""
    if table is None:
        return ()
    everything = np.ones(len(table), dtype=bool)
    return tuple(
        GroupTable(
            plain(column.name),
            tuple(
                _group(name, rows, answered, constant)
                for name, rows in row_groups(column, values, answered.weight)
            ),
            _group("all rows", everything, answered, constant),
        )
        for column, values in zip(table.schema.columns, table.columns, strict=True)
    )


def _group(name: str, rows: NDArray[np.bool_], answered: AnsweredRows, constant: int) -> GroupCost:
    weight, whole = answered.weight[rows], answered.whole
    undecided = np.zeros(len(weight), bool) if whole is None else whole.undecided[rows]
    return GroupCost(
        name=name,
        rows=float(weight.sum()),
        cost=mean_interval(answered.all_paid[rows], weight),
        constant=float(weight @ answered.matrix.values[answered.actual[rows], constant] / weight.sum()),
        errors=float(weight @ (answered.wrong[rows] & ~undecided)),
        undecided=float(weight @ undecided),
        tests=0.0 if whole is None else float(weight @ whole.tests[rows] / weight.sum()),
    )
