"""Samples that are drawn with replacement."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from stakes import C45Classifier, CostBagging, MetaCost, SamplingWarning
from stakes.reductions._sampling import bootstrap_counts, uniforms
from stakes.table import Table

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
Y = np.where(X[:, 0] + X[:, 1] + RNG.normal(size=400) > 0.5, "yes", "no")
WEIGHT = RNG.integers(0, 4, size=400).astype(float)


def by_hand(weights, n, seed, stream):
    """One draw after the other, along the weights."""
    counts = np.zeros(len(weights), dtype=int)
    for uniform in uniforms(seed, stream, 0, n):
        left = uniform * sum(weights)
        for row, weight in enumerate(weights):
            left -= weight
            if left < 0:
                counts[row] += 1
                break
    return counts


@pytest.mark.parametrize("weights", [np.ones(50), RNG.integers(0, 3, size=50) / 2])
def test_draws_with_replacement(weights):
    counts = bootstrap_counts(weights, 80, 5, 2)
    assert counts.sum() == 80 and not counts[weights == 0].any()
    np.testing.assert_array_equal(counts, by_hand(weights.tolist(), 80, 5, 2))


def test_rows_are_drawn_in_proportion_to_their_weights():
    counts = bootstrap_counts(np.array([1.0, 2.0, 5.0]), 80_000, 0, 0)
    np.testing.assert_allclose(counts / 10_000, [1, 2, 5], rtol=0.05)


@pytest.mark.parametrize("method", [CostBagging, MetaCost])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_components_learn_from_the_rows_that_were_drawn(method, weight):
    model = method(n_estimators=2, bootstrap=True, random_state=3).fit(X, Y, weight)
    rows = np.ones(400) if weight is None else weight
    n_drawn = int((rows > 0).sum())
    for t, component in enumerate(model.estimators_):
        drawn = np.repeat(np.arange(400), bootstrap_counts(rows, n_drawn, model._seed, t))
        twin = C45Classifier().fit(X[drawn], (Y == "yes")[drawn].astype(np.int32))
        np.testing.assert_array_equal(component.predict_proba(Table.from_data(X)), twin.predict_proba(X))
    assert model.sample_counts_ == [n_drawn, n_drawn]


def test_samples_have_as_many_rows_as_asked_for():
    for share, n in ((None, 400), (0.5, 200), (0.0001, 1)):
        model = CostBagging(bootstrap=True, max_samples=share, n_estimators=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)  # one row is of one class
            assert model.fit(X, Y).sample_counts_ == [n]


def test_rows_that_are_held_out_are_not_drawn():
    model = CostBagging(bootstrap=True, n_iter_no_change=2, validation_fraction=0.25, n_estimators=3)
    counts = model.fit(X, Y).sample_counts_
    assert all(count == counts[0] for count in counts) and 260 < counts[0] < 340


def test_blocks_of_rows_give_the_same_model():
    frame = pd.DataFrame(X, columns=list("abc"))

    def blocks():
        for start in range(0, 400, 90):
            yield frame[start : start + 90], Y[start : start + 90]

    whole, parts = (CostBagging(bootstrap=True, n_estimators=3) for _ in range(2))
    expected = whole.fit(frame, Y).predict_proba(frame)
    np.testing.assert_array_equal(parts.fit(blocks).predict_proba(frame), expected)
