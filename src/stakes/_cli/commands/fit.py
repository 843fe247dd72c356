"""Options of ``stakes fit``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options
from stakes._cli.names import CRITERIA, PRUNING

Learner = StrEnum(
    "Learner", {"c45": "c4.5", "c45cs": "c4.5cs", "gdt": "gdt", "rules": "rules", "boosted": "boosted"}
)
CostUse = StrEnum("CostUse", ["weights", "priors", "none"])
Decision = StrEnum("Decision", ["majority", "min_cost"])
Growth = StrEnum("Growth", ["depth_first", "best_first"])
Smoothing = StrEnum("Smoothing", ["none", "laplace", "m"])
CostVector = StrEnum("CostVector", ["sum", "max", "mean"])
Dialect = StrEnum("Dialect", ["c45", "j48"])
Unseen = StrEnum("Unseen", ["missing", "error"])


def _criteria() -> list[str]:
    from stakes.tree import split_criteria

    return split_criteria()


def _pruning() -> list[str]:
    from stakes.tree import pruning_methods

    return [*pruning_methods(), "none"]


def command(
    ctx: typer.Context,
    data: options.DataArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the model goes.")
    ] = Path("model.json"),
    costs: options.CostsOption = None,
    accept_costs: options.AcceptCostsOption = False,
    target: options.TargetOption = None,
    weights: options.WeightsOption = None,
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
        typer.Option(help="Predict the best constant where the model does not beat it in cross-validation."),
    ] = True,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the guard's cross-validation.")] = 10,
    cost_use: Annotated[
        CostUse, typer.Option(help="How costs shape the tree; none for c4.5.")
    ] = CostUse.weights,
    decision: Annotated[
        Decision, typer.Option(help="What a leaf answers: its heaviest class, or the cheapest.")
    ] = Decision.majority,
    criterion: Annotated[
        str,
        options.choice(
            "--criterion",
            CRITERIA,
            _criteria,
            "What a split is judged by; from cs_gain on also by prices of columns.",
        ),
    ] = "gain_ratio",
    feature_costs: options.FeatureCostsOption = None,
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
        options.choice(
            "--prune",
            PRUNING,
            _pruning,
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
    keep_background: Annotated[
        bool,
        typer.Option(
            "--keep-background",
            help="Put 100 training rows into the model, for explanations to compare with.",
        ),
    ] = False,
    as_json: options.JsonOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Learn a tree, rules or an ensemble with regard to costs, and write the model as JSON.

    The fit is guarded: the model is cross-validated by its whole cost, of mistakes, of the columns that it
    reads where these have prices, and of undecided rows where `--abstain-cost` has theirs. Where it does not
    cost less than always answering one class, that class is what it will answer. A note says so, and so does
    the file. `--no-guard` gives the bare model, of which nothing is known then. `--learner boosted` is always
    guarded, by folds of its own. Ctrl-C ends all of it: a tree that is there by then is written, and the file
    says that it is not guarded.

    Rules are judged by what they decide where `--abstain-cost` is given, and else by answers to every row, as
    `stakes predict` gives them.

    An option that does not apply to the learner is refused, with a list of those that do.

    For example:

    - `stakes fit german -o model.json`

    - `stakes fit loans.csv --target repaid --costs costs.csv --decision min_cost --smoothing laplace`

    - `stakes fit patients.csv --feature-costs prices.csv --criterion cs_gain --max-path-cost 40`

    - `stakes fit loans.csv --learner rules --abstain-cost 0.3 -o rules.json`

    - `stakes fit loans.csv --learner boosted -o ensemble.json`

    - `stakes fit loans.csv --cost-use none --prune cost --max-depth 4 --no-guard -o small.json`
    """
    options.perform("fit", locals())
