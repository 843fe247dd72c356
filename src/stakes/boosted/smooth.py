"""Smooth parts of `BoostedStakes`: logistic regression on the numbers, and on the nearness to known rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from stakes._base import documents
from stakes._base.progress import part, part_of
from stakes.boosted.folds import Matrix, Rows, Training, softmax

#: Strengths of the two regressions, from strong to weak regularisation.
LINEAR_STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
KERNEL_STRENGTHS = (1.0, 10.0, 100.0, 1000.0)

#: Widths of the kernel, and how many rows it measures distances to.
WIDTHS = (0.25, 1.0)
N_LANDMARKS = 300


@dataclass(frozen=True)
class Linear:
    """Scores that are linear in the numbers: ``x @ coefficients + intercept``."""

    coefficients: Matrix
    intercept: Matrix

    @classmethod
    def blank(cls, n_features: int, n_classes: int) -> Linear:
        """Return one that says nothing of any row."""
        return cls(np.zeros((n_features, n_classes)), np.zeros(n_classes))

    def scores(self, filled: Matrix) -> Matrix:
        """Log odds of the classes, up to a constant of the row."""
        return filled @ self.coefficients + self.intercept

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, ready for JSON."""
        return {"slope": self.coefficients.tolist(), "level": self.intercept.tolist()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], n_features: int, n_classes: int) -> Linear:
        """Read back what `to_dict` gave."""
        documents.check_mapping(data, "the linear part", ("slope", "level"))
        coefficients, intercept = (
            documents.float_matrix(data["slope"], "slope"),
            documents.float_array(data["level"], "level"),
        )
        if coefficients.shape != (n_features, n_classes) or intercept.shape != (n_classes,):
            raise ValueError(f"the linear part must have coefficients of shape ({n_features}, {n_classes})")
        return cls(coefficients, intercept)


