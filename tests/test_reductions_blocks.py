"""Rows that are read anew for each round: the same model as from memory, and little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from stakes import GBSE, AverageCost, CostMatrix
from test_reductions import COSTS, each, problem


def mixed(n_rows=200, seed=0):
    frame, y = problem(n_rows, seed)
    frame.loc[::7, "x"] = np.nan
    frame.loc[::9, "colour"] = None
    return frame, y


def blocks_of(frame, y, *cuts, costs=None):
    def blocks():
        for rows in np.split(np.arange(len(y)), cuts):
            extra = () if costs is None else (costs[rows],)
            yield frame.iloc[rows], y[rows], *extra

    return blocks


@each
def test_parquet_gives_the_model_of_the_rows_in_memory(method, tmp_path):
    frame, y = mixed()
    path = tmp_path / "rows.parquet"
    frame.assign(kind=y).set_axis(np.arange(200)[::-1]).to_parquet(path)  # with a column for the index
    expected = clone(method).set_params(cost_matrix=COSTS).fit(frame, y)
    found = clone(method).set_params(cost_matrix=COSTS).fit(path, "kind")
    assert found.to_dict()["state"] == expected.to_dict()["state"]


@each
def test_blocks_give_the_model_of_the_rows_in_memory(method):
    frame, y = mixed()
    costs = np.random.default_rng(0).uniform(1, 9, (200, 3))
    costs[np.arange(200), COSTS.codes(y)] = 0
    expected = clone(method).fit(frame, y, costs=costs)
    found = clone(method).fit(blocks_of(frame, y, 1, 70, 71, 150, costs=costs))
    assert found.to_dict()["state"] == expected.to_dict()["state"]


def test_early_stopping_and_weights_work_on_blocks():
    frame, y = mixed()
    weight = np.random.default_rng(1).uniform(0, 2, 200)
    settings = {"cost_matrix": COSTS, "n_estimators": 8, "n_iter_no_change": 2}
    expected = GBSE(**settings).fit(frame, y, sample_weight=weight)
    found = GBSE(**settings).fit(blocks_of(frame, y, 33, 66), sample_weight=weight)
    assert found.validation_costs_ == expected.validation_costs_
    assert found.to_dict()["state"] == expected.to_dict()["state"]


def test_categories_and_classes_that_only_later_blocks_have():
    frame, y = mixed()
    order = np.lexsort((y, frame.colour.fillna("")))
    frame, y = frame.iloc[order].reset_index(drop=True), y[order]
    expected = GBSE(cost_matrix=COSTS, n_estimators=3).fit(frame, y)
    found = GBSE(cost_matrix=COSTS, n_estimators=3).fit(blocks_of(frame, y, 20, 100))
    assert found.to_dict()["state"] == expected.to_dict()["state"]


def test_rows_are_read_once_to_see_the_columns_and_once_per_round():
    frame, y = mixed()
    reads = []

    def blocks():
        reads.append(1)
        yield frame, y

    for method in (GBSE, AverageCost):
        reads.clear()
        method(cost_matrix=COSTS, n_estimators=4).fit(blocks)
        assert len(reads) == 5


def test_features_are_not_kept():
    n_blocks, n_rows, n_columns = 40, 4000, 60  # 77 MB in all
    costs = CostMatrix([[0, 1], [1000, 0]])

    def blocks():
        for seed in range(n_blocks):
            X = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
            yield X, (X[:, 0] > 2.5).astype(int)

    tracemalloc.start()
    model = GBSE(cost_matrix=costs, n_estimators=2).fit(blocks)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(model.sample_counts_) > 1000
    assert peak < 40e6


@pytest.mark.parametrize(
    "X, y, words",
    [
        (iter([]), None, "got an iterator, which is used up"),
        (lambda: iter([]), None, "at least one block"),
        (lambda: iter([]), ["a"], "y must be None"),
        (lambda: iter([(np.zeros((2, 1)), [0, 1, 1])]), None, "2 rows but 3 classes"),
        (lambda: iter([(np.zeros((2, 1)), [0, 1]), (np.zeros((2, 2)), [0, 1])]), None, "same columns"),
        (
            lambda: iter([(np.zeros((2, 1)), [0, 1], np.ones((2, 2))), (np.zeros((2, 1)), [0, 1])]),
            None,
            "with every block",
        ),
        ("rows.parquet", None, "name of the class column"),
    ],
)
def test_blocks_that_do_not_fit(X, y, words):
    with pytest.raises((ValueError, TypeError), match=words):
        GBSE(n_estimators=2).fit(X, y)


def test_files_that_do_not_fit(tmp_path):
    with pytest.raises(FileNotFoundError):
        GBSE().fit(tmp_path / "none.parquet", "kind")
    pd.DataFrame({"x": [1.0, 2.0]}).to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match="which has no 'kind'"):
        GBSE().fit(tmp_path / "rows.parquet", "kind")
