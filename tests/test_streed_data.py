"""The reader of the published benchmark, on small made-up files."""

import importlib.util
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

SOURCE = Path(__file__).parents[1] / "benchmarks" / "streed_data.py"
if not SOURCE.exists():
    pytest.skip("the benchmarks are not part of a source distribution", allow_module_level=True)
spec = importlib.util.spec_from_file_location("streed_data", SOURCE)
streed_data = importlib.util.module_from_spec(spec)
sys.modules["streed_data"] = streed_data  # dataclasses look their module up
spec.loader.exec_module(streed_data)

COSTS = """0 151
177 0
Attribute-name test-cost discount group binarize-begin binarize-end
age 1.0 1.0 x 0 0
pain 3.5 3.5 x 1 3
thal 102.9 1.0 a 4 5
thalach 103.9 2.0 a 6 6
"""
UNEVEN = COSTS.replace("103.9 2.0", "103.9 60.0")
rng = np.random.default_rng(0)
X = {part: rng.integers(0, 2, size=(n, 7), dtype=np.uint8) for part, n in (("train", 9), ("test", 4))}


def write(folder, costs=COSTS, n_features=7, largest=1):
    (folder / "toy-middle-costs.csv").write_text(costs)
    arrays = {"n_features": np.array(n_features)}
    for i, part in itertools.product((1, 2, 10), X):
        arrays[f"{part}_X_{i}"] = np.packbits((X[part] + i) % 2, axis=1)
        arrays[f"{part}_y_{i}"] = (np.arange(len(X[part])) % (largest + 1)).astype(np.uint8)
    np.savez(folder / "toy.npz", **arrays)
    return folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("STAKES_STREED", str(write(tmp_path)))
    return tmp_path


def test_reads_rows_costs_and_prices(folder):
    data = streed_data.load("toy")
    assert streed_data.names() == ["toy"]
    assert data.columns == ("age#0", "pain#0", "pain#1", "pain#2", "thal#0", "thal#1", "thalach#0")
    assert data.cost_matrix.values.tolist() == [[0, 151], [177, 0]]
    costs = data.feature_costs
    assert costs.features == data.columns
    assert costs.cost(["pain#0", "pain#2"]) == 3.5
    assert costs.cost(["thal#0"]) == pytest.approx(102.9)
    assert costs.marginal("thal#0", ["thalach#0"]) == pytest.approx(1.0)
    assert costs.marginal("thalach#0", ["thal#1"]) == pytest.approx(2.0)
    splits = list(data.splits())
    assert len(splits) == 3
    for i, split in zip((1, 2, 10), splits):
        assert (split.X_train == (X["train"] + i) % 2).all()
        assert (split.X_test == (X["test"] + i) % 2).all()
        assert len(split.y_train) == 9 and len(split.y_test) == 4
    assert list(next(data.frames()).X_train.columns) == list(data.columns)


def bill(tests, order):
    """The published rule: the group price for the second and later test of a group."""
    total, groups = 0.0, set()
    for i in order:
        total += tests[i].group_price if tests[i].group in groups else tests[i].price
        groups.add(tests[i].group)
    return total


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from("ab")), min_size=1, max_size=5)
)
def test_prices_are_the_published_bill_in_every_order(own_and_discount):
    tests = tuple(
        streed_data.Test(f"t{i}", own + discount, own, group, range(i, i + 1))
        for i, (own, discount, group) in enumerate(own_and_discount)
    )
    costs = streed_data.price_tests(tests)
    for order in itertools.permutations(range(len(tests))):
        assert costs.cost([f"t{i}" for i in order]) == pytest.approx(bill(tests, order))


def test_paths_name_columns_or_count_them(tmp_path):
    write(tmp_path, UNEVEN)
    data = streed_data.load("toy", folder=tmp_path)
    assert data.published_price(["thal#0", "thalach#0"]) == pytest.approx(162.9)
    assert data.published_price(["thalach#0", 4, 5]) == pytest.approx(104.9)


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"costs": COSTS.replace("Attribute-name", "Attribute")}, "must have a line"),
        ({"costs": COSTS.replace("pain 3.5", "pain")}, "a test has 6 cells"),
        ({"costs": COSTS.replace("3.5 3.5", "3.5 4.5")}, "0 <= group price <= price"),
        ({"costs": COSTS.replace("x 1 3", "x 3 1")}, "a test needs columns"),
        ({"costs": COSTS.replace("x 1 3", "x 1 4")}, "each of the columns 0 to 6 once"),
        ({"costs": COSTS.replace("pain", "age")}, "'age' occurs twice"),
        ({"n_features": 8}, "each of the columns 0 to 7 once"),
        ({"largest": 2}, "classes below 2"),
    ],
)
def test_malformed_files(tmp_path, change, sentence):
    write(tmp_path, **change)
    with pytest.raises(ValueError, match=sentence):
        list(streed_data.load("toy", folder=tmp_path).splits())


def test_bad_arguments(folder, monkeypatch):
    with pytest.raises(ValueError, match="level must be one of"):
        streed_data.load("toy", "medium")
    monkeypatch.delenv("STAKES_STREED")
    with pytest.raises(FileNotFoundError, match="STAKES_STREED must name the folder"):
        streed_data.names()
