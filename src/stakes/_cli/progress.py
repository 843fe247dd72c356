"""How far a fit is, on stderr: a bar on a terminal, and lines elsewhere where these are asked for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from stakes._base.progress import Watcher
from stakes._cli.console import say
from stakes._text.words import visible

#: Seconds after which another line is due.
PAUSE = 10.0


@dataclass
class Course:
    """How far a fit is, and when it will be done if the rest goes on like this."""

    started: float = field(default_factory=time.monotonic)
    share: float = 0.0
    what: str = "learning"

    def take(self, share: float, what: str) -> None:
        """Take what a learner tells."""
        self.share, self.what = share, what or self.what

    @property
    def left(self) -> str:
        """Time left in words; nothing as long as little is known."""
        gone = time.monotonic() - self.started
        if self.share < 0.01 or gone < 1.0 or self.share >= 1.0:
            return ""
        return f", about {duration(gone * (1 - self.share) / self.share)} left"

    def __str__(self) -> str:
        return f"{self.what}: {self.share:.0%}{self.left}"


def duration(seconds: float) -> str:
    """Write a time for people.

    Examples
    --------
    >>> [duration(seconds) for seconds in (0.2, 59, 61, 4000, 7200)]
    ['1 s', '59 s', '1 min 1 s', '1 h 7 min', '2 h 0 min']
    """
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min"


@contextmanager
def watching(*, shown: bool, always: bool) -> Iterator[Watcher]:
    """Show how far a fit is and how long it takes: a bar on a terminal, lines elsewhere where ``always``."""
    console = Console(stderr=True)
    if shown and console.is_terminal:
        with _fit_bar(console) as watcher:
            yield watcher
    elif shown and always:
        yield _lines()
    else:
        yield lambda share, what: None


@contextmanager
def _fit_bar(console: Console) -> Iterator[Watcher]:
    course = Course()
    with Progress(TextColumn("{task.description}"), BarColumn(), console=console, transient=True) as bar:
        task = bar.add_task("", total=1.0)

        def watcher(share: float, what: str) -> None:
            course.take(share, what)
            bar.update(task, completed=course.share, description=visible(str(course)))

        yield watcher


def _lines() -> Watcher:
    course, last, part = Course(), time.monotonic(), ""

    def watcher(share: float, what: str) -> None:
        nonlocal last, part
        course.take(share, what)
        if course.what != part or time.monotonic() - last >= PAUSE:
            last, part = time.monotonic(), course.what
            say(str(course))

    return watcher
