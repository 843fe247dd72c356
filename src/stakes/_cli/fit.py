"""``stakes fit``: learn a model and write it to a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import typer

from stakes._base.answering import model_size, own_prices, paid_tests
from stakes._base.interrupts import early_end
from stakes._cli import rules
from stakes._cli.commands.fit import (
    CostUse,
    CostVector,
    Decision,
    Dialect,
    Growth,
    Learner,
    Smoothing,
    Unseen,
)
from stakes._cli.console import out, say
from stakes._cli.names import PRICED_CRITERIA
from stakes._cli.shared import Problem, note_rows, notes, print_json, read_problem
from stakes._cli.suspects import tell_suspicions
from stakes._text.files import check_output
from stakes._text.words import amount
from stakes.boosted import BoostedStakes
from stakes.costs import as_feature_costs
from stakes.decision import Guard, best_constant
from stakes.evolve import GDTClassifier
from stakes.models import save_model
from stakes.rules import RuleClassifier
from stakes.tree import C45Classifier

#: Class of each learner, and parameters that its name settles.
LEARNERS: dict[Learner, tuple[Any, dict[str, Any]]] = {
    Learner.c45: (C45Classifier, {"cost_use": "none"}),
    Learner.c45cs: (C45Classifier, {}),
    Learner.gdt: (GDTClassifier, {}),
    Learner.rules: (RuleClassifier, {}),
    Learner.boosted: (BoostedStakes, {}),
}
#: Parameters that are called otherwise than the option.
PARAMETERS = {"categorical": "categorical_features", "seed": "random_state"}
#: Options that are for the command, and those for the guard around the learner.
FOR_ALL = {
    *("data", "output", "costs", "accept_costs", "target", "weights"),
    *("learner", "keep_background", "as_json", "debug"),
}
FOR_GUARD = {"guard", "folds"}
#: What is printed for models that may abstain.
FORCED = "cross_validated_cost_per_row_where_all_are_answered"


def run(
    ctx: typer.Context,
    data: str,
    output: Path,
    costs: Path | None,
    accept_costs: bool,
    target: str | None,
    weights: str | None,
    learner: Learner,
    guard: bool,
    folds: int,
    cost_use: CostUse,
    decision: Decision,
    criterion: str,
    feature_costs: Path | None,
    gamma: float | None,
    ratio_of_candidate: bool,
    growth: Growth,
    max_upfront_cost: float | None,
    max_path_cost: float | None,
    prune: str,
    confidence: float,
    dialect: Dialect,
    max_depth: int | None,
    max_leaf_nodes: int | None,
    min_samples_leaf: float,
    min_gain: float,
    max_bins: int | None,
    smoothing: Smoothing,
    smoothing_strength: float,
    cost_vector: CostVector,
    group_values: bool,
    collapse: bool,
    raise_subtrees: bool,
    categorical: list[str] | None,
    unseen: Unseen,
    t_good: float | None,
    min_support: float,
    max_length: int | None,
    abstain_cost: float | None,
    seed: int,
    n_jobs: int | None,
    keep_background: bool,
    as_json: bool,
) -> None:
    """Learn the model, write it, and say what it costs."""
    values = dict(locals())
    given = {name: values[name] for name in _given(ctx)}
    kind, settled = LEARNERS[learner]
    _check_options(ctx, given, kind, settled, learner, guard)
    if feature_costs is None:
        _check_prices(criterion, gamma, max_upfront_cost, max_path_cost)
    check_output(output, data, costs, feature_costs)
    problem = read_problem(data, target, costs, weights, accept_costs)
    problem = replace(problem, keep_background=keep_background)
    tell_suspicions(problem, data)
    parameters = settled | _parameters(given) | {"cost_matrix": problem.cost_matrix}
    if feature_costs is not None:
        parameters["feature_costs"] = as_feature_costs(feature_costs, problem.table.schema.names)
    model = kind(**parameters)
    if feature_costs is not None:
        _say_what_ignores_prices(model)
    if guard and kind is not BoostedStakes:
        model = Guard(model, cv=folds, random_state=seed)
    _learn(model, problem, output, as_json)


def _given(ctx: typer.Context) -> list[str]:
    """Return names of the options that are on the command line."""
    sources = {name: ctx.get_parameter_source(name) for name in ctx.params}
    return [name for name, source in sources.items() if source is not None and "DEFAULT" not in source.name]


def _parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a learner that are on the command line as its parameters."""
    own = {name: value for name, value in given.items() if name not in FOR_ALL | FOR_GUARD}
    return {PARAMETERS.get(name, name): _value(name, value) for name, value in own.items()}


