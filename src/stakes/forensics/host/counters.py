"""The counters of a process as Python values, also of one that was killed."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass

from . import memory as layout


@dataclass(frozen=True)
class Counts:
    """The tables of one process as Python values; trees come after the trees below them.

    Attributes
    ----------
    functions : list of (path, name, line)
        Path as in the code object, so mostly absolute.
    starts : list of int
    trees : list of (function, tuple of trees)
    full : bool
        Whether some of what happened was not counted, for want of room.
    calls : list of int
        Calls with each tree. A call that had not ended when the process did is counted as it stood.
    lines : list of (function, line, times)
    exception : str or None
        Type of the exception that nobody caught.
    """

    pid: int
    python: int
    digest: int
    full: bool
    over_budget: bool
    functions: list[tuple[str, str, int]]
    starts: list[int]
    trees: list[tuple[int, tuple[int, ...]]]
    calls: list[int]
    lines: list[tuple[int, int, int]]
    exception: str | None = None


def read(data: bytes | mmap.mmap | memoryview) -> Counts:
    """Read the tables, also those of a process that was killed; anything else is a ValueError."""
    view = memoryview(data)
    if len(view) < layout.HEADER or bytes(view[:8]) != layout.MAGIC:
        raise ValueError("this is not a file of counters, or it was not finished")
    slots = view[: layout.HEADER].cast("Q")
    if slots[1] != layout.LAYOUT:
        raise ValueError(f"the counters must have layout {layout.LAYOUT}, got {slots[1]}")
    tables = dict(zip(layout.TABLES, _tables(view, slots), strict=True))
    functions, starts = _functions(tables["functions"], tables["names"])
    sets = _Sets(tables["sets"].cast("I"))
    trees, calls = _trees(tables["trees"], sets, len(functions))
    _finish(tables["threads"], sets, trees, calls, len(functions))
    lines = tables["lines"].cast("I")
    counts = tables["lines"].cast("Q")
    return Counts(
        pid=slots[layout.PID],
        python=slots[layout.PYTHON],
        digest=slots[layout.DIGEST],
        full=bool(slots[layout.FLAGS] & layout.FULL),
        over_budget=bool(slots[layout.FLAGS] & layout.OVER_BUDGET),
        functions=functions,
        starts=starts,
        trees=[(function, tuple(sorted(sets[below]))) for function, below in trees],
        calls=calls,
        lines=[
            (lines[4 * i], lines[4 * i + 1], counts[2 * i + 1])
            for i in range(len(counts) // 2)
            if lines[4 * i] < len(functions)
        ],
        exception=_exception(view, slots[layout.EXCEPTION]),
    )


def _exception(view: memoryview, length: int) -> str | None:
    first = 8 * (layout.EXCEPTION + 1)
    return bytes(view[first : first + min(length, layout.EXCEPTION_MOST)]).decode(errors="replace") or None


def _tables(view: memoryview, slots: memoryview) -> Iterator[memoryview]:
    for place, size in enumerate(layout.TABLES.values()):
        offset, capacity, used = slots[layout.FIRST_TABLE + 3 * place : layout.FIRST_TABLE + 3 * place + 3]
        used = min(used, capacity)
        if offset % 8 or offset + used * size > len(view):
            raise ValueError("the file of counters is cut short or damaged")
        end = offset + used * size
        yield view[offset:end]


def _functions(table: memoryview, names: memoryview) -> tuple[list[tuple[str, str, int]], list[int]]:
    words, slots = table.cast("I"), table.cast("Q")
    functions = []
    for start in range(0, len(words), 8):
        path, path_length, name, name_length, line = words[start : start + 5]
        texts = names[path : path + path_length], names[name : name + name_length]
        path_text, name_text = (bytes(text).decode(errors="replace") for text in texts)
        functions.append((path_text, name_text, line))
    return functions, list(slots[3::4])


class _Sets:
    """The sets of trees by number; each is one with an element less, and the element.

    A set is put together when it is asked for: those of which no tree is made are many, and large.
    """

    def __init__(self, pairs: memoryview) -> None:
        self._smaller = list(pairs[0::2]) or [0]  # number 0 is the empty set
        self._elements = list(pairs[1::2]) or [0]

    def __getitem__(self, number: int) -> frozenset[int]:
        functions = set()
        # A number out of range is one whose entry a full table or a damaged file does not have.
        before = len(self._smaller)
        while 0 < number < before:
            functions.add(self._elements[number])
            number, before = self._smaller[number], number
        return frozenset(functions)

    def add(self, number: int, element: int) -> int:
        self._smaller.append(number)
        self._elements.append(element)
        return len(self._smaller) - 1


def _trees(table: memoryview, sets: _Sets, n_functions: int) -> tuple[list[tuple[int, int]], list[int]]:
    words, slots = table.cast("I"), table.cast("Q")
    trees: list[tuple[int, int]] = []
    for start in range(0, len(words), 4):
        function, below = words[start], words[start + 1]
        if function >= n_functions or any(child >= len(trees) for child in sets[below]):
            raise ValueError("the trees in the file of counters are damaged")
        trees.append((function, below))
    return trees, list(slots[1::2])


def _finish(
    threads: memoryview, sets: _Sets, trees: list[tuple[int, int]], calls: list[int], n_functions: int
) -> None:
    """End the calls that the process did not live to end, innermost first, as an exception would."""
    for start in range(0, len(threads), layout.TABLES["threads"]):
        block = threads[start : start + layout.TABLES["threads"]]
        depth, words = block.cast("Q")[0], block.cast("I")
        child = None
        for place in range(min(depth, layout.DEEPEST), 0, -1):
            function, below = words[2 * place], words[2 * place + 1]
            if child is not None:
                below = sets.add(below, child)
            if function < n_functions:
                child = len(trees)
                trees.append((function, below))
                calls.append(1)
