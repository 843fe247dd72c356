"""Record the benchmark programs: python benchmarks/clarify/collect.py --cache FOLDER [--programs pip jinja2] [--inputs 30]

Each cause gets --inputs different inputs, each recorded twice in forks of a warmed parent and the first two once more in fresh
processes. Runs that are there already are not recorded again.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parent))

from environments import environment, find_python
from recorder import Program, Recorder

from stakes.forensics.profile import write_profile

PROGRAMS = ("pip", "jinja2", "requests", "pyyaml")
#: Inputs of each cause that are also recorded in a fresh process.
FRESH = 2


def cases_of(name: str) -> ModuleType:
    """The module that makes the inputs of a program."""
    return importlib.import_module(f"{name}_cases")


def program_of(name: str, cache: Path, python: str | None) -> Program:
    """How to start a program, in its own environment."""
    cases = cases_of(name)
    interpreter = environment(cache, name, cases.PACKAGES, find_python(python))
    return Program(interpreter, cases.TARGET, cases.PRELOAD)


def collect(
    name: str, cache: Path, *, python: str | None = None, inputs: int = 30, lines: bool = True
) -> Path:
    """Record what is missing; return the folder of the profiles."""
    cases, runs = cases_of(name), cache / name / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    # The first run of every input comes first: what was recorded by then is of use already.
    wanted = [(number, label, "0") for number in range(inputs) for label in cases.CAUSES]
    wanted += [(number, label, "fresh") for number in range(FRESH) for label in cases.CAUSES]
    wanted += [(number, label, "1") for number in range(inputs) for label in cases.CAUSES]
    todo = [one for one in wanted if not (runs / _file(*one)).exists()]
    if not todo:
        return runs
    with Recorder(program_of(name, cache, python), lines=lines) as recorder:
        started = time.monotonic()
        for done, (number, label, repetition) in enumerate(todo, 1):
            case = cases.make(label, number, cache / name / "inputs" / f"{label}-{number}")
            profile = recorder.record_fresh(case) if repetition == "fresh" else recorder.record(case)
            if cases.SYMPTOM not in profile.symptom.message:
                raise RuntimeError(f"{case.name} ended otherwise: {profile.symptom}")
            write_profile(profile, runs / _file(number, label, repetition))
            if sys.stderr.isatty() or done % 50 == 0:
                rate = (time.monotonic() - started) / done
                print(f"{name}: {done} of {len(todo)} runs, {rate:.1f} s each", file=sys.stderr)
    return runs


def _file(number: int, label: str, repetition: str) -> str:
    return f"{label}-{number}-{repetition}.profile.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--cache", type=Path, required=True, help="folder for environments, inputs and profiles"
    )
    parser.add_argument("--programs", nargs="+", default=PROGRAMS, choices=PROGRAMS)
    parser.add_argument("--inputs", type=int, default=30, help="different inputs per cause")
    parser.add_argument("--no-lines", action="store_true", help="no line counts: a third of the time")
    parser.add_argument("--python", help="interpreter of the programs; by default the newest found")
    args = parser.parse_args()
    for name in args.programs:
        collect(name, args.cache.resolve(), python=args.python, inputs=args.inputs, lines=not args.no_lines)


if __name__ == "__main__":
    main()
