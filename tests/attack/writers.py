"""Concurrent writers of one path: readers see one of the files in whole, and no writer fails."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from attack.harness import Draw
from attack.outputs import OUTPUTS, contents, fork, quiet

#: Seldom drawn: it takes as long as twenty others.
SLOW = ("report",)


def an_output(draw: Draw) -> tuple[str, Path]:
    """Draw a way of writing and a path for it."""
    names = [name for name in OUTPUTS if name not in SLOW or draw.random() < 0.2]
    name = draw.of(names)
    return name, draw.folder / f"out{OUTPUTS[name][0]}"


def threads(draw: Draw) -> None:
    """Threads of one process write two contents to one path, while it is read."""
    name, path = an_output(draw)
    write, whole = OUTPUTS[name][1], contents(name)
    n_writers, n_writes = draw.of([2, 3]), 1 if name in SLOW else 4
    errors: list[str] = []
    seen: list[bytes] = []

    def writer(first: int) -> None:
        for i in range(n_writes):
            try:
                write(path, (first + i) % 2)
            except BaseException as error:
                errors.append(f"{type(error).__name__}: {error}")

    workers = [threading.Thread(target=writer, args=(i % 2,)) for i in range(n_writers)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with quiet():
            for worker in workers:
                worker.start()
            while any(worker.is_alive() for worker in workers):
                read(path, seen)
            for worker in workers:
                worker.join()
    finally:
        sys.setswitchinterval(interval)
    read(path, seen)
    judge(path, seen, whole, errors)


def processes(draw: Draw) -> None:
    """Two processes write to one path, while it is read."""
    names = [name for name in OUTPUTS if name not in (*SLOW, "answers in Parquet")]
    name = draw.of(names)
    path = draw.folder / f"out{OUTPUTS[name][0]}"
    write, whole = OUTPUTS[name][1], contents(name)

    def work(which: int) -> list[str]:
        errors = []
        for i in range(6):
            try:
                write(path, (which + i) % 2)
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}")
        return errors

    children = [fork(lambda which=which: work(which)) for which in (0, 1)]
    seen: list[bytes] = []
    errors: list[str] = []
    alive = dict(children)
    while alive:
        read(path, seen)
        time.sleep(0.0002)
        for child in list(alive):
            if os.waitpid(child, os.WNOHANG)[0]:
                import pickle

                with os.fdopen(alive.pop(child), "rb") as answer:
                    raised, value = pickle.loads(answer.read())
                errors += [value] if raised else value
    read(path, seen)
    judge(path, seen, whole, errors)


def read(path: Path, seen: list[bytes]) -> None:
    """Keep what a reader sees, where it is something new."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        assert not seen, "the file was there and is gone"
        return
    if data not in seen[-3:]:
        seen.append(data)


def judge(path: Path, seen: list[bytes], whole: tuple[bytes, bytes], errors: list[str]) -> None:
    """Fail where a writer failed, a reader saw half a file, or something is left beside it."""
    assert not errors, f"{len(errors)} writers failed: {errors[0][:200]}"
    torn = [len(data) for data in seen if data not in whole]
    assert not torn, f"torn files of {torn[:5]} bytes, whole ones have {[len(data) for data in whole]}"
    left = sorted(other.name for other in path.parent.iterdir() if other != path)
    assert not left, f"left behind: {left}"


ATTACKS = [threads, threads, threads, processes, threads]
