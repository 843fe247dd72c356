"""How rules are learnt: bins, the search in the core, a check on held-out rows, the order of precedence."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes._base.folds import stratified_folds
from stakes._base.progress import part
from stakes._base.training import TrainingSet
from stakes.rules.bins import mdl_bins
from stakes.rules.model import RuleSet


class RuleSearchWarning(UserWarning):
    """The search for rules met a bound and did not look at everything."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RuleSamples(TrainingSet):
    """Training rows, with what the quality of rules is made of.

    Attributes
    ----------
    class_costs : float64 array of shape (n_classes,)
        What mistaking each class costs.
    row_costs : array of shape (n_samples,) or None
        What mistaking each row costs, where rows bring costs of their own.
    """

    class_costs: NDArray[np.float64]
    row_costs: NDArray[np.float64] | None = None

    def take(self, samples: NDArray[Any]) -> Self:
        """Return some of the rows."""
        row_costs = None if self.row_costs is None else self.row_costs[samples]
        return replace(super().take(samples), row_costs=row_costs)


@dataclass(frozen=True)
class Settings:
    """How to search; the parameters of :class:`RuleClassifier` of the same names."""

    t_bad: float = 1.0
    min_support: float | Sequence[float] = 0.01
    max_length: int | None = None
    mark: str = "predicted"
    keep_whole: bool = False
    validation_fraction: float = 0.0
    max_candidates: int = 10_000_000
    max_memory: float = 1024.0
    random_state: int | None = 0
    n_threads: int = 1


def learn_rules(samples: RuleSamples, settings: Settings, t_good_values: Sequence[float]) -> list[RuleSet]:
    """Learn a set of rules for each cut-off, by one search.

    Parameters
    ----------
    samples : RuleSamples
    settings : Settings
    t_good_values : sequence of float
        Qualities from which rules are accepted, ascending.
    """
    learnt_from, held_out = _set_aside(samples, settings)
    with part(0, 0.2):
        bins = mdl_bins(learnt_from, whole=settings.keep_whole, n_threads=settings.n_threads)
    with part(0.2, 1):
        rule_arrays, cuts, _, length = _core.search_rules(
            bins.core(learnt_from.table),
            learnt_from.codes,
            len(samples.classes),
            learnt_from.weight,
            _core.RuleOptions(
                t_good=t_good_values,
                t_bad=settings.t_bad,
                min_support=_supports(settings.min_support, learnt_from).tolist(),
                max_length=min(settings.max_length or len(bins.schema), len(bins.schema)),
                mark_all=settings.mark == "all",
                max_candidates=settings.max_candidates,
                max_bytes=int(settings.max_memory * 2**20),
                n_threads=settings.n_threads,
            ),
            class_costs=samples.class_costs,
            row_costs=learnt_from.row_costs,
        )
    _warn(cuts, length)
    results = []
    for (start, feature, value, label, quality, weights), t_good in zip(
        rule_arrays, t_good_values, strict=True
    ):
        rules = RuleSet(
            bins=bins,
            classes=samples.classes,
            start=start,
            feature=feature,
            value=value,
            label=label,
            quality=quality,
            class_weights=weights.reshape(-1, len(samples.classes)),
            undecided_weights=np.zeros(len(samples.classes)),
            costs=samples.cost_values,
            t_good=float(t_good),
            feature_costs=samples.feature_costs,
        )
        if held_out is not None:
            rules = recounted(surviving(rules, held_out), samples)
        results.append(with_undecided_weights(in_order(rules), samples, settings.n_threads))
    return results


def in_order(rules: RuleSet) -> RuleSet:
    """Put the rules in the order of precedence: lowest quality, largest support, shortest, earliest."""
    support = rules.class_weights[np.arange(len(rules)), rules.label]
    return chosen(rules, np.lexsort((np.diff(rules.start), -support, rules.quality.round(12))))


