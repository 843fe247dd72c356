"""Groups of commands that are declared in modules of their own, each imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup
from typer.main import get_command

from stakes._cli.endings import EXIT_CODES

#: How help looks, and what errors look like, in every command.
LOOKS: dict[str, Any] = {"rich_markup_mode": "markdown", "pretty_exceptions_enable": False}


class LazyGroup(TyperGroup):
    """A group whose commands are known by name alone, until one of them is used or all of them are shown."""

    modules: ClassVar[dict[str, str]]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": Declared(self.modules)})


class Declared(Mapping[str, Any]):
    """Commands by name, made of the modules that declare them."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules

    def __getitem__(self, name: str) -> Any:
        return declared(name, self._modules[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


@cache
def declared(name: str, module_name: str) -> Any:
    """Make a command of its module: of the function ``command`` there, or of the group ``app``."""
    module = import_module(f"stakes._cli.commands.{module_name}")
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(**LOOKS, add_completion=False)
        app.command(name, epilog=getattr(module, "EPILOG", EXIT_CODES))(module.command)
    command = get_command(app)
    command.name = name
    return command
