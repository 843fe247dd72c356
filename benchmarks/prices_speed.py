"""What feature costs cost in time: fits with test costs next to the plain tree, as ratios within one run.

    python benchmarks/prices_speed.py [--rows 100000] [--repeats 3]

CPU seconds on one thread, the best of a few runs for both, taken in turns. Writes results/prices_speed.md.
"""

from __future__ import annotations

import argparse
import platform
import time
from pathlib import Path

import numpy as np

from stakes import C45Classifier
from stakes.costs import davis_prices
from tree_speed import table

GAMMAS = (0.01, 0.03, 0.1, 0.3, 1.0)
MOST = 1.5


def cpu(model, X, y):
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    X, y = table(options.rows)
    prices = davis_prices([f"x{j}" for j in range(X.shape[1])], 0)
    priced = {
        (criterion, gamma): C45Classifier(
            criterion=criterion, gamma=gamma, feature_costs=list(prices.values())
        )
        for criterion in ("cs_gain", "cs_gain_ratio")
        for gamma in GAMMAS
    }
    models = {
        ("gain", None): C45Classifier(criterion="gain"),
        ("gain_ratio", None): C45Classifier(),
        **priced,
    }
    best = dict.fromkeys(models, np.inf)
    for _ in range(options.repeats):
        for key, model in models.items():
            best[key] = min(best[key], cpu(model, X, y))
    plain = best["gain_ratio", None]
    lines = ["| criterion | gamma | leaves | CPU seconds | of the plain tree's |", "|---|---|---|---|---|"]
    for (criterion, gamma), seconds in best.items():
        leaves = models[criterion, gamma].get_n_leaves()
        shown = "-" if gamma is None else f"{gamma:g}"
        lines.append(f"| {criterion} | {shown} | {leaves} | {seconds:.2f} | {seconds / plain:.2f} |")
    worst = max(best[key] for key in priced) / plain
    text = f"""# Fitting with test costs

{options.rows} x {X.shape[1]}, prices uniform in [0, 1]; {platform.machine()}, one thread, best of {options.repeats}. The plain tree is
C45Classifier(), by gain ratio. Most of any setting: {worst:.2f} times its time (asked: at most {MOST}).

""" + "\n".join(lines)
    (Path(__file__).parent / "results" / "prices_speed.md").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
