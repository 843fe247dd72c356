"""A tree as text and as Graphviz source."""

from __future__ import annotations

from stakes.tree.fitted import FittedTree
from stakes.tree.words import amount, branch_words, number, plain, totals


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
    _, errors, costs = totals(fitted)
    leaves = tree.leaves
    total = float(costs[leaves].sum())
    lines = []
    if tree.feature[0] < 0:
        lines.append(_answer(fitted, 0, total).removeprefix(": "))
    stack = [(child, 0, 0) for child in reversed(tree.children(0))]
    while stack:
        node, parent, depth = stack.pop()
        branch = node - int(tree.first_child[parent])
        name = plain(fitted.schema.columns[int(tree.feature[parent])].name)
        line = "|   " * depth + f"{name} {branch_words(fitted, parent, branch)}"
        if tree.feature[node] < 0:
            lines.append(line + _answer(fitted, node, total))
        elif depth + 1 >= deepest:
            lines.append(line + _summary(fitted, node, total))
        else:
            lines.append(line)
            stack.extend((child, node, depth + 1) for child in reversed(tree.children(node)))
    size = f"{len(leaves)} {'leaf' if len(leaves) == 1 else 'leaves'}"
    nodes = f"{tree.n_nodes} {'node' if tree.n_nodes == 1 else 'nodes'}"
    weight = amount(fitted.counts[leaves].sum())
    lines += [
        "",
        f"{size}, {nodes}, weight {weight}: {amount(errors[leaves].sum())} wrong, cost {amount(total)}",
    ]
    return "\n".join(lines)


def _answer(fitted: FittedTree, node: int, total: float) -> str:
    return f": {plain(str(fitted.labels[fitted.decision[node]]))} ({_facts(fitted, [node], total)})"


def _summary(fitted: FittedTree, node: int, total: float) -> str:
    below = [n for n in fitted.tree.walk(node) if fitted.tree.feature[n] < 0]
    return f": ... {len(below)} leaves ({_facts(fitted, below, total)})"


def _facts(fitted: FittedTree, leaves: list[int], total: float) -> str:
    weight, errors, costs = (array[leaves].sum() for array in totals(fitted))
    facts = [amount(weight)]
    if errors > 0:
        facts.append(f"{amount(errors)} wrong")
    if costs > 0 and total > 0:
        facts.append(f"{percent(costs / total)} of cost")
    return ", ".join(facts)


def percent(share: float) -> str:
    """Write a share without calling something nothing."""
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def export_dot(fitted: FittedTree, *, max_depth: int | None = None) -> str:
    """Write a tree as source for Graphviz.

    Parameters
    ----------
    fitted : FittedTree
        The tree.
    max_depth : int, optional
        Levels of tests to show; a deeper part is one dashed node.

    Examples
    --------
    >>> from stakes.tree.words import example
    >>> print(export_dot(example(), max_depth=1))
    digraph tree {
      node [shape=box, fontname="Helvetica"];
      edge [fontname="Helvetica"];
      0 [label="income"];
      1 [label="bad\\n30, 5 wrong, 31% of cost", style=rounded];
      2 [label="3 leaves\\n64, 3 wrong, 69% of cost", style=dashed];
      0 -> 1 [label="<= 24"];
      0 -> 2 [label="> 24"];
    }
    """
    tree = fitted.tree
    deepest = _check_depth(max_depth)
    depth = tree.depth
    total = float(fitted.node_costs()[tree.leaves].sum())
    lines = ["digraph tree {", '  node [shape=box, fontname="Helvetica"];', '  edge [fontname="Helvetica"];']
    shown = [node for node in range(tree.n_nodes) if depth[node] <= deepest]
    for node in shown:
        if tree.feature[node] < 0:
            label = f"{plain(str(fitted.labels[fitted.decision[node]]))}\n{_facts(fitted, [node], total)}"
            style = ", style=rounded"
        elif depth[node] == deepest:
            below = [n for n in tree.walk(node) if tree.feature[n] < 0]
            label, style = f"{len(below)} leaves\n{_facts(fitted, below, total)}", ", style=dashed"
        else:
            label, style = plain(fitted.schema.columns[int(tree.feature[node])].name), ""
        lines.append(f"  {node} [label={_dot_string(label)}{style}];")
    for node in shown:
        if depth[node] < deepest:
            for branch, child in enumerate(tree.children(node)):
                words = plain(branch_words(fitted, node, branch, most=4)).removeprefix("is ")
                lines.append(f"  {node} -> {child} [label={_dot_string(words)}];")
    return "\n".join([*lines, "}"])


def _dot_string(text: str) -> str:
    # Graphviz reads \N, \G and the like as escapes of its own, and entities such as &lt; as characters.
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("\n", "\\n")
    return f'"{text}"'


def _check_depth(max_depth: int | None) -> int:
    """Number of levels to show; a bad one is a ValueError."""
    if max_depth is None:
        return 2**31
    if isinstance(max_depth, bool) or not isinstance(max_depth, int) or max_depth < 1:
        raise ValueError(f"max_depth must be None or a whole number from 1, got {max_depth!r}")
    return max_depth


__all__ = ["export_dot", "export_text", "number", "percent"]
