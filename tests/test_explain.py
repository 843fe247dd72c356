"""Shares of columns in the difference of expected costs, reasons, and the rows that are compared with."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from oracles.shapley import shapley
from stakes import (
    GBSE,
    C45Classifier,
    CostBagging,
    Costing,
    CostMatrix,
    Guard,
    MDLDiscretizer,
    MetaCost,
    MinExpectedCost,
    RuleClassifier,
    Table,
    load_model,
)
from stakes._base.background import (
    MOST_BACKGROUND,
    MOST_READ,
    Background,
    drawn_rows,
    plain_columns,
    read_rows,
    typical_rows,
)
from stakes._base.labels import CodedTarget
from stakes.decision import CostExplanation, CostShares, _shapley, cost_shares
from stakes.decision._pool import pool_of
from stakes.decision._shapley import Coalitions, Orders, plan_of
from stakes.decision._shares import runner_up, shapley_shares

LOANS = CostMatrix([[0, 5], [1, 0]], ["bad", "good"])


def shares_of(value, X, background, n_permutations=100):
    """Shares of the columns in a function of rows, which stands for a model of two classes."""
    X, background = np.asarray(X, float), np.asarray(background, float)

    def costs(rows):
        return np.column_stack([np.zeros(len(rows)), value(rows.T)])

    contrast = np.tile([-1.0, 1.0], (len(X), 1))
    weight = np.full(len(background), 1 / len(background))
    return shapley_shares(costs, pool_of(X, background), weight, costs(X), contrast, n_permutations)


def additive(row):
    return 3 * row[0] - row[1] ** 2 + np.sin(row[-1])


def interacting(row):
    return row[0] * row[1] + np.maximum(row[1], row[2]) + 2 * (row[0] > row[2])


def loans(n_rows=300, seed=0):
    """Customers with numbers, text and missing values; debts and no home make bad ones."""
    rng = np.random.default_rng(seed)
    income, debt, age = rng.lognormal(3, 0.5, n_rows), rng.gamma(2, 2, n_rows), rng.integers(18, 70, n_rows)
    home = rng.choice(["own", "rent", "free"], n_rows).astype(object)
    score = debt - income / 10 + 2 * (home == "rent") + rng.normal(size=n_rows)
    home[rng.random(n_rows) < 0.1] = None
    debt[rng.random(n_rows) < 0.1] = np.nan
    frame = pd.DataFrame({"income": income, "debt": debt, "age": age, "home": home})
    return frame, np.where(score > 3, "bad", "good")


@pytest.fixture(scope="module")
def bagging():
    X, y = loans()
    return CostBagging(cost_matrix=LOANS, n_estimators=5).fit(X, y)


# ---- the mathematics ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [additive, interacting])
def test_shares_are_shapley_values(value):
    rng = np.random.default_rng(0)
    X, background = rng.normal(size=(3, 4)), rng.normal(size=(5, 4))
    background[1] = X[0]
    shares, error, base = shares_of(value, X, background)
    for sample, row in zip(X, shares, strict=True):
        np.testing.assert_allclose(row, shapley(value, sample, background), atol=1e-12)
    assert not error.any()
    np.testing.assert_allclose(base, value(background.T).mean())


def test_background_rows_have_weights():
    sample, background, weight = np.array([1.0, 2.0, -1.0]), np.eye(3), np.array([0.5, 0.3, 0.2])

    def costs(rows):
        return np.column_stack([np.zeros(len(rows)), interacting(rows.T)])

    for most in (10**6, 0):  # by all coalitions, and by drawn orders
        plan = plan_of_limit(most, sample[np.newaxis] != background, weight)
        values = costs(np.where(plan.taken(slice(None)), sample, background[plan.beside]))[:, 1]
        start, end = costs(background)[:, 1], interacting(sample)
        shares, error = plan.shares(values, start, end)
        expected = shapley(interacting, sample, background, weight)
        assert (np.abs(shares - expected) <= 1e-12 + 4 * error).all()
        assert shares.sum() == pytest.approx(end - weight @ start, abs=1e-12)


def plan_of_limit(most, differs, weight, n_permutations=100):
    kind = Coalitions(differs.shape[1], weight) if most else Orders(differs, weight, n_permutations)
    assert type(plan_of(differs, weight, n_permutations)) is Coalitions
    return kind


@pytest.mark.parametrize("n_background", [1, 2, 3, 30, 99, 100])
def test_drawn_orders_leave_each_background_row_equally_often(n_background):
    differs = np.random.default_rng(0).random((n_background, 12)) < 0.8
    plan = Orders(differs, np.full(n_background, 1 / n_background), 100)
    counts = np.bincount(plan._from, minlength=n_background)
    assert counts.min() == counts.max() and 66 <= counts.sum() <= 200
    assert plan._weight.sum() == pytest.approx(1)
    assert (np.sort(plan._turn, axis=1) == np.arange(12)).all()
    assert (plan._turn[::2] + plan._turn[1::2] == 11).all()  # the second of a pair goes the other way


def test_few_columns_are_exact_and_many_are_drawn():
    weight = np.full(100, 0.01)
    assert isinstance(plan_of(np.ones((100, 4), bool), weight, 100), Coalitions)
    assert isinstance(plan_of(np.ones((100, 5), bool), weight, 100), Orders)
    assert isinstance(plan_of(np.ones((1, 500), bool), weight[:1], 100), Orders)
    assert _shapley.MOST_EXACT_ROWS == 2048


def test_drawn_shares_are_as_close_as_their_errors_say(monkeypatch):
    rng = np.random.default_rng(1)
    X, background = rng.normal(size=(30, 7)), rng.normal(size=(4, 7))

    def value(row):
        return row[0] * row[1] - row[2] * row[3] * row[4] + np.maximum(row[5], row[6])

    exact, none, _ = shares_of(value, X, background)
    monkeypatch.setattr(_shapley, "MOST_EXACT_ROWS", 0)
    for n_permutations in (40, 400):
        drawn, error, base = shares_of(value, X, background, n_permutations)
        assert not none.any() and error[:, :5].min() > 0
        apart = (drawn - exact)[:, :5] / error[:, :5]
        assert 0.6 < np.sqrt((apart**2).mean()) < 1.4
        gap = drawn.sum(axis=1) + base - value(X.T)
        assert np.abs(gap).max() < 1e-9
    assert shares_of(value, X, background, 40)[1].mean() > 2 * error.mean()


def test_an_error_without_repeats_errs_on_the_safe_side():
    rng = np.random.default_rng(2)
    X, background = rng.normal(size=(10, 8)), rng.normal(size=(100, 8))
    exact = shares_of(interacting, X, background, 4000)[0]
    drawn, error, _ = shares_of(interacting, X, background, 100)
    assert np.sqrt((((drawn - exact)[:, :3] / error[:, :3]) ** 2).mean()) < 1.2
    assert not drawn[:, 3:].any() and not error[:, 3:].any()


def test_columns_that_are_not_used_or_do_not_differ_have_no_share():
    rng = np.random.default_rng(3)
    X, background = rng.normal(size=(4, 12)), rng.normal(size=(20, 12))
    background[:, 1] = X[0, 1]
    shares, _, _ = shares_of(interacting, X[:1], background)
    assert not shares[:, 3:].any() and shares[0, 1] == 0 and shares[0, 0] != 0
    same = shares_of(interacting, X[:1], np.repeat(X[:1], 3, axis=0))
    assert not same[0].any() and same[2][0] == interacting(X[0])


def test_the_model_is_asked_for_many_rows_at_once():
    asked = []

    def value(rows):
        asked.append(len(rows))
        return np.zeros((len(rows), 2))

    X = np.random.default_rng(0).normal(size=(100, 6))
    contrast = np.tile([-1.0, 1.0], (60, 1))
    pool = pool_of(X[:60], X[60:])
    shapley_shares(value, pool, np.full(40, 1 / 40), value(X[:60]), contrast, 100)
    assert len(asked) == 3 and sum(asked) > 10_000


@pytest.mark.parametrize("most", [1, 7, 10**6])
def test_the_rows_of_a_sample_may_be_cut_into_blocks(monkeypatch, most):
    rng = np.random.default_rng(4)
    X, background = rng.normal(size=(3, 4)), rng.normal(size=(2, 4))
    X[1, 1:] = background[:, 1:] = 0.5  # of the second only one column differs, which needs no mixed row
    whole = shares_of(interacting, X, background)
    monkeypatch.setattr("stakes.decision._shares.BLOCK", most)
    for part, expected in zip(shares_of(interacting, X, background), whole, strict=True):
        np.testing.assert_array_equal(part, expected)
    alone = shares_of(interacting, X[1:2], background)[0]
    np.testing.assert_allclose(alone, [shapley(interacting, X[1], background)], atol=1e-12)


def test_the_runner_up_is_the_cheapest_other_class():
    costs = np.array([[3.0, 1.0, 2.0], [0.0, 1.0, 2.0]])
    assert runner_up(costs, np.array([1, 2])).tolist() == [2, 0]
    assert runner_up(costs[:, :1], np.array([0, 0])).tolist() == [0, 0]


# ---- models ------------------------------------------------------------------------------------------------


def test_what_an_explanation_holds(bagging):
    X, _ = loans()
    shares = bagging.explain(X[:20])
    assert isinstance(shares, CostShares) and len(shares) == 20 and len(shares[3:7]) == 4
    assert shares.columns == ("income", "debt", "age", "home") and shares.compared_with == "typical rows"
    expected = bagging.expected_cost(X[:20])
    codes = (bagging.predict(X[:20]) == "good").astype(int)
    assert shares.answer.tolist() == codes.tolist() and (shares.other == 1 - codes).all()
    each = np.arange(20)
    np.testing.assert_allclose(shares.difference, expected[each, 1 - codes] - expected[each, codes])
    np.testing.assert_allclose(shares.base + shares.shares.sum(axis=1), shares.difference, rtol=0, atol=1e-9)
    why = shares[2]
    assert isinstance(why, CostExplanation) and (why.label, why.other) == ("good", "bad")
    assert why.values == tuple(None if pd.isna(v) else v for v in X.iloc[2].tolist())
    assert why.expected_costs == dict(zip(["bad", "good"], expected[2].tolist(), strict=True))
    assert [len(list(shares)), shares[-1].label] == [20, bagging.classes_[codes[-1]]]
    with pytest.raises(IndexError):
        shares[20]


def test_an_explanation_in_words():
    parts = {
        "label": "good",
        "other": "bad",
        "columns": ("age", "home", "n", *"uvwx"),
        "values": (30.0, "own", None, 1, 2, 3, True),
        "expected_costs": {"bad": 1.0, "good": 0.25},
        "compared_with": "typical rows",
    }
    few = CostExplanation(
        shares=np.array([0.5, -0.2, 0.25, 0, 0, 0, 0]),
        error=np.array([0.01, 0, 0.03, 0, 0, 0, 0]),
        base=0.2,
        difference=0.75,
        **parts,
    )
    assert str(few) == (
        "age 30: +0.5; n missing: +0.25; home 'own': -0.2; typical rows: +0.2 → good: 0.75 cheaper than bad "
        "(standard errors up to 0.03); expected costs: bad 1, good 0.25"
    )
    many = CostExplanation(
        shares=np.array([-7.0, 6, 5, 4, 3, 2, 1]), error=np.zeros(7), base=-15.0, difference=-1.0, **parts
    )
    assert str(many) == (
        "age 30: -7; home 'own': +6; n missing: +5; u 1: +4; v 2: +3; 2 more columns: +3; typical rows: -15 "
        "→ good: 1 more expensive than bad; expected costs: bad 1, good 0.25"
    )
    six = CostExplanation(
        shares=np.array([6.0, 5, 4, 3, 2, 1, 0]), error=np.zeros(7), base=0.0, difference=21.0, **parts
    )
    assert "w 3: +1; typical rows: +0 →" in str(six)
    none = CostExplanation(shares=np.zeros(7), error=np.zeros(7), base=0.75, difference=0.75, **parts)
    assert str(none).startswith("no column spoke, it is as for typical rows → good: 0.75 cheaper than bad;")


def test_a_row_is_explained_alike_whatever_the_others_are(bagging):
    X, _ = loans()
    background = X[100:160]
    together, alone = bagging.explain(X[:30], background), bagging.explain(X[7:8], background)
    np.testing.assert_allclose(together.shares[7], alone.shares[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(together.error[7], alone.error[0], rtol=0, atol=1e-12)


def test_threads_change_nothing():
    X, y = loans()
    one, several = (Costing(cost_matrix=LOANS, n_estimators=4, n_jobs=n).fit(X, y) for n in (1, 3))
    for background in (None, X[:50]):
        a, b = one.explain(X[:5], background), several.explain(X[:5], background)
        np.testing.assert_array_equal(a.shares, b.shares)
        np.testing.assert_array_equal(a.error, b.error)


def test_models_that_expect_the_same_have_the_same_shares(bagging, tmp_path):
    X, y = loans()
    wrapped = MinExpectedCost(CostBagging(n_estimators=5), cost_matrix=LOANS).fit(X, y)
    np.testing.assert_array_equal(wrapped.expected_cost(X), bagging.expected_cost(X))
    bagging.to_json(tmp_path / "model.json")
    for background in (None, X[:50]):
        expected = bagging.explain(X[:9], background)
        for model in (wrapped, load_model(tmp_path / "model.json")):
            shares = model.explain(X[:9], background)
            np.testing.assert_array_equal(shares.shares, expected.shares)
            assert list(map(str, shares)) == list(map(str, expected))


def test_a_hundred_samples_of_twenty_columns_take_less_than_ten_seconds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 20))
    y = np.where(X[:, :5].sum(axis=1) + rng.normal(size=500) > 0, "good", "bad")
    model = CostBagging(cost_matrix=LOANS, n_estimators=20).fit(X, y)
    start = time.process_time()
    shares = model.explain(X[:100], background=X[100:200])
    assert time.process_time() - start < 10
    np.testing.assert_allclose(shares.base + shares.shares.sum(axis=1), shares.difference, rtol=0, atol=1e-9)


def test_more_orders_and_another_answer(bagging):
    X, y = loans()
    y = np.where(X["age"] > 50, "late", y)
    costs = CostMatrix([[0, 5, 3], [1, 0, 2], [1, 4, 0]], ["bad", "good", "late"])
    model = CostBagging(cost_matrix=costs, n_estimators=5).fit(X, y)
    shares = cost_shares(model, X[:40], other="late")
    assert (shares.other == 2).all()
    late = shares.answer == 2
    assert late.any() and not shares.shares[late].any() and not shares.difference[late].any()
    for bad in (9, 0, 2.5, True, "many"):
        with pytest.raises((ValueError, TypeError), match="n_permutations must be"):
            cost_shares(model, X[:2], n_permutations=bad)
    with pytest.raises(ValueError, match="other"):
        cost_shares(model, X[:2], other="early")


def test_a_wrapper_of_one_tree_tells_its_path_at_its_own_costs():
    X, y = loans()
    tree = C45Classifier(cost_use="none").fit(X, y)
    wrapper = MinExpectedCost(C45Classifier(cost_use="none"), cost_matrix=LOANS).fit(X, y)
    bare, paths = tree.explain(X[:50]), wrapper.explain(X[:50])
    assert [why.steps for why in paths] == [why.steps for why in bare]
    assert [why.label for why in paths] == wrapper.predict(X[:50]).tolist()
    assert [why.label for why in paths] != [why.label for why in bare]
    expected = wrapper.expected_cost(X[:50])
    assert [list(why.expected_costs.values()) for why in paths] == expected.tolist()
    meta = MetaCost(cost_matrix=LOANS, n_estimators=3).fit(X, y)
    assert [why.label for why in meta.explain(X)] == meta.predict(X).tolist()
    assert [list(why.expected_costs.values()) for why in meta.explain(X)] == meta.expected_cost(X).tolist()
    assert isinstance(
        MetaCost(cost_matrix=LOANS, n_estimators=3, relearn=False).fit(X, y).explain(X[:2]), CostShares
    )


def test_with_a_background_trees_and_rules_give_shares():
    X, y = loans()
    for model in (C45Classifier(cost_matrix=LOANS), RuleClassifier(cost_matrix=LOANS)):
        shares = model.fit(X, y).explain(X[:5], background=X[:30])
        assert shares.compared_with == "background"
        np.testing.assert_allclose(shares.base + shares.shares.sum(axis=1), shares.difference, atol=1e-9)
        assert all("typical" not in str(why) for why in model.explain(X[:5]))


def test_rules_in_a_guard_are_told_as_rules_where_they_answer():
    X, y = loans()
    rules = RuleClassifier(cost_matrix=LOANS, t_good=0.8)
    guard = Guard(rules, cv=3).fit(X, y)
    assert not guard.guarded_
    assert list(map(str, guard.explain(X[:9]))) == list(map(str, guard.estimator_.explain(X[:9])))
    other = MinExpectedCost(rules, cost_matrix=[[0, 1], [50, 0]]).fit(X, y)
    assert (other.predict(X) != other.estimator_.predict(X)).any() and isinstance(
        other.explain(X), CostShares
    )


@pytest.mark.filterwarnings("ignore::stakes.GuardWarning")
@pytest.mark.parametrize("inner", [C45Classifier(), CostBagging(n_estimators=3), DecisionTreeClassifier()])
def test_a_constant_says_that_nothing_spoke(inner):
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.where(np.random.default_rng(1).random(60) < 0.5, "bad", "good")
    guard = Guard(inner, cost_matrix=LOANS, cv=3).fit(X, y)
    assert guard.guarded_
    for background in (None, X[:9]):
        shares = guard.explain(X[:4], background)
        assert not shares.shares.any() and not shares.error.any()
        np.testing.assert_array_equal(shares.base, shares.difference)
        assert str(shares[0]).startswith("no column spoke, it is as for every row → bad: ")
    assert str(guard.reasons(X[:1])[0]) == "bad and not good: no column spoke against good"


def test_one_class_has_nothing_to_compare_with():
    X, _ = loans(20)
    shares = CostBagging(n_estimators=2).fit(X, ["good"] * 20).explain(X[:2])
    assert not shares.shares.any() and shares[0].other is None
    assert "→ good, the only class; expected costs: good 0" in str(shares[0])


# ---- reasons -----------------------------------------------------------------------------------------------


def test_reasons_name_what_spoke_against_the_better_answer(bagging):
    X, _ = loans()
    labels = bagging.predict(X[:60])
    shares = cost_shares(bagging, X[:60], other="good")
    for i, (why, label) in enumerate(zip(bagging.reasons(X[:60], n=2), labels, strict=True)):
        assert (why.label, why.better) == (label, "good")
        spoke = sorted((-share, j) for j, share in enumerate(shares.shares[i].tolist()) if share > 1e-9)
        expected = [shares.columns[j] for _, j in spoke[:2]] if label == "bad" else []
        assert [reason.column for reason in why.reasons] == expected
    refused = next(why for why in bagging.reasons(X) if why.label == "bad" and len(why.reasons) == 2)
    first = refused.reasons[0]
    assert str(refused).startswith(f"bad and not good, because of {first}, ") and first.share > 0
    assert any(len(why.reasons) > 2 for why in bagging.reasons(X))
    assert "good, the better answer" in map(str, bagging.reasons(X[:60]))


def test_the_better_answer_is_the_one_that_has_to_be_earned(bagging):
    X, y = loans()
    assert {why.better for why in bagging.reasons(X[:5])} == {"good"}
    assert {why.better for why in bagging.reasons(X[:5], better="bad")} == {"bad"}
    equal = CostBagging(n_estimators=3).fit(X, y)  # every mistake costs 1
    most = max(("bad", "good"), key=y.tolist().count)
    assert {why.better for why in equal.reasons(X[:5])} == {most}
    equal._background = None
    with pytest.raises(ValueError, match="better must be given: bad, good are equally expensive"):
        equal.reasons(X[:5])
    numbers = CostBagging(n_estimators=3).fit(X, y == "good")
    assert type(numbers.reasons(X[:1])[0].better) is bool


def test_what_reasons_are_asked_for_is_checked(bagging):
    X, _ = loans()
    for n in (0, -1, 1.5, True, "all"):
        with pytest.raises((ValueError, TypeError), match="n must be"):
            bagging.reasons(X[:2], n=n)
    with pytest.raises(ValueError, match="better"):
        bagging.reasons(X[:2], better="excellent")


# ---- what is compared with ---------------------------------------------------------------------------------


def test_typical_rows_are_medians_and_most_frequent_categories():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=101), "b": rng.choice(["x", "y", "z"], 101), "c": np.nan})
    X.loc[:29, "a"] = np.nan
    codes = np.repeat([0, 1, 2], [40, 52, 9])
    table = Table.from_data(X)
    background = typical_rows(table, codes, 4, np.array([10.0, 30.0, 60.0, 0.0]))
    a, b, c = plain_columns(background.table)
    every = np.sort(X["a"].dropna())
    assert a[0] is None and a[1] == np.median(np.append(X["a"][40:92], -9))  # the lower of two middle ones
    assert a[2] == every[(len(every) - 1) // 2]  # a class with few rows has those of all
    assert b[0] == X["b"][:40].mode()[0] and b[2] == X["b"].mode()[0] and c == [None] * 3
    np.testing.assert_allclose(background.weight, [0.1, 0.3, 0.6])
    assert not background.kept and background.name == "typical rows"


def test_typical_rows_are_of_the_heaviest_classes_and_of_rows_that_count():
    table = Table.from_data(np.arange(400.0)[:, np.newaxis])
    codes = np.arange(400) // 2
    background = typical_rows(table, codes, 200, np.bincount(codes) * np.arange(200.0))
    assert len(background.weight) == MOST_BACKGROUND and background.weight.sum() == pytest.approx(1)
    assert len(background.class_shares) == 200
    assert read_rows(np.array([0.0, 2, 0, 1]), 4).tolist() == [1, 3]
    many = read_rows(None, 50_000)
    assert len(many) == MOST_READ and many[0] == 0 and many[-1] == 49_999
    assert drawn_rows(7).tolist() == list(range(7))
    drawn = drawn_rows(1000)
    assert len(set(drawn.tolist())) == MOST_BACKGROUND and (np.diff(drawn) > 0).all()


def test_weights_shape_the_shares_of_the_classes():
    X, y = loans()
    weight = np.where(y == "bad", 3.0, 1.0)
    model = C45Classifier().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model._background.class_shares[0], weight[y == "bad"].sum() / weight.sum())


def test_a_model_inside_another_one_notes_nothing():
    X, y = loans(120)
    guard = Guard(C45Classifier(), cv=3).fit(X, y)
    assert guard._background is not None and guard.estimator_._background is None
    assert "background" not in json.dumps(guard.to_dict()["state"])
    model = C45Classifier().fit(X, y).fit(X, CodedTarget.of(y))
    assert model._background is None
    for ensemble in (CostBagging(n_estimators=2), MetaCost(n_estimators=2), GBSE(n_estimators=2)):
        components = [
            *ensemble.fit(X, y).estimators_,
            *([ensemble.model_] if type(ensemble) is MetaCost else []),
        ]
        assert all(component._background is None for component in components)
        assert ensemble._background is not None


def test_rules_of_every_cut_off_have_typical_rows():
    X, y = loans(120)
    for rules in RuleClassifier(cost_matrix=LOANS).fit_path(X, y, [0.3, 0.8]):
        assert cost_shares(rules, X[:3]).compared_with == "typical rows"


def test_a_file_holds_rows_only_where_that_was_asked_for(tmp_path):
    X, y = loans()
    model = CostBagging(cost_matrix=LOANS, n_estimators=3).fit(X, y)
    incomes = set(X["income"].tolist())
    typical = model.to_dict()["background"]
    assert not typical["kept"] and len(typical["weights"]) == 2
    rows = list(zip(*typical["columns"], strict=True))
    whole = {tuple(None if pd.isna(v) else v for v in row) for row in X.itertuples(index=False)}
    assert not whole & set(rows)
    assert model.keep_background(X) is model
    kept = model.to_dict()["background"]
    assert kept["kept"] and len(kept["weights"]) == 100 and set(kept["columns"][0]) <= incomes
    model.to_json(tmp_path / "model.json")
    back = load_model(tmp_path / "model.json")
    assert json.dumps(back.to_dict()) == json.dumps(model.to_dict())
    assert back.explain(X[:3]).compared_with == "kept rows"
    np.testing.assert_array_equal(back.explain(X[:3]).shares, model.explain(X[:3]).shares)
    np.testing.assert_array_equal(model.explain(X[:3]).shares, model.explain(X[:3], background=X).shares)
    assert model.fit(X, y)._background.kept is False
    with pytest.raises(ValueError, match="feature names"):
        model.keep_background(X[["age", "debt"]])


def test_an_older_file_is_read_and_asks_for_a_background():
    path = Path(__file__).parent / "golden" / "saved" / "GBSE.json.gz"
    from stakes.models import model_from_dict

    model = model_from_dict(json.loads(gzip.decompress(path.read_bytes())))
    rows = typical_like(model)
    with pytest.raises(ValueError, match=r"background must be given: this GBSE remembers no typical rows"):
        model.explain(rows)
    shares = model.explain(rows, background=rows)
    np.testing.assert_allclose(shares.base + shares.shares.sum(axis=1), shares.difference, rtol=0, atol=1e-9)


def typical_like(model):
    """A few rows of the columns that a model knows."""
    arrays = [
        np.arange(4, dtype=np.int32) % len(column.categories) if column.is_nominal else np.arange(4.0)
        for column in model.schema_.columns
    ]
    return Table(model.schema_, arrays)


@pytest.mark.parametrize(
    "change, words",
    [
        (7, "must be a JSON object"),
        ({"weights": [2.0, -1.0]}, "weights must be numbers from 0"),
        ({"weights": []}, "weights must be numbers from 0"),
        ({"weights": [1 / 101] * 101}, "1 to 100 rows"),
        ({"weights": [1.0]}, "as many values in each column"),
        ({"class_shares": [1.0]}, "a share for each of the 2 classes"),
        ({"class_shares": [2.0, 0.0]}, "class_shares must be numbers from 0"),
        ({"kept": 1}, "true or false"),
        ({"columns": []}, "4 columns"),
        ({"columns": [[1.0, "x"]] * 4}, "must hold numbers"),
        ({"columns": [[1.0, 2.0]] * 4}, "column 'home' of the background must hold its categories"),
        ({"columns": [[1.0, 2.0]] * 3 + [["own", ["own"]]]}, "must hold its categories"),
        ({"columns": [[1.0, 2.0]] * 3 + ["own"]}, "must be a list"),
    ],
)
def test_a_damaged_background_is_answered_by_a_sentence(change, words):
    X, y = loans(60)
    model = C45Classifier().fit(X, y)
    document = model.to_dict()
    document["background"] = document["background"] | change if isinstance(change, dict) else change
    with pytest.raises(ValueError, match=words):
        type(model).from_dict(document)
    without = {key: value for key, value in model.to_dict().items() if key != "background"}
    assert type(model).from_dict(without)._background is None


def test_a_background_of_what_explains_nothing_is_left_alone():
    discretizer = MDLDiscretizer().fit(*loans(60))
    assert "background" not in discretizer.to_dict()
    MDLDiscretizer.from_dict(discretizer.to_dict() | {"background": {"kept": 7}})


def test_one_and_true_are_different_categories():
    table = Table.from_data(pd.DataFrame({"a": [True, False] * 10}))
    background = typical_rows(table, np.zeros(20, int), 1, np.ones(1))
    document = background.to_dict(None)
    assert Background.from_dict(document, None, 1).to_dict(None) == document
    with pytest.raises(ValueError, match="categories"):
        Background.from_dict(document | {"columns": [[1]]}, None, 1)
    for schema in (None, {"columns": 7}, {"columns": [{"name": 3, "kind": "numeric"}]}):
        with pytest.raises(ValueError, match="schema of the background"):
            Background.from_dict(document | {"schema": schema}, None, 1)


# ---- rows of any form --------------------------------------------------------------------------------------


def test_the_kind_of_frame_does_not_matter(bagging):
    X, _ = loans()
    objects = X.astype(object).to_numpy()
    objects[pd.isna(objects)] = None
    columns = {name: column.astype(object).where(column.notna(), None) for name, column in X.items()}
    polars = pl.DataFrame({name: column.tolist() for name, column in columns.items()})
    expected = bagging.explain(X[:6], background=X[50:80])
    for rows in (polars, Table.from_data(X)):
        shares = bagging.explain(rows[:6], background=rows[50:80])
        np.testing.assert_array_equal(shares.shares, expected.shares)
    assert [why.label for why in bagging.explain(polars[:6], background=X[50:80])] == [
        w.label for w in expected
    ]


def foreign():
    """A pipeline of another library that finds columns by their names."""
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["home"]), (StandardScaler(), ["income", "age"])
    )
    return make_pipeline(encode, LogisticRegression())


def whole_loans():
    X, y = loans()
    return X.assign(home=X["home"].fillna("none"), debt=X["debt"].fillna(0.0)), y


@pytest.mark.parametrize("form", ["objects", "categories", "polars"])
def test_a_pipeline_of_another_library_is_given_frames_like_its_own(form):
    X, y = whole_loans()
    X = {
        "objects": lambda: X,
        "categories": lambda: X.astype({"home": "category"}),
        "polars": lambda: pl.DataFrame(X.to_dict("list")),
    }[form]()
    model = MinExpectedCost(foreign(), cost_matrix=LOANS).fit(X, y)
    for background in (None, X[50:70]):
        shares = model.explain(X[:5], background)
        assert shares.columns == ("income", "debt", "age", "home")
        np.testing.assert_allclose(
            shares.base + shares.shares.sum(axis=1), shares.difference, rtol=0, atol=1e-9
        )
        assert np.abs(shares.shares[:, 1]).max() < 1e-12 < np.abs(shares.shares[:, 0]).min()  # drops debts
    assert isinstance(shares[0].values[3], str)
    assert model.keep_background(X).explain(X[:2]).compared_with == "kept rows"


def test_a_pipeline_of_a_tree_is_no_tree_of_these_columns():
    X, y = loans()
    X = X[["income", "age"]]
    model = MinExpectedCost(
        make_pipeline(StandardScaler(), C45Classifier(cost_use="none")), cost_matrix=LOANS
    )
    shares = model.fit(X, y).explain(X[:4])
    np.testing.assert_allclose(shares.base + shares.shares.sum(axis=1), shares.difference, rtol=0, atol=1e-9)


def test_rows_in_another_form_than_the_background():
    X, y = whole_loans()
    model = MinExpectedCost(foreign(), cost_matrix=LOANS).fit(X, y)
    with (
        pytest.warns(UserWarning, match="feature names"),
        pytest.raises(ValueError, match="background must have the form of X, which is a DataFrame"),
    ):
        model.explain(X[:2], background=X.to_numpy()[:5])
    with pytest.raises(ValueError, match="feature names"):
        model.explain(X[:2], background=X[["age", "debt", "home", "income"]])
    numbers = X[["income", "age"]].to_numpy()
    plain = MinExpectedCost(LogisticRegression(), cost_matrix=LOANS).fit(numbers, y)
    with pytest.raises(ValueError, match="features"):
        plain.explain(numbers[:2], background=numbers[:5, :1])
    assert plain.explain(numbers[:2].tolist(), background=numbers[:5].tolist()).columns == ("x0", "x1")


def test_rows_that_come_in_blocks_leave_no_typical_rows():
    X, y = loans()
    model = CostBagging(cost_matrix=LOANS, n_estimators=2).fit(lambda: iter([(X, y)]))
    with pytest.raises(ValueError, match="background must be given"):
        model.explain(X[:2])
    assert len(model.keep_background(X).explain(X[:2])) == 2


def test_x_that_is_no_table_can_be_fitted_all_the_same():
    texts = np.array(["good loan", "bad loan", "good", "bad"] * 5, dtype=object)
    from sklearn.feature_extraction.text import CountVectorizer

    model = MinExpectedCost(make_pipeline(CountVectorizer(), LogisticRegression()), cost_matrix=LOANS)
    y = np.array(["good", "bad"] * 10)
    assert model.fit(texts, y).predict(texts).tolist() == y.tolist() and model._background is None


def test_nothing_is_explained_before_fit():
    for method in ("explain", "reasons", "keep_background"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(CostBagging(), method)(np.zeros((2, 1)))
    for model in (Guard(C45Classifier()), MetaCost(), C45Classifier(), RuleClassifier()):
        with pytest.raises(ValueError, match="not fitted"):
            model.explain(np.zeros((2, 1)))
