"""What must not change the tree, or change it in a known way."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import c45
from oracles.c45 import Data, Options
from oracles.c45_ties import Agreement, as_nodes, core_split, same_tree
from oracles.tables import core_grow, core_model, options, seeded_table, tables
from stakes import C45Classifier

SEEDS = st.integers(0, 10**6)
CRITERIA = pytest.mark.parametrize("criterion", ["gain_ratio", "gain", "gini"])
#: In nodes of a handful of rows two columns often part the rows alike; then their order decides.
FAR_FROM_TIES = 8


def continuous(seed, n_rows=150, n_columns=4, n_classes=3, missing=0.0):
    """Numbers drawn from a continuum: no two splits tie but by accident."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n_rows)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    X[rng.random(X.shape) < missing] = np.nan
    weight = rng.uniform(0.5, 2.0, n_rows)  # and no two subsets weigh the same
    return X, y, weight


def same_arrays(a, b):
    """Whether two trees are the same to the last bit."""
    names = [field.name for field in dataclasses.fields(a)]
    return all(
        np.array_equal(getattr(a, name), getattr(b, name), equal_nan=name == "threshold") for name in names
    )


# ---- rows and weights --------------------------------------------------------------------------------------


@given(st.one_of(tables(), SEEDS.map(lambda seed: seeded_table(seed, 60))), options(dialect="c45"), st.data())
def test_doubling_a_row_is_weight_two(data, how, draw):
    n = len(data.classes)
    times = draw.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    rows = [i for i in range(n) for _ in range(times[i])]
    columns, classes = [[c[i] for i in rows] for c in data.columns], [data.classes[i] for i in rows]
    doubled = Data(columns, data.n_values, classes, data.n_classes)
    weighted = dataclasses.replace(data, weights=[float(t) for t in times])
    a, b = core_model(core_grow(doubled, how), data), core_model(core_grow(weighted, how), data)
    assert same_tree(as_nodes(a), as_nodes(b)) or has_ties(doubled, weighted, how)


def has_ties(doubled, weighted, how):
    """Whether the tree of the one is a tree of the other too, ties broken otherwise."""
    Agreement(weighted, how, core_model(core_grow(doubled, how), doubled)).check()
    return True


@given(tables(), options())
def test_rows_of_weight_zero_are_not_there(data, how):
    weights = data.weights or [1.0] * len(data.classes)
    keep = [i for i, w in enumerate(weights) if w > 0]
    part = Data([[c[i] for i in keep] for c in data.columns], data.n_values, [data.classes[i] for i in keep],
                data.n_classes, [weights[i] for i in keep])  # fmt: skip
    data.weights = weights
    assert same_arrays(core_model(core_grow(data, how), data), core_model(core_grow(part, how), data))


@given(st.one_of(tables(), SEEDS.map(seeded_table)), options())
def test_unit_weights_are_no_weights(data, how):
    data.weights = None
    ones = dataclasses.replace(data, weights=[1.0] * len(data.classes))
    assert same_arrays(core_model(core_grow(data, how), data), core_model(core_grow(ones, how), data))


@CRITERIA
@pytest.mark.parametrize("seed", range(4))
def test_order_of_rows(seed, criterion):
    X, y, weight = continuous(seed, missing=0.1 * (seed % 2))
    rows = np.random.default_rng(seed).permutation(len(y))
    one = C45Classifier(criterion=criterion, min_samples_leaf=FAR_FROM_TIES).fit(X, y, sample_weight=weight)
    other = C45Classifier(criterion=criterion, min_samples_leaf=FAR_FROM_TIES).fit(
        X[rows], y[rows], sample_weight=weight[rows]
    )
    assert same_tree(as_nodes(one.tree_), as_nodes(other.tree_))


@CRITERIA
@pytest.mark.parametrize("seed", range(4))
def test_order_of_columns(seed, criterion):
    X, y, weight = continuous(seed, missing=0.1 * (seed % 2))
    order = np.random.default_rng(seed).permutation(X.shape[1])
    one = C45Classifier(criterion=criterion, min_samples_leaf=FAR_FROM_TIES).fit(X, y, sample_weight=weight)
    other = C45Classifier(criterion=criterion, min_samples_leaf=FAR_FROM_TIES).fit(
        X[:, order], y, sample_weight=weight
    )
    feature = other.tree_.feature.copy()
    feature[feature >= 0] = order[feature[feature >= 0]]
    assert same_arrays(one.tree_, dataclasses.replace(other.tree_, feature=feature))


@CRITERIA
@pytest.mark.parametrize("seed", range(4))
def test_names_of_classes(seed, criterion):
    X, y, weight = continuous(seed, missing=0.1 * (seed % 2))
    names = np.array([7, 3, 5])  # sorted in another order than the codes
    one = C45Classifier(criterion=criterion, min_samples_leaf=FAR_FROM_TIES).fit(X, y, sample_weight=weight)
    other = C45Classifier(criterion=criterion, min_samples_leaf=FAR_FROM_TIES).fit(
        X, names[y], sample_weight=weight
    )
    order = [other.classes_.tolist().index(name) for name in names]
    nested = as_nodes(dataclasses.replace(other.tree_, class_weights=other.tree_.class_weights[:, order]))
    assert same_tree(as_nodes(one.tree_), nested)
    assert (names[one.predict(X)] == other.predict(X)).all()


