"""Why a row got its class: the path through the tree in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.labels import Label
from stakes._text.money import money
from stakes._text.ranges import level
from stakes._text.words import any_of, plain, rounded_repr
from stakes.decision import expected_costs
from stakes.tree.fitted import FittedTree
from stakes.tree.words import branch_words

#: Of the leaves that a row with missing values reaches, so many are told one by one.
MOST_PARTS = 4


@rounded_repr
@dataclass(frozen=True)
class Explanation:
    """One row's way through a tree; ``str()`` tells it in a sentence.

    Attributes
    ----------
    label : str, bool, int or float
        Class predicted.
    steps : tuple of str
        Tests met, in words, up to the leaf or to the end of the common part of the ways followed.
    parts : tuple of (float, tuple of str, label)
        Where a value was missing: for each leaf reached its weight, the further steps to it and its answer,
        the heaviest first. Empty for a row that reached one leaf.
    probabilities : tuple of float
        Class probabilities that the decision was taken on.
    expected_costs : dict of label to float
        What predicting each class would cost on average.
    nodes : tuple of int
        Leaves reached (or inner nodes that had to answer), the heaviest first.
    """

    label: Label
    steps: tuple[str, ...]
    parts: tuple[tuple[float, tuple[str, ...], Label], ...]
    probabilities: tuple[float, ...]
    expected_costs: dict[Label, float]
    nodes: tuple[int, ...]

    def __str__(self) -> str:
        """Tell the path, the answer and what each answer would cost."""
        steps = list(self.steps)
        for weight, further, label in self.parts[:MOST_PARTS]:
            path = "; ".join(further)
            steps.append(f"[{weight:.2f}: {path}{' ' if path else ''}→ {plain(str(label))}]")
        if len(self.parts) > MOST_PARTS:
            rest = self.parts[MOST_PARTS:]
            steps.append(f"[{len(rest)} more leaves with {sum(part[0] for part in rest):.2f}]")
        chance = self.probabilities[list(self.expected_costs).index(self.label)]
        start = f"{'; '.join(steps)} " if steps else ""
        verdict = f"{start}→ {plain(str(self.label))}: {chance:.2f} of the training rows"
        return f"{verdict}; {_costs_in_words(self.expected_costs)}"


def explain(fitted: FittedTree, columns: Sequence[NDArray[Any]]) -> list[Explanation]:
    """Explain the class of each row of an encoded table.

    Parameters
    ----------
    fitted : FittedTree
        The tree.
    columns : sequence of arrays
        The columns of the encoded table: float64 with NaN as missing, or int32 codes with -1 as missing.

    Examples
    --------
    >>> import numpy as np
    >>> from stakes.tree.words import example
    >>> rows = [np.array([30.0, 50.0]), np.array([0, -1], dtype=np.int32)]
    >>> for why in explain(example(), rows):
    ...     print(why)
    income 30 > 24; income 30 <= 60; housing is 'own' → good: 0.92 of the training rows; \
predicting bad would cost 0.92, good 0.42
    income 50 > 24; income 50 <= 60; housing missing or never seen: followed both branches, 0.75/0.25; \
