"""Consoles: what the user asked for goes to stdout, remarks go to stderr."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from stakes._text.words import visible


class SafeConsole(Console):
    """A console that shows control characters of names and messages instead of obeying them."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Make text of a string, as for every string that is printed and every cell of a table."""
        return super().render_str(visible(text), **options)


def out() -> Console:
    """Console for what the user asked for. A pipe has no width, so tables get a generous one.

    Names come from the data: what looks like markup or an emoji's code there is printed as it stands.
    """
    width = None if sys.stdout.isatty() else 120
    return SafeConsole(width=width, markup=False, emoji=False, highlight=False)


def say(text: str, style: str = "") -> None:
    """Print a remark on stderr, one line however long, so that it can be searched for."""
    console = SafeConsole(stderr=True, markup=False, emoji=False, highlight=False, soft_wrap=True)
    console.print(text, style=style)
