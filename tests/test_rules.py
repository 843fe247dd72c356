"""RuleClassifier: silence, fallback, costs, cut-offs, reading and exports."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from stakes import C45Classifier, CostMatrix, RuleClassifier, load_model
from stakes.metrics import cost_with_abstention, coverage
from stakes.rules import RuleSearchWarning
from stakes.rules.path import cheapest


def loans(n_rows=400, seed=0):
    """Half of the town is clear, the other half is a coin toss."""
    rng = np.random.default_rng(seed)
    income = rng.uniform(0, 100, n_rows).round(1)
    housing = rng.choice(["own", "rent", "free"], n_rows).astype(object)
    noise = rng.normal(size=n_rows)
    good = np.where(housing == "own", income > 40, rng.random(n_rows) < 0.6)
    income[::23] = np.nan
    housing[::29] = None
    return pd.DataFrame({"income": income, "housing": housing, "noise": noise}), np.where(good, "good", "bad")


@pytest.fixture(scope="module")
def fitted():
    X, y = loans()
    return RuleClassifier(t_good=0.3).fit(X, y), X, y


# ---- silence -----------------------------------------------------------------------------------------------


def test_rows_without_a_rule_are_undecided(fitted):
    model, X, _ = fitted
    decision = model.decide(X)
    silent = model.apply(X) < 0
    assert 0.2 < silent.mean() < 0.9
    np.testing.assert_array_equal(decision.undecided, silent)
    assert all(label is None for label in decision.labels[silent])
    assert np.isnan(decision.expected_cost[silent]).all()
    assert np.isfinite(decision.expected_cost[~silent]).all()
    assert coverage(decision) == pytest.approx(1 - silent.mean())


def test_predict_answers_always(fitted):
    model, X, _ = fitted
    silent = model.apply(X) < 0
    labels = model.predict(X)
    np.testing.assert_array_equal(labels[~silent], model.decide(X).labels[~silent].astype(labels.dtype))
    assert set(labels[silent]) == {model.classes_[model.rule_set_.fallback]}


def test_the_fallback_is_the_class_of_least_cost():
    X, y = loans()
    plain = RuleClassifier(t_good=0.3).fit(X, y)
    careful = RuleClassifier(t_good=0.3, cost_matrix={("bad", "good"): 50, ("good", "bad"): 1}).fit(X, y)
    assert plain.classes_[plain.rule_set_.fallback] == "good"
    assert careful.classes_[careful.rule_set_.fallback] == "bad"


def test_missing_values_meet_no_condition(fitted):
    model = fitted[0]
    nothing = pd.DataFrame({"income": [np.nan], "housing": [None], "noise": [np.nan]})
    assert model.apply(nothing).tolist() == [-1]
    whole = RuleClassifier(t_good=1.0, keep_whole=True).fit(*loans())
    assert whole.apply(nothing.assign(noise=1.0)).tolist() != [-1]
    assert whole.apply(nothing).tolist() == [-1]


def test_an_abstain_cost_leaves_more_undecided(fitted):
    model, X, _ = fitted
    assert model.decide(X, 0.0).undecided.all()
    dear, cheap = model.decide(X, 0.9), model.decide(X, 0.02)
    assert dear.undecided.sum() < cheap.undecided.sum() < len(X)
    assert (dear.expected_cost[dear.undecided] == 0.9).all()


def test_another_classifier_answers_the_rest():
    X, y = loans()
    tree = C45Classifier().fit(X, y)
    model = RuleClassifier(t_good=0.3, fallback=tree).fit(X, y)
    silent = model.apply(X) < 0
    np.testing.assert_array_equal(model.predict(X)[silent], tree.predict(X)[silent])
    np.testing.assert_allclose(model.predict_proba(X)[silent], tree.predict_proba(X)[silent])
    assert model.fallback_ is tree
    again = clone(model).fit(X, y)  # the clone's fallback is not fitted: it is fitted with the rules
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    back = load_model_of(model)
    np.testing.assert_array_equal(back.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="abstain"):
        model.export_sql()


def load_model_of(model):
    return load_model_of_document(model.to_dict())


def load_model_of_document(document):
    from stakes.models import model_from_dict

    return model_from_dict(json.loads(json.dumps(document)))


def test_a_fallback_must_know_the_same_classes():
    X, y = loans()
    document = RuleClassifier(t_good=0.3, fallback=C45Classifier()).fit(X, y).to_dict()
    document["state"]["fallback"]["state"]["model"]["classes"]["labels"][0] = "evil"
    with pytest.raises(ValueError, match="the fallback has unknown labels 'evil'; the labels are 'bad'"):
        load_model_of_document(document)
    other = C45Classifier().fit(X, np.where(y == "bad", "evil", "good"))
    with pytest.raises(ValueError, match="the fallback has unknown labels 'evil'"):
        RuleClassifier(t_good=0.3, fallback=other).fit(X, y)


class Stranger(ClassifierMixin, BaseEstimator):
    """Says only when asked which classes it knows."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.full(len(X), "evil")


