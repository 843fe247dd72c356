"""The public names, the parameters of every estimator, and every command with its options."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

import typer.main
from sklearn.base import BaseEstimator

import stakes
from stakes.cli import app


def api() -> dict[str, Any]:
    """Collect them."""
    names = [info.name for info in pkgutil.iter_modules(stakes.__path__) if not info.name.startswith("_")]
    modules = {"stakes": stakes} | {
        f"stakes.{name}": importlib.import_module(f"stakes.{name}") for name in names
    }
    listed = {name: sorted(module.__all__) for name, module in modules.items() if hasattr(module, "__all__")}
    estimators = {
        name: {
            parameter.name: repr(parameter.default)
            for parameter in inspect.signature(value).parameters.values()
        }
        for name in stakes.__all__
        if inspect.isclass(value := getattr(stakes, name)) and issubclass(value, BaseEstimator)
    }
    return {
        "names": listed,
        "parameters": estimators,
        "commands": dict(options(typer.main.get_command(app), "stakes")),
    }


def options(command: Any, name: str) -> Any:
    """Give a command and those below it with their options and what these are by default."""
    yield (
        name,
        {
            " ".join([*parameter.opts, *parameter.secondary_opts]): repr(parameter.default)
            for parameter in command.params
        },
    )
    for child_name, child in getattr(command, "commands", {}).items():
        yield from options(child, f"{name} {child_name}")
