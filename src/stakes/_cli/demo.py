"""``stakes demo``: german credit with its published costs, from data to report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.text import Text

from stakes._base.folds import stratified_folds
from stakes._cli.console import out
from stakes._cli.evaluate import comparison_grid
from stakes._cli.learners import LEARNERS, make_learners
from stakes._cli.shared import note_rows, progress_bar, read_problem, write_page
from stakes._text.files import check_folder, write_text
from stakes.compare import Comparison, evaluate_learners
from stakes.export import render
from stakes.models import save_model
from stakes.report import model_view, write_view

COMPARED = ["c4.5", "c4.5cs", "c4.5_mc", "c4.5_cp", "sklearn", "constant"]
NOUN = "customer"


def run(
    folder: Path,
) -> None:
    """Compare, show the cheapest tree and write all of it to a folder."""
    check_folder(folder)
    problem = read_problem("german", None, None, None)
    console = out()
    head = "[bold]German credit[/bold]: 1000 customers, 300 of them bad. What mistakes cost:"
    console.print(head, markup=True)
    console.print(problem.cost_matrix.describe(NOUN) + "\n")
    learners = make_learners(COMPARED, problem.cost_matrix, seed=0)
    with progress_bar("Cross-validating") as progress:
        comparison = evaluate_learners(
            learners,
            problem.table,
            problem.labels,
            cost_matrix=problem.cost_matrix,
            n_repeats=3,
            progress=progress,
        )
    console.print(comparison_grid(comparison, "German credit"))
    name = _cheapest_tree(comparison)
    # One third is kept aside, so that the report's bill is for customers the tree has never seen.
    third = stratified_folds(problem.codes.astype(np.intp), 3, 0) == 0
    train, test = problem.take(np.flatnonzero(~third)), problem.take(np.flatnonzero(third))
    model = learners[name].fit(train.table, train.target)
    note_rows(model, train)
    headline = ("\nThe cheapest tree", "bold"), f", {name}, learned from {len(train)} of the customers:"
    console.print(Text.assemble(*headline))
    depth = None if model.get_n_leaves() <= 40 else 3
    console.print(render(model.fitted_tree_, "text", max_depth=depth), soft_wrap=True)
    view = model_view(
        model,
        test.table,
        test.labels,
        comparison=comparison,
        title="German credit: what a tree costs",
        noun=NOUN,
        note=f"{name}, learned from {len(train)} customers and billed here for {len(test)} others.",
    )
    write_text(folder / "tree.svg", render(model.fitted_tree_, "svg"))
    save_model(model, folder / "model.json")
    report = write_page(lambda: write_view(folder / "report.html", view))
    if report is not None:
        console.print(Text.assemble((f"\nThe report is in {report}", "bold"), ": open it in a browser."))
    console.print(
        f"\nTry next:\n"
        f"  stakes show {folder}/model.json --format leaves\n"
        f"  stakes export {folder}/model.json --to sql\n"
        f"  stakes describe german\n"
        f"  stakes describe YOUR.csv --target COLUMN --costs COSTS.csv",
        soft_wrap=True,
    )


def _cheapest_tree(comparison: Comparison) -> str:
    """Name of the cheapest of our own trees that is more than one leaf."""
    own = {LEARNERS[name][0] for name in COMPARED if name.startswith("c4.5")}
    return min((r for r in comparison.results if r.name in own), key=lambda r: r.cost.mean).name
