"""``stakes clarify``: record runs of a program, and explain its failures."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from stakes._text.files import check_folder
from stakes._text.words import plain


def record(
    command: list[str],
    runs: Path,
    label: str | None,
    input: str | None,
    trees: bool,
    lines: bool,
    symptom: list[str] | None,
    keep_message: bool,
) -> None:
    """Run a program, write its profile, and end as it did."""
    from stakes.forensics import NothingRecorded, write_profile
    from stakes.forensics import record as record_run

    check_folder(runs)
    try:
        status, profile = record_run(
            command, trees=trees, lines=lines, label=label, input=input, keep_message=keep_message,
            patterns=symptom or (),
        )  # fmt: skip
    except NothingRecorded as nothing:
        _append(f"Note: {nothing}.")
        _leave(nothing.exit_status)
    target = runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 10**9:09d}.profile.gz"
    try:
        write_profile(profile, target)
    except OSError as error:
        _append(f"Error: {target} could not be written: {error.strerror or error}.")
        _leave(status or 1)
    _append(f"Recorded {target}: {len(profile.functions)} functions, {sum(profile.counts)} calls.")
    if not profile.complete:
        _append("Note: not all that happened could be counted, so training will leave this run out.")
    _leave(status)


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
