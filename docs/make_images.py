"""Draw the pictures of the README and the guide again: python docs/make_images.py."""

from pathlib import Path

from stakes import C45Classifier, datasets

IMAGES = Path(__file__).parent / "images"


def main() -> None:
    """Write every picture."""
    german = datasets.load("german")
    tree = C45Classifier(
        cost_matrix=german.cost_matrix, criterion="gain", max_leaf_nodes=9, group_values=True
    )
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "german.svg").write_text(tree.fit(german.X, german.y).export_svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
