"""Routing rows through trees that somebody may have tampered with."""

from __future__ import annotations

import copy

import numpy as np

from stakes import _core

FIELDS = ("feature", "threshold", "first_child", "n_branches", "value_start", "value_branch", "weight")


def encoded(fitted, rows):
    columns = [
        np.array(values, dtype=np.int32 if column.kind == "nominal" else np.float64)
        for column, values in zip(fitted.schema.columns, zip(*rows))
    ]
    sizes = [len(c.categories) if c.kind == "nominal" else -1 for c in fitted.schema.columns]
    return _core.Table(columns, sizes)


def route(table, arrays, values, rows):
    """Leaves and mixtures, each checked to lie where they may."""
    leaf = _core.route_leaves(table, *arrays)
    assert leaf.min() >= -1
    assert leaf.max() < len(arrays[0])
    mixture = _core.route_mixture(table, *arrays, rows, values).reshape(len(rows), -1)
    return leaf, mixture


STRANGE = [None, True, False, -1, 0, 1, 2**31, 2**63, 1e308, -0.5, "", "x", [], {}, [[]], [1, 2, 3], {"a": 1}]


def mutate(document, rng):
    """Change one thing anywhere in a document."""
    path, here = [], document
    while isinstance(here, dict | list) and here and (not path or rng.random() < 0.85):
        key = rng.choice(sorted(here)) if isinstance(here, dict) else rng.randrange(len(here))
        path.append((here, key))
        here = here[key]
    if not path:
        return
    holder, key = path[-1]
    how = rng.random()
    if how < 0.15:
        del holder[key]
    elif how < 0.25 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    elif how < 0.5 and isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
        holder[key] += rng.choice([-1, 1, 0.5, 1000, -1000])
    else:
        holder[key] = copy.deepcopy(rng.choice(STRANGE))
