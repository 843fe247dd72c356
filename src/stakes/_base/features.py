"""scikit-learn's check of the number and the names of columns, for tables as well as for arrays."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from stakes._base.frames import library_of
from stakes._base.private_sklearn import safe_indexing
from stakes.table import Schema, Table


def check_features(estimator: Any, X: Any, *, reset: bool) -> None:
    """Remember the columns of X at fit time (``reset``), or compare X with what was remembered."""
    if isinstance(X, Mapping):
        raise TypeError(
            f"X must be an array, a data frame or a Table, got a {type(X).__name__}; "
            "pandas.DataFrame(X) makes a data frame of columns by name"
        )
    if reset:
        estimator._frames = library_of(X)  # that tables are given back in
    if not isinstance(X, Table):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return
    names = X.schema.names
    if reset:
        estimator.n_features_in_ = len(names)
        estimator.feature_names_in_ = np.array(names, dtype=object)
        return
    known = tuple(getattr(estimator, "feature_names_in_", names))
    if len(names) == len(known) and names != known:
        first = next(j for j, pair in enumerate(zip(names, known, strict=True)) if pair[0] != pair[1])
        raise ValueError(
            f"the columns of X must be those that {type(estimator).__name__} was fitted with, in the same "
            f"order: column {first} is {names[first]!r}, expected {known[first]!r}. "
            "Table.select() puts them in order."
        )


def encode_rows(estimator: Any, schema: Schema, X: Any, **options: Any) -> Table:
    """Rows to answer for as a fitted estimator takes them; ``options`` are those of :meth:`Schema.encode`."""
    if getattr(X, "ndim", 2) == 2:  # else encoding says what is wrong with the shape
        check_features(estimator, X, reset=False)
    return schema.encode(X, owner=type(estimator).__name__, **options)


def any_columns(tags: Tags) -> Tags:
    """Say that columns may be nominal and values missing."""
    tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
    return tags


def take_rows(X: Any, rows: Any) -> Any:
    """Rows of a table, array or frame, by their numbers."""
    # The lowest version of scikit-learn does not index tables of Arrow.
    knows_take = isinstance(X, Table) or type(X).__module__.startswith("pyarrow")
    return X.take(rows) if knows_take else safe_indexing(X, rows)


def one_hot(table: Table) -> np.ndarray:
    """A table as numbers: nominal columns one-hot, missing categories as zeros, missing numbers as NaN."""
    parts = [
        (values[:, None] == np.arange(len(column.categories))).astype(float)
        if column.is_nominal
        else values[:, None]
        for column, values in zip(table.schema.columns, table.columns, strict=True)
    ]
    return np.hstack(parts)


def takes(estimator: Any, parameter: str) -> bool:
    return parameter in inspect.signature(estimator.fit).parameters


def reject_weight(estimator: Any, weight: Any) -> None:
    if weight is not None and not takes(estimator, "sample_weight"):
        raise TypeError(f"sample_weight was given, but {type(estimator).__name__}.fit does not take it")
