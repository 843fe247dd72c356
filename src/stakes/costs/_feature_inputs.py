"""Feature costs from whatever describes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stakes.costs._features import FeatureCosts
from stakes.costs._files import read_json
from stakes.costs._price_checks import check_names


def as_feature_costs(costs: Any, names: Iterable[str]) -> FeatureCosts | None:
    """Prices of the columns ``names``, in that order, from anything that describes them.

    Parameters
    ----------
    costs : FeatureCosts, dict, vector, pandas Series, path or None
        A dict has ``column: price``; a vector has one price per column; a Series has the names in its index,
        unless that only counts; a path is a ``.json`` or CSV file. None stays None.
    names : sequence of str
        Columns of the data.

    Examples
    --------
    >>> as_feature_costs({"age": 1, "income": 4, "unused": 9}, ["income", "age"])
    FeatureCosts({'income': 4.0, 'age': 1.0})
    """
    if costs is None:
        return None
    if isinstance(costs, str | os.PathLike):
        costs = _from_path(costs)
    elif hasattr(costs, "columns"):
        raise TypeError(
            "feature costs must not be a data frame; pass one column of it, with the names as its index"
        )
    elif hasattr(costs, "index") and hasattr(costs, "to_numpy"):
        costs = _from_series(costs)
    return (costs if isinstance(costs, FeatureCosts) else FeatureCosts(costs)).align(names)


def _from_path(path: str | os.PathLike[str]) -> FeatureCosts:
    if Path(path).suffix.lower() != ".json":
        return FeatureCosts.from_csv(path)
    data = read_json(path, object_pairs_hook=_distinct)
    try:
        if isinstance(data, Mapping) and isinstance(data.get("prices"), Mapping | list):
            return FeatureCosts.from_dict(data)
        return FeatureCosts(data)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{path}: {error}") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON object whose names differ; the reader would silently keep the last price of a repeated one."""
    check_names([name for name, _ in pairs if name], "the names of an object")
    return dict(pairs)


def _from_series(series: Any) -> FeatureCosts:
    index, values = list(series.index), series.to_numpy().tolist()
    if index == list(range(len(index))):
        return FeatureCosts(values)
    return FeatureCosts(dict(zip(check_names(index, "the index of feature costs"), values, strict=True)))
