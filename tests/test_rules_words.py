"""A small set of rules made by hand: what it answers, costs, says and is written as."""

from __future__ import annotations

import json
import sqlite3
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stakes import RuleClassifier
from stakes.costs import FeatureCosts
from stakes.export.sql import export_rules
from stakes.rules.bins import Bins
from stakes.rules.explain import RuleExplanation
from stakes.rules.model import RuleSet
from stakes.rules.path import CoveragePoint, plot_coverage
from stakes.rules.words import Rule, RuleTable, rule_table
from stakes.table import Column, Schema


def ints(*values):
    return np.array(values, dtype=np.int32)


def by_hand():
    """Four rules on age (cut at 18 and 65), town and pulse (not cut: known or not)."""
    columns = (Column("age"), Column("town", "nominal", ("n", "s", "w")), Column("pulse"))
    cuts = (np.array([18.0, 65.0]), np.array([]), np.array([]))
    return RuleSet(
        bins=Bins(Schema(columns), cuts, whole=True),
        classes=np.array(["flu", "ill", "well"]),
        start=ints(0, 2, 3, 4, 6),
        feature=ints(0, 1, 0, 0, 1, 2),
        value=ints(2, 0, 1, 0, 1, 0),
        label=ints(1, 2, 2, 0),
        quality=np.array([0.2, 0.3, 0.4, 0.5]),
        class_weights=np.array([[1.0, 8, 1], [0, 2, 18], [0, 1, 9], [6, 0, 3]]),
        undecided_weights=np.array([5.0, 2, 1]),
        costs=np.array([[0.0, 2, 4], [6, 0, 12], [1, 3, 0]]),
        t_good=0.5,
        feature_costs=FeatureCosts({"age": 1.0, "town": 10.0, "pulse": 100.0}),
    )


#: Each row has the number of the rule that speaks for it, -1 for none, and the columns read on the way.
ROWS = [
    ((70.0, "n", 60.0), 0, 11),
    ((65.0, "n", 60.0), 1, 1),
    ((18.0, "s", 60.0), 2, 1),
    ((70.0, "s", 60.0), 3, 111),
    ((70.0, "s", np.nan), -1, 111),
    ((np.nan, "s", 60.0), 3, 111),
    ((70.0, "w", 60.0), -1, 11),
    ((np.nan, None, 60.0), -1, 11),
]


def frame():
    return pd.DataFrame([row for row, _, _ in ROWS], columns=["age", "town", "pulse"])


SPEAKING = [rule for _, rule, _ in ROWS]


def fitted(**params):
    model = RuleClassifier(**params)
    model._set_fitted(by_hand())
    model.feature_names_in_ = np.array(["age", "town", "pulse"], dtype=object)
    return model


# ---- answers -----------------------------------------------------------------------------------------------


def test_the_first_rule_that_applies_speaks():
    assert fitted().apply(frame()).tolist() == SPEAKING
    named = dict(enumerate(["ill", "well", "well", "flu"]))
    # without a rule "ill" costs (5 + 1) * 2 + (1 + 1) * 3 of 11, "flu" 20 and "well" 60 of 11
    assert fitted().predict(frame()).tolist() == [named.get(rule, "ill") for rule in SPEAKING]


def test_probabilities_are_shares_with_one_more_row_of_each_class():
    shares = np.array([[2, 9, 2], [1, 3, 19], [1, 2, 10], [7, 1, 4], [6, 3, 2]])
    expected = (shares / shares.sum(axis=1, keepdims=True))[SPEAKING]
    np.testing.assert_allclose(fitted().predict_proba(frame()), expected, rtol=1e-14)


def test_decisions_cost_what_the_rule_lets_expect():
    # what the answer of each rule costs by the shares above
    price = [(2 * 2 + 2 * 3) / 13, (4 + 3 * 12) / 23, (4 + 2 * 12) / 13, (6 + 4) / 12, np.nan]
    decision = fitted().decide(frame())
    assert decision.undecided.tolist() == [rule < 0 for rule in SPEAKING]
    assert decision.labels[decision.undecided].tolist() == [None] * 3
    np.testing.assert_allclose(decision.expected_cost, np.array(price)[SPEAKING])
    # an undecided row costs the parameter, or what is given; only what is given leaves more undecided
    np.testing.assert_allclose(
        fitted(abstain_cost=0.25).decide(frame()).expected_cost, np.array([*price[:4], 0.25])[SPEAKING]
    )
    careful = fitted(abstain_cost=0.25).decide(frame(), 1.0)
    assert careful.labels.tolist() == ["ill", None, None, "flu", None, "flu", None, None]
    np.testing.assert_allclose(
        careful.expected_cost,
        [1.0 if label is None else price[{"ill": 0, "flu": 3}[label]] for label in careful.labels],
    )


