"""Pictures of an evolution."""

import sys
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from stakes import GDTClassifier, Table, datasets
from stakes._text.svg import PALETTE
from stakes.evolve import plot_alpha, plot_changes, plot_evolution, plots
from stakes.evolve.history import EvolutionHistory
from stakes.tree.fitted import FittedTree
from stakes.tree.model import TreeModel

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
to_hex = pytest.importorskip("matplotlib.colors").to_hex


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
    history = model.evolution_
    shown = {
        ax.get_ylabel(): {line.get_label(): line.get_ydata().tolist() for line in ax.get_lines()}
        for ax in axes
    }
    mean, best = "mean of the population", "best tree"
    assert shown == {
        "fitness": {mean: history.mean_fitness.tolist(), best: history.best_fitness.tolist()},
        "cost per row": {best: history.best_cost.tolist()},
        "nodes": {mean: history.mean_size.tolist(), best: history.best_size.tolist()},
    }
    assert [line.get_drawstyle() for line in axes[0].get_lines()] == ["default", "steps-post"]
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == [mean, best]
    assert [ax.get_legend() is None for ax in axes] == [False, True, True]
    assert [ax.get_xlabel() for ax in axes] == ["", "", "generation"]
    colours = [line.get_color() for ax in axes for line in ax.get_lines()]
    assert colours == ["0.75", "#0072B2", "#D55E00", "0.75", "#009E73"]
    axes[0].set_xlim(0, 7)
    assert axes[2].get_xlim() == (0, 7)  # generations stand below each other
    assert axes[0].figure.get_layout_engine() is not None  # and nothing overlaps


def test_evolution_uses_the_axes_given(model):
    from matplotlib import pyplot

    _, axes = pyplot.subplots(3)
    assert plot_evolution(model, axes) is axes


def test_alpha_sorts_and_marks_the_default():
    ax = plot_alpha([0.1, 0.001, 0.01], [3.0, 1.0, 2.0], [1, 9, 4], default=0.001, title="german")
    line, mark = ax.get_lines()
    assert line.get_xdata().tolist() == [0.001, 0.01, 0.1]
    assert line.get_ydata().tolist() == [1.0, 2.0, 3.0]
    assert (line.get_marker(), line.get_linestyle(), line.get_color()) == ("o", "-", "#D55E00")
    assert set(mark.get_xdata()) == {0.001} and (mark.get_linestyle(), mark.get_color()) == (":", "0.4")
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("german", "alpha", "cost per row")
    assert ax.get_xscale() == "log" and ax.get_yscale() == "linear"
    _, right = ax.figure.axes
    (leaves,) = right.get_lines()
    assert leaves.get_xdata().tolist() == [0.001, 0.01, 0.1] and leaves.get_ydata().tolist() == [
        9.0,
        4.0,
        1.0,
    ]
    assert (leaves.get_marker(), leaves.get_linestyle(), leaves.get_color()) == ("s", "--", "#009E73")
    assert right.get_ylabel() == "leaves"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["cost per row", "leaves"]
    assert ax.figure.get_layout_engine() is not None


def test_alpha_draws_where_it_is_told_to():
    from matplotlib import pyplot

    _, mine = pyplot.subplots()
    ax = plot_alpha([0.1, 0.2], [1, 2], [1, 2], ax=mine)
    assert ax is mine and len(ax.get_lines()) == 1 and ax.get_title() == ""


@pytest.mark.parametrize("alphas", [[0.0, 0.1, 0.2], [-1.0, 0.1, 0.2]])
def test_alpha_refuses_what_has_no_logarithm(alphas):
    with pytest.raises(ValueError, match="alphas"):
        plot_alpha(alphas, [1, 2, 3], [1, 2, 3])


def test_alpha_refuses_unequal_lengths():
    with pytest.raises(ValueError, match=r"length|shape"):
        plot_alpha([0.1, 0.2], [1, 2, 3], [1, 2, 3])
    with pytest.raises(
        ValueError, match=r"^alphas, costs and leaves must be of equal length, and alphas positive$"
    ):
        plot_alpha(0.1, 1, 2)


def test_changes_begin_with_the_first_and_end_with_the_final_tree(model):
    axes = plot_changes(model, max_trees=3)
    trees = model.evolution_.best_trees
    assert len(axes) == min(3, len(trees))
    assert axes[0].get_title().startswith("generation 0\n")
    assert axes[-1].get_title() == f"generation {trees[-1][0]}\n{model.get_n_leaves()} leaves"


def hand_made(*trees):
    """A fitted model whose best tree changed as said, in generations 0, 10, 20 and so on."""

    class Model(GDTClassifier):
        def __sklearn_is_fitted__(self):
            return True

    schema = Table.from_data(pd.DataFrame({"x": [1.0], "kind": ["a"]})).schema
    made = Model()
    made.classes_ = np.array(["no", "yes", "perhaps"])
    best = [
        (10 * i, FittedTree(tree, schema, made.classes_, np.ones((tree.n_nodes, 3)) / 3, decision))
        for i, (tree, decision) in enumerate(trees)
    ]
    made.evolution_ = EvolutionHistory(*[np.zeros(1)] * 6, best_trees=best)
    return made


