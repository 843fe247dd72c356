"""A fitted `BoostedStakes` as data: what its parts are and how they become probabilities."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base import documents
from stakes._base.interrupts import may_end_early
from stakes._base.progress import part
from stakes.boosted.blend import blend, fit_blend
from stakes.boosted.encoder import TableEncoder
from stakes.boosted.folds import Matrix, Training
from stakes.boosted.smooth import Kernel, Linear, fit_kernel, fit_linear
from stakes.boosted.trees import BoostingInterrupted, Trees, fit_trees
from stakes.table import Schema, Table

_PARTS = {"encoder": "numbers", "trees": "trees", "linear": "linear", "kernel": "kernel"}  # keys in a file
_ARRAYS = ("weights", "shift", "prior")

#: What people call the parts, in the order they are learnt in.
PARTS = ("boosted trees", "logistic regression", "kernel logistic regression")
_TREES = re.compile(rf"{PARTS[0]}( \(unfinished: [0-9]{{1,9}} rounds\))?")


@dataclass(frozen=True)
class Blend:
    """Boosted trees, a linear and a kernel model, and how much each of them has to say.

    Where Ctrl-C ended the fit, ``kept`` names the parts that were learnt by then; the others say nothing.
    """

    encoder: TableEncoder
    trees: Trees
    linear: Linear
    kernel: Kernel
    weights: Matrix
    shift: Matrix
    prior: Matrix
    kept: tuple[str, ...] | None = None

    def proba(self, table: Table, n_threads: int) -> Matrix:
        """Class probabilities of the rows."""
        matrix = self.encoder.encode(table)
        return self.blended((self.trees.scores(matrix, n_threads), *self.smooth_scores(matrix)))

    def smooth_scores(self, matrix: Matrix) -> tuple[Matrix, Matrix]:
        """Scores of the linear and of the kernel model for encoded rows."""
        filled = self.encoder.fill(matrix)
        return self.linear.scores(filled), self.kernel.scores(filled)

    def blended(self, scores: Sequence[Matrix]) -> Matrix:
        """Class probabilities by the scores of the three parts."""
        return blend(scores, self.weights, self.shift, self.prior)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        parts = {key: getattr(self, name).to_dict() for name, key in _PARTS.items()}
        kept = {} if self.kept is None else {"kept": list(self.kept)}
        return parts | {name: getattr(self, name).tolist() for name in _ARRAYS} | kept

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], schema: Schema, n_classes: int) -> Blend:
        """Read back what `to_dict` gave and check that it fits together."""
        documents.check_mapping(data, "the blend", (*_PARTS.values(), *_ARRAYS))
        encoder = TableEncoder.from_dict(data["numbers"], schema)
        n_filled = len(encoder) + len(encoder.gaps)
        weights, shift, prior = (documents.float_array(data[name], name) for name in _ARRAYS)
        if weights.shape != (3,) or shift.shape != (n_classes,) or (weights < 0).any():
            raise ValueError(f"the blend must have 3 weights of at least 0 and {n_classes} shifts")
        check_shares(prior, n_classes)
        if (prior == 0).any():
            raise ValueError("the blend's prior must leave every class possible")
        return cls(
            encoder,
            Trees.from_dict(data["trees"], len(encoder), n_classes),
            Linear.from_dict(data["linear"], n_filled, n_classes),
            Kernel.from_dict(data["kernel"], n_filled, n_classes),
            weights,
            shift,
            prior,
            _read_kept(data.get("kept")),
        )


def fit_parts(table: Table, training: Training, say: Callable[[str], None]) -> tuple[Blend | None, Matrix]:
    """Learn the parts and blend them; also the probabilities of the rows by models that have not seen them.

    Without a column that varies, or with one class, there is nothing to learn: no blend, the class shares.
    Ctrl-C leaves a blend of the parts that are finished, where there is one and nothing larger must end.
    """
    shares = np.bincount(training.codes, weights=training.weight) / training.weight.sum()
    encoder = TableEncoder.learn(table)
    if len(encoder) == 0 or len(shares) == 1:
        return None, np.tile(shares, (table.n_samples, 1))
    matrix = encoder.encode(table)
    parts = Parts(matrix, encoder.fill(matrix), training)
    kept = None
    try:
        parts.learn(say)
        weights, shift = fit_blend(parts.held, training)
    except KeyboardInterrupt:
        if not parts.names or not may_end_early():
            raise
        kept = tuple(parts.names)
        weights, shift = fit_blend(parts.held, training)
    proba = blend(parts.held, weights, shift, training.prior)
    shown_weights = ", ".join(f"{weight:.2f}" for weight in weights)
    say(f"blend: log loss {training.loss(np.log(proba)):.4f} with weights {shown_weights}")
    weights = np.append(weights, np.zeros(len(PARTS) - len(weights)))
    return Blend(encoder, *parts.models(), weights, shift, training.prior, kept), proba


class Parts:
    """Parts of a blend, one after another as they are finished."""

    def __init__(self, matrix: Matrix, filled: Matrix, training: Training) -> None:
        self.matrix, self.filled, self.training = matrix, filled, training
        self._finished: list[tuple[str, Any, Matrix]] = []

    @property
    def names(self) -> list[str]:
        """Which parts there are."""
        return [name for name, _, _ in self._finished]

    @property
    def held(self) -> list[Matrix]:
        """Scores of the rows by models that have not seen them, part by part."""
        return [scores for _, _, scores in self._finished]

    def models(self) -> tuple[Trees, Linear, Kernel]:
        """The three parts; those that are not there say nothing."""
        shape = self.filled.shape[1], self.training.n_classes
        blank = [Linear.blank(*shape), Kernel.blank(*shape)]
        fitted = [model for _, model, _ in self._finished]
        trees, linear, kernel = fitted + blank[len(fitted) - 1 :]
        return trees, linear, kernel

    def learn(self, say: Callable[[str], None]) -> None:
        """Learn all parts; of trees that are interrupted the best so far are finished, too."""
        with part(0, 0.6, PARTS[0]):
            try:
                trees, scores = fit_trees(self.matrix, self.training)
            except BoostingInterrupted as stop:
                name = f"{PARTS[0]} (unfinished: {stop.rounds} rounds)"
                self._finished.append((name, stop.trees, stop.scores))
                raise
            self._finished.append((PARTS[0], trees, scores))
        say(f"boosted trees: log loss {self.training.loss(scores):.4f} with {len(trees.root)} trees")
        for name, short, fit, first, last in (
            (PARTS[1], "linear", fit_linear, 0.6, 0.7),
            (PARTS[2], "kernel", fit_kernel, 0.7, 0.95),
        ):
            with part(first, last, name):
                self._finished.append((name, *fit(self.filled, self.training)))
            say(f"{short}: log loss {self.training.loss(self.held[-1]):.4f}")


def _read_kept(data: Any) -> tuple[str, ...] | None:
    """Names of the parts that Ctrl-C has left; None where nothing has ended the fit."""
    if data is None:
        return None
    first = data[0] if isinstance(data, list) and data else None
    named = isinstance(first, str) and _TREES.fullmatch(first) is not None
    if not named or data[1:] != list(PARTS[1 : len(data)]):
        raise ValueError(f"kept must be the first of these parts: {', '.join(PARTS)}")
    return tuple(data)


def check_shares(shares: NDArray[np.float64], n_classes: int) -> None:
    """Refuse what cannot be class shares."""
    if shares.shape != (n_classes,) or (shares < 0).any() or abs(shares.sum() - 1) > 1e-6:
        raise ValueError(f"class shares must be {n_classes} numbers that add up to 1")
