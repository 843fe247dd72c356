"""Fitted estimators as documents of plain values, and back: no pickle, nothing in a document is run.

A document has ``format``, ``version``, ``class``, ``params`` (what the estimator was made with), ``state``
(what it learnt), ``background`` (what explanations compare with) and ``info`` (what a reader wants to know);
no answer depends on the last two. A model inside another one has ``class``, ``params`` and ``state``. A class
that can be written derives from `SavedModel`, says what its state is, and is registered by `saveable`.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from stakes._base import documents
from stakes._base.answering import answering_models, first_with
from stakes._base.background import Background
from stakes._base.labels import labels_to_dict
from stakes._base.parameters import PlainParameters
from stakes._text.money import check_currency
from stakes.costs import CostMatrix, FeatureCosts
from stakes.table import Schema

_CLASSES: dict[str, type[SavedModel]] = {}

#: Parameters that had another name in version 1, by class.
_OLD_PARAMS: dict[str, dict[str, str]] = {
    "C45Classifier": {"min_objects": "min_samples_leaf"},
    "GDTClassifier": {"patience": "n_iter_no_change", "feature_cost_mode": "pay"},
    "RuleClassifier": {"held_out": "validation_fraction", "cut_offs": "t_good_values"},
    "TradeoffSearchCV": {"param": "param_name", "grid": "param_range", "bill": "pay"},
}


def saveable(cls: type[Model]) -> type[Model]:
    """Register a class: documents that name it can be read."""
    _CLASSES[cls.__name__] = cls
    return cls


class SavedModel(PlainParameters):
    """Writes an estimator that says what its state is as plain values and as JSON, and reads it back."""

    classes_: NDArray[Any]
    _background: Background | None
    _training_info: dict[str, Any]

    def _state(self) -> dict[str, Any]:
        """Return what was learnt as plain values."""
        raise NotImplementedError

    def _set_state(self, state: Mapping[str, Any]) -> None:
        """Set what :meth:`_state` gave; anything else is a ValueError."""
        raise NotImplementedError

    def _plain_params(self) -> dict[str, Any]:
        """Return the parameters that are plain values; the others have their defaults when read back.

        An estimator inside is part of the state, where it has been fitted.
        """
        params: dict[str, Any] = self.get_params(deep=False)  # type: ignore[attr-defined]
        params.pop("estimator", None)
        if params.get("cost_matrix") is not None:
            params["cost_matrix"] = self.cost_matrix_.to_dict()  # type: ignore[attr-defined]
        prices = params.pop("feature_costs", None)
        if isinstance(prices, FeatureCosts):
            params["feature_costs"] = prices.to_dict()
        plain = {name: listed(value) for name, value in params.items()}
        return {name: value for name, value in plain.items() if _is_plain(value)}

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted estimator as plain values, ready for JSON."""
        check_is_fitted(self)
        envelope = {"format": documents.MODEL, "version": documents.MODEL_VERSION}
        background: Background | None = getattr(self, "_background", None)
        noted = {} if background is None else {"background": background.to_dict(self._columns())}  # type: ignore[attr-defined]
        return envelope | inner_to_dict(self) | noted | {"info": model_info(self)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Read back what :meth:`to_dict` gave; anything else is a ValueError."""
        model = model_from_dict(document)
        if not isinstance(model, cls):
            held = type(model).__name__
            raise ValueError(f"the model must be a {cls.__name__}, got a {held}: {held}.from_json reads it")
        return model

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return the fitted estimator as JSON text, or write it to ``path``."""
        document = self.to_dict()
        if path is None:
            return documents.dumps(document)
        documents.save_json(path, document)
        return None

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> Self:
        """Read an estimator of this class from a file, or from JSON text (a string that starts with a brace).

        Examples
        --------
        >>> from stakes import C45Classifier, Guard
        >>> tree = C45Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
        >>> C45Classifier.from_json(tree.to_json()).predict([[7.0]])
        array(['high'], dtype='<U4')
        >>> Guard.from_json(tree.to_json())
        Traceback (most recent call last):
            ...
        ValueError: the model must be a Guard, got a C45Classifier: C45Classifier.from_json reads it
        """
        if isinstance(source, str) and source.lstrip().startswith("{"):
            return cls.from_dict(documents.loads(source))
        document = documents.load_json(source)
        try:
            return cls.from_dict(document)
        except ValueError as error:
            raise ValueError(f"{os.fspath(source)}: {error}") from None


Model = TypeVar("Model", bound=SavedModel)


class FittedData(Protocol):
    """What a fit is as plain values: the arrays of a model, and the columns that it reads."""

    @property
    def schema(self) -> Schema:
        """The columns."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read back what ``to_dict`` gave; anything else is a ValueError."""


class SavedModelMixin(SavedModel):
    """For an estimator whose fit is one data object with ``to_dict``, ``from_dict`` and ``schema``."""

    #: Class of the data object, and the attribute that it is kept in.
    _model_class: ClassVar[type[FittedData]]
    _model_attribute: ClassVar[str]

    @property
    def _checked(self) -> Any:
        """The fitted model, or the error that says that there is none yet."""
        check_is_fitted(self)
        return getattr(self, self._model_attribute)

    def _columns(self) -> Schema:
        return self._checked.schema

    def _set_fitted(self, fitted: Any) -> None:
        raise NotImplementedError

    def _plain_params(self) -> dict[str, Any]:
        params = super()._plain_params()
        prices = getattr(getattr(self, self._model_attribute), "feature_costs", None)
        given = getattr(self, "feature_costs", None) is not None
        return params | ({"feature_costs": prices.to_dict()} if given and prices is not None else {})

    def _state(self) -> dict[str, Any]:
        return {"model": getattr(self, self._model_attribute).to_dict(), "feature_names": feature_names(self)}

    def _set_state(self, state: Mapping[str, Any]) -> None:
        documents.check_mapping(state, "the model's state", ("model",))
        fitted = self._model_class.from_dict(state["model"])
        self._set_fitted(fitted)
        set_feature_names(self, state.get("feature_names"), fitted.schema)


def inner_to_dict(model: SavedModel) -> dict[str, Any]:
    """Return class, parameters and state of a fitted model, as another one keeps it."""
    name = type(model).__name__
    if _CLASSES.get(name) is not type(model):
        raise TypeError(f"a model with a {name} inside cannot be written as JSON, use pickle or skops for it")
    return {"class": name, "params": model._plain_params(), "state": model._state()}


def inner_from_dict(data: Any) -> SavedModel:
    """Return the model of what :func:`inner_to_dict` gave; anything else is a ValueError."""
    documents.check_mapping(data, "the model", ("class", "params", "state"))
    cls = _find(data["class"])
    documents.check_mapping(data["params"], "params", ())
    documents.check_mapping(data["state"], "the model's state", ())
    params, known = dict(data["params"]), cls._get_param_names()  # type: ignore[attr-defined]
    unknown = sorted(set(params) - set(known))
    if unknown:
        raise ValueError(f"params must be parameters of {cls.__name__}, got {', '.join(unknown)}")
    if isinstance(params.get("cost_matrix"), Mapping):
        params["cost_matrix"] = CostMatrix.from_dict(params["cost_matrix"], check=False)
    if isinstance(params.get("feature_costs"), Mapping):
        params["feature_costs"] = read_prices(params["feature_costs"])
    # An estimator inside is part of the state, which puts it in its place.
    model = cls(**({"estimator": None} if "estimator" in known else {}) | params)
    try:
        model._set_state(data["state"])
        if hasattr(model, "_parameter_constraints"):
            model._validate_params()  # type: ignore[attr-defined]
    except ValueError:
        raise
    except Exception as error:
        # The document comes from outside: whatever stumbles over it, the document is what is wrong.
        raise ValueError(f"the model cannot be read: {type(error).__name__}: {error}") from error
    return model


def model_from_dict(document: Mapping[str, Any]) -> SavedModel:
    """Return the model of what ``to_dict`` gave; anything else is a ValueError."""
    documents.check_format(document, documents.MODEL, documents.MODEL_VERSION, "the model")
    model = inner_from_dict(_from_version_1(document) if document["version"] == 1 else document)
    if document.get("background") is not None and hasattr(model, "keep_background"):
        columns = model._columns()  # type: ignore[attr-defined]
        model._background = Background.from_dict(document["background"], columns, len(model.classes_))
    info = document.get("info")
    if isinstance(info, Mapping):
        check_currency(info.get("currency"))
        model._training_info = {name: info[name] for name in _TRAINING if name in info}
    return model


def training_info(schema: Schema, target: str | None, y: Any, n_samples: int) -> dict[str, Any]:
    """Return what a saved model says about the data it was fitted on."""
    columns = json.dumps(schema.to_dict(), ensure_ascii=False).encode()
    return {
        "target": target_name(y) or target,
        "n_samples": n_samples,
        "schema_sha256": hashlib.sha256(columns).hexdigest(),
    }


def target_name(y: Any) -> str | None:
    """Return the name of the target: that of the column, or the name that was given for it."""
    name = y if isinstance(y, str) else getattr(y, "name", None)
    return name if isinstance(name, str) else None


_TRAINING = ("target", "n_samples", "schema_sha256", "data_sha256", "interrupted", "currency")


def remember_data(model: Any, fingerprint: str) -> None:
    """Let a fitted model remember which rows it has learnt from."""
    first_with(model, "_training_info")._training_info["data_sha256"] = fingerprint


def remember_currency(model: Any, currency: str | None) -> None:
    """Let a fitted model remember what its costs are in."""
    if currency is not None:
        first_with(model, "_training_info")._training_info["currency"] = check_currency(currency)


def remembered_currency(model: Any) -> str | None:
    """Return what the costs of a model are in, as far as it knows."""
    fitted = first_with(model, "_training_info")
    return None if fitted is None else fitted._training_info.get("currency")


def model_info(model: Any) -> dict[str, Any]:
    """Return what a reader of a model wants to know, as its file says it under ``info``.

    Nothing of when, where and by whom it was fitted. ``target`` and ``feature_costs`` are None where the
    model was given none, and so is what a file of an earlier version does not say. ``currency`` is there
    where one was stated.

    Examples
    --------
    >>> from stakes import C45Classifier
    >>> info = model_info(C45Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"]))
    >>> info["classes"], info["n_samples"], info["target"]
    (['high', 'low'], 4, None)
    """
    fitted = first_with(model, "_training_info")
    params = [inner._plain_params() for inner in answering_models(model) if isinstance(inner, SavedModel)]
    costs, prices, seed = (
        next((given[name] for given in params if given.get(name) is not None), None)
        for name in ("cost_matrix", "feature_costs", "random_state")
    )
    names = (getattr(inner, "_target_name", None) for inner in answering_models(model))
    target = next(filter(None, names), None)
    classes = getattr(model, "classes_", None)
    return {
        "stakes": version("stakes"),
        "target": None,  # of files that are older than that
        **({} if fitted is None else fitted._training_info),
        **({} if target is None else {"target": target}),
        "classes": None if classes is None else labels_to_dict(classes)["labels"],
        "costs": costs,
        "feature_costs": prices,
        "seed": getattr(model, "_seed", seed),
    }


def _find(name: Any) -> type[SavedModel]:
    """Return the class that a document names; importing its package registers it."""
    if isinstance(name, str) and name not in _CLASSES:
        stakes = importlib.import_module("stakes")
        if name in stakes.__all__:
            getattr(stakes, name)
    if not isinstance(name, str) or name not in _CLASSES:
        shown = repr(name) if isinstance(name, str) and len(name) <= 60 else "something else"
        raise ValueError(f"the model's class must be one that can be read, got {shown}")
    return _CLASSES[name]


def _from_version_1(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return class, parameters and state of a document of version 1, and so for all models inside it.

    There the class stood under "type" where "estimator" was the model inside, and else under "estimator"; the
    state was everything else.
    """
    where = "type" if "type" in document else "estimator"
    name, params = document.get(where), document.get("params")
    apart = {"format", "version", "params", where}
    state = {key: _inner_of_version_1(value) for key, value in document.items() if key not in apart}
    if isinstance(params, Mapping):
        new = _OLD_PARAMS.get(name, {}) if isinstance(name, str) else {}
        params = {new.get(key, key): value for key, value in params.items()}
        if where == "type" and "cost_matrix" in state:
            params["cost_matrix"] = state["cost_matrix"]
    return {"class": name, "params": params, "state": state}


def _inner_of_version_1(value: Any) -> Any:
    if isinstance(value, list):
        return [_inner_of_version_1(item) for item in value]
    is_model = isinstance(value, Mapping) and value.get("format") == documents.MODEL
    return _from_version_1(value) if is_model else value


def listed(value: Any) -> Any:
    """Return arrays and tuples as lists, anything else as it is."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return list(value) if isinstance(value, tuple | range) else value


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    return value is None or isinstance(value, bool | int | float | str)


def feature_names(model: Any) -> list[str] | None:
    """Return ``feature_names_in_`` as a list, None where the columns had no names."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else names.tolist()


def set_feature_names(model: Any, names: Any, schema: Schema) -> None:
    """Set ``feature_names_in_`` to the names of a document, which must be those of the columns."""
    if names is None:
        return
    if names != list(schema.names):
        raise ValueError("feature_names must be the names of the schema's columns")
    model.feature_names_in_ = np.array(names, dtype=object)


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
