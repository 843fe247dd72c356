"""``stakes predict``: answers of a saved model for new rows."""

from __future__ import annotations

import csv
import math
import sys
import tempfile
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from stakes._cli.shared import (
    DataArgument,
    DebugOption,
    JsonOption,
    ModelArgument,
    OutputOption,
    columns_for,
    print_json,
    read_data,
    say,
)
from stakes._cli.why import explanations
from stakes._text.extras import extra_module
from stakes.models import load_model
from stakes.table import Column, Schema, Table, write_arff

Format = StrEnum("Format", ["csv", "arff", "parquet", "json"])
SUFFIXES = {".csv": "csv", ".arff": "arff", ".parquet": "parquet", ".pq": "parquet", ".json": "json"}


def command(
    model: ModelArgument,
    data: DataArgument,
    output: OutputOption = None,
    format: Annotated[
        Format | None,
        typer.Option("--format", "-f", help="By default what the name of the file says, else CSV."),
    ] = None,
    abstain_cost: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="Leave a row undecided where deciding is expected to cost more than this."
        ),
    ] = None,
    abstain: Annotated[
        bool, typer.Option("--abstain", help="Rules: leave a row undecided where no rule applies.")
    ] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Add a column that says why: the path, the rule, or columns' shares."),
    ] = False,
    with_data: Annotated[
        bool, typer.Option("--with-data", help="Repeat the data's columns in front.")
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Answer for each row of a file: the class, the probabilities, and what the answer is expected to cost.

    Columns are found by name; more columns than the model needs do no harm. An undecided row has no class.
    With `--abstain-cost` the cheapest class is answered, or none, whatever the leaf's own answer.

    For example:

    - `stakes predict model.json new.csv > answers.csv`

    - `stakes predict model.json new.arff -o answers.parquet --abstain-cost 0.3`

    - `stakes predict model.json new.csv --explain --json | jq '.[0].why'`
    """
    fitted = load_model(model)
    table, _ = read_data(data, None)
    rows = columns_for(fitted, table, data)
    columns = _answers(fitted, rows, abstain_cost, abstain)
    if explain:
        columns["why"] = explanations(fitted, rows)
    if with_data:
        columns = _data_columns(table) | columns
    chosen = _format(output, format, as_json)
    if chosen == "json":
        _write_json(columns, output)
    elif chosen == "csv":
        _write_csv(columns, output)
    else:
        _write_table(columns, output, chosen)
    if output is not None:
        say(f"Wrote {output}: {table.n_samples} rows.")


def _answers(model: Any, rows: Table, abstain_cost: float | None, abstain: bool) -> dict[str, list[Any]]:
    if abstain and first_with(model, "rule_set_") is None:
        raise typer.BadParameter("is for rules; this model answers every row.", param_hint="--abstain")
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
        else:
            columns[column.name] = [None if math.isnan(value) else value for value in values.tolist()]
    if table.y is not None and table.classes is not None:
        columns[table.target or "class"] = table.labels().tolist()
    return columns


def _format(output: Path | None, format: Format | None, as_json: bool) -> str:
    chosen = "json" if as_json else None if format is None else format.value
    if chosen is None and output is not None:
        chosen = SUFFIXES.get(output.suffix.lower())
        if chosen is None:
            raise ValueError(
                f"--output must end in one of {', '.join(SUFFIXES)}, or say --format; got {output}"
            )
    chosen = chosen or "csv"
    if output is None and chosen == "parquet":
        raise ValueError("Parquet cannot be printed; give a file with --output")
    return chosen


def _write_csv(columns: dict[str, list[Any]], output: Path | None) -> None:
    with (
        nullcontext(sys.stdout) if output is None else output.open("w", encoding="utf-8", newline="") as file
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _write_json(columns: dict[str, list[Any]], output: Path | None) -> None:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if output is None:
        print_json(rows)
    else:
        from stakes._base.documents import dumps

        output.write_text(dumps(rows) + "\n", encoding="utf-8")  # type: ignore[arg-type]


def _write_table(columns: dict[str, list[Any]], output: Path | None, format: str) -> None:
    if format == "parquet":
        table = extra_module("pyarrow", "writing Parquet", "data").table(columns)
        extra_module("pyarrow.parquet", "writing Parquet", "data").write_table(table, output)
        return
    table = _as_table(columns)
    if output is not None:
        write_arff(table, output, relation="predictions")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.arff")
        write_arff(table, path, relation="predictions")
        sys.stdout.write(path.read_text(encoding="utf-8"))


def _as_table(columns: dict[str, list[Any]]) -> Table:
    described, arrays = [], []
    for name, values in columns.items():
        if all(value is None or isinstance(value, float) for value in values):
            described.append(Column(name))
            arrays.append(np.array([np.nan if value is None else value for value in values]))
            continue
        categories = tuple(dict.fromkeys(value for value in values if value is not None))
        code = {value: i for i, value in enumerate(categories)}
        described.append(Column(name, "nominal", categories))
        arrays.append(np.array([-1 if v is None else code[v] for v in values], dtype=np.int32))
    return Table(Schema(tuple(described)), arrays)
