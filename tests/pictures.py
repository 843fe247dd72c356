"""What a picture shows, as lines of text that a reader can check: a kind, places, and words."""

import re
from xml.etree import ElementTree

SPACE = "{http://www.w3.org/2000/svg}"
NUMBER = r"(-?[\d.]+)"
ACROSS = re.compile(rf"grid line {NUMBER},{NUMBER} {NUMBER},\2\ntext end {NUMBER},{NUMBER}: (.*)")
UPWARDS = re.compile(rf"grid line {NUMBER},{NUMBER} \1,{NUMBER}\ntext middle \1,{NUMBER}: (.*)")
BELOW = re.compile(rf"text middle {NUMBER},{NUMBER}: (.*)")


def drawn(svg):
    """One line for each part: ``series/class shape place[ place]: words``; size and title come first.

    Numbers along an axis are one line: ``across 60-700`` for numbers at the left with lines from 60 to 700,
    such as ``0.5@194.2``; ``up 20-248`` for numbers below with lines between these heights; ``below 266`` for
    numbers at that height.
    """
    root = ElementTree.fromstring(svg)
    assert root.get("class") == "pic" and root.get("role") == "img"
    lines = [f"{root.get('viewBox').removeprefix('0 0 ')}: {root.findtext(f'{SPACE}title')}"]
    for part in root:
        lines += _lines(part, "")
    return _axes("\n".join(lines))


def _lines(part, group):
    kind, name = part.tag.removeprefix(SPACE), part.get("class", "")
    if kind in ("title", "style"):
        return []
    if kind in ("g", "clipPath"):
        marks = [part.get(key) for key in ("id", "transform", "clip-path") if part.get(key)]
        inside = "/".join(filter(None, [group, *name.split(), *marks]))
        return [line for child in part for line in _lines(child, inside)]
    words = part.text if kind == "text" else part.findtext(f"{SPACE}title")
    head = " ".join(filter(None, ["/".join(filter(None, [group, name])), kind, part.get("text-anchor")]))
    return [f"{head} {_places(part)}" + (f": {words}" if words else "")]


def _places(part):
    def pair(*names):
        return ",".join(f"{float(part.get(name)):g}" for name in names)

    match part.tag.removeprefix(SPACE):
        case "line":
            return f"{pair('x1', 'y1')} {pair('x2', 'y2')}"
        case "text":
            return pair("x", "y")
        case "circle":
            return f"{pair('cx', 'cy')} r{pair('r')}"
        case "rect":
            return f"{pair('x', 'y')} {pair('width', 'height')}"
        case "path":
            return part.get("d")
    return " ".join(
        ",".join(f"{float(v):g}" for v in place.split(",")) for place in part.get("points").split()
    )


def _axes(text):
    """Write each axis in one line, where its numbers stand as they should next to its lines."""

    def across(found):
        left, y, right, x, at, words = found.groups()
        near = abs(float(left) - 8 - float(x)) < 0.11 and abs(float(y) + 4 - float(at)) < 0.11
        return f"across {left}-{right} {words}@{y}" if near else found.group()

    def upwards(found):
        x, top, bottom, at, words = found.groups()
        return f"up {top}-{bottom} {words}@{x}" if float(at) == float(bottom) + 18 else found.group()

    text = UPWARDS.sub(upwards, ACROSS.sub(across, text))
    lines = []
    for line in BELOW.sub(r"below \2 \3@\1", text).split("\n"):
        kind = re.match(r"(across|up|below) [\d.-]+(?= )", line)
        if kind and lines and lines[-1].startswith(f"{kind.group()} "):
            lines[-1] += line[kind.end() :]
        else:
            lines.append(line)
    return lines
