"""Starting the command: a program that is only watched must not wait for libraries that it has no use for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any


def main() -> None:
    """Run the command; what the package installs as ``stakes``."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows its code instead of ending the program; UTF-8 itself
        # lacks the half characters that names of files may hold.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    watched = _watched(sys.argv[1:])
    if watched is None:
        from stakes._cli.app import app

        app(prog_name="stakes")
    else:
        from stakes._cli import clarify
        from stakes._cli.endings import ending_in_a_sentence

        with ending_in_a_sentence():
            clarify.run(**watched)


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
