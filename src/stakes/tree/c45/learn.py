"""How a C4.5 tree is made: what rows weigh, then growing, pruning and reading off probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes._base.progress import part
from stakes._base.training import Targets, TrainingSet
from stakes.costs import sample_vector
from stakes.tree.core import as_model, core_table
from stakes.tree.model import TreeModel
from stakes.tree.prices import core_prices

Weights = NDArray[np.float64]

#: C4.5 reads the normal deviate of a confidence off this table, by straight lines between the points.
_C45_CONFIDENCE = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_C45_DEVIATE = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def deviate(confidence: float, dialect: str) -> float:
    """Normal deviate of the upper confidence limit on errors.

    Examples
    --------
    >>> deviate(0.25, "c45")
    0.6925
    >>> round(deviate(0.25, "j48"), 6)
    0.67449
    """
    if dialect == "c45":
        return float(np.interp(confidence, _C45_CONFIDENCE, _C45_DEVIATE))
    # J48 uses the normal quantile; a confidence of 1 has none and means no correction at all.
    return NormalDist().inv_cdf(1.0 - confidence) if confidence < 1.0 else 0.0


@dataclass(frozen=True)
class RowWeights:
    """What each training row weighs, in the three places where that matters.

    Attributes
    ----------
    grow, prune : array of shape (n_samples,) or None
        Weights while the tree is grown, and while it is pruned and its leaves are labelled.
    plain : array of shape (n_samples,) or None
        Weights without any cost: the user's ``sample_weight``. None always means 1 for every row.
    per_class : array of shape (n_classes,) or None
        ``prune / plain`` where that is one number per class.
    """

    grow: Weights | None
    prune: Weights | None
    plain: Weights | None
    per_class: Weights | None = None


def row_weights(rows: Targets, cost_use: str, how: str) -> RowWeights:
    """Ting's instance weights (equation 2) from class costs or from each sample's own costs.

    Rows weigh in proportion to what mistaking them costs; their sum stays what it was.
    """
    given = rows.weight
    if cost_use == "none" or (rows.cost_matrix is None and rows.costs is None):
        return RowWeights(given, given, given)
    per_class = None
    if rows.costs is not None:
        importance = sample_vector(rows.costs, rows.codes, how)
    else:
        assert rows.cost_matrix is not None
        per_class = rows.cost_matrix.vector(how)
        importance = per_class[rows.codes]
    plain = rows.weight_or_ones
    total = float(plain @ importance)
    if total <= 0:
        raise ValueError(
            "costs must make at least one mistake on the training rows cost something; here each costs 0"
        )
    scale = plain.sum() / total
    altered = plain * (importance * scale)
    if cost_use == "priors":
        return RowWeights(altered, given, given)
    return RowWeights(altered, altered, given, None if per_class is None else per_class * scale)


def learn_tree(
    training: TrainingSet,
    weights: RowWeights,
    growing: _core.GrowOptions,
    *,
    prune: str | None,
    confidence: float,
    raise_subtrees: bool,
    judge: Callable[[_core.Candidate], float] | None = None,
) -> tuple[TreeModel, NDArray[np.float64] | None]:
    """Grow and prune one tree; a criterion from outside is ``judge``.

    Returns
    -------
    tree : TreeModel
    observed : array of shape (n_nodes, n_classes) or None
        Class weights without costs, where they differ from the tree's own.
    """
    rows, codes, n_classes = core_table(training.table), training.codes, len(training.classes)
    prices = core_prices(training.price_arrays)
    with part(0, 0.9):
        tree = _core.grow_tree(rows, codes, n_classes, weights.grow, growing, prices, judge)
    if weights.prune is not weights.grow:
        tree.recount(rows, codes, weights.prune)
    if prune == "error":
        z = deviate(confidence, growing.dialect)
        with part(0.9, 1):
            tree.prune_by_errors(rows, codes, weights.prune, growing.dialect, confidence, z, raise_subtrees)
    elif prune == "cost":
        # The loss multiplies class shares by costs; weights that hold the costs would count them twice.
        if weights.plain is not weights.prune:
            tree.recount(rows, codes, weights.plain)
        tree.prune_by_cost(np.ascontiguousarray(training.cost_values))
        if weights.plain is not weights.prune:
            tree.recount(rows, codes, weights.prune)
    model = as_model(tree, n_classes)
    if weights.plain is weights.prune:
        return model, None
    if weights.per_class is not None and np.all(weights.per_class > 0):
        return model, model.class_weights / weights.per_class
    tree.recount(rows, codes, weights.plain)
    return model, as_model(tree, n_classes).class_weights