@pytest.mark.parametrize("seed", range(6))
def test_permuting_with_ties_keeps_the_root(seed):
    """On coarse data ties are broken by order; what the best root saves does not depend on it."""
    data = seeded_table(seed, 100)
    data.weights = None
    rows = np.random.default_rng(seed).permutation(100)
    mixed = Data([[c[i] for i in rows] for c in data.columns], data.n_values, [data.classes[i] for i in rows],
                 data.n_classes)  # fmt: skip
    how = Options(criterion="gain", max_depth=1, collapse=False)
    a, b = (as_nodes(core_model(core_grow(d, how), d)) for d in (data, mixed))
    assert a.split.feature == b.split.feature
    np.testing.assert_allclose(*(sorted(child.class_weights for child in node.children) for node in (a, b)))


# ---- costs -------------------------------------------------------------------------------------------------

COSTS = np.array([[0, 1, 4], [2, 0, 1], [7, 3, 0]], dtype=float)


@pytest.mark.parametrize("cost_use", ["weights", "priors", "none"])
@pytest.mark.parametrize("decision", ["majority", "min_cost"])
@pytest.mark.parametrize("prune", ["error", "cost", None])
def test_scaling_all_costs(cost_use, decision, prune):
    X, y, _ = continuous(1, missing=0.1)
    how = {"cost_use": cost_use, "decision": decision, "prune": prune}
    one = C45Classifier(cost_matrix=COSTS, **how).fit(X, y)
    for factor in (0.25, 1024.0):  # powers of two, so that nothing is rounded
        other = C45Classifier(cost_matrix=factor * COSTS, **how).fit(X, y)
        assert same_arrays(one.tree_, other.tree_)
        assert (one.predict(X) == other.predict(X)).all()
    for factor in (1 / 3, 1e9):
        other = C45Classifier(cost_matrix=factor * COSTS, **how).fit(X, y)
        assert same_tree(as_nodes(one.tree_), as_nodes(other.tree_))


@pytest.mark.parametrize("cost_use", ["weights", "priors", "none"])
@pytest.mark.parametrize("decision", ["majority", "min_cost"])
@pytest.mark.parametrize("seed", range(3))
def test_equal_costs_are_c45(cost_use, decision, seed):
    X, y, _ = continuous(seed, missing=0.1)
    plain = C45Classifier().fit(X, y)
    equal = C45Classifier(cost_matrix=3 * (1 - np.eye(3)), cost_use=cost_use, decision=decision).fit(X, y)
    assert same_arrays(plain.tree_, equal.tree_)
    assert (plain.predict(X) == equal.predict(X)).all()


@pytest.mark.parametrize("cost_use", ["weights", "priors", "none"])
@pytest.mark.parametrize("decision", ["majority", "min_cost"])
def test_costs_per_example_of_a_matrix(cost_use, decision):
    X, y, _ = continuous(2)
    how = {"cost_use": cost_use, "decision": decision}
    by_class = C45Classifier(cost_matrix=COSTS, **how).fit(X, y)
    by_row = C45Classifier(**how).fit(X, y, costs=COSTS[y])
    assert same_tree(as_nodes(by_class.tree_), as_nodes(by_row.tree_))
    assert (by_class.predict(X) == by_row.predict(X)).all()


def test_priors_grow_like_weights():
    """C4.5 with altered priors differs from C4.5CS in pruning and labels only."""
    X, y, _ = continuous(3)
    by_weights = C45Classifier(cost_matrix=COSTS, prune=None).fit(X, y).tree_
    by_priors = C45Classifier(cost_matrix=COSTS, prune=None, cost_use="priors").fit(X, y).tree_
    for name in ("feature", "threshold", "first_child"):
        assert np.array_equal(getattr(by_weights, name), getattr(by_priors, name), equal_nan=True)
    assert by_priors.class_weights[0].tolist() == np.bincount(y).tolist()


# ---- values ------------------------------------------------------------------------------------------------


@CRITERIA
@pytest.mark.parametrize("dialect", ["c45", "j48"])
@pytest.mark.parametrize("seed", range(3))
def test_monotone_transformations_keep_the_partition(seed, dialect, criterion):
    """The threshold may be another one of the same gap; the training rows do not notice."""
    X, y, weight = continuous(seed)
    X = X.round(3)  # neighbours differ by far more than the least gap, before and after
    how = {"criterion": criterion, "dialect": dialect, "prune": None}
    one = C45Classifier(**how).fit(X, y, sample_weight=weight)
    bent = X.copy()
    bent[:, 0] = np.exp(X[:, 0])
    bent[:, 1] = 100 * X[:, 1] - 7
    bent[:, 2] = X[:, 2] ** 3 + 10 * X[:, 2]
    other = C45Classifier(**how).fit(bent, y, sample_weight=weight)
    assert np.array_equal(one.apply(X), other.apply(bent))
    assert np.array_equal(one.tree_.class_weights, other.tree_.class_weights)


