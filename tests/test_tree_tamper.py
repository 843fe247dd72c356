"""A model read from a document that was tampered with is rejected, or safe to use."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.damage import FIELDS, encoded, mutate, route
from oracles.random_trees import random_fitted, random_rows
from stakes import C45Classifier
from stakes.tree.fitted import FittedTree


@given(st.integers(0, 10**9), st.integers(1, 3))
@settings(max_examples=6 * settings().max_examples)
def test_tampered_models_are_rejected_or_safe(seed, n_changes):
    rng = random.Random(seed)
    fitted = replace(random_fitted(seed % 500), observed=None)
    document = json.loads(json.dumps(fitted.to_dict()))
    for _ in range(n_changes):
        mutate(document, rng)
    try:
        read = FittedTree.from_dict(document)
    except ValueError as error:
        assert str(error)
        return
    rows = random_rows(seed, read, 10)
    if rows and rows[0]:
        arrays = [getattr(read.tree, name) for name in FIELDS]
        _, mixture = route(encoded(read, rows), arrays, np.ascontiguousarray(read.values), np.arange(10))
        np.testing.assert_allclose(mixture.sum(axis=1), 1, atol=1e-5)


@given(st.integers(0, 10**9), st.integers(1, 3))
@settings(max_examples=6 * settings().max_examples)
def test_tampered_classifiers_are_rejected_or_safe(seed, n_changes):
    rng = random.Random(seed)
    document = json.loads(CLASSIFIER)
    for _ in range(n_changes):
        mutate(document, rng)
    try:
        read = C45Classifier.from_json(json.dumps(document))
    except ValueError as error:
        assert str(error)
        return
    try:
        proba = read.predict_proba(ROWS)
        assert len(read.predict(ROWS)) == len(ROWS)
        np.testing.assert_allclose(proba.sum(axis=1), 1, atol=1e-5)
    except ValueError as error:  # a schema of other columns, or unseen="error"
        assert str(error)


ROWS = np.array([[0.5, "a"], [2.5, "b"], [None, "c"], [1.0, None], [9.0, "d"]], dtype=object)


def training():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(80) * 4, rng.choice(list("abc"), 80)]).astype(object)
    X[:, 0] = X[:, 0].astype(float)
    return X, np.where((X[:, 0] > 2) ^ (X[:, 1] == "a"), "yes", "no")


TRAINING = training()


def a_classifier():
    return C45Classifier(cost_matrix=[[0, 1], [4, 0]], decision="min_cost").fit(*TRAINING)


CLASSIFIER = a_classifier().to_json()


@pytest.mark.parametrize("length", [0, 1, 10, len(CLASSIFIER) // 2, len(CLASSIFIER) - 1])
def test_truncated_text_is_refused(length, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(CLASSIFIER[:length], encoding="utf-8")
    with pytest.raises(ValueError, match=r"JSON|cut short"):
        C45Classifier.from_json(path)
