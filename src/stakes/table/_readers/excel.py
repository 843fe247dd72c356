"""Excel files: the first sheet, or the one that is named after the file, ``loans.xlsx#2026``."""

from __future__ import annotations

import csv
import datetime
import io
from pathlib import Path
from typing import Any

from stakes._text.extras import extra_module
from stakes.table._readers.common import NO_ROWS, RawTable, TableFileError, read_bytes, reads, sheet_of
from stakes.table._readers.delimited import parse_csv


@reads(".xlsx")
def read_excel(path: Path) -> RawTable:
    """Read a sheet as the CSV file of the same cells is read; rows without any value are left out."""
    calamine = extra_module("python_calamine", "reading Excel files", "excel")
    file, name = sheet_of(path)
    content = io.BytesIO(read_bytes(file))
    try:
        book = calamine.load_workbook(content)
        if name is not None and name not in book.sheet_names:
            known = ", ".join(map(repr, book.sheet_names))
            raise TableFileError(file, f"there is no sheet {name!r}; there are {known}.")
        sheet = book.get_sheet_by_index(0) if name is None else book.get_sheet_by_name(name)
        rows = [row for row in sheet.to_python() if any(cell != "" for cell in row)]
    except calamine.CalamineError as error:
        raise TableFileError(file, f"the Excel file cannot be read ({error}).") from error
    if not rows:
        raise TableFileError(path, NO_ROWS)
    return parse_csv(path, _as_csv(rows))


def _as_csv(rows: list[list[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(map(_cell, rows[0]))
    csv.writer(text, lineterminator="\n").writerows(map(_cell, row) for row in rows[1:])
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> str:
    """Write a cell as Excel itself writes it to a CSV file, but dates as ISO has them."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
