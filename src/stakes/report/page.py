"""From a view to one HTML page."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from stakes._text.extras import extra_module
from stakes._text.files import write_text
from stakes._text.words import counted, percent, rounded
from stakes.lab import PeerComparison, Reproduction
from stakes.report._pictures import (
    NARROW,
    WIDE,
    Size,
    comparison_picture,
    evolution_picture,
    ratio_picture,
    threshold_picture,
    tradeoff_picture,
)
from stakes.report.ask import script_json
from stakes.report.index import IndexView
from stakes.report.lab_views import ComparisonView, LabView, comparison_view, duration, lab_view
from stakes.report.views import ModelView, model_view

View = ModelView | LabView | ComparisonView | IndexView

_TEMPLATES = Path(__file__).parent / "templates"
_NAMES = {ModelView: "model", LabView: "lab", ComparisonView: "comparison", IndexView: "index"}
#: What draws a part of a view, by the part's name.
_PICTURES: dict[str, Callable[[Any, Size], str]] = {
    "comparison": comparison_picture,
    "curve": threshold_picture,
    "ratio": ratio_picture,
    "evolution": evolution_picture,
    "tradeoff": tradeoff_picture,
}


def model_report(model: Any, X: Any, y: Any, **options: Any) -> str:
    """Return a report on what a fitted model costs on these rows: one HTML page that needs nothing else.

    Parameters
    ----------
    model : fitted classifier
        Any; a tree (also inside `Guard` or `MinExpectedCost`) is drawn, with the cost of each leaf.
    X : whatever the model takes
    y : array-like of shape (n_samples,)
        The true labels.
    **options
        ``cost_matrix``: costs of mistakes, the model's own by default. ``feature_costs``: prices of columns,
        the model's own by default. ``sample_weight``. ``comparison``: what
        :func:`stakes.compare.evaluate_learners` gave, shown as a table. ``title``.
        ``noun``: what one row is, "customer".
        ``note``: what a reader should know about these rows. ``questions``: for a tree, a TOML file of how
        its form asks, see :func:`stakes.tree.read_questionnaire`.

    Examples
    --------
    >>> from stakes import C45Classifier, datasets
    >>> table, costs = datasets.load_table("german")
    >>> tree = C45Classifier(cost_matrix=costs).fit(table, table.labels())
    >>> page = model_report(tree, table, table.labels(), noun="customer")
    >>> page.startswith("<!DOCTYPE html>")
    True
    """
    return render(model_view(model, X, y, **options))


def write_report(path: str | os.PathLike[str], model: Any, X: Any, y: Any, **options: Any) -> Path:
    """Write :func:`model_report` to a file and return its path."""
    return write_view(path, model_view(model, X, y, **options))


def write_lab_report(path: str | os.PathLike[str], reproduction: Reproduction) -> Path:
    """Write what came of a protocol, the paper's figures next to ours, as one HTML page; return its path.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from stakes.lab import reproduce
    >>> result = reproduce("ting1998", tables=["1"], datasets=["German"], quick=True)
    >>> write_lab_report(pathlib.Path(tempfile.mkdtemp()) / "ting1998.html", result).name
    'ting1998.html'
    """
    return write_view(path, lab_view(reproduction))


def write_lab_index(folder: str | os.PathLike[str], reproductions: Sequence[Reproduction]) -> Path:
    """Write the page that leads to the reports ``NAME.html`` of protocols in a folder; return its path."""
    views = {f"{reproduction.protocol.name}.html": lab_view(reproduction) for reproduction in reproductions}
    return write_view(Path(folder) / "index.html", IndexView("Reports of the lab", views))


def write_comparison_report(path: str | os.PathLike[str], result: PeerComparison, name: str) -> Path:
    """Write a comparison with peers on the data of this name as one HTML page; return its path."""
    return write_view(path, comparison_view(result, name))


def write_view(path: str | os.PathLike[str], view: View) -> Path:
    """Write the page of a view and return its path."""
    # a name of a file that is no UTF-8 is shown with escapes
    write_text(path, render(view), errors="backslashreplace")
    return Path(path)


def render(view: View) -> str:
    """Return the page of a view."""
    jinja2 = extra_module("jinja2", "a report", "report")
    markup = extra_module("markupsafe", "a report", "report").Markup
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "amount": rounded,
        "counted": counted,
        "duration": duration,
        "percent": percent,
        # Drawings are made by stakes and escape what they show, and so does the JSON below.
        "drawing": markup,
    }
    drawn = {name: getattr(view, name, None) for name in _PICTURES}
    shown: dict[str, Any] = {
        "view": view,
        "pictures": {
            name: [_PICTURES[name](part, size) for size in (WIDE, NARROW)]
            for name, part in drawn.items()
            if part is not None
        },
    }
    if isinstance(view, ModelView):
        shown |= {
            "most_points": WIDE.most_points,
            "walker": markup("" if view.walker is None else script_json(view.walker)),
            "ratio_data": markup("" if view.ratio is None else script_json(view.ratio.data())),
        }
    return environment.get_template(f"{_NAMES[type(view)]}.html.j2").render(shown)
