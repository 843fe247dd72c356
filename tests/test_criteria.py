"""Criteria of splits that are registered: they are asked what the core would compute."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import C45Classifier
from stakes.tree import judges
from stakes.tree.c45.criteria import CRITERIA


@pytest.fixture
def criteria(monkeypatch):
    """What a test registers is gone after it."""
    for name in ("mine", "wrong", "none"):
        monkeypatch.setitem(CRITERIA, name, None)
    return CRITERIA


@pytest.mark.parametrize("growth", ["depth_first", "best_first"])
def test_a_criterion_from_outside_grows_the_tree_of_the_core(criteria, growth):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(1)
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0.3).astype(int)
    judges("mine")(lambda split: split.gain)
    how = {"prune": None, "collapse": False, "growth": growth, "min_gain": 0.01}
    ours, theirs = (C45Classifier(criterion=name, **how).fit(X, y).tree_ for name in ("mine", "gain"))
    np.testing.assert_array_equal(ours.feature, theirs.feature)
    np.testing.assert_array_equal(ours.threshold, theirs.threshold)
    assert len(ours.feature) > 20


def test_what_a_criterion_returns_and_raises(criteria):
    X, y = [[1.0], [2.0], [8.0], [9.0]] * 3, [0, 0, 1, 1] * 3
    judges("none")(lambda split: float("nan"))
    assert C45Classifier(criterion="none").fit(X, y).get_n_leaves() == 1
    judges("none")(lambda split: split.gain - 5)  # whatever its sign, the largest wins
    assert C45Classifier(criterion="none").fit(X, y).get_n_leaves() == 2
    judges("wrong")(lambda split: "much")
    with pytest.raises(TypeError, match="a criterion must return a number"):
        C45Classifier(criterion="wrong").fit(X, y)

    @judges("wrong")
    def fail(split):
        raise ZeroDivisionError(f"{split.gain:.0f} bit, share {split.share:.0f}, price {split.price:.0f}")

    with pytest.raises(ZeroDivisionError, match="1 bit, share 1, price 0"):
        C45Classifier(criterion="wrong").fit(X, y)
    with pytest.raises(ValueError, match="a new criterion, got 'gain'"):
        judges("gain")
    with pytest.raises(ValueError, match="criterion"):
        C45Classifier(criterion="unheard").fit(X, y)
