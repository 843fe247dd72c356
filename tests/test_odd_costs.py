"""Costs that can hardly be meant: one warning with what is odd, and none where nobody has said them."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from commands import run as stakes
from stakes import C45Classifier, CostMatrix, CostMatrixWarning, Guard, datasets
from stakes.costs import abe_costs, as_cost_matrix, kretowski_costs, mean_cost_matrix, ting_costs
from stakes.lab import compare_with_peers
from stakes.metrics import mean_cost
from stakes.models import load_model, save_model

RIGHT = r"being right about class 'bad' costs 5, but every mistake less, at most 0"
EARNS = r"answering 'bad' for class 'good' earns 3, but being right costs nothing"
SAME = r"all answers to class 'good' cost the same, 2"
ODD = [
    ([[5, 0], [1, 0]], RIGHT),
    (
        [[5, 0], [0, 1]],
        RIGHT + r"; being right about class 'good' costs 1, but every mistake less, at most 0",
    ),
    ([[0, 5], [-3, 0]], EARNS),
    ([[0, 5], [2, 2]], SAME),
    ([[0, 5], [-3, -1]], "answering 'bad' for class 'good' earns 3, but being right earns 1"),
]
GOOD = [
    [[0, 5], [1, 0]],
    [[0, 1], [5, 0]],  # its transpose makes as much sense
    [[-3, 5], [1, -1]],  # rewards
    [[2, 5], [2, 1]],  # treating the ill costs as well
    [[-3, -1], [1, 0]],  # a mistake that earns less than being right
]


def wrong(costs):
    return pd.DataFrame(costs, index=["bad", "good"], columns=["bad", "good"])


@pytest.mark.parametrize(("values", "sentence"), ODD)
def test_a_matrix_that_can_hardly_be_meant(values, sentence):
    with pytest.warns(
        CostMatrixWarning, match=f"^these costs can hardly be meant: {sentence}. Rows"
    ) as caught:
        CostMatrix(values, ["bad", "good"])
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert len(CostMatrix(values, ["bad", "good"], check=False)) == 2


@pytest.mark.parametrize("values", GOOD)
def test_a_matrix_that_may_be_meant(values):
    CostMatrix(values, ["bad", "good"])


def test_three_classes():
    CostMatrix([[3, 1, 4], [1, 0, 1], [1, 1, 0]])  # one mistake is cheaper than being right
    with pytest.warns(
        CostMatrixWarning, match="class 0 cost the same, 1; .* 2 cost the same, 1; and so on for 1"
    ):
        CostMatrix(np.ones((4, 4)))


def test_every_way_to_make_one(tmp_path):
    frame, pairs = wrong([[5, 0], [1, 0]]), {("bad", "bad"): 5, ("bad", "good"): 0, ("good", "bad"): 1}
    frame.to_csv(tmp_path / "costs.csv", index_label="actual")
    matrix = CostMatrix([[5, 0], [1, 0]], ["bad", "good"], check=False)
    ways = [
        lambda **check: CostMatrix.from_pairs(pairs, **check),
        lambda **check: CostMatrix.from_predicted_rows([[5, 1], [0, 0]], ["bad", "good"], **check),
        lambda **check: CostMatrix.from_frame(frame, **check),
        lambda **check: CostMatrix.from_csv(tmp_path / "costs.csv", **check),
        lambda **check: CostMatrix.from_dict(matrix.to_dict(), **check),
        lambda **check: as_cost_matrix(tmp_path / "costs.csv", ["bad", "good"], **check),
        lambda **check: as_cost_matrix(pairs, ["bad", "good"], **check),
    ]
    for way in ways:
        with pytest.warns(CostMatrixWarning, match=RIGHT) as caught:
            assert way() == matrix
        assert [warning.filename for warning in caught] == [__file__]
        assert way(check=False) == matrix


def test_what_follows_from_a_matrix_is_silent(tmp_path):
    matrix = CostMatrix([[5, 0], [1, 0]], ["bad", "good"], check=False)
    for other in (copy.copy(matrix), copy.deepcopy(matrix), pickle.loads(pickle.dumps(matrix))):
        assert other == matrix
    matrix.align(["good", "bad"]), matrix.normalise(), matrix.shift()
    X, y = np.arange(20.0)[:, None], np.repeat(["bad", "good"], 10)
    model = clone(C45Classifier(cost_matrix=matrix, cost_use="none", decision="min_cost")).fit(X, y)
    save_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").cost_matrix_ == matrix
    assert mean_cost(y, model.predict(X), cost_matrix=matrix) == 0


@pytest.mark.parametrize("seed", range(20))
def test_random_costs_are_nobodys_own(seed):
    classes = ["a", "b", "c"]
    ting_costs(classes, seed), kretowski_costs(classes, seed), abe_costs(classes, [1, 2, 3], seed)
    mean_cost_matrix(np.ones((3, 3)), [0, 1, 2], classes)
    datasets.load("german")


def test_once_for_a_whole_fit():
    X, y = np.arange(60.0)[:, None], np.repeat(["a", "b", "c"], 20)
    with pytest.warns(CostMatrixWarning) as caught:
        Guard(C45Classifier(cost_matrix=[[0, 1, 1], [1, 0, 1], [2, 2, 2]]), cv=3).fit(X, y)
    assert len(caught) == 1


def test_costs_per_sample_warn_only_where_all_are_odd():
    X, y = np.arange(6.0)[:, None], ["bad", "bad", "bad", "good", "good", "good"]
    costs = np.array([[7, 1], [5, 1], [0, 9], [1, 0], [4, 0], [3, 0]], dtype=float)
    C45Classifier().fit(X, y, costs=costs)
    costs[2] = 6, 1
    with pytest.warns(
        CostMatrixWarning, match="class 'bad' costs 6 on average, but every mistake less, at most 1"
    ):
        C45Classifier().fit(X, y, costs=costs)
    with pytest.warns(CostMatrixWarning, match="all answers to class 'good' cost the same, 2 on average"):
        C45Classifier().fit(X, y, costs=[[0, 9], [0, 8], [1, 1], [1, 1], [2, 2], [3, 3]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CostMatrixWarning)
        C45Classifier().fit(X, y, costs=costs)


def test_commands_say_it_once_unless_the_costs_are_accepted(tmp_path):
    path, model = tmp_path / "costs.csv", tmp_path / "model.json"
    wrong([[0, 5], [2, 2]]).to_csv(path, index_label="actual")
    given = ("german", "--costs", path)
    note = f"Note: these costs can hardly be meant: {SAME}."
    assert stakes("describe", *given).stderr.startswith(note)
    assert stakes("describe", *given, "--accept-costs").stderr == ""
    fitted = stakes("fit", *given, "-l", "c4.5", "--no-guard", "-o", model)
    assert fitted.stderr.count("can hardly be meant") == 1
    assert "hardly" not in stakes("predict", model, "german").stderr
    for command in ("evaluate", "report"):
        more = ("--model", model) if command == "evaluate" else ("-o", tmp_path / "page.html")
        words = (command, "german", *more) if command == "evaluate" else (command, model, "german", *more)
        assert stakes(*words).stderr == ""
        assert stakes(*words, "--costs", path).stderr.count("can hardly be meant") == 1
        assert stakes(*words, "--costs", path, "--accept-costs").stderr == ""


def test_comparison_with_peers_says_it_once(tmp_path):
    wrong([[0, 5], [2, 2]]).to_csv(tmp_path / "costs.csv", index_label="actual")
    choice = {"costs": tmp_path / "costs.csv", "learners": ["constant"], "n_folds": 2}
    with pytest.warns(CostMatrixWarning, match=SAME) as caught:
        compare_with_peers("german", **choice)
    assert len(caught) == 1
    compare_with_peers("german", **choice, check_costs=False)
