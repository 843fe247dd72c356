"""All ways in which a file is written, each with two contents; and a forked process to ruin."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import pickle
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from attack.data import COSTS, LABELS, fitted, fitted_on
from attack.shop import shop
from stakes import CostMatrix, FeatureCosts, Table
from stakes._cli import predict
from stakes._cli.shared import write_text
from stakes.evolve.checkpoint import write_arrays
from stakes.forensics import write_profile
from stakes.models import save_model
from stakes.report import write_report
from stakes.table import write_arff


def _model(path: Path, which: int) -> None:
    save_model(fitted(["C45Classifier", "GBSE"][which]), path)


def _report(path: Path, which: int) -> None:
    X, y = fitted_on()
    write_report(path, fitted(["C45Classifier", "GDTClassifier"][which]), X, y, title="ab"[which])


def _answers(path: Path, which: int) -> None:
    folder = shop()
    ways = {"format": None, "abstain_cost": None, "abstain": False, "explain": False, "as_json": False}
    rows = str(folder / ["new.csv", "rows.csv"][which])
    predict.run(folder / "tree.json", rows, output=path, with_data=bool(which), **ways)


def _text(path: Path, which: int) -> None:
    write_text(["a line\n", "another text\n" * 5000][which], path)


def _matrix(path: Path, which: int) -> None:
    CostMatrix(COSTS[: 3 - which, : 3 - which], LABELS[: 3 - which]).to_csv(path)


def _prices(path: Path, which: int) -> None:
    FeatureCosts({f"column {j}": 1.0 for j in range(2 + 500 * which)}).to_csv(path)


def _table(path: Path, which: int) -> None:
    frame, _ = fitted_on()
    write_arff(Table.from_data(frame.iloc[: [5, 40][which]]), path)


def _profile(path: Path, which: int) -> None:
    from clarify_programs import profile_of

    write_profile(profile_of([("main", [("read", [])] * (which + 1))], label=["a", "b" * 5000][which]), path)


def _checkpoint(path: Path, which: int) -> None:
    write_arrays(path, "it", {"a": np.arange([10, 5000][which])})


#: Suffix of the file, and the function that writes one of two contents.
OUTPUTS: dict[str, tuple[str, Callable[[Path, int], None]]] = {
    "model": (".json", _model),
    "text": (".txt", _text),
    "answers in CSV": (".csv", _answers),
    "answers in JSON": (".json", _answers),
    "answers in ARFF": (".arff", _answers),
    "matrix": (".csv", _matrix),
    "prices": (".csv", _prices),
    "table": (".arff", _table),
    "packed table": (".arff.gz", _table),
    "profile": (".profile", _profile),
    "packed profile": (".profile.gz", _profile),
    "checkpoint": (".npz", _checkpoint),
    "answers in Parquet": (".parquet", _answers),
    "report": (".html", _report),
}


@cache
def contents(name: str) -> tuple[bytes, bytes]:
    """The two files that this way of writing gives, in whole."""
    suffix, write = OUTPUTS[name]
    folder = Path(tempfile.mkdtemp(prefix="stakes-attack-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for which in (0, 1):
        with quiet():
            write(folder / f"out{which}{suffix}", which)
    first, second = ((folder / f"out{which}{suffix}").read_bytes() for which in (0, 1))
    assert first and second and first != second
    return first, second


def quiet() -> contextlib.ExitStack:
    """What is printed goes nowhere."""
    stack = contextlib.ExitStack()
    nowhere = stack.enter_context(os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    stack.enter_context(contextlib.redirect_stdout(nowhere))
    stack.enter_context(contextlib.redirect_stderr(nowhere))
    return stack


# ---- a process to ruin -------------------------------------------------------------------------------------


def in_child(work: Callable[[], Any]) -> tuple[int, Any]:
    """Do the work in a fork; return the signal that ended it, or 0, and what it returned or raised as text.

    Raises
    ------
    AssertionError
        Where the work raised anything; it has to handle what is expected of it.
    """
    child, pipe = fork(work)
    with os.fdopen(pipe, "rb") as answer:
        data = answer.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status), None
    raised, value = pickle.loads(data)  # written by the child above
    assert not raised, value
    return 0, value


def fork(work: Callable[[], Any]) -> tuple[int, int]:
    """Start the work in a fork; return its process and the pipe that it answers on."""
    reading, writing = os.pipe()
    # A signal that comes at once waits until it ends the child: above this call is the loop of the tests.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there may be threads, which the work does not use
        child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        os.close(writing)
        return child, reading
    try:
        gc.disable()  # what the parent has left is not ours to end
        sys.settrace(None)
        os.close(reading)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            with quiet():
                answer = (False, work())
        except BaseException:
            answer = (True, traceback.format_exc()[-1500:])
        with os.fdopen(writing, "wb") as file:
            file.write(pickle.dumps(answer))
    finally:
        os._exit(0)


@contextlib.contextmanager
def at_line(number: int, action: Callable[[], None]) -> Iterator[list[int]]:
    """Act when so many lines of Python have run; the list holds how many did.

    An interrupt within a finaliser is dropped by Python itself, which is no failure of what is tried.
    """
    count = [0]

    def each(frame: FrameType, event: str, value: Any) -> Any:
        if event == "line":
            count[0] += 1
            if count[0] == number:
                action()
        return each

    def drop(lost: Any) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            report(lost)

    before, report = sys.gettrace(), sys.unraisablehook
    sys.settrace(each)
    sys.unraisablehook = drop
    try:
        yield count
    finally:
        sys.settrace(before)
        sys.unraisablehook = report
