"""Files of options for `stakes fit --config` and `--save-config`; this imports nothing that takes time.

A file is TOML: a key for each option by its name on the line, ``data`` for the argument, a table ``set``.
Relative paths in it are relative to its folder, so that it can be kept with the data and used from anywhere.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from stakes._text.words import did_you_mean

#: Parameters that are not part of what is kept.
NOT_KEPT = ("help", "config", "save_config", "debug")
#: Parameters that are paths; DATA may be the name of a data set instead.
PATHS = ("costs", "feature_costs", "output")


def read(ctx: typer.Context, path: Path | None) -> Path | None:
    """Take the options of a file for defaults; those on the line win."""
    if path is not None and not ctx.resilient_parsing:
        try:
            given = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise typer.BadParameter(f"{path}: {error.strerror}.") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise typer.BadParameter(f"{path} is not TOML: {error}.") from None
        params = dict(_keys(ctx.command))
        ctx.default_map = {
            params[name].name: _default(params[name], key, value, path)
            for key, value in given.items()
            for name in [_known(key, params, path)]
        }
    return path


def file_or_name(data: str) -> Path | None:
    """Return the path that is meant by DATA, None where it is the name of a data set."""
    path = Path(data)
    return path if path.exists() or path.suffix or len(path.parts) > 1 else None


def kept(ctx: typer.Context, folder: Path, set_: Mapping[str, Any]) -> str:
    """Write the options that were given, on the line or in a file, as a file in a folder."""
    lines = []
    for key, param in _keys(ctx.command):
        source, value = ctx.get_parameter_source(param.name), ctx.params[param.name]
        if param.name != "set_" and source is not None and source.name != "DEFAULT":
            lines.append(f"{key} = {_toml(_from_folder(param.name, value, folder))}")
    if set_:
        lines += ["", "[set]", *(f"{name} = {_toml(value)}" for name, value in set_.items())]
    return "\n".join(lines) + "\n"


def parsed_pairs(pairs: list[str] | None) -> dict[str, Any]:
    """Read NAME=VALUE, where a value is written as in TOML or JSON, or is text."""
    values = {}
    for pair in pairs or []:
        name, sign, text = pair.partition("=")
        if not sign or not name.strip():
            raise typer.BadParameter(f"must be NAME=VALUE, got {pair!r}.", param_hint="--set")
        values[name.strip().replace("-", "_")] = _parsed(text.strip())
    return values


def _parsed(text: str) -> Any:
    try:
        document = tomllib.loads(f"value = {text}")
        if list(document) == ["value"]:
            return document["value"]
    except tomllib.TOMLDecodeError:
        pass
    try:
        return json.loads(text)
    except ValueError:
        return text


def _keys(command: Any) -> Iterator[tuple[str, Any]]:
    """Parameters by what they are called in a file."""
    for param in command.params:
        if param.name not in NOT_KEPT:
            is_option = param.param_type_name == "option"
            yield max(param.opts, key=len).lstrip("-") if is_option else param.name, param


def _known(key: str, params: Mapping[str, Any], path: Path) -> str:
    name = key.replace("_", "-")
    if name not in params:
        raise typer.BadParameter(
            f"{path} has {key!r}, which is no option{did_you_mean(key, params, 'options')}."
        )
    return name


def _default(param: Any, key: str, value: Any, path: Path) -> Any:
    """Return a value of a file as it would stand on the line."""
    if param.name == "set_":
        if isinstance(value, dict):
            return [f"{name}={_toml(item)}" for name, item in value.items()]
        raise typer.BadParameter(f"{path}: set must be a table of names and values, got {value!r}.")
    flag = getattr(param, "is_flag", False)
    values = value if param.multiple and isinstance(value, list) else [value]
    if flag != isinstance(value, bool) or any(isinstance(item, list | dict) for item in values):
        wanted = "true or false" if flag else "a text or a number" + param.multiple * ", or a list of them"
        raise typer.BadParameter(f"{path}: {key} must be {wanted}, got {value!r}.")
    if flag:
        return value
    texts = [_to_folder(param.name, str(item), path.parent) for item in values]
    return texts if param.multiple else texts[0]


def _to_folder(name: str, text: str, folder: Path) -> str:
    """Return a path of a file in a folder as it is meant here."""
    inside = folder / text
    is_path = name in PATHS or (name == "data" and (inside.exists() or file_or_name(text) is not None))
    return str(inside) if is_path else text


def _from_folder(name: str, value: Any, folder: Path) -> Any:
    """Return a path as a file in a folder names it; one on another drive stays whole."""
    is_path = name in PATHS or (name == "data" and file_or_name(value) is not None)
    if not is_path:
        return value
    if Path(value).is_absolute():
        return str(value)
    try:
        return Path(os.path.relpath(value, folder)).as_posix()
    except ValueError:
        return str(Path(value).resolve())


def _toml(value: Any) -> str:
    """Write a value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps("none" if value is None else str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
