"""Never worse than the best constant."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from stakes._base.features import reject_weight, take_rows, takes
from stakes._base.folds import check_folds, stratified_folds
from stakes._base.saving import saveable
from stakes._base.training import Targets, target_for
from stakes.costs import CostMatrix
from stakes.decision._answers import Answers, InnerAnswers, answers_of, lazy
from stakes.decision._constant import best_constant, loses_to_constant
from stakes.decision._wrapper import CostWrapper

log = logging.getLogger("stakes.decision")


@saveable
@dataclass(eq=False, repr=False)
class Guard(CostWrapper):
    """Never worse than doing nothing: the estimator, or the best constant where that costs no more.

    ``fit`` cross-validates the estimator's cost on the training data. Where that does not beat always
    predicting one and the same class it gives a :class:`GuardWarning` and ``predict`` returns that class.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba`` the wrapper has ``predict_proba``, ``expected_cost`` and ``decide`` too. Costs
        per sample reach it where its ``fit`` has a parameter ``costs``. It keeps its own ``cost_matrix``.
    cost_matrix : CostMatrix, array, dict, data frame or path, optional
        The costs to judge by, ``[actual, predicted]``; None takes ``estimator.cost_matrix`` if there is one,
        else the mean of the costs per sample given to ``fit``, else 1 for every mistake.
    cv : int, splitter or iterable of (train, test)
        Number of stratified folds, or how to split. Classes may have fewer rows than folds. Ten by default:
        with fewer the estimator is judged on much less data than it gets, to the constant's advantage.
    random_state : int, RandomState or None
        Shuffles the rows into folds.

    Attributes
    ----------
    estimator_ : the estimator fitted on all rows, also where it is not used
    guarded_ : True where the constant is predicted
    constant_ : label of the best constant
    constant_cost_, cv_cost_ : mean cost per row of the constant and of the estimator, on the training data
    prior_ : class shares of the training data, which ``predict_proba`` gives where guarded
    classes_, cost_matrix_ : class labels, costs in their order

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> tree = Guard(DecisionTreeClassifier(random_state=0)).fit(X, X.ravel() > 20)
    >>> tree.guarded_, tree.constant_cost_
    (False, 0.475)
    """

    estimator: Any
    _: KW_ONLY
    cost_matrix: Any = None
    cv: Any = 10
    random_state: Any = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, costs: Any = None) -> Self:
        """Fit the estimator and find out whether it beats the best constant.

        Parameters
        ----------
        X : whatever the estimator takes
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            For the cost, and for the estimator, which must take it.
        costs : array-like of shape (n_samples, n_classes), optional
            What predicting each class would cost for each row. They count, whatever ``cost_matrix``
            says.
        """
        X, targets = self._read(X, y, costs, sample_weight)
        reject_weight(self.estimator, targets.weight)
        weight = targets.weight_or_ones
        self.prior_ = np.bincount(targets.codes, weights=weight, minlength=len(self.classes_)) / weight.sum()
        best, self.constant_cost_ = best_constant(targets.sample_costs, weight)
        self.constant_ = self.classes_[best]
        self.estimator_ = self._fit_inner(X, targets)
        # with one class there is no mistake to make and nothing to compare
        self.guarded_, self.cv_cost_ = False, self.constant_cost_
        if len(self.classes_) > 1:
            self.cv_cost_ = self._cross_validated_cost(X, targets)
            name = type(self.estimator).__name__
            self.guarded_ = loses_to_constant(name, self.cv_cost_, self.constant_, self.constant_cost_)
        return self

    @property
    def asks_nothing(self) -> bool:
        """Whether the constant answers, which reads no column."""
        return self.guarded_

    def effective_tree(self, *, unguarded: bool = False) -> Any:
        """Return the tree of the estimator, or a single leaf where the constant answers."""
        inner = super().effective_tree(unguarded=unguarded)
        if not self.guarded_ or unguarded:
            return inner
        return inner.constant(self.classes_, self.constant_, self.prior_, self.cost_matrix_.values)

    def _fit_inner(self, X: Any, targets: Targets) -> Any:
        extra = {} if targets.weight is None else {"sample_weight": targets.weight}
        if targets.costs is not None and takes(self.estimator, "costs"):
            # a training fold may lack a class, and with it goes its column
            extra["costs"] = targets.costs[:, np.unique(targets.codes)]
        return clone(self.estimator).fit(X, target_for(self.estimator, targets), **extra)

    def _cross_validated_cost(self, X: Any, targets: Targets) -> float:
        """Mean cost per (weighted) row of the rows' out-of-fold predictions."""
        index_of = CostMatrix.uniform(self.classes_)
        total, tested = 0.0, 0.0
        for number, (train, test) in enumerate(self._splits(X, targets.codes), 1):
            part, judged = targets.take(train), targets.take(test)
            if len(np.unique(part.codes)) == 1:
                predicted = np.full(len(judged), part.codes[0])
            else:
                model = self._fit_inner(take_rows(X, train), part)
                predicted = index_of.codes(model.predict(take_rows(X, test)), "predictions of the estimator")
            weight = judged.weight_or_ones
            total += float(weight @ judged.sample_costs[np.arange(len(judged)), predicted])
            tested += float(weight.sum())
            log.info("Guard: fold %d tested, cost per row so far %g", number, total / tested if tested else 0)
        return total / tested if tested > 0 else self.constant_cost_

    def _splits(
        self, X: Any, codes: NDArray[np.int32]
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        folds = check_folds(self.cv)
        if hasattr(folds, "split"):
            yield from folds.split(X, self.classes_[codes])
        elif isinstance(folds, int):
            fold = stratified_folds(codes.astype(np.intp), min(folds, len(codes)), self.random_state)
            for number in range(fold.max() + 1):
                yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        else:
            yield from ((np.asarray(train), np.asarray(test)) for train, test in folds)

    def answers(self, X: Any) -> Answers:
        """Answers of the estimator; where guarded the constant, and the class shares of the training data."""
        check_is_fitted(self)
        inner = answers_of(self.estimator_, X)
        return ConstantAnswers(self, inner) if self.guarded_ else InnerAnswers(self, inner)

    def _fitted_to_dict(self) -> dict[str, Any]:
        return {
            "guarded": self.guarded_,
            "constant": int(np.flatnonzero(self.classes_ == self.constant_)[0]),
            "constant_cost": self.constant_cost_,
            "cv_cost": self.cv_cost_,
            "prior": self.prior_.tolist(),
        }

    def _fitted_from_dict(self, fitted: Mapping[str, Any]) -> None:
        try:
            self.guarded_, constant = fitted["guarded"], fitted["constant"]
            self.constant_cost_, self.cv_cost_ = float(fitted["constant_cost"]), float(fitted["cv_cost"])
            self.prior_ = np.asarray(fitted["prior"], dtype=float)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"fitted must be what Guard.to_dict() gave: {error!r}") from None
        if type(self.guarded_) is not bool or type(constant) is not int:
            raise ValueError("fitted must have true or false as 'guarded' and a number as 'constant'")
        if not 0 <= constant < len(self.classes_) or self.prior_.shape != self.classes_.shape:
            raise ValueError(f"fitted must fit the {len(self.classes_)} classes of the estimator")
        if not (self.prior_ >= 0).all() or abs(self.prior_.sum() - 1) > 1e-6:
            raise ValueError("fitted must have class shares as 'prior', which add up to 1")
        self.constant_ = self.classes_[constant]


class ConstantAnswers(InnerAnswers):
    """One answer for all rows; the model inside is asked all the same, so that it refuses bad input."""

    @lazy
    def labels(self) -> NDArray[Any]:
        """The constant."""
        return np.full(len(self.inner.labels), self.model.constant_, dtype=self.model.classes_.dtype)

    @lazy
    def probabilities(self) -> NDArray[np.float64]:
        """Class shares of the training data."""
        return np.tile(self.model.prior_, (len(self.inner.probabilities), 1))

    decision_proba = Answers.decision_proba
