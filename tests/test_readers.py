"""Table files: what they mean, and that a damaged one says where it is damaged."""

import gzip
import math
import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes.table import Column, Schema, Table, TableFileError, read_table, write_arff

DATA = Path(os.environ.get("STAKES_DATA", "")) if os.environ.get("STAKES_DATA") else None
needs_data = pytest.mark.skipif(DATA is None, reason="STAKES_DATA names no folder of data sets")
HEADER = "@relation r\n@attribute n numeric\n@attribute c {a,b}\n@attribute class {x,y}\n@data\n"
NAMES = "x, y.\nn: continuous.\nc: a, b.\n"


def write(folder, files):
    """Write the files and return the path of the first."""
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / next(iter(files))


def rows(table):
    """Python values, None for missing, the label last."""
    columns = []
    for column, values in zip(table.schema.columns, table.columns):
        shown = [*column.categories, None]
        columns.append(
            [shown[v] for v in values]
            if column.is_nominal
            else [None if math.isnan(v) else v for v in values]
        )
    if table.y is not None:
        columns.append([None if code < 0 else table.classes[code] for code in table.y])
    return list(zip(*columns))


# --- ARFF -------------------------------------------------------------------------------------------------


def test_arff_with_everything(tmp_path):
    text = """% a comment
@RELATION 'odd one'

@Attribute 'the age' REAL
@attribute\t"job's"\t{ 'a b' , "c,d",\tplain, 'it\\'s', '?' } % why
@attribute note string
@attribute wide{u,v}
@ATTRIBUTE Class { yes, no }
@DATA
% another
 1.5 , 'a b', "free text", u, yes
?,?,?,?,?

-2e3,'c,d',other,v,no, {2.5}
+7,'it\\'s',other,v,no % trailing
.5,'?',other,v,no
{0 4, 2 'free text', 4 no}
{ }, {0.5}
"""
    table = read_table(write(tmp_path, {"a.arff": text.replace("\n", "\r\n")}))
    assert table.target == "Class"
    assert table.schema.names == ("the age", "job's", "note", "wide")
    assert table.schema.columns[1].categories == ("a b", "c,d", "plain", "it's", "?")
    assert table.schema.columns[2].categories == ("free text", "other")
    assert rows(table) == [
        (1.5, "a b", "free text", "u", "yes"),
        (None, None, None, None, None),
        (-2000, "c,d", "other", "v", "no"),
        (7, "it's", "other", "v", "no"),
        (0.5, "?", "other", "v", "no"),
        (4, "a b", "free text", "u", "no"),
        (0, "a b", None, "u", "yes"),
    ]
    assert table.weights.tolist() == [1, 1, 2.5, 1, 1, 1, 0.5]


@pytest.mark.parametrize(
    "encode", [lambda s: s.encode("latin-1"), lambda s: s.encode(), lambda s: s.encode("utf-8-sig")]
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_encodings_and_gzip(tmp_path, encode, compress):
    text = HEADER.replace("{a,b}", "{ä,b}") + "1,ä,x\n"
    path = write(tmp_path, {"a.arff": compress(encode(text))})
    assert rows(read_table(path)) == [(1, "ä", "x")]
    mac = write(tmp_path, {"m.arff": (HEADER + "1,a,x\n").replace("\n", "\r")})
    assert rows(read_table(mac)) == [(1, "a", "x")]


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 6))
    names = draw(st.lists(TEXT.filter(bool), min_size=1, max_size=4, unique=True))
    columns, arrays = [], []
    for name in names:
        if draw(st.booleans()):
            columns.append(Column(name))
            arrays.append(draw(st.lists(st.floats(allow_infinity=False), min_size=n, max_size=n)))
        else:
            values = draw(st.lists(TEXT, max_size=4, unique=True))
            columns.append(Column(name, "nominal", tuple(values)))
            arrays.append(draw(st.lists(st.integers(-1, len(values) - 1), min_size=n, max_size=n)))
    weights = draw(st.none() | st.lists(st.floats(0, 1e9), min_size=n, max_size=n))
    classes = draw(st.lists(TEXT, min_size=1, max_size=3, unique=True))
    y = draw(st.lists(st.integers(-1, len(classes) - 1), min_size=n, max_size=n))
    classes = np.array([*classes, ""], dtype=object)[:-1]
    target = draw(TEXT.filter(lambda t: t and t not in names))
    return Table(Schema(columns), arrays, y=y, classes=classes, weights=weights, target=target)


