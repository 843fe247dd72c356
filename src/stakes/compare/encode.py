"""Columns and classes as numbers, for learners that take nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, TransformerMixin, clone

from stakes._base.features import one_hot
from stakes.table import Schema, Table


class OneHotTable(TransformerMixin, BaseEstimator):
    """A table as numbers: nominal columns one-hot, missing categories as zeros, missing numbers as NaN."""

    schema_: Schema

    def fit(self, X: Any, y: Any = None) -> Self:
        """Remember the columns."""
        self.schema_ = Table.from_data(X).schema
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the numbers."""
        return one_hot(self.schema_.encode(X))


@dataclass(eq=False, repr=False)
class CodedLabels(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier that wants its classes numbered 0, 1, 2, such as XGBoost's, for labels of any kind."""

    estimator: Any

    def fit(self, X: Any, y: Any) -> Self:
        """Number the classes and fit."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, codes)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of the classes."""
        return self.estimator_.predict_proba(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        return self.classes_[np.asarray(self.estimator_.predict(X), dtype=np.intp)]
