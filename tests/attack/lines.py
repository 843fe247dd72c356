"""The command line, in this process: status 0, or 1 or 2 with one sentence on stderr; what it writes is right."""

from __future__ import annotations

import atexit
import csv
import io
import json
import os
import re
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from attack.data import COSTS, LABELS, costs_for, fitted, fitted_on, mixed
from attack.harness import Draw, Refused, check_sentence
from oracles.damage import mutate
from stakes import CostMatrix, load_model, read_table
from stakes.cli import app
from stakes.models import save_model

COMMANDS = [
    "describe", "fit", "predict", "evaluate", "show", "export", "report", "compare", "reproduce", "ask",
    "clarify label", "clarify train", "clarify explain", "clarify run", "clarify record", "demo",
]  # fmt: skip
#: Characters that a terminal acts upon; a line end and a tab are none.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: Options of `stakes fit` by the learners that they apply to; the others refuse them.
OPTIONS = {
    "--max-leaf-nodes=3": ("c4.5", "c4.5cs"),
    "--max-depth=2": ("c4.5", "c4.5cs", "gdt"),
    "--prune=cost": ("c4.5", "c4.5cs"),
    "--criterion=gini": ("c4.5", "c4.5cs"),
    "--smoothing=laplace": ("c4.5", "c4.5cs"),
    "--t-good=0.4": ("rules",),
    "--max-length=2": ("rules",),
    "--abstain-cost=0.4": ("rules", "gdt"),
    "--dialect=j48": ("c4.5", "c4.5cs"),
}


def stakes(*args: Any, typed: str = "", usable: bool = True) -> Any:
    """Run a command; `Refused` where it refuses with one sentence, a failure for any other end but status 0."""
    result = CliRunner().invoke(app, [str(arg) for arg in args], input=typed)
    said = result.stderr + result.stdout
    assert "Traceback" not in said, said[:300]
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"{type(result.exception).__name__}: {result.exception}") from result.exception
    assert result.exit_code in (0, 1, 2), f"status {result.exit_code}"
    if result.exit_code == 0:
        return result
    lines = [line for line in result.stderr.splitlines() if line and not line.startswith("Note")]
    if result.exit_code == 2:
        assert "Usage" in result.stderr or "Error" in result.stderr, result.stderr[:300]
    else:
        errors = [line for line in lines if line.startswith("Error: ")]
        assert len(errors) == 1 or usable, f"no sentence: {result.stderr[:300]!r}"
        assert len(errors) == 1, f"no sentence: {result.stderr[:300]!r}"
        check_sentence(errors[0])
    raise Refused(result.stderr)


@lru_cache(maxsize=None)
def shop() -> Path:
    """A folder with rows, costs, prices and a model of each learner; made once, not to be changed."""
    folder = Path(tempfile.mkdtemp(prefix="stakes-attack-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    frame, y = fitted_on()
    frame.assign(outcome=y).to_csv(folder / "rows.csv", index=False)
    frame.assign(outcome=y).to_parquet(folder / "rows.parquet")
    frame.to_csv(folder / "new.csv", index=False)
    CostMatrix(COSTS, LABELS).to_csv(folder / "costs.csv")
    (folder / "prices.csv").write_text("feature,price\namount,1\ntown,0.5\ncolour,2\n")
    for name, model in (("tree", "C45Classifier"), ("rules", "RuleClassifier"), ("gdt", "GDTClassifier"),
                        ("guard", "Guard"), ("meta", "MetaCost"), ("boosted", "BoostedStakes")):  # fmt: skip
        save_model(fitted(model), folder / f"{name}.json")
    return folder


def copy_of_the_shop(draw: Draw) -> Path:
    shutil.copytree(shop(), draw.folder, dirs_exist_ok=True)
    return draw.folder


ODD = ["", "-1", "0", "1", "1e308", "nan", "inf", "abc", "\u202e", "../..", "/", "a\0b", "--", "-", "=", "é" * 300,
       "\x1b[31m", "[bold]", "{}", "10" * 400, ":smile:", "outcome", "amount", "c4.5", "gini", "\ud800"]  # fmt: skip


def random_words(draw: Draw) -> None:
    """Commands with options and values drawn from what there is, most of it nonsense."""
    folder = copy_of_the_shop(draw)
    files = [str(path) for path in sorted(folder.iterdir())]
    command = draw.of(COMMANDS[:13])
    words = command.split()
    positional = {"describe": 1, "fit": 1, "predict": 2, "evaluate": 1, "report": 2, "compare": 1}.get(words[0], 1)
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
        stakes(*words, usable=True)
    finally:
        os.chdir(cwd)


@lru_cache(maxsize=None)
def help_of(command: str) -> str:
    """The help of a command, wide enough that no option is cut."""
    return CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "300"}).stdout


