"""What Abe et al. prove, checked on small tables, and the figures of the paper against slow twins."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oracles import reductions as slow
from stakes import GBSE, GBSET, C45Classifier
from stakes.reductions._components import relation
from stakes.reductions._sampling import Sampler, uniforms
from stakes.reductions.boosting import boosted_weights
from stakes.reductions.expansion import expanded_weights
from stakes.reductions.gbse import pair_weights, stochastic
from stakes.reductions.iterative import moved_weights
from stakes.table import Table

whole = st.integers(0, 9).map(float)


def cost_rows(n_rows, n_classes):
    """Costs per sample whose cheapest class costs 0."""
    return arrays(float, (n_rows, n_classes), elements=whole).map(lambda c: c - c.min(axis=1, keepdims=True))


def mixtures(n_rows, n_classes):
    return arrays(float, (n_rows, n_classes), elements=st.floats(0.01, 1)).map(
        lambda w: w / w.sum(axis=1, keepdims=True)
    )


@given(costs=cost_rows(6, 3), answer=arrays(int, 6, elements=st.integers(0, 2)), alpha=st.floats(0.1, 0.9))
def test_theorem_1_weighted_error_is_cost_where_weights_converge(costs, answer, alpha):
    cheapest, weights = costs.argmin(axis=1), costs.max(axis=1)
    for _ in range(400):
        weights = moved_weights(weights, costs, answer, cheapest, alpha)
    error = (weights * (answer != cheapest)).mean()
    assert error == pytest.approx(costs[np.arange(6), answer].mean(), abs=1e-9)


def test_theorem_1_with_a_learner_that_settles():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    costs = rng.uniform(0, 9, (60, 3)) + 5 * (np.digitize(X[:, 0], [-0.4, 0.4])[:, None] != np.arange(3))
    costs -= costs.min(axis=1, keepdims=True)
    cheapest, weights = costs.argmin(axis=1), costs.max(axis=1)
    for _ in range(200):
        answer = C45Classifier(max_depth=1).fit(X, cheapest, sample_weight=weights).predict(X)
        weights, before = moved_weights(weights, costs, answer, cheapest, 0.5), weights
    np.testing.assert_allclose(weights, before, atol=1e-9)  # it has converged
    assert (answer != cheapest).any()
    assert (weights * (answer != cheapest)).mean() == pytest.approx(costs[np.arange(60), answer].mean())


@given(costs=cost_rows(7, 3), cell=arrays(int, 7, elements=st.integers(0, 2)))
def test_theorem_2_least_weighted_error_is_least_cost(costs, cell):
    # Every classifier of three cells and three classes.
    weights = expanded_weights(costs)
    errors, bills = [], []
    for hypothesis in itertools.product(range(3), repeat=3):
        answer = np.array(hypothesis)[cell]
        errors.append(sum(weights[i, y] for i in range(7) for y in range(3) if answer[i] != y))
        bills.append(costs[np.arange(7), answer].sum())
    assert {i for i, e in enumerate(errors) if e == min(errors)} == {
        i for i, b in enumerate(bills) if b == min(bills)
    }


@given(weights=arrays(float, 12, elements=st.integers(-9, 9).map(float)), says=arrays(bool, 12))
def test_lemma_1(weights, says):
    relational = (weights * says).mean()
    binary = (np.abs(weights) * (says == (weights > 0))).mean()
    assert relational == pytest.approx(binary - (np.abs(weights) * (weights < 0)).mean())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("alpha, n_rounds", [(0.1, 12), (0.4, 3)])
def test_theorem_3_costs_of_gbse_t_fall_exponentially(seed, alpha, n_rounds):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3))
    y = np.digitize(X[:, 0] + X[:, 1] / 2, [-0.6, 0.6])
    costs = rng.uniform(1, 9, (150, 3))
    costs[np.arange(150), y] = 0
    tree = C45Classifier(prune=None, collapse=False, min_samples_leaf=1)
    model = GBSET(tree, alpha=alpha, sampling="sample_weight", n_estimators=n_rounds).fit(X, y, costs=costs)
    mixture = np.full((150, 3), 1 / 3)
    first = bill = (costs * mixture).sum(axis=1).mean()
    gammas = []
    for component, after in zip(model.estimators_, model.staged_predict_proba(X)):
        weights = pair_weights(costs, mixture, divisor=3)
        says = relation(component, model._layout, Table.from_data(X))
        good = np.abs(weights) * (weights > 0)
        accuracy = (np.abs(weights) * (says == (weights > 0))).mean()
        gamma = (accuracy - (np.abs(weights) * (weights < 0)).mean()) / good.mean()
        gammas.append(gamma)
        mixture, before = after, bill
        bill = (costs * mixture).sum(axis=1).mean()
        assert bill <= (1 - gamma * alpha / 3) * before + 1e-12
    assert min(gammas) > 0, "the component is a weak learner on these rows"
    assert bill <= np.exp(-min(gammas) * alpha * n_rounds / 3) * first


@given(says=arrays(bool, (5, 4)), mixture=mixtures(5, 4))
def test_stochastic_is_its_slow_twin(says, mixture):
    found = stochastic(says, mixture)
    np.testing.assert_array_equal(found, slow.stochastic(says, mixture))
    np.testing.assert_allclose(found.sum(axis=1), 1)


@given(costs=cost_rows(5, 3), mixture=mixtures(5, 3))
def test_pair_weights(costs, mixture):
    # The gradient of the expected cost, by a small step towards each class.
    for y in range(3):
        towards = np.eye(3)[[y] * 5]
        before, after = (
            (costs * mixture).sum(axis=1),
            (costs * (0.999 * mixture + 0.001 * towards)).sum(axis=1),
        )
        np.testing.assert_allclose((before - after) / 0.001, pair_weights(costs, mixture)[:, y], atol=1e-6)


@given(
    costs=cost_rows(4, 3),
    answers=arrays(int, (3, 4), elements=st.integers(0, 2)),
    alphas=st.lists(st.floats(0, 1), min_size=3, max_size=3),
)
def test_iterative_weights_are_their_slow_twin(costs, answers, alphas):
    weights, found = costs.max(axis=1), []
    for answer, alpha in zip(answers, alphas):
        weights = moved_weights(weights, costs, answer, costs.argmin(axis=1), alpha)
        found.append(weights)
    np.testing.assert_allclose(found, slow.iterative_weights(costs, answers, alphas))


@pytest.mark.parametrize("cls, divisor", [(GBSE, 1), (GBSET, 3)])
def test_gbse_is_its_slow_twin(cls, divisor):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"a": rng.normal(size=80), "b": rng.choice(["u", "v", "w"], 80), "c": rng.integers(0, 5, 80) / 2.0}
    )
    y = np.digitize(frame.a + (frame.b == "u"), [-0.3, 0.8])
    frame.loc[::9, "a"] = np.nan
    frame.loc[::11, "b"] = None
    costs = rng.uniform(0, 9, (80, 3))
    costs[np.arange(80), y] = 0
    model = cls(n_estimators=6).fit(frame, y, costs=costs)
    history, sizes = slow.gbse(frame, costs, 6, model._seed, divisor)
    assert model.sample_counts_ == sizes
    for expected, found in zip(history, model.staged_predict_proba(frame)):
        np.testing.assert_allclose(found, expected)


@settings(max_examples=30)
@given(
    weights=arrays(float, (20, 2), elements=whole).filter(lambda w: w.max() > 0),
    share=st.sampled_from([1.0, 0.6, 1e-6]),
    cuts=st.sets(st.integers(1, 19), max_size=4),
)
def test_sampling_does_not_depend_on_blocks(weights, share, cuts):
    table = Table.from_data(np.arange(20.0).reshape(-1, 1))
    codes, targets = np.zeros(20, np.int32), np.arange(40, dtype=np.int32).reshape(20, 2)
    sampler = Sampler("rejection", share, seed=9, stream=4)
    for start, stop in itertools.pairwise([0, *sorted(cuts), 20]):
        at = slice(start, stop)
        sampler.add(start, table.take(at), codes[at], weights[at], targets[at], np.ones(stop - start))
    sample = sampler.sample()
    expected = slow.accepted(weights.ravel(), uniforms(9, 4, 0, 40), share)
    if expected:
        assert sample.target.tolist() == expected
    else:
        assert len(sample.target) == 1 and weights.ravel()[sample.target[0]] > 0
    np.testing.assert_array_equal(sample.table.columns[0], sample.target // 2)
    np.testing.assert_array_equal(sample.pair, sample.target % 2)


def test_sampling_accepts_in_proportion():
    weights = np.tile([[1.0], [2.0], [4.0]], (4000, 1))
    table = Table.from_data(np.tile([[1.0], [2.0], [4.0]], (4000, 1)))
    sampler = Sampler("rejection", 0.5, seed=1, stream=0)
    codes = np.zeros(12_000, np.int32)
    sampler.add(0, table, codes, weights, codes[:, None], np.ones(12_000))
    counts = np.unique(sampler.sample().table.columns[0], return_counts=True)[1] / 4000
    np.testing.assert_allclose(counts, [0.125, 0.25, 0.5], atol=0.03)


def test_boosting_formulas():
    weights, signed, paid = np.array([1.0, 2.0, 0.5]), np.array([0.9, -0.6, -0.8]), np.array([1.0, 4.0, 0.3])
    expected = {
        "adaboost": weights * np.exp(-0.7 * signed),
        "csb0": paid * weights,
        "csb1": paid * weights * np.exp(-signed),
        "csb2": paid * weights * np.exp(-0.7 * signed),
        "cost_uboost": [1.0, 4.0, 0.5],
    }
    for variant, values in expected.items():
        np.testing.assert_allclose(boosted_weights(variant, weights, signed, paid, 0.7), values)