def chosen(rules: RuleSet, which: NDArray[Any]) -> RuleSet:
    """Return the rules with these numbers, in this order."""
    parts = [np.arange(rules.start[i], rules.start[i + 1]) for i in which]
    conditions = np.concatenate(parts) if parts else np.zeros(0, dtype=np.intp)
    start = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int32)
    return replace(
        rules,
        start=start,
        feature=rules.feature[conditions],
        value=rules.value[conditions],
        label=rules.label[which],
        quality=rules.quality[which],
        class_weights=rules.class_weights[which],
    )


def with_undecided_weights(rules: RuleSet, samples: RuleSamples, n_threads: int = 1) -> RuleSet:
    """Note what the training rows without a rule are like; all rows where there is none without."""
    undecided = rules.match(samples.table, n_threads) < 0
    weight = samples.weight_or_ones
    if not weight[undecided].any():
        undecided = np.ones(len(weight), dtype=bool)
    counts = np.zeros(len(rules.classes))
    np.add.at(counts, samples.codes[undecided], weight[undecided])
    return replace(rules, undecided_weights=counts)


def covered(rules: RuleSet, samples: RuleSamples) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Class weights, and weights times costs, of the rows that each rule covers."""
    codes, k = rules.bins.codes(samples.table), len(rules.classes)
    weight = samples.weight_or_ones
    cost = samples.class_costs[samples.codes] if samples.row_costs is None else samples.row_costs
    weights, shares = np.zeros((2, len(rules), k))
    for i in range(len(rules)):
        rows = np.ones(len(weight), dtype=bool)
        for feature, value in rules.conditions(i):
            rows &= codes[feature] == value
        weights[i] = np.bincount(samples.codes[rows], weight[rows], minlength=k)
        shares[i] = np.bincount(samples.codes[rows], (weight * cost)[rows], minlength=k)
    return weights, shares


def surviving(rules: RuleSet, held_out: RuleSamples) -> RuleSet:
    """Keep the rules whose class bears the largest share of the cost among held-out rows, too.

    A rule that covers none of these rows is dropped: nothing speaks for it.
    """
    _, shares = covered(rules, held_out)
    judged = [_core.rule_quality(row)[1] if row.any() else -1 for row in shares]
    return chosen(rules, np.flatnonzero(rules.label == np.array(judged, dtype=np.int32)))


def recounted(rules: RuleSet, samples: RuleSamples) -> RuleSet:
    """Take class weights, qualities and so the precedence from all rows."""
    weights, shares = covered(rules, samples)
    judged = [_core.rule_quality(row) for row in shares]
    return replace(
        rules,
        class_weights=weights,
        quality=np.array([quality for quality, _ in judged]),
        label=np.array([label for _, label in judged], dtype=np.int32),
    )


def _set_aside(samples: RuleSamples, settings: Settings) -> tuple[RuleSamples, RuleSamples | None]:
    n_folds = round(1 / settings.validation_fraction) if settings.validation_fraction > 0 else 0
    if n_folds < 2 or len(samples.codes) < 2 * n_folds:
        return samples, None
    fold = stratified_folds(samples.codes.astype(np.intp), n_folds, settings.random_state)
    kept = np.flatnonzero(fold > 0)
    if not samples.weight_or_ones[kept].any():
        return samples, None
    return samples.take(kept), samples.take(np.flatnonzero(fold == 0))


def _supports(min_support: float | Sequence[float], samples: RuleSamples) -> NDArray[np.float64]:
    """Least weight per class: below 1 a share of all rows, but at least two of them; else that many rows."""
    given = np.broadcast_to(min_support, samples.classes.shape)
    total = float(samples.weight_or_ones.sum())
    return np.where(given < 1, np.maximum(given * total, min(2.0, total)), given)


def _warn(cuts: list[tuple[str, int, int, int]], length: int) -> None:
    if not cuts:
        return
    limits = [
        f"of {of} rules of length {at} {f'only the {kept} of best quality' if kept else 'none'} were "
        f"followed (raise {bound} to follow them all)"
        for bound, at, kept, of in cuts
    ]
    warnings.warn(
        f"The search for rules was cut short at length {length}: {'; '.join(limits)}. "
        "A larger min_support or a smaller max_length or t_bad makes it smaller.",
        RuleSearchWarning,
        stacklevel=4,
    )
