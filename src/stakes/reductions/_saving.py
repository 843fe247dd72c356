"""Ensembles as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes._base import documents
from stakes._base.labels import labels_from_dict, labels_to_dict
from stakes._base.saving import feature_names, set_feature_names
from stakes.costs import CostMatrix
from stakes.reductions._components import Layout, component_from_dict, component_to_dict
from stakes.table import Schema

_KEYS = ("classes", "cost_matrix", "schema", "alphas", "sample_counts", "estimators", "seed")


def state_of(ensemble: Any) -> dict[str, Any]:
    """Return what a fitted ensemble has learnt as plain values."""
    return {
        "classes": labels_to_dict(ensemble.classes_),
        "cost_matrix": ensemble.cost_matrix_.to_dict(),
        "schema": ensemble.schema_.to_dict(),
        "feature_names": feature_names(ensemble),
        "seed": ensemble._seed,
        "alphas": list(ensemble.alphas_),
        "sample_counts": list(ensemble.sample_counts_),
        "estimators": [component_to_dict(component) for component in ensemble.estimators_],
    }


def set_state(ensemble: Any, state: Mapping[str, Any]) -> None:
    """Set what :func:`state_of` gave; anything else is a ValueError."""
    documents.check_mapping(state, "the model's state", _KEYS)
    ensemble._validate_params()
    ensemble.classes_ = labels_from_dict(state["classes"])
    ensemble.cost_matrix_ = CostMatrix.from_dict(state["cost_matrix"], check=False).align(ensemble.classes_)
    ensemble.schema_ = Schema.from_dict(state["schema"])
    n_codes = 2 if ensemble._relational else len(ensemble.classes_)
    if not isinstance(state["estimators"], list) or type(state["seed"]) is not int:
        raise ValueError("the model's estimators must be a list and its seed a whole number")
    ensemble._seed = state["seed"]
    ensemble.alphas_ = documents.float_array(state["alphas"], "alphas").tolist()
    if len(state["estimators"]) != len(ensemble.alphas_) * ensemble._draws_per_round:
        raise ValueError(f"the model must have {ensemble._draws_per_round} estimators for each of its alphas")
    ensemble.sample_counts_ = documents.int_array(state["sample_counts"], "sample_counts").tolist()
    ensemble.estimators_ = [component_from_dict(component, n_codes) for component in state["estimators"]]
    _check(ensemble)
    ensemble._layout = Layout(
        _first_of(ensemble), ensemble.schema_, ensemble.classes_.tolist(), ensemble._relational
    )
    ensemble.n_features_in_ = len(ensemble.schema_)
    set_feature_names(ensemble, state.get("feature_names"), ensemble.schema_)


def _check(ensemble: Any) -> None:
    """Raise ValueError unless rounds, components and classes fit each other."""
    n_rounds, alphas = len(ensemble.alphas_), np.array(ensemble.alphas_)
    if ((alphas < 0) | (alphas > 1)).any() or len(ensemble.sample_counts_) != n_rounds:
        raise ValueError("alphas must be from 0 to 1, with a sample count for each")


def _first_of(ensemble: Any) -> Any:
    """Component that says what components read; a constant reads anything."""
    return next((c for c in ensemble.estimators_ if hasattr(c, "get_params")), ensemble._component())
