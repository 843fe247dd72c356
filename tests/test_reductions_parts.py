"""The parts of the reductions by hand: what components read, samples, weights of rows, rounds of boosting."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from stakes import (
    GBSE,
    AverageCost,
    C45Classifier,
    CostBagging,
    CostBoosting,
    Costing,
    CostMatrix,
    DataSpaceExpansion,
    IterativeWeighting,
    MetaCost,
    SamplingWarning,
    Table,
)
from stakes.reductions import _training
from stakes.reductions._components import (
    Constant,
    Layout,
    component_from_dict,
    component_to_dict,
    fit_component,
    probabilities,
    relation,
    votes,
)
from stakes.reductions._rows import Rows, joined, slices
from stakes.reductions._sampling import Sample, Sampler, uniforms
from stakes.reductions._training import Training
from stakes.reductions.boosting import VARIANTS, boosted_weights, scaled
from test_reductions import COSTS, problem

# ---- parameters --------------------------------------------------------------------------------------------

COMMON = {
    "estimator": None,
    "cost_matrix": None,
    "n_estimators": 30,
    "alpha": None,
    "sampling": "rejection",
    "max_samples": None,
    "decision": None,
    "n_iter_no_change": None,
    "validation_fraction": 0.1,
    "categorical_features": None,
    "warm_start": False,
    "n_jobs": None,
    "random_state": 0,
}


@pytest.mark.parametrize(
    "cls, own",
    [
        (GBSE, {}),
        (AverageCost, {}),
        (CostBagging, {"use_proba": True, "bootstrap": False}),
        (MetaCost, {"use_proba": True, "bootstrap": False, "relearn": True}),
        (IterativeWeighting, {"n_votes": 10}),
        (CostBoosting, {"variant": "csb1", "sampling": "sample_weight"}),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_parameters_are_the_documented_ones_and_all_are_kept(cls, own):
    assert cls().get_params() == COMMON | own
    others = {
        "estimator": C45Classifier(),
        "cost_matrix": [[0, 1], [1, 0]],
        "n_estimators": 3,
        "alpha": 0.5,
        "sampling": "rejection" if cls is CostBoosting else "sample_weight",
        "max_samples": 0.5,
        "decision": "majority",
        "n_iter_no_change": 4,
        "validation_fraction": 0.4,
        "categorical_features": [0],
        "warm_start": True,
        "n_jobs": 2,
        "random_state": 9,
    } | {"use_proba": False, "bootstrap": True, "relearn": False, "n_votes": 3, "variant": "csb2"}
    others = {name: value for name, value in others.items() if name in COMMON | own}
    assert cls(**others).get_params(deep=False) == others


@pytest.mark.parametrize(
    "name, allowed, refused",
    [
        ("n_estimators", [1, 9], [0, 2.5]),
        ("alpha", [None, 1e-9, 1, len], [0, 1.1]),
        ("max_samples", [None, 1e-9, 1], [0, 1.1]),
        ("decision", [None, "majority", "min_cost"], ["cheap"]),
        ("n_iter_no_change", [None, 1], [0]),
        ("validation_fraction", [1e-9, 0.999], [0, 1]),
        ("categorical_features", [None, [0]], [3]),
        ("warm_start", [True, False], ["yes"]),
        ("n_jobs", [None, -1, 3], [0.5]),
        ("random_state", [None, 0, 2**63 - 1], [-1, 2**63]),
        ("n_votes", [1], [0, None]),
    ],
)
def test_parameters_end_where_they_should(name, allowed, refused):
    for value in allowed:
        IterativeWeighting(**{name: value})._validate_params()
    for value in refused:
        with pytest.raises(ValueError, match=f"The '{name}' parameter of IterativeWeighting"):
            IterativeWeighting(**{name: value})._validate_params()
    boolean = [MetaCost(**{name: "no"}) for name in ("use_proba", "relearn", "bootstrap")]
    for wrong in (*boolean, CostBoosting(variant="csb3")):
        with pytest.raises(ValueError, match="parameter of"):
            wrong._validate_params()


# ---- what components read ----------------------------------------------------------------------------------

FRAME = pd.DataFrame({"x": [1.0, 2.0, np.nan], "class": ["u", "v", None]})


def layout(estimator, relational):
    return Layout(estimator, Table.from_data(FRAME).schema, ["a", "b", "c"], relational)


def some_sample(weights=None):
    codes = np.array([2, 0, 1], dtype=np.int32)
    return Sample(Table.from_data(FRAME), codes, np.array([1, 0, 1], np.int32), codes, weights)


def test_pairs_as_tables_crossed_numbers_and_plain_numbers():
    own = layout(C45Classifier(), True)
    pairs = own.sample(some_sample())
    assert pairs.schema.names == ("x", "class", "class_")
    assert pairs.schema.columns[2].categories == ("a", "b", "c") and pairs.columns[2].tolist() == [2, 0, 1]
    assert [block.columns[2].tolist() for block in own.with_each_class(Table.from_data(FRAME))] == [
        *([code] * 3 for code in range(3))
    ]
    numbers = [[1.0, 1.0, 0.0], [2.0, 0.0, 1.0], [np.nan, 0.0, 0.0]]  # x, u, v
    plain = layout(KNeighborsClassifier(), True)
    np.testing.assert_array_equal(
        plain.sample(some_sample()),
        [[*numbers[0], 0, 0, 1], [*numbers[1], 1, 0, 0], [*numbers[2], 0, 1, 0]],
    )
    for linear in (LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())):
        none = [0.0] * 3
        np.testing.assert_array_equal(
            layout(linear, True).sample(some_sample()),
            [
                [*none, *none, *numbers[0], 0, 0, 1],
                [*numbers[1], *none, *none, 1, 0, 0],
                [*none, *numbers[2], *none, 0, 1, 0],
            ],
        )
    second = list(plain.with_each_class(Table.from_data(FRAME)))[1]
    np.testing.assert_array_equal(second, [[*row, 0, 1, 0] for row in numbers])
    np.testing.assert_array_equal(layout(KNeighborsClassifier(), False).sample(some_sample()), numbers)
    rows = some_sample()
    assert layout(C45Classifier(), False).sample(rows) is rows.table


class Keeper(GaussianNB):
    """Keeps what it was given, and knows only the classes 0 and 2."""

    def __init__(self, random_state=None, inner=None):
        self.random_state = random_state
        self.inner = inner

    def fit(self, X, y, sample_weight=None):
        self.seen_ = X, y, sample_weight
        self.classes_ = np.array([0, 2])
        return self

    def predict_proba(self, X):
        return np.tile([0.25, 0.75], (len(X), 1))

    def predict(self, X):
        return np.full(len(X), 2)


def test_a_component_gets_its_seeds_and_weights():
    estimator = Keeper(inner=Keeper(random_state=1))
    fitted = fit_component(estimator, layout(estimator, False), some_sample(np.arange(3.0)), 17)
    assert fitted is not estimator and (fitted.random_state, fitted.inner.random_state) == (17, 17)
    _, y, weight = fitted.seen_
    assert y.tolist() == [1, 0, 1] and weight.tolist() == [0.0, 1.0, 2.0]
    assert fit_component(estimator, layout(estimator, False), some_sample(), 17).seen_[2] is None
    same = Sample(*[Table.from_data(FRAME), *[np.ones(3, np.int32)] * 3, None])
    constant = fit_component(estimator, layout(estimator, False), same, 17)
    assert isinstance(constant, Constant) and constant.code == 1


def test_answers_of_components_that_lack_a_class():
    table = Table.from_data(FRAME)
    keeper, read = Keeper().fit(None, None), layout(Keeper(), False)
    assert probabilities(keeper, read, table).tolist() == [[0.25, 0.0, 0.75]] * 3
    assert votes(keeper, read, table).tolist() == [[0.0, 0.0, 1.0]] * 3
    assert probabilities(Constant(1), read, table).tolist() == [[0.0, 1.0, 0.0]] * 3
    assert votes(Constant(1), read, table).tolist() == [[0.0, 1.0, 0.0]] * 3
    assert Constant(1).predict(table).dtype == np.int32
    assert relation(Constant(1), layout(Keeper(), True), table).tolist() == [[True] * 3] * 3
    assert not relation(Constant(0), layout(Keeper(), True), table).any()


# ---- samples -----------------------------------------------------------------------------------------------


def test_streams_of_numbers_can_be_entered_anywhere():
    whole = uniforms(7, 3, 0, 23)
    assert all((uniforms(7, 3, start, 23 - start) == whole[start:]).all() for start in range(23))
    assert (uniforms(7, 4, 0, 23) != whole).all() and (uniforms(8, 3, 0, 23) != whole).all()
    assert ((whole >= 0) & (whole < 1)).all()


def fill(sampler, weights, multiplicity=None, at=slice(None)):
    weights = np.array(weights, dtype=float)
    rows = np.arange(len(weights), dtype=np.int32)[at]
    counted = np.ones(len(weights)) if multiplicity is None else np.array(multiplicity, dtype=float)
    table = Table.from_data(rows.astype(float)[:, np.newaxis])
    targets = np.tile(rows[:, np.newaxis], weights.shape[1])
    sampler.add(int(rows[0]), table, rows, weights[at], targets, counted[at])
    return sampler


def test_handed_on_weights_add_up_to_the_rows_they_stand_for():
    weights, counted = [[2.0], [0.0], [6.0], [8.0]], [1.0, 5.0, 2.0, 3.0]
    sample = fill(Sampler("sample_weight", 1.0, 1, 0), weights, counted).sample()
    assert sample.actual.tolist() == [0, 2, 3]  # a row without weight is left out
    hash(Sampler("rejection", 1.0, 1, 0))
    np.testing.assert_allclose(sample.weights, np.array([2.0, 6.0, 8.0]) * 6 / 16)
    part = fill(Sampler("sample_weight", 0.5, 1, 0), np.ones((400, 1))).sample()
    assert part.actual.tolist() == np.flatnonzero(uniforms(1, 0, 0, 400) < 0.5).tolist()
    assert fill(Sampler("rejection", 1.0, 1, 0), weights).sample().weights is None


def test_should_nothing_be_accepted_the_closest_is_taken():
    weights = np.array([[1.0, 3.0], [0.0, 2.0], [3.0, 1.0]])
    draws = uniforms(1, 0, 0, 6).reshape(3, 2)
    with np.errstate(divide="ignore"):
        closest = int(np.argmin(np.where(weights > 0, draws / weights, np.inf)))
    for blocks in ([slice(None)], [slice(0, 1), slice(1, 3)], [slice(0, 2), slice(2, 3)]):
        sampler = Sampler("rejection", 1e-9, 1, 0)
        for at in blocks:
            fill(sampler, weights, at=at)
        sample = sampler.sample()
        assert [int(sample.actual[0] * 2 + sample.pair[0])] == [closest] and len(sample.actual) == 1
        assert sample.table.columns[0].tolist() == [closest // 2]
    with pytest.raises(ValueError, match="at least one mistake on the training rows cost something"):
        fill(Sampler("rejection", 1.0, 1, 0), [[0.0]]).sample()


def test_blocks_of_rows(monkeypatch):
    monkeypatch.setattr("stakes.reductions._rows.BLOCK", 4)
    table = Table.from_data(np.arange(10.0)[:, np.newaxis])
    parts = list(slices(table))
    assert [part.columns[0].tolist() for part in parts] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    whole = joined(parts)
    assert whole.columns[0].tolist() == list(range(10)) and whole.n_samples == 10
    assert joined(parts[:1]) is parts[0]


# ---- weights of rows ---------------------------------------------------------------------------------------

ROW_COSTS = np.array([[1.0, 4.0, 7.0], [2.0, 2.0, 5.0], [3.0, 0.0, 0.0], [9.0, 8.0, 6.0]])
LABELS = np.array([0, 1, 2, 0], dtype=np.int32)


def training(costs=ROW_COSTS, weight=None, held=None):
    table = Table.from_data(np.arange(4.0)[:, np.newaxis])
    rows = Rows(
        schema=table.schema,
        classes=COSTS.classes,
        codes=LABELS,
        cost_matrix=COSTS,
        costs=costs,
        weight=weight,
        blocks=lambda: slices(table),
    )
    return Training(rows, held)


def part_of(made):
    (part,) = made.parts()
    return part


def test_costs_of_rows_start_from_the_cheapest():
    shifted = [[0, 3, 6], [0, 0, 3], [3, 0, 0], [3, 2, 0]]
    part = part_of(training())
    assert part.costs.tolist() == shifted
    assert part.cheapest.tolist() == [0, 1, 2, 2]  # the own class, unless another is cheaper
    assert part.cheapest.dtype == np.int32
    assert part_of(training(costs=None)).costs.tolist() == COSTS.values[LABELS].tolist()
    assert part.mixture.tolist() == [[1 / 3] * 3] * 4 and part.importance.tolist() == [1.0] * 4
    assert part.weight.tolist() == [1.0] * 4


def test_methods_weigh_rows_as_their_papers_say():
    part = part_of(training())
    names = np.array([["a"], ["b"], ["c"]])
    for cls, weights in (
        (AverageCost, [3, 1, 1, 5 / 3]),
        (Costing, [6, 3, 3, 3]),
        (CostBagging, [1, 1, 1, 1]),
    ):
        found, targets = cls()._pairs(part)
        np.testing.assert_allclose(found[:, 0], weights)
        expected = LABELS if cls is CostBagging else [0, 1, 2, 2]
        assert targets[:, 0].tolist() == list(expected) and found.shape == targets.shape == (4, 1)
    expansion = DataSpaceExpansion()
    expansion.classes_ = names[:, 0]
    found, targets = expansion._pairs(part)
    assert found.tolist() == [[6, 3, 0], [3, 3, 0], [0, 3, 3], [0, 1, 3]]
    assert targets.tolist() == [[0, 1, 2]] * 4


def test_weights_of_rows_are_set_block_by_block(monkeypatch):
    monkeypatch.setattr(_training, "BLOCK", 3)
    made, sizes = training(), []
    made.weigh(lambda costs: sizes.append(len(costs)) or costs.sum(axis=1))
    assert made.importance.tolist() == [9.0, 3.0, 3.0, 5.0] and sizes == [3, 1]


def test_held_out_rows_are_in_no_sample_but_judge():
    held = np.array([False, True, False, True])
    made = training(weight=np.array([1.0, 3.0, 2.0, 1.0]), held=held)
    part = part_of(made)
    assert part.usable(np.full((4, 2), 5.0)).tolist() == [[5, 5], [0, 0], [10, 10], [0, 0]]
    assert part.weight.tolist() == [1.0, 3.0, 2.0, 1.0]
    assert made.held_out_cost(np.array([2, 1])) == pytest.approx((3 * 3 + 2) / 4)
    assert training(held=held).held_out_cost(np.array([2, 1])) == pytest.approx((3 + 2) / 2)
    assert made.class_weights.tolist() == [2.0, 3.0, 2.0]
    hash(made)
    assert part_of(training()).usable(np.full((4, 2), 5.0)).tolist() == [[5, 5]] * 4


def test_which_rows_are_held_out():
    rows = training().rows
    assert Training.of(rows, 3, 0.0).held is None
    draws = uniforms(3, 2**63, 0, 4)
    np.testing.assert_array_equal(Training.of(rows, 3, 0.5).held, (draws < 0.5) | (draws == draws.min()))
    least = Training.of(rows, 3, 1e-9)
    assert least.held.tolist() == (draws == draws.min()).tolist()  # one row at least
    with pytest.raises(ValueError, match="n_iter_no_change needs rows to hold out, got 4 in all"):
        Training.of(rows, 3, 1 - 1e-9)


@pytest.mark.parametrize("cls", [GBSE, CostBagging, CostBoosting, IterativeWeighting])
def test_held_out_rows_cost_what_the_stages_predict(cls):
    frame, y = problem(120)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 120)
    settings = {"cost_matrix": COSTS, "n_estimators": 5, "n_iter_no_change": 5, "validation_fraction": 0.4}
    more = {"n_votes": 2} if cls is IterativeWeighting else {}
    model = cls(**settings, **more).fit(frame, y, sample_weight=weight)
    draws = uniforms(model._seed, 2**63, 0, 120)
    held = draws < 0.4
    actual = COSTS.codes(y[held])
    found = []
    for shares in model.staged_predict_proba(frame[held]):
        chosen = model._choose(shares)
        found.append(np.average(COSTS.values[actual, chosen], weights=weight[held]))
    assert len(model.validation_costs_) == 5
    np.testing.assert_allclose(model.validation_costs_[: len(found)], found)
    assert len(found) == int(np.argmin(model.validation_costs_)) + 1


# ---- boosting ----------------------------------------------------------------------------------------------


def test_weights_keep_a_mean_of_one():
    weights = np.array([1.0, 2.0, 6.0])
    np.testing.assert_allclose(scaled(weights, None), weights / 3)
    np.testing.assert_allclose(scaled(weights, np.array([3.0, 0.0, 1.0])), weights / (9 / 4))
    assert scaled(np.zeros(2), None).tolist() == [0.0, 0.0]


def test_only_wrong_answers_are_raised_to_their_cost():
    signed = np.array([0.9, 0.0, -0.1])
    raised = boosted_weights("cost_uboost", np.full(3, 0.5), signed, np.array([1.0, 1.0, 4.0]), 0.7)
    assert raised.tolist() == [0.5, 0.5, 4.0]


def slow_m2(X, y, costs, weight, n_rounds):
    """AdaBoost.M2 with costs for its first weights, by the formulas of its paper; shares and mixture."""
    n, k = costs.shape
    first = [[0.0 if c == y[i] else costs[i, c] for c in range(k)] for i in range(n)]
    wrong, rounds = [list(row) for row in first], []
    for _ in range(n_rounds):
        total = [sum(row) for row in wrong]
        given = np.array([w * t for w, t in zip(weight, total)])
        tree = C45Classifier(max_depth=1).fit(X, y, sample_weight=given * sum(weight) / given.sum())
        h = tree.predict_proba(X)
        distribution = given / given.sum()
        error = 0.5 * sum(
            distribution[i] * (1 - h[i, y[i]] + sum(wrong[i][c] / total[i] * h[i, c] for c in range(k)))
            for i in range(n)
        )
        beta = error / (1 - error)
        rounds.append((max(np.log(1 / beta), 0.0), h))
        if beta >= 1:
            wrong = [list(row) for row in first]
            continue
        wrong = [
            [wrong[i][c] * beta ** (0.5 * (1 + h[i, y[i]] - h[i, c])) for c in range(k)] for i in range(n)
        ]
    total = np.cumsum([step for step, _ in rounds])
    mixture = sum(step * h for step, h in rounds) / total[-1]
    return [step / upto for (step, _), upto in zip(rounds, total)], mixture


def slow_boosting(variant, X, y, costs, weight, n_rounds):
    """Ting's algorithm, and AdaCost, row by row; returns the share of each round and the mixture."""
    n, k = costs.shape
    means = [np.average(costs[y == c], axis=0, weights=weight[y == c]) for c in range(k)]
    costs = np.round(costs / min(mean for row in means for mean in row if mean > 0), 12)
    importance = [1.0 if variant == "adaboost" else sum(row) for row in costs.tolist()]
    mean = sum(w * i for w, i in zip(weight, importance)) / sum(weight)
    importance = first = [i / mean for i in importance]
    mixture, total, shares = np.full((n, k), 1 / k), 0.0, []
    for _ in range(n_rounds):
        given = np.array([w * i for w, i in zip(weight, importance)])
        tree = C45Classifier(max_depth=1).fit(X, y, sample_weight=given * sum(weight) / given.sum())
        answer = tree.predict_proba(X)
        signed, paid = [], []
        for i in range(n):
            chosen = max(range(k), key=lambda c: answer[i, c])
            right = chosen == y[i]
            signed.append(answer[i, chosen] * (1 if right else -1))
            paid.append(1.0 if right else costs[i, chosen])
        all_right = min(signed) > 0
        if variant == "adacost":
            factor = [(1 - np.sign(s) * i / max(first)) / 2 for s, i in zip(signed, first)]
            signed = [s * f for s, f in zip(signed, factor)]
        r = sum(g * s for g, s in zip(given, signed)) / given.sum()
        step = 0.5 * np.log((1 + r) / (1 - r)) if r > 0 else 0.0
        total += step
        shares.append(step / total if total else 1.0)
        mixture = (1 - shares[-1]) * mixture + shares[-1] * answer
        if r <= 0 or all_right:
            importance = first
            continue
        changed = []
        for i, s, p in zip(importance, signed, paid):
            by = {"csb0": 0.0, "csb1": 1.0}.get(variant, step)
            if variant == "cost_uboost":
                changed.append(max(i, p) if s < 0 else i)
            else:
                changed.append((p if variant.startswith("csb") else 1.0) * i * np.exp(-by * s))
        mean = sum(w * c for w, c in zip(weight, changed)) / sum(weight)
        importance = [c / mean for c in changed]
    return shares, mixture


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("weighted", [False, True])
def test_boosting_is_its_slow_twin(variant, weighted):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2)).round(1)
    y = np.digitize(X[:, 0] + X[:, 1] / 2 + rng.normal(size=60) / 3, [-0.4, 0.5])
    costs = rng.integers(1, 9, (60, 3)).astype(float)
    costs[np.arange(60), y] = 0.0
    weight = rng.integers(1, 4, 60).astype(float) if weighted else np.ones(60)
    model = CostBoosting(C45Classifier(max_depth=1), variant=variant, n_estimators=4)
    model.fit(X, y, costs=costs, sample_weight=weight if weighted else None)
    means = [np.average(costs[y == k], axis=0, weights=weight[y == k]) for k in range(3)]
    unit = min(mean for k in range(3) for j, mean in enumerate(means[k]) if j != k)
    if variant == "adaboost_m2":
        shares, mixture = slow_m2(X, y, costs, weight, 4)
    else:
        shares, mixture = slow_boosting(variant, X, y, costs / unit, weight, 4)
    np.testing.assert_allclose(model.alphas_, shares)
    np.testing.assert_allclose(model.predict_proba(X), mixture)
    expected = mixture @ model.cost_matrix_.values
    np.testing.assert_array_equal(model.predict(X), expected.argmin(axis=1))


