"""Ting's claims on the two-class data sets: ten 10-fold cross-validations, a fresh random cost matrix per fold.

    STAKES_DATA=folder python benchmarks/ting1998.py [--repeats 10] [--seed 0]

Writes results/ting1998.md. Every learner sees the same folds and matrices. Ratios are means of per-data-set ratios.

The paper gives german and heart_s the costs cost(1,2) = 1 and cost(2,1) = 5 and says that rows are predicted classes:
calling a good customer bad costs 5. That is the published matrix transposed, and the paper's figures (30.3 for german,
where 30 of 100 customers are bad) show that it was used so. It is used so here too; `--published` turns it round.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold

from stakes import C45Classifier, datasets
from stakes.costs import CostMatrix, ting_costs

# The twelve of the paper less `coding`, which cannot be had.
TWO_CLASS = (
    "echocardiogram", "hepatitis", "heart-statlog", "heart-cleveland", "horse-colic", "credit-a",
    "breast-w", "diabetes", "credit-g", "hypothyroid", "euthyroid",
)  # fmt: skip
# Cost, tree size and high-cost-error ratios of table 1.
PAPER = {
    "echocardiogram": (0.44, 0.56, 0.22), "hepatitis": (0.48, 0.56, 0.27), "heart-statlog": (0.64, 0.47, 0.37),
    "heart-cleveland": (0.56, 0.46, 0.34), "horse-colic": (0.75, 0.74, 0.39), "credit-a": (0.58, 0.32, 0.31),
    "breast-w": (0.69, 0.62, 0.51), "diabetes": (0.51, 0.44, 0.21), "credit-g": (0.42, 0.01, 0.01),
    "hypothyroid": (1.03, 2.02, 0.81), "euthyroid": (0.85, 1.57, 0.64),
}  # fmt: skip
LEARNERS = {
    "C4.5": {"cost_use": "none"},
    "C4.5CS": {"cost_use": "weights"},
    "C4.5(pi')": {"cost_use": "priors"},
    "C4.5_mc": {"cost_use": "none", "decision": "min_cost"},
    "C4.5CS_mc": {"cost_use": "weights", "decision": "min_cost"},
}
MEASURES = ("cost", "size", "high-cost errors", "errors")


def trial(data, costs, train, test):
    """One row of MEASURES per learner."""
    rows = []
    truth = costs.codes(data.y[test])
    for settings in LEARNERS.values():
        tree = C45Classifier(cost_matrix=costs, **settings).fit(data.X.iloc[train], data.y[train])
        paid = costs.values[truth, costs.codes(tree.predict(data.X.iloc[test]))]
        rows.append((paid.sum(), tree.n_nodes_, (paid > 1).sum(), (paid > 0).sum()))
    return rows


def fixed_costs(data, published):
    if published:
        return data.cost_matrix
    return CostMatrix.from_predicted_rows([[0, 1], [5, 0]], classes=data.classes)


def run(name, repeats, seed, published):
    data = datasets.load(name)
    trials = []
    for repeat in range(repeats):
        folds = StratifiedKFold(10, shuffle=True, random_state=seed + repeat).split(data.X, data.y)
        for fold, (train, test) in enumerate(folds):
            fixed = name in ("credit-g", "heart-statlog")
            drawn = ting_costs(data.classes, 1000 * (seed + repeat) + fold)
            costs = fixed_costs(data, published) if fixed else drawn
            trials.append(trial(data, costs, train, test))
    return np.array(trials, dtype=float)  # (trials, learners, measures)


def ratio(means, above, below, measure):
    names = list(LEARNERS)
    m = MEASURES.index(measure)
    return means[names.index(above), m] / means[names.index(below), m]


def spread(trials, above, below, measure, n_draws=1000):
    """Standard error of a data set's ratio, by drawing its trials anew."""
    rng = np.random.default_rng(0)
    draws = rng.integers(len(trials), size=(n_draws, len(trials)))
    names, m = list(LEARNERS), MEASURES.index(measure)
    a = trials[:, names.index(above), m][draws].mean(axis=1)
    b = trials[:, names.index(below), m][draws].mean(axis=1)
    return (a / b).std()


def table(results):
    lines = [
        "| data set | C4.5CS cost | C4.5 cost | cost ratio (s.e., paper) | size ratio (paper) | high-cost ratio (paper) "
        "| mc cost ratio | CS / pi' cost |",
        "|---|---|---|---|---|---|---|---|",
    ]
    summary = []
    for name, trials in results.items():
        means = trials.mean(axis=0)
        pairs = [("C4.5CS", "C4.5", m) for m in ("cost", "size", "high-cost errors")]
        pairs += [("C4.5CS_mc", "C4.5_mc", "cost"), ("C4.5CS", "C4.5(pi')", "cost")]
        pairs += [("C4.5CS", "C4.5(pi')", "high-cost errors"), ("C4.5CS", "C4.5", "errors")]
        ratios = [ratio(means, *pair) for pair in pairs]
        summary.append(ratios)
        paper = PAPER[name]
        error = spread(trials, "C4.5CS", "C4.5", "cost")
        lines.append(
            f"| {name} | {means[1, 0]:.1f} | {means[0, 0]:.1f} | {ratios[0]:.2f} ({error:.2f}, {paper[0]:.2f}) "
            f"| {ratios[1]:.2f} ({paper[1]:.2f}) | {ratios[2]:.2f} ({paper[2]:.2f}) | {ratios[3]:.2f} | {ratios[4]:.2f} |"
        )
    mean = np.mean(summary, axis=0)
    goals = [
        ("cost, C4.5CS / C4.5", mean[0], "within 0.06 of 0.62 or lower", "0.62"),
        ("tree size, C4.5CS / C4.5", mean[1], "below 0.8", "0.66"),
        ("high-cost errors, C4.5CS / C4.5", mean[2], "below 0.45", "0.35"),
        ("errors, C4.5CS / C4.5", mean[6], "-", "1.41"),
        ("cost with minimum expected cost on both sides", mean[3], "below 0.95", "0.86"),
        ("cost, C4.5CS / C4.5(pi')", mean[4], "below 0.85", "0.70"),
        ("high-cost errors, C4.5CS / C4.5(pi')", mean[5], "-", "0.43"),
    ]
    lines += [
        "",
        "| mean ratio over the data sets | here | asked | paper (twelve sets) |",
        "|---|---|---|---|",
    ]
    lines += [f"| {what} | {value:.3f} | {asked} | {paper} |" for what, value, asked, paper in goals]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--published", action="store_true", help="german and heart_s: being bad for good costs 5"
    )
    options = parser.parse_args()
    settings = (options.repeats, options.seed, options.published)
    found = Parallel(n_jobs=-1, verbose=5)(delayed(run)(name, *settings) for name in TWO_CLASS)
    text = table(dict(zip(TWO_CLASS, found, strict=True)))
    head = f"# Ting 1998, two-class data sets\n\n{options.repeats} x 10-fold cross-validation, seed {options.seed}; "
    head += f"german and heart_s with {'the published matrix' if options.published else 'the matrix of the paper'}.\n\n"
    name = "ting1998-published.md" if options.published else "ting1998.md"
    (Path(__file__).parent / "results" / name).write_text(head + text + "\n")
    print(text)


if __name__ == "__main__":
    main()
