"""``stakes fit``: learn a model and write it to a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from stakes._base.interrupts import early_end
from stakes._base.progress import watched
from stakes._base.saving import remember_currency
from stakes._cli import settings
from stakes._cli.fit_options import (
    LEARNERS,
    check_options,
    check_prices,
    check_values,
    given_options,
    given_pairs,
    parameters,
    say_what_ignores_prices,
)
from stakes._cli.fit_words import fit_facts, show_facts
from stakes._cli.names import GAMMA_CRITERIA
from stakes._cli.progress import watching
from stakes._cli.shared import Problem, note_rows, notes, print_json, read_problem
from stakes._cli.suspects import tell_suspicions
from stakes._text.files import check_output, write_text
from stakes._text.money import stated_currency
from stakes.boosted import BoostedStakes
from stakes.costs import as_feature_costs
from stakes.decision import Guard
from stakes.models import save_model
from stakes.tree import TradeoffSearchCV

#: Folds by which the weight of prices is chosen, in each fold of the guard again.
GAMMA_FOLDS = 5


def run(
    ctx: typer.Context,
    data: str,
    target: str | None,
    drop: list[str] | None,
    categorical: list[str] | None,
    weights: str | None,
    costs: Path | None,
    feature_costs: Path | None,
    abstain_cost: float | None,
    accept_costs: bool,
    learner: str,
    guard: bool,
    folds: int,
    seed: int,
    n_jobs: int | None,
    set_: list[str] | None,
    config: Path | None,
    cost_use: str,
    decision: str,
    criterion: str,
    gamma: float | None,
    max_depth: int | None,
    min_samples_leaf: float,
    prune: str,
    smoothing: str,
    max_path_cost: float | None,
    max_upfront_cost: float | None,
    t_good: float | None,
    min_support: float,
    max_length: int | None,
    output: Path,
    save_config: Path | None,
    keep_background: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Learn the model, write it, and say what it costs."""
    given, pairs = given_options(ctx), given_pairs(ctx, learner)
    kind, settled = LEARNERS[learner]
    check_options(ctx, given, learner, guard)
    if feature_costs is None:
        check_prices(criterion, gamma, max_upfront_cost, max_path_cost)
    own = settled | parameters(given) | pairs
    own.pop("feature_costs", None)
    check_values(kind(**own))
    check_output(output, data, costs, feature_costs, config, save_config)
    check_output(save_config, data, costs, feature_costs)
    problem = read_problem(data, target, costs, weights, accept_costs, drop=drop)
    problem = replace(problem, keep_background=keep_background)
    tell_suspicions(problem, data)
    own["cost_matrix"] = problem.cost_matrix
    if feature_costs is not None:
        own["feature_costs"] = as_feature_costs(feature_costs, problem.table.schema.names)
    if save_config is not None:
        write_text(save_config, settings.kept(ctx, save_config.parent, pairs))
    model = kind(**own)
    if feature_costs is not None:
        say_what_ignores_prices(model)
        if criterion in GAMMA_CRITERIA and gamma is None:
            model = _choosing_gamma(model, seed, n_jobs)
    if guard and kind is not BoostedStakes:
        model = Guard(model, cv=folds, random_state=seed)
    _learn(model, problem, output, verbose, as_json)


def _choosing_gamma(tree: Any, seed: int, n_jobs: int | None) -> TradeoffSearchCV:
    """Search for the weight of prices at which mistakes and tests cost least together."""
    return TradeoffSearchCV(
        tree,
        cv=GAMMA_FOLDS,
        objective="cost",
        select="total",
        pay="path",
        cost_matrix=tree.cost_matrix,
        n_jobs=n_jobs,
        random_state=seed,
    )


def _learn(model: Any, problem: Problem, output: Path, verbose: bool, as_json: bool) -> None:
    with notes(), early_end(True), watching(shown=not as_json, always=verbose) as watcher, watched(watcher):
        try:
            model.fit(problem.table, problem.target, sample_weight=problem.weight)
        except KeyboardInterrupt:
            # A guard has its estimator before it judges it; other models have nothing to keep by now.
            if not getattr(model, "interrupted_", False):
                raise KeyboardInterrupt("Nothing could be kept, so no model is written.") from None
    note_rows(model, problem)
    remember_currency(model, stated_currency())
    save_model(model, output)
    facts = fit_facts(model, problem, output)
    if as_json:
        print_json(facts)
    else:
        show_facts(facts)
    if getattr(model, "interrupted_", False):
        raise typer.Exit(130)
