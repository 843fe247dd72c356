"""PyYAML: "mapping values are not allowed here", for nine reasons, amid files that are otherwise fine."""

from __future__ import annotations

import random
from pathlib import Path

from .recorder import Case
from .words import name, sentence

SYMPTOM = "mapping values are not allowed"
PACKAGES = ("PyYAML==6.0.2",)
TARGET = "script:load.py"
SCRIPT = '''"""Say how many entries a YAML file has: python load.py FILE"""

import sys

import yaml

try:
    with open(sys.argv[1], encoding="utf-8") as file:
        print(len(yaml.safe_load(file) or ()))
except yaml.MarkedYAMLError as error:
    sys.exit(f"{sys.argv[1]}: {error.problem}")
'''
PRELOAD = ("yaml",)

#: Entries before the mistake. Counts are those of a whole run, in which one mistake drowns: with up to ten entries before it the
#: nested accuracy was .38 to .46, with up to four it was .49 for function counts. So it stands near the top here.
BEFORE = (0, 0, 0, 1, 2)

CAUSES = {
    "colon-in-value": "A value holds a colon and a space. Put it in quotes.",
    "child-under-scalar": "An entry is indented under one that has a value already. Remove the value or the indentation.",
    "missing-newline": "Two entries stand on one line.",
    "path-or-time": "A path or a time with a colon is not quoted. Put it in quotes.",
    "item-with-two-colons": "A list item holds two colons. Quote its value.",
    "open-multi-line": "A value goes on over several lines, and one of them looks like an entry. Use | or quotes.",
    "misplaced-anchor": "An anchor stands before an entry on the same line. Put the entry on the next line.",
    "after-quotes": "Text in quotes is followed by a colon. Quote all of it.",
    "after-brackets": "A list or mapping in brackets is followed by a colon.",
}


def make(label: str, number: int, folder: Path) -> Case:
    """Write a YAML file that cannot be read for the reason named."""
    rng = random.Random(f"pyyaml {label} {number}")
    folder.mkdir(parents=True, exist_ok=True)
    depth = rng.choice((0, 0, 0, 1))
    lines = [line for _ in range(rng.choice(BEFORE)) for line in _fine(rng, 0)]
    for level in range(depth):
        lines.append("  " * level + f"{name(rng)}:")
        lines += [line for _ in range(rng.randint(0, 1)) for line in _fine(rng, level + 1)]
    lines += ["  " * depth + line for line in _CAUSES[label](rng)]
    lines += [line for _ in range(rng.randint(0, 9)) for line in _fine(rng, 0)]
    (folder / "config.yaml").write_text("\n".join(lines) + "\n")
    return Case(f"pyyaml {label} {number}", label, [str(folder / "config.yaml")], str(folder))


def _fine(rng: random.Random, level: int) -> list[str]:
    """Lines of an entry that is as it should be."""
    key, indent = name(rng), "  " * level
    kind = rng.choices(range(9), (8, 4, 2, 2, 1, 1, 1, 1, 1))[0]
    if kind == 0:
        lines = [f"{key}: {rng.randint(1, 999)}"]
    elif kind == 1:
        lines = [f"{key}: {name(rng)}"]
    elif kind == 2:
        lines = [f"{key}:", *(f"  - {name(rng)}" for _ in range(rng.randint(1, 5)))]
    elif kind == 3:
        lines = [f"{key}:", f"  {name(rng)}: {name(rng)}", f"  {name(rng)}: yes"]
    elif kind == 4:
        lines = [f'{key}: "{sentence(rng)}: {sentence(rng)}"']
    elif kind == 5:
        lines = [f"{key}: [{name(rng)}, {rng.randint(1, 9)}]"]
    elif kind == 6:
        lines = [f"{key}: |", f"  {sentence(rng)}", f"  {sentence(rng)}"]
    elif kind == 7:
        lines = [f"# {sentence(rng)}", f"{key}: {sentence(rng)}"]
    else:
        lines = [f"{key}: &{name(rng)}{rng.randint(100, 999)} {name(rng)}"]
    return [indent + line for line in lines]


def _colon(rng):
    return [f"{name(rng)}: {sentence(rng)}: {sentence(rng)}"]


def _child(rng):
    return [
        f"{name(rng)}: {rng.choice((name(rng), str(rng.randint(1, 99))))}",
        f"  {name(rng)}: {rng.randint(1, 99)}",
    ]


def _newline(rng):
    first = rng.choice((str(rng.randint(1, 99)), "true", name(rng)))
    return [f"{name(rng)}: {first} {name(rng)}: {rng.randint(1, 99)}"]


def _path(rng):
    path = "C:" + "".join(f"\\{name(rng)}" for _ in range(rng.randint(1, 4)))
    time = f"{rng.randint(1, 12)}:{rng.randint(10, 59)}"
    return [f"{name(rng)}: {rng.choice((path, time))}: {name(rng)}"]


def _item(rng):
    fine = [f"  - {name(rng)}: {rng.randint(1, 99)}" for _ in range(rng.randint(0, 4))]
    return [f"{name(rng)}:", *fine, f"  - {name(rng)}: {name(rng)}: {rng.randint(1, 99)}"]


def _multi(rng):
    more = [f"  {sentence(rng)}" for _ in range(rng.randint(1, 4))]
    return [f"{name(rng)}: {sentence(rng)}", *more, f"  {sentence(rng)}: {sentence(rng)}"]


def _anchor(rng):
    return [f"{name(rng)}: &{name(rng)} {name(rng)}: {rng.randint(1, 99)}"]


def _quotes(rng):
    quote = rng.choice("'\"")
    return [f"{name(rng)}: {quote}{sentence(rng)}{quote}: {sentence(rng)}"]


def _brackets(rng):
    text = rng.choice((f"[{name(rng)}, {name(rng)}]", f"{{{name(rng)}: {rng.randint(1, 9)}}}"))
    return [f"{name(rng)}: {text}: {sentence(rng)}"]


_CAUSES = dict(
    zip(CAUSES, (_colon, _child, _newline, _path, _item, _multi, _anchor, _quotes, _brackets), strict=True)
)
