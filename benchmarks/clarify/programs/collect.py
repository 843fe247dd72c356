"""Record the programs: for every cause many inputs, each recorded twice in forks of a warmed parent.

The first of them are recorded once more in fresh processes.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from stakes.forensics.profile import write_profile

from .environments import environment, find_python
from .recorder import Program, Recorder
from .words import token

PROGRAMS = ("pip", "jinja2", "requests", "pyyaml")
#: Inputs of each cause that are also recorded in a fresh process.
FRESH = 2

Progress = Callable[[int, int, str], None]


def silent(done: int, total: int, what: str) -> None:
    """Say nothing about how far it is."""


def cases_of(name: str) -> ModuleType:
    """The module that makes the inputs of a program."""
    return importlib.import_module(f"{__package__}.{name}_cases")


def program_of(name: str, cache: Path, python: str | None) -> Program:
    """How to start a program, in its own environment."""
    cases = cases_of(name)
    interpreter = environment(cache, name, cases.PACKAGES, find_python(python))
    kind, _, target = cases.TARGET.partition(":")
    if kind == "script":
        path = cache / name / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(cases.SCRIPT, encoding="utf-8")
        target = str(path)
    return Program(interpreter, f"{kind}:{target}", cases.PRELOAD)


def collect(
    name: str,
    cache: Path,
    *,
    python: str | None = None,
    inputs: int = 30,
    lines: bool = True,
    progress: Progress = silent,
) -> Path:
    """Record what is missing; return the folder of the profiles.

    Parameters
    ----------
    name : one of `PROGRAMS`
    cache : path
        For environments, inputs and profiles.
    python : str, optional
        Interpreter of the program.
    inputs : int
        Different inputs per cause.
    lines : bool
        Whether lines are counted too, which takes three times as long.
    progress : callable
        Told the number of runs recorded, of all, and the program.
    """
    if not hasattr(os, "fork"):
        raise RuntimeError("the programs can only be recorded where processes can fork, as on Linux")
    cases, runs = cases_of(name), cache / name / f"runs-{inputs}"
    runs.mkdir(parents=True, exist_ok=True)
    # The first run of every input comes first: what was recorded by then is of use already.
    wanted = [(number, label, "0") for number in range(inputs) for label in cases.CAUSES]
    wanted += [(number, label, "fresh") for number in range(FRESH) for label in cases.CAUSES]
    wanted += [(number, label, "1") for number in range(inputs) for label in cases.CAUSES]
    todo = [one for one in wanted if not (runs / _file(*one)).exists()]
    if not todo:
        return runs
    program = program_of(name, cache, python)
    with Recorder(program, lines=lines, symptom=cases.SYMPTOM) as recorder:
        for done, (number, label, repetition) in enumerate(todo, len(wanted) - len(todo)):
            progress(done, len(wanted), f"recording {name}")
            case = cases.make(label, number, cache / name / "inputs" / token(label, number))
            profile = recorder.record_fresh(case) if repetition == "fresh" else recorder.record(case)
            if not profile.symptom.shown:
                raise RuntimeError(f"{case.name} ended otherwise: {profile.symptom}")
            write_profile(profile, runs / _file(number, label, repetition))
    return runs


def _file(number: int, label: str, repetition: str) -> str:
    return f"{label}-{number}-{repetition}.profile.gz"
