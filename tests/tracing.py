"""Interpreters and programs for the tests of the tracer."""

from __future__ import annotations

import importlib.util
import marshal
import os
import shutil
import subprocess
import sys
from pathlib import Path

from stakes.forensics.host import startup

ROOT = Path(__file__).resolve().parents[1]
#: What is loaded into programs. tools/sanitize.py has one with a sanitized tracer, which needs libraries.
HOST = Path(os.environ.get("STAKES_TRACER_HOST", ROOT / "src" / "stakes" / "forensics" / "host"))
SANITIZERS = {
    "LD_PRELOAD": os.environ.get("STAKES_TRACER_LIBRARIES", ""),
    "PYTHONMALLOC": "malloc",
    "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_abort=0",
}


def _tool():
    spec = importlib.util.spec_from_file_location("build_tracer", ROOT / "tools" / "build_tracer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#: Of each minor version one; the tracer is built for each of them once. STAKES_ONE_INTERPRETER leaves the one
#: that runs the tests: where all tests run on several, programs need not run on each of them each time.
INTERPRETERS = _tool().interpreters()
if os.environ.get("STAKES_ONE_INTERPRETER"):
    INTERPRETERS = {"{}.{}".format(*sys.version_info): sys.executable}


def build() -> None:
    for python in INTERPRETERS.values():
        _tool().build(python)


def plain_host(folder: Path) -> Path:
    """Link to the part that runs in the program, without the compiled tracer."""
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(HOST, folder / "host", ignore=ignored, copy_function=os.symlink)
    return folder / "host"


def environment(counters: Path, count: str = "trees,lines", host: Path = HOST) -> dict[str, str]:
    """The environment that starts the tracer, as the commands make it."""
    counted = "COVERAGE_PROCESS_CONFIG"  # present where coverage.py counts the lines of programs, too
    kept = {
        key: value
        for key, value in os.environ.items()
        if key == counted or not key.startswith(("PYTHON", "COV"))
    }
    kept |= SANITIZERS if SANITIZERS["LD_PRELOAD"] else {}
    return {**kept, "PYTHONPATH": str(host / "path"), startup.FOLDER: str(counters), startup.COUNT: count}


def bare() -> dict[str, str]:
    """The same environment without the tracer."""
    traced = environment(Path())
    return {
        key: value
        for key, value in traced.items()
        if key not in ("PYTHONPATH", startup.FOLDER, startup.COUNT)
    }


def execute(python: str, script: Path, env: dict[str, str], **options):
    """Run a script and return its status and what it wrote."""
    done = subprocess.run(
        [python, str(script)],
        env=env,
        capture_output=True,
        timeout=60,
        check=False,
        cwd=script.parent,
        **options,
    )
    return done.returncode, done.stdout, done.stderr


def version(python: str) -> tuple[int, ...]:
    name = next(key for key, value in INTERPRETERS.items() if value == python)
    return tuple(map(int, name.split(".")))


def watching(folder, python):
    """What ``stakes clarify run`` leaves for the program: two functions, with trees and lines."""
    new = version(python) >= (3, 12)
    order = (
        [("program.py", "leaf", 3), ("program.py", "work", 4)],
        [(1, 5)] if new else [],
        new,
        1,
        "cpython {}.{}".format(*version(python)),
        {},
    )
    (folder / startup.WATCH).write_bytes(marshal.dumps(order, 2))


LINUX = sys.platform.startswith("linux")
