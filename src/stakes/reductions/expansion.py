"""DSE, data space expansion: each row once with each class as its label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stakes._base.saving import saveable
from stakes.reductions._training import Part
from stakes.reductions.base import Floats, Reduction


@saveable
class DataSpaceExpansion(Reduction):
    """Method DSE of Abe et al.: row ``x`` labelled ``y`` weighs what ``y`` saves against the costliest class.

    A classifier of least weighted error on the expanded rows is one of least cost on the rows (theorem 2).
    The expansion is never stored; pairs are weighed and drawn in blocks. The parameters are those of
    :class:`~stakes.reductions.base.Reduction`.

    References
    ----------
    N. Abe, B. Zadrozny, J. Langford (2004). An Iterative Method for Multi-class Cost-sensitive Learning. KDD.

    Examples
    --------
    >>> from stakes import DataSpaceExpansion, datasets
    >>> german = datasets.load("german")
    >>> model = DataSpaceExpansion(cost_matrix=german.cost_matrix, n_estimators=10).fit(german.X, german.y)
    >>> model.predict(german.X[:3]).tolist()
    ['bad', 'bad', 'good']
    """

    def _pairs(self, part: Part) -> tuple[Floats, NDArray[np.int32]]:
        return expanded_weights(part.costs), np.broadcast_to(
            np.arange(len(self.classes_), dtype=np.int32), part.costs.shape
        )


def expanded_weights(costs: Floats) -> Floats:
    """Weights of all pairs, ``max C - C_y`` (figure 2)."""
    return costs.max(axis=1, keepdims=True) - costs
