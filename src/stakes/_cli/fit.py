"""``stakes fit``: learn a model and write it to a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from stakes._base.answering import model_size, own_prices, paid_tests
from stakes._base.interrupts import early_end
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
    note_rows,
    notes,
    out,
    print_json,
    read_problem,
    say,
)
from stakes._cli.suspects import AcceptCostsOption, tell_suspicions
from stakes._text.files import check_output
from stakes._text.words import amount
from stakes.boosted import BoostedStakes
from stakes.costs import as_feature_costs
from stakes.decision import Guard, best_constant
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


def command(
    ctx: typer.Context,
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
    keep_background: Annotated[
        bool,
        typer.Option(
            "--keep-background",
            help="Put 100 training rows into the model, for explanations to compare with.",
        ),
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
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


def _say_what_ignores_prices(model: Any) -> None:
    """Say where a learner does not take the prices of columns into account."""
    ignored = ""
    if isinstance(model, C45Classifier) and model.criterion not in (*PRICED, "total_cost"):
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
