"""A copy of the tree, with an environment that imports it: there changes are made and tests run."""

from __future__ import annotations

import compileall
import contextlib
import json
import os
import py_compile
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path

from which_tests import ROOT, Coverage

BUILD = ROOT / "build" / "mutate"
# Tests that a change is tried on: first the quick ones, then as many of the rest.
BUDGETS = (20.0, 100.0)  # seconds, as the tests took when lines were counted
CMAKE = str(Path(sys.executable).with_name("cmake"))
INSTALLED = Path(sysconfig.get_path("purelib"), "stakes")
TRACED = "src/stakes/forensics/host/"
PYTEST_REFUSES = (4, 5)  # it was called wrongly, or found no test
GRACE = 60.0  # seconds for start and collection


class Place:
    """One copy, used by one worker at a time."""

    def __init__(self, number: int) -> None:
        self.folder = BUILD / f"place{number}"
        self.python = self.folder / ".venv" / "bin" / "python"
        self._chosen = self.folder / "chosen.json"
        self._copy()
        self._environment()
        self._starter = Starter(self.python, self.folder, self._chosen)

    def _copy(self) -> None:
        """Copy the tracked files and the compiled parts; the core's build is kept for the next time."""
        for entry in self.folder.iterdir() if self.folder.exists() else ():
            if entry.name != "build":
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
        for name in filter(None, names.decode().split("\0")):
            if (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.folder / name)
        host = Path("src", "stakes", "forensics", "host")
        for extension in (ROOT / host).glob("*.so"):
            shutil.copy2(extension, self.folder / host)
        self._install(INSTALLED)
        # Told by its time, a change within a second would not be seen.
        by_hash = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(self.folder / "src", quiet=1, invalidation_mode=by_hash)

    def _install(self, built: Path) -> None:
        """Take the compiled core from a folder."""
        for extension in built.glob("_core*.so"):
            shutil.copy2(extension, self.folder / "src" / "stakes")

    def _environment(self) -> None:
        """Make an environment that has the packages of this one, but imports stakes from the copy."""
        venv = self.folder / ".venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
        (site,) = venv.glob("lib/python*/site-packages")
        # What a .pth file names is searched as it is: the editable install's own .pth file is not read.
        (site / "copy.pth").write_text(f"{self.folder / 'src'}\n{sysconfig.get_path('purelib')}\n")

    def judge(self, task: dict, coverage: Coverage) -> dict:
        """Make a change, run the tests that may notice, and take the change back."""
        tests = tests_for(task, coverage)
        path = self.folder / task["file"]
        original = path.read_bytes()
        path.write_text(task.pop("source"), encoding="utf-8")
        try:
            if "tests" in task and not self.build():
                return {"end": "does not build"}
            for part in parts(tests, coverage.seconds):
                end, by = self.run(part, coverage.seconds)
                if end != "not noticed":
                    return {"end": end, "by": by, "tried": len(tests)}
            return {"end": "not noticed", "tried": len(tests)}
        finally:
            path.write_bytes(original)
            if "tests" in task:
                os.utime(path)  # the next build must see that it is the old one again
                self._install(INSTALLED)

    def confirm(self, rows: list[dict], coverage: Coverage) -> None:
        """Run the tests that noticed without a change; what they noticed does not count where they fail."""
        noticed = sorted({row["by"] for row in rows if row.get("by")})
        failing = self.run(noticed, coverage.seconds, stop=False)[1].splitlines() if noticed else []
        for row in rows:
            if row.get("by") in failing:
                row["end"] = "not noticed"

    def run(self, tests: list[str], seconds: dict[str, float], stop: bool = True) -> tuple[str, str]:
        """Run tests in their order; say how it ended and which of them failed."""
        self._chosen.write_text(json.dumps(tests))
        failed = Path(str(self._chosen) + ".failed")
        failed.unlink(missing_ok=True)
        arguments = ["-q", "-p", "select_plugin", "-p", "no:cacheprovider", *(["-x"] if stop else [])]
        arguments += sorted({test.partition("::")[0] for test in tests})
        limit = GRACE + 5 * sum(seconds.get(test, 1.0) for test in tests)
        status = self._starter.pytest(arguments, limit)
        if status is None:
            return "hangs", ""
        if status == 0:
            return "not noticed", ""
        if failed.exists():
            return "noticed", failed.read_text(encoding="utf-8").strip()
        if status in PYTEST_REFUSES:
            raise RuntimeError(f"pytest ends with {status} in {self.folder} when asked to run {tests}")
        return "does not start", ""

    def build(self) -> bool:
        """Build the changed core and put it into the copy."""
        build = self.folder / "build" / "core"
        if not (build / "CMakeCache.txt").exists():
            flags = ["-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={self.python}"]
            quietly([CMAKE, "-S", str(self.folder), "-B", str(build), *flags])
        done = quietly([CMAKE, "--build", str(build), "--target", "_core"])
        self._install(build)
        return done


def quietly(command: list[str]) -> bool:
    """Run a command that says nothing; tell whether it worked."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


class Starter:
    """A process of ``starter.py`` that runs pytest in a folder."""

    def __init__(self, python: Path, folder: Path, chosen: Path) -> None:
        environment = os.environ | {"HYPOTHESIS_PROFILE": "mutate", "PYTHONPATH": str(Path(__file__).parent)}
        environment["STAKES_CHOSEN_TESTS"] = str(chosen)
        self._process = subprocess.Popen(
            [str(python), "-m", "starter"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def pytest(self, arguments: list[str], limit: float) -> int | None:
        """Return the exit status, or None where it took longer than so many seconds."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(arguments), file=self._process.stdin, flush=True)
        running = int(self._process.stdout.readline())
        timer = threading.Timer(limit, kill, [running])
        timer.start()
        status = int(self._process.stdout.readline())
        on_time = timer.is_alive()
        timer.cancel()
        kill(running)  # what it has started
        return status if on_time else None


def kill(process: int) -> None:
    """End a session of processes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def tests_for(task: dict, coverage: Coverage) -> list[str]:
    """Choose tests: those that execute the line, or all of its module.

    The latter where importing the module executes the line, and where no test is known. Some are hidden from
    coverage.py: tests of names that are set when a module is imported, what a profiler of Python's does (as
    the tracer in plain Python), and programs that other interpreters run.
    """
    if "tests" in task:
        return coverage.in_files(task["tests"])
    file, lines = task["file"], task["lines"]
    called = [Path(file).parent.name, Path(file).stem]
    names = [*(f"test_{name.strip('_')}*.py" for name in called), "test_values.py"] if lines is None else []
    programs = ["test_clarify_deploy.py", "test_clarify_run.py", "test_tracer*.py"]
    tests = coverage.of_lines(file, lines) or coverage.of_lines(file, None)
    tests = [*coverage.in_files(names), *tests, *coverage.in_files(programs if TRACED in file else [])]
    return list(dict.fromkeys(tests))


def parts(tests: list[str], seconds: dict[str, float]) -> list[list[str]]:
    """Cut tests into parts that take no longer than the budgets; what is left over is not run."""
    result = []
    for budget in BUDGETS:
        spent, part = 0.0, []
        for test in tests:
            if spent + seconds[test] > budget:
                break
            part.append(test)
            spent += seconds[test]
        result.append(part)
        tests = tests[len(part) :]
    return [part for part in result if part]
