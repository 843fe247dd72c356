"""What `alpha="auto"` gains over the default's penalty and over the paper's, on the sets of Krętowski and Grześ (2007).

    STAKES_DATA=folder python benchmarks/alpha_auto.py [--runs 2] [--sets german,heart]

The default variant of GDTClassifier with three ways to set the penalty on size; protocol, folds and costs are those of the
paper. Finished runs are kept in results/alpha_auto.tmp. Writes results/alpha_auto.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from pathlib import Path

import numpy as np

from kept import Kept
from kretowski_data import SETS, costs_of, load
from stakes import GDTClassifier
from stakes._base.folds import stratified_folds

HERE = Path(__file__).parent
WAYS = {"noise (default)": None, "0.001 (the paper's)": 0.001, "auto": "auto"}


def learner(alpha):
    return lambda costs, seed: GDTClassifier(cost_matrix=costs, alpha=alpha, random_state=seed)


def one_run(name, make, seed):
    """Cost of each test row summed by fold, rows, leaves and CPU seconds of each fold."""
    X, y, data = load(name)
    costs = costs_of(name, data, seed)
    fold, folds = stratified_folds(costs.codes(y), 10, seed), []
    for number in range(10):
        train, test = fold != number, fold == number
        start = time.process_time()
        model = make(costs, seed).fit(X[train], y[train])
        seconds = time.process_time() - start
        paid = costs.values[costs.codes(y[test]), costs.codes(model.predict(X[test]))].sum()
        leaves = model.get_n_leaves() if hasattr(model, "get_n_leaves") else 1
        folds.append((float(paid), int(test.sum()), int(leaves), seconds))
    return folds


def measure(kept, name, learner, make, seeds):
    """Folds of all runs: an array of (runs, 10, 4)."""
    runs = []
    for seed in seeds:
        fresh = (name, learner, seed) not in kept.found
        folds = kept.get((name, learner, seed), lambda seed=seed: one_run(name, make, seed))
        runs.append(folds)
        if fresh:
            paid, rows, leaves, seconds = np.sum(folds, axis=0)
            print(
                f"{name:16s} {learner:24s} run {seed:3d}  cost {paid / rows:.3f}  leaves {leaves / 10:5.1f}  "
                f"{seconds / 10:.2f} s a fit",
                flush=True,
            )
    return np.array(runs, dtype=float)


def cost_of(runs):
    """Mean cost per row of each run."""
    return runs[:, :, 0].sum(axis=1) / runs[:, :, 1].sum(axis=1)


def spread(runs):
    return cost_of(runs).std(ddof=1) if len(runs) > 1 else 0.0


def markdown(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def table(found, names):
    rows = []
    for name in names:
        runs = [found[name, way] for way in WAYS]
        cells = [f"{cost_of(r).mean():.3f} ± {spread(r):.3f} ({r[..., 2].mean():.1f})" for r in runs]
        rows.append([name, *cells, *(f"{r[..., 3].mean():.2f}" for r in runs)])
    return markdown(["data set", *WAYS, *(f"s: {way}" for way in WAYS)], rows)


def summary(found, names):
    rows = []
    costs = {way: np.array([cost_of(found[name, way]).mean() for name in names]) for way in WAYS}
    for way in WAYS:
        if way == "auto":
            continue
        ratio = costs["auto"] / costs[way]
        wins = f"{int((ratio < 0.9995).sum())} lower, {int((ratio > 1.0005).sum())} higher"
        rows.append(
            [way, f"{np.exp(np.log(ratio).mean()):.3f}", f"{ratio.min():.3f} to {ratio.max():.3f}", wins]
        )
    return markdown(["auto against", "cost ratio, geometric mean", "from, to", f"of {len(names)} sets"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--sets", default="", help="only these; nothing is written then")
    options = parser.parse_args()
    kept = Kept(HERE / "results" / "alpha_auto.tmp")
    names = options.sets.split(",") if options.sets else list(SETS)
    found = {
        (name, way): measure(kept, name, way, learner(alpha), range(options.runs))
        for name in names
        for way, alpha in WAYS.items()
    }
    if options.sets:
        return
    parts = [
        '# Penalties on size: `alpha="auto"`',
        f"{options.runs} runs of stratified 10-fold cross-validation, the same folds and costs for all. Mean cost per row ± standard "
        "deviation over the runs, mostly that of the costs drawn (leaves); CPU seconds a fit, one thread. "
        f"{platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} cores.",
        summary(found, names),
        table(found, names),
    ]
    (HERE / "results" / "alpha_auto.md").write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
