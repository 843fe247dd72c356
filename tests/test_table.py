"""Tables from arrays and frames, encoded by value, against the obvious way to do it."""

import datetime
import decimal
import json
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from stakes._text.words import some
from stakes.table import Column, Schema, Table, read_table

VALUES = st.one_of(st.none(), st.sampled_from(["a", "b", "ü", "", "a b"]))
NUMBERS = st.one_of(
    st.none(), st.floats(allow_nan=False, allow_infinity=False), st.integers(-5, 5).map(float)
)
ROWS = st.lists(st.tuples(NUMBERS, VALUES, st.one_of(st.none(), st.booleans())), min_size=1, max_size=12)
NAMES = ["n", "s", "b"]


def decoded(table):
    """Rows of Python values, None for missing."""
    columns = []
    for column, values in zip(table.schema.columns, table.columns):
        if column.is_nominal:
            assert values.dtype == np.int32
            columns.append([None if code < 0 else column.categories[code] for code in values.tolist()])
        else:
            assert values.dtype == np.float64
            columns.append([None if math.isnan(v) else v for v in values.tolist()])
    return list(zip(*columns))


def frames(rows):
    """The same rows in every library, with the dtypes that mean them."""
    n, s, b = (list(column) for column in zip(*rows))
    data = {"n": n, "s": s, "b": b}
    nan = [math.nan if v is None else v for v in n]
    text = pd.array(s, dtype="string")
    yield (
        "pandas object",
        pd.DataFrame({"n": nan, "s": pd.Series(s, dtype=object), "b": pd.Series(b, dtype=object)}),
    )
    yield (
        "pandas category",
        pd.DataFrame({"n": nan, "s": pd.Categorical(s), "b": pd.Categorical(pd.Series(b, dtype=object))}),
    )
    yield (
        "pandas nullable",
        pd.DataFrame({"n": pd.array(n, dtype="Float64"), "s": text, "b": pd.array(b, dtype="boolean")}),
    )
    schema = {"n": pl.Float64, "s": pl.String, "b": pl.Boolean}
    yield "polars", pl.DataFrame(data, schema=schema)
    yield "polars categorical", pl.DataFrame(data, schema=schema | {"s": pl.Categorical})
    arrow = pa.table(
        {"n": pa.array(n, pa.float64()), "s": pa.array(s, pa.string()), "b": pa.array(b, pa.bool_())}
    )
    yield "arrow", arrow
    yield "arrow dictionary", arrow.set_column(1, "s", arrow["s"].dictionary_encode())
    yield "arrow chunks", pa.concat_tables([arrow.slice(0, 1), arrow.slice(1)])
    yield "objects", np.array(rows, dtype=object).reshape(len(rows), 3)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS)
def test_every_library_gives_the_same_values(rows):
    schema = Schema(
        [
            Column("n"),
            Column("s", "nominal", ("a b", "b", "", "ü", "a")),
            Column("b", "nominal", (True, False)),
        ]
    )
    for name, frame in frames(rows):
        own = Table.from_data(frame)
        if any(row[1] is not None for row in rows) and any(row[2] is not None for row in rows):
            assert decoded(own) == rows, name
            assert decoded(own.schema.encode(frame, unseen="error")) == rows, name
        assert decoded(schema.encode(frame, unseen="error")) == rows, name


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, known=st.lists(st.sampled_from(["a", "b", "ü", ""]), unique=True, min_size=1))
def test_unseen_values_are_missing_or_an_error(rows, known):
    schema = Schema([Column("n"), Column("s", "nominal", tuple(known)), Column("b", "nominal", (True,))])
    expected = [(n, s if s in known else None, b or None) for n, s, b in rows]
    strange = any(s not in (*known, None) for _, s, _ in rows) or any(b is False for _, _, b in rows)
    for name, frame in frames(rows):
        assert decoded(schema.encode(frame)) == expected, name
        if strange:
            with pytest.raises(ValueError, match=r"column '[sb]', row \d+: value .* is not one of"):
                schema.encode(frame, unseen="error")


def test_float64_columns_are_views():
    X = np.arange(12.0).reshape(4, 3)
    table = Table.from_data(X)
    assert all(np.shares_memory(values, X) for values in table.columns)
    assert all(np.shares_memory(values, X) for values in table.schema.encode(X).columns)
    assert table.schema.names == ("x0", "x1", "x2")


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, np.int8, bool, np.float16])
def test_numeric_arrays_become_float64(dtype):
    X = np.array([[0, 1], [1, 1]]).astype(dtype)
    table = Table.from_data(X)
    assert [values.tolist() for values in table.columns] == [[0, 1], [1, 1]]
    assert all(column.kind == "numeric" for column in table.schema.columns)


