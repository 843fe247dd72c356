"""Options that several commands have; this imports nothing that takes time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from stakes._cli.start import work_begins

DATA_HELP = (
    "A file (.arff, .csv, .tsv, .xlsx, .parquet, or C4.5's .names/.data/.test; .gz works) or the name of a "
    "data set such as german."
)


def perform(work: str, options: Mapping[str, Any]) -> None:
    """Import the module that does the work of a command, and hand it the options by their names.

    What a command takes is said in `stakes._cli.commands`, where nothing is imported that takes time: for
    ``--help``, a slip on the line or the next word in a shell nobody waits for scikit-learn.
    """
    module, _, function = work.partition(".")
    handed = {name: value for name, value in options.items() if name != "debug"}
    run = getattr(import_module(f"stakes._cli.{module}"), function or "run")
    work_begins()
    run(**handed)


def set_debug(ctx: typer.Context, value: bool) -> bool:
    """Remember --debug, wherever on the line it stands."""
    if value:
        ctx.find_root().meta["debug"] = True
    return value


def debugging(ctx: Any) -> bool:
    """Whether --debug was given."""
    return bool(ctx.params.get("debug") or ctx.find_root().meta.get("debug"))


def choice(name: str, usual: Iterable[str], known: Callable[[], Iterable[str]], help: str) -> Any:
    """Make an option with values that can be registered: ``known`` is asked for those that are not usual."""
    listed = list(usual)

    def check(value: str | None) -> str | None:
        if value is not None and value not in listed and value not in (names := list(known())):
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(map(repr, names))}.")
        return value

    return typer.Option(
        name, metavar=f"<{'|'.join(listed)}>", callback=check, autocompletion=lambda: listed, help=help
    )


DataArgument = Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP, show_default=False)]
ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model that `stakes fit` wrote.", show_default=False)
]
CostsOption = Annotated[
    Path | None,
    typer.Option(
        "--costs",
        "-c",
        metavar="FILE",
        help="What mistakes cost: CSV with a line per actual and a column per predicted class, C5.0 .costs, "
        "or JSON. Without it a named data set has its published costs, and else every mistake costs 1.",
    ),
]
AcceptCostsOption = Annotated[
    bool,
    typer.Option("--accept-costs", help="Take costs as they are, even such as can hardly be meant."),
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", metavar="COLUMN", help="The class column; by default the one named class."
    ),
]
WeightsOption = Annotated[
    str | None,
    typer.Option("--weights", metavar="COLUMN", help="Column that says how many rows each row stands for."),
]
FeatureCostsOption = Annotated[
    Path | None,
    typer.Option(
        "--feature-costs",
        metavar="FILE",
        help="What it costs to read the columns: CSV with feature,price or feature,price,group,shared, or "
        "JSON.",
    ),
]
QuestionsOption = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        metavar="FILE",
        help="How people are asked, a TOML file: wording, unit, allowed range, words for categories, and "
        "tests that are ordered together; see `stakes ask --help`.",
    ),
]
TreeOption = Annotated[
    bool,
    typer.Option(
        "--tree",
        help="The tree or rules themselves, also where the guard decided that a constant is cheaper.",
    ),
]
JobsOption = Annotated[int, typer.Option("--n-jobs", "-j", help="Processes; -1 for one per core.")]
ClusterOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on the workers of this Dask scheduler, tcp://host:8786."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
DebugOption = Annotated[
    bool, typer.Option("--debug", callback=set_debug, help="Show a traceback where something goes wrong.")
]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write there instead of to the terminal."),
]
WatchedArgument = Annotated[
    list[str], typer.Argument(help="The program and its arguments, after --.", show_default=False)
]
