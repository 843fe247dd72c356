"""Small pictures as SVG text: axes, marks and a frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

#: Series are told apart by colour and by the shape of their marks.
COLOURS = ("#0b6fa4", "#c2541b", "#2d7d46", "#7b4fb5", "#8a6d00", "#b0335f")
_SERIES = "".join(f".pic .s{i}{{color:{colour}}}" for i, colour in enumerate(COLOURS))
#: Plain colours, which programs that draw no web pages know as well; a page sets its own over them. All of it
#: is about ``.pic``, since in a page the rules of one picture reach into others.
STYLE = (
    ".pic text{font:13px system-ui,sans-serif;fill:#56606a}.pic .name,.pic .mark-text{fill:#1a1e23}"
    ".pic .axis,.pic .stem{stroke:#56606a;fill:none}.pic .grid{stroke:#e2e0da}"
    ".pic .group{stroke:#1a1e23;stroke-width:5;stroke-linecap:round}"
    ".pic .run{stroke:currentColor;stroke-width:2;fill:none;stroke-linejoin:round}"
    ".pic .whisker{stroke:currentColor;stroke-width:1.5}"
    ".pic .full{fill:currentColor;stroke:#fff;stroke-width:.75}"
    ".pic .open{fill:#fff;stroke:currentColor;stroke-width:1.75}.pic .faint{opacity:.4}"
    ".pic .quiet{color:#56606a}"
    ".pic .base{stroke:#a8430f;stroke-width:1.5;stroke-dasharray:6 4}.pic .base-text{fill:#a8430f}"
    ".pic .mark{stroke:#1a1e23;stroke-width:1.5;stroke-dasharray:2 3}" + _SERIES
)


@dataclass(frozen=True)
class Axis:
    """Numbers from low to high between two places of the picture.

    Examples
    --------
    >>> Axis(0, 10, 100, 200).at(2.5)
    125.0
    >>> Axis(0, 10, 100, 200).ticks()
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    >>> Axis(0.1, 30, 0, 1, log=True).ticks()
    [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    @classmethod
    def around(
        cls, values: Iterable[float], start: float, end: float, *, log: bool = False, zero: bool = False
    ) -> Axis:
        """An axis that shows all of the values with some room; from 0 on where ``zero`` says so."""
        known = list(values) or [0.0, 1.0]
        low, high = min(known), max(known)
        if log:
            return cls(low / 1.25, high * 1.25, start, end, log=True)
        if zero:
            low, high = min(low, 0.0), max(high, 0.0)
        room = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
        return cls(low if zero and low == 0 else low - room, high + room, start, end)

    def at(self, value: float) -> float:
        """Place of a number."""
        low, high, here = (
            (math.log10(v) for v in (self.low, self.high, value))
            if self.log
            else (self.low, self.high, value)
        )
        return self.start + (self.end - self.start) * (here - low) / ((high - low) or 1.0)

    def ticks(self, n: int = 6) -> list[float]:
        """Round numbers along the axis."""
        if self.log:
            return self._log_ticks(n)
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / n))
        step *= next(m for m in (1, 2, 2.5, 5, 10, 20) if (self.high - self.low) / (m * step) <= n)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(i * step, 12) + 0.0 for i in range(first, last + 1)]

    def _log_ticks(self, n: int) -> list[float]:
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        tens, *more = (
            [tick for d in decades for m in steps if self.low <= (tick := float(f"{m}e{d}")) <= self.high]
            for steps in ((1,), (1, 2, 5))
        )
        return more[0] if len(decades) <= 4 and len(more[0]) <= 2 * n else tens


def picture(width: float, height: float, title: str, parts: Iterable[str], more: str = "") -> str:
    """A whole picture; ``title`` is what a screen reader says."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pic" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'role="img"{more}><title>{escape(title)}</title><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def text(x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> str:
    """Words at a place."""
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def run(points: Sequence[tuple[float, float]]) -> str:
    """A line through points."""
    return f'<polyline class="run" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'


def mark(x: float, y: float, shape: int, kind: str = "full", title: str = "") -> str:
    """A mark: circle, square, triangle or diamond; ``said`` appears where the mouse rests on it."""
    inside = f"<title>{escape(title)}</title>" if title else ""
    corners = {
        1: ((-4, -4), (4, -4), (4, 4), (-4, 4)),
        2: ((0, -5), (5, 4), (-5, 4)),
        3: ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)),
    }.get(shape % 4)
    if corners is None:
        return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4.5">{inside}</circle>'
    path = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon class="{kind}" points="{path}">{inside}</polygon>'


def x_axis(axis: Axis, y: float, label: str, top: float | None = None, n: int = 6) -> list[str]:
    """About ``n`` numbers below a picture, with lines up to ``top`` where that is given."""
    parts = [line(axis.start, y, axis.end, y, "axis")]
    for tick in axis.ticks(n):
        parts += [] if top is None else [line(axis.at(tick), top, axis.at(tick), y, "grid")]
        parts.append(text(axis.at(tick), y + 18, f"{tick:g}", "middle"))
    return [*parts, text((axis.start + axis.end) / 2, y + 38, label, "middle")]


def y_axis(axis: Axis, left: float, right: float) -> list[str]:
    """Numbers at the left, with lines across."""
    parts = []
    for tick in axis.ticks(5):
        parts.append(line(left, axis.at(tick), right, axis.at(tick), "grid"))
        parts.append(text(left - 8, axis.at(tick) + 4, f"{tick:g}", "end"))
    return parts


def legend(
    names: Sequence[str], x: float, y: float, width: float, kind: str = "full"
) -> tuple[list[str], float]:
    """Marks with their names from a place on, in lines of a width; and the height that they take."""
    parts, at, down = [], x, 0.0
    for i, name in enumerate(names):
        length = 30 + sum(9 if letter.isupper() else 7 for letter in name)
        if at > x and at + length > x + width:
            at, down = x, down + 20
        parts.append(f'<g class="s{i % len(COLOURS)}">{mark(at + 6, y + down - 4, i)}</g>')
        parts.append(text(at + 16, y + down, name, kind="name"))
        at += length
    return parts, down + 20


#: Okabe and Ito's palette, told apart by all common kinds of colour vision; it repeats after eight classes.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#999999")
