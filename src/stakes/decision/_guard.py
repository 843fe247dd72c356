"""Never worse than the best constant."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping, Sized
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from stakes._base.answering import first_param, first_with, own_prices
from stakes._base.features import reject_weight, take_rows, takes
from stakes._base.folds import check_folds, stratified_folds
from stakes._base.interrupts import early_end
from stakes._base.intervals import interval_from_dict, interval_to_dict, mean_interval
from stakes._base.progress import part_of
from stakes._base.saving import saveable
from stakes._base.training import Targets, target_for
from stakes.costs import CostMatrix, FeatureCosts, as_feature_costs
from stakes.decision._answers import Answers, InnerAnswers, answers_of, lazy
from stakes.decision._choose import Decision
from stakes.decision._constant import best_constant, loses_to_constant
from stakes.decision._whole import whole_cost
from stakes.decision._wrapper import CostWrapper
from stakes.table import Table

log = logging.getLogger("stakes.decision")


@saveable
@dataclass(eq=False, repr=False)
class Guard(CostWrapper):
    """Never worse than doing nothing: the estimator, or the best constant where that costs no more.

    ``fit`` cross-validates the estimator's whole cost on the training data: of mistakes, of the columns that
    it reads where these have prices, and of the rows that it leaves undecided where it has an
    ``abstain_cost``. Where that does not beat always predicting one and the same class, which reads nothing,
    it gives a :class:`GuardWarning` and ``predict`` returns that class.

    An estimator with an ``abstain_cost`` is judged by what ``decide`` does. Where it beats the constant only
    because it leaves rows undecided, a :class:`GuardWarning` says what ``predict`` costs. Any other estimator
    is judged by ``predict``, which answers every row: so are rules, whose ``decide`` may abstain, as long as
    nobody says what that costs.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba`` the wrapper has ``predict_proba``, ``expected_cost`` and ``decide`` too. Costs
        per sample reach it where its ``fit`` has a parameter ``costs``. It keeps its own ``cost_matrix``.
    cost_matrix : CostMatrix, array, dict, data frame or path, optional
        The costs to judge by, ``[actual, predicted]``; None takes ``estimator.cost_matrix`` if there is one,
        else the mean of the costs per sample given to ``fit``, else 1 for every mistake.
    feature_costs : FeatureCosts, dict, vector, path or None
        What it costs to read the columns; None takes ``estimator.feature_costs`` if there is one. Trees and
        rules pay for what they read, by their parameter ``pay`` if they have one, other estimators for every
        column.
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
    interrupted_ : True where Ctrl-C ended the fit before the estimator was judged. It is then what it was,
        nothing guards it, and ``cv_cost_`` is NaN
    cv_forced_cost_ : the same as ``cv_cost_`` where every row is answered, as by ``predict``
    cv_interval_ : ends of the 95% interval of ``cv_cost_``, each held-out row one draw; None where nothing
        was cross-validated, or by a version that kept none
    feature_costs_ : FeatureCosts that were counted, or None
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
    feature_costs: Any = None
    cv: Any = 10
    random_state: Any = 0

    interrupted_ = False
    cv_interval_ = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, costs: Any = None) -> Self:
        """Fit the estimator and find out whether it beats the best constant.

        Ctrl-C during the cross-validation is raised as ever; the estimator is fitted by then.

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
        self.feature_costs_ = self._prices(X)
        with part_of(0, self._n_folds(X, targets.codes) + 1, "learning"):
            self.estimator_, self.cv_interval_ = self._fit_inner(X, targets), None
        self.guarded_, self.cv_cost_, self.cv_forced_cost_, self.interrupted_ = False, np.nan, np.nan, True
        if getattr(first_with(self.estimator_, "interrupted_"), "interrupted_", False):
            warnings.warn("interrupted before the cross-validation; the model is not guarded", stacklevel=2)
            return self
        # with one class there is no mistake to make and nothing to compare
        judged = len(self.classes_) > 1
        with early_end(False):  # an interrupt is one of all folds, and what is there by now may be used
            costs = self._cross_validated_costs(X, targets) if judged else (self.constant_cost_,) * 2
        self.cv_cost_, self.cv_forced_cost_ = costs
        self.interrupted_ = False
        if judged:
            self._judge()
        return self

    def _prices(self, X: Any) -> FeatureCosts | None:
        given = self.feature_costs
        if given is None:
            given = first_param(self.estimator, "feature_costs")
        return None if given is None else as_feature_costs(given, Table.from_data(X).schema.names)

    def _judge(self) -> None:
        """Decide by the costs of the held-out rows whether the constant answers, and warn where it does."""
        name, constant = type(self.estimator).__name__, (self.constant_, self.constant_cost_)
        tests = "" if self.feature_costs_ is None else ", tests included"
        self.guarded_ = loses_to_constant(name, self.cv_cost_, *constant, where=tests, stacklevel=3)
        if not self.guarded_ and self.cv_forced_cost_ != self.cv_cost_:
            where = f"{tests} where every row is answered"
            so = "use decide(), which may leave rows undecided, not predict()"
            loses_to_constant(name, self.cv_forced_cost_, *constant, where=where, so=so, stacklevel=3)

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

    def _cross_validated_costs(self, X: Any, targets: Targets) -> tuple[float, float]:
        """Mean cost per (weighted) row of what was decided out of fold, and of answers to every row."""
        totals, tested, n_folds = np.zeros(2), 0.0, self._n_folds(X, targets.codes)
        paid = []
        for number, (train, test) in enumerate(self._splits(X, targets.codes), 1):
            part, judged = targets.take(train), targets.take(test)
            if len(np.unique(part.codes)) == 1:
                decided = forced = judged.sample_costs[:, part.codes[0]]
            else:
                with part_of(number, n_folds + 1, f"guard, fold {number} of {n_folds}"):
                    model = self._fit_inner(take_rows(X, train), part)
                    decided, forced = self._paid(model, take_rows(X, test), judged)
            weight = judged.weight_or_ones
            totals += float(weight @ decided), float(weight @ forced)
            tested += float(weight.sum())
            paid.append((decided, weight))
            log.info(
                "Guard: fold %d tested, cost per row so far %g", number, totals[0] / tested if tested else 0
            )
        if tested > 0:
            by_row, weights = (np.concatenate(parts) for parts in zip(*paid, strict=True))
            held_out = mean_interval(by_row, weights)
            self.cv_interval_ = (held_out.low, held_out.high)
        cost, forced_cost = (totals / tested if tested > 0 else np.full(2, self.constant_cost_)).tolist()
        return cost, forced_cost

    def _paid(self, model: Any, X: Any, judged: Targets) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Whole cost of each row by what the model decides, and by its answers to every row."""
        answers, classes = answers_of(model, X), CostMatrix.uniform(self.classes_)
        rows = (model, X, answers, classes, judged.sample_costs, self.feature_costs_)
        forced = whole_cost(*rows).by_row
        decided = forced if answers.abstain_cost is None else whole_cost(*rows, answers.decide()).by_row
        return decided, forced

    def _n_folds(self, X: Any, codes: NDArray[np.int32]) -> int:
        folds = check_folds(self.cv)
        if isinstance(folds, int):
            return min(folds, len(codes))
        if hasattr(folds, "get_n_splits"):
            return int(folds.get_n_splits(X, self.classes_[codes]))
        return len(self.cv) if isinstance(self.cv, Sized) else 1

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
        return ConstantAnswers(self, inner) if self.guarded_ else GuardedAnswers(self, inner)

    def _plain_params(self) -> dict[str, Any]:
        own = None if self.feature_costs is None else self.feature_costs_
        return super()._plain_params() | ({} if own is None else {"feature_costs": own.to_dict()})

    def _fitted_to_dict(self) -> dict[str, Any]:
        return {
            "guarded": self.guarded_,
            "constant": int(np.flatnonzero(self.classes_ == self.constant_)[0]),
            "constant_cost": self.constant_cost_,
            "cv_cost": None if self.interrupted_ else self.cv_cost_,
            "prior": self.prior_.tolist(),
            **interval_to_dict(self.cv_interval_),
        } | self._seldom_saved()

    def _seldom_saved(self) -> dict[str, Any]:
        if self.interrupted_:
            return {"interrupted": True}
        return {} if self.cv_forced_cost_ == self.cv_cost_ else {"cv_forced_cost": self.cv_forced_cost_}

    def _fitted_from_dict(self, fitted: Mapping[str, Any]) -> None:
        try:
            self.guarded_, constant = fitted["guarded"], fitted["constant"]
            self.interrupted_ = fitted.get("interrupted") is True and fitted["cv_cost"] is None
            self.constant_cost_ = float(fitted["constant_cost"])
            self.cv_cost_ = np.nan if self.interrupted_ else float(fitted["cv_cost"])
            self.cv_forced_cost_ = float(fitted.get("cv_forced_cost", self.cv_cost_))
            self.prior_ = np.asarray(fitted["prior"], dtype=float)
            self.cv_interval_ = interval_from_dict(fitted)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"fitted must be what Guard.to_dict() gave: {error!r}") from None
        if type(self.guarded_) is not bool or type(constant) is not int:
            raise ValueError("fitted must have true or false as 'guarded' and a number as 'constant'")
        if not 0 <= constant < len(self.classes_) or self.prior_.shape != self.classes_.shape:
            raise ValueError(f"fitted must fit the {len(self.classes_)} classes of the estimator")
        if not (self.prior_ >= 0).all() or abs(self.prior_.sum() - 1) > 1e-6:
            raise ValueError("fitted must have class shares as 'prior', which add up to 1")
        self.constant_ = self.classes_[constant]
        self.feature_costs_ = (
            own_prices(self.estimator_) if self.feature_costs is None else self.feature_costs
        )


class GuardedAnswers(InnerAnswers):
    """Answers of the estimator, which leaves rows undecided where it would without the guard."""

    def __init__(self, model: Guard, inner: Answers) -> None:
        super().__init__(model, inner)
        self.abstain_cost, self.abstains = inner.abstain_cost, inner.abstains

    def decide(self, abstain_cost: float | ArrayLike | None = None) -> Decision:
        """Decide by the guard's costs, or as rules do, which abstain by themselves."""
        return self.inner.decide(abstain_cost) if self.abstains else super().decide(abstain_cost)


class ConstantAnswers(InnerAnswers):
    """One answer for all rows; the model inside is asked all the same, so that it refuses bad input."""

    def __init__(self, model: Guard, inner: Answers) -> None:
        super().__init__(model, inner)
        self.abstain_cost = inner.abstain_cost

    @lazy
    def labels(self) -> NDArray[Any]:
        """The constant."""
        return np.full(len(self.inner.labels), self.model.constant_, dtype=self.model.classes_.dtype)

    @lazy
    def probabilities(self) -> NDArray[np.float64]:
        """Class shares of the training data."""
        return np.tile(self.model.prior_, (len(self.inner.probabilities), 1))

    decision_proba = Answers.decision_proba
