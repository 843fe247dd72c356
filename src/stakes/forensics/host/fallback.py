"""The tracer in plain Python: slower than the compiled one, for where that is not built.

It fills the same tables. On Python 3.12 and later it uses ``sys.monitoring``, before that ``sys.setprofile``.
A callback is a Python call: a program that runs into the recursion limit does so a frame or two sooner.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from os import getpid
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from . import memory as layout
from .backend import GENERATORS, free_tool, monitoring
from .names import exception_name
from .selection import Selection

if TYPE_CHECKING:
    from contextvars import ContextVar

    from .backend import Memory, Variable

_NAMES, _FUNCTIONS, _SETS, _TREES, _LINES, _THREADS = range(6)
_RESUME = 151  # of CPython 3.11, the only version that looks at it
_CLOCK_EVERY = 1024


class Full(Exception):
    """A table has no room for another entry."""


class Tables:
    """The mapped tables with what is needed to find entries again."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.slots = memoryview(memory).cast("Q")
        self.words = memoryview(memory).cast("I")
        self._texts: dict[str, tuple[int, int]] = {}
        self._known: dict[tuple[str, str, int], int] = {}
        self._sets: dict[frozenset[int], int] = {frozenset(): 0}
        self._members: list[frozenset[int]] = [frozenset()]
        self._added: dict[tuple[int, int], int] = {}
        self._trees: dict[tuple[int, int], int] = {}
        self.lines: dict[tuple[int, int], int] = {}

    def function(self, path: str, name: str, line: int) -> int:
        """Return the number of a function, new or known."""
        key = (path, name, line)
        if key not in self._known:
            texts = (*self._text(path), *self._text(name))
            self._known[key] = self._append(_FUNCTIONS, 8, (*texts, max(line, 0)))
        return self._known[key]

    def found_at(self, function: int, path: str) -> None:
        """Note where a watched function really is."""
        first = self.offset(_FUNCTIONS) // 4 + 8 * function
        self.words[first], self.words[first + 1] = self._text(path)

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

    def exception(self, name: str) -> None:
        """Note the exception that nobody caught."""
        data, first = name.encode(errors="replace")[: layout.EXCEPTION_MOST], 8 * (layout.EXCEPTION + 1)
        self.memory[first : first + len(data)] = data
        self.slots[layout.EXCEPTION] = len(data)

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
        number = self.lines.get((function, line))
        if number is None:
            number = self.lines[function, line] = self._append(_LINES, 4, (function, line))
        return number

    def thread(self) -> int:
        """Return the first word of a thread's own stack."""
        size = 2 * (layout.DEEPEST + 1)
        return self.offset(_THREADS) // 4 + self._append(_THREADS, size, ()) * size

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
    """Counts starts, trees and lines, of everything that runs or of what is selected."""

    _selection: Selection | None = None
    _budget = 0
    _owner: int | None = None
    _variable: ContextVar[Any] | None = None

    def start(self, tables: Memory, trees: bool, lines: bool, in_file: bool) -> None:
        """Begin to count everything that runs."""
        self._with_trees, self._with_lines = trees, lines
        self.rebase(tables, in_file)
        self._listen(in_file)
        if sys.version_info >= (3, 12):
            self._start_monitoring()
        else:
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)
            if lines:
                threading.settrace(self._trace)
                sys.settrace(self._trace)

    def watch(
        self, tables: Memory, selection: Selection, in_file: bool, budget: int = 0, variable: Variable = None
    ) -> None:
        """Begin to count what is selected; Python 3.12 and later."""
        self._selection, self._budget, self._variable = selection, budget, variable
        self._with_trees, self._with_lines = selection.trees, bool(selection.lines)
        self._events, self._since = 0, time.monotonic()
        self.rebase(tables, in_file)
        self._listen(in_file)
        self._start_monitoring()

    def rebase(self, tables: Memory, in_file: bool) -> None:
        """Count into other, empty tables from now on: after a fork.

        Until then the child counts nothing: the mapped file is the parent's, who goes on writing into it.
        """
        self._tables = Tables(tables)
        self._codes: dict[int, tuple[int | None, CodeType]] = {}
        self._local = threading.local()
        self._starts = self._tables.offset(_FUNCTIONS) // 8 + 3
        self._calls = self._tables.offset(_TREES) // 8 + 1
        self._reached = self._tables.offset(_LINES) // 8 + 1
        if self._selection is not None:
            for function in self._selection.functions:
                self._tables.function(*function)
            for line in self._selection.lines:
                self._tables.line(*line)
        self._owner = getpid() if in_file else None

    def stop(self) -> None:
        """Count no more; Python 3.12 and later."""
        monitoring.set_events(self._tool, 0)
        monitoring.free_tool_id(self._tool)

    def _listen(self, in_file: bool) -> None:
        def heard(event: str, args: tuple[Any, ...]) -> None:
            if event == "sys.excepthook" and self._is_owner():
                with suppress(Exception):  # nothing may reach the program
                    self._tables.exception(exception_name(args[1]))

        if in_file:
            sys.addaudithook(heard)

    def _start_monitoring(self) -> None:
        events = monitoring.events
        self._tool = free_tool()
        monitoring.use_tool_id(self._tool, "stakes.clarify")
        # What is not selected is disabled where it is first met.
        self._not_wanted = monitoring.DISABLE if self._selection is not None else None
        wanted: dict[int, Any] = {events.PY_START: lambda code, _: self._begin(code, True)}
        if self._with_trees:
            for event in (events.PY_RESUME, events.PY_THROW):
                wanted[event] = lambda code, *_: self._begin(code, False) and None
            for event in (events.PY_RETURN, events.PY_YIELD, events.PY_UNWIND):
                wanted[event] = lambda code, *_: self._end(code)
        if self._with_lines:
            wanted[events.LINE] = self._line
        for event, callback in wanted.items():
            monitoring.register_callback(self._tool, event, callback)
        monitoring.set_events(self._tool, sum(wanted))

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call":
            self._begin(code, not code.co_flags & GENERATORS or _starts(code.co_code, frame.f_lasti))
        elif event == "return":
            self._end(code)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            self._line(frame.f_code, frame.f_lineno)
        return self._trace

    def _is_owner(self) -> bool:
        return self._owner is None or self._owner == getpid()

    def _function(self, code: CodeType) -> int | None:
        # By id, with the code object kept: code objects are slow to hash, and different ones can be equal.
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = self._meet(code), code
        return known[0]

    def _meet(self, code: CodeType) -> int | None:
        names = code.co_filename, code.co_qualname, code.co_firstlineno
        if self._selection is None:
            return self._tables.function(*names)
        number = self._selection.number(*names)
        if number is not None:
            self._tables.found_at(number, code.co_filename)
        return number

    def _begin(self, code: CodeType, starts: bool) -> Any:
        try:
            if not self._is_owner():
                return None
            function = self._function(code)
            if function is None or self._over_budget():
                return self._not_wanted
            if starts:
                self._tables.slots[self._starts + 4 * function] += 1
                self._in_scope(0, function)
            if self._with_trees:
                self._push(function)
        except Exception:
            pass  # nothing may reach the program
        return None

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
            # else it began before the tracer did
            if known is not None and known[0] is not None and self._is_owner():
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
        self._in_scope(1, tree)
        if depth > 1:
            above = stack + 2 * depth - 1
            words[above] = tables.add(words[above], tree)

    def _line(self, code: CodeType, line: int) -> Any:
        try:
            if not self._is_owner():
                return None
            function = self._function(code)
            if self._selection is not None and (function, line) not in self._tables.lines:
                return self._not_wanted
            if function is not None and not self._over_budget():
                entry = self._tables.line(function, line)
                self._tables.slots[self._reached + 2 * entry] += 1
                self._in_scope(2, entry)
        except Exception:
            pass
        return None

    def _in_scope(self, kind: int, number: int) -> None:
        scope = None if self._variable is None else self._variable.get(None)
        if scope is not None:
            scope.count(kind, number)

    def _over_budget(self) -> bool:
        if not self._budget:
            return False
        self._events += 1
        if self._events % _CLOCK_EVERY == 0:
            now = time.monotonic()
            if now - self._since >= 1:
                self._since, self._events = now, 0
            elif self._events > self._budget:
                self._tables.slots[layout.FLAGS] |= layout.OVER_BUDGET
        return bool(self._tables.slots[layout.FLAGS] & layout.OVER_BUDGET)


class PlainScope:
    """Counts of one request, next to those of the process."""

    def __init__(self) -> None:
        self._counts: tuple[dict[int, int], dict[int, int], dict[int, int]] = ({}, {}, {})

    def count(self, kind: int, number: int) -> None:
        """Count one start, tree or line."""
        self._counts[kind][number] = self._counts[kind].get(number, 0) + 1

    def counts(self) -> tuple[list[int], list[int], list[int]]:
        """Return the starts of each function, calls of each tree and arrivals at each line."""
        lists = [[counts.get(i, 0) for i in range(max(counts, default=-1) + 1)] for counts in self._counts]
        return lists[0], lists[1], lists[2]


def _starts(bytecode: bytes, last: int) -> bool:
    """Whether a generator of 3.11 begins here, rather than going on after a yield, an await or a throw."""
    return bytecode[last] == _RESUME and bytecode[last + 1] == 0