def test_a_fallback_answers_no_other_class():
    X, y = loans()
    model = RuleClassifier(t_good=0.3, fallback=Stranger()).fit(X, y)
    assert (model.apply(X) < 0).any()
    with pytest.raises(ValueError, match="the fallback has unknown labels 'evil'"):
        model.predict(X)


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("n_jobs", 0, "n_jobs"),
        ("min_support", [0.1], "min_support must have one number for each of the 2 classes"),
        ("min_support", [0.1, "a"], "min_support must be finite and at least 0"),
        ("min_support", {"worse": 3}, "min_support names 'worse', but the classes are"),
        ("t_good_values", ["a"], "t_good_values must be at least one number from 0 to 1, got 'a'"),
        ("t_good_values", [0.1, 7.0], "t_good_values must be at least one number from 0 to 1"),
        ("class_costs", [1.0], "class_costs must have one number for each of the 2 classes"),
    ],
)
def test_parameters_of_a_file_are_checked(name, value, words):
    document = RuleClassifier(t_good=0.3).fit(*loans()).to_dict()
    document["params"][name] = value
    with pytest.raises(ValueError, match=words):
        load_model_of_document(document)


def test_a_fallback_that_cannot_be_written():
    X, y = load_iris(return_X_y=True)
    model = RuleClassifier(fallback=DecisionTreeClassifier()).fit(X, y)
    with pytest.raises(TypeError, match="a DecisionTreeClassifier inside cannot be written"):
        model.to_dict()


def test_no_rule_at_all():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    model = RuleClassifier(t_good=0.0).fit(X, y)
    assert len(model.rules_) == 0 and str(model.rules_) == "no rule"
    assert model.decide(X).undecided.all()
    assert len(set(model.predict(X))) == 1
    assert model.export_sql(abstain=True) == "NULL"
    assert load_model_of(model).decide(X).undecided.all()


# ---- costs -------------------------------------------------------------------------------------------------


def recall(model, X, y, label):
    return np.mean(model.decide(X).labels[y == label] == label)


def test_the_dearer_class_is_found_more_often():
    X, y = loans(800)
    found = [
        [recall(RuleClassifier(t_good=0.8, class_costs={"bad": b, "good": g}).fit(X, y), X, y, label)
         for b, g in ((5, 1), (1, 1), (1, 5))]
        for label in ("bad", "good")
    ]  # fmt: skip
    assert found[0][0] > found[0][1] > found[0][2]
    assert found[1][0] < found[1][1] < found[1][2]


def test_class_costs_are_rows_of_a_matrix():
    X, y = loans()
    vector = RuleClassifier(class_costs=[3.0, 1.0]).fit(X, y)
    by_label = RuleClassifier(class_costs={"bad": 3.0, "good": 1.0}).fit(X, y)
    matrix = RuleClassifier(cost_matrix=CostMatrix([[0, 3], [1, 0]], ["bad", "good"])).fit(X, y)
    assert str(vector.rules_) == str(matrix.rules_) == str(by_label.rules_)
    assert vector.cost_matrix_ == matrix.cost_matrix_


