"""Growing from bins: where they end, and that a value counts as the end of its bin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.c45 import Data, Options
from oracles.c45_ties import as_nodes, same_tree
from oracles.tables import core_grow, core_model, seeded_table


def bin_ends(values, n_bins):
    """Values at equal steps through the sorted ones; every value where there are no more than bins."""
    known = sorted(v for v in values if v is not None)
    if len(set(known)) <= n_bins:
        return sorted(set(known))
    return sorted({known[min(len(known) - 1, b * len(known) // n_bins)] for b in range(1, n_bins + 1)})


def ends_of_bins(data, n_bins):
    """The table with the ends of bins for its numbers; rows of no weight are not there."""
    present = [i for i, _ in data.rows()]
    columns = [[column[i] for i in present] for column in data.columns]
    for f, n in enumerate(data.n_values):
        if n is None:
            ends = bin_ends(columns[f], n_bins)
            columns[f] = [None if v is None else min(e for e in ends if e >= v) for v in columns[f]]
    weights = None if data.weights is None else [data.weights[i] for i in present]
    return Data(columns, data.n_values, [data.classes[i] for i in present], data.n_classes, weights)


def nodes(data, how, max_bins):
    return as_nodes(core_model(core_grow(data, how, max_bins=max_bins), data))


@settings(max_examples=settings().max_examples // 3)
@given(st.integers(0, 10**6), st.sampled_from([2, 3, 7, 20]), st.sampled_from(["gain_ratio", "gain", "gini"]))
def test_a_value_counts_as_the_end_of_its_bin(seed, max_bins, criterion):
    data, how = seeded_table(seed, 60), Options(criterion=criterion)
    assert same_tree(nodes(data, how, max_bins), nodes(ends_of_bins(data, max_bins), how, 255))


def test_bins_of_equal_size():
    values = [float(v) for v in (5, 1, 9, 2, 7, 3, 8, 4, 6, 0)]
    assert bin_ends(values, 4) == [2.0, 5.0, 7.0, 9.0]
    data = Data([values], [None], [int(v > 5) for v in values], 2)
    assert nodes(data, Options(), 4).split.threshold == 5.0


@pytest.mark.parametrize(("n_rows", "n_nodes"), [(399_999, 3), (400_000, 1)])
def test_bins_of_very_many_rows_are_found_on_a_part_of_them(n_rows, n_nodes):
    """From 400 000 rows on every second row is looked at; larger values belong to the last bin."""
    odd = np.arange(n_rows) % 2
    data = Data([odd.astype(float)], [None], odd, 2)
    assert core_model(core_grow(data, Options(), max_bins=16), data).n_nodes == n_nodes


@pytest.mark.parametrize("n_values", [255, 256])
def test_a_nominal_column_beside_bins_may_have_many_values(n_values):
    """Their codes take one byte or two, and the highest one means missing."""
    rng = np.random.default_rng(0)
    values = [None, *range(n_values)] * 4
    data = Data([values], [n_values], rng.integers(0, 2, len(values)).tolist(), 2)
    assert same_tree(nodes(data, Options(), 16), nodes(data, Options(), 0))
