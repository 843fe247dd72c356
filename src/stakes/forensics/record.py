"""Record a run: start a program with the tracer inside, pass everything through, and keep a profile."""

from __future__ import annotations

import hashlib
import logging
import mmap
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from stakes.forensics.host import counters, startup
from stakes.forensics.places import Places
from stakes.forensics.profile import Function, Profile, Symptom, merge

log = logging.getLogger("stakes.forensics")

HOST_PATH = Path(__file__).parent / "host" / "path"
_TAIL = 4096


def record(
    command: Sequence[str],
    *,
    trees: bool = True,
    lines: bool = False,
    label: str | None = None,
    input: str | None = None,
    env: Mapping[str, str] | None = None,
) -> tuple[int, Profile]:
    """Run a command and return its exit status and the profile of all Python processes in it.

    Standard output and input are the caller's own; standard error is passed on and its end is kept for the
    symptom.

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

    Raises
    ------
    ValueError
        Where no Python program was seen.
    """
    log.info("recording a run of %s", command[0])
    with tempfile.TemporaryDirectory(prefix="clarify-") as folder:
        environment = traced(os.environ if env is None else env, folder, trees=trees, lines=lines)
        status, tail = passed_through(command, environment)
        places = Places()
        profiles = [to_profile(counts, places) for counts in read_counts(Path(folder))]
    if not profiles:
        raise ValueError(f"no Python program was seen in {command[0]!r}, so there is nothing to record")
    log.info("the run ended with %d; processes recorded: %d", status, len(profiles))
    identity = input if input is not None else hashlib.sha256("\0".join(command).encode()).hexdigest()[:16]
    return status, replace(ended(merge(profiles), status, tail), label=label, input=identity)


def traced(
    environment: Mapping[str, str], folder: str, *, trees: bool = False, lines: bool = False
) -> dict[str, str]:
    """Return the environment that starts the tracer in every Python below."""
    wanted = [name for name, want in (("trees", trees), ("lines", lines)) if want]
    path = os.pathsep.join(filter(None, [str(HOST_PATH), environment.get("PYTHONPATH")]))
    return {**environment, "PYTHONPATH": path, startup.FOLDER: folder, startup.COUNT: ",".join(wanted)}


def passed_through(command: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """Run a command as if nothing stood between; return its status and the end of its stderr."""
    # A terminal stays the program's own, colours and all; its messages can then not be read.
    if os.isatty(2):
        with subprocess.Popen(command, env=environment) as process:
            return _wait(process), ""
    tail = bytearray()
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
        reader = threading.Thread(target=_copy, args=(process.stderr, tail), daemon=True)
        reader.start()
        status = _wait(process)
        reader.join()
    return status, bytes(tail).decode(errors="replace")


def _copy(stream: IO[bytes], tail: bytearray) -> None:
    while chunk := os.read(stream.fileno(), 65536):
        os.write(2, chunk)
        tail += chunk
        del tail[:-_TAIL]


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Wait, handing on signals that are sent to this process alone; Ctrl-C reaches the program itself."""
    if threading.current_thread() is not threading.main_thread():
        return process.wait()  # only the main thread may handle signals
    handed_on = [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2] if os.name == "posix" else []
    before = {number: signal.signal(number, lambda n, _: process.send_signal(n)) for number in handed_on}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ended(profile: Profile, status: int, tail: str) -> Profile:
    """Return the profile with the exit status of the run and the last line of what it wrote to stderr."""
    written = [line for line in tail.splitlines() if line.strip()]
    message = written[-1].strip()[-200:] if written else ""
    return replace(profile, symptom=replace(profile.symptom, exit_status=status, message=message))


def read_counts(folder: Path) -> list[counters.Counts]:
    """Read the counters that the processes of a run have left, the first process first."""
    counts = []
    for path in sorted(folder.glob("*.counts"), key=lambda path: int(path.stem.rpartition("-")[2])):
        try:
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as tables:
                counts.append(counters.read(tables))
        except ValueError:
            continue  # killed before its tables were made, or damaged since
    return counts


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