def test_columns_are_paid_for_until_a_rule_speaks():
    assert fitted().path_cost(frame()).tolist() == [cost for _, _, cost in ROWS]
    assert fitted().path_cost(frame(), {"age": 1, "town": 0, "pulse": 0}).tolist() == [1.0] * len(ROWS)
    assert fitted().upfront_cost() == 111
    assert fitted().upfront_cost({"age": 1, "town": 2, "pulse": 4}) == 7
    rules = by_hand()
    fewer = replace(rules, start=ints(0, 2), feature=ints(0, 1), value=ints(2, 0), label=ints(1))
    assert fewer.upfront_cost() == 11
    free = replace(rules, feature_costs=None)
    table = rules.schema.encode(frame())
    assert free.upfront_cost() == 0 and free.path_cost(table).tolist() == [0.0] * len(ROWS)


def test_unseen_towns_are_missing_or_an_error():
    strange = frame().assign(town="x")
    assert fitted().apply(strange).tolist() == [-1, 1, 2, -1, -1, -1, -1, -1]
    with pytest.raises(ValueError, match="town"):
        fitted(unseen="error").apply(strange)


class Answers:
    """A fallback that knows two of the three classes."""

    classes_ = np.array(["well", "flu"])

    def predict(self, X):
        assert X["age"].isna().tolist() == [False, False, True]
        return np.array(["well", "flu", "well"])

    def predict_proba(self, X):
        return np.array([[0.75, 0.25], [0.5, 0.5], [1.0, 0.0]])


def test_a_fallback_that_lacks_a_class_answers_for_the_others():
    model = fitted()
    model.fallback_ = Answers()
    silent = np.flatnonzero(np.array(SPEAKING) < 0)
    proba, alone = model.predict_proba(frame()), fitted().predict_proba(frame())
    assert proba[silent].tolist() == [[0.25, 0.0, 0.75], [0.5, 0.0, 0.5], [0.0, 0.0, 1.0]]
    assert model.predict(frame())[silent].tolist() == ["well", "flu", "well"]
    spoken = np.flatnonzero(np.array(SPEAKING) >= 0)
    np.testing.assert_array_equal(proba[spoken], alone[spoken])
    np.testing.assert_array_equal(model.predict(frame())[spoken], fitted().predict(frame())[spoken])
    model.fallback_.classes_ = np.array(["well", "dead"])
    with pytest.raises(ValueError, match=r"fallback\.classes_"):
        model.predict_proba(frame())
    # it is not asked where a rule speaks for every row
    np.testing.assert_array_equal(model.predict_proba(frame()[:4]), alone[:4])
    assert model.predict(frame()[:4]).tolist() == ["ill", "well", "well", "flu"]


# ---- words -------------------------------------------------------------------------------------------------

TEXT = """\
if age > 65 and town is 'n' then ill  (8 of 10 rows, quality 0.20)
if 18 < age <= 65 then well  (18 of 20 rows, quality 0.30)
if age <= 18 then well  (9 of 10 rows, quality 0.40)
if town is 's' and pulse is known then flu  (6 of 9 rows, quality 0.50)"""

#: Mistakes cost 6, 18 and 4 for the classes, so that of the merged rows 3 * 18 stand against 27 * 4:
#: the entropy of 1/3 and 2/3, out of log2(3) that three classes can have, is 0.58.
MERGED = """\
if age > 65 and town is 'n' then ill  (8 of 10 rows, quality 0.20)
if age <= 65 then well  (27 of 30 rows, quality 0.58)
if town is 's' and pulse is known then flu  (6 of 9 rows, quality 0.50)"""


def test_rules_in_words():
    model = fitted()
    assert str(model.rules_) == TEXT == model.export_text(merged=False) == str(model.rule_table(merged=False))
    assert model.export_text() == MERGED == str(model.rule_table()) == str(rule_table(by_hand(), merged=True))
    assert str(rule_table(by_hand())) == TEXT
    # what every answer costs alike changes nothing
    dearer = replace(by_hand(), costs=by_hand().costs + np.array([[7.0], [0.0], [2.0]]))
    assert str(rule_table(dearer, merged=True)) == MERGED


