"""Through any wrapper: which model answers, how large it is, what its tests cost.

A wrapper says which model answers for it by a method ``answering_model``, and a model that reads no column at
all says so by ``asks_nothing``. Nothing else needs to know which wrappers there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from stakes.costs import FeatureCosts


@runtime_checkable
class Answering(Protocol):
    """A model that lets another one answer."""

    def answering_model(self) -> Any:
        """Return the fitted model inside that answers, None where there is none."""


def answering_models(model: Any) -> Iterator[Any]:
    """Yield a model, the model that answers for it, and so on to the innermost one.

    Pipelines answer by their last step, and wrappers of other libraries by ``estimator_``, unless they are
    ensembles.
    """
    while model is not None:
        yield model
        if isinstance(model, Answering):
            model = model.answering_model()
        elif hasattr(model, "steps"):
            model = model.steps[-1][1]
        else:
            model = None if hasattr(model, "estimators_") else getattr(model, "estimator_", None)


def first_with(model: Any, attribute: str) -> Any:
    """Return the first of the answering models that has an attribute, None where none has."""
    return next((inner for inner in answering_models(model) if hasattr(inner, attribute)), None)


def first_param(estimator: Any, name: str) -> Any:
    """Return a parameter of an estimator or of the one inside it, fitted or not; None where none has it."""
    while estimator is not None:
        value = getattr(estimator, name, None)
        if value is not None:
            return value
        steps = getattr(estimator, "steps", None)
        estimator = steps[-1][1] if steps else getattr(estimator, "estimator", None)
    return None


def asks_nothing(model: Any) -> bool:
    """Tell whether a model answers without reading a column: a constant."""
    return bool(getattr(model, "asks_nothing", False))


def effective_tree(model: Any, *, unguarded: bool = False) -> Any:
    """Return the tree that a fitted model answers by, wrappers included.

    Parameters
    ----------
    model : fitted tree classifier, or a Guard, MinExpectedCost or TradeoffSearchCV around one, or a MetaCost
    unguarded : bool
        Whether to return the tree also where a guard has decided against it; else that is a single leaf.

    Returns
    -------
    FittedTree

    Examples
    --------
    >>> from stakes import C45Classifier, MinExpectedCost
    >>> tree = C45Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    >>> effective_tree(tree).tree.n_nodes
    3
    """
    if hasattr(model, "effective_tree"):
        return model.effective_tree(unguarded=unguarded)
    fitted = getattr(model, "fitted_tree_", None)
    if fitted is None:
        raise ValueError(f"the model must be a tree or a wrapper around one, got {type(model).__name__}")
    return fitted


@dataclass(frozen=True)
class Size:
    """Leaves and nodes of the tree that a model answers by; None for what is no tree."""

    leaves: int | None
    nodes: int | None


def model_size(model: Any) -> Size:
    """Count the leaves and nodes of a fitted tree, through wrappers and pipelines; a constant is one leaf."""
    leaves, nodes = None, None
    for inner in answering_models(model):
        if asks_nothing(inner):
            return Size(1, 1)
        if leaves is None and hasattr(inner, "get_n_leaves"):
            leaves = int(inner.get_n_leaves())
        if nodes is None:
            # scikit-learn's trees keep the number inside
            size = getattr(inner, "n_nodes_", getattr(getattr(inner, "tree_", None), "node_count", None))
            nodes = None if size is None else int(size)
    return Size(leaves, nodes)


@dataclass(frozen=True, eq=False)
class PaidTests:
    """Price of the tests of each row, made one after another, and of all that may be made, paid up front.

    ``pay`` says which of the two is due: "path" or "upfront".
    """

    by_row: NDArray[np.float64]
    upfront: float
    pay: str = "path"

    @property
    def due(self) -> NDArray[np.float64]:
        """What each row pays."""
        return np.full(len(self.by_row), self.upfront) if self.pay == "upfront" else self.by_row


def own_prices(model: Any) -> FeatureCosts | None:
    """Return the prices of columns that a fitted model was given, None where columns are free."""
    return next(filter(None, (getattr(m, "feature_costs_", None) for m in answering_models(model))), None)


def paid_tests(model: Any, X: Any, prices: FeatureCosts, routing: Any = None) -> PaidTests:
    """Work out what it costs to let a model answer.

    A constant reads nothing, a tree what is on a row's way. Of other models nothing is known but that they
    are given every column. ``routing`` of the model's ``answers``, where the rows have been answered already.
    They are due as the model's parameter ``pay`` says, else for what is on the way.
    """
    n_rows = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    pay = getattr(first_with(model, "pay"), "pay", "path")
    for inner in answering_models(model):
        if asks_nothing(inner):
            return PaidTests(np.zeros(n_rows), 0.0)
        if hasattr(inner, "path_cost"):
            by_row = inner.path_cost(X, prices) if routing is None else routing.path_cost(prices)
            return PaidTests(by_row, inner.upfront_cost(prices), pay)
    everything = prices.cost(prices.features)
    return PaidTests(np.full(n_rows, everything), everything, pay)
