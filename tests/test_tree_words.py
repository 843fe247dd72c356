"""Text, Graphviz, drawings, explanations and the table of leaves."""

from __future__ import annotations

import shutil
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest

from oracles.random_trees import random_fitted, random_rows
from oracles.router import leaves_reached, predict_code, probabilities
from stakes.export.dot import export_dot
from stakes.export.svg import BOX_WIDTH, _layout, draw_svg
from stakes.export.text import export_text
from stakes.table import Column, Schema
from stakes.tree.explain import explain
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel
from stakes.tree.words import categories_met, example, leaf_table, path_ranges

SEEDS = range(25)


def columns_of(fitted, rows):
    return [
        np.array([row[j] for row in rows], dtype=np.float64 if column.kind == "numeric" else np.int32)
        for j, column in enumerate(fitted.schema.columns)
    ]


def tricky():
    """The example with names that are markup in one format or another."""
    base = example()
    columns = (Column('a"b\\N <i>&amp;\n]]>'), Column("h" * 200, "nominal", ('"', "<b>", "\\")))
    classes = np.array(["--> <script>", 'q"\\n'])
    return FittedTree(base.tree, Schema(columns), classes, base.values, base.decision, base.costs, True)


@pytest.mark.parametrize("seed", SEEDS)
def test_text_has_a_line_per_branch(seed):
    fitted = random_fitted(seed)
    lines = export_text(fitted).splitlines()
    assert len(lines) == fitted.tree.n_nodes - 1 + 2
    assert lines[-1].startswith(f"{len(fitted.tree.leaves)} lea")
    assert max(line.count("|   ") for line in lines) <= fitted.tree.depth.max()
    short = export_text(fitted, max_depth=1).splitlines()
    assert len(short) == int(fitted.tree.n_branches[0]) + 2


def test_text_of_a_single_leaf():
    fitted = random_fitted(3, 1)
    assert export_text(fitted).splitlines()[-1].startswith("1 leaf, 1 node")


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "2"])
def test_bad_depths_are_refused(value):
    for function in (export_text, export_dot, draw_svg):
        with pytest.raises(ValueError, match="max_depth must be None or a whole number from 1"):
            function(example(), max_depth=value)


@pytest.mark.parametrize("seed", SEEDS)
def test_leaf_table_adds_up(seed):
    fitted = random_fitted(seed)
    leaves = leaf_table(fitted)
    assert sum(leaf.cost for leaf in leaves) == pytest.approx(fitted.node_costs()[fitted.tree.leaves].sum())
    assert sum(leaf.share for leaf in leaves) == pytest.approx(1 if any(leaf.cost for leaf in leaves) else 0)
    for leaf in leaves:
        assert len(leaf.conditions) == len(path_ranges(fitted, leaf.node, fitted.tree.parent))
        k = fitted.labels.index(leaf.label)
        expected = sum(
            fitted.values[leaf.node, j] * fitted.cost_values[j, k] for j in range(fitted.n_classes)
        )
        assert leaf.expected_cost == pytest.approx(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_merged_conditions_hold_for_exactly_the_rows_that_arrive(seed):
    fitted = random_fitted(seed)
    parent = fitted.tree.parent
    for row in random_rows(seed, fitted):
        if any(value != value or value == -1 for value in row):
            continue
        reached = leaves_reached(fitted.tree, row)
        for leaf in fitted.tree.leaves:
            holds = all(
                kept.low < row[j] <= kept.high if kept.codes is None else row[j] in kept.codes
                for j, kept in path_ranges(fitted, leaf, parent).items()
            )
            assert holds == (reached == [(1.0, leaf)])


@pytest.mark.parametrize("seed", SEEDS)
def test_explanations_agree_with_the_router(seed):
    fitted = random_fitted(seed)
    rows = random_rows(seed, fitted)
    for row, why in zip(rows, explain(fitted, columns_of(fitted, rows))):
        assert why.label == fitted.labels[predict_code(fitted, row)]
        assert list(why.probabilities) == pytest.approx(probabilities(fitted, row))
        reached = {node for weight, node in leaves_reached(fitted.tree, row) if weight > 0}
        assert set(why.nodes) == reached
        assert len(why.parts) == (len(reached) if len(reached) > 1 else 0)
        assert "would cost" in str(why)
        assert "\n" not in str(why)


def test_explanations_do_not_round_a_contradiction():
    fitted = example()
    rows = [np.array([np.nextafter(24.0, 25)]), np.array([0], dtype=np.int32)]
    assert "income 24.000000000000004 > 24.0" in str(explain(fitted, rows)[0])
    with pytest.raises(ValueError, match="columns must be the 2 columns"):
        explain(fitted, rows[:1])


@pytest.mark.parametrize("seed", SEEDS)
def test_boxes_do_not_overlap_and_parents_are_centred(seed):
    fitted = random_fitted(seed, 80)
    picture = _layout(fitted, 2**31)
    tree = fitted.tree
    for level in range(int(tree.depth.max()) + 1):
        x = np.sort(picture.x[tree.depth == level])
        assert x[0] >= BOX_WIDTH / 2
        assert np.all(np.diff(x) > BOX_WIDTH)
    for node in np.flatnonzero(tree.feature >= 0):
        below = picture.x[list(tree.children(int(node)))]
        assert picture.x[node] == pytest.approx((below[0] + below[-1]) / 2)


@pytest.mark.parametrize("fitted", [example(), tricky(), random_fitted(4, 1), random_fitted(5, 190)])
def test_drawing_is_well_formed(fitted):
    text = draw_svg(fitted, title="a <b> & c")
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f".//{space}title")) == fitted.tree.n_nodes
    assert "<script>" not in text
    width = float(root.get("width"))
    for rect in root.iter(f"{space}rect"):
        if rect.get("x") is not None:
            assert float(rect.get("x")) >= 0
            assert float(rect.get("x")) + float(rect.get("width")) <= width


