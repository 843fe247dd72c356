"""MDL cuts agree with the slow twin, and the transformer does what a scikit-learn user expects."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import mdl
from stakes import MDLDiscretizer, _core, load_model


def core_cuts(values, classes, n_classes, weights=None, n_threads=1):
    column = np.array([np.nan if v is None else v for v in values])
    weight = None if weights is None else np.array(weights)
    table = _core.Table([column], [-1])
    return _core.mdl_cuts(table, np.array(classes, dtype=np.int32), n_classes, weight, n_threads)[0].tolist()


@st.composite
def columns(draw):
    n = draw(st.integers(2, 60))
    k = draw(st.sampled_from([2, 2, 3, 6]))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).round(draw(st.integers(0, 3)))
    noise = draw(st.sampled_from([0.0, 0.2, 1.0]))
    y = np.digitize(x + noise * rng.normal(size=n), np.linspace(-0.8, 0.8, k - 1))
    values = [None if rng.random() < 0.1 else v for v in x.tolist()]
    weights = draw(st.sampled_from([None, [0.0, 1.0, 2.0], [0.5, 1.0, 3.0]]))
    if weights is not None:
        weights = rng.choice(weights, n).tolist()
        weights[0] = 1.0
    return values, y.tolist(), k, weights


@given(columns())
def test_cuts_are_those_of_the_twin(problem):
    values, classes, k, weights = problem
    expected, close = mdl.cuts(values, classes, weights)
    assert core_cuts(values, classes, k, weights) == expected or close


def test_some_columns_are_cut_often():
    """Were no column ever cut, the agreement would say nothing."""
    x = np.repeat(np.arange(6.0), 20)
    assert core_cuts(x.tolist(), (np.arange(120) // 20 % 2).tolist(), 2) == [0.5, 1.5, 2.5, 3.5, 4.5]


def test_more_than_thirty_classes():
    """3 to the power of the number of classes leaves the range of exact doubles."""
    values = np.repeat(np.arange(40.0), 60).tolist()
    classes = np.repeat(np.arange(40), 60).tolist()
    assert core_cuts(values, classes, 40) == mdl.cuts(values, classes)[0]
    assert len(core_cuts(values, classes, 40)) == 39


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(0)
    x, y, w = rng.normal(size=80), rng.integers(0, 2, 80), rng.integers(0, 4, 80)
    y = np.where(x > 0.3, 1, y)
    assert core_cuts(x.tolist(), y.tolist(), 2, w.astype(float).tolist()) == core_cuts(
        np.repeat(x, w).tolist(), np.repeat(y, w).tolist(), 2
    )


def test_threads_change_nothing():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 6))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0.3).astype(np.int32)
    table = _core.Table([X[:, j] for j in range(6)], [-1] * 6)
    one, four = (_core.mdl_cuts(table, y, 2, None, n) for n in (1, 4))
    assert [c.tolist() for c in one] == [c.tolist() for c in four]
    assert len(one[0]) > 0


@pytest.mark.parametrize("low, high", [(1.0, np.nextafter(1.0, 2)), (-1.7e308, 1.7e308), (0.0, 5e-324)])
def test_cuts_between_extreme_neighbours(low, high):
    values = [low] * 30 + [high] * 30
    (cut,) = core_cuts(values, [0] * 30 + [1] * 30, 2)
    assert low <= cut < high


def test_small_weights_earn_no_cut():
    """Less than one row in all is no evidence for anything."""
    assert core_cuts([0.0, 1.0], [0, 1], 2, [1e-6, 1e-6]) == []


@pytest.mark.parametrize(
    "classes, n_classes, weights",
    [([0, 2], 2, None), ([0], 2, None), ([0, 1], 2, [1.0, -1.0]), ([0, 1], 2, [0.0, 0.0]), ([0, 1], 0, None)],
)
def test_bad_input_to_the_core(classes, n_classes, weights):
    with pytest.raises(ValueError):
        core_cuts([0.0, 1.0], classes, n_classes, weights)


# ---- the transformer ---------------------------------------------------------------------------------------


def frame():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, 300).astype(float)
    noise = rng.normal(size=300)
    town = rng.choice(["north", "south"], 300)
    y = np.where(age > 40, "old", "young")
    age[:5] = np.nan
    return pd.DataFrame({"age": age, "noise": noise, "town": town}), y


def test_names_of_intervals():
    X, y = frame()
    model = MDLDiscretizer(encode="names").fit(X, y)
    assert model.interval_names_ == {"age": ["<= 40.5", "> 40.5"], "town": ["north", "south"]}
    words = model.transform(X)
    assert words[0].tolist() == [None, X["town"][0]]
    assert set(words[5:, 0]) == {"<= 40.5", "> 40.5"}
    assert model.get_feature_names_out().tolist() == ["age", "town"]


def test_other_columns_are_refused():
    X, y = frame()
    numbers = X[["age", "noise"]].to_numpy()
    model = MDLDiscretizer().fit(numbers, y)
    with pytest.raises(ValueError, match="X has 1 features, but MDLDiscretizer is expecting 2"):
        model.transform(numbers[:, :1])
    assert model.n_features_in_ == 2


def test_names_of_the_columns_that_stay():
    X, y = frame()
    model, bare = MDLDiscretizer().fit(X, y), MDLDiscretizer().fit(X[["age", "noise"]].to_numpy(), y)
    assert model.get_feature_names_out(["age", "noise", "town"]).tolist() == ["age", "town"]
    assert bare.get_feature_names_out().tolist() == ["x0"]
    assert bare.get_feature_names_out(["a", "b"]).tolist() == ["a"]
    assert model.n_features_in_ == 3 and [cuts.tolist() for cuts in model.cuts_] == [[40.5], [], []]
    for known, names in ((model, ["a", "noise", "town"]), (model, ["age", "noise"]), (bare, ["a"])):
        with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
            known.get_feature_names_out(names)


def test_columns_without_a_cut():
    X, y = frame()
    assert MDLDiscretizer().fit(X, y).transform(X).shape == (300, 2)
    whole = MDLDiscretizer(keep_whole=True).fit(X, y)
    assert whole.interval_names_["noise"] == ["any value"]
    assert whole.transform(X)[:, 1].tolist() == [0.0] * 300


def test_ordinal_keeps_what_is_missing_or_unseen():
    X, y = frame()
    model = MDLDiscretizer().fit(X, y)
    other = X[:6].assign(town=["north", "south", "moon", None, "north", "south"])
    codes = model.transform(other)
    assert np.isnan(codes[:5, 0]).all()
    assert codes[:2, 1].tolist() == [0.0, 1.0] and np.isnan(codes[2:4, 1]).all()


def test_the_kind_of_frame_does_not_matter():
    X, y = frame()
    model = MDLDiscretizer().fit(X, y)
    polars = pl.DataFrame({name: X[name].astype(object).where(X[name].notna(), None).tolist() for name in X})
    np.testing.assert_array_equal(model.transform(polars), model.transform(X))
    objects = X.astype(object).where(X.notna(), None).to_numpy()
    np.testing.assert_array_equal(MDLDiscretizer().fit_transform(objects, y), model.transform(X))


def test_pandas_output():
    X, y = frame()
    out = MDLDiscretizer(encode="names").set_output(transform="pandas").fit(X, y).transform(X)
    assert list(out.columns) == ["age", "town"] and len(out) == 300


def test_close_cuts_have_different_names():
    x = np.repeat([1.0, 1.0 + 1e-9, 1.0 + 2e-9], 40)
    model = MDLDiscretizer().fit(x[:, None], np.repeat([0, 1, 0], 40))
    assert len(set(model.interval_names_["x0"])) == 3


def test_saved_and_read(tmp_path):
    X, y = frame()
    model = MDLDiscretizer(encode="names").fit(X, y)
    model.to_json(tmp_path / "cuts.json")
    for back in (load_model(tmp_path / "cuts.json"), MDLDiscretizer.from_json(model.to_json())):
        np.testing.assert_array_equal(back.transform(X), model.transform(X))
        assert list(back.feature_names_in_) == list(X.columns)


@pytest.mark.parametrize(
    "damage", [{"cuts": [[2.0, 1.0], [], []]}, {"cuts": []}, {"whole": 1}, {"schema": 3}]
)
def test_damaged_documents(damage):
    document = MDLDiscretizer().fit(*frame()).to_dict()
    document["state"]["model"] |= damage
    with pytest.raises(ValueError):
        MDLDiscretizer.from_dict(document)


@pytest.mark.parametrize(
    "params, words",
    [({"encode": "text"}, "encode"), ({"keep_whole": 3}, "keep_whole"), ({"n_jobs": "x"}, "n_jobs")],
)
def test_bad_parameters(params, words):
    with pytest.raises(ValueError, match=words):
        MDLDiscretizer(**params).fit(*frame())
