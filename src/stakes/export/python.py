"""A tree as a Python module without any dependency.

Exported code in Python and C follows one plan. A row carries weight 1 into the root; a test gives each branch
a share of the weight, all of it to one branch or, where the value is missing, the training shares; leaves add
their probabilities times the weight. So products and sums are formed in one order everywhere; what a compiler
rounds differently (fused multiply-add) stays far below the tolerance for ties.
"""

from __future__ import annotations

from collections.abc import Iterator

from stakes._text.words import plain
from stakes.decision import RELATIVE_ROUNDING
from stakes.export.languages import renders
from stakes.export.walk import function_roots, refuse_dates, tested_columns, walk_function
from stakes.tree import FittedTree, branch_words


@renders("python", FittedTree)
def export_python(fitted: FittedTree) -> str:
    """Write a tree as a Python module that needs only the standard library.

    The module has ``predict(row)``, which takes a mapping of column names to values and returns a label, and
    ``predict_proba(row)``, which returns a list of probabilities in the order of ``CLASSES``. A key that is
    absent, None, NaN, and a value never seen in training count as missing.

    Examples
    --------
    >>> from stakes.tree.words import example
    >>> module = {}
    >>> exec(export_python(example()), module)
    >>> module["predict"]({"income": 30, "housing": "own"}), module["predict"]({"income": 20})
    ('good', 'bad')
    """
    refuse_dates(tested_columns(fitted), "Python")
    functions = []
    for root in function_roots(fitted):
        body = "\n".join(_python_lines(fitted, root))
        functions.append(f"def _tree_{root}(row, w{root}, p):\n{body}\n")
    costs = fitted.cost_values.tolist() if fitted.min_cost else None
    return _PYTHON.format(
        classes=repr(fitted.labels),
        costs=repr(costs),
        functions="\n\n".join(functions),
        tolerance=repr(RELATIVE_ROUNDING),
    )


def _python_lines(fitted: FittedTree, root: int) -> Iterator[str]:
    tree, fractions = fitted.tree, fitted.tree.fractions()
    for node, depth, call in walk_function(fitted, root):
        indent = "    " * (depth + 1)
        if node < 0:
            continue
        if node != root:
            parent, branch = call.parent, call.branch
            name = fitted.schema.columns[int(tree.feature[parent])].name
            words = plain(f"{name} {branch_words(fitted, parent, branch, most=8)}")
            yield f"{indent[4:]}if b{parent}[{branch}]:  # {words}"
            yield f"{indent}w{node} = w{parent} * b{parent}[{branch}]"
        if call.cut:
            yield f"{indent}_tree_{node}(row, w{node}, p)"
        elif tree.feature[node] < 0:
            yield f"{indent}_add(p, w{node}, {fitted.values[node].tolist()!r})"
        else:
            column = fitted.schema.columns[int(tree.feature[node])]
            below = tree.children(node)
            shares = fractions[below.start : below.stop]
            if tree.is_numeric(node):
                test = f"_number(row, {column.name!r}, {float(tree.threshold[node])!r}"
            else:
                codes = enumerate(tree.branches(node).tolist())
                table = {column.categories[code]: branch for code, branch in codes if branch >= 0}
                test = f"_value(row, {column.name!r}, {table!r}"
            yield f"{indent}b{node} = {test}, {tuple(shares.tolist())!r})"
            if not shares.any():
                yield f"{indent}if not any(b{node}):  # missing, and no branch has training rows"
                yield f"{indent}    _add(p, w{node}, {fitted.values[node].tolist()!r})"


_PYTHON = '''"""A decision tree exported by stakes. predict(row) takes a mapping of column names to values."""

CLASSES = {classes}
COSTS = {costs}


def predict(row):
    """Return the label of one row."""
    scores = [-value for value in predict_proba(row)]
    if COSTS is not None:
        scores = _expected_costs([-value for value in scores])
    best = min(scores)
    limit = best + {tolerance} * abs(best)
    return next(label for label, score in zip(CLASSES, scores) if score <= limit)


def predict_proba(row):
    """Return the class probabilities of one row, in the order of CLASSES."""
    p = [0.0] * len(CLASSES)
    _tree_0(row, 1.0, p)
    return p


def _expected_costs(p):
    total = [0.0] * len(CLASSES)
    for actual, costs in enumerate(COSTS):
        for predicted, cost in enumerate(costs):
            total[predicted] += p[actual] * cost
    return total


def _add(p, weight, values):
    for k, value in enumerate(values):
        p[k] += weight * value


def _number(row, name, threshold, shares):
    value = row.get(name)
    try:
        missing = value is None or bool(value != value)
    except TypeError:  # pandas.NA refuses to be true or false
        missing = True
    if missing:
        return shares
    return (1.0, 0.0) if float(value) <= threshold else (0.0, 1.0)


def _value(row, name, branches, shares):
    branch = branches.get(row.get(name))
    if branch is None:
        return shares
    return tuple(float(b == branch) for b in range(len(shares)))


{functions}'''
