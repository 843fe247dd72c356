"""Is a difference more than chance? Tests for one data set and for many."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from stakes._text.words import rounded_repr

__all__ = [
    "PairTest",
    "Ranks",
    "against",
    "corrected_t_test",
    "critical_difference",
    "friedman",
    "holm",
    "rank_learners",
    "wilcoxon_test",
]


@rounded_repr
@dataclass(frozen=True)
class PairTest:
    """A test of one learner against another.

    Attributes
    ----------
    name : str
        The learner that is tested.
    difference : float
        Mean of its figures less those of the other one.
    p : float
        Probability of a difference at least as large if there were none.
    adjusted : float
        The same after Holm's correction for the number of tests.
    """

    name: str
    difference: float
    p: float
    adjusted: float


@rounded_repr
@dataclass(frozen=True)
class Ranks:
    """Learners ranked on several data sets, 1 for the least figure.

    Attributes
    ----------
    names : tuple of str
        From the best average rank to the worst.
    ranks : tuple of float
    n_datasets : int
    p : float
        Friedman's test that all are alike.
    critical_difference : float
        Ranks that differ by less are not told apart (Nemenyi).
    level : float
        The significance level of that.
    groups : tuple of tuple of str
        Maximal sets of learners that are not told apart.
    against_best : tuple of PairTest
        Wilcoxon's signed rank test of each other learner against the best, over the data sets.
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    n_datasets: int
    p: float
    critical_difference: float
    level: float
    groups: tuple[tuple[str, ...], ...]
    against_best: tuple[PairTest, ...]


def corrected_t_test(differences: ArrayLike, test_train_ratio: float) -> tuple[float, float]:
    """Corrected resampled t-test: the variance is enlarged because training sets overlap.

    Parameters
    ----------
    differences : array-like
        One per trial of a repeated cross-validation or of repeated random splits.
    test_train_ratio : float
        Rows tested over rows learnt from, 1/9 in 10-fold cross-validation.

    Returns
    -------
    t, p : float
        Statistic and two-sided p-value. Where all differences are the same: p is 1 if they are 0, else 0.

    References
    ----------
    C. Nadeau, Y. Bengio (2003). Inference for the Generalization Error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> t, p = corrected_t_test([1.0, 2.0, 1.5, 0.5], test_train_ratio=1 / 3)
    >>> round(t, 3), round(p, 3)
    (2.535, 0.085)
    """
    values = np.asarray(differences, dtype=float)
    if values.ndim != 1 or len(values) < 2:
        raise ValueError(f"differences must be at least 2 numbers, got shape {values.shape}")
    if not test_train_ratio >= 0:
        raise ValueError(f"test_train_ratio must be a number >= 0, got {test_train_ratio}")
    mean = float(values.mean())
    scale = math.sqrt((1 / len(values) + test_train_ratio) * float(values.var(ddof=1)))
    # A variance that is nothing but rounding is none.
    if scale <= 1e-14 * float(np.abs(values).max(initial=0.0)):
        return (0.0, 1.0) if mean == 0 else (math.copysign(math.inf, mean), 0.0)
    t = mean / scale
    return t, float(2 * stats.t.sf(abs(t), len(values) - 1))