def test_the_table_of_rules():
    rules = fitted().rules_
    first = {
        "conditions": ("age > 65", "town is 'n'"),
        "label": "ill",
        "quality": 0.2,
        "support": 8.0,
        "coverage": 10.0,
        "cost": 1 * 2 + 1 * 3,
    }
    assert rules.to_dicts()[0] == first and list(rules) == [rules[i] for i in range(4)]
    assert [rule.cost for rule in rules] == [5, 2 * 12, 12, 3 * 1]
    rows = rules.to_frame()
    assert rows.columns.tolist() == ["conditions", "class", "quality", "support", "coverage", "cost"]
    assert rows.iloc[0].tolist() == ["age > 65 and town is 'n'", "ill", 0.2, 8, 10, 5]
    assert rows["class"].tolist() == ["ill", "well", "well", "flu"]
    assert isinstance(rules[1:3], RuleTable) and str(rules[1:3]) == "\n".join(TEXT.splitlines()[1:3])
    assert [repr(rules), repr(rules[:1]), repr(rules[:0])] == ["<4 rules>", "<1 rule>", "<0 rules>"]


def test_what_frames_and_pictures_need_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"a data frame needs pandas: pip install 'stakes\[data\]'"):
        fitted().rules_.to_frame()
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"drawing needs matplotlib: pip install 'stakes\[report\]'"):
        plot_coverage([CoveragePoint(0.5, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0)])


def test_names_with_line_breaks_stay_on_one_line():
    rule = Rule(("a is known",), "two\nlines", 0.0, 1.0, 1.0, 0.0)
    assert str(rule) == "if a is known then two\\nlines  (1 of 1 rows, quality 0.00)"


def rules_on(start, feature, value, label):
    """The rules by hand with other conditions and classes, each with one row more than the last."""
    weights = np.eye(3)[label] * np.arange(1, len(label) + 1)[:, None]
    return replace(
        by_hand(),
        start=ints(*start),
        feature=ints(*feature),
        value=ints(*value),
        label=ints(*label),
        quality=np.zeros(len(label)),
        class_weights=weights,
    )


@pytest.mark.parametrize(
    "start, feature, value, label, words",
    [
        # not neighbours, until the one between them comes
        ([0, 1, 2], [0, 0], [0, 2], [2, 2], ["age <= 18", "age > 65"]),
        ([0, 1, 2, 3], [0, 0, 0], [0, 2, 1], [2, 2, 2], ["age is known"]),
        # categories need not be neighbours
        ([0, 1, 2], [1, 1], [0, 2], [2, 2], ["town is 'n' or 'w'"]),
        # another class, other columns, two columns that differ, the same rule twice
        ([0, 1, 2], [0, 0], [0, 1], [2, 1], ["age <= 18", "18 < age <= 65"]),
        ([0, 1, 2], [0, 1], [0, 0], [2, 2], ["age <= 18", "town is 'n'"]),
        ([0, 2, 4], [0, 1, 0, 1], [0, 0, 1, 1], [2, 2], ["age <= 18", "18 < age <= 65"]),
        ([0, 1, 2], [0, 0], [0, 0], [2, 2], ["age <= 18", "age <= 18"]),
        # a line stands where the first of its rules stood
        ([0, 1, 2, 3], [1, 0, 1], [2, 0, 0], [1, 2, 1], ["town is 'n' or 'w'", "age <= 18"]),
        ([0, 2, 4], [0, 1, 0, 1], [0, 0, 1, 0], [2, 2], ["age <= 65"]),
    ],
)
def test_rules_that_are_merged_for_reading(start, feature, value, label, words):
    merged = rule_table(rules_on(start, feature, value, label), merged=True)
    assert [rule.conditions[0] for rule in merged] == words
    assert sum(rule.coverage for rule in merged) == sum(range(1, len(label) + 1))


def test_one_class_only_has_no_mistakes():
    rules = replace(
        rules_on([0, 1, 2], [0, 0], [0, 1], [0, 0]),
        classes=np.array(["flu"]),
        class_weights=np.array([[3.0], [4.0]]),
        costs=np.zeros((1, 1)),
    )
    assert str(rule_table(rules, merged=True)) == "if age <= 65 then flu  (7 of 7 rows, quality 0.00)"


# ---- explanations ------------------------------------------------------------------------------------------


def test_explanations_in_words():
    lines = TEXT.splitlines()
    assert [str(why) for why in fitted().explain(frame().iloc[[0, 2, 4]])] == [
        f"{lines[0]}; expected costs: flu 4.31, ill 0.77, well 8.92",
        f"{lines[2]}; overruled: {lines[3]}; expected costs: flu 1.69, ill 2.46, well 2.15",
        "no rule applies, undecided; expected costs: flu 1.82, ill 1.64, well 5.45",
    ]


