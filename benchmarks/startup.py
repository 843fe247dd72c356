"""CPU time of imports and of starting commands, next to ``import typer``; writes benchmarks/results/startup.md.

Run it as ``python benchmarks/startup.py``; with ``--against FOLDER``, a checkout with a .venv of its own, its
figures stand beside.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "results" / "startup.md"
REPEATS = 15
BASE, ONE = "import sklearn.base", "from stakes import C45Classifier"
TYPER, PROGRAM = "import typer", "program.py full"
WATCHED = f"stakes clarify run -m model.json -- python {PROGRAM}"
STARTS = (
    *("pass", TYPER, "import stakes", BASE, ONE),
    *("stakes --version", "stakes --help", "stakes fit --help", PROGRAM, WATCHED),
)
#: What takes at most so many CPU seconds more than something else, None being nothing else.
LIMITS = (
    ("stakes --version", None, 0.15),
    ("stakes --help", None, 0.3),
    ("stakes fit --help", None, 0.4),
    (WATCHED, PROGRAM, 0.08),
    (ONE, BASE, 0.2),
)
#: A program that fails in one of two ways.
SOURCE = """
import sys


def full():
    sys.exit(3)


def locked():
    sys.exit(3)


{"full": full, "locked": locked}[sys.argv[1]]()
"""


def command(start: str, python: Path) -> list[str]:
    words = start.split()
    if words[0] == "stakes":
        return [str(python if word == "python" else word) for word in [python.parent / "stakes", *words[1:]]]
    return [str(python), *words] if words[0] == "program.py" else [str(python), "-c", start]


def prepare(folder: Path, python: Path) -> None:
    """Write the program, and a model that explains its failures."""
    (folder / "program.py").write_text(SOURCE, encoding="utf-8")
    stakes = str(python.parent / "stakes")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    for number in range(6):
        for cause in ("full", "locked"):
            given = ["--label", cause, "--input", f"{cause}{number}"]
            program = [str(python), "program.py", cause]
            subprocess.run([stakes, "clarify", "record", *given, "--", *program], check=False, **quiet)
    subprocess.run([stakes, "clarify", "train", "runs", "-o", "model.json"], check=True, **quiet)


def cpu_seconds(start: str, python: Path, folder: Path) -> float:
    """User and system time of the program and its children.

    Compiled modules are kept in ``folder``: whether an environment has any would otherwise decide the result.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "cache")
    process = subprocess.Popen(
        command(start, python),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=folder,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != (3 if PROGRAM in start else 0):
        raise SystemExit(f"{start!r} failed with {python}")
    return usage.ru_utime + usage.ru_stime


def measured(pythons: list[Path]) -> dict[str, list[list[float]]]:
    """Times of each start with each interpreter; all take turns, so that a busy moment meets all of them."""
    times: dict[str, list[list[float]]] = {start: [[] for _ in pythons] for start in STARTS}
    with tempfile.TemporaryDirectory() as place:
        folders = [Path(place, str(number)) for number, _ in enumerate(pythons)]
        for folder, python in zip(folders, pythons, strict=True):
            folder.mkdir()
            prepare(folder, python)
        for repeat in range(REPEATS + 1):
            for start in STARTS:
                for number, python in enumerate(pythons):
                    seconds = cpu_seconds(start, python, folders[number])
                    if repeat:  # the first fills caches
                        times[start][number].append(seconds)
    return times


def commit(folder: Path) -> str:
    git = ["git", "-C", str(folder)]
    name = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "src"], check=False).returncode
    return name.stdout.strip() + (" with changes" if changed else "")


def page(times: dict[str, list[list[float]]], commits: list[str]) -> str:
    lines = [
        "# Time to start",
        "",
        f"Measured at {commits[0]} by `python benchmarks/startup.py`: Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, {platform.machine()}.",
        f"CPU seconds (user and system) of a new process and its children, {REPEATS} times each in turns: the "
        "least, the median, and the largest.",
        f"The ratio is that of the medians to `{TYPER}`, which every program that is made with Typer takes.",
    ]
    for number, name in enumerate(commits):
        one = {start: columns[number] for start, columns in times.items()}
        lines += [
            "",
            f"At {name}:",
            "",
            "| what | least | median | largest | ratio |",
            "|---|---:|---:|---:|---:|",
        ]
        for start, seconds in one.items():
            middle = statistics.median(seconds)
            ratio = middle / statistics.median(one[TYPER])
            lines.append(
                f"| `{start}` | {min(seconds):.3f} | {middle:.3f} | {max(seconds):.3f} | {ratio:.1f} |"
            )
    return "\n".join([*lines, "", *(judged(times, limit) for limit in LIMITS)]) + "\n"


def judged(times: dict[str, list[list[float]]], limit: tuple[str, str | None, float]) -> str:
    """Say whether the median of the first checkout keeps to a limit."""
    start, than, most = limit
    seconds = statistics.median(times[start][0])
    more = "" if than is None else f" more than `{than}`"
    if than is not None:
        seconds -= statistics.median(times[than][0])
    met = "met" if seconds <= most else "not met"
    return f"- `{start}` takes {seconds:.3f} s{more}; at most {most} s: {met}."


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
