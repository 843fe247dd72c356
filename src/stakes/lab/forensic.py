"""Davis' protocol: the cheapest tree that is nearly as accurate as C4.5.

What `TradeoffSearchCV` finds with an even grid, without the points that are not asked for: trees are tried
from the cheapest on, a cross-validation stops as soon as it has made too many errors, and trees come straight
from the core, which is what fifty draws of prices need.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from stakes import _core
from stakes._base.folds import stratified_folds
from stakes.costs import FeatureCosts, as_feature_costs
from stakes.table import Table
from stakes.tree import TreeModel
from stakes.tree.c45.learn import deviate
from stakes.tree.core import as_model, core_table
from stakes.tree.prices import core_prices


@dataclass(eq=False, repr=False, kw_only=True)
class CheapestTree(ClassifierMixin, BaseEstimator):
    """The cheapest tree for any gamma whose cross-validated accuracy is nearly that of C4.5.

    Parameters
    ----------
    criterion : str
        A criterion with feature costs; "tan" has no gamma, so that there is one tree; "gain_ratio" is C4.5.
    ratio_of_candidate, split_at_loss, reuse_cost : bool, bool, {"free", "full"}
        As in `C45Classifier`.
    per_decade : int
        How many values of gamma are tried per factor of ten, from 1e-6 to 1e6.
    n_folds : int
    tolerance : float
        Share of the rows that may be lost against C4.5 on the same folds.
    feature_costs : FeatureCosts
    random_state : int
        Shuffles the rows into folds.

    Attributes
    ----------
    price_ratio_ : float
        Price of the columns of the tree over that of C4.5's; 1 where C4.5's tree costs nothing.
    kept_ : bool
        Whether C4.5's tree was kept, as no other is accurate enough.
    gamma_ : float or None
    n_nodes_ : int
    """

    criterion: str = "cs_gain"
    ratio_of_candidate: bool = True
    split_at_loss: bool = False
    reuse_cost: str = "free"
    per_decade: int = 4
    n_folds: int = 10
    tolerance: float = 0.01
    feature_costs: Any = None
    random_state: int | None = None

    def fit(self, X: Table, y: Any) -> Self:
        """Find the tree."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        folded = _folded(X, codes.tobytes(), len(self.classes_), self.n_folds, self.random_state or 0)
        prices = as_feature_costs(self.feature_costs, X.schema.names)
        if prices is None:
            raise ValueError("feature_costs must be prices of the columns, got None")
        at = np.array([prices.cost([name]) for name in X.schema.names])
        base = _price(folded.baseline, at)
        best = None if self.criterion == "gain_ratio" else self._search(folded, prices, at)
        self.gamma_: float | None = None if best is None else best[0]
        self.model_ = folded.baseline if best is None else best[1]
        self.kept_ = best is None
        self.price_ratio_ = 1.0 if best is None or base == 0 else _price(self.model_, at) / base
        self.n_nodes_ = self.model_.n_nodes
        return self

    def _search(
        self, folded: _Folded, prices: FeatureCosts, at: NDArray[np.float64]
    ) -> tuple[float, TreeModel] | None:
        settings: dict[str, Any] = {
            "criterion": self.criterion,
            "prices": core_prices(prices.arrays(folded.rows.table.schema.names)),
            "ratio_of_candidate": self.ratio_of_candidate,
            "split_at_loss": self.split_at_loss,
            "reuse_free": self.reuse_cost == "free",
        }
        most = folded.most_errors(self.tolerance)
        gammas = (1.0,) if self.criterion == "tan" else even_gammas(self.per_decade)
        trees = [(gamma, folded.rows.learn(gamma=gamma, **settings)) for gamma in gammas]
        # From the cheapest on, the first that qualifies is the one; of equal prices the gentlest comes first.
        for gamma, tree in sorted(trees, key=lambda pair: _price(pair[1], at)):
            if folded.errors(most, gamma=gamma, **settings) <= most:
                return gamma, tree
        return None

    def predict(self, X: Table) -> NDArray[Any]:
        """Return the class of each row."""
        return self.classes_[_answers(core_table(X), self.model_, len(self.classes_))]


def even_gammas(per_decade: int) -> tuple[float, ...]:
    """Values from 1e-6 to 1e6, so many per factor of ten.

    Examples
    --------
    >>> even_gammas(1)[5:8]
    (0.1, 1.0, 10.0)
    """
    return tuple(float(10.0 ** (step / per_decade)) for step in range(-6 * per_decade, 6 * per_decade + 1))


class _Rows:
    """Rows as the core takes them, handed over once."""

    def __init__(self, table: Table, codes: NDArray[np.intp], n_classes: int) -> None:
        self.table, self.n_classes = table, n_classes
        self.codes = np.ascontiguousarray(codes, dtype=np.int32)
        self.core = core_table(table)

    def learn(self, prices: _core.Prices | None = None, **growing: Any) -> TreeModel:
        """A tree with C4.5's defaults."""
        options = _core.GrowOptions(**growing)
        tree = _core.grow_tree(self.core, self.codes, self.n_classes, None, options, prices)
        tree.prune_by_errors(self.core, self.codes, None, "c45", 0.25, deviate(0.25, "c45"), True)
        return as_model(tree, self.n_classes)

    def errors(self, model: TreeModel) -> int:
        """Rows that a tree gets wrong."""
        return int((_answers(self.core, model, self.n_classes) != self.codes).sum())


class _Folded:
    """All rows, and the folds that accuracy is measured on."""

    def __init__(
        self, table: Table, codes: NDArray[np.intp], n_classes: int, n_folds: int, seed: int
    ) -> None:
        self.rows = _Rows(table, codes, n_classes)
        fold = stratified_folds(codes, n_folds, seed)
        self.parts = [
            tuple(_Rows(table.take(rows), codes[rows], n_classes) for rows in (fold != k, fold == k))
            for k in range(n_folds)
        ]
        self.baseline = self.rows.learn()
        self.baseline_errors = self.errors(np.inf)

    def most_errors(self, tolerance: float) -> int:
        """Errors that a tree may make."""
        return int(np.floor(self.baseline_errors + tolerance * len(self.rows.codes) + 1e-9))

    def errors(self, limit: float, **settings: Any) -> int:
        """Errors of the cross-validation; it stops where they pass the limit."""
        total = 0
        for train, test in self.parts:
            total += test.errors(train.learn(**settings))
            if total > limit:
                break
        return total


@lru_cache(maxsize=1)
def _folded(table: Table, codes: bytes, n_classes: int, n_folds: int, seed: int) -> _Folded:
    """The folds, made once for all criteria that see the same rows."""
    return _Folded(table, np.frombuffer(codes, dtype=np.intp), n_classes, n_folds, seed)


def _answers(core: _core.Table, model: TreeModel, n_classes: int) -> NDArray[np.int32]:
    leaf = _core.route_leaves(core, *model.links())
    predicted = model.label[leaf]
    spread = np.flatnonzero(leaf < 0)
    if len(spread):
        values = np.ascontiguousarray(model.probabilities())
        mixed = _core.route_mixture(core, *model.links(), spread, values).reshape(-1, n_classes)
        predicted[spread] = mixed.argmax(axis=1)
    return predicted


def _price(tree: TreeModel, at: NDArray[np.float64]) -> float:
    # Sums of the same columns in the same order, so that equal sets have equal prices.
    return float(at[np.unique(tree.feature[tree.feature >= 0])].sum())
