"""GBSE and GBSE-T: gradient boosting with stochastic ensembles."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stakes._base.saving import saveable
from stakes.reductions._components import relation
from stakes.reductions._training import Part
from stakes.reductions.base import Floats, Reduction
from stakes.table import Table


@saveable
class GBSE(Reduction):
    """Gradient boosting with stochastic ensembles, the main method of Abe et al.

    Each round weighs the pairs of a row and a class by how much the class would save, or lose, against the
    mixture so far. A binary component learns which pairs save, sees the class as one more nominal column, and
    its accepted classes share the row's answer. The expansion to pairs is never stored. The parameters are
    those of :class:`~stakes.reductions.base.Reduction`.

    References
    ----------
    N. Abe, B. Zadrozny, J. Langford (2004). An Iterative Method for Multi-class Cost-sensitive Learning. KDD.

    Examples
    --------
    >>> from stakes import GBSE, datasets
    >>> german = datasets.load("german")
    >>> model = GBSE(cost_matrix=german.cost_matrix, n_estimators=10).fit(german.X, german.y)
    >>> model.predict(german.X[:3]).tolist()
    ['good', 'bad', 'good']
    """

    _relational: ClassVar[bool] = True
    _in_order: ClassVar[bool] = True

    def _pairs(self, part: Part) -> tuple[Floats, NDArray[np.int32]]:
        saved = self._saved(part.costs, part.mixture)
        return np.abs(saved), (saved >= 0).astype(np.int32)

    def _saved(self, costs: Floats, mixture: Floats) -> Floats:
        return pair_weights(costs, mixture)

    def _answer(self, components: list[Any], table: Table, before: Floats) -> Floats:
        return stochastic(relation(components[0], self._layout, table), before)


@saveable
class GBSET(GBSE):
    """GBSE-T, the variant of GBSE with a proof: costs fall exponentially for a weak learner (theorem 3).

    A pair must save against the mixture's cost divided by the number of classes, so fewer pairs are good. The
    parameters are those of :class:`~stakes.reductions.base.Reduction`; the theorem has a constant ``alpha``.

    References
    ----------
    N. Abe, B. Zadrozny, J. Langford (2004). An Iterative Method for Multi-class Cost-sensitive Learning. KDD.

    Examples
    --------
    >>> from stakes import GBSET, datasets
    >>> german = datasets.load("german")
    >>> model = GBSET(cost_matrix=german.cost_matrix, n_estimators=10).fit(german.X, german.y)
    >>> model.predict_proba(german.X[:3]).shape
    (3, 2)
    """

    def _saved(self, costs: Floats, mixture: Floats) -> Floats:
        return pair_weights(costs, mixture, divisor=costs.shape[1])


def pair_weights(costs: Floats, mixture: Floats, divisor: int = 1) -> Floats:
    """Signed weights of all pairs, ``C_H(x) / divisor - C_y`` (figures 3 and 5).

    Examples
    --------
    >>> pair_weights(np.array([[0.0, 1.0, 8.0]]), np.array([[1/3, 1/3, 1/3]]))
    array([[ 3.,  2., -5.]])
    """
    return (costs * mixture).sum(axis=1, keepdims=True) / divisor - costs


def stochastic(accepted: NDArray[np.bool_], mixture: Floats) -> Floats:
    """Turn a relation into shares: equal for the accepted classes, the mixture's where none is (figure 4).

    Examples
    --------
    >>> stochastic(np.array([[True, False, True], [False, False, False]]), np.full((2, 3), 1/3)).round(2)
    array([[0.5 , 0.  , 0.5 ],
           [0.33, 0.33, 0.33]])
    """
    count = accepted.sum(axis=1, keepdims=True)
    return np.where(count > 0, accepted / np.maximum(count, 1), mixture)
