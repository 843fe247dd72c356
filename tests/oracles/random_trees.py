"""Random fitted trees and rows: numeric, nominal and grouped tests, empty leaves, unmapped categories."""

from __future__ import annotations

import numpy as np

from stakes.table import Column, Schema
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel

NASTY = [
    "a",
    "it's",
    'say "hi"',
    "back\\slash",
    "x*/y",
    "??/",
    "né",
    "<&>",
    "two\nlines",
    "",
    "%d",
    "NULL",
    "b",
    "c",
]


def random_schema(rng, n_columns=5):
    columns = []
    for j in range(n_columns):
        name = f"c{j}" if rng.random() < 0.5 else f"{NASTY[rng.integers(len(NASTY))]} {j}"
        if rng.random() < 0.5:
            columns.append(Column(name))
            continue
        n_values = int(rng.integers(1, 8))
        kind = rng.integers(4)
        if kind == 0:
            values = tuple(range(3, 3 + n_values))
        elif kind == 1:
            values = tuple(0.5 + i / 3 for i in range(n_values))
        elif kind == 2 and n_values >= 2:
            values = (False, True)
        else:
            values = tuple(rng.permutation(NASTY)[:n_values].tolist())
        columns.append(Column(name, "nominal", values))
    return Schema(tuple(columns))


def random_tree(rng, schema, n_classes, max_nodes=31, shape="bushy"):
    """Grow at random; weights of children add up to their parent's, some children are empty.

    A "chain" grows at its last branch only, and most values lead there, so that rows end at all depths.
    """
    feature, threshold, first, n_branches = [-1], [np.nan], [-1], [0]
    weights = [rng.integers(0 if shape == "bushy" else 5, 20, n_classes).astype(float)]
    tables: list[list[int]] = [[]]
    node = 0
    while node < len(feature) and len(feature) < max_nodes:
        chain = shape == "chain"
        if node == 0 or (node == len(feature) - 1 if chain else rng.random() < 0.6):
            j = int(rng.integers(len(schema.columns)))
            column = schema.columns[j]
            if column.kind == "numeric":
                branches = 2
                cut = float(rng.choice([rng.normal(), rng.integers(-2, 3), rng.normal() * 1e-9]))
                threshold[node] = node / 8 + rng.random() / 16 if chain else cut
            else:
                n_values = len(column.categories)
                branches = max(2, n_values if rng.random() < 0.5 else int(rng.integers(2, 4)))
                tables[node] = rng.integers(-1 if rng.random() < 0.3 else 0, branches, n_values).tolist()
                if chain:
                    tables[node] = [b if rng.random() < 0.02 else branches - 1 for b in tables[node]]
            feature[node], first[node], n_branches[node] = j, len(feature), branches
            shares = rng.dirichlet(np.ones(branches), n_classes).T * (rng.random((branches, 1)) < 0.8)
            if rng.random() < 0.5:
                shares = np.round(shares * 4) / 4
            if chain:
                shares = np.vstack([shares[:-1] / 8, np.ones(n_classes)])
            for b in range(branches):
                feature.append(-1), threshold.append(np.nan), first.append(-1), n_branches.append(0)
                tables.append([])
                weights.append(weights[node] * shares[b])
        node += 1
    array = np.array(weights)
    return TreeModel(
        feature=np.array(feature, dtype=np.int32),
        threshold=np.array(threshold),
        first_child=np.array(first, dtype=np.int32),
        n_branches=np.array(n_branches, dtype=np.int32),
        value_start=np.cumsum([0, *map(len, tables)]).astype(np.int32),
        value_branch=np.array([b for table in tables for b in table], dtype=np.int32),
        class_weights=array,
        label=array.argmax(axis=1).astype(np.int32),
    )


def random_fitted(seed, max_nodes=31, shape="bushy", n_classes=None):
    rng = np.random.default_rng(seed)
    schema = random_schema(rng)
    n_classes = n_classes or int(rng.integers(1, 5))
    tree = random_tree(rng, schema, n_classes, max_nodes, shape)
    smoothing = rng.choice([0.0, 1.0])
    values = np.full((tree.n_nodes, n_classes), 1 / n_classes)
    parent = tree.parent
    for node in range(tree.n_nodes):
        weights = tree.class_weights[node] + smoothing
        if tree.class_weights[node].sum() > 0:
            values[node] = weights / weights.sum()
        elif node:
            values[node] = values[parent[node]]
    classes = [
        np.array(NASTY[:n_classes]),
        np.arange(10, 10 + n_classes),
        np.arange(n_classes) + 0.5,
        np.array([False, True][:n_classes])
        if n_classes <= 2
        else np.array(list("wxyz")[:n_classes], dtype=object),
    ][rng.integers(4)]
    costs = None if rng.random() < 0.3 else rng.integers(0, 6, (n_classes, n_classes)).astype(float)
    fitted = FittedTree(tree, schema, classes, values, tree.label, costs, bool(rng.random() < 0.5))
    decision = fitted.choose(values)
    return FittedTree(tree, schema, classes, values, decision, costs, fitted.min_cost)


def random_rows(seed, fitted, n_rows=40):
    """Encoded rows: numbers on both sides of and exactly at thresholds, codes, missing values."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n_rows):
        row = []
        for j, column in enumerate(fitted.schema.columns):
            missing = rng.random() < 0.25
            if column.kind == "nominal":
                row.append(int(rng.integers(max(1, len(column.categories)))) if not missing else -1)
            elif missing:
                row.append(float("nan"))
            else:
                met = fitted.tree.threshold[fitted.tree.feature == j]
                pool = [rng.normal(), *met, *np.nextafter(met, np.inf), *np.nextafter(met, -np.inf)]
                row.append(float(rng.choice(pool)))
        rows.append(row)
    return rows


def raw_row(seed, fitted, row):
    """Turn codes into values; a missing nominal one becomes None or a value never seen."""
    rng = np.random.default_rng(seed)
    raw = []
    for column, value in zip(fitted.schema.columns, row):
        if column.kind == "numeric":
            raw.append(None if value != value else value)
        elif value < 0:
            unseen = "never seen" if column.categories and isinstance(column.categories[0], str) else 99
            raw.append(unseen if rng.random() < 0.5 else None)
        else:
            raw.append(column.categories[value])
    return raw
