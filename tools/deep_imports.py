"""Count the names that packages of stakes import from inside each other, and refuse more than are allowed.

Run it as ``python tools/deep_imports.py``. ``from stakes.tree.words import leaf_table`` in another package
than ``stakes.tree`` is one such name, once for each file that does it: it ties the two to each other's
insides. The ground floor (``_base``, ``_text``) is made for that and does not count.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "stakes"
GROUND_FLOOR = ("_base", "_text", "_core")
MOST = 30


def deep_imports(package: Path = PACKAGE) -> dict[str, list[str]]:
    """Names that are imported from inside another package, each with the files that do it."""
    names: dict[str, list[str]] = defaultdict(list)
    for file in sorted(package.rglob("*.py")):
        inside = file.relative_to(package).with_suffix("").parts[0]
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("stakes."):
                continue
            parts = (node.module or "").split(".")[1:]
            if len(parts) > 1 and parts[0] not in (inside, *GROUND_FLOOR):
                for alias in node.names:
                    names[f"{node.module}.{alias.name}"].append(file.relative_to(package).as_posix())
    return dict(names)


def main() -> int:
    """Print them; the exit status is 1 where there are too many."""
    names = deep_imports()
    for name, users in sorted(names.items()):
        print(f"{name} in {', '.join(sorted(users))}")
    count = sum(map(len, names.values()))
    print(f"{count} names are imported from inside another package, at most {MOST} may be")
    return 0 if count <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
