"""Trees under prices: every criterion against its formula, limits that hold, and what gamma 0 means."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracles.c45 import Options
from oracles.c45_ties import as_nodes
from oracles.prices import DecidedByRounding, Walk
from oracles.tables import core_classes, core_model, core_table, core_weights, seeded_table
from stakes import C45Classifier, FeatureCosts, _core, datasets

PRICED = ["cs_gain", "cs_gain_ratio", "nunez", "mitchell", "norton", "tan"]


def prices_for(seed, n_columns):
    """Resources of their own, shared ones, and columns that are free."""
    rng = np.random.default_rng(seed)
    n = n_columns + 2
    price = rng.random(n) * rng.choice([0.02, 0.3, 2.0])
    needed = [sorted({f, *(n_columns + rng.integers(0, 2, rng.integers(0, 2)))}) for f in range(n_columns)]
    if rng.random() < 0.3:
        needed[0] = []
    return price, [[int(r) for r in row] for row in needed]


def core_prices(price, needed):
    start = np.cumsum([0, *map(len, needed)]).astype(np.int32)
    flat = np.array([r for row in needed for r in row], dtype=np.int32)
    return _core.Prices(price, price, np.full(len(price), -1, dtype=np.int32), start, flat)


def grow(data, options, price, needed, gamma, **more):
    tree = _core.grow_tree(
        core_table(data),
        core_classes(data),
        data.n_classes,
        core_weights(data),
        _core.GrowOptions(
            criterion=options.criterion,
            min_samples_leaf=options.min_samples_leaf,
            collapse=False,
            gamma=gamma,
            **more,
        ),
        core_prices(price, needed),
    )
    return core_model(tree, data)


def follow(walk, model):
    """Check a tree up to the node, if any, at which rounding decides."""
    with contextlib.suppress(DecidedByRounding):
        walk.check(as_nodes(model))


@pytest.mark.parametrize("criterion", PRICED)
@given(seed=st.integers(0, 10**6), gamma=st.sampled_from([0.0, 0.01, 0.1, 0.5, 1.0, 3.0]), own=st.booleans())
@example(seed=290, gamma=0.0, own=False)  # a gain that the penalty eats, up to rounding
@example(seed=2265, gamma=0.0, own=False)  # a gain of 0, up to rounding
@settings(max_examples=settings().max_examples // 3)
def test_every_split_is_the_best_by_its_formula(criterion, seed, gamma, own):
    data = seeded_table(seed, 60)
    price, needed = prices_for(seed, len(data.columns))
    options = Options(criterion=criterion, collapse=False)
    model = grow(data, options, price, needed, gamma, ratio_of_candidate=own)
    follow(Walk(data, options, price, needed, gamma, own), model)


@pytest.mark.parametrize("criterion", PRICED)
@given(
    seed=st.integers(0, 10**6),
    gamma=st.sampled_from([0.1, 0.5, 3.0]),
    at_loss=st.booleans(),
    reuse_free=st.booleans(),
)
@settings(max_examples=settings().max_examples // 4)
def test_splits_at_a_loss_and_columns_that_cost_again(criterion, seed, gamma, at_loss, reuse_free):
    data = seeded_table(seed, 60)
    price, needed = prices_for(seed, len(data.columns))
    options = Options(criterion=criterion, collapse=False)
    model = grow(data, options, price, needed, gamma, split_at_loss=at_loss, reuse_free=reuse_free)
    follow(Walk(data, options, price, needed, gamma, at_loss=at_loss, reuse_free=reuse_free), model)


@pytest.mark.parametrize("criterion", ["cs_gain", "cs_gain_ratio", "mitchell"])
def test_without_splits_at_a_loss_high_prices_leave_a_leaf(criterion):
    params = {"criterion": criterion, "gamma": 100, "feature_costs": dict.fromkeys(NAMES, 1.0)}
    assert C45Classifier(**params).fit(GERMAN.X, GERMAN.y).n_nodes_ == 1
    assert C45Classifier(split_at_loss=True, **params).fit(GERMAN.X, GERMAN.y).n_nodes_ > 1


@pytest.mark.parametrize("criterion", ["nunez", "norton", "mitchell"])
def test_a_column_that_costs_again_is_used_less_often(criterion):
    """Where it is free from the second time on, the one column that was bought is tested again and again."""
    params = {"criterion": criterion, "gamma": 5, "split_at_loss": True, "prune": None}
    trees = [
        C45Classifier(feature_costs=dict.fromkeys(NAMES, 1.0), reuse_cost=cost, **params)
        .fit(GERMAN.X, GERMAN.y)
        .fitted_tree_.tree
        for cost in ("free", "full")
    ]
    columns = [len(np.unique(tree.feature[tree.feature >= 0])) for tree in trees]
    assert columns[0] < columns[1]


def test_the_walk_has_something_to_check():
    """Trees that stop at the root would agree with anything."""
    n = 0
    for seed in range(10):
        data = seeded_table(seed, 60)
        price, needed = prices_for(seed, len(data.columns))
        options = Options(criterion="cs_gain", collapse=False)
        walk = Walk(data, options, price, needed, 0.05)
        walk.check(as_nodes(grow(data, options, price, needed, 0.05)))
        n += walk.n_checked
    assert n > 30


@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.0, 0.2, 0.5, 0.8]), path=st.booleans())
@example(seed=430593, share=0.2, path=False)  # a gain of 0, up to rounding
@example(seed=430593, share=0.2, path=True)
@settings(max_examples=settings().max_examples // 2)
def test_limits_are_followed_split_by_split(seed, share, path):
    data = seeded_table(seed, 60)
    price, needed = prices_for(seed, len(data.columns))
    limit = share * price[sorted({r for row in needed for r in row})].sum()
    limits = {"max_path_cost" if path else "max_upfront_cost": limit}
    options = Options(criterion="cs_gain", collapse=False)
    model = grow(data, options, price, needed, 0.01, **limits)
    upfront, on_path = (math.inf, limit) if path else (limit, math.inf)
    follow(Walk(data, options, price, needed, 0.01, True, upfront, on_path), model)


GERMAN = datasets.load("german")
NAMES = list(GERMAN.X.columns)


def random_costs(seed):
    rng = np.random.default_rng(seed)
    groups = {"bank": (rng.random(), {name: rng.random() for name in NAMES[:4]})}
    return FeatureCosts.from_groups(groups, {name: rng.random() for name in NAMES[4:]})


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("growth", ["depth_first", "best_first"])
@pytest.mark.parametrize("criterion", ["gain_ratio", "cs_gain", "norton"])
@pytest.mark.parametrize("prune", ["error", None])
def test_no_fitted_tree_exceeds_its_limits(seed, growth, criterion, prune):
    costs, X = random_costs(seed), GERMAN.X.mask(np.random.default_rng(seed).random(GERMAN.X.shape) < 0.05)
    tree = C45Classifier(
        feature_costs=costs,
        criterion=criterion,
        gamma=0.01,
        growth=growth,
        prune=prune,
        max_upfront_cost=2.5,
        max_path_cost=1.2,
    ).fit(X, GERMAN.y)
    assert prune or tree.n_nodes_ > 1
    assert tree.upfront_cost() <= 2.5 + 1e-9
    assert tree.path_cost(X).max() <= 1.2 + 1e-9
    assert C45Classifier(feature_costs=costs).fit(X, GERMAN.y).upfront_cost() > 2.5


@pytest.mark.parametrize("costed, plain", [("cs_gain", "gain"), ("cs_gain_ratio", "gain_ratio")])
@pytest.mark.parametrize("prune", ["error", None])
def test_gamma_zero_is_c45(costed, plain, prune):
    costs = random_costs(0)
    a = C45Classifier(criterion=costed, gamma=0, feature_costs=costs, prune=prune).fit(GERMAN.X, GERMAN.y)
    b = C45Classifier(criterion=plain, prune=prune).fit(GERMAN.X, GERMAN.y)
    assert a.export_text() == b.export_text()


def test_prices_buy_cheaper_trees():
    costs = random_costs(1)
    bills = [
        C45Classifier(criterion="cs_gain", gamma=gamma, feature_costs=costs)
        .fit(GERMAN.X, GERMAN.y)
        .upfront_cost()
        for gamma in (0, 0.01, 1.0)
    ]
    assert bills[0] > bills[1] > bills[2]


def test_both_bills_by_hand():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 10)
    y = np.array(["a", "a", "b", "c"] * 10)
    costs = FeatureCosts(
        {"visit": 5, "x0": 1, "x1": 2}, requires={"x0": {"visit", "x0"}, "x1": {"visit", "x1"}}
    )
    tree = C45Classifier(feature_costs=costs, criterion="cs_gain", gamma=1e-3).fit(X, y)
    assert tree.upfront_cost() == 8
    # Column 0 settles class a; the visit is paid once.
    assert tree.path_cost(X[:4]).tolist() == [6, 6, 8, 8]
    # Nothing known of column 0: half of the row goes each way.
    assert tree.path_cost([[np.nan, 1.0]]).tolist() == [7]
    assert C45Classifier().fit(X, y).upfront_cost() == 0
    again = C45Classifier.from_json(tree.to_json())
    assert again.upfront_cost() == 8 and again.feature_costs == tree.fitted_tree_.feature_costs
    assert again.path_cost(X).tolist() == tree.path_cost(X).tolist()


@pytest.mark.parametrize("cost_use", ["weights", "priors", "none"])
def test_prices_and_mistakes_together(cost_use):
    costs = random_costs(2)
    tree = C45Classifier(
        cost_matrix=GERMAN.cost_matrix,
        cost_use=cost_use,
        decision="min_cost",
        prune="cost",
        smoothing="laplace",
        criterion="cs_gain",
        gamma=0.02,
        feature_costs=costs,
    ).fit(GERMAN.X, GERMAN.y)
    dear = C45Classifier(cost_matrix=GERMAN.cost_matrix, cost_use=cost_use, feature_costs=costs).fit(
        GERMAN.X, GERMAN.y
    )
    assert 0 < tree.upfront_cost() < dear.upfront_cost()


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"criterion": "cs_gain"}, "feature_costs must say what columns cost, since criterion='cs_gain'"),
        ({"max_path_cost": 3.0}, "since a limit on costs is given"),
        ({"feature_costs": {"age": 1}}, "no price for the columns"),
        ({"feature_costs": [1.0, 2.0]}, "one number per column"),
        ({"feature_costs": dict.fromkeys(NAMES, -1.0)}, "at least 0"),
        ({"feature_costs": dict.fromkeys(NAMES, np.nan)}, "finite"),
        ({"gamma": -1.0}, "'gamma' parameter"),
        ({"growth": "sideways"}, "'growth' parameter"),
        ({"max_upfront_cost": -2}, "'max_upfront_cost' parameter"),
    ],
)
def test_bad_prices_get_a_sentence(settings, message):
    with pytest.raises(ValueError, match=message):
        C45Classifier(**settings).fit(GERMAN.X, GERMAN.y)


@pytest.mark.parametrize("group, second", [("blood", "b"), (None, "c")])
def test_what_a_test_opens_makes_the_next_of_its_group_cheaper(group, second):
    """Columns b and c are the same; b is dearer, but not for those whose blood was taken for a."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 200))
    X = pd.DataFrame({"a": a, "b": b, "c": b}).astype(float)
    later = None if group is None else {"a": (group, 0.1), "b": (group, 0.1)}
    prices = FeatureCosts({"a": 0.2, "b": 9.0, "c": 1.0}, later=later)
    tree = C45Classifier(criterion="cs_gain", feature_costs=prices, gamma=0.05, prune=None)
    fitted = tree.fit(X, a & b).fitted_tree_.tree
    assert [X.columns[column] for column in fitted.feature if column >= 0] == ["a", second]
