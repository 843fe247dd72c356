"""Outputs of commands in odd places, and data that is in the way of answers."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from attack.answers import answers_in
from attack.data import fitted_on
from attack.harness import Draw, Refused
from attack.shop import copy_of_the_shop, shop, stakes
from stakes import load_model

KINDS = ["missing folder", "folder", "input", "model", "link", "part link", "permissions", "pipe"]
SUFFIXES = {"fit": ".json", "predict": ".csv", "show": ".txt", "export": ".py", "report": ".html"}
PRECIOUS = "precious.txt"


def outputs_in_odd_places(draw: Draw) -> None:
    """Outputs that cannot be, or that are the input; links and permissions."""
    folder = copy_of_the_shop(draw)
    kind, command = draw.of(KINDS), draw.of(list(SUFFIXES))
    (folder / PRECIOUS).write_text("precious")
    out = prepared(draw, kind, folder, command)
    tree, rows, target = folder / "tree.json", folder / "rows.csv", ["-t", "outcome"]
    commands = {
        "fit": ["fit", rows, *target, "--folds", 2],
        "predict": ["predict", tree, folder / "new.csv", "--format", "csv"],
        "show": ["show", tree, "--format", "text"],
        "export": ["export", tree, "--to", "python"],
        "report": ["report", tree, rows, *target],
    }
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    try:
        stakes(*commands[command], "-o", out)
    except Refused:
        after = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        assert after == before, "refused, but files have changed"
        raise
    assert kind not in KINDS[:3], f"output is {kind}, taken"
    assert kind != "model" or command == "fit", "the model is overwritten by what it says"
    untouched = (folder / PRECIOUS).read_text() == "precious"
    assert kind != "part link" or untouched, "what a .part link points to is overwritten"
    assert kind != "link" or (out.is_symlink() and not untouched), "a link is replaced by a file"
    assert kind != "permissions" or out.stat().st_mode & 0o777 == 0o600, "permissions have changed"
    assert kind != "pipe" or out.is_fifo(), "a pipe is replaced by a file"


def prepared(draw: Draw, kind: str, folder: Path, command: str) -> Path:
    """Path of an output, with what is there already.

    A pipe stands for a device: one of the machine's is never tried, since a wrong rename would replace it.
    """
    out = folder / f"out{SUFFIXES[command]}"
    if kind == "missing folder":
        return folder / "none" / out.name
    if kind == "input":
        return folder / {"fit": "rows.csv", "predict": "new.csv", "report": "rows.csv"}.get(
            command, "tree.json"
        )
    if kind == "model":
        return folder / "tree.json"
    if kind == "folder":
        out.mkdir()
    elif kind == "link":
        out.symlink_to(folder / PRECIOUS)
    elif kind == "part link":
        out.with_name(out.name + ".part").symlink_to(folder / PRECIOUS)
    elif kind == "permissions":
        out.write_text("old")
        out.chmod(0o600)
    else:
        os.mkfifo(out)
        keep = os.open(out, os.O_RDWR | os.O_NONBLOCK)
        fcntl.fcntl(keep, fcntl.F_SETPIPE_SZ, 2**20)  # nobody reads it
        draw.callback(os.close, keep)
    return out


def studies_that_run_code(draw: Draw) -> None:
    """A study file names learners; nothing else is called."""
    marker = draw.folder / "ran"
    shop()
    calls = [
        ("subprocess.Popen", f'params = {{ args = ["touch", "{marker}"] }}'),
        ("os.system", f'params = {{ command = "touch {marker}" }}'),
        ("pathlib.Path.touch", f'params = {{ self = "{marker}" }}'),
        ("builtins.open", f'params = {{ file = "{marker}", mode = "w" }}'),
        (
            "stakes.MinExpectedCost",
            f'params.estimator = {{ class = "subprocess.Popen", params = '
            f'{{ args = ["touch", "{marker}"] }} }}',
        ),
        ("sklearn.utils._joblib.joblib.load", f'params = {{ filename = "{marker}" }}'),
        ("no.such.Class", ""),
        ("stakes", ""),
        ("", ""),
    ]
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
