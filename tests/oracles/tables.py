"""Tables that are hard on a tree learner, small ones drawn by Hypothesis and larger ones by a seed."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from oracles.c45 import Data, Options
from stakes import _core
from stakes.tree.core import as_model

#: Values that lie closer than, at, and just beyond the gap that a cut needs, and both zeros.
CLOSE = [0.0, -0.0, 1e-6, 1e-5, 2e-5, 1.1e-5, 1.0, 1.00001, 1.00002, 1.0 + 1e-12]
TINY_UNITS = [0.0, 1e-9, 2e-9, 3e-9, 5e-324]
HUGE = [-1.7e308, -1.6e308, -1e308, 0.0, 1e308, 1.7e308]
WEIGHTS = [0.0, 0.25, 0.5, 1.0, 1.0, 1.5, 2.0, 3.0, 1 / 3, 10.0]


@st.composite
def columns(draw, n_rows, earlier):
    """One column: values and number of categories, None where it is numeric."""
    kind = draw(
        st.sampled_from(["few", "close", "wide", "tiny", "huge", "constant", "copy", "nominal", "many"])
    )
    if kind == "copy" and earlier:
        return draw(st.sampled_from(earlier))
    missing = [None] if draw(st.booleans()) else []
    if kind in ("nominal", "many", "copy"):
        n_values = draw(st.integers(1, 4)) if kind == "nominal" else draw(st.integers(5, 9))
        used = draw(st.integers(1, n_values))  # the others are declared and never occur
        pool = list(range(used)) + missing
        return draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows)), n_values
    pools = {"few": [0.0, 1.0, 2.0], "close": CLOSE, "tiny": TINY_UNITS, "huge": HUGE, "constant": [7.0]}
    if kind == "wide":
        values = st.integers(-50, 50).map(lambda k: k / 4) | st.sampled_from(missing or [0.5])
    else:
        values = st.sampled_from(pools[kind] + missing)
    return draw(st.lists(values, min_size=n_rows, max_size=n_rows)), None


@st.composite
def tables(draw, max_rows=24):
    n_rows = draw(st.integers(1, max_rows))
    found: list = []
    for _ in range(draw(st.integers(1, 4))):
        found.append(draw(columns(n_rows, found)))
    n_classes = draw(st.sampled_from([1, 2, 2, 3, 5, 40]))
    classes = draw(st.lists(st.integers(0, min(n_classes, 4) - 1), min_size=n_rows, max_size=n_rows))
    weights = None
    if draw(st.booleans()):
        pool = draw(st.sampled_from([WEIGHTS, [0.0, 1.0, 2.0], [1.0], [0.1, 0.7]]))
        weights = draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows))
        weights[0] = weights[0] or 1.0
    return Data([c for c, _ in found], [n for _, n in found], classes, n_classes, weights)


def options(**fixed):
    choices = {
        "dialect": st.sampled_from(["c45", "j48"]),
        "criterion": st.sampled_from(["gain_ratio", "gain", "gini"]),
        "min_samples_leaf": st.sampled_from([1.0, 2.0, 2.0, 0.5, 3.0, 1.3]),
        "group_values": st.booleans(),
        "max_depth": st.sampled_from([None, None, 0, 1, 3]),
        "max_leaf_nodes": st.sampled_from([None, None, 1, 2, 3, 5, 8]),
        "min_gain": st.sampled_from([0.0, 0.0, 0.05]),
        "collapse": st.just(False),
    }
    return st.builds(Options, **(choices | {name: st.just(value) for name, value in fixed.items()}))


def seeded_table(seed, n_rows=120):
    """A larger table whose classes follow from its columns, with noise: deep trees, and subtrees to raise."""
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 5))
    score = np.zeros(n_rows)
    found, n_values = [], []
    share_missing = rng.choice([0.0, 0.0, 0.1, 0.3])
    for _ in range(int(rng.integers(2, 6))):
        if rng.random() < 0.5:
            n = int(rng.integers(2, 7))
            codes = rng.integers(0, n, n_rows)
            score += rng.normal(size=n)[codes]
            column: list = codes.tolist()
            n_values.append(n + int(rng.integers(0, 2)))
        else:
            numbers = rng.normal(size=n_rows).round(int(rng.integers(0, 4)))
            score += rng.choice([-1, 0, 1]) * numbers
            column = numbers.tolist()
            n_values.append(None)
        found.append([None if rng.random() < share_missing else value for value in column])
    classes = np.digitize(
        score + rng.normal(size=n_rows) * 0.7, np.quantile(score, np.arange(1, n_classes) / n_classes)
    )
    weights = None
    if rng.random() < 0.5:
        kinds = [rng.integers(0, 4, n_rows), rng.random(n_rows) * 3, np.array([1.0, 2.5, 0.5, 3.0])[classes]]
        weights = kinds[rng.integers(3)].astype(float).tolist()
        weights[0] = weights[0] or 1.0
    return Data(found, n_values, classes.tolist(), n_classes, weights)


# ---- the same for the core ---------------------------------------------------------------------------------


def core_table(data):
    """Columns as the core takes them."""
    arrays = [
        np.array([np.nan if v is None else v for v in column])
        if n is None
        else np.array([-1 if v is None else v for v in column], dtype=np.int32)
        for column, n in zip(data.columns, data.n_values)
    ]
    return _core.Table(arrays, [-1 if n is None else n for n in data.n_values])


def core_classes(data):
    return np.array(data.classes, dtype=np.int32)


def core_weights(data):
    return None if data.weights is None else np.array(data.weights, dtype=np.float64)


def core_grow(data, options, max_bins=0, n_threads=1):
    """Grow a tree in the core; it can still be pruned."""
    return _core.grow_tree(
        core_table(data),
        core_classes(data),
        data.n_classes,
        core_weights(data),
        _core.GrowOptions(
            criterion=options.criterion,
            dialect=options.dialect,
            min_samples_leaf=options.min_samples_leaf,
            group_values=options.group_values,
            max_depth=-1 if options.max_depth is None else options.max_depth,
            max_leaf_nodes=options.max_leaf_nodes or 0,
            min_gain=options.min_gain,
            max_bins=max_bins,
            collapse=options.collapse,
            n_threads=n_threads,
        ),
    )


def core_model(tree, data):
    return as_model(tree, data.n_classes)
