"""Small wrong changes to Python source, one at a time: what the tests are tried with.

Texts are left alone (messages, names of columns), and so are annotations, docstrings, ``raise`` statements
and what stands under ``if TYPE_CHECKING``: a test of them would only repeat them. So are the sizes of caches,
the ``strict=`` of ``zip`` and encodings, which change no result here; the linter asks for the latter two.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "//"),
    ast.Pow: (r"\*\*", "*"),
}
NAMES = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "argmin": "argmax",
    "argmax": "argmin",
    "minimum": "maximum",
    "maximum": "minimum",
    "floor": "ceil",
    "ceil": "floor",
}


@dataclass(frozen=True)
class Mutation:
    """One change: the text from ``start`` to ``end`` (in bytes) becomes ``new``.

    A test may notice if it executes one of ``lines``, first and last: the changed one, all of a function
    whose default is changed, or (None) any of the module.
    """

    kind: str
    line: int
    start: int
    end: int
    new: str
    lines: tuple[int, int] | None

    def apply(self, source: bytes) -> bytes:
        """Return the changed source."""
        return source[: self.start] + self.new.encode() + source[self.end :]


def mutations(source: bytes) -> list[Mutation]:
    """Return the changes to a module; a few do not compile or say the same: see ``is_other_program``."""
    return list(dict.fromkeys(_Visitor(source).changes(ast.parse(source))))


def is_other_program(source: bytes, mutation: Mutation) -> bool:
    """Tell whether a change compiles and is not only another way of writing the same."""
    try:
        changed = ast.parse(mutation.apply(source))
    except SyntaxError:
        return False
    return ast.dump(changed) != ast.dump(ast.parse(source))


class _Visitor:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.line_starts = [0]
        for line in source.splitlines(keepends=True):
            self.line_starts.append(self.line_starts[-1] + len(line))

    def start(self, node: ast.AST) -> int:
        return self.line_starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.AST) -> int:
        return self.line_starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.AST) -> str:
        return self.source[self.start(node) : self.end(node)].decode()

    def changes(self, tree: ast.Module) -> Iterator[Mutation]:
        """Walk the tree and give every change, innermost function noted."""
        yield from self._walk(tree, function=None)

    def _walk(
        self, node: ast.AST, function: ast.AST | None, default_of: ast.AST | None = None
    ) -> Iterator[Mutation]:
        if _left_alone(node):
            return
        for kind, first, start, end, new in self._at(node):
            lines = (first.lineno, first.lineno) if function is not None else _body(default_of)
            yield Mutation(kind, first.lineno, start, end, new, lines)
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    # Defaults and decorators are evaluated outside the function that they belong to.
                    if is_function and name == "body":
                        yield from self._walk(child, node)
                    else:
                        yield from self._walk(child, function, node if is_function else default_of)

    def _at(  # noqa: C901, PLR0912  (one flat table of cases)
        self, node: ast.AST
    ) -> Iterator[tuple[str, ast.AST, int, int, str]]:
        match node:
            case ast.Compare():
                sides = [node.left, *node.comparators]
                for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
                    yield from self._between("comparison", left, right, COMPARISONS[type(operator)])
            case ast.BinOp() if type(node.op) in ARITHMETIC and not _is_text(node):
                yield from self._between("arithmetic", node.left, node.right, ARITHMETIC[type(node.op)])
            case ast.BoolOp():
                words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                yield from self._between("boolean", node.values[0], node.values[1], words)
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                yield "unary", node, self.start(node), self.start(node.operand), ""
            case ast.Constant(value=bool()):
                yield "constant", node, self.start(node), self.end(node), str(not node.value)
            case ast.Constant(value=int() | float()):
                new = node.value + 1 if isinstance(node.value, int) else node.value * 2 or 1.0
                yield "constant", node, self.start(node), self.end(node), str(new)
            case ast.If() | ast.While() | ast.IfExp():
                yield from self._negate(node.test)
            case ast.comprehension():
                for condition in node.ifs:
                    yield from self._negate(condition)
            case ast.Expr(value=ast.Call() | ast.Await()):
                yield "removed statement", node, self.start(node), self.end(node), "pass"
            case ast.Break():
                yield "loop", node, self.start(node), self.end(node), "continue"
            case ast.Continue():
                yield "loop", node, self.start(node), self.end(node), "break"
            case ast.AugAssign() if type(node.op) in ARITHMETIC and not _is_text(node):
                old, new = ARITHMETIC[type(node.op)]
                yield from self._between("arithmetic", node.target, node.value, (old + "=", new + "="))
            case ast.Name() if node.id in NAMES and isinstance(node.ctx, ast.Load):
                yield "name", node, self.start(node), self.end(node), NAMES[node.id]
            case ast.Attribute() if node.attr in NAMES and isinstance(node.ctx, ast.Load):
                yield "name", node, self.end(node) - len(node.attr), self.end(node), NAMES[node.attr]
            case ast.Call():
                yield from self._arguments(node)

    def _between(
        self, kind: str, left: ast.AST, right: ast.AST, words: tuple[str, str]
    ) -> Iterator[tuple[str, ast.AST, int, int, str]]:
        start = self.end(left)
        match = re.search(words[0].encode(), self.source[start : self.start(right)])
        if match is not None:
            yield kind, left, start + match.start(), start + match.end(), words[1]

    def _negate(self, test: ast.expr) -> Iterator[tuple[str, ast.AST, int, int, str]]:
        yield "condition", test, self.start(test), self.end(test), f"not ({self.text(test)})"

    def _arguments(self, call: ast.Call) -> Iterator[tuple[str, ast.AST, int, int, str]]:
        """Drop each argument that is given by its name."""
        given = sorted([*call.args, *call.keywords], key=self.start)
        for before, keyword, after in zip([None, *given], given, [*given[1:], None], strict=False):
            if not isinstance(keyword, ast.keyword) or keyword.arg is None or _left_alone(keyword):
                continue
            if before is not None:
                yield "dropped argument", keyword, self.end(before), self.end(keyword), ""
            elif after is not None:
                yield "dropped argument", keyword, self.start(keyword), self.start(after), ""
            else:
                yield "dropped argument", keyword, self.start(keyword), self.end(keyword), ""


def _is_text(node: ast.BinOp | ast.AugAssign) -> bool:
    """Tell whether an operator joins or formats text, as far as can be seen."""
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    return any(
        isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for side in sides
        for part in ast.walk(side)
        if not isinstance(side, ast.Subscript | ast.Call)
    )


def _body(function: ast.AST | None) -> tuple[int, int] | None:
    """Give the lines of what a function does."""
    body = getattr(function, "body", None)
    return (body[0].lineno, body[-1].end_lineno) if body else None


def _left_alone(node: ast.AST) -> bool:
    """Tell whether a node is one in which a change says nothing of the tests."""
    if isinstance(node, ast.keyword) and node.arg in ("strict", "encoding", "maxsize"):
        return True  # checked by the linter, or the size of a cache: the results here are the same
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
        return True
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