def test_lists_and_text_arrays():
    assert decoded(Table.from_data([[1, "a"], [2.5, None]])) == [(1, "a"), (2.5, None)]
    assert decoded(Table.from_data(np.array([["a", "b"], ["c", "b"]]))) == [("a", "b"), ("c", "b")]
    assert decoded(Table.from_data(np.array([[b"a"], [b"c"]]))) == [("a",), ("c",)]
    assert decoded(Table.from_data([[decimal.Decimal("1.5")], [None]])) == [(1.5,), (None,)]


def test_kinds_of_pandas_columns():
    frame = pd.DataFrame(
        {
            "int": pd.array([1, None], dtype="Int64"),
            "arrow_text": pd.array(["u", None], dtype=pd.ArrowDtype(pa.string())),
            "arrow_int": pd.array([1, None], dtype=pd.ArrowDtype(pa.int32())),
            "arrow_decimal": pd.array(
                [decimal.Decimal("2.5"), None], dtype=pd.ArrowDtype(pa.decimal128(5, 2))
            ),
            "bool": [True, False],
            "interval": pd.cut([1, 5], [0, 3, 6]),
            "numbers": pd.Categorical([3.0, None], categories=[7.0, 3.0]),
            "nothing": pd.Series([None, None], dtype=object),
        }
    )
    table = Table.from_data(frame)
    kinds = {column.name: column.kind for column in table.schema.columns}
    assert [name for name, kind in kinds.items() if kind == "nominal"] == [
        "arrow_text",
        "bool",
        "interval",
        "numbers",
    ]
    assert decoded(table)[0] == (1, "u", 1, 2.5, True, "(0, 3]", 3, None)
    assert table.schema.columns[6].categories == (7, 3)
    assert decoded(table.schema.encode(frame, unseen="error")) == decoded(table)


def test_declared_order_is_kept_and_matched_by_value():
    first = pd.DataFrame({"c": pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"])})
    other = pd.DataFrame({"c": pd.Categorical(["lo", "hi", "new"], categories=["new", "hi", "lo"])})
    schema = Table.from_data(first).schema
    assert schema.columns[0].categories == ("lo", "mid", "hi")
    assert schema.encode(other).columns[0].tolist() == [0, 2, -1]
    enum = pl.DataFrame({"c": ["hi", "lo"]}, schema={"c": pl.Enum(["lo", "mid", "hi"])})
    assert Table.from_data(enum).schema.columns[0].categories == ("lo", "mid", "hi")


@pytest.mark.parametrize("big", [pl.DataFrame, pd.DataFrame, pa.table])
def test_long_text_columns(big):
    words = [None if i % 11 == 0 else f"w{i % 7}" for i in range(30_000)]
    assert [row[0] for row in decoded(Table.from_data(big({"c": words})))] == words


@pytest.mark.parametrize(
    "chosen", [[1], ["x1"], [False, True], np.array([1]), np.array([False, True]), ("x1",)]
)
def test_categorical_features(chosen):
    table = Table.from_data(np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 0.5]]), categorical_features=chosen)
    assert [column.kind for column in table.schema.columns] == ["numeric", "nominal"]
    assert table.schema.columns[1].categories == (0.5, 2)
    assert table.columns[1].tolist() == [1, -1, 0]
    assert table.schema.encode([[1, 2], [1, 9]]).columns[1].tolist() == [1, -1]


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, data=st.data())
def test_take_is_indexing(rows, data):
    table = Table.from_data(np.array(rows, dtype=object).reshape(len(rows), 3))
    table = table.with_target(np.arange(len(rows)), [f"c{i}" for i in range(len(rows))], np.ones(len(rows)))
    index = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8))
    part = table.take(index)
    assert decoded(part) == [decoded(table)[i] for i in index]
    assert part.y.tolist() == index
    assert part.labels().tolist() == [f"c{i}" for i in index]
    assert part.n_samples == len(part) == len(index)
    mask = np.isin(np.arange(len(rows)), index)
    assert table.take(mask).y.tolist() == sorted(set(index))
    assert table.take(slice(1, None)).n_samples == len(rows) - 1


