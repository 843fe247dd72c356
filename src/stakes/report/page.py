"""From a view to one HTML page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from stakes.report._pictures import threshold_picture
from stakes.report.ask import script_json
from stakes.report.views import ModelView, model_view
from stakes.tree.words import amount

_TEMPLATES = Path(__file__).parent / "templates"


def model_report(model: Any, X: Any, y: Any, **options: Any) -> str:
    """Return a report on what a fitted model costs on these rows: one HTML page that needs nothing else.

    Parameters
    ----------
    model : fitted classifier
        Any; a tree (also inside `Guard` or `MinExpectedCost`) is drawn and its leaves are billed.
    X : whatever the model takes
    y : array-like of shape (n_samples,)
        The true labels.
    **options
        ``cost_matrix``: costs to bill by, the model's own by default. ``feature_costs``: prices of columns,
        the model's own by default. ``sample_weight``. ``comparison``: what
        :func:`stakes.lab.compare` gave, shown as a table. ``title``.
        ``noun``: what one row is, "customer".
        ``note``: what a reader should know about these rows.

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
    target = Path(path)
    target.write_text(model_report(model, X, y, **options), encoding="utf-8")
    return target


def render(view: ModelView) -> str:
    """Return the page of a view."""
    try:
        import jinja2
        import markupsafe
    except ImportError as error:
        raise ImportError("a report needs jinja2: pip install 'stakes[report]'.") from error
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"amount": amount, "percent": lambda share: f"{share:.0%}"}
    return environment.get_template("model.html.j2").render(
        view=view,
        # Drawings are made by stakes and escape what they show.
        tree=markupsafe.Markup(view.tree_svg),
        walker=markupsafe.Markup("" if view.walker is None else script_json(view.walker)),
        picture=markupsafe.Markup("" if view.curve is None else threshold_picture(view.curve)),
    )
