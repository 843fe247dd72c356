"""Answers of `stakes predict` as CSV, JSON, Parquet and ARFF, block by block as they come."""

from __future__ import annotations

import codecs
import csv
import json
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from stakes._base.documents import dumps
from stakes._cli.shared import plain_json
from stakes._text.extras import extra_module
from stakes._text.files import replacing
from stakes._text.words import visible
from stakes.table import Column, Schema, Table, write_arff

#: Columns of some rows, by name.
Block = dict[str, list[Any]]
#: What a column holds, by its name: bool, int, float or str.
Types = dict[str, type]


def write_csv(blocks: Iterator[Block], output: Path | None, types: Types) -> None:
    """Write CSV with a header."""
    with _text_stream(output) as file:
        writer = csv.writer(file, lineterminator="\n")
        for number, columns in enumerate(blocks):
            if number == 0:
                writer.writerow(columns)
            writer.writerows(_rows(columns))


def write_json(blocks: Iterator[Block], output: Path | None, types: Types) -> None:
    """Write a list with an object per row: for people on the terminal, without blanks in a file."""
    begin, end = ("\n", "\n") if output is None else ("", "")
    separator = "["
    with _text_stream(output) as file:
        for columns in blocks:
            for row in _rows(columns):
                file.write(separator + begin + _object(dict(zip(columns, row, strict=True)), output is None))
                separator = ","
        file.write(f"{end}]\n")


def _object(row: dict[str, Any], for_people: bool) -> str:
    if not for_people:
        return dumps(row)
    return textwrap.indent(json.dumps(plain_json(row), indent=2, ensure_ascii=False), "  ")


def write_parquet(blocks: Iterator[Block], output: Path | None, types: Types) -> None:
    """Write Parquet, whose columns are of the same types whatever values a block has."""
    arrow = extra_module("pyarrow", "writing Parquet", "data")
    parquet = extra_module("pyarrow.parquet", "writing Parquet", "data")
    known = {bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    assert output is not None
    with replacing(output) as file:
        first = next(blocks)
        schema = arrow.schema([(name, known[types[name]]) for name in first])
        with parquet.ParquetWriter(file, schema) as writer:
            writer.write_table(arrow.table(first, schema=schema))
            for columns in blocks:
                writer.write_table(arrow.table(columns, schema=schema))


def write_as_arff(blocks: Iterator[Block], output: Path | None, types: Types) -> None:
    """Write ARFF, all at once: its header lists the values of every nominal column."""
    columns: Block = {}
    for block in blocks:
        for name, values in block.items():
            columns.setdefault(name, []).extend(values)
    table = _as_table(columns)
    if output is not None:
        write_arff(table, output, relation="predictions")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.arff")
        write_arff(table, path, relation="predictions")
        sys.stdout.write(path.read_text(encoding="utf-8"))


WRITERS: dict[str, Callable[[Iterator[Block], Path | None, Types], None]] = {
    "csv": write_csv,
    "arff": write_as_arff,
    "parquet": write_parquet,
    "json": write_json,
}


@contextmanager
def _text_stream(output: Path | None) -> Iterator[Any]:
    if output is None:
        yield _Visible(sys.stdout) if sys.stdout.isatty() else sys.stdout
    else:
        with replacing(output) as file:
            yield codecs.getwriter("utf-8")(file)


def _rows(columns: Block) -> Iterator[tuple[Any, ...]]:
    return zip(*columns.values(), strict=True)


def _as_table(columns: Block) -> Table:
    described, arrays = [], []
    for name, values in columns.items():
        if all(value is None or isinstance(value, float) for value in values):
            described.append(Column(name))
            arrays.append(np.array([np.nan if value is None else value for value in values]))
            continue
        categories = tuple(dict.fromkeys(value for value in values if value is not None))
        code = {value: i for i, value in enumerate(categories)}
        described.append(Column(name, "nominal", categories))
        arrays.append(np.array([-1 if v is None else code[v] for v in values], dtype=np.int32))
    return Table(Schema(tuple(described)), arrays)


class _Visible:
    """A terminal, which gets control characters of the data as escapes."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text with its control characters as escapes."""
        return int(self.stream.write(visible(text)))
