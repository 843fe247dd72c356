"""What a practitioner would do where mistakes cost: the peers of benchmarks/ensembles.py.

Each peer gets nominal columns and missing values as it likes them best: LightGBM and XGBoost as they are, the forest and the
linear models one-hot with medians. One thread, a fixed seed, the library's own settings where none are named.
"""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from stakes.decision import expected_costs, min_cost_class


def as_numbers():
    """Medians and unit variance, nominal columns one-hot; a column without a single value is dropped."""
    return make_column_transformer(
        (
            make_pipeline(SimpleImputer(strategy="median", keep_empty_features=False), StandardScaler()),
            make_column_selector(dtype_include="number"),
        ),
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
    )


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbose=-1, random_state=0)


def xgboost():
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=0, enable_categorical=True)


def calibrated(classifier, method, codes):
    """Five folds, fewer where a class has fewer rows."""
    folds = min(5, int(np.bincount(codes).min()))
    return CalibratedClassifierCV(classifier, method=method, cv=folds)


#: Systems that estimate probabilities, whatever mistakes cost: (training codes) -> classifier.
PROBABILITY = {
    "LightGBM": lambda codes: lightgbm(),
    "LightGBM, isotonic": lambda codes: calibrated(lightgbm(), "isotonic", codes),
    "LightGBM, sigmoid": lambda codes: calibrated(lightgbm(), "sigmoid", codes),
    "XGBoost": lambda codes: xgboost(),
    "random forest": lambda codes: make_pipeline(
        as_numbers(), RandomForestClassifier(300, random_state=0, n_jobs=1)
    ),
    "logistic regression": lambda codes: make_pipeline(as_numbers(), LogisticRegression(max_iter=2000)),
}


def minimum_expected_cost(proba, costs):
    """Codes of the least expected cost."""
    return min_cost_class(expected_costs(proba, costs))


def best_constant(X, codes, X_test, costs):
    """The class that is cheapest for the training rows taken together."""
    return np.full(len(X_test), costs[codes].sum(axis=0).argmin())


def weighted_all_pairs(X, codes, X_test, costs):
    """`costsensitive`'s WAP over logistic regression, with costs of mean 1.

    It refuses two classes; what it would do there is one classifier with rows weighted by their costs.
    """
    from costsensitive import WeightedAllPairs

    numbers = as_numbers().fit(X)
    rows = costs[codes] / costs[codes].mean()
    if len(costs) == 2:
        model = LogisticRegression(max_iter=500).fit(numbers.transform(X), codes, rows.sum(axis=1))
        return model.predict(numbers.transform(X_test))
    model = WeightedAllPairs(LogisticRegression(max_iter=500), njobs=1)
    model.fit(numbers.transform(X), rows)
    return np.asarray(model.predict(numbers.transform(X_test), method="goodness")).astype(int)


def csoaa(X, codes, X_test, costs, passes=20):
    """Vowpal Wabbit's cost-sensitive one-against-all, rows in a new order in each pass."""
    from vowpalwabbit import Workspace

    numbers = as_numbers().fit(X)
    scaled = costs / costs[codes].mean()
    n_classes = len(costs)

    def line(row, prices):
        cells = " ".join(f"{j}:{v:.6g}" for j, v in enumerate(row) if v)
        return " ".join(f"{k + 1}{p}" for k, p in enumerate(prices)) + " | " + cells

    train = [
        line(row, [f":{v:.9g}" for v in scaled[c]])
        for row, c in zip(numbers.transform(X), codes, strict=True)
    ]
    workspace = Workspace(f"--csoaa {n_classes} --quiet --random_seed 1")
    rng = np.random.default_rng(0)
    for _ in range(passes):
        for i in rng.permutation(len(train)):
            workspace.learn(train[i])
    answers = [workspace.predict(line(row, [""] * n_classes)) for row in numbers.transform(X_test)]
    workspace.finish()
    return np.array(answers, dtype=int) - 1


#: Systems that learn from the costs: (X, codes, X_test, cost values) -> codes.
COST = {
    "costsensitive's WAP": weighted_all_pairs,
    "Vowpal Wabbit csoaa": csoaa,
    "best constant": best_constant,
}
