"""Boosted part of `BoostedStakes`: small trees of scikit-learn's gradient boosting, kept as flat arrays."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from stakes import _core
from stakes._base import documents
from stakes._base.interrupts import may_end_early
from stakes._base.progress import part
from stakes.boosted.folds import Matrix, Training

log = logging.getLogger("stakes.boosted")

#: The number of rounds doubles until the best one is well behind; it is looked for in steps of ten.
ROUNDS = (20, 40, 80, 160, 320)
STEP = 10

_SETTINGS: dict[str, Any] = {
    "learning_rate": 0.1,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 5,
    "max_features": 0.5,
    "early_stopping": False,
    "warm_start": True,
}


@dataclass(frozen=True)
class Trees:
    """A sum of trees: their nodes one after another, a leaf with feature -1.

    Attributes
    ----------
    feature, left, right, missing_left : int32 arrays, one entry per node
    threshold, value : arrays, one entry per node
        Numbers up to the threshold go left. Inner nodes have the value 0, leaves the threshold 0.
    root, target : int32 arrays, one entry per tree
        First node, and the class whose score the tree adds to.
    intercept : array of shape (n_classes,)
        What the sums start from.
    """

    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: NDArray[np.int32]
    threshold: Matrix
    value: Matrix
    root: NDArray[np.int32]
    target: NDArray[np.int32]
    intercept: Matrix

    def scores(self, matrix: Matrix, n_threads: int = 1) -> Matrix:
        """Log odds of the classes, up to a constant of the row; NaN is a missing number."""
        sums = _core.additive_sums(
            np.ascontiguousarray(matrix),
            self.feature,
            self.threshold,
            self.left,
            self.right,
            self.missing_left,
            self.value,
            self.root,
            self.target,
            len(self.intercept),
            n_threads,
        )
        return sums.reshape(-1, len(self.intercept)) + self.intercept

    def that_test(self, numbers: NDArray[Any]) -> Trees:
        """Return only the trees that test one of these numbers."""
        sizes = np.diff(np.append(self.root, len(self.feature)))
        of_node = np.repeat(np.arange(len(self.root)), sizes)
        chosen = np.unique(of_node[np.isin(self.feature, numbers)])
        return replace(self, root=self.root[chosen], target=self.target[chosen])

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, ready for JSON."""
        return {key: getattr(self, name).tolist() for name, key in _SAVED_AS.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], n_features: int, n_classes: int) -> Trees:
        """Read back what `to_dict` gave; the core checks that every walk through them ends."""
        documents.check_mapping(data, "the trees", _SAVED_AS.values())
        read = dict.fromkeys(("threshold", "value", "intercept"), documents.float_array)
        arrays: dict[str, Any] = {
            name: read.get(name, documents.int_array)(data[key], key) for name, key in _SAVED_AS.items()
        }
        trees = cls(**arrays)
        if len(trees.intercept) != n_classes:
            raise ValueError(f"the trees must have {n_classes} intercepts, one per class")
        trees.scores(np.zeros((0, n_features)))
        return trees


#: Keys of a saved model; files of the first version call the intercept a level.
_SAVED_AS = {field.name: "level" if field.name == "intercept" else field.name for field in fields(Trees)}


@dataclass(frozen=True, eq=False)
class Best:
    """Rounds that held-out rows gain most by, and the scores that these rows have then."""

    loss: float
    rounds: int
    scores: Matrix


class BoostingInterrupted(KeyboardInterrupt):
    """Ctrl-C while trees were boosted, with those of the best number of rounds so far."""

    def __init__(self, trees: Trees, scores: Matrix, rounds: int) -> None:
        super().__init__()
        self.trees, self.scores, self.rounds = trees, scores, rounds


def fit_trees(matrix: Matrix, training: Training) -> tuple[Trees, Matrix]:
    """Boost on every fold as long as held-out rows gain by it; mean of the folds, scores of held-out rows."""
    boosting = Boosting(matrix, training)
    try:
        boosting.run()
        return boosting.fitted()
    except KeyboardInterrupt as interrupt:
        if boosting.best.rounds == 0 or not may_end_early():
            raise
        raise BoostingInterrupted(*boosting.fitted(), boosting.best.rounds) from interrupt


