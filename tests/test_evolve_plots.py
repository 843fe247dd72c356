"""Pictures of an evolution."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from stakes import GDTClassifier, datasets
from stakes.evolve import plot_alpha, plot_changes, plot_evolution

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def model():
    model = GDTClassifier(variant="paper", population_size=16, max_generations=40)
    return model.fit(*load_iris(return_X_y=True))


@pytest.fixture(autouse=True)
def close_figures():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_evolution_shows_what_the_history_holds(model):
    axes = plot_evolution(model)
    shown = [ax.get_lines()[-1].get_ydata() for ax in axes]
    history = model.evolution_
    for found, expected in zip(shown, (history.best_fitness, history.best_cost, history.best_size)):
        np.testing.assert_array_equal(found, expected)
    assert axes[-1].get_xlabel() == "generation"


def test_evolution_uses_the_axes_given(model):
    from matplotlib import pyplot

    _, axes = pyplot.subplots(3)
    assert plot_evolution(model, axes) is axes


def test_alpha_sorts_and_marks_the_default():
    ax = plot_alpha([0.1, 0.001, 0.01], [3.0, 1.0, 2.0], [1, 9, 4], default=0.001, title="german")
    line, mark = ax.get_lines()
    assert line.get_xdata().tolist() == [0.001, 0.01, 0.1]
    assert line.get_ydata().tolist() == [1.0, 2.0, 3.0]
    assert set(mark.get_xdata()) == {0.001}
    assert ax.get_title() == "german"


@pytest.mark.parametrize("alphas", [[0.0, 0.1, 0.2], [-1.0, 0.1, 0.2]])
def test_alpha_refuses_what_has_no_logarithm(alphas):
    with pytest.raises(ValueError, match="alphas"):
        plot_alpha(alphas, [1, 2, 3], [1, 2, 3])


def test_alpha_refuses_unequal_lengths():
    with pytest.raises(ValueError, match=r"length|shape"):
        plot_alpha([0.1, 0.2], [1, 2, 3], [1, 2, 3])


def test_changes_begin_with_the_first_and_end_with_the_final_tree(model):
    axes = plot_changes(model, max_trees=3)
    trees = model.evolution_.best_trees
    assert len(axes) == min(3, len(trees))
    assert axes[0].get_title().startswith("generation 0\n")
    assert axes[-1].get_title() == f"generation {trees[-1][0]}\n{model.get_n_leaves()} leaves"


def test_changes_mark_new_tests_only(model):
    axes = plot_changes(model, max_trees=2)
    if len(axes) == 2:
        first, last = (fitted.tree for fitted in (model.evolution_.best_trees[0][1], model.fitted_tree_))
        old = set(zip(first.feature.tolist(), first.threshold.tolist()))
        new = {t for t in zip(last.feature.tolist(), last.threshold.tolist()) if t[0] >= 0} - old
        assert len(axes[1].collections[1].get_offsets()) == len(new)
    assert len(axes[0].collections[1].get_offsets()) == 0


def test_changes_of_one_tree_are_one_picture(model):
    [ax] = plot_changes(model, max_trees=1)
    assert ax.get_title().endswith(f"{model.get_n_leaves()} leaves")


def test_changes_with_nominal_tests_and_a_lone_leaf():
    german = datasets.load("german")
    settings = {"variant": "paper", "population_size": 8, "cost_matrix": german.cost_matrix}
    grown = GDTClassifier(**settings, max_generations=5).fit(german.X, german.y)
    plot_changes(grown)[-1].figure.canvas.draw()
    leaf = GDTClassifier(**settings, max_generations=5, alpha=1e6).fit(german.X, german.y)
    assert plot_changes(leaf)[-1].get_title().endswith("1 leaves")


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True])
def test_changes_say_what_max_trees_may_be(model, wrong):
    with pytest.raises(ValueError, match="max_trees must be an integer >= 1"):
        plot_changes(model, max_trees=wrong)


@pytest.mark.parametrize("plot", [plot_evolution, plot_changes])
def test_plots_want_a_fitted_model(plot):
    with pytest.raises(NotFittedError):
        plot(GDTClassifier())
