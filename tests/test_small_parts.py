"""Small parts that everything stands on: documents, weights, values of columns, folds, labels and prices."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from stakes import CostMatrix, FeatureCosts, Table
from stakes._base import documents
from stakes._base.features import check_features, one_hot, take_rows
from stakes._base.folds import stratified_folds
from stakes._base.weights import check_weight
from stakes.costs import PriceArrays, kretowski_costs
from stakes.costs._labels import sorted_labels
from stakes.costs._matrix import sample_vector
from stakes.table import Column
from stakes.table._columns import factorize_array, plain_value, sorted_categories
from stakes.table._recode import recode_columns

GOOD = {"format": "stakes-model", "version": 1}


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "the text is empty or cut short: the JSON ends too early"),
        ('{"format": "stakes', "the text is empty or cut short: the JSON ends too early"),
        ('{"format": 1', "the text is empty or cut short: the JSON ends too early"),
        ("{format: 1}", "the text is not JSON: Expecting property name enclosed in double quotes"),
        ("[" * 100_000, "the text is not a model: its lists are nested too deeply"),
        ('{"a": NaN}', "the text is not JSON that can be read: NaN is not a JSON number"),
        ("[]", 'the text is not a stakes-model document: it has no "format"'),
        ('{"a": 1}', 'the text is not a stakes-model document: it has no "format"'),
        ('{"format": "other"}', "the text must have format 'stakes-model', got 'other'"),
        ('{"format": "stakes-model"}', "the text must have a whole number from 1 as version, got None"),
        ('{"format": "stakes-model", "version": 0}', "a whole number from 1 as version, got 0"),
        ('{"format": "stakes-model", "version": true}', "a whole number from 1 as version, got True"),
        (
            '{"format": "stakes-model", "version": 3}',
            "has version 3 of stakes-model, this stakes reads up to 2: install a newer stakes to read it",
        ),
    ],
    ids=str,
)
def test_texts_that_are_no_documents(text, sentence):
    with pytest.raises(ValueError) as refused:
        documents.loads(text)
    assert sentence in str(refused.value)


def test_documents_are_written_whole_and_read_back(tmp_path):
    path = tmp_path / "model.json"
    documents.save_json(path, GOOD | {"name": "café"})
    assert path.read_text("utf-8") == '{"format":"stakes-model","version":1,"name":"café"}\n'
    assert documents.load_json(path) == GOOD | {"name": "café"}
    with pytest.raises(ValueError, match="Out of range float values"):
        documents.save_json(path, GOOD | {"name": np.nan})
    assert documents.load_json(path)["name"] == "café"  # the old file is still there, and nothing beside it
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"model\.json is not JSON: it is not UTF-8 text$"):
        documents.load_json(path)


@pytest.mark.parametrize(
    "read, data, sentence",
    [
        (documents.int_array, "x", "name must be a list, got 'x'"),
        (documents.int_array, [1, True], "name must hold whole numbers of 32 bits, got True"),
        (documents.int_array, [2**31], "name must hold whole numbers of 32 bits, got 2147483648"),
        (documents.int_array, [-(2**31) - 1], "name must hold whole numbers of 32 bits, got -2147483649"),
        (documents.int_array, [10**20], "got a number of more than 20 digits"),
        (documents.int_array, [10**20 - 1], f"got {10**20 - 1}"),
        (documents.int_array, ["y" * 70], f"got '{'y' * 56}..."),
        (documents.int_array, ["y" * 58], f"got '{'y' * 58}'"),
        (documents.float_array, [None], "name must hold numbers, got None"),
        (documents.float_array, [True], "name must hold numbers, got True"),
        (
            documents.float_array,
            [10**400],
            "name must hold finite numbers, got a number of more than 20 digits",
        ),
        (documents.float_array, [float("inf")], "name must hold finite numbers, got inf"),
        (documents.float_array, [[1.0]], "name must hold numbers, got a list"),
        (documents.float_matrix, [[1.0], [1.0, 2.0]], "name must have rows of one length"),
        (documents.float_matrix, [1.0], "name must be a list, got 1.0"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_lists_that_are_no_arrays(read, data, sentence):
    with pytest.raises(ValueError) as refused:
        read(data, "name")
    assert str(refused.value).endswith(sentence)


def test_lists_become_arrays():
    ends = [-(2**31), 2**31 - 1]
    assert (
        documents.int_array(ends, "name").tolist() == ends
        and documents.int_array([], "name").dtype == np.int32
    )
    np.testing.assert_array_equal(documents.float_array([1, None, 2.5], "name", True), [1.0, np.nan, 2.5])
    assert documents.float_matrix([], "name").shape == (0, 0)
    assert documents.float_matrix([[1, 2, 3]], "name").tolist() == [[1.0, 2.0, 3.0]]
    documents.check_mapping({"a": 1, "b": 2}, "it", ["a"])
    with pytest.raises(ValueError, match=r"^it lacks b, c$"):
        documents.check_mapping({"a": 1}, "it", ["a", "b", "c"])
    with pytest.raises(ValueError, match=r"^it must be a JSON object, got a list$"):
        documents.check_mapping([], "it", [])


def test_weights_are_checked():
    assert check_weight(2, 3).tolist() == [2.0, 2.0, 2.0]
    assert check_weight([0, 1], 2).tolist() == [0.0, 1.0]
    assert check_weight(np.arange(6.0)[::2], 3).flags.c_contiguous
    assert check_weight([], 0).tolist() == []
    assert check_weight([5e99, 5e99], 2).sum() == 1e100
    for weights, sentence in [
        ([1, 2], r"must have shape \(3,\), got \(2,\)"),
        ([1, np.inf, 1], "finite and not negative"),
        ([1, -1e-9, 1], "finite and not negative"),
        ([0, 0, 0], "must not be zero for every row"),
        ([0, 0, 4e99], r"must add up to at most 1e\+100; divide it by its mean"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            check_weight(weights, 3)


def test_categories_are_plain_values_in_one_order():
    values = ["b", b"a\xff", np.bool_(True), np.int64(3), 3.0, 2.5, np.float32(0.5), 1 + 2j]
    assert [plain_value(value) for value in values] == ["b", "a\ufffd", True, 3, 3, 2.5, 0.5, "(1+2j)"]
    assert type(plain_value(np.bool_(True))) is bool and type(plain_value(3.0)) is int
    assert sorted_categories(["b", 10, "a", 2.5, 9, 9.0]) == (2.5, 9, 10, "a", "b")
    codes, distinct = factorize_array(np.array([2.0, np.nan, 1.0, 2.0]))
    assert codes.tolist() == [1, -1, 0, 1] and distinct == [1.0, 2.0]
    codes, distinct = factorize_array(np.array([3, 1, 3]))
    assert codes.tolist() == [1, 0, 1] and distinct == [1, 3]
    with pytest.raises(TypeError, match=r"must be a string or a number, got list \[1\]\.$"):
        factorize_array(np.array(["a", [1]], dtype=object))


def test_columns_are_brought_to_other_kinds():
    old = [Column("n", "nominal", ("1", "x", "2.5")), Column("k", "nominal", ("a", "b"))]
    arrays = [np.array([0, -1, 2], np.int32), np.array([1, 0, -1], np.int32)]
    new = [Column("n"), Column("k", "nominal", ("b", "c", "a"))]
    numbers, codes = recode_columns(old, arrays, new, "missing")
    np.testing.assert_array_equal(numbers, [1.0, np.nan, 2.5])
    assert codes.tolist() == [0, 2, -1]
    with pytest.raises(ValueError, match="'x'"):
        recode_columns(old[:1], [np.array([0, 1], np.int32)], new[:1], "missing")
    with pytest.raises(ValueError, match="column 'n' contains infinity"):
        recode_columns([Column("n", "nominal", ("inf",))], [np.zeros(1, np.int32)], new[:1], "missing")
    (written,) = recode_columns(
        [Column("n")], [np.array([2.0, 7.0])], [Column("n", "nominal", ("2", "3"))], "missing"
    )
    assert written.tolist() == [0, -1]  # 2 is written as "2"


def test_tables_as_numbers_rows_and_names():
    table = Table.from_data(pd.DataFrame({"x": [1.0, np.nan], "k": ["b", None]}))
    np.testing.assert_array_equal(one_hot(table), [[1.0, 1.0], [np.nan, 0.0]])
    assert take_rows(table, [1]).n_samples == 1 and take_rows([[1], [2]], [1]) == [[2]]

    class Estimator:
        pass

    model = Estimator()
    check_features(model, table, reset=True)
    assert model.n_features_in_ == 2 and model.feature_names_in_.tolist() == ["x", "k"]
    check_features(model, table, reset=False)
    with pytest.raises(ValueError) as refused:
        check_features(model, table.select(["k", "x"]), reset=False)
    assert str(refused.value) == (
        "the columns of X must be those that Estimator was fitted with, in the same order: column 0 is 'k', "
        "expected 'x'. Table.select() puts them in order."
    )


def test_labels_that_have_no_order_stay_in_theirs():
    assert sorted_labels(["b", "a"]) == ["a", "b"] and sorted_labels([2, "a", 1]) == [2, "a", 1]
    matrix = CostMatrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert len(matrix) == matrix.n_classes == 3


def test_vectors_of_example_costs():
    costs = [[1, 5, 3], [2, 2, 9]]
    found = {how: sample_vector(costs, [0, 2], how).tolist() for how in ("sum", "max", "min", "mean")}
    assert found == {"sum": [6.0, 0.0], "max": [4.0, 0.0], "min": [2.0, 0.0], "mean": [3.0, 0.0]}
    assert sample_vector([[3.0], [4.0]], [0, 0]).tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match=r"^how must be 'sum', 'max', 'min' or 'mean', got 'all'$"):
        sample_vector(costs, [0, 2], "all")


def test_prices_in_words_name_the_first_few():
    prices = {f"t{i}": 1.0 for i in range(8)} | {f"part{i}": 9.0 - i for i in range(3)}
    needs = {f"f{i}": {f"t{i}", f"part{i % 3}"} for i in range(8)} | {"g": {"part0"}}
    assert FeatureCosts(prices, requires=needs).describe(2) == (
        "f0 costs 10, of which 9 is shared.\n"
        "f3 costs 10, of which 9 is shared.\n"
        "The other 7 cost 8 to 10 each.\n"
        "part0 (9) is paid once for f0, f3, f6 and g.\n"
        "part1 (8) is paid once for f1, f4 and f7.\n"
        "Shared parts not listed: 1.\n"
        "Everything together costs 32."
    )
    many = FeatureCosts({"lab": 5.0}, requires={f"f{i}": {"lab"} for i in range(9)})
    assert "lab (5) is paid once for f0, f1, f2, f3, f4, f5 and 3 more." in many.describe()


@pytest.mark.parametrize("seed", [{}, np.inf, -1, np.float32(0.5), np.array(1), "one"])
def test_folds_of_what_is_no_seed(seed):
    with pytest.raises(
        ValueError, match="random_state must be an int of at least 0, a RandomState or None, got"
    ):
        stratified_folds(np.array([0, 1, 0, 1]), 2, seed)


def test_folds_of_a_random_state_are_those_of_the_seed_that_it_draws():
    codes = np.array([0, 1, 0, 1, 1, 0, 0])
    seed = np.random.RandomState(3).randint(2**31)
    drawn = stratified_folds(codes, 3, np.random.RandomState(3))
    assert drawn.tolist() == stratified_folds(codes, 3, seed).tolist() and drawn.dtype == np.intp
    models = kretowski_costs(["a", "b"], np.random.RandomState(3)), kretowski_costs(["a", "b"], seed)
    assert models[0] == models[1]


def test_plain_prices_as_arrays():
    plain = PriceArrays.plain([2, 3, 0])
    assert plain.resource_price.tolist() == plain.later_price.tolist() == [2.0, 3.0, 0.0]
    assert plain.group.tolist() == [-1, -1, -1]
    assert plain.start.tolist() == [0, 1, 2, 3] and plain.resource.tolist() == [0, 1, 2]
    assert plain.resource_price.dtype == np.float64
    assert {a.dtype for a in (plain.group, plain.start, plain.resource)} == {np.dtype(np.int32)}
    assert plain != PriceArrays.plain([2, 3, 0])  # arrays are not compared one with another
    with pytest.raises(FrozenInstanceError):
        plain.group = plain.start


def test_prices_are_shown_with_what_they_need_in_the_order_of_the_prices():
    z_first = FeatureCosts({"z": 1, "a": 2}, requires={"f": {"a", "z"}, "g": set()})
    assert repr(z_first) == ("FeatureCosts({'z': 1.0, 'a': 2.0}, requires={'f': {'z', 'a'}, 'g': set()})")
    assert z_first.to_dict() == {
        "prices": {"z": 1.0, "a": 2.0},
        "requires": {"f": ["z", "a"], "g": []},
        "later": None,
    }
    plain = FeatureCosts({"z": 1, "a": 2})
    assert repr(plain) == "FeatureCosts({'z': 1.0, 'a': 2.0})" and plain.to_dict()["requires"] is None
    for needs in ({"a": {"a"}, "z": {"z"}}, {"z": {"z"}, "a": {"a", "z"}}, {"z": {"a"}, "a": {"z"}}):
        other = FeatureCosts({"z": 1, "a": 2}, requires=needs)
        assert "requires=" in repr(other) and FeatureCosts.from_dict(other.to_dict()) == other
        assert list(other.to_dict()["requires"]) == list(needs)


def test_a_group_called_like_tests_of_others_gets_a_name_of_its_own():
    groups = {"t": (1, {"t (shared)": 2, "u": 3}), "u": (4, {"t": 5})}
    costs = FeatureCosts.from_groups(groups)
    assert dict(costs.prices) == {
        "t (shared)": 2.0, "u": 3.0, "t": 5.0, "t (shared) (shared)": 1.0, "u (shared)": 4.0,
    }  # fmt: skip
    assert costs.requires["u"] == {"u", "t (shared) (shared)"} and costs.requires["t"] == {"t", "u (shared)"}
    assert costs.cost(["t (shared)", "u", "t"]) == 15