@pytest.mark.parametrize("suffix", [".arff", ".arff.gz"])
@settings(max_examples=150, deadline=None)
@given(table=tables())
def test_arff_round_trip(tmp_path_factory, suffix, table):
    path = tmp_path_factory.mktemp("round") / f"t{suffix}"
    write_arff(table, path, relation="it's")
    again = read_table(path, target=table.target)
    assert again.schema == table.schema
    assert again.classes.tolist() == table.classes.tolist()
    np.testing.assert_array_equal(again.y, table.y)
    for ours, theirs in zip(again.columns, table.columns):
        np.testing.assert_array_equal(ours, theirs)
    expected = np.ones(len(table)) if table.weights is None else table.weights
    np.testing.assert_array_equal(np.ones(len(again)) if again.weights is None else again.weights, expected)


# --- C4.5 -------------------------------------------------------------------------------------------------


def test_c45(tmp_path):
    names = """| the classes
good, bad.   | and a comment

age:\tcontinuous.
job title: hard  work, no\\, none\\:,
           a.b.
id: ignore
town: discrete 3.
"""
    data = "30, hard work, 7, Rome, good.\n?, no\\, none\\:, 8, ?, bad | x\n\n1.5,a.b,9,Bonn,good.\n"
    path = write(tmp_path, {"d.data": data, "d.names": names, "d.test": "2,a.b,1,Bonn,bad\n"})
    expected = [
        (30, "hard work", "Rome", "good"),
        (None, "no, none:", None, "bad"),
        (1.5, "a.b", "Bonn", "good"),
    ]
    table = read_table(path)
    assert rows(table) == expected
    assert table.schema.names == ("age", "job title", "town")
    assert table.classes.tolist() == ["good", "bad"]
    assert rows(read_table(tmp_path / "d.names")) == expected
    assert rows(read_table(tmp_path / "d.test")) == [(2, "a.b", "Bonn", "bad")]


def test_c50_class_among_the_attributes(tmp_path):
    path = write(tmp_path, {"d.data": "a,1\nb,2\n", "d.names": "kind.\nkind: a, b.\nn: continuous.\n"})
    table = read_table(path)
    assert rows(table) == [(1, "a"), (2, "b")]
    assert table.target == "kind"


def test_c45_gzip_and_dots_in_the_name(tmp_path):
    path = write(tmp_path, {"d.v1.data.gz": gzip.compress(b"1,a,x\n"), "d.v1.names": NAMES})
    assert rows(read_table(path)) == [(1, "a", "x")]


# --- CSV and Parquet --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv(tmp_path, mark):
    text = 'n|"a|b"|empty|Class\n1|"x ""y"""||p\nNA|"two\nlines"|?|q\n2.5|?|NaN|p\n'.replace("|", mark)
    table = read_table(write(tmp_path, {"t.csv": text}))
    assert table.schema.names == ("n", f"a{mark}b", "empty")
    assert rows(table) == [(1, 'x "y"', None, "p"), (None, "two\nlines", None, "q"), (2.5, None, None, "p")]
    assert [column.kind for column in table.schema.columns] == ["numeric", "nominal", "numeric"]