def answers_in(path: Path) -> list[dict[str, Any]]:
    """Rows of a file of answers, whatever its format."""
    if path.suffix == ".json":
        return json.loads(path.read_text())
    if path.suffix == ".parquet":
        return pd.read_parquet(path).to_dict("records")
    if path.suffix == ".arff":
        table = read_table(path, target=False)
        shown = table.to_frame().astype(object)
        return shown.where(shown.notna(), None).to_dict("records")
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def predict_as_the_model(draw: Draw) -> None:
    """Files of answers say what the model says, in every format and for columns in any order."""
    folder = copy_of_the_shop(draw)
    name = draw.of(["tree", "rules", "gdt", "guard", "meta", "boosted"])
    frame, y = fitted_on()
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


def data_beside_answers(draw: Draw) -> None:
    """``--with-data`` keeps users' columns, whatever they are called."""
    folder = copy_of_the_shop(draw)
    frame, _ = fitted_on()
    name = draw.of(["prediction", "expected_cost", "p(low)", "why", "class", "other"])
    given = frame.iloc[:6].assign(**{name: [f"mine {i}" for i in range(6)]})
    given.to_csv(folder / "given.csv", index=False)
    out = folder / draw.of(["a.csv", "a.json", "a.parquet"])
    extra = ["--explain"] if name == "why" else []
    stakes("predict", folder / "tree.json", folder / "given.csv", "--with-data", "-o", out, *extra)
    rows = answers_in(out)
    texts = [[str(value) for value in row.values()] for row in rows]
    assert all(f"mine {i}" in row for i, row in enumerate(texts)), f"the user's column {name!r} is lost"
    answers = load_model(folder / "tree.json").predict(frame.iloc[:6])
    assert all(label in row for label, row in zip(answers, texts)), "the answers are lost"


HOSTILE = ["\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\u202egnp.exe", "\r", "\x08\x08", "[red]x[/red]", ":smile:",
           "<script>alert(1)</script>", "{{ 7 }}", "'; DROP TABLE x; --", "a\nb", "=cmd|' /C calc'!A0"]  # fmt: skip


def hostile_names(draw: Draw) -> None:
    """Names of columns, labels and files are shown escaped: a terminal acts on none of them."""
    folder = draw.folder
    frame, y = mixed(draw)
    bad = draw.of(HOSTILE)
    where = draw.of(["column", "label", "category", "target", "cost file", "missing file"])
    names = {"amount": f"a{bad}" if where == "column" else "amount"}
    target = f"t{bad}" if where == "target" else "outcome"
    labels = {"low": f"l{bad}" if where == "label" else "low"}
    frame = frame.rename(columns=names).assign(**{target: pd.Series(y).map(lambda v: labels.get(v, v))})
    frame["town"] = frame.town.map(lambda v: f"n{bad}" if v == "north" and where == "category" else v)
    rows, model = folder / "rows.csv", folder / "model.json"
    frame.to_csv(rows, index=False)
    costs = folder / "costs.csv"
    if where == "cost file":
        costs.write_text(f"actual,low,x{bad!s}\nlow,0,1\nx,1,0\n".replace("\r", ""))
    said = []
    try:
        extra = ["-c", costs] if where == "cost file" else []
        wanted = folder / f"n{bad}".replace("/", "") if where == "missing file" else rows
        said.append(stakes("fit", wanted, "-t", target, "-o", model, "--folds", 2, *extra))
        for command in (["describe", rows, "-t", target], ["show", model], ["show", model, "--format", "leaves"],
                        ["evaluate", rows, "-m", model, "-t", target], ["predict", model, rows, "--explain"],
                        ["ask", model]):  # fmt: skip
            said.append(stakes(*command, typed="1\nnorth\nred\n"))
            if command[0] == "predict":  # a file for programs, which keeps names as they are
                said.pop()
    except Refused as refused:
        found = CONTROL.search(str(refused))
        assert found is None, f"an escape reaches the terminal: {str(refused)[:200]!r}"
        raise
    for result in said:
        for text in (result.stdout, result.stderr):
            found = CONTROL.search(text)
            assert found is None, f"an escape reaches the terminal: {text[max(0, found.start() - 60):][:120]!r}"