def tree_of(feature, threshold, value_branch=()):
    """A root and its left child are tested, their other children and the left one's are leaves."""
    inner = [f for f in feature if f >= 0]
    nominal = [i for i, f in enumerate(inner) if f == 1]
    start = np.cumsum([0, *(len(value_branch) if i in nominal else 0 for i in range(5))]).astype(np.int32)
    return TreeModel(
        np.array([*feature, -1, -1, -1], np.int32),
        np.array([*threshold, np.nan, np.nan, np.nan]),
        np.array([1, 3, -1, -1, -1], np.int32),
        np.array([2, 2, 0, 0, 0], np.int32),
        start,
        np.array(list(value_branch) * len(nominal), np.int32),
        np.ones((5, 3)),
        np.zeros(5, np.int32),
    )


def test_changes_are_drawn_with_new_tests_ringed():
    decisions = [np.array(d, np.int32) for d in ([0, 0, 1, 2, 0], [0, 0, 1, 2, -1], [0, 0, 1, 2, 0])]
    before = tree_of([0, 1], [2.5, np.nan], [0, 1])
    shifted = tree_of([0, 1], [3.5, np.nan], [0, 1])
    regrouped = tree_of([0, 1], [3.5, np.nan], [1, 0])
    axes = plot_changes(hand_made(*zip((before, shifted, regrouped), decisions)))
    titles = [ax.get_title() for ax in axes]
    assert titles == [f"generation {10 * i}\n3 leaves" for i in range(3)]
    drawn = [[dots.get_offsets().tolist() for dots in ax.collections] for ax in axes]
    # Leaves side by side from left to right, all else over the middle of its branches.
    root, son = [1.25, 0.0], [0.5, -1.0]
    leaves = [[0.0, -2.0], [1.0, -2.0], [2.0, -1.0]]
    assert drawn == [
        [[root, son], [], leaves],
        [[root, son], [root], leaves],
        [[root, son], [son], leaves],
    ]
    lines = [line.get_xydata().tolist() for line in axes[0].get_lines()]
    assert lines == [[root, son], [root, leaves[2]], [son, leaves[0]], [son, leaves[1]]]
    assert {(line.get_color(), line.get_linewidth()) for line in axes[0].get_lines()} == {("0.7", 0.8)}
    assert [dots.get_sizes().tolist() for dots in axes[1].collections] == [[14.0], [60.0], [22.0]]
    assert to_hex(axes[1].collections[0].get_facecolor()[0]) == to_hex("0.35")
    assert axes[0].get_lines()[0].get_zorder() < axes[1].collections[0].get_zorder()  # dots over lines
    assert axes[0].margins() == (0.15, 0.15)
    rings = axes[1].collections[1]
    assert rings.get_facecolor().size == 0 and to_hex(rings.get_edgecolor()[0]) == "#d55e00"
    squares = [[to_hex(c, keep_alpha=False) for c in ax.collections[2].get_facecolor()] for ax in axes]
    no, yes, perhaps = (to_hex(colour) for colour in PALETTE[:3])
    assert squares[:2] == [[perhaps, no, yes], [perhaps, to_hex("0.6"), yes]]
    legend = axes[0].figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["no", "yes", "perhaps"]
    assert [to_hex(mark.get_color()) for mark in legend.legend_handles] == [no, yes, perhaps]
    assert [mark.get_marker() for mark in legend.legend_handles] == ["s"] * 3
    assert all(not ax.axison for ax in axes)
    assert axes[0].figure.get_size_inches().tolist() == pytest.approx([7.8, 2.8])


def test_many_changes_are_evenly_thinned_out(monkeypatch):
    start, none = np.zeros(2, np.int32), np.array([-1], np.int32)
    leaf = TreeModel(none, np.array([np.nan]), none, start[:1], start, none[:0], np.ones((1, 3)), start[:1])
    many = hand_made(*[(leaf, np.zeros(1, np.int32))] * 11)

    def shown(n, **options):
        axes = [MagicMock() for _ in range(n)]
        assert plot_changes(many, axes=axes, **options) is axes
        return [int(ax.set_title.call_args.args[0].split()[1]) // 10 for ax in axes]

    assert shown(6) == [0, 2, 4, 6, 8, 10]
    assert shown(3, max_trees=3) == [0, 5, 10]
    assert shown(1, max_trees=1) == [10]  # the last one, if there is to be one
    assert shown(11, max_trees=30) == list(range(11))
    made = MagicMock()
    made.subplots.side_effect = lambda rows, n, **options: (None, [[MagicMock() for _ in range(n)]])
    monkeypatch.setattr(plots, "_pyplot", lambda: made)
    assert [len(plot_changes(many, max_trees=n)) for n in (2, 9)] == [2, 9]
    # As wide as they need, but no wider than a page.
    assert [call.kwargs["figsize"] for call in made.subplots.call_args_list] == [(5.2, 2.8), (16.0, 2.8)]
    assert all(
        call.args[0] == 1 and call.kwargs["squeeze"] is False and call.kwargs["layout"] == "constrained"
        for call in made.subplots.call_args_list
    )


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


def test_plots_say_what_they_need(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.delattr(matplotlib, "pyplot")
    with pytest.raises(ImportError, match=r"^a plot needs matplotlib: pip install 'stakes\[report\]'\.$"):
        plot_alpha([0.1], [1], [1])
