"""Saved models: one file format, and one place that knows which classes can be read from it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from stakes import reductions
from stakes._base import documents
from stakes._base.answering import effective_tree
from stakes.boosted import BoostedStakes
from stakes.decision import Guard, MinExpectedCost
from stakes.evolve import GDTClassifier
from stakes.rules import MDLDiscretizer, RuleClassifier
from stakes.tree import C45Classifier, TradeoffSearchCV

__all__ = ["effective_tree", "load_model", "model_from_dict", "save_model"]


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read any model that stakes has written as JSON, whatever its class.

    Parameters
    ----------
    path : path
        A file written by ``to_json``, `save_model` or ``stakes fit``. Nothing in it is run.

    Returns
    -------
    estimator
        Fitted, of the class that the file names.

    Raises
    ------
    ValueError
        Where the file is no such model, is damaged, or does not fit together.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from stakes import C45Classifier, load_model
    >>> tree = C45Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> tree.to_json(path)
    >>> load_model(path).predict([[7.0]])
    array(['high'], dtype='<U4')
    """
    document = documents.load_json(path)
    try:
        return model_from_dict(document)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model that has ``to_dict`` as JSON, for `load_model`."""
    documents.save_json(path, model.to_dict())


def model_from_dict(document: Mapping[str, Any]) -> Any:
    """Return the model of what ``to_dict`` gave; anything else is a ValueError."""
    documents.check_format(document, "stakes-model", 1, "the model")
    # A wrapper has its class under "type" and the document of what it wraps under "estimator".
    name = document.get("type", document.get("estimator"))
    reader = _READERS.get(name) if isinstance(name, str) else None
    if reader is None:
        shown = repr(name) if isinstance(name, str) and len(name) <= 60 else "something else"
        raise ValueError(f"the model's estimator must be one of {', '.join(_READERS)}, got {shown}")
    try:
        return reader(document)
    except ValueError:
        raise
    except Exception as error:
        # The document comes from outside: whatever stumbles over it, the document is what is wrong.
        raise ValueError(f"the model cannot be read: {type(error).__name__}: {error}") from error


class _AnyModel:
    """Stands in for the inner class of a wrapper; the inner document says itself what it is."""

    from_dict = staticmethod(model_from_dict)


_REDUCTIONS: tuple[type[reductions.Reduction], ...] = (
    reductions.GBSE,
    reductions.GBSET,
    reductions.AverageCost,
    reductions.CostBagging,
    reductions.CostBoosting,
    reductions.Costing,
    reductions.DataSpaceExpansion,
    reductions.IterativeWeighting,
    reductions.MetaCost,
)

#: Every class that can be read, by the name its documents carry. New estimators are added here.
_READERS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "BoostedStakes": BoostedStakes.from_dict,
    "C45Classifier": C45Classifier.from_dict,
    "GDTClassifier": GDTClassifier.from_dict,
    "Guard": lambda document: Guard.from_dict(document, _AnyModel),
    "MDLDiscretizer": MDLDiscretizer.from_dict,
    "MinExpectedCost": lambda document: MinExpectedCost.from_dict(document, _AnyModel),
    "RuleClassifier": lambda document: RuleClassifier.from_dict(document, model_from_dict),
    "TradeoffSearchCV": lambda document: TradeoffSearchCV.from_dict(document, _AnyModel),
    **{cls.__name__: partial(cls.from_dict, estimator_class=_AnyModel) for cls in _REDUCTIONS},
}
