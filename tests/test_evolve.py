"""GDTClassifier as a user meets it: costs, prices, abstention, missing values, history and bad input."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from stakes import CostMatrix, GDTClassifier, datasets, metrics
from stakes.evolve import Generation
from stakes.models import model_from_dict

QUICK = {"population_size": 16, "max_generations": 15, "n_iter_no_change": 15}


def a_table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "income": rng.lognormal(3, 1, n),
            "job": rng.choice(["nurse", "cook", "smith", "clerk"], n).astype(object),
        }
    )
    y = np.where((frame.age > 45) ^ (frame.job == "cook"), "yes", "no")
    frame.loc[rng.random(n) < 0.15, "age"] = np.nan
    frame.loc[rng.random(n) < 0.15, "job"] = None
    return frame, y


COSTS = CostMatrix([[0.0, 1.0], [5.0, 0.0]], ["no", "yes"])


@pytest.mark.parametrize("variant", ["paper", "memetic"])
def test_what_the_search_counted_is_what_predictions_cost(variant):
    X, y = a_table()
    tree = GDTClassifier(cost_matrix=COSTS, variant=variant, debug=True, **QUICK).fit(X, y)
    cost = metrics.mean_cost(y, tree.predict(X), cost_matrix=COSTS)
    assert cost == pytest.approx(tree.evolution_.best_cost[-1])
    assert cost < 0.9 * metrics.mean_cost(y, np.full(len(y), "yes"), cost_matrix=COSTS)
    largest = np.mean(np.where(y == "yes", 5.0, 1.0))
    assert tree.fitness_ == pytest.approx((1 - cost / largest) / (1 + tree.alpha_ * tree.n_nodes_))


def test_a_missing_value_goes_where_it_went_in_training_in_every_export():
    X, y = a_table()
    tree = GDTClassifier(cost_matrix=COSTS, **QUICK).fit(X, y)
    scope: dict = {}
    exec(tree.export_python(), scope)
    rows = [{k: None if pd.isna(v) else v for k, v in row.items()} for row in X.to_dict("records")]
    assert [scope["predict"](row) for row in rows] == tree.predict(X).tolist()
    shares = tree.predict_proba(X)
    leaves = tree.fitted_tree_.values[tree.tree_.feature < 0]
    assert all(any(np.array_equal(row, leaf) for leaf in leaves) for row in shares)  # never a mixture


def test_each_rows_own_costs_decide():
    rng = np.random.default_rng(0)
    X = rng.random((200, 1))
    y = rng.integers(0, 2, 200)
    costs = np.column_stack([X[:, 0] > 0.5, X[:, 0] <= 0.5]).astype(float)  # the class says nothing
    tree = GDTClassifier(**QUICK).fit(X, y, costs=costs)
    assert costs[np.arange(200), tree.predict(X)].sum() == 0.0
    assert tree.evolution_.best_cost[-1] == 0.0


def test_weights_count_rows_and_rows_without_weight_do_not_count():
    X, y = a_table(120)
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    tree = GDTClassifier(cost_matrix=COSTS, debug=True, **QUICK).fit(X, y, sample_weight=weight)
    cost = metrics.mean_cost(y, tree.predict(X), cost_matrix=COSTS, sample_weight=weight)
    assert cost == pytest.approx(tree.evolution_.best_cost[-1])
    kept = weight > 0
    same = GDTClassifier(cost_matrix=COSTS, **QUICK).fit(X[kept], y[kept], sample_weight=weight[kept])
    assert same.export_text() == tree.export_text()


def test_prices_are_part_of_the_bill():
    X, y = a_table()
    prices = {"age": 0.05, "income": 0.0, "job": 0.02}
    free = GDTClassifier(cost_matrix=COSTS, **QUICK).fit(X, y)
    for mode in ("path", "upfront"):
        model = GDTClassifier(cost_matrix=COSTS, feature_costs=prices, pay=mode, **QUICK).fit(X, y)
        looked = model.path_cost(X).mean() if mode == "path" else model.upfront_cost()
        mistakes = metrics.mean_cost(y, model.predict(X), cost_matrix=COSTS)
        assert model.evolution_.best_cost[-1] == pytest.approx(mistakes + looked)
    dear = GDTClassifier(cost_matrix=COSTS, feature_costs=dict.fromkeys(prices, 9.0), **QUICK).fit(X, y)
    assert free.n_nodes_ > 1 and dear.n_nodes_ == 1


def test_abstention_is_part_of_the_bill():
    X, y = a_table()
    model = GDTClassifier(cost_matrix=COSTS, abstain_cost=0.2, **QUICK).fit(X, y)
    decision = model.decide(X)
    truth = np.where(y == "yes", 1, 0)
    bill = [
        0.2 if open_ else COSTS.values[t, p]
        for open_, t, p in zip(decision.undecided, truth, (model.predict(X) == "yes").astype(int))
    ]
    assert decision.undecided.any()
    assert model.evolution_.best_cost[-1] == pytest.approx(np.mean(bill))
    assert not model.decide(X, abstain_cost=100.0).undecided.any()


def test_limits_hold():
    X, y = a_table()
    tree = GDTClassifier(max_depth=2, min_samples_leaf=20, **QUICK).fit(X, y)
    assert tree.get_depth() <= 2
    leaves = tree.fitted_tree_.counts[tree.tree_.feature < 0]
    assert leaves.sum(axis=1).min() >= 20
    assert GDTClassifier(max_depth=0, **QUICK).fit(X, y).n_nodes_ == 1


def test_a_larger_penalty_makes_smaller_trees():
    german = datasets.load("german")
    sizes = [
        GDTClassifier(cost_matrix=german.cost_matrix, alpha=alpha, **QUICK).fit(german.X, german.y).n_nodes_
        for alpha in (0.1, 0.005, 0.0)
    ]
    assert sizes[0] < sizes[1] < sizes[2]


def test_the_penalty_can_be_chosen_by_cross_validation():
    X, y = a_table(150)
    model = GDTClassifier(cost_matrix=COSTS, alpha="auto", **QUICK).fit(X, y)
    path = model.alpha_path_
    assert model.alpha_ == path.best and path.costs.shape == path.sizes.shape == (5, len(path.alphas))
    assert path.sizes[:, 0].mean() <= path.sizes[:, -1].mean()
    assert GDTClassifier(alpha=0.02, **QUICK).fit(X, y).alpha_ == 0.02


def test_history_tells_what_happened():
    X, y = a_table()
    told: list[Generation] = []
    model = GDTClassifier(cost_matrix=COSTS, callback=told.append, variant="paper", **QUICK).fit(X, y)
    history = model.evolution_
    assert len(history) == model.n_generations_ + 1 == len(told)
    assert "best_trees" not in repr(history)
    assert (np.diff(history.best_fitness) >= 0).all()
    for name in ("best_fitness", "best_cost", "best_size", "mean_fitness", "mean_size", "diversity"):
        assert [getattr(g, name) for g in told] == getattr(history, name).tolist(), name
    assert [g.number for g in told] == list(range(len(told)))
    assert (history.mean_fitness <= history.best_fitness).all() and (history.mean_size >= 1).all()
    assert [g.number for g in told if g.improved] == [number for number, _ in history.best_trees]
    assert history.best_trees[-1][1].tree.n_nodes == model.n_nodes_ == history.best_size[-1]
    assert ((history.diversity > 0) & (history.diversity <= 1)).all()


def test_verbose_shows_progress(capsys, monkeypatch):
    X, y = a_table(60)
    monkeypatch.setenv("COLUMNS", "200")
    model = GDTClassifier(verbose=True, **QUICK).fit(X, y)
    out, shown = capsys.readouterr()
    cost, fitness = model.evolution_.best_cost[-1], model.fitness_
    assert out == ""
    assert f"generation 15: cost {cost:.4g}, {model.n_nodes_} nodes, fitness {fitness:.4g} " in shown
    assert "\u2501" * 40 in shown and "\u2578" not in shown  # the bar is full
    assert re.search(r"0:00:\d\d", shown)
    GDTClassifier(**QUICK).fit(X, y)
    assert capsys.readouterr() == ("", "")


def test_a_model_survives_json_without_its_callback(tmp_path):
    X, y = a_table()
    model = GDTClassifier(
        cost_matrix=COSTS, callback=lambda generation: None, checkpoint=tmp_path / "run", **QUICK
    ).fit(X, y)
    again = model_from_dict(json.loads(model.to_json()))
    assert isinstance(again, GDTClassifier) and again.callback is None and again.checkpoint is None
    assert (again.predict(X) == model.predict(X)).all()
    assert again.export_text() == model.export_text()


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"variant": "fast"}, "variant"),
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": "best"}, "alpha"),
        ({"population_size": 1}, "population_size"),
        ({"mutation_rate": 2.0}, "mutation_rate"),
        ({"inner_odds": [1.0, 1.0]}, "inner_odds must be 5 numbers"),
        ({"leaf_odds": [0.0, 0.0]}, "leaf_odds must be 2 numbers of at least 0, not all of them 0"),
        ({"crossover_odds": [1.0, np.nan, 1.0]}, "crossover_odds"),
        ({"checkpoint": "/no/such/folder/run"}, "checkpoint must be in a folder that exists"),
        ({"feature_costs": {"age": 1.0}}, "feature"),
        ({"abstain_cost": -1.0}, "abstain_cost"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(params, words):
    X, y = a_table(30)
    with pytest.raises(ValueError, match=words):
        GDTClassifier(**params).fit(X, y)


def test_infinite_values_are_refused():
    with pytest.raises(ValueError, match="infinity"):
        GDTClassifier(**QUICK).fit([[1.0], [np.inf]], [0, 1])


def test_one_class_and_one_row_make_a_leaf():
    assert GDTClassifier(**QUICK).fit([[1.0], [2.0]], ["a", "a"]).predict([[3.0]]).tolist() == ["a"]
    assert GDTClassifier(alpha="auto", **QUICK).fit([[1.0], [2.0]], [0, 1]).predict([[1.0]]).shape == (1,)


def test_gains_as_negative_costs_work():
    X, y = a_table()
    gains = np.array([[-2.0, 0.0], [3.0, -1.0]])
    model = GDTClassifier(cost_matrix=gains, **QUICK).fit(X, y)
    shifted = GDTClassifier(cost_matrix=gains + 2.0, **QUICK).fit(X, y)
    assert model.export_text().splitlines()[0] == shifted.export_text().splitlines()[0]
