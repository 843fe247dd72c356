"""Which code a result depends on: the modules that are really imported, followed from file to file."""

from __future__ import annotations

import ast
import hashlib
import sys
from functools import lru_cache
from pathlib import Path

import stakes
from stakes import _core
from stakes.lab.build import import_object

#: Packages that only show results; what they import does not count either.
_SHOWS_ONLY = ("__main__", "_cli", "cli", "export", "report")


@lru_cache(maxsize=256)
def code_version(path: str) -> str:
    """What identifies the code behind an import path.

    For stakes a hash of every file that the path's module imports, directly or not, and of the compiled core;
    for another package its version; for a module without a version a hash of its file.
    """
    top = path.split(".", maxsplit=1)[0]
    imported = import_object(path)
    module = getattr(imported, "__module__", None) or path
    if top == "stakes":
        return f"stakes {hash_files([Path(str(_core.__file__)), *imported_files(module)])}"
    version = getattr(sys.modules.get(top), "__version__", None)
    if version is not None:
        return f"{top} {version}"
    file = getattr(sys.modules.get(module), "__file__", None)
    return f"{path} {hash_files([Path(file)]) if file else ''}"


def imported_files(module: str) -> list[Path]:
    """Files of stakes that a module of stakes needs, its own among them, in order of their names.

    A package counts where names are imported from it, not where it only holds a module: what it offers
    besides is not used.
    """
    needed: set[Path] = set()
    waiting = [module]
    while waiting:
        file = _file(waiting.pop())
        if file is not None and file not in needed:
            needed.add(file)
            waiting.extend(_imports(file))
    return sorted(needed)


@lru_cache(maxsize=1024)
def _imports(file: Path) -> tuple[str, ...]:
    """Names after ``import`` and ``from ... import`` in a file, wherever they stand; some are no modules."""
    names: list[str] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(
        name for name in names if name.startswith("stakes.") and name.split(".")[1] not in _SHOWS_ONLY
    )


def _file(module: str) -> Path | None:
    """File of a module or package of stakes; None for what is no module, such as a class."""
    base = Path(stakes.__file__).parent.joinpath(*module.split(".")[1:])
    return next((file for file in (base / "__init__.py", base.with_suffix(".py")) if file.is_file()), None)


def hash_files(files: list[Path]) -> str:
    """Hash of names and contents."""
    content = hashlib.blake2b(digest_size=8)
    for path in files:
        content.update(path.name.encode() + path.read_bytes())
    return content.hexdigest()
