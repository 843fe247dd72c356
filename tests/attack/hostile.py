"""Files for commands that somebody has damaged, or whose names act upon a terminal."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd

from attack.data import LABELS, costs_for, mixed
from attack.harness import Draw, Refused
from attack.shop import copy_of_the_shop, stakes
from oracles.damage import mutate
from stakes import CostMatrix, load_model

#: Characters that a terminal acts upon; a line end and a tab are none.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
HOSTILE = [
    "\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\u202egnp.exe", "\r", "\x08\x08", "[red]x[/red]", ":smile:",
    "<script>alert(1)</script>", "{{ 7 }}", "'; DROP TABLE x; --", "a\nb", "=cmd|' /C calc'!A0",
]  # fmt: skip


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
        for command in (
            ["describe", rows, "-t", target],
            ["show", model],
            ["show", model, "--format", "leaves"],
            ["evaluate", rows, "-m", model, "-t", target],
            ["predict", model, rows, "--explain"],
            ["ask", model],
        ):
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
            assert found is None, (
                f"an escape reaches the terminal: {text[max(0, found.start() - 60) :][:120]!r}"
            )


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
            data[at : at + draw.choice([0, 1, 30])] = draw.choice(
                [b"", b"\0", b'"', b",", b"\xff", b"9", b"-", b"{"]
            )
    (folder / victim).write_bytes(data)
    model = folder / (victim if victim.endswith("json") else "tree.json")
    rows, target = folder / "rows.csv", ["-t", "outcome"]
    priced = ["--feature-costs", folder / "prices.csv"]
    commands = {
        "describe": ["describe", rows, *target, "-c", folder / "costs.csv", *priced],
        "fit": [
            "fit",
            rows,
            *target,
            "-c",
            folder / "costs.csv",
            "--folds",
            2,
            "-o",
            folder / "m.json",
            *priced,
        ],
        "predict": [
            "predict",
            model,
            folder / "new.csv",
            draw.choice(["--explain", "--json", "--with-data"]),
        ],
        "evaluate": ["evaluate", rows, *target, "-m", model, "-c", folder / "costs.csv", *priced],
        "show": ["show", model, "--format", draw.choice(["text", "leaves", "svg", "dot"])],
        "export": ["export", model, "--to", draw.choice(["c", "dot", "python", "sql", "json"])],
        "ask": ["ask", model, *priced],
    }
    stakes(*commands[draw.of(list(commands))], typed="1\n\nred\n")


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


def costs_of_other_classes(draw: Draw) -> None:
    """A cost file that lacks a class or has others is refused by a sentence that names the file."""
    folder = copy_of_the_shop(draw)
    names = draw.of(
        [["low", "mid"], ["low", "mid", "high"], [*LABELS, "other"], ["a", "b", "c"], LABELS[::-1]]
    )
    values = costs_for(draw, len(names))
    CostMatrix(values, names).to_csv(folder / "costs.csv")
    try:
        stakes(
            "fit",
            folder / "rows.csv",
            "-t",
            "outcome",
            "-c",
            folder / "costs.csv",
            "--folds",
            2,
            "-o",
            folder / "m.json",
        )
    except Refused as refused:
        assert "costs.csv" in str(refused), f"names no file: {refused}"
        raise
    assert set(LABELS) <= set(names), "a cost file without one of the classes is taken"
    matrix = load_model(folder / "m.json").cost_matrix_
    wanted = CostMatrix(values, names).align(LABELS) if sorted(names) == LABELS else None
    if wanted is not None:
        np.testing.assert_array_equal(matrix.align(LABELS).values, wanted.values)
