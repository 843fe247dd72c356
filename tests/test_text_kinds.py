"""Dates, decimal commas, UTF-16 and Excel: in data, costs and prices, read at once and block by block."""

import datetime
import gzip
import json
import math
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import run
from stakes import C45Classifier, CostMatrix, FeatureCosts, RuleClassifier, load_model, read_table
from stakes._text.words import day_text
from stakes.export import render
from stakes.table import Column, Schema, Table, TableFileError, read_blocks
from stakes.table._dates import object_days, text_days
from stakes.table._readers import pieces
from workbooks import write_workbook

DAY = datetime.datetime(2020, 1, 2, 6)
NAN = math.nan


def both(path, monkeypatch):
    """Columns of a file, which must be the same when it is read by blocks of a few bytes."""
    table = read_table(path)
    monkeypatch.setattr(pieces, "PIECE", 7)
    blocks = list(read_blocks(path))
    for j, column in enumerate(table.schema.columns):
        assert {(b.schema.columns[j].kind, b.schema.columns[j].dates) for b in blocks} == {
            (column.kind, column.dates)
        }
        if not column.is_nominal:
            np.testing.assert_array_equal(np.concatenate([b.columns[j] for b in blocks]), table.columns[j])
    return table


def first_column(tmp_path, monkeypatch, *values, name="a"):
    path = tmp_path / "rows.csv"
    path.write_text(f"{name};b\n" + "".join(f"{value};1\n" for value in values))
    table = both(path, monkeypatch)
    return table.schema.columns[0], table.columns[0].tolist()


# ---- dates -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "days"),
    [
        (["1970-01-02", "1969-12-31"], [1, -1]),
        (["1970-01-02", "?"], [1, NAN]),
        (["1970-01-02T12:00", "1970-01-03 06:00:00.000"], [1.5, 2.25]),
        (["1970-01-02T12:00Z", "1970-01-02T13:00:00+01:00", "1970-01-02 07:00-0500"], [1.5] * 3),
        (["2.1.1970", "31.12.1969", ""], [1, -1, NAN]),
        (["02.01.1970 18:00"], [1.75]),
    ],
)
def test_columns_of_dates_are_days(tmp_path, monkeypatch, values, days):
    column, found = first_column(tmp_path, monkeypatch, *values)
    assert column == Column("a", dates=True)
    assert found == pytest.approx(days, nan_ok=True)


@pytest.mark.parametrize(
    "values",
    [
        ["1970-01-02", "x"],
        ["1970-02-30"],
        ["1970-13-01"],
        ["1970-01-02", "2.1.1970"],
        ["13.13.1970"],
        ["1970-01-02 25:00"],
        ["2.1.70"],
        ["1970-01-02T12:00+99:00"],
        ["12:00"],
    ],
)
def test_what_is_no_date_everywhere_is_text(tmp_path, monkeypatch, values):
    assert first_column(tmp_path, monkeypatch, *values)[0].is_nominal


@given(st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31)))
@settings(max_examples=60)
def test_days_are_read_and_written(moment):
    moment = moment.replace(microsecond=0)
    days = object_days(moment)
    assert text_days([moment.isoformat()]).tolist() == [days]
    read = datetime.datetime.fromisoformat(day_text(days))
    assert abs(read - moment) <= datetime.timedelta(milliseconds=1)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"d": [DAY, None]}),
        pd.DataFrame({"d": pd.to_datetime([DAY, None]).tz_localize("Asia/Tokyo") + pd.Timedelta(hours=9)}),
        pd.DataFrame({"d": [DAY, None]}, dtype=object),
        pd.DataFrame({"d": pd.array([DAY, None], dtype="timestamp[us][pyarrow]")}),
        pl.DataFrame({"d": [DAY, None]}),
        pl.DataFrame({"d": [DAY, None]}, schema={"d": pl.Datetime("ns")}),
        pl.DataFrame({"d": [DAY, None]}).with_columns(pl.col("d").dt.replace_time_zone("UTC")),
        pa.table({"d": pa.array([DAY, None])}),
        [[DAY], [None]],
    ],
    ids=range(9),
)
def test_frames_hold_the_same_days(frame):
    table = Table.from_data(frame)
    assert table.schema.columns[0].dates and not table.schema.columns[0].is_nominal
    assert table.columns[0].tolist() == pytest.approx([18263.25, NAN], nan_ok=True)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"d": [DAY.date(), None]}),
        pl.DataFrame({"d": [DAY.date(), None]}),
        pa.table({"d": pa.array([DAY.date(), None])}),
    ],
)
def test_frames_of_dates_without_times(frame, tmp_path):
    assert Table.from_data(frame).columns[0].tolist() == pytest.approx([18263, NAN], nan_ok=True)


