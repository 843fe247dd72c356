"""``stakes fit``: learn a model and write it to a file."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from stakes._base.answering import model_size, paid_tests
from stakes._cli import rules
from stakes._cli.shared import (
    CostsOption,
    DataArgument,
    DebugOption,
    FeatureCostsOption,
    JsonOption,
    Problem,
    TargetOption,
    WeightsOption,
    choice,
    notes,
    out,
    print_json,
    read_problem,
)
from stakes._cli.suspects import AcceptCostsOption, tell_suspicions
from stakes._text.files import check_output
from stakes._text.words import amount
from stakes.boosted import BoostedStakes
from stakes.costs import as_feature_costs
from stakes.decision import Guard
from stakes.evolve import GDTClassifier
from stakes.models import save_model
from stakes.rules import RuleClassifier
from stakes.tree import C45Classifier, pruning_methods
from stakes.tree.c45.classifier import PRICED

Learner = StrEnum(
    "Learner", {"c45": "c4.5", "c45cs": "c4.5cs", "gdt": "gdt", "rules": "rules", "boosted": "boosted"}
)
CostUse = StrEnum("CostUse", ["weights", "priors", "none"])
Decision = StrEnum("Decision", ["majority", "min_cost"])
Criterion = StrEnum(
    "Criterion", "gain_ratio gain gini cs_gain cs_gain_ratio nunez mitchell norton tan total_cost"
)
Growth = StrEnum("Growth", ["depth_first", "best_first"])
Smoothing = StrEnum("Smoothing", ["none", "laplace", "m"])
CostVector = StrEnum("CostVector", ["sum", "max", "mean"])
Dialect = StrEnum("Dialect", ["c45", "j48"])
Unseen = StrEnum("Unseen", ["missing", "error"])


def command(
    data: DataArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the model goes.")
    ] = Path("model.json"),
    costs: CostsOption = None,
    accept_costs: AcceptCostsOption = False,
    target: TargetOption = None,
    weights: WeightsOption = None,
    learner: Annotated[
        Learner,
        typer.Option(
            "--learner",
            "-l",
            help="A tree with costs or without, an evolved tree, rules that may abstain, or an ensemble.",
        ),
    ] = Learner.c45cs,
    guard: Annotated[
        bool,
        typer.Option(help="Predict the best constant where the tree does not beat it in cross-validation."),
    ] = True,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the guard's cross-validation.")] = 10,
    cost_use: Annotated[
        CostUse, typer.Option(help="How costs shape the tree; none for c4.5.")
    ] = CostUse.weights,
    decision: Annotated[
        Decision, typer.Option(help="What a leaf answers: its heaviest class, or the cheapest.")
    ] = Decision.majority,
    criterion: Annotated[
        Criterion, typer.Option(help="What a split is judged by; from cs_gain on also by prices of columns.")
    ] = Criterion.gain_ratio,
    feature_costs: FeatureCostsOption = None,
    gamma: Annotated[
        float | None, typer.Option(min=0.0, help="How much prices matter to such a criterion; 1.")
    ] = None,
    ratio_of_candidate: Annotated[
        bool, typer.Option(help="cs_gain_ratio: whether a split's own entropy is part of the product.")
    ] = True,
    growth: Annotated[
        Growth, typer.Option(help="Which node is split next; it matters where columns are paid for once.")
    ] = Growth.depth_first,
    max_upfront_cost: Annotated[
        float | None, typer.Option(min=0.0, help="Most that all columns of the tree may cost together.")
    ] = None,
    max_path_cost: Annotated[
        float | None, typer.Option(min=0.0, help="Most that the columns on one path may cost.")
    ] = None,
    prune: Annotated[
        str,
        choice(
            "--prune",
            lambda: [*pruning_methods(), "none"],
            "Prune by pessimistic errors, by estimated cost, or not at all.",
        ),
    ] = "error",
    confidence: Annotated[float, typer.Option(help="Of the error estimates; smaller prunes more.")] = 0.25,
    dialect: Annotated[Dialect, typer.Option(help="C4.5 release 8, or as Weka's J48.")] = Dialect.c45,
    max_depth: Annotated[int | None, typer.Option(min=0, help="Most tests on a path.")] = None,
    max_leaf_nodes: Annotated[int | None, typer.Option(min=1, help="Most leaves; grown best-first.")] = None,
    min_samples_leaf: Annotated[float, typer.Option(help="Two branches of a split weigh at least this.")] = 2,
    min_gain: Annotated[float, typer.Option(help="Smallest gain of a split.")] = 0.0,
    max_bins: Annotated[
        int | None, typer.Option(min=2, max=255, help="Bin numeric columns first; faster on large data.")
    ] = None,
    smoothing: Annotated[Smoothing, typer.Option(help="Correction of leaf probabilities.")] = Smoothing.none,
    smoothing_strength: Annotated[float, typer.Option(help="The m of the m-estimate.")] = 2.0,
    cost_vector: Annotated[
        CostVector, typer.Option(help="How a row of costs becomes one weight.")
    ] = CostVector.sum,
    group_values: Annotated[bool, typer.Option(help="Categories may share a branch.")] = False,
    collapse: Annotated[bool, typer.Option(help="Undo splits that save no training error.")] = True,
    raise_subtrees: Annotated[
        bool, typer.Option("--raise/--no-raise", help="Pruning may put a branch in its parent's place.")
    ] = True,
    categorical: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column of numbers that are only names. May be repeated."),
    ] = None,
    unseen: Annotated[
        Unseen, typer.Option(help="What a category is that is met at prediction for the first time.")
    ] = Unseen.missing,
    t_good: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Rules: worst quality; by default 0.5, or by --abstain-cost."),
    ] = None,
    min_support: Annotated[
        float, typer.Option(min=0.0, help="Rules: rows of its class that one covers, below 1 a share of all.")
    ] = 0.01,
    max_length: Annotated[int | None, typer.Option(min=1, help="Rules: most conditions.")] = None,
    abstain_cost: Annotated[
        float | None,
        typer.Option(min=0.0, help="What an undecided row costs; rules take the cheapest cut-off."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Shuffles the guard's folds; draws for --criterion total_cost.")
    ] = 0,
    n_jobs: Annotated[int | None, typer.Option(help="Threads; -1 for all.")] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Learn a tree, rules or an ensemble with regard to costs, and write the model as JSON.

    The fit is guarded: where the tree does not cost less than always answering one class, that class is what
    the model will answer. A note says so, and so does the file. `--no-guard` gives the bare tree.

    The options are about C4.5 trees where they do not say otherwise. All learners take
    `--categorical`, `--unseen`, `--seed` and `--n-jobs`. `--learner gdt` (a tree found by evolution) and
    `--learner rules` also take `--feature-costs` and `--abstain-cost`; rules are not guarded, they abstain
    where none applies. `--learner boosted` is the strongest ensemble; it is always guarded.

    For example:

    - `stakes fit german -o model.json`

    - `stakes fit loans.csv --target repaid --costs costs.csv --decision min_cost --smoothing laplace`

    - `stakes fit patients.csv --feature-costs prices.csv --criterion cs_gain --max-path-cost 40`

    - `stakes fit loans.csv --learner rules --abstain-cost 0.3 -o rules.json`

    - `stakes fit loans.csv --learner boosted -o ensemble.json`

    - `stakes fit loans.csv --cost-use none --prune cost --max-depth 4 --no-guard -o small.json`
    """
    given = {name: str(value) if isinstance(value, StrEnum) else value for name, value in locals().items()}
    if feature_costs is None:
        _check_prices(criterion, gamma, max_upfront_cost, max_path_cost)
    check_output(output, data, costs, feature_costs)
    problem = read_problem(data, target, costs, weights, accept_costs)
    tell_suspicions(problem, data)
    prices = as_feature_costs(feature_costs, problem.table.schema.names)
    common: dict[str, Any] = {
        "cost_matrix": problem.cost_matrix,
        "categorical_features": categorical or None,
        "unseen": unseen.value,
        "n_jobs": n_jobs,
        "random_state": seed,
    }
    if learner is Learner.rules:
        own = _options_of(RuleClassifier, given) | common | {"feature_costs": prices}
        _learn(RuleClassifier(**own), problem, output, as_json, rules.fit_facts, rules.show_fit)
        return
    if learner is Learner.boosted:
        _learn(BoostedStakes(**common), problem, output, as_json)
        return
    tree: Any
    if learner is Learner.gdt:
        tree = GDTClassifier(max_depth=max_depth, feature_costs=prices, abstain_cost=abstain_cost, **common)
    else:
        own = _options_of(C45Classifier, given) | common | {"feature_costs": prices}
        own["cost_use"] = "none" if learner is Learner.c45 else cost_use.value
        own["gamma"] = 1.0 if gamma is None else gamma
        own |= {name: None for name in ("prune", "smoothing") if given[name] == "none"}
        tree = C45Classifier(**own)
    if guard:
        tree = Guard(tree, cv=folds, random_state=seed)
    _learn(tree, problem, output, as_json)


