"""What a model watches, in the form that the tracers want."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Selection:
    """Functions and lines by number, and functions by their qualified name.

    Plain tuples in, so that a watched program needs no more than these: ``functions`` as (path, name, line),
    ``lines`` as (function, line).
    """

    def __init__(
        self, functions: Sequence[tuple[str, str, int]], lines: Sequence[tuple[int, int]], trees: bool
    ) -> None:
        self.functions = tuple((path, name, line) for path, name, line in functions)
        self.lines = tuple((function, line) for function, line in lines)
        self.trees = trees
        self.by_name: dict[str, tuple[tuple[str, int, int], ...]] = {}
        for number, (path, name, line) in enumerate(self.functions):
            self.by_name[name] = (*self.by_name.get(name, ()), (path, line, number))

    @property
    def capacity(self) -> dict[str, int]:
        """How many entries the tables of counters need; room for the real paths is left among the names."""
        names = sum(len(path.encode()) + len(name.encode()) for path, name, _ in self.functions)
        trees = {"sets": 1 << 14, "trees": 1 << 13, "threads": 64} if self.trees else {}
        counts = {"functions": len(self.functions) + 1, "lines": len(self.lines) + 1}
        return {"sets": 2, "trees": 1, "threads": 1, "names": names + (1 << 16), **counts, **trees}

    def number(self, filename: str, name: str, line: int) -> int | None:
        """Return the number of the watched function with this code, if there is one."""
        for path, first, number in self.by_name.get(name, ()):
            if first == line and _is_file(filename, path):
                return number
        return None

    def is_watched_file(self, filename: str) -> bool:
        """Return whether a watched function is in this file."""
        return any(_is_file(filename, path) for path, _, _ in self.functions)


def _is_file(filename: str, path: str) -> bool:
    """Whether a file is the one with this path from the top of its packages."""
    if filename == path:
        return True
    return filename.endswith(("/" + path, "\\" + path)) and not _is_below_top(filename[: -len(path)])


def _is_below_top(folder: str) -> bool:
    """Whether a folder lies within installed packages or the standard library: no path begins there."""
    tops = [
        folder.rfind(mark) + len(mark) for mark in ("/site-packages/", "/dist-packages/") if mark in folder
    ]
    if not tops:
        for mark in ("/lib/python", "/lib/pypy"):
            version, slash, _ = folder.rpartition(mark)[2].partition("/")
            if mark in folder and version and slash and not version.strip("0123456789.t"):
                tops.append(folder.rfind(mark) + len(mark) + len(version) + 1)
    return bool(tops) and max(tops) != len(folder)
