"""Pictures of a report on one model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from stakes._text import svg
from stakes._text.money import heading, money
from stakes._text.svg import Axis
from stakes._text.words import counted, rounded
from stakes.compare import Comparison
from stakes.evolve import EvolutionHistory
from stakes.report.curve import ThresholdCurve
from stakes.report.ratio import RatioView
from stakes.report.reliability import Reliability
from stakes.report.use import Tradeoff


@dataclass(frozen=True)
class Size:
    """How large a picture is drawn: one unit is a pixel, so that its text can be read.

    ``name`` ends ids that a page may have once only; ``most_points`` of a curve have a place of their own.
    """

    width: float
    height: float
    left: float
    most_points: int
    n_ticks: int
    name: str = ""

    @property
    def right(self) -> float:
        """Where the picture's axes end."""
        return self.width - 20

    @property
    def bottom(self) -> float:
        """Where the picture's horizontal axis is."""
        return self.height - 52


#: For a screen, and for a phone that is held upright.
WIDE = Size(720, 300, 60, 1400, 6)
NARROW = Size(360, 270, 44, 500, 4, "-narrow")
TOP = 20
#: What a letter of a picture's text takes, about.
LETTER = 6.7


def threshold_picture(curve: ThresholdCurve, size: Size = WIDE) -> str:
    """Draw cost per row against the threshold, with the threshold of the costs and the best constant."""
    points = thin(curve.points, size.most_points)
    left, right, bottom = size.left, size.right, size.bottom
    x = Axis(0.0, 1.0, left, right)
    y = Axis.around([curve.constant, *(cost for _, cost in curve.points)], bottom, TOP + 20, zero=True)
    ends = [edge for edge, _ in points[1:]] + [1.0]
    steps = [
        (x.at(place), y.at(cost))
        for (start, cost), end in zip(points, ends, strict=True)
        for place in (start, end)
    ]
    parts = [
        *svg.y_axis(y, left, right),
        *svg.x_axis(x, bottom, f"answer {_short(curve.label)} from this probability on", n=size.n_ticks),
        f'<g class="s0">{svg.run(steps)}</g>',
        svg.line(left, y.at(curve.constant), right, y.at(curve.constant), "base"),
        svg.text(right, y.at(curve.constant) - 6, "best constant", "end", "base-text"),
    ]
    if curve.best is not None:
        parts += _marked(x.at(curve.best), f"{curve.best:.2f}: what the costs ask for", size)
    cheapest = min(curve.points, key=lambda point: point[1])
    least = money(cheapest[1], "{:.3g}".format)
    title = (
        f"Cost per row by the probability from which {curve.label} is answered; "
        f"the least, {least}, lies just above {cheapest[0]:.2f}"
    )
    return svg.picture(size.width, size.height, title, parts)


def _marked(at: float, words: str, size: Size) -> list[str]:
    """A dotted line upwards, with words on the side where they have room."""
    side, shift = ("start", 6) if at + 6 + LETTER * len(words) <= size.right else ("end", -6)
    return [
        svg.line(at, TOP, at, size.bottom, "mark"),
        svg.text(at + shift, TOP + 12, words, side, "mark-text"),
    ]


def _short(label: object, most: int = 16) -> str:
    text = str(label)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def thin(points: Sequence[tuple[float, float]], most: int) -> Sequence[tuple[float, float]]:
    """At most so many of the points, the least cost among them."""
    if len(points) <= most:
        return points
    step = len(points) / (most - 2)
    kept = {int(i * step) for i in range(most - 2)} | {len(points) - 1}
    kept.add(min(range(len(points)), key=lambda i: points[i][1]))
    return [points[i] for i in sorted(kept)]


