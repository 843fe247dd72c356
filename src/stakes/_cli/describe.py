"""``stakes describe``: data and costs in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.table import Table as Grid

from stakes._cli.card import print_card
from stakes._cli.console import out, say
from stakes._cli.shared import Problem, describe_kinds, print_json, read_problem
from stakes._cli.suspects import suspicions
from stakes._text.money import heading, money
from stakes._text.words import amount, counted, day_text, number
from stakes.costs import as_feature_costs
from stakes.decision import min_cost_class, threshold

#: Columns that are shown one by one; a table of a million takes minutes to lay out.
MOST_COLUMNS = 500


def run(
    data: str,
    costs: Path | None,
    accept_costs: bool,
    target: str | None,
    drop: list[str] | None,
    weights: str | None,
    feature_costs: Path | None,
    test: str | None,
    noun: str,
    as_json: bool,
) -> None:
    """Read the data, or a saved model, and print what is to be said of it."""
    if Path(data).suffix.lower() == ".json":
        given = {"--costs": costs, "--target": target, "--weights": weights, "--test": test, "--drop": drop}
        for name, value in (given | {"--feature-costs": feature_costs}).items():
            if value:
                raise typer.BadParameter("is for data; a model has its own.", param_hint=name)
        print_card(Path(data), noun, as_json)
        return
    problem = read_problem(data, target, costs, weights, accept_costs, drop=drop)
    facts = facts_of(problem, noun, None if as_json else MOST_COLUMNS)
    prices = as_feature_costs(feature_costs, problem.table.schema.names)
    if prices is not None:
        facts |= {"feature_costs": prices.to_dict(), "price_words": prices.describe().splitlines()}
    facts["notes"] = suspicions(problem, data, test, target)
    if as_json:
        print_json(facts)
    else:
        _show(facts, noun, len(problem.table.schema))
        for sentence in facts["notes"]:
            say(f"Note: {sentence}", style="yellow")


def facts_of(problem: Problem, noun: str, most_columns: int | None = None) -> dict[str, Any]:
    """Everything that is said, as plain values; of so many columns one by one, None being all."""
    table, costs = problem.table, problem.cost_matrix
    assert costs.classes is not None
    share = problem.weight_or_ones
    if share.sum() <= 0:
        raise ValueError("the weights must not be all zero")
    counts = np.bincount(problem.codes, weights=share, minlength=len(costs))
    prior = counts / counts.sum()
    constants = prior @ costs.values
    best = int(min_cost_class(constants[None, :])[0])
    labels = costs.classes.tolist()
    pairs = list(zip(table.schema.columns, table.columns, strict=True))
    columns = [_column(*pair) for pair in pairs[:most_columns]]
    return {
        "data": problem.name,
        "rows": table.n_samples,
        "columns": columns,
        "kinds": describe_kinds(table.schema),
        "data_sha256": problem.fingerprint(),
        "missing": sum(len(values) - len(_known(column, values)) for column, values in pairs),
        "classes": [
            {"label": label, "rows": float(n), "share": float(p), "cost_as_constant": float(c)}
            for label, n, p, c in zip(labels, counts, prior, constants, strict=True)
        ],
        "costs": costs.to_dict(),
        "cost_words": costs.describe(noun).splitlines(),
        "best_constant": {
            "label": labels[best],
            "cost_per_row": float(constants[best]),
            "cost": float(constants[best] * share.sum()),
        },
        "threshold": _threshold(problem),
    }


def _known(column: Any, values: Any) -> Any:
    return values[values >= 0] if column.is_nominal else values[~np.isnan(values)]


def _column(column: Any, values: Any) -> dict[str, Any]:
    known = _known(column, values)
    facts = {"name": column.name, "kind": column.kind, "missing": len(values) - len(known)}
    if column.is_nominal:
        used = np.bincount(known)
        order = np.argsort(-used, kind="stable")
        common = [column.categories[j] for j in order if used[j] > 0]
        return facts | {"values": len(common), "common": common[:8]}
    if column.dates:
        facts["dates"] = True
    ends = (float(known.min()), float(np.median(known)), float(known.max())) if len(known) else (None,) * 3
    return facts | dict(zip(("min", "median", "max"), ends, strict=True))


def _threshold(problem: Problem) -> float | None:
    try:
        return threshold(problem.cost_matrix)
    except ValueError:
        return None


def _show(facts: dict[str, Any], noun: str, n_columns: int) -> None:
    console = out()
    missing = facts["missing"]
    cells = facts["rows"] * n_columns
    share = f" ({missing / cells:.1%})" if missing else ""
    console.print(
        f"{facts['data']}: {facts['rows']} rows, {facts['kinds']}, "
        f"{missing or 'no'} missing value{'' if missing == 1 else 's'}{share}.",
    )
    console.print()
    grid = Grid("class", title="Classes", title_justify="left", title_style="bold")
    for name in ("rows", "share", heading("cost per row if always answered")):
        grid.add_column(name, justify="right")
    best = facts["best_constant"]
    for line in facts["classes"]:
        mark = "  (cheapest)" if line["label"] == best["label"] else ""
        price = f"{amount(line['cost_as_constant'])}{mark}"
        grid.add_row(str(line["label"]), amount(line["rows"]), f"{line['share']:.1%}", price)
    console.print(grid)
    console.print("\n[bold]Costs[/bold]", markup=True)
    console.print("\n".join(facts["cost_words"]))
    if facts["threshold"] is not None:
        second = facts["classes"][1]["label"]
        console.print(
            f"It is cheaper to answer {second} from a probability of {facts['threshold']:.3g} on.",
        )
    console.print(
        f"Always answering {best['label']} costs {money(best['cost'])} in all, "
        f"{money(best['cost_per_row'])} per {noun}: a model has to beat that.",
    )
    if "price_words" in facts:
        console.print("\n[bold]Prices of the columns[/bold]", markup=True)
        console.print("\n".join(facts["price_words"]))
    console.print()
    console.print(_columns_grid(facts["columns"]))
    if n_columns > len(facts["columns"]):
        rest = counted(n_columns - len(facts["columns"]), "more column")
        console.print(f"and {rest}; --json has all of them.")


def _columns_grid(columns: list[dict[str, Any]]) -> Grid:
    grid = Grid("column", "kind", title="Columns", title_justify="left", title_style="bold")
    grid.add_column("missing", justify="right")
    grid.add_column("values", overflow="fold")
    for column in columns:
        if column["kind"] == "nominal":
            more = ", ..." if column["values"] > len(column["common"]) else ""
            values = f"{column['values']}: {', '.join(map(str, column['common']))}{more}"
        elif column["min"] is None:
            values = "none"
        else:
            write = day_text if column.get("dates") else number
            values = f"{write(column['min'])} to {write(column['max'])}, median {write(column['median'])}"
        grid.add_row(
            column["name"],
            "dates" if column.get("dates") else column["kind"],
            str(column["missing"] or ""),
            values,
        )
    return grid
