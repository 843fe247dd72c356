"""Trees as Graphviz source."""

from __future__ import annotations

from stakes._text.words import plain
from stakes.export.languages import renders
from stakes.export.text import Facts, _check_depth
from stakes.tree import FittedTree, branch_words, categories_met


@renders("dot", FittedTree)
def export_dot(fitted: FittedTree, *, max_depth: int | None = None) -> str:
    r"""Write a tree as source for Graphviz.

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
      1 [label="bad\n30, 5 wrong, 31% of cost", style=rounded];
      2 [label="3 leaves\n64, 3 wrong, 69% of cost", style=dashed];
      0 -> 1 [label="<= 24"];
      0 -> 2 [label="> 24"];
    }
    """
    tree = fitted.tree
    deepest = _check_depth(max_depth)
    depth, met = tree.depth, categories_met(tree)
    facts = Facts(fitted)
    lines = ["digraph tree {", '  node [shape=box, fontname="Helvetica"];', '  edge [fontname="Helvetica"];']
    shown = [node for node in range(tree.n_nodes) if depth[node] <= deepest]
    for node in shown:
        if tree.feature[node] < 0:
            label = f"{plain(str(fitted.labels[fitted.decision[node]]))}\n{facts.of([node])}"
            style = ", style=rounded"
        elif depth[node] == deepest:
            below = [n for n in tree.walk(node) if tree.feature[n] < 0]
            label, style = f"{len(below)} leaves\n{facts.of(below)}", ", style=dashed"
        else:
            label, style = plain(fitted.schema.columns[int(tree.feature[node])].name), ""
        lines.append(f"  {node} [label={_dot_string(label)}{style}];")
    for node in shown:
        if depth[node] < deepest:
            for branch, child in enumerate(tree.children(node)):
                words = plain(branch_words(fitted, node, branch, most=4, met=met)).removeprefix("is ")
                lines.append(f"  {node} -> {child} [label={_dot_string(words)}];")
    return "\n".join([*lines, "}"])


def _dot_string(text: str) -> str:
    # Graphviz reads \N, \G and the like as escapes of its own, and entities such as &lt; as characters.
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("\n", "\\n")
    return f'"{text}"'
