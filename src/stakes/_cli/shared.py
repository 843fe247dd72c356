"""What the work of commands shares: notes, reading data and costs, writing text."""

from __future__ import annotations

import csv
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from stakes._base.answering import first_with
from stakes._base.labels import CodedTarget
from stakes._base.saving import remember_data, remembered_currency
from stakes._base.training import TrainingSet, note_typical_rows
from stakes._cli.console import say
from stakes._cli.settings import file_or_name
from stakes._text import files
from stakes._text.money import state_by_default, with_currency
from stakes._text.words import did_you_mean, near, some, visible
from stakes.costs import CostMatrix, as_cost_matrix
from stakes.datasets import load_table
from stakes.models import load_model
from stakes.table import Schema, Table, read_blocks, read_table


def print_json(value: Any) -> None:
    """Print JSON on stdout, with the currency where one is stated; numbers that JSON has not become null."""
    typer.echo(json_text(with_currency(value) if isinstance(value, dict) else value, indent=2))


def json_text(value: Any, indent: int | None = None) -> str:
    """Write a value as JSON that a terminal prints without obeying it."""
    text = json.dumps(plain_json(value), indent=indent, ensure_ascii=False)
    return _OBEYED_IN_JSON.sub(lambda char: f"\\u{ord(char[0]):04x}", text)


#: What a terminal may obey, and JSON leaves as it is.
_OBEYED_IN_JSON = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def echo(text: str, *, err: bool = False) -> None:
    """Print a page of text; a terminal gets control characters as escapes, a pipe gets them as they are."""
    stream = sys.stderr if err else sys.stdout
    typer.echo(visible(text) if stream.isatty() else text, err=err)


