import copy
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stakes.costs import (
    CostMatrix,
    abe_costs,
    as_cost_matrix,
    as_feature_costs,
    check_sample_costs,
    davis_prices,
    kretowski_costs,
    mean_cost_matrix,
    ting_costs,
)

# costs are drawn at random or written for their edges, so that many make no sense
pytestmark = pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")

BAD_GOOD = CostMatrix([[0, 5], [1, 0]], classes=["bad", "good"])

labels = st.one_of(
    st.lists(st.text("abcxyz ,\"'é|:\\", min_size=1, max_size=4), min_size=1, max_size=5, unique=True),
    st.lists(st.integers(-5, 5), min_size=1, max_size=5, unique=True),
    st.permutations([False, True]),
)
finite = st.floats(-1e9, 1e9, allow_nan=False)


@st.composite
def matrices(draw, costs=finite):
    classes = draw(labels)
    k = len(classes)
    return CostMatrix(draw(arrays(float, (k, k), elements=costs)), classes)


# -- making and writing


@given(matrices())
def test_json_round_trip(matrix):
    back = CostMatrix.from_dict(json.loads(json.dumps(matrix.to_dict())))
    assert back == matrix
    assert [type(c) for c in back.classes.tolist()] == [type(c) for c in matrix.classes.tolist()]


@given(matrices())
def test_csv_round_trip(tmp_path_factory, matrix):
    path = tmp_path_factory.mktemp("csv") / "costs.csv"
    texts = [str(label) for label in matrix.classes.tolist()]
    if any(text != text.strip() for text in texts):
        with pytest.raises(ValueError, match="cannot be kept in CSV"):
            matrix.to_csv(path)
        return
    matrix.to_csv(path)
    back = CostMatrix.from_csv(path)
    assert back.classes.tolist() == texts
    assert np.array_equal(back.values, matrix.values)
    assert as_cost_matrix(path, matrix.classes) == matrix


@given(matrices())
def test_copies_are_equal_and_read_only(matrix):
    for twin in (copy.deepcopy(matrix), pickle.loads(pickle.dumps(matrix))):
        assert twin == matrix
        assert hash(twin) == hash(matrix)
        assert not twin.values.flags.writeable
        assert not twin.classes.flags.writeable


def test_is_frozen():
    with pytest.raises(AttributeError):
        BAD_GOOD.values = np.eye(2)
    with pytest.raises(ValueError, match="read-only"):
        BAD_GOOD.values[0, 0] = 1


def test_does_not_borrow_from_the_caller():
    values, classes = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array(["a", "b"])
    matrix = CostMatrix(values, classes)
    values[0, 1], classes[0] = 9, "z"
    assert matrix.values[0, 1] == 1
    assert matrix.classes[0] == "a"


def test_equality_looks_at_order_and_labels():
    assert CostMatrix(BAD_GOOD.values) != BAD_GOOD
    assert CostMatrix(BAD_GOOD.values, ["good", "bad"]) != BAD_GOOD
    assert BAD_GOOD != "a string"
    assert eval(repr(BAD_GOOD)) == BAD_GOOD


@pytest.mark.parametrize(
    "classes",
    [
        ["a", "b"],
        [0, 1],
        [False, True],
        np.array([3, 4], dtype=np.int32),
        [np.str_("a"), np.str_("b")],
        ["a", 1],
    ],
)
def test_label_types_survive(classes):
    matrix = CostMatrix([[0, 2], [3, 0]], classes)
    plain = [c.item() if isinstance(c, np.generic) else c for c in classes]
    assert matrix.classes.tolist() == plain
    assert matrix.expand([classes[1], classes[0]]).tolist() == [[3, 0], [0, 2]]


def test_whole_numbers_without_end_are_no_costs():
    with pytest.raises(ValueError, match="values must be finite, got a whole number that is too large"):
        CostMatrix([[0, 10**400], [1, 0]])


@given(matrices())
def test_pairs_say_the_same_as_the_array(matrix):
    names = matrix.classes.tolist()
    pairs = {(a, p): matrix.values[i, j] for i, a in enumerate(names) for j, p in enumerate(names)}
    assert CostMatrix.from_pairs(pairs, names) == matrix
    assert CostMatrix.from_pairs(pairs).align(names) == matrix


