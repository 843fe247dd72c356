"""Count lines of code by package: no blank lines, comments, docstrings or stubs.

Run it as ``python tools/code_lines.py``, or with another checkout's folder. The redesign's bound of 20,100
lines is the sum over ``src``, counted at 69acd0b without ``lab/programs``.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
C_FILES = (".c", ".h", ".cpp", ".hpp")
C_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


def python_lines(text: str) -> int:
    """Lines of Python code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def c_lines(text: str) -> int:
    """Lines of C or C++ code."""
    without = C_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    return sum(bool(line.strip()) for line in without.split("\n"))


def code_lines(root: Path = ROOT) -> dict[str, Counter[str]]:
    """Lines of each package of ``src`` and of each folder of ``cpp``."""
    counts: dict[str, Counter[str]] = {"src": Counter(), "cpp": Counter()}
    for top, suffixes, count in (("src", (".py",), python_lines), ("cpp", C_FILES, c_lines)):
        folder = root / "src" / "stakes" if top == "src" else root / top
        for file in sorted(folder.rglob("*")):
            if file.suffix in suffixes:
                inside = file.relative_to(folder).parts
                counts[top][inside[0] if len(inside) > 1 else "."] += count(file.read_text(encoding="utf-8"))
    return counts


def main(folders: list[str]) -> None:
    """Print the counts and their sums."""
    for top, packages in code_lines(*map(Path, folders[:1])).items():
        for name, lines in sorted(packages.items()):
            print(f"{lines:7,} {top}/{name}")
        print(f"{packages.total():7,} {top}")


if __name__ == "__main__":
    main(sys.argv[1:])
