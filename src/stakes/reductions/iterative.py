"""IW, iterative weighting: each row weighs what the mistakes made on it so far cost."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stakes._base.private_sklearn import Interval
from stakes._base.saving import saveable
from stakes.reductions._training import Part, Training
from stakes.reductions.base import Floats, Reduction


@saveable
@dataclass(eq=False, repr=False, kw_only=True)
class IterativeWeighting(Reduction):
    """Method IW of Abe et al.: reweigh, learn again, keep the last.

    A row weighs the cost of its worst mistake at first. Where the round's answer is wrong, the weight moves
    towards the cost of that answer. Where it converges, the weighted error of the answer is its cost
    (theorem 1). The component of a round is costing: several samples by the same weights, which vote.

    Parameters
    ----------
    n_votes : int
        Samples, and components, of each round.
    estimator, cost_matrix, n_estimators and others
        As in :class:`~stakes.reductions.base.Reduction`. ``alpha`` is the step of the weights.

    References
    ----------
    N. Abe, B. Zadrozny, J. Langford (2004). An Iterative Method for Multi-class Cost-sensitive Learning. KDD.

    Examples
    --------
    >>> from stakes import IterativeWeighting, datasets
    >>> german = datasets.load("german")
    >>> model = IterativeWeighting(cost_matrix=german.cost_matrix, n_estimators=3).fit(german.X, german.y)
    >>> len(model.estimators_), model.predict(german.X[:3]).tolist()
    (30, ['bad', 'bad', 'good'])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = Reduction._parameter_constraints | {
        "n_votes": [Interval(Integral, 1, None, closed="left")]
    }
    _in_order: ClassVar[bool] = True

    n_votes: int = 10

    @property
    def _draws_per_round(self) -> int:  # type: ignore[override]
        return self.n_votes

    def _start(self, training: Training) -> None:
        training.weigh(lambda costs: costs.max(axis=1))

    def _pairs(self, part: Part) -> tuple[Floats, NDArray[np.int32]]:
        return part.importance[:, np.newaxis], part.cheapest[:, np.newaxis]

    def _absorb(self, part: Part, t: int) -> None:
        super()._absorb(part, t)
        answer = self._choose(part.mixture)
        part.importance[:] = moved_weights(part.importance, part.costs, answer, part.cheapest, self._alpha(t))

    def _mixture_weight(self, t: int) -> float:
        return 1.0  # the last round speaks alone


def moved_weights(
    importance: Floats, costs: Floats, answer: NDArray[Any], cheapest: NDArray[Any], alpha: float
) -> Floats:
    """Weights after a round: ``alpha C_h(x) + (1 - alpha) c`` where the answer is wrong (figure 1).

    Examples
    --------
    >>> moved_weights(np.array([9.0, 9.0]), np.array([[0.0, 1.0], [9.0, 0.0]]), [1, 1], [0, 1], 0.5)
    array([5., 9.])
    """
    answer = np.asarray(answer)
    paid = costs[np.arange(len(costs)), answer]
    return np.where(answer == cheapest, importance, alpha * paid + (1 - alpha) * importance)
