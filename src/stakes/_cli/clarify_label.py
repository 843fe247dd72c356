"""``stakes clarify label``: say what went wrong in recorded runs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stakes._cli.console import out, say
from stakes._text.words import plain

if TYPE_CHECKING:
    from stakes.forensics import Symptom

SKIP, QUIT = "", "q"


@dataclass(frozen=True)
class Recorded:
    """What there is to say about the runs of one input; their counts are not kept."""

    labels: dict[Path, str | None]
    symptom: Symptom

    @property
    def known(self) -> set[str]:
        """Labels that runs have."""
        return {label for label in self.labels.values() if label is not None}


def run(
    runs: Path,
    again: bool,
) -> None:
    """Ask for the cause of each run that has none."""
    recorded = _read(runs)
    causes = dict.fromkeys(sorted({label for input_runs in recorded for label in input_runs.known}))
    done = 0
    for input_runs in recorded:
        if None not in input_runs.labels.values() and not again:
            continue
        _show(input_runs, list(causes))
        answer = _answer(list(causes))
        if answer == QUIT:
            break
        if answer != SKIP:
            causes.setdefault(answer)
            done += _write(input_runs, answer, again)
    say(f"Labelled {done} runs.")


def _read(folder: Path) -> list[Recorded]:
    from stakes.forensics import profile_paths, read_profile

    inputs: dict[object, Recorded] = {}
    for path in profile_paths(folder):
        profile = read_profile(path)
        key = path if profile.input is None else profile.input
        inputs.setdefault(key, Recorded({}, profile.symptom)).labels[path] = profile.label
    if not inputs:
        raise ValueError(f"{folder} holds no recorded runs; `stakes clarify record` makes them")
    return list(inputs.values())


def _write(input_runs: Recorded, label: str, again: bool) -> int:
    from stakes.forensics import read_profile, write_profile

    paths = [path for path, known in input_runs.labels.items() if again or known is None]
    for path in paths:
        write_profile(read_profile(path).with_label(label), path)
    return len(paths)


def _show(input_runs: Recorded, causes: list[str]) -> None:
    console = out()
    paths = list(input_runs.labels)
    times = f", {len(paths)} runs of this input" if len(paths) > 1 else ""
    head = f"\n{plain(paths[0].name)}: exit status {input_runs.symptom.exit_status}{times}"
    console.print(head, style="bold")
    if input_runs.symptom.message:
        console.print(f"   {plain(input_runs.symptom.message)}")
    for pattern in input_runs.symptom.shown:
        console.print(f"   shows {plain(pattern)}")
    if input_runs.known:
        console.print(f"   labelled {plain(', '.join(sorted(input_runs.known)))}")
    for number, cause in enumerate(causes, 1):
        console.print(f"{number:>4}) {plain(cause)}")


def _answer(causes: list[str]) -> str:
    while True:
        try:
            text = input("   cause (number or new name, empty to skip, q to stop): ").strip()
        except EOFError:
            typer.echo()
            return QUIT
        if not sys.stdin.isatty():
            typer.echo(text)  # a terminal has shown it while it was typed
        if not text.isdecimal():
            return text
        if 1 <= int(text) <= len(causes):
            return causes[int(text) - 1]
        what = (
            f"A number must be from 1 to {len(causes)}." if causes else "There are no causes yet: name one."
        )
        say(f"   {what}", style="yellow")