@dataclass(frozen=True)
class Kernel:
    """Scores that are linear in how near a row is to each landmark, a training row."""

    landmarks: Matrix
    gamma: float
    linear: Linear

    @classmethod
    def blank(cls, n_features: int, n_classes: int) -> Kernel:
        """Return one that says nothing of any row; a file needs one landmark at least."""
        return cls(np.zeros((1, n_features)), 0.0, Linear.blank(1, n_classes))

    def scores(self, filled: Matrix) -> Matrix:
        """Log odds of the classes, up to a constant of the row."""
        return self.linear.scores(nearness(filled, self.landmarks, self.gamma))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, ready for JSON."""
        return {"landmarks": self.landmarks.tolist(), "gamma": self.gamma, "linear": self.linear.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], n_features: int, n_classes: int) -> Kernel:
        """Read back what `to_dict` gave."""
        documents.check_mapping(data, "the kernel part", ("landmarks", "gamma", "linear"))
        landmarks = documents.float_matrix(data["landmarks"], "landmarks")
        gamma = documents.float_array([data["gamma"]], "gamma")[0]
        if landmarks.shape[1] != n_features or gamma < 0:
            raise ValueError(f"the kernel part must have landmarks of {n_features} numbers")
        return cls(landmarks, float(gamma), Linear.from_dict(data["linear"], len(landmarks), n_classes))


def nearness(rows: Matrix, landmarks: Matrix, gamma: float) -> Matrix:
    """``exp(-gamma * squared distance)`` of each row to each landmark."""
    squares = (rows**2).sum(axis=1)[:, np.newaxis] + (landmarks**2).sum(axis=1) - 2 * rows @ landmarks.T
    return np.exp(-gamma * np.maximum(squares, 0.0))


def fit_linear(filled: Matrix, training: Training) -> tuple[Linear, Matrix]:
    """Logistic regression of the strength that suits held-out rows best, and their scores."""
    with part(0, 0.5):
        path = Path(filled, training, LINEAR_STRENGTHS)
    with part(0.5, 1):
        return path.all_folds()


def fit_kernel(filled: Matrix, training: Training) -> tuple[Kernel, Matrix]:
    """Logistic regression on the nearness to landmarks (Nyström's features), and scores of held-out rows."""
    rng = np.random.default_rng(training.seed)
    chosen = np.sort(rng.permutation(len(filled))[:N_LANDMARKS])
    landmarks = filled[chosen]
    spread = max(float(filled.var(axis=0).sum()), 1e-12)
    paths = []
    for number, width in enumerate(WIDTHS):
        gamma = width / spread
        # In these features the usual penalty is the kernel's own norm.
        values, vectors = np.linalg.eigh(nearness(landmarks, landmarks, gamma))
        root = (vectors / np.sqrt(np.maximum(values, 1e-9 * values[-1]))) @ vectors.T
        with part_of(number, len(WIDTHS) + 1):
            path = Path(nearness(filled, landmarks, gamma) @ root, training, KERNEL_STRENGTHS)
        paths.append((path, gamma, root))
    path, gamma, root = min(paths, key=lambda entry: entry[0].best_loss)
    with part_of(len(WIDTHS), len(WIDTHS) + 1):
        linear, held = path.all_folds()
    return Kernel(landmarks, gamma, Linear(root @ linear.coefficients, linear.intercept)), held


class Path:
    """Regressions from strong to weak regularisation on the first two folds, each starting from the last."""

    def __init__(self, features: Matrix, training: Training, strengths: Sequence[float]) -> None:
        self.features = features
        self.training = training
        self.best_loss = np.inf
        tried = training.splits[:2]
        fitted: list[Any] = [None] * len(tried)
        worse = 0
        for number, strength in enumerate(strengths):
            jobs = list(zip((train for train, _ in tried), fitted, strict=True))
            with part_of(number, len(strengths)):
                fitted = training.run(lambda job, s=strength: self._fit(job[0], s, job[1]), jobs)
            loss = float(
                np.mean([self._loss(model, held) for model, (_, held) in zip(fitted, tried, strict=True)])
            )
            worse = worse + 1 if loss >= self.best_loss else 0
            if loss < self.best_loss or strength == strengths[0]:
                self.best_loss, self.strength, self.fitted = loss, strength, fitted
            if worse == 2:
                break

    def all_folds(self) -> tuple[Linear, Matrix]:
        """Mean of the folds' regressions at the best strength, and scores of the rows they did not see."""
        splits, held_scores = self.training.splits, self.training.start()
        rest = [train for train, _ in splits[len(self.fitted) :]]
        first = self.fitted[0]
        models = [*self.fitted, *self.training.run(lambda rows: self._fit(rows, self.strength, first), rest)]
        for model, (_, held) in zip(models, splits, strict=True):
            held_scores[held] = model.scores(self.features[held])
        mean = Linear(
            np.mean([m.coefficients for m in models], axis=0), np.mean([m.intercept for m in models], axis=0)
        )
        return mean, held_scores

    def _fit(self, rows: Rows, strength: float, start: Linear | None) -> Linear:
        return softmax_regression(
            self.features[rows],
            self.training.codes[rows],
            self.training.n_classes,
            self.training.weight[rows],
            strength,
            start,
        )

    def _loss(self, model: Linear, held: Rows) -> float:
        if not len(held):
            return 0.0
        scores = np.zeros((len(self.training.codes), self.training.n_classes))
        scores[held] = model.scores(self.features[held])
        return self.training.loss(scores, held)


def softmax_regression(
    features: Matrix,
    codes: Rows,
    n_classes: int,
    weight: Matrix,
    strength: float,
    start: Linear | None = None,
    max_iter: int = 100,
) -> Linear:
    """Minimise the weighted log loss plus ``sum(coefficients ** 2) / (2 * strength)``.

    Parameters
    ----------
    features : array of shape (n_samples, n_features)
    codes, weight : arrays of shape (n_samples,)
    n_classes : int
    strength : float
    start : Linear, optional
        Where to start from; else from the classes' shares.
    max_iter : int
    """
    n_features, total = features.shape[1], weight.sum()
    hot = np.zeros((len(codes), n_classes))
    hot[np.arange(len(codes)), codes] = 1.0
    penalty = 1.0 / (strength * total)

    def objective(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        coefficients, intercept = flat[n_classes:].reshape(n_features, n_classes), flat[:n_classes]
        shares = softmax(features @ coefficients + intercept)
        right = np.maximum(shares[np.arange(len(codes)), codes], 1e-300)
        loss = -float(weight @ np.log(right)) / total + 0.5 * penalty * float((coefficients**2).sum())
        slack = (shares - hot) * (weight / total)[:, np.newaxis]
        return loss, np.concatenate(
            [slack.sum(axis=0), (features.T @ slack + penalty * coefficients).ravel()]
        )

    if start is None:
        share = weight @ hot / total
        start = replace(Linear.blank(n_features, n_classes), intercept=np.log(np.maximum(share, 1e-6)))
    first = np.concatenate([start.intercept, start.coefficients.ravel()])
    solution = minimize(
        objective,
        first,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter, "gtol": 1e-5, "ftol": 1e-6},
    ).x
    return Linear(solution[n_classes:].reshape(n_features, n_classes), solution[:n_classes])
