"""``stakes clarify train``: learn what is worth watching from labelled runs."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from stakes._cli.clarify_explain import show_model
from stakes._cli.console import out, say
from stakes._cli.shared import notes, print_json, progress_bar
from stakes._text.files import check_output, replacing


def run(
    runs: Path,
    output: Path,
    max_loss: float,
    texts: Path | None,
    trees: bool,
    lines: bool,
    merge: list[str] | None,
    purity: float,
    max_wrong: float | None,
    guard: bool,
    program: str | None,
    folds: int,
    plot: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Learn, validate and write the model, and show both."""
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
