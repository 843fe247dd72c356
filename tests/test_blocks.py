"""Large files are read, answered and written block by block: the same bytes as in one piece."""

import gzip
import io
import logging
import tracemalloc

import numpy as np
import pytest

from commands import run
from stakes import C45Classifier, Guard, datasets, read_table
from stakes._cli import answer_files
from stakes.models import save_model
from stakes.table import Schema, TableFileError, read_blocks
from stakes.table._readers import pieces

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

#: Numbers, a text with line ends, quotes and commas, a number that becomes a text late, a class.
HEADER = 'age,"the\nnote",code,class\r\n'
NOTES = ("plain", '"a ""b"", c"', '"two\nlines"', '5" disk', "", "é")


def rows(n):
    codes = ["7", "8", "", "12"] * (n // 4) + ["x1"] * (n % 4)
    return [
        f"{i if i % 5 else ''},{NOTES[i % 6]},{code},{'good' if i % 3 else 'bad'}\n"
        for i, code in enumerate(codes)
    ]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with data in all formats and a tree learnt from it."""
    folder = tmp_path_factory.mktemp("blocks")
    text = HEADER + "".join(rows(203))
    (folder / "data.csv").write_text(text, newline="")
    (folder / "data.csv.gz").write_bytes(gzip.compress(text.encode()))
    table = read_table(folder / "data.csv", target=False)
    frame = table.to_frame().astype({"the\nnote": "str", "code": "str", "class": "str"})
    frame["sure"] = [None] * 100 + [True, False, None] * 34 + [True]
    frame["empty"] = None
    frame.loc[:99, "code"] = None
    frame.index = [f"row {number}" for number in range(len(frame))]  # which is no column
    frame.to_parquet(folder / "data.parquet", row_group_size=50)
    model = C45Classifier(min_samples_leaf=1).fit(table.select(["age", "the\nnote", "code"]), frame["class"])
    save_model(model, folder / "model.json")
    return folder


def small_pieces(monkeypatch, n_bytes=64, n_rows=7):
    monkeypatch.setattr(pieces, "PIECE", n_bytes)
    monkeypatch.setattr("stakes.table._readers.blocks.MOST_ROWS", n_rows)


@pytest.mark.parametrize("options", [(), ("--with-data", "--explain", "--abstain-cost", 0.3)])
@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet"])
def test_predictions_are_the_same_bytes_as_in_one_piece(place, name, options, monkeypatch):
    kinds = ("csv", "json", "arff", "parquet")

    def answers():
        for kind in kinds:
            output = place / f"answers.{kind}"
            run("predict", place / "model.json", place / name, "-o", output, *options)
            yield parquet.read_table(output) if kind == "parquet" else output.read_bytes()
        for kind in kinds[1:3]:
            yield run("predict", place / "model.json", place / name, "-f", kind, *options).stdout

    whole = list(answers())
    small_pieces(monkeypatch, 800, 60)
    for expected, given in zip(whole, answers(), strict=True):
        assert given == expected


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_memory_does_not_grow_with_the_rows(place, tmp_path, kind, monkeypatch):
    small_pieces(monkeypatch, 10_000, 500)
    peaks = []
    for n in (2000, 2000, 8000):  # the first run imports what it needs
        path = tmp_path / f"new.{kind}"
        if kind == "csv":
            path.write_text(HEADER + "".join(rows(n)), newline="")
        else:
            part = parquet.read_table(place / "data.parquet").slice(0, 100)
            parquet.write_table(pyarrow.concat_tables([part] * (n // 100)), path, row_group_size=500)
        tracemalloc.start()
        run("predict", place / "model.json", path, "-o", tmp_path / f"answers.{kind}")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.5 * peaks[1], peaks


@pytest.mark.parametrize("n_bytes", [16, 17, 31, 64, 1000])
@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz"])
def test_blocks_hold_what_the_table_holds(place, name, n_bytes, monkeypatch):
    small_pieces(monkeypatch, n_bytes)
    whole, blocks = read_table(place / name), list(read_blocks(place / name))
    assert len(blocks) > 1 and [block.first_row for block in blocks] == [
        *np.cumsum([0, *map(len, blocks[:-1])])
    ]
    assert [column.kind for column in whole.schema.columns] == ["numeric", "nominal", "nominal"]
    for block in blocks:
        assert [(c.name, c.kind) for c in block.schema.columns] == [
            (c.name, c.kind) for c in whole.schema.columns
        ]
    for j, column in enumerate(whole.schema.columns):
        parts = [values_of(block.schema.columns[j], block.columns[j]) for block in blocks]
        np.testing.assert_array_equal(np.concatenate(parts), values_of(column, whole.columns[j]))
    np.testing.assert_array_equal(np.concatenate([block.labels() for block in blocks]), whole.labels())


def values_of(column, values):
    return np.array([*column.categories, None], dtype=object)[values] if column.is_nominal else values


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" \n\n",
        b"\xef\xbb\xbf",
        b"a,b\n",
        b"a,b\n1,2\n3\n",
        b"a,b\n1,2\n" * 20,
        b'a,b\n1,"2\n3,4\n5,6',
        b'a,"b\n1,2\n',
        b"a,b\n1,2\n\x001,2",
        b"a,a\n1,2\n",
        b"1,2\n3,4\n",
        b"a,b\n1,2\n" + b"\n" * 50 + b"3",
        b"a,class\n1,2.5\n2,3\n",
    ],
)
def test_damaged_files_are_told_in_the_same_words(tmp_path, content, monkeypatch):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    small_pieces(monkeypatch, 16)

    def outcome(read):
        try:
            return read()
        except TableFileError as error:
            return str(error)

    whole = outcome(lambda: len(read_table(path)))
    assert outcome(lambda: sum(map(len, read_blocks(path)))) == whole


@pytest.mark.parametrize("content", ["é\tb\r1\t2\r3\t4\r", "\ufeffé\tb\n1\t2\n", "a\tb\n" + "1\té\n" * 20])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_encodings_and_line_ends_are_those_of_the_whole_file(tmp_path, content, encoding, monkeypatch):
    path = tmp_path / "data.tsv"
    path.write_bytes(content.encode(encoding, "ignore"))
    small_pieces(monkeypatch, 16)
    whole, blocks = read_table(path), list(read_blocks(path))
    assert blocks[0].schema.names == whole.schema.names and sum(map(len, blocks)) == len(whole)
    names = {name for block in blocks for column in block.schema.columns for name in column.categories}
    assert names == {name for column in whole.schema.columns for name in column.categories}


def test_gzip_that_is_cut_short(place, tmp_path, monkeypatch):
    small_pieces(monkeypatch)
    data = (place / "data.csv.gz").read_bytes()
    for name, content, sentence in [
        ("short.csv.gz", data[:-20], "the gzip data is cut short or damaged"),
        ("damaged.csv.gz", data[:40] + b"\xff\xff\xff" + data[43:], "the gzip data is cut short or damaged"),
        ("plain.csv.gz", b"a,b\n1,2\n", "the content is not gzip"),
    ]:
        (tmp_path / name).write_bytes(content)
        for read in (read_table, lambda path: list(read_blocks(path))):
            with pytest.raises(TableFileError, match=sentence):
                read(tmp_path / name)


def test_parquet_that_is_damaged_or_empty(place, tmp_path):
    for name, content in [("a.parquet", b"PAR1"), ("b.parquet", (place / "data.parquet").read_bytes()[:-9])]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(TableFileError, match="the Parquet file cannot be read"):
            list(read_blocks(tmp_path / name))
    parquet.write_table(pyarrow.table({"a": pyarrow.array([], pyarrow.int64())}), tmp_path / "c.parquet")
    with pytest.raises(TableFileError, match="0 sample"):
        list(read_blocks(tmp_path / "c.parquet"))
    with pytest.raises(FileNotFoundError):
        list(read_blocks(tmp_path / "none.parquet"))


def test_rows_in_messages_are_those_of_the_file(place, tmp_path, monkeypatch):
    small_pieces(monkeypatch)
    X = np.array([["a", 1.0], ["b", 2.0]] * 10, dtype=object)
    model = C45Classifier(unseen="error").fit(X, ["good", "bad"] * 10)
    save_model(model, tmp_path / "model.json")
    lines = ["x0,x1\n", *["a,1\n"] * 90, "c,1\n"]
    (tmp_path / "new.csv").write_text("".join(lines))
    error = run("predict", tmp_path / "model.json", tmp_path / "new.csv", code=1).stderr
    assert "column 'x0', row 90: value 'c' is not one of the categories" in error
    lines[-1] = "a,x\n"
    (tmp_path / "new.csv").write_text("".join(lines))
    error = run("predict", tmp_path / "model.json", tmp_path / "new.csv", code=1).stderr
    assert "column 'x1', row 90: could not convert 'x' to a number" in error
    parquet.write_table(pyarrow.table({"x": [0.0] * 90 + [np.inf]}), tmp_path / "new.parquet")
    with pytest.raises(TableFileError, match=r"row 6\. .* Rows are counted from row 84 on\."):
        list(read_blocks(tmp_path / "new.parquet"))
    table = read_table(place / "data.csv")
    with pytest.raises(ValueError, match="row 0: value"):
        Schema(table.schema.columns[:2]).encode(np.array([[1.0, "new"]], dtype=object), unseen="error")


def test_an_error_in_a_late_block_leaves_the_old_answers(place, tmp_path, monkeypatch):
    small_pieces(monkeypatch)
    (tmp_path / "bad.csv").write_text('age,"the\nnote",code\n' + "1,a,7\n" * 99 + "x,a,7\n")
    (tmp_path / "answers.csv").write_text("old")
    run("predict", place / "model.json", tmp_path / "bad.csv", "-o", tmp_path / "answers.csv", code=1)
    assert (tmp_path / "answers.csv").read_text() == "old"


def test_columns_of_the_data_are_not_written_over(place, tmp_path):
    (tmp_path / "new.csv").write_text('age,"the\nnote",code,prediction,p(bad)\n1,a,7,mine,0.5\n')
    output = tmp_path / "answers.csv"
    command = ["predict", place / "model.json", tmp_path / "new.csv", "-o", output]
    error = run(*command, "--with-data", code=1).stderr
    assert (
        "--with-data cannot repeat the columns 'prediction', 'p(bad)' of" in error and "rename them" in error
    )
    assert not output.exists()
    run(*command)
    assert "mine" not in output.read_text()


def test_long_work_logs(place, tmp_path, caplog, monkeypatch):
    small_pieces(monkeypatch, 1000)
    caplog.set_level(logging.DEBUG, "stakes")
    run("predict", place / "model.json", place / "data.csv", "-o", tmp_path / "answers.csv")
    said = [record for record in caplog.records if record.name == "stakes.cli"]
    assert len(said) > 1 and said[-1].getMessage().endswith("data.csv: 203 rows answered")
    caplog.clear()
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) > 20
    Guard(C45Classifier(), cv=3).fit(X, y)
    assert [record.name for record in caplog.records] == ["stakes.decision"] * 3
    assert "fold 3 tested" in caplog.text


@pytest.mark.parametrize("name", ["evolve", "reductions", "boosted", "lab", "forensics"])
def test_every_kind_of_long_work_logs(name, caplog, tmp_path):
    from stakes import BoostedStakes, Costing, GDTClassifier, forensics
    from stakes.lab import reproduce

    caplog.set_level(logging.DEBUG, "stakes")
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) > 20
    {
        "evolve": lambda: GDTClassifier(max_generations=3, population_size=4).fit(X, y),
        "reductions": lambda: Costing(n_estimators=2).fit(X, y),
        "boosted": lambda: BoostedStakes().fit(X, y),
        "lab": lambda: reproduce("ting1998", tables=["1"], datasets=["German"], quick=True),
        "forensics": lambda: forensics.record(["python", "-c", "1"]),
    }[name]()
    assert {record.name for record in caplog.records} == {f"stakes.{name}"}


def test_blocks_of_other_formats_are_one(tmp_path):
    from stakes.table import write_arff

    write_arff(datasets.load_table("german")[0], tmp_path / "german.arff")
    assert [len(block) for block in read_blocks(tmp_path / "german.arff")] == [1000]


@pytest.mark.parametrize("terminal, shown", [(True, "a\\x1b[2Jb"), (False, "a\x1b[2Jb")])
def test_a_terminal_does_not_obey_what_is_in_the_data(terminal, shown, monkeypatch):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    monkeypatch.setattr("sys.stdout", stream)
    answer_files.write_csv(iter([{"name": ["a\x1b[2Jb"]}]), None, None)
    assert stream.getvalue() == f"name\n{shown}\n"
