"""The compiled row reader against its slow twin, and against bytes that mean nothing."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.text import IGNORED, NOMINAL, NUMERIC, OPEN, PROBE, Bad, number, read_rows
from stakes import _core

OPTIONS = {
    "arff": dict(
        quotes="'\"", escapes=True, sparse_rows=True, comment="%", comment_after_blank=True, missing=["?"]
    ),
    "c45": dict(escapes=True, final_period=True, comment="|", comment_anywhere=True, missing=["?"]),
    "csv": dict(
        quotes='"', doubled_quotes=True, multiline=True, quoted_missing=True, missing=["", "?", "NA"]
    ),
    "code": dict(quotes='"', missing=["-999", "?"]),
    "tsv": dict(delimiter="\t", quotes='"', doubled_quotes=True, multiline=True, missing=[""]),
}
COLUMNS = [
    [("a", NUMERIC, []), ("b", NOMINAL, ["x", "y y", ""]), ("c", OPEN, [])],
    [("a", OPEN, []), ("b", IGNORED, [])],
    [("a", PROBE, []), ("b", NUMERIC, []), ("c", PROBE, [])],
    [("a", NUMERIC, [])],
    [("a", OPEN, [])],
]
PIECES = [
    "1",
    "-2.5",
    "x",
    "y y",
    "?",
    "NA",
    " ",
    "\t",
    ",",
    ",",
    ",",
    "\n",
    "\n",
    "\r\n",
    "'",
    '"',
    '""',
    "\\",
    "\\n",
]
PIECES += ["{", "}", "{0 ", "{1 x}", "%", " %", "|", ".", "é", "1e5", "inf", "nan", ".", "\f"]


def core(text, first_line, name, columns, more=False):
    names, kinds, values = (list(part) for part in zip(*columns))
    format = _core.TextFormat(**OPTIONS[name])
    return _core.read_rows(text, 0, first_line, format, names, kinds, values, more)


def rows_of(*reads):
    """Values of the columns, one after the other; codes of collected values are no part of them."""
    columns = []
    for parts in zip(*(results for results, *_ in reads)):
        columns.append([bool(all(part[2] for part in parts))])
        for array, distinct, _ in parts:
            cells = [] if array is None else array.tolist()
            columns[-1] += map(repr, cells) if distinct is None else [([*distinct, None])[c] for c in cells]
    weights = [np.ones(n) if weights is None else weights for _, weights, n, _, _ in reads]
    return columns, np.concatenate(weights).tolist()


def compare_in_two(text, name, columns, cut):
    """Read a text cut anywhere: what may go on behind the cut is read with the rest."""

    def outcome(read):
        try:
            return rows_of(*read())
        except _core.TextError as error:
            return str(error)

    def in_two():
        first = core(text[:cut], 7, name, columns, more=True)
        *_, end, line = first
        return first, core(text[end:], line, name, columns)

    assert outcome(in_two) == outcome(lambda: [core(text, 7, name, columns)])


def compare(text, name, columns):
    try:
        expected = read_rows(text, 7, _core.TextFormat(**OPTIONS[name]), columns)
    except Bad as bad:
        with pytest.raises(_core.TextError, match=rf"^line {bad.line}: .+\.$"):
            core(text.encode(), 7, name, columns)
        return None
    results, weights, n_rows, end, line = core(text.encode(), 7, name, columns)
    assert end == len(text.encode()) and line == 7 + text.count("\n")
    assert n_rows == len(expected.weights)
    np.testing.assert_array_equal(weights if weights is not None else np.ones(n_rows), expected.weights)
    for j, (array, distinct, all_numbers) in enumerate(results):
        kind = columns[j][1]
        if kind in (IGNORED, PROBE):
            assert array is None
        else:
            assert array.dtype == (np.float64 if kind == NUMERIC else np.int32)
            np.testing.assert_array_equal(array, np.array(expected.cells[j], dtype=array.dtype))
        if kind == OPEN:
            assert distinct == expected.columns[j][2]
        assert all_numbers == expected.all_numbers[j]
    return expected


@pytest.mark.parametrize("columns", COLUMNS, ids=range(len(COLUMNS)))
@pytest.mark.parametrize("name", OPTIONS)
@settings(max_examples=120, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=25))
def test_agrees_with_the_twin_on_scraps(name, columns, pieces):
    compare("".join(pieces), name, columns)


@pytest.mark.parametrize("columns", COLUMNS, ids=range(len(COLUMNS)))
@pytest.mark.parametrize("name", OPTIONS)
@settings(max_examples=60, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=25), share=st.floats(0, 1))
def test_a_text_in_two_pieces_holds_the_same_rows(name, columns, pieces, share):
    text = "".join(pieces).encode()
    compare_in_two(text, name, columns, round(share * len(text)))


PARTS = ["a", "n", "t", ",", "\\n", "\\\\", "\\'", '""', " ", "%", "|", "{", ".", "é", "\n"]
WORDS = st.lists(st.sampled_from(PARTS), max_size=5)
PLAIN = [
    "1",
    "2.50",
    "?",
    "-3e-2",
    "x",
    " x ",
    "y y",
    "y\t y",
    "z",
    "NA",
    "",
    "a\\,b",
    "z\\.",
    "z .",
    " %",
    "z\\ ",
]
PLAIN += ["z\\\\ ", "z\\\\.", "z\\ .", "z. ", "\\", "\\ \\ ."]
CELL = st.one_of(
    st.sampled_from(PLAIN),
    st.tuples(st.sampled_from("'\""), WORDS).map(lambda pair: pair[0] + "".join(pair[1]) + pair[0]),
)
END = st.sampled_from(["", "", "", ".", " .", ",{2}", ", {0.5}", " % why", "|why", ",", "\r"])


@pytest.mark.parametrize("name", OPTIONS)
@settings(max_examples=300, deadline=None)
@given(rows=st.lists(st.tuples(CELL, CELL, END), max_size=4), sparse=st.booleans(), share=st.floats(0, 1))
def test_agrees_with_the_twin_on_rows(name, rows, sparse, share):
    # Columns that take anything, so that a row fails for its syntax only and later rows are reached.
    columns = [("a", OPEN, []), ("b", OPEN, [])]
    mark = "\t" if name == "tsv" else ","
    shape = f"{{{{1 {{}}{mark} 0 {{}}}}}}{{}}" if sparse and name == "arff" else f"{{}}{mark}{{}}{{}}"
    text = "\n".join(shape.format(*row) for row in rows)
    compare(text, name, columns)
    compare_in_two(text.encode(), name, columns, round(share * len(text.encode())))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(CELL, CELL, CELL), max_size=3))
def test_agrees_with_the_twin_on_typed_rows(rows):
    for name in OPTIONS:
        compare("\n".join(",".join(row) for row in rows), name, COLUMNS[0])


def test_rows_are_read_at_all():
    # Guards the two tests above against scraps that are all errors.
    columns = COLUMNS[0]
    text = "1,x,p\n% note\n?,'y y','it\\'s', {3}\n{0 5, 2 q}\n"
    expected = compare(text, "arff", columns)
    assert expected.cells[1] == [0, 1, 0]
    assert expected.weights == [1, 3, 1]
    assert expected.columns[2][2] == ["p", "it's", "q"]
    assert compare('1,x,"a\n""b"""\n', "csv", columns).columns[2][2] == ['a\n"b"']
    assert compare("1, y   y, a\\,b. | note\n", "c45", columns).columns[2][2] == ["a,b"]


