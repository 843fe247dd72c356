"""``stakes predict``: answers of a saved model for new rows."""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from stakes._base.answering import first_with
from stakes._cli.answer_files import WRITERS, Block, Types
from stakes._cli.console import say
from stakes._cli.shared import columns_for, read_model
from stakes._cli.why import explanations
from stakes._cli.with_model import blocks_for_model
from stakes._text.files import check_output
from stakes._text.words import day_text, did_you_mean
from stakes.table import Table

log = logging.getLogger("stakes.cli")

SUFFIXES = {".csv": "csv", ".arff": "arff", ".parquet": "parquet", ".pq": "parquet", ".json": "json"}


def run(
    model: Path,
    data: str,
    output: Path | None,
    format: str | None,
    abstain_cost: float | None,
    abstain: bool,
    explain: bool,
    with_data: bool,
    as_json: bool,
) -> None:
    """Answer block by block."""
    chosen = _format(output, format, as_json)
    check_output(output, model, data)
    fitted = read_model(model)
    if abstain and first_with(fitted, "rule_set_") is None:
        raise typer.BadParameter("is for rules; this model answers every row.", param_hint="--abstain")
    n_rows, first, tables = 0, *_with_first(blocks_for_model(fitted, data))

    def blocks() -> Iterator[Block]:
        nonlocal n_rows
        for table in tables:
            rows = columns_for(fitted, table, data)
            columns = _answers(fitted, rows, abstain_cost, abstain)
            if explain:
                columns["why"] = explanations(fitted, rows)
            if with_data:
                columns = _in_front(_data_columns(table), columns, data)
            n_rows += len(table)
            log.info("%s: %d rows answered", data, n_rows)
            yield columns

    WRITERS[chosen](blocks(), output, _types(fitted, first))
    if output is not None:
        say(f"Wrote {output}: {n_rows} rows.")


def _with_first(tables: Iterator[Table]) -> tuple[Table, Iterator[Table]]:
    """Return the first one, and all of them."""
    first = next(tables)
    return first, chain([first], tables)


def _answers(model: Any, rows: Table, abstain_cost: float | None, abstain: bool) -> dict[str, list[Any]]:
    answers = model.answers(rows)
    if abstain_cost is None and not abstain:
        labels = answers.labels
        expected = answers.expected_cost[np.arange(len(labels)), model.cost_matrix_.codes(labels)]
    else:
        decision = answers.decide(abstain_cost)
        labels, expected = decision.labels, decision.expected_cost
    columns = {"prediction": labels.tolist()}
    for k, label in enumerate(model.classes_.tolist()):
        columns[f"p({label})"] = answers.decision_proba[:, k].tolist()
    # abstaining without a price has no expected cost
    columns["expected_cost"] = [None if math.isnan(cost) else cost for cost in expected.tolist()]
    return columns


def _data_columns(table: Table) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        if column.is_nominal:
            names = [*column.categories, None]
            columns[column.name] = [names[code] for code in values.tolist()]
        elif column.dates:
            columns[column.name] = [None if math.isnan(days) else day_text(days) for days in values.tolist()]
        else:
            columns[column.name] = [None if math.isnan(value) else value for value in values.tolist()]
    if table.y is not None and table.classes is not None:
        columns[table.target or "class"] = table.labels().tolist()
    return columns


def _in_front(columns: Block, answers: Block, data: str) -> Block:
    """Return the data's columns and the answers; neither may take the other's place."""
    both = [name for name in columns if name in answers]
    if both:
        names = ", ".join(map(repr, both))
        raise ValueError(
            f"--with-data cannot repeat the columns {names} of {data}, since answers are called so: rename "
            "them there, or leave --with-data out, as the answers come in the order of the rows"
        )
    return columns | answers


def _types(model: Any, table: Table) -> Types:
    """What every column holds, by the data's columns and the model: no block of rows says otherwise."""
    types: Types = defaultdict(lambda: float)
    for column in table.schema.columns:
        if column.is_nominal:
            values = set(map(type, column.categories))
            types[column.name] = bool if values == {bool} else str if str in values or not values else float
        elif column.dates:
            types[column.name] = str
    if table.classes is not None:
        types[table.target or "class"] = _label_type(table.classes)
    return types | {"prediction": _label_type(model.classes_), "why": str}


def _label_type(labels: NDArray[Any]) -> type:
    return {"i": int, "u": int, "f": float, "b": bool}.get(labels.dtype.kind, str)


def _format(output: Path | None, format: str | None, as_json: bool) -> str:
    chosen = "json" if as_json else format
    if chosen is None and output is not None:
        chosen = SUFFIXES.get(output.suffix.lower())
        if chosen is None:
            raise ValueError(
                f"--output must end as a format does, or say --format; got {output}"
                f"{did_you_mean(output.suffix, SUFFIXES, 'endings')}"
            )
    chosen = chosen or "csv"
    if output is None and chosen == "parquet":
        raise ValueError("Parquet cannot be printed; give a file with --output")
    return chosen
