"""Groups of commands that are declared in modules of their own, each imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from stakes._cli.endings import EXIT_CODES
from stakes._text.words import did_you_mean

#: How help looks, and what errors look like, in every command.
LOOKS: dict[str, Any] = {"rich_markup_mode": "markdown", "pretty_exceptions_enable": False}


class KnownOptions:
    """For commands: an unknown option is answered with the near ones first."""

    get_params: Callable[[Any], list[Any]]

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Read the options."""
        try:
            return super().parse_args(ctx, args)  # type: ignore[misc]
        except Exception as error:  # typer has no public name for it
            self._name_near_ones(ctx, error)
            raise

    def _name_near_ones(self, ctx: Any, error: Any) -> None:
        """Rewrite the message about an unknown option, which names nothing but near ones in any order."""
        if hasattr(error, "possibilities"):
            known = [name for each in self.get_params(ctx) for name in (*each.opts, *each.secondary_opts)]
            options = [name for name in known if name.startswith("--")]
            hint = did_you_mean(error.option_name, options, "options", most=8)
            error.message, error.possibilities = f"No such option: {error.option_name}{hint}.", None


class Command(KnownOptions, TyperCommand):
    """A command of its own."""


class LazyGroup(KnownOptions, TyperGroup):
    """A group whose commands are known by name alone, until one of them is used or all of them are shown."""

    modules: ClassVar[dict[str, str]]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": Declared(self.modules)})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is named first; of another name the near ones are said."""
        name = args[0]
        if name not in self.modules and not name.startswith("-"):
            ctx.fail(f"No such command {name!r}{did_you_mean(name, self.modules, 'commands')}.")
        return super().resolve_command(ctx, args)


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
        app.command(name, cls=Command, epilog=getattr(module, "EPILOG", EXIT_CODES))(module.command)
    command = get_command(app)
    command.name = name
    return command
