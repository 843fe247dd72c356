"""The ensemble to beat where mistakes cost: three kinds of probabilities, blended, calibrated, guarded."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from stakes._base import documents
from stakes._base.features import any_columns, encode_rows
from stakes._base.interrupts import may_end_early
from stakes._base.intervals import interval_from_dict, interval_to_dict, mean_interval
from stakes._base.labels import labels_from_dict, labels_to_dict
from stakes._base.parameters import MOST, N_JOBS
from stakes._base.private_sklearn import Interval, StrOptions
from stakes._base.reporting import ReportMixin
from stakes._base.saving import SavedModel, feature_names, saveable, set_feature_names
from stakes._base.training import TrainingSet, read_training
from stakes.boosted.folds import Matrix, Training
from stakes.boosted.importances import column_savings
from stakes.boosted.model import PARTS, Blend, check_shares, fit_parts
from stakes.costs import CostMatrix, as_feature_costs
from stakes.decision import (
    Answers,
    AnswersMixin,
    best_constant,
    expected_costs,
    lazy,
    loses_to_constant,
    min_cost_class,
)
from stakes.table import Schema, Table


@saveable
@dataclass(eq=False, repr=False, kw_only=True)
class BoostedStakes(SavedModel, ReportMixin, AnswersMixin, ClassifierMixin, BaseEstimator):
    """Cheapest decisions from blended probabilities: the ensemble to beat where mistakes cost.

    Gradient-boosted trees, logistic regression and kernel logistic regression are learnt on the folds of a
    cross-validation. Rows that a model has not seen say how many rounds, which regularisation, and how much
    each part has to say in the blend; they calibrate it, too. Predictions are the classes of least expected
    cost, unless the best constant would have cost those rows no more: then there is a
    :class:`~stakes.GuardWarning`, and the constant.

    Inside, nominal columns become a 0/1 number per category and numbers are standardised. Missing numbers
    stay missing for the trees; for the other parts they are the mean, and a 0/1 number says so.

    Parameters
    ----------
    cost_matrix : CostMatrix, array, dict, data frame, path or None
        What mistakes cost, indexed ``[actual, predicted]``; None: the mean of the costs per sample given to
        ``fit``, or 1 for every mistake.
    categorical_features : list of names or indices, mask or None
        Columns that are nominal although they hold numbers. Text, booleans and categories always are.
    unseen : {"missing", "error"}
        What a category is that was not there at fit time.
    feature_costs : FeatureCosts, dict, vector, path or None
        What it costs to read the columns. The ensemble reads all of them for every row, which the guard adds
        to the cost of its mistakes; nothing else depends on it.
    n_jobs : int or None
        Threads over folds; the model does not depend on their number.
    random_state : int or None
        Seed of folds, of the columns that trees may use, and of the rows that the kernel compares with.
    verbose : int
        1 tells on stderr what was learnt and how long it took.

    Attributes
    ----------
    classes_, cost_matrix_ : class labels, costs in their order
    guarded_ : True where the constant is predicted
    constant_ : label of the best constant
    constant_cost_, cv_cost_ : mean cost per row of the constant, and of the ensemble on held-out rows
    cv_interval_ : ends of the 95% interval of ``cv_cost_``, each held-out row one draw; None in files of
        versions that kept none
    feature_costs_ : FeatureCosts in the order of the columns, or None
    interrupted_ : True where Ctrl-C ended the fit; nothing guards the model then, and ``cv_cost_`` is NaN
    shares_ : class shares of the training rows, which ``predict_proba`` gives where guarded
    blend_ : the parts and their weights; None where there was nothing to learn. ``blend_.kept`` names those
        that Ctrl-C has left, None where all were learnt
    n_features_in_, feature_names_in_ : number of columns, and their names where X had them

    Notes
    -----
    Costs shape the decision and the guard, not the probabilities. Costs per sample decide by their mean for
    each class.

    Ctrl-C ends the fit. The parts that are learnt by then are blended, with a warning: of boosted trees
    also those so far, once all folds have had some rounds. Before that there is nothing to keep, and
    KeyboardInterrupt is raised; so it is by a second Ctrl-C, and by the first where the fit is one of many,
    as in cross-validations and ensembles.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from stakes import BoostedStakes
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BoostedStakes(cost_matrix=[[0, 1, 1], [1, 0, 9], [1, 1, 0]]).fit(X, y)
    >>> model.cv_cost_ < 0.2 < model.constant_cost_
    True
    >>> model.decide(X[:1]).labels
    array([0])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "cost_matrix": "no_validation",  # as_cost_matrix says what is wrong in its own words
        "categorical_features": ["array-like", None],
        "unseen": [StrOptions({"missing", "error"})],
        "feature_costs": "no_validation",
        "n_jobs": N_JOBS,
        "random_state": [Interval(Integral, 0, MOST, closed="both"), None],
        "verbose": ["verbose"],
    }

    cost_matrix: Any = None
    categorical_features: Sequence[Any] | None = None
    unseen: str = "missing"
    feature_costs: Any = None
    n_jobs: int | None = None
    random_state: int | None = 0
    verbose: int = 0

    cv_interval_, interrupted_ = None, False
    _savings = None  # what each column saves; a file may be older than that, or the fit was interrupted

    # ---- fitting -------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, costs: ArrayLike | None = None
    ) -> Self:
        """Learn the parts, blend them and find out whether they beat the best constant.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_features)
            Numbers, categories, text and booleans, with missing values as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            How many rows each row stands for; rows of weight 0 are left out, but their class stays known.
        costs : array-like of shape (n_samples, n_classes), optional
            What predicting each class (in sorted order) would cost for each row. The guard counts by them;
            without a ``cost_matrix`` the mean row of each class decides.
        """
        training = read_training(self, X, y, sample_weight, costs)
        self.classes_ = training.classes
        self.cost_matrix_ = training.effective_cost_matrix
        self.schema_, self.feature_costs_ = training.table.schema, training.feature_costs
        self._learn(training.take(np.flatnonzero(training.weight_or_ones > 0)))
        return self

    def _learn(self, rows: TrainingSet) -> None:
        self.interrupted_ = False
        codes, weight, started = rows.codes.astype(np.intp), rows.weight_or_ones, time.perf_counter()

        def say(what: str) -> None:
            if self.verbose:
                print(f"[{time.perf_counter() - started:.1f} s] {what}", file=sys.stderr)

        # The parts know the classes that have a row of positive weight; the others have probability 0.
        inner = np.unique(codes, return_inverse=True)[1]
        seed = self.random_state
        if seed is None:
            seed = int(np.random.default_rng().integers(MOST))
        # Sums depend on the number of threads. A fold has fewer rows per class than y, which was checked.
        with threadpool_limits(1, user_api="blas"), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The number of unique classes")
            training = Training.plan(inner, weight, seed, self.n_jobs)
            self.blend_, proba = fit_parts(rows.table, training, say)
            self._savings = self._measured(rows, weight, seed)
        self.shares_ = np.bincount(codes, weights=weight, minlength=len(rows.classes)) / weight.sum()
        if self.blend_ is not None and self.blend_.kept is not None:
            self._leave_unjudged(self.blend_.kept, weight, rows.sample_costs)
            return
        self._judge(self._widen(proba), weight, rows.sample_costs)
        say(f"{self.cv_cost_:.4g} per row, always {self.constant_} {self.constant_cost_:.4g}")

    def _measured(self, rows: TrainingSet, weight: Matrix, seed: int) -> Matrix | None:
        """What each column saves; None where Ctrl-C has ended the fit."""
        if self.blend_ is None:
            return np.zeros(len(rows.table.schema))
        if self.blend_.kept is not None:
            return None
        met = np.unique(rows.codes)
        costs = self.cost_matrix_.values[np.ix_(met, met)]
        try:
            return column_savings(self.blend_, rows.table, rows.sample_costs[:, met], weight, costs, seed)
        except KeyboardInterrupt:
            if not may_end_early():
                raise
            self.blend_ = replace(self.blend_, kept=PARTS)
            return None

    def _leave_unjudged(self, kept: Sequence[str], weight: Matrix, row_costs: Matrix) -> None:
        """Answer by the parts that Ctrl-C has left."""
        self._find_constant(weight, row_costs)
        self.guarded_, self.cv_cost_, self.cv_interval_ = False, np.nan, None
        self._training_info["interrupted"] = True
        words = f"interrupted; kept of {len(PARTS)} parts: {', '.join(kept)}; the model is not guarded"
        warnings.warn(words, stacklevel=4)
        self.interrupted_ = True  # a second Ctrl-C until here leaves nothing

    def _find_constant(self, weight: Matrix, row_costs: Matrix) -> None:
        best, self.constant_cost_ = best_constant(row_costs, weight)
        self.constant_ = self.classes_[best]

    def _judge(self, proba: Matrix, weight: Matrix, row_costs: Matrix) -> None:
        """Compare what held-out rows would have cost with the best constant."""
        self._find_constant(weight, row_costs)
        chosen = min_cost_class(expected_costs(proba, self.cost_matrix_.values))
        paid = row_costs[np.arange(len(row_costs)), chosen]
        self.cv_cost_ = float(np.average(paid, weights=weight))
        prices, tests = self.feature_costs_, ""
        if prices is not None and self.blend_ is not None:
            every = prices.cost(prices.features)
            self.cv_cost_, paid = self.cv_cost_ + every, paid + every
            tests = ", tests included"
        held_out = mean_interval(paid, weight)
        self.cv_interval_ = (held_out.low, held_out.high)
        self.guarded_ = self.blend_ is not None and loses_to_constant(
            type(self).__name__, self.cv_cost_, self.constant_, self.constant_cost_, where=tests, stacklevel=4
        )

    def _widen(self, proba: Matrix) -> Matrix:
        wide = np.zeros((len(proba), len(self.classes_)))
        wide[:, self.shares_ > 0] = proba
        return wide

    # ---- using ---------------------------------------------------------------------------------------------

    @property
    def asks_nothing(self) -> bool:
        """Whether the constant answers, which reads no column."""
        return self.guarded_ or self.blend_ is None

    def answers(self, X: Any) -> Answers:
        """Answers of the blend, or the constant and the class shares of the training rows where guarded."""
        check_is_fitted(self)
        return BlendAnswers(self, encode_rows(self, self.schema_, X, unseen=self.unseen))

    def _column_savings(self) -> Matrix:
        if self.asks_nothing:
            return np.zeros(self.n_features_in_)
        if self._savings is None:
            why = (
                "Ctrl-C ended the fit before"
                if self.interrupted_
                else "the file of this BoostedStakes is older than that"
            )
            raise AttributeError(f"feature_importances_ is not available: {why}; fit it again")
        return self._savings

    def __sklearn_tags__(self) -> Tags:
        return any_columns(super().__sklearn_tags__())

    # ---- saving --------------------------------------------------------------------------------------------

    def _plain_params(self) -> dict[str, Any]:
        prices = self.feature_costs_
        return super()._plain_params() | ({} if prices is None else {"feature_costs": prices.to_dict()})

    def _state(self) -> dict[str, Any]:
        return {
            "classes": labels_to_dict(self.classes_),
            "costs": self.cost_matrix_.values.tolist(),
            "schema": self.schema_.to_dict(),
            "feature_names": feature_names(self),
            "shares": self.shares_.tolist(),
            "constant": int(np.flatnonzero(self.classes_ == self.constant_)[0]),
            "constant_cost": self.constant_cost_,
            "cv_cost": None if self.interrupted_ else self.cv_cost_,
            **interval_to_dict(self.cv_interval_),
            "guarded": self.guarded_,
            "blend": None if self.blend_ is None else self.blend_.to_dict(),
            **({} if self._savings is None else {"savings": self._savings.tolist()}),
        }

    def _set_state(self, state: Mapping[str, Any]) -> None:
        documents.check_mapping(state, "the model's state", _KEYS)
        self.classes_ = labels_from_dict(state["classes"])
        self.cost_matrix_ = CostMatrix(
            documents.float_matrix(state["costs"], "costs"), self.classes_, check=False
        )
        self.schema_ = Schema.from_dict(state["schema"])
        self.n_features_in_ = len(self.schema_)
        self.feature_costs_ = as_feature_costs(self.feature_costs, self.schema_.names)
        set_feature_names(self, state["feature_names"], self.schema_)
        self.shares_ = documents.float_array(state["shares"], "shares")
        check_shares(self.shares_, len(self.classes_))
        constant, self.guarded_ = state["constant"], state["guarded"]
        if type(constant) is not int or not 0 <= constant < len(self.classes_):
            raise ValueError("constant must be the number of a class")
        if type(self.guarded_) is not bool:
            raise ValueError("guarded must be true or false")
        self.constant_ = self.classes_[constant]
        n_known, parts = int((self.shares_ > 0).sum()), state["blend"]
        self.blend_ = None if parts is None else Blend.from_dict(parts, self.schema_, n_known)
        self.interrupted_ = self.blend_ is not None and self.blend_.kept is not None
        self.constant_cost_ = _read_cost(state, "constant_cost")
        if self.interrupted_ and (self.guarded_ or state["cv_cost"] is not None):
            raise ValueError("a model whose fit was interrupted has no cv_cost, and nothing guards it")
        self.cv_cost_ = np.nan if self.interrupted_ else _read_cost(state, "cv_cost")
        self.cv_interval_ = interval_from_dict(state)
        self._savings = _read_savings(state.get("savings"), len(self.schema_))


