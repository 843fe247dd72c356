"""From what a user hands over (arrays, data frames, lists) to encoded columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stakes._text.words import did_you_mean, some
from stakes.table import _columns as col
from stakes.table._columns import NOMINAL, NUMERIC, Column
from stakes.table._dates import text_days
from stakes.table._inputs import ArrayInput, FrameInput, Input, PandasInput

if TYPE_CHECKING:
    from stakes.table import Schema


def open_input(X: Any) -> Input:
    """Recognise X and check its shape, in scikit-learn's words where scikit-learn has some."""
    if type(X) is not np.ndarray:
        if sparse.issparse(X):
            raise _sparse(X)
        if nw.dependencies.is_into_dataframe(X):
            return _open_frame(X)
        X = _without_mask(X) if isinstance(X, np.ma.MaskedArray) else _as_array(X)
    if X.ndim != 2:
        raise _wrong_dimensions(X)
    _check_size(X.shape)
    kind = X.dtype.kind
    if kind in "fiub":
        return ArrayInput(X.astype(np.float64, copy=False), X if kind in "iu" and X.itemsize == 8 else None)
    if kind == "O":
        return ArrayInput(X)
    if kind in "US":
        return ArrayInput((np.char.decode(X, "utf-8") if kind == "S" else X).astype(object))
    if kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    raise TypeError(
        f"X has dtype {X.dtype}, but numbers, text or booleans are needed. "
        "Hint: turn it into numbers first; columns of times belong into a data frame."
    )


def _open_frame(X: Any) -> Input:
    if nw.dependencies.is_pandas_dataframe(X):
        data: Input = PandasInput(X)
    else:
        data = FrameInput(nw.from_native(X, eager_only=True))
    if len(set(data.names)) < len(data.names):
        repeated = next(name for j, name in enumerate(data.names) if name in data.names[:j])
        raise ValueError(f"X must have columns with different names, but {repeated!r} occurs more than once.")
    _check_size(data.shape)
    return data


def _as_array(X: Any) -> NDArray[Any]:
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ValueError(f"X must have rows of equal length: {error}") from None
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        # A list of rows with text and numbers: NumPy would have turned the numbers into text.
        array = np.asarray(X, dtype=object)
    return array


