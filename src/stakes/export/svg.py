"""A tree as an SVG drawing, without any dependency."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from stakes._text.svg import PALETTE
from stakes._text.words import amount, percent, plain
from stakes.export.languages import renders
from stakes.export.text import Facts, _check_depth
from stakes.tree import FittedTree, branch_words, categories_met, path_conditions

COSTLIER = "#B5123E"
#: Of many classes: the one that is answered, the most frequent other one, and the rest.
RANKED = (PALETTE[0], PALETTE[1], PALETTE[-1])

BOX_WIDTH, BOX_HEIGHT, LEVEL, GAP = 148, 62, 120, 14
MARGIN, CHAR = 16, 6.3


@dataclass
class _Picture:
    """Where everything goes: shown nodes, their boxes' middles and tops, and the size of the whole."""

    shown: list[int]
    cut: set[int]
    x: NDArray[np.float64]
    y: NDArray[np.float64]


@renders("svg", FittedTree)
def draw_svg(
    fitted: FittedTree, *, max_depth: int | None = None, title: str | None = None, legend: bool = True
) -> str:
    """Draw a tree: tests, class distributions, and each leaf's share of the cost.

    Every node has a bar with the class distribution of its training rows; leaves have a second, red bar with
    their share of the tree's cost. Hovering over a node tells its whole path. The drawing follows the
    reader's light or dark theme. Of more than eight classes a node's bar has the one that it answers, the
    most frequent other one, and the rest.

    Parameters
    ----------
    fitted : FittedTree
        The tree.
    max_depth : int, optional
        Levels of tests to draw; a deeper part becomes one dashed box. By default all of a tree of up to 200
        nodes, and of a larger one as many levels as fit in about 200 boxes.
    title : str, optional
        Text above the drawing.
    legend : bool, default=True
        Whether the drawing says what its colours mean.

    Returns
    -------
    str
        A whole SVG document; it can be put into an HTML page as it is.

    Examples
    --------
    >>> from stakes.tree.words import example
    >>> draw_svg(example()).count("<title>")
    7
    """
    picture = _layout(fitted, _levels(fitted, max_depth))
    items = svg_legend(fitted) if legend else []
    top = MARGIN + 26 * (legend + (title is not None))
    width = max(float(picture.x.max()) + BOX_WIDTH / 2 + MARGIN, _legend_width(items) + MARGIN)
    height = top + float(picture.y[picture.shown].max()) + BOX_HEIGHT + MARGIN
    head = []
    if title is not None:
        head.append(f'<text class="title" x="{MARGIN}" y="{MARGIN + 12}">{escape(plain(title))}</text>')
    head += _legend(items, top - 30)
    body = _edges(fitted, picture) + _boxes(fitted, picture)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="stakes-tree" role="img" '
            f'aria-label="{escape(plain(title or "decision tree"))}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">',
            f"<style>{_STYLE}</style>",
            '<rect class="paper" width="100%" height="100%"/>',
            *head,
            f'<g transform="translate(0 {top})">',
            *body,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _levels(fitted: FittedTree, max_depth: int | None) -> int:
    if max_depth is not None or fitted.tree.n_nodes <= 200:
        return _check_depth(max_depth)
    boxes = np.cumsum(np.bincount(fitted.tree.depth))
    return max(1, int(np.searchsorted(boxes, 200, side="right")) - 1)


def _layout(fitted: FittedTree, deepest: int) -> _Picture:
    """Place parents over the middle of their children and subtrees as close as their outlines allow."""
    tree, depth = fitted.tree, fitted.tree.depth
    shown = [node for node in range(tree.n_nodes) if depth[node] <= deepest]
    cut = {node for node in shown if depth[node] == deepest and tree.feature[node] >= 0}
    offset = np.zeros(tree.n_nodes)
    # For each subtree its left and right outline per level, relative to its root.
    outlines: dict[int, tuple[list[float], list[float]]] = {}
    for node in reversed(shown):
        children = [] if node in cut else list(tree.children(node))
        left: list[float] = []
        right: list[float] = []
        for child in children:
            low, high = outlines.pop(child)
            pairs = zip(right, low, strict=False)
            shift = max((r - lo + BOX_WIDTH + GAP for r, lo in pairs), default=0.0)
            offset[child] = shift
            left += [lo + shift for lo in low[len(left) :]]
            right = [hi + shift for hi in high] + right[len(high) :]
        middle = (offset[children[0]] + offset[children[-1]]) / 2 if children else 0.0
        offset[children] -= middle
        outlines[node] = ([0.0] + [v - middle for v in left], [0.0] + [v - middle for v in right])
    x, parent = offset.copy(), tree.parent
    x[0] = MARGIN + BOX_WIDTH / 2 - min(outlines[0][0])
    for node in shown[1:]:
        x[node] += x[parent[node]]
    y = depth.astype(np.float64) * LEVEL
    x[depth > deepest] = 0.0
    return _Picture(shown, cut, x, y)


