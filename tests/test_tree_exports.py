"""Two small trees, and every text that is made of them, letter by letter.

The texts lie in ``tests/expected``; other tests run them against a slow router. Where a change of a text is
meant, ``python tests/test_tree_exports.py`` writes them anew, to be read before they are kept.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from oracles.hand_trees import towns
from stakes._text.ranges import Range, range_words
from stakes._text.words import amount, any_of, number
from stakes.export import c, dot, python, sql, svg, text
from stakes.table import Column, Schema
from stakes.tree.explain import Explanation, explain
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel
from stakes.tree.words import example, leaf_table

EXPECTED = Path(__file__).parent / "expected"


TREES = {"loans": example(), "towns": towns()}
WRITERS = {
    "txt": lambda fitted, name: text.export_text(fitted),
    "short.txt": lambda fitted, name: text.export_text(fitted, max_depth=1),
    "dot": lambda fitted, name: dot.export_dot(fitted),
    "short.dot": lambda fitted, name: dot.export_dot(fitted, max_depth=1),
    "svg": lambda fitted, name: svg.draw_svg(fitted, title=f"<{name}>"),
    "short.svg": lambda fitted, name: svg.draw_svg(fitted, max_depth=1),
    "py.txt": lambda fitted, name: python.export_python(fitted),
    "c": lambda fitted, name: c.export_c(fitted, name=name),
    "sql": lambda fitted, name: sql.export_sql(fitted),
}


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("name", TREES)
def test_texts(name, ending):
    expected = (EXPECTED / f"{name}.{ending}").read_text(encoding="utf-8")
    assert WRITERS[ending](TREES[name], name) + "\n" == expected


def test_what_c_and_sql_cannot_write():
    odd = replace(towns(), classes=np.array(["a", "b\0b", "c"]))
    with pytest.raises(ValueError, match="a C string cannot hold the character NUL"):
        c.export_c(odd)
    with pytest.raises(ValueError, match="a text in SQL must be a string without the character NUL"):
        sql.export_sql(odd)
    with pytest.raises(ValueError, match="SQL has no literal for inf"):
        sql.export_sql(replace(towns(), classes=np.array([1.0, 2.0, np.inf])))
    mixed = replace(towns(), classes=np.array([1, "b", True], dtype=object))
    assert sql.label_literals(mixed.labels) == ["'1'", "'b'", "'True'"]
    assert sql.label_literals([True, False]) == ["(1 = 1)", "(1 = 0)"]
    assert sql.label_literals([-1.5]) == ["(-1.5)"]


def test_long_lists_of_categories_are_cut_short():
    fitted = towns()
    tree = replace(
        fitted.tree,
        value_start=np.array([0, *[14] * 8], dtype=np.int32),
        value_branch=np.array([0] * 12 + [1, 2], dtype=np.int32),
    )
    column = Column("town", "nominal", tuple("abcdefghijklmn"))
    many = replace(fitted, tree=tree, schema=Schema((fitted.schema.columns[0], column)))
    seven = "town is 'a', 'b', 'c', 'd', 'e', 'f', 'g' or 5 more"
    assert f"  # {seven}\n" in python.export_python(many) and f"/* {seven} */" in c.export_c(many)
    assert "\"'a', 'b', 'c' or 9 more\"" in dot.export_dot(many)
    assert ">&#x27;a&#x27;, &#x27;b&#x27; or 10 more<" in svg.draw_svg(many)
    assert "'k' or 'l'" in text.export_text(many)


# ---- words -------------------------------------------------------------------------------------------------


def test_leaves_as_a_table():
    leaves = leaf_table(towns())
    assert [leaf.node for leaf in leaves] == [4, 6, 7, 2, 3]
    first, empty, _, other, _ = leaves
    town = "town is 'ash', 'bay', 'cod', 'dee' or 'elm'"
    assert first.conditions == (town, "a <&> b <= 1.5") and first.label == 2
    assert (first.weight, first.errors, first.cost) == (9, 8, 6 + 2)
    assert first.expected_cost == pytest.approx(0.625 + 0.25) and first.share == pytest.approx(8 / 13)
    assert empty.conditions == (town, "1.5 < a <&> b <= 0.3333333")
    assert (empty.weight, empty.errors, empty.expected_cost, empty.cost, empty.share) == (0, 0, 0, 0, 0)
    assert (other.label, other.weight, other.errors, other.cost) == (30, 8, 2, 5)


def test_a_long_name_is_written_smaller_so_that_its_box_holds_it():
    def renamed(name):
        fitted = TREES["loans"]
        columns = list(fitted.schema.columns)
        columns[root] = replace(columns[root], name=name)
        return svg.draw_svg(replace(fitted, schema=replace(fitted.schema, columns=tuple(columns))))

    root = int(TREES["loans"].tree.feature[0])

    assert '<text class="name"' in renamed("x" * 17) and "name long" not in renamed("x" * 17)
    assert f">{'x' * 18}</text>" in renamed("x" * 18) and "name long" in renamed("x" * 18)
    assert f">{'x' * 18}…</text>" in renamed("x" * 40)


def test_a_tree_that_costs_nothing():
    fitted = towns()
    free = FittedTree.decided(
        tree=fitted.tree,
        schema=fitted.schema,
        classes=fitted.classes,
        values=fitted.values,
        costs=np.zeros((3, 3)),
    )
    assert {leaf.share for leaf in leaf_table(free)} == {0.0}
    assert "cost" not in text.export_text(free).removesuffix("cost 0") and "no cost" not in svg.draw_svg(free)
    assert 'class="cost"' not in svg.draw_svg(free)


ROWS = [np.array([30.0, 50.0, np.nan]), np.array([0, -1, -1], dtype=np.int32)]


def test_explanations_of_loans():
    assert [str(why) for why in explain(example(), ROWS)] == [
        "income 30 > 24; income 30 <= 60; housing is 'own' → good: 0.92 of the training rows; "
        "predicting bad would cost 0.92, good 0.42",
        "income 50 > 24; income 50 <= 60; housing missing or never seen: followed both branches, 0.75/0.25; "
        "[0.75: → good]; [0.25: → bad] → good: 0.72 of the training rows; "
        "predicting bad would cost 0.72, good 1.41",
        "income missing: followed both branches, 0.32/0.68; [0.34: income missing: followed both branches, "
        "0.5/0.5 → good]; [0.32: → bad]; [0.26: income missing: followed both branches, 0.5/0.5; housing "
        "missing or never seen: followed both branches, 0.75/0.25 → good]; [0.09: income missing: followed "
        "both branches, 0.5/0.5; housing missing or never seen: followed both branches, 0.75/0.25 → bad] → "
        "good: 0.64 of the training rows; predicting bad would cost 0.64, good 1.81",
    ]


def test_explanations_of_towns():
    rows = [np.array([1.5, 2.0, 9.0, np.nan]), np.array([5, 0, 7, 4], dtype=np.int32)]
    assert [str(why) for why in explain(towns(), rows)] == [
        'town is "it\'s" → 30: 0.75 of the training rows; predicting 1 would cost 3, 2 1, 30 0.62',
        "town is 'ash'; a <&> b 2 > 1.5; a <&> b 2 > 0.3333333 → 2: 1.00 of the training rows; "
        "predicting 1 would cost 1, 2 0, 30 1",
        "town missing or never seen: followed all 3 branches, 0.6/0.4/0; [0.60: a <&> b 9 > 1.5; "
        "a <&> b 9 > 0.3333333 → 2]; [0.40: → 30] → 2: 0.60 of the training rows; "
        "predicting 1 would cost 1.8, 2 0.4, 30 0.85",
        "town is 'elm'; a <&> b missing: followed both branches, 0.75/0.25; [0.75: → 2]; [0.25: a <&> b "
        "missing: no branch has training rows, answered here → 2] → 2: 0.34 of the training rows; "
        "predicting 1 would cost 1.09, 2 0.66, 30 1.52",
    ]
    (spread,) = explain(towns(), [column[2:3] for column in rows])
    assert spread.nodes == (7, 2) and spread.steps == (
        "town missing or never seen: followed all 3 branches, 0.6/0.4/0",
    )
    assert [(weight, label) for weight, _, label in spread.parts] == [(0.6, 2), (0.4, 30)]


def test_only_the_heaviest_ends_are_told():
    parts = tuple((weight, (f"step {weight}",), "x") for weight in (0.4, 0.2, 0.15, 0.13, 0.07, 0.05))
    why = Explanation("x", (), parts, (1.0,), {"x": 0.0}, (1,))
    assert str(why) == (
        "[0.40: step 0.4 → x]; [0.20: step 0.2 → x]; [0.15: step 0.15 → x]; [0.13: step 0.13 → x]; "
        "[2 more leaves with 0.12] → x: 1.00 of the training rows; predicting x would cost 0"
    )
    assert "more leaves" not in str(Explanation("x", (), parts[:4], (1.0,), {"x": 0.0}, (1,)))


@pytest.mark.parametrize(
    "value, words",
    [(0, "0"), (0.004, "0.004"), (0.005, "0.01"), (-0.0041, "-0.0041"), (12.5, "12.5"), (12.345, "12.35"),
     (100, "100"), (999999999, "999999999"), (1e9, "1e+09"), (-2e9, "-2e+09")],
)  # fmt: skip
def test_amounts(value, words):
    assert amount(value) == words


@pytest.mark.parametrize(
    "value, words",
    [(3.0, "3"), (0.5, "0.5"), (1.2345678, "1.2345678"), (1.23456789, "1.234568"), (1e22, "1e+22")],
)
def test_numbers(value, words):
    assert number(value) == words


def test_names_of_some_categories():
    assert any_of("abcdef", []) == "no known value"
    assert any_of("abcdef", [1]) == "'b'" and any_of("abcdef", [1, 3]) == "'b' or 'd'"
    assert any_of("abcdef", [0, 1, 2], 3) == "'a', 'b' or 'c'" == any_of("abcdef", [0, 1, 2])
    assert any_of("abcdef", [0, 1, 2, 3], 3) == "'a', 'b' or 2 more"
    assert any_of("abcdef", [0, 1, 2], 2) == "'a' or 2 more"
    assert any_of("abcdef", [0, 1, 2], 1) == "one of 3"
    assert any_of(range(1001), range(1001)).endswith(" or 2 more")


def test_ranges_in_words():
    column, town = Column("x"), Column("t\n", "nominal", ("a", "b"))
    assert range_words(column, Range(high=2.0)) == "x <= 2"
    assert range_words(column, Range(low=2.0)) == "x > 2"
    assert range_words(column, Range(1.0, 2.0)) == "1 < x <= 2"
    assert range_words(town, Range(codes=[0, 1])) == "t\\n is 'a' or 'b'"


@pytest.mark.parametrize(
    "share, words", [(0, "0%"), (0.0049, "<1%"), (0.005, "0%"), (0.006, "1%"), (0.5, "50%"), (1, "100%")]
)
def test_percent(share, words):
    assert text.percent(share) == words


# ---- drawings ----------------------------------------------------------------------------------------------


def with_classes(n_classes):
    leaf = np.array([-1], dtype=np.int32)
    tree = TreeModel(
        leaf, np.array([np.nan]), leaf, leaf + 1, np.zeros(2, np.int32), np.zeros(0, np.int32),
        np.ones((1, n_classes)), leaf + 1,
    )  # fmt: skip
    names = np.array([f"class {k}" for k in range(n_classes)])
    values = np.full((1, n_classes), 1 / n_classes)
    return FittedTree(tree, Schema((Column("x"),)), names, values, tree.label)


def test_the_legend_names_as_many_classes_as_there_are_colours():
    items = svg.svg_legend(with_classes(8))
    assert [name for name, _ in items] == [*(f"class {k}" for k in range(8)), "share of cost"]
    assert [colour for _, colour in items] == [*svg.PALETTE, svg.COSTLIER]
    items = svg.svg_legend(with_classes(9))
    assert [name for name, _ in items] == [
        "class that is answered", "most frequent other class", "the rest", "share of cost",
    ]  # fmt: skip
    assert len({colour for _, colour in items}) == 4
    assert ">the rest<" in svg.draw_svg(with_classes(9))
    assert ">the rest<" not in svg.draw_svg(with_classes(9), legend=False)


def test_bars_of_many_classes_have_three_parts():
    """Of weights 1, 2, ... 9 class 1 is answered: 2, then 9, then the other 34 of 45, in 132 pixels."""
    fitted = with_classes(9)
    tree = replace(fitted.tree, class_weights=np.arange(1.0, 10.0)[None, :], label=np.array([1], np.int32))
    drawing = svg.draw_svg(replace(fitted, tree=tree, decision=tree.label), legend=False)
    bar = re.findall(r'width="([\d.]+)" height="11" fill="(#\w+)"', drawing)
    assert bar == [(f"{132 * n / 45:.1f}", colour) for n, colour in zip((2, 9, 34), svg.RANKED)]
    assert "class 8: 9, class 7: 8" in drawing  # the tooltip has the most frequent ones first


def test_a_drawing_is_as_wide_as_its_legend():
    # sixteen left, a square with its gaps is 34, a letter 6.3, and sixteen again
    width = 16 + sum(34 + 6.3 * len(name) for name in ("class 0", "class 1", "share of cost")) + 16
    assert f'viewBox="0 0 {width:.0f} 120" width="{width:.0f}" height="120"' in svg.draw_svg(with_classes(2))


def test_long_words_are_shortened():
    assert svg._shorten("abcdef", 6) == "abcdef" and svg._shorten("abcdef", 5) == "abcd…"
    assert svg._text("k", 1, 2.25, "a<bcd", 20, 5) == '<text class="k" x="1.0" y="2.2">a&lt;b…</text>'


@pytest.mark.parametrize("n_tests, levels", [(99, 2**31), (100, 99)])
def test_large_trees_are_drawn_as_far_as_two_hundred_boxes_go(n_tests, levels):
    """A chain has a box at the root and two at every further level."""
    n_nodes = 2 * n_tests + 1
    inner = np.arange(n_nodes) % 2 == 0
    inner[-1] = False
    tree = TreeModel(
        feature=np.where(inner, 0, -1).astype(np.int32),
        threshold=np.where(inner, 0.5, np.nan),
        first_child=np.where(inner, np.arange(n_nodes) + 1, -1).astype(np.int32),
        n_branches=np.where(inner, 2, 0).astype(np.int32),
        value_start=np.zeros(n_nodes + 1, np.int32),
        value_branch=np.zeros(0, np.int32),
        class_weights=np.ones((n_nodes, 1)),
        label=np.zeros(n_nodes, np.int32),
    )
    ones = np.ones((n_nodes, 1))
    fitted = FittedTree(tree, Schema((Column("x"),)), np.array(["a"]), ones, tree.label)
    assert svg._levels(fitted, None) == levels and svg._levels(fitted, 3) == 3


def test_a_first_level_of_many_boxes_is_drawn_all_the_same():
    star = SimpleNamespace(n_nodes=251, depth=np.array([0] + [1] * 250))
    assert svg._levels(SimpleNamespace(tree=star), None) == 1


def main() -> None:
    """Write the texts anew."""
    for name, fitted in TREES.items():
        for ending, write in WRITERS.items():
            path = EXPECTED / f"{name}.{ending}"
            path.write_text(write(fitted, name) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
