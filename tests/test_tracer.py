"""What the tracers count, on every interpreter found: the compiled one and its twin in plain Python."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import tracing
from stakes.forensics import CallTree, Function, project
from stakes.forensics.host import counters, memory
from stakes.forensics.places import Places
from stakes.forensics.profile import merge
from stakes.forensics.record import read_counts, to_profile

PROGRAM = """
import asyncio, threading

def leaf(): pass

def twice(): leaf(); leaf()

def through(): return twice()

def fails():
    leaf()
    raise ValueError

def caught():
    try: fails()
    except ValueError: pass

def generator():
    leaf()
    yield 1
    twice()
    yield 2

def never_started(): yield 1

def consume():
    for _ in generator(): pass
    next(generator())
    never_started()

async def work(n):
    leaf()
    await asyncio.sleep(0)
    twice()

async def main():
    await asyncio.gather(*(work(n) for n in range(3)))

class Thing:
    def method(self): return [x for x in (1, 2)]

def recursive(n): return n and recursive(n - 1)

leaf(); twice(); through(); caught(); consume()
asyncio.run(main())
Thing().method()
recursive(4)
threads = [threading.Thread(target=twice) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


@pytest.fixture(scope="session", autouse=True)
def built():
    tracing.build()


@pytest.fixture(params=tracing.INTERPRETERS.values(), ids=tracing.INTERPRETERS)
def python(request):
    return request.param


@pytest.fixture(params=["compiled", "plain"])
def host(request, tmp_path):
    return tracing.HOST if request.param == "compiled" else tracing.plain_host(tmp_path)


def recorded(python, text, tmp_path, host, count="trees,lines", expect=0):
    """The profile of a program, with only its own functions."""
    folder = tmp_path / f"counts-{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    script = tmp_path / "program.py"
    script.write_text(text)
    status, _, errors = tracing.execute(python, script, tracing.environment(folder, count, host))
    assert status == expect, errors.decode()
    places = Places()
    profile = merge([to_profile(counts, places) for counts in read_counts(folder)])
    return profile, project(profile, {f for f in profile.functions if f.path == "program.py"})


def named(projection):
    return {function.name: count for function, count in projection.functions.items()}


def plain(tree: CallTree):
    return (tree.function.name, frozenset(map(plain, tree.children)))


def depth(projection, levels, name):
    """Trees of one function as nested pairs of names."""
    trees = projection.trees[levels].items()
    return {plain(tree): count for tree, count in trees if tree.function.name == name}


def test_starts_are_counted_once_each(python, host, tmp_path):
    _, projection = recorded(python, PROGRAM, tmp_path, host)
    starts = named(projection)
    comprehension = (
        {"Thing.method.<locals>.<listcomp>": 1, "<listcomp>": 1} if tracing.version(python) < (3, 12) else {}
    )
    assert starts == comprehension | {
        "<module>": 1, "leaf": 1 + 2 + 2 + 1 + 4 + 3 * (1 + 2) + 3 * 2, "twice": 1 + 1 + 1 + 3 + 3,
        "through": 1,
        "fails": 1, "caught": 1, "generator": 2, "consume": 1, "main": 1, "main.<locals>.<genexpr>": 1,
        "work": 3, "Thing": 1, "Thing.method": 1, "recursive": 5,
    }  # fmt: skip


def test_trees_are_sets_and_see_exceptions_and_generators(python, host, tmp_path):
    _, projection = recorded(python, PROGRAM, tmp_path, host)
    leaf = ("leaf", frozenset())
    twice = ("twice", frozenset({leaf}))
    assert depth(projection, 2, "through") == {("through", frozenset({twice})): 1}
    assert depth(projection, 1, "through") == {("through", frozenset({("twice", frozenset())})): 1}
    assert depth(projection, 2, "caught") == {("caught", frozenset({("fails", frozenset({leaf}))})): 1}
    # Between two suspensions a generator is one call. One thrown away at its first yield is sent
    # GeneratorExit, unless it could not notice (3.13).
    thrown_away = tracing.version(python) < (3, 13)
    assert depth(projection, 1, "generator") == {
        ("generator", frozenset({leaf})): 2,
        ("generator", frozenset({("twice", frozenset())})): 1,
        ("generator", frozenset()): 1 + thrown_away,
    }
    assert depth(projection, 1, "work") == {
        ("work", frozenset({leaf})): 3,
        ("work", frozenset({("twice", frozenset())})): 3,
    }
    assert depth(projection, 2, "recursive")[("recursive", frozenset())] == 1


def test_lines_are_counted(python, host, tmp_path):
    text = "def f(n):\n    for i in range(n):\n        g(i)\n\ndef g(i):\n    return i\n\nf(3)\nf(0)\n"
    profile, _ = recorded(python, text, tmp_path, host, "lines")
    found = {
        (line.function.name, line.line): n
        for line, n in profile.line_counts.items()
        if line.function.path == "program.py"
    }
    assert (found["f", 3], found["g", 6]) == (3, 3)
    assert found["f", 2] == 2 + 3  # entered twice, and come back to after each of the three rounds


def test_the_twin_agrees(python, tmp_path):
    text = (Path(__file__).parent / "oracles" / "traced_program.py").read_text()
    compiled = recorded(python, text, tmp_path, tracing.HOST)
    twin = recorded(python, text, tmp_path, tracing.plain_host(tmp_path))
    assert compiled[1] == twin[1]
    ours = [
        {line: n for line, n in profile.line_counts.items() if line.function.path == "program.py"}
        for profile, _ in (compiled, twin)
    ]
    assert ours[0] == ours[1] != {}


def test_nothing_but_starts_where_nothing_else_was_asked_for(python, host, tmp_path):
    profile, projection = recorded(python, PROGRAM, tmp_path, host, "")
    assert profile.trees == () and profile.lines == () and named(projection)["leaf"] == 25


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_forks_and_programs_started_are_part_of_the_run(python, host, tmp_path):
    text = """
import os, subprocess, sys
def leaf(): pass
leaf()
if os.fork() == 0:
    leaf(); leaf()
    os._exit(0)
os.wait()
subprocess.run([sys.executable, "-c", "import program_part; program_part.other()"], check=True)
if "again" not in os.environ:
    os.environ["again"] = "1"
    os.execv(sys.executable, [sys.executable, *sys.argv])
"""
    (tmp_path / "program_part.py").write_text("def other(): pass\n")
    profile, projection = recorded(python, text, tmp_path, host)
    assert named(projection)["leaf"] == 2 * 3
    assert {f.name: n for f, n in zip(profile.functions, profile.counts) if f.path == "program_part.py"} == {
        "<module>": 2,
        "other": 2,
    }


ENDS = {
    "SIGKILL": (-9, "os.kill(os.getpid(), signal.SIGKILL)"),
    "SIGSEGV": (-11, "os.kill(os.getpid(), signal.SIGSEGV)"),
    "abort": (-6, "os.abort()"),
    "_exit": (7, "os._exit(7)"),
}


@pytest.mark.skipif(not tracing.LINUX, reason="signals end processes differently elsewhere")
@pytest.mark.parametrize("end", ENDS)
def test_nothing_is_lost_however_the_process_ends(python, host, tmp_path, end):
    status, call = ENDS[end]
    text = f"""
import os, signal
def leaf(): pass
def inner():
    for _ in range(12345): leaf()
    {call}
def outer(): inner()
outer()
"""
    _, projection = recorded(python, text, tmp_path, host, "trees", status)
    assert named(projection) == {"<module>": 1, "outer": 1, "inner": 1, "leaf": 12345}
    leaf = ("leaf", frozenset())
    # The calls that were under way are counted as they stood.
    assert depth(projection, 2, "outer") == {("outer", frozenset({("inner", frozenset({leaf}))})): 1}
    assert depth(projection, 1, "leaf") == {leaf: 12345}


def test_names_and_counts_only(python, host, tmp_path):
    text = (
        "def f(secret, key=None):\n    local = secret + 'tail'\n    return local\nf('hunter2', 'hunter3')\n"
    )
    recorded(python, text, tmp_path, host)
    files = list(tmp_path.glob("counts-*/*.counts"))
    assert files
    for path in files:
        assert b"hunter" not in path.read_bytes()
        assert path.stat().st_mode & 0o777 == 0o600


def test_tables_that_are_full_are_said_to_be(tmp_path):
    """One interpreter must do: the tables know nothing of it."""
    python = [*tracing.INTERPRETERS.values()][-1]
    text = "for i in range(17000):\n    exec(compile(f'def f{i}(): pass\\nf{i}()', f'<made {i}>', 'exec'))\n"
    profile, _ = recorded(python, text, tmp_path, tracing.HOST, "trees")
    assert not profile.complete


def test_more_threads_than_there_is_room_for(python, tmp_path):
    text = """
import threading
def leaf(): pass
def work(): leaf()
for _ in range(30):
    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
    profile, projection = recorded(python, text, tmp_path, tracing.HOST, "trees")
    assert profile.complete  # threads that have ended have given their place back
    assert depth(projection, 1, "work") == {("work", frozenset({("leaf", frozenset())})): 150}


def test_a_call_deeper_than_the_stack_of_a_thread(python, tmp_path):
    text = """
import sys, threading
sys.setrecursionlimit(9000)
threading.stack_size(256 << 20)
def deep(n): return n and deep(n - 1)
thread = threading.Thread(target=deep, args=(6000,))
thread.start(); thread.join()
deep(3)
"""
    profile, projection = recorded(python, text, tmp_path, tracing.HOST, "trees")
    assert named(projection)["deep"] == 6001 + 4
    assert not profile.complete


def test_a_damaged_file_is_an_error_or_tables_that_fit_together(tmp_path):
    python = next(iter(tracing.INTERPRETERS.values()))
    recorded(python, "def f(): pass\nf()\n", tmp_path, tracing.HOST)
    whole = next(tmp_path.glob("counts-*/*.counts")).read_bytes()
    assert counters.read(whole).functions
    for length in (0, 7, 100, 4095, 4096, 100_000):
        with pytest.raises(ValueError, match="counters"):
            counters.read(whole[:length])
    for place in (*range(8, 200, 8), *range(4096, 8192, 256)):
        broken = bytearray(whole)
        broken[place] ^= 0xFF
        try:
            found = counters.read(bytes(broken))
        except ValueError:
            continue
        assert len(found.functions) == len(found.starts)


def test_a_damaged_file_is_left_out_of_what_is_then_not_complete(tmp_path):
    python = next(iter(tracing.INTERPRETERS.values()))
    recorded(python, "import os\nif os.fork() == 0: os._exit(0)\nos.wait()\n", tmp_path, tracing.HOST)
    folder = tmp_path / "counts-0"
    # Of the two processes the child calls less; where that is nothing, its trees cannot be damaged.
    first, second = sorted(
        folder.glob("*.counts"), key=lambda path: len(counters.read(path.read_bytes()).functions)
    )
    # The functions of the trees are none that there are, and one file was never finished.
    with second.open("r+b") as file:
        file.seek(8 * (memory.FIRST_TABLE + 3 + 2))
        file.write(bytes(8))
    (folder / "9-9.counts").write_bytes(bytes(4096))
    (counts,) = read_counts(folder)
    assert counts.functions == counters.read(first.read_bytes()).functions
    assert counts.full and not counters.read(first.read_bytes()).full
    second.unlink()
    assert not read_counts(folder)[0].full


def test_a_function_has_a_path_that_means_the_same_elsewhere(tmp_path):
    places = Places()
    (tmp_path / "top" / "sub").mkdir(parents=True)
    (tmp_path / "top" / "__init__.py").touch()
    (tmp_path / "top" / "sub" / "__init__.py").touch()
    assert places.relative(str(tmp_path / "top" / "sub" / "mod.py")) == "top/sub/mod.py"
    assert places.relative(str(tmp_path / "script.py")) == "script.py"
    assert places.relative("/usr/lib/python3.12/json/decoder.py") == "json/decoder.py"
    assert places.relative("/v/lib/python3.12/site-packages/pip/main.py") == "pip/main.py"
    assert places.relative("<string>") == "<string>"
    assert str(Function("a.py", "f", 3)) == "a.py:f:3"


#: How a program may end, and the exception that a user is told of.
UNCAUGHT = {
    "pass": None,
    "raise KeyError('secret')": "KeyError",
    "raise json.JSONDecodeError('secret', '', 0)": "json.decoder.JSONDecodeError",
    "zlib.decompress(b'no')": "zlib.error",
    "raise Outer.Inner": "Outer.Inner",
    "raise Größe": "Größe",
    "raise Long": "x" * 248,
    "raise type('Lost', (Exception,), {'__module__': 3})": "Lost",
    "sys.excepthook = lambda *_: None\nraise KeyError": "KeyError",
    "del sys.excepthook\nraise KeyError": "KeyError",
    "raise KeyboardInterrupt": "KeyboardInterrupt",
    "try: raise KeyError\nexcept KeyError: raise SystemExit(1)": None,
    "t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()": None,
    "if os.fork() == 0: raise KeyError\nos.wait()": "KeyError",
    "sys.addaudithook(lambda *_: None)\nraise KeyError": "KeyError",
}


@pytest.mark.parametrize("end", UNCAUGHT)
def test_the_exception_that_nobody_caught_is_noted(python, host, tmp_path, end):
    script, folder = tmp_path / "program.py", tmp_path / "counts"
    folder.mkdir()
    script.write_text(
        "import json, os, sys, threading, zlib\nclass Outer:\n    class Inner(Exception): pass\n"
        "class Größe(Exception): pass\nLong = type('x' * 300, (Exception,), {})\n" + end
    )
    tracing.execute(python, script, tracing.environment(folder, "", host))
    profile = merge([to_profile(counts, Places()) for counts in read_counts(folder)])
    assert profile.symptom.exception == UNCAUGHT[end]


FORKS = """
import ctypes, os, signal, sys, threading

def parent(): pass

def child(): pass

def other(): pass

os.register_at_fork(after_in_child=child)

def forks(n):
    for _ in range(n): parent()
    pid = os.fork()
    if pid == 0:
        for _ in range(20): child()
        if n: forks(n - 1)
        os._exit(0)
    os.waitpid(pid, 0)
    for _ in range(30): parent()

forks(2)
thread = threading.Thread(target=forks, args=(1,)); thread.start(); thread.join()
if os.fork() == 0: child(); sys.exit(3)
os.wait()
if os.fork() == 0: child(); os.kill(os.getpid(), signal.SIGKILL)
os.wait()
pid = ctypes.CDLL(None).fork()  # of which the interpreter learns nothing
if pid == 0:
    for _ in range(20): child()
    os._exit(0)
os.waitpid(pid, 0)
other()
sys.exit(4)
"""


def test_each_process_of_a_program_that_forks_counts_for_itself(python, host, tmp_path):
    folder, script = tmp_path / "counts", tmp_path / "program.py"
    folder.mkdir()
    script.write_text(FORKS)
    assert tracing.execute(python, script, tracing.environment(folder, host=host))[0] == 4
    profiles = [to_profile(counts, Places()) for counts in read_counts(folder)]
    starts = [
        {f.name: n for f, n in zip(one.functions, one.counts, strict=True) if n and f.path == "program.py"}
        for one in profiles
    ]
    assert starts[0] == {"<module>": 1, "parent": 2 + 30 + 1 + 30, "forks": 2, "other": 1}
    assert sorted(tuple(one.get(name, 0) for name in ("child", "parent", "forks")) for one in starts[1:]) == [
        (2, 0, 0), (2, 0, 0), (21, 0, 0), (21, 0, 0), (21, 30, 1), (21, 30, 1), (21, 31, 1),
    ]  # fmt: skip


def test_an_end_by_signal_is_a_negative_status(tmp_path):
    from stakes.forensics import record

    python = next(iter(tracing.INTERPRETERS.values()))
    status, profile = record([python, "-c", "import os; os.kill(os.getpid(), 15)"])
    assert status == profile.symptom.exit_status == -signal.SIGTERM
