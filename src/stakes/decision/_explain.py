"""``explain`` and ``reasons`` for every classifier, of which only its expected costs are known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from stakes._base.answering import asks_nothing, first_with
from stakes._base.background import Background, drawn_rows, equal_weights
from stakes._base.features import check_features, encode_rows, take_rows
from stakes._base.labels import Label
from stakes._text.words import amount, plain, rounded_repr
from stakes.costs import CostMatrix
from stakes.decision._importances import one_tree
from stakes.decision._pool import in_form_of, pool_of
from stakes.decision._shares import CostShares, runner_up, shapley_shares, value_in_words
from stakes.table import Schema, Table

#: About so many orders of the columns are drawn for a sample where not all coalitions can be tried.
N_PERMUTATIONS = 100


def cost_shares(
    model: Any,
    X: Any,
    background: Any = None,
    *,
    other: Any = None,
    n_permutations: int = N_PERMUTATIONS,
) -> CostShares:
    """Share out among the columns by how much a model's answer is expected to cost less than another one.

    The shares are Shapley values: what a column changes when its value takes the place of a background row's,
    on average over the background and over all orders in which columns may do so. They depend on nothing but
    the expected costs, so that two models which expect the same have the same shares, however they are made.
    Where the columns are few the shares are exact, else orders are drawn with a fixed seed, and each share
    has a standard error. In both cases the shares and the base add up to the difference.

    Parameters
    ----------
    model : fitted classifier of stakes
    X : array-like, data frame or Table of shape (n_samples, n_features)
    background : rows like those of X, optional
        What the samples are compared with; of more than 100 rows 100 are drawn. None: the rows that the model
        keeps (``keep_background``), else its typical rows, one for each class: medians of the numeric columns
        and most frequent categories, weighted by the share of the class in the training data.
    other : label, optional
        The other answer. None: the cheapest besides the one given.
    n_permutations : int
        How many orders are drawn, at least 10; with four times as many the standard errors are half as large.

    Examples
    --------
    >>> from stakes import CostBagging, datasets
    >>> german = datasets.load("german")
    >>> model = CostBagging(cost_matrix=german.cost_matrix, n_estimators=5).fit(german.X, german.y)
    >>> shares = cost_shares(model, german.X[:3])
    >>> bool(np.allclose(shares.base + shares.shares.sum(axis=1), shares.difference, rtol=0, atol=1e-9))
    True
    """
    if isinstance(n_permutations, bool) or not isinstance(n_permutations, int | np.integer):
        raise TypeError(f"n_permutations must be a whole number from 10, got {n_permutations!r}")
    if n_permutations < 10:
        raise ValueError(f"n_permutations must be at least 10, got {n_permutations}")
    check_is_fitted(model)
    answers = model.answers(X)
    expected, classes = answers.expected_cost, model.classes_
    codes = CostMatrix.uniform(classes)
    answer = codes.codes(answers.labels).astype(np.intp)
    numbers = runner_up(expected, answer)
    if other is not None:
        numbers = np.full(len(answer), int(codes.codes(np.asarray([other]), "other")[0]))
    contrast = _contrast(answer, numbers, len(classes))
    constant = asks_nothing(model) or getattr(model, "guarded_", False)  # a constant answers
    rows, beside, weight, name = _compared(model, X, X if constant and background is None else background)
    pool = pool_of(rows, beside)
    difference = (expected * contrast).sum(axis=1)
    if constant:
        shares, error = np.zeros((2, len(answer), len(pool.names)))
        base, name = difference, "every row"
    else:
        shares, error, base = shapley_shares(
            lambda mixed: model.answers(mixed).expected_cost,
            pool,
            weight,
            expected,
            contrast,
            int(n_permutations),
        )
    return CostShares(
        columns=tuple(map(str, getattr(model, "feature_names_in_", pool.names))),
        values=pool.values,
        classes=classes,
        answer=answer,
        other=numbers,
        shares=shares,
        error=error,
        base=base,
        difference=difference,
        expected_cost=expected,
        compared_with=name,
    )


def _contrast(answer: NDArray[np.intp], other: NDArray[np.intp], n_classes: int) -> NDArray[np.float64]:
    """What the expected costs of each class count for each row; all 0 where the answers are the same."""
    each, contrast = np.arange(len(answer)), np.zeros((len(answer), n_classes))
    contrast[each, other] += 1
    contrast[each, answer] -= 1
    return contrast


def _compared(model: Any, X: Any, given: Any) -> tuple[Any, Any, NDArray[np.float64], str]:
    """Rows and background in the same form, the weights of the background, and what it is."""
    schema = model._columns()
    rows = X if schema is None else encode_rows(model, schema, X)
    if given is None:
        known: Background | None = getattr(model, "_background", None)
        if known is None:
            raise ValueError(
                f"background must be given: this {type(model).__name__} remembers no typical rows, since its "
                "file is older than that or its X was no table; fit it again, give rows like those of X, or "
                "call keep_background(rows) once"
            )
        beside = in_form_of(rows, known.table) if schema is None else schema.encode(known.table)
        return rows, beside, known.weight, known.name
    check_features(model, given, reset=False)
    chosen = drawn_rows(_n_rows(given))
    beside = take_rows(given, chosen)
    return (
        rows,
        beside if schema is None else encode_rows(model, schema, beside),
        equal_weights(len(chosen)),
        "background",
    )


def _n_rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


@rounded_repr
@dataclass(frozen=True)
class Reason:
    """A column that spoke against the better answer.

    Attributes
    ----------
    column : str
    value : str, bool, int, float or None
        The sample's value; None where it is missing.
    share : float
        Its share of what the better answer would have cost more.
    """

    column: str
    value: Any
    share: float

    def __str__(self) -> str:
        """Name the column, its value and its share."""
        return f"{value_in_words(self.column, self.value)} ({amount(self.share)})"


@rounded_repr
@dataclass(frozen=True)
class Reasons:
    """Why one sample did not get the better answer; ``str()`` tells it in a sentence.

    Attributes
    ----------
    label, better : str, bool, int or float
        The answer, and the better one.
    reasons : tuple of Reason
        The columns that spoke most against the better answer; empty for a sample that got it, and where no
        column spoke against it.
    difference : float
        By how much the better answer is expected to cost more than the answer given.
    """

    label: Label
    better: Label
    reasons: tuple[Reason, ...]
    difference: float

    def __str__(self) -> str:
        """Tell the answer and what spoke against the better one."""
        label, better = plain(str(self.label)), plain(str(self.better))
        if self.label == self.better:
            return f"{label}, the better answer"
        if not self.reasons:
            return f"{label} and not {better}: no column spoke against {better}"
        return f"{label} and not {better}, because of {', '.join(map(str, self.reasons))}"


class ExplainMixin:
    """Explanations of any classifier with ``answers``, ``classes_`` and ``cost_matrix_``."""

    #: What explanations compare with where they are given nothing; ``fit`` notes it.
    _background: Background | None = None

    def _columns(self) -> Schema | None:
        """Columns that rows are read as; None where that is a matter of another library."""
        return getattr(self, "schema_", None)

    def explain(self, X: Any, background: Any = None) -> Any:
        """Say for each row how much each column contributed to the answer being cheaper than the next one.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_features)
        background : rows like those of X, optional
            What the rows are compared with, at most 100 of them; None: the rows that were kept
            (:meth:`keep_background`), else the typical rows of the training data.

        Returns
        -------
        CostShares
            A sequence with an explanation for each row, and the same as arrays. A model that answers by one
            tree or by rules gives their explanations instead, unless a background is given.
        """
        check_is_fitted(self)
        if background is None and not asks_nothing(self):
            tree = one_tree(self)
            if tree is not None:
                return self._paths(X, tree)
        return cost_shares(self, X, background)

    def _paths(self, X: Any, tree: Any) -> list[Any]:
        """Explanations of the tree inside, with what this model takes answers to cost."""
        answers, labels = self.answers(X), self.classes_.tolist()  # type: ignore[attr-defined]
        paths = first_with(self, "fitted_tree_")._paths(X, tree)
        rows = zip(paths, answers.decision_proba.tolist(), answers.expected_cost.tolist(), strict=True)
        return [
            replace(path, probabilities=tuple(shares), expected_costs=dict(zip(labels, costs, strict=True)))
            for path, shares, costs in rows
        ]

    def reasons(self, X: Any, n: int = 4, *, better: Any = None, background: Any = None) -> list[Reasons]:
        """List for each row the columns that spoke most against the better answer.

        Credit law asks for the principal reasons of an adverse decision, of which four are usual.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_features)
        n : int
            At most so many columns for each row.
        better : label, optional
            The answer that a row would rather have, such as "approved". None: the one that is most expensive
            to give wrongly, since that is what has to be earned; of several the class with most training
            rows.
        background : rows like those of X, optional
            As for :meth:`explain`; rows that got the better answer are a good choice.

        Returns
        -------
        list of Reasons
            Without reasons for rows whose answer is the better one. A column is named where its share exceeds
            its standard error.
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer):
            raise TypeError(f"n must be a whole number from 1, got {n!r}")
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n}")
        check_is_fitted(self)
        favoured = _favoured(self) if better is None else better
        labels = self.answers(X).labels  # type: ignore[attr-defined]
        code = int(CostMatrix.uniform(self.classes_).codes(np.asarray([favoured]), "better")[0])  # type: ignore[attr-defined]
        better_label = self.classes_.tolist()[code]  # type: ignore[attr-defined]
        given = [Reasons(label, better_label, (), 0.0) for label in labels.tolist()]
        against = np.flatnonzero(labels != self.classes_[code])  # type: ignore[attr-defined]
        if not len(against):
            return given
        shares = cost_shares(self, take_rows(X, against), background, other=better_label)
        for i, why in zip(against.tolist(), shares, strict=True):
            spoke = [j for j in why.by_size() if why.shares[j] > why.error[j]]
            named = [Reason(why.columns[j], why.values[j], float(why.shares[j])) for j in spoke[:n]]
            given[i] = Reasons(why.label, better_label, tuple(named), why.difference)
        return given

    def keep_background(self, X: Any) -> Self:
        """Keep at most 100 of these rows, for explanations to compare with; they go into the saved model.

        Without this a model remembers only its typical rows, and its file holds no row of the data.
        """
        check_is_fitted(self)
        check_features(self, X, reset=False)
        rows = take_rows(X, drawn_rows(_n_rows(X)))
        schema = self._columns()
        table = Table.from_data(rows) if schema is None else encode_rows(self, schema, rows)
        known = self._background
        shares = None if known is None else known.class_shares
        self._background = Background(table, equal_weights(table.n_samples), shares, kept=True)
        return self


def _favoured(model: Any) -> Label:
    """Label of the answer that is most expensive to give wrongly."""
    costs = model.cost_matrix_.values
    worst = (costs - costs.min(axis=1, keepdims=True)).max(axis=0)
    best = np.flatnonzero(worst >= worst.max() * (1 - 1e-12))
    if len(best) > 1:
        known: Background | None = model._background
        if known is None or known.class_shares is None:
            shown = ", ".join(map(str, model.classes_[best]))
            raise ValueError(f"better must be given: {shown} are equally expensive to answer wrongly")
        best = best[[known.class_shares[best].argmax()]]
    return model.classes_.tolist()[best[0]]
