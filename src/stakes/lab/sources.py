"""The rows of a trial: data sets, read or drawn, and their parts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from stakes._base.folds import stratified_folds
from stakes._text.words import some
from stakes.compare import Part
from stakes.costs import CostMatrix
from stakes.datasets import load_table
from stakes.lab._sections import ProtocolError
from stakes.lab.build import import_object
from stakes.lab.specs import DataSpec, SplitSpec
from stakes.table import Column, Schema, Table, read_table

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Data:
    """A data set, read: its rows, classes as declared and their codes, and published costs.

    Rows are parted by ``strata``, the codes of the labels in sorted order, as everywhere else in stakes.
    """

    part: Part
    classes: NDArray[Any]
    codes: Rows
    strata: Rows
    published: CostMatrix | None
    digest: str

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.codes) * len(self.part.X.schema)


@lru_cache(maxsize=4)
def read_data(spec: DataSpec) -> Data:
    """Read a data set. A worker keeps the last few, since trials of one data set follow each other."""
    table, published = (
        load_table(spec.load) if spec.load is not None else (read_table(str(spec.file), spec.target), None)
    )
    if spec.drop:
        table = table.drop(spec.drop)
    if table.y is None or table.classes is None:
        names = some(table.schema.names, most=20)
        raise ProtocolError(f"target must be the column of the classes, one of {names}; none is called class")
    keep = table.y >= 0
    if spec.rare:
        count = np.bincount(table.y[keep], minlength=len(table.classes))
        keep &= count[table.y] >= spec.rare
    rows = np.flatnonzero(keep)
    if spec.sample is not None:
        sampled = np.random.default_rng(0).permutation(len(rows))[: round(spec.sample * len(rows))]
        rows = rows[np.sort(sampled)]
    if len(rows) < table.n_samples:
        table = table.take(rows)
    if spec.unknown:
        table = _without_categories(table, spec.unknown)
    if spec.as_numbers:
        table = _as_numbers(table)
    return _as_data(table, published, spec.classes)


def fresh_data(spec: DataSpec, splits: SplitSpec, repeat: int) -> Data:
    """Rows drawn anew for a repeat."""
    generated = import_object(str(spec.generate))(
        splits.train_rows + splits.test_rows, random_state=splits.seed + repeat
    )
    classes, codes = np.unique(generated.y, return_inverse=True)
    return _as_data(Table.from_data(generated.X).with_target(codes.astype(np.int32), classes.tolist()), None)


def _as_data(table: Table, published: CostMatrix | None, order: tuple[str, ...] = ()) -> Data:
    assert table.y is not None and table.classes is not None
    labels = table.labels()
    classes = table.classes[np.unique(table.y)]
    if order:
        if sorted(order) != sorted(map(str, classes.tolist())):
            known = ", ".join(map(str, classes))
            raise ProtocolError(f"classes must be the labels {known}, in any order, got {', '.join(order)}")
        classes = classes[[list(map(str, classes.tolist())).index(label) for label in order]]
    codes = CostMatrix.uniform(classes).codes(labels)
    strata = np.unique(labels, return_inverse=True)[1]
    return Data(Part(table, labels), classes, codes, strata, published, _digest(table, labels, classes))


def _without_categories(table: Table, unknown: tuple[str, ...]) -> Table:
    """Take these categories for missing values; no column declares them any more."""
    columns, arrays = [], []
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        kept = [k for k, category in enumerate(column.categories) if str(category) not in unknown]
        code = np.full(len(column.categories) + 1, -1, dtype=np.int32)  # the last is that of missing values
        code[kept] = np.arange(len(kept))
        changed = column.is_nominal and len(kept) < len(column.categories)
        categories = tuple(column.categories[k] for k in kept)
        columns.append(replace(column, categories=categories) if changed else column)
        arrays.append(code[values] if changed else values)
    return Table(Schema(tuple(columns)), arrays, y=table.y, classes=table.classes, target=table.target)


def _as_numbers(table: Table) -> Table:
    columns = [
        np.where(values < 0, np.nan, values).astype(float) if column.is_nominal else values
        for column, values in zip(table.schema.columns, table.columns, strict=True)
    ]
    schema = Schema(tuple(Column(name) for name in table.schema.names))
    return Table(schema, columns, y=table.y, classes=table.classes, target=table.target)


def _digest(table: Table, labels: NDArray[Any], classes: NDArray[Any]) -> str:
    """Hash of columns, classes in their order, and rows."""
    kinds = [table.schema.to_dict(), classes.tolist()]
    content = hashlib.blake2b(json.dumps(kinds, default=str).encode(), digest_size=16)
    for values in table.columns:
        content.update(np.ascontiguousarray(values).data)
    content.update("\0".join(map(str, labels.tolist())).encode())
    return content.hexdigest()


# ---- parts -------------------------------------------------------------------------------------------------


def split_rows(spec: SplitSpec, codes: Rows, repeat: int, fold: int) -> tuple[Rows, Rows]:
    """Rows to learn from and rows to test, for a fold of a repeat.

    Examples
    --------
    >>> train, test = split_rows(SplitSpec(folds=5), np.repeat([0, 1], 10), repeat=0, fold=0)
    >>> len(train), len(test)
    (16, 4)
    """
    every, seed = np.arange(len(codes)), spec.seed + repeat
    if spec.kind == "all":
        return every, every
    if spec.kind == "fresh":
        return every[: spec.train_rows], every[spec.train_rows :]
    if spec.kind == "folds":
        where = _folds(spec.method, spec.folds, seed, codes.tobytes(), codes.dtype.str)
        return np.flatnonzero(where != fold), np.flatnonzero(where == fold)
    if spec.stratify:
        splitter = StratifiedShuffleSplit(1, train_size=spec.train, random_state=seed)
        train, test = next(splitter.split(codes[:, None], codes))
        return np.sort(train), np.sort(test)
    return _holdout(codes, round(spec.train * len(codes)), np.random.default_rng(seed))


def _holdout(codes: Rows, n_train: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    n_classes = len(np.unique(codes))
    for _ in range(1000):
        shuffled = rng.permutation(len(codes))
        train = np.sort(shuffled[:n_train])
        if len(np.unique(codes[train])) == n_classes:
            return train, np.sort(shuffled[n_train:])
    raise ValueError(f"no split of {n_train} training rows has all {n_classes} classes, in 1000 draws")


@lru_cache(maxsize=16)
def _folds(method: str, n_folds: int, seed: int, codes: bytes, dtype: str) -> Rows:
    labels = np.frombuffer(codes, dtype=dtype)
    if method == "stakes":
        return stratified_folds(labels, n_folds, seed)
    where = np.empty(len(labels), dtype=np.intp)
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for number, (_, test) in enumerate(splitter.split(labels[:, None], labels)):
        where[test] = number
    return where
