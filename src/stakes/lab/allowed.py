"""Which import paths a study's file may name: a file is data, and must not run what it likes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from stakes.lab._sections import ProtocolError
from stakes.lab.build import import_object

#: Learners besides the public estimators and those of scikit-learn, which nobody else can stand in for.
LEARNERS = (
    "stakes.compare.CodedLabels",
    "stakes.compare.ConstantClassifier",
    "stakes.lab.CheapestTree",
    "stakes.lab.StochasticClassifier",
    "lightgbm.LGBMClassifier",
    "xgboost.XGBClassifier",
)
GENERATORS = ("stakes.datasets.waveform",)


def check_paths(values: Any, file: Path) -> None:
    """Refuse import paths in what a TOML file holds, unless they are those of learners that are known."""
    for key, path in _paths(values):
        generates = key == "generate"
        if not (path in GENERATORS if generates else _is_learner(path)):
            known = f"one of {', '.join(GENERATORS)}" if generates else "an estimator of stakes or sklearn"
            raise ProtocolError(
                f"{file.name}: {key} must be {known}, got {path!r}; else the file could run anything. Where "
                "you trust the file, say --allow-imports, or allow_imports=True in Python"
            )


def _paths(values: Any) -> Iterator[tuple[str, str]]:
    """Yield what stands under "class" and "generate", however deep."""
    if isinstance(values, list):
        for value in values:
            yield from _paths(value)
    elif isinstance(values, dict):
        for key, value in values.items():
            if key in ("class", "generate") and isinstance(value, str):
                yield key, value
            else:
                yield from _paths(value)


def _is_learner(path: str) -> bool:
    package, _, name = path.partition(".")
    if path in LEARNERS:
        return True
    if package not in ("stakes", "sklearn") or (package == "stakes" and "." in name):
        return False
    try:
        kind = import_object(path)
    except ValueError:
        return True  # there is no such learner: said where it is needed
    return inspect.isclass(kind) and issubclass(kind, BaseEstimator)
