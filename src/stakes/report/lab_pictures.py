"""Pictures of a lab report: which ones a table gets, and those that the lab itself does not draw."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stakes._text import svg
from stakes._text.svg import Axis
from stakes.lab import Cell, ColumnSpec, Reproduction, ResultTable, TableSpec
from stakes.lab.pictures import critical_difference_picture, figure_picture

WIDTH, RIGHT = 720, 24
#: Measures of what things cost; their figures are drawn by data set.
COSTS = ("cost", "mean_cost", "price_ratio_")
#: With more learners than this the paper's figures would hide ours.
MOST_WITH_PAPER = 3


@dataclass(frozen=True)
class Picture:
    """A drawing, and what a reader should see in it."""

    svg: str
    caption: str


def pictures(table: ResultTable, reproduction: Reproduction) -> tuple[Picture, ...]:
    """The pictures that say more than the figures of a table."""
    if all(cell.ours is None for row in table.rows for cell in row.cells):
        return ()
    specs = {(spec.kind, spec.number): spec for spec in reproduction.protocol.tables}
    spec = specs[table.kind, table.number]
    made: list[Picture] = []
    if table.kind == "figure":
        has_errors = any(cell.spread is not None for row in table.rows for cell in row.cells)
        caption = "Bars are standard errors." if has_errors else "One trial each, hence no standard errors."
        made.append(Picture(figure_picture(table), caption))
    elif spec.rows in (("dataset",), ("dataset", "case")):
        made += _by_dataset(table, spec)
    elif spec.rows == ("dataset", "learner"):
        made += _coverage(table, spec)
    other = _accuracy_of(spec, specs.values(), reproduction.tables)
    if other is not None:
        made += _front(table, other)
    if table.ranks is not None:
        caption = (
            "Average ranks, the best at the left. Learners under one bar are not told apart at the level "
            f"{table.ranks.level:g}."
        )
        made.append(Picture(critical_difference_picture(table.ranks), caption))
    return tuple(made)


def _by_dataset(table: ResultTable, spec: TableSpec) -> Iterable[Picture]:
    """Costs by data set; where the table has ratios of costs, these, since they share a scale."""
    costs = [c for c, column in enumerate(spec.columns) if column.measure in COSTS and column.minus is None]
    ratios = [c for c in costs if spec.columns[c].over is not None]
    chosen = ratios or costs
    rows = [
        (", ".join(filter(None, row.labels)), [row.cells[c] for c in chosen])
        for row in table.rows
        if not row.is_mean and any(row.cells[c].ours is not None for c in chosen)
    ]
    if not chosen or len(rows) < 2:
        return
    names = [spec.columns[c].learner or table.columns[c].label for c in chosen]
    label = table.columns[chosen[0]].label if len(chosen) == 1 else _word(spec.columns[chosen[0]])
    paper = any(cell.paper is not None for _, cells in rows for cell in cells)
    caption = "Full marks are ours, with a standard error to either side"
    if paper and len(names) <= MOST_WITH_PAPER:
        caption += "; open marks are the paper's"
    one_scale = bool(ratios) or spec.columns[chosen[0]].measure == "price_ratio_"
    drawing = dots_picture(f"{table.heading}: {label}", rows, names, label, many_scales=not one_scale)
    yield Picture(drawing, f"{caption}.")


def _word(column: ColumnSpec) -> str:
    return {"mean_cost": "cost per row", "price_ratio_": "price ratio"}.get(column.measure, column.measure)


def _coverage(table: ResultTable, spec: TableSpec) -> Iterable[Picture]:
    """Accuracy by the share of the rows that is decided, for each data set."""
    measures = [column.measure for column in spec.columns]
    if "accuracy" not in measures or "undecided" not in measures:
        return
    right, open_rows = measures.index("accuracy"), measures.index("undecided")
    panels = []
    for name, rows in itertools.groupby(table.rows, key=lambda row: row.labels[0]):
        points = [(row.labels[-1], row.cells[open_rows], row.cells[right]) for row in rows if not row.is_mean]
        if any(cell.ours is not None for _, _, cell in points):
            panels.append((name, points))
    if panels:
        caption = (
            "Each mark is a learner or a cut-off. To the right how many of the rows it decides, upwards how "
            "many of these rightly, in per cent. Full marks are ours, open ones the paper's."
        )
        yield Picture(coverage_picture(f"{table.heading}, by data set", panels), caption)


def _accuracy_of(
    spec: TableSpec, specs: Iterable[TableSpec], tables: Iterable[ResultTable]
) -> ResultTable | None:
    """The table with what the trees of this one lose in accuracy, where this one has their prices."""
    if {column.measure for column in spec.columns} != {"price_ratio_"}:
        return None
    numbers = {
        other.number
        for other in specs
        if other.study == spec.study
        and [(c.measure, c.learner) for c in other.columns]
        == [("error_rate", column.learner) for column in spec.columns]
        and all(column.minus is not None for column in other.columns)
    }
    return next((table for table in tables if table.kind == "table" and table.number in numbers), None)


def _front(prices: ResultTable, losses: ResultTable) -> Iterable[Picture]:
    lost = {row.labels: row.cells for row in losses.rows if not row.is_mean}
    single: list[tuple[str, str, float, float]] = []
    means: list[tuple[str, float, float]] = []
    for c, column in enumerate(prices.columns):
        here: list[tuple[str, float, float]] = []
        for row in prices.rows:
            cells = lost.get(row.labels)
            price, loss = row.cells[c].ours, None if cells is None else cells[c].ours
            if price is not None and loss is not None:
                here.append((row.labels[0], price, loss))
        if here:
            single += [(column.label, *point) for point in here]
            price_mean, loss_mean = (statistics.fmean(values) for values in list(zip(*here, strict=True))[1:])
            means.append((column.label, price_mean, loss_mean))
    if means:
        caption = (
            "Full marks are means over the data sets, faint ones single data sets. The dotted line joins the "
            "criteria that none beats in both price and accuracy."
        )
        title = "Price of the columns against accuracy lost"
        labels = "price of the columns, C4.5 = 1", "points of accuracy lost"
        yield Picture(front_picture(title, means, single, *labels), caption)


def coverage_picture(title: str, panels: Sequence[tuple[str, Sequence[tuple[str, Cell, Cell]]]]) -> str:
    """Draw accuracy against the rows that are decided, one small panel per data set.

    A panel is a name and points: learner, per cent of the rows undecided, accuracy of the others.
    """
    across, width, height = 3, WIDTH / 3, 190
    parts: list[str] = []
    known = [v for _, points in panels for _, _, cell in points for v in _values(cell, True)]
    silent_most = [v for _, points in panels for _, cell, _ in points for v in _values(cell, True)]
    low = max(0.0, 95.0 - max(silent_most, default=0.0))
    for i, (name, points) in enumerate(panels):
        left, top = 40 + width * (i % across), 34 + height * (i // across)
        x = Axis(low, 100.0 + 0.06 * (100.0 - low), left, left + width - 56)
        y = Axis.around([*known, 100.0], top + height - 82, top)
        parts.append(svg.text(left, top - 12, name if len(name) <= 26 else f"{name[:25]}…", kind="name"))
        parts += svg.y_axis(y, x.start, x.end)
        parts += [svg.line(x.start, y.start, x.end, y.start, "axis")]
        parts += [svg.text(x.at(tick), y.start + 18, f"{tick:g} %", "middle") for tick in x.ticks(3)]
        parts.append(svg.text((x.start + x.end) / 2, y.start + 36, "of rows decided", "middle"))
        parts.append('<g class="s0">')
        for learner, undecided, right in points:
            if undecided.paper is not None and right.paper is not None:
                at = x.at(100 - undecided.paper), y.at(right.paper)
                parts.append(svg.mark(*at, 0, "open", f"{learner}, the paper: {right.paper:g}"))
        for learner, undecided, right in points:
            if undecided.ours is not None and right.ours is not None:
                at = x.at(100 - undecided.ours), y.at(right.ours)
                parts.append(svg.mark(*at, 0, title=f"{learner}: {right.ours:.1f}"))
        parts.append("</g>")
    return svg.picture(WIDTH, 34 + height * -(-len(panels) // across), title, parts)


def dots_picture(
    title: str,
    rows: Sequence[tuple[str, Sequence[Cell]]],
    series: Sequence[str],
    x_label: str,
    *,
    many_scales: bool = False,
) -> str:
    """Draw one line per data set, with a mark for each learner: full is ours, open the paper's.

    ``many_scales``: figures of different data sets may be of different size, and the axis logarithmic then.
    """
    left = 24 + 7.4 * min(30, max(len(name) for name, _ in rows))
    with_paper = len(series) <= MOST_WITH_PAPER
    parts, down = svg.legend(series if len(series) > 1 else (), 16, 18, WIDTH - 40)
    step, top = max(26, 8 * len(series) + 8), down + 10 if len(series) > 1 else 10
    bottom = top + step * len(rows)
    known = [v for _, cells in rows for cell in cells for v in _values(cell, with_paper)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    log = many_scales and low > 0 and high / low > 30
    x = Axis.around(known, left, WIDTH - RIGHT, log=log)
    parts += svg.x_axis(x, bottom, f"{x_label} (logarithmic)" if log else x_label, top)
    for i, (name, cells) in enumerate(rows):
        y = top + step * (i + 0.5)
        if i > 0 and len(series) > 1:
            parts.append(svg.line(left, y - step / 2, WIDTH - RIGHT, y - step / 2, "grid"))
        parts.append(svg.text(left - 12, y + 4, name if len(name) <= 30 else f"{name[:29]}…", "end", "name"))
        for s, cell in enumerate(cells):
            here = y + (s - (len(cells) - 1) / 2) * 8
            parts.append(f'<g class="s{s % len(svg.COLOURS)}">{_dot(cell, x, here, s, with_paper)}</g>')
    return svg.picture(WIDTH, bottom + 50, title, parts)


def _values(cell: Cell, with_paper: bool) -> list[float]:
    values = [] if cell.paper is None or not with_paper else [cell.paper]
    if cell.ours is None:
        return values
    low = cell.ours - (cell.spread or 0.0)
    # A bar that reaches to 0 or below has no end on a logarithmic axis.
    return [*values, low if low > 0 else cell.ours, cell.ours + (cell.spread or 0.0)]


def _dot(cell: Cell, x: Axis, y: float, shape: int, with_paper: bool) -> str:
    parts = []
    if cell.paper is not None and with_paper:
        parts.append(svg.mark(x.at(cell.paper), y, shape, "open", f"the paper: {cell.paper:g}"))
    if cell.ours is not None:
        low, high = (cell.ours + sign * (cell.spread or 0.0) for sign in (-1, 1))
        low, high = (min(max(end, x.low), x.high) for end in (low, high))
        parts.append(svg.line(x.at(low), y, x.at(high), y, "whisker"))
        parts.append(svg.mark(x.at(cell.ours), y, shape, title=f"ours: {cell.ours:.4g}"))
    return "".join(parts)


def front_picture(
    title: str,
    means: Sequence[tuple[str, float, float]],
    single: Sequence[tuple[str, str, float, float]],
    x_label: str,
    y_label: str,
) -> str:
    """Draw two figures against each other, both the lower the better, with the front that nothing beats.

    ``means`` are (learner, x, y); ``single`` are (learner, data set, x, y), drawn faintly.
    """
    height, left, bottom = 360, 60, 52
    names = [name for name, _, _ in means]
    parts, down = svg.legend(names, 16, 18, WIDTH - 40)
    top = down + 30
    x = Axis.around([a for _, a, _ in means] + [a for *_, a, _ in single], left, WIDTH - RIGHT)
    y = Axis.around([b for *_, b in means] + [b for *_, b in single], height - bottom, top)
    front = pareto([(a, b) for _, a, b in means])
    stairs: list[tuple[float, float]] = []
    for a, b in front:
        stairs += [(x.at(a), stairs[-1][1])] if stairs else []
        stairs.append((x.at(a), y.at(b)))
    parts += [
        svg.text(10, top - 8, y_label, kind="name"),
        *svg.y_axis(y, left, WIDTH - RIGHT),
        *svg.x_axis(x, height - bottom, x_label),
        f'<polyline class="mark" fill="none" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in stairs)}"/>',
    ]
    for name, data, a, b in single:
        s = names.index(name)
        label = f"{name}, {data}: {a:.3g}, {b:.3g}"
        parts.append(
            f'<g class="s{s % len(svg.COLOURS)} faint">{svg.mark(x.at(a), y.at(b), s, "open", label)}</g>'
        )
    for s, (name, a, b) in enumerate(means):
        label = f"{name}, mean: {a:.3g}, {b:.3g}"
        parts.append(f'<g class="s{s % len(svg.COLOURS)}">{svg.mark(x.at(a), y.at(b), s, title=label)}</g>')
    return svg.picture(WIDTH, height, title, parts)


def pareto(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points that no other is below in one respect and not above in the other, from left to right.

    Examples
    --------
    >>> pareto([(1, 3), (2, 2), (2, 4), (3, 2), (4, 0)])
    [(1, 3), (2, 2), (4, 0)]
    """
    front: list[tuple[float, float]] = []
    for point in sorted(set(points)):
        if not front or point[1] < front[-1][1]:
            front.append(point)
    return front
