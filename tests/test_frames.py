"""Tables for people as data frames: of which library, how they are printed, and without one."""

import pickle
import sys
from dataclasses import asdict

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from stakes import C45Classifier
from stakes._base import features
from stakes.metrics import cost_by_class

COSTS = {("a", "b"): 3.33333, ("b", "a"): 0.001234}


def tree(make=pd.DataFrame):
    rows = make({"size": [1.0, 2.0, 3.0, 7.0, 8.0, 9.0] * 5, "town": ["n", "s", "s"] * 10})
    return C45Classifier().fit(rows, ["a", "a", "b", "b", "b", "b"] * 5)


@pytest.fixture
def without(monkeypatch):
    """A function that makes libraries look as if they were not installed."""

    def hide(*names):
        for name in names:
            monkeypatch.setitem(sys.modules, name, None)

    return hide


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_leaves_come_in_the_library_of_the_rows(make):
    model = tree(make)
    frame, leaves = model.leaf_table(), model.leaf_table(as_frame=False)
    assert isinstance(frame, make)
    assert list(frame.columns) == [*asdict(leaves[0])]
    assert frame["cost"].to_list() == [leaf.cost for leaf in leaves]
    assert frame["conditions"].to_list() == [" and ".join(leaf.conditions) for leaf in leaves]
    assert isinstance(pickle.loads(pickle.dumps(model)).leaf_table(), make)


def test_classes_come_in_the_library_of_the_labels():
    y, answers = ["a", "a", "b"], ["a", "b", "a"]
    assert isinstance(cost_by_class(pl.Series(y), answers), pl.DataFrame)
    assert isinstance(cost_by_class(y, pl.Series(answers)), pl.DataFrame)
    assert isinstance(cost_by_class(y, answers), pd.DataFrame)
    assert cost_by_class(y, answers, cost_matrix=COSTS)["cost"].tolist() == [3.33333, 0.001234]


def test_numbers_are_rounded_where_they_are_printed_and_nowhere_else():
    frame = cost_by_class(["a", "a", "b"], ["a", "b", "a"], cost_matrix=COSTS)
    for text in (repr(frame), frame._repr_html_()):
        assert "3.33" in text and "3.333" not in text and "0.00123" in text and "0.001234" not in text
    assert type(frame[["cost"]]) is pd.DataFrame and "3.33333" in repr(frame[["cost"]])
    assert pickle.loads(pickle.dumps(frame)).equals(frame)


def test_without_the_one_it_is_the_other_and_without_both_a_list(without):
    model = tree()
    without("pandas")
    assert isinstance(model.leaf_table(), pl.DataFrame)
    without("polars")
    assert model.leaf_table() == model.leaf_table(as_frame=False)
    assert cost_by_class(["a"], ["a"])[0].actual == "a"
    with pytest.raises(
        ImportError, match=r"as_frame=True needs pandas or polars: pip install 'stakes\[data\]'"
    ):
        model.leaf_table(as_frame=True)


def test_a_tree_that_tests_nothing_and_words_for_as_frame():
    model = C45Classifier().fit([[1.0], [2.0]], ["a", "a"])
    assert model.leaf_table()["conditions"].tolist() == ["always"]
    with pytest.raises(TypeError, match="as_frame must be True, False or None, got 'yes'"):
        model.leaf_table(as_frame="yes")


def test_rows_of_any_frame_are_taken_by_their_numbers(monkeypatch):
    """Tables of Arrow without scikit-learn, whose lowest version does not know them."""
    rows = np.array([3, 0, 3])
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        frame = make({"size": [1.0, 2.0, 3.0, 7.0]})
        if make is pa.table:
            monkeypatch.setattr(features, "safe_indexing", None)
        assert [*np.asarray(features.take_rows(frame, rows)["size"])] == [7.0, 1.0, 7.0]
