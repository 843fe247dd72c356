"""Columns and rows that make a model look better than it is: ids, leaks, test rows met in training."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.table._columns import Column
from stakes.table._table import Table

#: Fewer rows say nothing, as few values differ by chance and few classes are told apart by chance.
FEWEST_ROWS = 50
#: Rows looked at for a column that decides; more would only take longer.
MOST_ROWS = 20_000
#: Share of the best constant's errors that a column which decides alone may leave.
LEFT = 0.01
#: Values of a numeric column up to which each may stand for a class of its own.
FEW_VALUES = 30
#: Share of the test rows that must be in the training rows, too, for it to matter.
SHARED = 0.01

_ID = re.compile(r"(^|[^a-z])(id|key|uuid|guid|nr|no|number|index|row)$", re.IGNORECASE)
_CAMEL_ID = re.compile(r"[a-z](Id|ID|Key|Nr|No|Number)$")
#: Dates, times, and numbers with fractions, which are text where a single value of the column is none.
_MEASURED = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2}|[-+]?\d*[.,]\d+(e[-+]?\d+)?$")


@dataclass(frozen=True)
class SuspiciousColumn:
    """A column that should not be learnt from, and why.

    Attributes
    ----------
    name : str
    kind : {"id", "leak"}
    words : str
        What is seen, a sentence.
    """

    name: str
    kind: str
    words: str


@dataclass(frozen=True)
class SharedRows:
    """How many test rows are training rows, too.

    Attributes
    ----------
    n_shared, n_test : int
    twins : float
        Share of the training rows that occur more than once among themselves: where many do, equal rows are
        no sign of a test file that was taken from the training rows.
    """

    n_shared: int
    n_test: int
    twins: float

    @property
    def matters(self) -> bool:
        """Whether there are more of them than chance brings."""
        expected = self.twins * self.n_test
        return self.n_shared > max(1, SHARED * self.n_test, 2 * expected + 3 * expected**0.5)


def suspicious_columns(table: Table, codes: NDArray[Any]) -> list[SuspiciousColumn]:
    """Columns that look like an id, and those that alone tell the class.

    An id has a value of its own for nearly every row: text, or whole numbers that number the rows or are
    called an id. Dates and numbers with fractions are none. A column decides alone where by its values, or by
    a few intervals of them, at most 1 % of the errors are made that always answering the commonest class
    makes; that is often known only after the decision.

    Parameters
    ----------
    table : Table
    codes : array of shape (n_samples,)
        Class of each row, 0, 1, ...

    Examples
    --------
    >>> rows = [[float(1000 + i), "paid" if i % 2 else "dunned"] for i in range(60)]
    >>> table = Table.from_data(rows)
    >>> for column in suspicious_columns(table, np.arange(60) % 2):
    ...     print(column.words)
    Column 'x0' looks like an id: 60 different values in 60 rows.
    Column 'x1' alone decides the class.
    """
    if table.n_samples < FEWEST_ROWS:
        return []
    step = -(-table.n_samples // MOST_ROWS)
    suspects = []
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        n_known, n_values = _looks_like_id(column, values)
        if n_values:
            words = f"Column {column.name!r} looks like an id: {n_values} different values in {n_known} rows."
            suspects.append(SuspiciousColumn(column.name, "id", words))
            continue
        errors, n_rows = _errors_alone(column, values[::step], codes[::step])
        constant = n_rows - np.bincount(codes[::step]).max()
        if constant >= 10 and errors <= LEFT * constant:
            but = f", but for {errors} of {n_rows} rows" if errors else ""
            words = f"Column {column.name!r} alone decides the class{but}."
            suspects.append(SuspiciousColumn(column.name, "leak", words))
    return suspects


def _looks_like_id(column: Column, values: NDArray[Any]) -> tuple[int, int]:
    """Known and different values of a column that looks like an id, (0, 0) of any other."""
    known = values[values >= 0] if column.is_nominal else values[~np.isnan(values)]
    if len(known) < FEWEST_ROWS or column.dates:
        return 0, 0
    if column.is_nominal:
        used = np.flatnonzero(np.bincount(known))
        near_all = len(used) >= 0.95 * len(known)
        return (len(known), len(used)) if near_all and not _measured(column, used[:100]) else (0, 0)
    low, high = known.min(), known.max()
    named = _ID.search(column.name) or _CAMEL_ID.search(column.name)
    dates = low >= 19_000_101 and high <= 21_001_231  # 20261119
    if dates or not (named or high - low < 2 * len(known)) or (known != np.floor(known)).any():
        return 0, 0
    n_values = len(np.unique(known))
    return (len(known), n_values) if n_values == len(known) else (0, 0)


def _measured(column: Column, codes: NDArray[Any]) -> bool:
    """Whether most of these categories are dates or numbers with fractions."""
    return 2 * sum(bool(_MEASURED.match(str(column.categories[code]))) for code in codes) > len(codes)


def _errors_alone(column: Column, values: NDArray[Any], codes: NDArray[Any]) -> tuple[int, int]:
    """Errors of the best answer by this column alone, and the rows."""
    if column.is_nominal:
        groups = values + 1  # the missing ones are a group of their own
    else:
        _, groups = np.unique(values, return_inverse=True)  # NaN is one value, the last
        if groups.max() >= FEW_VALUES:
            return _errors_of_intervals(groups, codes), len(codes)
    counts = _counts(groups, codes)
    alone = counts.sum(axis=1) == 1  # a value that is met once tells nothing about others
    return int((counts.sum(axis=1) - counts.max(axis=1)).sum() + alone.sum()), len(codes)


def _errors_of_intervals(groups: NDArray[Any], codes: NDArray[Any]) -> int:
    """Errors where a few intervals of the ordered groups have a class each; all rows where it takes many."""
    counts = _counts(groups, codes)
    answer, sizes = counts.argmax(axis=1), counts.sum(axis=1)
    starts = np.flatnonzero(np.diff(answer, prepend=-1))
    lengths = np.add.reduceat(sizes, starts)
    short = lengths < max(2, len(codes) // 1000)  # errors of the intervals around them
    kept = answer[starts][~short]
    if not len(kept) or 1 + np.count_nonzero(np.diff(kept)) > 2 * counts.shape[1]:
        return len(codes)
    return int((sizes - counts.max(axis=1)).sum() + lengths[short].sum())


def _counts(groups: NDArray[Any], codes: NDArray[Any]) -> NDArray[np.int64]:
    """Rows of each group and class."""
    n_classes = int(codes.max()) + 1
    flat = np.bincount(
        groups.astype(np.int64) * n_classes + codes, minlength=(int(groups.max()) + 1) * n_classes
    )
    counts = flat.reshape(-1, n_classes)
    return counts[counts.sum(axis=1) > 0]


def shared_rows(train: Table, test: Table) -> SharedRows:
    """Count the test rows that are training rows, too, by the columns that both have; ids do not count.

    Examples
    --------
    >>> train = Table.from_data([[1.0, "a"], [2.0, "b"], [3.0, "a"]])
    >>> shared_rows(train, Table.from_data([[2.0, "b"], [2.0, "a"], [3.0, "a"]])).n_shared
    2
    """
    names = [
        column.name
        for column, values in zip(train.schema.columns, train.columns, strict=True)
        if column.name in test.schema.names and not any(_looks_like_id(column, values))
    ]
    if not names or not train.n_samples or not test.n_samples:
        return SharedRows(0, test.n_samples, 0.0)
    ours, theirs = train.select(names), test.select(names)
    encoded = ours.schema.encode(theirs)
    new = np.zeros(len(theirs), dtype=bool)  # a category that training rows do not have is not a missing one
    for column, before, after in zip(theirs.schema.columns, theirs.columns, encoded.columns, strict=True):
        if column.is_nominal and after.dtype.kind == "i":
            new |= (before >= 0) & (after < 0)
    seen, times = np.unique(_row_hashes(ours), return_counts=True)
    shared = np.isin(_row_hashes(encoded), seen) & ~new
    return SharedRows(int(shared.sum()), len(theirs), float(times[times > 1].sum() / len(ours)))


def _row_hashes(table: Table) -> NDArray[np.uint64]:
    """A number for each row, the same for equal rows and hardly ever for others."""
    total = np.zeros(table.n_samples, dtype=np.uint64)
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        # + 0.0 makes -0.0 and 0.0 one; every missing number is the same NaN
        numbers = (
            values.astype(np.int64) if column.is_nominal else np.where(np.isnan(values), np.nan, values + 0.0)
        )
        bits = np.ascontiguousarray(numbers).view(np.uint64)
        total = (total ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        total ^= total >> np.uint64(29)
    return total
