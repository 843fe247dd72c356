"""The tracer in plain Python: slower than the compiled one, for where that is not built.

It fills the same tables. On Python 3.12 and later it uses ``sys.monitoring``, before that ``sys.setprofile``. A callback
is a Python call: a program that runs into the recursion limit runs into it a frame or two sooner.
"""

from __future__ import annotations

import mmap
import sys
import threading
from types import CodeType, FrameType
from typing import Any

from . import memory as layout
from .backend import free_tool

_NAMES, _FUNCTIONS, _SETS, _TREES, _LINES, _THREADS = range(6)
_GENERATORS = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_RESUME = 151  # of CPython 3.11, the only version that looks at it


class Full(Exception):
    """A table has no room for another entry."""


class Tables:
    """The mapped tables with what is needed to find entries again."""

    def __init__(self, memory: mmap.mmap) -> None:
        self.memory = memory
        self.slots = memoryview(memory).cast("Q")
        self.words = memoryview(memory).cast("I")
        self._texts: dict[str, tuple[int, int]] = {}
        self._known: dict[tuple[str, str, int], int] = {}
        self._sets: dict[frozenset[int], int] = {frozenset(): 0}
        self._members: list[frozenset[int]] = [frozenset()]
        self._added: dict[tuple[int, int], int] = {}
        self._trees: dict[tuple[int, int], int] = {}
        self._lines: dict[tuple[int, int], int] = {}

    def function(self, code: CodeType) -> int:
        """Return the slot of a function's starts divided by 4, less that of the table."""
        key = (code.co_filename, code.co_qualname, code.co_firstlineno)
        if key not in self._known:
            path, name = self._text(key[0]), self._text(key[1])
            self._known[key] = self._append(_FUNCTIONS, 8, (*path, *name, max(key[2], 0)))
        return self._known[key]

    def _text(self, text: str) -> tuple[int, int]:
        if text not in self._texts:
            data = text.encode(errors="replace")
            offset, capacity, used = self._table(_NAMES)
            if used + len(data) > capacity:
                raise Full
            self.memory[offset + used : offset + used + len(data)] = data
            self.slots[layout.FIRST_TABLE + 2] = used + len(data)
            self._texts[text] = used, len(data)
        return self._texts[text]

    def add(self, below: int, tree: int) -> int:
        """Return the set with another tree."""
        number = self._added.get((below, tree))
        if number is None:
            members = self._members[below] | {tree}
            number = self._sets.get(members)
            if number is None:
                number = self._sets[members] = self._append(_SETS, 2, (below, tree))
                self._members.append(members)
            self._added[below, tree] = number
        return number

    def tree(self, function: int, below: int) -> int:
        """Return the tree of a function and the set of trees below it."""
        number = self._trees.get((function, below))
        if number is None:
            number = self._trees[function, below] = self._append(_TREES, 4, (function, below))
        return number

    def line(self, function: int, line: int) -> int:
        """Return the entry of a line."""
        number = self._lines.get((function, line))
        if number is None:
            number = self._lines[function, line] = self._append(_LINES, 4, (function, line))
        return number

    def thread(self) -> int:
        """Return the first word of a thread's own stack."""
        number = self._append(_THREADS, 2 * (layout.DEEPEST + 1), ())
        return self.offset(_THREADS) // 4 + number * 2 * (layout.DEEPEST + 1)

    def offset(self, table: int) -> int:
        """Where a table begins, in bytes."""
        return self.slots[layout.FIRST_TABLE + 3 * table]

    def _table(self, table: int) -> memoryview:
        first = layout.FIRST_TABLE + 3 * table
        return self.slots[first : first + 3]

    def _append(self, table: int, size: int, words: tuple[int, ...]) -> int:
        offset, capacity, used = self._table(table)
        if used >= capacity:
            self.slots[layout.FLAGS] |= layout.FULL
            raise Full
        first = offset // 4 + used * size
        for place, word in enumerate(words):
            self.words[first + place] = word
        self.slots[layout.FIRST_TABLE + 3 * table + 2] = used + 1
        return used


