"""Trees at their edges: any unit of costs, names that just fit, limits just met, unequal questions."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning

from oracles.hand_trees import towns
from stakes import C45Classifier, FeatureCosts
from stakes.export import c, dot, python, sql, svg, text, walk
from stakes.table import Column, Schema
from stakes.tree.ask.acquire import Acquisition
from stakes.tree.explain import branch_of, explain
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel
from stakes.tree.words import branch_words, example, leaf_table


def tree_of(names, tests, weights):
    """A tree of numeric tests: a (column, threshold) for each inner node, None for a leaf."""
    inner = np.array([test is not None for test in tests])
    first = np.where(inner, 2 * np.cumsum(inner) - 1, -1)
    weights = np.array(weights, dtype=float)
    tree = TreeModel(
        feature=np.array([-1 if test is None else names.index(test[0]) for test in tests], dtype=np.int32),
        threshold=np.array([np.nan if test is None else test[1] for test in tests]),
        first_child=first.astype(np.int32),
        n_branches=np.where(inner, 2, 0).astype(np.int32),
        value_start=np.zeros(len(tests) + 1, np.int32),
        value_branch=np.zeros(0, np.int32),
        class_weights=weights,
        label=weights.argmax(axis=1).astype(np.int32),
    )
    fitted = FittedTree.decided(
        tree=tree,
        schema=Schema(tuple(Column(name) for name in names)),
        classes=np.array(["x", "y"]),
        values=weights / weights.sum(axis=1, keepdims=True),
    )
    fitted.validate()
    return fitted


# ---- texts and drawings ------------------------------------------------------------------------------------


def test_the_unit_of_costs_changes_no_share():
    fitted = example()
    cents = replace(fitted, costs=fitted.costs / 1024)
    assert svg.draw_svg(cents) == svg.draw_svg(fitted)
    assert text.export_text(cents).splitlines()[:-1] == text.export_text(fitted).splitlines()[:-1]
    assert dot.export_dot(cents) == dot.export_dot(fitted)
    assert [leaf.share for leaf in leaf_table(cents)] == [leaf.share for leaf in leaf_table(fitted)]


def test_gains_that_make_up_for_the_costs_leave_nothing_to_share():
    """Five and one bad answers cost 1 each, two good ones bring 3."""
    even = replace(example(), costs=np.array([[0.0, -3], [1, 0]]))
    assert [leaf.cost for leaf in leaf_table(even)] == [5, -6, 1, 0]
    assert {leaf.share for leaf in leaf_table(even)} == {0}
    assert "of cost" not in text.export_text(even) and text.export_text(even).endswith("8 wrong, cost 0")
    picture = svg.draw_svg(even)
    assert "of cost<" not in picture.replace("share of cost<", "") and 'class="cost"' not in picture


def test_a_leaf_that_brings_something_has_no_bar():
    paid = replace(example(), costs=np.array([[0.0, -2], [1, 0]]))
    bars = re.findall(r'class="cost" x="[\d.]+" y="[\d.]+" width="([\d.]+)"', svg.draw_svg(paid))
    # 5 and 1 of 2 in all are more than the whole, and the bars are 132 wide
    assert bars == ["132.0", "0.0", "0.0", "66.0"]


def test_the_unit_of_weights_changes_no_line_and_no_bar():
    def drawn(weights):
        fitted = example()
        picture = svg.draw_svg(replace(fitted, tree=replace(fitted.tree, class_weights=weights)))
        bars = re.findall(r'<rect x="[\d.]+" y="[\d.]+" width="[\d.]+" height="11" fill="#\w+"', picture)
        return re.findall(r'stroke-width="([\d.]+)"', picture), bars

    weights = example().tree.class_weights
    assert drawn(weights / 1024) == drawn(weights)
    strokes, bars = drawn(weights * 0)
    assert strokes == ["1.0"] * 6 and len(bars) < len(drawn(weights)[1])


def test_a_class_of_a_few_rows_has_its_sliver():
    fitted = example()
    picture = svg.draw_svg(
        replace(fitted, tree=replace(fitted.tree, class_weights=np.full((7, 2), [1.0, 999])))
    )
    assert picture.count(f'width="{(svg.BOX_WIDTH - 16) / 1000:.1f}" height="11"') == 7


def test_two_levels_of_three():
    assert text.export_text(example(), max_depth=2).splitlines()[:4] == [
        "income <= 24: bad (30, 5 wrong, 31% of cost)",
        "income > 24",
        "|   income <= 60: ... 2 leaves (32, 3 wrong, 69% of cost)",
        "|   income > 60: good (32)",
    ]
    source = dot.export_dot(example(), max_depth=2)
    assert '3 [label="2 leaves\\n32, 3 wrong, 69% of cost", style=dashed];' in source
    assert '2 -> 4 [label="> 60"];' in source and "3 -> 5" not in source


def test_a_thousand_categories_are_named_and_no_more():
    fitted = towns()
    for n_named, ending in ((1000, " or 't999'"), (1001, "'t998' or 2 more")):
        names = tuple(f"t{i}" for i in range(n_named))
        tree = replace(
            fitted.tree,
            value_start=np.array([0, *[n_named] * 8], dtype=np.int32),
            value_branch=np.zeros(n_named, np.int32),
        )
        schema = Schema((fitted.schema.columns[0], Column("town", "nominal", names)))
        assert branch_words(replace(fitted, tree=tree, schema=schema), 0, 0).endswith(ending)


def test_a_table_of_one_column_is_explained():
    fitted = tree_of("a", [("a", 1), None, None], [[3, 2], [3, 0], [0, 2]])
    assert [why.label for why in explain(fitted, [np.array([1.0, 2.0, 0.5])])] == ["x", "y", "x"]


def test_strings_of_c_hold_plain_characters_and_octal_numbers():
    assert c._c_string(" ~") == '" ~"'
    assert c._c_string('\x7f\x1f?"\\é') == r'"\177\037\077\042\134\303\251"'


def named(column, label="bad"):
    fitted = example()
    return replace(
        fitted,
        schema=Schema((Column(column), fitted.schema.columns[1])),
        classes=np.array([label, "good"]),
    )


@pytest.mark.parametrize("length, shown", [(19, "n" * 19), (20, "n" * 18 + "…")])
def test_names_are_cut_where_the_box_ends(length, shown):
    picture = svg.draw_svg(named("n" * length, "n" * length))
    names = re.findall(r'<text class="name(?: long)?"[^>]*>([^<]*)<', picture)
    assert names == [shown, shown, shown, "housing", "good", "good", shown]


def test_facts_are_cut_where_the_box_ends():
    facts = re.compile(r'<text class="facts"[^>]*>([^<]*)<')
    fitted = example()
    weights = fitted.tree.class_weights * 1e5
    heavy = replace(fitted, tree=replace(fitted.tree, class_weights=weights))
    assert facts.findall(svg.draw_svg(heavy))[1] == "weight 3000000 · 31% of …"
    weights = fitted.tree.class_weights * 1e4
    heavy = replace(fitted, tree=replace(fitted.tree, class_weights=weights))
    assert facts.findall(svg.draw_svg(heavy))[1] == "weight 300000 · 31% of c…"


def test_labels_of_branches_stay_between_their_neighbours():
    """A plate is 6.3 for each letter and 8, at most 158; 24 letters are shown."""
    fitted = example()
    for length, plate, shown in ((19, 21 * 6.3 + 8, 19), (22, 158.0, 22), (23, 158.0, 22)):
        own = Column("housing", "nominal", ("o" * length, "rent", "free"))
        picture = svg.draw_svg(replace(fitted, schema=Schema((fitted.schema.columns[0], own))))
        ending = "&#x27;" if shown == length else "…"
        assert f">&#x27;{'o' * shown}{ending}</text>" in picture
        assert f'width="{plate:.1f}" height="17"' in picture


def test_exactly_two_hundred_boxes_are_drawn():
    depth = np.repeat([0, 1, 2, 3], [1, 100, 99, 51])
    assert svg._levels(SimpleNamespace(tree=SimpleNamespace(n_nodes=251, depth=depth)), None) == 2
    assert svg._levels(SimpleNamespace(tree=SimpleNamespace(n_nodes=200, depth=None)), None) == 2**31
    depth = np.repeat([0, 1, 2, 3], [1, 100, 100, 51])
    assert svg._levels(SimpleNamespace(tree=SimpleNamespace(n_nodes=252, depth=depth)), None) == 1


def test_codes_that_a_column_does_not_have_take_every_branch():
    fitted = towns()
    assert [branch_of(fitted, 0, code) for code in (-1, 0, 5, 6, 7, 8)] == [None, 0, 1, 2, None, None]
    assert [branch_of(fitted, 1, value) for value in (1.5, 1.75, np.nan)] == [0, 1, None]


def test_a_function_ends_where_tests_are_nested_too_deeply(monkeypatch):
    monkeypatch.setattr(walk, "NESTING", 2)
    tests = [("a", 8), ("a", 4), None, ("a", 2), None, None, None]
    fitted = tree_of("a", tests, [[4, 3], [2, 3], [2, 0], [2, 1], [0, 2], [2, 0], [0, 1]])
    source = python.export_python(fitted)
    # called once and defined once
    assert source.count("_tree_3(row, w3, p)") == 2 and source.count("2.0") == 1
    module = {}
    exec(source, module)
    assert [module["predict"]({"a": value}) for value in (2, 3, 5, 9)] == ["x", "y", "y", "x"]


def test_one_number_out_of_range_is_enough():
    fitted = example()

    def changed(array, place, value):
        array = array.copy()
        array[place] = value
        return array

    counts = fitted.tree.class_weights
    for part, array, place, value in (
        ("observed", counts, (3, 1), -1.0),
        ("observed", counts, (3, 1), 1e300),
        ("costs", fitted.costs, (0, 1), np.inf),
        ("values", fitted.values, 3, [1.5, -0.5]),
        ("row_values", fitted.values, 3, [-0.5, 1.5]),
    ):
        with pytest.raises(ValueError, match=f"{part} must"):
            replace(fitted, **{part: changed(array, place, value)}).validate()


# ---- SQL ---------------------------------------------------------------------------------------------------


def cast(whole):
    return f"CAST({whole} AS DOUBLE PRECISION)"


@pytest.mark.parametrize(
    "value, written",
    [
        (0.0, "0.0"),
        (-2.5, "(-2.5)"),
        (2e-15, "2e-15"),
        (1e-14, "1e-14"),
        (999999999999999.0, "999999999999999.0"),
        (0.123456789012345, "0.123456789012345"),
        (1e15, f"({cast(5**15)} * {cast(2**15)})"),
        (-(2.0**50), f"({cast(-1)} * {cast(2**50)})"),
        (3 * 2.0**51, f"({cast(3)} * {cast(2**50)} * {cast(2)})"),
        (2.0**100, f"({cast(1)} * {cast(2**50)} * {cast(2**50)})"),
        (2.0**-50, f"({cast(1)} / {cast(2**50)})"),
        (2.0**52 + 1, f"({cast(2**52 + 1)} * {cast(1)})"),
        (0.1 + 0.2, f"({cast(1351079888211149)} / {cast(2**50)} / {cast(2**2)})"),
    ],
)
def test_thresholds_are_written_in_full_where_they_are_short(value, written):
    found = sql._threshold(value)
    assert found == written.replace(f" * {cast(1)}", "")
    assert eval(found.replace("CAST", "").replace(" AS DOUBLE PRECISION", "")) == value


def test_the_least_threshold_is_no_decimal():
    assert sql._threshold(1e-15).startswith("(CAST(")


def test_labels_of_two_types_are_texts():
    assert sql.label_literals([1, "b"]) == ["'1'", "'b'"] and sql.label_literals([1, 2]) == ["1", "2"]


def test_sums_are_cut_into_runs_of_a_hundred():
    terms = [f"t{i}" for i in range(101)]
    assert sql._sum(terms[:100]) == " + ".join(terms[:100])
    assert sql._sum(terms) == f"({' + '.join(terms[:100])}) + (t100)"
    assert sql._sum(["a"]) == "a"


def test_deep_tests_are_written_as_one_condition_for_each_leaf(monkeypatch):
    monkeypatch.setattr(sql, "NESTING", 1)
    assert sql.export_sql(example()).startswith(
        """COALESCE(
  CASE
  WHEN "income" <= 24.0 THEN
    'bad'
  WHEN "income" > 24.0 THEN
    CASE
    WHEN "income" > 24.0 AND "income" <= 60.0 AND "housing" = 'own' THEN 'good'
    WHEN "income" > 24.0 AND "income" <= 60.0 AND "housing" IN ('rent', 'free') THEN 'bad'
    WHEN "income" > 60.0 THEN 'good'
    END
  END,
"""
    )


def test_runs_of_ends_have_no_more_columns_than_allowed(monkeypatch):
    monkeypatch.setattr(sql, "MOST_COLUMNS", 3)
    ends = [([(0, 0)], 1), ([(0, 1), (1, 0)], 2), ([(0, 1), (1, 1)], 3), ([(0, 1), (1, 0)], 4), ([(0, 2)], 5)]
    assert [[value for _, value in run] for run in sql._chunks(ends)] == [[1, 2], [3, 4], [5]]


# ---- questions ---------------------------------------------------------------------------------------------

#: A quarter of the rows goes left, three quarters go right.
WEIGHTS = [[5, 3], [1, 1], [4, 2], [1, 0], [0, 1], [4, 0], [0, 2]]


def test_the_column_that_most_of_a_case_waits_for_is_asked_next():
    fitted = tree_of("abc", [("a", 0), ("b", 1), ("c", 5), None, None, None, None], WEIGHTS)
    talk = Acquisition(fitted, {"a": None})
    assert (talk.next_question.feature, talk.next_question.share) == ("c", 0.75)
    assert talk.next_question.why == "<= 5: x; > 5: y (75% of the case waits for it)"
    poor = Acquisition(replace(fitted, feature_costs=FeatureCosts({"a": 1, "b": 1, "c": 9})), {"a": None}, 1)
    assert (poor.next_question.feature, poor.next_question.price) == ("b", 1)
    assert poor.next_question.why == "<= 1: x; > 1: y (25% of the case waits for it)"


def test_outcomes_are_those_where_most_of_the_case_waits():
    fitted = tree_of("ab", [("a", 0), ("b", 1), ("b", 5), None, None, None, None], WEIGHTS)
    question = Acquisition(fitted, {"a": None}).next_question
    assert (question.share, question.why) == (1.0, "<= 5: x; > 5: y")


def test_an_answer_that_no_number_can_give_is_no_outcome():
    fitted = tree_of("a", [("a", 1), None, ("a", 1), None, None], [[5, 2], [2, 1], [3, 1], [0, 1], [3, 0]])
    assert Acquisition(fitted).next_question.why == "any number: x"


# ---- the estimator -----------------------------------------------------------------------------------------


def test_rows_of_another_width_are_refused_by_name():
    tree = C45Classifier().fit([[0.0, 1], [1, 0]] * 3, [0, 1] * 3)
    with pytest.raises(ValueError, match="X has 3 features, but C45Classifier is expecting 2 features"):
        tree.predict(np.zeros((1, 3)))


def test_labels_in_a_column_are_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        tree = C45Classifier().fit([[0.0], [1]], [["a"], ["b"]])
    assert tree.classes_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="Input y contains NaN"):
        C45Classifier().fit([[0.0], [1]], [0.0, np.nan])
