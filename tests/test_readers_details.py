"""Corners of the table files: what is written byte by byte, what headers may hold, how messages are cut."""

import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stakes.table import Column, Schema, Table, read_table, write_arff
from stakes.table._readers import read_parquet, read_raw
from stakes.table._readers.arff import quote, read_arff
from stakes.table._readers.c45 import read_c45, read_names
from stakes.table._readers.common import (
    READERS,
    FieldKind,
    TableFileError,
    read_bytes,
    read_text,
    suffix_of,
)
from stakes.table._readers.delimited import read_csv


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def error(folder, name, content, **options):
    with pytest.raises(TableFileError) as caught:
        read_table(write(folder, name, content), **options)
    return caught.value


# ---- ARFF --------------------------------------------------------------------------------------------------

WRITTEN = """\
% one
%
% two
@relation 'my data'

@attribute 'the n' numeric
@attribute c {'a b','it\\'s','back\\\\slash','tab\\tend','line\\nend\\r',plain,'','?','50%','"','{','}'}
@attribute goal {x,y}

@data
1,'a b',x,{2}
-0.5,plain,y,{0.25}
?,?,?,{1}
999999999999999,'',x,{1}
1e+15,'}',y,{1}
"""


def test_arff_is_written_byte_by_byte_and_read_again(tmp_path):
    categories = (
        "a b",
        "it's",
        "back\\slash",
        "tab\tend",
        "line\nend\r",
        "plain",
        "",
        "?",
        "50%",
        '"',
        "{",
        "}",
    )
    table = Table(
        Schema((Column("the n"), Column("c", "nominal", categories))),
        [
            np.array([1.0, -0.5, np.nan, 999999999999999.0, 1e15]),
            np.array([0, 5, -1, 6, 11], dtype=np.int32),
        ],
        y=np.array([0, 1, -1, 0, 1], dtype=np.int32),
        classes=np.array(["x", "y"]),
        weights=np.array([2, 0.25, 1, 1, 1]),
        target="goal",
    )
    path = tmp_path / "t.arff"
    write_arff(table, path, "my data", "one\n\ntwo")
    assert path.read_bytes().decode() == WRITTEN.replace("1e+15", repr(1e15))
    back = read_table(path, target="goal")
    assert back.schema == table.schema and back.weights.tolist() == table.weights.tolist()
    assert back.columns[1].tolist() == table.columns[1].tolist() and back.y.tolist() == table.y.tolist()
    for _ in range(2):  # the same bytes whenever it is written
        write_arff(table, tmp_path / "t.arff.gz", "my data", "one\n\ntwo")
        assert gzip.decompress((tmp_path / "t.arff.gz").read_bytes()) == path.read_bytes()
        assert (tmp_path / "t.arff.gz").read_bytes()[4:8] == b"\0\0\0\0"
    plain = Table(
        Schema((Column("n"),)), [np.array([3.0])], y=np.array([0], np.int32), classes=np.array(["u"])
    )
    write_arff(plain, path)
    assert path.read_text() == "@relation table\n\n@attribute n numeric\n@attribute class {u}\n\n@data\n3,u\n"
    write_arff(Table(Schema((Column("n"),)), [np.array([3.0])]), path)
    assert path.read_text() == "@relation table\n\n@attribute n numeric\n\n@data\n3\n"
    assert [quote(text) for text in ("a", "a,b", "a{", "a}")] == ["a", "'a,b'", "'a{'", "'a}'"]


def test_what_an_arff_header_may_hold(tmp_path):
    text = (
        "@relation r\n"
        "@attribute n1 numeric [0,10]\n"
        "@attribute n2 integer {a}\n"
        "@attribute n3 real % why\n"
        "@attribute 'q\\'\\t\\n\\rx\\y' {u, 'v\\'w' , \"x\\\"\" } % comment\n"
        "@attribute twice {u}}\n"
        "@attribute none {}\n"
        "@attribute s STRING\n"
        "@attribute{p} {''}\n"
        "@data\n"
        "1,2,3,'v\\'w',u,?,zz,''\n"
        "4,5,6,u,?,?,aa,?\n"
    )
    with pytest.raises(TableFileError, match="has no name"):
        read_raw(write(tmp_path, "t.arff", text), None)
    table = read_raw(write(tmp_path, "t.arff", text.replace("@attribute{p}", "@attribute p")), None)
    assert [column.name for column in table.columns] == [
        "n1",
        "n2",
        "n3",
        "q'\t\n\rxy",
        "twice",
        "none",
        "s",
        "p",
    ]
    assert [column.categories for column in table.columns[3:]] == [
        ("u", "v'w", 'x"'), ("u",), (), ("aa", "zz"), ("",),
    ]  # fmt: skip
    assert [array.tolist() for array in table.arrays[3:]] == [[1, 0], [0, -1], [-1, -1], [1, 0], [0, -1]]
    assert table.target is None and table.y is None