class Boosting:
    """A booster for each fold, and the number of rounds that suits held-out rows best so far."""

    def __init__(self, matrix: Matrix, training: Training) -> None:
        self.matrix, self.training = matrix, training
        self.splits = training.splits
        self.models = [
            HistGradientBoostingClassifier(random_state=training.seed, **_SETTINGS) for _ in self.splits
        ]
        self.scores = training.start()
        self.best = Best(training.loss(self.scores), 0, self.scores.copy())
        # Equal weights are left out: scikit-learn then finds its bins ten times as fast.
        self.weight = None if (training.weight == 1).all() else training.weight

    def run(self) -> None:
        """Go on until the best number of rounds is well behind."""
        done = 0
        for stage, rounds in enumerate(ROUNDS):
            with part(1 - 0.5**stage, 1 - 0.5 ** (stage + 1)):  # how many there will be is not known
                jobs = [(*job, rounds) for job in zip(self.models, self.splits, strict=True)]
                self.training.run(self._grow, jobs)
            for first in range(done, rounds, STEP):
                self._judge(first)
            n_folds, best = len(self.splits), self.best.rounds
            log.info("BoostedStakes: %d rounds on %d folds, the best so far %d", rounds, n_folds, best)
            done = rounds
            if best <= 0.75 * rounds:
                break

    def fitted(self) -> tuple[Trees, Matrix]:
        """Mean of the folds at the best number of rounds, and the scores of held-out rows there."""
        trees = flatten(self.models, 0, self.best.rounds, self.training.n_classes)
        return trees, self.best.scores

    def _grow(self, job: Any) -> None:
        model, (rows, _), rounds = job
        weight = None if self.weight is None else self.weight[rows]
        model.set_params(max_iter=rounds).fit(self.matrix[rows], self.training.codes[rows], weight)

    def _judge(self, first: int) -> None:
        """Add some rounds to the scores of held-out rows, and compare."""
        for model, (_, held) in zip(self.models, self.splits, strict=True):
            trees = flatten([model], first, first + STEP, self.training.n_classes)
            new = trees.scores(self.matrix[held])
            self.scores[held] = new + self.scores[held] if first else new
        loss = self.training.loss(self.scores)
        if loss < self.best.loss:
            self.best = Best(loss, first + STEP, self.scores.copy())


def flatten(models: Sequence[Any], first: int, last: int, n_classes: int) -> Trees:
    """Rounds ``first`` to ``last - 1`` of boosted models as one sum of trees: the mean of the models' scores.

    The intercept that boosting starts from goes with round 0. With two classes a model has one tree a round,
    for the odds of the second class.
    """
    nodes: list[Any] = []
    target: list[int] = []
    intercept = np.zeros(n_classes)
    for model in models:
        if first == 0:
            intercept[n_classes - model._baseline_prediction.size :] += model._baseline_prediction.ravel()
        for trees in model._predictors[first:last]:
            nodes += [tree.nodes for tree in trees]
            target += range(n_classes - len(trees), n_classes)
    sizes = np.array([len(tree) for tree in nodes], dtype=np.int32)
    root = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)[: len(nodes)]
    flat = np.concatenate(nodes) if nodes else np.zeros(0, dtype=_NODE)
    offset = np.repeat(root, sizes)
    leaf = flat["is_leaf"].astype(bool)
    return Trees(
        feature=np.where(leaf, -1, flat["feature_idx"]).astype(np.int32),
        left=np.where(leaf, 0, flat["left"] + offset).astype(np.int32),
        right=np.where(leaf, 0, flat["right"] + offset).astype(np.int32),
        missing_left=np.where(leaf, 0, flat["missing_go_to_left"]).astype(np.int32),
        # infinite where only missing numbers go right; files have no infinity
        threshold=np.minimum(np.where(leaf, 0.0, flat["num_threshold"]), np.finfo(np.float64).max),
        value=np.where(leaf, flat["value"] / len(models), 0.0),
        root=root,
        target=np.array(target, dtype=np.int32),
        intercept=intercept / len(models),
    )


#: Fields of scikit-learn's nodes that are read here, for a sum without trees.
_NODE = [
    ("is_leaf", "u1"),
    ("feature_idx", "i4"),
    ("left", "i4"),
    ("right", "i4"),
    ("missing_go_to_left", "u1"),
    ("num_threshold", "f8"),
    ("value", "f8"),
]
