"""What the browser needs to walk a tree: its nodes, columns, prices and costs as plain values."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from stakes._text.words import plain
from stakes.table import Column
from stakes.tree import AskedColumn, FittedTree

#: A page with more nodes than this would be slow to open.
MOST_NODES = 20_000


def walker_data(fitted: FittedTree, together: Sequence[Sequence[str]] = ()) -> dict[str, Any] | None:
    """Return a tree as the page's script takes it; None where it asks nothing or is too large for a page.

    Only columns that are tested are in it, in the order of the table; ``prices`` is None where all are free.
    ``together`` are groups of columns that are ordered together.
    """
    tree = fitted.tree
    if not 1 < tree.n_nodes <= MOST_NODES:
        return None
    used = sorted({int(feature) for feature in tree.feature if feature >= 0})
    position = {feature: i for i, feature in enumerate(used)}
    columns = [fitted.schema.columns[j] for j in used]
    names = [column.name for column in columns]
    prices = None
    if fitted.feature_costs is not None:
        arrays = fitted.feature_costs.arrays(names)
        prices = {
            "price": arrays.resource_price.tolist(),
            "later": arrays.later_price.tolist(),
            "group": arrays.group.tolist(),
            "needs": [
                arrays.resource[arrays.start[j] : arrays.start[j + 1]].tolist() for j in range(len(used))
            ],
        }
    return {
        "classes": [plain(str(label)) for label in fitted.labels],
        "columns": [_column_data(column) for column in columns],
        "together": [[names.index(name) for name in group if name in names] for group in together],
        "feature": [position.get(int(feature), -1) for feature in tree.feature],
        "threshold": tree.to_dict()["threshold"],
        "first": tree.first_child.tolist(),
        "branches": tree.n_branches.tolist(),
        "start": tree.value_start.tolist(),
        "branch": tree.value_branch.tolist(),
        "fraction": tree.fractions().tolist(),
        "values": fitted.values.tolist(),
        "shares": None if fitted.row_values is None else fitted.row_values.tolist(),
        "decision": fitted.decision.tolist(),
        "cost_values": fitted.cost_values.tolist(),
        "minCost": bool(fitted.min_cost),
        "prices": prices,
    }


def _column_data(column: Column) -> dict[str, Any]:
    asked = column if isinstance(column, AskedColumn) else AskedColumn(column.name, dates=column.dates)
    return {
        "name": plain(column.name),
        "numeric": not column.is_nominal,
        "categories": [plain(str(value)) for value in column.categories],
        "dates": column.dates,
        "ask": plain(asked.ask),
        "unit": plain(asked.unit),
        "allowed": plain(asked.allowed),
        "low": None if math.isinf(asked.low) else asked.low,
        "high": None if math.isinf(asked.high) else asked.high,
    }


def script_json(data: dict[str, Any]) -> str:
    """JSON that may stand inside a script element: nothing in it can end that element."""
    text = json.dumps(data, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