def test_costs_per_example_equal_to_class_costs_change_nothing():
    X, y = loans()
    costs = np.where(np.array(["bad", "good"]) == y[:, None], 0.0, np.where(y == "bad", 3.0, 1.0)[:, None])
    own = RuleClassifier(t_good=0.6).fit(X, y, costs=costs)
    shared = RuleClassifier(t_good=0.6, class_costs=[3.0, 1.0]).fit(X, y)
    assert str(own.rules_) == str(shared.rules_)


def test_marking_all_classes_makes_fewer_rules():
    X, y = loans(800)
    n_rules = [
        len(RuleClassifier(t_good=0.8, mark=mark, class_costs=[5.0, 1.0]).fit(X, y).rules_)
        for mark in ("predicted", "all")
    ]
    assert n_rules[0] >= n_rules[1] > 0


def test_weights_are_repeated_rows():
    X, y = loans()
    weight = np.random.default_rng(1).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    weighted = RuleClassifier(t_good=0.5).fit(X, y, sample_weight=weight)
    repeated = RuleClassifier(t_good=0.5).fit(X.iloc[rows], y[rows])
    assert str(weighted.rules_) == str(repeated.rules_)


def test_support_per_class():
    X, y = loans()
    rules = RuleClassifier(t_good=0.6, min_support={"bad": 30, "good": 3}).fit(X, y).rules_
    least = {
        label: min((r.support for r in rules if r.label == label), default=99) for label in ("bad", "good")
    }
    assert least["bad"] >= 30 and least["good"] >= 3


# ---- cut-offs ----------------------------------------------------------------------------------------------


def test_a_path_is_the_single_fits():
    X, y = loans()
    for model in RuleClassifier().fit_path(X, y, [0.7, 0.2, 0.4]):
        alone = RuleClassifier(t_good=model.t_good).fit(X, y)
        assert str(alone.rules_) == str(model.rules_) and model.t_good_ == model.t_good
        np.testing.assert_array_equal(alone.predict(X), model.predict(X))


def test_stricter_rules_decide_less_and_better():
    X, y = loans(800)
    points = RuleClassifier().coverage_path(X, y, [0.2, 0.95])
    assert points[0].coverage < points[1].coverage
    assert points[0].accuracy > points[1].accuracy
    test = RuleClassifier().coverage_path(X, y, [0.2], test=loans(seed=1))[0]
    model = RuleClassifier(t_good=0.2).fit(X, y)
    decision, actual = model.decide(loans(seed=1)[0]), loans(seed=1)[1]
    assert test.coverage == pytest.approx(coverage(decision))
    assert test.accuracy == pytest.approx(
        np.mean(decision.labels[~decision.undecided] == actual[~decision.undecided])
    )


def test_the_price_of_silence_chooses_the_cut_off():
    X, y = loans(800)
    dear, cheap = (RuleClassifier(abstain_cost=price).fit(X, y) for price in (1.0, 0.05))
    assert cheap.decide(X).undecided.sum() > dear.decide(X).undecided.sum()
    assert dear.t_good_ == cheapest(dear.coverage_path_).t_good
    point = next(p for p in cheap.coverage_path_ if p.t_good == cheap.t_good_)
    assert all(point.total_cost <= other.total_cost + 1e-12 for other in cheap.coverage_path_)
    # a cut-off that is given is kept
    assert RuleClassifier(t_good=0.4, abstain_cost=0.1).fit(X, y).t_good_ == 0.4


def test_the_bill_has_mistakes_tests_and_silence():
    X, y = loans()
    prices = {"income": 0.2, "housing": 0.1, "noise": 5.0}
    model = RuleClassifier(t_good=0.3, abstain_cost=0.4, feature_costs=prices).fit(X, y)
    (point,) = model.coverage_path(X, y, [0.3], test=(X, y))
    paid = cost_with_abstention(y, model.decide(X).labels, abstain_cost=0.4)
    looked = model.path_cost(X)
    assert set(np.round(looked, 9)) <= {0.2, 0.1, 0.3}
    assert point.tests == pytest.approx(looked.mean())
    assert model.upfront_cost() == pytest.approx(0.3)
    assert point.mistakes + point.abstention == pytest.approx(paid)
    assert point.total_cost == pytest.approx(point.mistakes + point.tests + point.abstention)