@settings(max_examples=60, deadline=None)
@given(rows=ROWS)
def test_frame_and_dict_and_pickle_round_trips(rows):
    table = Table.from_data(np.array(rows, dtype=object).reshape(len(rows), 3))
    schema = Schema.from_dict(json.loads(json.dumps(table.schema.to_dict())))
    assert schema == table.schema
    assert hash(schema) == hash(table.schema)
    for again in (schema.encode(table.to_frame(), unseen="error"), pickle.loads(pickle.dumps(table))):
        assert decoded(again) == decoded(table)
        assert again.schema == table.schema


def test_missing_class_is_none():
    table = Table(Schema([Column("a")]), [[1.0, 2.0]], y=[-1, 0], classes=["p"])
    assert table.labels().tolist() == [None, "p"]
    assert "2 rows, 1 numeric, 0 nominal, 1 classes" in repr(table)


def test_infinity_is_left_to_a_caller_that_looks_itself():
    X = np.array([[np.inf, 1.0]])
    assert Table.from_data(X, check_finite=False).columns[0][0] == np.inf
    assert Schema([Column("a"), Column("b")]).encode(X, check_finite=False).columns[0][0] == np.inf


def test_large_finite_values_are_no_infinity():
    assert Table.from_data(np.full((3, 1), 1.7e308)).n_samples == 3
    assert Table.from_data(np.array([[np.nan], [1.0]])).n_samples == 2


AB = Schema([Column("a"), Column("b", "nominal", ("p", "q"))])
A = Schema([Column("a")])
DAY = datetime.datetime(2020, 1, 1)

BAD_DATA = [
    (np.arange(3.0), ValueError, "Reshape your data"),
    (np.float64(3), ValueError, "Reshape your data"),
    (3, ValueError, "Reshape your data"),
    ("text", ValueError, "Reshape your data"),
    (None, ValueError, "Reshape your data"),
    (pd.Series([1.0]), ValueError, "Reshape your data"),
    (pl.DataFrame({"a": [1]}).lazy(), ValueError, "collect a lazy one"),
    (np.zeros((2, 2, 2)), ValueError, "Found array with dim 3"),
    (np.zeros((0, 2)), ValueError, r"0 sample\(s\) \(shape=\(0, 2\)\) while a minimum of 1 is required"),
    (np.zeros((2, 0)), ValueError, r"0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1 is required"),
    (pd.DataFrame({"a": []}), ValueError, r"0 sample\(s\)"),
    (pd.DataFrame(index=[0, 1]), ValueError, r"0 feature\(s\)"),
    (pl.DataFrame({"a": []}), ValueError, r"0 sample\(s\)"),
    (np.array([[1j]]), ValueError, "Complex data not supported"),
    (np.array([[1j]], dtype=object), ValueError, "Complex data not supported"),
    (pd.DataFrame({"a": [1j]}), ValueError, "Complex data not supported.*'a'"),
    (sparse.csr_matrix((20_000, 50_000)), TypeError, r"of shape 20000 x 50000.* takes 8 GB of memory"),
    (sparse.coo_array(np.eye(2)), TypeError, "[Ss]parse"),
    (pd.DataFrame({"a": pd.arrays.SparseArray([0, 1])}), TypeError, "'a' has dtype Sparse"),
    (np.array([[np.inf, 1]]), ValueError, "infinity.*'x0', row 0"),
    (np.array([[1, 2], [1, -np.inf]]), ValueError, "infinity.*'x1', row 1"),
    (np.array([[np.nan], [np.inf]]), ValueError, "infinity.*'x0', row 1"),
    (np.array([[np.inf], [-np.inf]]), ValueError, "infinity.*'x0', row 0"),
    (np.array([["a", np.inf]], dtype=object), ValueError, "infinity.*'x1', row 0"),
    (np.array([[1], [10**400]], dtype=object), ValueError, "infinity.*'x0', row 1"),
    (pd.DataFrame({"u": [1, np.inf]}), ValueError, "infinity.*'u', row 1"),
    (pl.DataFrame({"u": [1.0, np.inf]}), ValueError, "infinity.*'u', row 1"),
    (pd.DataFrame({"d": [DAY - DAY]}), TypeError, "'d' has dtype timedelta.*Hint"),
    (pd.DataFrame({"d": pd.period_range("2020", periods=1)}), TypeError, "'d'.*Hint"),
    (pl.DataFrame({"d": [[1, 2]]}), TypeError, "'d' has dtype List"),
    (np.array([["2020-01-01"]], dtype="M8[D]"), TypeError, "columns of times belong into a data frame"),
    (pl.DataFrame({"d": [DAY.time()]}), TypeError, "'d' has dtype Time.*turn it into a number first"),
    (np.array([[DAY.time()]], dtype=object), TypeError, "'x0', row 0.*got time.*turn it into a number"),
    (np.array([[DAY], ["x"]], dtype=object), TypeError, "'x0', row 0.*got datetime"),
    (np.array([[{"a": 1}]], dtype=object), TypeError, "argument must be a string or a number, got dict"),
    (np.zeros((2, 2), dtype=[("a", float)]), TypeError, "dtype"),
    ([[1, 2], [3]], ValueError, "rows of equal length"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "'a' occurs more than once"),
    (pd.DataFrame([[1, 2]], columns=[1, "1"]), ValueError, "'1' occurs more than once"),
]


