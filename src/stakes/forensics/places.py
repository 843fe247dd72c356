"""Where code lives: paths that mean the same on another machine, and versions of what is there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

_INSTALLED = re.compile(r".*/(?:site|dist)-packages/")
_STANDARD = re.compile(r".*/lib/(?:python|pypy)\d[\d.]*t?/")


class Places:
    """Turns absolute paths of source files into relative ones; remembers what it has looked up."""

    def __init__(self) -> None:
        self.relative = lru_cache(maxsize=None)(self._relative)

    def _relative(self, path: str) -> str:
        """Return a path from the parent of the outermost package, or a file's name outside packages."""
        path = path.replace("\\", "/")
        for pattern in (_INSTALLED, _STANDARD):
            match = pattern.match(path)
            if match:
                return path[match.end() :]
        if "/" not in path or path.startswith("<"):
            return path
        top = Path(path).parent
        while (top / "__init__.py").exists():
            top = top.parent
        return Path(path).relative_to(top).as_posix()

    def versions(self, paths: Iterable[str]) -> dict[str, str]:
        """Say which version of a package, or which content of a file outside packages, each path belongs to.

        The standard library is left out: it goes with the interpreter.
        """
        version_of = {}
        for path in paths:
            installed = _INSTALLED.match(path.replace("\\", "/"))
            relative = self.relative(path)
            top = relative.split("/")[0]
            distribution = _distributions(installed.group()).get(top) if installed else None
            if distribution:
                version_of[top] = distribution
            elif not relative.startswith("<") and not _STANDARD.match(path) and (digest := _digest(path)):
                version_of[relative] = digest
        return version_of


@cache
def _digest(path: str) -> str | None:
    try:
        if not Path(path).is_file():  # such as /dev/stdin, which would be read here instead
            return None
        return "sha256:" + hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
    except (OSError, ValueError):  # a name that no file can have
        return None


@cache
def _distributions(folder: str) -> dict[str, str]:
    """Name and version of the distribution behind each top-level name in a folder of installed packages."""
    from importlib.metadata import distributions

    distribution_of: dict[str, str] = {}
    for distribution in distributions(path=[folder]):
        name = f"{distribution.metadata['Name']}=={distribution.version}"
        for file in distribution.files or ():
            distribution_of.setdefault(file.parts[0], name)
    return distribution_of
