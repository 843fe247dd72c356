"""Six kernels on small tables, for a look back: has a change made one of them slower?

README.md says how to run them and how to compare. Sizes are such that all take less than a minute; data are drawn
with fixed seeds, so that two commits do the same work.
"""

from __future__ import annotations

import numpy as np
import pytest

from stakes import C45Classifier, CostMatrix, GDTClassifier, RuleClassifier, datasets, read_table
from stakes.costs import kretowski_costs
from stakes.table import Table

N_ROWS, N_COLUMNS = 50_000, 20


@pytest.fixture(scope="module")
def table():
    """Two classes that three of twenty columns tell apart, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, N_COLUMNS))
    score = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=0.5, size=N_ROWS)
    return Table.from_data(X), (score > 0.7).astype(int)


@pytest.fixture(scope="module")
def waves():
    data = datasets.waveform(2000, random_state=0)
    return Table.from_data(data.X), data.y, kretowski_costs(data.classes, 0)


def test_exact_tree_growth(benchmark, table):
    tree = benchmark(C45Classifier(n_jobs=1).fit, *table)
    assert tree.get_n_leaves() > 31


def test_binned_tree_growth(benchmark, table):
    tree = benchmark(C45Classifier(max_bins=255, max_leaf_nodes=255, prune=None, n_jobs=1).fit, *table)
    assert tree.get_n_leaves() > 31


def test_prediction(benchmark, table):
    rows, y = table
    tree = C45Classifier(max_leaf_nodes=31, n_jobs=1).fit(rows, y)
    assert len(benchmark(tree.predict_proba, rows)) == N_ROWS


def test_generations_of_trees(benchmark, waves):
    rows, y, costs = waves
    model = GDTClassifier(cost_matrix=costs, variant="paper", max_generations=100, n_jobs=1, random_state=0)
    assert benchmark(model.fit, rows, y).n_generations_ == 100


def test_search_for_rules(benchmark, waves):
    rows, y, costs = waves
    rules = benchmark(RuleClassifier(cost_matrix=costs, t_good=0.8, max_length=3, n_jobs=1).fit, rows, y)
    assert isinstance(rules.cost_matrix_, CostMatrix)


def test_reading_csv(benchmark, table, tmp_path):
    rows, y = table
    file = tmp_path / "rows.csv"
    names = ",".join([*(f"x{j}" for j in range(N_COLUMNS)), "class"])
    np.savetxt(file, np.column_stack([*rows.columns, y]), "%.6g", ",", header=names, comments="")
    assert benchmark(read_table, file).n_samples == N_ROWS
