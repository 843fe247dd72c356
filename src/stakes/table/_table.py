"""Tables: typed columns with missing values, from arrays, data frames and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stakes._text.extras import extra_module
from stakes._text.words import did_you_mean, some
from stakes.table._columns import Column, check_codes, check_column
from stakes.table._encode import encode_columns, forced_nominal, infer_columns, open_input
from stakes.table._readers import read_raw, read_raw_blocks
from stakes.table._readers.common import RawTable
from stakes.table._recode import met_categories, number_categories, recode_columns


@dataclass(frozen=True)
class Schema:
    """The columns of a table, without its rows.

    Parameters
    ----------
    columns : sequence of Column
        Names must differ from each other.

    Examples
    --------
    >>> from stakes.table import Column, Schema
    >>> schema = Schema([Column("age"), Column("housing", "nominal", ("rent", "own"))])
    >>> schema.encode([[30, "own"], [None, "boat"]]).columns
    [array([30., nan]), array([ 1, -1], dtype=int32)]
    """

    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        """Check the columns and their names."""
        object.__setattr__(self, "columns", tuple(self.columns))
        seen = set()
        for column in self.columns:
            if not isinstance(column, Column):
                raise TypeError(f"columns must be Column objects, got {column!r}.")
            if column.name in seen:
                raise ValueError(f"columns must have different names, but {column.name!r} occurs twice.")
            seen.add(column.name)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def all_numeric(self) -> bool:
        """Whether no column is nominal."""
        return not any(column.is_nominal for column in self.columns)

    @cached_property
    def n_values(self) -> list[int]:
        """Number of categories of each column, -1 where it is numeric: how cores tell columns apart."""
        return [len(column.categories) if column.is_nominal else -1 for column in self.columns]

    @cached_property
    def indices(self) -> tuple[dict[Any, int] | None, ...]:
        """For each nominal column its codes by value, None for a numeric one."""
        return tuple(
            {value: code for code, value in enumerate(column.categories)} if column.is_nominal else None
            for column in self.columns
        )

    def encode(
        self, X: Any, *, unseen: str = "missing", check_finite: bool = True, owner: str = "this schema"
    ) -> Table:
        """Encode new rows, column by column in the order of the schema.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_columns)
            NumPy, pandas, polars or Arrow data. Columns are taken by position, categories by value; those of
            a `Table` also by how they are written, because a file does not say whether its 3 is a text.
        unseen : {"missing", "error"}
            What a nominal value is that the schema does not know: a missing one (code -1), or a ValueError.
        check_finite : bool
            Whether to look for infinite values; False for a caller that looks itself.
        owner : str
            Who expects these columns; used in messages.

        Returns
        -------
        Table
        """
        if unseen not in ("missing", "error"):
            raise ValueError(f"unseen must be 'missing' or 'error', got {unseen!r}.")
        data = X if isinstance(X, Table) else open_input(X)
        n_samples, n_columns = data.shape
        if n_columns != len(self.columns):
            raise ValueError(
                f"X has {n_columns} features, but {owner} is expecting {len(self.columns)} features as input."
            )
        if isinstance(data, Table):
            recoded = recode_columns(data.schema.columns, data.columns, self.columns, unseen, data.first_row)
            return Table._trusted(self, recoded, n_samples)
        return Table._trusted(self, encode_columns(data, self, unseen, check_finite), n_samples)

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as plain lists and strings, ready for JSON."""
        return {
            "columns": [
                {"name": c.name, "kind": c.kind}
                | ({"categories": list(c.categories)} if c.is_nominal else {})
                | ({"dates": True} if c.dates else {})
                for c in self.columns
            ]
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Schema:
        """Read back what `to_dict` wrote; anything else is a ValueError or TypeError."""
        entries = data.get("columns") if isinstance(data, Mapping) else None
        if not isinstance(entries, list):
            raise ValueError("a schema must be a mapping with a list 'columns'.")
        columns = []
        for position, entry in enumerate(entries):
            if not isinstance(entry, Mapping) or not {"name", "kind"} <= set(entry):
                raise ValueError(
                    f"entry {position} of the schema's columns needs 'name' and 'kind', got {entry!r}."
                )
            categories = entry.get("categories", [])
            if not isinstance(categories, list):
                raise ValueError(
                    f"categories of column {entry['name']!r} must be a list, got {categories!r}."
                )
            dates = entry.get("dates", False)
            columns.append(Column(entry["name"], entry["kind"], tuple(categories), dates))
        return cls(tuple(columns))


@lru_cache(maxsize=32)
def numeric_schema(n_columns: int) -> Schema:
    """Schema of a nameless numeric array; kept, because making it costs more than reading a small array."""
    return Schema(tuple(Column(f"x{j}") for j in range(n_columns)))


class Table:
    """Typed columns of equal length, with class codes and weights where there are any.

    Parameters
    ----------
    schema : Schema
        What the columns are.
    columns : sequence of arrays
        For a numeric column float64 with NaN as missing, for a nominal one int32 codes with -1 as missing.
        Float64 columns may have any stride; they are not copied.
    y : array of int, optional
        Class codes, -1 where the class is missing.
    classes : sequence, optional
        Labels of the class codes.
    weights : array of float, optional
        Weight of each row, finite and not negative.
    target : str, optional
        Name of the class column.

    Examples
    --------
    >>> import numpy as np
    >>> from stakes.table import Table
    >>> table = Table.from_data(np.array([["red", 1.5], ["blue", np.nan]], dtype=object))
    >>> [column.kind for column in table.schema.columns]
    ['nominal', 'numeric']
    >>> table.columns[0]
    array([1, 0], dtype=int32)
    """

    __slots__ = ("classes", "columns", "first_row", "n_samples", "schema", "target", "weights", "y")

    schema: Schema
    columns: list[NDArray[Any]]
    n_samples: int
    y: NDArray[np.int32] | None
    classes: NDArray[Any] | None
    weights: NDArray[np.float64] | None
    target: str | None
    first_row: int  # which row of its file the first one is: messages name rows of the file

    def __init__(
        self,
        schema: Schema,
        columns: Sequence[ArrayLike],
        *,
        y: ArrayLike | None = None,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        weights: ArrayLike | None = None,
        target: str | None = None,
    ) -> None:
        if not isinstance(schema, Schema):
            raise TypeError(f"schema must be a Schema, got {type(schema).__name__}.")
        if len(columns) != len(schema):
            raise ValueError(
                f"columns must be {len(schema)} arrays, one for each of the schema, got {len(columns)}."
            )
        self.schema = schema
        self.columns = [
            check_column(values, column) for values, column in zip(columns, schema.columns, strict=True)
        ]
        if not self.columns and y is None:
            raise ValueError(
                "columns must not be empty where there is no y: the number of rows is not known."
            )
        self.n_samples = len(self.columns[0]) if self.columns else len(np.asarray(y))
        for values, column in zip(self.columns, schema.columns, strict=True):
            if len(values) != self.n_samples:
                raise ValueError(
                    f"column {column.name!r} has {len(values)} rows, but others have {self.n_samples}."
                )
        self.classes = None if classes is None else np.asarray(classes)
        self.y = None if y is None else self._checked_y(y)
        self.weights = None if weights is None else self._checked_weights(weights)
        self.target = target
        self.first_row = 0

    @classmethod
    def _trusted(
        cls, schema: Schema, columns: list[NDArray[Any]], n_samples: int, like: Table | None = None
    ) -> Table:
        """Make a table without checks, with the class and the weights of another where there is one."""
        table = cls.__new__(cls)
        table.schema, table.columns, table.n_samples = schema, columns, n_samples
        for name in ("y", "classes", "weights", "target"):
            setattr(table, name, getattr(like, name, None))
        table.first_row = 0 if like is None else like.first_row
        return table

    @classmethod
    def from_data(
        cls,
        X: Any,
        categorical_features: Iterable[str] | Iterable[int] | Iterable[bool] | None = None,
        *,
        check_finite: bool = True,
    ) -> Table:
        """Take an array or data frame, with the kinds of its columns from their dtypes.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_columns)
            NumPy, pandas, polars or Arrow data. Categories, text and booleans make a nominal column, dates
            days since the first of January 1970; None, NaN and null are missing. Columns of a float64 array
            are views of it. A `Table` comes back as it is.
        categorical_features : list of names, of indices, or a mask; optional
            Columns that are nominal although they hold numbers.
        check_finite : bool
            Whether to look for infinite values; False for a caller that looks itself.

        Returns
        -------
        Table
        """
        if isinstance(X, Table):
            return X if categorical_features is None else X.as_nominal(categorical_features)
        data = open_input(X)
        if data.is_numeric and categorical_features is None:
            schema = numeric_schema(data.shape[1])
            return cls._trusted(schema, encode_columns(data, schema, "error", check_finite), data.shape[0])
        columns, arrays = infer_columns(data, categorical_features, check_finite)
        return cls._trusted(Schema(columns), arrays, data.shape[0])

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.n_samples

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns, the class not counted."""
        return self.n_samples, len(self.schema)

    def __getitem__(self, rows: Any) -> Table:
        """Return these rows, as `take` does; scikit-learn's splitting writes ``table[rows, ...]``."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] in (Ellipsis, slice(None)):
            rows = rows[0]
        if isinstance(rows, tuple | int | np.integer | str):
            raise TypeError("a table is indexed by row numbers, a mask or a slice; columns have select().")
        return self.take(rows)

    def __repr__(self) -> str:
        """Say the size and the kinds."""
        n_nominal = sum(column.is_nominal for column in self.schema.columns)
        kinds = f"{len(self.schema) - n_nominal} numeric, {n_nominal} nominal"
        classes = "" if self.classes is None else f", {len(self.classes)} classes"
        return f"Table({self.n_samples} rows, {kinds}{classes})"

    def with_target(
        self,
        y: ArrayLike | None,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        weights: ArrayLike | None = None,
    ) -> Table:
        """Return the same columns with other class codes and weights."""
        return Table(self.schema, self.columns, y=y, classes=classes, weights=weights, target=self.target)

    def take(self, rows: ArrayLike | slice) -> Table:
        """Return the rows with these numbers, or where this mask is true, in this order."""
        chosen: Any = rows if isinstance(rows, slice) else np.asarray(rows)
        if not isinstance(chosen, slice):
            if chosen.size == 0:
                chosen = chosen.astype(np.intp)
            if chosen.ndim != 1 or chosen.dtype.kind not in "iub":
                raise TypeError("rows must be a 1-D array of row numbers, a mask or a slice.")
        try:
            columns = [values[chosen] for values in self.columns]
            y, weights = (None if a is None else a[chosen] for a in (self.y, self.weights))
        except IndexError as error:
            raise ValueError(f"rows must be between 0 and {self.n_samples - 1}: {error}.") from None
        n_samples = len(columns[0]) if columns else len(np.arange(self.n_samples)[chosen])
        table = Table._trusted(self.schema, columns, n_samples, like=self)
        table.y, table.weights, table.first_row = y, weights, 0
        return table

    def select(self, names: Sequence[str]) -> Table:
        """Return the columns with these names, in this order, with the same class and weights.

        Examples
        --------
        >>> from stakes.table import Table
        >>> Table.from_data([[1, 2], [3, 4]]).select(["x1"]).columns
        [array([2., 4.])]
        """
        if isinstance(names, str) or not isinstance(names, Iterable) or getattr(names, "ndim", 1) != 1:
            raise TypeError(f"names must be a list of names of columns, got {names!r}.")
        position = {name: j for j, name in enumerate(self.schema.names)}
        missing = [name for name in names if name not in position]
        if missing:
            raise ValueError(
                f"the table has no column {some(missing)}"
                f"{did_you_mean(missing[0], self.schema.names, 'columns')}."
            )
        chosen = [position[name] for name in names]
        schema = Schema(tuple(self.schema.columns[j] for j in chosen))
        return Table._trusted(schema, [self.columns[j] for j in chosen], self.n_samples, like=self)

    def drop(self, names: Sequence[str]) -> Table:
        """Return a table without these columns.

        Parameters
        ----------
        names : sequence of str
            At least one column must be left.

        Examples
        --------
        >>> from stakes.table import Table
        >>> Table.from_data([[1, 2], [3, 4]]).drop(["x0"]).schema.names
        ('x1',)
        """
        out = self.select(names).schema.names
        if len(set(out)) == len(self.schema):
            raise ValueError("all columns are named; one at least must be left.")
        return self.select([name for name in self.schema.names if name not in out])

    def as_nominal(self, columns: Iterable[str] | Iterable[int] | Iterable[bool]) -> Table:
        """Return the table with these columns (names, indices or a mask) nominal although they hold numbers.

        Examples
        --------
        >>> from stakes.table import Table
        >>> Table.from_data([[7.0, 1.5], [3.0, 2.5]]).as_nominal([0]).schema.columns[0].categories
        (3, 7)
        """
        chosen = forced_nominal(columns, self.schema.names)
        pairs = [
            number_categories(column, values) if force and not column.is_nominal else (column, values)
            for column, values, force in zip(self.schema.columns, self.columns, chosen, strict=True)
        ]
        schema = Schema(tuple(column for column, _ in pairs))
        return Table._trusted(schema, [values for _, values in pairs], self.n_samples, like=self)

    def with_met_categories(self) -> Table:
        """Return the table with the categories of nominal columns that rows have, in sorted order.

        Data frames may declare more categories, and any order of them; what is learnt must not depend on it.

        Examples
        --------
        >>> import pandas as pd
        >>> from stakes.table import Table
        >>> frame = pd.DataFrame({"size": pd.Categorical(["s", "m"], categories=["s", "m", "l"])})
        >>> Table.from_data(frame).with_met_categories().schema.columns[0].categories
        ('m', 's')
        """
        pairs = [met_categories(*pair) for pair in zip(self.schema.columns, self.columns, strict=True)]
        if all(new is old for (new, _), old in zip(pairs, self.schema.columns, strict=True)):
            return self
        schema = Schema(tuple(column for column, _ in pairs))
        return Table._trusted(schema, [values for _, values in pairs], self.n_samples, like=self)

    def labels(self) -> NDArray[Any]:
        """Return the class label of each row; None where the class is missing."""
        if self.y is None or self.classes is None:
            raise ValueError("the table has no classes: read it with target=, or use with_target().")
        if (self.y >= 0).all():
            return self.classes[self.y]
        labels = np.array([*self.classes.tolist(), None], dtype=object)
        return labels[self.y]

    def to_frame(self) -> Any:
        """Return the columns (without the class) as a pandas data frame, nominal ones as categorical."""
        pandas = extra_module("pandas", "a data frame", "data")
        data = {
            column.name: pandas.Categorical.from_codes(values, categories=list(column.categories))
            if column.is_nominal
            else values
            for column, values in zip(self.schema.columns, self.columns, strict=True)
        }
        return pandas.DataFrame(data, index=pandas.RangeIndex(self.n_samples))

    def _checked_y(self, y: ArrayLike) -> NDArray[np.int32]:
        codes = np.asarray(y)
        if codes.shape != (self.n_samples,) or codes.dtype.kind not in "iu":
            raise ValueError(
                f"y must be {self.n_samples} integer codes, got dtype {codes.dtype} and shape {codes.shape}."
            )
        n_classes = np.iinfo(np.int32).max if self.classes is None else len(self.classes)
        check_codes(codes, n_classes, "y")
        return codes.astype(np.int32, copy=False)

    def _checked_weights(self, weights: ArrayLike) -> NDArray[np.float64]:
        values = np.asarray(weights, dtype=np.float64)
        if values.shape != (self.n_samples,):
            raise ValueError(
                f"weights must be {self.n_samples} numbers, got an array of shape {values.shape}."
            )
        if not np.isfinite(values).all() or (values < 0).any():
            raise ValueError("weights must be finite and not negative.")
        return values


def read_table(path: str | PathLike[str], target: str | Literal[False] | None = None) -> Table:
    r"""Read a table from a file; its format follows from the extension, gzip from the content.

    Parameters
    ----------
    path : path
        ``.arff``; C4.5's ``.names``, ``.data`` or ``.test`` (with ``.names`` beside it); ``.csv`` or ``.tsv``
        with a header; ``.parquet``; ``.xlsx``, of which the first sheet is read or the one that is named as
        in ``rows.xlsx#Sheet``; a suffix registered by `reads`. All but ``.parquet`` may be compressed,
        ``.gz``. Text is UTF-8, Latin-1, or UTF-16 where a byte order mark says so.
    target : str or False, optional
        Name of the class column. By default the class of a C4.5 file, and elsewhere a column named class
        (in any case) if there is one. False keeps all columns as they are.

    Returns
    -------
    Table
        With `y` and `classes` where there is a target; a row whose class is missing has code -1.

    Raises
    ------
    TableFileError
        Where the file is damaged, with the line.

    Notes
    -----
    In CSV and Excel files a column whose values all are dates (ISO, or day.month.year) is read as days
    since the first of January 1970, and its `Column` says so; so are columns of dates in Parquet files
    and data frames, and ``date`` attributes of ARFF files. Times with a zone count by UTC. Numbers may
    have decimal commas where all rows of the file allow no other reading.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from stakes.table import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "loans.csv")
    ...     _ = path.write_text("age,housing,class\n30,own,good\n?,rent,bad\n")
    ...     table = read_table(path)
    >>> table
    Table(2 rows, 1 numeric, 1 nominal, 2 classes)
    >>> table.classes
    array(['bad', 'good'], dtype='<U4')
    """
    return _table(read_raw(Path(path), target))


def read_blocks(path: str | PathLike[str], target: str | Literal[False] | None = None) -> Iterator[Table]:
    r"""Read a table block by block, so that a file of any number of rows fits into memory.

    All blocks have the same columns of the same kinds; a nominal column has those categories that are in its
    block. Formats other than CSV and Parquet, and what can be read only once, come as one block.

    Parameters
    ----------
    path, target
        As for `read_table`.

    Yields
    ------
    Table
        At least one, none of them empty.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "loans.csv")
    ...     _ = path.write_text("age,class\n30,good\n40,bad\n")
    ...     sum(len(block) for block in read_blocks(path))
    2
    """
    first_row = 0
    for raw in read_raw_blocks(Path(path), target):
        table = _table(raw)
        table.first_row = first_row
        yield table
        first_row += table.n_samples


def _table(raw: RawTable) -> Table:
    return Table(
        Schema(tuple(raw.columns)),
        raw.arrays,
        y=raw.y,
        classes=raw.classes,
        weights=raw.weights,
        target=raw.target,
    )
