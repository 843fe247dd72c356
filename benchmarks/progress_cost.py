"""Instructions that telling how far a fit is takes, counted by callgrind; writes benchmarks/results/progress.md.

Run it as ``python benchmarks/progress_cost.py``; valgrind must be installed. Counts do not depend on what else
the machine does. Each is a process of its own: a fit that nobody watches, one with the lines that ``--verbose``
prints in a pipe, and one with the bar of a terminal, whose drawing by the clock is counted apart.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from startup import commit

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "results" / "progress.md"
SIZES = ((20_000, 20), (500, 5))
LEARNERS = {
    "C4.5": "C45Classifier(n_jobs=1)",
    "GDT": "GDTClassifier(n_jobs=1, population_size=16, max_generations=20, random_state=0)",
}
WATCHERS = ("none", "lines", "bar")
#: The bar is drawn so often a second, on a core that does about so many instructions meanwhile.
DRAWINGS, SPEED = 10, 2e9
#: A fit, or with "start" all that comes before it, or with a number so many drawings of the bar.
PROGRAM = """
import sys
import numpy as np
from rich.console import Console
from stakes import C45Classifier, GDTClassifier
from stakes._base.progress import watched
from stakes._cli import progress

bars = []


class Bar(progress.Progress):
    # drawn when it is told to, not by the clock, which is fast for a slow program
    def __init__(self, *args, **settings):
        super().__init__(*args, auto_refresh=False, **settings)
        bars.append(self)


progress.Progress = Bar
how, n_rows, n_columns = sys.argv[1], *map(int, sys.argv[2:])
rng = np.random.default_rng(0)
X = rng.random((n_rows, n_columns))
y = (X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=n_rows) > 1).astype(int)
model = {learner}
if how == "none":
    model.fit(X, y)
elif how == "lines":
    with watched(progress._lines()):
        model.fit(X, y)
elif how != "start":
    with progress._fit_bar(Console(stderr=True, force_terminal=True)) as watcher, watched(watcher):
        if how == "bar":
            model.fit(X, y)
        else:
            watcher(0.5, "learning")
            for _ in range(int(how)):
                bars[0].refresh()
"""


def instructions(learner: str, how: str, size: tuple[int, int]) -> int:
    """Instructions of a process, all its threads together."""
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    program = [sys.executable, "-c", PROGRAM.replace("{learner}", learner), how, *map(str, size)]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    run = subprocess.run(
        [*callgrind, *program],
        env=os.environ | threads | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(re.search(r"I\s+refs:\s+([\d,]+)", run.stderr)[1].replace(",", ""))


def measured() -> list[str]:
    """A line of the table for each learner and size."""
    lines = []
    for name, learner in LEARNERS.items():
        for size in SIZES:
            start = instructions(learner, "start", size)
            none, told, bar = (instructions(learner, how, size) - start for how in WATCHERS)
            shares = " | ".join(f"{(watched - none) / none:+.2%}" for watched in (told, bar))
            lines.append(f"| {name}, {size[0]:,} rows of {size[1]} columns | {none / 1e6:,.0f} | {shares} |")
            print(lines[-1], flush=True)
    return lines


def drawing() -> float:
    """Instructions of one drawing of the bar."""
    some, more = (instructions(LEARNERS["C4.5"], str(n), SIZES[-1]) for n in (50, 150))
    return (more - some) / 100


def page(lines: list[str], one_drawing: float) -> str:
    return "\n".join(
        [
            "# What it costs to tell how far a fit is",
            "",
            f"Measured at {commit(ROOT)} by `python benchmarks/progress_cost.py`: Python {platform.python_version()}, "
            f"{platform.machine()}, callgrind. Start and data are not counted.",
            "",
            "| fit | millions of instructions, nobody watching | lines of `--verbose` | bar of a terminal |",
            "|---|---:|---:|---:|",
            *lines,
            "",
            f"Drawing the bar takes {one_drawing / 1e6:.2f} million instructions, {DRAWINGS} times a second: "
            f"{DRAWINGS * one_drawing / SPEED:.2%} of a core that does {SPEED / 1e6:,.0f} million a second.",
            "",
            "The shares are upper limits: the core tells each tenth of a second by the clock, and callgrind makes the fit some",
            "fifty times as slow as it is.",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(measured(), drawing()) + "\n", encoding="utf-8")