def test_parquet_is_read_as_its_frame(tmp_path):
    path = tmp_path / "d.parquet"
    pyarrow.parquet.write_table(pa.table({"d": pa.array([DAY, None])}), path)
    for table in (read_table(path), next(read_blocks(path))):
        assert table.schema.columns[0].dates
        assert table.columns[0].tolist() == pytest.approx([18263.25, NAN], nan_ok=True)


def test_schemas_remember_dates_and_only_where_there_are_some():
    schema = Schema((Column("a"), Column("d", dates=True)))
    assert Schema.from_dict(schema.to_dict()) == schema
    assert schema.to_dict()["columns"][0] == {"name": "a", "kind": "numeric"}
    with pytest.raises(ValueError, match="dates of column 'd' must be True or False, and its kind numeric"):
        Column("d", "nominal", ("p",), True)
    with pytest.raises(ValueError, match="dates of column 'd' must be"):
        Column("d", dates="yes")


def test_a_model_reads_dates_in_any_form():
    days = [f"2020-01-{day:02}" for day in range(1, 31)]
    frame = pd.DataFrame({"d": pd.to_datetime(days)})
    model = C45Classifier(min_samples_leaf=2).fit(frame, [day > "2020-01-15" for day in days])
    expected = [False, True]
    ask = ["2020-01-15", "2020-01-16"]
    assert model.predict(pd.DataFrame({"d": pd.to_datetime(ask)})).tolist() == expected
    assert model.predict(pd.DataFrame({"d": ask})).tolist() == expected
    assert model.predict(pl.DataFrame({"d": ["15.1.2020", "16.1.2020"]})).tolist() == expected
    assert model.predict(pd.DataFrame({"d": [18276.0, 18277.0]})).tolist() == expected
    column = Column("d", "nominal", ("2020-01-15", "2020-01-16"))
    assert model.predict(Table(Schema((column,)), [[0, 1]])).tolist() == expected
    with pytest.raises(ValueError, match="column 'd', row 1: 'soon' is no date, and the column holds"):
        model.predict(pd.DataFrame({"d": ["2020-01-15", "soon"]}))


def dated(n=40):
    """Rows whose class changes on the tenth of February 2020."""
    first = datetime.date(2020, 1, 20)
    days = [first + datetime.timedelta(days=i) for i in range(n)]
    late = [str(day >= datetime.date(2020, 2, 10)) for day in days]
    return "when,n,class\n" + "".join(
        f"{d},{i % 3},{c}\n" for i, (d, c) in enumerate(zip(days, late, strict=True))
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dated")
    (folder / "rows.csv").write_text(dated())
    run("fit", folder / "rows.csv", "-o", folder / "model.json")
    return folder


def test_commands_use_dates_and_say_so(place):
    note = (
        "Note: Column 'when' holds dates, read as days since 1970-01-01. Where new rows are later than these"
    )
    assert note in run("fit", place / "rows.csv", "--no-guard", "-o", place / "again.json").stderr
    result = run("describe", place / "rows.csv")
    assert note in result.stderr and "2020-01-20 to 2020-02-28, median 2020-02-08 12:00" in result.stdout
    assert "when <= 2020-02-09" in run("show", place / "model.json").stdout
    answers = run("predict", place / "model.json", place / "rows.csv", "--with-data", "--explain").stdout
    line = answers.splitlines()[1]
    assert line.startswith("2020-01-20,0.0,False,False,") and "when 2020-01-20 <= 2020-02-09" in line
    schema = json.loads((place / "model.json").read_text())["state"]["estimator"]["state"]["model"]["schema"]
    assert schema["columns"][0] == {"name": "when", "kind": "numeric", "dates": True}


def test_shares_of_columns_name_dates(place):
    table = read_table(place / "rows.csv")
    model = load_model(place / "model.json")
    text = str(model.explain(table, background=table.take([0, 30]))[0])
    assert "when '2020-01-20'" in text


@pytest.mark.parametrize("language", ["sql", "c", "python"])
def test_code_of_models_that_test_dates_is_refused(place, language):
    result = run("export", place / "model.json", "--to", language, code=1)
    assert "the model tests column 'when', which has dates; fit it without that column" in result.stderr


def test_code_of_models_that_only_know_of_dates_is_written(tmp_path):
    rows = [[DAY, float(i)] for i in range(30)]
    tree = C45Classifier().fit(rows, [i > 14 for i in range(30)])
    assert "x1" in render(tree.fitted_tree_, "sql") and render(tree.fitted_tree_, "python")


def test_rules_over_dates():
    table = Table(Schema((Column("d", dates=True),)), [np.arange(18262.0, 18302.0)])
    rules = RuleClassifier(validation_fraction=0).fit(table, np.arange(40) > 19)
    assert any("d <= 2020-01-20" in str(rule) for rule in rules.rules_)
    with pytest.raises(ValueError, match="SQL code cannot be written: the model tests column 'd'"):
        render(rules.rule_set_, "sql")


# ---- decimal commas ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1,5", "2", "-,25", "?"], [1.5, 2, -0.25, NAN]),
        (["1.234,5", "1.000", "+7"], [1234.5, 1000, 7]),
        (["1,234", "0,5"], [1.234, 0.5]),
    ],
)
def test_decimal_commas(tmp_path, monkeypatch, values, numbers):
    column, found = first_column(tmp_path, monkeypatch, *values)
    assert column == Column("a") and found == pytest.approx(numbers, nan_ok=True)


