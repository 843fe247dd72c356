"""Excel files: the first sheet, or the one that is named after the file, ``loans.xlsx#2026``."""

from __future__ import annotations

from pathlib import Path

from stakes._text.workbooks import sheet_text
from stakes.table._readers.common import NO_ROWS, RawTable, TableFileError, read_bytes, reads, sheet_of
from stakes.table._readers.delimited import parse_csv


@reads(".xlsx")
def read_excel(path: Path) -> RawTable:
    """Read a sheet as the CSV file of the same cells is read; rows without any value are left out."""
    file, name = sheet_of(path)
    content = read_bytes(file)
    try:
        text = sheet_text(content, name)
    except ValueError as error:
        raise TableFileError(file, str(error)) from error
    if not text:
        raise TableFileError(path, NO_ROWS)
    return parse_csv(path, text.encode("utf-8", "replace"))
