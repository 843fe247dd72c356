"""A deployed model inside a program: what it counts, when it speaks, and when it does not know."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import tracing
from clarify_app import APP, DEEP, END, FUNCTIONS, OTHERWISE, document, monitored

LOAD = f"""
import importlib.util
folder = {str(tracing.HOST)!r}
spec = importlib.util.spec_from_file_location(
    "clarify", folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules["clarify"] = importlib.util.module_from_spec(spec)
from clarify.install import ClarifyHandler, explain, fingerprint, install, scope, uninstall
"""


@pytest.fixture(scope="session", autouse=True)
def built():
    tracing.build()


@pytest.fixture(params=tracing.INTERPRETERS, ids=tracing.INTERPRETERS)
def minor(request):
    return request.param


@pytest.fixture
def app(tmp_path, minor):
    """Runs the program with a model installed, returns its status and what it wrote."""

    def execute(body, load=LOAD, **changes):
        model = tmp_path / "model.json"
        model.write_text(json.dumps(document(minor, **changes)))
        script = tmp_path / "app.py"
        script.write_text(APP + load + f"MODEL = {str(model)!r}\n" + body)
        status, output, errors = tracing.execute(tracing.INTERPRETERS[minor], script, tracing.bare())
        return status, output.decode(), errors.decode()

    return execute


def test_counts_of_functions_trees_and_lines(app, minor):
    features = FUNCTIONS + (DEEP if monitored(minor) else ())
    body = "install(MODEL)\ncalls(3); calls(0); list(numbers()); numbers()\nprint(explain().counts)\n"
    status, output, errors = app(body, features=features)
    assert (status, errors) == (0, "")
    # A generator that has returned after its last yield has one more stretch, without a call.
    assert output.strip() == str((5, 2, 1, 1, 1, 2, 3)[: len(features)])


def test_functions_that_are_made_later_or_were_there_before(app):
    body = """
before = leaf
install(MODEL)
before(1)
sys.argv = ["app.py"]
import runpy
space = {}
exec(compile(open(__file__).read().split("import importlib.util")[0], __file__, "exec"), space)
space["leaf"](2); space["calls"](2)
print(explain().counts)
uninstall()
leaf(3)
install(MODEL)
leaf(3)
print(explain().counts)
"""
    status, output, errors = app(body)
    assert (status, errors) == (0, "")
    assert output.splitlines() == ["(4, 1, 0)", "(1, 0, 0)"]


def test_functions_inside_those_that_were_there_before(app):
    body = """
def outer():
    def inner(): return 1
    return inner
install(MODEL)
outer()(); outer()()
print(explain().counts)
"""
    watch = document()["watch"]
    place = (APP + LOAD + "MODEL = ''\n" + body).splitlines()
    watch["functions"][1] = ["app.py", "outer.<locals>.inner", place.index("    def inner(): return 1") + 1]
    status, output, errors = app(body, watch=watch)
    assert (status, output, errors) == (0, "(0, 2, 0)\n", "")


@pytest.mark.parametrize(
    "end",
    ["fails()", "sys.exit(3)", "sys.exit('so long')", "import sys as s; s.exit(True)", "fail in a thread"],
)
def test_failures_are_explained_below_their_own_message(app, end):
    if end == "fail in a thread":
        end = "thread = threading.Thread(target=fails); thread.start(); thread.join()"
    body = f"print('out')\n{{}}\ncalls(6)\n{end}\n"
    alone = app(body.format("pass"))
    watched = app(body.format("install(MODEL)"))
    assert watched[:2] == alone[:2]
    assert watched[2].replace("install(MODEL)", "pass") == alone[2] + END


def test_raising_system_exit_is_an_exit(app, minor):
    if not monitored(minor):
        pytest.skip("before 3.12 only sys.exit is seen")
    assert app("install(MODEL)\ncalls(6)\nraise SystemExit(2)") == (2, "", END)


@pytest.mark.parametrize("end", ["", "sys.exit()", "sys.exit(0)", "raise SystemExit", "sys.exit(False)"])
def test_success_is_not_explained(app, end):
    caught = "try: raise SystemExit(4)\nexcept SystemExit: pass\n"
    assert app(f"install(MODEL)\ncalls(6)\n{caught}{end}") == (0, "", "")


def test_json(app):
    status, _, errors = app("install(MODEL, as_json=True)\ncalls(6)\nsys.exit(1)")
    verdict = json.loads(errors)
    assert (status, verdict["label"], verdict["counts"]) == (1, "many", [6, 1, 0])


def test_scopes_count_their_own_thread_and_task(app, minor):
    features = FUNCTIONS + (DEEP if monitored(minor) else ())
    body = """
install(MODEL)
calls(30)
def request(n, results):
    with scope() as one:
        calls(n)
        inner = explain().counts
    calls(1)
    results.append((one.explain().counts == inner, inner))
results = []
threads = [threading.Thread(target=request, args=(n, results)) for n in (1, 2, 3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
async def task(n):
    with scope() as one:
        for _ in range(n):
            calls(1); await asyncio.sleep(0)
        return one.explain().counts
async def main(): return await asyncio.gather(*map(task, (1, 2, 3)))
print(sorted(results), asyncio.run(main()), explain().counts[:3])
"""
    status, output, errors = app(body, features=features)
    n = len(features)
    threads = [(True, (i, 1, 0, 1, 0, 0, i)[:n]) for i in (1, 2, 3)]
    tasks = [(i, i, 0, i, 0, 0, i)[:n] for i in (1, 2, 3)]
    assert (status, errors) == (0, "")
    assert output.strip() == f"{threads} {tasks} {(30 + 6 + 3 + 6, 1 + 6 + 6, 0)}"


def test_errors_that_are_logged_are_followed_by_their_cause(app):
    body = """
install(MODEL)
logging.basicConfig(format="%(name)s %(message)s")
logging.getLogger().addHandler(ClarifyHandler())
logging.getLogger("stakes.clarify").addFilter(lambda record: print(record.clarify["label"]) or True)
calls(6)
logging.warning("careful")
logging.error("broken")
"""
    assert app(body)[1:] == ("many\n", f"root careful\nroot broken\nstakes.clarify {END}")


def test_a_fingerprint_groups_what_looks_the_same(app):
    body = (
        "install(MODEL)\nfor n in (1, 1, 4, 30):\n    with scope():\n        calls(n); print(fingerprint())\n"
    )
    prints = app(body)[1].split()
    assert prints[0] == prints[1] and len(set(prints)) == 3


def test_another_interpreter_is_refused(app):
    body = "import warnings\nclarify = install(MODEL)\nprint(clarify.refused)\ncalls(6)\nsys.exit(1)"
    status, output, errors = app(body, interpreter="cpython 3.9")
    assert status == 1 and output.startswith("the model is for cpython 3.9, this is cpython 3.")
    assert "RuntimeWarning: clarify does not watch: the model is for" in errors and "likely" not in errors


def test_another_version_is_refused(app, tmp_path):
    (tmp_path / "My_App-2.0.dist-info").mkdir()
    body = "install(MODEL)\ncalls(6)\nsys.exit(1)"
    assert "the model is for my-app 1.0, this is my-app 2.0" in app(body, versions={"app": "my-app==1.0"})[2]
    assert app(body, versions={"app": "my-app==2.0"})[2] == END
    status, _, errors = app(body, versions={"app.py": "sha256:0123456789abcdef"})
    assert (status, errors) == (
        1,
        "clarify: cause unknown: app.py has changed since the model was trained.\n",
    )


def test_watching_ends_past_its_budget(app):
    body = "install(MODEL, budget=1000)\ncalls(5000)\nleaf(1)\nprint(explain())"
    assert "ran too often" in app(body)[1]
    assert "ran too often" not in app("install(MODEL, budget=10**5)\ncalls(5000)\nprint(explain())")[1]


def test_trees_and_lines_need_monitoring(app, minor):
    if monitored(minor):
        pytest.skip("here they work")
    body = "clarify = install(MODEL)\nprint(clarify.refused)"
    assert app(body, features=FUNCTIONS + DEEP)[1].startswith("before Python 3.12 only starts of functions")


def test_tracebacks_and_behaviour_of_a_watched_function_stay(app):
    body = """
import inspect, traceback
{}
def wrapped(a, *, b=2):
    try:
        for i in range(a):
            try: leaf(i + None)
            except TypeError: traceback.print_exc()
            finally: leaf(1)
        with open(__file__) as file: raise KeyError(b)
    except KeyError as error: return error.__traceback__.tb_lineno, inspect.signature(wrapped),
    wrapped.__qualname__
print(wrapped(2), list(numbers()))
calls("x")
"""
    alone = app(body.format("pass"))
    place = APP + LOAD + "MODEL = ''\n" + body
    line = place.splitlines().index("def wrapped(a, *, b=2):") + 1
    watch = document()["watch"]
    watch["functions"].append(["app.py", "wrapped", line])
    watched = app(body.format("install(MODEL)"), watch=watch)
    assert watched[:2] == alone[:2]
    assert watched[2].replace("install(MODEL)", "pass").startswith(alone[2])


def test_a_failure_that_looks_different_inside_the_program(app):
    body, endings = "install(MODEL)\ncalls(6)\n{}", [[1, "ValueError"]]
    assert app(body.format("fails()"), endings=endings)[2].endswith(END)
    assert app(body.format("print(explain().label)"), endings=endings) == (0, "many\n", "")
    *_, errors = app(body.format("raise json.JSONDecodeError('no', '', 0)"), endings=endings)
    assert errors.endswith(OTHERWISE.format("json.decoder.JSONDecodeError"))
    errors = app(body.format("sys.exit(1)"), endings=endings)[2]
    assert errors == OTHERWISE.format("no uncaught exception")
    thread = "thread = threading.Thread(target=lambda: 1 / 0); thread.start(); thread.join()"
    assert app(body.format(thread), endings=endings)[2].endswith(END)  # the program has not ended


def test_a_program_that_installs_a_model_loads_no_numpy():
    check = (
        "import sys; from stakes import forensics; print({'numpy', 'sklearn', 'typer'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