def _value(option: str, value: Any) -> Any:
    if option in ("prune", "smoothing") and value == "none":
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)  # some learners count in whole rows where others take shares
    return str(value) if isinstance(value, StrEnum) else value


def _check_options(
    ctx: typer.Context,
    given: Iterable[str],
    kind: type,
    settled: Mapping[str, Any],
    learner: Learner,
    guard: bool,
) -> None:
    """Refuse options that the learner has no use for."""
    own = {name for name in ctx.params if PARAMETERS.get(name, name) in signature(kind).parameters}
    own -= FOR_ALL | set(settled)
    if kind is not BoostedStakes:  # which is guarded by itself
        own |= FOR_GUARD if guard else {"guard"}
    names = {option.name: _spelling(option) for option in ctx.command.params}
    for name in given:
        if name not in own | FOR_ALL:
            bare = name in FOR_GUARD and kind is not BoostedStakes
            who = "--no-guard" if bare else f"--learner {learner.value}"
            known = ", ".join(sorted(names[option] for option in own))
            raise typer.BadParameter(f"does not apply to {who}; these do: {known}.", param_hint=names[name])


def _spelling(option: Any) -> str:
    """Return an option as it is written where it changes something."""
    return (option.secondary_opts if option.default is True else option.opts)[0]


def _check_prices(criterion: str, gamma: Any, max_upfront_cost: Any, max_path_cost: Any) -> None:
    needing = {
        f"--criterion {criterion}": criterion in PRICED_CRITERIA,
        "--gamma": gamma is not None,
        "--max-upfront-cost": max_upfront_cost is not None,
        "--max-path-cost": max_path_cost is not None,
    }
    for name, given in needing.items():
        if given:
            raise typer.BadParameter("needs --feature-costs.", param_hint=name)


def _say_what_ignores_prices(model: Any) -> None:
    """Say where a learner does not take the prices of columns into account."""
    ignored = ""
    if isinstance(model, C45Classifier) and model.criterion not in (*PRICED_CRITERIA, "total_cost"):
        ignored = (
            f"--criterion {model.criterion} chooses columns as if they were free; cs_gain, total_cost and "
            "others take their prices into account"
        )
    elif isinstance(model, RuleClassifier) and (model.abstain_cost is None or model.t_good is not None):
        ignored = "rules choose columns as if they were free"
    elif isinstance(model, BoostedStakes):
        ignored = "the ensemble reads every column of every row, whatever that costs"
    if ignored:
        say(f"Note: {ignored}. The bill counts the prices all the same.", style="yellow")


def _learn(model: Any, problem: Problem, output: Path, as_json: bool) -> None:
    with notes(), early_end(True):
        try:
            model.fit(problem.table, problem.target, sample_weight=problem.weight)
        except KeyboardInterrupt:
            # A guard has its estimator before it judges it; other models have nothing to keep.
            if not getattr(model, "interrupted_", False):
                raise
    note_rows(model, problem)
    save_model(model, output)
    facts = _facts(model, problem, output)
    if as_json:
        print_json(facts)
    else:
        _show(facts)
    if getattr(model, "interrupted_", False):
        raise typer.Exit(130)


