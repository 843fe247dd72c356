"""One weight per row: average cost, and costing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stakes._base.saving import saveable
from stakes.reductions._training import Part
from stakes.reductions.base import Floats, Reduction


@saveable
class AverageCost(Reduction):
    """Rows weigh the mean cost of their mistakes.

    The heuristic of Chan and Stolfo and of Breiman et al., with an ensemble of samples instead of one. The
    parameters are those of :class:`~stakes.reductions.base.Reduction`.

    References
    ----------
    N. Abe, B. Zadrozny, J. Langford (2004). An Iterative Method for Multi-class Cost-sensitive Learning. KDD.

    Examples
    --------
    >>> from stakes import AverageCost, datasets
    >>> german = datasets.load("german")
    >>> model = AverageCost(cost_matrix=german.cost_matrix, n_estimators=10).fit(german.X, german.y)
    >>> model.predict(german.X[:3]).tolist()
    ['bad', 'bad', 'good']
    """

    def _pairs(self, part: Part) -> tuple[Floats, NDArray[np.int32]]:
        return part.costs.mean(axis=1, keepdims=True), part.cheapest[:, np.newaxis]


@saveable
class Costing(Reduction):
    """Cost-proportionate rejection sampling of Zadrozny, Langford and Abe.

    A row weighs what the worst mistake on it costs: with two classes ``|C_0 - C_1|``. The parameters are
    those of :class:`~stakes.reductions.base.Reduction`.

    References
    ----------
    B. Zadrozny, J. Langford, N. Abe (2003). Cost-Sensitive Learning by Cost-Proportionate Example Weighting.
    ICDM, 435-442.

    Examples
    --------
    >>> from stakes import Costing, datasets
    >>> german = datasets.load("german")
    >>> model = Costing(cost_matrix=german.cost_matrix, n_estimators=10).fit(german.X, german.y)
    >>> model.sample_counts_[:3]  # every bad customer, and one in five of the good ones
    [445, 427, 441]
    """

    def _pairs(self, part: Part) -> tuple[Floats, NDArray[np.int32]]:
        return part.costs.max(axis=1, keepdims=True), part.cheapest[:, np.newaxis]
