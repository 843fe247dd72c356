"""One column at a time: what kind it is, and its values as float64 or as int32 codes."""

from __future__ import annotations

import datetime
import math
import numbers
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stakes._text.words import did_you_mean
from stakes.table._dates import object_days

NUMERIC = "numeric"
NOMINAL = "nominal"
#: Up to here every whole number is a float of its own.
WHOLE = 2**53
_NO_VALUE_TYPES = frozenset({"NoneType", "NAType", "NaTType"})


@dataclass(frozen=True)
class Column:
    """Name and kind of one column.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : {"numeric", "nominal"}
        Numbers, or one of a list of values.
    categories : tuple
        The values of a nominal column in the order of their codes (strings, numbers or booleans); empty for a
        numeric one.
    dates : bool
        Whether the numbers are days since the first of January 1970, as dates are read.

    Examples
    --------
    >>> from stakes.table import Column
    >>> Column("housing", "nominal", ("rent", "own")).categories
    ('rent', 'own')
    """

    name: str
    kind: str = NUMERIC
    categories: tuple[Any, ...] = ()
    dates: bool = False

    def __post_init__(self) -> None:
        """Refuse a column that could not be written to JSON and read back."""
        if not isinstance(self.name, str):
            raise TypeError(f"name of a column must be a string, got {self.name!r}.")
        if self.kind not in (NUMERIC, NOMINAL):
            raise ValueError(
                f"kind of column {self.name!r} must be 'numeric' or 'nominal', got {self.kind!r}."
            )
        object.__setattr__(self, "categories", tuple(self.categories))
        if self.kind == NUMERIC and self.categories:
            raise ValueError(f"categories of column {self.name!r} must be empty because its kind is numeric.")
        if type(self.dates) is not bool or (self.dates and self.kind != NUMERIC):
            raise ValueError(f"dates of column {self.name!r} must be True or False, and its kind numeric.")
        for value in self.categories:
            if not isinstance(value, str | int | float) or is_missing(value):
                raise TypeError(
                    f"categories of column {self.name!r} must be strings, numbers or booleans, got {value!r}."
                )
        if len(set(self.categories)) != len(self.categories):
            raise ValueError(f"categories of column {self.name!r} must differ from each other.")

    @property
    def is_nominal(self) -> bool:
        """Whether the column holds codes of categories."""
        return self.kind == NOMINAL


def is_missing(value: Any) -> bool:
    """Whether a single Python value stands for a missing one (None, NaN, pandas' NA and NaT)."""
    return type(value).__name__ in _NO_VALUE_TYPES or (isinstance(value, float) and math.isnan(value))


