"""Tables for people: data frames where pandas or polars is installed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

#: Libraries of data frames, the usual one first.
LIBRARIES = ("pandas", "polars")


def library_of(*given: Any) -> str | None:
    """Name the library of the first of these that is a data frame or a column of one; None where none is.

    Examples
    --------
    >>> import pandas as pd
    >>> library_of([1, 2], pd.Series([1, 2]))
    'pandas'
    """
    modules = (type(data).__module__.partition(".")[0] for data in given)
    return next((module for module in modules if module in LIBRARIES), None)


def frame_or(plain: Any, columns: Mapping[str, Any], library: str | None, as_frame: bool | None) -> Any:
    """Return columns as a data frame, or the same as plain objects.

    Parameters
    ----------
    plain : object
        Returned where ``as_frame`` is False, and where it is None and no library is installed.
    columns : mapping of name to values
    library : {"pandas", "polars"} or None
        Which one is preferred.
    as_frame : bool or None
        True raises an ImportError where no library is installed.
    """
    if as_frame is not None and not isinstance(as_frame, bool):
        raise TypeError(f"as_frame must be True, False or None, got {as_frame!r}")
    if as_frame is False:
        return plain
    for name in sorted(LIBRARIES, key=lambda name: name != library):
        try:
            import_module(name)
        except ImportError:
            continue
        if name == "polars":
            return import_module(name).DataFrame(dict(columns))
        return import_module("stakes._base.pandas_frame").PrintedFrame(dict(columns))
    if as_frame:
        raise ImportError("as_frame=True needs pandas or polars: pip install 'stakes[data]'.")
    return plain
