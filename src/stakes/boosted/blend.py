"""How much each part of `BoostedStakes` has to say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from stakes.boosted.folds import Matrix, Training, log_shares, softmax

#: How strongly the weights are drawn to equal ones that add up to 1, and the classes' shifts to 0.
WEIGHT_PENALTY = 1.0
SHIFT_PENALTY = 1.0


def blend(parts: Sequence[Matrix], weights: Matrix, shift: Matrix, prior: Matrix) -> Matrix:
    """Probabilities: the weighted product of the parts', each class shifted, normalised."""
    total = np.broadcast_to(shift, parts[0].shape)
    for weight, scores in zip(weights, parts, strict=True):
        total = total + weight * log_shares(scores, prior)
    return softmax(total)


def fit_blend(parts: Sequence[Matrix], training: Training) -> tuple[Matrix, Matrix]:
    """Weights of at least 0 and shifts of the classes that minimise the log loss of held-out rows.

    The weights need not add up to 1: parts that are too sure of themselves get less. This is where the
    probabilities are calibrated.

    Parameters
    ----------
    parts : sequence of arrays of shape (n_samples, n_classes)
        Scores of held-out rows.
    training : Training

    Returns
    -------
    weights : array of shape (n_parts,)
    shift : array of shape (n_classes,)
    """
    n_parts, n_classes = len(parts), training.n_classes
    logs = np.stack([log_shares(scores, training.prior) for scores in parts])
    rows, codes = np.arange(len(training.codes)), training.codes
    equal = np.full(n_parts, 1.0 / n_parts)

    def objective(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, shift = flat[:n_parts], flat[n_parts:]
        shares = softmax(np.tensordot(weights, logs, 1) + shift)
        loss = -float(training.weight @ np.log(np.maximum(shares[rows, codes], 1e-300)))
        shares[rows, codes] -= 1.0
        slack = shares * training.weight[:, np.newaxis]
        away = weights - equal
        loss += WEIGHT_PENALTY * float(away @ away) + SHIFT_PENALTY * float(shift @ shift)
        by_weight = np.tensordot(logs, slack, ([1, 2], [0, 1])) + 2 * WEIGHT_PENALTY * away
        return loss, np.concatenate([by_weight, slack.sum(axis=0) + 2 * SHIFT_PENALTY * shift])

    first = np.concatenate([equal, np.zeros(n_classes)])
    limits = [(0.0, None)] * n_parts + [(None, None)] * n_classes
    solution = minimize(objective, first, jac=True, method="L-BFGS-B", bounds=limits).x
    return solution[:n_parts], solution[n_parts:]
