"""The command line: status 0, or 1 or 2 with one sentence on stderr; what it writes is right."""

from __future__ import annotations

import json
import os
import re
from functools import cache

import numpy as np
from typer.testing import CliRunner

from attack.answers import answers_in
from attack.data import COSTS, LABELS, fitted_on
from attack.harness import Draw
from attack.hostile import costs_of_other_classes, damaged_documents, files_of_clarify, hostile_names
from attack.places import data_beside_answers, outputs_in_odd_places, studies_that_run_code
from attack.shop import copy_of_the_shop, stakes
from stakes import CostMatrix, load_model
from stakes.cli import app

COMMANDS = [
    "describe", "fit", "predict", "evaluate", "show", "export", "report", "compare", "reproduce", "ask",
    "clarify label", "clarify train", "clarify explain", "clarify run", "clarify record", "demo",
]  # fmt: skip
#: Options of `stakes fit` by the learners that they apply to; the others refuse them.
OPTIONS = {
    "--set=max_leaf_nodes=3": ("c4.5", "c4.5cs"),
    "--max-depth=2": ("c4.5", "c4.5cs", "gdt"),
    "--prune=cost": ("c4.5", "c4.5cs"),
    "--criterion=gini": ("c4.5", "c4.5cs"),
    "--smoothing=laplace": ("c4.5", "c4.5cs", "gdt"),
    "--t-good=0.4": ("rules",),
    "--max-length=2": ("rules",),
    "--abstain-cost=0.4": ("rules", "gdt"),
    "--set=dialect=j48": ("c4.5", "c4.5cs"),
}
#: None of them is a path out of the folder: what is attacked may write to it, and as root.
ODD = [
    "", "-1", "0", "1", "1e308", "nan", "inf", "abc", "\u202e", "no/such", "a\0b", "--", "-", "=",
    "é" * 300, "\x1b[31m", "[bold]", "{}", "10" * 400, ":smile:", "outcome", "amount", "c4.5", "gini",
    "\ud800",
]  # fmt: skip


def random_words(draw: Draw) -> None:
    """Commands with options and values drawn from what there is, most of it nonsense."""
    folder = copy_of_the_shop(draw)
    files = [str(path) for path in sorted(folder.iterdir())]
    command = draw.of(COMMANDS[:13])
    words = command.split()
    positional = {"describe": 1, "fit": 1, "predict": 2, "evaluate": 1, "report": 2, "compare": 1}.get(
        words[0], 1
    )
    pool = [*files, *files, *ODD, str(folder), str(folder / "none.csv")]
    words += [draw.choice(pool) for _ in range(max(0, positional + draw.choice([0, 0, 0, 1, -1])))]
    known = re.findall(r"--[a-z][a-z-]+", help_of(command))
    known = [option for option in known if option not in ("--cluster", "--debug", "--python", "--repeats")]
    for option in draw.sample(known, min(len(known), draw.randrange(4))):
        words.append(option)
        if draw.random() < 0.8:
            words.append(draw.choice([*pool, "outcome", "2", "3"]))
    if command == "compare":
        words += ["--n-jobs", "1"]
    if command in ("fit", "report", "compare", "clarify train", "reproduce") and "--output" not in words:
        words += ["-o", str(folder / "out")]
    if command == "reproduce":
        words = [word for word in words if not word.endswith(".toml")]
        if not [word for word in words[1:] if word in files]:
            words.insert(1, files[0])
    draw.note(*words)
    cwd = os.getcwd()
    os.chdir(folder)
    try:
        stakes(*words)
    finally:
        os.chdir(cwd)


@cache
def help_of(command: str) -> str:
    """The help of a command, wide enough that no option is cut."""
    return CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "300"}).stdout


def predict_as_the_model(draw: Draw) -> None:
    """Files of answers say what the model says, in every format and for columns in any order."""
    folder = copy_of_the_shop(draw)
    name = draw.of(["tree", "rules", "gdt", "guard", "meta", "boosted"])
    frame, _ = fitted_on()
    rows = frame.iloc[[draw.randrange(len(frame)) for _ in range(draw.randrange(1, 12))]]
    given = rows.iloc[:, draw.sample(range(3), 3)].assign(extra=range(len(rows)))
    given.to_csv(folder / "given.csv", index=False)
    out = folder / draw.of(["a.csv", "a.json", "a.parquet", "a.arff"])
    abstain = draw.of([None, None, 0.0, 0.5])
    extra = [] if abstain is None else ["--abstain-cost", abstain]
    stakes("predict", folder / f"{name}.json", folder / "given.csv", "-o", out, *extra)
    model = load_model(folder / f"{name}.json")
    decision = model.decide(rows, abstain)
    labels = model.predict(rows).tolist() if abstain is None else decision.labels.tolist()
    read = answers_in(out)
    said = [row["prediction"] if isinstance(row["prediction"], str) else None for row in read]
    assert [label or None for label in said] == labels
    proba = model.decision_proba(rows)
    for k, label in enumerate(model.classes_.tolist()):
        np.testing.assert_array_equal([float(row[f"p({label})"]) for row in read], proba[:, k])


def options_that_do_not_apply(draw: Draw) -> None:
    folder = copy_of_the_shop(draw)
    option, learner = draw.of(list(OPTIONS)), draw.of(["c4.5", "c4.5cs", "gdt", "rules", "boosted"])
    stakes(
        "fit",
        folder / "rows.csv",
        "-t",
        "outcome",
        "-l",
        learner,
        "--folds",
        2,
        "-o",
        folder / "m.json",
        option,
    )
    assert learner in OPTIONS[option], f"{option} is dropped by {learner}"


def totals_of_evaluate(draw: Draw) -> None:
    """The total that ``evaluate`` prints is the sum over the rows of what its answers cost."""
    folder = copy_of_the_shop(draw)
    name = draw.of(["tree", "gdt", "guard", "meta", "rules"])
    frame, y = fitted_on()
    rows = [draw.randrange(len(frame)) for _ in range(draw.randrange(2, 40))]
    taken, truth = frame.iloc[rows], np.array(y)[rows]
    taken.assign(outcome=truth).to_csv(folder / "rows.csv", index=False)
    result = stakes("evaluate", folder / "rows.csv", "-t", "outcome", "-m", folder / f"{name}.json", "--json")
    shown = json.loads(result.stdout)
    answers = load_model(folder / f"{name}.json").predict(taken)
    matrix = CostMatrix(COSTS, LABELS)
    total = matrix.values[matrix.codes(truth), matrix.codes(answers)].sum()
    figures = json.dumps(shown).replace(",", " ").replace("}", " ").split()
    assert any(_close(figure, total) for figure in figures), f"no figure is {total}: {result.stdout[:300]}"


def _close(text: str, value: float) -> bool:
    try:
        return abs(float(text) - value) <= 1e-9 * max(1.0, abs(value))
    except ValueError:
        return False


ATTACKS = [
    random_words,
    damaged_documents,
    predict_as_the_model,
    hostile_names,
    outputs_in_odd_places,
    data_beside_answers,
    options_that_do_not_apply,
    random_words,
    files_of_clarify,
    costs_of_other_classes,
    totals_of_evaluate,
    studies_that_run_code,
    outputs_in_odd_places,
    files_of_clarify,
]