def damaged_documents(draw: Draw) -> None:
    """Every command that reads a file gets a damaged one."""
    folder = copy_of_the_shop(draw)
    victim = draw.of(["rows.csv", "costs.csv", "prices.csv", "tree.json", "rules.json", "guard.json"])
    data = bytearray((folder / victim).read_bytes())
    if victim.endswith("json") and draw.random() < 0.6:
        document = json.loads(data)
        mutate(document, draw)
        data = bytearray(json.dumps(document).encode())
    else:
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(data))
            data[at : at + draw.choice([0, 1, 30])] = draw.choice([b"", b"\0", b'"', b",", b"\xff", b"9", b"-", b"{"])
    (folder / victim).write_bytes(data)
    model = folder / (victim if victim.endswith("json") else "tree.json")
    rows, target = folder / "rows.csv", ["-t", "outcome"]
    priced = ["--feature-costs", folder / "prices.csv"]
    commands = {
        "describe": ["describe", rows, *target, "-c", folder / "costs.csv", *priced],
        "fit": ["fit", rows, *target, "-c", folder / "costs.csv", "--folds", 2, "-o", folder / "m.json", *priced],
        "predict": ["predict", model, folder / "new.csv", draw.choice(["--explain", "--json", "--with-data"])],
        "evaluate": ["evaluate", rows, *target, "-m", model, "-c", folder / "costs.csv", *priced],
        "show": ["show", model, "--format", draw.choice(["text", "leaves", "svg", "dot"])],
        "export": ["export", model, "--to", draw.choice(["c", "dot", "python", "sql", "json"])],
        "ask": ["ask", model, *priced],
    }
    stakes(*commands[draw.of(list(commands))], typed="1\n\nred\n")


def options_that_do_not_apply(draw: Draw) -> None:
    folder = copy_of_the_shop(draw)
    option, learner = draw.of(list(OPTIONS)), draw.of(["c4.5", "c4.5cs", "gdt", "rules", "boosted"])
    stakes("fit", folder / "rows.csv", "-t", "outcome", "-l", learner, "--folds", 2, "-o", folder / "m.json", option)
    assert learner in OPTIONS[option], f"{option} is dropped by {learner}"


def outputs_in_odd_places(draw: Draw) -> None:
    """Outputs that cannot be, or that are the input; links and permissions."""
    folder = copy_of_the_shop(draw)
    kind = draw.of(["missing folder", "folder", "input", "link", "permissions", "full", "part link", "model"])
    command = draw.of(["fit", "predict", "show", "export", "report"])
    suffix = {"fit": ".json", "predict": ".csv", "show": ".txt", "export": ".py", "report": ".html"}[command]
    out = folder / f"out{suffix}"
    inputs = {"fit": "rows.csv", "predict": "new.csv", "show": "tree.json", "export": "tree.json", "report": "rows.csv"}
    precious = folder / "precious.txt"
    precious.write_text("precious")
    if kind == "missing folder":
        out = folder / "none" / out.name
    elif kind == "folder":
        out.mkdir()
    elif kind == "input":
        out = folder / inputs[command]
        if command == "predict":
            (folder / "new.csv").rename(folder / "same.csv")
            out = folder / "same.csv"
            inputs["predict"] = "same.csv"
    elif kind == "model":
        out = folder / "tree.json"
    elif kind == "link":
        out.symlink_to(precious)
    elif kind == "part link":
        out.with_name(out.name + ".part").symlink_to(precious)
    elif kind == "permissions":
        out.write_text("old")
        out.chmod(0o600)
    else:
        out = Path("/dev/full")
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    commands = {
        "fit": ["fit", folder / inputs["fit"], "-t", "outcome", "--folds", 2, "-o", out],
        "predict": ["predict", folder / "tree.json", folder / inputs["predict"], "-o", out, "--format", "csv"],
        "show": ["show", folder / "tree.json", "--format", "text", "-o", out],
        "export": ["export", folder / "tree.json", "--to", "python", "-o", out],
        "report": ["report", folder / "tree.json", folder / inputs["report"], "-t", "outcome", "-o", out],
    }
    try:
        stakes(*commands[command])
    except Refused:
        after = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        assert after == before, "refused, but files have changed"
        raise
    assert kind not in ("missing folder", "folder", "input", "full"), f"output is {kind}, taken"
    assert kind != "model" or command == "fit", "the model is overwritten by what it says"
    if kind == "part link":
        assert precious.read_text() == "precious", "what a .part link points to is overwritten"
    if kind == "link":
        assert out.is_symlink() and precious.read_text() != "precious", "a link is replaced by a file"
    if kind == "permissions":
        assert out.stat().st_mode & 0o777 == 0o600, "permissions have changed"


