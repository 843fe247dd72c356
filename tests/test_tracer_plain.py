"""The tracer in plain Python, event by event and without the interpreter that would call it."""

from __future__ import annotations

import contextvars
import itertools
import threading
from types import SimpleNamespace

import pytest

from stakes.forensics.host import backend, counters, fallback, memory
from stakes.forensics.host.selection import Selection

SMALL = {"names": 6, "functions": 2, "sets": 4, "trees": 3, "lines": 2, "threads": 2}
LARGE = {"names": 999, "functions": 9, "sets": 9999, "trees": 9999, "lines": 9, "threads": 3}
EVENTS = ("PY_START", "PY_RESUME", "PY_THROW", "PY_RETURN", "PY_YIELD", "PY_UNWIND", "LINE")


def code(name, line=1, path="/x/app.py", flags=0):
    return SimpleNamespace(co_filename=path, co_qualname=name, co_firstlineno=line, co_flags=flags)


class Monitoring:
    """Stands for sys.monitoring: it keeps what it is told."""

    DISABLE = object()
    events = SimpleNamespace(**{name: 1 << place for place, name in enumerate(EVENTS)})

    def __init__(self, taken=()):
        self.tools, self.callbacks, self.everywhere, self.freed = dict.fromkeys(taken, "other"), {}, [], []

    def get_tool(self, tool):
        return self.tools.get(tool)

    def use_tool_id(self, tool, name):
        self.tools[tool] = name

    def register_callback(self, tool, event, callback):
        self.callbacks[tool, event] = callback

    def set_events(self, tool, events):
        self.everywhere.append((tool, events))

    def free_tool_id(self, tool):
        self.freed.append(tool)

    def fire(self, event, one, *more):
        """What the callback says of an event in some code."""
        return self.callbacks[4, getattr(self.events, event)](one, *(more or (0,)))

    def events_of(self):
        names = {getattr(self.events, name): name for name in EVENTS}
        return {names[event] for _, event in self.callbacks}


@pytest.fixture
def monitoring(monkeypatch):
    made = Monitoring()
    monkeypatch.setattr(fallback, "monitoring", made)
    monkeypatch.setattr(backend, "monitoring", made)
    return made


@pytest.fixture
def system(monkeypatch):
    """A Python 3.12 with no hooks but these."""
    made = SimpleNamespace(version_info=(3, 12), hooks=[])
    made.addaudithook = made.hooks.append
    monkeypatch.setattr(fallback, "sys", made)
    return made


def started(trees=True, lines=True, in_file=False, capacity=LARGE):
    tracer, tables = fallback.PlainTracer(), memory.create(None, capacity)
    tracer.start(tables, trees, lines, in_file)
    return tracer, tables


# ---- tables ------------------------------------------------------------------------------------------------


def test_entries_are_found_again():
    data = memory.create(None, SMALL)
    tables = fallback.Tables(data)
    assert [tables.function("a.py", "f", 3), tables.function("a.py", "g", -1)] == [0, 1]
    assert tables.function("a.py", "f", 3) == 0  # the texts, six bytes, fill their table
    assert [tables.tree(0, 0), tables.tree(1, 0), tables.tree(0, 0)] == [0, 1, 0]
    assert [tables.add(0, 0), tables.add(0, 1), tables.add(1, 1), tables.add(2, 0)] == [1, 2, 3, 3]
    assert [tables.add(3, 1), tables.add(1, 0), tables.add(0, 0)] == [3, 1, 1]
    assert tables.tree(1, 3) == 2
    assert [tables.line(0, 7), tables.line(1, 7), tables.line(0, 7)] == [0, 1, 0]
    first = tables.offset(5) // 4
    assert [tables.thread(), tables.thread()] == [first, first + 8192]
    counts = counters.read(data)
    assert counts.functions == [("a.py", "f", 3), ("a.py", "g", 0)] and counts.starts == [0, 0]
    assert counts.trees == [(0, ()), (1, ()), (1, (0, 1))] and counts.calls == [0, 0, 0]
    assert counts.lines == [(0, 7, 0), (1, 7, 0)] and not counts.full


