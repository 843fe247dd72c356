"""Forty command lines, with what they print and how they end."""

from __future__ import annotations

import os
import random
import re
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

import clarify_programs
from stakes.cli import app
from stakes.forensics.profile import write_profile

#: Run one after the other in a folder with the files of `prepare`: later ones read what earlier ones wrote.
LINES = """
describe german
describe rows.csv --target class --costs costs.csv
describe rows.csv --target class --costs costs.csv --feature-costs prices.csv
describe rows.csv --target nothing
fit german -o german.json
fit rows.csv --target class --costs costs.csv -o tree.json
fit rows.csv --target class --costs costs.csv -o tree.json --json
fit rows.csv --target class --costs costs.csv --learner gdt --seed 3 -o gdt.json
fit rows.csv --target class --costs costs.csv --learner rules -o rules.json
fit rows.csv --target class --costs costs.csv --feature-costs prices.csv --criterion cs_gain -o priced.json
fit rows.csv --target class --costs costs.csv --feature-costs prices.csv --criterion total_cost -o total.json
fit rows.csv --target class --costs bad.csv
fit missing.csv --target class
show german.json --max-depth 2
show tree.json
show tree.json --format leaves
show tree.json --format dot
show tree.json --json
show rules.json
show rules.json --format leaves
show gdt.json --format svg
export tree.json --to python
export tree.json --to c --name credit
export tree.json --to sql --table rows
export rules.json --to sql
export tree.json
predict tree.json rows.csv
predict tree.json rows.csv --abstain-cost 0.2
predict tree.json rows.csv --json
predict rules.json rows.csv
predict gdt.json costs.csv
evaluate rows.csv --target class --costs costs.csv --folds 3 --repeats 1
evaluate rows.csv --target class --costs costs.csv --folds 3 --repeats 1 --learner c4.5cs --json
evaluate rows.csv --target class --costs costs.csv --model tree.json
report tree.json rows.csv --target class -o report.html
ask priced.json --json --set amount=3 --set age=30 --set job=cook
clarify train missing -o causes.json
clarify train runs -o causes.json
clarify explain causes.json
--version
""".strip().splitlines()

COSTS = "actual,bad,good\nbad,0,5\ngood,1,0\n"
PRICES = "feature,price\namount,1\nage,2\njob,0.5\n"


def command_lines() -> Iterator[tuple[str, Any]]:
    """Give each line with its exit status and output."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        prepare(Path(folder))
        for line in LINES:
            result = invoke(*line.split())
            printed = f"{result.stdout}\n--- stderr\n{result.stderr}"
            yield line, {"status": result.exit_code, "output": without_times(printed, folder).splitlines()}


def invoke(*words: str) -> Any:
    """Run ``stakes`` in this process as if on a terminal of 100 columns without colours."""
    environment = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(words), env=environment)


def prepare(folder: Path) -> None:
    """Write the files that the lines name."""
    rng = random.Random(5)
    rows = ["amount,age,job,class"]
    for _ in range(150):
        amount, age = rng.randrange(1, 40), rng.randrange(18, 70)
        job = rng.choice(["cook", "nurse", "smith", ""])
        bad = (amount > 20) + (age < 30) + (job == "smith") + rng.random() > 1.9
        rows.append(f"{amount},{age if rng.random() > 0.05 else ''},{job},{'bad' if bad else 'good'}")
    (folder / "rows.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "costs.csv").write_text(COSTS, encoding="utf-8")
    (folder / "prices.csv").write_text(PRICES, encoding="utf-8")
    (folder / "bad.csv").write_text("actual,bad,good\nbad,0,nan\ngood,1,0\n", encoding="utf-8")
    (folder / "runs").mkdir()
    for cause in ("full", "locked", "missing"):
        for number in range(6):
            profile = clarify_programs.run(cause, number, random.Random(f"{cause} {number}"))
            write_profile(profile, folder / "runs" / f"{cause}-{number}-0.profile.gz")


def without_times(text: str, folder: str) -> str:
    """Leave out what differs from run to run: times, the folder, blanks at the ends of lines."""
    text = text.replace(os.path.realpath(folder), "FOLDER").replace(folder, "FOLDER")
    text = re.sub(r"\d+(\.\d+)? (ms|s|seconds|minutes)\b", "N s", text)
    text = re.sub(r'"seconds": [\d.e-]+', '"seconds": N', text)
    if "fit ms" in text:  # the last column of the table of learners
        text = re.sub(r"│ *[\d.]+ │$", "│ N │", text, flags=re.MULTILINE)
    return "\n".join(line.rstrip() for line in text.splitlines())
