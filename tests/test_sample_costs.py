"""Costs per sample in data frames: columns are found by the label that they are for."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from stakes import C45Classifier, Guard, IterativeWeighting, MinExpectedCost
from stakes.costs import check_sample_costs, mean_cost_matrix
from stakes.metrics import mean_cost, total_cost

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 2))
Y = np.where(X[:, 0] + 0.2 * RNG.normal(size=90) > 0, "good", "bad")
COSTS = np.column_stack([(Y == "good") * 1.0, (Y == "bad") * RNG.uniform(2, 9, 90)])  # bad, good
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


def reordered(make):
    return make({"good": COSTS[:, 1], "bad": COSTS[:, 0]})


@pytest.mark.parametrize("make", FRAMES)
def test_columns_are_those_of_their_labels(make):
    assert check_sample_costs(reordered(make), 90, 2, ["bad", "good"]).tolist() == COSTS.tolist()
    assert mean_cost_matrix(reordered(make), Y == "good", ["bad", "good"]) == mean_cost_matrix(
        COSTS, Y == "good", ["bad", "good"]
    )


@pytest.mark.parametrize(
    "make", [C45Classifier, partial(MinExpectedCost, C45Classifier()), partial(Guard, C45Classifier(), cv=3)]
)
def test_a_reordered_frame_gives_the_same_model(make):
    by_position, by_label = make().fit(X, Y, costs=COSTS), make().fit(X, Y, costs=reordered(pd.DataFrame))
    assert by_label.cost_matrix_ == by_position.cost_matrix_
    assert by_label.predict(X).tolist() == by_position.predict(X).tolist()


def test_blocks_may_order_their_columns_each_in_its_way():
    def blocks(first):
        yield X[:50], Y[:50], first
        yield X[50:], Y[50:], COSTS[50:]

    frames = [COSTS[:50], reordered(pd.DataFrame).iloc[:50]]
    fits = [IterativeWeighting(random_state=0).fit(partial(blocks, part)) for part in frames]
    assert fits[0].cost_matrix_ == fits[1].cost_matrix_


@pytest.mark.parametrize("make", FRAMES)
def test_metrics_find_columns_by_label(make):
    answers = np.repeat("good", 90)
    for classes in (None, ["bad", "good"], ["good", "bad"]):
        assert total_cost(Y, answers, costs=reordered(make), classes=classes) == pytest.approx(
            COSTS[:, 1].sum()
        )
    # a label that no row has is known by its column
    assert mean_cost(["a"], ["a"], costs=make({"b": [1], "a": [3], "c": [0]})) == 3


@pytest.mark.parametrize(
    ("frame", "classes", "wanted"),
    [
        (pd.DataFrame([[1, 2]]), ["a", "b"], [1, 2]),  # nothing but positions
        (pd.DataFrame([[1, 2]]), [5, 7], [1, 2]),
        (pl.DataFrame(np.array([[1, 2]])), ["a", "b"], [1, 2]),  # column_0, column_1
        (pd.DataFrame([[1, 2]], columns=[1, 0]), [0, 1], [2, 1]),  # labels, not positions
        (pl.DataFrame({"1": [1], "0": [2]}), [0, 1], [2, 1]),  # text in polars
        (pd.DataFrame([[1, 2]], columns=[True, False]), [False, True], [2, 1]),
        (pd.DataFrame([list(range(11))]), sorted(map(str, range(11))), [0, 1, 10, *range(2, 10)]),
    ],
)
def test_numbered_columns_are_positions_unless_they_are_the_labels(frame, classes, wanted):
    assert check_sample_costs(frame, 1, len(classes), classes).tolist() == [wanted]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["bad", "god"], r"lacks 'good' and has 'god'; did you mean 'good'\?"),
        (["bad"], r"named 'bad', 'good', but the data frame lacks 'good'; an array"),
        (["bad", "good", "ugly"], r"but the data frame has 'ugly'; an array \(to_numpy\(\)\)"),
        ([1, 0], "lacks 'bad', 'good' and has 1, 0"),
    ],
)
def test_unknown_and_missing_labels_are_refused(names, message):
    frame = pd.DataFrame(np.ones((90, len(names))), columns=names)
    with pytest.raises(ValueError, match=message):
        C45Classifier().fit(X, Y, costs=frame)


def test_two_columns_of_one_label_are_refused():
    with pytest.raises(ValueError, match="unique"):
        check_sample_costs(pd.DataFrame([[1, 2]], columns=["a", "a"]), 1, 2, ["a", "b"])