def ratio_picture(ratio: RatioView, size: Size = WIDE) -> str:
    """Draw the bill as a share of the best constant's, by the ratio; the page's script moves the mark."""
    places = [ratio.at(i) for i in range(len(ratio.ratios))]
    known = [b for b in places if b.constant > 0]
    moved = [(b.ratio, b.total / b.constant) for b in known]
    own = [(b.ratio, b.own / b.constant) for b in known]
    names = ["line moved with the costs", "answers as they are"]
    legend, down = svg.legend(names, size.left, 16, size.right - size.left)
    left, right, bottom, top = size.left, size.right, size.bottom, down + 22
    x = Axis(ratio.ratios[0], ratio.ratios[-1], left, right, log=True)
    shares = [share for _, share in moved + own]
    # What costs many times the constant at one end hides nothing, unless the model costs that everywhere.
    most = min(max([2.0, 1.5 * min(shares, default=0.0)]), max([1.0, *shares]))
    y = Axis(0.0, 100 * 1.08 * most, bottom, top)
    frame = f'x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"'

    def place(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(x.at(a), y.at(100 * b)) for a, b in points]

    label = f"a missed {_short(ratio.positive)} costs so many times a false alarm"
    if LETTER * len(label) > size.width:
        label = "a miss costs so many times a false alarm"
    at = x.at(ratio.ratios[ratio.start])
    parts = [
        *legend,
        *svg.y_axis(y, left, right),
        *svg.x_axis(x, bottom, label, n=size.n_ticks),
        f'<clipPath id="ratio-frame{size.name}"><rect {frame}/></clipPath>'
        f'<g clip-path="url(#ratio-frame{size.name})">',
        f'<g class="s1">{svg.run(place(own))}</g><g class="s0">{svg.run(place(moved))}</g></g>',
        svg.line(left, y.at(100), right, y.at(100), "base"),
        svg.text(right, y.at(100) - 6, "best constant = 100%", "end", "base-text"),
        f'<g id="ratio-mark{size.name}" class="ratio-mark" data-left="{left}" data-right="{right}" '
        f'transform="translate({at:.1f} 0)">{svg.line(0, top, 0, bottom, "mark")}</g>',
    ]
    title = "Bill in per cent of the best constant's, by the ratio of the costs"
    return svg.picture(size.width, size.height, title, parts)


def tradeoff_picture(tradeoff: Tradeoff, size: Size = WIDE) -> str:
    """Draw feature costs against what mistakes cost, with the front that nothing beats."""
    points, by_cost = tradeoff.points, tradeoff.objective != "accuracy"
    places = [(p.test_cost, p.mistake_cost if by_cost else 100 * (1 - p.accuracy)) for p in points]
    x = Axis.around([a for a, _ in places], size.left, size.right, zero=True)
    y = Axis.around([b for _, b in places], size.bottom, TOP + 20)
    front = sorted(place for place, p in zip(places, points, strict=True) if p.on_front)
    what = heading("cost of mistakes per row") if by_cost else "errors, %"
    parts = [
        *svg.y_axis(y, size.left, size.right),
        *svg.x_axis(x, size.bottom, heading("feature costs"), n=size.n_ticks),
        svg.text(10, 16, what, kind="name"),
        f'<g class="s0">{svg.run([(x.at(a), y.at(b)) for a, b in front])}',
    ]
    # Those on the front come last: a setting of the same place would cover them.
    for (a, b), point in sorted(zip(places, points, strict=True), key=lambda pair: pair[1].on_front):
        label = f"{'baseline' if point.is_baseline else point.value}: {a:.3g}, {b:.3g}"
        parts.append(svg.mark(x.at(a), y.at(b), 0, "full" if point.on_front else "open", label))
    a, b = places[points.index(tradeoff.chosen)]
    side, shift = ("start", 10) if x.at(a) + 70 <= size.right else ("end", -10)
    parts += [
        f'</g><g class="s1">{svg.mark(x.at(a), y.at(b), 3, title="chosen")}</g>',
        svg.text(x.at(a) + shift, y.at(b) - 8, "chosen", side, "name"),
    ]
    title = f"{what} against the feature costs; full marks are on the front"
    return svg.picture(size.width, size.height, title, parts)


def evolution_picture(history: EvolutionHistory, size: Size = WIDE) -> str:
    """Draw the training cost of the best tree over the generations."""
    places = thin([(float(i), float(cost)) for i, cost in enumerate(history.best_cost)], size.most_points)
    x = Axis.around([a for a, _ in places], size.left, size.right, zero=True)
    y = Axis.around([b for _, b in places], size.bottom, TOP + 20)
    parts = [
        *svg.y_axis(y, size.left, size.right),
        *svg.x_axis(x, size.bottom, "generation", n=size.n_ticks),
        svg.text(10, 16, heading("cost per training row"), kind="name"),
        f'<g class="s0">{svg.run([(x.at(a), y.at(b)) for a, b in places])}</g>',
    ]
    return svg.picture(size.width, size.height, "cost of the best tree over the generations", parts)


