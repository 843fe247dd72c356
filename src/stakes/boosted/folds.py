"""Folds, shares and losses that the parts of `BoostedStakes` are learnt and judged by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from stakes._base.folds import stratified_folds
from stakes._base.progress import teller

Matrix = NDArray[np.float64]
Rows = NDArray[np.intp]

#: How much of every probability is the class's share: no class is ever impossible.
PRIOR_WEIGHT = 1e-3


@dataclass(frozen=True)
class Training:
    """What is to be learnt: class codes, weights of mean 1, and who is held out when.

    Attributes
    ----------
    codes : int array of shape (n_samples,)
    weight : array of shape (n_samples,)
    prior : array of shape (n_classes,)
        Class shares, each class counted once more than it occurs.
    fold : int array of shape (n_samples,)
        Fold that a row is held out in. -1 for the only row of its class: it is learnt from in every fold, and
        judged by its class's share.
    run : callable
        Calls a function for each item of a list, on threads; the answers come in the order of the items.
    seed : int
    """

    codes: Rows
    weight: Matrix
    prior: Matrix
    fold: Rows
    run: Callable[[Callable[..., Any], Iterable[Any]], list[Any]]
    seed: int

    @classmethod
    def plan(cls, codes: Rows, weight: Matrix, seed: int, n_jobs: int | None) -> Training:
        """Deal the rows into ten folds, five where there are more than 600."""
        counts = np.bincount(codes)
        fold = np.full(len(codes), -1, dtype=np.intp)
        some = np.flatnonzero(counts[codes] > 1)
        if len(some):
            n_folds = min(10 if len(codes) <= 600 else 5, len(some))
            fold[some] = stratified_folds(codes[some], n_folds, seed)
        weight = weight / weight.mean()
        prior = np.bincount(codes, weights=weight) + 1.0
        return cls(codes, weight, prior / prior.sum(), fold, _runner(n_jobs), seed)

    @property
    def n_classes(self) -> int:
        return len(self.prior)

    @property
    def splits(self) -> list[tuple[Rows, Rows]]:
        """Rows learnt from and rows held out, fold by fold; all and none where every class has one row."""
        numbers = range(max(1, int(self.fold.max()) + 1))
        return [(np.flatnonzero(self.fold != i), np.flatnonzero(self.fold == i)) for i in numbers]

    def start(self) -> Matrix:
        """Scores that say no more than the class shares, shape (n_samples, n_classes)."""
        return np.tile(np.log(self.prior), (len(self.codes), 1))

    def loss(self, scores: Matrix, rows: Rows | None = None) -> float:
        """Mean log loss of scores, of all rows or of some."""
        rows = np.arange(len(self.codes)) if rows is None else rows
        logs = log_shares(scores[rows], self.prior)
        return float(-np.average(logs[np.arange(len(rows)), self.codes[rows]], weights=self.weight[rows]))


def softmax(scores: Matrix) -> Matrix:
    """Probabilities of scores that are log odds up to a constant of the row."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def log_shares(scores: Matrix, prior: Matrix) -> Matrix:
    """Logarithms of the probabilities, none of them lower than a thousandth of the class's share."""
    return np.log((1 - PRIOR_WEIGHT) * softmax(scores) + PRIOR_WEIGHT * prior)


def _runner(n_jobs: int | None) -> Callable[[Callable[..., Any], Iterable[Any]], list[Any]]:
    controller = ThreadpoolController()

    def run(function: Callable[..., Any], items: Iterable[Any]) -> list[Any]:
        listed, tell_done, done = list(items), teller(), count(1)

        def call(item: Any) -> Any:
            # OpenMP's number of threads belongs to each thread, and sums depend on it.
            with controller.limit(limits=1, user_api="openmp"):
                result = function(item)
            tell_done(next(done) / len(listed))
            return result

        return Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(call)(item) for item in listed)

    return run
