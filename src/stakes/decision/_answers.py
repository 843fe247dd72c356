"""What one routing of rows through a model gives, and the mixins that answer by it."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from stakes.decision._choose import Decision, cheapest, expected_costs
from stakes.decision._explain import ExplainMixin
from stakes.decision._importances import ImportancesMixin

T = TypeVar("T")


class lazy(cached_property[T]):
    """A part of the answers, worked out when it is first asked for.

    `functools.cached_property` holds a lock in Python 3.11, which threads that predict would wait for.
    """

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Work out the part; from then on it is found without coming here."""
        if instance is None:
            return self
        value = instance.__dict__[self.attrname] = self.func(instance)
        return value


class Answers:
    """What one routing of rows gives; each part is worked out when it is first asked for, and kept.

    Parameters
    ----------
    model : fitted classifier
        Whose ``cost_matrix_`` costs and decisions are made with.
    """

    #: What an undecided row costs where :meth:`decide` is not told.
    abstain_cost: float | None = None
    #: Whether :meth:`decide` leaves rows undecided by itself, whatever that costs.
    abstains: bool = False

    def __init__(self, model: Any) -> None:
        self.model = model

    @lazy
    def labels(self) -> NDArray[Any]:
        """Class that ``predict`` gives each row."""
        raise NotImplementedError

    @lazy
    def probabilities(self) -> NDArray[np.float64]:
        """Class probabilities of each row, as ``predict_proba`` gives them."""
        raise NotImplementedError

    @lazy
    def decision_proba(self) -> NDArray[np.float64]:
        """Class probabilities that costs are multiplied with."""
        return self.probabilities

    @lazy
    def expected_cost(self) -> NDArray[np.float64]:
        """Expected cost of predicting each class, shape (n_samples, n_classes)."""
        return expected_costs(self.decision_proba, self.model.cost_matrix_.values)

    @property
    def routing(self) -> Any:
        """Answers of the tree or of the rules inside, which know where each row came to; None without."""
        return None

    def decide(self, abstain_cost: float | ArrayLike | None = None) -> Decision:
        """Cheapest class of each row, or none where abstaining should cost less; see :func:`decide`."""
        price = self.abstain_cost if abstain_cost is None else abstain_cost
        return cheapest(self.expected_cost, self.model.cost_matrix_, price)


class InnerAnswers(Answers):
    """Answers of the model inside, under the wrapper's own costs."""

    def __init__(self, model: Any, inner: Answers) -> None:
        super().__init__(model)
        self.inner = inner

    @lazy
    def labels(self) -> NDArray[Any]:
        """Class that the inner model predicts."""
        return self.inner.labels

    @lazy
    def probabilities(self) -> NDArray[np.float64]:
        """Class probabilities of the inner model."""
        return self.inner.probabilities

    @lazy
    def decision_proba(self) -> NDArray[np.float64]:
        """Class probabilities that the inner model decides by."""
        return self.inner.decision_proba

    @property
    def routing(self) -> Any:
        """Where the rows came to in the inner model."""
        return self.inner.routing


class AskedAnswers(Answers):
    """Answers of a classifier that knows no routing: each of its methods is called once, when needed."""

    def __init__(self, model: Any, X: Any) -> None:
        super().__init__(model)
        self.X = X

    @lazy
    def labels(self) -> NDArray[Any]:
        """What the classifier predicts."""
        return np.asarray(self.model.predict(self.X))

    @lazy
    def probabilities(self) -> NDArray[np.float64]:
        """Class probabilities of the classifier."""
        return np.asarray(self.model.predict_proba(self.X))

    @lazy
    def decision_proba(self) -> NDArray[np.float64]:
        """Class probabilities that costs are multiplied with, where the classifier has such."""
        if hasattr(self.model, "decision_proba"):
            return np.asarray(self.model.decision_proba(self.X))
        return self.probabilities

    def decide(self, abstain_cost: float | ArrayLike | None = None) -> Decision:
        """Decide as the classifier does, where it is not of stakes."""
        if hasattr(self.model, "answers"):
            return super().decide(abstain_cost)
        return self.model.decide(self.X, *(() if abstain_cost is None else (abstain_cost,)))


def answers_of(model: Any, X: Any) -> Answers:
    """Answers of any fitted classifier: by one routing where it is of stakes.

    Examples
    --------
    >>> from stakes import C45Classifier
    >>> tree = C45Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    >>> answers_of(tree, [[1.5], [9.5]]).labels.tolist()
    ['low', 'high']
    """
    return model.answers(X) if hasattr(model, "answers") else AskedAnswers(model, X)


class CostDecisionMixin:
    """Decisions for any classifier with ``predict_proba``, ``classes_`` and ``cost_matrix_``."""

    def answers(self, X: Any) -> Answers:
        """Labels, probabilities and expected costs of the rows, and decisions about them, by one routing."""
        check_is_fitted(self)
        return AskedAnswers(self, X)

    def decision_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities that costs are multiplied with."""
        return self.predict_proba(X)  # type: ignore[attr-defined]

    def expected_cost(self, X: Any) -> NDArray[np.float64]:
        """Expected cost of predicting each class, array of shape (n_samples, n_classes)."""
        return self.answers(X).expected_cost

    def decide(self, X: Any, abstain_cost: float | ArrayLike | None = None) -> Decision:
        """Cheapest class of each row, or none where abstaining should cost less; see :func:`decide`."""
        return self.answers(X).decide(abstain_cost)


class AnswersMixin(ExplainMixin, ImportancesMixin, CostDecisionMixin):
    """All that a classifier says about rows comes from ``answers``: override that one to answer otherwise."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, as scikit-learn's classifiers do: it knows no costs.

        Where a search or a cross-validation chooses by it, it chooses by the number of mistakes. Give those
        ``scoring=stakes.metrics.cost_scorer(cost_matrix)`` to choose by what mistakes cost.

        Parameters
        ----------
        X : rows
        y : array-like of shape (n_samples,)
            The true labels.
        sample_weight : array-like of shape (n_samples,), optional
        """
        return super().score(X, y, sample_weight)  # type: ignore[misc]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return a class for each row, never none."""
        return self.answers(X).labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities, or class shares, of each row, shape (n_samples, n_classes)."""
        return self.answers(X).probabilities

    def decision_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities that costs are multiplied with."""
        return self.answers(X).decision_proba