def _without_mask(X: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """Return the array with what is masked as missing."""
    if not np.ma.is_masked(X):
        return X.data
    numeric = X.dtype.kind in "fiub"
    values = X.data.astype(np.float64 if numeric else object)
    values[np.ma.getmaskarray(X)] = np.nan if numeric else None
    return values


def _sparse(X: Any) -> TypeError:
    shape = " x ".join(map(str, X.shape))
    megabytes = max(1, round(prod(X.shape) * 8 / 1e6))
    memory = f"{megabytes} MB" if megabytes < 1000 else f"{megabytes / 1000:.3g} GB"
    return TypeError(
        f"X must be an array or a data frame, got a sparse {type(X).__name__} of shape {shape}. X.toarray() "
        f"makes it dense and takes {memory} of memory; where that is too much, choose columns first, as "
        "sklearn.feature_selection.SelectKBest does, which takes sparse data."
    )


def _wrong_dimensions(array: NDArray[Any]) -> ValueError:
    if array.ndim == 0:
        value = f"one {type(array.item()).__name__}" if array.dtype == object else array
        return ValueError(
            f"Expected 2D array, got scalar array instead:\narray={value}.\nX must be an array or a data "
            "frame (collect a lazy one). Reshape your data using "
            "array.reshape(-1, 1) or array.reshape(1, -1)."
        )
    if array.ndim == 1:
        return ValueError(
            f"Expected 2D array, got 1D array instead:\narray={array}.\nReshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a "
            "single sample."
        )
    return ValueError(
        f"Found array with dim {array.ndim}, while dim <= 2 is required: X must have rows and columns."
    )


def _check_size(shape: tuple[int, ...]) -> None:
    if 0 in shape:
        what = "sample" if shape[0] == 0 else "feature"
        raise ValueError(f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required.")


def encode_columns(data: Input, schema: Schema, unseen: str, check_finite: bool) -> list[NDArray[Any]]:
    """Encode each column as the schema says."""
    if isinstance(data, ArrayInput) and data.is_numeric and data.whole is None and schema.all_numeric:
        if check_finite:
            col.check_no_infinity(data.values, schema.names)
        return list(data.values.T)
    arrays: list[NDArray[Any]] = []
    for j, (column, index) in enumerate(zip(schema.columns, schema.indices, strict=True)):
        if index is None:
            texts = column.dates and data.kind(j) == NOMINAL
            arrays.append(
                _days(data, j, column.name) if texts else _numbers(data, j, column.name, check_finite)
            )
        else:
            codes, distinct = data.factorized(j)
            _check_comparable(data, j, column, codes, distinct)
            arrays.append(col.encode_nominal(codes, distinct, index, unseen, column.name))
    return arrays


def _days(data: Input, j: int, name: str) -> NDArray[np.float64]:
    """Days of a column of texts, which must be dates."""
    codes, distinct = data.factorized(j)
    days = np.full(len(distinct) + 1, np.nan)  # the last entry answers code -1
    for code in np.unique(codes[codes >= 0]).tolist():
        if (day := text_days([str(distinct[code])])) is None:
            row = int(np.flatnonzero(codes == code)[0])
            raise ValueError(
                f"column {name!r}, row {row}: {distinct[code]!r} is no date, and the column holds dates."
            )
        days[code] = day[0]
    return days[codes]


def _check_comparable(
    data: Input, j: int, column: Column, codes: NDArray[Any], distinct: Sequence[Any]
) -> None:
    if not data.holds_numbers(j) or not all(isinstance(value, str) for value in column.categories):
        return
    rows = np.flatnonzero(codes >= 0)
    if column.categories and rows.size:
        raise ValueError(
            f"column {column.name!r} is nominal with values {some(column.categories)}, but numbers "
            f"came, such as {distinct[int(codes[rows[0]])]!r} in row {rows[0]}. Check the "
            "order of the columns."
        )


def infer_columns(
    data: Input, categorical_features: Any, check_finite: bool
) -> tuple[tuple[Column, ...], list[NDArray[Any]]]:
    """Decide the kind of each column and encode it."""
    forced = forced_nominal(categorical_features, data.names)
    columns: list[Column] = []
    arrays: list[NDArray[Any]] = []
    for j, name in enumerate(data.names):
        if not forced[j] and data.kind(j) == NUMERIC:
            columns.append(Column(name, dates=data.dates(j)))
            arrays.append(_numbers(data, j, name, check_finite))
            continue
        codes, distinct = data.factorized(j)
        declared = data.declared(j)
        categories = (
            col.sorted_categories(v for v in distinct if not col.is_missing(v))
            if declared is None
            else tuple(dict.fromkeys(map(col.plain_value, declared)))
        )
        column = Column(name, NOMINAL, categories)
        index = {value: code for code, value in enumerate(categories)}
        columns.append(column)
        arrays.append(col.encode_nominal(codes, distinct, index, "missing", name))
    return tuple(columns), arrays


def _numbers(data: Input, j: int, name: str, check_finite: bool) -> NDArray[np.float64]:
    values = data.numbers(j, name)
    if check_finite:
        col.check_no_infinity(values, [name])
    return values


def forced_nominal(chosen: Iterable[Any] | None, names: Sequence[str]) -> list[bool]:
    """For each column whether the user says that it is nominal."""
    if chosen is None or (isinstance(chosen, str) and chosen == "from_dtype"):
        return [False] * len(names)
    if isinstance(chosen, str):
        raise TypeError(f"categorical_features must be a list of names or indices or a mask, got {chosen!r}.")
    items = np.asarray(chosen, dtype=object).ravel().tolist()
    if items and all(isinstance(item, bool | np.bool_) for item in items):
        if len(items) != len(names):
            raise ValueError(
                f"categorical_features is a mask of {len(items)} entries, but X has {len(names)} features."
            )
        return [bool(item) for item in items]
    forced = [False] * len(names)
    for item in items:
        forced[_position(item, names)] = True
    return forced


def _position(item: Any, names: Sequence[str]) -> int:
    if isinstance(item, str):
        if item not in names:
            raise ValueError(
                f"categorical_features names {item!r}, which is no column"
                f"{did_you_mean(item, names, 'columns')}."
            )
        return names.index(item)
    if isinstance(item, int | np.integer) and not isinstance(item, bool):
        if not 0 <= item < len(names):
            raise ValueError(f"categorical_features has index {item}, but X has {len(names)} features.")
        return int(item)
    raise TypeError(f"categorical_features must hold names or indices or be a mask, got {item!r}.")
