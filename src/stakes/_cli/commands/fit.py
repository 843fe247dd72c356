"""Options of ``stakes fit``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from stakes._cli import options, settings
from stakes._cli.names import CRITERIA, FITTED, PRUNING


def _criteria() -> list[str]:
    from stakes.tree import split_criteria

    return split_criteria()


def _pruning() -> list[str]:
    from stakes.tree import pruning_methods

    return [*pruning_methods(), "none"]


TREES = "Trees (c4.5 and c4.5cs; some also for gdt)"
_learner = partial(typer.Option, rich_help_panel="Learner", show_default=False)
_tree = partial(typer.Option, rich_help_panel=TREES, show_default=False)
_tree_choice = partial(options.choice, panel=TREES)
_rules = partial(typer.Option, rich_help_panel="Rules", show_default=False)
_output = partial(typer.Option, rich_help_panel=options.OUTPUT, show_default=False)


def command(
    ctx: typer.Context,
    data: options.DataArgument,
    target: options.TargetOption = None,
    drop: options.DropOption = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of numbers that are only names; repeatable.",
            rich_help_panel=options.DATA,
        ),
    ] = None,
    weights: options.WeightsOption = None,
    costs: options.CostsOption = None,
    feature_costs: options.FeatureCostsOption = None,
    abstain_cost: Annotated[
        float | None,
        typer.Option(
            metavar="COST",
            help="What an undecided row costs, for rules and gdt.",
            rich_help_panel=options.COSTS,
        ),
    ] = None,
    accept_costs: options.AcceptCostsOption = False,
    currency: options.CurrencyOption = None,
    learner: Annotated[
        str,
        options.choice(
            "--learner",
            FITTED,
            lambda: FITTED,
            "A tree, evolved tree, rules, or ensemble",
            "-l",
            panel="Learner",
        ),
    ] = "c4.5cs",
    guard: Annotated[bool, _learner(help="Answer the best constant where the model is no cheaper.")] = True,
    folds: Annotated[int, _learner(min=2, metavar="N", help="Of the guard's cross-validation; 10.")] = 10,
    seed: Annotated[int, _learner(min=0, metavar="N", help="Of all that is drawn at random; 0.")] = 0,
    n_jobs: Annotated[int | None, _learner(metavar="N", help="Threads; -1 for all.")] = None,
    set_: Annotated[
        list[str] | None,
        _learner(
            "--set",
            metavar="NAME=VALUE",
            help="Another parameter of the learner, such as max_bins=64; repeatable.",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        _learner(
            metavar="FILE",
            callback=settings.read,
            is_eager=True,
            help="Options; those on the line win.",
        ),
    ] = None,
    cost_use: Annotated[
        str,
        _tree_choice("--cost-use", ("weights", "priors", "none"), None, "How costs count"),
    ] = "weights",
    decision: Annotated[
        str,
        _tree_choice("--decision", ("majority", "min_cost"), None, "Class of a leaf"),
    ] = "majority",
    criterion: Annotated[
        str,
        _tree_choice(
            "--criterion",
            CRITERIA,
            _criteria,
            "What splits are judged by, from cs_gain on also by prices",
        ),
    ] = "gain_ratio",
    gamma: Annotated[
        float | None,
        _tree(metavar="X", help="Weight of prices there; by default the cheapest."),
    ] = None,
    max_depth: Annotated[int | None, _tree(min=0, metavar="N", help="Most tests on a path.")] = None,
    min_samples_leaf: Annotated[float, _tree(metavar="N", help="Least rows in two branches; 2.")] = 2,
    prune: Annotated[str, _tree_choice("--prune", PRUNING, _pruning, "By errors, cost or not")] = "error",
    smoothing: Annotated[
        str, _tree_choice("--smoothing", ("none", "laplace", "m"), None, "Of probabilities")
    ] = "none",
    max_path_cost: Annotated[
        float | None, _tree(metavar="COST", help="Most that tests on a path cost.")
    ] = None,
    max_upfront_cost: Annotated[
        float | None, _tree(metavar="COST", help="Most that all columns cost.")
    ] = None,
    t_good: Annotated[
        float | None,
        _rules(metavar="X", help="Worst quality; 0.5, or by --abstain-cost."),
    ] = None,
    min_support: Annotated[
        float, _rules(metavar="X", help="Least rows of a rule, or their share; 0.01.")
    ] = 0.01,
    max_length: Annotated[int | None, _rules(min=1, metavar="N", help="Most conditions.")] = None,
    output: Annotated[
        Path, _output("--output", "-o", metavar="FILE", help="Where the model goes; model.json.")
    ] = Path("model.json"),
    save_config: Annotated[
        Path | None, _output(metavar="FILE", help="Write the options there, for --config.")
    ] = None,
    keep_background: Annotated[
        bool,
        _output("--keep-background", help="Keep 100 rows for explanations."),
    ] = False,
    verbose: Annotated[bool, _output("--verbose", "-v", help="Show progress also in a pipe.")] = False,
    as_json: options.JsonOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Learn a tree, rules or an ensemble with regard to costs, and write the model as JSON.

    The fit is guarded: where the model, cross-validated by its whole cost, does not beat answering always one
    class, it answers that class, and a note says so. Ctrl-C keeps a tree, or the finished parts of an
    ensemble, unguarded. Paths in a file of options are relative to that file.

    For example:

    - `stakes fit loans.csv --target repaid --drop id,date --costs costs.csv`

    - `stakes fit loans.csv --learner boosted -o ensemble.json`

    - `stakes fit patients.csv --feature-costs prices.csv --criterion cs_gain`
    """
    options.perform("fit", locals())