def test_pairs_with_default_and_sorted_labels():
    matrix = CostMatrix.from_pairs({("b", "c"): 7, ("a", "b"): 2}, default=1)
    assert matrix.classes.tolist() == ["a", "b", "c"]
    assert matrix.values.tolist() == [[0, 2, 1], [1, 0, 7], [1, 1, 0]]


def test_predicted_rows_are_transposed():
    assert CostMatrix.from_predicted_rows([[0, 1], [5, 0]], ["bad", "good"]) == BAD_GOOD


def test_frames():
    by_index = pd.DataFrame({"good": [5.0, 0], "bad": [0.0, 1]}, index=["bad", "good"])
    assert CostMatrix.from_frame(by_index) == BAD_GOOD
    assert CostMatrix.from_frame(by_index.rename_axis("actual").reset_index()) == BAD_GOOD
    columns = {"actual": ["bad", "good"], "good": [5, 0], "bad": [0, 1]}
    assert CostMatrix.from_frame(pl.DataFrame(columns)) == BAD_GOOD
    numbered = pd.DataFrame([[0, 5], [1, 0]])
    assert CostMatrix.from_frame(numbered).classes.tolist() == [0, 1]
    assert CostMatrix.from_frame(pl.DataFrame({"y": [0, 1], "0": [0, 1], "1": [5, 0]})).classes.tolist() == [
        0,
        1,
    ]


