"""Choosing how much to pay for features: one parameter, and the cheapest model that is good enough."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, asdict, dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from stakes._base.features import check_features
from stakes._base.parameters import N_JOBS
from stakes._base.private_sklearn import Interval, StrOptions
from stakes._base.progress import part
from stakes._base.saving import saveable
from stakes._base.training import table_to_learn
from stakes._text.extras import extra_module
from stakes.decision import Answers, InnerAnswers
from stakes.decision._wrapper import CostWrapper
from stakes.tree.base import TreeClassifier
from stakes.tree.c45.classifier import C45Classifier
from stakes.tree.tradeoff.path import TradeoffPoint, choose_point, is_within, pareto_front
from stakes.tree.tradeoff.study import Study, progress

#: Criteria without feature costs.
_PLAIN = ("gain_ratio", "gain", "gini")


@saveable
@dataclass(eq=False, repr=False)
class TradeoffSearchCV(CostWrapper):
    """Cheapest model that is nearly as good as one that may read every column.

    The tree is learnt for each value of a parameter that says how much prices matter, and cross-validated.
    The points (feature costs, accuracy or cost of mistakes) that no other point beats are the front. The
    model kept is the cheapest within a tolerance of the baseline, C4.5 by gain ratio without prices and
    limits, or the one of least total cost; the baseline itself where no other point is within the tolerance
    and cheaper. The table is encoded once, and its rows are taken once for each fold.

    Parameters
    ----------
    estimator : tree classifier or None
        None is ``C45Classifier(criterion="cs_gain")``. Without ``feature_costs`` every column costs 1, which
        trades the number of columns.
    param_name : str
        A parameter of the estimator.
    param_range : sequence or None
        Its values. None, for "gamma" only: 0 and 1e-6 to 1e6, one per decade and four where the price of the
        tree changes.
    cv : int, splitter or iterable of (train, test)
        Number of stratified folds, or how to split.
    objective : {"accuracy", "cost"}
        What is weighed against feature costs. Costs of mistakes are those of ``cost_matrix``.
    select : {"within", "total"}
        "within": the one of least feature costs, of those within the tolerance. "total": the least sum of
        feature costs and the cost of mistakes, whatever the baseline.
    tolerance : float
        How much may be lost against the baseline: a share of the rows ("accuracy"), or a share of the
        baseline's cost ("cost").
    pay : {"upfront", "path"}
        When feature costs are due: up front for all columns of the model learnt from all rows, or the mean
        of what the rows of the test folds met on their paths.
    cost_matrix : CostMatrix, array, dict, data frame, path or None
        What mistakes cost; None takes the estimator's.
    n_jobs : int or None
        Threads over values and folds; the result does not depend on their number.
    random_state : int, RandomState or None
        Shuffles the rows into folds.
    verbose : int
        1 shows progress on stderr, where that is a terminal, and says what was chosen.

    Attributes
    ----------
    best_estimator_ : the model chosen, learnt from all rows
    best_params_ : dict
        The knob and its value; for the baseline its criterion.
    best_point_ : TradeoffPoint
        What was chosen, as one of ``results_`` or ``baseline_``.
    baseline_chosen_ : bool
        Whether that is the baseline: nothing cheaper is within the tolerance.
    results_ : list of TradeoffPoint
        One for each value, in the order of the grid.
    front_ : list of TradeoffPoint
        Those that no other beats, the cheapest first.
    baseline_ : TradeoffPoint
    classes_, cost_matrix_ : class labels, costs in their order

    References
    ----------
    J. V. Davis, J. Ha, C. J. Rossbach, H. E. Ramadan, E. Witchel (2006). Cost-Sensitive Decision Tree
    Learning for Forensic Classification. ECML, 622-629.

    Examples
    --------
    >>> from stakes import C45Classifier, TradeoffSearchCV, datasets
    >>> from stakes.costs import davis_prices
    >>> german = datasets.load("german")
    >>> prices = davis_prices(german.X.columns, random_state=0)
    >>> tree = C45Classifier(criterion="cs_gain", feature_costs=prices)
    >>> search = TradeoffSearchCV(tree, cv=5).fit(german.X, german.y)
    >>> search.upfront_cost() < 0.5 * search.baseline_.test_cost
    True
    >>> search.best_point_.accuracy >= search.baseline_.accuracy - 0.01
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": "no_validation",
        "param_name": [str],
        "param_range": ["array-like", None],
        "cv": "no_validation",  # check_folds says what is wrong in its own words
        "objective": [StrOptions({"accuracy", "cost"})],
        "select": [StrOptions({"within", "total"})],
        "tolerance": [Interval(Real, 0, None, closed="left")],
        "pay": [StrOptions({"upfront", "path"})],
        "cost_matrix": "no_validation",
        "n_jobs": N_JOBS,
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    estimator: Any = None
    _: KW_ONLY
    param_name: str = "gamma"
    param_range: Any = None
    cv: Any = 10
    objective: str = "accuracy"
    select: str = "within"
    tolerance: float = 0.01
    pay: str = "upfront"
    cost_matrix: Any = None
    n_jobs: int | None = None
    random_state: Any = 0
    verbose: int = 0

    # ---- fitting -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, costs: Any = None) -> Self:
        """Learn the path, cross-validate it, choose, and learn the chosen model from all rows.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        costs : array-like of shape (n_samples, n_classes), optional
            What predicting each class would cost for each row; the estimator gets them, and mistakes
            cost as they say.
        """
        self._validate_params()
        inner = self._inner()
        given = self._given_grid(inner)
        table = X if y is None else table_to_learn(X, inner.categorical_features)
        _, targets = self._read(X, y, costs, sample_weight)
        study = Study(self, inner, table, targets)
        with progress(self.verbose) as advance:
            study.advance = advance
            with part(0, 0.2):
                param_range, upfront = study.upfront(given)
            with part(0.2, 1):
                accuracy, mistakes, path = study.cross_validate(param_range)
        test_costs = upfront if self.pay == "upfront" else path
        points = [
            TradeoffPoint(value, float(price), float(right), float(cost), is_baseline=i == len(param_range))
            for i, (value, price, right, cost) in enumerate(
                zip([*param_range, None], test_costs, accuracy, mistakes, strict=True)
            )
        ]
        self._judge(points)
        self.estimator_ = study.learn(
            None if self.baseline_chosen_ else {self.param_name: self.best_point_.value}
        )
        self.estimator_.set_params(categorical_features=inner.categorical_features)
        check_features(self.estimator_, X, reset=True)
        if self.verbose:
            print(self.describe(), file=sys.stderr)
        return self

    def _inner(self) -> Any:
        inner = C45Classifier(criterion="cs_gain") if self.estimator is None else self.estimator
        if not isinstance(inner, TreeClassifier):
            raise TypeError(
                "estimator must be a tree classifier such as C45Classifier, which knows what columns cost; "
                f"got {inner!r}"
            )
        known = inner.get_params(deep=False)
        if self.param_name not in known:
            raise ValueError(
                f"param_name must be a parameter of {type(inner).__name__}, got {self.param_name!r}"
            )
        if self.param_name == "gamma" and known["criterion"] in _PLAIN:
            raise ValueError(
                "estimator must have a criterion with feature costs for param_name='gamma', such as "
                "'cs_gain'; "
                f"got criterion={known['criterion']!r}"
            )
        return inner

    def _given_grid(self, inner: Any) -> list[Any] | None:
        if self.param_range is None:
            if self.param_name != "gamma":
                raise ValueError(f"param_range must list the values to try for {self.param_name!r}, got None")
            return None
        listed = self.param_range.tolist() if isinstance(self.param_range, np.ndarray) else self.param_range
        values = list(listed) if isinstance(listed, Iterable) and not isinstance(listed, Mapping) else []
        if not values:
            raise ValueError(f"param_range must hold at least one value, got {self.param_range!r}")
        values = [value.item() if isinstance(value, np.generic) else value for value in values]
        for value in values:
            try:
                clone(inner).set_params(**{self.param_name: value})._validate_params()
            except ValueError as error:
                raise ValueError(f"param_range must hold values of {self.param_name!r}: {error}") from None
        return values

    def _judge(self, points: list[TradeoffPoint]) -> None:
        """Set what follows from the points; the last one is the baseline."""
        within = [is_within(p, points[-1], self.objective, self.tolerance) for p in points]
        points = [replace(p, within=w) for p, w in zip(points, within, strict=True)]
        front = {id(p) for p in pareto_front(points, self.objective)}
        points = [replace(p, on_front=id(p) in front) for p in points]
        *self.results_, self.baseline_ = points
        self.front_ = pareto_front(points, self.objective)
        self.best_point_ = choose_point(
            self.results_, self.baseline_, objective=self.objective, select=self.select
        )
        self.baseline_chosen_ = self.best_point_.is_baseline
        self.best_params_ = (
            {"criterion": "gain_ratio"}
            if self.baseline_chosen_
            else {self.param_name: self.best_point_.value}
        )

    # ---- using ---------------------------------------------------------------------------------------------

    @property
    def best_estimator_(self) -> Any:
        """The chosen model."""
        return self.estimator_

    def answers(self, X: Any) -> Answers:
        """Answers of the chosen model; decisions are made by ``cost_matrix_``."""
        return InnerAnswers(self, self._model().answers(X))

    def upfront_cost(self, feature_costs: Any = None) -> float:
        """Price of all columns that the chosen model may ask for, by its own prices or by these."""
        return self._model().upfront_cost(feature_costs)

    def path_cost(self, X: Any, feature_costs: Any = None) -> NDArray[np.float64]:
        """Price of the tests that each row met in the chosen model, by its own prices or by these."""
        return self._model().path_cost(X, feature_costs)

    def _model(self) -> Any:
        check_is_fitted(self)
        return self.estimator_

    def describe(self) -> str:
        """Say in a sentence or two what was chosen."""
        check_is_fitted(self)
        best, base = self.best_point_, self.baseline_
        figures = "features cost {:.4g}, accuracy {:.4f}, mistakes cost {:.4g} per row"
        text = figures.format(base.test_cost, base.accuracy, base.mistake_cost)
        if self.baseline_chosen_:
            return f"No setting of {self.param_name} is good enough and cheaper: the baseline stays ({text})."
        chosen = figures.format(best.test_cost, best.accuracy, best.mistake_cost)
        value = f"{best.value:.4g}" if isinstance(best.value, float) else repr(best.value)
        return f"{self.param_name}={value}: {chosen}. Baseline: {text}."

    def plot(self, ax: Any = None) -> Any:
        """Draw all points, the front, the baseline and what was chosen.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; new ones by default.

        Returns
        -------
        matplotlib axes
        """
        check_is_fitted(self)
        if ax is None:
            _, ax = extra_module("matplotlib.pyplot", "a plot", "report").subplots()
        height = "accuracy" if self.objective == "accuracy" else "mistake_cost"

        def places(points: list[TradeoffPoint]) -> tuple[list[float], list[float]]:
            return [p.test_cost for p in points], [getattr(p, height) for p in points]

        ax.plot(*places(self.results_), "o", color="0.75", label=f"values of {self.param_name}")
        ax.plot(*places(self.front_), "o-", color="C0", drawstyle="steps-post", label="front")
        ax.plot(*places([self.baseline_]), "s", color="C1", markersize=8, label="baseline")
        ax.plot(*places([self.best_point_]), "*", color="C3", markersize=15, label="chosen")
        ax.set_xlabel(f"feature costs ({self.pay})")
        ax.set_ylabel("accuracy" if self.objective == "accuracy" else "cost of mistakes per row")
        ax.legend()
        return ax

    # ---- scikit-learn and files ----------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Tags:
        if self.estimator is not None:
            return super().__sklearn_tags__()
        return C45Classifier().__sklearn_tags__()

    def _fitted_to_dict(self) -> dict[str, Any]:
        points = [asdict(point) for point in [*self.results_, self.baseline_]]
        return {"grid_given": self.param_range is not None, "points": points}

    def _fitted_from_dict(self, fitted: Mapping[str, Any]) -> None:
        try:
            given, points = fitted["grid_given"], [TradeoffPoint(**point) for point in fitted["points"]]
            numbers = np.array([[p.test_cost, p.accuracy, p.mistake_cost] for p in points], dtype=float)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"fitted must be what TradeoffSearchCV.to_dict() gave: {error!r}") from None
        if len(points) < 2 or not np.isfinite(numbers).all():
            raise ValueError("fitted must have at least two points, all of finite numbers")
        self.param_range = [point.value for point in points[:-1]] if given else None
        self._validate_params()
        self._judge([replace(p, is_baseline=i == len(points) - 1) for i, p in enumerate(points)])
