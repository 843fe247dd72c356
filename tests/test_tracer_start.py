"""How watching starts inside a program: what is chosen, whether the program is the model's, and forks."""

from __future__ import annotations

import hashlib
import marshal
import os
from types import SimpleNamespace

import pytest

from stakes.forensics.host import backend, memory, startup, versions
from stakes.forensics.host.counters import Counts
from stakes.forensics.host.model import ClarifyModel
from stakes.forensics.host.selection import Selection, _is_file
from stakes.forensics.host.watching import _within, verdict
from test_clarify_model import DOCUMENT

# ---- what is chosen ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filename", "is_it"),
    [
        ("b/c.py", True),
        ("/x/b/c.py", True),
        ("D:\\x\\b/c.py", True),
        ("/x/ab/c.py", False),
        ("/x/b/c.pyc", False),
        ("/v/site-packages/b/c.py", True),
        ("/v/site-packages/a/b/c.py", False),
        ("/v/lib/python3.12/site-packages/b/c.py", True),
        ("/v/dist-packages/a/site-packages/b/c.py", True),
        ("/v/site-packages/a/dist-packages/b/c.py", True),
        ("/v/site-packages/a/site-packages/b/c.py", True),
        ("/usr/lib/python3.12/b/c.py", True),
        ("/usr/lib/python3.13t/b/c.py", True),
        ("/usr/lib/python3.12/a/b/c.py", False),
        ("/usr/lib/pypy3.10/b/c.py", True),
        ("/usr/lib/pypy3.10/a/b/c.py", False),
        ("/usr/lib/python-tools/a/b/c.py", True),
        ("/usr/lib/python/a/b/c.py", True),
        ("/usr/lib/pypy3.10/a/lib/python3.12/b/c.py", True),
    ],
)
def test_a_path_begins_at_the_top_of_packages(filename, is_it):
    assert _is_file(filename, "b/c.py") == is_it


def test_functions_are_found_by_file_name_and_line():
    chosen = Selection(
        [["a.py", "f", 1], ["b.py", "f", 1], ["b.py", "f", 4], ["b.py", "g", 1]], [[3, 2]], True
    )
    assert chosen.functions[3] == ("b.py", "g", 1) and chosen.lines == ((3, 2),) and chosen.trees
    for place, function in enumerate(chosen.functions):
        assert chosen.number("/x/" + function[0], *function[1:]) == place
    assert chosen.number("/x/a.py", "f", 4) is chosen.number("/x/a.py", "h", 1) is None
    assert chosen.is_watched_file("/x/b.py") and not chosen.is_watched_file("/x/c.py")


def test_room_for_what_is_chosen():
    functions = [("ä.py", "f", 1), ("b.py", "größe", 2)]
    needed = {"names": 65536 + 6 + 11, "functions": 3, "lines": 2, "sets": 2, "trees": 1, "threads": 1}
    assert Selection(functions, [(0, 3)], False).capacity == needed
    with_trees = {"sets": 16384, "trees": 8192, "threads": 64}
    assert Selection(functions, [(0, 3)], True).capacity == needed | with_trees


# ---- whether it is the program -----------------------------------------------------------------------------


def test_only_what_is_known_to_differ_is_a_mismatch(tmp_path):
    (tmp_path / "My.App-2.0.dist-info").mkdir()
    here, path = versions.interpreter(), [str(tmp_path)]
    assert versions.mismatch("cpython 2.7", {}, path) == f"the model is for cpython 2.7, this is {here}"
    assert versions.mismatch(here, {"app": "my_app==2.0", "a.py": "sha256:1", "b": "b==1"}, path) == ""
    other = versions.mismatch(here, {"b": "b==1", "app": "my_app==1.0"}, path)
    assert other == "the model is for my_app 1.0, this is my_app 2.0"


