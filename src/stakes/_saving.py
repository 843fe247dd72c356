"""Fitted estimators as documents of plain values, and back: no pickle, nothing is run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from stakes import _json
from stakes.costs import CostMatrix


class SavedModelMixin:
    """``to_dict``, ``from_dict``, ``to_json``, ``from_json`` for an estimator whose fit is one data object.

    That object has ``to_dict``, ``from_dict`` and ``schema``, and ``feature_costs`` where the estimator takes
    prices.
    """

    #: Class of the data object, and the attribute that it is kept in.
    _model_class: ClassVar[Any]
    _model_attribute: ClassVar[str]

    def _set_fitted(self, fitted: Any) -> None:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted estimator as plain values, ready for JSON."""
        check_is_fitted(self)
        fitted = getattr(self, self._model_attribute)
        document = {
            "format": "stakes-model",
            "version": 1,
            "estimator": type(self).__name__,
            "params": self._params_to_dict(fitted),
            "model": fitted.to_dict(),
        }
        names = getattr(self, "feature_names_in_", None)
        return document if names is None else document | {"feature_names": names.tolist()}

    def _params_to_dict(self, fitted: Any) -> dict[str, Any]:
        params: dict[str, Any] = self.get_params(deep=False)  # type: ignore[attr-defined]
        if params.get("cost_matrix") is not None:
            params["cost_matrix"] = self.cost_matrix_.to_dict()  # type: ignore[attr-defined]
        if params.get("feature_costs") is not None and fitted.feature_costs is not None:
            params["feature_costs"] = fitted.feature_costs.to_dict()
        for name, value in params.items():
            if isinstance(value, np.ndarray | np.generic):
                params[name] = value.tolist()
        return params

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Read back what :meth:`to_dict` gave; anything else is a ValueError."""
        _json.check_format(document, "stakes-model", 1)
        _json.check_mapping(document, "the model", ("estimator", "params", "model"))
        if document["estimator"] != cls.__name__:
            raise ValueError(f"the model must be a {cls.__name__}, got {document['estimator']!r}")
        _json.check_mapping(document["params"], "params", ())
        params = dict(document["params"])
        unknown = sorted(set(params) - set(cls._get_param_names()))  # type: ignore[attr-defined]
        if unknown:
            raise ValueError(f"params must be parameters of {cls.__name__}, got {', '.join(unknown)}")
        if isinstance(params.get("cost_matrix"), Mapping):
            params["cost_matrix"] = CostMatrix.from_dict(params["cost_matrix"])
        fitted = cls._model_class.from_dict(document["model"])
        if params.get("feature_costs") is not None:
            params["feature_costs"] = fitted.feature_costs
        model = cls(**params)
        model._check_params()
        model._set_fitted(fitted)
        names = document.get("feature_names")
        if names is not None:
            if names != list(fitted.schema.names):
                raise ValueError("feature_names must be the names of the schema's columns")
            model.feature_names_in_ = np.array(names, dtype=object)  # type: ignore[attr-defined]
        return model

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return the fitted estimator as JSON text, or write it to ``path``."""
        if path is None:
            return _json.dumps(self.to_dict())
        _json.save_json(path, self.to_dict())
        return None

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> Self:
        """Read an estimator from a file, or from JSON text (a string that starts with a brace)."""
        if isinstance(source, str) and source.lstrip().startswith("{"):
            return cls.from_dict(_json.loads(source))
        return cls.from_dict(_json.load_json(source))

    def _check_params(self) -> None:
        try:
            self._validate_params()  # type: ignore[attr-defined]
        except Exception as error:  # scikit-learn's InvalidParameterError is a ValueError, others may follow
            raise ValueError(f"the model's params are not valid: {error}") from error
