"""What fitted rules can do: decide or abstain, answer in any case, explain, be read and exported."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from stakes._base.exporting import render
from stakes._base.features import any_columns, encode_rows
from stakes._base.reporting import ReportMixin
from stakes._base.saving import SavedModelMixin
from stakes.costs import CostMatrix, FeatureCosts
from stakes.decision import AnswersMixin, Decision
from stakes.rules.explain import explain
from stakes.rules.model import RuleSet
from stakes.rules.routing import RuleAnswers
from stakes.rules.words import RuleTable, rule_table
from stakes.table import Table


class RuleModel(SavedModelMixin, ReportMixin, AnswersMixin, ClassifierMixin, BaseEstimator):
    """Base of classifiers whose fitted model is a :class:`RuleSet`, in ``rule_set_``."""

    _model_class = RuleSet
    _model_attribute = "rule_set_"

    rule_set_: RuleSet
    classes_: NDArray[Any]
    fallback_: Any
    n_features_in_: int

    #: Parameters that every such estimator has.
    abstain_cost: float | None
    unseen: str
    n_jobs: int | None

    def _set_fitted(self, fitted: RuleSet) -> None:
        self.rule_set_ = fitted
        self.classes_ = fitted.classes
        self.n_features_in_ = len(fitted.schema)
        self.fallback_ = None

    # ---- the fitted model ----------------------------------------------------------------------------------

    @property
    def rules_(self) -> RuleTable:
        """The rules for reading, in the order in which they speak."""
        return rule_table(self.rule_set_)

    @property
    def t_good_(self) -> float:
        """The cut-off used."""
        return self.rule_set_.t_good

    @property
    def cost_matrix_(self) -> CostMatrix:
        """Costs that decisions are made with; 1 for every mistake where none were given."""
        return CostMatrix(self.rule_set_.costs, self.classes_, check=False)

    @property
    def feature_costs_(self) -> FeatureCosts | None:
        """What it costs to read the columns; None where all are free."""
        return self.rule_set_.feature_costs

    def upfront_cost(self, feature_costs: Any = None) -> float:
        """Return the price of all columns that rules ask for, paid before it is known which."""
        return self._checked.priced(feature_costs).upfront_cost()

    def path_cost(self, X: Any, feature_costs: Any = None) -> NDArray[np.float64]:
        """Return the price of the columns that each row's answer, or abstention, took.

        Rules are tried in their order, and each is given up at its first condition that fails.
        """
        return self.answers(X).path_cost(feature_costs)

    # ---- prediction ----------------------------------------------------------------------------------------

    def answers(self, X: Any) -> RuleAnswers:
        """Labels, probabilities and expected costs of the rows, and decisions about them, by one matching."""
        return RuleAnswers(self, X, self._table(X), effective_n_jobs(self.n_jobs))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the number of the rule that speaks for each row, -1 where none does."""
        return self.answers(X).rule

    def decide(self, X: Any, abstain_cost: float | ArrayLike | None = None) -> Decision:
        """Return the class of the rule that speaks for each row, or none.

        Parameters
        ----------
        X : rows
        abstain_cost : float or array-like of shape (n_samples,), optional
            Rows whose answer is expected to cost more than this are left undecided, too. An undecided row is
            expected to cost this or else the parameter of that name; NaN where neither is given.
        """
        return super().decide(X, abstain_cost)

    def _table(self, X: Any) -> Table:
        return encode_rows(self, self._checked.schema, X, unseen=self.unseen)

    # ---- reading -------------------------------------------------------------------------------------------

    def explain(self, X: Any, background: Any = None) -> Any:
        """Say for each row which rule spoke, which ones it overruled and what each answer would cost.

        With a background, rows like those of X, the share of each column is told instead, as by ensembles.
        """
        if background is not None:
            return super().explain(X, background)
        return explain(self._checked, self._table(X))

    def _column_savings(self) -> NDArray[np.float64]:
        return self._checked.column_savings()

    def rule_table(self, *, merged: bool = True) -> RuleTable:
        """Return the rules for reading, those that differ in neighbouring intervals of a column as one."""
        return rule_table(self._checked, merged=merged)

    def export_text(self, *, merged: bool = True) -> str:
        """Return the rules as text, one a line."""
        return str(self.rule_table(merged=merged))

    def export_sql(
        self, *, abstain: bool = False, table: str | None = None, output: str = "prediction"
    ) -> str:
        """Return an SQL ``CASE`` expression, or with ``table`` a whole query.

        ``abstain`` gives NULL where no rule applies, as ``decide`` does; else the answer is that of
        ``predict``.
        """
        check_is_fitted(self)
        if self.fallback_ is not None and not abstain:
            raise ValueError("the fallback cannot be written in SQL; abstain=True gives NULL for its rows")
        return render(self.rule_set_, "sql", abstain=abstain, table=table, output=output)

    def __sklearn_tags__(self) -> Tags:
        return any_columns(super().__sklearn_tags__())
