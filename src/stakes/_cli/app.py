"""The ``stakes`` command itself: its sub-commands, and how errors leave it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from stakes._base.interrupts import early_end
from stakes._cli import (
    ask,
    clarify,
    clarify_explain,
    clarify_label,
    clarify_train,
    compare,
    demo,
    describe,
    evaluate,
    export,
    fit,
    predict,
    report,
    reproduce,
    show,
)
from stakes._cli.shared import debugging, say

EXIT_CODES = """Exit codes: 0 all went well, 1 something is wrong with the data, the costs or a model,
2 the command was called wrongly, 130 stopped by Ctrl-C."""


class StakesGroup(TyperGroup):
    """Turns what goes wrong inside a command into one sentence on stderr and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            with early_end(False):
                result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except KeyboardInterrupt:
            say("Stopped.")
            raise typer.Exit(130) from None
        except BrokenPipeError:
            # The reader, head for example, has seen enough. Python would complain again at exit.
            _silence_stdout()
            raise typer.Exit(0) from None
        except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
            if debugging(ctx):
                raise
            say(f"Error: {_sentence(error)}", style="bold red")
            raise typer.Exit(1) from None


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, MemoryError):
        return "there is not enough memory for this."
    text = " ".join(str(error).split()) or type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _silence_stdout() -> None:
    with suppress(OSError, ValueError):  # stdout is no real file, as in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


app = typer.Typer(
    cls=StakesGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"stakes {version('stakes')}")
        raise typer.Exit


@app.callback()
def stakes(
    ctx: typer.Context,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback where something goes wrong.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Decisions that cost money: say what mistakes cost, learn trees that keep the bill small, see the bill.

    Start with `stakes demo`, or with your own data: `stakes describe loans.csv --costs costs.csv`.
    """


for module in (demo, describe, fit, predict, evaluate, report, compare, reproduce, show, ask, export):
    app.command(module.__name__.rpartition(".")[2], epilog=EXIT_CODES)(module.command)
for module in (clarify_label, clarify_train, clarify_explain):
    clarify.app.command(module.__name__.rpartition("_")[2], epilog=EXIT_CODES)(module.command)
app.add_typer(clarify.app, name="clarify")


def main() -> None:
    """Run the command; what the package installs as ``stakes``."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows its code instead of ending the program; UTF-8 itself
        # lacks the half characters that names of files may hold.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="stakes")