@pytest.mark.parametrize(
    ("line", "number", "message"),
    [
        ("nonsense " + "x" * 60, 2, f"got {('nonsense ' + 'x' * 60)[:40]!r}; this is no ARFF header."),
        (
            "@attribute a " + "x" * 60,
            2,
            f"has the type {'x' * 40!r}; numeric, real, integer, string, date or",
        ),
        (
            "@attribute a real " + "x" * 60,
            2,
            f"unexpected text {'x' * 40!r} after the type of attribute 'a'.",
        ),
        (
            "@attribute a {u} " + "x" * 60,
            2,
            f"unexpected text {'x' * 40!r} after the values of attribute 'a'.",
        ),
        ("@attribute a {u} }}", 2, "unexpected text '}}' after"),
        ("@attribute a real [0", 2, "unexpected text '[0'"),
        ("@attribute a relational", 2, "Hint: make it numeric or nominal."),
        ("@attribute a {u v w, 'x'y}", 2, "a comma is missing"),
        ("% c\n\n@attribute a {'}", 4, "a quote is opened but not closed."),
    ],
)
def test_what_is_wrong_in_an_arff_header(tmp_path, line, number, message):
    found = error(tmp_path, "t.arff", f"@relation r\n{line}\n@data\n1\n")
    assert message in found.message and found.line == number


def test_an_arff_file_may_end_in_its_header(tmp_path):
    found = error(tmp_path, "t.arff", "@relation r\n@attribute n numeric\n@data")
    assert found.message == "there are no rows of data."
    assert read_table(write(tmp_path, "t.arff", "@attribute n numeric\n@data\n1")).columns[0].tolist() == [1]
    table = read_table(
        write(tmp_path, "t.arff", "@attribute n numeric\n@attribute CLASS {a,b}\n@data\n1,b\n")
    )
    assert table.target == "CLASS" and table.labels().tolist() == ["b"]


# ---- C4.5 --------------------------------------------------------------------------------------------------


def test_what_names_may_declare(tmp_path):
    path = write(
        tmp_path,
        "d.names",
        "x,y|comment\nclass : [ordered] low , mid\\, dle,high.\nclass_: discrete 2.\nid: label.|c\n"
        "v1.5: a.b, c\\.\nlast:\n  continuous. | no line end",
    )
    declared, target = read_names(path)
    assert target == "class__"
    assert [(one.name, one.kind, one.values, one.most_values) for one in declared] == [
        ("class", FieldKind.NOMINAL, ["low", "mid, dle", "high"], None),
        ("class_", FieldKind.OPEN, [], 2),
        ("id", FieldKind.IGNORED, [], None),
        ("v1.5", FieldKind.NOMINAL, ["a.b", "c."], None),
        ("last", FieldKind.NUMERIC, [], None),
        ("class__", FieldKind.NOMINAL, ["x", "y"], None),
    ]
    write(tmp_path, "d.data", "low,zz,7,a.b,1,x\nhigh,aa,8,c.,2,y\n")
    table = read_table(tmp_path / "d.data")
    assert table.schema.columns[1].categories == ("zz", "aa")  # as they come
    assert table.schema.names == ("class", "class_", "v1.5", "last") and table.labels().tolist() == ["x", "y"]


def test_c45_files_beside_each_other(tmp_path):
    write(tmp_path, "d.names.gz", gzip.compress(b"x, y.\nn: continuous.\n"))
    write(tmp_path, "d.data.gz", gzip.compress(b"1,x\n"))
    write(tmp_path, "d.test", "2,y\n")
    assert read_table(tmp_path / "d.names.gz").labels().tolist() == ["x"]
    assert read_table(tmp_path / "d.test").labels().tolist() == ["y"]
    with pytest.raises(TableFileError, match=r"C4.5 files come in pairs, but e.names is not beside it."):
        read_table(write(tmp_path, "e.data", "1,x\n"))


