"""What ``stakes fit`` says of the model that was learnt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from stakes._base.answering import model_size, own_prices, paid_tests
from stakes._cli import rules
from stakes._cli.console import out
from stakes._cli.shared import Problem, kept_parts, kept_words
from stakes._text.money import money
from stakes.boosted import BoostedStakes
from stakes.decision import Guard, best_constant
from stakes.rules import RuleClassifier
from stakes.tree import TradeoffSearchCV

#: What is printed for models that may abstain.
FORCED = "cross_validated_cost_per_row_where_all_are_answered"


def fit_facts(model: Any, problem: Problem, output: Path) -> dict[str, Any]:
    weight, answers = problem.weight_or_ones, model.answers(problem.table)
    paid = problem.sample_costs[np.arange(len(problem)), problem.cost_matrix.codes(answers.labels)]
    learnt = model.estimator_ if isinstance(model, Guard) else model
    search = learnt if isinstance(learnt, TradeoffSearchCV) else None
    learnt = learnt.best_estimator_ if search is not None else learnt
    facts = {
        "model": str(output),
        "rows": problem.table.n_samples,
        "classes": model.classes_.tolist(),
        "training_cost_per_row": float(weight @ paid / weight.sum()),
    }
    if getattr(model, "interrupted_", False):
        facts["interrupted"] = True
        facts |= kept_parts(model)
    if search is not None:
        facts |= _chosen_gamma(search)
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


def _chosen_gamma(search: TradeoffSearchCV) -> dict[str, Any]:
    """Return the weight of prices that was chosen, None where gain ratio without prices is cheaper."""
    best, plain = search.best_point_, search.baseline_
    return {
        "gamma": best.value,
        "gamma_cost_per_row": {"mistakes": best.mistake_cost, "tests": best.test_cost},
        "cost_per_row_without_prices": {"mistakes": plain.mistake_cost, "tests": plain.test_cost},
    }


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


def show_facts(facts: dict[str, Any]) -> None:
    console = out()
    what = "An ensemble"
    if "leaves" in facts:
        leaves = "1 leaf" if facts["leaves"] == 1 else f"{facts['leaves']} leaves"
        what = f"A tree with {leaves} and depth {facts['depth']}"
    elif "rules" in facts:
        number = "1 rule" if facts["rules"] == 1 else f"{facts['rules']} rules"
        what = f"{number} of up to {facts['longest']} conditions"
    console.print(f"{what} from {facts['rows']} rows.")
    if "gamma" in facts:
        console.print(_gamma_words(facts))
    if facts.get("interrupted"):
        console.print(_interrupted_words(facts))
    console.print(_money_words(facts))
    if "rules" in facts:
        console.print(rules.fit_words(facts))
    if "upfront_cost" in facts:
        console.print(
            f"Tests: {money(facts['training_test_cost_per_row'])} per row one by one, "
            f"{money(facts['upfront_cost'])} up front.",
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


def _interrupted_words(facts: dict[str, Any]) -> str:
    unguarded = "this model is not guarded, and the file says so."
    if "kept" not in facts:
        return f"Stopped by Ctrl-C before the cross-validation: {unguarded}"
    return f"Stopped by Ctrl-C, {kept_words(facts)}; {unguarded}"


def _gamma_words(facts: dict[str, Any]) -> str:
    costs = [
        f"{money(parts['mistakes'])} for mistakes and {money(parts['tests'])} for tests"
        for parts in (facts["gamma_cost_per_row"], facts["cost_per_row_without_prices"])
    ]
    if facts["gamma"] is None:
        return f"No weight of prices is cheaper than gain ratio without prices: {costs[0]} per row."
    return (
        f"Chosen by cross-validation: --gamma {facts['gamma']:.4g}, {costs[0]} per row; gain ratio without "
        f"prices: {costs[1]}."
    )


def _money_words(facts: dict[str, Any]) -> str:
    """Say what the model costs per row, next to answers that need none."""
    cost, abstain_cost = facts["cross_validated_cost_per_row"], facts.get("abstain_cost")
    parts = ["tests"] * ("upfront_cost" in facts) + ["undecided rows"] * (abstain_cost is not None)
    included = f" with {' and '.join(parts)}" if parts else ""
    unknown = "not cross-validated" + ("" if facts.get("interrupted") else " (--no-guard)")
    known = unknown if cost is None else f"{money(cost)} in cross-validation"
    if FORCED in facts:
        known += f" ({money(facts[FORCED])} where every row is answered)"
    constant = f"{money(facts['best_constant_cost_per_row'])} for always answering {facts['best_constant']}"
    never = "" if abstain_cost is None else f", {money(abstain_cost)} for never answering"
    return f"Cost per row{included}: {known}, {constant}{never}."
