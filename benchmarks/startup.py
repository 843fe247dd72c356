"""CPU time of imports and of ``stakes --help``, next to another checkout; writes benchmarks/results/startup.md.

Run it as ``python benchmarks/startup.py --against FOLDER``, where FOLDER is a checkout with a .venv of its own.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "results" / "startup.md"
REPEATS = 10
#: The most CPU seconds that importing one estimator may take beyond importing sklearn.base.
MOST = 0.2
BASE = "import sklearn.base"
ONE = "from stakes import C45Classifier"
STARTS = ("import stakes", ONE, BASE, "stakes --help")


def command(start: str, python: Path) -> list[str]:
    if start.startswith("stakes "):
        return [str(python.parent / "stakes"), *start.split()[1:]]
    return [str(python), "-c", start]


def cpu_seconds(start: str, python: Path, cache: Path) -> float:
    """User and system time of the program and its children.

    Compiled modules are kept in ``cache``: whether an environment has any would otherwise decide the result.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(cache)
    process = subprocess.Popen(command(start, python), stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{start!r} failed with {python}")
    return usage.ru_utime + usage.ru_stime


def measured(pythons: list[Path]) -> dict[str, list[float]]:
    """Least time of each start with each interpreter; they take turns, so that a busy moment meets all."""
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        each = [(python, Path(folder) / str(number)) for number, python in enumerate(pythons)]
        for start in STARTS:
            rounds = [[cpu_seconds(start, *one) for one in each] for _ in range(REPEATS + 1)]
            times[start] = [min(column) for column in zip(*rounds[1:], strict=True)]  # the first fills caches
    return times


def commit(folder: Path) -> str:
    git = ["git", "-C", str(folder), "rev-parse", "--short", "HEAD"]
    return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()


def page(times: dict[str, list[float]], commits: list[str]) -> str:
    more = times[ONE][0] - times[BASE][0]
    lines = [
        "# Time to start",
        "",
        f"Measured at {commits[0]} by `python benchmarks/startup.py`: Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, {platform.machine()}.",
        f"CPU seconds (user and system) of a new process, the least of {REPEATS}.",
        "",
        "| what | " + " | ".join(commits) + " |",
        "|---|" + "---:|" * len(commits),
        *(f"| `{start}` | " + " | ".join(f"{t:.3f}" for t in row) + " |" for start, row in times.items()),
        "",
        f"`{ONE}` takes {more:.3f} s more than `{BASE}`; it may take {MOST} s more"
        f" ({'met' if more <= MOST else 'not met'}).",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="another checkout, with its own .venv")
    against = parser.parse_args().against
    pythons, commits = [Path(sys.executable)], [commit(ROOT)]
    if against is not None:
        pythons.append(against.absolute() / ".venv" / "bin" / "python")
        commits.append(commit(against))
    text = page(measured(pythons), commits)
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
