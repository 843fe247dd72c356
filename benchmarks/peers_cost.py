"""What decisions cost with stakes and with its peers: same folds, same random costs (integers 1 to 10) for all.

    STAKES_DATA=folder python benchmarks/peers_cost.py [--repeats 1]

Writes results/peers_cost.md: mean cost per row, and the geometric mean of each system's ratio to the best one per set.
Peers get what they need: one-hot columns, medians for missing numbers. LightGBM is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stakes import C45Classifier, Guard, MinExpectedCost, datasets
from stakes.costs import ting_costs
from stakes.metrics import best_constant, mean_cost

SETS = ("credit-g", "heart-cleveland", "diabetes", "credit-a", "breast-w", "vehicle", "glass", "cmc")


def encoded(classifier):
    columns = make_column_transformer(
        (
            make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
            make_column_selector(dtype_include="number"),
        ),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(columns, classifier)


def systems(costs):
    smooth = {"smoothing": "laplace", "collapse": False, "decision": "min_cost", "cost_use": "none"}
    forest = encoded(RandomForestClassifier(200, random_state=0))
    found = {
        "scikit-learn tree": encoded(DecisionTreeClassifier(random_state=0)),
        "scikit-learn tree + minimum expected cost": MinExpectedCost(
            encoded(DecisionTreeClassifier(min_samples_leaf=5, random_state=0)), cost_matrix=costs
        ),
        "C4.5": C45Classifier(),
        "C4.5CS": C45Classifier(cost_matrix=costs),
        "C4.5_mc": C45Classifier(cost_matrix=costs, cost_use="none", decision="min_cost"),
        "C4.5_mc, Laplace, pruned by cost": C45Classifier(cost_matrix=costs, prune="cost", **smooth),
        "Guard(C4.5CS)": Guard(C45Classifier(cost_matrix=costs)),
        "logistic + minimum expected cost": MinExpectedCost(
            encoded(LogisticRegression(max_iter=2000)), cost_matrix=costs
        ),
        "forest + minimum expected cost": MinExpectedCost(forest, cost_matrix=costs),
    }
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        return found
    boost = encoded(LGBMClassifier(n_jobs=1, verbose=-1, random_state=0))
    found["LightGBM + minimum expected cost"] = MinExpectedCost(boost, cost_matrix=costs)
    found["LightGBM, isotonic + minimum expected cost"] = MinExpectedCost(
        boost, cost_matrix=costs, calibration="isotonic"
    )
    return found


def fold_costs(name, repeat):
    warnings.simplefilter("ignore")
    data = datasets.load(name)
    rows = []
    splits = StratifiedKFold(10, shuffle=True, random_state=repeat).split(data.X, data.y)
    for fold, (train, test) in enumerate(splits):
        costs = ting_costs(data.classes, 100 * repeat + fold)
        X, y = data.X.iloc[train], data.y[train]
        paid = {"best constant": mean_cost(
            data.y[test], np.full(len(test), best_constant(y, cost_matrix=costs).label, dtype=object), cost_matrix=costs
        )}  # fmt: skip
        for label, model in systems(costs).items():
            answers = model.fit(X, y).predict(data.X.iloc[test])
            paid[label] = mean_cost(data.y[test], answers, cost_matrix=costs)
        rows.append(paid)
    return {label: [row[label] for row in rows] for label in rows[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    jobs = [(name, repeat) for name in SETS for repeat in range(options.repeats)]
    found = Parallel(n_jobs=-1, verbose=5)(delayed(fold_costs)(*job) for job in jobs)
    labels = list(found[0])
    per_set = np.array(
        [
            [
                np.mean([np.mean(f[label]) for (n, _), f in zip(jobs, found, strict=True) if n == name])
                for label in labels
            ]
            for name in SETS
        ]
    )
    ratio = np.exp(np.log(per_set / per_set.min(axis=1, keepdims=True)).mean(axis=0))
    rank = per_set.argsort(axis=1).argsort(axis=1).mean(axis=0) + 1
    lines = [
        "| system | ratio to the best | mean rank | " + " | ".join(SETS) + " |",
        "|---" * (3 + len(SETS)) + "|",
    ]
    for i in np.argsort(ratio):
        cells = " | ".join(f"{value:.3f}" for value in per_set[:, i])
        lines.append(f"| {labels[i]} | {ratio[i]:.2f} | {rank[i]:.1f} | {cells} |")
    text = "\n".join(lines)
    head = f"# What decisions cost\n\nMean cost per row, {options.repeats} x 10-fold, random integer costs 1 to 10 per fold.\n\n"
    (Path(__file__).parent / "results" / "peers_cost.md").write_text(head + text + "\n")
    print(text)


if __name__ == "__main__":
    main()