def plain_value(value: Any) -> Any:
    """Turn one category into what a schema keeps: str, bool, int or float; others become their text."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        # 3.0 and 3 are the same key of a dict, and "3" is what a reader expects to see in a tree.
        number = float(value)
        return int(number) if number.is_integer() else number
    return str(value)


def sorted_categories(values: Iterable[Any]) -> tuple[Any, ...]:
    """Distinct plain values in an order that does not depend on the rows: numbers first, then text."""
    distinct = {plain_value(value): None for value in values}
    return tuple(sorted(distinct, key=lambda v: (isinstance(v, str), 0 if isinstance(v, str) else v, str(v))))


# --- values and their codes -------------------------------------------------------------------------------


def factorize_array(values: NDArray[Any]) -> tuple[NDArray[Any], list[Any]]:
    """Codes (-1 for missing) and distinct values of an array; the order of the values has no meaning."""
    if values.dtype.kind == "O":
        return factorize_objects(values.tolist())
    distinct, codes = np.unique(values, return_inverse=True)
    if values.dtype.kind == "f" and distinct.size and np.isnan(distinct[-1]):
        distinct = distinct[:-1]
        codes[codes == distinct.size] = -1
    return codes, distinct.tolist()


def factorize_objects(values: list[Any]) -> tuple[NDArray[Any], list[Any]]:
    """Codes (-1 for missing) and distinct values of Python objects."""
    index: dict[Any, int] = {}
    try:
        codes = [index.setdefault(value, len(index)) for value in values]
    except TypeError:
        bad = next(value for value in values if type(value).__hash__ is None)
        raise TypeError(
            f"values of a column: argument must be a string or a number, got {type(bad).__name__} {bad!r}."
        ) from None
    distinct = list(index)
    lut = np.arange(len(distinct), dtype=np.int64)
    for code, value in enumerate(distinct):
        if is_missing(value):
            lut[code] = -1
    return lut[np.asarray(codes, dtype=np.intp)], distinct


def encode_nominal(
    codes: NDArray[Any],
    distinct: Sequence[Any],
    index: dict[Any, int],
    unseen: str,
    name: str,
    first_row: int = 0,
) -> NDArray[np.int32]:
    """Translate a factorized column to the codes of a schema's column, by value.

    Messages count rows from ``first_row`` on.
    """
    table = np.full(len(distinct) + 1, -1, dtype=np.int32)  # the last entry answers code -1
    table[:-1] = [index.get(plain_value(value), -1) for value in distinct]
    result = table[codes]
    if unseen == "error":
        strange = np.flatnonzero((result < 0) & (codes >= 0))
        if strange.size:
            value = distinct[int(codes[strange[0]])]
            raise ValueError(
                f"column {name!r}, row {first_row + int(strange[0])}: value {value!r} is not one of the "
                f"categories known from fit{did_you_mean(value, index, 'categories', most=8)}. "
                "Use unseen='missing' to treat it as missing."
            )
    return result


# --- numbers ----------------------------------------------------------------------------------------------


def are_dates(values: list[Any]) -> bool:
    """Whether Python objects are dates or times, and some of them missing perhaps."""
    types = {cls for cls in set(map(type, values)) if cls.__name__ not in _NO_VALUE_TYPES | {"float"}}
    return bool(types) and all(issubclass(cls, datetime.date) for cls in types)


def object_kind(values: list[Any], name: str) -> str:
    """Kind of a column of Python objects: text or booleans make it nominal."""
    kind = NUMERIC
    if are_dates(values):
        return kind
    for cls in set(map(type, values)):
        if issubclass(cls, str | bytes | bool | np.bool_):
            kind = NOMINAL
        elif issubclass(cls, complex | np.complexfloating):
            raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers.")
        elif not issubclass(cls, numbers.Number) and cls.__name__ not in _NO_VALUE_TYPES | {"Decimal"}:
            row = next(i for i, value in enumerate(values) if type(value) is cls)
            raise TypeError(
                f"column {name!r}, row {row}: argument must be a string or a number, got {cls.__name__}."
                f"{_hint(cls.__name__)}"
            )
    return kind


def numbers_from_objects(values: list[Any], name: str) -> NDArray[np.float64]:
    """Float64 array of Python numbers, missing ones as NaN."""
    result = _floats(values, name)
    warn_of_rounding(result, name, values.__getitem__)
    return result


def _floats(values: list[Any], name: str) -> NDArray[np.float64]:
    if object_kind(values, name) == NUMERIC:
        try:
            return np.array(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            pass  # pandas' NA, or a huge integer; None is NaN to NumPy
    result = np.empty(len(values))
    for row, value in enumerate(values):
        if is_missing(value):
            result[row] = np.nan
        elif isinstance(value, datetime.date):
            result[row] = object_days(value)
        elif isinstance(value, numbers.Number | bool | np.bool_) or type(value).__name__ == "Decimal":
            result[row] = _as_float(value)
        else:
            raise not_numeric(name, row, value)
    return result


def warn_of_rounding(values: NDArray[np.float64], name: str, given: Callable[[int], Any]) -> None:
    """Warn where a whole number is not the float that it became; ``given`` is the number of a row."""
    for row in np.flatnonzero((np.abs(values) >= WHOLE) & np.isfinite(values)).tolist():
        if isinstance(given(row), numbers.Integral) and int(given(row)) != int(values[row]):
            warnings.warn(rounding_words(name), stacklevel=2)
            return


def rounding_words(name: str) -> str:
    """Say that the whole numbers of a column are rounded."""
    return (
        f"column {name!r} holds whole numbers beyond 2**53 = {WHOLE}, which are rounded to the numbers that "
        "64 bits of floating point have; where they are names, write them as text"
    )


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf  # an integer beyond the doubles; reported as an infinity, with its row


def not_numeric(name: str, row: int, value: Any) -> ValueError:
    """Build the error for text where a number belongs."""
    return ValueError(
        f"column {name!r}, row {row}: could not convert {value!r} to a number, and the column is numeric."
    )


def wrong_dtype(name: str, dtype: Any) -> TypeError:
    """Build the error for a column that is neither numbers nor categories."""
    return TypeError(
        f"column {name!r} has dtype {dtype}, but numbers, text, categories or booleans are needed."
        f"{_hint(str(dtype))}"
    )


def _hint(type_name: str) -> str:
    if any(word in type_name.lower() for word in ("date", "time", "duration")):
        return " Hint: turn it into a number first, such as hours or days."
    return " Hint: turn it into a number or a text, or drop the column."


def check_no_infinity(values: NDArray[np.float64], names: Sequence[str]) -> None:
    """Raise for an infinite entry of a column or a matrix, saying where it is."""
    with np.errstate(all="ignore"):
        # One pass without a temporary array: only where the sum is not finite can an infinity hide.
        if math.isfinite(values.sum()):
            return
    infinite = np.isinf(values)
    if infinite.any():
        row, column = (int(i) for i in np.argwhere(infinite.reshape(len(values), -1))[0])
        raise ValueError(
            f"Input X contains infinity or a value too large for dtype('float64'): "
            f"column {names[column]!r}, row {row}. Missing values are written as NaN."
        )


def check_codes(codes: NDArray[Any], n_values: int, name: str) -> None:
    """Refuse codes that no value stands for."""
    if codes.size and (codes.min() < -1 or codes.max() >= n_values):
        raise ValueError(
            f"{name} must have codes between -1 (missing) and {n_values - 1}, "
            f"got {codes.min()} to {codes.max()}."
        )


def check_column(values: ArrayLike, column: Column) -> NDArray[Any]:
    """Return the array of a column in its dtype, without a copy where it has it already."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"column {column.name!r} must be a 1-D array, got shape {array.shape}.")
    if column.kind == NUMERIC:
        if array.dtype.kind not in "fiub":
            raise TypeError(f"column {column.name!r} is numeric, but its array has dtype {array.dtype}.")
        array = array.astype(np.float64, copy=False)
        if np.isinf(array).any():
            raise ValueError(f"column {column.name!r} contains infinity. Missing values are written as NaN.")
        return array
    if array.dtype.kind not in "iu":
        raise TypeError(f"column {column.name!r} is {NOMINAL}, but its codes have dtype {array.dtype}.")
    check_codes(array, len(column.categories), f"column {column.name!r}")
    return array.astype(np.int32, copy=False)
