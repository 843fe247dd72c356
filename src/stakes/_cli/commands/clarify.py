"""The group ``stakes clarify``."""

from __future__ import annotations

from typing import ClassVar

import typer

from stakes._cli.lazy import LOOKS, LazyGroup


class ClarifyGroup(LazyGroup):
    """Commands about failures of programs."""

    modules: ClassVar[dict[str, str]] = {
        name: f"clarify_{name}" for name in ("record", "run", "label", "train", "explain")
    }


app = typer.Typer(**LOOKS, cls=ClarifyGroup, add_completion=False, no_args_is_help=True)


@app.callback()
def clarify() -> None:
    """Watch the few functions that matter, explain why a program failed."""