@pytest.mark.parametrize(("data", "error", "sentence"), BAD_DATA, ids=range(len(BAD_DATA)))
def test_bad_data(data, error, sentence):
    with pytest.raises(error, match=f"(?s){sentence}"):
        Table.from_data(data)
    shape = getattr(data, "shape", ())
    if len(shape) == 2 and shape[1] and "more than once" not in sentence:
        names = [str(name) for name in getattr(data, "columns", [f"x{j}" for j in range(shape[1])])]
        if isinstance(data, pa.Table):
            names = data.column_names
        with pytest.raises(error):
            Schema([Column(name) for name in names]).encode(data)


BAD_CALLS = [
    (lambda: A.encode([[1, 2]]), "X has 2 features, but this schema is expecting 1 features as input"),
    (lambda: A.encode([[1, 2]], owner="C45Classifier"), "but C45Classifier is expecting 1 features as input"),
    (lambda: A.encode([["u"]]), "column 'a', row 0: could not convert 'u' to a number"),
    (lambda: A.encode([[1], ["u"]]), "column 'a', row 1: could not convert 'u' to a number"),
    (lambda: A.encode(pd.DataFrame({"a": ["u"]})), "column 'a', row 0: could not convert 'u' to a number"),
    (lambda: A.encode(pd.DataFrame({"a": pd.Categorical(["u"])})), "could not convert 'u' to a number"),
    (
        lambda: A.encode(pl.DataFrame({"a": [None, "u"]})),
        "column 'a', row 1: could not convert 'u' to a number",
    ),
    (lambda: A.encode(pa.table({"a": ["u"]})), "could not convert 'u' to a number"),
    (
        lambda: AB.encode(np.array([[1.0, 2.0]])),
        "column 'b' is nominal with values 'p', 'q', but numbers came, such as 2",
    ),
    (lambda: AB.encode(pd.DataFrame({"a": [1], "b": [2]})), "column 'b' is nominal.*order of the columns"),
    (
        lambda: AB.encode([[1, "r"]], unseen="error"),
        "column 'b', row 0: value 'r' is not one of the categories",
    ),
    (lambda: AB.encode([[1, "p"]], unseen="ignore"), "unseen must be 'missing' or 'error', got 'ignore'"),
    (
        lambda: Table.from_data([[1]], ["b"]),
        "categorical_features names 'b', .*; the columns are 'x0'",
    ),
    (lambda: Table.from_data([[1]], [1]), "categorical_features has index 1, but X has 1 features"),
    (lambda: Table.from_data([[1]], [-1]), "categorical_features has index -1"),
    (lambda: Table.from_data([[1]], [True, False]), "mask of 2 entries, but X has 1 features"),
    (lambda: Table.from_data([[1]], "x0"), "must be a list of names or indices"),
    (lambda: Table.from_data([[1]], [0.5]), "must hold names or indices"),
    (lambda: Column(1), "name of a column must be a string"),
    (lambda: Column("a", "text"), "must be 'numeric' or 'nominal', got 'text'"),
    (lambda: Column("a", "numeric", ("u",)), "must be empty"),
    (lambda: Column("a", "nominal", ("u", "u")), "must differ"),
    (lambda: Column("a", "nominal", (1, True)), "must differ"),
    (lambda: Column("a", "nominal", (None,)), "must be strings, numbers or booleans"),
    (lambda: Column("a", "nominal", (math.nan,)), "must be strings, numbers or booleans"),
    (lambda: Schema(["a"]), "must be Column objects"),
    (lambda: Schema([Column("a"), Column("a")]), "'a' occurs twice"),
    (lambda: Schema.from_dict([]), "must be a mapping"),
    (lambda: Schema.from_dict({}), "must be a mapping with a list 'columns'"),
    (lambda: Schema.from_dict({"columns": [1]}), "entry 0 .* needs 'name' and 'kind'"),
    (lambda: Schema.from_dict({"columns": [{"name": "a"}]}), "entry 0 .* needs 'name' and 'kind'"),
    (
        lambda: Schema.from_dict({"columns": [{"name": 3, "kind": "numeric"}]}),
        "name of a column must be a string",
    ),
    (lambda: Schema.from_dict({"columns": [{"name": "a", "kind": []}]}), "must be 'numeric' or 'nominal'"),
    (
        lambda: Schema.from_dict({"columns": [{"name": "a", "kind": "nominal", "categories": "uv"}]}),
        "must be a list",
    ),
    (
        lambda: Schema.from_dict({"columns": [{"name": "a", "kind": "nominal", "categories": [[1]]}]}),
        "must be strings",
    ),
    (lambda: Table(AB, [[1.0]]), "columns must be 2 arrays"),
    (lambda: Table("schema", []), "schema must be a Schema"),
    (lambda: Table(AB, [[1.0], [0, 1]]), "column 'b' has 2 rows, but others have 1"),
    (lambda: Table(AB, [[1.0], [2]]), "column 'b' must have codes between -1 .* and 1, got 2"),
    (lambda: Table(AB, [[1.0], [-2]]), "column 'b' must have codes between -1"),
    (lambda: Table(AB, [[1.0, 2.0], [-2, 0]]), "column 'b' must have codes between -1 .* got -2 to 0"),
    (lambda: Table(AB, [[1.0], [0.5]]), "column 'b' is nominal, but its codes have dtype float64"),
    (lambda: Table(AB, [["u"], [0]]), "column 'a' is numeric, but its array has dtype"),
    (lambda: Table(A, [[[1.0]]]), "must be a 1-D array"),
    (lambda: Table(A, [[math.inf]]), "contains infinity"),
    (lambda: Table(A, [[1.0]], y=[1], classes=["u"]), "y must have codes between -1 .* and 0, got 1"),
    (lambda: Table(A, [[1.0]], y=[0, 0]), "y must be 1 integer codes"),
    (lambda: Table(A, [[1.0]], y=[0.5]), "y must be 1 integer codes"),
    (lambda: Table(A, [[1.0]], weights=[-1]), "weights must be finite and not negative"),
    (lambda: Table(A, [[1.0]], weights=[math.nan]), "weights must be finite"),
    (lambda: Table(A, [[1.0]], weights=[1, 2]), "weights must be 1 numbers"),
    (lambda: Table(Schema([]), []), "columns must not be empty"),
    (lambda: Table(A, [[1.0]]).take([1]), "rows must be between 0 and 0"),
    (lambda: Table(A, [[1.0]]).take([True, False]), "rows must be between"),
    (lambda: Table(A, [[1.0]]).take([0.5]), "rows must be a 1-D array"),
    (lambda: Table(A, [[1.0]]).take([[0]]), "rows must be a 1-D array"),
    (lambda: Table(A, [[1.0]]).labels(), "has no classes"),
]


