"""A deployed model counts what a projection of the recorded run says, whichever functions it watches."""

from __future__ import annotations

import marshal
import random
import subprocess

import pytest

import tracing
from stakes.forensics import Projection, project
from stakes.forensics.host import startup
from stakes.forensics.host.names import Function
from stakes.forensics.host.trees import project as project_counts
from stakes.forensics.places import Places
from stakes.forensics.profile import merge
from stakes.forensics.record import read_counts, to_profile

#: Functions that call each other, raise and catch at random. What runs between events of watched functions
#: is whatever it happens to be: that is what telling ended calls from running ones must survive.
CALLS = """
import random, threading
rng = random.Random({seed})
class Fail(Exception): pass
left = 3000
def step():
    global left
    left -= 1
    return left > 0
def call(depth):
    rng.choice(ALL)(depth + 1)
def go(depth):
    for _ in range(rng.randrange(5)):
        if depth > 12 or not step(): return
        if rng.random() < 0.5:
            try: call(depth)
            except Fail: pass
        else: call(depth)
    if rng.random() < 0.3: raise Fail
def plain(depth): go(depth)
def other(depth): go(depth); go(depth)
def inline(depth):
    for _ in range(rng.randrange(4)):
        if depth > 12 or not step(): return
        try: call(depth)
        except Fail: rng.random() < 0.5 and call(depth)
    if rng.random() < 0.3: raise Fail
def closures(depth):
    def inner(): go(depth)
    try: inner()
    finally: step() and depth < 12 and inline(depth + 1)
ALL = [plain, other, inline, closures]
"""

GENERATORS = """
def generator(depth):
    try:
        go(depth)
        yield 1
        plain(depth)
        yield 2
    except Fail: depth < 12 and step() and inline(depth + 1)
def consume(depth):
    one = generator(depth)
    for _ in range(rng.randrange(4)):
        if next(one, None) is None: return
    kind = rng.randrange(3)
    if kind == 0: one.close()
    try: kind == 1 and one.throw(Fail)
    except StopIteration: pass
ALL += [consume]
"""

MAIN = """
for _ in range(60):
    try: rng.choice(ALL)(0)
    except Fail: pass
"""

THREADS = """
threading.excepthook = lambda details: None
for _ in range(300):
    left = 30
    thread = threading.Thread(target=rng.choice(ALL), args=(0,))
    thread.start(); thread.join()
"""

#: Ways in which code becomes a function, each called once.
MADE = """
import collections, functools, types
def make(text):
    space = {}
    exec(compile(text, __file__, "exec"), space)
    return space
def first(): pass
def second(): pass
def third(): pass
make("\\n" * 20 + "def executed(): pass")["executed"]()
types.FunctionType(compile("lambda: 1", __file__, "eval").co_consts[0], {})()
eval(compile("\\n" * 40 + "lambda: 2", __file__, "eval"))()
first.__code__ = second.__code__.replace(co_name="renamed"); first()
def outer():
    def inner(): pass
    return inner
outer()()
@types.coroutine
def decorated(): yield
for _ in decorated(): pass
@functools.lru_cache
def cached(): pass
cached(); cached()
class Holder:
    @property
    def value(self): return third()
    async def waits(self): return 1
Holder().value
try: Holder().waits().send(None)
except StopIteration: pass
"""

PYTHONS = {
    minor: python for minor, python in tracing.INTERPRETERS.items() if tracing.version(python) >= (3, 12)
}


@pytest.fixture(scope="session", autouse=True)
def built():
    tracing.build()


@pytest.fixture(params=PYTHONS.values(), ids=PYTHONS)
def python(request):
    return request.param


def execute(python, text, tmp_path, order=None):
    """The counts of a program's processes: recorded, or with only what ``order`` says watched."""
    folder = tmp_path / f"counts-{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    if order is not None:
        (folder / startup.WATCH).write_bytes(marshal.dumps(order, 2))
    script = tmp_path / "program.py"
    script.write_text(text)
    status, _, errors = tracing.execute(python, script, tracing.environment(folder, "trees"))
    assert status == 0, errors.decode()
    return read_counts(folder)