def _edges(fitted: FittedTree, picture: _Picture) -> list[str]:
    tree, lines, labels = fitted.tree, [], []
    met = categories_met(tree)
    weight = fitted.counts.sum(axis=1)
    for node in picture.shown:
        if node in picture.cut:
            continue
        x, y = picture.x[node], picture.y[node] + BOX_HEIGHT
        for branch, child in enumerate(tree.children(node)):
            cx, cy = picture.x[child], picture.y[child]
            middle = y + 20
            stroke = 1 + 7 * math.sqrt(weight[child] / weight[0]) if weight[0] > 0 else 1
            lines.append(
                f'<path class="edge" stroke-width="{stroke:.1f}" '
                f'd="M{x:.1f} {y:.1f}C{x:.1f} {middle:.1f} {cx:.1f} {y + 8:.1f} {cx:.1f} {cy:.1f}"/>'
            )
            words = plain(branch_words(fitted, node, branch, most=3, met=met)).removeprefix("is ")
            # A plate and not an outline behind the label: few converters know paint-order.
            plate = min(len(words) * CHAR + 8, BOX_WIDTH + GAP - 4)
            labels.append(
                f'<rect class="paper" x="{cx - plate / 2:.1f}" y="{cy - 25:.1f}" '
                f'width="{plate:.1f}" height="17" rx="3"/>'
            )
            labels.append(_text("branch", cx, cy - 12, words, BOX_WIDTH + GAP - 8))
    return lines + labels


def _boxes(fitted: FittedTree, picture: _Picture) -> list[str]:
    tree, facts = fitted.tree, Facts(fitted)
    parts = []
    for node in picture.shown:
        left, top, x = picture.x[node] - BOX_WIDTH / 2, picture.y[node], picture.x[node]
        leaf, code = bool(tree.feature[node] < 0), int(fitted.decision[node])
        below = [n for n in tree.walk(node) if tree.feature[n] < 0]
        kind = "cut" if node in picture.cut else "leaf" if leaf else "test"
        parts.append(f'<g class="{kind}"><title>{escape(_tooltip(fitted, node, facts, below))}</title>')
        parts.append(
            f'<rect class="box" x="{left:.1f}" y="{top:.1f}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" '
            f'rx="{6 if leaf else 2}"/>'
        )
        name = plain(str(fitted.labels[code])) if leaf else ""
        if kind == "cut":
            name = f"… {len(below)} leaves"
        elif not leaf:
            name = plain(fitted.schema.columns[int(tree.feature[node])].name)
        kind_of_name = "name long" if len(name) > 17 else "name"
        parts.append(_text(kind_of_name, x, top + 17, name, BOX_WIDTH - 14, 6.9))
        parts += _bar(fitted, node, left + 8, top + 25)
        words = _short_facts(facts, below, kind)
        if kind == "test" and _many_classes(fitted):
            words += f" · {_most_frequent(fitted, node)}"
        parts.append(_text("facts", x, top + 49, words, BOX_WIDTH - 4, 5.6))
        if facts.total > 0 and kind != "test":
            share = float(facts.costs[below].sum()) / facts.total
            length = max(0.0, min(1.0, share)) * (BOX_WIDTH - 16)
            parts.append(
                f'<rect class="cost" x="{left + 8:.1f}" y="{top + 54:.1f}" width="{length:.1f}" height="3"/>'
            )
        parts.append("</g>")
    return parts


def _short_facts(facts: Facts, below: list[int], kind: str) -> str:
    words = [f"weight {amount(float(facts.weight[below].sum()))}"]
    cost = float(facts.costs[below].sum())
    if kind != "test" and cost > 0 and facts.total > 0:
        words.append(f"{percent(cost / facts.total)} of cost")
    elif kind == "leaf" and facts.total > 0:
        words.append("no cost")
    return " · ".join(words)


def _bar(fitted: FittedTree, node: int, left: float, top: float) -> list[str]:
    """Class distribution of the training rows; of an empty leaf nothing but the frame."""
    width, counts = BOX_WIDTH - 16, fitted.counts[node]
    if _many_classes(fitted):
        counts = _three_parts(counts, int(fitted.decision[node]))
    total, start, parts = counts.sum(), left, []
    for code, count in enumerate(counts):
        part = width * count / total if total > 0 else 0.0
        if part > 0:
            colour = RANKED[code] if _many_classes(fitted) else PALETTE[code]
            parts.append(
                f'<rect x="{start:.1f}" y="{top:.1f}" width="{part:.1f}" height="11" fill="{colour}"/>'
            )
        start += part
    frame = f'<rect class="frame" x="{left:.1f}" y="{top:.1f}" width="{width}" height="11"/>'
    return [*parts, frame]


