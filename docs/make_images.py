"""Draw the pictures of the README and the guide again: python docs/make_images.py."""

from pathlib import Path

import matplotlib

from stakes import C45Classifier, datasets
from stakes._cli import demo
from stakes._cli.shared import read_problem
from stakes.compare import Comparison

IMAGES = Path(__file__).parent / "images"
INK, PAPER, OURS, OTHERS = "#1b1f24", "#ffffff", "#0072b2", "#b6bcc4"


def main() -> None:
    """Write every picture."""
    german = datasets.load("german")
    tree = C45Classifier(
        cost_matrix=german.cost_matrix, criterion="gain", max_leaf_nodes=9, group_values=True
    )
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "german.svg").write_text(tree.fit(german.X, german.y).export_svg(), encoding="utf-8")
    plot_costs(demo.cross_validate(read_problem("german", None, None, None)), IMAGES / "costs.svg")


def plot_costs(comparison: Comparison, path: Path) -> None:
    """Draw what a customer costs with each learner of the demo, next to the best constant."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ours = (demo.ENSEMBLE, demo.TREE, f"{demo.FOREST}, MinExpectedCost")
    results, constant = comparison.results[::-1], comparison.constant_cost
    settings = {"font.size": 12, "font.family": "DejaVu Sans", "text.color": INK, "svg.hashsalt": "stakes"}
    with plt.rc_context(settings):
        figure, ax = plt.subplots(figsize=(6.6, 4.3), facecolor=PAPER, layout="constrained")
        for row, result in enumerate(results):
            mean, mine = result.cost.mean, result.name.startswith(ours)
            ax.barh(row, mean, color=OURS if mine else OTHERS, height=0.72)
            ax.text(mean - 0.02, row, f"{mean:.2f}", va="center", ha="right", color=PAPER if mine else INK)
            saved = 1 - mean / constant
            words = (
                f"{abs(saved):.0%} {'saved' if saved > 0 else 'more'}" if result.name != demo.CONSTANT else ""
            )
            ax.text(1.42 * constant, row, words, va="center", weight="bold" if mine else None)
        ax.set_yticks(range(len(results)), [result.name.replace(", ", ",\n") for result in results])
        ax.axvline(constant, color=INK, linestyle=(0, (4, 3)), linewidth=1.2)
        figure.suptitle(
            "What a customer costs: german credit, cross-validated", x=0.01, ha="left", fontsize=13
        )
        ax.set_xlim(0, 1.75 * constant)
        ax.tick_params(left=False, bottom=False, labelbottom=False)
        ax.spines[:].set_visible(False)
        figure.savefig(path, facecolor=PAPER, bbox_inches="tight", pad_inches=0.12, metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
