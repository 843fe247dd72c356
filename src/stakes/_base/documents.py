"""Reading and writing models as JSON: every surprise in a document becomes a sentence, never a crash."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._text.files import write_text

#: Format and version of saved models.
MODEL, MODEL_VERSION = "stakes-model", 2

_INT32 = np.iinfo(np.int32)


def save_json(path: str | os.PathLike[str], document: Mapping[str, Any]) -> None:
    """Write a document to a file, in place only once it is complete.

    Parameters
    ----------
    path : path
        File to write; an existing one is replaced.
    document : dict
        Plain values only: NaN and infinity are refused, since JSON has neither.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "model.json"
    >>> save_json(path, {"format": "stakes-model", "version": 1})
    >>> load_json(path)
    {'format': 'stakes-model', 'version': 1}
    """
    # half a character of UTF-16, as names of files can hold, becomes the escape that JSON has for it
    write_text(path, dumps(document) + "\n", errors="backslashreplace")


def dumps(document: Mapping[str, Any]) -> str:
    """Return a document as JSON text; NaN and infinity are refused."""
    return json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def load_json(
    path: str | os.PathLike[str], *, format_name: str = MODEL, version: int = MODEL_VERSION
) -> dict[str, Any]:
    """Read a document written by :func:`save_json` and check its format tag and version.

    Raises
    ------
    ValueError
        When the file is not JSON, is cut short, is of another format or of a newer version.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{os.fspath(path)} is not JSON: it is not UTF-8 text") from None
    return loads(text, os.fspath(path), format_name=format_name, version=version)


def loads(
    text: str, source: str = "the text", *, format_name: str = MODEL, version: int = MODEL_VERSION
) -> dict[str, Any]:
    """Parse one document from a string; errors name ``source``."""
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or "Unterminated" in error.msg:
            raise ValueError(f"{source} is empty or cut short: the JSON ends too early") from None
        raise ValueError(f"{source} is not JSON: {error}") from None
    except RecursionError:
        raise ValueError(f"{source} is not a model: its lists are nested too deeply") from None
    except ValueError as error:  # a constant refused above, or a number with thousands of digits
        raise ValueError(f"{source} is not JSON that can be read: {error}") from None
    check_format(document, format_name, version, source)
    return document


def check_format(document: Any, format_name: str, version: int, source: str = "the document") -> None:
    """Raise ValueError unless the document carries this format tag and a version up to this one."""
    if not isinstance(document, Mapping) or "format" not in document:
        raise ValueError(f'{source} is not a {format_name} document: it has no "format"')
    if document["format"] != format_name:
        raise ValueError(f"{source} must have format {format_name!r}, got {_short(document['format'])}")
    given = document.get("version")
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise ValueError(f"{source} must have a whole number from 1 as version, got {_short(given)}")
    if given > version:
        raise ValueError(
            f"{source} has version {_short(given)} of {format_name}, this stakes reads up to {version}: "
            "install a newer stakes to read it"
        )


def check_mapping(data: Any, name: str, keys: Iterable[str]) -> None:
    """Raise ValueError unless ``data`` is a JSON object with these keys."""
    if not isinstance(data, Mapping):
        raise ValueError(f"{name} must be a JSON object, got {_short(data)}")
    missing = [key for key in keys if key not in data]
    if missing:
        raise ValueError(f"{name} lacks {', '.join(missing)}")


def int_array(data: Any, name: str) -> NDArray[np.int32]:
    """Make an int32 array of a list of whole numbers."""
    if set(map(type, _list(data, name))) <= {int}:
        with suppress(OverflowError):
            array = np.array(data, dtype=np.int64)
            if not len(array) or (_INT32.min <= array.min() and array.max() <= _INT32.max):
                return array.astype(np.int32)
    for value in data:
        # type() and not isinstance(): True is an int in Python, not in JSON.
        if type(value) is not int or not _INT32.min <= value <= _INT32.max:
            raise ValueError(f"{name} must hold whole numbers of 32 bits, got {_short(value)}")
    return np.array(data, dtype=np.int32)


def float_array(data: Any, name: str, nan_as_null: bool = False) -> NDArray[np.float64]:
    """Make a float64 array of a list of finite numbers; null becomes NaN only where that is meant."""
    if set(map(type, _list(data, name))) <= {int, float}:
        with suppress(OverflowError):
            array = np.array(data, dtype=np.float64)
            if np.isfinite(array).all():
                return array
    return np.array([_float(value, name, nan_as_null) for value in data], dtype=np.float64)


def float_matrix(data: Any, name: str) -> NDArray[np.float64]:
    """Make a float64 matrix of a list of equally long lists of finite numbers."""
    if len({len(_list(row, name)) for row in _list(data, name)}) > 1:
        raise ValueError(f"{name} must have rows of one length")
    flat = float_array(list(chain.from_iterable(data)), name)
    return flat.reshape(len(data), len(data[0]) if data else 0)


def check_length(data: Any, name: str, length: int) -> None:
    """Refuse a list of another length, before anything is made of it."""
    if len(_list(data, name)) != length:
        raise ValueError(f"{name} must have {length} entries, got {len(data)}")


def _float(value: Any, name: str, nan_as_null: bool) -> float:
    if value is None and nan_as_null:
        return math.nan
    if type(value) not in (int, float):
        raise ValueError(f"{name} must hold numbers, got {_short(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must hold finite numbers, got {_short(value)}")
    return number


def _list(data: Any, name: str) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError(f"{name} must be a list, got {_short(data)}")
    return data


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")


def _short(value: Any) -> str:
    """What came, for an error message: of a big value only its type, of a long one its beginning."""
    if value is None or isinstance(value, bool | float | str):
        text = repr(value)
        return text if len(text) <= 60 else text[:57] + "..."
    if isinstance(value, int):
        return str(value) if abs(value) < 10**20 else "a number of more than 20 digits"
    return f"a {type(value).__name__}"
