"""A program that runs under pytest-cov: the same tests and the same coverage with and without the tracer."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import tracing

pytestmark = pytest.mark.skipif(not tracing.LINUX, reason="the tracer is compared on Linux only")

#: What pytest-cov needs. All of it is plain Python but one core of coverage, and even that is optional.
PACKAGES = ("pytest", "pytest-cov", "coverage", "pluggy", "iniconfig", "packaging", "pygments")

PROGRAM = """

def leaf(n=0): return n
def work(n):
    for i in range(n): leaf(i)
    if n > 100:
        return -1
    return n
def numbers():
    yield 1
    yield 2
"""

TESTS = """
import sys, threading
import program

def test_fine(): assert program.work(3) == 3
def test_wrong(): assert program.work(4) == 5
def test_raises(): program.work(None)
def test_generator(): assert list(program.numbers()) == [1, 2]
def test_thread():
    thread = threading.Thread(target=program.work, args=(3,)); thread.start(); thread.join()
def test_profiler_and_tools():
    print(sys.getprofile())
    if sys.version_info >= (3, 12): print(sys.monitoring.get_tool(sys.monitoring.COVERAGE_ID))
    assert False
"""


@pytest.fixture(scope="session", autouse=True)
def built():
    tracing.build()


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """A folder with pytest-cov for interpreters that do not have it."""
    folder = tmp_path_factory.mktemp("packages")
    for name in PACKAGES:
        for file in importlib.metadata.distribution(name).files or ():
            if ".." not in file.parts and file.suffix not in (".pyc", ".pth"):
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), folder / file)
    return folder


@pytest.fixture(params=tracing.INTERPRETERS.values(), ids=tracing.INTERPRETERS)
def python(request):
    return request.param


@pytest.mark.parametrize("core", ["ctrace", "sysmon"])
def test_pytest_cov_sees_the_same(python, core, packages, tmp_path):
    if core == "sysmon" and tracing.version(python) < (3, 12):
        pytest.skip("sys.monitoring came with 3.12")
    if core == "ctrace" and tracing.version(python) != sys.version_info[:2]:
        core = "pytrace"  # the compiled core that is installed is for the interpreter of the tests
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "test_program.py").write_text(TESTS)
    alone = run(python, core, tracing.bare(), packages, tmp_path)
    for mode in ("record", "watch"):
        counts = tmp_path / mode
        counts.mkdir()
        if mode == "watch":
            tracing.watching(counts, python)
        assert run(python, core, tracing.environment(counts), packages, tmp_path) == alone, mode
        assert list(counts.glob("*.counts")), f"it was not traced at all: {mode}"
    status, output, _, covered = alone
    assert status == 1 and b"3 failed, 3 passed" in output
    assert covered["files"]["program.py"]["missing_lines"] == [7], "coverage has not looked"


def run(python, core, env, packages, folder):
    """Status, output, errors and coverage of the tests, without times and addresses."""
    path = os.pathsep.join(filter(None, [env.get("PYTHONPATH"), str(packages)]))
    command = [python, "-m", "pytest", "-p", "no:cacheprovider", "--cov=program", "--cov-report=term-missing"]
    done = subprocess.run(
        [*command, "--cov-report=json:covered.json"],
        env={
            **env,
            "PYTHONPATH": path,
            "COVERAGE_CORE": core,
            "PYTHONPYCACHEPREFIX": str(packages / "cache"),
        },
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
    )
    covered = json.loads((folder / "covered.json").read_text())
    covered["meta"].pop("timestamp")
    output = re.sub(rb"=+ (.*) in [\d.]+s =+", rb"\1", re.sub(rb"0x[0-9a-f]+", b"0x", done.stdout))
    return done.returncode, output, done.stderr, covered
