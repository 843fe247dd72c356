"""Options that several commands have; this imports nothing that takes time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from stakes._cli.start import work_begins
from stakes._text.money import check_currency, stating
from stakes._text.words import did_you_mean

DATA_HELP = (
    "A file (.arff, .csv, .tsv, .xlsx, .parquet, or C4.5's .names/.data/.test; .gz works) or the name of a "
    "data set such as german."
)


def perform(work: str, options: Mapping[str, Any]) -> None:
    """Import the module that does the work of a command, and hand it the options by their names.

    What a command takes is said in `stakes._cli.commands`, where nothing is imported that takes time: for
    ``--help``, a slip on the line or the next word in a shell nobody waits for scikit-learn. The currency is
    stated around the work, which writes amounts.
    """
    module, _, function = work.partition(".")
    handed = {name: value for name, value in options.items() if name not in ("debug", "currency")}
    run = getattr(import_module(f"stakes._cli.{module}"), function or "run")
    work_begins()
    with stating(options.get("currency")):
        run(**handed)


def set_debug(ctx: typer.Context, value: bool) -> bool:
    """Remember --debug, wherever on the line it stands."""
    if value:
        ctx.find_root().meta["debug"] = True
    return value


def debugging(ctx: Any) -> bool:
    """Whether --debug was given."""
    return bool(ctx.params.get("debug") or ctx.find_root().meta.get("debug"))


def accepted_currency(value: str | None) -> str | None:
    """Refuse what is no currency, wherever it is given."""
    try:
        return check_currency(value)
    except ValueError as error:
        raise typer.BadParameter(str(error).removeprefix("currency ") + ".") from None


def choice(
    name: str,
    usual: Iterable[str],
    known: Callable[[], Iterable[str]] | None,
    help: str,
    *short: str,
    panel: str | None = None,
    default: bool = True,
) -> Any:
    """Make an option with a choice of values; ``known`` has what is registered.

    Where there is a ``default``, it is the first value.
    """
    listed = list(usual)
    first, *others = listed
    shown = f"{help}: {', '.join([f'{first} (default)' if default else first, *others])}."

    def check(value: str | None) -> str | None:
        if value is not None and value not in listed:
            names = listed if known is None else list(known())
            if value not in names:
                raise typer.BadParameter(f"{value!r} is not known{did_you_mean(value, names, 'choices')}.")
        return value

    return typer.Option(
        name,
        *short,
        metavar="NAME",
        callback=check,
        autocompletion=lambda: listed,
        help=shown,
        show_default=False,
        rich_help_panel=panel,
    )


#: Headings that options of several commands stand under.
DATA, COSTS = "Data", "Costs"

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
        help="What mistakes cost: CSV or .xlsx, a line per actual, a column per predicted class; C5.0 "
        ".costs; JSON. By default what is published for a named data set, else 1.",
        rich_help_panel=COSTS,
    ),
]
AcceptCostsOption = Annotated[
    bool,
    typer.Option(
        "--accept-costs",
        help="Take costs as they are, even such as can hardly be meant.",
        rich_help_panel=COSTS,
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="Class column; by default named class.",
        rich_help_panel=DATA,
    ),
]
WeightsOption = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="COLUMN",
        help="How many rows each row stands for.",
        rich_help_panel=DATA,
    ),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COLUMN,...",
        help="Columns to leave out; repeatable.",
        rich_help_panel=DATA,
    ),
]
FeatureCostsOption = Annotated[
    Path | None,
    typer.Option(
        "--feature-costs",
        metavar="FILE",
        help="What reading columns costs: CSV or .xlsx with feature,price or feature,price,group,shared; or "
        "JSON.",
        rich_help_panel=COSTS,
    ),
]
CurrencyOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        callback=accepted_currency,
        help="What costs are in, such as EUR.",
        rich_help_panel=COSTS,
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
ByOption = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="Show the cost by this column, which the model need not use: categories, or quarters of the "
        "rows for numbers. May be repeated.",
    ),
]
OUTPUT = "Output"
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.", rich_help_panel=OUTPUT)]
DebugOption = Annotated[
    bool,
    typer.Option(
        "--debug",
        callback=set_debug,
        help="Show a traceback of errors.",
        rich_help_panel=OUTPUT,
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write there instead of to the terminal."),
]
WatchedArgument = Annotated[
    list[str], typer.Argument(help="The program and its arguments, after --.", show_default=False)
]
