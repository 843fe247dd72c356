"""Training rows, in memory or read anew for each pass: a table, a Parquet file, or a function of blocks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d

from stakes._base.features import check_features
from stakes._base.weights import check_weight
from stakes.costs import check_example_costs
from stakes.table import Column, Schema, Table
from stakes.table._columns import sorted_categories

#: Rows of a block: large enough for NumPy to be busy, small enough for the processor's cache.
BLOCK = 16_384

Blocks = Callable[[], Iterator[Table]]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with their classes; only ``blocks`` may live elsewhere than in memory.

    Attributes
    ----------
    schema : Schema
    classes : array of shape (n_classes,)
    codes : int32 array of shape (n_samples,)
    costs : array of shape (n_samples, n_classes) or None
        Costs per example.
    weight : array of shape (n_samples,) or None
    blocks : callable
        Gives the rows in their order, as tables of the schema.
    """

    schema: Schema
    classes: NDArray[Any]
    codes: NDArray[np.int32]
    costs: NDArray[np.float64] | None
    weight: NDArray[np.float64] | None
    blocks: Blocks


def open_rows(owner: Any, X: Any, y: Any, costs: Any, sample_weight: Any) -> Rows:
    """Recognise what an estimator's ``fit`` was given, check it, and tell the estimator its columns."""
    if isinstance(X, str | os.PathLike):
        schema, labels, costs, blocks = _scan(owner, _parquet(X, y), costs)
    elif callable(X):
        if y is not None:
            raise ValueError("y must be None where X is a function of blocks, which come with their classes")
        schema, labels, costs, blocks = _scan(owner, X, costs)
    elif hasattr(X, "__next__"):
        raise TypeError(
            "X must be readable once per round, got an iterator, which is used up after the first; "
            "pass the function that makes it"
        )
    else:
        if y is None:
            raise ValueError(f"{type(owner).__name__} requires y to be passed, but the target y is None.")
        table = Table.from_data(X, owner.categorical_features)
        check_features(owner, X, reset=True)
        labels = _labels(y)
        if len(labels) != table.n_samples:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"X has {table.n_samples} rows, y {len(labels)}"
            )
        schema, blocks = table.schema, lambda: slices(table)
    classes, codes = np.unique(labels, return_inverse=True)
    return Rows(
        schema,
        classes,
        codes.astype(np.int32),
        None if costs is None else check_example_costs(costs, len(labels), len(classes)),
        None if sample_weight is None else check_weight(sample_weight, len(labels)),
        blocks,
    )


def slices(table: Table) -> Iterator[Table]:
    """Blocks of a table, as views."""
    for start in range(0, table.n_samples, BLOCK):
        yield table.take(slice(start, start + BLOCK))


def joined(tables: Sequence[Table]) -> Table:
    """One table of the rows of several with the same schema."""
    if len(tables) == 1:
        return tables[0]
    columns = [np.concatenate(parts) for parts in zip(*(table.columns for table in tables), strict=True)]
    return Table._trusted(tables[0].schema, columns, sum(table.n_samples for table in tables))


def with_column(table: Table, schema: Schema, codes: NDArray[np.int32]) -> Table:
    """Return the table with one more column; the schema has it already."""
    return Table._trusted(schema, [*table.columns, codes], table.n_samples)


def _labels(y: Any) -> NDArray[Any]:
    labels = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=None, input_name="y")
    check_classification_targets(labels)
    return labels


def _parquet(path: Any, target: Any) -> Callable[[], Iterator[tuple[Any, Any]]]:
    if not isinstance(target, str):
        raise ValueError(f"y must be the name of the class column where X is a Parquet file, got {target!r}")
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError("reading Parquet needs pyarrow: pip install 'stakes[data]'.") from error
    with pq.ParquetFile(path) as file:
        if target not in file.schema_arrow.names:
            raise ValueError(f"y must be a column of {os.fspath(path)}, which has no {target!r}")

    def blocks() -> Iterator[tuple[Any, Any]]:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=BLOCK):
                frame = pa.Table.from_batches([batch])
                yield frame.drop_columns([target]), frame.column(target)

    return blocks


def _scan(owner: Any, source: Callable[[], Any], costs: Any) -> tuple[Schema, NDArray[Any], Any, Blocks]:
    """Read every block once: the columns, the classes and the costs; features are not kept."""
    columns: tuple[Column, ...] = ()
    labels, bills = [], []
    for block in source():
        X, y, *bill = block
        table = Table.from_data(X, owner.categorical_features)
        columns = _merged(columns, table.schema.columns)
        labels.append(_labels(np.array(y.to_pylist()) if hasattr(y, "to_pylist") else y))
        bills += bill
        if len(labels[-1]) != table.n_samples:
            raise ValueError(f"a block has {table.n_samples} rows but {len(labels[-1])} classes")
    if not labels:
        raise ValueError("X must have at least one block, got none")
    if bills:
        if costs is not None or len(bills) != len(labels):
            raise ValueError("costs must come with every block or as an argument, not both")
        costs = np.concatenate(bills)
    schema = Schema(columns)
    check_features(
        owner, Table(schema, [np.zeros(0, np.int32 if c.is_nominal else float) for c in columns]), reset=True
    )

    def blocks() -> Iterator[Table]:
        for X, *_ in source():
            yield from slices(schema.encode(X))

    return schema, np.concatenate(labels), costs, blocks


def _merged(known: tuple[Column, ...], new: tuple[Column, ...]) -> tuple[Column, ...]:
    """Columns of all blocks so far; categories of several blocks are put together and sorted."""
    if not known or known == new:
        return new
    if [(c.name, c.kind) for c in known] != [(c.name, c.kind) for c in new]:
        raise ValueError(
            "blocks must have the same columns, with the same names and kinds; declare a nominal column of "
            "numbers by categorical_features="
        )
    return tuple(
        Column(a.name, a.kind, sorted_categories((*a.categories, *b.categories)))
        if a.is_nominal and a.categories != b.categories
        else a
        for a, b in zip(known, new, strict=True)
    )
