"""Time to explain 100 samples of 20 columns; writes benchmarks/results/explain.md.

Run it as ``python benchmarks/explain_speed.py`` on a machine with nothing else to do.
"""

from __future__ import annotations

import os
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from stakes import GBSE, BoostedStakes, CostBagging, MinExpectedCost, datasets

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "results" / "explain.md"
SAMPLES = 100
BACKGROUND = 100
REPEATS = 3
#: The most seconds that explaining may take, for any of the models.
MOST = 10.0
COSTS = [[0, 5], [1, 0]]
MODELS = {
    "BoostedStakes": BoostedStakes(cost_matrix=COSTS),
    "GBSE": GBSE(cost_matrix=COSTS),
    "CostBagging": CostBagging(cost_matrix=COSTS),
    "MinExpectedCost(RandomForestClassifier)": MinExpectedCost(
        RandomForestClassifier(random_state=0), cost_matrix=COSTS
    ),
}


def problems() -> dict[str, tuple[Any, Any]]:
    """Two sets with 20 columns: numbers only, and german credit, which has categories."""
    X, y = make_classification(2000, 20, n_informative=10, random_state=0)
    german = datasets.load("german")
    return {"2,000 rows of numbers": (X, y), "german credit": (german.X, (german.y == "good").astype(int))}


def explained(model: Any, X: Any, background: Any) -> tuple[float, float, float]:
    """Least seconds, largest gap of a sum, and median standard error relative to the largest share."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        shares = model.explain(X, background)
        times.append(time.perf_counter() - start)
    gap = np.abs(shares.base + shares.shares.sum(axis=1) - shares.difference).max()
    error = np.median(shares.error.max(axis=1) / np.abs(shares.shares).max(axis=1))
    return min(times), float(gap), float(error)


def rows() -> list[tuple[str, str, str, float, float, float]]:
    """One line for each set, model and background."""
    lines = []
    for data, (X, y) in problems().items():
        for name, model in MODELS.items():
            if "Forest" in name and data == "german credit":
                continue  # it takes numbers only
            fitted = model.fit(X, y)
            for words, background in ((f"{BACKGROUND} rows", X[:BACKGROUND]), ("typical rows", None)):
                lines.append((data, name, words, *explained(fitted, X[-SAMPLES:], background)))
    return lines


def page(lines: list[tuple[str, str, str, float, float, float]]) -> str:
    git = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    met = all(line[3] <= MOST for line in lines)
    return "\n".join(
        [
            "# Time to explain",
            "",
            f"Measured at {commit} by `python benchmarks/explain_speed.py`: Python {platform.python_version()}, "
            f"{os.cpu_count()} cores, {platform.machine()}.",
            f"`explain(X, background)` of {SAMPLES} samples with 20 columns, the least of {REPEATS} times. The error is "
            "the largest standard error of a sample's shares, relative to its largest share, in the median.",
            "",
            "| data | model | compared with | seconds | largest gap of a sum | error |",
            "|---|---|---|---:|---:|---:|",
            *(f"| {d} | {m} | {b} | {t:.2f} | {g:.1e} | {e:.1%} |" for d, m, b, t, g, e in lines),
            "",
            f"{SAMPLES} samples may take {MOST:g} s ({'met' if met else 'not met'}).",
            "",
        ]
    )


def main() -> None:
    text = page(rows())
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