#: A run of pip that finds nothing, in a process of its own.
PIP = """
import runpy, sys
sys.argv = ["pip", "download", "-qqq", "--disable-pip-version-check", "--no-index", "no-such-project"]
try: runpy.run_module("pip", run_name="__main__")
except SystemExit as end: assert end.code == 1, end.code
"""


def watched(python, text, tmp_path, functions: list[Function], trees=True) -> Projection:
    """What is seen where only some functions are watched."""
    interpreter = "cpython {}.{}".format(*tracing.version(python))
    order = ([tuple(function) for function in functions], [], trees, 1, interpreter, {})
    (counts,) = execute(python, text, tmp_path, order)
    assert not counts.full
    return project_counts(functions, counts.starts, counts.trees, counts.calls, [True] * len(functions))


def own_functions(python, text, tmp_path):
    """The recorded run and those of its functions that are the program's own."""
    profile = merge([to_profile(counts, Places()) for counts in execute(python, text, tmp_path)])
    return profile, [function for function in profile.functions if function.path == "program.py"]


@pytest.mark.parametrize("body", ["calls", "generators", "threads"])
@pytest.mark.parametrize("seed", range(4))
def test_watching_counts_what_the_projection_says(python, tmp_path, body, seed):
    text = CALLS.format(seed=seed)
    text += {"calls": MAIN, "generators": GENERATORS + MAIN, "threads": THREADS + MAIN}[body]
    profile, functions = own_functions(python, text, tmp_path)
    rng = random.Random(seed)
    for size in (1, 2, 3, 5):
        chosen = rng.sample([function for function in functions if function.name != "<module>"], size)
        expected = project(profile, set(chosen))
        assert sum(expected.functions.values()) > 0
        assert watched(python, text, tmp_path, chosen) == expected


def test_watching_pip_counts_what_the_projection_says(python, tmp_path):
    if subprocess.run([python, "-c", "import pip"], capture_output=True, check=False).returncode:
        pytest.skip("this interpreter has no pip")
    recorded = [execute(python, PIP, tmp_path) for _ in range(2)]
    profiles = [merge([to_profile(counts, Places()) for counts in one]) for one in recorded]
    first, second = (project(profile).functions for profile in profiles)
    repeatable = [function for function, count in first.items() if second.get(function) == count]
    assert len(repeatable) > 1000
    rng = random.Random(1)
    for size in (1, 4, 8, 16):
        chosen = rng.sample(repeatable, size)
        assert watched(python, PIP, tmp_path, chosen) in [project(one, set(chosen)) for one in profiles]


@pytest.mark.parametrize("python", tracing.INTERPRETERS.values(), ids=tracing.INTERPRETERS)
@pytest.mark.parametrize("top", ["site-packages", "lib/python3.12", "lib/python3.12/site-packages"])
def test_a_path_is_one_from_the_top_of_the_packages(python, tmp_path, top):
    for folder in ("inner", "outer/inner", "outer"):
        package = tmp_path / top / folder
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text("def leaf(): pass\n")
    text = f"import sys; sys.path.append({str(tmp_path / top)!r})\n"
    text += "import inner, outer.inner\nfor _ in range(3): inner.leaf()\nouter.inner.leaf(); outer.leaf()\n"
    counts = {"inner/__init__.py": 3, "outer/inner/__init__.py": 1, "outer/__init__.py": 1}
    profile = merge([to_profile(counts, Places()) for counts in execute(python, text, tmp_path)])
    for path, count in counts.items():
        function = Function(path, "leaf", 1)
        assert project(profile, {function}).functions == {function: count}
        assert watched(python, text, tmp_path, [function], trees=False).functions == {function: count}


def test_however_a_function_is_made_it_is_found(python, tmp_path):
    profile, functions = own_functions(python, MADE, tmp_path)
    names = {function.name for function in functions}
    assert {"executed", "<lambda>", "second", "outer.<locals>.inner", "decorated", "Holder.waits"} <= names
    for function in functions:
        if function.name != "<module>":
            expected = project(profile, {function}).functions
            assert watched(python, MADE, tmp_path, [function], trees=False).functions == expected
