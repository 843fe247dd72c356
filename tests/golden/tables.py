"""Ten small tables for the golden answers: numbers, names, missing values, weights, costs of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets as sklearn_datasets

from stakes import CostMatrix, datasets


@dataclass(frozen=True)
class Example:
    """A table with what it costs to be wrong on it."""

    X: Any
    y: Any
    cost_matrix: Any = None
    sample_weight: Any = None
    costs: Any = None


def tables() -> dict[str, Example]:
    """Make all of them, the same each time."""
    rng = np.random.default_rng(11)
    german = datasets.load("german")
    german_X, german_y = german.X[:240].reset_index(drop=True), german.y[:240]
    mixed, labels = mixed_table(rng, 160)
    order = CostMatrix([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [9.0, 4.0, 0.0]], ["low", "mid", "top"])
    own = rng.integers(1, 20, (160, 3)).astype(float)
    own[np.arange(160), np.searchsorted(["low", "mid", "top"], labels)] = 0.0
    weights = rng.choice([0.25, 1.0, 2.0, 5.0], 240)
    rare_X, rare_y = rare_table(rng, 180)
    cancer = sklearn_datasets.load_breast_cancer()
    wine = sklearn_datasets.load_wine(as_frame=True)
    iris = sklearn_datasets.load_iris()
    digits = sklearn_datasets.load_digits()
    return {
        "german": Example(german_X, german_y, german.cost_matrix),
        "german, weights": Example(german_X, german_y, german.cost_matrix, sample_weight=weights),
        "iris": Example(iris.data, iris.target),
        "wine": Example(wine.data, wine.target, np.array([[0, 4, 1], [2, 0, 2], [7, 1, 0]])),
        "cancer": Example(
            cancer.data[:200, :12], cancer.target_names[cancer.target[:200]].astype(str), [[0, 8], [1, 0]]
        ),
        "digits": Example(digits.data[:200, 8:32], digits.target[:200]),
        "mixed": Example(mixed, labels, order),
        "mixed, own costs": Example(mixed, labels, costs=own),
        "mixed, weights": Example(mixed, labels, order, sample_weight=weights[:160]),
        "rare": Example(rare_X, rare_y, [[0, 1], [25, 0]]),
    }


def mixed_table(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, Any]:
    """Return columns of every kind, with missing values, and classes that follow from them."""
    age = rng.integers(18, 80, n).astype(float)
    job = rng.choice(["nurse", "cook", "smith"], n).astype(object)
    owns = rng.random(n) < 0.5
    score = age / 20 + (job == "nurse") * 1.5 - owns + rng.normal(size=n) / 4
    labels = np.array(["low", "mid", "top"])[np.digitize(score, [1.5, 3.0])]
    age[rng.random(n) < 0.1] = np.nan
    job[rng.random(n) < 0.1] = None
    town = pd.Categorical(rng.choice(["north", "south"], n))
    income = np.round(rng.lognormal(3, 1, n), 2)
    return pd.DataFrame({"age": age, "income": income, "job": job, "town": town, "owns": owns}), labels


def rare_table(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, Any]:
    """Return a rare class, many categories, a constant column and one that is nearly always missing."""
    code = rng.choice([f"c{number:02}" for number in range(25)], n)
    amount = np.round(rng.exponential(100, n), 1)
    rare = (amount > 200) & np.isin(code, ["c01", "c05", "c07", "c11", "c13"]) | (rng.random(n) < 0.03)
    seldom = np.where(rng.random(n) < 0.9, np.nan, rng.normal(size=n))
    frame = pd.DataFrame(
        {"code": pd.Categorical(code), "amount": amount, "same": np.ones(n), "seldom": seldom}
    )
    return frame, np.where(rare, "fraud", "fine")
