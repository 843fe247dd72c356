"""The material of a trial: data, its parts, costs and learners, made from what a protocol says."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from stakes._folds import stratified_folds
from stakes.costs import (
    CostMatrix,
    FeatureCosts,
    abe_costs,
    as_cost_matrix,
    davis_prices,
    kretowski_costs,
    ting_costs,
)
from stakes.datasets import load_table
from stakes.lab.encode import OneHotTable
from stakes.lab.specs import CostSpec, DataSpec, LearnerSpec, SplitSpec
from stakes.lab.trial import Part
from stakes.table import Column, Schema, Table, read_table

Rows = NDArray[np.intp]
#: Learners that the protocol does not know by themselves are given these parameters.
GIVEN = ("cost_matrix", "feature_costs", "random_state")


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
    if table.y is None or table.classes is None:
        raise ValueError(f"data set {spec.name!r} must have classes; target says which column they are in")
    keep = table.y >= 0
    if spec.rare:
        count = np.bincount(table.y[keep], minlength=len(table.classes))
        keep &= count[table.y] >= spec.rare
    rows = np.flatnonzero(keep)
    if spec.sample is not None:
        drawn = np.random.default_rng(0).permutation(len(rows))[: round(spec.sample * len(rows))]
        rows = rows[np.sort(drawn)]
    if len(rows) < table.n_samples:
        table = table.take(rows)
    if spec.as_numbers:
        table = _as_numbers(table)
    return _as_data(table, published)


def fresh_data(spec: DataSpec, splits: SplitSpec, repeat: int) -> Data:
    """Rows drawn anew for a repeat."""
    found = import_object(str(spec.generate))(
        splits.train_rows + splits.test_rows, random_state=splits.seed + repeat
    )
    classes, codes = np.unique(found.y, return_inverse=True)
    return _as_data(Table.from_data(found.X).with_target(codes.astype(np.int32), classes.tolist()), None)


def _as_data(table: Table, published: CostMatrix | None) -> Data:
    assert table.y is not None and table.classes is not None
    present = np.unique(table.y)
    labels = table.labels()
    classes = table.classes[present]
    codes = np.searchsorted(present, table.y)
    strata = np.unique(labels, return_inverse=True)[1]
    return Data(Part(table, labels), classes, codes, strata, published, _digest(table, labels))


def _as_numbers(table: Table) -> Table:
    columns = [
        np.where(values < 0, np.nan, values).astype(float) if column.is_nominal else values
        for column, values in zip(table.schema.columns, table.columns, strict=True)
    ]
    schema = Schema([Column(name) for name in table.schema.names])
    return Table(schema, columns, y=table.y, classes=table.classes, target=table.target)


def _digest(table: Table, labels: NDArray[Any]) -> str:
    content = hashlib.blake2b(json.dumps(table.schema.to_dict(), default=str).encode(), digest_size=16)
    for values in table.columns:
        content.update(np.ascontiguousarray(values))
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
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    n_train = round(spec.train * len(codes))
    return np.sort(shuffled[:n_train]), np.sort(shuffled[n_train:])


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


# ---- costs -------------------------------------------------------------------------------------------------


def cost_seed(spec: CostSpec, repeat: int, fold: int) -> int:
    """Seed of a random cost model for a trial."""
    return spec.seed + {"fold": 1000 * repeat + fold, "repeat": repeat, "study": 0}[spec.per]


def draw_costs(spec: CostSpec, data: Data, train: Rows, repeat: int, fold: int) -> CostMatrix:
    """The costs of a trial, in the order of the classes as declared.

    A class that is not in the training rows counts as one row for the model that looks at shares.
    """
    classes, seed = data.classes, cost_seed(spec, repeat, fold)
    if spec.model == "equal":
        return CostMatrix.uniform(classes)
    if spec.model == "known":
        return as_cost_matrix(data.published, classes)
    if spec.model == "published":
        if data.published is None:
            raise ValueError('costs "published" need a data set with published costs; this one has none')
        return data.published.align(classes)
    if spec.model == "file":
        return as_cost_matrix(spec.values[0], classes)
    if spec.model == "matrix":
        return CostMatrix(np.array(spec.values), spec.classes or classes).align(classes)
    if spec.model == "by_class":
        values = np.array(spec.values, dtype=float)
        if len(values) != len(classes):
            raise ValueError(f"by_class must have {len(classes)} costs, one per class, got {len(values)}")
        return CostMatrix(values[:, None] * (1 - np.eye(len(values))), spec.classes or classes).align(classes)
    if spec.model == "abe":
        count = np.bincount(data.codes[train], minlength=len(classes))
        return abe_costs(classes, np.maximum(count, 1), seed)
    models = {"ting": ting_costs, "kretowski": kretowski_costs}
    model = models.get(spec.model) or import_object(spec.model)
    return as_cost_matrix(model(classes, seed), classes)


def draw_prices(spec: CostSpec, names: tuple[str, ...], repeat: int, fold: int) -> FeatureCosts:
    """Prices of the columns for a trial."""
    model = davis_prices if spec.model == "davis" else import_object(spec.model)
    return FeatureCosts(model(names, cost_seed(spec, repeat, fold)))


# ---- learners ----------------------------------------------------------------------------------------------


def import_object(path: str) -> Any:
    """What an import path names.

    Examples
    --------
    >>> import_object("stakes.C45Classifier").__name__
    'C45Classifier'
    """
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, ValueError, AttributeError) as error:
        raise ValueError(f"{path!r} must be the import path of a class or function: {error}") from None


def make_learner(spec: LearnerSpec, costs: CostMatrix | None, prices: FeatureCosts | None, seed: int) -> Any:
    """A new estimator, told costs, prices and seed wherever it, or one inside it, has a parameter for them."""
    learner = _build(spec.path, spec.params, spec.input)
    given = {"cost_matrix": costs if spec.costs else None, "feature_costs": prices, "random_state": seed}
    for name, value in learner.get_params(deep=True).items():
        last = name.rpartition("__")[2]
        if value is None and given.get(last) is not None:
            learner.set_params(**{name: given[last]})
    return learner


def _build(path: str, params: Mapping[str, Any], columns: str) -> Any:
    made = {name: _value(value) for name, value in params.items()}
    kind = import_object(path)
    try:
        inspect.signature(kind).bind(**made)
    except TypeError as error:
        accepted = ", ".join(inspect.signature(kind).parameters)
        raise ValueError(f"{path}: {error}; its parameters are {accepted}") from None
    learner = kind(**made)
    if columns == "numbers":
        return make_pipeline(OneHotTable(), SimpleImputer(strategy="median"), StandardScaler(), learner)
    if columns == "frame":
        return make_pipeline(FunctionTransformer(_to_frame), learner)
    return learner


def _value(value: Any) -> Any:
    if not isinstance(value, Mapping) or "class" not in value:
        return value
    path = value["class"]
    columns = value.get("input", "table" if path.startswith("stakes.") else "numbers")
    return _build(path, value.get("params", {}), columns)


def _to_frame(table: Table) -> Any:
    return table.to_frame()
