"""Pictures of a report on one model."""

from __future__ import annotations

import math
from collections.abc import Sequence

from stakes._text import svg
from stakes._text.svg import Axis
from stakes.compare import Comparison
from stakes.evolve import EvolutionHistory
from stakes.report.curve import ThresholdCurve
from stakes.report.ratio import RatioView
from stakes.report.use import Tradeoff

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 60, 20, 20, 52
#: A curve of more points is drawn with as many as there are places in the picture.
MOST_POINTS = 1400


def threshold_picture(curve: ThresholdCurve) -> str:
    """Draw cost per row against the threshold, with the threshold of the costs and the best constant."""
    points = thin(curve.points)
    x = Axis(0.0, 1.0, LEFT, WIDTH - RIGHT)
    y = Axis.around([curve.constant, *(cost for _, cost in curve.points)], HEIGHT - BOTTOM, TOP, zero=True)
    ends = [edge for edge, _ in points[1:]] + [1.0]
    steps = [
        (x.at(place), y.at(cost))
        for (start, cost), end in zip(points, ends, strict=True)
        for place in (start, end)
    ]
    parts = [
        *svg.y_axis(y, LEFT, WIDTH - RIGHT),
        *svg.x_axis(x, HEIGHT - BOTTOM, f"answer {curve.label} from this probability on"),
        f'<g class="s0">{svg.run(steps)}</g>',
        svg.line(LEFT, y.at(curve.constant), WIDTH - RIGHT, y.at(curve.constant), "base"),
        svg.text(WIDTH - RIGHT, y.at(curve.constant) - 6, "best constant", "end", "base-text"),
    ]
    if curve.best is not None:
        side, shift = ("end", -6) if curve.best > 0.6 else ("start", 6)
        at, words = x.at(curve.best), f"{curve.best:.2f}: what the costs ask for"
        parts.append(svg.line(at, TOP, at, HEIGHT - BOTTOM, "mark"))
        parts.append(svg.text(at + shift, TOP + 12, words, side, "mark-text"))
    cheapest = min(curve.points, key=lambda point: point[1])
    title = (
        f"Cost per row by the probability from which {curve.label} is answered; "
        f"the least, {cheapest[1]:.3g}, lies just above {cheapest[0]:.2f}"
    )
    return svg.picture(WIDTH, HEIGHT, title, parts)


