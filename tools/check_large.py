"""Run the checks that take too long for every change; print what was run, with counts and minutes.

The same goes to benchmarks/results/check_large.md with the commit; checks that were not run keep their line.

``make check-large`` runs all of them, ``make check-large CHECKS="properties lowest"`` some. A check is a
command that ends with a line such as "12 passed, 1 skipped"; a new one is a line in ``CHECKS``.
``STAKES_TEST_SEED`` repeats what an earlier run drew.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import build_tracer

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "results" / "check_large.md"
PYTEST = [sys.executable, "-m", "pytest", "--numprocesses", "auto", "-q"]
SEED = os.environ.get("STAKES_TEST_SEED") or str(random.SystemRandom().randrange(1, 2**32))

#: What each check is called, the variables that it sets, and its command.
CHECKS: dict[str, tuple[dict[str, str], list[str]]] = {
    # What this finds becomes an @example of the test that failed.
    "properties": ({"HYPOTHESIS_PROFILE": "thorough"}, [*PYTEST, "-m", "hypothesis"]),
    # What this finds is repeated by its class and number: `python -m attack CLASS NUMBER` in tests.
    "attacks": ({"STAKES_ATTACK_CASES": "5000", "STAKES_TEST_SEED": SEED}, [*PYTEST, "tests/attack"]),
    "clones": ({}, [sys.executable, str(ROOT / "tools" / "fresh_clones.py")]),
    "blocks": ({}, [sys.executable, str(ROOT / "tools" / "run_blocks.py")]),
    "lowest": ({"STAKES_TEST_SEED": SEED}, ["make", "test-lowest"]),
    "golden": ({}, ["make", "golden"]),
}
for version, python in build_tracer.interpreters().items():
    if python == sys.executable:
        continue
    command = ["make", "test", f"PYTHON={python}", f"VENV=.venv-{version}"]
    CHECKS[f"python{version}"] = {"STAKES_TEST_SEED": SEED}, command


def main(names: list[str]) -> int:
    """Run the named checks, or all; the exit status is 1 where one of them fails."""
    unknown = set(names) - CHECKS.keys()
    if unknown:
        raise SystemExit(
            f"check-large: there is no check {', '.join(sorted(unknown))}; known: {', '.join(CHECKS)}"
        )
    git = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    rows = []
    for name in names or CHECKS:
        rows.append(run(name))
        PAGE.write_text(page(rows, commit), encoding="utf-8")  # a later check may be interrupted
    print(f"\n{'check':12} {'minutes':>7}  result (seed {SEED})")
    for name, minutes, passed, counts in rows:
        print(f"{name:12} {minutes:7.1f}  {'' if passed else 'FAILED: '}{counts}")
    return 0 if all(passed for _, _, passed, _ in rows) else 1


def page(rows: list[tuple[str, float, bool, str]], commit: str) -> str:
    """Return the page of results: new lines for what was run, and the others as they stand."""
    lines: dict[str, str] = {}
    if PAGE.exists():
        lines = {line.split()[1]: line for line in PAGE.read_text(encoding="utf-8").split("\n")[6:-1]}
    for name, minutes, passed, counts in rows:
        lines[name] = f"| {name} | {commit} | {minutes:.1f} | {'' if passed else 'FAILED: '}{counts} |"
    head = ["# Checks that take long", "", "Printed by `make check-large`, each at its commit.", ""]
    return "\n".join(
        [*head, "| check | commit | minutes | result |", "|---|---|---:|---|", *lines.values(), ""]
    )


def run(name: str) -> tuple[str, float, bool, str]:
    """Run one check and show its output as it comes; return its minutes, its verdict and its counts."""
    variables, command = CHECKS[name]
    print(
        f"== {name}: {' '.join(f'{key}={value}' for key, value in variables.items())} {' '.join(command)}",
        flush=True,
    )
    started, counts = time.monotonic(), "no counts printed"
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", flush=True)
        if re.search(r"\d+ (passed|failed)", line):
            counts = line.strip(" =\n")
    return name, (time.monotonic() - started) / 60, process.wait() == 0, counts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
