"""Options of ``stakes fit`` as parameters of a learner: which apply to it, and what `--set` gives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any

import typer

from stakes._base.private_sklearn import StrOptions
from stakes._cli.console import say
from stakes._cli.names import PRICED_CRITERIA
from stakes._cli.settings import parsed_pairs
from stakes._text.words import did_you_mean
from stakes.boosted import BoostedStakes
from stakes.evolve import GDTClassifier
from stakes.rules import RuleClassifier
from stakes.tree import C45Classifier

#: Class of each learner, and parameters that its name settles.
LEARNERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "c4.5cs": (C45Classifier, {}),
    "c4.5": (C45Classifier, {"cost_use": "none"}),
    "gdt": (GDTClassifier, {}),
    "rules": (RuleClassifier, {}),
    "boosted": (BoostedStakes, {}),
}
#: Parameters that are called otherwise than the option.
PARAMETERS = {"categorical": "categorical_features", "seed": "random_state"}
#: Options that are for the command, and those for the guard around the learner.
FOR_ALL = {
    *("data", "target", "drop", "weights", "costs", "accept_costs", "learner", "set_", "config", "output"),
    *("save_config", "keep_background", "currency", "verbose", "as_json", "debug"),
}
#: Parameters that a line cannot give, or that have an option for the whole command.
HIDDEN = {"callback", "verbose"}
FOR_GUARD = {"guard", "folds"}


def given_options(ctx: typer.Context) -> dict[str, Any]:
    """Return the options that are on the line or in the file of options, by their names."""
    sources = {name: ctx.get_parameter_source(name) for name in ctx.params}
    given = (name for name, source in sources.items() if source is not None and source.name != "DEFAULT")
    values = {name: ctx.params[name] for name in given}
    # What is repeated is a tuple here with older versions of typer.
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def given_pairs(ctx: typer.Context, learner: str) -> dict[str, Any]:
    """Return what `--set` says: in the file of options, and on the line, which wins."""
    kind, settled = LEARNERS[learner]
    names = {option.name: _spelling(option) for option in ctx.command.params}
    with_option = {PARAMETERS.get(name, name): names[name] for name in names if name not in FOR_ALL}
    pairs = parsed_pairs((ctx.default_map or {}).get("set_")) | parsed_pairs(ctx.params["set_"])
    # Those that a line can say, and that no option is for.
    accepted = kind._parameter_constraints
    plain = [name for name, accepts in accepted.items() if accepts != "no_validation"]
    known = [name for name in plain if name not in HIDDEN | set(settled) | set(with_option)]
    for name in pairs:
        if name in with_option:
            raise typer.BadParameter(
                f"{name} has an option of its own, {with_option[name]}.", param_hint="--set"
            )
        if name not in known:
            hint = did_you_mean(name, known, f"parameters of {kind.__name__} without an option")
            raise typer.BadParameter(f"{name!r} is not known{hint}.", param_hint="--set")
    return {name: _none(value) if None in accepted[name] else value for name, value in pairs.items()}


def parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a learner as its parameters."""
    own = {name: value for name, value in given.items() if name not in FOR_ALL | FOR_GUARD}
    return {PARAMETERS.get(name, name): _value(name, value) for name, value in own.items()}


def _value(option: str, value: Any) -> Any:
    if option in ("prune", "smoothing"):
        return _none(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)  # some learners count in whole rows where others take shares
    return value


def _none(value: Any) -> Any:
    return None if value in ("none", "None") else value


def check_values(model: Any) -> None:
    """Refuse values that the estimator refuses, before any data is read."""
    try:
        model._validate_params()
    except ValueError as error:
        raise typer.BadParameter(_unknown_choice(model, str(error)) or str(error)) from None


def _unknown_choice(model: Any, error: str) -> str:
    """Say what a word may mean that is no choice of the parameter that the error is about."""
    for name, accepts in model._parameter_constraints.items():
        value = getattr(model, name)
        choices = [word for each in accepts if isinstance(each, StrOptions) for word in sorted(each.options)]
        if choices and isinstance(value, str) and value not in choices and repr(name) in error:
            return (
                f"{name} must be one of its choices, got {value!r}{did_you_mean(value, choices, 'choices')}."
            )
    return ""


def check_options(ctx: typer.Context, given: Iterable[str], learner: str, guard: bool) -> None:
    """Refuse options that the learner has no use for."""
    kind, settled = LEARNERS[learner]
    own = {name for name in ctx.params if PARAMETERS.get(name, name) in signature(kind).parameters}
    own -= FOR_ALL | set(settled)
    if kind is not BoostedStakes:  # which is guarded by itself
        own |= FOR_GUARD if guard else {"guard"}
    names = {option.name: _spelling(option) for option in ctx.command.params}
    for name in given:
        if name not in own | FOR_ALL:
            bare = name in FOR_GUARD and kind is not BoostedStakes
            who = "--no-guard" if bare else f"--learner {learner}"
            known = ", ".join(sorted(names[option] for option in own))
            raise typer.BadParameter(f"does not apply to {who}; these do: {known}.", param_hint=names[name])


def _spelling(option: Any) -> str:
    """Return an option as it is written where it changes something."""
    return (option.secondary_opts if option.default is True else option.opts)[0]


def check_prices(criterion: str, gamma: Any, max_upfront_cost: Any, max_path_cost: Any) -> None:
    """Refuse what makes no sense without prices of columns."""
    needing = {
        f"--criterion {criterion}": criterion in PRICED_CRITERIA,
        "--gamma": gamma is not None,
        "--max-upfront-cost": max_upfront_cost is not None,
        "--max-path-cost": max_path_cost is not None,
    }
    for name, given in needing.items():
        if given:
            raise typer.BadParameter("needs --feature-costs.", param_hint=name)


def say_what_ignores_prices(model: Any) -> None:
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