def test_a_file_with_other_content_has_changed(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.py").write_text(name)
    digest = "sha256:" + hashlib.sha256(b"a").hexdigest()[:16]
    wanted = {"a.py": digest, "b.py": digest, "gone.py": digest, "c": "c==1"}
    files = [(name, str(tmp_path / name)) for name in ("c", "gone.py", "other.py", "a.py")]
    assert versions.changed_file(wanted, files) == ""
    changed = versions.changed_file(wanted, [*files, ("b.py", str(tmp_path / "b.py"))])
    assert changed == "b.py has changed since the model was trained"


# ---- start -------------------------------------------------------------------------------------------------


class Tracer:
    def __init__(self):
        self.told = []

    def __getattr__(self, name):
        return lambda *arguments: self.told.append((name, *arguments))


@pytest.fixture
def begun(monkeypatch, tmp_path):
    """Starts as in a program; returns the tracer and what happens in a forked child."""

    def begin(count=None, order=None):
        tracer, children = Tracer(), []
        monkeypatch.setattr(backend, "recorder", lambda: (tracer, "why"))

        def watcher(selection, exits=True):
            assert not exits
            if selection.trees == "refused":
                raise RuntimeError("it cannot be done")
            return tracer, "why"

        monkeypatch.setattr(backend, "watcher", watcher)
        monkeypatch.setattr(os, "register_at_fork", lambda *, after_in_child: children.append(after_in_child))
        monkeypatch.setattr(memory, "create", lambda *arguments: arguments)
        if order is not None:
            (tmp_path / startup.WATCH).write_bytes(marshal.dumps(order, 2))
        startup.begin({startup.FOLDER: str(tmp_path)} | ({} if count is None else {startup.COUNT: count}))
        return tracer, children

    return begin


@pytest.mark.parametrize(
    ("count", "trees", "lines"),
    [(None, False, False), ("trees", True, False), ("lines", False, True), ("trees,lines", True, True)],
)
def test_recording_starts_as_the_environment_says(begun, tmp_path, count, trees, lines):
    tracer, (child,) = begun(count)
    tables = (str(tmp_path), memory.recording(trees, lines))
    assert tracer.told == [("start", tables, trees, lines, True)]
    child()
    assert tracer.told[1:] == [("rebase", (*tables, 0), True)]


def test_without_a_folder_nothing_starts(monkeypatch):
    monkeypatch.setattr(backend, "recorder", lambda: pytest.fail("it has started"))
    startup.begin({})
    startup.begin({startup.FOLDER: ""})


FUNCTIONS = [("a.py", "f", 1)]


def test_watching_starts_as_the_folder_says(begun, tmp_path, monkeypatch):
    tracer, (child,) = begun(order=(FUNCTIONS, [(0, 2)], True, 9, versions.interpreter(), {}))
    ((what, tables, selection, in_file, budget),) = tracer.told
    assert (what, in_file, budget) == ("watch", True, memory.BUDGET) and memory.BUDGET == 1_000_000
    assert tables == (str(tmp_path), selection.capacity, 9)
    assert (selection.functions, selection.lines, selection.trees) == (tuple(FUNCTIONS), ((0, 2),), True)

    def no_longer(folder, *more):
        if folder is not None:
            raise PermissionError
        return more

    monkeypatch.setattr(memory, "create", no_longer)
    child()  # it counts for itself
    assert tracer.told[1:] == [("rebase", (selection.capacity, 9), False)]
    monkeypatch.setattr(memory, "create", lambda *_: 1 // 0)
    child()  # it goes on unwatched
    assert len(tracer.told) == 2


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ((FUNCTIONS, [], True, 9, "cpython 2.7", {}), "the model is for cpython 2.7"),
        ((FUNCTIONS, [], "refused", 9, versions.interpreter(), {}), "it cannot be done"),
    ],
)
def test_a_program_that_is_not_the_models_says_so(begun, tmp_path, order, why):
    tracer, children = begun(order=order)
    assert tracer.told == children == []
    assert (tmp_path / f"{os.getpid()}.refused").read_text(encoding="utf-8").startswith(why)


