"""Which tests execute a line, and how long each takes: measured once, with coverage.py's contexts.

``make coverage`` runs this file: it measures anew and prints what no test executes, package by package.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import coverage

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "coverage"
SOURCES = ROOT / "src" / "stakes"
DATA, TIMES = FOLDER / "data", FOLDER / "times.jsonl"


class Coverage:
    """What each test executed when all were run."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict(map(json.loads, TIMES.read_text().splitlines()))
        self._data = coverage.CoverageData(str(DATA))
        self._data.read()

    @classmethod
    def measured(cls, again: bool = False) -> Coverage:
        """Read what was measured, or measure it: all tests once, which takes some ten minutes."""
        if again or not DATA.exists():
            measure()
        return cls()

    def of_lines(self, file: str, lines: tuple[int, int] | None) -> list[str]:
        """Return the tests that execute a line from the first to the last (None: any).

        Those in test files that are called after the module or its package come first, then the quickest.
        """
        names = [name for name in self._data.measured_files() if Path(name).as_posix().endswith(file)]
        contexts: set[str] = set()
        for name in names:
            by_line = self._data.contexts_by_lineno(name)
            for line in by_line if lines is None else range(lines[0], lines[1] + 1):
                contexts.update(by_line.get(line, ()))
        names = {part.strip("_") for part in Path(file).with_suffix("").parts[-2:]}
        tests = self._quickest(contexts)
        return sorted(tests, key=lambda test: not any(name in test.partition("::")[0] for name in names))

    def in_files(self, patterns: Iterable[str]) -> list[str]:
        """Return the tests of the test files that match the patterns, one pattern after the other."""
        chosen: dict[str, None] = {}
        for pattern in patterns:
            tests = [test for test in self.seconds if Path(test.partition("::")[0]).match(pattern)]
            chosen.update(dict.fromkeys(self._quickest(tests)))
        return list(chosen)

    def _quickest(self, contexts: Iterable[str]) -> list[str]:
        """Turn contexts into tests; a test has one for its set-up, one for its call, one for its programs."""
        tests = {re.sub(r"\|(setup|run|teardown)$", "", context) for context in contexts}
        return sorted(tests & self.seconds.keys(), key=lambda test: (self.seconds[test], test))


def package_of(path: Path) -> str:
    """Name the package that a source belongs to; loose modules count as one."""
    parts = path.relative_to(SOURCES).parts
    return "_cli" if parts == ("cli.py",) else parts[0] if len(parts) > 1 else "loose modules"


def sources() -> Iterator[Path]:
    """Give the sources; the generators of failing programs only make the inputs of a benchmark."""
    for path in sorted(SOURCES.rglob("*.py")):
        if SOURCES / "lab" / "programs" not in path.parents:
            yield path


def measure() -> None:
    """Run all tests, each under its own name as context, also in the programs that it starts."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    # Few examples execute the same lines as many do.
    environment = os.environ | {"HYPOTHESIS_PROFILE": "quick", "PYTHONPATH": str(Path(__file__).parent)}
    environment |= {"COVERAGE_FILE": str(DATA), "STAKES_TEST_TIMES": str(TIMES)}
    command = [sys.executable, "-m", "pytest", "--numprocesses", "auto", "-q", "-p", "contexts_plugin"]
    command += ["--cov", "--cov-context=test", "--cov-report="]
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode != 0:
        print("Some tests fail while their lines are counted; that does not matter here.", flush=True)


def print_unexecuted() -> None:
    """Print the share of lines that no test executes, by package, and which lines they are."""
    report = coverage.Coverage(data_file=str(DATA), config_file=str(ROOT / "pyproject.toml"))
    report.load()
    packages: dict[str, list[int]] = {}
    for path in sources():
        _, lines, _, missing, numbers = report.analysis2(str(path))
        counts = packages.setdefault(package_of(path), [0, 0])
        counts[0] += len(missing)
        counts[1] += len(lines)
        if missing:
            print(f"{path.relative_to(SOURCES)}: {numbers}")
    print()
    for package, (missing, lines) in sorted(packages.items()):
        print(f"{package:15} {missing:4} of {lines:5} lines, {100 * missing / lines:.1f} %")


if __name__ == "__main__":
    measure()
    print_unexecuted()