# ---- bounds ------------------------------------------------------------------------------------------------


def test_a_bound_is_told_with_what_to_change():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"x{j}": rng.choice(list("abc"), 300) for j in range(12)})
    y = rng.integers(0, 2, 300)
    with pytest.warns(RuleSearchWarning, match=r"rules of length \d+ only the \d+ .*raise max_candidates"):
        RuleClassifier(t_good=0.1, max_candidates=5000).fit(X, y)
    with pytest.warns(RuleSearchWarning, match="raise max_memory"):
        RuleClassifier(t_good=0.1, max_memory=0.05).fit(X, y)


# ---- reading -----------------------------------------------------------------------------------------------


def test_rules_are_a_table(fitted):
    model = fitted[0]
    frame = model.rules_.to_frame()
    assert list(frame.columns) == ["conditions", "class", "quality", "support", "coverage", "cost"]
    assert len(frame) == len(model.rules_) >= 2
    assert (frame["quality"].diff().dropna() >= -1e-12).all()
    assert (frame["support"] <= frame["coverage"]).all()
    first = model.rules_[0]
    assert str(first).startswith("if ") and f"then {first.label}" in str(first)
    assert len(model.rules_[:1]) == 1


def test_counts_of_a_rule_are_those_of_its_rows():
    X, y = loans()
    model = RuleClassifier(t_good=0.6).fit(X, y)
    codes = model.rule_set_.bins.codes(model.rule_set_.schema.encode(X))
    for i, rule in enumerate(model.rules_):
        rows = np.logical_and.reduce([codes[f] == v for f, v in model.rule_set_.conditions(i)])
        assert rule.coverage == rows.sum() and rule.support == (y[rows] == rule.label).sum()
        assert rule.cost == (y[rows] != rule.label).sum()


def test_neighbouring_intervals_are_merged_for_reading():
    # a, b and a again: b takes two neighbouring intervals, since c is rare in one of them
    x = np.concatenate([np.full(60, 1.0), np.full(60, 2.0), np.full(60, 3.0), np.full(60, 4.0)])
    y = np.array(["a"] * 60 + ["b"] * 60 + ["b"] * 45 + ["a"] * 15 + ["c"] * 60)
    model = RuleClassifier(t_good=0.8).fit(pd.DataFrame({"x": x}), y)
    assert len(model.rules_) == 4
    merged = model.rule_table()
    assert len(merged) == 3
    both = next(rule for rule in merged if rule.label == "b")
    assert both.conditions == ("1.5 < x <= 3.5",)
    assert both.support == 105 and both.coverage == 120
    assert "1.5 < x <= 3.5" in model.export_text() and "1.5 < x <= 3.5" not in model.export_text(merged=False)


def test_categories_are_merged_for_reading():
    X = pd.DataFrame({"town": np.repeat(["n", "s", "w"], 40)})
    y = np.repeat(["a", "a", "b"], 40)
    rules = RuleClassifier().fit(X, y).rule_table()
    assert sorted(rule.conditions[0] for rule in rules) == ["town is 'n' or 's'", "town is 'w'"]


def test_explanations(fitted):
    model, X, _ = fitted
    rows = model.explain(X)
    decision = model.decide(X)
    assert [why.label for why in rows] == decision.labels.tolist()
    silent = next(why for why in rows if why.rule is None)
    assert "undecided" in str(silent)
    flowers, species = load_iris(return_X_y=True)
    loose = RuleClassifier(t_good=0.9).fit(flowers, species)
    contested = [why for why in loose.explain(flowers) if any(r.label != why.label for r in why.overruled)]
    assert contested
    for why in contested:
        assert "overruled: if" in str(why)
        assert all(rule.quality >= why.rule.quality - 1e-12 for rule in why.overruled)