def test_csv_rows_and_columns_in_any_order(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text('\ufeffactual\\predicted, good ,"bad"\n\nbad, 5, 0\r\ngood,0,1e0\n', encoding="utf-8")
    assert CostMatrix.from_csv(path) == BAD_GOOD


def test_c50_file(tmp_path):
    path = tmp_path / "credit.costs"
    path.write_text("| german credit\ngood, bad: 5  | dear\n\nvery  good, bad: 2.5\na\\,b\\:c\\|, bad: .5\n")
    classes = ["bad", "good", "very good", "a,b:c|", "ugly"]
    matrix = CostMatrix.from_c50(path, classes)
    assert matrix.values[0].tolist() == [0, 5, 2.5, 0.5, 1]
    assert (matrix.values[1:] == 1 - np.eye(5)[1:]).all()
    assert CostMatrix.from_c50(path).classes.tolist() == sorted(classes[:-1])
    # as an argument the file may name more classes than a fold of the data has
    assert as_cost_matrix(path, ["ugly", "bad"]).values.tolist() == [[0, 1], [1, 0]]


def test_a_backslash_at_the_end_of_a_name_is_part_of_it(tmp_path):
    path = tmp_path / "paths.costs"
    path.write_text("b, c\\: 2\n".replace("\\:", "\\ :"))
    assert CostMatrix.from_c50(path).classes.tolist() == ["b", "c\\"]


def test_c50_with_numbers_for_classes(tmp_path):
    path = tmp_path / "x.costs"
    path.write_text("1, 0: 4\n")
    assert CostMatrix.from_c50(path, [0, 1, 2]).classes.tolist() == [0, 1, 2]
    assert as_cost_matrix(path, np.array([0, 1, 2])).values[0].tolist() == [0, 4, 1]


# -- using


@given(matrices(), st.randoms())
def test_align_by_name(matrix, random):
    names = matrix.classes.tolist()
    shuffled = random.sample(names, len(names))
    aligned = matrix.align(shuffled)
    for i, a in enumerate(shuffled):
        for j, p in enumerate(shuffled):
            assert aligned.values[i, j] == matrix.values[names.index(a), names.index(p)]
    assert aligned.align(names) == matrix


def test_align_needs_the_same_set():
    with pytest.raises(ValueError, match=r"no row for 'godo'.*did you mean 'good'"):
        BAD_GOOD.align(["bad", "godo"])
    with pytest.raises(ValueError, match="classes that the data has not: 'good'"):
        BAD_GOOD.align(["bad"])
    assert BAD_GOOD.align(["bad"], extra="drop").values.tolist() == [[0]]
    with pytest.raises(ValueError, match="2 classes without labels, but the data has 3"):
        CostMatrix([[0, 1], [1, 0]]).align(["a", "b", "c"])


def test_text_labels_match_numbers_and_bools():
    assert CostMatrix([[0, 2], [1, 0]], ["1", "0"]).align([0, 1]).values.tolist() == [[0, 1], [2, 0]]
    assert CostMatrix([[0, 2], [1, 0]], ["True", "False"]).align([False, True]).values[0].tolist() == [0, 1]
    assert CostMatrix([[0, 2], [1, 0]], ["0", "1"]).expand([1, 0]).tolist() == [[1, 0], [0, 2]]


@given(matrices(), st.data())
def test_expand(matrix, data):
    names = matrix.classes.tolist()
    y = data.draw(st.lists(st.sampled_from(names), max_size=10))
    wanted = [matrix.values[names.index(label)].tolist() for label in y]
    assert matrix.expand(y).tolist() == wanted


def test_expand_without_labels_wants_codes():
    bare = CostMatrix([[0, 2], [1, 0]])
    assert bare.expand([1, 1, 0]).tolist() == [[1, 0], [1, 0], [0, 2]]
    with pytest.raises(ValueError, match="y has unknown labels 2"):
        bare.expand([0, 2])
    with pytest.raises(ValueError, match="y has unknown labels None"):
        BAD_GOOD.expand(np.array(["bad", None], dtype=object))


@given(matrices(st.floats(0, 1e6)), st.sampled_from(["sum", "max", "min", "mean"]))
def test_vector_against_loops(matrix, how):
    k = len(matrix)
    for i in range(k):
        low = min(matrix.values[i])
        off = [matrix.values[i, j] - low for j in range(k) if j != i] or [0.0]
        wanted = {"sum": sum(off), "max": max(off), "min": min(off), "mean": sum(off) / len(off)}[how]
        assert matrix.vector(how)[i] == pytest.approx(wanted)


@given(matrices())
def test_shift_keeps_differences(matrix):
    shifted = matrix.shift().values
    assert (shifted.min(axis=1) == 0).all()
    rounding = 4 * np.finfo(float).eps * np.abs(matrix.values).max()
    assert np.allclose(np.diff(shifted), np.diff(matrix.values), atol=1e-8 + rounding)


def test_rewards_count_in_the_vector():
    assert CostMatrix([[-3, 2], [1, 0]]).vector().tolist() == [5, 1]


@given(matrices(st.just(0.0) | st.floats(1e-9, 1e9)))
def test_normalise_to_unity(matrix):
    unit = matrix.normalise()
    off = [unit.values[i, j] for i in range(len(unit)) for j in range(len(unit)) if i != j]
    positive = [cost for cost in off if cost > 0]
    if positive:
        assert min(positive) == 1
    else:
        assert unit == matrix


def test_negative_mistakes_are_refused_where_they_cannot_be_taken():
    odd = CostMatrix([[0, -2], [1, 0]], ["a", "b"])
    with pytest.raises(ValueError, match=r"C4.5CS cannot take negative costs.*\('a', 'b'\)"):
        odd.require_nonnegative("C4.5CS")
    with pytest.raises(ValueError, match="a cost vector cannot take negative"):
        odd.vector()
    assert BAD_GOOD.require_nonnegative("x") is BAD_GOOD
    assert CostMatrix([[-1, 0], [0, 0]]).require_nonnegative("x")


def test_describe_puts_the_dearest_first():
    assert BAD_GOOD.describe(noun="customer").splitlines()[0] == "Calling a bad customer good costs 5."
    flipped = CostMatrix(BAD_GOOD.values.T, BAD_GOOD.classes)
    assert flipped.describe().splitlines()[0] == "Calling a good case bad costs 5."
    text = CostMatrix([[-2, 5], [-1, 0.5]], [0, 1]).describe()
    assert text.splitlines() == [
        "Calling a case of class 0 class 1 costs 5.",
        "Calling a case of class 1 class 0 earns 1.",
        "Being right about class 0 earns 2.",
        "Being right about class 1 costs 0.5.",
    ]
    many = kretowski_costs("abcde"[i] for i in range(5)).describe(limit=3)
    assert "The other 17 mistakes cost" in many
    assert "The other 4 mistakes cost 1 each." in CostMatrix.uniform(["a", "b", "c"]).describe(limit=2)
    assert "Calling an a case" in CostMatrix.uniform(["a", "b"]).describe()


def test_as_cost_matrix_takes_anything(tmp_path):
    classes = np.array(["bad", "good"])
    path = tmp_path / "m.json"
    path.write_text(json.dumps(BAD_GOOD.to_dict()))
    frame = pd.DataFrame(BAD_GOOD.values, index=classes, columns=classes)
    pairs = {("bad", "good"): 5, ("good", "bad"): 1}
    for given_costs in (
        BAD_GOOD,
        BAD_GOOD.values,
        [[0, 5], [1, 0]],
        pairs,
        frame,
        path,
        str(path),
        BAD_GOOD.to_dict(),
    ):
        assert as_cost_matrix(given_costs, classes) == BAD_GOOD
    assert as_cost_matrix(None, classes) == CostMatrix.uniform(classes)
    assert as_cost_matrix(CostMatrix.uniform("abc"[i] for i in range(3)), ["c", "a"]).values.tolist() == [
        [0, 1],
        [1, 0],
    ]
    lacking = r"the cost matrix has no row for 'ugly', which the data has; the labels are 'bad', 'good'"
    with pytest.raises(ValueError, match=f"^{lacking}$"):
        as_cost_matrix(pairs, ["bad", "ugly"])
    with pytest.raises(ValueError, match=rf"m\.json: {lacking}$"):
        as_cost_matrix(path, ["bad", "ugly"])


def test_json_that_is_nested_too_deeply(tmp_path):
    path, words = tmp_path / "deep.json", r"deep\.json is not JSON of costs: its lists are nested too deeply"
    for text in ("[" * 200_000, '{"values": ' + "[" * 200_000):
        path.write_text(text)
        with pytest.raises(ValueError, match=words):
            as_cost_matrix(path, ["a", "b"])
        with pytest.raises(ValueError, match=words):
            as_feature_costs(path, ["a", "b"])
    path.write_text('{"values": ' + "[" * 500 + "0" + "]" * 500 + "}")
    with pytest.raises(ValueError, match=r"deep\.json: values must be"):
        as_cost_matrix(path, ["a", "b"])


@given(st.data())
def test_mean_cost_matrix_against_loops(data):
    k, n = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 12))
    codes = data.draw(arrays(int, n, elements=st.integers(0, k - 1)))
    costs = data.draw(arrays(float, (n, k), elements=st.floats(-100, 100)))
    weight = data.draw(arrays(float, n, elements=st.sampled_from([0.0, 1.0, 2.5])))
    matrix = mean_cost_matrix(costs, codes, list(range(k)), weight)
    for c in range(k):
        mass = sum(weight[i] for i in range(n) if codes[i] == c)
        for j in range(k):
            if mass:
                wanted = sum(weight[i] * costs[i, j] for i in range(n) if codes[i] == c) / mass
            else:
                wanted = float(c != j)
            assert matrix.values[c, j] == pytest.approx(wanted, abs=1e-9)


