"""Readers: what other writers have written is what is read, or it is refused."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import string
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from attack.data import mixed
from attack.harness import Draw
from stakes import CostMatrix, FeatureCosts, Table, read_table
from stakes.table import write_arff

#: Numbers of the lists below as a file with decimal commas would write them.
WITH_COMMAS = re.compile(r"[+-]?\d+(,\d+)?", re.ASCII)
MISSING = {"", "?", "NA", "NaN", "nan"}
TEXTS = [
    "a", "b b", "north", "Ünïcode", "日本", "a,b", "a;b", 'say "hi"', "it's", "two\nlines", "tab\there",
    "100%", "# no comment", "=1+1", "\\", "\\n", "{a}", "NULL", "None", "null", "na", "N/A", "TRUE",
    "false", "inf", "-inf", "Infinity", "1_000", "0x10", "1e", "1,5", "١", "²", "1.", "é", "e\u0301",
    "\u202eright", "\x1b[31m", "x" * 300, "'", '"', "''", "%", "@data", "| comment", ".", "-", "--", "+",
    "a\u00a0b", "\ufeffx", "😀",
]  # fmt: skip
NUMBERS = [
    "0", "1", "-1", "007", "+5", "1e5", "1E-5", "-0", "0.1", ".5", "5.", "3.141592653589793", "1e308",
    "1e-320", "9007199254740993", "123456789012345678", "-2.5e+3", "0.30000000000000004", "1" * 40,
    "4.9e-324",
]  # fmt: skip


def cells(draw: Draw, kind: str, n: int) -> list[str]:
    """Draw the cells of a column."""
    pool = {"text": TEXTS, "numbers": NUMBERS, "both": TEXTS + NUMBERS}[kind]
    chosen = draw.sample(pool, min(len(pool), draw.choice([2, 3, 8])))
    if draw.random() < 0.3:
        chosen.append(draw.choice(sorted(MISSING)))
    return [draw.choice(chosen) for _ in range(n)]


def is_decimal(text: str) -> bool:
    """Whether a cell is a number in a file: decimal digits, finite."""
    try:
        return text.isascii() and "_" not in text and math.isfinite(float(text))
    except ValueError:
        return False


def check_columns(table: Table, written: dict[str, list[Any]]) -> None:
    """Fail unless each column holds what was written, as numbers or as text."""
    assert list(table.schema.names) == list(written), "names"
    for column, values, cells in zip(table.schema.columns, table.columns, written.values(), strict=True):
        check_column(column, values, cells)


def check_column(column: Any, values: Any, cells: list[Any]) -> None:
    missing = [cell in MISSING for cell in cells]
    if column.is_nominal:
        kinds = [*map(str, column.categories), None]
        read = [kinds[code] for code in values.tolist()]
        assert read == [None if gone else cell for gone, cell in zip(missing, cells)], (read, cells)
        return
    wanted = [math.nan if gone else float(cell.replace(",", ".")) for gone, cell in zip(missing, cells)]
    np.testing.assert_array_equal(values, wanted, f"column {column.name!r}")


def written_by_csv(draw: Draw) -> None:
    n = draw.randrange(1, 30)
    stems = ["c", "Größe", "a b", "x,y", 'q"', "n"]
    names = [draw.choice(stems) + str(j) for j in range(draw.randrange(1, 5))]
    columns = {name: cells(draw, draw.choice(["text", "numbers", "both"]), n) for name in names}
    delimiter, ending = draw.of([",", ",", ";", "\t"]), draw.of(["\n", "\r\n"])
    quoting = draw.of([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator=ending, quoting=quoting)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    data = file.getvalue().encode(draw.of(["utf-8", "utf-8", "utf-8-sig"]))
    path = draw.folder / ("rows.csv" if delimiter != "\t" else "rows.tsv")
    if draw.random() < 0.2:
        path, data = path.with_name(path.name + ".gz"), gzip.compress(data)
    path.write_bytes(data)
    table = draw.attempt(read_table, path, target=False)
    stripped = {name: [cell.strip(" \t") for cell in kept] for name, kept in columns.items()}
    read = dict(columns)
    if quoting == csv.QUOTE_MINIMAL:  # a blank at the edge of a cell without quotes is no part of it
        read = {
            name: [c if c == s or _quoted(c, delimiter) else s for c, s in zip(kept, stripped[name])]
            for name, kept in read.items()
        }
    check_columns(table, read)
    for column, kept in zip(table.schema.columns, read.values(), strict=True):
        known = [cell for cell in kept if cell not in MISSING]
        numeric = all(map(is_decimal, known)) or all(map(WITH_COMMAS.fullmatch, known))
        assert column.is_nominal == (not numeric), f"kind of {kept}"


def _quoted(cell: str, delimiter: str) -> bool:
    return any(mark in cell for mark in (delimiter, '"', "\n", "\r"))


def written_by_parquet(draw: Draw) -> None:
    n = draw.randrange(1, 30)
    kinds = {
        "float": lambda: [draw.choice([None, 1.5, -0.0, 1e300, 5e-324]) for _ in range(n)],
        "int": lambda: [draw.choice([None, 0, -7, 2**31]) for _ in range(n)],
        "text": lambda: [draw.choice([None, *draw.sample(TEXTS, 3), ""]) for _ in range(n)],
        "bool": lambda: [draw.choice([None, True, False]) for _ in range(n)],
        "huge": lambda: [draw.choice([2**53 + 1, 2**53]) for _ in range(n)],
        "dates": lambda: pd.date_range("2020", periods=n),
        "lists": lambda: [[1]] * n,
        "bytes": lambda: [b"a"] * n,
        "empty": lambda: [None] * n,
        "dictionary": lambda: pd.Categorical([draw.choice("ab") for _ in range(n)], ["b", "a", "c"]),
    }
    chosen = [draw.of([*kinds, "float", "text"]) for _ in range(draw.randrange(1, 4))]
    frame = pd.DataFrame(
        {
            f"{kind} {j}": pd.Series(
                list(kinds[kind]()), dtype=None if kind in ("dates", "dictionary") else object
            )
            for j, kind in enumerate(chosen)
        }
    )
    path = draw.folder / "rows.parquet"
    if draw.random() < 0.5:
        index = draw.of(["shuffled", "named", "filtered", "text", "none"])
        if index == "shuffled":
            frame.index = draw.sample(range(n), n)
        elif index == "named":
            frame.index = pd.Index(range(n, 0, -1), name="customer")
        elif index == "filtered":
            frame = frame[np.arange(n) % 2 == 0]
        elif index == "text":
            frame.index = [f"row {i}" for i in range(n)]
        draw.attempt(frame.to_parquet, path)
        names = [*frame.columns, "customer"]
    else:
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
        names = list(frame.columns)
    if "huge" in chosen:
        import warnings

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table = draw.attempt(read_table, path, target=False)
        huge = [value for name in frame if name.startswith("huge") for value in frame[name]]
        assert caught or all(value == 2**53 for value in huge), "rounded without a word"
    else:
        table = draw.attempt(read_table, path, target=False)
    assert set(table.schema.names) <= set(names), f"columns that nobody wrote: {table.schema.names}"
    assert set(frame.columns) <= set(table.schema.names), "columns are lost"
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        if column.name not in frame:
            continue
        wanted = [None if v is None or v is pd.NaT or v != v else v for v in frame[column.name].tolist()]
        if column.is_nominal:
            known = [*column.categories, None]
            assert [known[code] for code in values.tolist()] == wanted, column
        else:
            np.testing.assert_array_equal(values, [np.nan if v is None else _number(v) for v in wanted])


def _number(value: Any) -> float:
    """Return what a value of a numeric column is: a date is its day."""
    epoch, day = pd.Timestamp("1970-01-01"), pd.Timedelta(days=1)
    return (value - epoch) / day if isinstance(value, pd.Timestamp) else float(value)


def written_by_arff(draw: Draw) -> None:
    frame, y = mixed(draw)
    names = draw.sample(TEXTS, 3)
    frame = frame.assign(town=frame.town.map(dict(zip(["north", "south", "west"], names))))
    frame = frame.rename(columns={"amount": draw.choice(TEXTS), "town": "a town's name"})
    table = draw.attempt(Table.from_data, frame)
    table = table.with_target(np.searchsorted(["low", "mid", "top"], y), ["low", "mid", draw.choice(TEXTS)])
    path = draw.folder / ("rows.arff" + draw.of(["", ".gz"]))
    draw.attempt(write_arff, table, path)
    back = read_table(path)
    assert back.schema.names == table.schema.names
    for column, values, other, read in zip(
        table.schema.columns, table.columns, back.schema.columns, back.columns
    ):
        if column.is_nominal:
            one, two = ([*map(str, c.categories), None] for c in (column, other))
            assert [one[code] for code in values] == [two[code] for code in read]
        else:
            np.testing.assert_array_equal(values, read)
    assert back.labels().tolist() == table.labels().tolist()


def add_dates(draw: Draw, path: Path) -> None:
    """Put a column of dates behind the others of an ARFF file."""
    pattern, form = draw.of([("yyyy-MM-dd", "%Y-%m-%d"), ("d MMM yyyy HH:mm", "%d %b %Y %H:%M")])
    head, mark, rows = path.read_text(encoding="utf-8").partition("@data\n")
    first = pd.Timestamp("1969-12-30 06:00")
    dated = [f"{row},{first + i * pd.Timedelta(hours=7):{form}}" for i, row in enumerate(rows.splitlines())]
    head += f"@attribute seen date '{pattern}'\n"
    path.write_text(head + mark + "\n".join(dated) + "\n", encoding="utf-8")
    seen = read_table(path).columns[-1]
    assert len(seen) == len(dated) and (np.diff(seen) >= 0).all(), "dates in another order"


def damaged_files(draw: Draw) -> None:
    """A file with some bytes changed is refused, or a table whose parts fit each other."""
    frame, y = mixed(draw)
    frame = frame.iloc[: draw.randrange(1, 20)].assign(**{"class": y[:20][:1][0]})
    kind = draw.of(["rows.csv", "rows.arff", "rows.parquet", "rows.csv.gz", "rows.data"])
    path = draw.folder / kind
    if kind == "rows.arff":
        write_arff(Table.from_data(frame), path)
        if draw.of([True, False]):
            add_dates(draw, path)
    elif kind == "rows.parquet":
        frame.to_parquet(path)
    elif kind == "rows.data":
        (draw.folder / "rows.names").write_text(
            "low,mid,top.\namount: continuous.\ntown: north,south,west.\n"
        )
        frame[["amount", "town", "class"]].to_csv(path, header=False, index=False, na_rep="?")
    else:
        frame.to_csv(path, index=False)
    victim = draw.of([path, *draw.folder.glob("*.names")])
    data = bytearray(victim.read_bytes())
    for _ in range(draw.randrange(1, 6)):
        at, how = draw.randrange(len(data) or 1), draw.random()
        if how < 0.3:
            del data[at : at + draw.choice([1, 2, 50])]
        elif how < 0.6:
            data[at:at] = draw.choice(
                [b"\0", b'"', b"'", b",", b"\n", b"\xff\xfe", b"{", b"%", b"@data\n", b"\r"]
            )
        elif data:
            data[at] = draw.randrange(256)
    victim.write_bytes(data)
    table = draw.attempt(read_table, path)
    assert all(len(values) == table.n_samples for values in table.columns)
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        if column.is_nominal:
            assert values.min(initial=0) >= -1 and values.max(initial=-1) < len(column.categories)
        else:
            assert not np.isinf(values).any()
    if table.y is not None:
        assert table.y.max(initial=-1) < len(table.classes)


def files_of_costs(draw: Draw) -> None:
    """A matrix that was written in another order of rows and columns is the same, or the file is refused."""
    n = draw.choice([2, 3, 4])
    labels = draw.sample([text for text in TEXTS if text == text.strip() and "\n" not in text], n)
    values = np.array([[draw.randrange(40) / 8 for _ in range(n)] for _ in range(n)])
    matrix = CostMatrix(values, labels)
    rows, columns = draw.sample(range(n), n), draw.sample(range(n), n)
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(["actual\\predicted", *(labels[j] for j in columns)])
    writer.writerows([labels[i], *(values[i, j] for j in columns)] for i in rows)
    text = file.getvalue()
    fault = draw.of(["none", "none", "cell", "row", "bytes"])
    lines = text.split("\r\n")
    if fault == "cell":
        lines[1] = lines[1].rpartition(",")[0] + "," + draw.of(["", "x", "nan", "1e999", "1,5", "1_0", "٣"])
    elif fault == "row":
        lines[draw.randrange(1, n + 1)] = draw.choice(["", "other,1,2", lines[1], ","])
    path = draw.folder / "costs.csv"
    path.write_bytes("\r\n".join(lines).encode() + (b"\xff" if fault == "bytes" else b""))
    read = draw.attempt(CostMatrix.from_csv, path)
    if fault == "none":
        np.testing.assert_array_equal(read.align(labels).values, matrix.values)
    elif fault == "row":
        assert lines[1:] == text.split("\r\n")[1:], "a row is replaced and taken"


def files_of_prices(draw: Draw) -> None:
    """Prices of columns from CSV and JSON, sound and damaged."""
    from stakes.costs import as_feature_costs

    names = ["age", "blood", "x,y"]
    prices = {name: draw.randrange(80) / 8 for name in names}
    path = draw.folder / "prices.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["feature", "price"], *draw.sample(list(prices.items()), 3)])
    data = bytearray(path.read_bytes())
    damaged = draw.random() < 0.6
    if damaged:
        for _ in range(draw.randrange(1, 4)):
            data[draw.randrange(len(data))] = draw.choice(b',"\n\r\0-xnae9\xff')
    path.write_bytes(data)
    read = draw.attempt(as_feature_costs, path, tuple(names))
    assert isinstance(read, FeatureCosts)
    if not damaged:
        assert [
            read.union_price([name]) if hasattr(read, "union_price") else read.to_dict()["prices"][name]
            for name in names
        ] == list(prices.values())


def nested_documents(draw: Draw) -> None:
    """JSON that is nested deeply, or whose numbers are long, in every file of costs."""
    from stakes.costs import as_cost_matrix, as_feature_costs

    depth = draw.of([10, 2000, 100_000])
    inside = draw.of(["[", '{"a":'])
    text = inside * depth + "1" + {"[": "]", '{"a":': "}"}[inside] * depth
    text = draw.of(
        [text, f'{{"values": {text}}}', f'{{"prices": {{"a": {text}}}}}', "1" * 5000, '{"prices":1e999}']
    )
    path = draw.folder / "costs.json"
    path.write_text(text)
    if draw.of([True, False]):
        draw.attempt(as_cost_matrix, path, np.array(["a", "b"]))
    else:
        draw.attempt(as_feature_costs, path, ("a", "b"))


def names_of_files(draw: Draw) -> None:
    """Files that are folders, empty, of an unknown kind, or not there."""
    kind = draw.of(["missing", "folder", "empty", "unknown", "null", "directory in between", "header only"])
    suffix = draw.of([".csv", ".arff", ".parquet", ".data", ".names", ".csv.gz", ".tsv"])
    path = draw.folder / f"{draw.choice(string.ascii_letters)}{suffix}"
    if kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "unknown":
        path = path.with_suffix(".xyz")
        path.write_bytes(b"a,b\n1,2\n")
    elif kind == "null":
        path = draw.folder / "a\0b.csv"
    elif kind == "directory in between":
        path = path / "rows.csv"
    elif kind == "header only":
        path.write_bytes(b"a,b,class\n")
    draw.attempt(read_table, path)
    raise AssertionError("a table of nothing")


ATTACKS = [
    written_by_csv,
    written_by_parquet,
    damaged_files,
    written_by_arff,
    files_of_costs,
    written_by_csv,
    damaged_files,
    files_of_prices,
    nested_documents,
    names_of_files,
]
