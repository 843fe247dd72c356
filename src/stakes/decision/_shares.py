"""What each column has to do with an answer: its share of the difference in expected cost to another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from stakes._base.labels import Label
from stakes._text.money import money
from stakes._text.words import counted, number, plain, rounded_repr
from stakes.decision._pool import Pool, is_missing
from stakes.decision._shapley import Plan, plan_of

Floats = NDArray[np.float64]

#: The model is asked for so many mixed rows at once.
BLOCK = 50_000
#: Or for fewer, where there are many columns.
BLOCK_CELLS = 5_000_000
#: So many columns are told one by one.
MOST_COLUMNS = 5
#: A share that is smaller than this, relative to the costs it is made of, is rounding.
ROUNDING = 1e-12


@rounded_repr
@dataclass(frozen=True, eq=False)
class CostExplanation:
    """Why one sample got its answer; ``str()`` tells it in a sentence.

    The shares and ``base`` add up to ``difference``. A column with a positive share spoke for the answer.

    Attributes
    ----------
    label : str, bool, int or float
        The answer.
    other : str, bool, int, float or None
        The answer that it is compared with; None where there is one class only.
    columns, values : tuples
        Names of the columns, and the sample's values.
    shares, error : arrays of shape (n_columns,)
        Share of each column, and its standard error, 0 where the shares are exact.
    base : float
        The difference of the rows compared with, on average.
    difference : float
        By how much the answer is expected to cost less than ``other``.
    expected_costs : dict of label to float
        What predicting each class would cost on average.
    compared_with : str
        What the rows compared with are.
    """

    label: Label
    other: Label | None
    columns: tuple[str, ...]
    values: tuple[Any, ...]
    shares: Floats
    error: Floats
    base: float
    difference: float
    expected_costs: dict[Label, float]
    compared_with: str

    def by_size(self) -> list[int]:
        """Numbers of the columns that spoke, the largest share first, for or against."""
        least = ROUNDING * max(map(abs, self.expected_costs.values()))
        order = np.argsort(-np.abs(self.shares), kind="stable").tolist()
        return [j for j in order if abs(self.shares[j]) > least]

    def __str__(self) -> str:
        """Tell what adds up to the difference, the answer and what each answer would cost."""
        costs = ", ".join(f"{plain(str(label))} {money(cost)}" for label, cost in self.expected_costs.items())
        return (
            f"{'; '.join(self._steps())} → {plain(str(self.label))}{self._result()}; expected costs: {costs}"
        )

    def _steps(self) -> list[str]:
        spoke = self.by_size()
        if not spoke:
            return [f"no column spoke, it is as for {self.compared_with}"]
        shown = spoke if len(spoke) <= MOST_COLUMNS + 1 else spoke[:MOST_COLUMNS]
        steps = [
            f"{value_in_words(self.columns[j], self.values[j])}: {_signed(self.shares[j])}" for j in shown
        ]
        if rest := spoke[len(shown) :]:
            steps.append(f"{counted(len(rest), 'more column')}: {_signed(self.shares[rest].sum())}")
        return [*steps, f"{self.compared_with}: {_signed(self.base)}"]

    def _result(self) -> str:
        if self.other is None:
            return ", the only class"
        word = "cheaper" if self.difference >= 0 else "more expensive"
        drawn = f" (standard errors up to {money(self.error.max())})" if self.error.any() else ""
        return f": {money(abs(self.difference))} {word} than {plain(str(self.other))}{drawn}"


@dataclass(frozen=True, eq=False)
class CostShares(Sequence[CostExplanation]):
    """What each column contributed to each answer; as a sequence it has an explanation for each sample.

    ``base + shares.sum(axis=1)`` is ``difference``, up to rounding.

    Attributes
    ----------
    columns : tuple of str
    values : list of lists
        Plain values of each column.
    classes : array of shape (n_classes,)
    answer, other : int arrays of shape (n_samples,)
        Numbers of the class answered, and of the class that it is compared with: by default the cheapest
        other one.
    shares, error : arrays of shape (n_samples, n_columns)
        Shares and their standard errors, 0 where the shares of a sample are exact.
    base, difference : arrays of shape (n_samples,)
        By how much the answer costs less than the other class: on average for the rows compared with, and for
        the sample.
    expected_cost : array of shape (n_samples, n_classes)
    compared_with : str
        What the rows compared with are.
    """

    columns: tuple[str, ...]
    values: list[list[Any]]
    classes: NDArray[Any]
    answer: NDArray[np.intp]
    other: NDArray[np.intp]
    shares: Floats
    error: Floats
    base: Floats
    difference: Floats
    expected_cost: Floats
    compared_with: str

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.answer)

    @overload
    def __getitem__(self, i: int) -> CostExplanation: ...
    @overload
    def __getitem__(self, i: slice) -> list[CostExplanation]: ...
    def __getitem__(self, i: Any) -> Any:
        """Return the explanation of a sample."""
        if isinstance(i, slice):
            return [self[number] for number in range(*i.indices(len(self)))]
        labels = self.classes.tolist()
        return CostExplanation(
            label=labels[self.answer[i]],
            other=labels[self.other[i]] if len(labels) > 1 else None,
            columns=self.columns,
            values=tuple(column[i] for column in self.values),
            shares=self.shares[i],
            error=self.error[i],
            base=float(self.base[i]),
            difference=float(self.difference[i]),
            expected_costs=dict(zip(labels, self.expected_cost[i].tolist(), strict=True)),
            compared_with=self.compared_with,
        )


def value_in_words(column: str, value: Any) -> str:
    """Name a column and its value.

    Examples
    --------
    >>> value_in_words("age", 30.0), value_in_words("job", "cook"), value_in_words("age", None)
    ('age 30', "job 'cook'", 'age missing')
    """
    if is_missing(value):
        return f"{plain(column)} missing"
    written = number(value) if isinstance(value, int | float) and not isinstance(value, bool) else repr(value)
    return f"{plain(column)} {plain(written)}"


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{money(abs(value))}"


def runner_up(expected: Floats, answer: NDArray[np.intp]) -> NDArray[np.intp]:
    """Number of the cheapest class besides the answer of each row; the answer where there is no other."""
    others = expected.copy()
    others[np.arange(len(others)), answer] = np.inf
    return answer if expected.shape[1] == 1 else others.argmin(axis=1)


def shapley_shares(
    expected_cost: Callable[[Any], Floats],
    pool: Pool,
    weight: Floats,
    expected: Floats,
    contrast: Floats,
    n_permutations: int,
) -> tuple[Floats, Floats, Floats]:
    """Share out what a contrast of expected costs is for each sample, beyond the background's.

    Parameters
    ----------
    expected_cost : callable
        All that is known of the model: rows as the pool mixes them -> expected costs.
    pool : Pool
        The samples and the background rows.
    weight : array of shape (n_background,)
        They add up to 1.
    expected : array of shape (n_samples, n_classes)
        Expected costs of the samples.
    contrast : array of shape (n_samples, n_classes)
        What the expected costs of each class count for each sample: -1 for the answer, 1 for the other.
    n_permutations : int
        About so many orders are drawn where not all coalitions can be tried.

    Returns
    -------
    shares, error : arrays of shape (n_samples, n_columns)
    base : array of shape (n_samples,)
    """
    n_samples, n_columns = len(expected), len(pool.names)
    backs = np.arange(n_samples, n_samples + len(weight))
    start = expected_cost(pool.mix(np.repeat(backs[:, np.newaxis], n_columns, axis=1))) @ contrast.T
    end = (expected * contrast).sum(axis=1)
    shares, error = np.zeros((2, n_samples, n_columns))
    most = max(1, min(BLOCK, BLOCK_CELLS // n_columns))
    for block in _blocks(_games(pool, weight, n_samples, n_permutations), most):
        rows = np.concatenate([game.mixed(n_samples, part) for game, part in block])
        ends = np.cumsum([part.stop - part.start for _, part in block])
        costs = np.split(expected_cost(pool.mix(rows)) if len(rows) else contrast[:0], ends[:-1])
        for (game, part), values in zip(block, costs, strict=True):
            i = game.sample
            game.values[part] = values @ contrast[i]
            if part.stop == len(game.values):
                game_shares = game.plan.shares(game.values, start[:, i], end[i])
                shares[i, game.active], error[i, game.active] = game_shares
    return shares, error, start.T @ weight


@dataclass(frozen=True, eq=False)
class Game:
    """A sample, the columns in which it differs from a background row, and what mixed rows are worth."""

    sample: int
    active: NDArray[np.bool_]
    plan: Plan
    values: Floats

    def mixed(self, n_samples: int, part: slice) -> NDArray[np.intp]:
        """Rows of the pool that the columns of each mixed row come from."""
        rows = np.repeat((n_samples + self.plan.beside[part])[:, np.newaxis], len(self.active), axis=1)
        rows[:, self.active] = np.where(self.plan.taken(part), self.sample, rows[:, self.active])
        return rows


def _games(pool: Pool, weight: Floats, n_samples: int, n_permutations: int) -> Iterator[Game]:
    for i in range(n_samples):
        differs = pool.identity[n_samples:] != pool.identity[i]
        active = differs.any(axis=0)
        if active.any():
            plan = plan_of(differs[:, active], weight, n_permutations)
            yield Game(i, active, plan, np.empty(len(plan.beside)))


def _blocks(games: Iterator[Game], most: int) -> Iterator[list[tuple[Game, slice]]]:
    """Rows of games that are worked out together, at most so many."""
    block: list[tuple[Game, slice]] = []
    free = most
    for game in games:
        begin, n_rows = 0, len(game.values)
        while True:
            stop = min(n_rows, begin + free)
            block.append((game, slice(begin, stop)))
            free -= stop - begin
            begin = stop
            if free == 0:
                yield block
                block, free = [], most
            if begin == n_rows:
                break
    if block:
        yield block
