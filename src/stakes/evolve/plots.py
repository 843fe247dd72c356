"""Pictures of an evolution: its course, what the penalty on size does, and how the best tree changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from stakes._text.extras import extra_module
from stakes._text.svg import PALETTE
from stakes.evolve.history import EvolutionHistory
from stakes.tree import FittedTree, TreeModel

_FITNESS, _COST, _SIZE = "#0072B2", "#D55E00", "#009E73"


def plot_evolution(model: Any, axes: Any = None) -> Any:
    """Draw fitness, training cost and size of the best tree over the generations.

    Parameters
    ----------
    model : GDTClassifier
        A fitted one.
    axes : sequence of three matplotlib axes, optional
        Where to draw; new ones by default, one above the other.

    Returns
    -------
    array of three matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from stakes import GDTClassifier
    >>> from stakes.evolve import plot_evolution
    >>> model = GDTClassifier(max_generations=20).fit(*load_iris(return_X_y=True))
    >>> [ax.get_ylabel() for ax in plot_evolution(model)]
    ['fitness', 'cost per row', 'nodes']
    """
    check_is_fitted(model)
    history = model.evolution_
    if axes is None:
        _, axes = _pyplot().subplots(3, sharex=True, layout="constrained")
    for ax, (name, best, mean, colour) in zip(axes, _courses(history), strict=True):
        if mean is not None:
            ax.plot(mean, color="0.75", label="mean of the population")
        ax.plot(best, color=colour, drawstyle="steps-post", label="best tree")
        ax.set_ylabel(name)
    axes[0].legend()
    axes[-1].set_xlabel("generation")
    return axes


def _courses(history: EvolutionHistory) -> list[tuple[str, NDArray[Any], NDArray[Any] | None, str]]:
    return [
        ("fitness", history.best_fitness, history.mean_fitness, _FITNESS),
        ("cost per row", history.best_cost, None, _COST),
        ("nodes", history.best_size, history.mean_size, _SIZE),
    ]


def plot_alpha(
    alphas: ArrayLike,
    costs: ArrayLike,
    leaves: ArrayLike,
    *,
    default: float | None = None,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw cost and size against the penalty on size, as figures 1 and 2 of the paper do.

    Parameters
    ----------
    alphas, costs, leaves : array-like of shape (n_alphas,)
        Values of ``alpha`` (positive), cost per row on rows that were not learnt from, and number of leaves.
    default : float, optional
        Where a dotted line is drawn.
    title : str, optional
    ax : matplotlib axes, optional
        Where to draw; new ones by default. Leaves get axes of their own on the right.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from stakes.evolve import plot_alpha
    >>> plot_alpha([0.001, 0.01, 0.1], [0.58, 0.56, 0.7], [12, 4, 1], default=0.001).get_xscale()
    'log'
    """
    numbers = np.array([alphas, costs, leaves], dtype=np.float64)
    if numbers.ndim != 2 or not (numbers[0] > 0).all():
        raise ValueError("alphas, costs and leaves must be of equal length, and alphas positive")
    if ax is None:
        _, ax = _pyplot().subplots(layout="constrained")
    order = np.argsort(numbers[0])
    alpha, cost, size = numbers[:, order]
    (first,) = ax.plot(alpha, cost, "o-", color=_COST, label="cost per row")
    right = ax.twinx()
    (second,) = right.plot(alpha, size, "s--", color=_SIZE, label="leaves")
    if default is not None:
        ax.axvline(default, color="0.4", linestyle=":")
    ax.set(xscale="log", xlabel="alpha", ylabel="cost per row", title=title or "")
    right.set_ylabel("leaves")
    ax.legend(handles=[first, second])
    return ax


