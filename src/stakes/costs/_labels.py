"""Checks of class labels and numbers that give their complaint in a sentence."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._text.words import did_you_mean, some


def finite_array(values: Any, name: str) -> NDArray[np.float64]:
    """Float64 copy; text, gaps and infinities are refused by name."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        where = np.argwhere(np.ma.getmaskarray(values))[0].tolist()
        raise ValueError(f"{name} must have all values, but the one at {where} is masked")
    try:
        raw = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    except ValueError as error:
        raise ValueError(f"{name} must be an array whose rows have equal lengths: {error}") from None
    if raw.dtype == object:
        bad = [v for v in raw.ravel().tolist() if not isinstance(v, numbers.Real)]
        if bad:
            raise ValueError(f"{name} must be finite numbers, got {bad[0]!r}")
    elif raw.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be numbers, got an array of type {raw.dtype}")
    try:
        array = np.array(raw, dtype=np.float64)
    except OverflowError:
        raise ValueError(f"{name} must be finite, got a whole number that is too large for that") from None
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[where]} at {list(where)}")
    return array


def plain_label(label: Any) -> Any:
    """Label as a plain Python value, or an exception where it cannot name a class."""
    plain = label.item() if isinstance(label, np.generic) else label
    if not isinstance(plain, str | int | float) or (isinstance(plain, float) and not math.isfinite(plain)):
        raise TypeError(f"a class label must be a str, int, bool or finite float, got {label!r}")
    if isinstance(plain, str) and (not plain or "\0" in plain):
        raise ValueError(f"a class label must not be empty or hold a NUL character, got {plain!r}")
    return plain


def check_labels(classes: Iterable[Any]) -> NDArray[Any]:
    """Distinct labels as an array that keeps their types."""
    if isinstance(classes, str | bytes | Set | Mapping) or not isinstance(classes, Iterable):
        raise TypeError(f"classes must be an ordered sequence of labels, got {classes!r}")
    if getattr(classes, "ndim", 1) != 1:
        raise ValueError(f"classes must be one-dimensional, got {classes!r}")
    labels = [plain_label(label) for label in classes]
    if not labels:
        raise ValueError("classes must have at least one label")
    if len(set(labels)) != len(labels):
        raise ValueError(f"classes must be distinct, repeated: {some(repeated(labels))}")
    if isinstance(classes, np.ndarray):
        return classes
    # NumPy would turn [1, "a"] into text, so labels of several types stay objects
    one_type = len({type(label) for label in labels}) == 1
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return np.array(labels) if one_type else array


def lookup(
    known: list[Any],
    wanted: list[Any],
    name: str,
    words: str = "{name} has unknown labels {unknown}",
) -> list[int]:
    """Positions of ``wanted`` among ``known``; text from files also matches labels of other types.

    ``words`` say what is wrong where one is unknown.
    """
    index = {label: i for i, label in enumerate(known)}
    unknown = [label for label in wanted if label not in index]
    if unknown and _all_text(known) != _all_text(wanted):
        # from here on by how labels are written, where that says which is which
        written = {str(label): i for i, label in enumerate(known)}
        if len(written) == len(known) and all(str(label) in written for label in wanted):
            return [written[str(label)] for label in wanted]
    if unknown:
        raise ValueError(
            words.format(name=name, unknown=some(unknown)) + did_you_mean(unknown[0], known, "labels")
        )
    return [index[label] for label in wanted]


def _all_text(labels: list[Any]) -> bool:
    return all(isinstance(label, str) for label in labels)


def sorted_labels(labels: list[Any]) -> list[Any]:
    """Labels sorted, or as they are where they cannot be compared."""
    try:
        return sorted(labels)
    except TypeError:
        return labels


def repeated(labels: list[Any]) -> list[Any]:
    """Labels that occur more than once."""
    return sorted((label for label, count in Counter(labels).items() if count > 1), key=str)