@pytest.mark.parametrize("abstain", [False, True])
@pytest.mark.parametrize("cost", [None, {("bad", "good"): 5, ("good", "bad"): 1}])
def test_sql_answers_as_the_rules_do(abstain, cost):
    X, y = loans()
    X = X.rename(columns={"income": 'in"come', "noise": "group"})
    model = RuleClassifier(t_good=0.7, cost_matrix=cost, keep_whole=True).fit(X, y)
    base = sqlite3.connect(":memory:")
    base.execute('CREATE TABLE loans ("in""come" REAL, housing TEXT, "group" REAL)')
    base.executemany(
        "INSERT INTO loans VALUES (?, ?, ?)", X.astype(object).where(X.notna(), None).to_numpy().tolist()
    )
    answers = [row[-1] for row in base.execute(model.export_sql(table="loans", abstain=abstain))]
    base.close()
    assert answers == (model.decide(X).labels.tolist() if abstain else model.predict(X).tolist())


# ---- saving ------------------------------------------------------------------------------------------------


def test_saved_and_read(tmp_path, fitted):
    model, X, _ = fitted
    model.to_json(tmp_path / "rules.json")
    back = load_model(tmp_path / "rules.json")
    assert str(back.rules_) == str(model.rules_)
    np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(back.decide(X).undecided, model.decide(X).undecided)
    assert back.t_good_ == model.t_good_


@pytest.mark.parametrize(
    "name, value",
    [
        ("start", [1, 2]),
        ("feature", [99]),
        ("value", [-1]),
        ("label", [7]),
        ("quality", [3.0]),
        ("class_weights", [[1.0]]),
        ("silent_weights", [-1.0, 0.0]),
        ("costs", [[0.0]]),
        ("t_good", "x"),
        ("bins", {}),
        ("classes", None),
    ],
)
def test_damaged_documents(fitted, name, value):
    document = fitted[0].to_dict()
    if isinstance(value, list) and name in ("feature", "value", "label", "quality"):
        value = value + document["state"]["model"][name][1:]
    document["state"]["model"] = document["state"]["model"] | {name: value}
    with pytest.raises(ValueError):
        RuleClassifier.from_dict(document)


# ---- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
@pytest.mark.parametrize(
    "params, words",
    [
        ({"t_good": 1.5}, "t_good"),
        ({"t_good": "auto"}, "t_good"),
        ({"t_bad": -0.1}, "t_bad"),
        ({"min_support": -1}, "min_support"),
        ({"min_support": {"ugly": 3}}, "min_support names 'ugly'"),
        ({"min_support": {"bad": -3}}, "min_support must be finite"),
        ({"max_length": 0}, "max_length"),
        ({"mark": "none"}, "mark"),
        ({"class_costs": [1.0]}, "class_costs must have one number for each of the 2 classes"),
        ({"class_costs": {"bad": 1.0}}, "class_costs must name every class"),
        ({"class_costs": [1.0, np.nan]}, "class_costs must be finite"),
        ({"class_costs": [1.0, 2.0], "cost_matrix": [[0, 1], [1, 0]]}, "together"),
        ({"cost_matrix": [[0, -1], [1, 0]]}, "negative|at least 0"),
        ({"abstain_cost": -1}, "abstain_cost"),
        ({"feature_costs": {"income": 1.0}}, "housing|feature"),
        ({"validation_fraction": 0.9}, "validation_fraction"),
        ({"fallback": 3}, "fallback"),
        ({"t_good_values": [], "abstain_cost": 1.0}, "t_good_values"),
        ({"t_good_values": [2.0], "abstain_cost": 1.0}, "t_good_values"),
        ({"cv": 1, "abstain_cost": 1.0}, "cv"),
        ({"max_candidates": 0}, "max_candidates"),
        ({"max_memory": 0}, "max_memory"),
    ],
)
def test_bad_parameters(params, words):
    with pytest.raises(ValueError, match=words):
        RuleClassifier(**params).fit(*loans(60))


def test_bad_price_of_silence(fitted):
    with pytest.raises(ValueError, match="abstain_cost"):
        fitted[0].decide(fitted[1], [0.1, 0.2])
