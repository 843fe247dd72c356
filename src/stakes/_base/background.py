"""Rows that explanations compare with: typical ones, which every fit notes, or rows that were to be kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base import documents
from stakes.table import Column, Schema, Table

#: At most so many rows are compared with; of more, so many are drawn.
MOST_BACKGROUND = 100
#: Medians and frequencies are those of at most so many training rows, evenly spaced.
MOST_READ = 10_000
#: A class with fewer rows than this among them is given the typical row of all classes, for its own would say
#: too much about single rows.
FEWEST_OF_A_CLASS = 10

_KEYS = ("kept", "weights", "class_shares", "columns")


@dataclass(frozen=True, eq=False)
class Background:
    """Rows to compare with.

    Attributes
    ----------
    table : Table
    weight : array of shape (n_rows,)
        They add up to 1.
    class_shares : array of shape (n_classes,) or None
        Shares of the classes in the training data, where they are known.
    kept : bool
        Whether these are rows that were asked to be kept; else they are typical ones.
    """

    table: Table
    weight: NDArray[np.float64]
    class_shares: NDArray[np.float64] | None
    kept: bool

    @property
    def name(self) -> str:
        """What they are, for reading."""
        return "kept rows" if self.kept else "typical rows"

    def keep(self, table: Table) -> Background:
        """Return the rows of a table, all alike, instead of these."""
        return replace(self, table=table, weight=equal_weights(table.n_samples), kept=True)

    def to_dict(self, schema: Schema | None) -> dict[str, Any]:
        """Return plain values, with the categories of a model's schema; with a schema where it has none."""
        table = self.table if schema is None else schema.encode(self.table)
        own = {"schema": table.schema.to_dict()} if schema is None else {}
        return own | {
            "kept": self.kept,
            "weights": self.weight.tolist(),
            "class_shares": None if self.class_shares is None else self.class_shares.tolist(),
            "columns": plain_columns(table),
        }

    @classmethod
    def from_dict(cls, data: Any, schema: Schema | None, n_classes: int) -> Background:
        """Read back what :meth:`to_dict` gave; anything else is a ValueError."""
        documents.check_mapping(data, "the background", _KEYS)
        if schema is None:
            schema = _read_schema(data.get("schema"))
        weight = documents.float_array(data["weights"], "the background's weights")
        given = data["class_shares"]
        shares = None if given is None else documents.float_array(given, "the background's class_shares")
        for name, parts in (("weights", weight), ("class_shares", shares)):
            if parts is not None and ((parts < 0).any() or abs(parts.sum() - 1) > 1e-6):
                raise ValueError(f"the background's {name} must be numbers from 0 that add up to 1")
        if not 0 < len(weight) <= MOST_BACKGROUND or (shares is not None and len(shares) != n_classes):
            raise ValueError(
                f"the background must have 1 to {MOST_BACKGROUND} rows, and a share for each of the "
                f"{n_classes} classes"
            )
        columns = data["columns"]
        if type(data["kept"]) is not bool or not isinstance(columns, list) or len(columns) != len(schema):
            raise ValueError(f"the background must have {len(schema)} columns, and true or false as 'kept'")
        arrays = [_read(values, column) for values, column in zip(columns, schema.columns, strict=True)]
        if any(len(array) != len(weight) for array in arrays):
            raise ValueError("the background must have as many values in each column as weights")
        return cls(Table(schema, arrays), weight, shares, data["kept"])


def plain_columns(table: Table) -> list[list[Any]]:
    """Values of each column as plain ones; None where one is missing."""
    columns = []
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        if column.is_nominal:
            names = [*column.categories, None]
            columns.append([names[code] for code in values.tolist()])
        else:
            columns.append([None if math.isnan(value) else value for value in values.tolist()])
    return columns


def equal_weights(n_rows: int) -> NDArray[np.float64]:
    """Weights of rows that count alike."""
    return np.full(n_rows, 1 / n_rows)


