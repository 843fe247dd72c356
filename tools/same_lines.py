"""Find passages of ten lines or more that stand twice in the sources, to the letter.

Run it as ``python tools/same_lines.py``, or with other folders. Blank lines, comments, docstrings, signatures
and what an ``__init__`` assigns or hands to that of its base class do not count as lines: parameters and
their descriptions are written out for each estimator. Indentation does not count either, so that a function
which moved into a class is still a copy. Stubs (.pyi) are generated and not looked at.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from itertools import combinations, takewhile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (ROOT / "src", ROOT / "cpp")
LEAST = 10
C_FILES = (".c", ".h", ".cpp", ".hpp", ".js", ".css")
PYTHON_COMMENT = re.compile(r"^[ \t]*#.*", re.MULTILINE)
C_COMMENT = re.compile(r"^[ \t]*//.*?$|/\*.*?\*/", re.MULTILINE | re.DOTALL)

Line = tuple[int, str]
Place = tuple[Path, int]


def counted_lines(file: Path) -> list[Line]:
    """Lines of a file that count, each with its number."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        left_out = _left_out(ast.parse(text))
        text = PYTHON_COMMENT.sub("", text)
    else:
        left_out = set()
        text = C_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1)]
    return [(number, line) for number, line in lines if line and number not in left_out]


def _left_out(tree: ast.Module) -> set[int]:
    """Numbers of the lines of docstrings, signatures and an ``__init__``'s assignments."""
    numbers: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            numbers.update(range(node.lineno, max(node.lineno + 1, node.body[0].lineno)))
            if node.name == "__init__":
                for statement in node.body:
                    if isinstance(statement, ast.Assign | ast.AnnAssign) or (
                        ast.unparse(statement).startswith("super().__init__(")
                    ):
                        numbers.update(_lines(statement))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            numbers.update(_lines(node))
    return numbers


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def same_passages(folders: tuple[Path, ...] = FOLDERS, least: int = LEAST) -> list[tuple[int, Place, Place]]:
    """Pairs of places where the same lines stand, each with how many lines they are."""
    files = {
        file: counted_lines(file)
        for folder in folders
        for file in sorted(folder.rglob("*"))
        if file.suffix in (".py", *C_FILES)
    }
    places: dict[tuple[str, ...], list[tuple[Path, int]]] = defaultdict(list)
    for file, lines in files.items():
        for start in range(len(lines) - least + 1):
            places[tuple(line for _, line in lines[start : start + least])].append((file, start))
    passages = []
    for starts in places.values():
        for (file, start), (other, other_start) in combinations(starts, 2):
            lines, other_lines = files[file], files[other]
            before = start and other_start and lines[start - 1][1] == other_lines[other_start - 1][1]
            if before or (file == other and other_start - start < least):
                continue
            pairs = zip(lines[start:], other_lines[other_start:], strict=False)
            length = sum(1 for _ in takewhile(lambda pair: pair[0][1] == pair[1][1], pairs))
            passages.append((length, (file, lines[start][0]), (other, other_lines[other_start][0])))
    return sorted(passages, key=lambda passage: (-passage[0], passage[1:]))


def _shown(file: Path) -> Path:
    return file.relative_to(ROOT) if file.is_relative_to(ROOT) else file


def main(folders: list[str]) -> int:
    """Print the passages; the exit status is 1 where there are any."""
    passages = same_passages(tuple(map(Path, folders)) or FOLDERS)
    for length, (file, line), (other, other_line) in passages:
        print(f"{_shown(file)}:{line} and {_shown(other)}:{other_line}: {length} lines are the same")
    print(f"{len(passages)} passages of {LEAST} lines or more stand twice, none may")
    return 1 if passages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