def test_explanations_as_data():
    rules = fitted().rules_
    spoke, silent = fitted().explain(frame().iloc[[2, 4]])
    assert (spoke.label, spoke.rule, spoke.overruled) == ("well", rules[2], (rules[3],))
    assert (silent.label, silent.rule, silent.overruled) == (None, None, ())
    assert silent.expected_costs == pytest.approx({"flu": 20 / 11, "ill": 18 / 11, "well": 60 / 11})


@pytest.mark.parametrize(
    "against, agreeing, words",
    [
        (0, 0, "S"),
        (1, 1, "S; overruled: O; 1 other rule agrees"),
        (3, 2, "S; overruled: O | O | O; 2 other rules agree"),
        (5, 0, "S; overruled: O | O | O and 2 more"),
    ],
)
def test_overruled_rules_are_told_up_to_three(against, agreeing, words):
    speaks, other = Rule(("a",), "x", 0, 1, 1, 0), Rule(("b",), "y", 0, 1, 1, 0)
    why = RuleExplanation("x", speaks, (speaks,) * agreeing + (other,) * against, {"x": 0.5, "y": 1.25})
    told = words.replace("S", str(speaks)).replace("O", str(other))
    assert str(why) == f"{told}; expected costs: x 0.5, y 1.25"


# ---- SQL ---------------------------------------------------------------------------------------------------

SQL = """\
CASE
  WHEN "age" > 65.0 AND "town" = 'n' THEN 'ill'
  WHEN "age" > 18.0 AND "age" <= 65.0 THEN 'well'
  WHEN "age" <= 18.0 THEN 'well'
  WHEN "town" = 's' AND "pulse" IS NOT NULL THEN 'flu'
  ELSE 'ill'
END"""


def test_sql_text():
    model, silent = fitted(), SQL.replace("ELSE 'ill'", "ELSE NULL")
    assert model.export_sql() == SQL == export_rules(by_hand())
    assert model.export_sql(abstain=True) == silent
    assert model.export_sql(table="t") == f'SELECT *, {SQL} AS "prediction" FROM "t"'
    assert model.export_sql(table="t", output="o", abstain=True) == f'SELECT *, {silent} AS "o" FROM "t"'
    model._set_fitted(rules_on([0], [], [], []))
    assert model.export_sql() == "'ill'" and model.export_sql(abstain=True) == "NULL"


def test_sql_answers_for_each_row():
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (age REAL, town TEXT, pulse REAL)")
    rows = frame().astype(object)
    base.executemany("INSERT INTO t VALUES (?, ?, ?)", rows.where(rows.notna(), None).to_numpy().tolist())
    answers = [row[-1] for row in base.execute(fitted().export_sql(table="t"))]
    base.close()
    assert answers == fitted().predict(frame()).tolist()


# ---- bins --------------------------------------------------------------------------------------------------


def test_bins_of_values():
    bins = by_hand().bins
    table = bins.schema.encode(frame())
    codes = [column.tolist() for column in bins.codes(table)]
    assert codes[0] == [2, 1, 0, 2, 2, -1, 2, -1]
    assert codes[1] == [0, 0, 1, 1, 1, 1, 2, -1]
    assert codes[2] == [0, 0, 0, 0, -1, 0, 0, 0]
    assert bins.n_bins == (3, 3, 1)
    without = replace(bins, whole=False)
    assert without.n_bins == (3, 3, 0) and without.codes(table)[2].tolist() == [-1] * 8
    assert [bins.names(j) for j in range(3)] == [
        ["<= 18", "18 to 65", "> 65"],
        ["n", "s", "w"],
        ["any value"],
    ]
    assert without.names(2) == []


def test_names_of_bins_that_rounding_would_make_equal():
    cuts = np.array([0.12345678901, 0.12345678902, 3.0])
    assert Bins(Schema((Column("x"),)), (cuts,)).names(0) == [
        "<= 0.12345678901",
        "0.12345678901 to 0.12345678902",
        "0.12345678902 to 3.0",
        "> 3.0",
    ]


# ---- documents ---------------------------------------------------------------------------------------------


def test_a_document_comes_back_as_it_was():
    document = json.loads(json.dumps(by_hand().to_dict()))
    assert document["format"] == "stakes-rules" and document["version"] == 1 and document["t_good"] == 0.5
    assert json.loads(json.dumps(RuleSet.from_dict(document).to_dict())) == document
    assert RuleSet.from_dict(document).feature_costs.cost(["age", "pulse"]) == 101
    assert RuleSet.from_dict(document | {"feature_costs": None}).upfront_cost() == 0
    empty = rules_on([0], [], [], []).to_dict()
    assert RuleSet.from_dict(empty).class_weights.shape == (0, 3)


