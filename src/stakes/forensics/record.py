"""Record a run: start a program with the tracer inside, pass everything through, and keep a profile."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stakes.forensics.host import counters, memory, startup
from stakes.forensics.passing import Shown, passed_through
from stakes.forensics.places import Places
from stakes.forensics.profile import Function, Profile, Symptom, merge

log = logging.getLogger("stakes.forensics")

HOST_PATH = Path(__file__).parent / "host" / "path"


class NothingRecorded(ValueError):
    """A command was run, and no Python program was seen in it.

    Attributes
    ----------
    exit_status : int
        Of the command; negative where a signal ended it.
    """

    def __init__(self, text: str, exit_status: int) -> None:
        super().__init__(text)
        self.exit_status = exit_status


def record(
    command: Sequence[str],
    *,
    trees: bool = True,
    lines: bool = False,
    label: str | None = None,
    input: str | None = None,
    env: Mapping[str, str] | None = None,
    keep_message: bool = False,
    patterns: Sequence[str] = (),
) -> tuple[int, Profile]:
    """Run a command and return its exit status and the profile of all Python processes in it.

    The program's streams are the caller's own, and nothing that it writes is kept unless that is asked for. A
    process that is left in the background is not waited for, and in the profile with what it did until then.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    trees, lines : bool
        Whether to record call trees, and how often each line was reached.
    label : str or None
        The cause of what went wrong, where it is known.
    input : str or None
        Name of the input; runs of one input are repetitions of each other. By default a digest of the
        command.
    env : dict or None
        Environment of the program, instead of the present one.
    keep_message : bool
        Whether the last line of standard error is kept, which may hold data. Standard error is then a pipe,
        and what is left in the background finds it closed.
    patterns : sequence of str
        Regular expressions that are looked for in each line of standard error, which is a pipe then. Which
        of them were found is kept, and nothing of the lines.

    Raises
    ------
    NothingRecorded
        A ValueError: no Python program was seen. It has the exit status.
    """
    shown = Shown(patterns, keep_message) if keep_message or patterns else None
    log.info("recording a run of %s", command[0])
    with tempfile.TemporaryDirectory(prefix="clarify-", ignore_cleanup_errors=True) as folder:
        environment = traced(os.environ if env is None else env, folder, trees=trees, lines=lines)
        status = passed_through(command, environment, shown)
        places = Places()
        profiles = [to_profile(counts, places) for counts in read_counts(Path(folder))]
    if not profiles:
        text = f"no Python program was seen in {command[0]!r}, so nothing is recorded"
        raise NothingRecorded(text, status)
    log.info("the run ended with %d; processes recorded: %d", status, len(profiles))
    identity = digest_of(command) if input is None else input
    return status, replace(ended(merge(profiles), status, shown), label=label, input=identity)


def digest_of(command: Sequence[str]) -> str:
    """Return what a profile has as its input where no name is given: it tells nothing of the command.

    Examples
    --------
    >>> digest_of(["python", "-m", "this"])
    '844bb1bfd4e77775'
    """
    return hashlib.sha256(os.fsencode("\0".join(command))).hexdigest()[:16]


def traced(
    environment: Mapping[str, str], folder: str, *, trees: bool = False, lines: bool = False
) -> dict[str, str]:
    """Return the environment that starts the tracer in every Python below."""
    wanted = [name for name, want in (("trees", trees), ("lines", lines)) if want]
    path = os.pathsep.join(filter(None, [str(HOST_PATH), environment.get("PYTHONPATH")]))
    return {**environment, "PYTHONPATH": path, startup.FOLDER: folder, startup.COUNT: ",".join(wanted)}


def ended(profile: Profile, status: int, shown: Shown | None = None) -> Profile:
    """Return the profile with the exit status of the run and what its standard error showed."""
    seen: dict[str, Any] = {} if shown is None else {"message": shown.message, "shown": tuple(shown.matched)}
    return replace(profile, symptom=replace(profile.symptom, exit_status=status, **seen))


def read_counts(folder: Path) -> list[counters.Counts]:
    """Read the counters that the processes of a run have left, the first process first.

    Damaged ones are left out. The others are ``full`` then: not all that happened is in them.
    """
    counts, damaged = [], False
    for path in sorted(folder.glob("*.counts"), key=lambda path: int(path.stem.rpartition("-")[2])):
        data = path.read_bytes()
        if not any(data[: len(memory.MAGIC)]):
            continue  # killed before its tables were made
        try:
            counts.append(counters.read(data))
        except ValueError:
            damaged = True
    return [replace(process, full=True) for process in counts] if damaged else counts


def to_profile(counts: counters.Counts, places: Places) -> Profile:
    """Return the counters of one process as a profile."""
    functions = tuple(Function(places.relative(path), name, line) for path, name, line in counts.functions)
    python = f"{counts.python >> 24}.{counts.python >> 16 & 255}"
    profile = Profile(
        functions=functions,
        counts=tuple(counts.starts),
        trees=tuple(counts.trees),
        tree_counts=tuple(counts.calls),
        lines=tuple(counts.lines),
        complete=not counts.full,
        interpreter=f"cpython {python}",
        versions=places.versions({path for path, _, _ in counts.functions}),
        symptom=Symptom(exception=counts.exception),
    )
    return merge([profile])  # equal functions of different code objects become one
