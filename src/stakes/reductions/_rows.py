"""Training rows, in memory or read anew for each pass: a table, a Parquet file, or a function of blocks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.features import check_features
from stakes._base.labels import CodedTarget, check_labels
from stakes._base.saving import training_info
from stakes._base.training import (
    Targets,
    is_own,
    note_typical_rows,
    read_table_and_target,
    read_targets,
    table_to_learn,
)
from stakes._text.extras import extra_module
from stakes.costs import check_sample_costs
from stakes.table import Column, Schema, Table, without_index
from stakes.table._columns import sorted_categories

#: Rows of a block: large enough for NumPy to be busy, small enough for the processor's cache.
BLOCK = 16_384

Blocks = Callable[[], Iterator[Table]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows(Targets):
    """Rows to learn from; only their columns may live elsewhere than in memory.

    Attributes
    ----------
    schema : Schema
    blocks : callable
        Gives the rows in their order, as tables of the schema.
    """

    schema: Schema
    blocks: Blocks


def open_rows(owner: Any, X: Any, y: Any, costs: Any, sample_weight: Any) -> Rows:
    """Recognise what an estimator's ``fit`` was given, check it, and tell the estimator its columns."""
    table = None
    if isinstance(X, str | os.PathLike):
        schema, target, costs, blocks = _scan(owner, _parquet(X, y), costs, y)
    elif callable(X):
        if y is not None:
            raise ValueError("y must be None where X is a function of blocks, which come with their classes")
        schema, target, costs, blocks = _scan(owner, X, costs)
    elif hasattr(X, "__next__"):
        raise TypeError(
            "X must be readable once per round, got an iterator, which is used up after the first; "
            "pass the function that makes it"
        )
    else:
        table, target = read_table_and_target(owner, X, y)
        schema, blocks = table.schema, lambda: slices(table)
    targets = read_targets(target, sample_weight, costs, owner.cost_matrix, check=is_own(y))
    note_typical_rows(owner, table, y, targets)
    return Rows(**vars(targets), schema=schema, blocks=blocks)


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


def _parquet(path: Any, target: Any) -> Callable[[], Iterator[tuple[Any, Any]]]:
    if not isinstance(target, str):
        raise ValueError(f"y must be the name of the class column where X is a Parquet file, got {target!r}")
    arrow = extra_module("pyarrow", "reading Parquet", "data")
    parquet = extra_module("pyarrow.parquet", "reading Parquet", "data")
    with parquet.ParquetFile(path) as file:
        if target not in file.schema_arrow.names:
            raise ValueError(f"y must be a column of {os.fspath(path)}, which has no {target!r}")

    def blocks() -> Iterator[tuple[Any, Any]]:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=BLOCK):
                frame = without_index(arrow.Table.from_batches([batch]), keep=target)
                yield frame.drop_columns([target]), frame.column(target)

    return blocks


def _scan(
    owner: Any, source: Callable[[], Any], costs: Any, name: str | None = None
) -> tuple[Schema, CodedTarget, Any, Blocks]:
    """Read every block once: the columns, the classes and the costs; features are not kept."""
    columns: tuple[Column, ...] = ()
    labels, costs_of_blocks = [], []
    for block in source():
        X, y, *block_costs = block
        table = table_to_learn(X, owner.categorical_features)
        columns = _merged(columns, table.schema.columns)
        labels.append(check_labels(np.array(y.to_pylist()) if hasattr(y, "to_pylist") else y))
        costs_of_blocks += block_costs
        if len(labels[-1]) != table.n_samples:
            raise ValueError(f"a block has {table.n_samples} rows but {len(labels[-1])} classes")
    if not labels:
        raise ValueError("X must have at least one block, got none")
    target = CodedTarget.of(np.concatenate(labels))
    if costs_of_blocks:
        if costs is not None or len(costs_of_blocks) != len(labels):
            raise ValueError("costs must come with every block or as an argument, not both")
        costs = np.concatenate(
            [
                check_sample_costs(part, len(y), len(target.classes), target.classes)
                for part, y in zip(costs_of_blocks, labels, strict=True)
            ]
        )
    schema = Schema(columns)
    check_features(
        owner, Table(schema, [np.zeros(0, np.int32 if c.is_nominal else float) for c in columns]), reset=True
    )

    def blocks() -> Iterator[Table]:
        for X, *_ in source():
            yield from slices(schema.encode(X))

    owner._training_info = training_info(schema, None, name, len(target))
    return schema, target, costs, blocks


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
