"""Importances of columns in cost: what a test saves, through rules, ensembles and wrappers."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stakes import (
    GBSE,
    BoostedStakes,
    C45Classifier,
    CostBagging,
    Guard,
    GuardWarning,
    MetaCost,
    MinExpectedCost,
    RuleClassifier,
)
from stakes.boosted import trees
from stakes.tree.words import example

COSTS = [[0.0, 5.0], [1.0, 0.0]]


def rows(n_rows=120, seed=0):
    """A number and a town that decide, and noise."""
    rng = np.random.default_rng(seed)
    X = np.empty((n_rows, 3), dtype=object)
    X[:, 0] = size = rng.normal(size=n_rows)
    X[:, 1] = rng.normal(size=n_rows)
    X[:, 2] = town = rng.choice(["north", "south", "west"], n_rows)
    return X, np.where(size + (town == "west") > 0.3, 1, 0)


def test_a_test_saves_what_its_branches_cost_less():
    fitted = example()  # bad taken for good costs 5, the other way 1; counts are (bad, good)
    # root 34, 60: always bad, 60. Branches: 25, 5 -> 5; 9, 55 -> good, 45.
    # second: 9, 23 -> bad, 23; 0, 32 -> 0. third: 2, 22 -> good, 10; 7, 1 -> bad, 1.
    np.testing.assert_array_equal(fitted.column_savings(), [(60 - 50) + (45 - 23), 23 - 11])


def test_the_sum_is_what_the_tree_saves_over_the_best_constant():
    X, y = rows()
    model = C45Classifier(cost_matrix=COSTS, decision="min_cost").fit(X, y)
    fitted = model.fitted_tree_
    leaves = fitted.node_costs()[fitted.tree.leaves].sum()
    constant = min(5 * (y == 0).sum(), (y == 1).sum())
    assert fitted.column_savings().sum() == pytest.approx(constant - leaves)
    np.testing.assert_allclose(
        model.feature_importances_, fitted.column_savings() / fitted.column_savings().sum()
    )


def test_rounding_is_no_saving():
    fitted = replace(example(), observed=example().counts / 10, costs=np.full((2, 2), 0.1))
    cheapest = (fitted.counts @ fitted.costs).min(axis=1)
    assert cheapest[0] != cheapest[1] + cheapest[2]  # as numbers
    assert fitted.column_savings().tolist() == [0.0, 0.0]


def test_a_rule_saves_over_the_answer_given_where_none_applies():
    X, y = rows()
    model = RuleClassifier(cost_matrix=COSTS, max_length=2).fit(X, y)
    rules = model.rule_set_
    saved = np.zeros(3)
    for i in range(len(rules)):
        columns = [column for column, _ in rules.conditions(i)]
        cost = rules.class_weights[i] @ rules.costs
        saved[columns] += max(0.0, cost[rules.fallback] - cost[rules.label[i]]) / len(columns)
    assert saved.sum() > 0
    np.testing.assert_allclose(model.feature_importances_, saved / saved.sum())


def test_a_wrapper_counts_by_its_own_costs_and_a_constant_has_none():
    X, y = rows()
    plain = C45Classifier(cost_use="none")
    model = MinExpectedCost(plain, cost_matrix=COSTS).fit(X, y)
    alone = plain.fit(X, y)
    expected = alone.fitted_tree_.decided_by(np.array(COSTS)).column_savings()
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum())
    with pytest.warns(GuardWarning):
        guarded = Guard(C45Classifier()).fit(X, np.random.default_rng(1).integers(0, 2, len(y)))
    assert guarded.feature_importances_.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("inner", [DecisionTreeClassifier(random_state=0), LogisticRegression()])
@pytest.mark.parametrize("kind", [GBSE, CostBagging])
def test_one_hot_columns_are_put_together(kind, inner):
    X, y = rows()
    model = kind(inner, cost_matrix=COSTS, n_estimators=3).fit(X, y)
    importances = model.feature_importances_
    assert importances.shape == (3,) and importances.sum() == pytest.approx(1)
    assert importances[1] < 0.3 < importances[0]
    first = model.estimators_[0]
    own = np.abs(first.coef_[0]) if hasattr(first, "coef_") else first.feature_importances_
    hot = own[:5] / own[:5].sum()
    if kind is CostBagging:
        np.testing.assert_allclose(model._layout.importances(first), [hot[0], hot[1], hot[2:].sum()])


def test_a_later_round_counts_as_it_is_mixed():
    X, y = rows()
    model = CostBagging(cost_matrix=COSTS, n_estimators=3, alpha=lambda t: 1.0 if t == 2 else 0.25).fit(X, y)
    second, third = (model._component_savings(component) for component in model.estimators_[1:])
    np.testing.assert_allclose(model.feature_importances_, 0.75 * second + 0.25 * third)


def test_metacost_has_those_of_its_one_model():
    X, y = rows()
    model = MetaCost(cost_matrix=COSTS, n_estimators=3).fit(X, y)
    np.testing.assert_array_equal(model.feature_importances_, model.model_.feature_importances_)
    bagged = MetaCost(cost_matrix=COSTS, n_estimators=3, relearn=False).fit(X, y)
    assert bagged.feature_importances_.sum() == pytest.approx(1)


def column_savings_slowly(model, X, row_costs):
    """Exchange the values themselves, and ask the model for each column."""
    other = np.random.default_rng(0).permutation(len(X))

    def cost(rows):
        return row_costs[np.arange(len(rows)), model.predict(rows)].sum()

    savings = np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        mixed = X.copy()
        mixed[:, j] = X[other, j]
        savings[j] = max(0.0, cost(mixed) - cost(X))
    return savings


def test_boosted_stakes_and_older_files(monkeypatch):
    monkeypatch.setattr(trees, "ROUNDS", (20,))
    X, y = rows()
    model = BoostedStakes(cost_matrix=COSTS).fit(X, y)
    importances = model.feature_importances_
    assert importances[0] > importances[2] > importances[1]
    savings = column_savings_slowly(model, X, np.array(COSTS)[y])
    np.testing.assert_allclose(importances, savings / savings.sum())
    document = json.loads(model.to_json())
    del document["state"]["savings"]
    older = BoostedStakes.from_dict(document)
    assert not hasattr(older, "feature_importances_")
    with pytest.raises(AttributeError, match="older than that; fit it again"):
        _ = older.feature_importances_
    for damaged in ([1.0], [1.0, -1.0, 0.0], "many"):
        document["state"]["savings"] = damaged
        with pytest.raises(ValueError, match="savings"):
            BoostedStakes.from_dict(document)


@pytest.mark.parametrize(
    "inner",
    [KNeighborsClassifier(), make_pipeline(StandardScaler(), LogisticRegression())],
)
def test_what_has_none_says_so(inner):
    X, y = rows()
    model = Guard(inner)
    with pytest.raises(NotFittedError):
        _ = model.feature_importances_
    model.fit(X[:, :2].astype(float), y)
    assert not hasattr(model, "feature_importances_")
    with pytest.raises(
        AttributeError, match=f"the {type(inner).__name__} inside has no feature_importances_"
    ):
        _ = model.feature_importances_


def test_columns_are_selected_by_them():
    X, y = rows()
    X = X[:, :2].astype(float)
    chosen = SelectFromModel(C45Classifier(cost_matrix=COSTS)).fit(X, y).get_support()
    assert chosen.tolist() == [True, False]
