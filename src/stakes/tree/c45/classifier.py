"""C4.5 release 8 and what Ting made of it: C4.5CS, C4.5 with altered priors, minimum expected cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from stakes import _core
from stakes._base.parameters import MOST, N_JOBS
from stakes._base.private_sklearn import Interval, StrOptions
from stakes._base.saving import saveable
from stakes._base.training import TrainingSet, read_training
from stakes.costs import PriceArrays
from stakes.tree.base import TreeClassifier
from stakes.tree.c45.criteria import CRITERIA, PRICED
from stakes.tree.c45.learn import learn_tree, row_weights
from stakes.tree.c45.pruning import METHODS, prune_by
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel
from stakes.tree.total_cost.learn import learn_total_cost

#: The core counts nodes and threads in 32 bits.


@saveable
@dataclass(eq=False, repr=False, kw_only=True)
class C45Classifier(TreeClassifier):
    """Decision tree of C4.5 release 8 that can take costs into account.

    Numeric columns are cut in two at data values, nominal ones get a branch per category, missing values
    travel down every branch in proportion, and the grown tree is pruned by pessimistic error estimates.

    Parameters
    ----------
    cost_matrix : CostMatrix, array, dict, data frame, path or None
        What mistakes cost, indexed ``[actual, predicted]``; None: every mistake costs 1.
    cost_use : {"weights", "priors", "none"}
        How costs shape the tree. "weights": rows weigh what mistaking them costs, in growing and pruning
        (C4.5CS). "priors": in growing only (C4.5 with altered priors). "none": not at all (C4.5).
    decision : {"majority", "min_cost"}
        Answer of a leaf: its heaviest class, or the class of minimum expected cost (Ting's equation 5).
    criterion : str
        What a split is judged by: "gain_ratio" (among the splits of at least average gain), "gain" or "gini".
        Others weigh the gain against the price that the column adds to the tree's: "cs_gain" and
        "cs_gain_ratio" (Davis et al., equations 4 and 5), "nunez" (EG2), "mitchell", "norton" (IDX) and "tan"
        (CS-ID3). "total_cost" searches for the tree with the least cost per row, of mistakes and of the tests
        met on the way; see ``stakes.tree.total_cost``. It always answers by least expected cost, and of the
        parameters about growing only ``max_depth`` (6 by default), ``max_bins`` (64), the limits on costs and
        ``random_state`` apply to it. Other criteria are registered by ``stakes.tree.judges``.
    feature_costs : FeatureCosts, dict, vector, path or None
        What it costs to read the columns. A column, or a resource that columns share, is paid for once.
    gamma : float
        How much prices matter: a factor of the price ("cs_gain", "cs_gain_ratio", "mitchell") or its exponent
        ("nunez", "norton"). With 0 "cs_gain" is "gain" and "cs_gain_ratio" is "gain_ratio".
    ratio_of_candidate : bool
        "cs_gain_ratio": whether a split's own entropy is part of the product, as in C4.5's gain ratio, or
        only its ancestors'; the paper leaves it open.
    split_at_loss : bool
        "cs_gain", "cs_gain_ratio" and "mitchell": whether a split may be made that is not worth its price by
        these, their value being 0 or less. The papers name no such limit.
    reuse_cost : {"free", "full"}
        What a criterion counts for a column that the tree has bought already: nothing more, or its price
        again, as in the formulas of Nunez and Norton. What is paid does not change.
    max_upfront_cost, max_path_cost : float or None
        Hard limits on the price of all columns of the tree, and of those on any path. Discounts that depend
        on the order of tests do not count here.
    prune : {"error", "cost", None} or name
        "error": C4.5's pessimistic errors. "cost": a subtree becomes a leaf where that does not raise the
        estimated cost (Laplace-corrected). None: the grown tree stays. Other methods are registered by
        ``stakes.tree.prunes``.
    confidence : float in (0, 1]
        Confidence of the error estimates; smaller prunes more.
    raise_subtrees : bool
        Whether pruning may replace a node by its largest branch.
    collapse : bool
        Whether a split that saves no training error is undone, as C4.5 always does. False keeps splits that
        only sharpen the probabilities, which "min_cost" can use.
    min_samples_leaf : float
        At least two branches of a split must weigh this much: C4.5's MINOBJS, Weka's minNumObj.
    group_values : bool
        Whether categories of a column may share a branch (C4.5's option -s).
    max_depth : int or None
        Most tests on a path; the core's own limit is 2000.
    max_leaf_nodes : int or None
        With a limit the tree is grown best-first.
    growth : {"depth_first", "best_first"}
        Which node is split next, which matters where a column once bought is free for later nodes: the first
        branch, as in C4.5, or the node of the largest gain times weight.
    min_gain : float
        A split with a smaller gain is not made.
    max_bins : int or None
        None tries every cut. 2 to 255: numeric columns are put into that many bins first, which is faster on
        large tables.
    smoothing : {None, "laplace", "m"}
        Correction of the leaves' class shares. None is what C4.5 does.
    smoothing_strength : float
        The ``m`` of the m-estimate.
    cost_vector : {"sum", "max", "min", "mean"}
        How a row of the cost matrix becomes one cost of mistaking that class.
    dialect : {"c45", "j48"}
        "j48" follows Weka's J48 where it departs from C4.5.
    categorical_features : list of names or indices, mask or None
        Columns that are nominal although they hold numbers. Text, booleans and categories always are.
    unseen : {"missing", "error"}
        What a category is that was not there at fit time.
    n_jobs : int or None
        Threads; the tree does not depend on their number.
    random_state : int or None
        Seed of "total_cost", which draws bags and folds; the other criteria draw nothing.

    Attributes
    ----------
    fitted_tree_ : FittedTree
        The model: nodes, schema, class probabilities and costs.
    tree_ : TreeModel
        The nodes.
    classes_ : array of shape (n_classes,)
        Labels, sorted.
    cost_matrix_ : CostMatrix
        Costs in the order of ``classes_``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, where X had them.

    References
    ----------
    K. M. Ting (1998). Inducing Cost-Sensitive Trees via Instance Weighting. PKDD, 139-147.

    Examples
    --------
    >>> from stakes import C45Classifier, datasets
    >>> german = datasets.load("german")
    >>> tree = C45Classifier(cost_matrix=german.cost_matrix).fit(german.X, german.y)
    >>> tree.get_n_leaves() < C45Classifier().fit(german.X, german.y).get_n_leaves()
    True
    >>> tree.predict(german.X[:2]).tolist()
    ['good', 'bad']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "cost_matrix": "no_validation",  # as_cost_matrix says what is wrong in its own words
        "cost_use": [StrOptions({"weights", "priors", "none"})],
        "decision": [StrOptions({"majority", "min_cost"})],
        "criterion": [StrOptions(CRITERIA.keys())],  # a view: what is registered later is in it
        "feature_costs": "no_validation",  # as_feature_costs says what is wrong in its own words
        "gamma": [Interval(Real, 0, None, closed="left")],
        "ratio_of_candidate": ["boolean"],
        "split_at_loss": ["boolean"],
        "reuse_cost": [StrOptions({"free", "full"})],
        "max_upfront_cost": [Interval(Real, 0, None, closed="left"), None],
        "max_path_cost": [Interval(Real, 0, None, closed="left"), None],
        "prune": [StrOptions(METHODS.keys()), None],  # the same
        "confidence": [Interval(Real, 0, 1, closed="right")],
        "raise_subtrees": ["boolean"],
        "collapse": ["boolean"],
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "group_values": ["boolean"],
        "max_depth": [Interval(Integral, 0, MOST, closed="both"), None],
        "max_leaf_nodes": [Interval(Integral, 1, MOST, closed="both"), None],
        "growth": [StrOptions({"depth_first", "best_first"})],
        "min_gain": [Interval(Real, 0, None, closed="left")],
        "max_bins": [Interval(Integral, 2, 255, closed="both"), None],
        "smoothing": [StrOptions({"laplace", "m"}), None],
        "smoothing_strength": [Interval(Real, 0, None, closed="neither")],
        "cost_vector": [StrOptions({"sum", "max", "min", "mean"})],
        "dialect": [StrOptions({"c45", "j48"})],
        "categorical_features": ["array-like", None],
        "unseen": [StrOptions({"missing", "error"})],
        "n_jobs": N_JOBS,
        "random_state": [Interval(Integral, 0, MOST, closed="both"), None],
    }

    cost_matrix: Any = None
    cost_use: str = "weights"
    decision: str = "majority"
    criterion: str = "gain_ratio"
    feature_costs: Any = None
    gamma: float = 1.0
    ratio_of_candidate: bool = True
    split_at_loss: bool = False
    reuse_cost: str = "free"
    max_upfront_cost: float | None = None
    max_path_cost: float | None = None
    prune: str | None = "error"
    confidence: float = 0.25
    raise_subtrees: bool = True
    collapse: bool = True
    min_samples_leaf: float = 2
    group_values: bool = False
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    growth: str = "depth_first"
    min_gain: float = 0.0
    max_bins: int | None = None
    smoothing: str | None = None
    smoothing_strength: float = 2.0
    cost_vector: str = "sum"
    dialect: str = "c45"
    categorical_features: Sequence[Any] | None = None
    unseen: str = "missing"
    n_jobs: int | None = None
    random_state: int | None = 0

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, costs: ArrayLike | None = None
    ) -> Self:
        """Learn the tree.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_features)
            Numbers, categories, text and booleans, with missing values as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            How many rows each row stands for.
        costs : array-like of shape (n_samples, n_classes), optional
            ``costs[i, k]`` is what predicting class ``k`` (in sorted order) for row ``i`` costs. Rows then
            weigh by their own costs instead of their class's, and without a ``cost_matrix`` the mean row of
            each class takes its place in decisions.
        """
        training = read_training(self, X, y, sample_weight, costs, check_finite=False)
        self._check_prices(training)
        if self.criterion == "total_cost":
            tree, observed = self._search(training), None
        else:
            tree, observed = self._grow(training)
        smoothing = self.smoothing, self.smoothing_strength
        self._set_fitted(
            FittedTree.decided(
                tree=tree,
                schema=training.table.schema,
                classes=training.classes,
                values=tree.probabilities(*smoothing),
                costs=None if training.cost_matrix is None else training.cost_matrix.values,
                min_cost=self.decision == "min_cost" or self.criterion == "total_cost",
                observed=observed,
                row_values=None if observed is None else tree.probabilities(*smoothing, observed),
                feature_costs=training.feature_costs,
            )
        )
        if self.criterion != "total_cost":
            self._set_fitted(prune_by(self.prune, self.fitted_tree_))
        return self

    def _grow(self, training: TrainingSet) -> tuple[TreeModel, NDArray[np.float64] | None]:
        judge = CRITERIA[self.criterion]
        return learn_tree(
            training,
            row_weights(training, self.cost_use, self.cost_vector),
            _core.GrowOptions(
                dialect=self.dialect,
                criterion=self.criterion if judge is None else "gain",
                min_samples_leaf=self.min_samples_leaf,
                group_values=self.group_values,
                max_depth=-1 if self.max_depth is None else self.max_depth,
                max_leaf_nodes=self.max_leaf_nodes or 0,
                min_gain=self.min_gain,
                max_bins=self.max_bins or 0,
                collapse=self.collapse,
                n_threads=effective_n_jobs(self.n_jobs),
                best_first=self.growth == "best_first",
                gamma=self.gamma,
                ratio_of_candidate=self.ratio_of_candidate,
                split_at_loss=self.split_at_loss,
                reuse_free=self.reuse_cost == "free",
                max_upfront_cost=_or_infinite(self.max_upfront_cost),
                max_path_cost=_or_infinite(self.max_path_cost),
            ),
            prune=self.prune,
            confidence=self.confidence,
            raise_subtrees=self.raise_subtrees,
            judge=judge,
        )

    def _search(self, training: TrainingSet) -> TreeModel:
        free = PriceArrays.plain(np.zeros(len(training.table.schema)))
        return learn_total_cost(
            training,
            training.price_arrays or free,
            max_depth=6 if self.max_depth is None else self.max_depth,
            max_bins=self.max_bins or 64,
            max_path_cost=_or_infinite(self.max_path_cost),
            max_upfront_cost=_or_infinite(self.max_upfront_cost),
            n_jobs=effective_n_jobs(self.n_jobs),
            random_state=self.random_state,
        )

    def _check_prices(self, training: TrainingSet) -> None:
        limits = self.max_upfront_cost is not None or self.max_path_cost is not None
        if training.feature_costs is None and (self.criterion in PRICED or limits):
            what = "a limit on costs" if limits else f"criterion={self.criterion!r}"
            raise ValueError(f"feature_costs must say what columns cost, since {what} is given; got None")


def _or_infinite(limit: float | None) -> float:
    return np.inf if limit is None else limit
