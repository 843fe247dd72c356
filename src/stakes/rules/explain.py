"""Why a row got its class: the rule that spoke and those that it overruled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stakes._base.labels import Label
from stakes._text.money import money
from stakes._text.words import plain, rounded_repr
from stakes.rules.model import RuleSet
from stakes.rules.words import Rule, rule_table
from stakes.table import Table

#: So many overruled rules are told one by one.
MOST_OVERRULED = 3


@rounded_repr
@dataclass(frozen=True)
class RuleExplanation:
    """What was said about one row; ``str()`` tells it in a sentence.

    Attributes
    ----------
    label : str, bool, int, float or None
        Class of the rule that spoke, None where none did.
    rule : Rule or None
        The rule that spoke.
    overruled : tuple of Rule
        Other rules that apply to the row, in their order; those of the same class agree with the one that
        spoke.
    expected_costs : dict of label to float
        What predicting each class would cost on average.
    """

    label: Label | None
    rule: Rule | None
    overruled: tuple[Rule, ...]
    expected_costs: dict[Label, float]

    def __str__(self) -> str:
        """Tell the rule, what it overruled and what each answer would cost."""
        prices = ", ".join(
            f"{plain(str(label))} {money(cost)}" for label, cost in self.expected_costs.items()
        )
        costs = f"expected costs: {prices}"
        if self.rule is None:
            return f"no rule applies, undecided; {costs}"
        against = [rule for rule in self.overruled if rule.label != self.label]
        text = str(self.rule)
        if against:
            shown = " | ".join(map(str, against[:MOST_OVERRULED]))
            more = f" and {len(against) - MOST_OVERRULED} more" if len(against) > MOST_OVERRULED else ""
            text += f"; overruled: {shown}{more}"
        agreeing = len(self.overruled) - len(against)
        if agreeing:
            text += f"; {agreeing} other {'rule agrees' if agreeing == 1 else 'rules agree'}"
        return f"{text}; {costs}"


def explain(rules: RuleSet, table: Table) -> list[RuleExplanation]:
    """Explain each row of an encoded table."""
    lines = rule_table(rules)
    codes = rules.bins.codes(table)
    applies = np.ones((len(rules), table.n_samples), dtype=bool)
    for i in range(len(rules)):
        for feature, value in rules.conditions(i):
            applies[i] &= codes[feature] == value
    costs = rules.shares @ rules.costs
    explanations = []
    for row in range(table.n_samples):
        which = np.flatnonzero(applies[:, row])
        first = int(which[0]) if len(which) else -1
        explanations.append(
            RuleExplanation(
                label=None if first < 0 else lines[first].label,
                rule=None if first < 0 else lines[first],
                overruled=tuple(lines[int(i)] for i in which[1:]),
                expected_costs=dict(zip(rules.labels, costs[first].tolist(), strict=True)),
            )
        )
    return explanations
