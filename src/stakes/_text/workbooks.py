"""Excel files as the CSV text of one sheet's cells."""

from __future__ import annotations

import csv
import datetime
import io
from typing import Any

from stakes._text.extras import extra_module


def sheet_text(content: bytes, name: str | None = None) -> str:
    """Return the first sheet, or the named one, as CSV; rows without any value are left out."""
    calamine = extra_module("python_calamine", "reading Excel files", "excel")
    try:
        book = calamine.load_workbook(io.BytesIO(content))
        if name is not None and name not in book.sheet_names:
            known = ", ".join(map(repr, book.sheet_names))
            raise ValueError(f"there is no sheet {name!r}; there are {known}.")
        sheet = book.get_sheet_by_index(0) if name is None else book.get_sheet_by_name(name)
        rows = [row for row in sheet.to_python() if any(cell != "" for cell in row)]
    except calamine.CalamineError as error:
        raise ValueError(f"the Excel file cannot be read ({error}).") from error
    text = io.StringIO()
    head = [list(map(_cell, row)) for row in rows[:1]]
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(head)
    csv.writer(text, lineterminator="\n").writerows(map(_cell, row) for row in rows[1:])
    return text.getvalue()


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
