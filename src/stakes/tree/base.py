"""What every classifier that ends as one tree can do: predict, decide, explain, draw, export, be saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags

from stakes._base.exporting import render
from stakes._base.features import any_columns, encode_rows
from stakes._base.frames import frame_or
from stakes._base.reporting import ReportMixin
from stakes._base.saving import SavedModelMixin
from stakes.costs import CostMatrix, FeatureCosts
from stakes.decision import AnswersMixin
from stakes.table import Table
from stakes.tree import words
from stakes.tree.ask.acquire import Acquired, acquire
from stakes.tree.core import core_table
from stakes.tree.explain import Explanation, explain
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel
from stakes.tree.routing import TreeAnswers


class TreeClassifier(SavedModelMixin, ReportMixin, AnswersMixin, ClassifierMixin, BaseEstimator):
    """Base of classifiers whose fitted model is a :class:`FittedTree`, in ``fitted_tree_``."""

    _model_class = FittedTree
    _model_attribute = "fitted_tree_"

    fitted_tree_: FittedTree
    classes_: NDArray[Any]
    n_features_in_: int

    #: Parameters that every such estimator has.
    unseen: str
    n_jobs: int | None
    cost_matrix: Any

    # ---- the fitted model ----------------------------------------------------------------------------------

    @property
    def tree_(self) -> TreeModel:
        """Nodes of the tree."""
        return self.fitted_tree_.tree

    @property
    def n_nodes_(self) -> int:
        """Number of nodes, leaves included."""
        return self.fitted_tree_.tree.n_nodes

    @property
    def cost_matrix_(self) -> CostMatrix:
        """Costs that decisions are made with; 1 for every mistake where none were given."""
        return CostMatrix(self.fitted_tree_.cost_values, self.classes_, check=False)

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return int((self._checked.tree.feature < 0).sum())

    def get_depth(self) -> int:
        """Return the largest number of tests that one row can meet."""
        return int(self._checked.tree.depth.max())

    # ---- feature costs -------------------------------------------------------------------------------------

    @property
    def feature_costs_(self) -> FeatureCosts | None:
        """What it costs to read the columns; None where all are free."""
        return self.fitted_tree_.feature_costs

    def upfront_cost(self, feature_costs: Any = None) -> float:
        """Return the price of all columns that the tree may ask for, paid before it is known which.

        ``feature_costs`` are other prices than those that the tree was fitted with.
        """
        return self._checked.priced(feature_costs).upfront_cost()

    def path_cost(self, X: Any, feature_costs: Any = None) -> NDArray[np.float64]:
        """Return the price of the tests that each row met, a shared part paid once per row.

        A row that a missing value sends down several branches pays for each in proportion to its share there.
        ``feature_costs`` are other prices than those that the tree was fitted with.
        """
        return self.answers(X).path_cost(feature_costs)

    def acquire(self, ask: Callable[[str], Any], row: Any = None, budget: float | None = None) -> Acquired:
        """Predict one case, asking only for what is needed next.

        Parameters
        ----------
        ask : callable
            Called with the name of a column, returns its value; None or NaN where it is unknown, which costs
            nothing and is handled as a missing value: every branch is followed with its share.
        row : mapping of column to value, optional
            What is known already and not asked for.
        budget : float, optional
            What may be spent. A question that exceeds what is left is not asked, its value is missing.
        """
        return acquire(self._checked, ask, row, budget, self.unseen)

    # ---- prediction ----------------------------------------------------------------------------------------

    def answers(self, X: Any) -> TreeAnswers:
        """Labels, probabilities and expected costs of the rows, and decisions about them, by one routing.

        Where rows were weighted by their costs, probabilities are shares of that weight, not of the rows;
        expected costs and decisions are made of shares of the rows, :meth:`decision_proba`.
        """
        rows = core_table(self._table(X))
        return TreeAnswers(self, self.fitted_tree_, rows, effective_n_jobs(self.n_jobs))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of each row, -1 where a missing value spreads the row over several."""
        return self.answers(X).leaf

    def _table(self, X: Any) -> Table:
        # Infinite values are found while routing, in the same pass over memory.
        return encode_rows(self, self._checked.schema, X, unseen=self.unseen, check_finite=False)

    # ---- reading -------------------------------------------------------------------------------------------

    def explain(self, X: Any, background: Any = None) -> Any:
        """Say for each row which tests it met, what the leaf says and what each answer would cost.

        With a background, rows like those of X, the share of each column is told instead, as by ensembles.
        """
        return self._paths(X, self._checked) if background is None else super().explain(X, background)

    def _paths(self, X: Any, tree: FittedTree) -> list[Explanation]:
        """Paths of rows through this tree, or through what a wrapper made of it."""
        return explain(tree, self._table(X).columns)

    def leaf_table(self, *, as_frame: bool | None = None) -> Any:
        """List the leaves with their conditions, class, weight and share of the cost.

        Parameters
        ----------
        as_frame : bool or None
            True for a data frame, of the library of the rows that were fitted, else of pandas or of polars;
            False for a list of `stakes.tree.Leaf`. None: a data frame where one of the two is installed.
        """
        leaves = words.leaf_table(self._checked)
        return frame_or(leaves, words.leaf_columns(leaves), getattr(self, "_frames", None), as_frame)

    def export_text(self, *, max_depth: int | None = None) -> str:
        """Return the tree as indented text."""
        return render(self._checked, "text", max_depth=max_depth)

    def export_dot(self, *, max_depth: int | None = None) -> str:
        """Return the tree as Graphviz source."""
        return render(self._checked, "dot", max_depth=max_depth)

    def export_svg(self, *, max_depth: int | None = None) -> str:
        """Return the tree as a drawing: class shares in every node, share of the cost in every leaf."""
        return render(self._checked, "svg", max_depth=max_depth)

    def export_python(self) -> str:
        """Return a Python module of its own with ``predict(row)``."""
        return render(self._checked, "python")

    def export_c(self, *, name: str = "tree") -> str:
        """Return C99 source of its own; its head says how to call it."""
        return render(self._checked, "c", name=name)

    def export_sql(self, *, table: str | None = None, output: str = "prediction") -> str:
        """Return an SQL ``CASE`` expression, or with ``table`` a whole query."""
        return render(self._checked, "sql", table=table, output=output)

    def _set_fitted(self, fitted: FittedTree) -> None:
        self.fitted_tree_ = fitted
        self.classes_ = fitted.classes
        self.n_features_in_ = len(fitted.schema)

    def __sklearn_tags__(self) -> Tags:
        return any_columns(super().__sklearn_tags__())
