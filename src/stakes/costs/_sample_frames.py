"""Costs per sample in a data frame, whose columns say which class each is for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals as nw
import numpy as np

from stakes._text.words import near, some
from stakes.costs._labels import check_labels, lookup


def column_labels(costs: Any) -> list[Any] | None:
    """Classes that the columns of a data frame are named after; None where nothing is named.

    Columns that are only numbered, 0, 1, ..., or called column_0, column_1, ... (polars), have no names.

    Examples
    --------
    >>> import pandas as pd
    >>> column_labels(pd.DataFrame({"good": [1, 0], "bad": [0, 5]}))
    ['good', 'bad']
    >>> column_labels(pd.DataFrame([[1, 0], [0, 5]])) is column_labels([[1, 0], [0, 5]]) is None
    True
    """
    frame = _frame(costs)
    names = [] if frame is None else list(frame.columns)
    return None if _only_numbered(names) else names


def in_class_order(costs: Any, classes: Iterable[Any]) -> Any:
    """Costs with their columns in the order of ``classes``; what has no named columns comes back as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> in_class_order(pd.DataFrame({"good": [1, 0], "bad": [0, 5]}), ["bad", "good"])
    array([[0, 1],
           [5, 0]])
    """
    frame, labels = _frame(costs), check_labels(classes).tolist()
    if frame is None:
        return costs
    names = list(frame.columns)
    try:
        order = lookup(names, labels, "costs")
    except ValueError:
        if _only_numbered(names):
            return costs
        unknown = [name for name in names if name not in labels]
        lacking = [label for label in labels if label not in names]
        close = near(unknown[0], lacking) if unknown else []
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise _not_the_classes(labels, lacking, unknown, hint) from None
    if len(order) < len(names):
        raise _not_the_classes(labels, [], [name for i, name in enumerate(names) if i not in order])
    return np.asarray(frame.to_numpy())[:, order]


def _only_numbered(names: list[Any]) -> bool:
    """Whether names say no more than the position, as pandas and polars name the columns of an array."""
    written = [str(name) for name in names]
    return any(written == [f"{prefix}{i}" for i in range(len(names))] for prefix in ("", "column_"))


def _not_the_classes(labels: list[Any], lacking: list[Any], unknown: list[Any], hint: str = "") -> ValueError:
    parts = [f"{what} {some(names)}" for what, names in (("lacks", lacking), ("has", unknown)) if names]
    return ValueError(
        f"costs must have one column per class, named {some(labels)}, but the data frame "
        f"{' and '.join(parts)}{hint}; an array (to_numpy()) is taken in the order of the sorted classes"
    )


def _frame(costs: Any) -> nw.DataFrame[Any] | None:
    frame = nw.from_native(costs, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None
