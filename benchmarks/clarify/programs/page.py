"""The rows of the figure as a page and as a picture."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence

from .collect import cases_of
from .figure import ORDERS, Row

#: Figure 1 of the paper, right: cost of C4.5's tree as a share of watching everything, and how many times
#: less CSGain's costs.
PAPER = {
    "mpg321": ("19.4 %", 158.3),
    "gcc": ("24.2 %", 1.8),
    "gzprintf": ("20.1 %", 1.7),
    "latex": ("44.0 %", 468.1),
    "foxpro": ("3.7 %", 1485943.7),
    "lynx": ("1.9 %", 552.3),
    "apache": ("8.9 %", 4684.2),
}


def page(found: Sequence[Row]) -> str:
    """The results as Markdown."""
    return "\n\n".join([_head(found), _costs(found), _told(found), _paper(), _messages(found)]) + "\n"


def _head(found: Sequence[Row]) -> str:
    interpreters = " and ".join(sorted({row.interpreter for row in found}))
    inputs = " or ".join(map(str, sorted({round(row.inputs / row.causes) for row in found})))
    return f"""# What must be watched to explain a failure

`stakes reproduce davis2006 --figure 1` on {interpreters}, {platform.system()} {platform.machine()}.
Every cause of a program's one confusing message has {inputs} generated inputs, each recorded twice in forks
of a warmed parent and some also in fresh processes; what differs between runs of one input is dropped.
FC are function counts, CTP call trees to depth 2. Events are the mean number of watched function starts (and
lines) per run. C4.5's events are the median over {ORDERS} orders of the columns, with the range: it ignores
prices and takes the first of equal columns. Accuracies of C4.5 and CSGain are those of the five folds that
gamma was chosen on, as in the paper; nested ones had every choice made without the inputs asked about.

The inputs are made by scripts, and what surrounds a mistake decides how well it is seen: those of jinja2,
requests and PyYAML were made plainer after first accuracies had been seen (docs/decisions/0017)."""


def _costs(found: Sequence[Row]) -> str:
    head = ["program", "counted", "causes", "everything", "C4.5 accuracy", "C4.5 events (range)"]
    head += ["CSGain accuracy", "CSGain events", "functions", "times fewer", "nested accuracy"]
    return _table(
        head,
        (
            [
                row.program,
                row.counted,
                f"{row.causes}",
                f"{row.all_events:,.0f}",
                f"{row.baseline_accuracy:.3f}",
                f"{row.baseline_events:,.1f} ({row.baseline_least:,.1f} to {row.baseline_most:,.1f})",
                f"{row.accuracy:.3f}",
                f"{row.events:,.1f}",
                f"{row.functions}",
                f"{row.ratio:,.1f}",
                f"{row.nested_accuracy:.3f}",
            ]
            for row in found
        ),
    )


def _told(found: Sequence[Row]) -> str:
    head = ["program", "counted", "explained", "wrong", "unknown", "µs per run", "hard to tell apart"]
    shown = (
        [
            row.program,
            row.counted,
            f"{row.explained:.1%}",
            f"{row.wrong:.1%}",
            f"{row.unknown:.1%}",
            f"{row.nanoseconds / 1000:.2f}",
            row.pairs or "-",
        ]
        for row in found
    )
    told = (
        "What a user would be told on unseen inputs (nested; nine of ten runs of a leaf must agree), "
        "and what is confused:"
    )
    return f"{told}\n\n{_table(head, shown)}"


def _paper() -> str:
    shown = ([name, share, f"{ratio:,.1f}"] for name, (share, ratio) in PAPER.items())
    table = _table(["program", "C4.5, share of everything", "times fewer"], shown)
    return f"The paper's own figures, on other programs (FC and CTP, five folds):\n\n{table}"


def _messages(found: Sequence[Row]) -> str:
    names = dict.fromkeys(row.program for row in found)
    return "One message each: " + "; ".join(f"{name}: {cases_of(name).SYMPTOM}" for name in names) + "."


def _table(head: list[str], lines: Iterable[list[str]]) -> str:
    rows = ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines)]
    return "\n".join(rows)