@pytest.mark.parametrize(("call", "sentence"), BAD_CALLS, ids=range(len(BAD_CALLS)))
def test_bad_calls(call, sentence):
    with pytest.raises((ValueError, TypeError), match=f"(?s){sentence}"):
        call()


def test_columns_keep_their_categories_as_a_tuple():
    column = Column("k", "nominal", ["a", "b"])
    assert column.categories == ("a", "b") and hash(column) == hash(Column("k", "nominal", ("a", "b")))
    assert Column("n") == Column("n", "numeric", ())


def test_messages_list_eight_values():
    eight = [f"c{j}" for j in range(8)]
    assert some(eight) == ", ".join(map(repr, eight))
    assert some([*eight, "c8"]) == ", ".join(map(repr, eight)) + " and 1 more"
    assert some(iter("abc"), 2) == "'a', 'b' and 1 more"


def test_infinity_among_other_values_is_found():
    with pytest.raises(ValueError, match=r"^column 'n' contains infinity\."):
        Table(Schema((Column("n"),)), [[1.0, np.inf, np.nan]])
    with pytest.raises(ValueError, match=r"column 'x1', row 2\. Missing values"):
        Table.from_data(np.array([[1.0, 2.0], [np.nan, 3.0], [4.0, -np.inf]]))
    large = np.array([[1e308, 1.0], [1e308, 2.0]])  # only their sum is infinite
    assert Table.from_data(large).columns[0].tolist() == [1e308, 1e308]
    unchecked = Table.from_data(np.array([[np.inf]]), check_finite=False)
    assert np.isinf(unchecked.columns[0][0])