def plain_json(value: Any) -> Any:
    """Values that JSON has: arrays become lists, NaN and infinity null."""
    if isinstance(value, dict):
        return {str(key): plain_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain_json(value.tolist())
    return None if isinstance(value, float) and not np.isfinite(value) else value


def write_text(text: str, output: Path | None) -> None:
    """Write to a file, or to stdout."""
    if output is None:
        echo(text.removesuffix("\n"))
    else:
        files.write_text(output, text if text.endswith("\n") else text + "\n")
        say(f"Wrote {output}.")


@contextmanager
def notes() -> Iterator[None]:
    """Turn warnings into sentences on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for text in dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught):
        say(f"Note: {text}{'' if text.endswith('.') else '.'}", style="yellow")


class RateColumn(ProgressColumn):
    """How many are done per second."""

    def render(self, task: Task) -> Text:
        """Return the rate, or nothing while it is not known yet."""
        speed = task.finished_speed or task.speed
        return Text("" if not speed else f"{speed:.3g}/s")


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar on stderr while the work goes on; nothing where stderr is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:  # a bar that is disabled prints an empty line before rich 15
        yield lambda done, total, what: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def advance(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=visible(f"{title} {what}".strip()))

        yield advance


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem(TrainingSet):
    """Data with classes and weights, what its mistakes cost, and its name."""

    name: str
    cost_matrix: CostMatrix
    keep_background: bool = False  # whether rows of it go into the model


def note_rows(model: Any, problem: Problem) -> None:
    """Tell a fitted model which rows it has learnt from, and what its explanations compare with.

    It was fitted with coded labels, as those that are fitted on a part of the rows.
    """
    remember_data(model, problem.fingerprint())
    note_typical_rows(model, model._columns().encode(problem.table), None, problem)
    if problem.keep_background:
        model.keep_background(problem.table)


def read_model(path: Path) -> Any:
    """Read a saved model; amounts are in the currency that it remembers, where the line states none."""
    model = load_model(path)
    state_by_default(remembered_currency(model))
    return model


def read_data(data: str, target: str | None) -> tuple[Table, CostMatrix | None]:
    """Read a file, or a data set by its name; with the costs that are published for it."""
    path = file_of(data)
    if path is not None:
        with notes():
            return read_table(path, target), None
    if target is not None:
        raise ValueError("--target is for files; a named data set has its class already")
    return load_table(data)


def read_data_blocks(data: str, target: Literal[False] | None = None) -> Iterator[Table]:
    """Read a file block by block, or a data set by its name as one block; False where none is a target."""
    path = file_of(data)
    if path is not None:
        yield from read_blocks(path, target)
    else:
        yield load_table(data)[0]


def file_of(data: str) -> Path | None:
    """Return the path that is meant, None where it is the name of a data set."""
    if Path(data).is_dir():
        raise ValueError(f"{data} is a folder; a file or the name of a data set is needed")
    return file_or_name(data)


def read_problem(
    data: str,
    target: str | None,
    costs: Path | None,
    weights: str | None,
    accept_costs: bool = False,
    *,
    drop: Sequence[str] | None = None,
) -> Problem:
    """Read data with its classes; rows without a class are left out, and a note says so.

    Another note tells of costs that can hardly be meant, unless these are accepted.
    """
    table, published = read_data(data, target)
    if table.y is None or table.classes is None:
        raise ValueError(
            f"{data} has no column named class; say with --target which column the classes are in, one of "
            f"{some(table.schema.names, most=20)}"
        )
    table = without_columns(take_weights(table, weights), drop)
    assert table.y is not None
    known = np.flatnonzero(table.y >= 0)
    if len(known) < table.n_samples:
        say(f"Note: {table.n_samples - len(known)} rows without a class are left out.", style="yellow")
        table = table.take(known)
    if table.n_samples == 0:
        raise ValueError(f"{data} has no row with a class")
    assert table.y is not None and table.classes is not None
    coded = CodedTarget(table.classes, table.y).met()
    with notes():
        matrix = as_cost_matrix(published if costs is None else costs, coded.classes, check=not accept_costs)
    return Problem(
        name=Path(data).name,
        table=table,
        classes=coded.classes,
        codes=coded.codes,
        weight=table.weights,
        cost_matrix=matrix,
    )


def take_weights(table: Table, column: str | None) -> Table:
    """Take a column out of the table and use it as weights."""
    if column is None:
        return table
    if column not in table.schema.names:
        known = did_you_mean(column, table.schema.names, "columns")
        raise ValueError(f"--weights names {column!r}, which is no column{known}")
    position = table.schema.names.index(column)
    if table.schema.columns[position].is_nominal:
        raise ValueError(f"--weights names {column!r}, which holds text; numbers are needed")
    rest = table.select([name for name in table.schema.names if name != column])
    weights = table.columns[position]
    if np.isnan(weights).any():
        raise ValueError(f"--weights names {column!r}, where a value is missing; every row needs a weight")
    return rest.with_target(rest.y, rest.classes, weights)


def listed_names(texts: Sequence[str] | None) -> list[str]:
    """Read names with commas between them, as often as the option stands; quotes keep a comma."""
    lines = csv.reader(texts or (), skipinitialspace=True)
    return [name.strip() for line in lines for name in line if name.strip()]


def without_columns(table: Table, dropped: Sequence[str] | None) -> Table:
    """Leave out the columns of `--drop`."""
    try:
        return table.drop(listed_names(dropped)) if dropped else table
    except ValueError as error:
        raise ValueError(f"--drop: {error}") from None


def columns_for(model: Any, table: Table, data: str) -> Table:
    """Columns of the table that the model was fitted on, by name and in its order."""
    names = tuple(getattr(model, "feature_names_in_", ()))
    if not names:
        return table
    missing = [name for name in names if name not in table.schema.names]
    if missing:
        close = near(missing[0], table.schema.names)
        hint = f"; for {missing[0]!r} it has {' or '.join(map(repr, close))}" if close else ""
        raise ValueError(
            f"{data} lacks {len(missing)} of the columns that the model was fitted on: {some(missing)}{hint}"
        )
    return table.select(list(names))


def check_predicts(model: Any) -> None:
    """Refuse a saved estimator that is no classifier."""
    if not hasattr(model, "predict"):
        raise ValueError(
            f"the model must be a classifier, got {type(model).__name__}, which predicts nothing"
        )


def for_model(model: Any, problem: Problem, costs: Path | None, data: str) -> Problem:
    """Rows as a model takes them, with its classes and, unless told otherwise, its costs."""
    check_predicts(model)
    table = columns_for(model, problem.table, data)
    # A file's class may be the number 1 where the model's is the text "1".
    known = {str(label): code for code, label in enumerate(model.classes_.tolist())}
    given = [str(label) for label in problem.classes.tolist()]
    strange = sorted(set(given) - set(known))
    if strange:
        hint = did_you_mean(strange[0], known, "model's classes")
        raise ValueError(f"{data} has classes that the model does not know: {some(strange)}{hint}")
    codes = np.array([known[label] for label in given], dtype=np.int32)[problem.codes]
    matrix = model.cost_matrix_ if costs is None else as_cost_matrix(costs, model.classes_, check=False)
    return replace(problem, table=table, classes=model.classes_, codes=codes, cost_matrix=matrix)


def write_page(write: Callable[[], Path]) -> Path | None:
    """Write a report next to other results; without what it needs a note says so and the rest stands."""
    try:
        return write()
    except ImportError as error:
        say(f"Note: {error}", style="yellow")
        return None


def describe_kinds(schema: Schema) -> str:
    """Say how many columns there are of each kind."""
    nominal = sum(column.is_nominal for column in schema.columns)
    return f"{len(schema)} columns ({len(schema) - nominal} numeric, {nominal} nominal)"


def kept_parts(model: Any) -> dict[str, Any]:
    """Name the parts of an ensemble that Ctrl-C has left; nothing of other learners, which have no parts."""
    blend = getattr(first_with(model, "blend_"), "blend_", None)
    if blend is None or blend.kept is None:
        return {}
    return {"kept": list(blend.kept), "kept_of": len(blend.weights)}


def kept_words(facts: dict[str, Any]) -> str:
    """Say which parts are left."""
    return f"kept of {facts['kept_of']} parts: {', '.join(facts['kept'])}"
