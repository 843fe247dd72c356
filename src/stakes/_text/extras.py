"""Modules that only some functions need, and what to say where they are not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def extra_module(name: str, purpose: str, extra: str) -> Any:
    """Import a module that comes with an extra of stakes.

    Examples
    --------
    >>> extra_module("json", "a list", "data").dumps([1])
    '[1]'
    >>> extra_module("no_such.module", "a riddle", "riddles")
    Traceback (most recent call last):
    ...
    ImportError: a riddle needs no_such: pip install 'stakes[riddles]'.
    """
    package = name.partition(".")[0]
    try:
        import_module(package)
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{purpose} needs {package}: pip install 'stakes[{extra}]'.") from error