def test_a_large_tree_is_summarised():
    fitted = random_fitted(3, 2000)
    assert 1 < draw_svg(fitted).count("<title>") <= 200
    assert "leaves</text>" in draw_svg(fitted, max_depth=2)


@pytest.mark.parametrize("fitted", [example(), tricky(), random_fitted(4, 1), random_fitted(5, 40)])
def test_dot_quotes_every_label(fitted):
    text = export_dot(fitted)
    for line in text.splitlines()[1:-1]:
        assert line.endswith(";")
        assert line.replace("\\\\", "").replace('\\"', "").count('"') == 2
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tsvg"], input=text.encode(), check=True, capture_output=True)


def coloured():
    """Red and blue go left, where colour is asked again; below that only the other colour is left."""
    weights = np.array([[4.0, 4], [3, 2], [1, 2], [2, 0], [1, 1], [0, 1], [1, 0]])
    tree = TreeModel(
        feature=np.array([0, 0, -1, -1, 0, -1, -1], dtype=np.int32),
        threshold=np.full(7, np.nan),
        first_child=np.array([1, 3, -1, -1, 5, -1, -1], dtype=np.int32),
        n_branches=np.array([2, 2, 0, 0, 2, 0, 0], dtype=np.int32),
        value_start=np.array([0, 3, 6, 6, 6, 9, 9, 9], dtype=np.int32),
        value_branch=np.array([0, 0, 1, 0, 1, 0, 0, 1, 1], dtype=np.int32),
        class_weights=weights,
        label=weights.argmax(axis=1).astype(np.int32),
    )
    schema = Schema((Column("colour", "nominal", ("red", "blue", "green")),))
    values = weights / weights.sum(axis=1, keepdims=True)
    return FittedTree(tree, schema, np.array(["no", "yes"]), values, tree.label)


def test_a_test_below_another_of_its_column_names_what_can_come_there():
    """Of all categories the second test has red and green against blue, the third red against the others."""
    fitted = coloured()
    assert categories_met(fitted.tree) == {1: {0, 1}, 4: {1}}
    text = export_text(fitted).splitlines()[:4]
    assert [line.split(":")[0] for line in text] == [
        "colour is 'red' or 'blue'",
        "|   colour is 'red'",
        "|   colour is 'blue'",
        "|   |   colour is no known value",
    ]
    drawing, graph = draw_svg(fitted), export_dot(fitted)
    assert drawing.count(">&#x27;red&#x27;<") == 1 and drawing.count(">&#x27;blue&#x27;<") == 2
    assert drawing.count("green") == 2  # a branch of the root, and the path of its leaf
    assert "1 -> 3 [label=\"'red'\"]" in graph and "4 -> 6 [label=\"'blue'\"]" in graph