def test_another_column_tells_what_a_comma_is(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    path.write_text("a;b\n1,234;0,5\n2,345;1\n")
    assert [values.tolist() for values in both(path, monkeypatch).columns] == [[1.234, 2.345], [0.5, 1]]


@pytest.mark.parametrize(
    "text", ['a,b\n"1,2,3",1\n', 'a,b\n"Doe, J",1\n', "a;b\n1,5;1\nx;1\n", "a;b\n1,5e3;1\n"]
)
def test_other_commas_are_text(tmp_path, monkeypatch, text):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    assert both(path, monkeypatch).schema.columns[0].is_nominal


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "a;b\n1,5;2.5\n",
            "commas, as '1,5' in column 'a', and decimal points, as 2.5 in column 'b'",
        ),
        (
            "a;b\n1,234;2\n12,500;3\n",
            "the comma of '1,234' in column 'a' may stand before",
        ),
    ],
)
def test_what_cannot_be_told_is_refused(tmp_path, monkeypatch, text, words):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(TableFileError, match=words):
        read_table(path)
    monkeypatch.setattr(pieces, "PIECE", 7)
    with pytest.raises(TableFileError, match=words):
        list(read_blocks(path))


@pytest.mark.parametrize(
    "text",
    [
        "actual\\predicted;no;yes\nno;0;2,5\nyes;1;0\n",
        'actual\\predicted,no,yes\nno,0,"2,5"\nyes,1,0\n',
        "actual\\predicted\tno\tyes\nno\t0\t2,5\nyes\t1\t0\n",
        "actual\\predicted;no;yes\nno;0;2.5\nyes;1;0\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_cost_files(tmp_path, text, encoding):
    path = tmp_path / "costs.csv"
    path.write_text(text, encoding=encoding)
    assert CostMatrix.from_csv(path).values.tolist() == [[0, 2.5], [1, 0]]


def test_price_files(tmp_path):
    path = tmp_path / "prices.csv"
    for text in ("feature;price;group;shared\nage;0,5;blood;1.250,5\nx;1;;\n", "age;0,5\nx;1\n"):
        path.write_text(text, encoding="utf-16")
        assert FeatureCosts.from_csv(path).cost(["age"]) == (0.5 if "group" not in text else 1251.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "a;no;yes\nno;0;2,5\nyes;1.5;0\n",
            "decimal commas, as '2,5' in line 2, and decimal points",
        ),
        ("a;no;yes\nno;0;1,250\nyes;1;0\n", "costs.csv: the comma of '1,250' in line 2 may stand before"),
    ],
)
def test_cost_files_that_cannot_be_told(tmp_path, text, words):
    path = tmp_path / "costs.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=words):
        CostMatrix.from_csv(path)


# ---- UTF-16 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_utf16_is_known_by_its_mark(tmp_path, monkeypatch, mark, pack):
    path = tmp_path / ("rows.csv.gz" if pack is gzip.compress else "rows.csv")
    path.write_bytes(pack("\ufeffgrün;b\n1,5;ö\n2;€\n".encode(mark)))
    table = both(path, monkeypatch)
    assert table.schema.names == ("grün", "b") and table.schema.columns[1].categories == ("ö", "€")
    (tmp_path / "rows.arff").write_bytes("\ufeff@relation r\n@attribute a numeric\n@data\n1\n".encode(mark))
    assert read_table(tmp_path / "rows.arff").columns[0].tolist() == [1.0]


