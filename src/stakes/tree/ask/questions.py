"""Where a case with some values known stands in a tree, and what the next value would decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stakes._base.labels import Label
from stakes._text.ranges import level
from stakes._text.words import any_of, plain
from stakes.tree.ask.answers import Encoded
from stakes.tree.explain import branch_of
from stakes.tree.fitted import FittedTree

#: So many outcomes of a question are told one by one.
MOST_OUTCOMES = 5


@dataclass(frozen=True)
class Place:
    """Where some share of a case stands: at a leaf, or at the first test whose value is not known yet."""

    share: float
    node: int
    waiting: bool


@dataclass(frozen=True)
class Outcome:
    """What follows from some answers to a question.

    Attributes
    ----------
    condition : str
        The answers, such as ``<= 24`` or ``'own' or 'free'``.
    label : class that is then decided on, None where it is not decided yet
    then : name of the column asked for next; None where a class is decided on, or where a value that is
        missing, or was not met at fit time, leads on several ways
    """

    condition: str
    label: Label | None
    then: str | None

    def __str__(self) -> str:
        """Tell condition and consequence."""
        if self.label is not None:
            return f"{self.condition}: {plain(str(self.label))}"
        return f"{self.condition}: " + (
            "several ways on" if self.then is None else f"{plain(self.then)} is asked next"
        )


def places(fitted: FittedTree, fractions: NDArray[np.float64], values: Mapping[int, Encoded]) -> list[Place]:
    """Follow a case as far as its known values lead, depth first in branch order."""
    tree = fitted.tree
    reached = []
    stack: list[tuple[int, float]] = [(0, 1.0)]
    while stack:
        node, share = stack.pop()
        feature = int(tree.feature[node])
        if feature < 0 or feature not in values:
            reached.append(Place(share, node, waiting=feature >= 0))
            continue
        below, branch = tree.children(node), branch_of(fitted, node, values[feature])
        if branch is not None:
            stack.append((below[branch], share))
        elif not fractions[below.start : below.stop].any():
            reached.append(Place(share, node, waiting=False))
        else:
            stack.extend((c, share * float(fractions[c])) for c in reversed(below) if fractions[c] > 0)
    return reached


def waiting_shares(fitted: FittedTree, where: list[Place]) -> dict[int, float]:
    """Share of the case that waits for each column, the heaviest first; the first met on ties."""
    shares: dict[int, float] = {}
    for place in where:
        if place.waiting:
            feature = int(fitted.tree.feature[place.node])
            shares[feature] = shares.get(feature, 0.0) + place.share
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def columns_below(
    fitted: FittedTree, fractions: NDArray[np.float64], where: list[Place], values: Mapping[int, Encoded]
) -> set[int]:
    """Columns that may be asked for from these places on, whatever the answers are."""
    tree = fitted.tree
    below: set[int] = set()
    stack = [place.node for place in where if place.waiting]
    while stack:
        node = stack.pop()
        feature = int(tree.feature[node])
        if feature < 0:
            continue
        children = tree.children(node)
        if feature not in values:
            below.add(feature)
            stack.extend(children)
        elif (branch := branch_of(fitted, node, values[feature])) is not None:
            stack.append(children[branch])
        else:
            stack.extend(child for child in children if fractions[child] > 0)
    return below


def shares_so_far(fitted: FittedTree, where: list[Place]) -> NDArray[np.float64]:
    """Class shares of the training rows at the places where the case stands."""
    mixture = np.zeros(fitted.n_classes)
    for place in where:
        mixture += place.share * fitted.shares[place.node]
    return mixture


@dataclass(frozen=True)
class _Part:
    """A node with the answers that lead there: an interval (low, high], or codes of categories."""

    node: int
    low: float = -np.inf
    high: float = np.inf
    codes: tuple[int, ...] = ()


def outcomes(fitted: FittedTree, values: Mapping[int, Encoded], node: int) -> tuple[Outcome, ...]:
    """List what the answers to a node's question lead to, answers of the same consequence together."""
    tree = fitted.tree
    feature = int(tree.feature[node])
    column = fitted.schema.columns[feature]
    ends: list[tuple[_Part, Label | None, str | None]] = []
    stack = [_Part(node, codes=tuple(range(len(column.categories))))]
    while stack:
        part = stack.pop()
        test = int(tree.feature[part.node])
        if test < 0:
            ends.append((part, fitted.labels[fitted.decision[part.node]], None))
        elif test == feature:
            stack.extend(reversed(_split(fitted, part)))
            if strange := tuple(c for c in part.codes if tree.branches(part.node)[c] < 0):
                ends.append((_Part(part.node, codes=strange), None, None))
        elif test not in values:
            ends.append((part, None, fitted.schema.names[test]))
        elif (branch := branch_of(fitted, part.node, values[test])) is None:
            ends.append((part, None, None))
        else:
            stack.append(_Part(tree.children(part.node)[branch], part.low, part.high, part.codes))
    return tuple(Outcome(_condition(fitted, feature, part), *target) for part, target in _merged(ends))


def _split(fitted: FittedTree, part: _Part) -> list[_Part]:
    tree, below = fitted.tree, fitted.tree.children(part.node)
    if tree.is_numeric(part.node):
        cut = float(tree.threshold[part.node])
        left = _Part(below[0], part.low, min(part.high, cut))
        right = _Part(below[1], max(part.low, cut), part.high)
        return [half for half in (left, right) if half.low < half.high]
    branches = tree.branches(part.node)
    kept = [tuple(code for code in part.codes if branches[code] == b) for b in range(len(below))]
    return [_Part(child, codes=codes) for child, codes in zip(below, kept, strict=True) if codes]


def _merged(
    ends: list[tuple[_Part, Label | None, str | None]],
) -> list[tuple[_Part, tuple[Label | None, str | None]]]:
    """Categories of one consequence together, and intervals of one consequence that touch."""
    merged: list[tuple[_Part, tuple[Label | None, str | None]]] = []
    for part, label, then in ends:
        target = (label, then)
        same = (i for i, (other, goal) in enumerate(merged) if goal == target and _joins(other, part))
        i = next(same, None)
        if i is None:
            merged.append((part, target))
            continue
        other = merged[i][0]
        codes = tuple(sorted({*other.codes, *part.codes}))
        merged[i] = (_Part(other.node, other.low, part.high, codes), target)
    return merged


def _joins(first: _Part, second: _Part) -> bool:
    return bool(second.codes) or first.high == second.low


def _condition(fitted: FittedTree, feature: int, part: _Part) -> str:
    column = fitted.schema.columns[feature]
    if column.is_nominal:
        return any_of(column.categories, part.codes, 4)
    low, high = part.low, part.high
    ends = [f"> {level(column, low)}"] * (low > -np.inf) + [f"<= {level(column, high)}"] * (high < np.inf)
    return " and ".join(ends) or "any number"


def why_words(share: float, outcomes: tuple[Outcome, ...]) -> str:
    """Say what a question decides, and for how much of the case where that is split."""
    shown = "; ".join(map(str, outcomes[:MOST_OUTCOMES]))
    rest = f"; {len(outcomes) - MOST_OUTCOMES} more" if len(outcomes) > MOST_OUTCOMES else ""
    split = "" if share > 1 - 1e-9 else f" ({share:.0%} of the case waits for it)"
    return f"{shown or 'nothing that could be told'}{rest}{split}"