def test_check_example_costs():
    assert check_sample_costs([[0, 1], [2, 0], [0, 3]], 3, 2).dtype == np.float64
    assert check_sample_costs(pd.DataFrame({"a": [0, 1], "b": [2, 0]}), 2, 2).tolist() == [[0, 2], [1, 0]]
    with pytest.raises(TypeError, match="pass it as cost_matrix="):
        check_sample_costs(BAD_GOOD, 2, 2)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1], [1, 0]], r"shape \(3, 2\), got \(2, 2\); costs per class go to cost_matrix="),
        ([[0, 1, 2]] * 3, r"shape \(3, 2\), got \(3, 3\)"),
        ([0, 1, 2], r"got \(3,\)"),
        ([[0, np.nan]] * 3, "must be finite, got nan"),
        ([[0, np.inf]] * 3, "must be finite, got inf"),
        ([["0", "1"]] * 3, "must be numbers"),
        ([[0, None]] * 3, "must be finite numbers, got None"),
        ([[0], [0, 1], [1]], "equal lengths"),
    ],
)
def test_malformed_example_costs(costs, message):
    with pytest.raises(ValueError, match=message):
        check_sample_costs(costs, 3, 2)


# -- random cost models


@given(st.integers(1, 6), st.integers(0, 1000))
def test_random_models(k, seed):
    classes = [f"c{i}" for i in range(k)]
    ting, real = ting_costs(classes, seed), kretowski_costs(classes, seed)
    priors = np.arange(1, k + 1)
    abe = abe_costs(classes, priors, seed)
    for matrix in (ting, real, abe):
        assert not np.diag(matrix.values).any()
        assert matrix.classes.tolist() == classes
    assert ting == ting_costs(classes, np.random.default_rng(seed))
    assert set(ting.mistakes()) <= set(range(1, 11))
    assert k == 1 or 1 in ting.mistakes()
    assert ((real.mistakes() >= 1) & (real.mistakes() <= 10)).all()
    for i in range(k):
        for j in range(k):
            assert 0 <= abe.values[i, j] <= 2000 * priors[j] / priors[i]
    assert abe_costs(classes, dict(zip(reversed(classes), reversed(priors.tolist()))), seed) == abe
    assert ting_costs(classes, np.random.RandomState(seed)) == ting_costs(
        classes, np.random.RandomState(seed)
    )


