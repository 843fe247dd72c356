"""Boosting with costs: CSB0 to CSB2 and Cost-UBoost of Ting and Zheng, AdaCost, AdaBoost and AdaBoost.M2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stakes._base.private_sklearn import StrOptions
from stakes._base.saving import saveable
from stakes._base.training import Targets
from stakes.reductions._components import probabilities
from stakes.reductions._training import Part, Training
from stakes.reductions.base import Floats, Reduction
from stakes.table import Table

VARIANTS = ("adaboost", "csb0", "csb1", "csb2", "cost_uboost", "adacost", "adaboost_m2")
_SUREST = 1 - 1e-9  # r = 1 would make a round's weight infinite


@saveable
@dataclass(eq=False, repr=False, kw_only=True)
class CostBoosting(Reduction):
    """Boosting whose weights know costs, with the class of least expected cost in the end.

    A right answer counts as 1, so mistakes are counted in units of the cheapest one, Ting's unity condition;
    with costs per sample in units of the cheapest mean over a class. What unit costs are given in does not
    matter.

    Parameters
    ----------
    variant : {"csb1", "csb0", "csb2", "adaboost", "cost_uboost", "adacost", "adaboost_m2"}
        How weights change: by costs alone ("csb0"), by costs and the confidence of the answer ("csb1"), by
        these and the weight of the round ("csb2"), without costs ("adaboost"), to the cost of the mistake
        where that is more than the weight ("cost_uboost"), or as AdaBoost's, on costly rows faster where the
        answer is wrong and slower where it is right ("adacost"). "adaboost_m2" has a weight for each wrong
        answer to each row, at first its cost, which changes by how the component's probability of that answer
        compares with that of the right one. All but "adaboost" start with rows that weigh what mistakes on
        them cost.
    estimator, cost_matrix, n_estimators and others
        As in :class:`~stakes.reductions.base.Reduction`, but ``sampling`` is "sample_weight" by default, as
        the papers have it. ``alpha`` has no use here: rounds weigh by their success.

    References
    ----------
    K. M. Ting, Z. Zheng (1998). Boosting Cost-Sensitive Trees. Discovery Science, 244-255.

    W. Fan, S. J. Stolfo, J. Zhang, P. K. Chan (1999). AdaCost: Misclassification Cost-Sensitive Boosting.
    ICML, 97-105.

    Y. Freund, R. E. Schapire (1997). A Decision-Theoretic Generalization of On-Line Learning and an
    Application to Boosting. Journal of Computer and System Sciences 55(1), 119-139.

    K. M. Ting (2000). A Comparative Study of Cost-Sensitive Boosting Algorithms. ICML, 983-990.

    Examples
    --------
    >>> from stakes import CostBoosting, datasets
    >>> german = datasets.load("german")
    >>> model = CostBoosting(cost_matrix=german.cost_matrix, n_estimators=5).fit(german.X, german.y)
    >>> model.predict(german.X[:3]).tolist()
    ['good', 'bad', 'bad']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = Reduction._parameter_constraints | {
        "variant": [StrOptions(set(VARIANTS))]
    }
    _in_order: ClassVar[bool] = True
    _at_once: ClassVar[bool] = True
    _majority: ClassVar[bool] = False

    variant: str = "csb1"
    sampling: str = "sample_weight"

    def _learn(self, training: Training) -> None:
        super()._learn(training)
        for of_rows in ("_first_weights", "_wrong_answers"):
            self.__dict__.pop(of_rows, None)

    def _start(self, training: Training) -> None:
        self._unit = unit_cost(training.rows)
        if self.variant == "adaboost_m2":
            self._wrong_answers = self._first_wrong_answers(training)
            training.importance[:] = self._wrong_answers.sum(axis=1)
        elif self.variant != "adaboost":
            training.weigh(lambda costs: in_units(costs, self._unit).sum(axis=1))
        training.importance[:] = scaled(training.importance, training.rows.weight)
        self._first_weights = training.importance.copy()
        self._most_important = self._first_weights.max()
        self._total = 0.0

    def _pairs(self, part: Part) -> tuple[Floats, NDArray[np.int32]]:
        return part.importance[:, np.newaxis], part.codes[:, np.newaxis]

    def _answer(self, components: list[Any], table: Table, before: Floats) -> Floats:
        return probabilities(components[0], self._layout, table)

    def _absorb_all(self, training: Training, t: int) -> None:
        """Weigh the round by its success on all rows, then the rows by theirs."""
        paid, signed = np.empty(len(training.importance)), np.empty(len(training.importance))
        answers = np.empty_like(training.mixture)
        for part in training.parts():
            answers[part.at] = answer = self._answer(self._round(t), part.table, part.mixture)
            signed[part.at], paid[part.at] = self._judged(part, answer)
        all_right = (signed > 0).all()
        if self.variant == "adacost":
            signed *= cost_adjustment(signed, self._first_weights / self._most_important)
        counted = np.ones(len(paid)) if training.rows.weight is None else training.rows.weight
        weights = counted * training.importance
        success = min(float(weights @ signed / weights.sum()), _SUREST)
        round_weight = 0.5 * np.log((1 + success) / (1 - success)) if success > 0 else 0.0
        self._total += round_weight
        self.alphas_[t] = alpha = float(round_weight / self._total) if self._total > 0 else 1.0
        training.mixture *= 1 - alpha
        training.mixture += alpha * answers
        if self.variant == "adaboost_m2":
            changed = self._wrong_answers_weighed(training, answers, round_weight)
        elif success <= 0 or all_right:
            changed = self._first_weights
        else:
            changed = boosted_weights(self.variant, training.importance, signed, paid, round_weight)
        training.importance[:] = scaled(changed, counted)

    def _wrong_answers_weighed(self, training: Training, answers: Floats, round_weight: float) -> Floats:
        """Change the weights of wrong answers; return what they add up to for each row."""
        if round_weight > 0:
            self._wrong_answers *= np.exp(-round_weight * (1 - leads(answers, training.rows.codes)))
            self._wrong_answers /= self._wrong_answers.mean()
        else:
            self._wrong_answers = self._first_wrong_answers(training)
        return self._wrong_answers.sum(axis=1)

    def _first_wrong_answers(self, training: Training) -> Floats:
        """What each answer costs, shape (n_samples, n_classes), and 0 for the right one."""
        costs = in_units(training.costs(slice(None)), self._unit)
        costs[np.arange(len(costs)), training.rows.codes] = 0.0
        return costs

    def _judged(self, part: Part, answer: Floats) -> tuple[Floats, Floats]:
        """How right a round is on each row, from -1 to 1, and what its answer costs, 1 where it is right."""
        if self.variant == "adaboost_m2":
            wrong = self._wrong_answers[part.at]
            total = wrong.sum(axis=1)
            lead = (wrong * leads(answer, part.codes)).sum(axis=1)
            return -np.divide(lead, total, out=np.zeros(len(total)), where=total > 0), np.ones(len(answer))
        rows, chosen = np.arange(len(answer)), answer.argmax(axis=1)
        right = chosen == part.codes
        signed = np.where(right, 1.0, -1.0) * answer[rows, chosen]
        return signed, np.where(right, 1.0, in_units(part.costs[rows, chosen], self._unit))