class BlendAnswers(Answers):
    """The cheapest class by the probabilities of the blend, or the constant."""

    def __init__(self, model: BoostedStakes, table: Table) -> None:
        super().__init__(model)
        self._table = table

    @lazy
    def labels(self) -> NDArray[Any]:
        """Class of least expected cost, or the constant where guarded."""
        model = self.model
        if model.guarded_:
            return np.full(self._table.n_samples, model.constant_, dtype=model.classes_.dtype)
        return model.classes_[min_cost_class(self.expected_cost)]

    @lazy
    def probabilities(self) -> Matrix:
        """Class probabilities of the blend, or the class shares of the training rows."""
        model = self.model
        if model.blend_ is None or model.guarded_:
            return np.tile(model.shares_, (self._table.n_samples, 1))
        return model._widen(model.blend_.proba(self._table, effective_n_jobs(model.n_jobs)))


def _read_cost(state: Mapping[str, Any], name: str) -> float:
    return float(documents.float_array([state[name]], name)[0])


def _read_savings(data: Any, n_columns: int) -> Matrix | None:
    """What the columns save; None in files that are older than that."""
    if data is None:
        return None
    savings = documents.float_array(data, "savings")
    if savings.shape != (n_columns,) or (savings < 0).any():
        raise ValueError(f"savings must be {n_columns} numbers from 0, one per column")
    return savings


#: What every saved model holds.
_KEYS = (
    "classes",
    "costs",
    "schema",
    "feature_names",
    "shares",
    "constant",
    "constant_cost",
    "cv_cost",
    "guarded",
    "blend",
)
