"""Run the tests of the core and of the tracer on builds with the address and undefined-behaviour sanitizers.

The sanitized extensions go into folders of their own next to the package's sources; the installed build is
not touched. The tracer is built for every interpreter found and loaded into the programs that its tests run.
Extra arguments are passed on to pytest: ``python tools/sanitize.py -k route``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import build_tracer

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "sanitize"
PACKAGE = BUILD / "package" / "stakes"

#: Tests that reach the core with tables, trees and text of every kind. Those that start other processes are
#: left out: these would import the ordinary build.
TESTS = (
    "test_evolve_core.py",
    "test_evolve_search.py",
    "test_discretize.py",
    "test_rules_core.py",
    "test_additive.py",
    "test_tree_core.py",
    "test_tree_metamorphic.py",
    "test_tree_references.py",
    "test_tree_safety.py",
    "test_tree_tamper.py",
    "test_readers*.py",
    "test_text.py",
)

#: What they take goes into the slow twin or into other processes.
LEFT_OUT = (
    "tests/test_tree_references.py::test_j48_oracle",
    "tests/test_evolve_search.py::test_the_tree_is_the_same_whatever_the_instructions",
    "tests/test_evolve_search.py::test_two_levels_of_many_values_are_exact",
)

TRACER_TESTS = ("test_tracer.py", "test_tracer_watching.py")

WORKERS = os.cpu_count() or 1
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "quick")
NO_TESTS = 5  # pytest's status where none was chosen

# The editable install finds the package by a hook that comes before every path: it has to go first.
RUN = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
import stakes._core
assert "sanitize" in stakes._core.__file__, stakes._core.__file__
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


def main(arguments: list[str]) -> int:
    """Build and run; the exit status is pytest's."""
    if shutil.which("gcc") is None:
        print("sanitize: there is no gcc here, nothing was checked", file=sys.stderr)
        return 1
    build()
    assemble()
    with ThreadPoolExecutor() as pool:
        running = [pool.submit(job, arguments) for job in (run, run_tracer)]
        ends = [end for job in running if (end := job.result()) != NO_TESTS]
    return max(ends, key=abs, default=NO_TESTS)


def build() -> None:
    """Compile the extension with the sanitizers."""
    cmake = str(Path(sys.executable).with_name("cmake"))
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    options = ["-DSTAKES_SANITIZE=ON", "-DCMAKE_BUILD_TYPE=Debug", f"-DPython_EXECUTABLE={sys.executable}"]
    options.append("-DCMAKE_CXX_COMPILER=g++")
    call([cmake, "-S", str(ROOT), "-B", str(BUILD), *generator, *options])
    call([cmake, "--build", str(BUILD), "--parallel", str(os.cpu_count() or 1)])


def assemble() -> None:
    """Put links to the sources and the sanitized extension side by side."""
    shutil.rmtree(PACKAGE, ignore_errors=True)
    PACKAGE.mkdir(parents=True)
    for source in (ROOT / "src" / "stakes").iterdir():
        if source.suffix != ".so" and source.name != "__pycache__":
            (PACKAGE / source.name).symlink_to(source)
    for extension in BUILD.glob("_core*.so"):
        shutil.copy2(extension, PACKAGE)


def run(arguments: list[str]) -> int:
    """Run the tests with the sanitizers' libraries loaded before everything else."""
    # Without the C++ library among them, exceptions thrown by the extension end the process.
    libraries = [library(name) for name in ("libasan.so", "libubsan.so", "libstdc++.so")]
    environment = os.environ | {
        "LD_PRELOAD": " ".join(libraries),
        "PYTHONPATH": str(PACKAGE.parent),
        "PYTHONMALLOC": "malloc",  # Python's own allocator hides what lies behind an array
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "HYPOTHESIS_PROFILE": PROFILE,
    }
    tests = sorted({str(path) for pattern in TESTS for path in (ROOT / "tests").glob(pattern)})
    # Captured file descriptors would swallow the report of a process that the sanitizers stop.
    options = ["-q", "-p", "no:cacheprovider", "--capture=sys", *(f"--deselect={name}" for name in LEFT_OUT)]
    # The workers of pytest-xdist would not know of RUN and take the ordinary build: files are dealt out here.
    parts = [part for first in range(WORKERS) if (part := tests[first::WORKERS])]

    def status(part: list[str]) -> int:
        command = [sys.executable, "-c", RUN, *options, *part, *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode

    with ThreadPoolExecutor(WORKERS) as pool:
        ends = [end for end in pool.map(status, parts) if end != NO_TESTS]
    return max(ends, key=abs, default=NO_TESTS)


def run_tracer(arguments: list[str]) -> int:
    """Run the tracer's tests with sanitized programs; pytest itself is not."""
    host = BUILD / "host"
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(build_tracer.TARGET, host, ignore=ignored, dirs_exist_ok=True)
    flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-lto", "-O1"]
    for python in build_tracer.interpreters().values():
        build_tracer.build(python, host, flags)
    environment = os.environ | {
        "STAKES_TRACER_HOST": str(host),
        "STAKES_TRACER_LIBRARIES": " ".join(library(name) for name in ("libasan.so", "libubsan.so")),
        "HYPOTHESIS_PROFILE": PROFILE,
    }
    tests = [str(ROOT / "tests" / name) for name in TRACER_TESTS]
    # The tracer in plain Python shows nothing of the compiled one. One process: the core's tests run, too.
    options = ["-q", "-p", "no:cacheprovider", "-n", "1", "-k", "not plain"]
    command = [sys.executable, "-m", "pytest", *options, *tests, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def library(name: str) -> str:
    """Path of one of the compiler's libraries."""
    found = subprocess.run(
        ["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(found).is_absolute():
        raise SystemExit(f"sanitize: g++ does not have {name}; install the sanitizers of your compiler")
    return str(Path(found).resolve())


def call(command: list[str]) -> None:
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\nsanitize: {' '.join(command)} failed")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
