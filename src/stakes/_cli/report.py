"""``stakes report``: what a saved model costs, as a page to read."""

from __future__ import annotations

from pathlib import Path

from stakes._cli.console import out
from stakes._cli.shared import read_model
from stakes._cli.with_model import read_for_model
from stakes._text.files import check_output
from stakes._text.money import stated_currency
from stakes.report import model_view, write_view


def run(
    model: Path,
    data: str,
    output: Path,
    costs: Path | None,
    accept_costs: bool,
    target: str | None,
    weights: str | None,
    feature_costs: Path | None,
    by: list[str] | None,
    noun: str,
    title: str | None,
    note: str,
    questions: Path | None,
) -> None:
    """Write what a saved model costs on these rows as a page."""
    check_output(output, model, data, costs, feature_costs, questions)
    fitted = read_model(model)
    problem, prices, groups = read_for_model(
        fitted, data, target, costs, weights, accept_costs, feature_costs, by=by
    )
    view = model_view(
        fitted,
        problem.table,
        problem.labels,
        cost_matrix=problem.cost_matrix,
        sample_weight=problem.weight,
        feature_costs=prices,
        title=f"What the model costs on {problem.name}" if title is None else title,
        noun=noun,
        note=note,
        by=groups,
        questions=questions,
        currency=stated_currency(),
    )
    write_view(output, view)
    for sentence in view.words[:2]:
        out().print(sentence)
    out().print(f"Written to {output}: open it in a browser.")
