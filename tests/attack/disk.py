"""A full disk: the old file stays, or there is none; the command says so in one sentence."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from attack.harness import Draw, Refused, check_sentence
from attack.outputs import OUTPUTS, contents, in_child
from attack.shop import shop
from stakes.cli import app


@contextlib.contextmanager
def room(n_bytes: int) -> Iterator[None]:
    """No file may become larger than that, as on a disk that is full; for a fork, which need not undo it."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))
    yield


def functions(draw: Draw) -> None:
    """Whatever writes a file, from Python."""
    name = draw.of([name for name in OUTPUTS if name != "report" or draw.random() < 0.3])
    suffix, write = OUTPUTS[name]
    old, new = contents(name)
    path = draw.folder / f"out{suffix}"
    existed = draw.of([True, True, False])
    if existed:
        path.write_bytes(old)
    n_bytes = draw.randrange(0, len(new) + 200)
    draw.note(n_bytes, len(new))

    def work() -> str | None:
        with room(n_bytes):
            try:
                write(path, 1)
            except OSError as error:
                return f"{error}"
        return None

    ended, said = in_child(work)
    assert ended == 0, f"ended by signal {ended}"
    left = sorted(other.name for other in draw.folder.iterdir() if other != path)
    assert not left, f"left behind: {left}"
    found = path.read_bytes() if path.exists() else None
    if said is None:
        assert found == new, "written without an error, but not in whole"
        return
    assert found == (old if existed else None), "the old file is lost" if existed else "half a file is left"
    raise Refused(said)


def commands(draw: Draw) -> None:
    """Commands end with status 1 and one sentence; what was there is there."""
    folder = draw.folder
    kind = draw.of(["fit", "fit rules", "predict", "predict json", "show", "export", "report", "evaluate"])
    suffixes = {"fit": "json", "fit rules": "json", "predict": "csv", "predict json": "json", "show": "svg"}
    suffixes |= {"export": "sql", "report": "html", "evaluate": "html"}
    out, at = folder / f"out.{suffixes[kind]}", shop()
    target = ["-t", "outcome"]
    line: list[Any] = {
        "fit": ["fit", at / "rows.csv", *target, "--folds", 2, "-o", out],
        "fit rules": ["fit", at / "rows.csv", *target, "-l", "rules", "-o", out],
        "predict": ["predict", at / "tree.json", at / "new.csv", "-o", out],
        "predict json": ["predict", at / "tree.json", at / "new.csv", "-o", out],
        "show": ["show", at / "tree.json", "--format", "svg", "-o", out],
        "export": ["export", at / "tree.json", "-o", out],
        "report": ["report", at / "tree.json", at / "rows.csv", *target, "-o", out],
        "evaluate": ["evaluate", at / "rows.csv", *target, "-m", at / "tree.json", "--report", out],
    }[kind]
    out.write_text("old")
    n_bytes = draw.of([0, 3, 100, 1000])

    def work() -> tuple[int, str, str]:
        with room(n_bytes):
            result = CliRunner().invoke(app, [str(word) for word in line])
            return result.exit_code, result.stderr, repr(result.exception)

    ended, answer = in_child(work)
    assert ended == 0, f"ended by signal {ended}"
    status, said, raised = answer
    found = [path.name for path in folder.iterdir() if path != out]
    assert not found, f"left behind: {found}"
    if status == 0:
        assert out.stat().st_size <= n_bytes and out.read_text() != "old", "nothing was written"
        return
    assert status in (1, 2) and "Traceback" not in said, f"status {status}, {raised}: {said[-300:]}"
    errors = [text for text in said.splitlines() if text.startswith(("Error: ", "Usage"))]
    assert errors, f"no sentence: {said[-300:]}"
    if status == 1:
        check_sentence(errors[0])
    assert out.read_text() == "old", "the old file is lost"
    raise Refused(errors[0])


STUDY = """
title = "x"
[[dataset]]
name = "rows"
file = "{rows}"
target = "outcome"
[learners.tree]
class = "stakes.C45Classifier"
[learners.plain]
class = "stakes.C45Classifier"
costs = false
[study.main]
costs = {{ model = "ting" }}
splits = {{ folds = 2, repeats = 2 }}
"""


def study(folder: Path) -> Path:
    """A small study in a folder."""
    path = folder / "study.toml"
    path.write_text(STUDY.format(rows=shop() / "rows.csv"))
    return path


def reproduce(path: Path, folder: Path) -> tuple[int, str, str]:
    """Run a study in this process; return the status and what was said."""
    line = ["reproduce", str(path), "-o", str(folder), "--n-jobs", "1"]
    result = CliRunner().invoke(app, line)
    raised = result.exception
    expected = raised is None or isinstance(raised, SystemExit)
    return result.exit_code, result.stderr, "" if expected else repr(raised)