def leads(shares: Floats, codes: NDArray[np.int32]) -> Floats:
    """By how much each class's share exceeds that of the row's own class.

    Examples
    --------
    >>> leads(np.array([[0.25, 0.75]]), np.array([0]))
    array([[0. , 0.5]])
    """
    return shares - shares[np.arange(len(codes)), codes][:, np.newaxis]


def cost_adjustment(signed: Floats, cost: Floats) -> Floats:
    """AdaCost's factor of an answer by the row's cost in [0, 1]: costly rows have less if right, else more.

    Examples
    --------
    >>> cost_adjustment(np.array([0.9, 0.9, -0.9, -0.9]), np.array([0.0, 1.0, 0.0, 1.0]))
    array([0.5, 0. , 0.5, 1. ])
    """
    return 0.5 - 0.5 * np.sign(signed) * cost


def boosted_weights(
    variant: str, weights: Floats, signed: Floats, paid: Floats, round_weight: float
) -> Floats:
    """Weights of the rows after a round, not yet scaled.

    Parameters
    ----------
    variant : str
    weights : array of shape (n_samples,)
    signed : array of shape (n_samples,)
        Confidence of the answer, negative where it is wrong, as AdaCost adjusts it.
    paid : array of shape (n_samples,)
        What the answer costs where it is wrong, 1 where it is right.
    round_weight : float

    Examples
    --------
    >>> boosted_weights("csb0", np.ones(2), np.array([0.9, -0.6]), np.array([1.0, 5.0]), 0.3)
    array([1., 5.])
    """
    if variant == "cost_uboost":
        return np.where(signed < 0, np.maximum(weights, paid), weights)
    if variant in ("adaboost", "adacost"):
        return weights * np.exp(-round_weight * signed)
    step = {"csb0": 0.0, "csb1": 1.0, "csb2": round_weight}[variant]
    return paid * weights * np.exp(-step * signed)


def unit_cost(targets: Targets) -> float:
    """Cost of the cheapest mistake, with costs per sample the least mean over a class; 1 where none costs."""
    known = targets if targets.costs is None else targets.with_class_costs(None)
    mistakes = known.effective_cost_matrix.shift().values
    return float(mistakes[mistakes > 0].min()) if mistakes.any() else 1.0


def in_units(costs: Floats, unit: float) -> Floats:
    """Costs in a unit, with twelve decimals: what division leaves behind must not decide between trees."""
    return np.round(costs / unit, 12)


def scaled(weights: Floats, counted: Floats | None) -> Floats:
    """Weights with a mean of 1, by how many rows each row counts for; all 0 stay so."""
    mean = np.average(weights, weights=counted)
    return weights / mean if mean > 0 else weights
