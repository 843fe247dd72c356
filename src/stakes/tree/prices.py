"""Prices of columns, handed to the core, and what the paths of a tree cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes.costs import PriceArrays
from stakes.tree.model import TreeModel


def core_prices(prices: PriceArrays | None) -> _core.Prices | None:
    """Prices as the core takes them; None: everything is free."""
    if prices is None:
        return None
    return _core.Prices(
        prices.resource_price, prices.later_price, prices.group, prices.start, prices.resource
    )


def path_prices(prices: PriceArrays, tree: TreeModel) -> NDArray[np.float64]:
    """What the tests on the way to each node cost together.

    Examples
    --------
    >>> from stakes.tree.words import example
    >>> path_prices(PriceArrays.plain([3.0, 2.0]), example().tree).tolist()
    [0.0, 3.0, 3.0, 3.0, 3.0, 5.0, 5.0]
    """
    price, paid = np.zeros(tree.n_nodes), [frozenset[int]()] * tree.n_nodes
    for node in np.flatnonzero(tree.feature >= 0):
        extra, after = pay(prices, int(tree.feature[node]), paid[node])
        for child in tree.children(int(node)):
            price[child], paid[child] = price[node] + extra, after
    return price


def pay(prices: PriceArrays, column: int, paid: frozenset[int]) -> tuple[float, frozenset[int]]:
    """What reading a column adds to the bill, and the resources paid for afterwards."""
    extra, after = 0.0, set(paid)
    groups = {int(prices.group[r]) for r in paid} - {-1}
    for r in prices.resource[prices.start[column] : prices.start[column + 1]].tolist():
        if r in after:
            continue
        extra += prices.later_price[r] if prices.group[r] in groups else prices.resource_price[r]
        after.add(r)
        groups |= {int(prices.group[r])} - {-1}
    return float(extra), frozenset(after)
