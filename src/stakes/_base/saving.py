"""Fitted estimators as documents of plain values, and back: no pickle, nothing is run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from stakes._base import documents
from stakes.costs import CostMatrix, FeatureCosts
from stakes.table import Schema


class JsonMixin:
    """``to_json`` and ``from_json`` for an estimator that has ``to_dict`` and ``from_dict``."""

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return the fitted estimator as JSON text, or write it to ``path``."""
        document = self.to_dict()  # type: ignore[attr-defined]
        if path is None:
            return documents.dumps(document)
        documents.save_json(path, document)
        return None

    @classmethod
    def from_json(cls, source: str | os.PathLike[str], *inner: Any) -> Self:
        """Read an estimator from a file, or from JSON text (a string that starts with a brace).

        ``inner`` goes to ``from_dict``: for an ensemble, the class of its components.
        """
        read: Any = cls.from_dict  # type: ignore[attr-defined]
        if isinstance(source, str) and source.lstrip().startswith("{"):
            return read(documents.loads(source), *inner)
        return read(documents.load_json(source), *inner)


def read_params(cls: Any, params: Any) -> dict[str, Any]:
    """Return the parameters of a document; those that ``cls`` does not have are a ValueError."""
    documents.check_mapping(params, "params", ())
    unknown = sorted(set(params) - set(cls._get_param_names()))
    if unknown:
        raise ValueError(f"params must be parameters of {cls.__name__}, got {', '.join(unknown)}")
    return dict(params)


def set_feature_names(model: Any, names: Any, schema: Schema) -> None:
    """Set ``feature_names_in_`` to the names of a document, which must be those of the columns."""
    if names is None:
        return
    if names != list(schema.names):
        raise ValueError("feature_names must be the names of the schema's columns")
    model.feature_names_in_ = np.array(names, dtype=object)


class SavedModelMixin(JsonMixin):
    """``to_dict`` and ``from_dict`` as well, for an estimator whose fit is one data object.

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
        documents.check_format(document, "stakes-model", 1)
        documents.check_mapping(document, "the model", ("estimator", "params", "model"))
        if document["estimator"] != cls.__name__:
            raise ValueError(f"the model must be a {cls.__name__}, got {document['estimator']!r}")
        params = read_params(cls, document["params"])
        if isinstance(params.get("cost_matrix"), Mapping):
            params["cost_matrix"] = CostMatrix.from_dict(params["cost_matrix"])
        fitted = cls._model_class.from_dict(document["model"])
        if params.get("feature_costs") is not None:
            params["feature_costs"] = fitted.feature_costs
        model = cls(**params)
        model._check_params()
        model._set_fitted(fitted)
        set_feature_names(model, document.get("feature_names"), fitted.schema)
        return model

    def _check_params(self) -> None:
        try:
            self._validate_params()  # type: ignore[attr-defined]
        except Exception as error:  # scikit-learn's InvalidParameterError is a ValueError, others may follow
            raise ValueError(f"the model's params are not valid: {error}") from error


def read_schema(data: Any) -> Schema:
    """Read a schema from a document; anything wrong with it is a ValueError."""
    try:
        return Schema.from_dict(data)
    except ValueError:
        raise
    except Exception as error:
        # The document comes from outside: whatever stumbles over it, the document is what is wrong.
        raise ValueError(f"the schema of the model cannot be read: {error!r}") from error


def read_prices(data: Any) -> FeatureCosts | None:
    """Read prices from a document; anything wrong with them is a ValueError."""
    try:
        return None if data is None else FeatureCosts.from_dict(data)
    except TypeError as error:
        raise ValueError(f"the feature costs of the model cannot be read: {error}") from error