def drawn_rows(n_rows: int) -> NDArray[np.intp]:
    """Numbers of the rows to compare with: all, or as many as are allowed, drawn with a fixed seed."""
    if n_rows <= MOST_BACKGROUND:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, MOST_BACKGROUND, replace=False))


def read_rows(weight: NDArray[np.float64] | None, n_samples: int) -> NDArray[np.intp]:
    """Numbers of the training rows that typical ones are made of: evenly spaced, none of weight 0."""
    rows = np.arange(n_samples) if weight is None else np.flatnonzero(weight > 0)
    if len(rows) <= MOST_READ:
        return rows
    return rows[np.linspace(0, len(rows) - 1, MOST_READ).astype(np.intp)]


def typical_rows(
    table: Table, codes: NDArray[Any], n_classes: int, class_weight: NDArray[np.float64]
) -> Background:
    """One row for each class: medians and most frequent categories, weighted by the share of the class.

    A median is a value of the column, and each column has its own, so that a typical row is none of the table
    but by accident. A column is missing in it where it is missing in most rows of the class.

    Parameters
    ----------
    table, codes : training rows, at most `MOST_READ` of them, and their class codes
    n_classes : int
    class_weight : array of shape (n_classes,)
        What the training rows of each class weigh together.

    Examples
    --------
    >>> table = Table.from_data([[1.0, "a"]] * 6 + [[5.0, "b"]] * 9 + [[9.0, "a"]] * 15)
    >>> background = typical_rows(table, np.repeat([0, 1], 15), 2, np.array([15.0, 45.0]))
    >>> plain_columns(background.table), background.weight
    ([[5.0, 9.0], ['b', 'a']], array([0.25, 0.75]))
    """
    shares = class_weight / class_weight.sum()
    chosen = np.sort(np.argsort(-shares, kind="stable")[:MOST_BACKGROUND])
    chosen = chosen[shares[chosen] > 0]
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], chosen, side="right")
    starts = np.searchsorted(codes[order], chosen, side="left")
    groups = [slice(*pair) for pair in zip(starts, ends, strict=True)]
    groups = [group if group.stop - group.start >= FEWEST_OF_A_CLASS else slice(None) for group in groups]
    arrays = []
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        sorted_values, typical = values[order], _category if column.is_nominal else _median
        arrays.append(np.array([typical(sorted_values[group]) for group in groups], dtype=values.dtype))
    weight = shares[chosen] / shares[chosen].sum()
    return Background(Table._trusted(table.schema, arrays, len(chosen)), weight, shares, kept=False)


def _median(values: NDArray[np.float64]) -> float:
    """The lower of the middle values; NaN where most are missing."""
    n_known = len(values) - int(np.count_nonzero(np.isnan(values)))
    if 2 * n_known < len(values):
        return math.nan
    middle = (n_known - 1) // 2
    return float(np.partition(values, middle)[middle])  # NaN comes last


def _category(codes: NDArray[np.int32]) -> int:
    """The most frequent code; -1 where most are missing."""
    counts = np.bincount(codes + 1, minlength=2)
    return -1 if 2 * counts[0] > len(codes) else int(counts[1:].argmax())


def _read_schema(data: Any) -> Schema:
    try:
        return Schema.from_dict(data)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the schema of the background cannot be read: {error}") from None


def _read(values: Any, column: Column) -> NDArray[Any]:
    name = f"column {column.name!r} of the background"
    if not column.is_nominal:
        return documents.float_array(values, name, nan_as_null=True)
    code = {(type(value), value): i for i, value in enumerate(column.categories)}  # 1 and True are one key
    try:
        codes = [-1 if v is None else code[type(v), v] for v in documents._list(values, name)]
    except (KeyError, TypeError):
        raise ValueError(f"{name} must hold its categories, or null") from None
    return np.array(codes, dtype=np.int32)
