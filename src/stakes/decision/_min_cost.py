"""Minimum expected cost over any classifier."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from stakes._base.features import reject_weight
from stakes._base.folds import check_folds
from stakes._base.interrupts import early_end, may_end_early
from stakes._base.saving import saveable
from stakes._base.training import target_for
from stakes.decision._answers import Answers, InnerAnswers, answers_of, lazy
from stakes.decision._choose import min_cost_class
from stakes.decision._wrapper import CostWrapper


@saveable
@dataclass(eq=False, repr=False)
class MinExpectedCost(CostWrapper):
    """Predict the class of least expected cost by the probabilities of any classifier.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        It learns without costs: weights that follow from costs would bend its probabilities, and costs would
        count twice. If it has a parameter ``cost_matrix`` and this one has none, that one is used.
    cost_matrix : CostMatrix, array, dict, data frame or path, optional
        What mistakes cost, ``[actual, predicted]``. None is the mean of the costs per sample given to
        ``fit``, or 1 for every mistake.
    calibration : {None, "isotonic", "sigmoid"}
        Calibrate the probabilities by cross-validation first; costs need probabilities, not just a ranking.
    cv : int or splitter
        Folds of the calibration; an int is lowered to the size of the smallest class.

    Attributes
    ----------
    estimator_ : the fitted estimator, calibrated if so asked
    classes_ : class labels
    cost_matrix_ : CostMatrix in the order of ``classes_``

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> from stakes.costs import CostMatrix
    >>> costs = CostMatrix.from_pairs({(0, 1): 20, (1, 0): 1})
    >>> model = MinExpectedCost(GaussianNB(), cost_matrix=costs).fit(X, y)
    >>> int((model.predict(X) == 0).sum() - (GaussianNB().fit(X, y).predict(X) == 0).sum())
    10
    """

    estimator: Any
    _: KW_ONLY
    cost_matrix: Any = None
    calibration: str | None = None
    cv: Any = 5

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, costs: Any = None) -> Self:
        """Fit the estimator.

        Parameters
        ----------
        X : whatever the estimator takes
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            For the estimator, which must take it.
        costs : array-like of shape (n_samples, n_classes), optional
            What predicting each class would cost for each row; without ``cost_matrix`` the mean row of each
            actual class decides.
        """
        X, targets = self._read(X, y, costs, sample_weight)
        if not hasattr(self.estimator, "predict_proba"):
            raise TypeError(
                f"estimator must have predict_proba, {type(self.estimator).__name__} has not; "
                "calibrate it first with sklearn.calibration.CalibratedClassifierCV"
            )
        reject_weight(self.estimator, targets.weight)
        model = clone(self.estimator)
        known = isinstance(self.calibration, str) and self.calibration in ("isotonic", "sigmoid")
        if self.calibration is not None and not known:
            raise ValueError(f"calibration must be None, 'isotonic' or 'sigmoid', got {self.calibration!r}")
        if self.calibration is not None and len(targets.classes) > 1:  # one class is certain as it is
            if targets.weight is not None and get_config()["enable_metadata_routing"]:
                model.set_fit_request(sample_weight=True)
            from sklearn.calibration import (
                CalibratedClassifierCV,
            )  # 0.1 s, half of what importing a tree adds

            model = CalibratedClassifierCV(
                model, method=self.calibration, cv=self._calibration_folds(targets.codes)
            )
        extra = {} if targets.weight is None else {"sample_weight": targets.weight}
        with early_end(may_end_early() and self.calibration is None):  # calibrating takes a fit per fold
            self.estimator_ = model.fit(X, target_for(model, targets), **extra)
        return self

    def effective_tree(self, *, unguarded: bool = False) -> Any:
        """Return the tree of the estimator, deciding by the costs."""
        return super().effective_tree(unguarded=unguarded).decided_by(self.cost_matrix_.values)

    def _calibration_folds(self, codes: NDArray[np.int32]) -> Any:
        folds = check_folds(self.cv)
        if not isinstance(folds, int):
            return folds
        smallest = int(np.bincount(codes).min())
        if smallest < 2:
            raise ValueError("calibration needs more than 1 sample of each class; use calibration=None")
        return min(folds, smallest)

    def answers(self, X: Any) -> Answers:
        """Answers of the (calibrated) estimator, with the class of least expected cost as the label."""
        check_is_fitted(self)
        return CheapestAnswers(self, answers_of(self.estimator_, X))


class CheapestAnswers(InnerAnswers):
    """The cheapest class by the probabilities of the model inside, whatever that predicts."""

    @lazy
    def labels(self) -> NDArray[Any]:
        """Class of least expected cost."""
        return self.model.classes_[min_cost_class(self.expected_cost)]

    #: Those of the model inside, weighted by its costs or not.
    decision_proba = Answers.decision_proba
