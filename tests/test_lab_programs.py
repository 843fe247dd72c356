"""The programs of figure 1: inputs that can be made again, and a run that goes on where it was."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from stakes.cli import app
from stakes.lab.programs import load_programs

FOLDER = Path(__file__).parents[1] / "benchmarks" / "clarify" / "programs"
PACKAGE = load_programs(FOLDER).__name__
collect, environments, figure, page, recorder, reproduce, words = (
    importlib.import_module(f"{PACKAGE}.{name}")
    for name in ("collect", "environments", "figure", "page", "recorder", "reproduce", "words")
)
Case, token = recorder.Case, words.token

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="recording needs processes that fork")

SCRIPT = """
import sys
def shared(): pass
def left(): shared()
def right(): pass
def noise(n):
    for _ in range(n): shared()
noise(int(sys.argv[2]))
(left if sys.argv[1] == "one" else right)()
sys.exit("it failed")
"""


def toy_case(label, number, folder):
    folder.mkdir(parents=True, exist_ok=True)
    return Case(f"toy {label} {number}", label, [label, str(number)], str(folder))


def put_toy_in(monkeypatch):
    """Have a program of our own instead of those from PyPI."""
    cases = SimpleNamespace(
        SYMPTOM="it failed",
        PACKAGES=(),
        TARGET="script:toy.py",
        SCRIPT=SCRIPT,
        PRELOAD=(),
        CAUSES={"one": "Left.", "two": "Right."},
        make=toy_case,
    )
    monkeypatch.setitem(sys.modules, f"{PACKAGE}.toy_cases", cases)
    monkeypatch.setattr(collect, "environment", lambda *_: sys.executable)
    monkeypatch.setattr(collect, "find_python", lambda python: sys.executable)
    monkeypatch.setattr(figure, "PROGRAMS", ("toy",))
    return cases


@pytest.fixture
def toy(monkeypatch):
    return put_toy_in(monkeypatch)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A folder in which the toy program was recorded and learnt from, the figure's rows, and the steps."""
    folder, steps = tmp_path_factory.mktemp("recorded"), []
    with pytest.MonkeyPatch.context() as monkeypatch:
        put_toy_in(monkeypatch)
        rows = reproduce.reproduce_programs(
            folder, programs=["toy"], quick=True, progress=lambda *step: steps.append(step)
        )
    return folder, rows, steps


@pytest.mark.parametrize("name", collect.PROGRAMS)
def test_inputs_are_the_same_each_time_and_differ_from_each_other(name, tmp_path):
    cases = collect.cases_of(name)
    for label in cases.CAUSES:
        made = [
            written(cases.make(label, number, tmp_path / part / str(number)), tmp_path / part / str(number))
            for part, number in (("a", 0), ("b", 0), ("a", 1))
        ]
        assert made[0] == made[1] != made[2]


@pytest.mark.parametrize("name", collect.PROGRAMS)
def test_how_a_program_is_called_does_not_give_the_cause_away(name, tmp_path):
    """The length of a path or address would be counted, line by line, and learnt from."""
    cases = collect.cases_of(name)
    folders = [tmp_path / token(label, 0) for label in cases.CAUSES]
    assert len({len(str(folder)) for folder in folders}) == 1
    for label, folder in zip(cases.CAUSES, folders):
        case = cases.make(label, 0, folder)
        assert not any(
            label in part for part in (*case.argv, *case.env.values(), case.cwd) if "--" not in part
        )


def written(case, folder):
    """Arguments and files of an input, without what depends on where it lies."""
    where = str(folder.parent.parent)
    paths = [
        path for path in folder.rglob("*") if path.is_file() and path.suffix != ".whl"
    ]  # zips have dates
    files = {path.relative_to(folder): path.read_bytes() for path in paths}
    plain = [argument.replace(where, "").replace("/a/", "/").replace("/b/", "/") for argument in case.argv]
    return case.name, case.label, plain, files


