"""A deployed model: what to watch, a tree over the counts, and the text of each cause; no numpy needed.

The model is a JSON document::

    {"format": "stakes-clarify", "version": 1,
     "program": "pip",                      how explanations name the program
     "interpreter": "cpython 3.12",         the only one that the counts are good for
     "versions": {"pip": "pip==24.0"},      of the packages or files whose functions are watched
     "watch": {"functions": [...], "features": [...]},        see Watch
     "tree": {"feature": [...], "threshold": [...], "first_child": [...], "class_weights": [...], ...},
                                            a stakes tree over the features, all numeric
     "classes": ["no-such-version", ...],   labels in the order of the tree's class weights
     "texts": {"no-such-version": "..."},   what to tell the user; a label without text is told itself
     "ranges": [[0, 12], ...],              least and most of each feature in training
     "endings": [[1, "ValueError"], ...],   how the recorded runs ended, see Ending
     "guard": {"functions": [...], "features": [...], "counts": [1, 1]},
                                            what is counted in all of them alike, watched for that only
     "purity": 0.8,                         share of a leaf's runs that must agree, else "unknown"
     "expected_events": 16.5,               per run, of all that is watched
     "runs": [["run 3", "no-such-version", [3, 0]], ...]}     recorded runs, to name the nearest
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .checks import check_parts, check_tree, is_list, is_whole
from .names import Ending
from .watch import Watch

FORMAT, VERSION = "stakes-clarify", 1
_KEYS = (
    "interpreter",
    "versions",
    "watch",
    "tree",
    "classes",
    "texts",
    "ranges",
    "purity",
    "expected_events",
)


@dataclass(frozen=True)
class Verdict:
    """What a model says of the counts of one run.

    Attributes
    ----------
    label : str or None
        The likely cause; None where it is unknown.
    text : str
        What its author wrote for the user.
    agree, similar : int
        Of the recorded runs that ended in the same leaf, those with this cause, and all.
    why_unknown : str
        Why no cause is named; empty where one is.
    nearest : tuple of (name, label)
        Recorded runs with the most similar counts, where the cause is unknown.
    fingerprint : str
        The same for runs that look the same to the model; for grouping in an error tracker.
    counts : tuple of int
        The counts that this was decided by, in the order of the model's features.
    """

    label: str | None
    text: str
    agree: int
    similar: int
    why_unknown: str
    nearest: tuple[tuple[str, str], ...]
    fingerprint: str
    counts: tuple[int, ...]

    def __str__(self) -> str:
        """Return the sentence that is shown below the program's own output."""
        if self.label is not None:
            return f"clarify: likely cause ({self.agree} of {self.similar} similar runs): {self.text}"
        nearest = "; ".join(f"{name} ({label})" for name, label in self.nearest)
        return f"clarify: cause unknown: {self.why_unknown}." + (
            f" Nearest recorded runs: {nearest}." if nearest else ""
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**vars(self), "nearest": [list(run) for run in self.nearest], "counts": list(self.counts)}