@pytest.mark.parametrize("variant", ["csb1", "adaboost_m2"])
def test_a_fitted_model_holds_nothing_of_the_rows(variant):
    X = np.random.default_rng(0).normal(size=(500, 2))
    model = CostBoosting(C45Classifier(max_depth=1), variant=variant, n_estimators=3).fit(X, X[:, 0] > 0)
    assert all(len(value) < 500 for value in vars(model).values() if isinstance(value, np.ndarray))


def test_a_round_that_is_always_right_ends_with_the_first_weights():
    X = np.arange(8.0)[:, np.newaxis]
    model = CostBoosting(n_estimators=3).fit(X, (X[:, 0] > 3).astype(int))
    np.testing.assert_allclose(model.alphas_, [1.0, 1 / 2, 1 / 3])
    assert model.predict(X).tolist() == [0] * 4 + [1] * 4


# ---- iterative weighting -----------------------------------------------------------------------------------


def test_iterative_weighting_is_its_slow_twin():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2)).round(1)
    y = np.digitize(X[:, 0] + rng.normal(size=60) / 2, [-0.4, 0.5])
    costs = rng.integers(1, 9, (60, 3)).astype(float)
    costs[np.arange(60), y] = 0.0
    model = IterativeWeighting(
        C45Classifier(max_depth=1),
        n_votes=1,
        sampling="sample_weight",
        n_estimators=4,
        alpha=lambda t: 1 / (t + 1),
    ).fit(X, y, costs=costs)
    weights = costs.max(axis=1)
    for t in range(4):
        tree = C45Classifier(max_depth=1).fit(X, y, sample_weight=weights * 60 / weights.sum())
        answer = tree.predict(X)
        step = 1 / (t + 2)
        paid = costs[np.arange(60), answer]
        weights = np.where(answer == y, weights, step * paid + (1 - step) * weights)
    np.testing.assert_array_equal(model.predict(X), answer)
    assert model.alphas_ == [1.0] * 4  # the last round speaks alone


