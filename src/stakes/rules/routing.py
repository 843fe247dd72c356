"""Which rule speaks for each row, and all that follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stakes._base.features import take_rows
from stakes.costs import CostMatrix
from stakes.decision import Answers, Decision, answers_of, lazy, or_abstain
from stakes.rules.model import RuleSet
from stakes.table import Table


class RuleAnswers(Answers):
    """Answers of rules, and of their fallback where none speaks.

    Parameters
    ----------
    model : fitted RuleModel
    X : rows as they were given, for the fallback
    table : the same rows, encoded
    n_threads : int
    """

    abstains = True

    def __init__(self, model: Any, X: Any, table: Table, n_threads: int) -> None:
        super().__init__(model)
        self.abstain_cost = model.abstain_cost
        self._rules: RuleSet = model.rule_set_
        self._X = X
        self._table = table
        self._n_threads = n_threads

    @property
    def routing(self) -> RuleAnswers:
        """These answers."""
        return self

    @lazy
    def rule(self) -> NDArray[np.int32]:
        """Number of the rule that speaks for each row, -1 where none does."""
        return self._rules.match(self._table, self._n_threads)

    @lazy
    def labels(self) -> NDArray[Any]:
        """Class of the rule, or what the fallback answers."""
        codes = self._codes
        if self._fallback is not None:
            known = CostMatrix.uniform(self._rules.classes)
            codes = codes.astype(np.intp)
            codes[self._no_rule] = known.codes(self._fallback.labels, "the fallback")
        return self._rules.classes[codes]

    @lazy
    def probabilities(self) -> NDArray[np.float64]:
        """Shares of the training rows that the rule covers, Laplace-corrected.

        Rows without a rule get those of the fallback, or the shares of the training rows without a rule.
        """
        proba = self._rules.shares[self.rule]
        fallback = self.model.fallback_
        if self._fallback is not None and hasattr(fallback, "predict_proba"):
            proba[self._no_rule] = 0.0
            columns = CostMatrix.uniform(self._rules.classes).codes(fallback.classes_, "fallback.classes_")
            proba[np.ix_(self._no_rule, columns)] = self._fallback.probabilities
        return proba

    def decide(self, abstain_cost: float | ArrayLike | None = None) -> Decision:
        """Class of the rule that speaks for each row, or none; see :meth:`RuleModel.decide`."""
        rules, price = self._rules, self.model.abstain_cost if abstain_cost is None else abstain_cost
        cost = (rules.shares @ rules.costs)[self.rule, self._codes]
        decision = or_abstain(rules.classes[self._codes], cost, abstain_cost)
        no_rule = self.rule < 0
        labels = decision.labels.astype(object)
        labels[no_rule] = None
        cost = np.where(no_rule, np.nan if price is None else price, decision.expected_cost)
        return Decision(labels, decision.undecided | no_rule, cost)

    def path_cost(self, feature_costs: Any = None) -> NDArray[np.float64]:
        """Price of the columns that were read for each row, by the rules' own prices or by these."""
        rules = self._rules.priced(feature_costs)
        return np.zeros(len(self._table)) if rules.feature_costs is None else rules.price_of(self._read)

    def columns_read(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Give each column that a rule asks for, with 1 for the rows for which it must be read."""
        for column in np.unique(self._rules.feature).tolist():
            yield column, self._read[:, column].astype(np.float64)

    @lazy
    def _read(self) -> NDArray[np.uint8]:
        return self._rules.columns_read(self._table, self._n_threads)

    @lazy
    def _codes(self) -> NDArray[np.int32]:
        return np.append(self._rules.label, self._rules.fallback)[self.rule]

    @lazy
    def _no_rule(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.rule < 0)

    @lazy
    def _fallback(self) -> Answers | None:
        """Answers of the fallback, where there is one that is needed."""
        if self.model.fallback_ is None or not len(self._no_rule):
            return None
        return answers_of(self.model.fallback_, take_rows(self._X, self._no_rule))