def test_whole_numbers_can_be_classes(tmp_path):
    table = read_table(write(tmp_path, {"t.csv": "a,b\n1,1\n2,\n3,0\n"}), target="b")
    assert table.classes.tolist() == [0, 1]
    assert table.y.tolist() == [1, -1, 0]
    everything = read_table(tmp_path / "t.csv", target=False)
    assert everything.schema.names == ("a", "b")
    assert everything.y is None


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(allow_nan=False, allow_infinity=False) | st.none(),
            st.text(st.characters(codec="ascii", exclude_characters="\0\r"), min_size=1).map(
                lambda t: f"s{t}e"
            )
            | st.none(),
        ),
        min_size=1,
        max_size=6,
    ).filter(lambda r: any(v is not None for _, v in r))
)
def test_csv_of_pandas_round_trip(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    pd.DataFrame(data, columns=["n", "s"]).to_csv(path, index=False)
    assert rows(read_table(path)) == data


def test_parquet(tmp_path):
    frame = pd.DataFrame(
        {
            "n": [1.5, None],
            "c": pd.Categorical(["u", None], categories=["v", "u"]),
            "t": ["p", "q"],
            "class": ["x", "y"],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert rows(table) == [(1.5, "u", "p", "x"), (None, None, "q", "y")]
    assert table.schema.columns[1].categories == ("u",)  # what is declared besides is a way of storing


# --- files that are wrong ---------------------------------------------------------------------------------


def arff(rows="1,a,x\n", **change):
    text = HEADER + rows
    for old, new in change.items():
        text = text.replace(old, new)
    return {"f.arff": text}


def head(line):
    return {"f.arff": f"@relation r\n{line}\n@data\n1\n"}


def c45(names=NAMES, data="1,a,x.\n"):
    return {"f.data": data, "f.names": names}


def csv(text):
    return {"f.csv": text}


ZIPPED = gzip.compress((HEADER + "1,a,x\n" * 200).encode())
BAD = [
    # nothing, or something else
    ({"f.arff": b""}, None, "the file is empty"),
    ({"f.csv": b" \n\n"}, None, "the file is empty"),
    ({"f.data": b"", "f.names": NAMES}, None, "the file is empty"),
    ({"f.arff.gz": b""}, None, "the file is empty"),
    ({"f.arff.gz": gzip.compress(b"")}, None, "the file is empty"),
    ({"f.arff": b"\x89PNG\r\n\x1a\n\0\0"}, 3, "not a text file"),
    ({"f.csv": b"a,b\n1,\0\n"}, 2, "not a text file"),
    ({"f.arff": HEADER.encode("utf-16-le")}, 1, "not a text file"),
    ({"f.arff": b"\x93\x02\xff\xfe\x81"}, 1, "no ARFF header"),
    ({"f.arff": "a,b\n1,2\n"}, 1, "no ARFF header"),
    ({"f.parquet": b"PAR1 no"}, None, "Parquet file cannot be read"),
    ({"f.parquet": b""}, None, "Parquet file cannot be read"),
    ({"f.xls": b"PK"}, None, "extension '.xls' is not known"),
    ({"f": b"a"}, None, "extension '' is not known"),
    ({"f.gz": b"a"}, None, "extension '' is not known"),
    # gzip
    ({"f.arff.gz": ZIPPED[:-12]}, None, "cut short or damaged"),
    ({"f.arff.gz": ZIPPED[:20]}, None, "cut short or damaged"),
    ({"f.arff.gz": ZIPPED[:3]}, None, "cut short or damaged"),
    ({"f.arff.gz": ZIPPED[:-8] + b"\0" * 8}, None, "cut short or damaged"),
    ({"f.arff.gz": ZIPPED[:12] + b"\xff" * 30}, None, "cut short or damaged"),
    ({"f.arff.gz": HEADER}, None, "content is not gzip"),
    # ARFF header
    ({"f.arff": "@relation r\n@attribute a numeric\n"}, None, "no @data"),
    ({"f.arff": "@relation r\n"}, None, "no @data"),
    ({"f.arff": "% only a comment\n"}, None, "no @data"),
    ({"f.arff": "@relation r\n@data\n1\n"}, 2, "@data comes before any @attribute"),
    (arff(""), None, "no rows of data"),
    (arff("% 1,a,x\n\n"), None, "no rows of data"),
    (head("attribute a numeric"), 2, "expected @relation, @attribute or @data"),
    (head("@attributes a numeric"), 2, "expected @relation, @attribute or @data"),
    (head("@inputs a"), 2, "expected @relation"),
    (head("@attribute"), 2, "has no name"),
    (head("@attribute {a,b}"), 2, "has no name"),
    (head("@attribute '' numeric"), 2, "has no name"),
    (head("@attribute a"), 2, "'a' has the type ''"),
    (head("@attribute a number"), 2, "'a' has the type 'number'"),
    (head("@attribute a date 'yyyy' 'MM'"), 2, "unexpected text \"'MM'\" after the type"),
    (head("@attribute a date 'yyyy"), 2, "quote is opened but not closed"),
    (head("@attribute a date 'yyyy z'"), 2, "'a' has the date pattern 'yyyy z': the letter 'z' is not read"),
    (head("@attribute a relational"), 2, "'a' is of type relational"),
    (head("@attribute a numeric really"), 2, "unexpected text 'really'"),
    (head("@attribute 'a numeric"), 2, "quote is opened but not closed"),
    (head("@attribute a {u,v"), 2, "not closed by '}'"),
    (head("@attribute a {u,v,"), 2, "not closed by '}'"),
    (head("@attribute a {"), 2, "not closed by '}'"),
    (head("@attribute a {u,'v}"), 2, "quote is opened but not closed"),
    (head("@attribute a {u,,v}"), 2, "declares an empty value"),
    (head("@attribute a {u,}"), 2, "declares an empty value"),
    (head("@attribute a {'u' 'v'}"), 2, "a comma is missing"),
    (head("@attribute a {u,v,u}"), 2, "declares the value 'u' twice"),
    (head("@attribute a {u} v"), 2, "unexpected text 'v'"),
    (head("@attribute a numeric\n@attribute a real"), 3, "'a' is declared twice"),
    # ARFF rows
    (arff("1,a\n"), 6, "row has 2 fields, but 3 are expected"),
    (arff("1,a,x,y\n"), 6, "row has 4 fields, but 3 are expected"),
    (arff("1,a,x,\n"), 6, "row has 4 fields, but 3 are expected"),
    (arff("1,a,x\n\n% c\n2,b\n"), 9, "row has 2 fields"),
    (arff("1 a x\n"), 6, "numeric, but '1 a x'"),
    (arff("1;a;x\n"), 6, "is not a finite number"),
    (arff("one,a,x\n"), 6, "column 'n' is numeric, but 'one'"),
    (arff(",a,x\n"), 6, "column 'n' is numeric, but ''"),
    (arff("1,5,a,x\n"), 6, "no value '5' among those declared"),
    (arff("inf,a,x\n"), 6, "not a finite number"),
    (arff("nan,a,x\n"), 6, "not a finite number"),
    (arff("1e999,a,x\n"), 6, "not a finite number"),
    (arff("0x10,a,x\n"), 6, "not a finite number"),
    (arff("1_000,a,x\n"), 6, "not a finite number"),
    (arff("--1,a,x\n"), 6, "not a finite number"),
    (arff("1e,a,x\n"), 6, "not a finite number"),
    (arff("1,A,x\n"), 6, "column 'c' has no value 'A'"),
    (arff("1,,x\n"), 6, "column 'c' has no value ''"),
    (arff("1,a,z\n"), 6, "column 'class' has no value 'z'"),
    (arff("1,a,x\n1,'a,x\n2,b,y\n"), 7, "quote is opened but not closed"),
    (arff("1,'a\\"), 6, "quote is opened but not closed"),
    (arff("1,'a'b,x\n"), 6, "text follows a closing quote"),
    (arff("1,a,x,{-1}\n"), 6, "weight '-1' is not a number >= 0"),
    (arff("1,a,x,{u}\n"), 6, "weight 'u' is not a number"),
    (arff("1,a,x,{2\n"), 6, "not closed by '}'"),
    (arff("1,a,x,{2},{3}\n"), 6, "text follows the end of the row"),
    (arff("1,a,x,{2} u\n"), 6, "text follows the end of the row"),
    (arff("{3 1}\n"), 6, "index 3 of a sparse row is beyond the 3 attributes"),
    (arff("{99999999999999999999 1}\n"), 6, "needs an index"),
    (arff("{-1 1}\n"), 6, "needs an index, not '-1'"),
    (arff("{u 1}\n"), 6, "needs an index, not 'u'"),
    (arff("{0 1, 0 2}\n"), 6, "index 0 occurs twice"),
    (arff("{0 1, 1 q}\n"), 6, "no value 'q'"),
    (arff("{0 1\n"), 6, "must be '{index value, ...}'"),
    (arff("{0 1 1 a}\n"), 6, "must be '{index value, ...}'"),
    (arff("{0 1}, 2\n"), 6, "only a weight"),
    (arff("{0 1} 2\n"), 6, "text follows the end of the row"),
    (arff("{0\n"), 6, "not a finite number"),
    (arff("1,a,x\n1,é" + "ü" * 60 + ",x\n"), 7, "column 'c' has no value"),
    # C4.5
    ({"f.data": "1,a,x\n"}, None, "f.names is not beside it"),
    ({"f.names": NAMES}, None, "f.data is not beside it"),
    (c45(names="| nothing\n"), 2, "list of classes is missing"),
    (c45(names="x, y.\n"), None, "no attribute is declared"),
    (c45(names="x, x.\nn: continuous.\n"), None, "'x' occurs more than once"),
    (c45(names="x, y.\nn continuous.\n"), 2, "not followed by ':'"),
    (c45(names="x, y.\nn: continous.\n"), 2, "has the type 'continous'"),
    (c45(names="x, y.\nn: discrete.\n"), 2, "has the type 'discrete'"),
    (c45(names="x, y.\nn: discrete 0.\n"), 2, "has the type 'discrete 0'"),
    (c45(names="x, y.\nn: a, a.\n"), 2, "declares the value 'a' twice"),
    (c45(names="x, y.\nn: a,, b.\n"), 2, "empty value"),
    (c45(names="x, y.\nn: a, b,"), 2, "ends in the middle of a list"),
    (c45(names="x, y\nn: a, b: c.\n"), 2, "':' follows the value 'b'"),
    (c45(names="x, y.\nn:"), 2, "no type and no values"),
    (c45(names="x, y.\nn: continuous.\nn: continuous.\n"), None, "'n' occurs more than once"),
    (
        c45(names="x, y.\nn: ignore.\nc: discrete 1.\n", data="1,a,x\n1,b,x\n"),
        None,
        "declared with 1 values, but has 2",
    ),
    (c45(data="1,a\n"), 1, "row has 2 fields, but 3 are expected"),
    (c45(data="1,a,x\n1,a,x,y\n"), 2, "row has 4 fields"),
    (c45(data="u,a,x\n"), 1, "column 'n' is numeric"),
    (c45(data="1,q,x\n"), 1, "no value 'q'"),
    (c45(data="1,a,z.\n"), 1, "no value 'z'"),
    (c45(data="| none\n"), None, "no rows of data"),
    # CSV
    (csv("a,b\n"), None, "no rows of data"),
    (csv("a,b\n1\n"), 2, "row has 1 fields, but 2 are expected"),
    (csv("a,b\n1,2\n1,2,3\n"), 3, "row has 3 fields, but 2 are expected"),
    (csv("a,a\n1,2\n"), 1, "'a' occurs more than once"),
    (csv("1,2\n3,4\n"), 1, "a header with names is needed"),
    (csv('a,"b\n1,2\n'), 1, "quote in the header is opened but not closed"),
    (csv('a,b\n1,"2\n3,4\n'), 2, "quote is opened but not closed"),
    (csv('a,b\n1,"2"3\n'), 2, "text follows a closing quote"),
    (csv('"a"b,c\n1,2\n'), 1, "header cannot be read"),
    (csv('a,b\n"x\ny",1\n2\n'), 4, "row has 1 fields"),
    (csv("a,class\n1,0.5\n2,1\n"), None, "numbers with fractions"),
]


@pytest.mark.parametrize(("files", "line", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_files(tmp_path, files, line, sentence):
    path = write(tmp_path, files)
    with pytest.raises(TableFileError) as caught:
        read_table(path)
    error = caught.value
    assert sentence in error.message
    assert error.line == line
    assert error.message.endswith(".")
    assert str(error).startswith(str(error.path))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_at_least_a_hundred_bad_files():
    assert len(BAD) >= 100


def test_a_target_that_is_not_there(tmp_path):
    with pytest.raises(TableFileError, match=r"no column 'goal' .*; the columns are 'n', 'c', 'class'"):
        read_table(write(tmp_path, arff()), target="goal")


def test_a_file_that_is_not_there(tmp_path):
    for name in ("no.arff", "no.csv", "no.parquet", "no.arff.gz"):
        with pytest.raises(FileNotFoundError, match="no"):
            read_table(tmp_path / name)


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "d.arff").mkdir()
    with pytest.raises(TableFileError, match="cannot be opened"):
        read_table(tmp_path / "d.arff")


GOOD = (HEADER + "1,'a',x,{2}\n{0 1, 2 y}\n").encode()


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_damaged_files_never_crash(tmp_path_factory, data):
    sources = {"f.arff": GOOD, "f.csv": b'n,"c",class\n1,"a;b",x\n2,b,y\n', "f.names": NAMES.encode()}
    name = data.draw(st.sampled_from(list(sources)))
    content = bytearray(sources[name])
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        stop = data.draw(st.integers(start, min(start + 10, len(content))))
        content[start:stop] = data.draw(
            st.binary(max_size=6) | st.sampled_from([b"'", b'"', b"{", b",", b"\n", b"\\"])
        )
    folder = tmp_path_factory.mktemp("damaged")
    path = write(folder, {name: bytes(content), "f.data": b"1,a,x\n2,b,y\n"})
    try:
        table = read_table(path)
    except TableFileError as error:
        assert error.message.endswith(".")
    else:
        assert table.n_samples > 0


# --- files of the papers ----------------------------------------------------------------------------------


@needs_data
def test_counts_of_the_papers_data_sets():
    manifest = pd.read_csv(DATA / "MANIFEST.csv")
    for known in manifest[manifest.rows <= 10_000].itertuples():
        table = read_table(DATA / f"{known.name}.arff.gz")
        assert (table.n_samples, len(table.schema), len(table.classes)) == (
            known.rows,
            known.attributes,
            known.classes,
        )
        assert sum(column.is_nominal for column in table.schema.columns) == known.nominal
        missing = sum(
            (values < 0).sum() if values.dtype == np.int32 else np.isnan(values).sum()
            for values in table.columns
        )
        assert missing / (known.rows * known.attributes) == pytest.approx(known.missing_fraction, abs=1e-6)
        smallest = np.bincount(table.y).min() / known.rows
        assert smallest == pytest.approx(known.minority_fraction, abs=1e-6)