def test_damaged_utf16(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes("\ufeffa;b\n1;2\n".encode("utf-16-le")[:-1])
    for read in (read_table, lambda path: list(read_blocks(path))):
        with pytest.raises(TableFileError, match="begins as UTF-16 does, but is not UTF-16"):
            read(path)
    with pytest.raises(ValueError, match="not a text file in UTF-16: truncated data"):
        CostMatrix.from_csv(path)


# ---- Excel -------------------------------------------------------------------------------------------------

SHEET = [
    ["age", "open", "when", "x", "name", "class"],
    [3, True, DAY, 1.5, "a; b", "p"],
    [None] * 6,
    [None, False, DAY.replace(hour=0), 2, None, "q"],
]


@pytest.fixture
def book(tmp_path):
    pytest.importorskip("python_calamine")
    more = [["a", "class"], ["1,5", "p"], ["2", "q"]]
    return write_workbook(tmp_path / "rows.xlsx", first=SHEET, **{"More.2026": more})


def test_excel_is_read_as_the_csv_file_of_its_cells(book, tmp_path):
    text = "age,open,when,x,name,class\n3,TRUE,2020-01-02T06:00:00,1.5,a; b,p\n,FALSE,2020-01-02,2,,q\n"
    (tmp_path / "rows.csv").write_text(text)
    table, same = read_table(book), read_table(tmp_path / "rows.csv")
    assert table.schema == same.schema and table.classes.tolist() == ["p", "q"]
    assert [c.kind for c in table.schema.columns] == ["numeric", "nominal", "numeric", "numeric", "nominal"]
    assert table.schema.columns[2].dates
    for values, others in zip(table.columns, same.columns, strict=True):
        np.testing.assert_array_equal(values, others)
    assert [len(block) for block in read_blocks(book)] == [2]


def test_a_sheet_is_named_after_the_file(book, tmp_path):
    assert read_table(f"{book}#More.2026").columns[0].tolist() == [1.5, 2]
    with pytest.raises(TableFileError, match=r"no sheet 'Less'; there are 'first', 'More\.2026'"):
        read_table(f"{book}#Less")
    result = run("describe", f"{book}#More.2026", "--json")
    assert json.loads(result.stdout)["rows"] == 2


def test_models_are_fitted_on_and_answer_excel_files(tmp_path, place):
    pytest.importorskip("python_calamine")
    lines = [line.split(",") for line in dated().splitlines()]
    rows = [[datetime.date.fromisoformat(day), int(n), label] for day, n, label in lines[1:]]
    book = write_workbook(tmp_path / "rows.xlsx", rows=[lines[0], *rows])
    run("fit", book, "-o", tmp_path / "model.json")
    assert (tmp_path / "model.json").read_bytes() == (place / "model.json").read_bytes()
    answers = run("predict", place / "model.json", book, "--with-data").stdout
    assert answers == run("predict", place / "model.json", place / "rows.csv", "--with-data").stdout


def test_costs_and_prices_may_be_excel_files(tmp_path):
    pytest.importorskip("python_calamine")
    rows = [["actual", "bad", "good"], ["bad", 0, 5.5], ["good", 1.5, 0]]
    costs = CostMatrix.from_csv(write_workbook(tmp_path / "costs.xlsx", first=rows, second=[["x"]]))
    assert costs == CostMatrix.from_pairs({("bad", "good"): 5.5, ("good", "bad"): 1.5})
    prices = write_workbook(tmp_path / "prices.xlsx", prices=[["feature", "price"], ["n", 0.25]])
    assert FeatureCosts.from_csv(prices).prices == {"n": 0.25}
    (tmp_path / "bad.xlsx").write_bytes(b"PK")
    with pytest.raises(ValueError, match=r"bad\.xlsx: the Excel file cannot be read"):
        CostMatrix.from_csv(tmp_path / "bad.xlsx")
    with pytest.raises(ValueError, match=r"empty\.xlsx is empty; expected a header"):
        CostMatrix.from_csv(write_workbook(tmp_path / "empty.xlsx", first=[]))


def test_excel_files_that_cannot_be_read(tmp_path, monkeypatch):
    pytest.importorskip("python_calamine")
    (tmp_path / "bad.xlsx").write_bytes(b"PK")
    with pytest.raises(TableFileError, match="the Excel file cannot be read"):
        read_table(tmp_path / "bad.xlsx")
    (tmp_path / "cut.xlsx").write_bytes(b"\x1f\x8bPK")
    with pytest.raises(TableFileError) as caught:
        read_table(tmp_path / "cut.xlsx")
    assert str(caught.value).count("cut.xlsx") == 1
    with pytest.raises(TableFileError, match="there are no rows of data"):
        read_table(write_workbook(tmp_path / "empty.xlsx", first=[]))
    with pytest.raises(FileNotFoundError, match=r"none\.xlsx"):
        read_table(tmp_path / "none.xlsx#x")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ImportError, match=r"python_calamine: pip install 'stakes\[excel\]'"):
        read_table(tmp_path / "bad.xlsx")
