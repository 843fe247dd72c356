"""What tests and mistakes cost together: stakes, provably optimal trees of depth 3 (pystreed), and no test at all.

    STAKES_STREED=folder python benchmarks/streed.py [--peer-python PATH] [--splits 10] [--jobs 2]

Same splits, exact published prices for all. pystreed is imported here, or by the interpreter of --peer-python; where it
is neither here nor there, its column is left out. Writes results/streed.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import pickle
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import streed_data
import streed_optimal
from stakes import C45Classifier

OURS, OPTIMAL, NOTHING = "stakes", "optimal, depth 3", "no test"


def as_tuples(fitted, node=0):
    """(column, tree where it is 0, tree where it is 1), or the class that a leaf answers."""
    tree = fitted.tree
    if tree.feature[node] < 0:
        return int(fitted.classes[fitted.decision[node]])
    below = [as_tuples(fitted, child) for child in tree.children(node)]
    return int(tree.feature[node]), *below


def bills(tree, X, y, benchmark, path=()):
    """Published bill of each row."""
    if not isinstance(tree, tuple):
        return benchmark.published_price(path) + benchmark.cost_matrix.values[y, tree]
    column, *below = tree
    paid = np.zeros(len(y))
    for value in (0, 1):
        rows = X[:, column] == value
        paid[rows] = bills(below[value], X[rows], y[rows], benchmark, (*path, column))
    return paid


def our_tree(benchmark, split, seed):
    X = pd.DataFrame(split.X_train, columns=list(benchmark.columns)).astype(float)
    model = C45Classifier(
        criterion="total_cost",
        cost_matrix=benchmark.cost_matrix,
        feature_costs=benchmark.feature_costs,
        random_state=seed,
    )
    started = time.process_time()
    fitted = model.fit(X, split.y_train).fitted_tree_
    return as_tuples(fitted), time.process_time() - started


def optimal_trees(benchmark, splits, peer_python):
    tests = [(t.price, t.group_price, t.group, t.columns[0], t.columns[-1]) for t in benchmark.tests]
    costs = benchmark.cost_matrix.values.tolist()
    problems = [(s.X_train, s.y_train, costs, tests, 3) for s in splits]
    if peer_python is None:
        return [streed_optimal.optimal_tree(*problem) for problem in problems]
    command = [peer_python, streed_optimal.__file__]
    done = subprocess.run(command, input=pickle.dumps(problems), stdout=subprocess.PIPE, check=True)
    return pickle.loads(done.stdout)


def run(name, level, n_splits, with_optimal, peer_python):
    """Mean bill per row and seconds of each system: arrays with a row per split."""
    benchmark = streed_data.load(name, level)
    splits = list(benchmark.splits())[:n_splits]
    trees = {OURS: [our_tree(benchmark, split, i) for i, split in enumerate(splits)]}
    if with_optimal:
        trees[OPTIMAL] = optimal_trees(benchmark, splits, peer_python)
    costs = benchmark.cost_matrix.values
    counts = [np.bincount(s.y_train, minlength=len(costs)) for s in splits]
    trees[NOTHING] = [(int((count @ costs).argmin()), 0.0) for count in counts]
    paid = {
        label: np.array(
            [bills(t, s.X_test, s.y_test, benchmark).mean() for (t, _), s in zip(found, splits, strict=True)]
        )
        for label, found in trees.items()
    }
    seconds = {label: np.mean([s for _, s in found]) for label, found in trees.items()}
    return paid, seconds


def ratio(paid, label, rows=slice(None)):
    return paid[label][rows].mean() / paid[NOTHING][rows].mean()


def geometric(results, label, rows=slice(None)):
    return float(np.exp(np.mean([np.log(ratio(paid, label, rows)) for paid, _ in results.values()])))


def interval(values):
    """Mean difference over splits with 95 %, as text; the splits overlap, so it is a little too narrow."""
    half = 2.26 * values.std(ddof=1) / np.sqrt(len(values))  # Student's t with nine degrees of freedom
    return values.mean(), half


def per_set(results, with_optimal):
    head = ["data set", "level", NOTHING, OURS, "share of no test"]
    head += [OPTIMAL, "share of no test", f"{OURS} - optimal, 95 %", "result"] if with_optimal else []
    rows, tally = [head, ["---"] * len(head)], {"win": 0, "tie": 0, "loss": 0}
    for (name, level), (paid, _) in results.items():
        row = [
            name,
            level,
            f"{paid[NOTHING].mean():.2f}",
            f"{paid[OURS].mean():.2f}",
            f"{ratio(paid, OURS):.3f}",
        ]
        if with_optimal:
            mean, half = interval(paid[OURS] - paid[OPTIMAL])
            result = "tie" if abs(mean) <= half else "win" if mean < 0 else "loss"
            tally[result] += 1
            row += [
                f"{paid[OPTIMAL].mean():.2f}",
                f"{ratio(paid, OPTIMAL):.3f}",
                f"{mean:+.2f} ± {half:.2f}",
                result,
            ]
        rows.append(row)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows), tally


def summary(results, with_optimal, n_splits):
    labels = [OURS, OPTIMAL] if with_optimal else [OURS]
    half = n_splits // 2
    lines = [
        f"| share of the bill without tests, geometric mean | all splits | first {half} | others |",
        "|---|---|---|---|",
    ]
    for label in labels:
        cells = [geometric(results, label, rows) for rows in (slice(None), slice(half), slice(half, None))]
        lines.append(f"| {label} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")
    names = list(dict.fromkeys(name for name, _ in results))
    means = {
        n: np.mean([ratio(p, OURS) for (name, _), (p, _) in results.items() if name == n]) for n in names
    }
    worst = max(means, key=means.get)
    lines += ["", f"Worst set against asking nothing (mean of its levels): {worst}, {means[worst]:.3f}."]
    seconds = {label: max(s[label] for _, s in results.values()) for label in labels}
    lines += ["Slowest set, seconds per fit: " + ", ".join(f"{k} {v:.1f}" for k, v in seconds.items()) + "."]
    return lines


def find_peer(peer_python):
    if peer_python is None:
        return importlib.util.find_spec("pystreed") is not None
    return (
        subprocess.run([peer_python, "-c", "import pystreed"], capture_output=True, check=False).returncode
        == 0
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-python", help="interpreter that has pystreed")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--sets", nargs="*", help="only these; the results file is not written then")
    options = parser.parse_args()
    with_optimal = find_peer(options.peer_python)
    if not with_optimal:
        print("pystreed cannot be imported: optimal trees are left out")
    jobs = [(name, level) for name in options.sets or streed_data.names() for level in streed_data.LEVELS]
    found = Parallel(options.jobs, verbose=5)(
        delayed(run)(*job, options.splits, with_optimal, options.peer_python) for job in jobs
    )
    results = dict(zip(jobs, found, strict=True))
    table, tally = per_set(results, with_optimal)
    lines = ["# What tests and mistakes cost together", ""]
    lines += [
        f"Mean bill per row, {options.splits} published splits. Fifteen data sets of 0/1 columns, three cost levels.",
        "",
    ]
    lines += summary(results, with_optimal, options.splits)
    if with_optimal:
        better = sum(p[OURS].mean() < p[OPTIMAL].mean() for p, _ in results.values())
        lines += [
            "",
            f"{OURS} against optimal trees of depth 3: {tally['win']} wins, {tally['tie']} ties, {tally['loss']} losses "
            f"(by the interval over splits); cheaper on average on {better} of {len(results)}.",
        ]
    text = "\n".join([*lines, "", table]) + "\n"
    if not options.sets:
        (Path(__file__).parent / "results" / "streed.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
