"""Data for a saved model: what the model remembers of its training fills in what the line does not say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from stakes._base.answering import own_prices
from stakes._base.groups import columns_by
from stakes._cli.console import say
from stakes._cli.shared import Problem, file_of, for_model, read_data_blocks, read_problem
from stakes.costs import FeatureCosts, as_feature_costs
from stakes.models import model_info
from stakes.table import Table, TableFileError


def read_for_model(
    model: Any,
    data: str,
    target: str | None,
    costs: Path | None,
    weights: str | None,
    accept_costs: bool,
    feature_costs: Path | None,
    drop: list[str] | None = None,
    by: list[str] | None = None,
) -> tuple[Problem, FeatureCosts | None, Table | None]:
    """Read rows with their classes, what a model costs on them, and the columns that costs are told by.

    Target, costs and prices of columns are the model's own; what is given counts instead, and a note says
    where it is not what the model was fitted with.
    """
    known = model_info(model)["target"]
    if target is not None and known not in (None, target):
        _note(f"the model was fitted to predict {known!r}, but --target names {target!r}")
    rows = _read(data, target, known, costs, weights, accept_costs, drop)
    groups = columns_by(by or None, rows.table, len(rows.table))
    problem = for_model(model, rows, costs, data)
    if costs is not None and not np.array_equal(model.cost_matrix_.values, problem.cost_matrix.values):
        _note(f"the model was fitted for other costs than those of {costs}, which count here")
    own, prices = own_prices(model), as_feature_costs(feature_costs, problem.table.schema.names)
    if own is not None and prices is not None and own.to_dict() != prices.to_dict():
        _note(f"the model was fitted for other feature costs than those of {feature_costs}, which count here")
    return problem, own if prices is None else prices, groups


def _note(text: str) -> None:
    say(f"Note: {text}.", style="yellow")


def _read(
    data: str,
    target: str | None,
    known: str | None,
    costs: Path | None,
    weights: str | None,
    accept: bool,
    drop: list[str] | None,
) -> Problem:
    """Read rows; their class is in the column that is given, that the model predicts, or by default."""
    if target is None and known is not None and file_of(data) is not None:
        with suppress(TableFileError):  # of a file that calls it otherwise, or one that is damaged
            return read_problem(data, known, costs, weights, accept, drop=drop)
    return read_problem(data, target, costs, weights, accept, drop=drop)


def blocks_for_model(model: Any, data: str) -> Iterator[Table]:
    """Read rows to be answered block by block; a column named class is no target where the model reads it."""
    names = map(str.lower, map(str, getattr(model, "feature_names_in_", ())))
    return read_data_blocks(data, False if "class" in names else None)