@pytest.mark.parametrize(
    "more",
    [
        lambda tables: tables.function("a.py", "f", 4),
        lambda tables: tables.add(0, 9),
        lambda tables: tables.tree(0, 9),
        lambda tables: tables.line(0, 9),
        lambda tables: tables.thread(),
    ],
)
def test_a_full_table_takes_no_more_and_says_so(more):
    data = memory.create(None, SMALL)
    tables = fallback.Tables(data)
    for n in (1, 2):
        tables.function("a.py", "f", n)
        tables.line(0, n)
        tables.thread()
    for n in (0, 1, 2):
        tables.add(n, n)
        tables.tree(0, n)
    before = bytes(data)
    tables.slots[memory.FLAGS] = memory.OVER_BUDGET
    with pytest.raises(fallback.Full):
        more(tables)
    assert tables.slots[memory.FLAGS] == memory.OVER_BUDGET | memory.FULL
    tables.slots[memory.FLAGS] = 0
    assert bytes(data) == before


def test_names_that_do_not_fit():
    tables = fallback.Tables(memory.create(None, SMALL | {"names": 5}))
    with pytest.raises(fallback.Full):
        tables.function("a.py", "gg", 1)
    assert tables.function("a.py", "g", 1) == 0


def test_names_that_are_no_text_and_where_functions_really_are():
    data = memory.create(None, LARGE)
    tables = fallback.Tables(data)
    for n, name in enumerate("fgh"):
        tables.function("\udcff.py", name, n)
    tables.found_at(1, "/x/\udcff.py")
    assert counters.read(data).functions == [("?.py", "f", 0), ("/x/?.py", "g", 1), ("?.py", "h", 2)]


def test_the_name_of_an_exception_has_its_limit():
    data = memory.create(None, SMALL)
    tables = fallback.Tables(data)
    tables.exception("\udcff" + "x" * 300)
    assert counters.read(data).exception == "?" + "x" * 247
    assert not any(data[8 * 257 + 248 : memory.HEADER])
    tables.exception("KeyError")
    assert counters.read(data).exception == "KeyError"


# ---- recording ---------------------------------------------------------------------------------------------


def test_what_is_listened_to(monitoring, system):
    started(trees=False, lines=False)
    assert monitoring.events_of() == {"PY_START"} and monitoring.everywhere == [(4, 1)]
    assert monitoring.tools == {4: "stakes.clarify"}
    monitoring.callbacks.clear()
    monitoring.tools = {4: "another"}
    tracer, _ = started(trees=True, lines=False)
    assert monitoring.events_of() == set(EVENTS) - {"LINE"} and monitoring.everywhere[-1] == (3, 63)
    tracer.stop()
    assert monitoring.everywhere[-1] == (3, 0) and monitoring.freed == [3]
    monitoring.callbacks.clear()
    monitoring.tools.clear()
    started(trees=False, lines=True)
    assert monitoring.events_of() == {"PY_START", "LINE"} and monitoring.everywhere[-1] == (4, 65)
    monitoring.tools = {3: "one", 4: "another"}
    with pytest.raises(RuntimeError, match=r"every tool number of sys\.monitoring is in use"):
        started()


