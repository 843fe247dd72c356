"""Arrays and data frames behind one small face: kind, numbers, and codes of a column."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from stakes.table import _columns as col
from stakes.table._columns import NOMINAL, NUMERIC
from stakes.table._dates import array_days


class ArrayInput:
    """A 2-D NumPy array: float64, or objects; ``whole`` are the whole numbers that it was made of."""

    __slots__ = ("is_numeric", "shape", "values", "whole")

    def __init__(self, values: NDArray[Any], whole: NDArray[Any] | None = None) -> None:
        self.values = values
        large = whole is not None and (int(whole.max()) > col.WHOLE or int(whole.min()) < -col.WHOLE)
        self.whole = whole if large else None
        self.shape: tuple[int, int] = (values.shape[0], values.shape[1])
        self.is_numeric = values.dtype.kind != "O"

    @property
    def names(self) -> list[str]:
        """Names that a nameless array's columns get."""
        return [f"x{j}" for j in range(self.shape[1])]

    def kind(self, j: int) -> str:
        """Kind of column j, from its dtype or its objects."""
        return NUMERIC if self.is_numeric else col.object_kind(self.values[:, j].tolist(), f"x{j}")

    def numbers(self, j: int, name: str) -> NDArray[np.float64]:
        """Column j as float64."""
        column = self.values[:, j]
        if self.whole is not None:
            col.warn_of_rounding(column, name, self.whole[:, j].item)
        return column if self.is_numeric else col.numbers_from_objects(column.tolist(), name)

    def factorized(self, j: int) -> tuple[NDArray[Any], list[Any]]:
        """Codes and distinct values of column j."""
        return col.factorize_array((self.values if self.whole is None else self.whole)[:, j])

    def dates(self, j: int) -> bool:
        """Whether column j holds dates."""
        return not self.is_numeric and col.are_dates(self.values[:, j].tolist())

    def declared(self, j: int) -> list[Any] | None:
        """Arrays declare no categories."""
        return None

    def holds_numbers(self, j: int) -> bool:
        """Whether the column can hold nothing but numbers."""
        return self.is_numeric


class PandasInput:
    """A pandas data frame, read directly: through narwhals a 1000 x 20 frame takes three times as long."""

    __slots__ = ("is_numeric", "names", "series", "shape")

    def __init__(self, frame: Any) -> None:
        items = list(frame.items())
        self.names = [str(name) for name, _ in items]
        self.series = [series for _, series in items]
        self.shape: tuple[int, int] = frame.shape
        self.is_numeric = False

    def _kind_letter(self, j: int) -> str:
        """NumPy's letter for the dtype; C for categorical, U for text, S for sparse."""
        dtype = self.series[j].dtype
        if isinstance(dtype, np.dtype):
            return dtype.kind
        name = type(dtype).__name__
        return {"CategoricalDtype": "C", "StringDtype": "U", "SparseDtype": "S"}.get(name, dtype.kind)

    def kind(self, j: int) -> str:
        """Kind of column j, from its dtype, or from its values where that is object."""
        letter = self._kind_letter(j)
        if letter in "CUb":
            return NOMINAL
        if letter in "fiuM":
            return NUMERIC
        if letter == "O":
            return col.object_kind(self.series[j].tolist(), self.names[j])
        if letter == "c":
            raise ValueError(f"Complex data not supported: column {self.names[j]!r} holds complex numbers.")
        raise col.wrong_dtype(self.names[j], self.series[j].dtype)

    def numbers(self, j: int, name: str) -> NDArray[np.float64]:
        """Column j as float64."""
        if self._kind_letter(j) in "fiub":
            series = self.series[j]
            if isinstance(series.dtype, np.dtype):
                values = np.asarray(series.to_numpy(), dtype=np.float64)
            else:
                values = np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
            if self._kind_letter(j) in "iu":
                col.warn_of_rounding(values, name, series.iloc.__getitem__)
            return values
        if self._kind_letter(j) == "M":
            return _moments(self.series[j])
        if self._kind_letter(j) not in "CUO":
            self.kind(j)  # raises, with its hint
        return col.numbers_from_objects(self.series[j].tolist(), name)

    def factorized(self, j: int) -> tuple[NDArray[Any], list[Any]]:
        """Codes and distinct values of column j."""
        series, letter = self.series[j], self._kind_letter(j)
        if letter == "C":
            return series.array.codes, series.array.categories.tolist()
        if letter == "O":
            return col.factorize_objects(series.tolist())
        codes, distinct = series.factorize()
        return codes, distinct.tolist()

    def dates(self, j: int) -> bool:
        """Whether column j holds dates."""
        letter = self._kind_letter(j)
        return letter == "M" or (letter == "O" and col.are_dates(self.series[j].tolist()))

    def declared(self, j: int) -> list[Any] | None:
        """Categories of a categorical column."""
        return self.series[j].array.categories.tolist() if self._kind_letter(j) == "C" else None

    def holds_numbers(self, j: int) -> bool:
        """Whether the column can hold nothing but numbers."""
        return self._kind_letter(j) in "fiu"