@dataclass(frozen=True)
class ClarifyModel:
    """A model read from JSON; :meth:`explain` turns counts into a verdict.

    Examples
    --------
    >>> model = ClarifyModel.from_dict({
    ...     "format": "stakes-clarify", "version": 1, "program": "app",
    ...     "interpreter": "cpython 3.12", "versions": {},
    ...     "watch": {"functions": [["app.py", "retry", 7]], "features": [["function", 0]]},
    ...     "tree": {"feature": [0, -1, -1], "threshold": [2, None, None], "first_child": [1, -1, -1],
    ...              "class_weights": [[3, 4], [3, 0], [0, 4]]},
    ...     "classes": ["typo", "no network"], "texts": {"no network": "The network is down."},
    ...     "ranges": [[0, 5]], "endings": [[1, None]], "purity": 0.8, "expected_events": 3.0,
    ...     "runs": [["run 1", "typo", [0]]]})
    >>> print(model.explain([4]))
    clarify: likely cause (4 of 4 similar runs): The network is down.
    >>> model.explain([90]).why_unknown
    'app.py:retry:7 was counted 90 times, 0 to 5 in training'
    >>> model.explain([4], Ending(1, "KeyError")).why_unknown
    'no recorded run ended with exit status 1 and KeyError'
    """

    document: Mapping[str, Any]
    watch: Watch
    guard: Watch
    digest: str

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> ClarifyModel:
        """Check a document and return its model; anything else is a ValueError."""
        if not isinstance(document, Mapping) or document.get("format") != FORMAT:
            raise ValueError(f"the model must have format {FORMAT!r}")
        if document.get("version") != VERSION:
            raise ValueError(f"the model must have version {VERSION}, got {document.get('version')!r}")
        missing = [key for key in _KEYS if key not in document]
        if missing:
            raise ValueError(f"the model lacks {', '.join(missing)}")
        try:
            text = json.dumps(document, sort_keys=True, ensure_ascii=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"the model must be what JSON has: {error}") from None
        watch = Watch.from_dict(document["watch"])
        check_parts(document, len(watch.features))
        check_tree(document["tree"], len(watch.features), len(document["classes"]))
        guarding = document.get("guard") or {"functions": [], "features": [], "counts": []}
        guard = Watch.from_dict(guarding)
        if not is_list(is_whole, len(guard.features))(guarding.get("counts")):
            raise ValueError("the model's guard must have one count per feature")
        return cls(document, watch, guard, hashlib.sha256(text).hexdigest()[:16])

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> ClarifyModel:
        """Read a model from a file; a ValueError names the file."""
        name = os.fspath(path)
        try:
            with open(path, encoding="utf-8") as file:
                return cls.from_dict(json.load(file))
        except RecursionError:
            raise ValueError(f"{name!r}: its lists are nested too deeply") from None
        except ValueError as error:
            raise ValueError(f"{name!r}: {error}") from None

    @property
    def watched(self) -> Watch:
        """All that is watched, in a program that runs."""
        return self.watch | self.guard

    def explain(
        self, counts: Sequence[int], ending: Ending | None = None, guard: Sequence[int] | None = None
    ) -> Verdict:
        """Say what the counts of a run look like.

        Parameters
        ----------
        counts : sequence of int
            In the order of the features.
        ending : Ending or None
            How the run has ended: of failures that end otherwise than those recorded the model knows nothing.
            None where it has not ended.
        guard : sequence of int or None
            Counts of the guard's features, which are the same in all failures that the model knows; None
            where they are not to be asked for.
        """
        node = self._leaf(counts)
        weights = self.document["tree"]["class_weights"][node]
        similar, agree = sum(weights), max(weights)
        label = self.document["classes"][weights.index(agree)]
        foreign = self._why_foreign(ending, guard)
        why = foreign or self._why_unknown(counts, agree, similar)
        return Verdict(
            label=None if why else label,
            text="" if why else self.document["texts"].get(label, label),
            agree=round(agree),
            similar=round(similar),
            why_unknown=why,
            nearest=self._nearest(counts) if why and not foreign else (),
            fingerprint=f"{self.digest}-{node}" + ("-unknown" if why else ""),
            counts=tuple(counts),
        )

    def _leaf(self, counts: Sequence[int]) -> int:
        tree, node = self.document["tree"], 0
        while tree["feature"][node] >= 0:
            above = counts[tree["feature"][node]] > tree["threshold"][node]
            node = tree["first_child"][node] + int(above)
        return node

    def _why_foreign(self, ending: Ending | None, guard: Sequence[int] | None) -> str:
        known = [Ending(*pair) for pair in self.document.get("endings") or ()]
        if known and ending is not None and not any(map(ending.may_be, known)):
            return f"no recorded run ended with {ending}"
        if guard:
            usual = self.document["guard"]["counts"]
            for feature, count, wanted in zip(self.guard.features, guard, usual, strict=True):
                if count != wanted:
                    return f"{feature} was counted {count} times, {wanted} in every recorded run"
        return ""

    def _why_unknown(self, counts: Sequence[int], agree: float, similar: float) -> str:
        if similar <= 0 or agree < self.document["purity"] * similar:
            return f"{round(agree)} of {round(similar)} similar runs agree"
        ranges = self.document["ranges"]
        for feature, count, (least, most) in zip(self.watch.features, counts, ranges, strict=True):
            if not least <= count <= most:
                return f"{feature} was counted {count} times, {least} to {most} in training"
        return ""

    def _nearest(self, counts: Sequence[int], how_many: int = 3) -> tuple[tuple[str, str], ...]:
        spans = [max(1, most - least) for least, most in self.document["ranges"]]

        def distance(run: Any) -> float:
            return sum(abs(a - b) / span for a, b, span in zip(counts, run[2], spans, strict=True))

        nearest = sorted(self.document.get("runs", ()), key=distance)
        return tuple((run[0], run[1]) for run in nearest[:how_many])
