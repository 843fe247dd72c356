"""Training cost of evolved trees next to the provable optimum (pystreed) at equal depth, and the time both take.

    STAKES_DATA=folder python benchmarks/optimal_trees.py [--peer-python PATH] [--time-limit 120] [--sets wine,glass]

The sets of Krętowski and Grześ (2007) with 0/1 columns: numeric columns are cut at up to 16 quantiles (8 where the optimum
was not found in time with 16), nominal ones have a column per value. Both sides see these columns, the same costs (published ones, or uniform in [1, 10]) and the
same limit on depth, 2 to 4; the evolved tree has no penalty on size. Optima are kept in results/optimal_trees.jsonl, so
that pystreed is needed only for cases not there yet; remove its lines to time pystreed anew. Evolved trees are learnt anew each time. Writes results/optimal_trees.md.
"""

from __future__ import annotations

import argparse
import os
import pickle
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import streed_optimal
from kept import Kept
from kretowski2007 import SETS, costs_of, load
from stakes import GDTClassifier

HERE = Path(__file__).parent
DEPTHS = (2, 3, 4)
CUTS = (16, 8)
SEED = 0


def binarised(X, n_cuts):
    """0/1 columns: at most n_cuts cuts at quantiles of a numeric column, values of a nominal one; no column twice."""
    columns = []
    for name in X.columns:
        column = X[name]
        if column.dtype.kind == "f":
            values = np.unique(column.dropna())
            middles = (values[1:] + values[:-1]) / 2
            at = np.quantile(column.dropna(), np.arange(1, n_cuts + 1) / (n_cuts + 1))
            cuts = (
                middles
                if len(middles) <= n_cuts
                else np.unique(middles[np.searchsorted(middles, at).clip(0, len(middles) - 1)])
            )
            columns += [(column <= cut).to_numpy() for cut in cuts]
        else:
            values = column.cat.categories
            columns += [(column == value).to_numpy() for value in (values if len(values) > 2 else values[:1])]
    distinct = np.unique(np.array(columns, dtype=np.uint8), axis=0)
    uneven = distinct.any(axis=1) & ~distinct.all(axis=1)
    return np.ascontiguousarray(distinct[uneven].T)


def problem(name, n_cuts):
    """0/1 columns, class codes and costs."""
    X, y, data = load(name)
    costs = costs_of(name, data, SEED)
    return binarised(X, n_cuts), costs.codes(y), costs


def optimum(name, depth, n_cuts, peer_python, time_limit):
    """Least training cost and seconds; the cost is None where it was not found in time."""
    X, y, costs = problem(name, n_cuts)
    free = [(0, 0, None, j, j) for j in range(X.shape[1])]
    call = pickle.dumps([(X, y, costs.values.tolist(), free, depth, time_limit)])
    done = subprocess.run(
        [peer_python, streed_optimal.__file__], input=call, stdout=subprocess.PIPE, check=True
    )
    [(tree, seconds)] = pickle.loads(done.stdout)
    paid = None if tree is None else float(costs.values[y, answers(tree, X)].sum())
    print(f"{name:16s} depth {depth}  {X.shape[1]:3d} columns  optimum {paid}  {seconds:.2f} s", flush=True)
    return {"cost": paid, "seconds": seconds}


def answers(tree, X):
    if not isinstance(tree, tuple):
        return np.full(len(X), tree)
    column, zero, one = tree
    return np.where(X[:, column] == 1, answers(one, X), answers(zero, X))


def evolved(name, depth, n_cuts):
    """Training cost and CPU seconds of the default variant without a penalty on size."""
    X, y, costs = problem(name, n_cuts)
    settings = {"max_depth": depth, "alpha": 0.0, "min_samples_leaf": 1, "n_jobs": 1, "random_state": SEED}
    model = GDTClassifier(cost_matrix=costs.values, **settings)
    start = time.process_time()
    model.fit(X.astype(float), y)
    seconds = time.process_time() - start
    assert model.get_depth() <= depth
    return float(costs.values[y, model.predict(X.astype(float))].sum()), seconds


def row(name, depth, size, best, found):
    """A line of the table, the ratio of the costs (None where the optimum is not known), and whether we were faster."""
    paid, seconds = found
    known = best["cost"] is not None
    ratio = (paid / best["cost"] if best["cost"] else 1.0 + paid) if known else None
    cells = [name, str(depth), f"{size[0]} x {size[1]}", f"{best['cost']:.2f}" if known else "not found"]
    cells += [f"{best['seconds']:.3f}", f"{paid:.2f}", f"{seconds:.3f}", f"{ratio:.4f}" if known else "-"]
    print("  ".join(cells), flush=True)
    return "| " + " | ".join(cells) + " |", ratio, seconds < best["seconds"]


def summary(rows):
    lines = [
        "| depth | optima known | within 1 % | worst ratio | mean ratio | faster than pystreed |",
        "|---" * 6 + "|",
    ]
    for depth in DEPTHS:
        ratios = [ratio for d, _, ratio, _ in rows if d == depth and ratio is not None]
        faster = [quick for d, _, _, quick in rows if d == depth]
        within = sum(ratio <= 1.01 for ratio in ratios)
        lines.append(
            f"| {depth} | {len(ratios)} | {within} | {max(ratios):.4f} | {np.mean(ratios):.4f} | {sum(faster)} of {len(faster)} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-python", default=sys.executable, help="interpreter that has pystreed")
    parser.add_argument("--time-limit", type=float, default=240)
    parser.add_argument(
        "--sets", default=",".join(SETS), help="only these; the results page is not written then"
    )
    parser.add_argument("--optima-only", action="store_true")
    options = parser.parse_args()
    kept = Kept(HERE / "results" / "optimal_trees.jsonl")
    rows = []
    for depth in DEPTHS:
        for name in options.sets.split(","):
            for cuts in CUTS:
                case = (name, depth, cuts)
                best = kept.get(
                    case, lambda case=case: optimum(*case, options.peer_python, options.time_limit)
                )
                if best["cost"] is not None:
                    break
            if not options.optima_only:
                size = problem(name, cuts)[0].shape
                rows.append((depth, *row(name, depth, size, best, evolved(*case))))
    if options.optima_only or options.sets != ",".join(SETS):
        return
    head = ["data set", "depth", "rows x columns", "optimum", "s", "evolved", "s", "ratio"]
    text = "\n".join(
        [
            "# Evolved trees and optimal trees",
            "",
            f"Training cost at equal depth; up to {CUTS[0]} cuts per numeric column, {CUTS[1]} where pystreed did not finish in "
            f"{options.time_limit:g} s on the clock. CPU seconds of fit, one thread on either side. {platform.machine()}, {os.cpu_count()} cores.",
            "",
            summary(rows),
            "",
            "| " + " | ".join(head) + " |",
            "|---" * len(head) + "|",
            *(line for _, line, _, _ in rows),
        ]
    )
    (HERE / "results" / "optimal_trees.md").write_text(text + "\n")


if __name__ == "__main__":
    main()
