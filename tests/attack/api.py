"""The API: what ``fit`` and ``predict`` are given in other forms gives the same answers, or an error."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse
from sklearn.base import clone

from attack.data import (
    LABELS,
    an_estimator,
    check_valid,
    costs_for,
    fitted,
    fitted_on,
    mixed,
    numbers,
    same_answers,
)
from attack.harness import Draw, Refused
from stakes import CostMatrix, FeatureCosts
from stakes.metrics import mean_cost, savings, total_cost

FORMS: dict[str, Any] = {
    "float32": lambda X: X.astype(np.float32),
    "int64": lambda X: X.astype(np.int64),
    "int8": lambda X: X.astype(np.int8),
    "float16": lambda X: X.astype(np.float16),
    "longdouble": lambda X: X.astype(np.longdouble),
    "big endian": lambda X: X.astype(">f8"),
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed view": lambda X: X[::-1].copy()[::-1],
    "list": lambda X: X.tolist(),
    "tuples": lambda X: tuple(map(tuple, X.tolist())),
    "object": lambda X: X.astype(object),
    "NumPy scalars": lambda X: np.array([[np.float32(v) for v in row] for row in X], dtype=object),
    "Fractions": lambda X: np.array([[int(v) for v in row] for row in X], dtype=object),
    "matrix": np.asmatrix,
    "unmasked": lambda X: np.ma.masked_array(X, mask=False),
    "pandas": pd.DataFrame,
    "pandas Int64": lambda X: pd.DataFrame(X).astype("Int64"),
    "pandas Float64": lambda X: pd.DataFrame(X).astype("Float64"),
    "pandas Arrow": lambda X: pd.DataFrame(X).convert_dtypes(dtype_backend="pyarrow"),
    "pandas other index": lambda X: pd.DataFrame(X, index=np.arange(len(X))[::-1] * 7),
    "polars": lambda X: pl.DataFrame(X, schema=[f"x{j}" for j in range(X.shape[1])]),
    "Arrow": lambda X: pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])}),
    "sparse": scipy.sparse.csr_matrix,
    "complex": lambda X: X.astype(complex),
    "dates": lambda X: X.astype("datetime64[D]"),
}


def other_forms_of_numbers(draw: Draw) -> None:
    X, y = numbers(draw, whole=True)
    estimator = an_estimator(draw).set_params(cost_matrix=costs_for(draw, y.max() + 1))
    form = FORMS[draw.of(list(FORMS))]
    Z = form(X)
    before = np.array(X)
    other = draw.attempt(clone(estimator).fit, Z, y)
    plain = clone(estimator).fit(X, y)
    np.testing.assert_array_equal(X, before, "fit changed X")
    same_answers(plain, X, other, Z)


def masked_arrays(draw: Draw) -> None:
    X, y = numbers(draw)
    mask = np.random.default_rng(draw.randrange(2**32)).random(X.shape) < 0.3
    hidden = draw.of(["X", "y", "sample_weight", "costs", "cost_matrix"])
    estimator = an_estimator(draw)
    given: dict[str, Any] = {}
    matrix = costs_for(draw, y.max() + 1)
    if hidden == "X":
        wild = np.where(mask, draw.choice([0.0, -999.0, 1e6]), X)
        model = draw.attempt(clone(estimator).fit, np.ma.masked_array(wild, mask), y)
        missing = np.where(mask, np.nan, X)
        same_answers(clone(estimator).fit(missing, y), missing, model, np.ma.masked_array(wild, mask))
        return
    rows = mask[:, 0] | (np.arange(len(X)) == 3)
    if hidden == "y":
        y = np.ma.masked_array(y, rows)
    elif hidden == "cost_matrix":
        matrix = np.ma.masked_array(matrix, np.arange(matrix.size).reshape(matrix.shape) == 1)
    elif hidden == "costs":
        given = {"costs": np.ma.masked_array(matrix[y], rows[:, np.newaxis] | np.zeros(len(matrix), bool))}
    else:
        given = {"sample_weight": np.ma.masked_array(np.ones(len(X)), rows)}
    draw.attempt(clone(estimator).set_params(cost_matrix=matrix).fit, X, y, **given)
    raise AssertionError(f"the mask of {hidden} is ignored")


def masked_rows_to_predict(draw: Draw) -> None:
    X, y = numbers(draw)
    model = an_estimator(draw).fit(X, y)
    mask = np.random.default_rng(draw.randrange(2**32)).random(X.shape) < 0.3
    masked = np.ma.masked_array(np.where(mask, 1e6, X), mask)
    proba = draw.attempt(model.predict_proba, masked)
    np.testing.assert_allclose(proba, model.predict_proba(np.where(mask, np.nan, X)), rtol=1e-9)


def masked_figures(draw: Draw) -> None:
    """Metrics and prices of features are read by other ways than fit is."""
    truth = np.ma.masked_array([0, 1, 1, 0, 1], [False, draw.random() < 0.5, True, False, False])
    predicted = np.array([0, 1, 0, 1, 1])
    if draw.random() < 0.4:
        given = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])
        draw.attempt(FeatureCosts.per_feature if hasattr(FeatureCosts, "per_feature") else _prices, given)
        raise AssertionError("the mask of prices is ignored")
    metric = draw.of([total_cost, mean_cost, savings])
    draw.attempt(metric, truth, predicted, [[0, 1], [5, 0]])
    raise AssertionError("the mask of y_true is ignored")


def _prices(given: Any) -> Any:
    from stakes.costs import as_feature_costs

    return as_feature_costs(given, ("a", "b", "c"))


def orders_of_categories(draw: Draw) -> None:
    frame, y = mixed(draw)
    estimator = an_estimator(draw).set_params(cost_matrix=CostMatrix(costs_for(draw, 3), LABELS))
    one, other = frame.copy(), frame.copy()
    kind = draw.of(["pandas", "pandas with unused", "Arrow dictionary", "polars Enum"])
    if kind == "polars Enum":
        frames = []
        for reverse in (False, True):
            towns = pl.Enum(sorted(["north", "south", "west"], reverse=reverse))
            frames.append(pl.DataFrame(frame.astype(object).where(frame.notna(), None).to_dict("list")))
            frames[-1] = frames[-1].with_columns(pl.col("town").cast(towns))
        one, other = frames
    else:
        for name, values in (("town", ["north", "south", "west"]), ("colour", ["blue", "red"])):
            unused = ["zero"] if kind == "pandas with unused" else []
            one[name] = pd.Categorical(frame[name], [*values, *unused])
            other[name] = pd.Categorical(frame[name], [*unused, *values[::-1]])
        if kind == "Arrow dictionary":
            one, other = pa.Table.from_pandas(one), pa.Table.from_pandas(other)
    plain = clone(estimator).fit(one, y)
    again = draw.attempt(clone(estimator).fit, other, y)
    same_answers(plain, one, again, other)
    np.testing.assert_array_equal(plain.predict(other), plain.predict(one), "new rows in another order")


def labelled_costs(draw: Draw) -> None:
    """Costs per sample with names of classes are aligned by them; unknown names are an error."""
    X, codes = numbers(draw, 3)
    y = np.array(LABELS)[codes]
    estimator = an_estimator(draw)
    values = costs_for(draw, 3)[codes]
    order = draw.sample(range(3), 3)
    names = [LABELS[k] for k in order]
    fault = draw.of(["none", "none", "unknown", "twice"])
    if fault != "none":
        names[draw.randrange(3)] = "other" if fault == "unknown" else names[0]
    if fault == "twice" and len(set(names)) == 3:
        names[1] = names[0]
    polars = fault != "twice" and draw.random() < 0.3
    make = pl.DataFrame if polars else pd.DataFrame
    costs = make(dict(zip(names, values[:, order].T))) if len(set(names)) == 3 else None
    if costs is None:
        costs = pd.DataFrame(values[:, order], columns=names)
    model = draw.attempt(clone(estimator).fit, X, y, costs=costs)
    assert fault == "none", f"costs of classes {names} are taken"
    same_answers(clone(estimator).fit(X, y, costs=values), X, model, X)


def labelled_matrices(draw: Draw) -> None:
    """A cost matrix in any order of its labels is the same matrix."""
    X, codes = numbers(draw, 3)
    y = np.array(LABELS)[codes]
    estimator = an_estimator(draw)
    values, order = costs_for(draw, 3), draw.sample(range(3), 3)
    names = [LABELS[k] for k in order]
    turned = values[np.ix_(order, order)]
    columns = draw.sample(range(3), 3)
    form = draw.of(["pairs", "matrix", "frame", "frame with other columns", "csv"])
    if form == "pairs":
        pairs = [(i, j) for i in range(3) for j in range(3)]
        given: Any = {(LABELS[i], LABELS[j]): values[i, j] for i, j in draw.sample(pairs, 9)}
    elif form == "matrix":
        given = CostMatrix(turned, names)
    else:
        frame = pd.DataFrame(turned, index=names, columns=names)
        given = frame if form == "frame" else frame.iloc[:, columns]
        if form == "csv":
            given = draw.folder / "costs.csv"
            frame.iloc[:, columns].to_csv(given, index_label="actual")
        else:
            given = CostMatrix.from_frame(given)
    model = draw.attempt(clone(estimator).set_params(cost_matrix=given).fit, X, y)
    same_answers(clone(estimator).set_params(cost_matrix=CostMatrix(values, LABELS)).fit(X, y), X, model, X)


STRANGE_LABELS: dict[str, Any] = {
    "None among text": lambda y: [None if i == 3 else "ab"[v] for i, v in enumerate(y)],
    "None among numbers": lambda y: [None if i == 3 else int(v) for i, v in enumerate(y)],
    "text and numbers": lambda y: [v if i % 2 else str(v) for i, v in enumerate(y.tolist())],
    "bool and text": lambda y: [bool(v) if i % 2 else str(v) for i, v in enumerate(y.tolist())],
    "tuples": lambda y: [(v,) for v in y.tolist()],
    "dicts": lambda y: [{"v": v} for v in y.tolist()],
    "bytes": lambda y: [b"ab"[v : v + 1] for v in y.tolist()],
    "bools": lambda y: y.astype(bool),
    "pandas boolean": lambda y: pd.Series(y.astype(bool), dtype="boolean"),
    "pandas huge": lambda y: pd.Series(y, dtype="Int64") + (2**53 + 1),
    "pandas NA": lambda y: pd.Series(y, dtype="Int64").mask(pd.Series(np.arange(len(y)) == 2)),
    "categories": lambda y: pd.Categorical(np.array(["b", "a"])[y], ["b", "a"]),
    "categories, one missing": lambda y: pd.Categorical(np.array(["b", "a"])[y], ["a"]),
    "huge": lambda y: y + 2**53,
    "uint64": lambda y: y.astype(np.uint64) + np.uint64(2**63),
    "Python integers": lambda y: [int(v) + 2**70 for v in y],
    "negative": lambda y: -1 - y,
    "floats": lambda y: y * 2.0,
    "fractions": lambda y: y + 0.5,
    "nan": lambda y: np.where(np.arange(len(y)) == 1, np.nan, y),
    "inf": lambda y: np.where(y == 1, np.inf, y),
    "empty text": lambda y: np.array(["", " "])[y],
    "NumPy text of other width": lambda y: np.array(["a", "a" * 300])[y],
    "surrogates": lambda y: np.array(["\ud800", "ok"], dtype=object)[y],
    "column": lambda y: y[:, np.newaxis],
    "two columns": lambda y: np.column_stack([y, y]),
    "scalar": lambda y: 1,
    "text": lambda y: "abc",
    "generator": lambda y: (v for v in y),
    "set": lambda y: set(y.tolist()),
    "frame": lambda y: pd.DataFrame({"y": y}),
    "dates": lambda y: y.astype("datetime64[D]"),
    "polars": lambda y: pl.Series(["ab"[v] for v in y]),
    "Arrow": lambda y: pa.array(["ab"[v] for v in y]),
    "short": lambda y: y[:-1],
    "complex": lambda y: y + 0j,
}


def strange_labels(draw: Draw) -> None:
    X, y = numbers(draw, 2)
    form = draw.of(list(STRANGE_LABELS))
    labels = STRANGE_LABELS[form](y)
    model = draw.attempt(an_estimator(draw).fit, X, labels)
    given = set(np.asarray(labels).ravel().tolist()) if form != "generator" else set()
    predicted = model.predict(X).tolist()
    assert set(predicted) <= given, "labels that were not given"
    if not form.startswith("pandas"):  # whose own types become those of NumPy
        assert set(map(type, predicted)) <= set(map(type, given)), "labels of another type"
    check_valid(model, X, len(X))


STRANGE_ROWS: dict[str, Any] = {
    "inf": lambda X: np.where(np.arange(len(X))[:, None] == 1, np.inf, X),
    "all missing": lambda X: np.full_like(X, np.nan),
    "one dimension": lambda X: X[:, 0],
    "three dimensions": lambda X: X[:, :, np.newaxis],
    "no columns": lambda X: X[:, :0],
    "no rows": lambda X: X[:0],
    "None": lambda X: None,
    "text": lambda X: "rows.csv",
    "number": lambda X: 3.0,
    "words": lambda X: np.full(X.shape, "word", dtype=object),
    "number or list": lambda X: [[1.0, [2.0]]] * len(X),
    "ragged": lambda X: [[1.0] * (1 + i % 2) for i in range(len(X))],
    "dicts": lambda X: [{"a": 1.0}] * len(X),
    "dict": lambda X: {"a": X[:, 0], "b": X[:, 1]},
    "bytes": lambda X: np.full(X.shape, b"a"),
    "lazy": lambda X: pl.LazyFrame({f"x{j}": X[:, j] for j in range(X.shape[1])}),
    "series": lambda X: pd.Series(X[:, 0]),
    "names twice": lambda X: pd.DataFrame(X, columns=["a"] * X.shape[1]),
    "names of several types": lambda X: pd.DataFrame(X, columns=[1, "b", None, 2.5][: X.shape[1]]),
    "huge": lambda X: X * 1e308,
    "tiny": lambda X: X * 5e-324,
    "integers of Python": lambda X: np.array([[10**400] * X.shape[1]] * len(X), dtype=object),
    "decimals": lambda X: np.array([[__import__("decimal").Decimal("1.5")] * X.shape[1]] * len(X)),
    "generator": lambda X: (row for row in X),
    "extension": lambda X: pd.DataFrame({"t": pd.to_timedelta(range(len(X)), unit="s")}),
    "lists in a frame": lambda X: pl.DataFrame({"a": [[1]] * len(X), "b": [1.0] * len(X)}),
}


def strange_rows(draw: Draw) -> None:
    X, y = numbers(draw)
    model = an_estimator(draw)
    Z = STRANGE_ROWS[draw.of(list(STRANGE_ROWS))](X)
    if draw.random() < 0.5:
        model = draw.attempt(model.fit, Z, y)
        check_valid(model, Z, len(X))
    else:
        model.fit(X, y)
        labels = draw.attempt(model.predict, Z)
        assert set(labels.tolist()) <= set(y.tolist())


WEIGHTS: dict[str, Any] = {
    "nan": lambda n: np.where(np.arange(n) == 2, np.nan, 1.0),
    "inf": lambda n: np.where(np.arange(n) == 2, np.inf, 1.0),
    "negative": lambda n: np.where(np.arange(n) == 2, -1.0, 1.0),
    "zero": np.zeros,
    "huge": lambda n: np.full(n, 1e308),
    "tiny": lambda n: np.full(n, 5e-324),
    "text": lambda n: np.full(n, "1"),
    "None": lambda n: [None] * n,
    "bools": lambda n: np.arange(n) % 3 > 0,
    "column": lambda n: np.ones((n, 1)),
    "number": lambda n: 2.0,
    "words": lambda n: "balanced",
    "dict": lambda n: {0: 1.0, 1: 2.0},
    "series": lambda n: pd.Series(np.ones(n), index=np.arange(n)[::-1]),
    "complex": lambda n: np.ones(n) + 1j,
    "dates": lambda n: np.arange(n).astype("datetime64[D]"),
    "halves": lambda n: np.full(n, 0.5, dtype=np.float16),
}


def strange_weights(draw: Draw) -> None:
    X, y = numbers(draw)
    form = draw.of(list(WEIGHTS))
    model = draw.attempt(an_estimator(draw).fit, X, y, sample_weight=WEIGHTS[form](len(X)))
    assert form not in ("nan", "inf", "negative", "zero", "dict", "words", "dates"), "taken"
    check_valid(model, X, len(X))


MATRICES: dict[str, Any] = {
    "1e308": lambda C: C * 1e306,
    "1e300": lambda C: C * 1e300,
    "tiny": lambda C: C * 1e-320,
    "zero": lambda C: C * 0,
    "equal": np.ones_like,
    "negative": lambda C: -C,
    "rewards": lambda C: C - np.diag(C.max(axis=1)),
    "transposed": lambda C: C.T,
    "one class free": lambda C: np.where(np.arange(len(C))[:, None] == 0, 0.0, C),
    "integers": lambda C: np.ceil(C).astype(np.int16),
    "Python integers": lambda C: [[int(v) + 10**30 for v in row] for row in C],
    "object": lambda C: C.astype(object),
    "text": lambda C: C.astype(str),
    "bools": lambda C: C > 0,
    "complex": lambda C: C + 1j,
    "nan": lambda C: np.where(C.max() == C, np.nan, C),
    "None": lambda C: [[None] * len(C)] * len(C),
    "flat": lambda C: C.ravel(),
    "cube": lambda C: C[np.newaxis],
    "nested dict": lambda C: {i: dict(enumerate(row)) for i, row in enumerate(C)},
    "string": lambda C: "balanced",
    "bytes": lambda C: b"costs.csv",
    "function": lambda C: len,
    "frame": pd.DataFrame,
    "set": lambda C: {1, 2},
}


def strange_matrices(draw: Draw) -> None:
    X, y = numbers(draw)
    matrix = MATRICES[draw.of(list(MATRICES))](costs_for(draw, y.max() + 1))
    model = draw.attempt(an_estimator(draw).set_params(cost_matrix=matrix).fit, X, y)
    check_valid(model, X, len(X))


def units_of_costs(draw: Draw) -> None:
    """Cents or euros: a power of two is exact, so that not even rounding differs."""
    X, y = numbers(draw)
    estimator = an_estimator(draw, but=("GDTClassifier",))  # its alpha has the unit of costs
    costs, unit = costs_for(draw, y.max() + 1), draw.of([2.0**-20, 0.25, 8.0, 2.0**20])
    if type(estimator).__name__ == "CostBoosting" and "unit" in (type(estimator).__doc__ or ""):
        raise Refused("CostBoosting depends on the unit of costs, as its page says")
    if draw.random() < 0.3:
        one, other = (clone(estimator).fit(X, y, costs=costs[y] * u) for u in (1.0, unit))
    else:
        one, other = (clone(estimator).set_params(cost_matrix=costs * u).fit(X, y) for u in (1.0, unit))
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    np.testing.assert_allclose(one.expected_cost(X) * unit, other.expected_cost(X), rtol=1e-9, atol=1e-12)


def huge_integers(draw: Draw) -> None:
    """Whole numbers beyond 2^53 are told apart, or refused, or a warning says that they are not."""
    n = draw.randrange(30, 50)
    base, form = (
        draw.of([2**53, 2**60, 2**63 - 200]),
        draw.of(["int64", "object", "pandas", "polars", "Arrow"]),
    )
    values = [base + i for i in range(n)]
    y = np.arange(n) % 2
    X = {
        "int64": lambda: np.array(values)[:, np.newaxis],
        "object": lambda: np.array(values, dtype=object)[:, np.newaxis],
        "pandas": lambda: pd.DataFrame({"id": values}),
        "polars": lambda: pl.DataFrame({"id": values}),
        "Arrow": lambda: pa.table({"id": values}),
    }[form]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        draw.attempt(an_estimator(draw).fit, X, y)
    said = [str(warning.message) for warning in caught]
    assert any("2**53" in text or "2^53" in text or "exact" in text for text in said), (
        "rounded without a word"
    )


def rows_alone_and_together(draw: Draw) -> None:
    """A row is answered alone as among others, in any order, and columns in another order are refused."""
    frame, _ = fitted_on()
    model = fitted(draw.of(["C45Classifier", "GDTClassifier", "RuleClassifier", "Guard", "GBSE", "MetaCost"]))
    rows = [draw.randrange(len(frame)) for _ in range(draw.randrange(1, 20))]
    taken = frame.iloc[rows]
    before = taken.copy()
    proba = model.predict_proba(frame)
    np.testing.assert_allclose(model.predict_proba(taken), proba[rows], rtol=1e-12)
    np.testing.assert_array_equal(model.predict(taken.iloc[:1]), model.predict(frame)[rows[:1]])
    pd.testing.assert_frame_equal(taken, before)
    order = draw.sample(range(3), 3)
    if order != [0, 1, 2]:
        answer = draw.attempt(model.predict, taken.iloc[:, order])
        np.testing.assert_array_equal(answer, model.predict(taken), "columns by position")


def prices_of_abstaining(draw: Draw) -> None:
    frame, _ = fitted_on()
    model = fitted(
        draw.of(["C45Classifier", "majority", "GDTClassifier", "MinExpectedCost", "GBSE", "MetaCost"])
    )
    price = draw.of(
        [0.0, 0.3, np.float32(0.5), 1e308, np.inf, -1.0, np.nan, "0.3", None, [0.2], True, 1 + 2j]
    )
    if draw.random() < 0.3:
        price = draw.choice(
            [np.full(len(frame), 0.4), np.ma.masked_array(np.full(len(frame), 0.4), mask=True)]
        )
    decision = draw.attempt(model.decide, frame, price)
    assert not np.ma.isMaskedArray(price), "the mask of abstain_cost is ignored"
    least = model.expected_cost(frame).min(axis=1)
    wanted = np.zeros(len(frame), bool) if price is None else least > np.asarray(price, float) * (1 + 1e-9)
    np.testing.assert_array_equal(decision.undecided, wanted)


ATTACKS = [
    other_forms_of_numbers,
    masked_arrays,
    orders_of_categories,
    labelled_costs,
    labelled_matrices,
    strange_labels,
    strange_rows,
    strange_weights,
    strange_matrices,
    units_of_costs,
    huge_integers,
    rows_alone_and_together,
    prices_of_abstaining,
    masked_rows_to_predict,
    strange_labels,
    other_forms_of_numbers,
    masked_figures,
    strange_matrices,
]
