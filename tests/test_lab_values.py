"""What a data set is known by; Davis' tree is that of a slow search."""

import math

import numpy as np
import pytest

from stakes import C45Classifier, datasets
from stakes._base.folds import stratified_folds
from stakes.lab import CheapestTree, forensic
from stakes.lab.specs import DataSpec


def test_a_data_set_is_known_by_its_source_whatever_its_parameters():
    one, two = DataSpec("a", "a", params={"tree": {}}), DataSpec("a", "a")
    assert one == two and hash(one) == hash(two)


# ---- Davis' tree


@pytest.fixture(scope="module")
def credit():
    table, _ = datasets.load_table("german")
    some = table.select(["checking_status", "duration", "savings_status", "age"]).take(slice(0, 160))
    return (
        some,
        table.labels()[:160],
        {"checking_status": 8.0, "duration": 2.0, "savings_status": 1.0, "age": 1.0},
    )


def price(tree, prices):
    tested = tree.fitted_tree_.tree.feature
    return sum(prices[tree.fitted_tree_.schema.names[f]] for f in np.unique(tested[tested >= 0]))


def slow_search(table, y, prices, gammas, tolerance, seed, **settings):
    """The cheapest tree, the gentlest of equal ones, whose errors in three folds are few enough; or None."""
    fold = stratified_folds(np.unique(y, return_inverse=True)[1], 3, seed)

    def errors(learner):
        parts = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
        return sum(
            (learner.fit(table.take(train), y[train]).predict(table.take(test)) != y[test]).sum()
            for train, test in parts
        )

    most = math.floor(errors(C45Classifier()) + tolerance * len(y) + 1e-9)

    def learner(gamma):
        return C45Classifier(gamma=gamma, feature_costs=prices, **settings)

    trees = [(gamma, learner(gamma).fit(table, y)) for gamma in gammas]
    fitting = [(g, tree) for g, tree in trees if errors(learner(g)) <= most]
    return min(fitting, key=lambda pair: price(pair[1], prices), default=None)


@pytest.mark.parametrize("tolerance", [0.0, 0.05, 0.2, -0.5])
@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    "reading",
    [{}, {"split_at_loss": True}, {"criterion": "norton", "reuse_cost": "full"}],
    ids=["usual", "at a loss", "full"],
)
def test_the_cheapest_tree_against_a_slow_search(credit, monkeypatch, tolerance, seed, reading):
    table, y, prices = credit
    gammas = (1e-6, 0.1, 1.0, 1e6)
    monkeypatch.setattr(forensic, "even_gammas", lambda per_decade: gammas)
    settings = {"criterion": "cs_gain"} | reading
    found = CheapestTree(
        feature_costs=prices, n_folds=3, tolerance=tolerance, random_state=seed, **settings
    ).fit(table, y)
    wanted = slow_search(table, y, prices, gammas, tolerance, seed, **settings)
    base = C45Classifier().fit(table, y)
    gamma, tree = (None, base) if wanted is None else wanted
    assert (found.gamma_, found.kept_) == (gamma, wanted is None)
    assert found.price_ratio_ == pytest.approx(price(tree, prices) / price(base, prices))
    assert found.n_nodes_ == tree.n_nodes_ and found.predict(table).tolist() == tree.predict(table).tolist()


@pytest.mark.parametrize("per_decade", [1, 2, 4])
def test_gammas_are_even(per_decade):
    gammas = forensic.even_gammas(per_decade)
    assert len(gammas) == 12 * per_decade + 1
    assert pytest.approx(np.logspace(-6, 6, 12 * per_decade + 1)) == gammas


def test_defaults_of_davis_protocol(credit):
    assert CheapestTree().get_params() == {
        "criterion": "cs_gain", "ratio_of_candidate": True, "n_folds": 10, "tolerance": 0.01,
        "split_at_loss": False, "reuse_cost": "free", "per_decade": 4, "feature_costs": None,
        "random_state": None,
    }  # fmt: skip
    table, y, prices = credit
    free = CheapestTree(feature_costs=dict.fromkeys(prices, 0.0), criterion="tan", n_folds=3, tolerance=1.0)
    assert free.fit(table, y).price_ratio_ == 1.0 and free.gamma_ == 1.0


def test_missing_values_are_answered_by_all_branches(credit):
    table, y, prices = credit
    model = CheapestTree(criterion="gain_ratio", feature_costs=prices, n_folds=3).fit(table, y)
    blank = table.take(slice(None))
    for column, values in enumerate(blank.columns):
        blank.columns[column] = np.full_like(values, np.nan if values.dtype.kind == "f" else -1)
    assert model.predict(blank).tolist() == C45Classifier().fit(table, y).predict(blank).tolist()
