"""``feature_importances_`` for every classifier: the share of each column in the cost that columns save."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from stakes._base.answering import Answering, asks_nothing, effective_tree

Floats = NDArray[np.float64]


class ImportancesMixin:
    """Importances of the columns of any fitted classifier."""

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the cost that the columns save on the training data.

        An array of shape ``(n_features_in_,)``, of numbers from 0 that add up to 1; all are 0 where nothing
        is saved, as where a constant answers, and a column that is not read has 0.

        A test of a tree saves what the training rows there cost by their cheapest single answer, less what
        they cost where each branch has its own cheapest answer. A rule saves what its rows would cost by the
        answer given where no rule applies, less what they cost by its own, in equal parts for its columns.
        `BoostedStakes` measures what up to 500 training rows cost more when the values of a column are
        exchanged between rows. An ensemble has the mean of its components, weighted as they are in the
        mixture, and a wrapper what the model inside has, by the wrapper's costs where that is a tree.

        A classifier of another library knows no costs: its ``feature_importances_`` are taken, or the sizes
        of its ``coef_``. Where it has neither, there is an AttributeError.
        """
        check_is_fitted(self)
        return as_shares(self._column_savings())

    def _column_savings(self) -> Floats:
        """What each column saves, in any unit."""
        tree = one_tree(self)
        if tree is not None:
            return tree.column_savings()
        n_columns: int = self.n_features_in_  # type: ignore[attr-defined]
        inner = self.answering_model() if isinstance(self, Answering) else None
        if asks_nothing(self) or inner is None:
            return np.zeros(n_columns)
        return importances_of(inner, n_columns)


def importances_of(model: Any, n_columns: int) -> Floats:
    """Return the importances of a fitted classifier of any library, an AttributeError where it has none."""
    parts = getattr(model, "calibrated_classifiers_", None)
    if parts is not None:  # scikit-learn's calibration fits one for each fold
        return np.mean([importances_of(part.estimator, n_columns) for part in parts], axis=0)
    own = getattr(model, "feature_importances_", None)
    if own is None and (coefficients := getattr(model, "coef_", None)) is not None:
        own = np.abs(np.atleast_2d(coefficients)).sum(axis=0)
    if own is None or len(own) != n_columns:
        raise AttributeError(
            f"feature_importances_ is not available: the {type(model).__name__} inside has no "
            "feature_importances_ and no coef_ for its columns; sklearn.inspection.permutation_importance "
            "with scoring=stakes.metrics.cost_scorer(...) measures them for any model"
        )
    return as_shares(np.asarray(own, dtype=np.float64))


def as_shares(savings: Floats) -> Floats:
    """Divide by the sum, where that is not 0."""
    total = savings.sum()
    return savings / total if total > 0 else savings


def one_tree(model: Any) -> Any:
    """Tree that a model answers by, None where it is none."""
    try:
        return effective_tree(model)
    except ValueError:
        return None
