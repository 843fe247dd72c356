"""A tree as text and as Graphviz source."""

from __future__ import annotations

from stakes._text.words import amount, percent, plain
from stakes.export.languages import renders
from stakes.tree import FittedTree, branch_words, categories_met


@renders("text", FittedTree)
def export_text(fitted: FittedTree, *, max_depth: int | None = None) -> str:
    """Write a tree as indented lines, one per branch.

    A leaf shows its class and in brackets the training weight that arrived, the part of it that is wrong,
    and the leaf's share of the tree's cost.

    Parameters
    ----------
    fitted : FittedTree
        The tree.
    max_depth : int, optional
        Levels of tests to show; what lies deeper is summarised.

    Examples
    --------
    >>> from stakes.tree.words import example
    >>> print(export_text(example()))
    income <= 24: bad (30, 5 wrong, 31% of cost)
    income > 24
    |   income <= 60
    |   |   housing is 'own': good (24, 2 wrong, 62% of cost)
    |   |   housing is 'rent' or 'free': bad (8, 1 wrong, 6% of cost)
    |   income > 60: good (32)
    <BLANKLINE>
    4 leaves, 7 nodes, weight 94: 8 wrong, cost 16
    """
    tree = fitted.tree
    deepest = _check_depth(max_depth)
    facts, met = Facts(fitted), categories_met(tree)
    lines = []
    if tree.feature[0] < 0:
        lines.append(_answer(fitted, 0, facts).removeprefix(": "))
    stack = [(child, 0, 0) for child in reversed(tree.children(0))]
    while stack:
        node, parent, depth = stack.pop()
        branch = node - int(tree.first_child[parent])
        name = plain(fitted.schema.columns[int(tree.feature[parent])].name)
        line = "|   " * depth + f"{name} {branch_words(fitted, parent, branch, met=met)}"
        if tree.feature[node] < 0:
            lines.append(line + _answer(fitted, node, facts))
        elif depth + 1 >= deepest:
            lines.append(line + _summary(fitted, node, facts))
        else:
            lines.append(line)
            stack.extend((child, node, depth + 1) for child in reversed(tree.children(node)))
    lines += [
        "",
        f"{_count(len(tree.leaves), 'leaf', 'leaves')}, {_count(tree.n_nodes, 'node', 'nodes')}, {facts}",
    ]
    return "\n".join(lines)


class Facts:
    """Weight, errors and share of the cost of any leaves of one tree, in words."""

    def __init__(self, fitted: FittedTree) -> None:
        self.weight, self.errors, self.costs = fitted.totals()
        self.leaves = fitted.tree.leaves
        self.total = float(self.costs[self.leaves].sum())

    def of(self, leaves: list[int]) -> str:
        """Tell of some leaves together; what is zero is left out."""
        weight, errors, cost = (array[leaves].sum() for array in (self.weight, self.errors, self.costs))
        facts = [amount(weight)]
        if errors > 0:
            facts.append(f"{amount(errors)} wrong")
        if cost > 0 and self.total > 0:
            facts.append(f"{percent(cost / self.total)} of cost")
        return ", ".join(facts)

    def __str__(self) -> str:
        """Tell of the whole tree."""
        weight, errors = amount(self.weight[self.leaves].sum()), amount(self.errors[self.leaves].sum())
        return f"weight {weight}: {errors} wrong, cost {amount(self.total)}"


def _count(n: int, singular: str, plural: str) -> str:
    return f"{n} {singular if n == 1 else plural}"


def _answer(fitted: FittedTree, node: int, facts: Facts) -> str:
    return f": {plain(str(fitted.labels[fitted.decision[node]]))} ({facts.of([node])})"


def _summary(fitted: FittedTree, node: int, facts: Facts) -> str:
    below = [n for n in fitted.tree.walk(node) if fitted.tree.feature[n] < 0]
    return f": ... {len(below)} leaves ({facts.of(below)})"


def _check_depth(max_depth: int | None) -> int:
    """Number of levels to show; a bad one is a ValueError."""
    if max_depth is None:
        return 2**31
    if isinstance(max_depth, bool) or not isinstance(max_depth, int) or max_depth < 1:
        raise ValueError(f"max_depth must be None or a whole number from 1, got {max_depth!r}")
    return max_depth