def test_a_figure_from_the_recording_to_the_page(recorded):
    folder, rows, steps = recorded
    assert [row.counted for row in rows] == list(figure.KINDS)
    assert all(row.accuracy == row.nested_accuracy == 1.0 for row in rows)
    assert all(row.events <= row.baseline_events <= row.all_events for row in rows)
    page = (folder / "davis2006-figure-1.md").read_text()
    assert "| toy | FC | 2 |" in page and "toy: it failed" in page
    assert [row["counted"] for row in json.loads((folder / "davis2006-figure-1.json").read_text())] == list(
        figure.KINDS
    )
    assert steps[0][2] == "recording toy" and steps[-1] == (3, 4, "learning toy from FC+CTP+lines")


def test_what_is_there_is_not_done_again(recorded, toy, tmp_path, monkeypatch):
    options = {"programs": ["toy"], "quick": True}
    shutil.copytree(recorded[0], tmp_path, dirs_exist_ok=True)
    first = recorded[1]
    runs = tmp_path / "programs" / "toy" / f"runs-{reproduce.QUICK_INPUTS}"
    before = {path: path.stat().st_mtime_ns for path in runs.iterdir()}
    next(iter(before)).unlink()
    monkeypatch.setattr(figure, "one_row", None)  # learning again would call it
    assert reproduce.reproduce_programs(tmp_path, **options) == first
    after = {path: path.stat().st_mtime_ns for path in runs.iterdir()}
    assert after.keys() == before.keys()
    assert sum(after[path] != before[path] for path in before) == 1


def test_the_command(recorded, toy, tmp_path):
    shutil.copytree(recorded[0], tmp_path, dirs_exist_ok=True)  # what was recorded is read
    options = ["--figure", "1", "--quick", "-o", str(tmp_path)]
    result = CliRunner().invoke(app, ["reproduce", "davis2006", *options, "--datasets", "toy"])
    assert result.exit_code == 0, result.output
    assert "| toy | FC+CTP+lines | 2 |" in result.stdout
    result = CliRunner().invoke(app, ["reproduce", "davis2006", *options, "--datasets", "gcc"])
    assert result.exit_code == 1 and "programs must be some of toy, got gcc" in result.stderr


def test_a_run_that_ends_otherwise_is_an_error(toy, tmp_path):
    toy.SYMPTOM = "something else"
    with pytest.raises(RuntimeError, match="toy one 0 ended otherwise"):
        reproduce.reproduce_programs(tmp_path, programs=["toy"], quick=True)


def test_other_programs_are_refused(tmp_path):
    with pytest.raises(ValueError, match="programs must be some of pip, jinja2, requests, pyyaml, got gcc"):
        reproduce.reproduce_programs(tmp_path, programs=["gcc"])


def test_an_interpreter_that_cannot_be_started():
    with pytest.raises(ValueError, match="python must be an interpreter that can be started, got 'python0'"):
        environments.find_python("python0")


def test_the_programs_are_asked_for_where_there_is_no_checkout(tmp_path, monkeypatch):
    from stakes.lab import programs

    monkeypatch.setattr(programs, "_CHECKOUT", tmp_path / "nowhere")
    told = CliRunner().invoke(app, ["reproduce", "davis2006", "--figure", "1", "-o", str(tmp_path)])
    assert told.exit_code == 1 and "benchmarks/clarify/programs of a checkout of stakes" in told.stderr
    with pytest.raises(ValueError, match=r"--programs, got .*empty"):
        load_programs(tmp_path / "empty")


def test_programs_of_another_folder_take_the_place_of_the_checkouts(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "reproduce.py").write_text("")
    (folder / "__init__.py").write_text("found = 'mine'\n")
    try:
        assert load_programs(folder).found == "mine"
    finally:
        sys.modules.pop(PACKAGE)
    assert hasattr(load_programs(FOLDER), "reproduce_programs")
