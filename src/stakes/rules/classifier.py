"""The rule learner as a classifier that may abstain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from stakes._base.features import check_features
from stakes._base.labels import CodedTarget
from stakes._base.parameters import MOST, N_JOBS
from stakes._base.private_sklearn import HasMethods, Interval, StrOptions
from stakes._base.progress import part
from stakes._base.saving import inner_from_dict, inner_to_dict, saveable
from stakes.rules.base import RuleModel
from stakes.rules.inputs import (
    check_t_good_values,
    class_cost_vector,
    known_fallback,
    more_samples,
    read_samples,
    support_vector,
)
from stakes.rules.learn import RuleSamples, Settings, learn_rules
from stakes.rules.path import T_GOOD_VALUES, CoveragePoint, cheapest, coverage_points, cross_validated

#: Cut-off where none is given and none is to be chosen.
DEFAULT_T_GOOD = 0.5


@saveable
@dataclass(eq=False, repr=False, kw_only=True)
class RuleClassifier(RuleModel):
    """Cost-sensitive rules that leave a row undecided where none applies.

    Numeric columns are cut into intervals (:class:`MDLDiscretizer`). Conditions ``column = value`` are
    combined level by level; a rule is accepted where the cost-weighted entropy of the classes it covers, its
    quality, is at most ``t_good`` and it covers a row of its class that no earlier rule does. A row is
    answered by the applicable rule of lowest quality (then of largest support, then the shortest).

    Parameters
    ----------
    t_good : float in [0, 1] or None
        Quality from which a rule is accepted: 0.1 is strict and decides little, 0.8 lets a rule pass with
        about 75 % of the cost in its class (of two). None: chosen by cross-validation where ``abstain_cost``
        is given, else 0.5.
    t_bad : float in [0, 1]
        A combination of higher quality than this is not followed.
    min_support : float, or dict of class label to float
        Training rows of its class that a rule must cover: below 1 a share of all rows (but at least two
        rows), from 1 on their number. A class that a dict does not name gets 0.01.
    max_length : int or None
        Most conditions of a rule; None: as many as there are columns.
    mark : {"predicted", "all"}
        Which rows an accepted rule covers for the rules after it: those of its class, or of all classes. With
        "all" there are fewer rules for cheap classes inside the region of a costly one.
    cost_matrix : CostMatrix, array, dict, data frame, path or None
        What mistakes cost, indexed ``[actual, predicted]``; None: every mistake costs 1.
    class_costs : dict of class label to float, vector or None
        What mistaking each class costs, whatever it is taken for; instead of ``cost_matrix``.
    cost_vector : {"sum", "max", "min", "mean"}
        How a row of the cost matrix becomes one cost of mistaking that class.
    abstain_cost : float or None
        What an undecided row costs.
    feature_costs : FeatureCosts, dict, vector, path or None
        What it costs to read the columns; part of the cost by which a cut-off is chosen.
    validation_fraction : float in [0, 0.5]
        Share of the rows that rules are not learnt from but checked on. A rule stays where its class bears
        the largest share of the cost among these rows, too; what stays is judged anew on all rows. 0 checks
        nothing.
    fallback : classifier or None
        Answers the rows without a rule in ``predict`` and ``predict_proba``. A fitted one is used as it is,
        else it is fitted on all rows. None: the class of least expected cost among such rows.
    keep_whole : bool
        Whether a numeric column without a cut takes part as one interval of all known values.
    t_good_values : sequence of float
        What ``t_good`` is chosen from.
    cv : int, splitter or iterable of (train, test)
        Folds of that cross-validation, or how to split.
    max_candidates : int
        Most combinations to look at. Where there are more, those of best quality are followed and a
        :class:`~stakes.rules.RuleSearchWarning` says what was cut.
    max_memory : float
        Most memory of the search in MiB; bounds it in the same way.
    categorical_features : list of names or indices, mask or None
        Columns that are nominal although they hold numbers. Text, booleans and categories always are.
    unseen : {"missing", "error"}
        What a category is that was not there at fit time.
    n_jobs : int or None
        Threads; the rules do not depend on their number.
    random_state : int or None
        Seed of the folds and of the held-out rows.

    Attributes
    ----------
    rules_ : RuleTable
        The rules for reading: conditions, class, quality, support, coverage, cost.
    rule_set_ : RuleSet
        The rules as arrays.
    t_good_ : float
        The cut-off used.
    coverage_path_ : list of CoveragePoint
        Cross-validated points, where the cut-off was chosen by them; else empty.
    fallback_ : the fitted fallback, or None
    classes_, cost_matrix_ : class labels, costs in their order
    n_features_in_, feature_names_in_ : number and names of the columns

    References
    ----------
    Learning Cost-Sensitive Rules for Non-Forced Classification (2012). ICDM Workshops,
    doi:10.1109/ICDMW.2012.62.

    Examples
    --------
    >>> from stakes import RuleClassifier, datasets
    >>> german = datasets.load("german")
    >>> rules = RuleClassifier(t_good=0.7, cost_matrix=german.cost_matrix, max_length=2)
    >>> rules = rules.fit(german.X, german.y)
    >>> print(rules.rules_[0])  # doctest: +ELLIPSIS
    if ...
    >>> decision = rules.decide(german.X)
    >>> bool(decision.undecided.any())
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "t_good": [Interval(Real, 0, 1, closed="both"), None],
        "t_bad": [Interval(Real, 0, 1, closed="both")],
        "min_support": [Interval(Real, 0, None, closed="left"), dict, list],
        "max_length": [Interval(Integral, 1, MOST, closed="both"), None],
        "mark": [StrOptions({"predicted", "all"})],
        "cost_matrix": "no_validation",  # as_cost_matrix says what is wrong in its own words
        "class_costs": "no_validation",
        "cost_vector": [StrOptions({"sum", "max", "min", "mean"})],
        "abstain_cost": [Interval(Real, 0, None, closed="left"), None],
        "feature_costs": "no_validation",
        "validation_fraction": [Interval(Real, 0, 0.5, closed="both")],
        "fallback": [HasMethods(["predict"]), None],
        "keep_whole": ["boolean"],
        "t_good_values": ["array-like"],
        "cv": "no_validation",  # check_folds says what is wrong in its own words
        "max_candidates": [Interval(Integral, 1, None, closed="left")],
        "max_memory": [Interval(Real, 0, 2**40, closed="neither")],
        "categorical_features": ["array-like", None],
        "unseen": [StrOptions({"missing", "error"})],
        "n_jobs": N_JOBS,
        "random_state": [Interval(Integral, 0, MOST, closed="both"), None],
    }

    t_good: float | None = None
    t_bad: float = 1.0
    min_support: Any = 0.01
    max_length: int | None = None
    mark: str = "predicted"
    cost_matrix: Any = None
    class_costs: Any = None
    cost_vector: str = "sum"
    abstain_cost: float | None = None
    feature_costs: Any = None
    validation_fraction: float = 0.0
    fallback: Any = None
    keep_whole: bool = False
    t_good_values: Sequence[float] = T_GOOD_VALUES
    cv: Any = 5
    max_candidates: int = 10_000_000
    max_memory: float = 1024
    categorical_features: Sequence[Any] | None = None
    unseen: str = "missing"
    n_jobs: int | None = None
    random_state: int | None = 0

    # ---- learning ------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, costs: ArrayLike | None = None
    ) -> Self:
        """Learn the rules.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_features)
            Numbers, categories, text and booleans, with missing values as they are; a missing value meets no
            condition.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            How many rows each row stands for.
        costs : array-like of shape (n_samples, n_classes), optional
            ``costs[i, k]`` is what predicting class ``k`` (in sorted order) for row ``i`` costs. Rows then
            count by their own costs in the quality of rules, and without other costs the mean row of each
            class takes its place in decisions.
        """
        samples, settings = self._read(X, y, sample_weight, costs)
        t_good, chosen = DEFAULT_T_GOOD if self.t_good is None else self.t_good, 0.0
        self.coverage_path_: list[CoveragePoint] = []
        if self.t_good is None and self.abstain_cost is not None:
            grid = check_t_good_values(self.t_good_values)
            chosen = 0.9
            with part(0, chosen):
                self.coverage_path_ = cross_validated(samples, settings, grid, self.abstain_cost, self.cv)
            t_good = cheapest(self.coverage_path_).t_good if self.coverage_path_ else t_good
        with part(chosen, 1):
            self._set_fitted(learn_rules(samples, settings, [t_good])[0])
        self.fallback_ = known_fallback(self._fitted_fallback(X, y, sample_weight), self.classes_)
        return self

    def fit_path(
        self,
        X: Any,
        y: ArrayLike,
        t_good_values: Sequence[float] | None = None,
        sample_weight: ArrayLike | None = None,
        costs: ArrayLike | None = None,
    ) -> list[Self]:
        """Fit a copy of this classifier for each cut-off, by one search.

        The strictest cut-off explores all that the others do, so this takes about as long as fitting it
        alone. Each copy is what ``fit`` with that ``t_good`` gives, unless the search met a bound.
        """
        samples, settings = self._read(X, y, sample_weight, costs)
        chosen = check_t_good_values(self.t_good_values if t_good_values is None else t_good_values)
        fallback = known_fallback(self._fitted_fallback(X, y, sample_weight), samples.classes)
        models = []
        for t_good, rules in zip(chosen, learn_rules(samples, settings, chosen), strict=True):
            model = clone(self).set_params(t_good=t_good)
            check_features(model, X, reset=True)
            model._set_fitted(rules)
            model._background, model.fallback_ = self._background, fallback
            models.append(model)
        return models

    def coverage_path(
        self,
        X: Any,
        y: ArrayLike,
        t_good_values: Sequence[float] | None = None,
        test: tuple[Any, ArrayLike] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> list[CoveragePoint]:
        """Accuracy, coverage and cost of each cut-off on rows that the rules were not learnt from.

        Parameters
        ----------
        X, y : rows to learn from
        t_good_values : sequence of float, optional
            Ascending or not; by default the parameter of that name.
        test : (X, y), optional
            Rows to judge on; by default ``cv`` folds of the training rows are used.
        sample_weight : array-like of shape (n_samples,), optional

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from stakes import RuleClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> for point in RuleClassifier(cv=5).coverage_path(X, y, [0.1, 0.5]):
        ...     print(point.t_good, round(point.coverage, 2), round(point.accuracy, 2))
        0.1 0.87 0.95
        0.5 1.0 0.93
        """
        samples, settings = self._read(X, y, sample_weight, None)
        abstain_cost = 0.0 if self.abstain_cost is None else self.abstain_cost
        chosen = check_t_good_values(self.t_good_values if t_good_values is None else t_good_values)
        if test is None:
            return cross_validated(samples, settings, chosen, abstain_cost, self.cv)
        rows = more_samples(samples, *test, unseen=self.unseen, owner=type(self).__name__)
        return coverage_points([(samples, rows)], settings, chosen, abstain_cost)

    def _read(self, X: Any, y: Any, sample_weight: Any, costs: Any) -> tuple[RuleSamples, Settings]:
        """Check parameters and data, and put them into the shape that learning takes."""
        samples = read_samples(self, X, y, sample_weight, costs)
        settings = Settings(
            t_bad=self.t_bad,
            min_support=support_vector(self.min_support, samples.classes),
            max_length=self.max_length,
            mark=self.mark,
            keep_whole=self.keep_whole,
            validation_fraction=self.validation_fraction,
            max_candidates=self.max_candidates,
            max_memory=self.max_memory,
            random_state=self.random_state,
            n_threads=effective_n_jobs(self.n_jobs),
        )
        return samples, settings

    def _fitted_fallback(self, X: Any, y: Any, sample_weight: Any) -> Any:
        if self.fallback is None:
            return None
        try:
            check_is_fitted(self.fallback)
        except NotFittedError:
            extra = {} if sample_weight is None else {"sample_weight": sample_weight}
            labels = np.asarray(y) if isinstance(y, CodedTarget) else y
            return clone(self.fallback).fit(X, labels, **extra)
        return self.fallback

    # ---- saving --------------------------------------------------------------------------------------------

    def _plain_params(self) -> dict[str, Any]:
        params, classes = super()._plain_params(), self.rule_set_.classes
        # JSON has no labels as keys: what was given by class becomes a list in the order of the classes
        params["min_support"] = support_vector(self.min_support, classes)
        if self.class_costs is not None:
            params["class_costs"] = class_cost_vector(self.class_costs, classes).tolist()
        return params | {"t_good_values": check_t_good_values(self.t_good_values), "fallback": None}

    def _state(self) -> dict[str, Any]:
        fallback = None if self.fallback_ is None else inner_to_dict(self.fallback_)
        return super()._state() | {"fallback": fallback}

    def _validate_params(self) -> None:
        super()._validate_params()
        check_t_good_values(self.t_good_values)

    def _set_state(self, state: Mapping[str, Any]) -> None:
        super()._set_state(state)
        support_vector(self.min_support, self.classes_)
        if self.class_costs is not None:
            class_cost_vector(self.class_costs, self.classes_)
        if state.get("fallback") is not None:
            fallback = inner_from_dict(state["fallback"])
            self.fallback = self.fallback_ = known_fallback(fallback, self.classes_)