def test_tiny_units_are_seen_in_the_default_dialect_only():
    X, y, _ = continuous(0)
    assert same_arrays(
        dataclasses.replace(C45Classifier().fit(X, y).tree_, threshold=np.empty(0)),
        dataclasses.replace(C45Classifier().fit(X * 2.0**-40, y).tree_, threshold=np.empty(0)),
    )
    assert C45Classifier(dialect="j48").fit(X * 2.0**-40, y).n_nodes_ == 1


# ---- threads and bins --------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_bins", [None, 64])
@pytest.mark.parametrize("max_leaf_nodes", [None, 31])
def test_threads_do_not_change_the_tree(max_bins, max_leaf_nodes):
    X, y, weight = continuous(0, n_rows=20_000, n_columns=6, missing=0.02)
    trees = [
        C45Classifier(n_jobs=n, max_bins=max_bins, max_leaf_nodes=max_leaf_nodes, max_depth=8)
        .fit(X, y, sample_weight=weight)
        for n in (None, 1, 2, 4)
    ]  # fmt: skip
    assert all(same_arrays(trees[0].tree_, tree.tree_) for tree in trees)
    assert all(np.array_equal(trees[0].predict_proba(X), tree.predict_proba(X)) for tree in trees)


@CRITERIA
@pytest.mark.parametrize("seed", range(6))
def test_few_values_need_no_bins(seed, criterion):
    """With fewer values than bins nothing is lost; the threshold may be another one of the same gap."""
    rng = np.random.default_rng(seed)
    X, y, weight = continuous(seed, n_rows=400)
    X = X.round(1)
    X[rng.random(X.shape) < 0.05 * (seed % 2)] = np.nan
    how = {"criterion": criterion, "prune": None, "collapse": False, "min_samples_leaf": FAR_FROM_TIES}
    exact = C45Classifier(**how).fit(X, y, sample_weight=weight)
    binned = C45Classifier(max_bins=255, **how).fit(X, y, sample_weight=weight)
    assert np.array_equal(exact.tree_.feature, binned.tree_.feature)
    assert np.array_equal(exact.apply(X), binned.apply(X))
    np.testing.assert_allclose(exact.tree_.class_weights, binned.tree_.class_weights, rtol=1e-9, atol=1e-9)


def coarse(seed):
    """A table whose numbers have one decimal: few distinct values."""
    data = seeded_table(seed, 120)
    for f, n in enumerate(data.n_values):
        if n is None:
            data.columns[f] = [None if v is None else round(v, 1) for v in data.columns[f]]
    return data


@given(SEEDS.map(coarse), options(dialect="c45", max_leaf_nodes=None))
def test_bins_of_coarse_tables(data, how):
    """Histograms, the largest child's got by subtraction, choose what counting every row chooses."""
    exact, binned = (as_nodes(core_model(core_grow(data, how, max_bins=b), data)) for b in (0, 255))
    assert same_partition_of_rows(exact, binned, data, how)


def test_grouping_forgives_rounding():
    """Subtracted histograms miss a group's whole weight by a last bit; that must not change the merging."""
    data, how = (
        coarse(905),
        Options(criterion="gini", min_samples_leaf=1.0, group_values=True, collapse=False),
    )
    exact, binned = (as_nodes(core_model(core_grow(data, how, max_bins=b), data)) for b in (0, 255))
    assert same_leaves(exact, binned)


def same_partition_of_rows(exact, binned, data, how):
    if same_leaves(exact, binned):
        return True
    # Where the two differ the binned tree must be one that ties allow.
    model = core_model(core_grow(data, how, max_bins=255), data)
    Agreement(data, how, relocated(model, data)).check()
    return True


def same_leaves(a, b):
    close = np.allclose(a.class_weights, b.class_weights, rtol=1e-9, atol=1e-9)
    if not close or len(a.children) != len(b.children):
        return False
    if a.children and a.split.feature != b.split.feature:
        return False
    return all(map(same_leaves, a.children, b.children))


def relocated(model, data):
    """The binned tree with thresholds where exact growing would put them."""
    threshold = model.threshold.copy()

    def below(node, rows):
        if model.feature[node] < 0:
            return
        f = int(model.feature[node])
        split = core_split(model, node)
        if split.threshold is not None:
            known = [data.columns[f][i] for i, _ in rows if data.columns[f][i] is not None]
            low = max(v for v in known if v <= split.threshold)
            high = min(v for v in known if v > split.threshold)
            threshold[node] = c45.data_threshold(data, f, low, high)
        for child, branch in zip(model.children(node), c45.hand_out(data, rows, split)[0]):
            below(child, branch)

    below(0, data.rows())
    return dataclasses.replace(model, threshold=threshold)