def reliability_picture(diagram: Reliability, size: Size = WIDE) -> str:
    """Draw how often something happens against how likely it was said to be."""
    size = replace(size, height=size.height + 80)
    x, y = Axis(0.0, 1.0, size.left, size.right), Axis(0.0, 1.0, size.bottom, TOP + 16)
    of = "the most likely class" if diagram.label is None else _short(diagram.label)
    parts = [
        *svg.y_axis(y, size.left, size.right),
        *svg.x_axis(x, size.bottom, f"probability of {of}", n=size.n_ticks),
        svg.text(10, 16, "share of the rows for which that is true", kind="name"),
        svg.line(x.at(0), y.at(0), x.at(1), y.at(1), "base"),
        f'<g class="s0">{svg.run([(x.at(part.probability), y.at(part.share)) for part in diagram.bins])}',
    ]
    for part in diagram.bins:
        at = x.at(part.probability)
        words = f"{counted(part.rows, 'row')}: probability {part.probability:.2f}, true for {part.share:.2f}"
        parts.append(svg.line(at, y.at(part.low), at, y.at(part.high), "whisker"))
        parts.append(svg.mark(at, y.at(part.share), 0, title=f"{words} ({part.low:.2f} to {part.high:.2f})"))
    title = f"How often {diagram.name} is right, by its probability; the dashed line is where both agree"
    if diagram.label is not None:
        title = f"How many rows are truly {diagram.label}, by its probability; on the dashed line both agree"
    return svg.picture(size.width, size.height, title, [*parts, "</g>"])


@dataclass(frozen=True)
class Line:
    """A name, an interval with its mean, and whether it is to stand out."""

    name: str
    low: float
    mean: float
    high: float
    best: bool = False


def interval_picture(lines: Sequence[Line], base: float, label: str, title: str, size: Size = WIDE) -> str:
    """Draw a mark and its interval for each line, and a dashed line at ``base``.

    On a phone the names stand above their lines.
    """
    beside = size is WIDE
    left = 20 + 7.4 * min(34, max(len(line.name) for line in lines)) if beside else 16
    step, top = (26, 14) if beside else (46, 8)
    bottom = top + step * len(lines)
    ends = [v for line in lines for v in (line.low, line.mean, line.high) if math.isfinite(v)]
    x = Axis.around([*ends, base], left, size.right)
    parts = [
        *svg.x_axis(x, bottom, label, top, n=size.n_ticks),
        svg.line(x.at(base), top, x.at(base), bottom, "base"),
    ]
    for i, line in enumerate(lines):
        y = top + step * (i + (0.5 if beside else 0.72))
        name = _short(line.name, 34 if beside else 46)
        side, at, up = ("end", left - 12, 4) if beside else ("start", left, -16)
        parts.append(svg.text(at, y + up, name, side, "name"))
        low, high = (x.at(v) if math.isfinite(v) else x.at(line.mean) for v in (line.low, line.high))
        parts.append(
            f'<g class="{"s0" if line.best else "quiet"}">{svg.line(low, y, high, y, "whisker")}'
            f"{svg.mark(x.at(line.mean), y, 0, title=f'{line.name}: {money(line.mean, rounded)}')}</g>"
        )
    return svg.picture(size.width, bottom + 50, title, parts)


def comparison_picture(comparison: Comparison, size: Size = WIDE) -> str:
    """Draw the cost of each learner with its interval, next to that of the best constant."""
    results = sorted(comparison.results, key=lambda r: r.decisive.mean)
    lines = [
        Line(r.name, r.decisive.low, r.decisive.mean, r.decisive.high, r.name == comparison.cheapest.name)
        for r in results
    ]
    base = comparison.constant_cost
    constant = money(base, "{:.3g}".format)
    title = f"Cost per row of {len(results)} learners; the dashed line is the best constant, {constant}"
    label = heading("bill per row" if comparison.priced else "cost per row")
    return interval_picture(lines, base, label, title, size)