def test_starts_trees_and_lines(monitoring, system):
    _, tables = started()
    main, leaf, numbers = code("main", 1), code("leaf", 5), code("numbers", 9)
    said = [
        monitoring.fire(*event)
        for event in [
            ("PY_RETURN", code("earlier")),  # it began before the tracer did
            ("PY_RETURN", code("earlier")),
            ("PY_START", main),
            ("LINE", main, 2),
            ("PY_START", leaf), ("PY_RETURN", leaf),
            ("PY_START", leaf), ("PY_UNWIND", leaf),
            ("LINE", main, 3), ("LINE", main, 2),
            ("PY_START", numbers), ("PY_START", leaf), ("PY_RETURN", leaf), ("PY_YIELD", numbers),
            ("PY_RESUME", numbers), ("PY_YIELD", numbers),
            ("PY_THROW", numbers), ("PY_UNWIND", numbers),
            ("PY_RETURN", main),
            ("PY_RETURN", main),  # of nothing that began
            ("PY_START", leaf), ("PY_RETURN", leaf),
        ]
    ]  # fmt: skip
    assert said == [None] * len(said)
    counts = counters.read(tables)
    assert counts.functions == [
        ("/x/app.py", "main", 1),
        ("/x/app.py", "leaf", 5),
        ("/x/app.py", "numbers", 9),
    ]
    assert counts.starts == [1, 4, 1]
    # leaf; numbers that called leaf; numbers alone; main that called all of these
    assert counts.trees == [(1, ()), (2, (0,)), (2, ()), (0, (0, 1, 2))] and counts.calls == [4, 1, 2, 1]
    assert counts.lines == [(0, 2, 2), (0, 3, 1)]


def test_a_call_that_is_not_the_last_begun_is_not_counted(monitoring, system):
    _, tables = started()
    main, leaf = code("main"), code("leaf")
    for event, one in (("PY_START", main), ("PY_START", leaf), ("PY_RETURN", main), ("PY_RETURN", main)):
        monitoring.fire(event, one)
    counts = counters.read(tables)
    assert counts.trees == [(0, ())] and counts.calls == [1] and counts.starts == [1, 1]


def test_without_trees_no_stack_is_kept(monitoring, system):
    _, tables = started(trees=False, lines=False)
    monitoring.fire("PY_START", code("main"))
    counts = counters.read(tables)
    assert counts.starts == [1] and counts.trees == []


def test_calls_under_way_and_each_thread_has_its_own_stack(monitoring, system):
    _, tables = started()
    main, work, leaf = code("main"), code("work"), code("leaf")
    monitoring.fire("PY_START", main)
    thread = threading.Thread(
        target=lambda: (
            [monitoring.fire("PY_START", one) for one in (work, leaf)] and monitoring.fire("PY_RETURN", leaf)
        )
    )
    thread.start()
    thread.join()
    counts = counters.read(tables)
    assert counts.trees == [(2, ()), (0, ()), (1, (0,))] and counts.calls == [1, 1, 1]


def test_calls_deeper_than_the_stack_are_counted_as_starts_only(monitoring, system):
    _, tables = started()
    first, deep = code("first"), code("deep")
    monitoring.fire("PY_START", first)
    monitoring.fire("PY_RETURN", first)
    for _ in range(memory.DEEPEST + 1):
        monitoring.fire("PY_START", deep)
    for _ in range(memory.DEEPEST + 1):
        monitoring.fire("PY_RETURN", deep)
    counts = counters.read(tables)
    assert counts.starts == [1, memory.DEEPEST + 1] and counts.calls == [1] * (1 + memory.DEEPEST)
    assert counts.trees[:3] == [(0, ()), (1, ()), (1, (1,))] and counts.trees[-1] == (
        1,
        (memory.DEEPEST - 1,),
    )


def test_tables_that_are_full_do_not_disturb(monitoring, system):
    tracer, tables = started(capacity=SMALL)
    codes = [code(name) for name in "fgh"]
    for one in codes:
        assert monitoring.fire("PY_START", one) is None and monitoring.fire("LINE", one, 1) is None
        assert monitoring.fire("PY_RETURN", one) is None
    assert counters.read(tables).functions == []  # no name fits
    other = memory.create(None, LARGE)
    tracer.rebase(other, True)
    monitoring.fire("PY_START", codes[0])
    assert counters.read(other).starts == [1] and counters.read(other).trees == [(0, ())]


def test_an_exception_that_nobody_caught_is_heard_where_there_is_a_file(monitoring, system):
    started(in_file=False)
    assert system.hooks == []
    _, tables = started(in_file=True)
    (heard,) = system.hooks
    heard("sys.excepthook", (None, 3, None, None))
    heard("import", (None, KeyError, KeyError(), None))
    assert counters.read(tables).exception is None
    heard("sys.excepthook", (None, KeyError, KeyError(), None))
    assert counters.read(tables).exception == "KeyError"


