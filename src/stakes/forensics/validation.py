"""How often a model is right on inputs that it has not seen, and which causes it cannot tell apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.forensics.candidates import Columns, observe_all
from stakes.forensics.host.model import ClarifyModel
from stakes.forensics.runs import Runs
from stakes.forensics.training import Settings, Trained, all_columns, learn, splits
from stakes.tree import TradeoffPoint

#: Two causes are named as a pair where this share of their runs is taken for the other.
CONFUSED = 0.15


@dataclass(frozen=True, eq=False)
class Validation:
    """Verdicts on runs whose inputs the model was not learnt from.

    Attributes
    ----------
    classes : tuple of str
    confusion : int array of shape (n_classes, n_classes)
        Runs by cause (row) and by what the tree says (column), were it never to say "unknown".
    told : int array of shape (n_classes, n_classes + 1)
        The same with "unknown" in the last column, as a user sees it.
    twins : tuple of pairs of str
        Causes with runs that are the same in everything that was counted.
    answers : tuple of (int, int, float)
        Of each run its cause, what the tree says, and the share of the leaf's runs that agree; 0 where it is
        outside training.
    """

    classes: tuple[str, ...]
    confusion: NDArray[np.int64]
    answered: NDArray[np.int64]
    twins: tuple[tuple[str, str], ...] = ()
    answers: tuple[tuple[int, int, float], ...] = ()

    @property
    def accuracy(self) -> float:
        """Share of runs whose cause the tree gives."""
        return float(np.trace(self.confusion) / self.confusion.sum())

    @property
    def explained(self) -> float:
        """Share of runs that are explained correctly."""
        return float(np.trace(self.answered) / self.answered.sum())

    @property
    def unknown(self) -> float:
        """Share of runs of which it says "unknown"."""
        return float(self.answered[:, -1].sum() / self.answered.sum())

    @property
    def wrong(self) -> float:
        """Share of runs that are explained wrongly."""
        return float((self.answered[:, :-1].sum() - np.trace(self.answered)) / self.answered.sum())

    def at(self, purity: float) -> Validation:
        """Return what a user would see if this share of a leaf's runs had to agree.

        Examples
        --------
        >>> confusion = np.array([[1, 1], [0, 1]])
        >>> answers = ((0, 0, 1.0), (0, 1, 0.7), (1, 1, 0.8))
        >>> result = Validation(("a", "b"), confusion, np.zeros((2, 3), dtype=int), answers=answers)
        >>> result.at(0.5).wrong > 0, result.at(0.75).wrong, result.purity(max_wrong=0.0)
        (True, 0.0, 0.8)
        """
        answered = np.zeros_like(self.answered)
        for cause, guess, share in self.answers:
            answered[cause, guess if share >= purity and share > 0 else len(self.classes)] += 1
        return replace(self, answered=answered)

    def purity(self, max_wrong: float) -> float:
        """Return the least purity with which at most this share of the runs is explained wrongly."""
        # A little less than the shares themselves, so that rounding never keeps 11 of 12 from being enough.
        shares = sorted({math.floor(share * 1000) / 1000 for _, _, share in self.answers if share > 0})
        return next((share for share in shares if self.at(share).wrong <= max_wrong), 1.0)

    def pairs(self) -> list[tuple[str, str, float]]:
        """Causes that are often taken for each other, with the share of their runs, worst first.

        Examples
        --------
        >>> confusion = np.array([[6, 4, 0], [2, 8, 0], [0, 1, 9]])
        >>> Validation(("a", "b", "c"), confusion, confusion).pairs()
        [('a', 'b', 0.3)]
        """
        confused = []
        for i, cause in enumerate(self.classes):
            for j in range(i + 1, len(self.classes)):
                mistaken = self.confusion[i, j] + self.confusion[j, i]
                share = float(mistaken / max(1, self.confusion[[i, j]].sum()))
                if share >= CONFUSED:
                    confused.append((cause, self.classes[j], share))
        return sorted(confused, key=lambda pair: -pair[2])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "accuracy": self.accuracy,
            "explained": self.explained,
            "wrong": self.wrong,
            "unknown": self.unknown,
            "classes": list(self.classes),
            "confusion": self.confusion.tolist(),
            "told": self.answered.tolist(),
            "pairs": [list(pair) for pair in self.pairs()],
            "twins": [list(pair) for pair in self.twins],
        }


def validate(
    runs: Runs,
    settings: Settings,
    *,
    folds: int = 5,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Validation:
    """Learn everything again without a fold of the inputs, and ask about those; for each fold.

    All that looks at causes happens inside: choosing how much to pay, choosing functions, learning from what
    they show.

    Parameters
    ----------
    runs : Runs
    settings : Settings
    folds : int
    advance : callable
        Told the number of folds done, and of all.
    """
    columns, rows = all_columns(runs, settings), runs.distinct()
    distinct = runs.take(rows)
    classes = tuple(sorted(set(runs.labels)))
    confusion = np.zeros((len(classes), len(classes)), dtype=np.int64)
    answered = np.zeros((len(classes), len(classes) + 1), dtype=np.int64)
    parts = list(splits(distinct, folds, settings.random_state + 1))
    answers = []
    for done, (known, unseen) in enumerate(parts):
        advance(done, len(parts))
        model = learn(columns, rows[known], settings).model
        asked = distinct.take(unseen)
        for label, (guess, share) in zip(asked.labels, guesses(model, asked), strict=True):
            answers.append((classes.index(label), classes.index(guess), share))
            confusion[answers[-1][:2]] += 1
    advance(len(parts), len(parts))
    validation = Validation(classes, confusion, answered, tuple(twins(columns, rows)), tuple(answers))
    return validation.at(settings.purity)


def guesses(model: ClarifyModel, runs: Runs) -> list[tuple[str, float]]:
    """What the model would say of each run if it had to, and the share of the leaf's runs that agree.

    The share is 0 where counts lie outside training, or the run failed otherwise than those did.
    """
    forced = ClarifyModel.from_dict(never_unknown(model.document))
    strict = ClarifyModel.from_dict({**model.document, "purity": 0.0})
    answers = []
    counts, passed = (observe_all(runs, watch).tolist() for watch in (model.watch, model.guard))
    for row, guard, ending in zip(counts, passed, runs.endings, strict=True):
        verdict = forced.explain(row)
        known = strict.explain(row, ending, guard).label is not None
        answers.append((str(verdict.label), verdict.agree / verdict.similar if known else 0.0))
    return answers


def never_unknown(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model's document that names a cause whatever the counts."""
    ranges = [[-math.inf, math.inf]] * len(document["ranges"])
    return {**document, "purity": 0.0, "ranges": ranges, "endings": None}


def twins(columns: Columns, rows: NDArray[np.intp]) -> list[tuple[str, str]]:
    """Pairs of causes with runs that no column tells apart."""
    labels_of: dict[bytes, set[str]] = {}
    for row in rows:
        labels_of.setdefault(columns.counts[row].tobytes(), set()).add(columns.runs.labels[row])
    pairs = {(a, b) for labels in labels_of.values() for a in labels for b in labels if a < b}
    return sorted(pairs)


def _measured(point: TradeoffPoint) -> dict[str, float]:
    return {"nanoseconds": point.test_cost, "accuracy": point.accuracy}


def report(trained: Trained, validation: Validation, settings: Settings) -> dict[str, Any]:
    """Return the model's document with what was found out about it, for ``stakes clarify explain``."""
    search = trained.search
    return {
        **trained.model.document,
        "purity": settings.purity,
        "training": {
            "counted": list(settings.kinds),
            "max_loss": settings.max_loss,
            "nanoseconds": trained.nanoseconds,
            "accuracy": trained.accuracy,
            "front": [{"gamma": point.value, **_measured(point)} for point in search.front_],
            "baseline": _measured(search.baseline_),
            "validation": validation.to_dict(),
        },
    }
