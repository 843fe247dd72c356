"""Learners, made from what a protocol says."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any

from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from stakes._text.words import did_you_mean
from stakes.compare import OneHotTable
from stakes.costs import CostMatrix, FeatureCosts
from stakes.lab.specs import LearnerSpec
from stakes.table import Table


def import_object(path: str) -> Any:
    """What an import path names.

    Examples
    --------
    >>> import_object("stakes.C45Classifier").__name__
    'C45Classifier'
    """
    module, _, name = path.rpartition(".")
    accepted, names = "the import path of a class or function", list[str]()
    try:
        imported = importlib.import_module(module)
        names = [*getattr(imported, "__all__", dir(imported))]
        return getattr(imported, name)
    except (ImportError, ValueError, AttributeError) as error:
        hint = did_you_mean(name, names, f"names in {module}", most=8) if names else ""
        raise ValueError(f"{path!r} must be {accepted}: {error}{hint}") from None


def make_learner(spec: LearnerSpec, costs: CostMatrix | None, prices: FeatureCosts | None, seed: int) -> Any:
    """A new estimator.

    It is given ``cost_matrix``, ``feature_costs`` and ``random_state`` where it has such a parameter and the
    protocol does not set it. So are estimators inside it, but costs only where the one around them does not
    take them, which may number the classes in its own way, or where ``costs = true`` says so.
    """
    if costs is not None and spec.transposed:
        costs = CostMatrix(costs.values.T, costs.classes, check=False)
    given = {"cost_matrix": costs if spec.costs else None, "feature_costs": prices, "random_state": seed}
    known = {name: value for name, value in given.items() if value is not None}
    return _build(spec.path, spec.params, spec.input, known)


def _build(path: str, params: Mapping[str, Any], columns: str, given: Mapping[str, Any]) -> Any:
    kind = import_object(path)
    accepted = inspect.signature(kind).parameters
    made = {name: value for name, value in given.items() if name in accepted}
    rest = {name: value for name, value in given.items() if name == "random_state" or name not in made}
    made |= {name: _value(value, rest, given) for name, value in params.items()}
    try:
        inspect.signature(kind).bind(**made)
    except TypeError as error:
        unknown = next((name for name in made if name not in accepted), "")
        raise ValueError(f"{path}: {error}{did_you_mean(unknown, accepted, 'parameters')}") from None
    learner = kind(**made)
    if columns == "numbers":
        return make_pipeline(OneHotTable(), SimpleImputer(strategy="median"), StandardScaler(), learner)
    if columns == "frame":
        return make_pipeline(FunctionTransformer(_to_frame), learner)
    return learner


def _value(value: Any, rest: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    """A parameter; a table with a class is an estimator, an empty one None, for which TOML has no word."""
    if value == {}:
        return None
    if not isinstance(value, Mapping) or "class" not in value:
        return value
    strange = set(value) - {"class", "params", "input", "costs"}
    if strange:
        raise ValueError(
            "an estimator inside another has class, params, input and costs, got "
            + ", ".join(sorted(strange))
        )
    path = value["class"]
    columns = value.get("input", "table" if path.startswith("stakes.") else "numbers")
    return _build(path, value.get("params", {}), columns, given if value.get("costs") else rest)


def _to_frame(table: Table) -> Any:
    return table.to_frame()