def _many_classes(fitted: FittedTree) -> bool:
    """Whether there are more classes than colours that can be told apart."""
    return len(fitted.labels) > len(PALETTE)


def _three_parts(counts: NDArray[np.float64], answer: int) -> NDArray[np.float64]:
    """Weight of the class that is answered, of the most frequent other one, and of the rest."""
    others = np.delete(counts, answer)
    return np.array([counts[answer], others.max(), others.sum() - others.max()])


def _most_frequent(fitted: FittedTree, node: int) -> str:
    counts = fitted.counts[node]
    most, total = int(counts.argmax()), float(counts.sum())
    return f"{percent(counts[most] / total)} {plain(str(fitted.labels[most]))}" if total > 0 else "empty"


def _tooltip(fitted: FittedTree, node: int, facts: Facts, below: list[int]) -> str:
    path = path_conditions(fitted, node, fitted.tree.parent) or ["all rows"]
    answer = plain(str(fitted.labels[fitted.decision[node]]))
    weights = list(zip(fitted.labels, fitted.counts[node].tolist(), strict=True))
    if _many_classes(fitted):
        weights = sorted((part for part in weights if part[1] > 0), key=lambda part: -part[1])
    counts = [f"{plain(str(label))}: {amount(count)}" for label, count in weights]
    return "\n".join([*path, f"answer {answer}", ", ".join(counts), f"leaves below: {facts.of(below)}"])


def _legend(items: list[tuple[str, str]], top: float) -> list[str]:
    parts, x = [], float(MARGIN)
    for text, colour in items:
        # The drawing's style has another red for the dark, which is that of the bars.
        fill = 'class="swatch"' if colour == COSTLIER else f'fill="{colour}"'
        parts.append(f'<rect x="{x:.1f}" y="{top + 7}" width="11" height="11" {fill} rx="2"/>')
        parts.append(f'<text class="legend" x="{x + 16:.1f}" y="{top + 17}">{escape(text)}</text>')
        x += 34 + CHAR * len(text)
    return parts


def svg_legend(fitted: FittedTree) -> list[tuple[str, str]]:
    """What the colours of a drawing mean: words and colours."""
    if _many_classes(fitted):
        words = ["class that is answered", "most frequent other class", "the rest"]
        items = list(zip(words, RANKED, strict=True))
    else:
        labels = [_shorten(plain(str(label)), 24) for label in fitted.labels]
        items = list(zip(labels, PALETTE, strict=False))
    return [*items, ("share of cost", COSTLIER)]


def _legend_width(items: list[tuple[str, str]]) -> float:
    return MARGIN + sum(34 + CHAR * len(text) for text, _ in items)


def _text(kind: str, x: float, y: float, text: str, width: float, char: float = CHAR) -> str:
    short = escape(_shorten(text, int(width / char)))
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{short}</text>'


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


# Colours are attributes of classes and not CSS variables: many converters to PNG and PDF know no variables.
_STYLE = """
.stakes-tree text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1b1f24}
.stakes-tree .name,.stakes-tree .facts,.stakes-tree .branch{text-anchor:middle}
.stakes-tree .title{font-size:16px;font-weight:600}.stakes-tree .legend{font-size:12px}
.stakes-tree .name{font-size:12.5px;font-weight:600}.stakes-tree .facts{font-size:10.5px;fill:#57606a}
.stakes-tree .long{font-size:11px}.stakes-tree .branch{font-size:11.5px}
.stakes-tree .paper{fill:#fff}.stakes-tree .box{fill:#fff;stroke:#8c959f}
.stakes-tree .leaf .box{fill:#f3f5f7}.stakes-tree .cut .box{fill:#f3f5f7;stroke-dasharray:4 3}
.stakes-tree .edge{fill:none;stroke:#c4cad1;stroke-linecap:round}
.stakes-tree .frame{fill:none;stroke:#8c959f;stroke-width:.6}
.stakes-tree .cost,.stakes-tree .swatch{fill:#B5123E}
@media (prefers-color-scheme:dark){
.stakes-tree text{fill:#e6edf3}.stakes-tree .facts{fill:#9da7b1}
.stakes-tree .paper{fill:#14181d}.stakes-tree .box{fill:#1d232a;stroke:#6e7781}
.stakes-tree .leaf .box,.stakes-tree .cut .box{fill:#262d36}.stakes-tree .edge{stroke:#4a535d}
.stakes-tree .cost,.stakes-tree .swatch{fill:#ff6b8b}}
"""