def tables(folder: Path) -> dict[str, bytes]:
    """The tables of a study, which have no times in them."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("study-table-*"))}


def studies(draw: Draw) -> None:
    """A study whose disk becomes full ends by a sentence, and goes on where there is room again."""
    whole = uninterrupted()
    path, out = study(draw.folder), draw.folder / "out"
    n_bytes = draw.of([0, 1000, 4096, 9000, 16_000, 30_000, 60_000])

    def work() -> tuple[int, str, str]:
        with room(n_bytes):
            return reproduce(path, out)

    ended, answer = in_child(work)
    assert ended == 0, f"ended by signal {ended}"
    status, said, raised = answer
    assert status in (0, 1) and not raised, f"{raised}: {said[-200:]}"
    for name, data in (tables(out) if out.exists() else {}).items():
        assert data == whole[name], f"half of {name}"
    status, said, raised = reproduce(path, out)
    assert status == 0, f"does not go on: {said[-300:]} {raised}"
    assert tables(out) == whole, "another result"


def damaged_stores(draw: Draw) -> None:
    """Flipped bytes in the file of results: a sentence that names it."""
    whole = uninterrupted()
    path, out = study(draw.folder), draw.folder / "out"
    shutil.copytree(kept(), out)
    store = out / "results.sqlite"
    data = bytearray(store.read_bytes())
    for _ in range(draw.of([1, 20, 400])):
        data[draw.randrange(len(data))] = draw.randrange(256)
    if draw.random() < 0.2:
        del data[draw.randrange(len(data)) :]
    store.write_bytes(data)
    status, said, raised = reproduce(path, out)
    assert not raised, raised
    if status == 0:
        # A flipped digit of a stored cost cannot be told from another result.
        assert set(tables(out)) == set(whole)
        return
    lines = [text for text in said.splitlines() if text.startswith("Error: ")]
    assert lines and "results.sqlite" in lines[0], f"no sentence: {said[-300:]}"
    check_sentence(lines[0])
    raise Refused(lines[0])


_KEPT: list[Path] = []


def kept() -> Path:
    """Where the results of a whole study are; made once in this process."""
    if not _KEPT:
        folder = shop() / "lab"
        folder.mkdir()
        status, said, raised = reproduce(study(folder), folder / "out")
        assert status == 0, (said, raised)
        connection = sqlite3.connect(folder / "out" / "results.sqlite")
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.close()
        _KEPT.append(folder / "out")
    return _KEPT[0]


def uninterrupted() -> dict[str, bytes]:
    """The tables of the study that nothing stopped."""
    return tables(kept())


def printing(draw: Draw) -> None:
    """What is printed to a full disk ends with status 1 and a sentence."""
    at = shop()
    line = draw.of(
        [
            ["predict", at / "tree.json", at / "new.csv"],
            ["show", at / "tree.json"],
            ["export", at / "tree.json", "--to", "c"],
            ["describe", at / "rows.csv", "-t", "outcome"],
            ["evaluate", at / "rows.csv", "-t", "outcome", "-m", at / "tree.json", "--json"],
            ["fit", at / "rows.csv", "-t", "outcome", "--folds", "2", "-o", draw.folder / "m.json"],
        ]
    )

    said = draw.folder / "said.txt"

    def work() -> int:
        with said.open("w", encoding="utf-8") as errors, redirect_stderr(errors):
            sys.stdout = os.fdopen(os.open("/dev/full", os.O_WRONLY), "w")
            try:
                app([str(word) for word in line], prog_name="stakes", standalone_mode=True)
            except SystemExit as end:
                status = end.code
            try:
                sys.stdout.flush()  # as the interpreter does at its end
            except OSError:
                status = 120 if status == 0 else status
        return int(status or 0)

    ended, status = in_child(work)
    text = said.read_text()
    assert ended == 0 and status == 1, f"status {status}, signal {ended}: {text[-200:]}"
    assert "Traceback" not in text and text.strip(), "nothing is said"
    check_sentence(text.strip().splitlines()[-1])
    raise Refused(text)


def tables_of_studies(draw: Draw) -> None:
    """A study that is done writes its tables again; on a full disk the old ones stay."""
    from stakes.lab import reproduce as results
    from stakes.lab.study import write

    whole = uninterrupted()
    path, out = study(draw.folder), draw.folder / "out"
    shutil.copytree(kept(), out)
    n_bytes = draw.randrange(0, 2 * max(map(len, whole.values())))
    draw.note(n_bytes)

    def work() -> str:
        done = results(path, out)
        with room(n_bytes):
            try:
                write(done, out)
            except OSError as error:
                return str(error)
        return ""

    ended, _ = in_child(work)
    assert ended == 0
    assert tables(out) == whole, "the old tables are lost"


ATTACKS = [
    functions,
    commands,
    functions,
    studies,
    functions,
    commands,
    damaged_stores,
    printing,
    functions,
    tables_of_studies,
]