def studies_that_run_code(draw: Draw) -> None:
    """A study file names learners; nothing else is called."""
    marker = draw.folder / "ran"
    shop()
    calls = [
        ("subprocess.Popen", f'params = {{ args = ["touch", "{marker}"] }}'),
        ("os.system", f'params = {{ command = "touch {marker}" }}'),
        ("pathlib.Path.touch", f'params = {{ self = "{marker}" }}'),
        ("builtins.open", f'params = {{ file = "{marker}", mode = "w" }}'),
        ("stakes.MinExpectedCost", f'params.estimator = {{ class = "subprocess.Popen", params = '
         f'{{ args = ["touch", "{marker}"] }} }}'),
        ("sklearn.utils._joblib.joblib.load", f'params = {{ filename = "{marker}" }}'),
        ("no.such.Class", ""),
        ("stakes", ""),
        ("", ""),
    ]  # fmt: skip
    name, params = draw.of(calls)
    study = draw.folder / "study.toml"
    study.write_text(
        f'title = "x"\n[[dataset]]\nname = "rows"\nfile = "{shop()}/rows.csv"\ntarget = "outcome"\n'
        f'[learners.it]\nclass = "{name}"\n{params}\n'
        '[study.main]\ncosts = { model = "ting" }\nsplits = { folds = 2, repeats = 1 }\n'
    )
    try:
        stakes("reproduce", study, "-o", draw.folder / "out", "--n-jobs", 1)
    finally:
        assert not marker.exists(), f"a study file has run {name}"
    raise AssertionError(f"{name} is a learner")


def costs_of_other_classes(draw: Draw) -> None:
    """A cost file that lacks a class or has others is refused by a sentence that names the file."""
    folder = copy_of_the_shop(draw)
    names = draw.of([["low", "mid"], ["low", "mid", "high"], [*LABELS, "other"], ["a", "b", "c"], LABELS[::-1]])
    values = costs_for(draw, len(names))
    CostMatrix(values, names).to_csv(folder / "costs.csv")
    try:
        stakes("fit", folder / "rows.csv", "-t", "outcome", "-c", folder / "costs.csv", "--folds", 2,
               "-o", folder / "m.json")  # fmt: skip
    except Refused as refused:
        assert "costs.csv" in str(refused), f"names no file: {refused}"
        raise
    assert set(LABELS) <= set(names), "a cost file without one of the classes is taken"
    matrix = load_model(folder / "m.json").cost_matrix_
    wanted = CostMatrix(values, names).align(LABELS) if sorted(names) == LABELS else None
    if wanted is not None:
        np.testing.assert_array_equal(matrix.align(LABELS).values, wanted.values)


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


def files_of_clarify(draw: Draw) -> None:
    """Damaged models and profiles of CLARIFY."""
    from clarify_app import document

    model = document(training=None)
    kind = draw.of(["texts", "mutated", "mutated", "mutated", "bytes", "profile"])
    if kind == "texts":
        model["texts"] = draw.of([5, [], {"many": 5}, {"many": None}, "x"])
    elif kind == "mutated":
        for _ in range(draw.randrange(1, 4)):
            mutate(model, draw)
    text = json.dumps(model)
    if kind == "bytes":
        at = draw.randrange(len(text))
        text = text[:at] + draw.choice('0179,]}[{"x-.') + text[at + 1 :]
    path = draw.folder / "model.json"
    path.write_text(text)
    if kind == "profile":
        path.rename(draw.folder / "run.profile")
        stakes("clarify", draw.of(["train", "label"]), draw.folder, typed="q\n")
        return
    command = draw.of([["explain", path], ["explain", path, "--json"]])
    stakes("clarify", *command)
    from stakes.forensics import ClarifyModel

    verdict = ClarifyModel.read(path)
    draw.attempt(verdict.explain, [draw.choice([0, 1, 5, 1000])] * len(verdict.watch.features))


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
