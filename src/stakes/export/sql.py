"""A tree as one SQL expression that SQLite and PostgreSQL read alike, missing and unseen values included."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base.labels import Label
from stakes._text.ranges import Range
from stakes.decision import RELATIVE_ROUNDING
from stakes.export.languages import renders
from stakes.export.walk import refuse_dates, tested_columns
from stakes.rules import RuleSet
from stakes.table import Column
from stakes.tree import FittedTree, path_ranges

#: CASE expressions nested in each other; SQLite's parser has a stack of 100 entries, each level takes five.
NESTING = 10
#: Columns of a subquery; PostgreSQL allows 1664, SQLite 2000.
MOST_COLUMNS = 1000
#: Terms of one sum; SQLite allows expressions 1000 deep, and a + b + c is two deep.
MOST_TERMS = 100

#: Where rows may end: (node, branch) tests on the way, the last one None if the node answers a missing value.
_End = tuple[list[tuple[int, int | None]], NDArray[np.float64]]


@renders("sql", FittedTree)
def export_sql(fitted: FittedTree, *, table: str | None = None, output: str = "prediction") -> str:
    """Write a tree as an SQL expression, or as a query over a table.

    The expression is a nested ``CASE`` for rows that meet no missing value. For the others it goes on to a
    subquery without tables that weighs the leaves, as the tree does. Columns are quoted by their names; a
    nominal column holds the category itself (text, number or boolean); NULL is missing, and so is a category
    never seen in training. NaN is not NULL in PostgreSQL: store missing numbers as NULL.
    Trees of thousands of nodes can be very slow there; ``SET jit = off`` may help.

    Parameters
    ----------
    fitted : FittedTree
        The tree.
    table : str, optional
        Name of a table; the result is then a query that gives all its columns and the class.
    output : str
        Name of the column with the class in such a query.

    Examples
    --------
    >>> import sqlite3
    >>> from stakes.tree.words import example
    >>> base = sqlite3.connect(":memory:")
    >>> _ = base.execute("CREATE TABLE loans (income REAL, housing TEXT)")
    >>> _ = base.execute("INSERT INTO loans VALUES (30, 'own'), (NULL, 'rent')")
    >>> base.execute(export_sql(example(), table="loans")).fetchall()
    [(30.0, 'own', 'good'), (None, 'rent', 'bad')]
    >>> base.close()
    """
    refuse_dates(tested_columns(fitted), "SQL")
    answers = label_literals(fitted.labels)
    if fitted.tree.feature[0] < 0:
        expression = answers[int(fitted.choose(fitted.values[:1])[0])]
    else:
        parent = fitted.tree.parent
        codes = fitted.choose(fitted.values)
        plain = _case(fitted, 0, 0, [answers[code] for code in codes], parent)
        expression = f"COALESCE(\n{plain},\n{_mixture(fitted, answers)}\n)"
    if table is None:
        return expression
    return f"SELECT *, {expression} AS {sql_name(output)} FROM {sql_name(table)}"


def _case(fitted: FittedTree, node: int, depth: int, answers: list[str], parent: NDArray[np.int32]) -> str:
    """Nested CASE for rows without missing values below a node; NULL for the others."""
    tree, indent = fitted.tree, "  " * (depth + 1)
    if tree.feature[node] < 0:
        return f"{indent}{answers[node]}"
    whens = []
    if depth < NESTING:
        for branch, child in enumerate(tree.children(node)):
            condition = _condition(fitted, node, branch)
            if condition is not None:
                below = _case(fitted, child, depth + 1, answers, parent)
                whens.append(f"{indent}WHEN {condition} THEN\n{below}")
    else:
        for leaf in (n for n in tree.walk(node) if tree.feature[n] < 0):
            ranges = path_ranges(fitted, leaf, parent)
            conditions = [
                range_condition(fitted.schema.columns[feature], kept) for feature, kept in ranges.items()
            ]
            if None not in conditions:
                whens.append(f"{indent}WHEN {' AND '.join(map(str, conditions))} THEN {answers[leaf]}")
    if not whens:
        return f"{indent}NULL"
    return "\n".join([f"{indent}CASE", *whens, f"{indent}END"])


def _condition(fitted: FittedTree, node: int, branch: int) -> str | None:
    """Condition for a branch of a node, None where no value leads there."""
    tree = fitted.tree
    kept = Range()
    if not tree.is_numeric(node):
        kept.codes = np.flatnonzero(tree.branches(node) == branch).tolist()
    elif branch == 0:
        kept.high = float(tree.threshold[node])
    else:
        kept.low = float(tree.threshold[node])
    return range_condition(fitted.schema.columns[int(tree.feature[node])], kept)


def range_condition(column: Column, kept: Range) -> str | None:
    """Condition that a column lies in a range, None where no value does."""
    name = sql_name(column.name)
    if kept.codes is None:
        tests = [f"{name} > {_threshold(kept.low)}"] if math.isfinite(kept.low) else []
        tests += [f"{name} <= {_threshold(kept.high)}"] if math.isfinite(kept.high) else []
        return " AND ".join(tests)
    if not kept.codes:
        return None
    values = [_literal(column.categories[code]) for code in kept.codes]
    return f"{name} = {values[0]}" if len(values) == 1 else f"{name} IN ({', '.join(values)})"


def _mixture(fitted: FittedTree, answers: list[str]) -> str:
    """Scalar subquery for rows with missing values: branch numbers, weights, class scores, class."""
    n_classes, own = fitted.n_classes, _own(fitted.schema.names)
    p, s = f"{own}p", f"{own}s"
    blocks = [_block(fitted, ends, own, i) for i, ends in enumerate(_chunks(_ends(fitted)))]
    sums = [_sum([f"{own}m{i}.{p}{k}" for i in range(len(blocks))]) for k in range(n_classes)]
    # LIMIT 1 changes nothing but keeps PostgreSQL from copying the sums to every place where they are used.
    query = f"SELECT {_columns(p, sums)} FROM {', '.join(blocks)} LIMIT 1"
    if fitted.min_cost:
        costs = fitted.cost_values.tolist()
        scores = [
            _sum([f"{p}{j} * {_number(costs[j][k])}" for j in range(n_classes)]) for k in range(n_classes)
        ]
    else:
        scores = [f"-{p}{k}" for k in range(n_classes)]
    query = f"SELECT {_columns(s, scores)} FROM ({query}) AS {p} LIMIT 1"
    whens = []
    for k in range(n_classes - 1):
        # Lower classes were refused for a better one, so only the later ones are left to compare with.
        tests = [f"{s}{k} <= {s}{j} + {RELATIVE_ROUNDING!r} * ABS({s}{j})" for j in range(k + 1, n_classes)]
        whens.append(f"WHEN {' AND '.join(tests)} THEN {answers[k]}")
    choice = f"CASE {' '.join(whens)} ELSE {answers[-1]} END" if whens else answers[-1]
    return f"  (SELECT {choice}\n  FROM ({query}) AS {s})"


def _ends(fitted: FittedTree) -> list[_End]:
    """All places where a row may end, depth first, with the tests on the way there."""
    tree, fractions = fitted.tree, fitted.tree.fractions()
    ends: list[_End] = []
    stack: list[tuple[int, list[tuple[int, int | None]]]] = [(0, [])]
    while stack:
        node, path = stack.pop()
        below = tree.children(node)
        if not below:
            ends.append((path, fitted.values[node]))
        elif not fractions[below.start : below.stop].any():
            ends.append(([*path, (node, None)], fitted.values[node]))
        stack.extend((child, [*path, (node, child - below.start)]) for child in reversed(below))
    return ends


def _chunks(ends: list[_End]) -> list[list[_End]]:
    """Cut the ends into runs that need no more different branches than a subquery may have columns."""
    chunks: list[list[_End]] = []
    seen: set[tuple[int, int | None]] = set()
    for end in ends:
        if not chunks or len(seen.union(end[0])) > MOST_COLUMNS:
            chunks.append([])
            seen = set()
        chunks[-1].append(end)
        seen.update(end[0])
    return chunks


def _block(fitted: FittedTree, ends: list[_End], own: str, index: int) -> str:
    """Subquery for the class weights that come from some of the ends.

    The innermost query finds the branch of each test (NULL where the value is missing), so that a long list
    of categories is written once; the next one turns these into shares of the weight.
    """
    tree, fractions = fitted.tree, fitted.tree.fractions()
    used = sorted({step for path, _ in ends for step in path}, key=str)
    nodes = sorted({node for node, _ in used})
    branch_numbers = []
    for node in nodes:
        conditions = [_condition(fitted, node, branch) for branch in range(len(tree.children(node)))]
        whens = [f"WHEN {test} THEN {b}" for b, test in enumerate(conditions) if test is not None]
        number = f"CASE {' '.join(whens)} END" if whens else "CAST(NULL AS INTEGER)"
        branch_numbers.append(f"{number} AS {own}n{node}")
    shares = []
    for node, branch in used:
        if branch is None:
            share = f"CASE WHEN {own}n{node} IS NULL THEN 1 ELSE 0 END"
        else:
            missing = _number(float(fractions[tree.children(node)[branch]]))
            number = f"{own}n{node}"
            share = f"CASE WHEN {number} IS NULL THEN {missing} WHEN {number} = {branch} THEN 1 ELSE 0 END"
        shares.append(f"CAST({share} AS DOUBLE PRECISION) AS {own}{_step(node, branch)}")
    weights = ["*".join(own + _step(*step) for step in path) for path, _ in ends]
    sums = []
    for k in range(fitted.n_classes):
        terms = [f"{w}*{_number(float(v[k]))}" for w, (_, v) in zip(weights, ends, strict=True) if v[k] > 0]
        sums.append(_sum(terms) if terms else "CAST(0 AS DOUBLE PRECISION)")
    inner = f"(SELECT {', '.join(branch_numbers)} LIMIT 1) AS {own}n"
    return (
        f"(SELECT {_columns(f'{own}p', sums)}\n  FROM (SELECT {', '.join(shares)}\n  FROM {inner} LIMIT 1) "
        f"AS {own}b LIMIT 1) AS {own}m{index}"
    )


def _own(columns: Iterable[str]) -> str:
    """Return a beginning of the query's own names that keeps them apart from columns of the table.

    DuckDB reads a name as that of an expression beside it before it looks for a column outside.
    """
    taken, own = [name.casefold() for name in columns], ""
    while any(re.fullmatch(own + r"[bmnps]\d*(_[x\d]+)?", name) for name in taken):
        own += "q_"
    return own


def _step(node: int, branch: int | None) -> str:
    return f"b{node}_{'x' if branch is None else branch}"


def _columns(prefix: str, expressions: Iterable[str]) -> str:
    return ", ".join(f"{expression} AS {prefix}{k}" for k, expression in enumerate(expressions))


def _sum(terms: Sequence[str]) -> str:
    while len(terms) > MOST_TERMS:
        runs = [terms[i : i + MOST_TERMS] for i in range(0, len(terms), MOST_TERMS)]
        terms = [f"({' + '.join(run)})" for run in runs]
    return " + ".join(terms)


def _threshold(value: float) -> str:
    """Write a number so that every database reads back the same bits.

    SQLite promises 15 digits when it reads a decimal; where more are needed, the number is written as a whole
    number divided or multiplied by powers of two, which is exact.
    """
    text = repr(value)
    digits = text.lstrip("-").partition("e")[0].replace(".", "").strip("0")
    if len(digits) <= 15 and (value == 0 or 1e-15 < abs(value) < 1e15):
        return _number(value)
    mantissa, exponent = math.frexp(value)
    whole, exponent = int(math.ldexp(mantissa, 53)), exponent - 53
    while whole and whole % 2 == 0:
        whole, exponent = whole // 2, exponent + 1
    result = _double(whole)
    sign = "/" if exponent < 0 else "*"
    for _ in range(abs(exponent) // 50):
        result += f" {sign} {_double(2**50)}"
    if abs(exponent) % 50:
        result += f" {sign} {_double(2 ** (abs(exponent) % 50))}"
    return f"({result})"


def _double(whole: int) -> str:
    return f"CAST({whole} AS DOUBLE PRECISION)"


def _number(value: float) -> str:
    text = repr(float(value))
    return f"({text})" if value < 0 else text


def sql_name(text: str) -> str:
    """Quote an identifier."""
    return '"' + _checked(text, "a name").replace('"', '""') + '"'


def _literal(value: Any) -> str:
    """Write a category or a label as a literal."""
    if isinstance(value, bool):
        return "(1 = 1)" if value else "(1 = 0)"  # SQLite reads TRUE as a column where there is one called so
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"SQL has no literal for {value!r}")
        return _number(value)
    return "'" + _checked(str(value), "a text").replace("'", "''") + "'"


def _checked(text: str, what: str) -> str:
    if not isinstance(text, str) or "\0" in text:
        raise ValueError(f"{what} in SQL must be a string without the character NUL, got {text!r}")
    return text


def label_literals(labels: list[Label]) -> list[str]:
    """Write class labels as literals of one type."""
    # One column has one type: labels of several types are written as text.
    mixed = len({type(label) for label in labels}) > 1
    return [_literal(str(label) if mixed else label) for label in labels]


@renders("sql", RuleSet)
def export_rules(
    rules: RuleSet, *, abstain: bool = False, table: str | None = None, output: str = "prediction"
) -> str:
    """Write rules as an SQL expression, or as a query over a table.

    Columns are quoted by their names; a nominal column holds the category itself; NULL is missing, and a
    missing value meets no condition.

    Parameters
    ----------
    rules : RuleSet
    abstain : bool
        Whether a row without a rule gets NULL; else it gets the class of least expected cost.
    table : str, optional
        Name of a table; the result is then a query that gives all its columns and the class.
    output : str
        Name of the column with the class in such a query.
    """
    tested = {feature for rule in range(len(rules)) for feature, _ in rules.conditions(rule)}
    refuse_dates((rules.schema.columns[feature] for feature in sorted(tested)), "SQL")
    answers = label_literals(rules.labels)
    other = "NULL" if abstain else answers[rules.fallback]
    lines = [f"  WHEN {_rule_condition(rules, i)} THEN {answers[rules.label[i]]}" for i in range(len(rules))]
    expression = "\n".join(["CASE", *lines, f"  ELSE {other}", "END"]) if lines else other
    if table is None:
        return expression
    return f"SELECT *, {expression} AS {sql_name(output)} FROM {sql_name(table)}"


def _rule_condition(rules: RuleSet, rule: int) -> str:
    tests = []
    for feature, value in rules.conditions(rule):
        column = rules.schema.columns[feature]
        test = range_condition(column, rules.bins.range(feature, [value]))
        tests.append(test or f"{sql_name(column.name)} IS NOT NULL")
    return " AND ".join(tests)