# ---- which tracer ------------------------------------------------------------------------------------------


def chosen(trees=False, lines=()):
    return SimpleNamespace(trees=trees, lines=lines)


def test_which_tracer_is_taken(monkeypatch):
    def on(version, compiled=True):
        cache_tag = SimpleNamespace(cache_tag="tag")
        monkeypatch.setattr(backend, "sys", SimpleNamespace(version_info=version, implementation=cache_tag))
        monkeypatch.setattr(backend, "_tracer", object() if compiled else None)

    def kinds(**how):
        return type(backend.recorder()[0]).__name__, type(backend.watcher(chosen(), **how)[0]).__name__

    on((3, 12), compiled=False)
    assert kinds() == ("PlainTracer", "PlainTracer")
    on((3, 12))
    assert kinds() == ("MonitoringTracer", "MonitoringTracer")
    on((3, 11))
    assert kinds() == ("ProfileTracer", "InjectingTracer")
    for wanted in (chosen(trees=True), chosen(lines=((0, 1),))):
        with pytest.raises(RuntimeError, match="only starts of functions can be watched"):
            backend.watcher(wanted)
    on((3, 11), compiled=False)
    assert type(backend.recorder()[0]).__name__ == "PlainTracer"
    with pytest.raises(RuntimeError, match="the compiled tracer is needed"):
        backend.watcher(chosen())
    # Watched functions are found as they are made where the exit need not be seen, nor trees from 3.14 on.
    for version, trees, exits, alone in (
        ((3, 13), True, False, True), ((3, 13), True, True, False), ((3, 13), False, True, False),
        ((3, 14), True, False, False), ((3, 14), False, False, True),
    ):  # fmt: skip
        on(version)
        assert backend.watcher(chosen(trees=trees), exits=exits)[0]._alone == alone
    assert not backend.watcher(chosen())[0]._alone and not backend.MonitoringTracer()._alone


# ---- verdicts ----------------------------------------------------------------------------------------------


def counted(starts, over_budget=False, path="app.py", **more):
    functions = [(path, name, line) for line, name in enumerate("fgh", 1)]
    return Counts(
        1, 2, 3, False, over_budget, functions, starts, **{"trees": [], "calls": [], "lines": []} | more
    )


def test_the_processes_of_a_run_add_up(tmp_path):
    model = ClarifyModel.from_dict(DOCUMENT)
    assert verdict(model, [counted([2, 0, 1]), counted([3, 1, 0])]).counts == (5, 1)
    assert verdict(model, [counted([2, 0, 1])]).label == "a"
    assert "app.py:h:3 was counted 2 times" in verdict(model, [counted([1, 0, 1])] * 2).why_unknown
    over = verdict(model, [counted([2, 0, 1]), counted([2, 0, 1], over_budget=True)])
    assert over.why_unknown == "the watched functions ran too often, so watching was ended"
    assert (over.label, over.agree, over.similar, over.counts) == (None, 0, 0, ())
    (tmp_path / "app.py").write_text("other")
    changed = ClarifyModel.from_dict(DOCUMENT | {"versions": {"app.py": "sha256:0"}})
    told = verdict(changed, [counted([2, 0, 1], path=str(tmp_path / "app.py"))])
    assert told.why_unknown == "app.py has changed since the model was trained"


def test_the_counts_of_a_scope_take_the_place_of_the_processs():
    whole = counted([9, 9, 9], trees=[(0, ()), (1, (0,))], calls=[9, 9], lines=[(0, 2, 9), (1, 5, 9)])
    part = _within(whole, ([1], [], [0, 4, 7]))
    assert (part.starts, part.calls) == ([1, 0, 0], [0, 0])
    assert part.lines == [(0, 2, 0), (1, 5, 4)] and part.trees == whole.trees
