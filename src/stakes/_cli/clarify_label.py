"""``stakes clarify label``: say what went wrong in recorded runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from stakes._cli.shared import DebugOption, out, say

NAME = "label"

SKIP, QUIT = "", "q"


def command(
    runs: Annotated[Path, typer.Argument(help="Folder of recorded runs.", show_default=False)],
    again: Annotated[bool, typer.Option("--again", help="Ask about labelled runs too.")] = False,
    debug: DebugOption = False,
) -> None:
    """Go through the runs without a label and say what went wrong in each.

    Answer with the number of a known cause, with the name of a new one, with nothing to leave the run as it is, or with
    `q` to stop. All runs of the same input get the same label.

    For example:

    - `stakes clarify label runs/`

    - `printf 'no-such-version\\n1\\n' | stakes clarify label runs/`
    """
    from stakes.forensics.profile import read_profile, write_profile
    from stakes.forensics.runs import profile_paths

    paths = profile_paths(runs)
    if not paths:
        raise ValueError(f"{runs} holds no recorded runs; `stakes clarify record` makes them")
    profiles = {path: read_profile(path) for path in paths}
    causes = dict.fromkeys(sorted({p.label for p in profiles.values() if p.label is not None}))
    asked: set[object] = set()
    done = 0
    for path, profile in profiles.items():
        key = path if profile.input is None else profile.input
        if key in asked or (profile.label is not None and not again):
            continue
        asked.add(key)
        same = [
            other for other, found in profiles.items() if profile.input is not None and found.input == key
        ] or [path]
        _show(path, profile, len(same), list(causes))
        answer = _answer(list(causes))
        if answer == QUIT:
            break
        if answer == SKIP:
            continue
        causes.setdefault(answer)
        for other in same:
            if again or profiles[other].label is None:
                write_profile(profiles[other].with_label(answer), other)
                done += 1
    left = sum(read_profile(path).label is None for path in paths)
    say(f"Labelled {done} runs; {left} of {len(paths)} have no label.")


def _show(path: Path, profile: object, repeated: int, causes: list[str]) -> None:
    from stakes.forensics.profile import Profile

    assert isinstance(profile, Profile)
    console, symptom = out(), profile.symptom
    times = f", {repeated} runs of this input" if repeated > 1 else ""
    console.print(f"\n{path.name}: exit status {symptom.exit_status}{times}", markup=False, style="bold")
    if symptom.message:
        console.print(f"   {symptom.message}", markup=False)
    if profile.label is not None:
        console.print(f"   labelled {profile.label}", markup=False)
    for number, cause in enumerate(causes, 1):
        console.print(f"{number:>4}) {cause}", markup=False)


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
        say(
            f"   A number must be from 1 to {len(causes)}."
            if causes
            else "   There are no causes yet: name one.",
            "yellow",
        )