def test_numbers_are_taken_for_categories_unless_all_of_these_are_text():
    mixed = Schema((Column("k", "nominal", ("a", 3)),))
    assert mixed.encode(np.array([[3.0], [4.0]])).columns[0].tolist() == [1, -1]
    text = Schema((Column("k", "nominal", ("a", "b")),))
    assert text.encode(np.array([[np.nan]])).columns[0].tolist() == [-1]
    with pytest.raises(ValueError, match=r"values 'a', 'b', but numbers came, such as 7\.0 in row 1\."):
        text.encode(np.array([[np.nan], [7.0]]))


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint16", "Int64", "Float32"])
def test_numbers_of_frames_become_float64(dtype):
    table = Table.from_data(pd.DataFrame({"n": pd.Series([1, 2], dtype=dtype), "k": ["u", "v"]}))
    assert table.columns[0].dtype == np.float64 and table.columns[0].tolist() == [1.0, 2.0]


def test_numbers_among_objects():
    values = np.array([[1, "a"], [None, "b"], [decimal.Decimal("2.5"), "a"]], dtype=object)
    table = Table.from_data(values)
    np.testing.assert_array_equal(table.columns[0], [1.0, np.nan, 2.5])
    with pytest.raises(ValueError, match="column 'x0', row 1"):
        Table.from_data(np.array([[1, "a"], [10**400, "b"]], dtype=object))
    schema = Schema((Column("x0"), Column("x1")))
    flags = np.array([[True, 1], [False, 2]], dtype=object)
    assert schema.encode(flags).columns[0].tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match=r"column 'x1', row 1: could not convert 'u' to a number"):
        schema.encode(np.array([[1, 2], [3, "u"]], dtype=object))


# ---- whole numbers beyond those that floats have -----------------------------------------------------------

BEYOND = [[2**53 + 1, 1], [2**53 + 3, 2]]


@pytest.mark.parametrize(
    "data",
    [
        BEYOND,
        np.array(BEYOND),
        np.array(BEYOND, dtype=np.uint64),
        np.array(BEYOND, dtype=object),
        pd.DataFrame(BEYOND, columns=["x0", "x1"]),
        pd.DataFrame(BEYOND, columns=["x0", "x1"], dtype="Int64"),
        pl.DataFrame(BEYOND, schema=["x0", "x1"], orient="row"),
        pa.table({"x0": [2**53 + 1, None], "x1": [1, 2]}),
    ],
    ids=lambda data: type(data).__module__.partition(".")[0],
)
def test_rounded_whole_numbers_are_said(data):
    with pytest.warns(UserWarning, match=r"column 'x0' holds whole numbers beyond 2\*\*53") as caught:
        Table.from_data(data)
    assert len(caught) == 1


def test_whole_numbers_that_stay_are_not_warned_of():
    Table.from_data(np.array([[2**53, 2**60]]))
    Table.from_data([[2**53, 2**60, None]])
    Table.from_data(np.array([[2.0**53 + 2.0, 1e300]]))


def test_large_categories_are_not_rounded():
    for data in (np.array(BEYOND), pd.DataFrame(BEYOND), np.array(BEYOND, dtype=object)):
        table = Table.from_data(data, categorical_features=[0])
        assert table.schema.columns[0].categories == (2**53 + 1, 2**53 + 3)
        assert table.schema.encode(data, unseen="error").columns[0].tolist() == [0, 1]


def test_rounded_whole_numbers_of_a_file_are_said(tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("id,amount,class\n9007199254740993,12,a\n9007199254740995,1.5,b\n")
    with pytest.warns(UserWarning, match="column 'id' holds whole numbers beyond") as caught:
        read_table(path)
    assert len(caught) == 1
