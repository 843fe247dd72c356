"""``stakes evaluate``: what learners, or a saved model, cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from stakes import metrics
from stakes._base.answering import asks_nothing, first_with
from stakes._base.groups import columns_by
from stakes._cli.console import out, say
from stakes._cli.learners import LEARNERS, PRICED_LEARNERS, make_learners
from stakes._cli.rules import coverage_facts, coverage_words
from stakes._cli.shared import (
    Problem,
    notes,
    print_json,
    progress_bar,
    read_model,
    read_problem,
    without_columns,
)
from stakes._cli.with_model import read_for_model
from stakes._text.files import check_output
from stakes._text.money import heading, in_currency, money, stated_currency
from stakes._text.words import amount, percent, rounded
from stakes.compare import Comparison, CostsBy, Interval, LearnerResult, evaluate_learners
from stakes.costs import FeatureCosts, as_feature_costs
from stakes.report import GroupTable, ModelView, model_view, write_view
from stakes.table import Table

DEFAULT = ["c4.5", "c4.5cs", "c4.5_mc", "constant"]
#: Learners side by side in a table of groups; others have a table of their own below.
MOST_LEARNERS = 6


def run(
    data: str,
    model: Path | None,
    learner: list[str] | None,
    costs: Path | None,
    accept_costs: bool,
    target: str | None,
    drop: list[str] | None,
    weights: str | None,
    feature_costs: Path | None,
    folds: int | None,
    repeats: int | None,
    level: float,
    seed: int,
    abstain_cost: float | None,
    report: Path | None,
    questions: Path | None,
    by: list[str] | None,
    noun: str,
    as_json: bool,
) -> None:
    """Cross-validate the learners, or judge a saved model."""
    _check_options(model, learner, folds, repeats, abstain_cost, report, questions)
    if model is None:
        problem = read_problem(data, target, costs, weights, accept_costs)
        groups = columns_by(by or None, problem.table, len(problem))
        problem = replace(problem, table=without_columns(problem.table, drop))
        prices = as_feature_costs(feature_costs, problem.table.schema.names)
        _learners(problem, prices, learner or [], folds or 10, repeats or 1, level, seed, as_json, groups)
        return
    check_output(report, model, data, costs, feature_costs, questions)
    fitted = read_model(model)
    problem, prices, groups = read_for_model(
        fitted, data, target, costs, weights, accept_costs, feature_costs, drop=drop, by=by
    )
    _saved(fitted, problem, prices, abstain_cost, report, questions, noun, as_json, groups)


def _check_options(
    model: Path | None, learner: Any, folds: Any, repeats: Any, abstain_cost: Any, report: Any, questions: Any
) -> None:
    wrong = (
        {"--learner": learner, "--folds": folds, "--repeats": repeats}
        if model is not None
        else {"--abstain-cost": abstain_cost, "--report": report, "--questions": questions}
    )
    given = [name for name, value in wrong.items() if value is not None and value != []]
    if given:
        rest = "cannot be used together with --model" if model is not None else "needs --model"
        raise typer.BadParameter(f"{rest}.", param_hint=given[0])
    if questions is not None and report is None:
        raise typer.BadParameter("needs --report.", param_hint="--questions")


def _learners(
    problem: Problem,
    prices: FeatureCosts | None,
    names: list[str],
    folds: int,
    repeats: int,
    level: float,
    seed: int,
    as_json: bool,
    groups: Table | None,
) -> None:
    extra = [] if prices is None else list(PRICED_LEARNERS)
    if names in ([], ["all"]):
        names = [*LEARNERS, *extra] if names else [*DEFAULT[:-1], *extra[:1], *DEFAULT[-1:]]
    learners = make_learners(names, problem.cost_matrix, seed, prices)
    with notes(), progress_bar("Cross-validating") as progress:
        comparison = evaluate_learners(
            learners,
            problem.table,
            problem.labels,
            cost_matrix=problem.cost_matrix,
            feature_costs=prices,
            sample_weight=problem.weight,
            n_folds=folds,
            n_repeats=repeats,
            random_state=seed,
            level=level,
            progress=progress,
            by=groups,
        )
    if as_json:
        print_json(comparison.to_dict() | {"data": problem.name, "costs": problem.cost_matrix.to_dict()})
    else:
        console = out()
        console.print(comparison_grid(comparison, problem.name))
        for table in comparison.by:
            for grid in _learner_grids(table, comparison):
                console.print()
                console.print(grid)


def comparison_grid(comparison: Comparison, name: str) -> Group:
    """Results side by side."""
    repeats = f", {comparison.n_repeats} times" if comparison.n_repeats > 1 else ""
    grid = Grid(title=f"{name}: {comparison.n_folds}-fold cross-validation{repeats}")
    grid.add_column("learner", no_wrap=True)
    interval = f"{comparison.level:.0%} interval"
    columns = [heading("cost per row"), interval, heading("total"), "saved", "errors", "high-cost errors"]
    if comparison.priced:  # both kinds of columns together would not fit
        costs = (heading("bill per row"), interval, *map(heading, ("mistakes", "tests", "up front")))
        columns = [*costs, "errors"]
    for column in (*columns, "leaves", "nodes", "fit ms"):
        grid.add_column(column, justify="right", no_wrap=column == interval)
    for result in comparison.results:
        cheapest = result is comparison.cheapest
        grid.add_row(
            result.name,
            f"{result.decisive.mean:.3f}",
            _ends(result.decisive),
            *_cost_cells(result),
            *("" if size is None else f"{size:.1f}" for size in (result.leaves, result.nodes)),
            f"{1000 * result.seconds:.1f}",
            style="bold green" if cheapest else None,
        )
    words = (
        f"Always answering {comparison.constant} costs {money(comparison.constant_cost)} per row. "
        f"Cheapest here: {comparison.cheapest.name}.{_tests_in_words(comparison)}"
    )
    return Group(grid, words)


def _learner_grids(table: CostsBy, comparison: Comparison) -> Iterator[Grid]:
    """What the learners cost by a column, all rows last; the cheapest of each group stands out."""
    what = heading("Bill per row" if comparison.priced else "Cost per row")
    learners = list(table.everything.costs)
    for start in range(0, len(learners), MOST_LEARNERS):
        shown = learners[start : start + MOST_LEARNERS]
        grid = Grid(table.column, title=f"{what} by {table.column}", title_justify="left")
        for column in ("rows", *shown):
            grid.add_column(column, justify="right")
        for group in (*table.groups, table.everything):
            least = min(group.costs.values())
            cells = (
                Text(f"{group.costs[name]:.3f}", "bold green" if group.costs[name] == least else "")
                for name in shown
            )
            grid.add_row(group.name, rounded(group.rows), *cells)
        yield grid


def _tests_in_words(comparison: Comparison) -> str:
    """Say which learners may well be as cheap as the cheapest."""
    if not comparison.tests:
        return ""
    near = [test.name for test in comparison.tests if test.adjusted >= 1 - comparison.level]
    if not near:
        return " All others are costlier by more than chance."
    return f" May well be as cheap (corrected t-test, Holm): {', '.join(near)}."


def _cost_cells(result: LearnerResult) -> tuple[str, ...]:
    if result.test_cost is not None and result.upfront_cost is not None:
        parts = (f"{part.mean:.3f}" for part in (result.cost, result.test_cost))
        return (*parts, amount(round(result.upfront_cost, 1)), f"{result.errors.mean:.1%}")
    saved = "" if result.savings is None else f"{result.savings.mean:.0%}"
    costly = amount(round(result.high_cost_errors, 1))
    return amount(round(result.total, 1)), saved, f"{result.errors.mean:.1%}", costly


def _ends(interval: Interval) -> str:
    return f"{interval.low:.3f} to {interval.high:.3f}"


def _saved(
    model: Any,
    problem: Problem,
    prices: FeatureCosts | None,
    abstain_cost: float | None,
    report: Path | None,
    questions: Path | None,
    noun: str,
    as_json: bool,
    groups: Table | None,
) -> None:
    given: dict[str, Any] = {"cost_matrix": problem.cost_matrix, "sample_weight": problem.weight}
    answers = model.answers(problem.table)
    view = model_view(
        model,
        problem.table,
        problem.labels,
        **given,
        answers=answers,
        feature_costs=prices,
        noun=noun,
        by=groups,
        questions=questions,
        currency=stated_currency(),
        title=f"What the model costs on {problem.name}",
    )
    facts: dict[str, Any] = {
        "data": problem.name,
        "rows": view.n_rows,
        "cost_per_row": asdict(view.cost),
        "total": view.total,
        "errors": view.errors,
        "high_cost_errors": view.high_cost_errors,
        "savings": view.savings,
        "best_constant": view.constant,
        "best_constant_cost_per_row": view.constant_cost,
        "leaves": view.n_leaves,
        "nodes": view.n_nodes,
        "test_cost_per_row": None if view.test_cost is None else asdict(view.test_cost),
        "upfront_cost": view.upfront_cost,
        "total_cost_per_row": None if view.total_cost is None else asdict(view.total_cost),
        "confusion": asdict(view.confusion),
        "classes": [asdict(line) for line in view.classes],
    }
    if view.groups:
        facts["by"] = {table.column: [asdict(group) for group in table.groups] for table in view.groups}
    if view.abstention_cost is not None:
        facts["abstention_cost_per_row"] = asdict(view.abstention_cost)
    if first_with(model, "rule_set_") is not None and not asks_nothing(model):
        facts["rules"] = coverage_facts(answers.decide(), problem)
    if abstain_cost is not None:
        decision = answers.decide(abstain_cost)
        tests = 0.0 if view.test_cost is None else view.test_cost.mean
        facts["abstention"] = {
            "cost_per_row": tests
            + metrics.cost_with_abstention(problem.labels, decision, abstain_cost=abstain_cost, **given),
            "coverage": metrics.coverage(decision, problem.weight),
            "abstain_cost": abstain_cost,
        }
    if report is not None:
        write_view(report, view)
        say(f"Wrote {report}.")
    if as_json:
        print_json(facts)
    else:
        _show(view, facts)


def _show(view: ModelView, facts: dict[str, Any]) -> None:
    console = out()
    for sentence in view.words:
        console.print(sentence)
    four = "{:.4g}".format  # digits
    console.print(
        f"Cost per row: {money(view.decisive.mean, four)}, 95% interval {in_currency(_ends(view.decisive))}."
    )
    if "rules" in facts:
        console.print(coverage_words(facts["rules"], "of the rows"))
    if "abstention" in facts:
        rest = facts["abstention"]
        console.print(
            f"With {money(rest['abstain_cost'])} for an undecided row: {rest['coverage']:.0%} are decided, "
            f"at {money(rest['cost_per_row'], four)} per row in all.",
        )
    console.print()
    unit = "" if stated_currency() is None else f" in {stated_currency()}"
    grid = Grid("actual", title=f"Rows (and what they cost{unit})", title_justify="left")
    for label in view.confusion.labels:
        grid.add_column(f"answered {label}", justify="right")
    for label, counts, spent in zip(
        view.confusion.labels, view.confusion.counts, view.confusion.spent, strict=True
    ):
        cells = [f"{amount(n)} ({amount(c)})" for n, c in zip(counts, spent, strict=True)]
        grid.add_row(str(label), *cells)
    console.print(grid)
    for table in view.groups:
        console.print()
        console.print(_group_grid(table, view))


def _group_grid(table: GroupTable, view: ModelView) -> Grid:
    """The cost by a column, all rows last."""
    grid = Grid(table.column, title=f"Cost by {table.column}", title_justify="left")
    constant = heading(f"always {view.constant}")
    columns = ["rows", heading("cost per row"), "95% interval", constant, "mistakes"]
    columns += ["undecided"] if view.abstention_cost is not None else []
    columns += [heading("tests per row")] if view.test_cost is not None else []
    for column in columns:
        grid.add_column(column, justify="right")
    for group in (*table.groups, table.everything):
        cells = [rounded(group.rows), f"{group.cost.mean:.3f}", _ends(group.cost), f"{group.constant:.3f}"]
        cells.append(f"{rounded(group.errors)} ({percent(group.errors / group.rows)})")
        cells += [rounded(group.undecided)] if view.abstention_cost is not None else []
        cells += [f"{group.tests:.3f}"] if view.test_cost is not None else []
        grid.add_row(group.name, *cells, style="bold" if group is table.everything else None)
    return grid
