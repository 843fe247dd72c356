"""Whatever the core is given, it answers or raises an exception with a sentence; it never crashes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.damage import FIELDS, encoded, route
from oracles.random_trees import random_fitted, random_rows
from stakes import C45Classifier, _core


def small_table(n_rows=12):
    numbers = np.arange(float(n_rows))
    codes = (np.arange(n_rows) % 3).astype(np.int32)
    return _core.Table([numbers, codes], [-1, 3])


def small_classes(n_rows=12):
    return (np.arange(n_rows) >= n_rows // 2).astype(np.int32)


def grow(table=None, classes=None, n_classes=2, weights=None, **changes):
    table = small_table() if table is None else table
    classes = small_classes() if classes is None else classes
    return _core.grow_tree(table, classes, n_classes, weights, _core.GrowOptions(**changes))


# ---- tables ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "columns, n_values, words",
    [
        ([], [], "at least one column"),
        ([np.zeros(3)], [-1, -1], "one n_values per column"),
        ([np.zeros(3), np.zeros(4)], [-1, -1], "differ in length"),
        ([np.zeros((3, 1))], [-1], "1-D array"),
        ([np.zeros(3, dtype=np.float32)], [-1], "float64"),
        ([np.zeros(3, dtype=np.int64)], [-1], "float64"),
        ([np.zeros(3, dtype=">f8")], [-1], "float64"),
        ([np.zeros(3, dtype=np.int64)], [2], "int32"),
        ([np.zeros(3)], [2], "int32"),
        ([[0.0, 1.0]], [-1], "1-D array"),
        ([None], [-1], "1-D array"),
        (["text"], [3], "int32"),
    ],
)
def test_bad_columns(columns, n_values, words):
    with pytest.raises(ValueError, match=words):
        _core.Table(columns, n_values)


def test_columns_are_borrowed_not_converted():
    """A converted copy would be freed before it is read."""
    with pytest.raises(ValueError, match="float64"):
        _core.Table([np.arange(100_000, dtype=np.float32)], [-1])


def test_columns_of_a_record_array():
    records = np.zeros(12, dtype=[("a", "i1"), ("x", "f8")])
    records["x"] = np.arange(12.0)
    try:
        table = _core.Table([records["x"]], [-1])
    except ValueError:
        return  # a stride that is no multiple of the item size is refused
    assert grow(table).arrays()[1][0] == 5.0


def test_strides_of_all_kinds():
    wide = np.arange(48.0).reshape(12, 4)
    expected = grow(_core.Table([np.arange(12.0)], [-1])).arrays()[4]
    for column in (wide[:, 1], wide[::-1, 2][::-1], np.repeat(np.arange(12.0), 3)[::3], -wide[::-1, 0][::-1]):
        assert np.array_equal(grow(_core.Table([column], [-1])).arrays()[4], expected)
    backwards = grow(_core.Table([np.arange(12.0)[::-1]], [-1])).arrays()
    assert backwards[1][0] == 5.0


# ---- training data -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"classes": np.full(12, 2, dtype=np.int32)}, "class codes"),
        ({"classes": np.full(12, -1, dtype=np.int32)}, "class codes"),
        ({"classes": np.zeros(11, dtype=np.int32)}, "one class per row"),
        ({"n_classes": 0}, "n_classes"),
        ({"n_classes": -5}, "n_classes"),
        ({"n_classes": 10**6}, "n_classes"),
        ({"weights": np.zeros(12)}, "positive weight"),
        ({"weights": np.full(12, np.nan)}, "finite"),
        ({"weights": np.full(12, np.inf)}, "finite"),
        ({"weights": np.full(12, -1.0)}, "not negative"),
        ({"weights": np.full(12, 1e308)}, "at most 1e100"),
        ({"weights": np.ones(3)}, "one weight per row"),
        ({"criterion": "luck"}, "criterion"),
        ({"dialect": "c5"}, "dialect"),
        ({"max_bins": 1}, "max_bins"),
        ({"max_bins": 256}, "max_bins"),
        ({"max_bins": -1}, "max_bins"),
        ({"min_samples_leaf": 0.0}, "min_samples_leaf"),
        ({"min_samples_leaf": float("nan")}, "min_samples_leaf"),
    ],
)
def test_bad_training_data(changes, words):
    with pytest.raises(ValueError, match=words):
        grow(**changes)


def test_an_empty_table():
    with pytest.raises(ValueError, match="positive weight"):
        grow(_core.Table([np.empty(0)], [-1]), np.empty(0, dtype=np.int32))


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("max_bins", [0, 16])
def test_infinite_values_in_growing(value, max_bins):
    numbers = np.arange(12.0)
    numbers[3] = value
    with pytest.raises(ValueError, match="infinity"):
        grow(_core.Table([numbers], [-1]), max_bins=max_bins)


def test_more_categories_than_there_is_room_for():
    table = _core.Table([np.zeros(12, dtype=np.int32)], [70_000])
    with pytest.raises(ValueError, match="at most 65534 values"):
        grow(table)


def test_codes_out_of_range_are_missing():
    codes = np.array([0, 1, 2**31 - 1, -(2**31), 3, -1] * 2, dtype=np.int32)
    tree = grow(
        _core.Table([codes], [3]), np.array([0, 1, 0, 1, 0, 1] * 2, dtype=np.int32), min_samples_leaf=1.0
    )
    assert tree.arrays()[6][:2].tolist() == [6.0, 6.0]


def test_as_many_classes_as_there_may_be():
    classes = np.arange(12, dtype=np.int32) + 65_000
    tree = grow(classes=classes, n_classes=65_535, min_samples_leaf=1.0)
    assert tree.arrays()[6].reshape(-1, 65_535)[0].sum() == 12


def test_other_tables_are_refused_in_pruning():
    """Pruning reads columns by the numbers in the tree: another table could lead it out of bounds."""
    tree, classes = grow(min_samples_leaf=1.0), small_classes()
    others = [
        _core.Table([np.zeros(12)], [-1]),
        _core.Table([np.arange(12.0), np.zeros(12, dtype=np.int32)], [-1, 9]),
        _core.Table([np.zeros(12, dtype=np.int32), np.zeros(12)], [3, -1]),
    ]
    for other in others:
        with pytest.raises(ValueError, match="grown on"):
            tree.recount(other, classes, None)
        with pytest.raises(ValueError, match="grown on"):
            tree.prune_by_errors(other, classes, None, "c45", 0.25, 0.69, True)
    with pytest.raises(ValueError, match=r"\(k, k\)"):
        tree.prune_by_cost(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="one weight per row"):
        tree.recount(small_table(), classes, np.ones(2))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("dialect", ["c45", "j48"])
def test_the_middle_of_huge_values(sign, first, dialect):
    """Their sum overflows; the threshold used to be read from beyond the column."""
    values = np.sort(sign * np.array([1.5e308, 1.6e308, 1.7e308]))
    classes = np.repeat(np.arange(3) >= first, 4).astype(np.int32)
    arrays = grow(_core.Table([np.repeat(values, 4)], [-1]), classes, dialect=dialect).arrays()
    assert arrays[1][0] == values[first - 1]


def test_only_columns_of_many_values():
    """By gain ratio neither program splits where only columns of at least 0.3 N values are usable."""
    codes = (np.arange(12) // 2).astype(np.int32)
    table = _core.Table([codes, np.zeros(12)], [6, -1])
    alone = _core.Table([codes], [6])
    for dialect in ("c45", "j48"):
        assert len(grow(table, dialect=dialect).arrays()[0]) == 1
        assert len(grow(table, dialect=dialect, criterion="gain").arrays()[0]) == 7
        assert len(grow(alone, dialect=dialect).arrays()[0]) == 7  # every column has many values


@pytest.mark.parametrize("n_threads", [-3, 0, 10**6])
def test_any_number_of_threads(n_threads):
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 4))
    table = _core.Table(list(X.T.copy()), [-1] * 4)
    classes = (X[:, 0] + X[:, 1] > 1).astype(np.int32)
    one, many = grow(table, classes).arrays(), grow(table, classes, n_threads=n_threads).arrays()
    assert all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(one, many))
    routed = (*one[:6], np.ones(len(one[0])))
    assert np.array_equal(
        _core.route_leaves(table, *routed, n_threads), _core.route_leaves(table, *routed, 1)
    )


# ---- damaged trees -----------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.data())
@settings(max_examples=5 * settings().max_examples)
def test_damaged_arrays_are_refused_or_safe(seed, draw):
    fitted = random_fitted(seed % 1000)
    table = encoded(fitted, random_rows(seed, fitted, 20))
    arrays = [np.array(getattr(fitted.tree, name)) for name in FIELDS]
    values = np.ascontiguousarray(fitted.values)
    route(table, arrays, values, np.arange(20))
    which = draw.draw(st.integers(0, len(arrays) - 1))
    damaged = arrays[which]
    kind = draw.draw(st.sampled_from(["cut", "longer", "value", "shuffle", "dtype", "empty"]))
    if kind == "cut":
        damaged = damaged[: draw.draw(st.integers(0, max(0, len(damaged) - 1)))]
    elif kind == "longer":
        damaged = np.append(damaged, damaged[:1])
    elif kind == "value" and len(damaged):
        damaged[draw.draw(st.integers(0, len(damaged) - 1))] = draw.draw(
            st.sampled_from([-(2**31), -2, -1, 0, 1, 2, 3, 7, 2**31 - 1, len(arrays[0]), len(arrays[0]) - 1])
        )
    elif kind == "shuffle":
        np.random.default_rng(seed).shuffle(damaged)
    elif kind == "dtype":
        damaged = damaged.astype(np.int64 if damaged.dtype.kind == "i" else np.float32)
    else:
        damaged = damaged[:0]
    arrays[which] = np.ascontiguousarray(damaged)
    try:
        route(table, arrays, values, np.arange(20))
    except (ValueError, TypeError) as error:
        assert str(error)


def chain(n_nodes):
    """A tree of one long path."""
    inner = (n_nodes - 1) // 2
    feature = np.full(2 * inner + 1, -1, dtype=np.int32)
    first = feature.copy()
    parents = [0, *range(2, 2 * inner - 1, 2)]
    for i, parent in enumerate(parents):
        feature[parent], first[parent] = 0, 2 * i + 1
    threshold = np.where(feature >= 0, 0.5, np.nan)
    n_branches = np.where(feature >= 0, 2, 0).astype(np.int32)
    start = np.zeros(len(feature) + 1, dtype=np.int32)
    return [feature, threshold, first, n_branches, start, np.empty(0, np.int32), np.ones(len(feature))]


def test_too_deep_a_tree_is_refused():
    table = _core.Table([np.array([0.2, 0.7, np.nan])], [-1])
    fine, deep = chain(2 * _core.MAX_DEPTH + 1), chain(2 * _core.MAX_DEPTH + 3)
    route(table, fine, np.ones((len(fine[0]), 1)), np.arange(3))
    with pytest.raises(ValueError, match="too deep"):
        _core.route_leaves(table, *deep)


def damaged_examples():
    arrays = chain(5)
    changes = {
        "cycle": (2, 2, 1),
        "self": (2, 0, 0),
        "beyond": (2, 2, 4),
        "far beyond": (2, 2, 2**31 - 1),
        "negative": (2, 0, -1),
        "no such column": (0, 0, 1),
        "no branches": (3, 0, 0),
        "too many branches": (3, 0, 3),
        "negative branches": (3, 2, -2),
        "leaf with branches": (3, 1, 2),
        "no threshold": (1, 0, np.nan),
        "values backwards": (4, 1, 2**31 - 1),
        "negative values": (4, 0, -1),
    }
    for name, (which, position, value) in changes.items():
        damaged = [array.copy() for array in arrays]
        damaged[which][position] = value
        yield pytest.param(damaged, id=name)


@pytest.mark.parametrize("arrays", list(damaged_examples()))
def test_damaged_links_are_refused(arrays):
    table = _core.Table([np.array([0.2, 0.7])], [-1])
    with pytest.raises(ValueError, match="the tree is damaged"):
        _core.route_leaves(table, *arrays)
    with pytest.raises(ValueError, match="the tree is damaged"):
        _core.route_mixture(table, *arrays, np.arange(2), np.ones((5, 2)))


def test_rows_and_values_that_are_not_there():
    table, arrays = _core.Table([np.array([0.2, np.nan])], [-1]), chain(5)
    for row in (-1, 2, 2**62):
        with pytest.raises(IndexError, match="not in the table"):
            _core.route_mixture(table, *arrays, np.array([row]), np.ones((5, 2)))
    with pytest.raises(ValueError, match="one row of values per node"):
        _core.route_mixture(table, *arrays, np.arange(2), np.ones((4, 2)))
    assert _core.route_mixture(table, *arrays, np.arange(2), np.ones((5, 0))).size == 0
    assert _core.route_leaves(_core.Table([np.empty(0)], [-1]), *arrays).size == 0


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_in_routing(value):
    X = np.array([[0.1], [0.9], [0.2], [0.8]] * 3)
    tree = C45Classifier().fit(X, X[:, 0] > 0.5)
    with pytest.raises(ValueError, match="infinity"):
        tree.predict(np.array([[0.1], [value]]))
    with pytest.raises(ValueError, match="infinity"):
        tree.predict_proba(np.array([[np.nan], [value]]))
