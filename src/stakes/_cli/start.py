"""Starting the command: a program that is only watched must not wait for libraries that it has no use for."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any


def main() -> None:
    """Run the command; what the package installs as ``stakes``."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows its code instead of ending the program; UTF-8 itself
        # lacks the half characters that names of files may hold.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    catch_early_interrupts()
    watched = _watched(sys.argv[1:])
    if watched is None:
        from stakes._cli.app import app

        app(prog_name="stakes")
    else:
        from stakes._cli import clarify
        from stakes._cli.endings import ending_in_a_sentence

        work_begins()
        with ending_in_a_sentence():
            clarify.run(**watched)


def catch_early_interrupts() -> None:
    """Let Ctrl-C end the command at once, until its work begins.

    A KeyboardInterrupt within an import may be lost, or leave a compiled library as an error of its own.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop_at_once)


def work_begins() -> None:
    """From here on Ctrl-C is a KeyboardInterrupt again, which learners may answer with what they have."""
    if signal.getsignal(signal.SIGINT) is _stop_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _stop_at_once(number: int, frame: Any) -> None:
    os.write(2, b"Stopped.\n")
    os._exit(130)


def _watched(words: Sequence[str]) -> dict[str, Any] | None:
    """Read a plain ``clarify run -m MODEL -- PROGRAM``, whose start no library for options may hold up.

    None for every other line, be it wrong or only written otherwise: those are read in the common way.
    """
    if tuple(words[:2]) != ("clarify", "run") or "--" not in words:
        return None
    end = words.index("--")
    options, command = [*words[2:end]], [*words[end + 1 :]]
    as_json = "--json" in options
    if as_json:
        options.remove("--json")
    if not command or len(options) != 2 or options[0] not in ("-m", "--model"):
        return None
    return {"command": command, "model": options[1], "as_json": as_json}
