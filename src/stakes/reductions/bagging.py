"""Bagging with the class of least expected cost, and MetaCost, which learns one model from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stakes._base.answering import effective_tree
from stakes._base.saving import saveable
from stakes.decision import Answers, InnerAnswers, answers_of, as_shares, lazy
from stakes.reductions._components import (
    class_shares,
    component_from_dict,
    component_to_dict,
    fit_component,
    probabilities,
    votes,
)
from stakes.reductions._rows import joined
from stakes.reductions._sampling import Sample, Sampler, bootstrap_counts
from stakes.reductions._training import Part, Training
from stakes.reductions.base import Floats, Reduction
from stakes.table import Table


@saveable
@dataclass(eq=False, repr=False, kw_only=True)
class CostBagging(Reduction):
    """Bagged class probabilities, and the class of least expected cost by them.

    Each row gets into a sample with probability ``max_samples``, whatever it costs. ``decision="majority"``
    is plain bagging.

    Parameters
    ----------
    use_proba : bool
        Whether class shares are the mean of the components' probabilities, or shares of their votes.
    bootstrap : bool
        Whether samples are drawn with replacement, as Breiman's are: as many rows as there are, times
        ``max_samples``, which is then 1 by default. ``sampling`` has no use there.
    estimator, cost_matrix, n_estimators and others
        As in :class:`~stakes.reductions.base.Reduction`.

    References
    ----------
    L. Breiman (1996). Bagging Predictors. Machine Learning 24(2), 123-140.

    Examples
    --------
    >>> from stakes import CostBagging, datasets
    >>> german = datasets.load("german")
    >>> model = CostBagging(cost_matrix=german.cost_matrix, n_estimators=10).fit(german.X, german.y)
    >>> plain = CostBagging(decision="majority", n_estimators=10).fit(german.X, german.y)
    >>> int((model.predict(german.X) == "bad").sum()) > int((plain.predict(german.X) == "bad").sum())
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = Reduction._parameter_constraints | {
        "use_proba": ["boolean"],
        "bootstrap": ["boolean"],
    }
    _majority: ClassVar[bool] = False
    _share: ClassVar[float] = 2 / 3

    use_proba: bool = True
    bootstrap: bool = False

    def _draw(self, training: Training, t: int, absorb: bool) -> list[Sample]:
        if not self.bootstrap:
            return super()._draw(training, t, absorb)
        weights = training.usable_weights
        n_drawn = max(1, round((self.max_samples or 1.0) * np.count_nonzero(weights)))
        counts = bootstrap_counts(weights, n_drawn, self._seed, t)
        tables, codes = [], []
        for part in training.parts():
            if absorb:
                self._absorb(part, t - 1)
            drawn = np.repeat(np.arange(len(part.codes)), counts[part.at])
            tables.append(part.table.take(drawn))
            codes.append(part.codes[drawn])
        actual = np.concatenate(codes)
        return [Sample(joined(tables), np.zeros_like(actual), actual, actual, None)]

    def _pairs(self, part: Part) -> tuple[Floats, NDArray[np.int32]]:
        return np.ones((len(part.codes), 1)), part.codes[:, np.newaxis]

    def _answer(self, components: list[Any], table: Table, before: Floats) -> Floats:
        answer = probabilities if self.use_proba else votes
        return answer(components[0], self._layout, table)

    def _component_savings(self, component: Any) -> Floats:
        """Importances by the costs, which the components themselves know nothing of."""
        try:
            tree = effective_tree(component)
        except ValueError:
            return super()._component_savings(component)
        costs = self.cost_matrix_.values[np.ix_(tree.classes, tree.classes)]
        return as_shares(tree.decided_by(costs).column_savings())


@saveable
@dataclass(eq=False, repr=False, kw_only=True)
class MetaCost(CostBagging):
    """Domingos' MetaCost: relabel the rows by bagging and costs, then learn one readable model.

    Parameters
    ----------
    relearn : bool
        Whether a component is fitted on all rows with their new labels, and predicts. False skips that and
        predicts the class of least expected cost by the bagged probabilities, as Abe et al. did in their
        comparison.
    use_proba, bootstrap : bool
        As in :class:`CostBagging`. The former is Domingos' parameter p; the latter draws his samples.
    estimator, cost_matrix, n_estimators and others
        As in :class:`~stakes.reductions.base.Reduction`. ``decision`` is how rows are relabelled.

    Attributes
    ----------
    model_ : classifier
        The one model, where ``relearn`` is true. It answers class codes, positions in ``classes_``.

    References
    ----------
    P. Domingos (1999). MetaCost: A General Method for Making Classifiers Cost-Sensitive. KDD, 155-164.

    Examples
    --------
    >>> from stakes import MetaCost, datasets
    >>> german = datasets.load("german")
    >>> model = MetaCost(cost_matrix=german.cost_matrix, n_estimators=10).fit(german.X, german.y)
    >>> model.model_.get_n_leaves()
    59
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = CostBagging._parameter_constraints | {
        "relearn": ["boolean"]
    }

    relearn: bool = True

    def _learn(self, training: Training) -> None:
        super()._learn(training)
        if self.relearn:
            self.model_ = self._relearnt(training)

    def _relearnt(self, training: Training) -> Any:
        """Model of all rows under their new labels; this one step needs all rows in memory."""
        everything = Sampler("sample_weight", 1.0, self._seed, 0)
        for part in training.parts():
            labels = self._choose(self._mixture(part.table)).astype(np.int32)
            weights = part.usable(np.ones((len(labels), 1)))
            everything.add(part.start, part.table, part.codes, weights, labels[:, np.newaxis], part.weight)
        return fit_component(self._component(), self._layout, everything.sample(), self._seed % 2**31)

    def answering_model(self) -> Any:
        """Return the one model that was learnt from what the ensemble said; None where there is one class."""
        return getattr(self, "model_", None)

    def effective_tree(self, *, unguarded: bool = False) -> Any:
        """Return the tree of that model; it knows class codes, not all of which need be left."""
        inner = effective_tree(self.answering_model(), unguarded=unguarded)
        return replace(inner, classes=self.classes_[inner.classes])

    def _column_savings(self) -> Floats:
        inner = self.answering_model()
        return super()._column_savings() if inner is None else self._layout.importances(inner)

    def answers(self, X: Any) -> Answers:
        """Answers of the one model, or of the mixture without ``relearn``."""
        if not hasattr(self, "model_"):
            return super().answers(X)
        return RelearntAnswers(self, answers_of(self.model_, self._layout.rows(self._encode(X))))

    def _state(self) -> dict[str, Any]:
        state = super()._state()
        return state | {"model": component_to_dict(self.model_)} if hasattr(self, "model_") else state

    def _set_state(self, state: Mapping[str, Any]) -> None:
        super()._set_state(state)
        if "model" in state:
            self.model_ = component_from_dict(state["model"], len(self.classes_))


class RelearntAnswers(InnerAnswers):
    """What the one model says; it knows class codes, not all of which need be left."""

    @lazy
    def labels(self) -> NDArray[Any]:
        """Class that the one model predicts."""
        return self.model.classes_[np.asarray(self.inner.labels, dtype=np.intp)]

    @lazy
    def probabilities(self) -> Floats:
        """Class shares of the one model."""
        return class_shares(self.inner, len(self.model.classes_))

    decision_proba = Answers.decision_proba
