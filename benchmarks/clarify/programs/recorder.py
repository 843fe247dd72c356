"""Records many runs of one program cheaply: a fork of a warmed parent for each; fresh processes check that.

A profile of a fork is what the parent counted until it was ready, the imports, plus what the child counted.
Compared with a fresh process 156 of 3,520 functions were counted differently for an input of pip, 199 of
1,685 for one of requests: those of imports, of the interpreter's start and end, and of entries of sys.path.
The runs that are also recorded fresh make training drop such functions, as it drops whatever differs between
runs of one input.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from stakes.forensics.host import counters
from stakes.forensics.passing import Shown
from stakes.forensics.places import Places
from stakes.forensics.profile import Profile, merge
from stakes.forensics.record import ended, record, to_profile, traced

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One input of a program: what to call it with, and why it fails."""

    name: str
    label: str
    argv: list[str]
    cwd: str
    env: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """How to start a program: its interpreter, "module:name" or "script:path", and what every run imports."""

    python: str
    target: str
    preload: tuple[str, ...]

    def command(self, case: Case) -> list[str]:
        kind, _, name = self.target.partition(":")
        return [self.python, *(("-m", name) if kind == "module" else (name,)), *case.argv]


def clean_environment() -> dict[str, str]:
    """The environment without settings of Python, pip or proxies that would change what runs."""
    drop = ("PIP_", "PYTHON", "STAKES_CLARIFY", "VIRTUAL_ENV", "PYENV")
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(drop) and not key.lower().endswith("_proxy")
    }
    return {**kept, "PIP_CONFIG_FILE": os.devnull, "PYTHONHASHSEED": "0", "NO_COLOR": "1"}


class Recorder:
    """A warmed parent; use it in a with statement. Profiles say whether standard error showed the symptom."""

    def __init__(self, program: Program, *, lines: bool, symptom: str) -> None:
        self.program, self.lines, self.patterns = program, lines, [re.escape(symptom)]
        self.places = Places()

    def __enter__(self) -> Recorder:
        self._folder = tempfile.TemporaryDirectory(prefix="clarify-")
        self.folder = Path(self._folder.name)
        environment = traced(clean_environment(), str(self.folder), trees=True, lines=self.lines)
        self._process = subprocess.Popen(
            [self.program.python, str(HERE / "worker.py"), self.program.target, *self.program.preload],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._warm = self._take(int(self._read()))
        return self

    def __exit__(self, *_: object) -> None:
        self._stdin.close()
        self._process.wait()
        self._stdout.close()
        self._folder.cleanup()

    def _read(self) -> str:
        line = self._stdout.readline()
        if not line:
            raise RuntimeError(f"the worker of {self.program.target} has ended")
        return line

    def _take(self, pid: int) -> Profile:
        (path,) = self.folder.glob(f"{pid}-*.counts")
        profile = to_profile(counters.read(path.read_bytes()), self.places)
        path.unlink()
        return profile

    def record(self, case: Case) -> Profile:
        """Run a case in a fork."""
        stderr = self.folder / "stderr"
        job = {"argv": case.argv, "cwd": case.cwd, "env": case.env, "stderr": str(stderr)}
        self._stdin.write(json.dumps(job) + "\n")
        self._stdin.flush()
        pid, status = map(int, self._read().split())
        whole = merge([self._warm, self._take(pid)])
        shown = Shown(self.patterns)
        shown.see(stderr.read_bytes())
        shown.end()
        return replace(ended(whole, status, shown), label=case.label, input=case.name)

    def record_fresh(self, case: Case) -> Profile:
        """Run a case in a process of its own."""
        with silenced(self.folder / "stderr", case.cwd):
            _, profile = record(
                self.program.command(case), lines=self.lines, label=case.label, input=case.name,
                env={**clean_environment(), **case.env}, patterns=self.patterns,
            )  # fmt: skip
        return profile


@contextmanager
def silenced(path: Path, cwd: str) -> Iterator[None]:
    """Work in another folder, with what programs print going to a file."""
    kept, before = (os.dup(1), os.dup(2)), os.getcwd()
    sink = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.chdir(cwd)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        yield
    finally:
        os.chdir(before)
        for number, old in zip((1, 2), kept, strict=True):
            os.dup2(old, number)
            os.close(old)
        os.close(sink)
