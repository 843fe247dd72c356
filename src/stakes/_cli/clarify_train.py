"""``stakes clarify train``: learn what is worth watching from labelled runs."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from stakes._cli.clarify_explain import show_model
from stakes._cli.shared import DebugOption, JsonOption, notes, out, print_json, progress_bar, say
from stakes._text.files import check_output, replacing


def command(
    runs: Annotated[Path, typer.Argument(help="Folder of labelled runs.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")] = Path(
        "model.json"
    ),
    max_loss: Annotated[
        float,
        typer.Option(
            min=0.0, max=0.99, help="Accuracy that may be lost to watch less, as a share of the runs."
        ),
    ] = 0.01,
    texts: Annotated[
        Path | None,
        typer.Option(
            "--texts", help="TOML or JSON file with what to tell users for each cause.", metavar="FILE"
        ),
    ] = None,
    trees: Annotated[bool, typer.Option(help="Count call trees, not only functions.")] = True,
    lines: Annotated[bool, typer.Option("--lines", help="Count lines too; the runs must have them.")] = False,
    merge: Annotated[
        list[str] | None, typer.Option("--merge", metavar="A+B", help="Take causes as one. May be repeated.")
    ] = None,
    purity: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of similar runs that must agree, else `unknown`.")
    ] = 0.9,
    max_wrong: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Share of unseen runs that may be explained wrongly; chooses the purity.",
            show_default=False,
        ),
    ] = None,
    guard: Annotated[
        bool,
        typer.Option(
            help="Watch the place that all recorded failures passed, and say `unknown` of failures elsewhere."
        ),
    ] = True,
    program: Annotated[str | None, typer.Option(help="How explanations name the program.")] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validations.")] = 5,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the trade-off there (SVG, PNG or PDF)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Shuffles the runs into folds.")] = 0,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Learn which few functions are worth watching, and what their counts say about the cause.

    The accuracy is measured on inputs that were not learnt from, with all choices made again without them.

    For example:

    - `stakes clarify train runs/ --max-loss 0.01 --texts causes.toml -o model.json`

    - `stakes clarify train runs/ --lines --merge no-such-version+only-pre-releases -o model.json`
    """
    from stakes._base.documents import save_json
    from stakes.forensics import Settings, read_runs, read_texts, train, validate
    from stakes.forensics.validation import report

    check_output(output, texts)
    check_output(plot, texts)
    kinds = ("functions", *(["trees"] if trees else []), *(["lines"] if lines else []))
    settings = Settings(kinds, max_loss, folds, purity, seed, guard)
    cause_texts = {} if texts is None else read_texts(texts)
    with notes():
        with progress_bar("Reading") as advance:
            recorded = read_runs(runs, lambda done, of: advance(done, of, "")).relabel(merge or ())
        if lines and not recorded.lines:
            raise ValueError(f"--lines needs runs that were recorded with --lines; those of {runs} were not")
        _check_texts(cause_texts, recorded.labels)
        trained = train(recorded, settings, texts=cause_texts, program=program)
        with progress_bar("Checking on unseen inputs") as advance:
            validation = validate(
                recorded, settings, folds=folds, advance=lambda done, of: advance(done, of, "")
            )
    if max_wrong is not None:
        settings = replace(settings, purity=validation.purity(max_wrong))
        validation = validation.at(settings.purity)
    document = report(trained, validation, settings)
    save_json(output, document)
    if plot is not None:
        _draw(trained.search, plot)
    if as_json:
        print_json(document["training"])
        return
    _show_front(document["training"])
    show_model(document)
    say(f"Wrote {output}.")


def _check_texts(texts: dict[str, str], labels: tuple[str, ...]) -> None:
    parts = {part for label in labels for part in (label, *label.split("+"))}
    unknown = sorted(set(texts) - parts)
    if unknown:
        warnings.warn(f"no run has the cause {', '.join(unknown)}, for which there is a text", stacklevel=2)


def _show_front(training: dict[str, Any]) -> None:
    grid = Grid(title="What watching costs, and what it is worth", title_justify="left")
    for title in ("gamma", "ns per run", "accuracy", ""):
        grid.add_column(title, justify="right" if title else "left")

    def show(gamma: str, point: dict[str, Any], what: str = "", style: str | None = None) -> None:
        grid.add_row(gamma, f"{point['nanoseconds']:,.0f}", f"{point['accuracy']:.3f}", what, style=style)

    for point in training["front"]:
        show("none" if point["gamma"] is None else f"{point['gamma']:.3g}", point)
    show("", training, "chosen, as deployed", "bold")
    show("C4.5", training["baseline"], "ignores prices", "dim")
    out().print(grid)


def _draw(search: Any, path: Path) -> None:
    axes = search.plot()
    axes.set_xscale("symlog")
    axes.set_xlabel("nanoseconds that watching adds to a run")
    with replacing(path) as file:
        axes.figure.savefig(file, format=path.suffix[1:] or "png")
    say(f"Wrote {path}.")