def _facts(model: Any, problem: Problem, output: Path) -> dict[str, Any]:
    weight, answers = problem.weight_or_ones, model.answers(problem.table)
    paid = problem.sample_costs[np.arange(len(problem)), problem.cost_matrix.codes(answers.labels)]
    learnt = model.estimator_ if isinstance(model, Guard) else model
    facts = {
        "model": str(output),
        "rows": problem.table.n_samples,
        "classes": model.classes_.tolist(),
        "training_cost_per_row": float(weight @ paid / weight.sum()),
    }
    if getattr(model, "interrupted_", False):
        facts["interrupted"] = True
    if isinstance(learnt, RuleClassifier):
        facts |= rules.fit_facts(learnt, problem)
    elif not isinstance(learnt, BoostedStakes):
        facts |= {"leaves": model_size(learnt).leaves, "depth": learnt.get_depth()}
    prices = own_prices(learnt)
    if prices is not None:
        paid_for = paid_tests(model, problem.table, prices, answers.routing)
        facts["upfront_cost"] = paid_for.upfront
        facts["training_test_cost_per_row"] = float(weight @ paid_for.by_row / weight.sum())
    return facts | _money(model, problem, answers.abstain_cost)


def _money(model: Any, problem: Problem, abstain_cost: float | None) -> dict[str, Any]:
    """What the model costs in cross-validation, None where nobody has looked, and what needs no model."""
    guarded = isinstance(model, Guard | BoostedStakes)
    judged = guarded and not getattr(model, "interrupted_", False)
    if guarded:
        constant, cost = model.constant_, model.constant_cost_
    else:
        best, cost = best_constant(problem.sample_costs, problem.weight_or_ones)
        constant = problem.classes[best]
    facts = {"guarded": model.guarded_} if guarded else {}
    facts |= {
        "cross_validated_cost_per_row": model.cv_cost_ if judged else None,
        "best_constant": np.asarray([constant]).tolist()[0],
        "best_constant_cost_per_row": cost,
    }
    if abstain_cost is not None:
        facts["abstain_cost"] = abstain_cost
        if judged and isinstance(model, Guard):
            facts[FORCED] = model.cv_forced_cost_
    return facts


def _show(facts: dict[str, Any]) -> None:
    console = out()
    what = "An ensemble"
    if "leaves" in facts:
        leaves = "1 leaf" if facts["leaves"] == 1 else f"{facts['leaves']} leaves"
        what = f"A tree with {leaves} and depth {facts['depth']}"
    elif "rules" in facts:
        number = "1 rule" if facts["rules"] == 1 else f"{facts['rules']} rules"
        what = f"{number} of up to {facts['longest']} conditions"
    console.print(f"{what} from {facts['rows']} rows.")
    if facts.get("interrupted"):
        console.print(
            "Stopped by Ctrl-C before the cross-validation: this model is not guarded, and the file says so."
        )
    console.print(_money_words(facts))
    if "rules" in facts:
        console.print(rules.fit_words(facts))
    if "upfront_cost" in facts:
        console.print(
            f"Tests: {amount(facts['training_test_cost_per_row'])} per row one by one, "
            f"{amount(facts['upfront_cost'])} up front.",
        )
    if facts.get("guarded"):
        or_none = facts.get("abstain_cost", np.inf) < facts["best_constant_cost_per_row"]
        console.print(
            f"So the model answers {facts['best_constant']} for everyone"
            f"{'; where it may abstain, it leaves everyone undecided' if or_none else ''}."
        )
    see = (
        ""
        if "leaves" not in facts and "rules" not in facts
        else f" See {{}} with: stakes show {facts['model']}"
    )
    console.print(f"Written to {facts['model']}.{see.format('them' if 'rules' in facts else 'it')}")


def _money_words(facts: dict[str, Any]) -> str:
    """Say what the model costs per row, next to answers that need none."""
    cost, abstain_cost = facts["cross_validated_cost_per_row"], facts.get("abstain_cost")
    parts = ["tests"] * ("upfront_cost" in facts) + ["undecided rows"] * (abstain_cost is not None)
    included = f" with {' and '.join(parts)}" if parts else ""
    unknown = "not cross-validated" + ("" if facts.get("interrupted") else " (--no-guard)")
    known = unknown if cost is None else f"{amount(cost)} in cross-validation"
    if FORCED in facts:
        known += f" ({amount(facts[FORCED])} where every row is answered)"
    constant = f"{amount(facts['best_constant_cost_per_row'])} for always answering {facts['best_constant']}"
    never = "" if abstain_cost is None else f", {amount(abstain_cost)} for never answering"
    return f"Cost per row{included}: {known}, {constant}{never}."
