"""Is C4.5 here as accurate as Weka's J48? Stratified 10-fold cross-validation on the papers' data sets.

    STAKES_DATA=folder python benchmarks/fidelity.py [--largest 60000] [--repeats 1]

The folder's sibling `oracle/j48.csv` has what J48 itself reached with folds of its own; here the J48 dialect, which grows
the same trees as J48, is measured on the same folds as C4.5. Writes results/fidelity.md.
"""

from __future__ import annotations

import argparse
import csv
import os
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from stakes import C45Classifier, read_table

DATA = Path(os.environ.get("STAKES_DATA", "data"))
DIALECTS = ("c45", "j48")


def folds_of(y, repeats):
    """Classes with fewer than ten rows are spread as far as they go."""
    for seed in range(repeats):
        order = np.random.default_rng(seed).permutation(len(y))
        by_class = order[np.argsort(y[order], kind="stable")]
        fold = np.empty(len(y), dtype=int)
        fold[by_class] = np.arange(len(y)) % 10
        yield from ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(10))


def run(name, repeats):
    table = read_table(DATA / f"{name}.arff.gz", target="class")
    X, y = table.to_frame(), table.y
    found = {}
    for dialect in DIALECTS:
        whole = C45Classifier(dialect=dialect).fit(X, y)
        wrong = []
        for train, test in folds_of(y, repeats):
            tree = C45Classifier(dialect=dialect).fit(X.iloc[train], y[train])
            wrong.append((tree.predict(X.iloc[test]) != y[test]).mean())
        found[dialect] = (
            100 * np.mean(wrong),
            whole.get_n_leaves(),
            100 * np.std(wrong) / np.sqrt(len(wrong)),
        )
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=60_000)
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    with (DATA / "MANIFEST.csv").open() as file:
        wanted = [
            r for r in csv.DictReader(file) if r["group"] == "paper" and int(r["rows"]) <= options.largest
        ]
    with (DATA.parent / "oracle" / "j48.csv").open() as file:
        oracle = {r["dataset"]: r for r in csv.DictReader(file) if r["learner"] == "J48"}
    names = [r["name"] for r in wanted if r["name"] in oracle]
    found = Parallel(n_jobs=-1, verbose=5)(delayed(run)(name, options.repeats) for name in names)
    rows = [
        (
            name,
            *result["c45"],
            *result["j48"][:2],
            float(oracle[name]["cv10_error_percent"]),
            int(oracle[name]["leaves"]),
        )
        for name, result in zip(names, found, strict=True)
    ]
    lines = [
        "| data set | error here % (s.e.) | J48 dialect, same folds % | J48, its folds % | leaves here | J48's leaves |"
    ]
    lines += ["|---|---|---|---|---|---|"]
    lines += [
        f"| {n} | {e:.2f} ({s:.2f}) | {je:.2f} | {oe:.2f} | {leaves} | {ol} |"
        for n, e, leaves, s, je, _, oe, ol in rows
    ]
    numbers = np.array([[e, je, oe, leaves, ol] for _, e, leaves, _, je, _, oe, ol in rows], dtype=float)
    error, same, theirs, leaves, their_leaves = numbers.mean(axis=0)
    lines += [
        f"| **mean of {len(rows)}** | {error:.2f} | {same:.2f} | {theirs:.2f} | {leaves:.1f} | {their_leaves:.1f} |"
    ]
    lines += [
        "",
        f"Mean error less J48's: {error - same:+.2f} points on the same folds, {error - theirs:+.2f} on its own.",
    ]
    lines += [f"Mean leaves relative to J48's: {leaves / their_leaves:.3f}; mean of the ratios "
              f"{np.mean(numbers[:, 3] / numbers[:, 4]):.3f}."]  # fmt: skip
    text = "\n".join(lines)
    head = f"# C4.5 next to J48\n\n{options.repeats} x 10-fold cross-validation, sets of up to {options.largest} rows.\n\n"
    (Path(__file__).parent / "results" / "fidelity.md").write_text(head + text + "\n")
    print(text)


if __name__ == "__main__":
    main()
