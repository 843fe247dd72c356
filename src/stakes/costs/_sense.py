"""Costs that can hardly be meant: what is odd about them, in a sentence."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stakes._text.money import money

#: Classes of which a warning speaks one by one; the others are counted.
MOST_CLASSES = 3


class CostMatrixWarning(UserWarning):
    """The costs can hardly be meant, as where being right costs more than any mistake."""


def warn_of_odd_costs(costs: ArrayLike, codes: ArrayLike, labels: list[Any], way_out: str) -> None:
    """Warn, once, where the costs of all rows of a class are odd in the same way.

    Parameters
    ----------
    costs : array of shape (n_rows, n_classes)
        What each answer costs: a row per sample, or one per class.
    codes : array of shape (n_rows,)
        The actual class of each row, its position among the labels.
    labels : list of labels
    way_out : str
        What silences the warning.
    """
    rows, actual = np.asarray(costs, dtype=float), np.asarray(codes)
    of_class = [(rows[actual == code], code) for code in range(len(labels))] if len(labels) > 1 else []
    remarks = [text for part, code in of_class if len(part) and (text := _oddity(part, code, labels))]
    if not remarks:
        return
    shown, more = "; ".join(remarks[:MOST_CLASSES]), len(remarks) - MOST_CLASSES
    warnings.warn(
        f"these costs can hardly be meant: {shown}{f'; and so on for {more} more' if more > 0 else ''}. "
        f"Rows must be what is true and columns what is answered; {way_out}.",
        CostMatrixWarning,
        stacklevel=_level_outside(),
    )


def _level_outside() -> int:
    """Stack level, for the caller's warning, of the first line that is not in stakes: what its user wrote."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("stakes."):
        level, frame = level + 1, frame.f_back
    return level


def _oddity(rows: NDArray[np.float64], code: int, labels: list[Any]) -> str | None:
    """What is odd about the costs of all rows of a class, None where nothing is."""
    right, mistakes = rows[:, [code]], np.delete(rows, code, axis=1)
    mean, name = rows.mean(axis=0), repr(labels[code])
    average = " on average" if len(rows) > 1 else ""
    if (mistakes == right).all():
        return f"all answers to class {name} cost the same, {_exact(mean[code])}{average}"
    for answer in np.flatnonzero((rows < np.minimum(right, 0)).all(axis=0)):
        return (
            f"answering {labels[answer]!r} for class {name} {costs_or_earns(mean[answer])}{average}, "
            f"but being right {costs_or_earns(mean[code])}"
        )
    if (right > mistakes).all():
        return (
            f"being right about class {name} {costs_or_earns(mean[code])}{average}, but every mistake "
            f"less, at most {_exact(np.delete(mean, code).max())}"
        )
    return None


def costs_or_earns(cost: float) -> str:
    """Say what an answer costs, or earns where that is negative."""
    if cost == 0:
        return "costs nothing"
    return f"costs {_exact(cost)}" if cost > 0 else f"earns {_exact(-cost)}"


def _exact(cost: float) -> str:
    return money(cost, "{:g}".format)