class PlainTracer:
    """Counts starts, trees and lines of everything that runs."""

    def start(self, tables: mmap.mmap, trees: bool, lines: bool, in_file: bool) -> None:
        """Begin to count."""
        self.rebase(tables, in_file)
        self._with_trees, self._with_lines = trees, lines
        if sys.version_info >= (3, 12):
            self._start_monitoring()
        else:
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)
            if lines:
                threading.settrace(self._trace)
                sys.settrace(self._trace)

    def rebase(self, tables: mmap.mmap, in_file: bool) -> None:
        """Count into other, empty tables from now on: after a fork."""
        self._tables = Tables(tables)
        self._codes: dict[int, tuple[int, CodeType]] = {}
        self._local = threading.local()
        self._starts = self._tables.offset(_FUNCTIONS) // 8 + 3
        self._calls = self._tables.offset(_TREES) // 8 + 1
        self._reached = self._tables.offset(_LINES) // 8 + 1

    def _start_monitoring(self) -> None:
        monitoring = sys.monitoring
        events = monitoring.events
        tool = free_tool()
        monitoring.use_tool_id(tool, "stakes.clarify")
        wanted: dict[int, Any] = {events.PY_START: lambda code, _: self._begin(code, True)}
        if self._with_trees:
            for event in (events.PY_RESUME, events.PY_THROW):
                wanted[event] = lambda code, *_: self._begin(code, False)
            for event in (events.PY_RETURN, events.PY_YIELD, events.PY_UNWIND):
                wanted[event] = lambda code, *_: self._end(code)
        if self._with_lines:
            wanted[events.LINE] = self._line
        for event, callback in wanted.items():
            monitoring.register_callback(tool, event, callback)
        monitoring.set_events(tool, sum(wanted))

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call":
            self._begin(code, not code.co_flags & _GENERATORS or _starts(code.co_code, frame.f_lasti))
        elif event == "return":
            self._end(code)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            self._line(frame.f_code, frame.f_lineno)
        return self._trace

    def _function(self, code: CodeType) -> int:
        # By id, with the code object kept: code objects are slow to hash, and different ones can be equal.
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = self._tables.function(code), code
        return known[0]

    def _begin(self, code: CodeType, starts: bool) -> None:
        try:
            function = self._function(code)
            if starts:
                self._tables.slots[self._starts + 4 * function] += 1
            if self._with_trees:
                self._push(function)
        except Exception:
            pass  # nothing may reach the program

    def _push(self, function: int) -> None:
        if not hasattr(self._local, "stack"):
            self._local.stack = self._tables.thread()
        stack, words = self._local.stack, self._tables.words
        depth = words[stack] + 1
        if depth <= layout.DEEPEST:
            words[stack + 2 * depth], words[stack + 2 * depth + 1] = function, 0
        words[stack] = depth

    def _end(self, code: CodeType) -> None:
        try:
            known = self._codes.get(id(code))
            if known is not None:  # else it began before the tracer did
                self._pop(known[0])
        except Exception:
            pass

    def _pop(self, function: int) -> None:
        stack, words, tables = getattr(self._local, "stack", None), self._tables.words, self._tables
        if stack is None or words[stack] == 0:
            return
        depth = words[stack]
        words[stack] = depth - 1
        if depth > layout.DEEPEST or words[stack + 2 * depth] != function:
            return
        tree = tables.tree(function, words[stack + 2 * depth + 1])
        tables.slots[self._calls + 2 * tree] += 1
        if depth > 1:
            above = stack + 2 * depth - 1
            words[above] = tables.add(words[above], tree)

    def _line(self, code: CodeType, line: int) -> None:
        try:
            entry = self._tables.line(self._function(code), line)
            self._tables.slots[self._reached + 2 * entry] += 1
        except Exception:
            pass


def _starts(bytecode: bytes, last: int) -> bool:
    """Whether a generator of 3.11 begins here, rather than going on after a yield, an await or a throw."""
    return bytecode[last] == _RESUME and bytecode[last + 1] == 0
