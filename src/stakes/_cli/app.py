"""The ``stakes`` command itself: its sub-commands, and how errors leave it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import typer

from stakes._cli.endings import EXIT_CODES, ending_in_a_sentence
from stakes._cli.lazy import LOOKS, LazyGroup
from stakes._cli.options import debugging

NAMES = (
    *("demo", "describe", "fit", "predict", "evaluate", "report", "compare", "reproduce", "show", "ask"),
    *("export", "clarify"),
)


class StakesGroup(LazyGroup):
    """Turns what goes wrong inside a command into one sentence on stderr and an exit code."""

    modules: ClassVar[dict[str, str]] = {name: name for name in NAMES}

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with ending_in_a_sentence(lambda: debugging(ctx)):
            return super().invoke(ctx)


app = typer.Typer(
    **LOOKS,
    cls=StakesGroup,
    no_args_is_help=True,
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
