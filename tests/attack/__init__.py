"""Attacks on stakes: odd input of nine classes, each drawn from its number and judged by an oracle."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from attack.harness import Tally, run

#: The classes of attacks, each a module of this package.
CLASSES = ("api", "parameters", "readers", "lines", "saved", "exports", "writers", "disk", "signals")


def run_class(name: str, numbers: Iterable[int]) -> Tally:
    """Try the attacks of one class with these numbers."""
    return run(name, import_module(f"attack.{name}").ATTACKS, list(numbers))
