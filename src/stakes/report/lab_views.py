"""What the report of a lab run says, as plain data."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stakes._text.money import check_currency, money, stating
from stakes.compare import Comparison
from stakes.lab import Cell, Outcome, PeerComparison, Reproduction, ResultTable, UnitTime
from stakes.lab.writers import ranks_text
from stakes.report.lab_pictures import Picture, pictures

#: Tracebacks of more failed units are in the text file only.
MOST_FAILURES = 50


@dataclass(frozen=True)
class CellView:
    """One figure in text.

    Attributes
    ----------
    ours, spread, paper, difference : str
        Empty where there is none.
    verdict : {"", "same", "lower", "higher"}
        How ours compares with the paper's.
    """

    ours: str = ""
    spread: str = ""
    paper: str = ""
    difference: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class RowView:
    """One row: labels and cells; ``again`` where the first label is that of the row above."""

    labels: tuple[str, ...]
    cells: tuple[CellView, ...]
    is_mean: bool = False
    again: bool = False


@dataclass(frozen=True)
class TableView:
    """A table or figure of a paper as it is shown, rows and columns already changed where it says so.

    ``no_errors``: whether figures that are compared have no standard error. ``is_empty``: whether there is no
    figure of ours.
    """

    name: str
    number: str
    title: str
    quick: bool
    has_paper: bool
    no_errors: bool
    is_empty: bool
    is_figure: bool
    head: tuple[str, ...]
    n_labels: int
    rows: tuple[RowView, ...]
    notes: tuple[str, ...]
    ranks: str
    pictures: tuple[Picture, ...]


@dataclass(frozen=True)
class Failure:
    """A unit that failed: which one, its last words, and all of them."""

    what: str
    last: str
    traceback: str


@dataclass(frozen=True)
class TimeLine:
    """What the units of one learner took: processor seconds and most bytes."""

    learner: str
    units: int
    failed: int
    total: float
    median: float
    longest: float
    memory: int | None


@dataclass(frozen=True)
class LabView:
    """Everything that the report of a protocol shows.

    Attributes
    ----------
    title, command : str
    quick : bool
    notes : tuple of str
    tables : tuple of TableView
    absent : tuple of (str, str)
        What was not available, and why.
    failures : tuple of Failure
        At most `MOST_FAILURES` of ``n_failed``.
    times : tuple of TimeLine
    n_units, n_failed : int
    seconds : float
    memory : int
    verdicts : dict of verdict to number of figures
    """

    title: str
    command: str
    quick: bool
    notes: tuple[str, ...]
    tables: tuple[TableView, ...]
    absent: tuple[tuple[str, str], ...]
    failures: tuple[Failure, ...]
    times: tuple[TimeLine, ...]
    n_units: int
    n_failed: int
    seconds: float
    memory: int
    verdicts: dict[str, int]


@dataclass(frozen=True)
class ComparisonView:
    """Everything that the report of `stakes compare` shows."""

    title: str
    comparison: Comparison
    words: tuple[str, ...]
    absent: tuple[tuple[str, str], ...]
    failures: tuple[Failure, ...]
    times: tuple[TimeLine, ...]
    n_units: int
    n_failed: int
    currency: str | None = None


def lab_view(reproduction: Reproduction) -> LabView:
    """Work out what the report of a protocol shows.

    Examples
    --------
    >>> from stakes.lab import reproduce
    >>> view = lab_view(reproduce("ting1998", tables=["1"], datasets=["German"], quick=True))
    >>> cell = view.tables[0].rows[0].cells[2]
    >>> cell.paper, cell.verdict in ("same", "lower", "higher"), view.quick
    ('0.42', True, True)
    """
    tables = tuple(_table(table, pictures(table, reproduction)) for table in reproduction.tables)
    verdicts = [cell.verdict for table in tables for row in table.rows for cell in row.cells]
    quick = " --quick" if reproduction.quick else ""
    return LabView(
        title=reproduction.protocol.title,
        command=f"stakes reproduce {reproduction.protocol.name}{quick}",
        quick=reproduction.quick,
        notes=reproduction.protocol.notes,
        tables=tables,
        absent=reproduction.absent,
        failures=_failures(reproduction.failures),
        times=time_lines(reproduction.times),
        n_units=reproduction.n_units,
        n_failed=len(reproduction.failures),
        seconds=reproduction.seconds,
        memory=reproduction.memory,
        verdicts={name: verdicts.count(name) for name in ("same", "lower", "higher")},
    )


def comparison_view(result: PeerComparison, name: str, currency: str | None = None) -> ComparisonView:
    """Work out what the report of a comparison shows; ``name`` is that of the data."""
    with stating(check_currency(currency)):
        words = tuple(_words(result.comparison))
    return ComparisonView(
        title=f"What learners cost on {name}",
        comparison=result.comparison,
        words=words,
        absent=tuple(result.absent.items()),
        failures=_failures(result.failures),
        times=time_lines(result.times),
        n_units=len(result.times),
        n_failed=len(result.failures),
        currency=currency,
    )


def _words(comparison: Comparison) -> Iterable[str]:
    best, constant, three = comparison.cheapest, comparison.constant_cost, "{:.3f}".format
    yield (
        f"The cheapest is {best.name}, at {money(best.decisive.mean, three)} per row. Always answering "
        f"{comparison.constant} costs {money(constant, three)}."
    )
    worse = [r.name for r in comparison.results if r.decisive.mean > constant * (1 + 1e-9)]
    if worse:
        yield f"Costlier than that constant: {', '.join(worse)}."
    near = [test.name for test in comparison.tests if test.adjusted >= 1 - comparison.level]
    if near:
        yield f"May well be as cheap as the cheapest (corrected t-test, Holm): {', '.join(near)}."
    elif comparison.tests:
        yield "All others are costlier by more than chance (corrected t-test, Holm)."


# ---- tables ------------------------------------------------------------------------------------------------


def _table(table: ResultTable, figures: tuple[Picture, ...]) -> TableView:
    rows = [
        RowView(
            row.labels,
            tuple(cell_view(c, column.digits) for c, column in zip(row.cells, table.columns, strict=True)),
            row.is_mean and len(table.rows) > 1,
            i > 0 and row.labels[0] == table.rows[i - 1].labels[0],
        )
        for i, row in enumerate(table.rows)
    ]
    head, n_labels = (*table.row_names, *(column.label for column in table.columns)), len(table.row_names)
    if table.transpose:
        head, n_labels = ("", *(", ".join(filter(None, row.labels)) for row in rows)), 1
        rows = [
            RowView((column.label,), tuple(row.cells[c] for row in rows))
            for c, column in enumerate(table.columns)
        ]
    return TableView(
        name=table.name,
        number=f"{table.kind.capitalize()} {table.number}",
        title=table.title,
        quick=table.quick,
        has_paper=table.has_paper,
        no_errors=any(c.difference is not None and c.spread is None for row in table.rows for c in row.cells),
        is_empty=all(cell.ours is None for row in table.rows for cell in row.cells),
        is_figure=table.kind == "figure",
        head=head,
        n_labels=n_labels,
        rows=tuple(rows),
        notes=table.notes,
        ranks=ranks_text(table.ranks),
        pictures=figures,
    )


def cell_view(cell: Cell, digits: int) -> CellView:
    """One cell in text, with the verdict.

    Examples
    --------
    >>> cell_view(Cell(0.656, 0.62, 0.012), 2)
    CellView(ours='0.66', spread='0.01', paper='0.62', difference='+0.04', verdict='higher')
    >>> cell_view(Cell(0.656, 0.62, 0.02), 2).verdict
    'same'
    """
    difference = cell.difference
    return CellView(
        ours="" if cell.ours is None else f"{cell.ours:.{digits}f}",
        spread="" if cell.spread is None else f"{cell.spread:.{digits}f}",
        paper="" if cell.paper is None else f"{cell.paper:.{digits}f}",
        difference="" if difference is None else f"{difference:+.{digits}f}".replace("-", "−"),
        verdict=_verdict(cell, digits),
    )


def _verdict(cell: Cell, digits: int) -> str:
    """Same where it differs by at most two standard errors, the paper's included, or by rounding alone."""
    if cell.difference is None:
        return ""
    error = math.hypot(cell.spread or 0.0, cell.paper_spread or 0.0)
    if abs(cell.difference) <= max(2 * error, 0.5 * 10.0**-digits * (1 + 1e-9)):
        return "same"
    return "lower" if cell.difference < 0 else "higher"


