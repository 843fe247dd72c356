"""A fitted `BoostedStakes` as data: what its parts are and how they become probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._base import documents
from stakes._base.progress import part
from stakes.boosted.blend import blend, fit_blend
from stakes.boosted.encoder import TableEncoder
from stakes.boosted.folds import Matrix, Training
from stakes.boosted.smooth import Kernel, Linear, fit_kernel, fit_linear
from stakes.boosted.trees import Trees, fit_trees
from stakes.table import Schema, Table

_PARTS = {"encoder": "numbers", "trees": "trees", "linear": "linear", "kernel": "kernel"}  # keys in a file
_ARRAYS = ("weights", "shift", "prior")


@dataclass(frozen=True)
class Blend:
    """Boosted trees, a linear and a kernel model, and how much each of them has to say."""

    encoder: TableEncoder
    trees: Trees
    linear: Linear
    kernel: Kernel
    weights: Matrix
    shift: Matrix
    prior: Matrix

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
        return parts | {name: getattr(self, name).tolist() for name in _ARRAYS}

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
        )


def fit_parts(table: Table, training: Training, say: Callable[[str], None]) -> tuple[Blend | None, Matrix]:
    """Learn the parts and blend them; also the probabilities of the rows by models that have not seen them.

    Without a column that varies, or with one class, there is nothing to learn: no blend, the class shares.
    """
    shares = np.bincount(training.codes, weights=training.weight) / training.weight.sum()
    encoder = TableEncoder.learn(table)
    if len(encoder) == 0 or len(shares) == 1:
        return None, np.tile(shares, (table.n_samples, 1))
    matrix = encoder.encode(table)
    filled = encoder.fill(matrix)
    with part(0, 0.6, "boosted trees"):
        trees, by_trees = fit_trees(matrix, training)
    say(f"boosted trees: log loss {training.loss(by_trees):.4f} with {len(trees.root)} trees")
    with part(0.6, 0.7, "logistic regression"):
        linear, by_linear = fit_linear(filled, training)
    say(f"linear: log loss {training.loss(by_linear):.4f}")
    with part(0.7, 0.95, "kernel logistic regression"):
        kernel, by_kernel = fit_kernel(filled, training)
    say(f"kernel: log loss {training.loss(by_kernel):.4f}")
    held = (by_trees, by_linear, by_kernel)
    weights, shift = fit_blend(held, training)
    proba = blend(held, weights, shift, training.prior)
    shown_weights = ", ".join(f"{weight:.2f}" for weight in weights)
    say(f"blend: log loss {training.loss(np.log(proba)):.4f} with weights {shown_weights}")
    return Blend(encoder, trees, linear, kernel, weights, shift, training.prior), proba


def check_shares(shares: NDArray[np.float64], n_classes: int) -> None:
    """Refuse what cannot be class shares."""
    if shares.shape != (n_classes,) or (shares < 0).any() or abs(shares.sum() - 1) > 1e-6:
        raise ValueError(f"class shares must be {n_classes} numbers that add up to 1")