# ---- MetaCost and warnings ---------------------------------------------------------------------------------


def test_metacost_relearns_with_the_weights_of_rows():
    frame, y = problem(150)
    weight = np.random.default_rng(0).integers(0, 3, 150).astype(float)
    model = MetaCost(cost_matrix=COSTS, n_estimators=4).fit(frame, y, sample_weight=weight)
    bagged = MetaCost(cost_matrix=COSTS, n_estimators=4, relearn=False).fit(frame, y, sample_weight=weight)
    labels = COSTS.codes(bagged.predict(frame))
    tree = C45Classifier().fit(frame[weight > 0], labels[weight > 0], sample_weight=weight[weight > 0])
    assert model.model_.export_text() == tree.export_text()
    np.testing.assert_array_equal(COSTS.codes(model.predict(frame)), tree.predict(frame))
    np.testing.assert_allclose(model.predict_proba(frame), tree.predict_proba(frame))


def test_the_warning_of_a_lost_class_points_at_the_fit():
    frame, y = problem()
    costs = CostMatrix([[0, 1e-7, 1e-7], [1, 0, 1], [1, 1, 0]], ["a", "b", "c"])
    with pytest.warns(SamplingWarning) as warned:
        model = AverageCost(cost_matrix=costs, n_estimators=2, warm_start=True).fit(frame, y)
    assert str(warned[0].message) == (
        "no row of class a is in any sample: it weighs too little beside the costliest; take more rounds, "
        "or sampling='sample_weight'"
    )
    assert warned[0].filename == __file__
    model.set_params(n_estimators=3).fit(frame, y)  # told once