@settings(max_examples=500, deadline=None)
@given(
    data=st.binary(max_size=200),
    name=st.sampled_from(list(OPTIONS)),
    columns=st.sampled_from(COLUMNS),
)
def test_random_bytes_give_a_table_or_an_error(data, name, columns):
    try:
        core(data, 1, name, columns)
    except ValueError as error:  # TextError, or UnicodeDecodeError for names that are no text
        assert str(error)


@settings(max_examples=500, deadline=None)
@given(
    st.one_of(st.floats(allow_nan=False).map(repr), st.from_regex(r"[+-]?[0-9.eE+-]{1,20}", fullmatch=True))
)
def test_numbers_are_pythons_numbers(text):
    expected = number(text)
    column = [("a", NUMERIC, [])]
    if expected is None:
        with pytest.raises(_core.TextError, match="not a finite number"):
            core(text.encode(), 1, "arff", column)
    else:
        value = core(text.encode(), 1, "arff", column)[0][0][0][0]
        assert value == expected
        assert math.copysign(1, value) == math.copysign(1, expected)


@pytest.mark.parametrize(
    "text", ["1e-400", "-1e-400", "4.9e-324", "1" * 400 + "e-390", "0." + "0" * 400 + "1"]
)
def test_tiny_and_long_numbers(text):
    assert core(text.encode(), 1, "arff", [("a", NUMERIC, [])])[0][0][0][0] == float(text)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((b"1\n", 0, 1, [], [], []), "same length"),
        ((b"1\n", 0, 1, ["a"], [0, 0], [[]]), "same length"),
        ((b"1\n", 0, 1, ["a"], [5], [[]]), "kinds must be"),
        ((b"1\n", 0, 1, ["a"], [-1], [[]]), "kinds must be"),
        ((b"1\n", 3, 1, ["a"], [0], [[]]), "offset"),
    ],
)
def test_the_binding_trusts_nothing(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        _core.read_rows(*arguments[:3], _core.TextFormat(), *arguments[3:])


def test_arrays_outlive_the_call():
    arrays = [core(b"1\n2\n3\n", 1, "csv", [("a", NUMERIC, [])])[0][0][0] for _ in range(100)]
    assert all(array.tolist() == [1, 2, 3] for array in arrays)
