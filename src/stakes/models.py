"""Saved models of any class."""

from __future__ import annotations

import os
from typing import Any

from stakes._base import documents
from stakes._base.answering import effective_tree
from stakes._base.saving import model_from_dict, model_info

__all__ = ["effective_tree", "load_model", "model_from_dict", "model_info", "save_model"]


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
