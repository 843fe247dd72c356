"""Instructions that telling how far a fit is takes, counted by callgrind; writes benchmarks/results/progress.md.

Run it as ``python benchmarks/progress_cost.py``; valgrind must be installed. Counts do not depend on what else
the machine does. A fit is counted that nobody watches, one with the lines that ``--verbose`` prints in a pipe, and
one with the bar of a terminal. What the clock decides, how often the bar is drawn, is counted apart.
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
#: The bar is drawn so often a second, on a core that does about so many instructions meanwhile.
DRAWINGS, SPEED = 10, 2e9
#: Callgrind counts where `counted` is on; imports and data take longer than most fits.
PROGRAM = """
import os, subprocess, sys
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


def counted(on):
    command = ["callgrind_control", "-i", on, str(os.getpid())]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def fit():
    counted("on")
    model.fit(X, y)
    counted("off")


progress.Progress = Bar
how, n_rows, n_columns = sys.argv[1], *map(int, sys.argv[2:])
rng = np.random.default_rng(0)
X = rng.random((n_rows, n_columns))
y = (X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=n_rows) > 1).astype(int)
model = {learner}
model.fit(X[:40], y[:40])  # what is imported with the first fit
if how == "none":
    fit()
elif how == "lines":
    with watched(progress._lines()):
        fit()
elif how == "nothing":
    counted("on")
    counted("off")
else:
    if how == "once":
        counted("on")
    with progress._fit_bar(Console(stderr=True, force_terminal=True)) as watcher, watched(watcher):
        if how == "bar":
            fit()
        elif how != "once":
            watcher(0.5, "learning")
            counted("on")
            for _ in range(int(how)):
                bars[0].refresh()
            counted("off")
    counted("off")
"""


def instructions(how: str, learner: str = LEARNERS["C4.5"], size: tuple[int, int] = SIZES[-1]) -> int:
    """Instructions of what is counted, in all threads together."""
    callgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null"]
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


def measured(nothing: int) -> list[str]:
    """A line of the table for each learner and size."""
    lines = []
    for name, learner in LEARNERS.items():
        for size in SIZES:
            none, told, bar = (instructions(how, learner, size) - nothing for how in ("none", "lines", "bar"))
            shares = " | ".join(f"{(watched - none) / none:+.2%}" for watched in (told, bar))
            lines.append(f"| {name}, {size[0]:,} rows of {size[1]} columns | {none / 1e6:,.0f} | {shares} |")
            print(lines[-1], flush=True)
    return lines


def page() -> str:
    nothing = instructions("nothing")
    lines = measured(nothing)
    drawing = (instructions("150") - instructions("50")) / 100
    once = instructions("once") - nothing
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
            f"The bar begins and ends for {once / 1e6:.0f} million instructions. Drawing it takes {drawing / 1e6:.2f} million, "
            f"{DRAWINGS} times a second: {DRAWINGS * drawing / SPEED:.2%} of a core that does {SPEED / 1e6:,.0f} million a second.",
            "",
            "The shares are upper limits: the core tells each tenth of a second by the clock, and a fit under callgrind is",
            "many times as slow as it is. Seven million instructions are a few milliseconds.",
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
