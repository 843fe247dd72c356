"""What all reductions share: rounds of sampling and fitting, the mixture of their answers, saving."""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from stakes._base.features import encode_rows, reject_weight
from stakes._base.parameters import N_JOBS
from stakes._base.private_sklearn import Interval, StrOptions
from stakes._base.reporting import ReportMixin
from stakes._base.saving import SavedModel
from stakes.decision import (
    Answers,
    AnswersMixin,
    expected_costs,
    lazy,
    min_cost_class,
    most_probable_class,
)
from stakes.reductions import _saving
from stakes.reductions._components import Layout, fit_component, votes
from stakes.reductions._rows import Rows, open_rows, slices
from stakes.reductions._sampling import Sample, Sampler
from stakes.reductions._training import Part, Training
from stakes.table import Table
from stakes.tree import C45Classifier

log = logging.getLogger("stakes.reductions")

Floats = NDArray[np.float64]
#: Components of a round, and how many rows of each class they learnt from; the samples themselves are let go.
Round = tuple[list[Any], NDArray[np.intp]]


class SamplingWarning(UserWarning):
    """A class of the training data is in none of the samples that the components learnt from."""


@dataclass(eq=False, repr=False)
class Reduction(SavedModel, ReportMixin, AnswersMixin, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Base of the ensembles that reduce costs to plain classification, round by round.

    Each round weighs the training rows, or the pairs of a row and a class, draws a sample by the weights,
    fits a component on it and mixes its answer with that of the rounds before. Methods differ in weights,
    labels and answers, and say so in their own files.

    Parameters
    ----------
    estimator : classifier or None
        Component learner; None is :class:`~stakes.C45Classifier`. Classifiers of stakes read the table as it
        is, all others get numbers, with nominal columns one-hot.
    cost_matrix : CostMatrix, array, dict, data frame, path or None
        What mistakes cost, indexed ``[actual, predicted]``; None: every mistake costs 1.
    n_estimators : int
        Number of rounds.
    alpha : None, float or callable
        Weight of round ``t`` (from 1) in the mixture, ``H_t = (1 - alpha) H_{t-1} + alpha f_t``. None is
        ``1 / t``, the plain mean; a callable is given ``t``.
    sampling : {"rejection", "sample_weight"}
        "rejection": a row gets into the sample with a probability proportional to its weight, at most once.
        "sample_weight": the weights are handed to the component. Then rounds that do not depend on each other
        differ only by chance in the component itself, or by ``max_samples``.
    max_samples : float in (0, 1] or None
        Factor of the probability to get into a sample. None is 1, or 2/3 for bagging.
    decision : {"majority", "min_cost"} or None
        Predict the class with the largest share of the mixture, or the one of least expected cost when the
        shares are taken for probabilities. None is the method's own: "min_cost" where the shares estimate
        probabilities, "majority" where costs have shaped the samples already.
    n_iter_no_change : int or None
        Stop after this many rounds without a lower cost on held-out rows, and keep the best number of rounds.
    validation_fraction : float in (0, 1)
        Share of the rows that are held out for that.
    categorical_features : list of names or indices, mask or None
        Columns that are nominal although they hold numbers.
    warm_start : bool
        Whether ``fit`` goes on from the rounds it has, on the same rows; the result is that of one fit.
    n_jobs : int or None
        Threads, for rounds that do not depend on each other. The result does not depend on their number.
    random_state : int or None
        Seed of the draws. They belong to row numbers, so that blocks of any size give the same samples.

    Attributes
    ----------
    estimators_ : list
        Fitted components, in the order of the rounds.
    alphas_ : list of float
        Weight of each round in the mixture.
    sample_counts_ : list of int
        Rows, or pairs, that the components of each round learnt from.
    validation_costs_ : list of float
        With ``n_iter_no_change``: mean cost of the predictions for held-out rows after each round.
    classes_, cost_matrix_, schema_, n_features_in_, feature_names_in_
        Labels, costs in their order, and columns.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [None, object],
        "cost_matrix": "no_validation",  # as_cost_matrix says what is wrong in its own words
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "alpha": [None, callable, Interval(Real, 0, 1, closed="right")],
        "sampling": [StrOptions({"rejection", "sample_weight"})],
        "max_samples": [None, Interval(Real, 0, 1, closed="right")],
        "decision": [None, StrOptions({"majority", "min_cost"})],
        "n_iter_no_change": [None, Interval(Integral, 1, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "categorical_features": ["array-like", None],
        "warm_start": ["boolean"],
        "n_jobs": N_JOBS,
        "random_state": [None, Interval(Integral, 0, 2**63 - 1, closed="both")],
    }

    # What a method is, besides its formulas.
    _relational: ClassVar[bool] = False  # components accept or refuse pairs of a row and a class
    _in_order: ClassVar[bool] = False  # a round needs the answers of those before
    _at_once: ClassVar[bool] = False  # a round is absorbed before the next draws, not while it does
    _majority: ClassVar[bool] = True  # what decision=None means
    _share: ClassVar[float] = 1.0  # what max_samples=None means
    _draws_per_round = 1

    estimator: Any = None
    _: KW_ONLY
    cost_matrix: Any = None
    n_estimators: int = 30
    alpha: float | Callable[[int], float] | None = None
    sampling: str = "rejection"
    max_samples: float | None = None
    decision: str | None = None
    n_iter_no_change: int | None = None
    validation_fraction: float = 0.1
    categorical_features: Any = None
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: int | None = 0

    # ---- formulas of a method ------------------------------------------------------------------------------

    def _start(self, training: Training) -> None:
        """Set what the first round needs."""

    def _pairs(self, part: Part) -> tuple[Floats, NDArray[np.int32]]:
        """Weights and labels of a block's rows (one column) or pairs (a column per class)."""
        raise NotImplementedError

    def _answer(self, components: list[Any], table: Table, before: Floats) -> Floats:
        """What a round says, as shares of the classes; ``before`` is what the rounds before said."""
        return np.mean([votes(component, self._layout, table) for component in components], axis=0)

    def _absorb(self, part: Part, t: int) -> None:
        """Mix the answer of round ``t`` into what is known of a block's rows."""
        before = part.mixture
        answer = self._answer(self._round(t), part.table, before)
        before *= 1 - self.alphas_[t]
        before += self.alphas_[t] * answer

    def _mixture_weight(self, t: int) -> float:
        return self._alpha(t)

    # ---- fitting -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, costs: Any = None) -> Self:
        """Fit the components.

        Parameters
        ----------
        X : array-like, data frame, Table, path or callable
            A path is a Parquet file, and a callable returns an iterator of blocks ``(X, y)`` or
            ``(X, y, costs)``; both are read once per round, and of the features only the samples are kept.
        y : array-like of shape (n_samples,), or str
            Class labels; the name of their column where X is a file; None where blocks have them.
        sample_weight : array-like of shape (n_samples,), optional
            How many rows each row stands for.
        costs : array-like of shape (n_samples, n_classes), optional
            ``costs[i, k]`` is what predicting class ``k`` (in sorted order) for row ``i`` costs. Without a
            ``cost_matrix`` the mean row of each class takes its place in decisions.
        """
        self._validate_params()
        go_on = self.warm_start and hasattr(self, "estimators_")
        rows = open_rows(self, X, y, costs, sample_weight)
        if go_on:
            self._check_same(rows)
        self.schema_, self.classes_ = rows.schema, rows.classes
        self.cost_matrix_ = rows.effective_cost_matrix
        self._layout = Layout(self._component(), rows.schema, rows.classes.tolist(), self._relational)
        if not go_on:
            self._seed = int(np.random.default_rng(self.random_state).integers(2**63))
            self.estimators_: list[Any] = []
            self.alphas_: list[float] = []
            self.sample_counts_: list[int] = []
        if len(self.classes_) > 1:
            held_out = 0.0 if self.n_iter_no_change is None else self.validation_fraction
            self._learn(Training.of(rows, self._seed, held_out))
        return self

    def _learn(self, training: Training) -> None:
        self._seen = np.zeros(len(self.classes_), dtype=np.intp)
        goes_on = len(self.alphas_) > 0
        self._start(training)
        if self._in_order or training.held is not None:
            self._learn_in_order(training)
        else:
            self._learn_apart(training)
        lost = self.classes_[(training.class_weights > 0) & (self._seen == 0)]
        if len(lost) and not goes_on:
            warnings.warn(
                f"no row of class {', '.join(map(str, lost))} is in any sample: it weighs too little "
                "beside the costliest; take more rounds, or sampling='sample_weight'",
                SamplingWarning,
                stacklevel=3,
            )

    def _learn_apart(self, training: Training) -> None:
        def one_round(t: int) -> Round:
            return self._fit_logged(t, self._draw(training, t, absorb=False))

        rounds = range(len(self.alphas_), self.n_estimators)
        jobs = (delayed(one_round)(t) for t in rounds)
        for t, fitted in zip(rounds, Parallel(n_jobs=self.n_jobs, prefer="threads")(jobs), strict=True):
            self._keep(t, fitted)

    def _learn_in_order(self, training: Training) -> None:
        done = len(self.alphas_)
        for t in range(done if self._at_once else done - 1):
            self._absorb_all(training, t)
        self.validation_costs_: list[float] = []
        for t in range(done, self.n_estimators):
            samples = self._draw(training, t, absorb=t > 0 and not self._at_once)
            if t > 0 and self._is_enough(training):
                break
            self._keep(t, self._fit_logged(t, samples))
            if self._at_once:
                self._absorb_all(training, t)
        else:
            if training.held is not None:
                if not self._at_once:
                    self._absorb_all(training, len(self.alphas_) - 1)
                self._is_enough(training)
        if training.held is not None:
            self._cut(int(np.argmin(self.validation_costs_)) + 1)

    def _fit_logged(self, t: int, samples: list[Sample]) -> Round:
        fitted = self._fit_round(t, samples)
        log.info("%s: round %d of %d fitted", type(self).__name__, t + 1, self.n_estimators)
        return fitted

    def _absorb_all(self, training: Training, t: int) -> None:
        for part in training.parts():
            self._absorb(part, t)

    def _draw(self, training: Training, t: int, absorb: bool) -> list[Sample]:
        """Samples of round ``t``, in one pass over the rows; on the way the round before is absorbed."""
        first = t * self._draws_per_round
        share = self._share if self.max_samples is None else self.max_samples
        samplers = [
            Sampler(self.sampling, share, self._seed, first + draw) for draw in range(self._draws_per_round)
        ]
        for part in training.parts():
            if absorb:
                self._absorb(part, t - 1)
            weights, targets = self._pairs(part)
            for sampler in samplers:
                sampler.add(part.start, part.table, part.codes, part.usable(weights), targets, part.weight)
        return [sampler.sample() for sampler in samplers]

    def _fit_round(self, t: int, samples: list[Sample]) -> Round:
        first = t * self._draws_per_round
        components = [
            fit_component(self._component(), self._layout, sample, (self._seed + first + draw) % 2**31)
            for draw, sample in enumerate(samples)
        ]
        actual = np.concatenate([sample.actual for sample in samples])
        return components, np.bincount(actual, minlength=len(self.classes_))

    def _keep(self, t: int, fitted: Round) -> None:
        components, counts = fitted
        self.estimators_ += components
        self.alphas_.append(self._mixture_weight(t))
        self.sample_counts_.append(int(counts.sum()))
        self._seen += counts

    def _is_enough(self, training: Training) -> bool:
        """Note what predictions for held-out rows cost by now; whether it has not fallen for long enough."""
        if training.held is None:
            return False
        chosen = self._choose(training.mixture[training.held])
        self.validation_costs_.append(training.held_out_cost(chosen))
        best = int(np.argmin(self.validation_costs_))
        return len(self.validation_costs_) - 1 - best >= self.n_iter_no_change  # type: ignore[operator]

    def _cut(self, n_rounds: int) -> None:
        n_rounds += len(self.alphas_) - len(self.validation_costs_)
        del self.estimators_[n_rounds * self._draws_per_round :]
        del self.alphas_[n_rounds:], self.sample_counts_[n_rounds:]

    # ---- small parts ---------------------------------------------------------------------------------------

    def _component(self) -> Any:
        component = C45Classifier() if self.estimator is None else self.estimator
        if self.sampling == "sample_weight":
            reject_weight(component, True)
        return component

    def _round(self, t: int) -> list[Any]:
        return self.estimators_[t * self._draws_per_round : (t + 1) * self._draws_per_round]

    def _alpha(self, t: int) -> float:
        """Mixture weight of round ``t``, counted from 0 here and from 1 by the user."""
        if self.alpha is None:
            return 1 / (t + 1)
        try:
            weight = self.alpha(t + 1) if callable(self.alpha) else self.alpha
        except TypeError as error:
            raise ValueError(
                f"alpha must take the number of a round, got {self.alpha!r} ({error})"
            ) from error
        if not isinstance(weight, Real) or not 0 <= weight <= 1:
            raise ValueError(f"alpha must give numbers from 0 to 1, got {weight!r} for round {t + 1}")
        return float(weight)

    def _check_same(self, rows: Rows) -> None:
        if rows.schema != self.schema_ or not np.array_equal(rows.classes, self.classes_):
            raise ValueError(
                "warm_start needs the rows of the first fit: columns and classes must be the same"
            )
        if self.n_estimators < len(self.alphas_):
            raise ValueError(
                f"n_estimators must be at least {len(self.alphas_)}, the rounds that warm_start goes on "
                f"from, got {self.n_estimators}"
            )

    def _choose(self, shares: Floats) -> NDArray[np.intp]:
        majority = self._majority if self.decision is None else self.decision == "majority"
        if majority:
            return most_probable_class(shares)
        return min_cost_class(expected_costs(shares, self.cost_matrix_.values))

    # ---- prediction ----------------------------------------------------------------------------------------

    def answers(self, X: Any) -> Answers:
        """Answers of the mixture: the share of each class in the rounds' answers; see ``decision``."""
        return MixtureAnswers(self, self._encode(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the mixture after each round."""
        table = self._encode(X)
        shares = self._uniform(table)
        for t in range(len(self.alphas_)):
            shares = self._mixed(t, table, shares)
            yield shares

    def staged_expected_cost(self, X: Any) -> Iterator[Floats]:
        """Yield what predicting each class is expected to cost after each round, for learning curves."""
        for shares in self.staged_predict_proba(X):
            yield expected_costs(shares, self.cost_matrix_.values)

    def _mixture(self, table: Table) -> Floats:
        shares = self._uniform(table)
        for t in range(len(self.alphas_)):
            shares = self._mixed(t, table, shares)
        return shares

    def _mixed(self, t: int, table: Table, before: Floats) -> Floats:
        alpha = self.alphas_[t]
        return (1 - alpha) * before + alpha * self._answer(self._round(t), table, before)

    def _uniform(self, table: Table) -> Floats:
        return np.full((table.n_samples, len(self.classes_)), 1 / len(self.classes_))

    def _column_savings(self) -> Floats:
        """Mean of what the columns save in each component, as the rounds are mixed."""
        savings, later = np.zeros(len(self.schema_)), 1.0
        for t in reversed(range(len(self.alphas_))):
            parts = [self._component_savings(component) for component in self._round(t)]
            savings += later * self.alphas_[t] * np.mean(parts, axis=0)
            later *= 1 - self.alphas_[t]
        return savings

    def _component_savings(self, component: Any) -> Floats:
        return self._layout.importances(component)

    def _encode(self, X: Any) -> Table:
        check_is_fitted(self)
        return encode_rows(self, self.schema_, X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        component = C45Classifier() if self.estimator is None else self.estimator
        tags.input_tags = copy.copy(get_tags(component).input_tags)
        tags.input_tags.sparse = False
        return tags

    # ---- saving --------------------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        return _saving.state_of(self)

    def _set_state(self, state: Mapping[str, Any]) -> None:
        _saving.set_state(self, state)


class MixtureAnswers(Answers):
    """What the rounds say together."""

    def __init__(self, model: Reduction, table: Table) -> None:
        super().__init__(model)
        self._table = table

    @lazy
    def labels(self) -> NDArray[Any]:
        """The class with the largest share, or the cheapest one."""
        return self.model.classes_[self.model._choose(self.probabilities)]

    @lazy
    def probabilities(self) -> Floats:
        """Share of each class in the rounds' answers."""
        return np.concatenate([self.model._mixture(block) for block in slices(self._table)])
