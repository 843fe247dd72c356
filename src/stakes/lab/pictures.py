"""Pictures as SVG text: critical differences, and the figures of a paper."""

from __future__ import annotations

import math
from html import escape

from stakes.lab.results import ResultTable
from stakes.lab.statistics import Ranks

#: Colours come from the page where it has some; alone, a picture is black with these lines.
_COLOURS = ("#0b6fa4", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#be123c")
_STYLE = (
    "<style>text{font:13px sans-serif;fill:currentColor}.axis,.tick,.stem{stroke:currentColor;fill:none}"
    ".group{stroke:currentColor;stroke-width:5;stroke-linecap:round}</style>"
)


def critical_difference_picture(ranks: Ranks) -> str:
    """Draw average ranks on a line, with bars over learners that are not told apart.

    Examples
    --------
    >>> from stakes.lab.statistics import rank_learners
    >>> picture = critical_difference_picture(rank_learners({"a": [1, 1, 1], "b": [2, 2, 3], "c": [3, 3, 2]}))
    >>> picture.startswith("<svg") and picture.endswith("</svg>")
    True
    """
    n = len(ranks.names)
    width, left, top, line = 720, 180, 56, 22
    per_side = math.ceil(n / 2)
    bars_end = top + 14 + 9 * len(ranks.groups)
    height = bars_end + 16 + line * per_side

    def x(rank: float) -> float:
        return left + (width - 2 * left) * (rank - 1) / (n - 1)

    difference = f"critical difference {ranks.critical_difference:.2f}"
    title = f"Average ranks over {ranks.n_datasets} data sets; {difference}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(title)}</title>{_STYLE}",
        f'<line class="axis" x1="{x(1):.1f}" x2="{x(n):.1f}" y1="{top}" y2="{top}"/>',
    ]
    for rank in range(1, n + 1):
        parts.append(f'<line class="tick" x1="{x(rank):.1f}" x2="{x(rank):.1f}" y1="{top - 6}" y2="{top}"/>')
        parts.append(f'<text x="{x(rank):.1f}" y="{top - 10}" text-anchor="middle">{rank}</text>')
    end = x(1 + min(ranks.critical_difference, n - 1))
    parts.append(f'<line class="axis" x1="{x(1):.1f}" x2="{end:.1f}" y1="14" y2="14"/>')
    parts.append(f'<text x="{end + 6:.1f}" y="18">{difference}</text>')
    place = dict(zip(ranks.names, ranks.ranks, strict=True))
    for i, group in enumerate(ranks.groups):
        bar = top + 12 + 9 * i
        a, b = x(place[group[0]]) - 3, x(place[group[-1]]) + 3
        parts.append(f'<line class="group" x1="{a:.1f}" x2="{b:.1f}" y1="{bar}" y2="{bar}"/>')
    for i, (name, at) in enumerate(zip(ranks.names, ranks.ranks, strict=True)):
        on_left = i < per_side
        level = bars_end + 8 + line * (i if on_left else n - 1 - i)
        side, anchor, shift = (left - 12, "end", -6) if on_left else (width - left + 12, "start", 6)
        parts.append(f'<path class="stem" d="M{x(at):.1f},{top}V{level}H{side}"/>')
        label = escape(f"{name} {at:.2f}")
        parts.append(f'<text x="{side + shift}" y="{level + 4}" text-anchor="{anchor}">{label}</text>')
    return "".join([*parts, "</svg>"])


def figure_picture(table: ResultTable) -> str:
    """Draw the columns of a figure against the places of its rows, one panel per column, with error bars."""
    width, height, left, bottom, top = 640, 240, 70, 48, 34
    points = [row for row in table.rows if row.x is not None]
    xs = [math.log10(row.x) if table.log_x else row.x for row in points if row.x is not None]
    low, high = min(xs, default=0.0), max(xs, default=1.0)
    total = height * len(table.columns)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" role="img">',
        f"<title>{escape(table.heading)}</title>{_STYLE}",
    ]

    def at_x(value: float) -> float:
        return left + (width - left - 20) * (value - low) / ((high - low) or 1.0)

    for c, column in enumerate(table.columns):
        cells = [row.cells[c] for row in points]
        known = [(x, cell) for x, cell in zip(xs, cells, strict=True) if cell.ours is not None]
        if not known:
            continue
        tops = [cell.ours + (cell.spread or 0) for _, cell in known if cell.ours is not None]
        bottoms = [cell.ours - (cell.spread or 0) for _, cell in known if cell.ours is not None]
        y0, y1 = min(bottoms), max(tops)
        base = height * c

        def at_y(value: float, y0: float = y0, y1: float = y1, base: int = base) -> float:
            return base + height - bottom - (height - top - bottom) * (value - y0) / ((y1 - y0) or 1.0)

        colour = _COLOURS[c % len(_COLOURS)]
        path = " ".join(f"{at_x(x):.1f},{at_y(cell.ours or 0.0):.1f}" for x, cell in known)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, cell in known:
            ours, spread = cell.ours or 0.0, cell.spread or 0.0
            parts.append(
                f'<line x1="{at_x(x):.1f}" x2="{at_x(x):.1f}" y1="{at_y(ours - spread):.1f}" '
                f'y2="{at_y(ours + spread):.1f}" stroke="{colour}"/>'
                f'<circle cx="{at_x(x):.1f}" cy="{at_y(ours):.1f}" r="3" fill="{colour}"/>'
            )
        for value in (y0, (y0 + y1) / 2, y1):
            parts.append(
                f'<text x="{left - 8}" y="{at_y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>'
            )
        parts.append(f'<text x="{left}" y="{base + 20}">{escape(column.label)}</text>')
        parts += _x_axis(table, xs, at_x, base + height - bottom, width - 20, left)
    return "".join([*parts, "</svg>"])


def _x_axis(
    table: ResultTable, xs: list[float], at_x: object, y: float, right: float, left: float
) -> list[str]:
    assert callable(at_x)
    parts = [f'<line class="axis" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>']
    step = max(1, len(xs) // 9)
    for row, x in list(zip([r for r in table.rows if r.x is not None], xs, strict=True))[::step]:
        label = f"{row.x:g}" if "learner" in table.row_names else row.labels[-1]
        parts.append(f'<text x="{at_x(x):.1f}" y="{y + 18}" text-anchor="middle">{escape(label)}</text>')
    parts.append(
        f'<text x="{(left + right) / 2:.0f}" y="{y + 38}" text-anchor="middle">{escape(table.x_label)}</text>'
    )
    return parts
