"""A program run with a model watching it from outside: what is told of its end, and what is not known."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest

import tracing
from clarify_app import APP, CALLS, DEEP, END, FUNCTIONS, OTHERWISE, document, monitored
from commands import read_terminal
from stakes.forensics import CallTree, ClarifyModel, Feature, Function, Line, Watch, run


@pytest.fixture(scope="session", autouse=True)
def built():
    tracing.build()


each_python = pytest.mark.parametrize("minor", tracing.INTERPRETERS)


@each_python
@pytest.mark.parametrize(
    "end", ["sys.exit(3)", "fails()", "import os; os.kill(os.getpid(), 9)", "import os; os._exit(2)"]
)
def test_a_run_is_explained_however_it_ended(minor, tmp_path, end):
    script = tmp_path / "app.py"
    script.write_text(APP + "calls(6)\n" + end)
    features = FUNCTIONS + (DEEP if monitored(minor) else ())
    model = ClarifyModel.from_dict(document(minor, features))
    status, verdict = run([tracing.INTERPRETERS[minor], str(script)], model, env=tracing.bare())
    assert status not in (0, None) and verdict.label == "many"
    assert verdict.counts == (6, 1, 0, 1, 0, 0, 6)[: len(features)]


@each_python
def test_a_failure_that_looks_different_is_not_explained(tmp_path, minor):
    script = tmp_path / "app.py"
    model = ClarifyModel.from_dict(document(minor, endings=[[1, "ValueError"], [3, None]]))
    ends = {
        "fails()": "many",
        "sys.exit(3)": "many",
        "sys.exit(1)": "exit status 1 and no uncaught exception",
        "raise KeyError": "exit status 1 and KeyError",
        "import os; os.abort()": "signal 6 and no uncaught exception",
    }
    for end, expected in ends.items():
        script.write_text(APP + f"calls(6)\n{end}\n")
        _, verdict = run([tracing.INTERPRETERS[minor], str(script)], model, env=tracing.bare())
        assert verdict.label == expected or str(verdict) + "\n" == OTHERWISE.format(expected)
        assert (verdict.label is None) == verdict.fingerprint.endswith("-unknown") and not verdict.nearest


ELSEWHERE = """import sys
def leaf(n): return n
def scan(n):
    leaf(n)
    if n < 0:
        fails()
def fails(): sys.exit(3)
def outer():
    leaf(0)
    scan(1)
outer(); [leaf(i) for i in range(4)]
"""


@each_python
def test_a_failure_elsewhere_is_not_explained(tmp_path, minor):
    leaf, scan, fails, outer = (
        Function("app.py", *one) for one in (("leaf", 2), ("scan", 3), ("fails", 7), ("outer", 8))
    )
    features, alike = [Feature(leaf), Feature(outer)], [Feature(fails)]
    if monitored(minor):
        # Neither part of what is watched leaves a trace in the trees of the other.
        features.append(Feature(CallTree(outer, frozenset({CallTree(leaf)})), 1))
        alike += [Feature(CallTree(scan, frozenset({CallTree(fails)})), 1), Feature(Line(scan, 6))]
    model = ClarifyModel.from_dict(
        document(
            minor,
            watch=Watch((leaf, outer), tuple(features)).to_dict(),
            ranges=[[0, 50]] * len(features),
            runs=[],
            guard={**Watch((scan, fails), tuple(alike)).to_dict(), "counts": [1] * len(alike)},
        )
    )
    verdicts, script = [], tmp_path / "app.py"
    for end in ("scan(-1)", "scan(1); sys.exit(3)"):
        script.write_text(ELSEWHERE + end)
        status, verdict = run([tracing.INTERPRETERS[minor], str(script)], model, env=tracing.bare())
        assert (status, verdict.counts) == (3, (7, 1, 1)[: len(features)])
        verdicts.append(verdict)
    assert verdicts[0].label == "many"
    why = "clarify: cause unknown: app.py:fails:7 was counted 0 times, 1 in every recorded run."
    assert str(verdicts[1]) == why


def test_a_run_that_ends_well_is_left_alone(tmp_path, capfd):
    minor, python = next(iter(tracing.INTERPRETERS.items()))
    model = ClarifyModel.from_dict(document(minor))
    assert run([python, "-c", "print(3)"], model, env=tracing.bare()) == (0, None)
    assert capfd.readouterr() == ("3\n", "")
    other = ClarifyModel.from_dict(document("2.7"))
    status, verdict = run([python, "-c", "raise SystemExit(1)"], other, env=tracing.bare())
    assert status == 1 and "the model is for cpython 2.7" in verdict.why_unknown


def test_the_command(tmp_path):
    minor, python = next(iter(tracing.INTERPRETERS.items()))
    model, script = tmp_path / "model.json", tmp_path / "app.py"
    model.write_text(json.dumps(document(minor)))
    script.write_text(APP + "calls(6)\nprint('out')\nsys.exit(3)")
    command = [
        sys.executable,
        "-m",
        "stakes.cli",
        "clarify",
        "run",
        "-m",
        str(model),
        "--",
        python,
        str(script),
    ]
    done = subprocess.run(command, env=tracing.bare(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", END)
    # On a terminal, which the program keeps, the exception is seen as well.
    model.write_text(json.dumps(document(minor, endings=[[1, "ValueError"]])))
    for end, told in (("fails()", END), ("raise KeyError", OTHERWISE.format("exit status 1 and KeyError"))):
        script.write_text(APP + f"calls(6)\n{end}\n")
        terminal, inside = pty.openpty()
        subprocess.run(command, env=tracing.bare(), stderr=inside, check=False)
        os.close(inside)
        assert read_terminal(terminal).endswith(told)


def test_what_is_not_known_is_said_so():
    model = ClarifyModel.from_dict(document())
    assert model.explain([2, 1, 0]).label == "few"
    impure = model.explain([25, 1, 0])
    assert (impure.label, impure.why_unknown) == (None, "3 of 5 similar runs agree")
    assert impure.nearest == (("run 1", "few"), ("run 2", "many"))
    assert str(impure).endswith("Nearest recorded runs: run 1 (few); run 2 (many).")
    outside = model.explain([2, 51, 0])
    assert outside.why_unknown == f"{CALLS} was counted 51 times, 0 to 50 in training"


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 2},
        {"ranges": []},
        {"endings": [[1]]},
        {"guard": {"functions": [["a.py", "f", 1]], "features": [["function", 0]], "counts": []}},
        {"guard": {"functions": [], "features": [["function", 0]], "counts": [1]}},
        {"watch": {"functions": [], "features": [["function", 0]]}},
        {"watch": {"functions": [["a.py", "f", 1]], "features": [["tree", 3, [0, []]]]}},
        {"tree": {"feature": [0], "threshold": [1], "first_child": [0], "class_weights": [[1, 1]]}},
        {"tree": {"feature": [], "threshold": [], "first_child": [], "class_weights": []}},
        {"tree": {"feature": [-1], "threshold": [None], "first_child": [-1], "class_weights": [[1]]}},
        {
            "tree": {
                "feature": [9, -1, -1],
                "threshold": [1] * 3,
                "first_child": [1] * 3,
                "class_weights": [[1, 1]] * 3,
            }
        },
    ],
)
def test_a_model_that_does_not_fit_together_is_refused(change):
    with pytest.raises(ValueError, match=r"model|watch"):
        ClarifyModel.from_dict({**document(), **change})
