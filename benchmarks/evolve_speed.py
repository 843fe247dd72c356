"""Speed and memory of evolving trees.

    STAKES_DATA=folder python benchmarks/evolve_speed.py [--only page-blocks,kernel,threads,memory,large]

Writes results/evolve_speed.md. CPU seconds of one thread, except where two threads are meant; those need two idle cores.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from stakes import GDTClassifier, _core, datasets
from stakes.costs import kretowski_costs
from tree_speed import table

HERE = Path(__file__).parent
COSTS = kretowski_costs(range(5), 0)


def page_blocks():
    """The paper's settings on the paper's largest set; it reports 140 s on a Pentium 4 of 3 GHz."""
    data = datasets.load("page-blocks")
    seconds, generations = [], []
    for seed in range(5):
        costs = kretowski_costs(data.classes, seed)
        model = GDTClassifier(cost_matrix=costs, variant="paper", n_jobs=1, random_state=seed)
        start = time.process_time()
        model.fit(data.X, data.y)
        seconds.append(time.process_time() - start)
        generations.append(model.n_generations_)
    words = f"{np.mean(seconds):.2f} ± {np.std(seconds):.2f} s, {np.mean(generations):.0f} generations"
    yield "page-blocks, variant paper, one thread", words, "at most 3 s", np.mean(seconds) <= 3


def random_tree(rng, n_tests, n_columns, n_codes):
    """Six arrays of a binary tree with this many tests, each below a leaf drawn at random."""
    left, right, leaves = {0: None}, {}, [0]
    for _ in range(n_tests):
        leaf = leaves.pop(rng.integers(len(leaves)))
        left[leaf], right[leaf] = len(left), len(left) + 1
        for child in (left[leaf], right[leaf]):
            left[child] = None
            leaves.append(child)
    order, at = [0], 0
    while at < len(order):  # breadth first, as the core numbers nodes
        if left[order[at]] is not None:
            order += [left[order[at]], right[order[at]]]
        at += 1
    feature, cut, first, branches, following = [], [], [], [], 1
    for node in order:
        inner = left[node] is not None
        feature.append(int(rng.integers(n_columns)) if inner else -1)
        cut.append(int(rng.integers(n_codes // 4, 3 * n_codes // 4)) if inner else -1)
        first.append(following if inner else -1)
        branches.append(2 if inner else 0)
        following += 2 * inner
    zeros = np.zeros(len(order) + 1, dtype=np.int32)
    arrays = [np.array(a, dtype=np.int32) for a in (feature, cut, first, branches)]
    return [*arrays, zeros, np.zeros(0, dtype=np.int32)]


def kernel(n=1_000_000, n_codes=255):
    """Whole trees of 21 nodes on all rows, five classes."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, n_codes, n).astype(np.uint8) for _ in range(20)]
    classes = rng.integers(0, 5, n).astype(np.int32)
    evolution = _core.Evolution(
        columns,
        [n_codes] * 20,
        [False] * 20,
        classes,
        5,
        COSTS.values,
        _core.EvolveOptions(population_size=2, max_depth=100),
    )
    trees = [random_tree(rng, 10, 20, n_codes) for _ in range(40)]
    evolution.evaluate(trees[0])
    start = time.process_time()
    for tree in trees:
        evolution.evaluate(tree)
    rate = n * len(trees) / (time.process_time() - start) / 1e6
    yield (
        "row evaluations per second and core, 21 nodes, 5 classes",
        f"{rate:.0f} million",
        "at least 400 million",
        rate >= 400,
    )


def evolve(X, y, generations, variant, n_jobs, callback=None):
    """Seconds on the clock and of the processors of a fit that stops at its last generation and not before."""
    model = GDTClassifier(
        cost_matrix=COSTS.values,
        variant=variant,
        population_size=64,
        max_generations=generations,
        n_iter_no_change=generations,
        n_jobs=n_jobs,
        random_state=0,
        callback=callback,
    )
    clock, cpu = time.perf_counter(), time.process_time()
    model.fit(X, y)
    return time.perf_counter() - clock, time.process_time() - cpu, model


def threads(n=100_000, generations=200):
    """The generations after the first ten, so that preparing the table does not count."""
    X, y = table(n)
    for variant in ("paper", "memetic"):
        rate, found = {}, {}
        for n_jobs in (1, 2):
            at = {}

            def note(generation, at=at):
                at[generation.number] = time.perf_counter()

            *_, found[n_jobs] = evolve(X, y, 10 + generations, variant, n_jobs, note)
            rate[n_jobs] = generations / (at[10 + generations] - at[10])
        assert np.array_equal(found[1].tree_.threshold, found[2].tree_.threshold, equal_nan=True)
        factor = rate[2] / rate[1]
        words = f"{factor:.2f} times ({rate[1]:.0f} and {rate[2]:.0f} generations a second)"
        yield f"two threads for one, {n} x 20, variant {variant}", words, "at least 1.6 times", factor >= 1.6


def large(n=1_000_000):
    X, y = table(n)
    for variant in ("paper", "memetic"):
        seconds, cpu, model = evolve(X, y, 1000, variant, 2)
        cost, leaves = model.evolution_.best_cost[-1], model.get_n_leaves()
        words = f"{seconds:.1f} s, {cpu:.1f} s of processors ({leaves} leaves, training cost {cost:.3f})"
        what = f"{n} x 20, 64 individuals, 1000 generations, 2 threads, variant {variant}"
        yield what, words, "below 90 s", seconds < 90


MEMORY = """
import resource, sys
import numpy as np
sys.path.insert(0, {here!r})
from evolve_speed import evolve
from tree_speed import table
X, y = table({n})
X, y = np.ascontiguousarray(X), np.ascontiguousarray(y)
evolve(X[:500], y[:500], 5, {variant!r}, 1)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
# Making the table may have peaked above what is in use now: fill that up, so that fit shows.
now = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
filler = np.ones(max(0, peak() - now) // 8)
before = peak()
evolve(X, y, 100, {variant!r}, 1)
print((peak() - before) / {n} / 64)
"""


def memory(n=1_000_000):
    for variant in ("paper", "memetic"):
        code = MEMORY.format(here=str(HERE), n=n, variant=variant)
        out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        what = f"memory per row and individual, {n} x 20, table included, variant {variant}"
        yield what, f"{float(out):.2f} bytes", "below 8 bytes", float(out) < 8


CASES = {"page-blocks": page_blocks, "kernel": kernel, "threads": threads, "memory": memory, "large": large}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="only these; nothing is written then")
    options = parser.parse_args()
    rows, load = [], os.getloadavg()[1]
    for name in options.only.split(",") if options.only else CASES:
        for what, found, asked, met in CASES[name]():
            rows.append(f"| {what} | {found} | {asked} | {'yes' if met else 'no'} |")
            print(rows[-1], flush=True)
    head = [
        "# Speed and memory of evolving trees",
        "",
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}. CPU seconds of one thread; seconds "
        f"on the clock where two threads are meant: these say nothing where other programs run. Load of the machine before: {load:.1f}.",
        "",
        "| what | found | asked | met |",
        "|---|---|---|---|",
    ]
    if not options.only:
        (HERE / "results" / "evolve_speed.md").write_text("\n".join([*head, *rows]) + "\n")


if __name__ == "__main__":
    main()
