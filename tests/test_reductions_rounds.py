"""Rounds of the reductions at their edges: seeds, shares of rounds, going on, classes that no sample has."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from stakes import (
    GBSE,
    AverageCost,
    C45Classifier,
    CostBagging,
    CostMatrix,
    IterativeWeighting,
    MetaCost,
    SamplingWarning,
    Table,
)
from test_reductions import COSTS, problem

CHEAP_A = CostMatrix([[0, 1e-9, 1e-9], [1, 0, 1], [1, 1, 0]], ["a", "b", "c"])


def test_seeds_of_components_count_up():
    frame, y = problem(60)
    settings = {"cost_matrix": COSTS, "random_state": 2**63 - 1}
    model = IterativeWeighting(DecisionTreeClassifier(), n_votes=2, n_estimators=3, **settings).fit(frame, y)
    seed = model._seed
    assert 2**31 < seed < 2**63
    assert [tree.random_state for tree in model.estimators_] == [(seed + i) % 2**31 for i in range(6)]
    one = MetaCost(DecisionTreeClassifier(), n_estimators=1, **settings).fit(frame, y)
    assert one.model_.random_state == one._seed % 2**31 and one._seed == seed
    drawn = {AverageCost(n_estimators=1, random_state=None).fit(frame, y)._seed for _ in range(2)}
    assert len(drawn) == 2


def test_the_share_of_a_round_may_be_nothing_or_all():
    frame, y = problem(60)
    model = CostBagging(n_estimators=3, alpha=lambda t: (t - 1) % 2).fit(frame, y)
    assert model.alphas_ == [0.0, 1.0, 0.0] and all(type(alpha) is float for alpha in model.alphas_)
    stages = list(model.staged_predict_proba(frame))
    assert (stages[0] == 1 / 3).all()
    np.testing.assert_array_equal(stages[1], model.estimators_[1].predict_proba(frame))
    np.testing.assert_array_equal(stages[2], stages[1])
    for wrong in (-0.1, "half", None):
        with pytest.raises(ValueError, match=f"numbers from 0 to 1, got {wrong!r} for round 1"):
            CostBagging(n_estimators=1, alpha=lambda t, wrong=wrong: wrong).fit(frame, y)


def test_going_on_needs_the_same_columns_and_classes_but_no_more_rounds():
    frame, y = problem(60)
    model = AverageCost(n_estimators=2, warm_start=True).fit(frame, y)
    first = list(model.estimators_)
    assert model.fit(frame, y).estimators_ == first  # as many rounds: nothing is left to do
    with pytest.raises(ValueError, match="columns and classes must be the same"):
        model.fit(frame, np.where(y == "a", "d", y))
    with pytest.raises(ValueError, match="columns and classes must be the same"):
        model.fit(frame.rename(columns={"x": "other"}), y)
    model.set_params(warm_start=False, n_estimators=1).fit(frame[["x"]], y)
    assert len(model.estimators_) == 1


@pytest.mark.parametrize("cls", [GBSE, CostBagging])
def test_rounds_that_are_gone_on_from_are_judged_anew(cls):
    """Of rounds that were learnt before, none is cut."""
    frame, y = problem(120)
    settings = {"cost_matrix": COSTS, "validation_fraction": 0.4, "n_iter_no_change": 9}
    grown = cls(n_estimators=4, warm_start=True, cost_matrix=COSTS).fit(frame, y)
    before = list(grown.estimators_)
    grown.set_params(n_estimators=6, **settings).fit(frame, y)
    costs = grown.validation_costs_
    assert len(costs) in (2, 3)
    kept = 6 - len(costs) + int(np.argmin(costs)) + 1
    assert len(grown.alphas_) == len(grown.sample_counts_) == len(grown.estimators_) == kept
    assert grown.estimators_[:3] == before[:3]


# ---- classes that no sample has ----------------------------------------------------------------------------


def test_a_class_without_weight_is_not_missed():
    frame, y = problem()
    weight = (y != "a").astype(float)
    model = AverageCost(cost_matrix=CHEAP_A, n_estimators=1).fit(frame, y, sample_weight=weight)
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_a_class_of_one_row_is_missed():
    frame, y = problem()
    kept = (y != "a") | (np.arange(300) == np.flatnonzero(y == "a")[0])
    with pytest.warns(SamplingWarning, match="no row of class a is in any sample"):
        AverageCost(cost_matrix=CHEAP_A, n_estimators=1).fit(frame[kept], y[kept])


@pytest.mark.parametrize("n_rounds", [1, 2])
def test_a_class_that_stays_lost_is_told_once(n_rounds):
    frame, y = problem()
    model = AverageCost(cost_matrix=CHEAP_A, n_estimators=n_rounds, warm_start=True)
    with pytest.warns(SamplingWarning):
        model.fit(frame, y)
    model.set_params(n_estimators=3).fit(frame, y)


def test_a_class_that_one_sample_has_is_not_lost():
    frame, y = problem(60)
    costs = CostMatrix([[0, 0.03, 0.03], [1, 0, 1], [1, 1, 0]], ["a", "b", "c"])
    model = AverageCost(C45Classifier(), cost_matrix=costs, n_estimators=4)
    model.fit(frame, y)  # a warning would be an error
    assert model._seen[0] > 0 and model._seen.sum() == sum(model.sample_counts_)


# ---- rows to predict ---------------------------------------------------------------------------------------


def test_rows_are_checked_before_they_are_used():
    frame, y = problem(60)
    with pytest.raises(NotFittedError):
        AverageCost().predict_proba(frame)
    with pytest.raises(NotFittedError):
        AverageCost().to_dict()
    model = AverageCost(n_estimators=1).fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict_proba(frame[["x", "z"]])
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
        model.predict_proba(np.zeros(4))
    with pytest.raises(ValueError, match="X has 1 features, but AverageCost is expecting 3 features"):
        model.predict_proba(Table.from_data(frame[["x"]]))
    assert model.feature_names_in_.tolist() == ["x", "colour", "z"]
    with pytest.warns(UserWarning, match="valid feature names, but AverageCost was fitted with"):
        listed = model.predict(frame.to_numpy().tolist())
    np.testing.assert_array_equal(listed, model.predict(frame))


def test_tags_follow_the_component_but_sparse_rows_are_never_read():
    for component in (None, C45Classifier()):
        reads = get_tags(AverageCost(component)).input_tags
        assert reads.categorical and reads.string and reads.allow_nan and not reads.sparse
    tree = DecisionTreeClassifier()
    reads = get_tags(AverageCost(tree)).input_tags
    assert not reads.categorical and not reads.sparse and get_tags(tree).input_tags.sparse