# ---- before Python 3.12 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lines", [False, True])
def test_before_monitoring_every_thread_has_a_profile_function(monkeypatch, system, lines):
    set_up = []

    def module(name, **more):
        told = {
            kind: lambda function, kind=kind: set_up.append((name, kind, function))
            for kind in ("setprofile", "settrace")
        }
        return SimpleNamespace(**told, **more)

    made = module("sys", version_info=(3, 11), addaudithook=system.addaudithook)
    monkeypatch.setattr(fallback, "sys", made)
    monkeypatch.setattr(fallback, "threading", module("threading", local=threading.local))
    tracer, tables = started(trees=True, lines=lines, in_file=True)
    wanted = [(name, "setprofile", tracer._profile) for name in ("threading", "sys")]
    wanted += [(name, "settrace", tracer._trace) for name in ("threading", "sys")] if lines else []
    assert set_up == wanted and len(system.hooks) == 1
    frame, below = (SimpleNamespace(f_code=code(name), f_lineno=4) for name in ("main", "leaf"))
    for one, event in ((frame, "call"), (frame, "c_call"), (frame, "c_return"), (below, "call")):
        tracer._profile(one, event, None)
    for one in (below, frame):
        tracer._profile(one, "return", None)
    for event in ("call", "line", "line", "return"):
        assert tracer._trace(frame, event, None) == tracer._trace
    counts = counters.read(tables)
    assert (counts.starts, counts.trees, counts.calls) == ([1, 1], [(1, ()), (0, (0,))], [1, 1])
    assert counts.lines == [(0, 4, 2)]


@pytest.mark.parametrize("flag", [0x20, 0x80, 0x200])
def test_a_generator_starts_at_its_first_resume(system, flag):
    system.version_info = (3, 11)
    tracer, tables = fallback.PlainTracer(), memory.create(None, LARGE)
    tracer._with_trees = False
    tracer.rebase(tables, False)
    one = code("numbers", flags=flag | 0x3)
    one.co_code = bytes([151, 1, 151, 0, 151, 2, 100, 0])
    for last in (2, 0, 4, 6, 2):  # an argument of RESUME other than 0 is after a yield or an await
        tracer._profile(SimpleNamespace(f_code=one, f_lasti=last), "call", None)
    assert counters.read(tables).starts == [2]
    plain = code("plain", flags=0x3)
    tracer._profile(SimpleNamespace(f_code=plain, f_lasti=0), "call", None)
    assert counters.read(tables).starts == [2, 1]


# ---- watching ----------------------------------------------------------------------------------------------


CHOSEN = [("app.py", "leaf", 5), ("app.py", "main", 1), ("app.py", "never", 9)]


def watching(lines=((1, 2),), trees=True, in_file=False, **more):
    selection = Selection(CHOSEN, lines, trees)
    tracer, tables = fallback.PlainTracer(), memory.create(None, LARGE)
    tracer.watch(tables, selection, in_file, **more)
    return tracer, tables


MAIN, LEAF, OTHER = code("main", 1), code("leaf", 5), code("other", 7)
RUN = [
    ("PY_START", MAIN), ("LINE", MAIN, 2), ("LINE", MAIN, 3),
    ("PY_START", OTHER), ("LINE", OTHER, 2), ("PY_START", LEAF), ("LINE", LEAF, 6), ("PY_RETURN", LEAF),
    ("PY_RETURN", OTHER),
    ("PY_START", LEAF), ("PY_RETURN", LEAF), ("LINE", MAIN, 2), ("PY_RETURN", MAIN),
]  # fmt: skip