NAN, LARGE = float("nan"), 1e300


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("classes", {"dtype": "str", "labels": ["a", "b", "a"]}, "classes must hold each label once"),
        ("start", [0, 2, 3, 4], "start must have 5 entries that rise from 0"),
        ("start", [1, 2, 3, 4, 6], "start must have 5 entries"),
        ("start", [0, 2, 2, 4, 6], "start must have 5 entries"),
        ("start", [0, 2, 3, 4, 5], "feature and value must have one entry per condition"),
        ("feature", [0, 1, 0, 0, 1], "feature and value must have one entry"),
        ("value", [2, 0, 1, 0, 1], "feature and value must have one entry"),
        ("feature", [-1, 1, 0, 0, 1, 2], "feature must hold numbers of columns"),
        ("feature", [0, 1, 0, 0, 1, 3], "feature must hold numbers of columns"),
        ("value", [2, 0, 1, 0, 1, -1], "value must hold bins of the columns"),
        ("value", [2, 0, 1, 0, 1, 1], "value must hold bins of the columns"),
        ("value", [2, 3, 1, 0, 1, 0], "value must hold bins of the columns"),
        ("label", [1, 2, 2, -1], "label must hold class codes from 0 to 2"),
        ("label", [1, 2, 3, 0], "label must hold class codes from 0 to 2"),
        ("quality", [0.2, 0.3, 0.4], "quality must hold a number from 0 to 1 for each rule"),
        ("quality", [0.2, 0.3, -0.1, 0.5], "quality must hold"),
        ("quality", [0.2, 0.3, 1.001, 0.5], "quality must hold"),
        ("class_weights", [[1, 2, 3]] * 3, r"class_weights must hold weights .* of shape \(4, 3\)"),
        ("class_weights", [[1, 2, -3]] * 4, "class_weights must hold weights"),
        ("class_weights", [[1, 2, LARGE]] * 4, "class_weights must hold weights"),
        ("silent_weights", [1, 2], r"undecided_weights must hold weights .* of shape \(3,\)"),
        ("silent_weights", [1, 2, -1], "undecided_weights must hold weights"),
        ("silent_weights", [1, 2, LARGE], "undecided_weights must hold weights"),
        ("costs", [[0, 1], [1, 0]], r"costs must be finite, of shape \(3, 3\)"),
        ("costs", [[0, 1, LARGE]] * 3, "costs must be finite"),
        ("feature_costs", FeatureCosts({"age": 1.0}).to_dict(), "town|feature"),
        ("t_good", NAN, "t_good"),
    ],
)
def test_documents_with_an_unsound_part_are_refused(name, value, words):
    with pytest.raises(ValueError, match=words):
        RuleSet.from_dict(by_hand().to_dict() | {name: value})


@pytest.mark.parametrize("name", ["bins", "classes", "quality", "t_good"])
def test_documents_that_lack_a_part_are_refused(name):
    document = {key: value for key, value in by_hand().to_dict().items() if key != name}
    with pytest.raises(ValueError, match=f"the model lacks {name}"):
        RuleSet.from_dict(document)


@pytest.mark.parametrize(
    "changes",
    [
        {"quality": [0.0, 0.3, 0.4, 1.0]},
        {"class_weights": [[0, 8, 1], [0, 2, 18], [0, 1, 9], [6, 0, 1e15]]},
        {"silent_weights": [0, 0, 0]},
        {"costs": [[0, -2, 4], [6, 0, 12], [1, 3, 0]]},
    ],
)
def test_documents_at_the_edge_of_what_is_sound_are_read(changes):
    RuleSet.from_dict(by_hand().to_dict() | changes)


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("cuts", [[18.0, 65.0], []], "cuts must be 3 lists, one for each column"),
        ("cuts", {}, "cuts must be 3 lists"),
        ("cuts", [[65.0, 18.0], [], []], "cuts of column 'age' must rise"),
        ("cuts", [[18.0, 18.0], [], []], "cuts of column 'age' must rise"),
        ("cuts", [[18.0, 65.0], [1.0], []], "cuts of column 'town' must rise, and a nominal column has none"),
        ("whole", 1, "whole must be true or false"),
    ],
)
def test_bins_with_an_unsound_part_are_refused(name, value, words):
    with pytest.raises(ValueError, match=words):
        Bins.from_dict(by_hand().bins.to_dict() | {name: value})