def thin(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """At most `MOST_POINTS` of the points, the least cost among them."""
    if len(points) <= MOST_POINTS:
        return points
    step = len(points) / (MOST_POINTS - 2)
    kept = {int(i * step) for i in range(MOST_POINTS - 2)} | {len(points) - 1}
    kept.add(min(range(len(points)), key=lambda i: points[i][1]))
    return [points[i] for i in sorted(kept)]


def ratio_picture(ratio: RatioView) -> str:
    """Draw the bill as a share of the best constant's, by the ratio; the page's script moves the mark."""
    places = [ratio.at(i) for i in range(len(ratio.ratios))]
    known = [b for b in places if b.constant > 0]
    moved = [(b.ratio, b.total / b.constant) for b in known]
    own = [(b.ratio, b.own / b.constant) for b in known]
    x = Axis(ratio.ratios[0], ratio.ratios[-1], LEFT, WIDTH - RIGHT, log=True)
    top = min(2.0, max([1.0, *(share for _, share in moved + own)]))
    y = Axis(0.0, 100 * 1.08 * top, HEIGHT - BOTTOM, TOP + 22)
    frame = f'x="{LEFT}" y="{TOP + 22}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - BOTTOM - TOP - 22}"'

    def place(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(x.at(a), y.at(100 * b)) for a, b in points]

    names = ["line moved with the costs", "answers as they are"]
    at = x.at(ratio.ratios[ratio.start])
    parts = [
        *svg.legend(names, LEFT, 16, WIDTH)[0],
        *svg.y_axis(y, LEFT, WIDTH - RIGHT),
        *svg.x_axis(x, HEIGHT - BOTTOM, f"a missed {ratio.positive} costs so many times a false alarm"),
        f'<clipPath id="ratio-frame"><rect {frame}/></clipPath><g clip-path="url(#ratio-frame)">',
        f'<g class="s1">{svg.run(place(own))}</g><g class="s0">{svg.run(place(moved))}</g></g>',
        svg.line(LEFT, y.at(100), WIDTH - RIGHT, y.at(100), "base"),
        svg.text(WIDTH - RIGHT, y.at(100) - 6, "best constant = 100 %", "end", "base-text"),
        f'<g id="ratio-mark" data-left="{LEFT}" data-right="{WIDTH - RIGHT}" '
        f'transform="translate({at:.1f} 0)">{svg.line(0, TOP + 22, 0, HEIGHT - BOTTOM, "mark")}</g>',
    ]
    title = "Bill in per cent of the best constant's, by the ratio of the costs"
    return svg.picture(WIDTH, HEIGHT, title, parts)


def tradeoff_picture(tradeoff: Tradeoff) -> str:
    """Draw feature costs against what mistakes cost, with the front that nothing beats."""
    points, by_cost = tradeoff.points, tradeoff.objective != "accuracy"
    places = [(p.test_cost, p.mistake_cost if by_cost else 100 * (1 - p.accuracy)) for p in points]
    x = Axis.around([a for a, _ in places], LEFT, WIDTH - RIGHT, zero=True)
    y = Axis.around([b for _, b in places], HEIGHT - BOTTOM, TOP + 20)
    front = sorted(place for place, p in zip(places, points, strict=True) if p.on_front)
    what = "mistakes per row" if by_cost else "errors, %"
    parts = [
        *svg.y_axis(y, LEFT, WIDTH - RIGHT),
        *svg.x_axis(x, HEIGHT - BOTTOM, "feature costs"),
        svg.text(LEFT - 50, 16, what, kind="name"),
        f'<g class="s0">{svg.run([(x.at(a), y.at(b)) for a, b in front])}',
    ]
    for (a, b), point in zip(places, points, strict=True):
        label = f"{'baseline' if point.is_baseline else point.value}: {a:.3g}, {b:.3g}"
        parts.append(svg.mark(x.at(a), y.at(b), 0, "full" if point.on_front else "open", label))
    a, b = places[points.index(tradeoff.chosen)]
    parts += [
        f'</g><g class="s1">{svg.mark(x.at(a), y.at(b), 3, title="chosen")}</g>',
        svg.text(x.at(a) + 10, y.at(b) - 8, "chosen", kind="name"),
    ]
    title = f"{what} against the feature costs; full marks are on the front"
    return svg.picture(WIDTH, HEIGHT, title, parts)


def evolution_picture(history: EvolutionHistory) -> str:
    """Draw the training cost of the best tree over the generations."""
    places = thin([(float(i), float(cost)) for i, cost in enumerate(history.best_cost)])
    x = Axis.around([a for a, _ in places], LEFT, WIDTH - RIGHT, zero=True)
    y = Axis.around([b for _, b in places], HEIGHT - BOTTOM, TOP + 20)
    parts = [
        *svg.y_axis(y, LEFT, WIDTH - RIGHT),
        *svg.x_axis(x, HEIGHT - BOTTOM, "generation"),
        svg.text(LEFT - 50, 16, "cost per training row", kind="name"),
        f'<g class="s0">{svg.run([(x.at(a), y.at(b)) for a, b in places])}</g>',
    ]
    return svg.picture(WIDTH, HEIGHT, "cost of the best tree over the generations", parts)


def comparison_picture(comparison: Comparison) -> str:
    """Draw the cost of each learner with its interval, next to that of the best constant."""
    results = sorted(comparison.results, key=lambda r: r.decisive.mean)
    left, step, top = 20 + 7.4 * min(34, max(len(r.name) for r in results)), 26, 14
    bottom = top + step * len(results)
    known = [(r.decisive.low, r.decisive.mean, r.decisive.high) for r in results]
    ends = [end for interval in known for end in interval if math.isfinite(end)]
    base = comparison.constant_cost
    x = Axis.around([*ends, base], left, WIDTH - RIGHT)
    parts = [
        *svg.x_axis(x, bottom, "bill per row" if comparison.priced else "cost per row", top),
        svg.line(x.at(base), top, x.at(base), bottom, "base"),
    ]
    for i, result in enumerate(results):
        cost, y = result.decisive, top + step * (i + 0.5)
        name = result.name if len(result.name) <= 34 else f"{result.name[:33]}…"
        parts.append(svg.text(left - 12, y + 4, name, "end", "name"))
        low, high = (x.at(v) if math.isfinite(v) else x.at(cost.mean) for v in (cost.low, cost.high))
        kind = "s0" if result.name == comparison.cheapest.name else "quiet"
        parts.append(
            f'<g class="{kind}">{svg.line(low, y, high, y, "whisker")}'
            f"{svg.mark(x.at(cost.mean), y, 0, title=f'{result.name}: {cost.mean:.3f}')}</g>"
        )
    title = f"Cost per row of {len(results)} learners; the dashed line is the best constant, {base:.3g}"
    return svg.picture(WIDTH, bottom + 50, title, parts)
