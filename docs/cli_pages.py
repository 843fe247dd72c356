"""Pages on the command line, made of what the commands declare: one for each command, and a list of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HEAD = """# Command line

{help}

Every command is described here as `--help` describes it. Names that stand next to each other are the same
option; those with `--no-` switch it off.

"""
#: What follows the help of a parameter: its default, its range, whether it is required.
EXTRA = re.compile(r"\s*\[((?:default: |required|x[<>]|[\d.]+<=?x).*)\]$", re.DOTALL)


def write_cli_pages(folder: Path) -> None:
    """Write ``index.md`` and a page for each command into the folder."""
    from typer.main import get_command

    from stakes._cli.app import app

    folder.mkdir(parents=True, exist_ok=True)
    root = get_command(app)
    start = root.context_class(root, info_name="stakes")
    listed, names = [], []
    for context in commands(start):
        name = context.command_path.removeprefix("stakes ").replace(" ", "-")
        (folder / f"{name}.md").write_text(command_page(context), encoding="utf-8")
        first = re.split(r"\n\n", context.command.help, maxsplit=1)[0].replace("\n", " ")
        listed.append(f"| [{context.command_path}]({name}.md) | {first} |\n")
        names.append(f"{name}\n")
    text = HEAD.format(help=root.help) + "| command | what it does |\n|---|---|\n" + "".join(listed)
    text += (
        f"\n{root.epilog}\n{''.join(parameters(start))}\n```{{toctree}}\n:hidden:\n\n{''.join(names)}```\n"
    )
    (folder / "index.md").write_text(text, encoding="utf-8")


def commands(context: Any) -> Iterator[Any]:
    """Walk over what can be called, commands of groups included, as contexts."""
    for name, command in context.command.commands.items():
        inner = command.context_class(command, info_name=name, parent=context)
        if hasattr(command, "commands"):
            yield from commands(inner)
        elif not command.hidden:
            yield inner


def command_page(context: Any) -> str:
    """Write the page of one command in Markdown."""
    usage = " ".join([context.command_path, *context.command.collect_usage_pieces(context)])
    usage = re.sub(r"\{(\w+)\}", r"\1", usage)  # an argument that must be there needs no braces
    head = f"# {context.command_path}\n\n```text\n{usage}\n```\n\n{context.command.help}\n"
    return head + "".join(parameters(context))


def parameters(context: Any) -> Iterator[str]:
    """Write what may be given, in the groups that ``--help`` has."""
    groups: dict[str, list[str]] = {}
    for parameter in context.command.params:
        record = parameter.get_help_record(context)
        if record is not None:  # else it is hidden
            usual = "Options" if parameter.param_type_name == "option" else "Arguments"
            groups.setdefault(parameter.rich_help_panel or usual, []).append(described(*record))
    for title, lines in groups.items():
        program = f"```{{program}} {context.command_path}\n```\n\n"
        yield f"\n## {title}\n\n{program}" + "\n".join(lines)


def described(names: str, help: str) -> str:
    """Write one parameter: its names, what it does, and what holds without it."""
    names = names.replace(" / ", ", ").replace(" range>", ">").replace("|", " | ")
    if not names.startswith("-"):
        names = names.split(" <")[0]  # the type of an argument says less than its name
    extra = EXTRA.search(help)
    text = re.sub(r"(?<![`\w-])--(?:[a-z][\w-]*\w|(?![\w-]))(?!`)", r"`\g<0>`", EXTRA.sub("", help))
    if extra:
        text += f" <span class='extra'>{extra[1].replace('<', '&lt;')}</span>"
    return f"````{{option}} {names}\n{text}\n````\n"
