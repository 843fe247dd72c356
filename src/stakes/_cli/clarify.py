"""``stakes clarify``: record runs of a program, and explain its failures."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from glob import glob
from pathlib import Path
from typing import Any, NoReturn

from stakes._text.files import check_folder
from stakes._text.words import counted, plain

#: Exit statuses of a program that Ctrl-C has ended: by the signal, or as a shell says it.
INTERRUPTED = (-signal.SIGINT, 128 + signal.SIGINT)


def record(
    command: list[str],
    runs: Path,
    label: str | None,
    input: str | None,
    trees: bool,
    lines: bool,
    symptom: list[str] | None,
    keep_message: bool,
    each: str | None,
) -> None:
    """Run a program, write its profile, and end as it did; with ``each`` once for every input file."""
    options: dict[str, Any] = {"trees": trees, "lines": lines, "label": label, "keep_message": keep_message}
    options["patterns"] = symptom or ()
    if each is not None:
        if input is not None:
            raise ValueError("--each and --input cannot be used together: each file is an input of its own")
        _record_each(command, each, runs, options)
        return
    check_folder(runs)
    _leave(_record(command, runs, options | {"input": input}))


def _record_each(command: list[str], pattern: str, runs: Path, options: dict[str, Any]) -> None:
    """Run a program once for each file, but for those whose run is there already."""
    from stakes.forensics import digest_of, profile_paths, read_profile

    files = sorted(path for path in glob(pattern, recursive=True) if os.path.isfile(path))
    if not files:
        raise ValueError(f"--each must match files, got {pattern!r}, which matches none")
    if not any("{}" in word for word in command):
        raise ValueError(f"--each needs {{}} in the command where the file belongs, got {command}")
    check_folder(runs)
    recorded = {read_profile(path).input for path in profile_paths(runs)}
    done = failed = 0
    for number, file in enumerate(files, 1):
        line = [word.replace("{}", file) for word in command]
        if digest_of(line) in recorded:
            continue
        _append(f"[{number} of {len(files)}] {file}")
        done, failed = done + 1, failed + (_record(line, runs, options, one_of_many=True) != 0)
    there = f"; {len(files) - done} were there already" if done < len(files) else ""
    _append(f"{counted(done, 'run')}, {failed} of them failed{there}.")


def _record(command: list[str], runs: Path, options: dict[str, Any], *, one_of_many: bool = False) -> int:
    """Run a program, write its profile, and return its exit status; Ctrl-C in one of many ends them all."""
    from stakes.forensics import NothingRecorded, write_profile
    from stakes.forensics import record as record_run

    try:
        status, profile = record_run(command, **options)
    except NothingRecorded as nothing:
        status, profile = nothing.exit_status, None
        _append(f"Note: {nothing}.")
    if one_of_many and status in INTERRUPTED:
        raise KeyboardInterrupt  # the program had the signal; its run is not kept, so that it is made again
    if profile is None:
        return status
    target = runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 10**9:09d}.profile.gz"
    try:
        write_profile(profile, target)
    except OSError as error:
        _append(f"Error: {target} could not be written: {error.strerror or error}.")
        return status or 1
    _append(f"Recorded {target}: {len(profile.functions)} functions, {sum(profile.counts)} calls.")
    if not profile.complete:
        _append("Note: not all that happened could be counted, so training will leave this run out.")
    return status


def run(command: list[str], model: str | os.PathLike[str], as_json: bool) -> None:
    """Run a program, say why it failed, and end as it did."""
    from stakes.forensics import ClarifyModel
    from stakes.forensics import run as run_watched

    status, verdict = run_watched(command, ClarifyModel.read(model))
    if verdict is not None:
        _append(_compact(verdict.to_dict()) if as_json else str(verdict))
    _leave(status)


def _compact(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _append(text: str) -> None:
    """Write below the program's own output; where nobody reads that, its exit status stays."""
    try:
        print("\n".join(map(plain, text.splitlines())), file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # or Python would try again at exit, and fail


def _leave(status: int) -> NoReturn:
    """Exit as the program did; a signal that ended it becomes 128 and its number, as in a shell."""
    raise SystemExit(status if status >= 0 else 128 - status)
