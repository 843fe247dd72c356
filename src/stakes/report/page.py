"""From a view to one HTML page."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from stakes._text.extras import extra_module
from stakes._text.files import write_text
from stakes._text.money import heading, money, stating, unbroken, with_currency
from stakes._text.words import counted, percent, rounded
from stakes.lab import PeerComparison, Reproduction
from stakes.report._pictures import (
    NARROW,
    WIDE,
    Size,
    comparison_picture,
    evolution_picture,
    ratio_picture,
    reliability_picture,
    threshold_picture,
    tradeoff_picture,
)
from stakes.report.ask import script_json
from stakes.report.index import IndexView
from stakes.report.lab_views import ComparisonView, LabView, comparison_view, duration, lab_view
from stakes.report.views import ModelView, model_view

View = ModelView | LabView | ComparisonView | IndexView

_CODE = re.compile(r"`([^`]+)`")
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


class Report(str):
    """A report as the text of its page: a notebook shows it, and ``save`` writes it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from stakes import C45Classifier
    >>> X, y = [[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"]
    >>> report = C45Classifier().fit(X, y).report(X, y, title="Four rows")
    >>> report
    <Report 'Four rows': a notebook shows it, save(path) writes it>
    >>> report.save(pathlib.Path(tempfile.mkdtemp()) / "report.html").name
    'report.html'
    """

    heading: str

    def __new__(cls, page: str, heading: str) -> Report:
        """Make it of the text of a page."""
        report = super().__new__(cls, page)
        report.heading = heading
        return report

    def __repr__(self) -> str:
        return f"<Report {self.heading!r}: a notebook shows it, save(path) writes it>"

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own: neither its styles nor its scripts reach what is around it."""
        # Without a base of its own, the page's links to its sections would lead to the notebook.
        page = self.replace("<head>", '<head><base href="about:srcdoc">', 1)
        return (
            f'<iframe title="{escape(self.heading)}" srcdoc="{escape(page)}" sandbox="allow-scripts" '
            'style="width: 100%; height: 45rem; border: 1px solid #8888"></iframe>'
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, which is in place only once it is complete; return its path."""
        # a name of a file that is no UTF-8 is shown with escapes
        write_text(path, str(self), errors="backslashreplace")
        return Path(path)


def model_report(model: Any, X: Any, y: Any, **options: Any) -> Report:
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
        ``note``: what a reader should know about these rows.
        ``by``: columns that the cost is shown by: the name of a column of ``X``, a list of names, or values
        of one or more columns, one for each row, that ``X`` need not have.
        ``questions``: for a tree, a TOML file of how its form asks, as
        :func:`stakes.tree.read_questionnaire` reads it.
        ``currency``: what costs are in, such as "EUR", which the page names with every amount; by default
        what the model remembers, if anything.

    Returns
    -------
    Report
        The text of the page; a notebook shows it, and its method ``save`` writes it to a file.

    Examples
    --------
    >>> from stakes import C45Classifier, datasets
    >>> table, costs = datasets.load_table("german")
    >>> tree = C45Classifier(cost_matrix=costs).fit(table, table.labels())
    >>> model_report(tree, table, table.labels(), noun="customer", by="housing")
    <Report 'What the model costs': a notebook shows it, save(path) writes it>
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


def write_comparison_report(
    path: str | os.PathLike[str], result: PeerComparison, name: str, currency: str | None = None
) -> Path:
    """Write a comparison with peers on the data of this name as one HTML page; return its path.

    The page names the ``currency``, such as "EUR", with every amount.
    """
    return write_view(path, comparison_view(result, name, currency))


def write_view(path: str | os.PathLike[str], view: View) -> Path:
    """Write the page of a view and return its path."""
    return render(view).save(path)


def render(view: View) -> Report:
    """Return the page of a view."""
    # Amounts do not part from their currency at the end of a line.
    with stating(getattr(view, "currency", None), space="\N{NO-BREAK SPACE}"):
        return _render(view)


def _render(view: View) -> Report:
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
        "heading": heading,
        "money": lambda value: money(value, rounded),
        "unbroken": unbroken,
        # Words between backquotes of a text; the text itself is escaped first.
        "code": lambda text: markup(_CODE.sub(r"<code>\1</code>", str(markup.escape(text)))),
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
            "diagrams": [[reliability_picture(r, size) for size in (WIDE, NARROW)] for r in view.reliability],
            "walker": markup("" if view.walker is None else script_json(with_currency(view.walker))),
            "ratio_data": markup("" if view.ratio is None else script_json(with_currency(view.ratio.data()))),
        }
    template = environment.get_template(f"{_NAMES[type(view)]}.html.j2")
    return Report(template.render(shown), view.title)
