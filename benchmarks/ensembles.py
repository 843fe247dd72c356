"""BoostedStakes next to what a practitioner would do: same splits, same costs.

    STAKES_DATA=folder python benchmarks/ensembles.py --cache FOLDER [--sets development] [--only SYSTEM ...]
"""

from __future__ import annotations

import argparse
import time
import warnings
import zlib
from pathlib import Path

import numpy as np
from ensembles_peers import COST, PROBABILITY, minimum_expected_cost

from stakes import datasets
from stakes._folds import stratified_folds
from stakes.costs import abe_costs, ting_costs

DEVELOPMENT = (
    "adult", "australian", "balance-scale", "bank-marketing", "breast-cancer", "churn", "cmc", "heart-hungarian",
    "hypothyroid-4c", "ionosphere", "lymphography", "nursery", "primary-tumor", "segment", "soybean-large", "spambase",
)  # fmt: skip
REPORTED = (
    "abalone", "anneal", "audiology", "breast-w", "car", "credit-a", "credit-g", "diabetes", "euthyroid", "glass",
    "heart-cleveland-5c", "heart-statlog", "hepatitis", "horse-colic", "letter", "liver-disorders", "nettalk-stress",
    "page-blocks", "satimage", "solar-flare", "sonar", "splice", "vehicle", "vowel", "waveform-40", "wine",
)  # fmt: skip

N_SPLITS = 3
N_DRAWS = 3


def load(name, max_rows):
    """Columns and class codes of at most max_rows rows; classes with fewer than three rows are left out."""
    data = datasets.load(name)
    rows = np.random.default_rng(0).permutation(len(data.y))[:max_rows]
    codes = np.unique(data.y[rows], return_inverse=True)[1]
    keep = np.bincount(codes)[codes] >= N_SPLITS
    # LightGBM refuses names with brackets and colons.
    X = data.X.iloc[rows[keep]].set_axis([f"c{j}" for j in range(data.X.shape[1])], axis=1)
    return X.reset_index(drop=True), np.unique(codes[keep], return_inverse=True)[1]


def cost_draws(name, codes, split):
    """Cost matrices of one split by cost model: integers 1 to 10, and dear rare classes."""
    counts = np.bincount(codes)
    classes = np.arange(len(counts))
    seeds = [zlib.crc32(f"{name} {split} {draw}".encode()) for draw in range(N_DRAWS)]
    return {
        "integer": [ting_costs(classes, seed).values for seed in seeds],
        "rare": [abe_costs(classes, counts, seed).values for seed in seeds],
    }


def splits(codes):
    """Three splits, two thirds to learn from."""
    fold = stratified_folds(codes, N_SPLITS, 0)
    return [(np.flatnonzero(fold != s), np.flatnonzero(fold == s)) for s in range(N_SPLITS)]


def run_unit(name, X, codes, split, system):
    """Probabilities of the test rows, or answers for each cost matrix; and the CPU time they took."""
    train, test = splits(codes)[split]
    A, a, B = X.iloc[train], codes[train], X.iloc[test]
    start = time.process_time()
    if system in PROBABILITY:
        found = {"proba": np.asarray(PROBABILITY[system](a).fit(A, a).predict_proba(B), dtype=np.float32)}
    else:
        draws = cost_draws(name, codes, split)
        found = {model: [COST[system](A, a, B, c) for c in matrices] for model, matrices in draws.items()}
    return found | {"cpu": time.process_time() - start, "actual": codes[test], "codes": codes}


def run(names, systems, cache, max_rows):
    """Run the units that the cache lacks, all systems on one set after another."""
    for name in names:
        loaded = None
        for system in systems:
            for split in range(N_SPLITS):
                path = cache / f"{name}.{split}.{system.replace(' ', '_')}.npz"
                if not path.exists():
                    loaded = loaded or load(name, max_rows)
                    unit = run_unit(name, *loaded, split, system)
                    np.savez_compressed(path, **unit)
                    print(f"{name} {split} {system}: {unit['cpu']:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="folder for finished units")
    parser.add_argument("--sets", nargs="*", default=[*DEVELOPMENT, *REPORTED])
    parser.add_argument("--systems", nargs="*", default=[*PROBABILITY, *COST])
    parser.add_argument("--rows", type=int, default=4500, help="most rows of a set, two thirds to learn from")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    options.cache.mkdir(parents=True, exist_ok=True)
    run(options.sets, options.systems, options.cache, options.rows)


if __name__ == "__main__":
    main()
