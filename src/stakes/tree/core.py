"""Tables and trees on their way into the compiled core and back."""

from __future__ import annotations

from stakes import _core
from stakes.table import Table
from stakes.tree.model import TreeModel


class SortedTable(Table):
    """A table whose columns the core has sorted, for every tree that is learnt from it."""

    __slots__ = ("core",)

    core: _core.Table


def core_table(table: Table) -> _core.Table:
    """Hand a table's columns to the core, without copying them."""
    if isinstance(table, SortedTable):
        return table.core
    return _core.Table(table.columns, table.schema.n_values)


def presort(table: Table) -> SortedTable:
    """Return the same columns, sorted by the core."""
    kept = SortedTable(table.schema, table.columns)
    kept.core = core_table(table)
    kept.core.presort()
    return kept


def as_model(tree: _core.Tree, n_classes: int) -> TreeModel:
    """Flat arrays of the core as a tree."""
    *links, class_weights, label = tree.arrays()
    return TreeModel(*links, class_weights.reshape(-1, n_classes), label)  # type: ignore[call-arg, arg-type]
