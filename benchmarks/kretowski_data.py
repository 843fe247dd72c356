"""Data sets and costs of Krętowski and Grześ (2007), by the paper's names."""

from __future__ import annotations

from stakes import datasets
from stakes.costs import kretowski_costs

#: The paper's name of a set and ours.
SETS = {
    "german": "credit-g", "heart": "heart-statlog",
    "breast-w": "breast-w", "australian": "australian", "balance-scale": "balance-scale", "bupa": "liver-disorders",
    "cars": "car", "cmc": "cmc", "glass": "glass", "page-blocks": "page-blocks", "pima": "diabetes", "wine": "wine",
    "vehicle": "vehicle",
}  # fmt: skip
KNOWN_COSTS = ("german", "heart")


def load(name):
    data = datasets.load(SETS[name])
    return data.X, data.y, data


def costs_of(name, data, seed):
    return data.cost_matrix if name in KNOWN_COSTS else kretowski_costs(data.classes, seed)
