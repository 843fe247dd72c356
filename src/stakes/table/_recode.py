"""From one schema to another: columns that were read once and are now to be what a fitted model expects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.table import _columns as col
from stakes.table._columns import NOMINAL, Column
from stakes.table._dates import text_days


def recode_columns(
    old: Sequence[Column],
    arrays: Sequence[NDArray[Any]],
    new: Sequence[Column],
    unseen: str,
    first_row: int = 0,
) -> list[NDArray[Any]]:
    """Arrays of columns, brought to the kinds and categories of others, column by column.

    Messages count rows from ``first_row`` on.
    """
    return [
        _recode(before, values, after, unseen, first_row)
        for before, values, after in zip(old, arrays, new, strict=True)
    ]


def _recode(before: Column, values: NDArray[Any], after: Column, unseen: str, first_row: int) -> NDArray[Any]:
    if not after.is_nominal:
        return _as_numbers(before, values, after, first_row) if before.is_nominal else values
    if before.is_nominal and before.categories == after.categories:
        return values
    if not before.is_nominal:
        before, values = number_categories(before, values)
    index = _index(before, after)
    return col.encode_nominal(values, before.categories, index, unseen, after.name, first_row)


def _index(before: Column, after: Column) -> dict[Any, int]:
    """Codes of the new categories by the old ones: the same value, or else one that is written the same."""
    exact = {value: code for code, value in enumerate(after.categories)}
    written = {str(value): code for code, value in reversed(list(enumerate(after.categories)))}
    index = {value: exact.get(value, written.get(str(value))) for value in before.categories}
    return {value: code for value, code in index.items() if code is not None}


def _as_numbers(
    column: Column, codes: NDArray[np.int32], after: Column, first_row: int
) -> NDArray[np.float64]:
    numbers = np.full(len(column.categories) + 1, np.nan)  # the last entry answers code -1
    used = np.unique(codes[codes >= 0])
    for code in used.tolist():
        value = column.categories[code]
        days = text_days([str(value)]) if after.dates else None
        try:
            numbers[code] = float(value) if days is None else days[0]
        except ValueError:
            row = first_row + int(np.flatnonzero(codes == code)[0])
            raise col.not_numeric(after.name, row, value) from None
    if np.isinf(numbers).any():
        raise ValueError(f"column {after.name!r} contains infinity. Missing values are written as NaN.")
    return numbers[codes]


def number_categories(column: Column, values: NDArray[np.float64]) -> tuple[Column, NDArray[np.int32]]:
    """Make a nominal column of a numeric one."""
    codes, distinct = col.factorize_array(values)
    categories = tuple(col.plain_value(value) for value in distinct)
    return Column(column.name, NOMINAL, categories), codes.astype(np.int32)


def met_categories(column: Column, values: NDArray[Any]) -> tuple[Column, NDArray[Any]]:
    """Give a nominal column the categories that rows have, sorted; any other comes back as it is."""
    if not column.is_nominal:
        return column, values
    counts = np.bincount(values + 1, minlength=len(column.categories) + 1)[1:]
    categories = col.sorted_categories(
        value for value, count in zip(column.categories, counts, strict=True) if count
    )
    if categories == column.categories:
        return column, values
    index = {value: code for code, value in enumerate(categories)}
    codes = col.encode_nominal(values, column.categories, index, "missing", column.name)
    return Column(column.name, NOMINAL, categories), codes
