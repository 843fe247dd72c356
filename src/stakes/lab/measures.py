"""From the record of one trial to the figure that a table shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stakes._text.words import did_you_mean

Record = Mapping[str, Any]

MEASURES: dict[str, Callable[[Record], float]] = {
    "cost": lambda r: r["cost"],
    "mean_cost": lambda r: r["cost"] / r["weight"],
    "errors": lambda r: r["errors"],
    "error_rate": lambda r: r["errors"] / r["weight"],
    "accuracy": lambda r: 1 - _share(r["errors"], r["weight"] - r["undecided"]),
    "high_cost_errors": lambda r: r["high_cost_errors"],
    "undecided": lambda r: r["undecided"] / r["weight"],
    "leaves": lambda r: _size(r["leaves"]),
    "nodes": lambda r: _size(r["nodes"]),
    "test_cost": lambda r: _size(r["test_cost"]) / r["weight"],
    "upfront_cost": lambda r: _size(r["upfront_cost"]),
}
#: With the number of a class after a colon.
BY_CLASS: dict[str, Callable[[Record, int], float]] = {
    "correct": lambda r, k: _share(r["right"][k], r["rows"][k]),
    "undecided": lambda r, k: _share(r["abstained"][k], r["rows"][k]),
}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _size(value: float | None) -> float:
    return math.nan if value is None else float(value)


def check_measure(name: str, attributes: Sequence[str] = ()) -> None:
    """Raise an error for an unknown measure.

    Examples
    --------
    >>> check_measure("correct:1")
    >>> check_measure("price_ratio_", attributes=["price_ratio_"])
    """
    if name.endswith("_") and name not in attributes:
        raise ValueError(f"names {name}, which must then be one of the study's attributes")
    kind, _, number = name.partition(":")
    if name in MEASURES or name in attributes or (kind in BY_CLASS and number.isdecimal()):
        return
    known = [*MEASURES, *(f"{kind}:N" for kind in BY_CLASS), *attributes]
    raise ValueError(
        "must be a measure, where N is the number of a class, or an attribute of the fitted model that the "
        f"study names, got {name!r}{did_you_mean(name, known, 'measures')}"
    )


def figure(record: Record, measure: str) -> float:
    """The figure of one trial; nan where the trial has none.

    Examples
    --------
    >>> figure({"cost": 30.0, "weight": 100.0}, "mean_cost")
    0.3
    """
    if measure in MEASURES:
        return float(MEASURES[measure](record))
    kind, _, number = measure.partition(":")
    if kind in BY_CLASS:
        return float(BY_CLASS[kind](record, int(number)))
    value = record["attributes"].get(measure)
    return math.nan if value is None else float(value)