@pytest.mark.parametrize(
    ("names", "line", "message"),
    [
        ("\n\n| c\n", 4, "the list of classes is missing."),
        (
            "x, y.\n\n\nn continuous.\n",
            4,
            "the attribute 'n continuous' is not followed by ':' and its type.",
        ),
        (
            "x, y.\nn: discrete x.\n",
            2,
            "the attribute 'n' has the type 'discrete x'; continuous, discrete N, ignore or two or more "
            "values are needed.",
        ),
        ("x, y.\nn: continuous 3.\n", 2, "has the type 'continuous 3'"),
        ("x, , y.\nn: continuous.\n", 1, "a list has an empty value."),
        (", y.\nn: continuous.\n", 1, "a list has an empty value."),
        ("x, y.\nn: a, b, b.\n", 2, "declares the value 'b' twice."),
        ("x, y.\nn: a,\n  b: c.\n", 3, "a ':' follows the value 'b'; a period may be missing."),
        ("x, y.\nn: ignore.\nclass: ignore.\nclass_: ignore.\n", None, ""),
    ],
)
def test_what_is_wrong_in_names(tmp_path, names, line, message):
    path = write(tmp_path, "d.names", names)
    if not message:
        assert read_names(path)[1] == "class__"
        return
    with pytest.raises(TableFileError) as caught:
        read_names(path)
    assert message in caught.value.message and caught.value.line == line


def test_all_columns_ignored(tmp_path):
    write(tmp_path, "d.names", "id.\nid: ignore.\n")
    found = error(tmp_path, "d.data", "1\n")
    assert found.message == "all columns are ignored."


# ---- CSV and what is shared --------------------------------------------------------------------------------


def test_csv_headers(tmp_path):
    text = '\n  \n,"b\nc; ""d""", e ,class\r\n1,"x",z,p\r\n2,w,a,q\r\n'
    table = read_table(write(tmp_path, "t.csv", text))
    assert table.schema.names == ("column0", 'b\nc; "d"', "e")
    assert table.schema.columns[1].categories == ("w", "x")  # in order, whatever the rows' order
    assert table.columns[1].tolist() == [1, 0] and table.schema.columns[2].categories == ("a", "z")
    assert read_table(write(tmp_path, "t.csv", 'a,"x;y;z;w",c\n1,2,3\n')).schema.names == (
        "a",
        "x;y;z;w",
        "c",
    )
    assert read_table(write(tmp_path, "t.txt", "a;b,c;d\n1;2;3\n")).schema.names == ("a", "b,c", "d")
    assert read_table(write(tmp_path, "t.csv", "1,b\n1,2\n")).schema.names == ("1", "b")
    blank = read_table(write(tmp_path, "t.csv", "\t\t \r\n\n  a ,b\r\n1,2\r\n"))
    assert blank.schema.names == ("a", "b")
    found = error(tmp_path, "t.csv", '"a\n1,2\n')
    assert (found.line, found.message) == (1, "a quote in the header is opened but not closed.")
    found = error(tmp_path, "t.csv", "a,b\n\n\n1,2,3\n")
    assert found.line == 4
    assert error(tmp_path, "t.csv", '"a\nb",c\n1\n').line == 3


def test_text_of_other_machines(tmp_path):
    assert read_text(write(tmp_path, "t", "\ufeffä\r\nb")) == "ä\r\nb".encode()
    assert read_text(write(tmp_path, "t", "ä\n".encode("latin-1"))) == "ä\n".encode()
    assert read_text(write(tmp_path, "t", b"a\rb\r")) == b"a\nb\n"
    assert read_text(write(tmp_path, "t", b"a\r\nb\r")) == b"a\r\nb\r"
    with pytest.raises(TableFileError) as caught:
        read_text(write(tmp_path, "t", b"a\n\0\n\0"))
    assert caught.value.line == 2
    assert read_bytes(write(tmp_path, "t.gz", b"")) == b""
    assert read_bytes(write(tmp_path, "t", gzip.compress(b"x"))) == b"x"
    with pytest.raises(TableFileError, match=r"the name ends in \.gz, but the content is not gzip\."):
        read_bytes(write(tmp_path, "t.gz", b"x"))