[0.75: → good]; [0.25: → bad] → good: 0.72 of the training rows; \
predicting bad would cost 0.72, good 1.41
    """
    if len(columns) != len(fitted.schema.columns):
        raise ValueError(
            f"columns must be the {len(fitted.schema.columns)} columns of the table, got {len(columns)}"
        )
    fractions = fitted.tree.fractions()
    n_rows = len(columns[0]) if len(columns) else 0
    return [explain_row(fitted, [column[i] for column in columns], fractions) for i in range(n_rows)]


def explain_row(fitted: FittedTree, row: list[Any], fractions: NDArray[np.float64]) -> Explanation:
    """Explain the class of one encoded row; ``fractions`` are those of the tree."""
    ends = _ends(fitted, row, fractions)
    mixture, shares = np.zeros((2, fitted.n_classes))
    for weight, node, _ in ends:
        mixture += weight * fitted.values[node]
        shares += weight * fitted.shares[node]
    code = int(fitted.choose(mixture[None, :])[0])
    costs = expected_costs(shares[None, :], fitted.cost_values)[0]
    labels = fitted.labels
    ends.sort(key=lambda end: -end[0])
    common = _common([steps for _, _, steps in ends])
    parts = []
    if len(ends) > 1:
        parts = [(w, steps[common:], labels[fitted.decision[node]]) for w, node, steps in ends]
    return Explanation(
        label=labels[code],
        steps=ends[0][2][:common],
        parts=tuple(parts),
        probabilities=tuple(shares.tolist()),
        expected_costs=dict(zip(labels, costs.tolist(), strict=True)),
        nodes=tuple(node for _, node, _ in ends),
    )


def _ends(
    fitted: FittedTree, row: list[Any], fractions: NDArray[np.float64]
) -> list[tuple[float, int, tuple[str, ...]]]:
    """Weight, node and steps of each place where the row ends, depth first in branch order."""
    tree = fitted.tree
    ends = []
    stack: list[tuple[int, float, tuple[str, ...]]] = [(0, 1.0, ())]
    while stack:
        node, weight, steps = stack.pop()
        if tree.feature[node] < 0:
            ends.append((weight, node, steps))
            continue
        feature, below = int(tree.feature[node]), tree.children(node)
        branch = branch_of(fitted, node, row[feature])
        if branch is not None:
            words = _step(fitted, node, branch, row[feature])
            stack.append((below[branch], weight, (*steps, words)))
            continue
        shares = fractions[below.start : below.stop]
        steps = (*steps, _missing_step(fitted, feature, shares))
        if not shares.any():
            ends.append((weight, node, steps))
        for child in reversed(below):
            if fractions[child] > 0:
                stack.append((child, weight * float(fractions[child]), steps))
    return ends


def branch_of(fitted: FittedTree, node: int, value: Any) -> int | None:
    """Branch that an encoded value takes at a node; None where it takes all of them in proportion."""
    if fitted.tree.is_numeric(node):
        return None if np.isnan(value) else int(not value <= fitted.tree.threshold[node])
    branches = fitted.tree.branches(node)
    branch = int(branches[value]) if 0 <= value < len(branches) else -1
    return None if branch < 0 else branch


def _step(fitted: FittedTree, node: int, branch: int, value: Any) -> str:
    column = fitted.schema.columns[int(fitted.tree.feature[node])]
    threshold = float(fitted.tree.threshold[node])
    name = plain(column.name)
    if not fitted.tree.is_numeric(node):
        return f"{name} is {any_of(column.categories, [int(value)])}"
    if level(column, value) == level(column, threshold) and value != threshold:
        # Rounding for reading would make "3.3 > 3.3" of this.
        return f"{name} {float(value)!r} {'<=' if branch == 0 else '>'} {threshold!r}"
    return f"{name} {level(column, value)} {branch_words(fitted, node, branch)}"


def _missing_step(fitted: FittedTree, feature: int, shares: NDArray[np.float64]) -> str:
    column = fitted.schema.columns[feature]
    what = f"{plain(column.name)} missing" + ("" if column.kind == "numeric" else " or never seen")
    if not shares.any():
        return f"{what}: no branch has training rows, answered here"
    how_many = "both" if len(shares) == 2 else f"all {len(shares)}"
    return f"{what}: followed {how_many} branches, {'/'.join(f'{share:.2g}' for share in shares)}"


def _common(paths: list[tuple[str, ...]]) -> int:
    """Length of the common beginning of all paths."""
    length = min(map(len, paths))
    return next((i for i in range(length) if len({path[i] for path in paths}) > 1), length)


def _costs_in_words(costs: dict[Label, float]) -> str:
    (first, price), *others = ((plain(str(label)), money(cost)) for label, cost in costs.items())
    return ", ".join([f"predicting {first} would cost {price}", *(" ".join(other) for other in others)])
