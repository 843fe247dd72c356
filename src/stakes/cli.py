"""The ``stakes`` command: describe, fit, predict, evaluate, show and export from a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stakes._cli import main

if TYPE_CHECKING:
    from stakes._cli.app import app

__all__ = ["app", "main"]


def __getattr__(name: str) -> Any:
    if name == "app":
        from stakes._cli.app import app  # imports Typer, which a program that is only watched has no use for

        return app
    raise AttributeError(f"module 'stakes.cli' has no attribute {name!r}")


if __name__ == "__main__":
    main()