def test_constant_components_are_written_and_read():
    X = [[0.0], [1.0], [2.0], [3.0]]
    costs = CostMatrix([[0, 1e-9], [1, 0]], [0, 1])
    with pytest.warns(SamplingWarning):
        model = Costing(cost_matrix=costs, n_estimators=2).fit(X, [0, 0, 1, 1])
    assert [type(component) for component in model.estimators_] == [Constant, Constant]
    document = model.to_dict()
    assert document["state"]["estimators"] == [{"constant": 1}] * 2
    assert document["state"]["feature_names"] is None
    assert Costing.from_dict(document).predict(X).tolist() == [1, 1, 1, 1]
    for wrong in (2, -1, True, "1"):
        document["state"]["estimators"][0] = {"constant": wrong}
        with pytest.raises(ValueError, match="a constant component must be a class code"):
            Costing.from_dict(document)


def test_rows_need_as_many_classes():
    with pytest.raises(ValueError, match="GBSE requires y to be passed, but the target y is None"):
        GBSE().fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="inconsistent numbers of samples: X has 2 rows, y 3"):
        GBSE().fit([[0.0], [1.0]], [0, 1, 1])


@pytest.mark.parametrize("code, n_codes", [(0, 1), (1, 2), (2, 3)])
def test_constants_come_back(code, n_codes):
    assert component_from_dict(component_to_dict(Constant(code)), n_codes).code == code


@pytest.mark.parametrize("code, n_classes", [(2, 1), (3, 3), (-1, 3), (True, 3), ("a", 3)])
def test_constants_that_are_no_class_are_refused(code, n_classes):
    with pytest.raises(ValueError, match="a constant component must be a class code"):
        component_from_dict({"constant": code}, n_classes)
