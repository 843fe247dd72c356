"""Training cost of evolved trees next to the provable optimum (pystreed) at equal depth, and the time both take.

    STAKES_DATA=folder python benchmarks/optimal_trees.py [--peer-python PATH] [--time-limit 120] [--sets wine,glass]

The sets of Krętowski and Grześ (2007) with 0/1 columns: numeric columns are cut at up to 16 quantiles (8 where the optimum
was not found in time with 16), nominal ones have a column per value. Both sides see these columns, the same costs (published ones, or uniform in [1, 10]) and the
same limit on depth, 2 to 4. Without a penalty on size and with few tests GDTClassifier tries every tree and makes no
generations; with the least penalty it cannot know that it has the best tree, and evolves. Both are shown. Optima are kept in results/optimal_trees.jsonl, so
that pystreed is needed only for cases not there yet; remove its lines to time pystreed anew. Evolved trees are learnt anew each time. Writes results/optimal_trees.md.
"""

from __future__ import annotations

import argparse
import itertools
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
from kretowski_data import SETS, costs_of, load
from stakes import GDTClassifier

HERE = Path(__file__).parent
DEPTHS = (2, 3, 4)
CUTS = (16, 8)
ALPHAS = (0.0, 1e-9)  # every tree is tried; evolution
SEED = 0
QUICK, REPEATS = 1.0, 5


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
    call = (X, y, costs.values.tolist(), free, depth, time_limit)

    def fits(n):
        command = [peer_python, streed_optimal.__file__]
        done = subprocess.run(command, input=pickle.dumps([call] * n), stdout=subprocess.PIPE, check=True)
        return pickle.loads(done.stdout)

    tree, seconds = least_time(fits)
    paid = None if tree is None else float(costs.values[y, answers(tree, X)].sum())
    print(f"{name:16s} depth {depth}  {X.shape[1]:3d} columns  optimum {paid}  {seconds:.2f} s", flush=True)
    return {"cost": paid, "seconds": seconds}


def least_time(fits):
    """The quickest of a few fits where one takes less than a second, as (what was found, seconds)."""
    [first] = fits(1)
    return first if first[1] >= QUICK else min([first, *fits(REPEATS - 1)], key=lambda found: found[1])


def answers(tree, X):
    if not isinstance(tree, tuple):
        return np.full(len(X), tree)
    column, zero, one = tree
    return np.where(X[:, column] == 1, answers(one, X), answers(zero, X))


def evolved(name, depth, n_cuts, alpha=0.0):
    """Training cost, CPU seconds and generations of the default variant, by default without a penalty on size."""
    X, y, costs = problem(name, n_cuts)
    settings = {"max_depth": depth, "alpha": alpha, "min_samples_leaf": 1, "n_jobs": 1, "random_state": SEED}

    def fit():
        model = GDTClassifier(cost_matrix=costs.values, **settings)
        start = time.process_time()
        model.fit(X.astype(float), y)
        return model, time.process_time() - start

    model, seconds = least_time(lambda n: [fit() for _ in range(n)])
    assert model.get_depth() <= depth
    paid = float(costs.values[y, model.predict(X.astype(float))].sum())
    return paid, seconds, model.n_generations_


def ratio_to(optimum, paid):
    """Cost over the least; None where that is not known."""
    if optimum is None:
        return None
    return paid / optimum if optimum else 1.0 + paid


def row(name, depth, size, best, ways):
    """A line of the table, and for each way of ours the ratio of the costs and whether it was faster."""
    known = best["cost"] is not None
    cells = [name, str(depth), f"{size[0]} x {size[1]}", f"{best['cost']:.2f}" if known else "not found"]
    cells += [f"{best['seconds']:.3f}"]
    judged = []
    for paid, seconds, generations in ways:
        ratio = ratio_to(best["cost"], paid)
        cells += [f"{ratio:.4f}" if known else f"({paid:.2f})", f"{seconds:.3f}", str(generations)]
        judged.append((ratio, seconds < best["seconds"]))
    print("  ".join(cells), flush=True)
    return "| " + " | ".join(cells) + " |", judged


def summary(rows):
    lines = [
        "| depth | penalty | optima known | within 1 % | worst ratio | mean ratio | faster than pystreed |",
        "|---" * 7 + "|",
    ]
    for depth, (way, alpha) in itertools.product(DEPTHS, enumerate(ALPHAS)):
        judged = [ways[way] for d, _, ways in rows if d == depth]
        ratios = [ratio for ratio, _ in judged if ratio is not None]
        within, faster = sum(ratio <= 1.01 for ratio in ratios), sum(quick for _, quick in judged)
        lines.append(
            f"| {depth} | {alpha:g} | {len(ratios)} | {within} | {max(ratios):.4f} | {np.mean(ratios):.4f} | {faster} of {len(judged)} |"
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
                rows.append(
                    (depth, *row(name, depth, size, best, [evolved(*case, alpha) for alpha in ALPHAS]))
                )
    if options.optima_only or options.sets != ",".join(SETS):
        return
    head = ["data set", "depth", "rows x columns", "optimum", "s"]
    for alpha in ALPHAS:
        head += [f"alpha {alpha:g}: ratio", "s", "generations"]
    text = "\n".join(
        [
            "# Evolved trees and optimal trees",
            "",
            f"Training cost at equal depth; up to {CUTS[0]} cuts per numeric column, {CUTS[1]} where pystreed did not finish in "
            f"{options.time_limit:g} s on the clock. CPU seconds of fit, the least of {REPEATS} where they are below {QUICK:g}, one thread on either side. {platform.machine()}, {os.cpu_count()} cores.",
            "",
            "Without a penalty on size (alpha 0) and with few tests GDTClassifier tries every tree: where it made no generations its "
            "trees are optimal by construction, and only time is compared. With more tests, or with a penalty that is too small to "
            "matter, it evolves as usual, from a population that has a searched tree.",
            "",
            summary(rows),
            "",
            "| " + " | ".join(head) + " |",
            "|---" * len(head) + "|",
            *(line for _, line, _ in rows),
        ]
    )
    (HERE / "results" / "optimal_trees.md").write_text(text + "\n")


if __name__ == "__main__":
    main()
