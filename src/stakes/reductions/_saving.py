"""Ensembles as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes._base import documents
from stakes._base.labels import labels_from_dict, labels_to_dict
from stakes._base.saving import read_params, set_feature_names
from stakes.costs import CostMatrix
from stakes.reductions._components import Layout, component_from_dict, component_to_dict
from stakes.table import Schema

_KEYS = ("params", "classes", "cost_matrix", "schema", "alphas", "sample_counts", "estimators", "seed")
#: Parameters whose fitted form is written instead.
_APART = ("estimator", "cost_matrix", "categorical_features")


def to_dict(ensemble: Any) -> dict[str, Any]:
    """Return a fitted ensemble as plain values."""
    params = ensemble.get_params(deep=False)
    document = {
        "format": "stakes-model",
        "version": 1,
        "type": type(ensemble).__name__,
        "params": {name: value for name, value in params.items() if name not in _APART and _is_plain(value)},
        "classes": labels_to_dict(ensemble.classes_),
        "cost_matrix": ensemble.cost_matrix_.to_dict(),
        "schema": ensemble.schema_.to_dict(),
        "seed": ensemble._seed,
        "alphas": list(ensemble.alphas_),
        "sample_counts": list(ensemble.sample_counts_),
        "estimators": [component_to_dict(component) for component in ensemble.estimators_],
    }
    names = getattr(ensemble, "feature_names_in_", None)
    return document if names is None else document | {"feature_names": names.tolist()}


def from_dict(cls: Any, data: Mapping[str, Any], estimator_class: Any) -> Any:
    """Return the ensemble of what :func:`to_dict` gave; anything else is a ValueError."""
    documents.check_format(data, "stakes-model", 1)
    documents.check_mapping(data, "the model", _KEYS)
    if data.get("type") != cls.__name__:
        raise ValueError(f"the model must be a {cls.__name__}, got {data.get('type')!r}")
    ensemble = cls(**_params(cls, data["params"]))
    ensemble.classes_ = labels_from_dict(data["classes"])
    ensemble.cost_matrix = CostMatrix.from_dict(data["cost_matrix"])
    ensemble.cost_matrix_ = ensemble.cost_matrix.align(ensemble.classes_)
    ensemble.schema_ = Schema.from_dict(data["schema"])
    n_classes = len(ensemble.classes_)
    if not isinstance(data["estimators"], list) or type(data["seed"]) is not int:
        raise ValueError("the model's estimators must be a list and its seed a whole number")
    ensemble._seed = data["seed"]
    ensemble.alphas_ = documents.float_array(data["alphas"], "alphas").tolist()
    ensemble.sample_counts_ = documents.int_array(data["sample_counts"], "sample_counts").tolist()
    ensemble.estimators_ = [
        component_from_dict(document, estimator_class, n_classes) for document in data["estimators"]
    ]
    _check(ensemble)
    ensemble._layout = Layout(
        _first_of(ensemble), ensemble.schema_, ensemble.classes_.tolist(), ensemble._relational
    )
    ensemble.n_features_in_ = len(ensemble.schema_)
    set_feature_names(ensemble, data.get("feature_names"), ensemble.schema_)
    return ensemble


def _params(cls: Any, params: Any) -> dict[str, Any]:
    params = read_params(cls, params)
    cls(**params)._validate_params()
    return params


def _check(ensemble: Any) -> None:
    """Raise ValueError unless rounds, components and classes fit each other."""
    n_rounds, alphas = len(ensemble.alphas_), np.array(ensemble.alphas_)
    if ((alphas < 0) | (alphas > 1)).any() or len(ensemble.sample_counts_) != n_rounds:
        raise ValueError("alphas must be from 0 to 1, with a sample count for each")
    if len(ensemble.estimators_) != n_rounds * ensemble._draws_per_round:
        raise ValueError(f"the model must have {ensemble._draws_per_round} estimators for each alpha")
    codes = set(range(2 if ensemble._relational else len(ensemble.classes_)))
    for component in ensemble.estimators_:
        if not set(component.classes_.tolist()) <= codes:
            raise ValueError("the classes of the estimators must be class codes of the ensemble")


def _first_of(ensemble: Any) -> Any:
    """Component that says what components read; a constant reads anything."""
    return next((c for c in ensemble.estimators_ if hasattr(c, "get_params")), ensemble._component())


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