def _options_of(kind: type, given: dict[str, Any]) -> dict[str, Any]:
    """Those of the command's options that are called as a parameter of the class."""
    return {name: given[name] for name in signature(kind).parameters if name in given}


def _learn(
    model: Any,
    problem: Problem,
    output: Path,
    as_json: bool,
    facts_of: Callable[[Any, Problem, Path], dict[str, Any]] | None = None,
    show: Callable[[dict[str, Any]], None] | None = None,
) -> None:
    with notes():
        model.fit(problem.table, problem.target, sample_weight=problem.weight)
    save_model(model, output)
    facts = (facts_of or _facts)(model, problem, output)
    if as_json:
        print_json(facts)
    else:
        (show or _show)(facts)


def _check_prices(criterion: Criterion, gamma: Any, max_upfront_cost: Any, max_path_cost: Any) -> None:
    needing = {
        f"--criterion {criterion.value}": criterion.value in PRICED,
        "--gamma": gamma is not None,
        "--max-upfront-cost": max_upfront_cost is not None,
        "--max-path-cost": max_path_cost is not None,
    }
    for name, given in needing.items():
        if given:
            raise typer.BadParameter("needs --feature-costs.", param_hint=name)


def _facts(model: Any, problem: Problem, output: Path) -> dict[str, Any]:
    weight, answers = problem.weight_or_ones, model.answers(problem.table)
    predicted = problem.cost_matrix.codes(answers.labels)
    paid = problem.cost_values[problem.codes, predicted]
    tree = model.estimator_ if isinstance(model, Guard) else model
    facts = {
        "model": str(output),
        "rows": problem.table.n_samples,
        "classes": model.classes_.tolist(),
        "training_cost_per_row": float(weight @ paid / weight.sum()),
    }
    prices = None
    if not isinstance(tree, BoostedStakes):
        facts |= {"leaves": model_size(tree).leaves, "depth": tree.get_depth()}
        prices = tree.fitted_tree_.feature_costs
    if prices is not None:
        paid_for = paid_tests(model, problem.table, prices, answers.routing)
        facts["upfront_cost"] = paid_for.upfront
        facts["training_test_cost_per_row"] = float(weight @ paid_for.by_row / weight.sum())
    if isinstance(model, Guard | BoostedStakes):
        facts |= {
            "guarded": model.guarded_,
            "cross_validated_cost_per_row": model.cv_cost_,
            "best_constant": np.asarray([model.constant_]).tolist()[0],
            "best_constant_cost_per_row": model.constant_cost_,
        }
    return facts


def _show(facts: dict[str, Any]) -> None:
    console = out()
    what = "An ensemble"
    if "leaves" in facts:
        leaves = "1 leaf" if facts["leaves"] == 1 else f"{facts['leaves']} leaves"
        what = f"A tree with {leaves} and depth {facts['depth']}"
    console.print(f"{what} from {facts['rows']} rows.")
    if "guarded" in facts:
        console.print(
            f"Cost per row: {amount(facts['cross_validated_cost_per_row'])} in cross-validation, "
            f"{amount(facts['best_constant_cost_per_row'])} for always answering {facts['best_constant']}.",
        )
    if "upfront_cost" in facts:
        console.print(
            f"Tests: {amount(facts['training_test_cost_per_row'])} per row one by one, "
            f"{amount(facts['upfront_cost'])} up front.",
        )
    if facts.get("guarded"):
        console.print(f"So the model answers {facts['best_constant']} for everyone.")
    see = f" See it with: stakes show {facts['model']}" if "leaves" in facts else ""
    console.print(f"Written to {facts['model']}.{see}")