def wilcoxon_test(differences: ArrayLike) -> float:
    """Two-sided p-value of Wilcoxon's signed rank test; zeros count half to either side (Pratt).

    Exact for up to 50 data sets without ties, by a normal curve otherwise; 1 where there is no difference.

    Examples
    --------
    >>> wilcoxon_test([1, 2, 3, 4, 5, 6])
    0.03125
    """
    values = np.asarray(differences, dtype=float)
    if not np.any(values):
        return 1.0
    return float(stats.wilcoxon(values, zero_method="pratt", method="auto").pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values after Holm's correction, in the order given.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    adjusted, largest = [0.0] * len(p_values), 0.0
    for position, index in enumerate(order.tolist()):
        largest = max(largest, min(1.0, (len(p_values) - position) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def against(
    reference: str, trials: Mapping[str, NDArray[np.float64]], test_train_ratio: float
) -> list[PairTest]:
    """Corrected t-tests of every other learner against one, on the same trials of one data set."""
    names = [name for name in trials if name != reference]
    differences = [trials[name] - trials[reference] for name in names]
    p_values = [corrected_t_test(d, test_train_ratio)[1] if len(d) > 1 else 1.0 for d in differences]
    return _pair_tests(names, differences, p_values)


def rank_learners(figures: Mapping[str, Sequence[float]], level: float = 0.05) -> Ranks:
    """Average ranks over data sets, with Friedman's, Nemenyi's and Wilcoxon's tests.

    Parameters
    ----------
    figures : mapping of learner to figures
        One per data set, the lower the better, in the same order for all. Equal figures share their ranks.
    level : float
        Significance level of the critical difference.

    References
    ----------
    J. Demsar (2006). Statistical Comparisons of Classifiers over Multiple Data Sets. JMLR 7, 1-30.

    Examples
    --------
    >>> ranks = rank_learners({"a": [1, 1, 1, 2], "b": [2, 2, 2, 1], "c": [3, 3, 3, 3]})
    >>> ranks.names, ranks.ranks
    (('a', 'b', 'c'), (1.25, 1.75, 3.0))
    >>> round(ranks.critical_difference, 3)
    1.657
    """
    values = np.array([list(row) for row in figures.values()], dtype=float).T
    if values.ndim != 2 or values.shape[1] < 2 or values.shape[0] < 2:
        raise ValueError(
            "figures must be those of at least 2 learners on at least 2 data sets, got "
            f"{len(figures)} learners and {values.shape[0] if values.ndim == 2 else 0} data sets"
        )
    n_datasets, n_learners = values.shape
    average = stats.rankdata(values, axis=1).mean(axis=0)
    order = np.argsort(average, kind="stable")
    known = list(figures)
    names = tuple(known[i] for i in order)
    sorted_ranks = average[order]
    difference = critical_difference(n_learners, n_datasets, level)
    others = [values[:, i] - values[:, order[0]] for i in order[1:]]
    tests = _pair_tests(list(names[1:]), others, [wilcoxon_test(d) for d in others])
    return Ranks(
        names,
        tuple(sorted_ranks.tolist()),
        n_datasets,
        friedman(values),
        difference,
        level,
        _groups(names, sorted_ranks, difference),
        tuple(tests),
    )


def friedman(values: NDArray[np.float64]) -> float:
    """p-value of Friedman's test that all columns are alike, ties corrected; 1 where nothing differs."""
    n_rows, n_columns = values.shape
    ranks = stats.rankdata(values, axis=1)
    spread = ((ranks - (n_columns + 1) / 2) ** 2).sum()
    if spread == 0:
        return 1.0
    between = n_rows**2 * ((ranks.mean(axis=0) - (n_columns + 1) / 2) ** 2).sum()
    return float(stats.chi2.sf((n_columns - 1) * between / spread, n_columns - 1))


def critical_difference(n_learners: int, n_datasets: int, level: float = 0.05) -> float:
    """Difference of average ranks that Nemenyi's test asks for."""
    q = stats.studentized_range.ppf(1 - level, n_learners, np.inf) / math.sqrt(2)
    return float(q * math.sqrt(n_learners * (n_learners + 1) / (6 * n_datasets)))


def _pair_tests(
    names: list[str], differences: Sequence[NDArray[np.float64]], p_values: list[float]
) -> list[PairTest]:
    adjusted = holm(p_values)
    return [
        PairTest(name, float(np.mean(d)), p, a)
        for name, d, p, a in zip(names, differences, p_values, adjusted, strict=True)
    ]


def _groups(
    names: tuple[str, ...], ranks: NDArray[np.float64], difference: float
) -> tuple[tuple[str, ...], ...]:
    """Runs of neighbours whose ends differ by less than the critical difference; none inside another."""
    groups: list[tuple[int, int]] = []
    for start in range(len(names)):
        end = int(np.searchsorted(ranks, ranks[start] + difference))
        if end - start > 1 and (not groups or end > groups[-1][1]):
            groups.append((start, end))
    return tuple(names[start:end] for start, end in groups)
