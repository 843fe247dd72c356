"""CPU time of two checkouts, in turns, so that a change of the sources shows what it costs.

    python benchmarks/two_builds.py OTHER_CHECKOUT [--rounds 10] [--only grow-100k,gdt-paper]

Both checkouts need their own environment in ``.venv``. Each round runs each case once with each of them, in a
new process of one thread; the least CPU time of a case over all rounds counts. Models are compared by a hash
of what they predict. Writes results/two_builds.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}


def c45(n: int, **settings: Any) -> Callable[[], Any]:
    """Fit a tree of 31 leaves, or C4.5's own where there are no settings, on n generated rows."""
    from stakes import C45Classifier
    from tree_speed import leafy, table

    X, y = table(n)
    model = leafy(**settings) if settings else C45Classifier()
    return lambda: model.fit(X, y).predict(X)


def small() -> Callable[[], Any]:
    """Fit iris a hundred times: what a fit costs besides the rows."""
    from sklearn.datasets import load_iris

    from stakes import C45Classifier

    X, y = load_iris(return_X_y=True)
    return lambda: [C45Classifier().fit(X, y).predict(X) for _ in range(100)]


def german() -> Callable[[], Any]:
    """Fit and predict german credit with its costs: nominal columns, data frames."""
    from stakes import C45Classifier, datasets

    data = datasets.load("german")
    model = C45Classifier(cost_matrix=data.cost_matrix)
    return lambda: [model.fit(data.X, data.y).predict(data.X) for _ in range(20)]


def gdt(n: int, **settings: Any) -> Callable[[], Any]:
    """Evolve a tree on n generated rows."""
    from stakes import GDTClassifier
    from stakes.costs import kretowski_costs
    from tree_speed import table

    X, y = table(n)
    costs = kretowski_costs(range(5), 0).values
    model = GDTClassifier(cost_matrix=costs, n_jobs=1, random_state=0, **settings)
    return lambda: model.fit(X, y).predict(X)


#: From name to what is prepared first and measured then.
CASES: dict[str, Callable[[], Callable[[], Any]]] = {
    "c45-small": small,
    "c45-german": german,
    "c45-full-100k": lambda: c45(100_000),
    "c45-leaves-100k": lambda: c45(100_000, n_jobs=1),
    "c45-bins-1m": lambda: c45(1_000_000, max_bins=255, n_jobs=1),
    "gdt-paper-10k": lambda: gdt(10_000, variant="paper", max_generations=300),
    "gdt-memetic-10k": lambda: gdt(10_000, max_generations=100),
    "gdt-memetic-100k": lambda: gdt(100_000, max_generations=100),
}


def measure(names: list[str]) -> None:
    """Print seconds and a hash of the answers of each case, as JSON lines."""
    for name in names:
        work = CASES[name]()
        start = time.process_time()
        answers = work()
        seconds = time.process_time() - start
        digest = hashlib.sha256(np.ascontiguousarray(np.asarray(answers).astype(str)).data).hexdigest()
        print(json.dumps([name, seconds, digest[:16]]), flush=True)


def run(checkout: Path, names: list[str]) -> list[tuple[str, float, str]]:
    """Measure the cases with the environment of a checkout."""
    command = [str(checkout / ".venv" / "bin" / "python"), __file__, "--measure", ",".join(names)]
    lines = subprocess.run(
        command, env=os.environ | ONE_THREAD, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    return [tuple(json.loads(line)) for line in lines]


def commit(checkout: Path) -> str:
    """Return the short name of a checkout's commit."""
    git = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    return subprocess.run(git, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Compare two checkouts, or measure in the environment that runs this."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("other", nargs="?", type=Path, help="the checkout to compare with")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", default="", help="only these cases; nothing is written then")
    parser.add_argument("--measure", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure.split(","))
    if options.other is None:
        parser.error("which checkout to compare with is missing")
    names = options.only.split(",") if options.only else list(CASES)
    builds = {"other": options.other.resolve(), "this": ROOT}
    least: dict[tuple[str, str], float] = {}
    answers: dict[tuple[str, str], str] = {}
    for number in range(options.rounds):
        for build in sorted(builds, reverse=number % 2 == 1):
            for name, seconds, digest in run(builds[build], names):
                least[build, name] = min(least.get((build, name), np.inf), seconds)
                answers[build, name] = digest
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    rows = []
    for name in names:
        old, new = least["other", name], least["this", name]
        same = "yes" if answers["other", name] == answers["this", name] else "no"
        rows.append(f"| {name} | {old:.3f} | {new:.3f} | {new / old:.3f} | {same} |")
        print(rows[-1])
    head = [
        "# Two builds, in turns",
        "",
        f"{commit(ROOT)} next to {commit(builds['other'])} by `python benchmarks/two_builds.py`: Python "
        f"{platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}.",
        f"CPU seconds of one thread, the least of {options.rounds} rounds, each a new process.",
        "",
        f"| case | {commit(builds['other'])} | {commit(ROOT)} | ratio | same answers |",
        "|---|---:|---:|---:|---|",
    ]
    if not options.only:
        page = HERE / "results" / "two_builds.md"
        page.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
