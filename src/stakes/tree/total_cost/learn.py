"""Trees of least total cost: what mistakes cost, and the tests met on the way to the answer.

1. Bagged trees say, for each row they have not seen, how probable each class is. A row then counts half as
   its own class and half as these probabilities: one odd row no longer makes a leaf worth its price.
2. A search that looks ahead builds the tree. At each node it tries the tests with the least cost if the
   branches were leaves, with the most information per price, and with the most information; it keeps the
   test with the least cost of the whole tree below it. Each leaf adds a penalty to the cost.
3. The unit of the penalty is what one row costs without any test, more than the best answer would. One unit
   is the rule; cross-validation may replace it with a larger one, or with no test at all, where that is
   better by more than a standard error.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes._base.folds import stratified_folds
from stakes._base.progress import part, part_of, tell
from stakes._base.training import TrainingSet
from stakes.costs import PriceArrays
from stakes.tree.core import as_model
from stakes.tree.model import TreeModel
from stakes.tree.prices import core_prices, path_prices
from stakes.tree.total_cost.teacher import out_of_bag

Floats = NDArray[np.float64]

#: Penalties of a leaf that are compared, in units; the first is kept unless another is clearly better.
PENALTIES = (1.0, 2.0, 4.0, 8.0, np.inf)

#: Cells (rows times columns) beyond which the search tries half as many tests per node.
_LARGE = 150_000

#: Rows that all bagged trees together should take, but never fewer trees than this.
_TREE_ROWS, _FEW_TREES = 100_000, 20


@dataclass(frozen=True, eq=False)
class _Learner:
    n_classes: int
    costs: Floats
    prices: PriceArrays
    trust: float
    n_trees: int
    search: _core.TotalCostOptions

    def shares(self, rows: TrainingSet, seed: np.random.SeedSequence) -> Floats:
        """Classes of each row: partly its own, partly what trees without it say."""
        own = np.eye(self.n_classes)[rows.codes]
        if self.trust >= 1.0:
            return own
        rng = np.random.default_rng(seed)
        n_trees = min(self.n_trees, max(_FEW_TREES, _TREE_ROWS // len(rows.codes)))
        columns, n_values = rows.table.columns, rows.table.schema.n_values
        others = out_of_bag(columns, n_values, rows.codes, self.n_classes, rows.weight, rng, n_trees)
        others = np.where(others.sum(axis=1, keepdims=True) > 0, others, own)
        mixed = self.trust * own + (1.0 - self.trust) * others
        mixed[mixed < 0.01] = 0.0  # they would double the work and move no decision
        return mixed / mixed.sum(axis=1, keepdims=True)

    def grow(self, rows: TrainingSet, shares: Floats, penalties: tuple[float, ...]) -> list[TreeModel]:
        row, code = np.nonzero(shares)
        spread = rows.take(row)
        weights = np.ascontiguousarray(shares[row, code] * spread.weight_or_ones)
        codes = code.astype(np.int32)
        table = _core.Table(spread.table.columns, spread.table.schema.n_values)
        totals = np.bincount(codes, weights=weights, minlength=self.n_classes)
        unit = float((totals @ self.costs).min()) / max(float(rows.weight_or_ones.sum()), 1e-300)
        prices, search = core_prices(self.prices), self.search
        if rows.table.n_samples * len(rows.table.schema) > _LARGE:
            search = search.replace(width=max(1, search.width // 2))
        choices = []
        for number, penalty in enumerate(penalties):
            asks = not np.isinf(penalty)
            options = search.replace(leaf_penalty=penalty * unit) if asks else search.replace(max_depth=0)
            with part_of(number, len(penalties)):
                tree = _core.grow_total_cost(
                    table, codes, self.n_classes, weights, self.costs, options, prices
                )
            choices.append(as_model(tree, self.n_classes))
        return choices

    def row_costs(self, tree: TreeModel, rows: TrainingSet, shares: Floats) -> Floats:
        """Expected cost of each row whose classes are so probable."""
        shares_at = tree.probabilities()
        values = np.column_stack([shares_at, path_prices(self.prices, tree)])
        table = _core.Table(rows.table.columns, rows.table.schema.n_values)
        all_rows = np.arange(len(rows.codes), dtype=np.int64)
        reached = _core.route_mixture(table, *tree.links(), all_rows, values).reshape(len(all_rows), -1)
        answer = (reached[:, :-1] @ self.costs).argmin(axis=1)
        return reached[:, -1] + (shares @ self.costs)[all_rows, answer]


def learn_total_cost(
    rows: TrainingSet,
    prices: PriceArrays,
    *,
    leaf_penalty: float | None = None,
    max_depth: int = 6,
    width: int = 4,
    min_samples_leaf: float = 3.0,
    max_bins: int = 64,
    max_path_cost: float = np.inf,
    max_upfront_cost: float = np.inf,
    trust: float = 0.5,
    n_trees: int = 100,
    n_folds: int = 5,
    n_jobs: int = 1,
    random_state: int | None = 0,
) -> TreeModel:
    """Tree with a small sum of misclassification costs and prices of the tests met, per row.

    Parameters
    ----------
    rows : TrainingSet
    prices : PriceArrays
        What the tests cost.
    leaf_penalty : float or None
        What a leaf adds to the cost, in units of what one row costs without any test; ``inf`` asks nothing.
        None: chosen by cross-validation.
    max_depth : int
        Longest path.
    width : int
        Tests tried per ranking at the root, half as many at each further level; halved on large tables.
    min_samples_leaf : float
        Least weight of known rows on each side of a test.
    max_bins : int
        Bins of a numeric column, 2 to 255.
    max_path_cost, max_upfront_cost : float
        Hard limits: no path costs more, and all columns of the tree together cost no more.
    trust : float
        How much a row counts as its own class; the rest is what trees that have not seen it say.
    n_trees : int
        Number of these trees; fewer on large tables, where each row has many like it.
    n_folds : int
        Folds of the cross-validation.
    n_jobs : int
        Folds that are worked on at a time. The tree does not depend on it.
    random_state : int or None
        Seed of bags and folds; None draws one.

    Returns
    -------
    TreeModel
        Its class weights are those of the mixed classes; their cheapest class is what a node should answer.
    """
    if rows.weight is not None and not np.all(rows.weight > 0):  # a fold must not end up without weight
        rows = rows.take(np.flatnonzero(rows.weight > 0))
    search = _core.TotalCostOptions(
        max_depth=max_depth,
        width=width,
        min_samples_leaf=min_samples_leaf,
        max_bins=max_bins,
        max_path_cost=max_path_cost,
        max_upfront_cost=max_upfront_cost,
    )
    # What being right costs or earns is paid with every tree; only what mistakes add decides between trees.
    costs = np.ascontiguousarray(rows.cost_values - rows.cost_values.min(axis=1, keepdims=True))
    learner = _Learner(len(rows.classes), costs, prices, trust, n_trees, search)
    final, *seeds = np.random.SeedSequence(random_state).spawn(n_folds + 2)
    with part(0, 0.1):
        shares = learner.shares(rows, final)
    if leaf_penalty is None:
        with part(0.1, 0.9):
            leaf_penalty = _choose_penalty(learner, rows, shares, seeds, n_jobs)
    with part(0.9, 1):
        return learner.grow(rows, shares, (leaf_penalty,))[0]


def _choose_penalty(
    learner: _Learner, rows: TrainingSet, shares: Floats, seeds: list[np.random.SeedSequence], n_jobs: int
) -> float:
    """Penalty with the least cost on rows not learned from; the first if none is clearly better."""
    n_folds = min(len(seeds) - 1, len(rows.codes))
    if n_folds < 2:
        return PENALTIES[0]
    fold = stratified_folds(rows.codes.astype(np.intp), n_folds, np.random.default_rng(seeds[-1]))
    row_costs = np.zeros((len(rows.codes), len(PENALTIES)))

    def judge(k: int) -> None:
        inside, outside = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        train, test = rows.take(inside), rows.take(outside)
        trees = learner.grow(train, learner.shares(train, seeds[k]), PENALTIES)
        for j, tree in enumerate(trees):
            # The mixed classes of the judged rows: half as noisy a judge where a rare class is costly.
            row_costs[outside, j] = learner.row_costs(tree, test, shares[outside])

    # Two folds of a large table have rows enough to tell the penalties apart.
    n_judged = 2 if rows.table.n_samples * len(rows.table.schema) > _LARGE else n_folds
    with ThreadPoolExecutor(max(1, n_jobs)) as pool:
        for number, _ in enumerate(pool.map(judge, range(n_judged)), 1):
            tell(number / n_judged)
    judged = fold < n_judged
    return PENALTIES[clearly_best(row_costs[judged], rows.weight_or_ones[judged])]


def clearly_best(row_costs: Floats, weights: Floats) -> int:
    """Column with the least mean cost, where it is better than the first by more than a standard error.

    Examples
    --------
    >>> import numpy as np
    >>> clearly_best(np.array([[2.0, 1.0], [2.0, 1.1], [2.0, 0.9]]), np.ones(3))
    1
    >>> clearly_best(np.array([[2.0, 9.0], [2.0, 0.0], [9.0, 0.0]]), np.ones(3))
    0
    """
    share = weights / weights.sum()
    saved = row_costs[:, :1] - row_costs
    mean = share @ saved
    error = np.sqrt(np.sum((share[:, np.newaxis] * (saved - mean)) ** 2, axis=0))
    return int(np.argmax(np.where(mean > error, mean - error, 0.0)))
