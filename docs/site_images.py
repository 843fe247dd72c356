"""Pictures of the site, drawn each time that it is built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from stakes import (
    BoostedStakes,
    C45Classifier,
    FeatureCosts,
    GDTClassifier,
    RuleClassifier,
    TradeoffSearchCV,
    datasets,
)


def draw_all(folder: Path) -> None:
    """Draw every picture into this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    draw_tree(folder)
    for plot in PLOTS:
        draw_plot(folder / f"{plot.__name__}.svg", plot)


def draw_tree(folder: Path) -> Path:
    """Draw a tree for german credit that fits on a page."""
    german = datasets.load("german")
    tree = C45Classifier(
        cost_matrix=german.cost_matrix, criterion="gain", max_leaf_nodes=9, group_values=True
    )
    path = folder / "german.svg"
    path.write_text(tree.fit(german.X, german.y).export_svg(), encoding="utf-8")
    return path


def draw_plot(path: Path, plot: Callable[[Any], None]) -> None:
    """Draw with matplotlib, the same bytes each time."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    with plt.rc_context({"svg.hashsalt": "stakes", "figure.figsize": (6.4, 3.2), "font.size": 10}):
        figure = plt.figure(layout="constrained")
        plot(figure)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def start(figure: Any) -> None:
    """Draw what the recommended models cost on rows that they have not seen, next to the constant."""
    from sklearn.model_selection import train_test_split

    from stakes.metrics import best_constant, mean_cost

    german = datasets.load("german")
    costs = german.cost_matrix
    X, X_new, y, y_new = train_test_split(
        german.X, german.y, test_size=300, stratify=german.y, random_state=0
    )
    models = {
        "BoostedStakes": BoostedStakes(cost_matrix=costs, random_state=0),
        "GDTClassifier": GDTClassifier(cost_matrix=costs, random_state=0),
        "C45Classifier, pruned by cost": C45Classifier(
            cost_matrix=costs, prune="cost", smoothing="laplace", decision="min_cost"
        ),
        "C4.5 without costs": C45Classifier(),
    }
    bills = [mean_cost(y_new, model.fit(X, y).predict(X_new), cost_matrix=costs) for model in models.values()]
    constant = best_constant(y_new, cost_matrix=costs)
    ax = figure.subplots()
    bars = ax.barh(list(models)[::-1], bills[::-1], color=["#999999", "#0072B2", "#0072B2", "#0072B2"])
    ax.bar_label(bars, fmt="%.2f", padding=3)
    ax.axvline(constant.cost / len(y_new), ls="--", color="0.3", label=f"always {constant.label}")
    ax.set_xlabel("cost per applicant")
    ax.margins(x=0.12)
    ax.legend(loc="upper right")


def evolution(figure: Any) -> None:
    """Draw how the tree of the page on trees came to be."""
    from stakes.evolve import plot_evolution

    german = datasets.load("german")
    model = GDTClassifier(cost_matrix=german.cost_matrix, random_state=0).fit(german.X, german.y)
    figure.set_size_inches(6.4, 4.8)
    plot_evolution(model, figure.subplots(3, sharex=True))


def tradeoff(figure: Any) -> None:
    """Draw the search of the page on test costs."""
    german = datasets.load("german")
    together = ("checking_status", "savings_status")
    prices = FeatureCosts.from_groups(
        {"bank statement": (4.0, dict.fromkeys(together, 0.5))},
        singles={name: 1.0 for name in german.X.columns if name not in together},
    )
    tree = C45Classifier(cost_matrix=german.cost_matrix, criterion="cs_gain", feature_costs=prices)
    search = TradeoffSearchCV(tree, objective="cost", tolerance=0.05, cv=5).fit(german.X, german.y)
    search.plot(figure.subplots())


def coverage(figure: Any) -> None:
    """Draw what stricter rules for iris leave undecided."""
    from sklearn.datasets import load_iris

    from stakes.rules import plot_coverage

    iris = load_iris(as_frame=True)
    species = iris.target_names[iris.target]
    rules = RuleClassifier(t_good=0.1).fit(iris.data, species)
    plot_coverage(rules.coverage_path(iris.data, species, [0.1, 0.2, 0.5]), ax=figure.subplots())


PLOTS = (start, evolution, tradeoff, coverage)