class FrameInput:
    """A data frame of any other library that narwhals knows: polars, Arrow, ..."""

    __slots__ = ("dtypes", "is_numeric", "names", "series", "shape")

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self.series = list(frame.iter_columns())
        self.dtypes = [series.dtype for series in self.series]
        self.names = [str(series.name) for series in self.series]
        self.shape: tuple[int, int] = (len(frame), len(self.series))
        self.is_numeric = False

    def kind(self, j: int) -> str:
        """Kind of column j, from its dtype, or from its values where that is object."""
        dtype, series = self.dtypes[j], self.series[j]
        if dtype in (nw.Categorical, nw.Enum, nw.String, nw.Boolean):
            return NOMINAL
        if (
            dtype.is_numeric()
            or dtype in (nw.Date, nw.Datetime)
            or (dtype == nw.Unknown and series.null_count() == len(series))
        ):
            return NUMERIC
        if dtype == nw.Object:
            return col.object_kind(series.to_list(), self.names[j])
        raise col.wrong_dtype(self.names[j], dtype)

    def numbers(self, j: int, name: str) -> NDArray[np.float64]:
        """Column j as float64."""
        dtype, series = self.dtypes[j], self.series[j]
        if dtype.is_float() or dtype.is_integer():
            if dtype.is_integer() and series.implementation.is_pyarrow():  # its safe cast refuses to round
                values = np.asarray(series.to_native().cast("double", safe=False).to_numpy())
            else:
                values = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
            if dtype.is_integer():
                col.warn_of_rounding(values, name, lambda row: series[row])
            return values
        if dtype == nw.Datetime:  # whatever its zone, the same moment in UTC
            zone = getattr(dtype, "time_zone", None)
            moments = (series if zone is None else series.dt.convert_time_zone("UTC")).dt.replace_time_zone(
                None
            )
            return array_days(np.asarray(moments.to_numpy(), dtype="datetime64[us]"))
        if dtype == nw.Date:
            return array_days(np.asarray(series.to_numpy(), dtype="datetime64[D]"))
        if dtype not in (nw.Categorical, nw.Enum, nw.String, nw.Boolean):
            self.kind(j)  # raises for durations, lists and the like
        return col.numbers_from_objects(series.to_list(), name)

    def factorized(self, j: int) -> tuple[NDArray[Any], list[Any]]:
        """Codes and distinct values of column j."""
        series = self.series[j]
        if series.implementation.is_pyarrow():
            return _factorize_arrow(series.to_native())
        text = self.dtypes[j] in (nw.String, nw.Categorical, nw.Enum)
        if text and series.implementation.is_polars() and len(series) > 20_000:
            # Ranks are counted in parallel; for fewer rows starting that costs more than it saves.
            values = series.cast(nw.String).to_native()
            ranks = values.rank("dense").cast(int).fill_null(0).to_numpy()
            return ranks - 1, values.drop_nulls().unique().sort().to_list()
        return col.factorize_objects(series.to_list())

    def dates(self, j: int) -> bool:
        """Whether column j holds dates."""
        if self.dtypes[j] == nw.Object:
            return col.are_dates(self.series[j].to_list())
        return self.dtypes[j] in (nw.Date, nw.Datetime)

    def declared(self, j: int) -> list[Any] | None:
        """Categories of an Enum, or of an Arrow dictionary."""
        series, dtype = self.series[j], self.dtypes[j]
        if isinstance(dtype, nw.Enum):
            return list(dtype.categories)
        # The order of a polars Categorical is that of a pool shared by the process: no declaration.
        if dtype == nw.Categorical and series.implementation.is_pyarrow():
            chunks = series.to_native().chunks
            return [value for chunk in chunks for value in chunk.dictionary.to_pylist() if value is not None]
        return None

    def holds_numbers(self, j: int) -> bool:
        """Whether the column can hold nothing but numbers."""
        return self.dtypes[j].is_numeric()


def _moments(series: Any) -> NDArray[np.float64]:
    """Days of a pandas series of times; those with a zone count by UTC."""
    zone = getattr(series.dt, "tz", None)
    plain = series if zone is None else series.dt.tz_convert("UTC").dt.tz_localize(None)
    return array_days(plain.to_numpy(dtype="datetime64[us]"))


#: What the encoder takes its data from.
Input = ArrayInput | PandasInput | FrameInput


def _factorize_arrow(native: Any) -> tuple[NDArray[Any], list[Any]]:
    merged = native.combine_chunks()
    chunks = merged.chunks if hasattr(merged, "chunks") else [merged]
    if len(chunks) != 1:
        return col.factorize_objects(native.to_pylist())
    encoded = chunks[0] if hasattr(chunks[0], "dictionary") else chunks[0].dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, encoded.dictionary.to_pylist()