def test_what_is_not_chosen_is_turned_off_where_it_is_met(monitoring, system):
    tracer, tables = watching()
    assert monitoring.events_of() == set(EVENTS) and not system.hooks
    off = [place for place, event in enumerate(RUN) if monitoring.fire(*event) is monitoring.DISABLE]
    assert [RUN[place] for place in off] == [
        ("LINE", MAIN, 3), ("PY_START", OTHER), ("LINE", OTHER, 2), ("LINE", LEAF, 6),
    ]  # fmt: skip
    # These two cannot be turned off.
    assert monitoring.fire("PY_RESUME", OTHER) is monitoring.fire("PY_THROW", OTHER) is None
    counts = counters.read(tables)
    # What has run is noted with its real path, the rest as it was asked for.
    assert counts.functions == [("/x/app.py", *CHOSEN[0][1:]), ("/x/app.py", *CHOSEN[1][1:]), CHOSEN[2]]
    assert counts.starts == [2, 1, 0] and counts.lines == [(1, 2, 2)]
    assert counts.trees == [(0, ()), (1, (0,))] and counts.calls == [2, 1]
    other = memory.create(None, LARGE)
    tracer.rebase(other, False)
    assert counters.read(other).functions == CHOSEN and counters.read(other).lines == [(1, 2, 0)]
    monitoring.fire("PY_START", LEAF)
    assert counters.read(other).starts == [1, 0, 0] and counters.read(tables).starts == [2, 1, 0]


def test_no_more_is_listened_to_than_the_choice_needs(monitoring, system):
    watching(lines=(), trees=False, in_file=True)
    assert monitoring.events_of() == {"PY_START"} and len(system.hooks) == 1


def test_a_scope_counts_starts_trees_and_lines_of_its_own(monitoring, system):
    variable = contextvars.ContextVar("scope")
    _, tables = watching(variable=variable)
    for event in RUN:
        monitoring.fire(*event)
    scope = fallback.PlainScope()
    variable.set(scope)
    assert scope.counts() == ([], [], [])
    for event in RUN[5:8] + RUN[:1] + RUN[1:2] * 3:
        monitoring.fire(*event)
    assert scope.counts() == ([1, 1], [1], [3])
    variable.set(None)
    monitoring.fire("PY_START", LEAF)
    assert scope.counts() == ([1, 1], [1], [3]) and counters.read(tables).starts == [4, 2, 0]


def test_scopes_as_lists():
    scope = fallback.PlainScope()
    for kind, number in ((0, 2), (1, 0), (1, 0), (2, 1)):
        scope.count(kind, number)
    assert scope.counts() == ([0, 0, 1], [2], [0, 1])


def test_too_many_events_within_a_second_end_the_watching(monitoring, system, monkeypatch):
    clock = itertools.chain([10.0, 10.5, 11.0, 11.5], itertools.repeat(11.9))
    monkeypatch.setattr(fallback, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    _, tables = watching(trees=False, budget=2000)
    # The clock is looked at every 1024 events: at 10.5; at 11.0, when a second has passed; at 11.5 and 11.9.
    # Then 2048 events are too many.
    for n, over in ((4 * 1024 - 1, False), (1, True), (5000, True)):
        for _ in range(n):
            monitoring.fire("PY_START", LEAF)
        counts = counters.read(tables)
        assert counts.over_budget == over and counts.starts == [4 * 1024 - 1, 0, 0]
    assert monitoring.fire("LINE", MAIN, 2) is None and counters.read(tables).lines == [(1, 2, 0)]


def test_as_many_events_as_the_budget_allows_are_no_reason_to_end(monitoring, system, monkeypatch):
    monkeypatch.setattr(fallback, "time", SimpleNamespace(monotonic=lambda: 0.0))
    _, tables = watching(trees=False, budget=1024)
    for _ in range(1500):
        monitoring.fire("LINE", MAIN, 2)
    assert not counters.read(tables).over_budget and counters.read(tables).lines == [(1, 2, 1500)]
    monitoring.tools.clear()
    _, tables = watching(trees=False)  # no budget at all
    for _ in range(3000):
        monitoring.fire("PY_START", LEAF)
    assert not counters.read(tables).over_budget
