"""Trees as C99 source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from stakes._text.words import plain
from stakes.decision import RELATIVE_ROUNDING
from stakes.export.languages import renders
from stakes.export.walk import function_roots, refuse_dates, tested_columns, walk_function
from stakes.tree import FittedTree, branch_words


@renders("c", FittedTree)
def export_c(fitted: FittedTree, *, name: str = "tree") -> str:
    """Write a tree as one C99 file.

    The file defines ``int NAME_predict(const double *x)`` (a class code), ``void NAME_proba(const double *x,
    double *p)``, ``NAME_classes`` (labels as text) and ``int NAME_category(int column, const char *text)``
    (the code of a category, -1 when it was never seen). ``x`` has one entry per column, in a nominal column
    the category's code; NaN, and in nominal columns any number that is no code, is missing.

    Parameters
    ----------
    fitted : FittedTree
        The tree.
    name : str
        What the names in the file begin with.

    Examples
    --------
    >>> from stakes.tree.words import example
    >>> source = export_c(example(), name="credit")
    >>> [line for line in source.splitlines() if line.startswith("int")]
    ['int credit_category(int column, const char *text) {', 'int credit_predict(const double *x) {']
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ValueError(f"name must be letters, digits and underscores, a letter first, got {name!r}")
    refuse_dates(tested_columns(fitted), "C")
    tree = fitted.tree
    roots = function_roots(fitted)
    inner = [node for node in range(tree.n_nodes) if tree.feature[node] >= 0]
    parts = [_c_header(fitted, name), "#include <string.h>\n", _c_tables(fitted, name), _C_ADD]
    if any(tree.is_numeric(node) for node in inner):
        parts.append(_C_NUMBER)
    if any(not tree.is_numeric(node) for node in inner):
        parts.append(_C_VALUE)
    fractions = tree.fractions()
    if any(not fractions[tree.children(node)].any() for node in inner):
        parts.append(_C_ZERO)
    for root in reversed(roots):
        body = "\n".join(_c_lines(fitted, root))
        unused = "    (void)x;\n" if tree.feature[root] < 0 else ""
        parts.append(
            f"static void tree_{root}(const double *x, double w{root}, double *p) {{\n{unused}{body}\n}}\n"
        )
    known = {"NAME": name, "N_CLASSES": str(fitted.n_classes), "TOLERANCE": repr(RELATIVE_ROUNDING)}
    parts.append(_filled(_C_PROBA, known))
    score = _filled(_C_COST, known) if fitted.min_cost else "        score[k] = -p[k];"
    costs = ""
    if fitted.min_cost:
        rows = ", ".join(_braces(row) for row in fitted.cost_values.tolist())
        costs = f"    static const double costs[{fitted.n_classes}][{fitted.n_classes}] = {{{rows}}};\n"
    parts.append(_filled(_C_PREDICT, known | {"SCORE": score, "COSTS": costs}))
    return "\n".join(parts)


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Put values in the places of a template, all at once: a name may look like another place."""
    return re.sub("|".join(sorted(values, key=len, reverse=True)), lambda place: values[place[0]], template)


def _c_header(fitted: FittedTree, name: str) -> str:
    lines = [
        "/* A decision tree exported by stakes.",
        " *",
        f" * int {name}_predict(const double *x) returns a class code; {name}_classes[code] is its label.",
        " * Missing values are NaN, in nominal columns also -1. Do not compile with -ffast-math.",
        " *",
        " * x[column]:",
    ]
    for index, column in enumerate(fitted.schema.columns):
        lines.append(f" *   [{index}] {_c_comment(column.name)}: {column.kind}")
        for code, category in enumerate(column.categories or ()):
            lines.append(f" *         {code} = {_c_comment(str(category))}")
    labels = [f" *   {code} = {_c_comment(str(label))}" for code, label in enumerate(fitted.labels)]
    return "\n".join([*lines, " * Classes:", *labels, " */"])


def _c_tables(fitted: FittedTree, name: str) -> str:
    labels = ", ".join(_c_string(str(label)) for label in fitted.labels)
    lines = [f"const char *const {name}_classes[{fitted.n_classes}] = {{{labels}}};", ""]
    cases = []
    for index, column in enumerate(fitted.schema.columns):
        if column.categories:
            texts = ", ".join(_c_string(str(category)) for category in column.categories)
            n_values = len(column.categories)
            lines.append(f"static const char *const categories_{index}[{n_values}] = {{{texts}}};")
            cases.append(f"    if (column == {index}) {{ known = categories_{index}; n = {n_values}; }}")
    return "\n".join([*lines, _filled(_C_CATEGORY, {"NAME": name, "CASES": "\n".join(cases)})])


def _c_lines(fitted: FittedTree, root: int) -> Iterator[str]:
    tree, fractions = fitted.tree, fitted.tree.fractions()
    for node, depth, call in walk_function(fitted, root):
        outer, indent = "    " * depth, "    " * (depth + 1)
        if node < 0:
            yield f"{indent}}}"
            continue
        if node != root:
            parent, branch = call.parent, call.branch
            column = fitted.schema.columns[int(tree.feature[parent])]
            words = _c_comment(f"{column.name} {branch_words(fitted, parent, branch, most=8)}")
            yield f"{outer}if (b{parent}[{branch}] > 0) {{ /* {words} */"
            yield f"{indent}const double w{node} = w{parent} * b{parent}[{branch}];"
        if call.cut:
            yield f"{indent}tree_{node}(x, w{node}, p);"
        elif tree.feature[node] < 0:
            yield _c_add(fitted, node, indent)
        else:
            below, feature = tree.children(node), int(tree.feature[node])
            shares = fractions[below.start : below.stop]
            yield f"{indent}static const double s{node}[{len(below)}] = {_braces(shares.tolist())};"
            yield f"{indent}double b{node}[{len(below)}];"
            if tree.is_numeric(node):
                yield f"{indent}test_number(x[{feature}], {float(tree.threshold[node])!r}, s{node}, b{node});"
            else:
                branches = tree.branches(node).tolist() or [-1]  # C has no empty arrays
                yield f"{indent}static const int v{node}[{len(branches)}] = {_braces(branches)};"
                sizes = f"v{node}, {len(branches)}, s{node}, b{node}, {len(below)}"
                yield f"{indent}test_value(x[{feature}], {sizes});"
            if not shares.any():
                yield f"{indent}if (all_zero(b{node}, {len(below)})) {{ /* missing, and no branch has rows */"
                yield _c_add(fitted, node, indent + "    ")
                yield f"{indent}}}"


def _c_add(fitted: FittedTree, node: int, indent: str) -> str:
    values = f"static const double q{node}[{fitted.n_classes}] = {_braces(fitted.values[node].tolist())};"
    return f"{indent}{values}\n{indent}add(p, w{node}, q{node}, {fitted.n_classes});"


def _braces(values: Iterable[Any]) -> str:
    return "{" + ", ".join(map(repr, values)) + "}"


def _c_string(text: str) -> str:
    """Quote a string; bytes beyond plain ASCII as octal, since hexadecimal escapes have no end in C."""
    if "\0" in text:
        raise ValueError(f"a C string cannot hold the character NUL, but {text!r} has it")
    plain_bytes = set(range(32, 127)) - set(b'"\\?')
    data = text.encode("utf-8", "surrogatepass")
    return '"' + "".join(chr(byte) if byte in plain_bytes else f"\\{byte:03o}" for byte in data) + '"'


def _c_comment(text: str) -> str:
    # A backslash could join lines, "??/" is one in disguise, and "*/" would end the comment.
    return plain(text).replace("\\", "/").replace("??", "? ?").replace("*/", "* /").replace("/*", "/ *")


_C_CATEGORY = """int NAME_category(int column, const char *text) {
    const char *const *known = 0;
    int n = 0;
CASES
    for (int code = 0; code < n; code++)
        if (strcmp(known[code], text) == 0) return code;
    (void)column;
    return -1;
}
"""


_C_ADD = """static void add(double *p, double weight, const double *values, int n) {
    for (int k = 0; k < n; k++) p[k] += weight * values[k];
}
"""


_C_NUMBER = """static void test_number(double x, double threshold, const double *shares, double *b) {
    const int missing = x != x;
    b[0] = missing ? shares[0] : (double)(x <= threshold);
    b[1] = missing ? shares[1] : (double)!(x <= threshold);
}
"""


_C_VALUE = """static void test_value(double x, const int *branches, int n_values, const double *shares,
                       double *b, int n) {
    const int branch = x >= 0 && x < n_values ? branches[(int)x] : -1;
    for (int i = 0; i < n; i++) b[i] = branch < 0 ? shares[i] : (double)(i == branch);
}
"""


_C_ZERO = """static int all_zero(const double *b, int n) {
    for (int i = 0; i < n; i++)
        if (b[i] > 0) return 0;
    return 1;
}
"""


_C_PROBA = """void NAME_proba(const double *x, double *p) {
    for (int k = 0; k < N_CLASSES; k++) p[k] = 0;
    tree_0(x, 1.0, p);
}
"""


_C_COST = """        score[k] = 0;
        for (int actual = 0; actual < N_CLASSES; actual++) score[k] += p[actual] * costs[actual][k];"""


_C_PREDICT = """int NAME_predict(const double *x) {
COSTS    double p[N_CLASSES], score[N_CLASSES];
    NAME_proba(x, p);
    for (int k = 0; k < N_CLASSES; k++) {
SCORE
    }
    double best = score[0];
    for (int k = 1; k < N_CLASSES; k++)
        if (score[k] < best) best = score[k];
    int code = 0;
    while (score[code] > best + TOLERANCE * (best < 0 ? -best : best)) code++;
    return code;
}
"""
