"""Asking for the next value only: a tree that is walked with one question after another, and its bill."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from stakes._base.labels import Label
from stakes._text.words import amount, plain
from stakes.tree.ask.answers import Encoded, encode_answer, encode_known, is_unknown, missing_value
from stakes.tree.ask.questions import (
    Outcome,
    Place,
    columns_below,
    outcomes,
    places,
    shares_so_far,
    waiting_shares,
    why_words,
)
from stakes.tree.explain import Explanation, explain_row
from stakes.tree.fitted import FittedTree

#: A price may exceed what is left by this much of the budget, which is rounding: 0.1 + 0.2 fits into 0.3.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Question:
    """The value that is needed next.

    Attributes
    ----------
    feature, kind, categories
        The column: its name, "numeric" or "nominal", and the values it can have.
    price : float
        What reading the column adds to the bill.
    share : float
        Share of the case that waits for the answer; below 1 where a missing value has split it.
    outcomes : tuple of Outcome
        What the answers lead to, where most of the case waits.
    probabilities : dict of label to float
        Share of each class in the training rows that answered everything so far in the same way.
    spent : float
        The bill so far.
    left : float or None
        What is left of the budget; None without one.
    ordered_with : str
        The column asked for before with which this one is ordered together; empty where it is needed itself.
    """

    feature: str
    kind: str
    categories: tuple[Any, ...]
    price: float
    share: float
    outcomes: tuple[Outcome, ...]
    probabilities: dict[Label, float]
    spent: float
    left: float | None
    ordered_with: str = ""

    @property
    def why(self) -> str:
        """What the answer would decide, in words."""
        if self.ordered_with and not self.outcomes:
            return f"ordered together with {plain(self.ordered_with)}"
        return why_words(self.share, self.outcomes)


@dataclass(frozen=True)
class Asked:
    """A question that was asked, its answer as it came, and what it cost; nothing where none came."""

    feature: str
    answer: Any
    price: float


@dataclass(frozen=True)
class LeftOut:
    """A question that the budget did not allow, and what it would have cost."""

    feature: str
    price: float


@dataclass(frozen=True)
class Acquired:
    """Where the questions led; ``str()`` tells it.

    Attributes
    ----------
    label : str, bool, int or float
        Class predicted: what ``predict`` says of the completed row.
    expected_cost : float
        What the label is expected to cost, on shares of training rows.
    probabilities : dict of label to float
        These shares.
    asked : tuple of Asked
        Questions in the order in which they were asked.
    total : float
        What they cost together, shared parts paid once.
    left_out : tuple of LeftOut
        Questions that the budget did not allow; their values count as missing.
    path : str
        The way through the tree in words.
    explanation : Explanation
        The same as data, with the expected cost of every class.
    """

    label: Label
    expected_cost: float
    probabilities: dict[Label, float]
    asked: tuple[Asked, ...]
    total: float
    left_out: tuple[LeftOut, ...]
    path: str
    explanation: Explanation

    def __str__(self) -> str:
        """Tell the path, the answer and the bill."""
        asked = ", ".join(f"{plain(q.feature)} ({amount(q.price)})" for q in self.asked) or "nothing"
        words = [self.path, f"Asked: {asked}; {amount(self.total)} in all."]
        if self.left_out:
            missed = ", ".join(f"{plain(q.feature)} ({amount(q.price)})" for q in self.left_out)
            words.append(f"Too costly for the budget: {missed}.")
        return "\n".join(words)


@dataclass(frozen=True)
class _State:
    """What is known and paid at one moment."""

    values: Mapping[int, Encoded]
    paid: tuple[str, ...]
    asked: tuple[Asked, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    ordered: tuple[int, ...] = ()


class Acquisition:
    """A tree that asks, one question at a time; ``acquire`` is a loop over it.

    Parameters
    ----------
    fitted : FittedTree
        The tree.
    row : mapping of column to value, optional
        What is known already. It is not asked for and costs nothing; where it shares a resource with other
        columns that counts as paid. None and NaN are known to be missing.
    budget : float, optional
        What may be spent. A question that exceeds what is left is not asked.
    unseen : {"missing", "error"}
        What a category is that the tree does not know.
    together : sequence of sequences of str, optional
        Columns that are ordered together, such as values of one blood sample. As soon as one of a group is
        needed, those that may come to be needed are asked for one right after the other, each for what it
        adds to the bill: none of their results is known when they are ordered. What the budget does not allow
        is not ordered.

    Examples
    --------
    >>> from stakes.tree.words import example
    >>> talk = Acquisition(example())
    >>> talk.next_question.feature, talk.next_question.why
    ('income', '<= 24: bad; > 24 and <= 60: housing is asked next; > 60: good')
    >>> talk.answer(30)
    >>> talk.next_question.feature, talk.next_question.categories
    ('housing', ('own', 'rent', 'free'))
    >>> talk.answer("own")
    >>> talk.done, talk.result.label
    (True, 'good')
    """

    def __init__(
        self,
        fitted: FittedTree,
        row: Any = None,
        budget: float | None = None,
        unseen: str = "missing",
        together: Sequence[Sequence[str]] = (),
    ) -> None:
        self._fitted = fitted
        self._fractions = fitted.tree.fractions()
        self._budget = _check_budget(budget)
        self._unseen = unseen
        known = encode_known(fitted.schema, row, unseen)
        names = fitted.schema.names
        groups = [tuple(names.index(name) for name in group) for group in together]
        self._group_of = {feature: group for group in groups for feature in group}
        self._known = tuple(names[j] for j, v in known.items() if not is_unknown(row[names[j]]))
        self._history: list[_State] = []
        self._state = _State(known, self._known)
        self._question: Question | None = None
        self._advance()

    @property
    def next_question(self) -> Question | None:
        """The value needed next; None where all is known that can be."""
        return self._question

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self._question is None

    @property
    def asked(self) -> tuple[Asked, ...]:
        """Questions answered so far."""
        return self._state.asked

    @property
    def spent(self) -> float:
        """The bill so far."""
        prices, paid = self._fitted.feature_costs, self._state.paid
        if prices is None:
            return 0.0
        if not self._known:
            return prices.cost(paid)
        return math.fsum(question.price for question in self._state.asked)

    def answer(self, value: Any) -> None:
        """Answer the question; None, NaN and categories never seen are missing.

        A value that does not come costs nothing. A bad answer is a ValueError, and the question stays.
        """
        question, state = self._question, self._state
        if question is None:
            raise ValueError("there is no question left to answer; see result")
        feature = self._fitted.schema.names.index(question.feature)
        encoded = encode_answer(self._fitted.schema.columns[feature], value, self._unseen)
        came = not is_unknown(value)
        ordered = state.ordered if feature in state.ordered else self._order(feature)
        self._history.append(state)
        self._state = _State(
            {**state.values, feature: encoded},
            (*state.paid, question.feature) if came else state.paid,
            (*state.asked, Asked(question.feature, value, question.price if came else 0.0)),
            state.left_out,
            ordered,
        )
        self._advance()

    def back(self) -> bool:
        """Take the last answer back; False where there is none."""
        if not self._history:
            return False
        self._state = self._history.pop()
        self._advance()
        return True

    def finish(self) -> Acquired:
        """Count everything that is still open as missing, and return the result."""
        while not self.done:
            self.answer(None)
        return self.result

    @property
    def result(self) -> Acquired:
        """Where the answers led; a RuntimeError while a question is open."""
        if self._question is not None:
            raise RuntimeError(
                f"there is no result yet: {self._question.feature!r} is not answered; see finish()"
            )
        fitted, state = self._fitted, self._state
        # Columns that are not on the way are never looked at.
        row = [state.values.get(j, missing_value(column)) for j, column in enumerate(fitted.schema.columns)]
        explanation = explain_row(fitted, row, self._fractions)
        return Acquired(
            label=explanation.label,
            expected_cost=explanation.expected_costs[explanation.label],
            probabilities=dict(zip(fitted.labels, explanation.probabilities, strict=True)),
            asked=state.asked,
            total=self.spent,
            left_out=state.left_out,
            path=str(explanation),
            explanation=explanation,
        )

    def _order(self, feature: int) -> tuple[int, ...]:
        """Columns that are ordered together with one that is needed, itself included."""
        if feature not in self._group_of:
            return ()
        where = places(self._fitted, self._fractions, self._state.values)
        below = columns_below(self._fitted, self._fractions, where, self._state.values)
        return tuple(other for other in self._group_of[feature] if other in below)

    def _advance(self) -> None:
        """Find the next question: what is ordered, else that for which most of the case waits, if payable."""
        fitted, names = self._fitted, self._fitted.schema.names
        while True:
            values = self._state.values
            where = places(fitted, self._fractions, values)
            shares = waiting_shares(fitted, where)
            ordered = [feature for feature in self._state.ordered if feature not in values]
            spent = self.spent
            prices = {feature: self._price(names[feature]) for feature in (*ordered, *shares)}
            feature = next((f for f in prices if self._affordable(spent, prices[f])), None)
            if feature is not None:
                break
            if not shares:
                self._question = None
                return
            # Nothing can be paid any more. The heaviest goes on as missing; what is below may be cheaper.
            costly, state = next(iter(shares)), self._state
            self._state = replace(
                state,
                values={**values, costly: missing_value(fitted.schema.columns[costly])},
                left_out=(*state.left_out, LeftOut(names[costly], prices[costly])),
            )
        self._question = self._ask(feature, prices[feature], where, shares)

    def _ask(self, feature: int, price: float, where: list[Place], shares: dict[int, float]) -> Question:
        fitted, state, spent = self._fitted, self._state, self.spent
        column = fitted.schema.columns[feature]
        waiting = [place for place in where if place.waiting and fitted.tree.feature[place.node] == feature]
        heaviest = max(waiting, key=lambda place: place.share, default=None)
        return Question(
            feature=column.name,
            kind=column.kind,
            categories=column.categories,
            price=price,
            share=shares.get(feature, 0.0),
            outcomes=() if heaviest is None else outcomes(fitted, state.values, heaviest.node),
            probabilities=dict(zip(fitted.labels, shares_so_far(fitted, where).tolist(), strict=True)),
            spent=spent,
            left=None if self._budget is None else max(self._budget - spent, 0.0),
            ordered_with=state.asked[-1].feature if feature in state.ordered else "",
        )

    def _price(self, name: str) -> float:
        prices = self._fitted.feature_costs
        return 0.0 if prices is None else prices.marginal(name, self._state.paid)

    def _affordable(self, spent: float, price: float) -> bool:
        return self._budget is None or spent + price <= self._budget * (1 + ROUNDING)


def acquire(
    fitted: FittedTree,
    ask: Callable[[str], Any],
    row: Any = None,
    budget: float | None = None,
    unseen: str = "missing",
    together: Sequence[Sequence[str]] = (),
) -> Acquired:
    """Walk a tree, asking only for what is needed next; parameters as in :class:`Acquisition`.

    Parameters
    ----------
    fitted : FittedTree
    ask : callable
        Called with the name of a column, returns its value, None where it is unknown.
    row, budget, unseen, together
        See :class:`Acquisition`.

    Examples
    --------
    >>> from stakes.tree.words import example
    >>> print(acquire(example(), {"income": 80}.get))
    income 80 > 24; income 80 > 60 → good: 1.00 of the training rows; predicting bad would cost 1, good 0
    Asked: income (0); 0 in all.
    """
    if not callable(ask):
        raise TypeError(f"ask must be callable with the name of a column, got {type(ask).__name__}")
    talk = Acquisition(fitted, row, budget, unseen, together)
    while (question := talk.next_question) is not None:
        talk.answer(ask(question.feature))
    return talk.result


def _check_budget(budget: Any) -> float | None:
    if budget is None:
        return None
    if isinstance(budget, bool) or not isinstance(budget, Real) or not float(budget) >= 0:
        raise ValueError(f"budget must be a number >= 0, or None for no limit, got {budget!r}")
    return float(budget)
