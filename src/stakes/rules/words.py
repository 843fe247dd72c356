"""Rules in words: a table to read, with intervals of neighbouring bins merged where asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, overload

import numpy as np

from stakes import _core
from stakes._base.labels import Label
from stakes._text.extras import extra_module
from stakes._text.ranges import range_words
from stakes._text.words import amount, plain, rounded_repr
from stakes.rules.model import RuleSet


@rounded_repr
@dataclass(frozen=True)
class Rule:
    """One rule for reading.

    Attributes
    ----------
    conditions : tuple of str
        What a row must meet, in words.
    label : str, bool, int or float
        Class that the rule predicts.
    quality : float
        Cost-weighted entropy on the training rows that it covers, from 0 (one class only) to 1.
    support : float
        Training weight of the predicted class that it covers.
    coverage : float
        Training weight that it covers.
    cost : float
        What its mistakes cost on these rows.
    """

    conditions: tuple[str, ...]
    label: Label
    quality: float
    support: float
    coverage: float
    cost: float

    def __str__(self) -> str:
        """Write the rule on one line."""
        where = " and ".join(self.conditions)
        return (
            f"if {where} then {plain(str(self.label))}  "
            f"({amount(self.support)} of {amount(self.coverage)} rows, quality {self.quality:.2f})"
        )


class RuleTable(Sequence[Rule]):
    """Rules in their order of precedence; printed it is a text, ``to_frame`` makes a data frame.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from stakes import RuleClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> rules = RuleClassifier(t_good=0.3, max_length=1).fit(X, y).rules_
    >>> print(rules[0])
    if petal length (cm) <= 2.45 then 0  (50 of 50 rows, quality 0.00)
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)

    def __len__(self) -> int:
        return len(self._rules)

    @overload
    def __getitem__(self, index: int) -> Rule: ...

    @overload
    def __getitem__(self, index: slice) -> RuleTable: ...

    def __getitem__(self, index: int | slice) -> Rule | RuleTable:
        return RuleTable(self._rules[index]) if isinstance(index, slice) else self._rules[index]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def __str__(self) -> str:
        """One rule a line."""
        return "\n".join(map(str, self._rules)) if self._rules else "no rule"

    def __repr__(self) -> str:
        return f"<{len(self)} rules>" if len(self) != 1 else "<1 rule>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rules as plain values."""
        return [asdict(rule) for rule in self._rules]

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row per rule."""
        pandas = extra_module("pandas", "a data frame", "data")
        columns = ["conditions", "class", "quality", "support", "coverage", "cost"]
        rows = [
            (" and ".join(r.conditions), r.label, r.quality, r.support, r.coverage, r.cost)
            for r in self._rules
        ]
        return pandas.DataFrame(rows, columns=columns)


@dataclass(frozen=True)
class _Part:
    """A rule whose conditions are sets of bins, on its way to words."""

    conditions: tuple[tuple[int, frozenset[int]], ...]
    label: int
    weights: tuple[float, ...]
    quality: float


def rule_table(rules: RuleSet, *, merged: bool = False) -> RuleTable:
    """Put rules into words.

    Parameters
    ----------
    rules : RuleSet
    merged : bool
        Whether rules of one class that differ only in neighbouring intervals (or in categories) of one column
        are shown as one. Each keeps its own quality when it decides; the merged line has the quality of their
        rows together. So this is for reading, not for deciding.
    """
    parts = [
        _Part(
            tuple((f, frozenset([v])) for f, v in rules.conditions(i)),
            int(rules.label[i]),
            tuple(rules.class_weights[i].tolist()),
            float(rules.quality[i]),
        )
        for i in range(len(rules))
    ]
    if merged:
        parts = _merged(rules, parts)
    return RuleTable([_rule(rules, part) for part in parts])


def condition_words(rules: RuleSet, feature: int, bins: Sequence[int]) -> str:
    """Say what a condition asks of a column."""
    column = rules.schema.columns[feature]
    kept = rules.bins.range(feature, bins)
    if kept.codes is None and np.isinf(kept.low) and np.isinf(kept.high):
        return f"{plain(column.name)} is known"
    return range_words(column, kept)


def _rule(rules: RuleSet, part: _Part) -> Rule:
    weights = np.array(part.weights)
    return Rule(
        conditions=tuple(condition_words(rules, f, sorted(bins)) for f, bins in part.conditions),
        label=rules.labels[part.label],
        quality=part.quality,
        support=float(weights[part.label]),
        coverage=float(weights.sum()),
        cost=float(weights @ rules.costs[:, part.label]),
    )


def _merged(rules: RuleSet, parts: list[_Part]) -> list[_Part]:
    """Join pairs as long as there are any; what stays keeps the place of its first rule."""
    groups: dict[Any, list[tuple[int, _Part]]] = {}
    for place, part in enumerate(parts):
        groups.setdefault((part.label, tuple(f for f, _ in part.conditions)), []).append((place, part))
    placed: dict[int, _Part] = {}
    for group in groups.values():
        while group:
            place, first = group.pop(0)
            while partner := next((pair for pair in group if _joinable(rules, first, pair[1])), None):
                group.remove(partner)
                first = _join(rules, first, partner[1])
            placed[place] = first
    return [placed[place] for place in sorted(placed)]


def _joinable(rules: RuleSet, a: _Part, b: _Part) -> bool:
    """Whether two rules of one class and on the same columns differ in one column, where they touch."""
    apart = [(f, x, y) for (f, x), (_, y) in zip(a.conditions, b.conditions, strict=True) if x != y]
    if len(apart) != 1 or apart[0][1] & apart[0][2]:
        return False
    feature, x, y = apart[0]
    if rules.schema.columns[feature].is_nominal:
        return True
    together = x | y
    return max(together) - min(together) + 1 == len(together)


def _join(rules: RuleSet, a: _Part, b: _Part) -> _Part:
    conditions = tuple((f, x | y) for (f, x), (_, y) in zip(a.conditions, b.conditions, strict=True))
    weights = np.array(a.weights) + np.array(b.weights)
    quality, _ = _core.rule_quality(weights * _class_costs(rules))
    return replace(a, conditions=conditions, weights=tuple(weights.tolist()), quality=quality)


def _class_costs(rules: RuleSet) -> np.ndarray:
    """What mistaking each class costs on average, by the cost matrix."""
    k = len(rules.classes)
    shifted = rules.costs - rules.costs.min(axis=1, keepdims=True)
    return np.ones(1) if k == 1 else np.ascontiguousarray(shifted.sum(axis=1) - np.diag(shifted))
