"""Small pictures as SVG text; colours come from the page, so that they suit light and dark."""

from __future__ import annotations

from html import escape

from stakes.report.views import ThresholdCurve

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 16, 48


def threshold_picture(curve: ThresholdCurve) -> str:
    """Draw cost per row against the threshold, with the threshold of the costs and the best constant."""
    top = 1.08 * max([curve.constant, *(cost for _, cost in curve.points)])
    low = min(0.0, curve.constant, *(cost for _, cost in curve.points))
    top = top if top > low else low + 1.0
    parts = [
        f'<svg class="picture" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="threshold-title">',
        f'<title id="threshold-title">{escape(_title(curve))}</title>',
        *_axes(curve, low, top),
        f'<path class="line" d="{_steps(curve, low, top)}"/>',
    ]
    y = _y(curve.constant, low, top)
    parts.append(f'<line class="base" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
    parts.append(
        f'<text class="base-text" x="{WIDTH - RIGHT}" y="{y - 6:.1f}" text-anchor="end">best constant</text>'
    )
    if curve.best is not None:
        x = _x(curve.best)
        side, shift = ("end", -6) if curve.best > 0.6 else ("start", 6)
        parts.append(f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(
            f'<text class="mark-text" x="{x + shift:.1f}" y="{TOP + 12}" text-anchor="{side}">'
            f"{curve.best:.2f}: what the costs ask for</text>"
        )
    return "".join([*parts, "</svg>"])


def _title(curve: ThresholdCurve) -> str:
    cheapest = min(curve.points, key=lambda point: point[1])
    return (
        f"Cost per row by the probability from which {curve.label} is answered; "
        f"the least, {cheapest[1]:.3g}, lies just above {cheapest[0]:.2f}"
    )


def _axes(curve: ThresholdCurve, low: float, top: float) -> list[str]:
    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = _x(tick)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:g}</text>')
    for i in range(5):
        value = low + (top - low) * i / 4
        y = _y(value, low, top)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    name = escape(f"answer {curve.label} from this probability on")
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{name}</text>')
    return parts


def _steps(curve: ThresholdCurve, low: float, top: float) -> str:
    path: list[str] = []
    ends = [x for x, _ in curve.points[1:]] + [1.0]
    for (start, cost), end in zip(curve.points, ends, strict=True):
        y = _y(cost, low, top)
        path.append(f"{'L' if path else 'M'}{_x(start):.1f},{y:.1f}L{_x(end):.1f},{y:.1f}")
    return "".join(path)


def _x(probability: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * probability


def _y(cost: float, low: float, top: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (top - cost) / (top - low)
