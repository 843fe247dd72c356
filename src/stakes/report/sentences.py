"""The bill in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stakes._text.money import money
from stakes._text.words import counted, rounded

if TYPE_CHECKING:
    from stakes.report.views import ModelView


def costs_in_words(view: ModelView, model: Any, abstain_cost: float | None = None) -> list[str]:
    """Say what the model costs, what a constant would, and where most of it comes from."""
    noun = view.noun
    words = [_whole_cost_in_words(view), _savings_in_words(view)]
    if abstain_cost is not None:
        words.append(f"Leaving every {noun} undecided would cost {_money(abstain_cost * view.n_rows)}.")
    if view.test_cost is not None and view.upfront_cost is not None:
        words.append(
            f"Tests cost {_money(view.test_cost.mean)} per {noun}; all columns that the model may ask "
            f"for cost {_money(view.upfront_cost)} up front."
        )
    if getattr(model, "guarded_", False):
        words.append(
            f"The model is guarded and answers {model.constant_} for everyone: in cross-validation on its "
            f"training data the learner cost {_money(model.cv_cost_)} per {noun}, the constant "
            f"{_money(model.constant_cost_)}."
        )
    if getattr(model, "interrupted_", False):
        words.append("The model's fit was interrupted: it was not cross-validated, and nothing guards it.")
    costliest = max(view.classes, key=lambda line: line.cost)
    if costliest.cost > 0 and costliest.costliest_mistake is not None:
        part = "the bill" if view.total_cost is None else "the cost of mistakes"
        most = "most" if 2 * costliest.costliest_cost > costliest.cost else "the largest part"
        words.append(
            f"{costliest.share:.0%} of {part} comes from {costliest.actual} {noun}s, {most} of it "
            f"({_money(costliest.costliest_cost)}) from calling them {costliest.costliest_mistake}."
        )
    return words


def _whole_cost_in_words(view: ModelView) -> str:
    noun, mistakes = view.noun, _mistakes_in_words(view)
    rows = f"this {noun}" if view.n_rows == 1 else f"these {counted(view.n_rows, noun)}"
    if view.total_cost is None:
        return (
            f"On {rows} the model costs {_money(view.total)}: {_money(view.cost.mean)} per {noun}, "
            f"with {mistakes}."
        )
    tests, abstention = (
        0.0 if part is None else part.mean for part in (view.test_cost, view.abstention_cost)
    )
    parts = {"mistakes": view.total_cost.mean - tests - abstention}
    if view.test_cost is not None:
        parts["tests"] = tests
    made = "There " + ("is" if view.errors in (0, 1) else "are")
    if view.n_undecided:
        parts[f"the {rounded(view.n_undecided)} left undecided"] = abstention
        made = "Were every row answered, there would be"
    elif view.abstention_cost is not None:
        made = f"No {noun} is left undecided. {made}"
    *first, last = (f"{_money(cost)} for {what}" for what, cost in parts.items())
    whole = f"{', '.join(first)} and {last}" if first else "all of it for mistakes"
    return (
        f"On {rows} the model costs {_money(view.total_cost.mean * view.n_rows)} in all: "
        f"{_money(view.total_cost.mean)} per {noun}, {whole}. {made} {mistakes}."
    )


def _mistakes_in_words(view: ModelView) -> str:
    """How many mistakes, and how many of them are costly where some mistakes cost more than others."""
    if view.errors == 0:
        return "no mistake"
    words = counted(view.errors, "mistake")
    if not view.confusion.has_costlier_mistakes:
        return words
    return f"{words}, {rounded(view.high_cost_errors) if view.high_cost_errors else 'none'} of them costly"


def _savings_in_words(view: ModelView) -> str:
    baseline = _money(view.constant_cost * view.n_rows)
    constant = f"Always answering {view.constant} would cost {baseline}"
    if not np.isfinite(view.savings):
        return f"{constant}; nothing can be saved there."
    if view.savings > 0:
        return f"{constant}; the model saves {view.savings:.0%} of that."
    if view.savings <= -2:
        return f"{constant}; the model costs {rounded(round(1 - view.savings, 1))} times that."
    if view.savings < 0:
        return f"{constant}; the model costs {-view.savings:.0%} more than that."
    return f"{constant}; the model saves nothing over that."


def _money(value: float) -> str:
    return money(value, rounded)
