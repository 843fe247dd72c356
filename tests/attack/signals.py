"""Ctrl-C and kill -9 at any moment: the old file or the new one, and what is resumed ends the same."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from attack import disk
from attack.data import COSTS, LABELS, fitted_on, same_answers
from attack.harness import Draw
from attack.outputs import OUTPUTS, at_line, contents, fork, in_child, quiet
from attack.shop import shop
from stakes import CostMatrix, GDTClassifier, load_model
from stakes.cli import app
from stakes.evolve import run as evolution


def interrupt() -> None:
    """What Ctrl-C does to Python."""
    raise KeyboardInterrupt


def kill() -> None:
    """End this process at once."""
    os.kill(os.getpid(), signal.SIGKILL)


@cache
def lines_of(name: str) -> int:
    """How many lines of Python run while a file is written."""
    path = shop() / f"lines of {name}{OUTPUTS[name][0]}"
    contents(name)
    with quiet(), at_line(-1, interrupt) as count:
        OUTPUTS[name][1](path, 1)
    path.unlink()
    return count[0]


def while_writing(draw: Draw) -> None:
    """At a line drawn at random, while a file is written."""
    names = [
        name for name in OUTPUTS if name != "answers in Parquet" and (name != "report" or draw.random() < 0.1)
    ]
    name = draw.of(names)
    suffix, write = OUTPUTS[name]
    old, new = contents(name)
    path = draw.folder / f"out{suffix}"
    existed = draw.random() < 0.7
    if existed:
        path.write_bytes(old)
    # Most moments are in the last lines, where the file itself is written.
    last = lines_of(name)
    line = draw.randrange(max(1, last - 60), last + 1) if draw.random() < 0.8 else draw.randrange(1, last + 1)
    killed = draw.of([True, False])
    draw.note(line, last)
    if killed:

        def work() -> None:
            with at_line(line, kill):
                write(path, 1)

        ended, _ = in_child(work)
        assert ended in (0, signal.SIGKILL), f"ended by signal {ended}"
    else:
        try:
            with quiet(), at_line(line, interrupt):
                write(path, 1)
        except KeyboardInterrupt:
            pass
    found = path.read_bytes() if path.exists() else None
    accepted = (old if existed else None, new)
    assert found in accepted, f"torn: {len(found or b'')} bytes, whole ones have {len(old)} and {len(new)}"
    with quiet():
        write(path, 1)  # what was left behind is in nobody's way
    assert path.read_bytes() == new


@cache
def uninterrupted(alpha: Any) -> Any:
    """The evolved tree that nothing stopped."""
    X, y = fitted_on()
    return evolved(alpha).fit(X, y)


def evolved(alpha: Any, **settings: Any) -> GDTClassifier:
    """An estimator whose fit takes some generations."""
    matrix = CostMatrix(COSTS, LABELS)
    return GDTClassifier(
        cost_matrix=matrix,
        population_size=8,
        max_generations=8,
        n_iter_no_change=8,
        alpha=alpha,
        random_state=1,
        **settings,
    )


def while_evolving(draw: Draw) -> None:
    """In a generation drawn at random; the checkpoint goes on to the very same tree."""
    X, y = fitted_on()
    path, stop = draw.folder / "checkpoint", draw.of(range(1, 8))
    alpha = draw.of([0.01, 0.01, 0.05, "auto" if draw.random() < 0.3 else 0.0])
    killed = draw.of([True, False])
    count = [0]

    def callback(generation: Any) -> None:
        count[0] += 1
        if count[0] == stop:
            kill() if killed else os.kill(os.getpid(), signal.SIGINT)

    def work() -> str:
        evolution._PAUSE = 0.0  # a checkpoint after each generation; this process ends with the fit
        try:
            evolved(alpha, callback=callback, checkpoint=str(path)).fit(X, y)
        except KeyboardInterrupt:
            return "interrupted"
        return "ended"

    ended, _ = in_child(work)
    assert ended in (0, signal.SIGKILL), f"ended by signal {ended}"
    model = evolved(alpha, checkpoint=str(path)).fit(X, y)
    same_answers(uninterrupted(alpha), X, model, X)
    np.testing.assert_array_equal(model.tree_.feature, uninterrupted(alpha).tree_.feature)
    np.testing.assert_array_equal(model.tree_.threshold, uninterrupted(alpha).tree_.threshold)


def while_reproducing(draw: Draw) -> None:
    """At a line drawn at random, or after some results; the next run ends with the same tables."""
    whole = disk.uninterrupted()
    path, out = disk.study(draw.folder), draw.folder / "out"
    half_done = draw.of([True, False])
    if half_done:
        shutil.copytree(disk.kept(), out)
    kind, at = draw.of(["kill", "Ctrl-C"]), draw.random()
    action, line = (kill if kind == "kill" else interrupt), int(10 ** (1 + 4 * at))
    draw.note(line)

    def work() -> int:
        with at_line(line, action):
            return disk.reproduce(path, out)[0]

    try:
        ended, status = in_child(work)
    except AssertionError as error:  # Ctrl-C outside of the command, which then cannot say so
        assert "KeyboardInterrupt" in str(error), str(error)
        ended, status = 0, 130
    assert ended in (0, signal.SIGKILL) and status in (None, 0, 130), f"signal {ended}, status {status}"
    for name, data in (tables := disk.tables(out) if out.exists() else {}).items():
        assert data == whole[name], f"half of {name}"
    assert not half_done or tables == whole, "tables that were there are gone"
    status, said, raised = disk.reproduce(path, out)
    assert status == 0 and not raised, f"does not go on: {said[-200:]} {raised}"
    assert disk.tables(out) == whole, "another result"


def while_fitting(draw: Draw) -> None:
    """A signal of the system, some milliseconds after a command began."""
    folder = draw.folder
    out = folder / "model.json"
    old = (shop() / "tree.json").read_bytes()
    out.write_bytes(old)
    learner = draw.of(["c4.5cs", "gdt", "rules", "c4.5"])
    sent, delay = draw.of([signal.SIGINT, signal.SIGINT, signal.SIGKILL]), draw.choice([5, 20, 50, 100, 300])
    draw.note(delay)
    line = ["fit", str(shop() / "rows.csv"), "-t", "outcome", "-l", learner, "--folds", "4", "-o", str(out)]

    def work() -> tuple[int, str, str]:
        # Before the command begins Ctrl-C is Python's own affair.
        result = CliRunner().invoke(app, line)
        return result.exit_code, result.stderr, repr(result.exception)

    child, pipe = fork(work)
    time.sleep(delay / 1000)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, sent)
    started = time.monotonic()
    with os.fdopen(pipe, "rb") as answer:
        data = answer.read()
    _, status = os.waitpid(child, 0)
    assert time.monotonic() - started < 5, "goes on for seconds"
    found = out.read_bytes()
    if found != old:
        X, _ = fitted_on()
        load_model(out).predict(X)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGINT), (
            f"ended by signal {os.WTERMSIG(status)}"
        )
        return
    if not data:
        return  # Ctrl-C came before the work had begun
    import pickle

    raised, value = pickle.loads(data)  # written by the child
    if raised:
        assert "KeyboardInterrupt" in value, value
        return
    code, said, _ = value
    assert code in (0, 130), f"status {code}: {said[-300:]}"
    assert "Traceback" not in said
    # While typer still reads the line, the status is all that Ctrl-C leaves.
    assert code == 0 or not said or "topped" in said or "nterrupted" in said, f"odd words: {said[-300:]!r}"


def folds_after_an_interrupt(draw: Draw) -> None:
    """The first Ctrl-C in one fold of a guarded fit ends all: no further fold is begun."""
    folder, begun, at = draw.folder, [0], draw.of([1, 2, 3])
    out = folder / "model.json"
    line = ["fit", str(shop() / "rows.csv"), "-t", "outcome", "-l", "gdt", "--folds", "5", "-o", str(out)]

    def work() -> tuple[int, int, str]:
        whole = evolution.evolve

        def counted(*args: Any, **settings: Any) -> Any:
            begun[0] += 1
            if begun[0] == at:
                settings["callbacks"] = [*settings.get("callbacks", ()), lambda generation: interrupt_once()]
            return whole(*args, **settings)

        def interrupt_once() -> None:
            if not done:
                done.append(True)
                os.kill(os.getpid(), signal.SIGINT)

        done: list[bool] = []
        from stakes.evolve import gdt

        gdt.evolve = counted
        result = CliRunner().invoke(app, line)
        return begun[0], result.exit_code, result.stdout + result.stderr

    ended, (runs, status, said) = in_child(work)
    assert ended == 0 and status in (0, 130), f"signal {ended}, status {status}: {said[-200:]}"
    assert runs == at, f"{runs - at} further folds are begun after Ctrl-C"
    if out.exists():
        assert "not guarded" in said, f"the model is not guarded, and nobody says so: {said[-300:]}"
        load_model(out)


def damaged_checkpoints(draw: Draw) -> None:
    """A checkpoint that was cut or changed is refused by a sentence that names it, or is one that fits."""
    X, y = fitted_on()
    path = draw.folder / "checkpoint"
    evolved(0.01, checkpoint=str(path)).fit(X, y)
    if not path.exists():  # a run that is done keeps none
        with quiet():
            _interrupted(path, X, y)
    data = bytearray(path.read_bytes())
    for _ in range(draw.of([1, 5])):
        at = draw.randrange(len(data))
        if draw.random() < 0.3:
            del data[at:]
            break
        data[at] = draw.randrange(256)
    path.write_bytes(data)
    model = draw.attempt(evolved(0.01, checkpoint=str(path)).fit, X, y)
    same_answers(uninterrupted(0.01), X, model, X)


def _interrupted(path: Path, X: Any, y: Any) -> None:
    def callback(generation: Any) -> None:
        if generation.number == 3:
            raise KeyboardInterrupt

    evolved(0.01, checkpoint=str(path), callback=callback).fit(X, y)


ATTACKS = [
    while_writing,
    while_evolving,
    while_writing,
    while_fitting,
    while_writing,
    while_reproducing,
    while_writing,
    while_evolving,
    damaged_checkpoints,
    folds_after_an_interrupt,
]
