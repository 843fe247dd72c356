"""The penalty on size that follows the noise, and what None stands for."""

import numpy as np
import pytest

from stakes import GDTClassifier, datasets
from stakes.evolve.alpha import LEAST
from stakes.evolve.settings import VARIANTS

SHORT = {"population_size": 4, "max_generations": 2}


def noisy(n, share, seed=0):
    """One column decides, but for a share of the rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] > 0).astype(int)
    flipped = rng.random(n) < share
    return X, np.where(flipped, 1 - y, y)


def alpha_of(X, y, **settings):
    fit = {key: settings.pop(key) for key in ("sample_weight", "costs") if key in settings}
    return GDTClassifier(alpha="noise", **SHORT, **settings).fit(X, y, **fit).alpha_


def test_without_noise_trees_may_grow():
    # Thresholds between folds leave a mistake or two, so the least penalty is not quite reached.
    assert alpha_of(*noisy(1000, 0.0)) < 0.1 * alpha_of(*noisy(1000, 0.3)) + LEAST


def test_more_noise_penalises_more():
    penalties = [alpha_of(*noisy(600, share)) for share in (0.0, 0.1, 0.3)]
    assert penalties == sorted(penalties) and penalties[0] < penalties[-1]


def test_it_is_three_deviations_of_a_row():
    X, y = noisy(4000, 0.2)
    # With costs of 0 and 1 the deviation is that of a coin; C4.5 finds the one test that there is.
    expected = 3 * np.sqrt(0.2 * 0.8) / (4000 * 0.8)
    assert alpha_of(X, y) == pytest.approx(expected, rel=0.15)


def test_more_rows_penalise_a_node_less():
    assert alpha_of(*noisy(4000, 0.2)) == pytest.approx(alpha_of(*noisy(1000, 0.2)) / 4, rel=0.2)


def test_the_unit_of_costs_does_not_matter():
    X, y = noisy(300, 0.2)
    costs = np.array([[0.0, 1.0], [5.0, 0.0]])
    assert alpha_of(X, y, cost_matrix=1000 * costs) == pytest.approx(alpha_of(X, y, cost_matrix=costs))
    assert alpha_of(X, y, costs=costs[y]) == pytest.approx(alpha_of(X, y, cost_matrix=costs))


def test_gains_count_as_costs_do():
    X, y = noisy(300, 0.2)
    gains = np.array([[-5.0, -4.0], [-4.0, -5.0]])
    assert alpha_of(X, y, cost_matrix=gains) == pytest.approx(alpha_of(X, y, cost_matrix=gains + 5), rel=1e-6)


def test_prices_and_weights_and_missing_values():
    X, y = noisy(300, 0.2)
    X[::7, 0] = np.nan
    assert alpha_of(X, y, feature_costs=[0.1, 0.1, 0.1], sample_weight=np.linspace(0.5, 2, 300)) > LEAST


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
def test_free_mistakes_need_no_penalty():
    X, y = noisy(50, 0.2)
    assert alpha_of(X, y, cost_matrix=np.zeros((2, 2))) == 0.0


def test_few_rows_and_rare_classes():
    assert alpha_of(np.array([[0.0], [1.0], [2.0]]), ["a", "b", "c"]) > 0


@pytest.mark.parametrize("variant", ["paper", "memetic"])
def test_none_is_what_the_variant_has(variant):
    german = datasets.load("german")
    settings = {
        "variant": variant,
        "population_size": 4,
        "cost_matrix": german.cost_matrix,
        "random_state": 3,
    }
    spelled_out = VARIANTS[variant]
    given = {**spelled_out, "max_generations": 5}
    a = GDTClassifier(**settings, **given).fit(german.X, german.y)
    b = GDTClassifier(**settings, max_generations=5).fit(german.X, german.y)
    assert a.alpha_ == b.alpha_ and a.fitness_ == b.fitness_
    leaf = a.fitted_tree_.counts[a.fitted_tree_.tree.leaves].sum(axis=1).min()
    assert leaf >= (32 if variant == "paper" else 5)  # 32 is the root of 1000


def test_the_papers_penalty_is_the_papers():
    X, y = noisy(60, 0.2)
    assert GDTClassifier(variant="paper", **SHORT).fit(X, y).alpha_ == 0.001