def test_formats_by_name():
    for name, found in {
        "a.ARFF": read_arff,
        "a.b.data.GZ": read_c45,
        "a.pq": read_parquet,
        "a.tsv": read_csv,
    }.items():
        assert READERS[suffix_of(Path(name))] is found
    for name in ("a", "a.gz", "a.csv.zip"):
        with pytest.raises(TableFileError, match=r"is not known; .*he extensions are '\.arff', '\.names', "):
            read_raw(Path(name), None)


def test_the_target(tmp_path):
    path = write(tmp_path, "t.csv", ",".join(f"c{j}" for j in range(22)) + "\n" + ",".join("1" * 22) + "\n")
    with pytest.raises(TableFileError) as caught:
        read_table(path, target="goal")
    assert caught.value.message.endswith("; the columns are " + ", ".join(f"'c{j}'" for j in range(22)) + ".")
    table = read_raw(write(tmp_path, "t.csv", "a,b\n7,-1\n8,?\n9,3\n"), "b")
    assert table.y.tolist() == [0, -1, 1] and table.y.dtype == np.int32
    assert table.classes.tolist() == [-1, 3] and [column.name for column in table.columns] == ["a"]
    assert [array.tolist() for array in table.arrays] == [[7, 8, 9]]
    found = error(tmp_path, "t.csv", "a,b\n7,0.5\n", target="b")
    assert found.message == (
        "the target 'b' holds numbers with fractions, but classes are needed. "
        "Use target= to name another column, or target=False for none."
    )


def test_parquet_that_cannot_be_read(tmp_path, monkeypatch):
    pq.write_table(pa.table({"a": [[1], [2]]}), tmp_path / "t.parquet")
    with pytest.raises(TableFileError) as caught:
        read_table(tmp_path / "t.parquet")
    assert caught.value.path == tmp_path / "t.parquet"
    monkeypatch.setattr(pq, "read_table", lambda path: (_ for _ in ()).throw(pa.ArrowException()))
    with pytest.raises(TableFileError, match=r"the Parquet file cannot be read \(ArrowException\)\."):
        read_table(tmp_path / "t.parquet")
    monkeypatch.setattr(pq, "read_table", lambda path: (_ for _ in ()).throw(OSError("one\ntwo")))
    with pytest.raises(TableFileError, match=r"the Parquet file cannot be read \(one\)\."):
        read_table(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"reading Parquet needs pyarrow: pip install 'stakes\[data\]'\."):
        read_table(tmp_path / "t.parquet")


def test_an_error_has_its_parts():
    whole = TableFileError("f.csv", "it is wrong.", 3)
    assert (str(whole), whole.path, whole.message, whole.line) == (
        "f.csv, line 3: it is wrong.", "f.csv", "it is wrong.", 3,
    )  # fmt: skip
    assert str(TableFileError("f.csv", "it is wrong.")) == "f.csv: it is wrong."