# ---- units -------------------------------------------------------------------------------------------------


def _failures(outcomes: Sequence[Outcome]) -> tuple[Failure, ...]:
    failures = []
    for outcome in outcomes[:MOST_FAILURES]:
        what = ", ".join(f"{key} {value}" for key, value in outcome.what.items() if value != "")
        trace = (outcome.traceback or "").strip()
        failures.append(Failure(what, trace.splitlines()[-1] if trace else "", trace))
    return tuple(failures)


def time_lines(times: Iterable[UnitTime]) -> tuple[TimeLine, ...]:
    """Time and memory by learner, the longest in all first."""
    groups: dict[str, list[UnitTime]] = {}
    for unit in times:
        groups.setdefault(str(unit.what.get("learner", "")), []).append(unit)
    lines = [
        TimeLine(
            learner=name,
            units=len(units),
            failed=sum(unit.failed for unit in units),
            total=sum(unit.cpu for unit in units),
            median=statistics.median(unit.cpu for unit in units),
            longest=max(unit.cpu for unit in units),
            memory=max((unit.memory for unit in units if unit.memory is not None), default=None),
        )
        for name, units in groups.items()
    ]
    return tuple(sorted(lines, key=lambda line: (-line.total, line.learner)))


def duration(seconds: float) -> str:
    """Seconds for people.

    Examples
    --------
    >>> duration(0.00423), duration(0.5), duration(12.34), duration(200), duration(7500)
    ('4.2 ms', '500 ms', '12.3 s', '3 min 20 s', '2 h 5 min')
    """
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms" if seconds >= 0.01 else f"{1000 * seconds:.1f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
