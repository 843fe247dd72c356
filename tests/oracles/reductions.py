"""The figures of Abe et al., step by step, with the expansion to pairs written out."""

from __future__ import annotations

import numpy as np
import pandas as pd

from stakes import C45Classifier
from stakes.reductions._sampling import uniforms


def stochastic(accepted, mixture):
    """Figure 4, one pair at a time."""
    shares = []
    for says, before in zip(accepted, mixture):
        chosen = [y for y, yes in enumerate(says) if yes]
        if not chosen:
            shares.append(list(before))
        else:
            shares.append([1 / len(chosen) if y in chosen else 0.0 for y in range(len(says))])
    return np.array(shares)


def accepted(weights, draws, share=1.0):
    """Numbers of the pairs that rejection sampling takes, in their order."""
    largest = max(weights)
    return [i for i, (w, u) in enumerate(zip(weights, draws)) if u * largest < share * w]


def expand(frame, costs):
    """Every row once with every class."""
    pairs = [(i, y) for i in range(len(frame)) for y in range(costs.shape[1])]
    rows = [i for i, _ in pairs]
    classes = pd.Categorical([y for _, y in pairs], categories=range(costs.shape[1]))
    return frame.iloc[rows].reset_index(drop=True).assign(**{"class": classes}), pairs


def gbse(frame, costs, n_rounds, seed, divisor=1):
    """Figures 3 and 5; returns the mixture after each round, and the sizes of the samples."""
    n_rows, k = costs.shape
    expanded, pairs = expand(frame, costs)
    mixture, history, sizes = np.full((n_rows, k), 1 / k), [], []
    for t in range(n_rounds):
        saved = []
        for i, y in pairs:
            saved.append(
                sum(mixture[i][other] * costs[i][other] for other in range(k)) / divisor - costs[i][y]
            )
        kept = accepted([abs(w) for w in saved], uniforms(seed, t, 0, len(pairs)))
        label = np.array([int(w >= 0) for w in saved])
        sizes.append(len(kept))
        tree = C45Classifier().fit(expanded.iloc[kept], label[kept])
        says = (tree.predict(expanded) == 1).reshape(n_rows, k)
        alpha = 1 / (t + 1)
        mixture = (1 - alpha) * mixture + alpha * stochastic(says, mixture)
        history.append(mixture)
    return history, sizes


def iterative_weights(costs, answers, alphas):
    """Figure 1: the weights after each round, for given answers of the component."""
    best = [int(np.argmin(row)) for row in costs]
    weights, history = [max(row) for row in costs], []
    for answer, alpha in zip(answers, alphas):
        weights = [
            c if h == y else alpha * row[h] + (1 - alpha) * c
            for c, h, y, row in zip(weights, answer, best, costs)
        ]
        history.append(weights)
    return np.array(history)
