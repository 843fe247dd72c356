"""Answers drawn from a mixture, which is what the theory of some ensembles speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state


@dataclass(eq=False, repr=False)
class StochasticClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier whose answers are drawn with its probabilities, anew for every row.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
    random_state : int, optional
        Seed of the draws, which are the same for the same rows.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> model = StochasticClassifier(DummyClassifier(), random_state=0).fit(np.zeros((4, 1)), [0, 1, 1, 1])
    >>> bool(0.7 < model.predict(np.zeros((1000, 1))).mean() < 0.8)
    True
    """

    estimator: Any
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier."""
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Draw a class for each row."""
        upto = np.cumsum(self.estimator_.predict_proba(X), axis=1)
        uniform = check_random_state(self.random_state).random_sample(len(upto))
        # Sums of shares may end a little below 1.
        return self.classes_[np.minimum((upto < uniform[:, None]).sum(axis=1), len(self.classes_) - 1)]
