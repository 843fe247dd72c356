"""``stakes demo``: german credit with its published costs, from data to report."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table as Grid
from rich.text import Text
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline

from stakes._base.folds import stratified_folds
from stakes._cli.console import out
from stakes._cli.shared import Problem, note_rows, progress_bar, read_problem, write_page
from stakes._text.files import check_folder, write_text
from stakes._text.words import amount
from stakes.boosted import BoostedStakes
from stakes.compare import Comparison, ConstantClassifier, LearnerResult, OneHotTable, evaluate_learners
from stakes.costs import CostMatrix
from stakes.decision import MinExpectedCost
from stakes.evolve import GDTClassifier
from stakes.export import render
from stakes.models import save_model
from stakes.report import model_view, write_view
from stakes.tree import C45Classifier

NOUN = "customer"
#: The two that stakes recommends to start with: for the least cost, and to be read.
ENSEMBLE, TREE = "BoostedStakes", "GDTClassifier"
FOREST, CONSTANT = "scikit-learn forest", "best constant"
#: What it costs that an expert decides.
SECOND_LOOK = 0.5


def run(folder: Path) -> None:
    """Compare, show the tree and write a report, the tree and both models to a folder."""
    check_folder(folder)
    problem = read_problem("german", None, None, None)
    console = out()
    console.print("[bold]German credit[/bold]: 1000 customers, 300 of them bad.", markup=True)
    console.print(problem.cost_matrix.describe(NOUN) + "\n")
    learners = _learners(problem.cost_matrix)
    with progress_bar("Cross-validating") as progress:
        comparison = cross_validate(problem, progress)
    console.print(_grid(comparison))
    console.print(_headline(comparison))
    tree = _fit(learners[TREE], problem)
    console.print(f"\n[bold]{TREE}'s tree[/bold], learned from all customers:", markup=True)
    depth = None if tree.get_n_leaves() <= 16 else 3
    console.print(render(tree.fitted_tree_, "text", max_depth=depth), soft_wrap=True)
    save_model(tree, folder / "tree.json")
    write_text(folder / "tree.svg", render(tree.fitted_tree_, "svg"))
    report = _report(learners[ENSEMBLE], problem, comparison, folder)
    if report is not None:
        console.print(Text.assemble((f"\nThe report is in {report}", "bold"), ": open it in a browser."))
    program = _program()
    console.print(
        f"\nTry next:\n"
        f"  {program} show {folder}/tree.json --format leaves\n"
        f"  {program} export {folder}/tree.json --to sql\n"
        f"  {program} describe YOUR.csv --target COLUMN --costs COSTS.csv",
        soft_wrap=True,
    )


def cross_validate(problem: Problem, progress: Callable[[int, int, str], None] | None = None) -> Comparison:
    """Cross-validate the learners of the demo; the ensemble also where it may leave rows undecided."""
    return evaluate_learners(
        _learners(problem.cost_matrix),
        problem.table,
        problem.labels,
        cost_matrix=problem.cost_matrix,
        abstain_costs={ENSEMBLE: SECOND_LOOK},
        progress=progress,
    )


def _learners(costs: CostMatrix) -> dict[str, Any]:
    """Ours, the best constant, and what one has without costs, in the order in which they are shown."""
    forest = make_pipeline(OneHotTable(), RandomForestClassifier(random_state=0))
    return {
        ENSEMBLE: BoostedStakes(cost_matrix=costs, random_state=0),
        TREE: GDTClassifier(cost_matrix=costs, random_state=0),
        f"{FOREST}, MinExpectedCost": MinExpectedCost(forest, cost_matrix=costs),
        CONSTANT: ConstantClassifier(costs),
        FOREST: forest,
        "C4.5": C45Classifier(cost_matrix=costs, cost_use="none"),
    }


def _grid(comparison: Comparison) -> Grid:
    grid = Grid(title=f"What a {NOUN} costs, in {comparison.n_folds}-fold cross-validation")
    grid.add_column("learner")
    for column in ("cost", "saved", "mistakes", "undecided", "leaves"):
        grid.add_column(column, justify="right")
    for result in comparison.results:
        grid.add_row(
            result.name,
            f"{result.cost.mean:.2f}",
            "" if result.name == CONSTANT else _saved(result),
            f"{result.errors.mean:.0%}",
            f"{result.undecided:.0%}" if result.undecided else "",
            "" if result.leaves is None else f"{result.leaves:.0f}",
            style="bold green" if result.name.startswith((ENSEMBLE, TREE)) else None,
        )
    return grid


def _headline(comparison: Comparison) -> Text:
    """Say what is saved, what abstaining adds to that, and what is costlier than no model."""
    results = {result.name: result for result in comparison.results}
    (abstaining,) = (result for result in comparison.results if result.undecided)
    ensemble, tree, constant = results[ENSEMBLE], results[TREE], results[CONSTANT]
    worse = (result.name for result in comparison.results if result.cost.mean > constant.cost.mean)
    look, every = amount(SECOND_LOOK), f"every {NOUN}"
    return Text.assemble(
        (f"\n{ENSEMBLE} saves {_saved(ensemble)} of what the best constant costs, ", "bold"),
        (f"one tree of {tree.leaves:.0f} leaves {_saved(tree)}.\n", "bold"),
        f"The constant calls {every} {comparison.constant}. ",
        f"Costlier, as they know no costs: {', '.join(worse)}.\n",
        f"Where a second look costs {look}, {ENSEMBLE} leaves {abstaining.undecided:.0%} undecided ",
        f"and saves {_saved(abstaining)};\n",
        f"a second look at {every} would save {1 - SECOND_LOOK / comparison.constant_cost:.0%}.",
    )


def _saved(result: LearnerResult) -> str:
    return "" if result.savings is None else f"{result.savings.mean:.0%}"


def _fit(learner: Any, problem: Problem) -> Any:
    model = learner.fit(problem.table, problem.target)
    note_rows(model, problem)
    return model


def _report(learner: Any, problem: Problem, comparison: Comparison, folder: Path) -> Path | None:
    """Write what the ensemble costs on a third of the customers, which it has never seen."""
    third = stratified_folds(problem.codes.astype(np.intp), 3, 0) == 0
    train, test = problem.take(np.flatnonzero(~third)), problem.take(np.flatnonzero(third))
    model = _fit(learner, train)
    save_model(model, folder / "model.json")
    view = model_view(
        model,
        test.table,
        test.labels,
        comparison=comparison,
        title="German credit: what a model saves",
        noun=NOUN,
        note=f"{ENSEMBLE}, learned from {len(train)} {NOUN}s; the figures are for {len(test)} others.",
    )
    return write_page(lambda: write_view(folder / "report.html", view))


def _program() -> str:
    """How this program is started: by its name where the shell finds it, else by its path."""
    path = Path(sys.executable).with_name("stakes")
    if shutil.which("stakes") or not path.exists():
        return "stakes"
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