def plot_changes(model: Any, *, max_trees: int = 6, axes: Any = None) -> Any:
    """Draw the best tree at generations where it changed, as a strip of small trees.

    Tests that the tree before did not have are marked by a ring; leaves have the colour of their answer. The
    first and the last best tree are always there.

    Parameters
    ----------
    model : GDTClassifier
        A fitted one.
    max_trees : int
        Most trees to draw; those between the first and the last are evenly spaced among the changes.
    axes : sequence of matplotlib axes, optional
        Where to draw, one for each tree; new ones by default, side by side.

    Returns
    -------
    array of matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from stakes import GDTClassifier
    >>> from stakes.evolve import plot_changes
    >>> model = GDTClassifier(max_generations=20).fit(*load_iris(return_X_y=True))
    >>> plot_changes(model, max_trees=2)[0].get_title().startswith("generation 0")
    True
    """
    check_is_fitted(model)
    if isinstance(max_trees, bool) or not isinstance(max_trees, int | np.integer) or max_trees < 1:
        raise ValueError(f"max_trees must be an integer >= 1, got {max_trees!r}")
    changes = model.evolution_.best_trees
    shown = np.unique(np.linspace(len(changes) - 1, 0, min(max_trees, len(changes))).round().astype(int))
    if axes is None:
        width = min(2.6 * len(shown), 16.0)
        _, axes = _pyplot().subplots(1, len(shown), figsize=(width, 2.8), squeeze=False, layout="constrained")
        axes = axes[0]
    before: set[Any] = set()
    for ax, at in zip(axes, shown, strict=True):
        generation, fitted = changes[at]
        before = _draw_small(ax, fitted, before)
        ax.set_title(f"generation {generation}\n{len(fitted.tree.leaves)} leaves", fontsize="small")
    _name_classes(axes[0].figure, model.classes_)
    return axes


def _draw_small(ax: Any, fitted: FittedTree, before: set[Any]) -> set[Any]:
    """Draw dots and lines; return the tests, so that the next tree can mark what is new."""
    tree = fitted.tree
    x, y = _places(tree)
    parent = tree.parent
    tests = {node: _test_of(tree, node) for node in range(tree.n_nodes) if tree.feature[node] >= 0}
    for node in range(1, tree.n_nodes):
        ax.plot(x[[parent[node], node]], y[[parent[node], node]], color="0.7", linewidth=0.8, zorder=1)
    inner, leaves = list(tests), tree.leaves
    new = [node for node in inner if before and tests[node] not in before]
    ax.scatter(x[inner], y[inner], s=14, color="0.35", zorder=2)
    ax.scatter(x[new], y[new], s=60, facecolors="none", edgecolors=_COST, zorder=2)
    colours = [_colour(int(fitted.decision[leaf])) for leaf in leaves]
    ax.scatter(x[leaves], y[leaves], s=22, marker="s", c=colours, zorder=2)
    ax.margins(0.15)
    ax.set_axis_off()
    return set(tests.values())


def _places(tree: TreeModel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Leaves side by side, every other node over the middle of its branches."""
    x = np.zeros(tree.n_nodes)
    x[tree.leaves] = np.arange(len(tree.leaves))
    for node in reversed(range(tree.n_nodes)):
        if tree.feature[node] >= 0:
            x[node] = x[list(tree.children(node))].mean()
    return x, -tree.depth.astype(np.float64)


def _test_of(tree: TreeModel, node: int) -> tuple[Any, ...]:
    if tree.is_numeric(node):
        return int(tree.feature[node]), float(tree.threshold[node])
    return int(tree.feature[node]), *tree.branches(node).tolist()


def _name_classes(figure: Any, classes: Sequence[Any]) -> None:
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], marker="s", linestyle="", color=_colour(code), label=str(label))
        for code, label in enumerate(classes)
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=min(len(marks), 6), fontsize="small")


def _colour(code: int) -> str:
    return "0.6" if code < 0 else PALETTE[code % len(PALETTE)]


def _pyplot() -> Any:
    return extra_module("matplotlib.pyplot", "a plot", "report")
