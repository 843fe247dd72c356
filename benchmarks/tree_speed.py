"""Speed and memory of C45Classifier next to its peers, as ratios within one run.

    python benchmarks/tree_speed.py [--only grow-1m,full-100k] [--weka weka.jar]

Writes results/tree_speed.md. CPU seconds on one thread unless said; the best of a few runs for ours and theirs alike.
Peers that are not installed (LightGBM, Weka) are left out and named as such.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from stakes import C45Classifier, Table, datasets
from stakes.table import write_arff

HERE = Path(__file__).parent


def table(n, seed=0):
    return make_classification(
        n,
        20,
        n_informative=10,
        n_redundant=4,
        n_classes=5,
        n_clusters_per_class=3,
        random_state=seed,
        shuffle=True,
    )


def cpu(work, repeats=1):
    """Least CPU seconds of a few runs, and what the last one returned."""
    best, result = np.inf, None
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def wall(work, repeats=1):
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def leafy(**settings):
    """A 31-leaf entropy tree as scikit-learn's: no pruning, no split undone."""
    return C45Classifier(criterion="gain", prune=None, collapse=False, max_leaf_nodes=31, **settings)


def grow(n, repeats):
    X, y = table(n)
    ours, model = cpu(lambda: leafy().fit(X, y), repeats)
    sk = DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=31, random_state=0)
    theirs, _ = cpu(lambda: sk.fit(X, y))
    assert model.get_n_leaves() == 31
    yield (
        "31-leaf entropy tree, exact",
        f"{n} x 20",
        ours,
        "scikit-learn",
        theirs,
        "at least",
        8 if n > 5e5 else 5,
    )
    more = wall(lambda: model.predict(X), 5)
    less = wall(lambda: sk.predict(X), 5)
    yield "prediction, 31 leaves (wall)", f"{n} x 20", more, "scikit-learn", less, "at least", 3
    agree = abs(model.score(X, y) - sk.score(X, y))
    assert agree < 0.01, f"the trees should be about as good, training accuracies differ by {agree:.3f}"


def bins(n, repeats):
    import lightgbm

    X, y = table(n)
    ours, model = cpu(lambda: leafy(max_bins=255).fit(X, y), repeats)
    settings = {"n_estimators": 1, "num_leaves": 31, "n_jobs": 1, "max_bin": 255, "verbose": -1}
    # LightGBM makes one tree per class; two classes make it a single one.
    binary = (y >= 2).astype(int)
    theirs, _ = cpu(lambda: lightgbm.LGBMClassifier(**settings).fit(X, binary), repeats)
    yield "31-leaf tree, 255 bins", f"{n} x 20", ours, "LightGBM, binning included", theirs, "at most", 1.3
    assert model.get_n_leaves() == 31


def full(n, repeats, weka):
    X, y = table(n)
    ours, _ = cpu(lambda: C45Classifier().fit(X, y), repeats)
    sk, _ = cpu(lambda: DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y))
    yield "C4.5 tree with pruning", f"{n} x 20", ours, "scikit-learn, unpruned", sk, "at least", 4
    if weka:
        yield (
            "C4.5 tree with pruning",
            f"{n} x 20",
            ours,
            "Weka's J48",
            j48_seconds(X, y, weka),
            "at least",
            20,
        )


def j48_seconds(X, y, weka):
    """CPU seconds of J48 on the same rows, less those of reading them with a learner that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.arff"
        labels = [str(c) for c in np.unique(y)]
        write_arff(Table.from_data(X).with_target(y.astype(np.int32), labels), path)

        def run(learner):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [
                "java",
                "-Xmx8g",
                "-XX:+UseSerialGC",
                "-cp",
                weka,
                learner,
                "-t",
                str(path),
                "-no-cv",
                "-v",
                "-o",
            ]
            subprocess.run(command, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

        return run("weka.classifiers.trees.J48") - run("weka.classifiers.rules.ZeroR")


def small():
    X, y = load_iris(return_X_y=True)
    n = 200
    ours = cpu(lambda: [C45Classifier().fit(X, y) for _ in range(n)], 3)[0] / n
    sk = cpu(lambda: [DecisionTreeClassifier().fit(X, y) for _ in range(n)], 3)[0] / n
    yield "fit", "iris", ours, "scikit-learn", sk, "at most", 2
    german = datasets.load("german")
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    seconds = wall(lambda: cross_val_score(C45Classifier(), german.X, german.y, cv=folds), 3)
    yield "10-fold cross-validation (wall)", "german credit", seconds, "0.3 s", 0.3, "at most", 1


def threads(n, repeats):
    X, y = table(n)
    one, two = leafy(n_jobs=1), leafy(n_jobs=2)
    slow = wall(lambda: one.fit(X, y), repeats)
    fast = wall(lambda: two.fit(X, y), repeats)
    assert np.array_equal(one.tree_.threshold, two.tree_.threshold, equal_nan=True)
    yield "two threads (wall)", f"{n} x 20", fast, "one thread", slow, "at least", 1.6


MEMORY = """
import resource, sys
import numpy as np
sys.path.insert(0, {here!r})
from tree_speed import leafy, table
X, y = table({n})
leafy().fit(X[:100], y[:100])
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
# Making the table may have peaked above what is in use now: fill that up, so that fit shows.
now = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
filler = np.ones(max(0, peak() - now) // 8)
before = peak()
leafy().fit(X, y)
print((peak() - before) / X.nbytes)
"""


def memory(n):
    code = MEMORY.format(here=str(HERE), n=n)
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    yield "memory of fit beyond X", f"{n} x 20", float(out), "the encoded table", 1.0, "at most", 3


def line(what, where, ours, peer, theirs, direction, asked):
    factor = theirs / ours if direction == "at least" else ours / theirs
    met = factor >= asked if direction == "at least" else factor <= asked
    print(
        f"{what:34s} {where:14s} {ours:9.4f}  {peer} {theirs:.4f}  factor {factor:.2f} ({direction} {asked})",
        flush=True,
    )
    return f"| {what} | {where} | {ours:.4g} | {peer}: {theirs:.4g} | {factor:.2f} | {direction} {asked} | {'yes' if met else 'no'} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--weka", default=os.environ.get("STAKES_WEKA", "/usr/share/java/weka.jar"))
    options = parser.parse_args()
    weka = options.weka if Path(options.weka).exists() else None
    cases = {
        "small": small,
        "grow-100k": lambda: grow(100_000, 5),
        "full-100k": lambda: full(100_000, 3, weka),
        "grow-1m": lambda: grow(1_000_000, 2),
        "bins-1m": lambda: bins(1_000_000, 2),
        "threads-1m": lambda: threads(1_000_000, 3),
        "memory-1m": lambda: memory(1_000_000),
    }
    wanted = options.only.split(",") if options.only else list(cases)
    rows = [line(*result) for name in wanted for result in cases[name]()]
    head = [
        "# Speed and memory of C45Classifier",
        "",
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}. Seconds are CPU seconds on one "
        "thread unless said; a factor says how many times faster (at least) or costlier (at most) ours is.",
        "" if weka else "\nWeka was not found and is left out.",
        "| what | on | ours | peer | factor | asked | met |",
        "|---|---|---|---|---|---|---|",
    ]
    if not options.only:
        (HERE / "results" / "tree_speed.md").write_text("\n".join([*head, *rows]) + "\n")


if __name__ == "__main__":
    main()
