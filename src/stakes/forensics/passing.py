"""A command run as if nothing stood between, and what its standard error shows where that is asked for."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from io import FileIO

_PIECE = 1 << 16
#: A pipe holds this much at most, so what a program has left in it when it ends is no more.
_LEFT = 1 << 20
#: What is looked at of one line, and kept of the last.
_LINE, _MESSAGE = 4096, 200


class Shown:
    """What standard error shows, found out while it is written: nothing else of it is kept.

    Parameters
    ----------
    patterns : sequence of str
        Regular expressions that are looked for in each line, in its first 4,096 bytes.
    keep_message : bool
        Whether the last line is kept, cut to 200 characters.

    Attributes
    ----------
    matched : list of str
        The patterns that a line matched.
    message : str

    Examples
    --------
    >>> shown = Shown(["No match.* for", "denied"])
    >>> shown.see(b"ERROR: No matching distri")
    >>> shown.see(b"bution found for demo==9")
    >>> shown.end()
    >>> shown.matched, shown.message
    (['No match.* for'], '')
    """

    def __init__(self, patterns: Sequence[str] = (), keep_message: bool = False) -> None:
        self._sought = {pattern: _compiled(pattern) for pattern in patterns}
        self._keep_message, self._begun = keep_message, b""
        self.matched: list[str] = []
        self.message = ""

    def see(self, piece: bytes) -> None:
        """Look at what was written next."""
        *lines, begun = re.split(rb"[\r\n]", piece)
        for line in lines:
            self._look_at(self._begun + line)
            self._begun = b""
        self._begun = (self._begun + begun)[:_LINE]

    def end(self) -> None:
        """Look at a last line that was not ended."""
        self._look_at(self._begun)
        self._begun = b""

    def _look_at(self, line: bytes) -> None:
        text = line[:_LINE].decode(errors="replace").strip()
        if text and self._keep_message:
            self.message = text[-_MESSAGE:]
        for pattern in [pattern for pattern, sought in self._sought.items() if sought.search(text)]:
            del self._sought[pattern]
            self.matched.append(pattern)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(
            f"patterns of symptoms must be regular expressions, got {pattern!r}: {error}"
        ) from None


def passed_through(command: Sequence[str], environment: Mapping[str, str], shown: Shown | None = None) -> int:
    """Run a command as if nothing stood between; return its status once it has ended.

    All its streams are the caller's own. Where it is asked for what standard error shows, that is a pipe, and
    handed on. What the program leaves in the background is not waited for.
    """
    if shown is None or sys.stderr is None:
        with subprocess.Popen(command, env=environment) as process:
            return _wait(process)
    with ExitStack() as opened:
        source, sink, ended, end = (opened.enter_context(side) for side in (*_pipe(), *_pipe()))
        process = opened.enter_context(subprocess.Popen(command, env=environment, stderr=sink))
        sink.close()
        relay = threading.Thread(target=_relay, args=(source, ended, shown), daemon=True)
        relay.start()
        try:
            return _wait(process)
        finally:
            end.close()
            relay.join()


def _pipe() -> tuple[FileIO, FileIO]:
    source, sink = os.pipe()
    return FileIO(source, "rb"), FileIO(sink, "wb")


def _relay(source: FileIO, ended: FileIO, shown: Shown) -> None:
    """Hand on what comes until nobody writes any more; after the end of the program, what it has left."""
    ready, left = _waiting(source, ended), _LEFT
    with source:  # a program whose reader has gone learns of it as it would without us
        while left > 0:
            now = ready()
            piece = source.read(_PIECE) if source.fileno() in now else b""
            if not piece:
                break
            if ended.fileno() in now:
                left -= len(piece)
            shown.see(piece)
            if not _handed_on(piece):
                break
    shown.end()


def _waiting(*sources: FileIO) -> Callable[[], set[int]]:
    """Return what waits until something can be read, and says from which."""
    if not hasattr(select, "poll"):  # Windows cannot wait for several pipes: the first is read to its end
        return lambda: {sources[0].fileno()}
    poll = select.poll()
    for source in sources:
        poll.register(source, select.POLLIN)
    return lambda: {descriptor for descriptor, _ in poll.poll()}


def _handed_on(piece: bytes) -> bool:
    """Write to standard error; False where its reader has gone. On a full disk the rest is lost."""
    while piece:
        try:
            piece = piece[os.write(2, piece) :]
        except BrokenPipeError:
            return False
        except BlockingIOError:
            select.select([], [2], [])
        except OSError:
            break
    return True


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
