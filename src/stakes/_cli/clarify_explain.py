"""``stakes clarify explain``: what a model watches, what that costs, and how far to trust it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from stakes._base.documents import load_json
from stakes._cli.console import out, say
from stakes._cli.shared import print_json
from stakes._text.words import plain

SHOWN = (
    "program",
    "interpreter",
    "versions",
    "endings",
    "expected_events",
    "purity",
    "classes",
    "texts",
    "training",
)


def run(
    model: Path,
    as_json: bool,
) -> None:
    """Show the model for people, or as JSON."""
    from stakes.forensics import ClarifyModel
    from stakes.forensics.host.model import FORMAT, VERSION

    document = load_json(model, format_name=FORMAT, version=VERSION)
    try:
        loaded = ClarifyModel.from_dict(document)
    except ValueError as error:
        raise ValueError(f"{model}: {error}") from None
    if as_json:
        shown = {key: document[key] for key in SHOWN if key in document}
        shown["features"] = [str(feature) for feature in loaded.watch.features]
        shown["guard"] = [str(feature) for feature in loaded.guard.features]
        print_json(shown)
    else:
        show_model(document)


def show_model(document: dict[str, Any]) -> None:
    """Print a model for people."""
    from stakes.forensics import ClarifyModel
    from stakes.forensics.host.names import Ending
    from stakes.forensics.run import START_MILLISECONDS

    loaded = ClarifyModel.from_dict(document)
    versions = ", ".join(document["versions"].values())
    _print(
        f"{document.get('program', 'A program')} on {document['interpreter']}"
        + (f" ({versions})" if versions else ""),
    )
    endings = " or ".join(str(Ending(*ending)) for ending in document.get("endings") or ())
    if endings:
        _print(f"Explains runs that end with {endings}.")
    events = document["expected_events"]
    _print(f"Functions watched: {len(loaded.watched.functions)}, {events:.1f} events per run on average:")
    for feature, (least, most) in zip(loaded.watch.features, document["ranges"], strict=True):
        _print(f"   {feature}  ({least} to {most} times)")
    for feature in loaded.guard.features:
        _print(f"   {feature}  (in every failure alike; else it is another failure)")
    training = document.get("training")
    if training is None:
        say("Note: this model does not say how it was trained.")
        return
    try:
        added = f"{training['nanoseconds'] / 1000:.2f} µs to a run, and {START_MILLISECONDS} ms to its start"
        _print(f"That should add {added}.")
        _show_validation(training["validation"])
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"what the model says of its training cannot be read: {error!r}") from None


def _show_validation(result: dict[str, Any]) -> None:
    _print(
        f"On unseen inputs: {result['explained']:.1%} explained correctly, {result['wrong']:.1%} wrongly, "
        f"{result['unknown']:.1%} unknown; the tree alone is right in {result['accuracy']:.1%}."
    )
    grid = Grid(title="Causes by row, what was told by column", title_justify="left")
    grid.add_column("")
    for number in range(1, len(result["classes"]) + 1):
        grid.add_column(str(number), justify="right")
    grid.add_column("unknown", justify="right")
    for number, (cause, row) in enumerate(zip(result["classes"], result["told"], strict=True), 1):
        grid.add_row(plain(f"{number} {cause}"), *(str(count) if count else "·" for count in row))
    out().print(grid)
    for left, other, share in result["pairs"]:
        _print(f"Hard to tell apart: {left} and {other}, {share:.0%} of their runs.")
        _print(f"   --merge {left}+{other} takes them as one; runs that are recorded with --lines tell more.")
    for left, other in result["twins"]:
        _print(f"The same in everything counted: some runs of {left} and of {other}.")


def _print(text: str) -> None:
    """Print a line; names in it come from outside."""
    out().print(plain(text))
