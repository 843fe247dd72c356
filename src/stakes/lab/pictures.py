"""Pictures as SVG text: critical differences, and the figures of a paper."""

from __future__ import annotations

import math

from stakes._text import svg
from stakes._text.svg import Axis
from stakes.compare import statistics
from stakes.lab.results import Cell, Column, ResultTable, Row

WIDTH, LEFT, RIGHT = 720, 70, 24


def critical_difference_picture(ranks: statistics.Ranks) -> str:
    """Draw average ranks on a line, with bars over learners that are not told apart.

    Examples
    --------
    >>> from stakes.compare.statistics import rank_learners
    >>> picture = critical_difference_picture(rank_learners({"a": [1, 1, 1], "b": [2, 2, 3], "c": [3, 3, 2]}))
    >>> picture.startswith("<svg") and picture.endswith("</svg>")
    True
    """
    n = len(ranks.names)
    left, top, line = 180, 56, 22
    per_side = math.ceil(n / 2)
    bars_end = top + 14 + 9 * len(ranks.groups)
    height = bars_end + 16 + line * per_side
    x = Axis(1, n, left, WIDTH - left)
    difference = f"critical difference {ranks.critical_difference:.2f}"
    parts = [svg.line(x.at(1), top, x.at(n), top, "axis")]
    for rank in range(1, n + 1):
        parts.append(svg.line(x.at(rank), top - 6, x.at(rank), top, "axis"))
        parts.append(svg.text(x.at(rank), top - 10, str(rank), "middle"))
    end = x.at(1 + min(ranks.critical_difference, n - 1))
    parts += [svg.line(x.at(1), 14, end, 14, "axis"), svg.text(end + 6, 18, difference)]
    place = dict(zip(ranks.names, ranks.ranks, strict=True))
    for i, group in enumerate(ranks.groups):
        bar = top + 12 + 9 * i
        parts.append(svg.line(x.at(place[group[0]]) - 3, bar, x.at(place[group[-1]]) + 3, bar, "group"))
    for i, (name, at) in enumerate(zip(ranks.names, ranks.ranks, strict=True)):
        on_left = i < per_side
        level = bars_end + 8 + line * (i if on_left else n - 1 - i)
        side, anchor, shift = (left - 12, "end", -6) if on_left else (WIDTH - left + 12, "start", 6)
        parts.append(f'<path class="stem" d="M{x.at(at):.1f},{top}V{level}H{side}"/>')
        parts.append(svg.text(side + shift, level + 4, f"{name} {at:.2f}", anchor, "name"))
    title = f"Average ranks over {ranks.n_datasets} data sets; {difference}"
    return svg.picture(WIDTH, height, title, parts)


def figure_picture(table: ResultTable) -> str:
    """Draw the columns of a figure against the places of its rows, with error bars.

    Columns whose labels are the same up to a comma ("correct, class 1") share a panel.
    """
    height, bottom, top = 260, 52, 40
    rows = [row for row in table.rows if row.x is not None]
    xs = [row.x for row in rows if row.x is not None]
    x = Axis.around(xs, LEFT, WIDTH - RIGHT, log=table.log_x and min(xs, default=0.0) > 0)
    parts: list[str] = []
    panels = _panels(table.columns)
    for p, (name, columns) in enumerate(panels.items()):
        base = height * p
        ends = [end for row in rows for c in columns for end in _ends(row.cells[c])]
        y = Axis.around(ends, base + height - bottom, base + top)
        parts += svg.y_axis(y, LEFT, WIDTH - RIGHT)
        parts.append(svg.text(LEFT - 50, base + 20, name, kind="name"))
        if len(columns) > 1:
            names = [table.columns[c].label.split(", ", 1)[1] for c in columns]
            parts += svg.legend(names, LEFT + 120, base + 20, WIDTH - LEFT - 140)[0]
        for i, c in enumerate(columns):
            shape = i if len(columns) > 1 else p
            parts.append(f'<g class="s{shape % len(svg.COLOURS)}">{_series(rows, c, x, y, shape)}</g>')
        parts += _x_labels(table, rows, x, base + height - bottom)
    return svg.picture(WIDTH, height * len(panels), table.heading, parts)


def _panels(columns: tuple[Column, ...]) -> dict[str, list[int]]:
    panels: dict[str, list[int]] = {}
    for c, column in enumerate(columns):
        panels.setdefault(column.label.split(", ", 1)[0], []).append(c)
    # A name without a comma next to one with it would have no name in the legend.
    if any(len(part) > 1 and any(", " not in columns[c].label for c in part) for part in panels.values()):
        return {column.label: [c] for c, column in enumerate(columns)}
    return panels


def _ends(cell: Cell) -> list[float]:
    known = [] if cell.paper is None else [cell.paper]
    if cell.ours is None:
        return known
    return [*known, cell.ours - (cell.spread or 0.0), cell.ours + (cell.spread or 0.0)]


def _series(rows: list[Row], column: int, x: Axis, y: Axis, shape: int) -> str:
    parts, points = [], []
    for row in rows:
        cell, at = row.cells[column], x.at(row.x or 0.0)
        if cell.paper is not None:
            parts.append(svg.mark(at, y.at(cell.paper), shape, "open", f"the paper: {cell.paper:g}"))
        if cell.ours is None:
            continue
        spread = cell.spread or 0.0
        points.append((at, y.at(cell.ours)))
        parts.append(svg.line(at, y.at(cell.ours - spread), at, y.at(cell.ours + spread), "whisker"))
        parts.append(svg.mark(at, y.at(cell.ours), shape, title=f"{row.labels[-1]}: {cell.ours:.4g}"))
    return "".join([svg.run(points), *parts])


def _x_labels(table: ResultTable, rows: list[Row], x: Axis, y: float) -> list[str]:
    if "learner" in table.row_names:
        return svg.x_axis(x, y, table.x_label)
    parts = [svg.line(x.start, y, x.end, y, "axis")]
    for row in rows[:: max(1, math.ceil(len(rows) / 9))]:
        parts.append(svg.text(x.at(row.x or 0.0), y + 18, row.labels[-1], "middle"))
    return [*parts, svg.text((x.start + x.end) / 2, y + 40, table.x_label, "middle")]