def test_a_zero_byte_is_told_with_its_line(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes(b"\n\na\0b\n")
    with pytest.raises(TableFileError) as caught:
        read_text(path)
    assert caught.value.line == 3


def test_a_missing_value_of_csv_may_be_in_quotes(tmp_path):
    path = write(tmp_path, "d.csv", 'a,b,class\n1,"?",x\n"?",u,y\n2,v,x\n')
    table = read_table(path)
    assert np.isnan(table.columns[0][1]) and table.columns[1][0] == -1


def test_the_index_of_a_pandas_frame_is_no_column(tmp_path):
    frame = pd.DataFrame({"age": [1.0, 2, 3, 4], "class": list("abab")})
    path = tmp_path / "t.parquet"
    odd = [
        frame.iloc[[0, 2, 3]],  # the index has gaps and no name: __index_level_0__
        frame.set_index(pd.Index([7, 8, 9, 5], name="customer")),
        frame.set_index([pd.Index(list("wxyz"), name="who"), pd.Index([1, 1, 2, 2])]),
        frame,  # the index is a range, which is no column of the file
    ]
    for part in odd:
        part.to_parquet(path)
        assert read_table(path).schema.names == ("age",)


@pytest.mark.parametrize("metadata", [b"", b"no JSON", b"[]", b'{"index_columns": 5}', b"[" * 100_000])
def test_metadata_that_pandas_did_not_write_is_no_matter(metadata, tmp_path):
    table = pa.table({"age": [1.0, 2.0], "__index_level_0__": [3.0, 4.0]})
    pq.write_table(table.replace_schema_metadata({"pandas": metadata}), tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").schema.names == ("age", "__index_level_0__")


def test_infinity_in_parquet_is_told_with_the_file(tmp_path):
    pq.write_table(pa.table({"a": [1.0, np.inf]}), tmp_path / "t.parquet")
    with pytest.raises(TableFileError, match="contains infinity"):
        read_table(tmp_path / "t.parquet")


def test_the_value_that_is_declared_twice_is_named(tmp_path):
    found = error(tmp_path, "t.arff", "@attribute a {u, v, w, v, u}\n@data\nu\n")
    assert (found.line, found.message) == (1, "attribute 'a' declares the value 'v' twice.")
    path = write(tmp_path, "d.names", "x, y.\nn: u, v, w, v, u.\n")
    with pytest.raises(TableFileError, match="the attribute 'n' declares the value 'v' twice"):
        read_names(path)


def test_a_backslash_in_a_quoted_name(tmp_path):
    text = "@attribute 'a\\'' {u}\n@attribute \"b\\\\\" {'v\\n'}\n@data\nu,'v\\n'\n"
    table = read_table(write(tmp_path, "t.arff", text))
    assert table.schema.names == ("a'", "b\\") and table.schema.columns[1].categories == ("v\n",)
    for line in ("@attribute a {'u\\", "@attribute a {'u\\'", "@attribute 'a\\"):
        found = error(tmp_path, "t.arff", f"{line}\n@data\nu\n")
        assert (found.line, found.message) == (1, "a quote is opened but not closed.")


def test_a_table_with_codes_and_no_names_of_classes_is_written_without_them(tmp_path):
    table = Table(Schema((Column("n"),)), [np.array([3.0])], y=np.array([0], np.int32))
    write_arff(table, tmp_path / "t.arff")
    assert (tmp_path / "t.arff").read_text().endswith("@attribute n numeric\n\n@data\n3\n")


def test_a_class_called_like_an_attribute_stays_a_class(tmp_path):
    declared, target = read_names(write(tmp_path, "d.names", "n, y.\nn: continuous.\nm: continuous.\n"))
    assert target == "class" and declared[-1].values == ["n", "y"]
    declared, target = read_names(write(tmp_path, "d.names", "only.\nn: continuous.\nm: continuous.\n"))
    assert target == "class" and declared[-1].values == ["only"]
    declared, target = read_names(write(tmp_path, "d.names", "m.\nn: continuous.\nm: a, b.\n"))
    assert target == "m" and [one.name for one in declared] == ["n", "m"]


def test_codes_of_collected_values_are_int32_and_missing_ones_stay_so(tmp_path):
    table = read_raw(write(tmp_path, "t.csv", "a,k\n1,v\n2,?\n3,u\n"), None)
    assert table.arrays[1].tolist() == [1, -1, 0] and table.arrays[1].dtype == np.int32


def test_marks_between_quotes_do_not_say_what_separates(tmp_path):
    path = write(tmp_path, "t.csv", '"a;b;c","d;e",f,"g"\n1,2,3,4\n')
    assert read_table(path).schema.names == ("a;b;c", "d;e", "f", "g")
    assert read_table(write(tmp_path, "t.csv", '"a";"b,c,d";e\n1;2;3\n')).schema.names == (
        "a", "b,c,d", "e",
    )  # fmt: skip
    header = read_table(write(tmp_path, "t.csv", b'"a\r\nb",c\n1,2\n'))
    assert header.schema.names[0] == "a\r\nb"


def test_a_tsv_file_is_split_at_tabs_whatever_else_its_header_has(tmp_path):
    for name in ("rows.tsv", "rows.tsv.gz"):
        content = b"a,b,c\td\n1,5\t2\n"
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
        assert read_table(tmp_path / name, target=False).schema.names == ("a,b,c", "d")
    (tmp_path / "rows.csv").write_bytes(b"a,b,c\td\n1,5,7\n")
    assert read_table(tmp_path / "rows.csv", target=False).schema.names == ("a", "b", "c\td")