def test_abe_costs_make_rare_classes_dear():
    rare = [abe_costs(["rare", "common"], [0.01, 0.99], seed).values for seed in range(200)]
    mean = np.mean(rare, axis=0)
    assert mean[0, 1] == pytest.approx(99_000, rel=0.15)
    assert mean[1, 0] == pytest.approx(1000 / 99, rel=0.15)


def test_abe_costs_draw_for_each_kind_of_mistake():
    drawn = abe_costs(["a", "b", "c"], [1, 1, 1], 0).mistakes()
    assert len(set(drawn.tolist())) == len(drawn) == 6


def test_ting_covers_the_range():
    drawn = np.concatenate([ting_costs(range(4), seed).mistakes() for seed in range(100)])
    assert set(drawn) == set(range(1, 11))


def test_davis_prices():
    prices = davis_prices(["a", "b"], 3)
    assert prices == davis_prices(["a", "b"], 3)
    assert all(0 <= price <= 1 for price in prices.values())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ting_costs([], 0), "at least one label"),
        (lambda: ting_costs(["a", "a"], 0), "distinct, repeated: 'a'"),
        (lambda: ting_costs(["a"], -1), "random_state must be"),
        (lambda: ting_costs(["a"], "seed"), "random_state must be"),
        (lambda: abe_costs(["a", "b"], [1], 0), "priors must be 2 positive"),
        (lambda: abe_costs(["a", "b"], [1, 0], 0), "priors must be 2 positive"),
        (lambda: abe_costs(["a", "b"], [1, np.nan], 0), "priors must be finite"),
        (lambda: abe_costs(["a", "b"], {"a": 1}, 0), "priors has unknown labels|unknown labels 'b'"),
        (lambda: davis_prices(["a", "a"], 0), "feature_names must be distinct"),
    ],
)
def test_malformed_models(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# -- malformed input: each answered by a sentence

MATRICES = {
    "flat": (lambda: CostMatrix([0, 1]), "square array"),
    "scalar": (lambda: CostMatrix(3), "square array"),
    "none": (lambda: CostMatrix(None), "finite numbers, got None"),
    "empty": (lambda: CostMatrix([]), "square array"),
    "empty 2d": (lambda: CostMatrix(np.zeros((0, 0))), "at least one class"),
    "wide": (lambda: CostMatrix([[0, 1, 2], [1, 0, 2]]), r"got shape \(2, 3\)"),
    "tall": (lambda: CostMatrix([[0], [1]]), r"got shape \(2, 1\)"),
    "cube": (lambda: CostMatrix(np.zeros((2, 2, 2))), r"got shape \(2, 2, 2\)"),
    "ragged": (lambda: CostMatrix([[0, 1], [1]]), "equal lengths"),
    "nan": (lambda: CostMatrix([[0, np.nan], [1, 0]]), r"got nan at \[0, 1\]"),
    "inf": (lambda: CostMatrix([[0, 1], [np.inf, 0]]), r"got inf at \[1, 0\]"),
    "minus inf": (lambda: CostMatrix([[0, 1], [-np.inf, 0]]), r"got -inf at \[1, 0\]"),
    "text": (lambda: CostMatrix([["0", "1"], ["1", "0"]]), "must be numbers"),
    "none inside": (lambda: CostMatrix([[0, None], [1, 0]]), "finite numbers, got None"),
    "text inside": (
        lambda: CostMatrix(np.array([[0, "x"], [1, 0]], dtype=object)),
        "finite numbers, got 'x'",
    ),
    "complex": (lambda: CostMatrix([[0, 1j], [1, 0]]), "must be numbers"),
    "dates": (lambda: CostMatrix(np.zeros((2, 2), dtype="M8[s]")), "must be numbers"),
    "dict": (lambda: CostMatrix({("a", "b"): 1}), "use CostMatrix.from_pairs"),
    "frame": (lambda: CostMatrix(pd.DataFrame([[0, 1], [1, 0]])), "use CostMatrix.from_frame"),
    "few labels": (lambda: CostMatrix([[0, 1], [1, 0]], ["a"]), "one label per row"),
    "many labels": (lambda: CostMatrix([[0, 1], [1, 0]], ["a", "b", "c"]), "one label per row"),
    "no labels": (lambda: CostMatrix([[0, 1], [1, 0]], []), "at least one label"),
    "same label": (lambda: CostMatrix([[0, 1], [1, 0]], ["a", "a"]), "distinct, repeated: 'a'"),
    "one and true": (lambda: CostMatrix([[0, 1], [1, 0]], [1, True]), "distinct"),
    "string labels": (lambda: CostMatrix([[0, 1], [1, 0]], "ab"), "ordered sequence of labels"),
    "set labels": (lambda: CostMatrix([[0, 1], [1, 0]], {"a", "b"}), "ordered sequence of labels"),
    "number labels": (lambda: CostMatrix([[0, 1], [1, 0]], 2), "ordered sequence of labels"),
    "nan label": (lambda: CostMatrix([[0, 1], [1, 0]], ["a", np.nan]), "class label must be"),
    "none label": (lambda: CostMatrix([[0, 1], [1, 0]], ["a", None]), "class label must be"),
    "bytes label": (lambda: CostMatrix([[0, 1], [1, 0]], ["a", b"b"]), "class label must be"),
    "nested labels": (lambda: CostMatrix([[0, 1], [1, 0]], [["a"], ["b"]]), "class label must be"),
    "2d labels": (lambda: CostMatrix([[0, 1], [1, 0]], np.array([["a", "b"]])), "one-dimensional"),
    "empty label": (lambda: CostMatrix([[0, 1], [1, 0]], ["a", ""]), "must not be empty"),
    "nul label": (lambda: CostMatrix([[0, 1], [1, 0]], ["a", "a\0"]), "NUL"),
    "pairs list": (lambda: CostMatrix.from_pairs([("a", "b", 1)]), "pairs must be a mapping"),
    "no pairs": (lambda: CostMatrix.from_pairs({}), "not empty"),
    "pair of three": (lambda: CostMatrix.from_pairs({("a", "b", "c"): 1}), "tuple"),
    "pair as text": (lambda: CostMatrix.from_pairs({"ab": 1}), "tuple"),
    "pair missing": (lambda: CostMatrix.from_pairs({("a", "b"): 1}), r"missing: \('b', 'a'\)"),
    "pair nan": (lambda: CostMatrix.from_pairs({("a", "b"): np.nan}), "the cost of .* must be finite"),
    "pair text": (lambda: CostMatrix.from_pairs({("a", "b"): "1"}), "the cost of .* must be numbers"),
    "pair list": (lambda: CostMatrix.from_pairs({("a", "b"): [1, 2]}), "the cost of .* must be one number"),
    "pair none": (lambda: CostMatrix.from_pairs({("a", None): 1}), "class label must be"),
    "pair unknown": (lambda: CostMatrix.from_pairs({("a", "z"): 1}, ["a", "b"]), "unknown labels 'z'"),
    "default nan": (lambda: CostMatrix.from_pairs({("a", "b"): 1}, default=np.nan), "must be finite"),
    "frame list": (lambda: CostMatrix.from_frame([[0]]), "frame must be a pandas"),
    "frame wide": (lambda: CostMatrix.from_frame(pd.DataFrame(np.zeros((2, 4)))), "got 2 rows and 4 columns"),
    "frame names": (
        lambda: CostMatrix.from_frame(pd.DataFrame(np.zeros((2, 2)), columns=["a", "b"])),
        "unknown labels 0",
    ),
    "frame twice": (
        lambda: CostMatrix.from_frame(pd.DataFrame(np.zeros((2, 2)), columns=["a", "b"], index=["a", "a"])),
        "distinct",
    ),
    "frame columns twice": (
        lambda: CostMatrix.from_frame(pd.DataFrame(np.zeros((2, 2)), columns=["a", "a"], index=["a", "b"])),
        "a",
    ),
    "frame gap": (
        lambda: CostMatrix.from_frame(pl.DataFrame({"x": ["a", "b"], "a": [0, None], "b": [1, 0]})),
        "finite",
    ),
    "frame text": (
        lambda: CostMatrix.from_frame(pl.DataFrame({"x": ["a", "b"], "a": ["0", "1"], "b": ["1", "0"]})),
        "numbers",
    ),
    "json list": (lambda: CostMatrix.from_dict([1]), "mapping with the keys"),
    "json empty": (lambda: CostMatrix.from_dict({}), "mapping with the keys"),
    "json extra": (lambda: CostMatrix.from_dict({"values": [[0]], "code": "x"}), "mapping with the keys"),
    "json text": (lambda: CostMatrix.from_dict({"values": "abc"}), "must be numbers"),
    "json labels": (lambda: CostMatrix.from_dict({"values": [[0]], "classes": 7}), "ordered sequence"),
    "how": (lambda: BAD_GOOD.vector("median"), "how must be 'sum', 'max', 'min' or 'mean'"),
    "far apart": (lambda: CostMatrix([[0, 1e-300], [1e300, 0]]).normalise(), "too far apart"),
    "y 2d": (lambda: BAD_GOOD.expand([["bad"]]), "y must be one-dimensional"),
    "y unknown": (lambda: BAD_GOOD.expand(["baad"]), "did you mean 'bad'"),
    "argument text": (lambda: as_cost_matrix("no such file.csv", ["a"]), "No such file"),
    "argument number": (lambda: as_cost_matrix(5, ["a", "b"]), "square array"),
    "argument size": (lambda: as_cost_matrix(np.zeros((3, 3)), ["a", "b"]), "give it labels"),
}


@pytest.mark.parametrize("name", MATRICES)
def test_malformed_matrices(name):
    call, message = MATRICES[name]
    with pytest.raises((ValueError, TypeError, FileNotFoundError), match=message) as caught:
        call()
    assert len(str(caught.value).split()) > 3


H = "actual\\predicted,a,b\n"
CSV_FILES = {
    "empty": ("", "is empty"),
    "blank": ("\n  \n,,\n", "is empty"),
    "header only": (H, "a header and no rows"),
    "corner only": ("actual\\predicted\n", "names no class"),
    "one row": (H + "a,0,1\n", "no row for the predicted classes 'b'"),
    "three rows": (H + "a,0,1\nb,1,0\nc,1,1\n", "unknown labels 'c'"),
    "row twice": (H + "a,0,1\na,1,0\n", "distinct, repeated: 'a'"),
    "column twice": ("actual,a,a\na,0,1\nb,1,0\n", "distinct, repeated: 'a'"),
    "typo": (H + "a,0,1\nB,1,0\n", "unknown labels 'B'"),
    "short row": (H + "a,0,1\nb,1\n", "line 3 has 2 cells, but the header has 3"),
    "long row": (H + "a,0,1,2\nb,1,0\n", "line 2 has 4 cells"),
    "text": (H + "a,0,one\nb,1,0\n", "line 2: the cost must be a finite number, got 'one'"),
    "gap": (H + "a,0,\nb,1,0\n", "line 2: the cost must be a finite number, got ''"),
    "nan": (H + "a,0,nan\nb,1,0\n", "got 'nan'"),
    "inf": (H + "a,0,1\nb,inf,0\n", "line 3: .* got 'inf'"),
    "overflow": (H + "a,0,1e999\nb,1,0\n", "got '1e999'"),
    "underscore": (H + "a,0,1_0\nb,1,0\n", "got '1_0'"),
    "comma decimals": (H + "a,0,1,5\nb,1,0\n", "4 cells"),
    "transposed": ("predicted\\actual,a,b\na,0,1\nb,1,0\n", "rows must be actual classes"),
    "no label": (H + ",0,1\nb,1,0\n", "must not be empty"),
    "empty column": ("actual,a,\na,0,1\nb,1,0\n", "must not be empty"),
    "open quote": (H + 'a,0,1\n"b,1,0\n', "is not CSV"),
    "numbers only": ("0,1\n1,0\n", "begins with the number 0"),
    "not text": (b"\x80\x81", "not a text file in UTF-8"),
    "nul": (H + "a\0,0,1\nb,1,0\n", "NUL|not CSV|unknown"),
}


@pytest.mark.parametrize("name", CSV_FILES)
def test_malformed_csv(name, tmp_path):
    content, message = CSV_FILES[name]
    path = tmp_path / "bad.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        CostMatrix.from_csv(path)
    assert "bad.csv" in str(caught.value)


C50_FILES = {
    "empty": ("", "has no entry"),
    "comments": ("| nothing\n  | here\n", "has no entry"),
    "no cost": ("a, b\n", "line 1 must read 'predicted, actual: cost'"),
    "no comma": ("a b: 3\n", "must read"),
    "three names": ("a, b, c: 3\n", "must read"),
    "two colons": ("a, b: 3: 4\n", "must read"),
    "no name": (", b: 3\n", "must read"),
    "no actual": ("a, : 3\n", "must read"),
    "cost gap": ("a, b:\n", "line 1: the cost must be a finite number, got ''"),
    "cost text": ("| x\na, b: dear\n", "line 2: the cost must be a finite number, got 'dear'"),
    "cost nan": ("a, b: nan\n", "got 'nan'"),
    "cost inf": ("a, b: inf\n", "got 'inf'"),
    "negative": ("a, b: -1\n", "at least 0, got -1"),
    "twice": ("a, b: 1\nb, a: 2\na, b: 3\n", "line 3 repeats"),
    "diagonal": ("a, a: 2\n", "being right about 'a' must be 0"),
    "unknown": ("a, z: 2\n", "unknown labels 'z'"),
    "unknown case": ("A, b: 2\n", "unknown labels 'A'"),
    "escaped away": ("a\\, b: 2\n", "must read"),
    "csv": ("actual,a,b\na,0,1\nb,1,0\n", "must read"),
    "not text": (b"\x80\x81", "not a text file in UTF-8"),
}


@pytest.mark.parametrize("name", C50_FILES)
def test_malformed_c50(name, tmp_path):
    content, message = C50_FILES[name]
    path = tmp_path / "bad.costs"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=message) as caught:
        CostMatrix.from_c50(path, ["a", "b"])
    assert "bad.costs" in str(caught.value)


def test_malformed_json(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text("{")
    with pytest.raises(ValueError, match=r"bad\.json is not JSON"):
        as_cost_matrix(path, ["a", "b"])


@given(st.text(max_size=60))
def test_readers_answer_any_text_with_a_matrix_or_a_sentence(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("any")
    for name, read in (("x.csv", CostMatrix.from_csv), ("x.costs", CostMatrix.from_c50)):
        path = folder / name
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            assert np.isfinite(read(path).values).all()
        except ValueError as error:
            assert len(str(error)) > 20


def test_a_message_names_eight_of_many():
    labels = [letter for letter in "abcdefghij" for _ in range(2)]
    with pytest.raises(ValueError, match=r"repeated: 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and 2 more$"):
        CostMatrix(np.zeros((20, 20)), labels)
    with pytest.raises(ValueError, match=r"repeated: 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'$"):
        CostMatrix(np.zeros((16, 16)), labels[:16])
