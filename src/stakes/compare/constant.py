"""The cheapest answer that looks at nothing, as a learner to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from stakes.costs import as_cost_matrix
from stakes.decision import min_cost_class


@dataclass(eq=False, repr=False)
class ConstantClassifier(ClassifierMixin, BaseEstimator):
    """Always predicts the class that is cheapest to predict for every training row."""

    asks_nothing = True

    cost_matrix: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the class."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.cost_matrix_ = as_cost_matrix(self.cost_matrix, self.classes_)
        share = np.bincount(codes, weights=sample_weight, minlength=len(self.classes_))
        self.prior_ = share / share.sum()
        self.constant_ = self.classes_[
            int(min_cost_class(self.prior_[None, :] @ self.cost_matrix_.values)[0])
        ]
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class for each row."""
        return np.full(X.shape[0], self.constant_, dtype=self.classes_.dtype)

    def get_n_leaves(self) -> int:
        """Return 1: a constant is a tree without tests."""
        return 1
