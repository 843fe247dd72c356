"""The cost matrix, and what learners and metrics call on the costs they are given."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from stakes._text.money import in_currency
from stakes._text.words import short_repr, some
from stakes.costs import _files
from stakes.costs._labels import check_labels, finite_array, lookup, plain_label, sorted_labels
from stakes.costs._sample_frames import in_class_order
from stakes.costs._sense import costs_or_earns, warn_of_odd_costs

#: What a matrix that is meant as it is needs.
ACCEPT = "CostMatrix(..., check=False), or --accept-costs of a command, takes them as they are"

_LACKING = "{name} has no row for {unknown}, which the data has"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class CostMatrix:
    """Costs of calling a sample of one class another, indexed ``[actual, predicted]``.

    The orientation is that of scikit-learn's confusion matrix, so the bill is ``(confusion * costs).sum()``.
    For matrices written the other way round there is :meth:`from_predicted_rows`.

    Parameters
    ----------
    values : array-like of shape (n_classes, n_classes)
        ``values[i, j]`` is the cost of predicting class ``j`` where class ``i`` is true. Finite. The diagonal
        may have costs, and negative ones (rewards).
    classes : sequence of labels, optional
        Labels of rows and columns: str, int, bool or float. Without them rows and columns stand in the order
        of the sorted class labels of the data (``classes_`` of a classifier).
    check : bool, default=True
        Whether a :class:`CostMatrixWarning` says what can hardly be meant: being right costs more than every
        mistake about a class, a mistake earns more than being right, or all answers to a class cost the same.

    Examples
    --------
    >>> costs = CostMatrix([[0, 5], [1, 0]], classes=["bad", "good"])
    >>> print(costs.describe(noun="customer"))
    Calling a bad customer good costs 5.
    Calling a good customer bad costs 1.
    Being right costs nothing.
    >>> costs.vector()
    array([5., 1.])
    """

    values: NDArray[np.float64]
    classes: NDArray[Any] | None

    def __init__(
        self, values: ArrayLike, classes: Iterable[Any] | None = None, *, check: bool = True
    ) -> None:
        if isinstance(values, Mapping):
            raise TypeError(
                "values must be a square array, got a mapping; use CostMatrix.from_pairs for a dict"
            )
        if hasattr(values, "columns"):
            raise TypeError("values must be a square array, got a data frame; use CostMatrix.from_frame")
        square = finite_array(values, "values")
        if square.ndim != 2 or square.shape[0] != square.shape[1] or square.size == 0:
            raise ValueError(
                "values must be a square array of shape (n_classes, n_classes) with at least one class, "
                f"got shape {square.shape}"
            )
        labels = None if classes is None else check_labels(classes)
        if labels is not None and len(labels) != len(square):
            raise ValueError(
                f"classes must have one label per row of values, got {len(labels)} for {len(square)} rows"
            )
        object.__setattr__(self, "values", _read_only(square))
        object.__setattr__(self, "classes", None if labels is None else _read_only(labels))
        if check:
            warn_of_odd_costs(square, range(len(square)), self._label_or_code(), ACCEPT)

    def __reduce__(self) -> tuple[Any, tuple[Any, Any]]:
        # the plain way of copying would hand out arrays that can be written to
        return _unchecked, (self.values, self.classes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostMatrix):
            return NotImplemented
        return self._labels() == other._labels() and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        # + 0.0 because 0.0 and -0.0 are equal and their bytes are not
        return hash((tuple(self._labels() or ()), (self.values + 0.0).tobytes()))

    def __repr__(self) -> str:
        labels = "" if self.classes is None else f", classes={self.classes.tolist()!r}"
        return f"CostMatrix({short_repr(self.values.tolist())}{labels})"

    def __len__(self) -> int:
        return len(self.values)

    def _labels(self) -> list[Any] | None:
        return None if self.classes is None else self.classes.tolist()

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.values)

    @classmethod
    def uniform(cls, classes: Iterable[Any]) -> CostMatrix:
        """Every mistake costs 1, being right costs nothing."""
        labels = check_labels(classes)
        return cls(1.0 - np.eye(len(labels)), labels)

    @classmethod
    def from_pairs(
        cls,
        pairs: Mapping[tuple[Any, Any], float],
        classes: Iterable[Any] | None = None,
        default: float | None = None,
        *,
        check: bool = True,
    ) -> CostMatrix:
        """Matrix from ``{(actual, predicted): cost}``.

        Parameters
        ----------
        pairs : mapping
            Pairs of one label with itself may be left out and cost 0.
        classes : sequence of labels, optional
            Order of the classes; by default the labels of the pairs, sorted.
        default : float, optional
            Cost of a mistake that is not listed; without it every mistake must be listed.
        check : bool
            As for the class itself.

        Examples
        --------
        >>> CostMatrix.from_pairs({("bad", "good"): 5, ("good", "bad"): 1})
        CostMatrix([[0.0, 5.0], [1.0, 0.0]], classes=['bad', 'good'])
        """
        entries = _check_pairs(pairs)
        met = list(dict.fromkeys(label for pair in entries for label in pair))
        labels = check_labels(sorted_labels(met) if classes is None else classes)
        order = labels.tolist()
        index = dict(zip(met, lookup(order, met, "pairs"), strict=True))
        fill = math.nan if default is None else float(finite_array(default, "default"))
        values = np.full((len(order), len(order)), fill)
        np.fill_diagonal(values, 0.0)
        for (actual, predicted), cost in entries.items():
            values[index[actual], index[predicted]] = cost
        missing = [(order[i], order[j]) for i, j in np.argwhere(np.isnan(values))] if default is None else []
        if missing:
            raise ValueError(
                f"pairs must list every (actual, predicted) mistake; missing: {some(missing)}; "
                "pass default= to give the rest one cost"
            )
        return cls(values, labels, check=check)

    @classmethod
    def from_predicted_rows(
        cls, values: ArrayLike, classes: Iterable[Any] | None = None, *, check: bool = True
    ) -> CostMatrix:
        """Matrix from an array indexed ``[predicted, actual]``, as most papers write it."""
        given = cls(values, classes, check=False)
        return cls(given.values.T, given.classes, check=check)

    @classmethod
    def from_frame(cls, frame: Any, *, check: bool = True) -> CostMatrix:
        """Matrix from a data frame: one row per actual class, one column per predicted class.

        The labels of the rows are the index of a square pandas frame, else the first column. Column names
        that are text, as polars has them, match row labels of another type by how these are written.
        """
        try:
            table = nw.from_native(frame, eager_only=True)
        except Exception as error:  # narwhals has its own exception classes, different between versions
            raise TypeError(f"frame must be a pandas, polars or Arrow data frame: {error}") from None
        names = list(table.columns)
        index = nw.maybe_get_index(table)
        n_rows = len(table)
        cells = np.asarray(table.to_numpy())
        if len(names) == n_rows + 1:
            actual, predicted, cells = table[:, 0].to_list(), names[1:], cells[:, 1:]
        elif len(names) == n_rows and index is not None:
            actual, predicted = list(index), names
        else:
            raise ValueError(
                "frame must have one row per actual class and one column per predicted class, with the "
                f"actual labels as index or first column; got {n_rows} rows and {len(names)} columns"
            )
        return _from_cells(cells, actual, predicted, "frame", check)

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str], *, check: bool = True) -> CostMatrix:
        r"""Matrix from a CSV file; the labels are read as text.

        The first line is ``actual\predicted`` and the predicted classes, then one line per actual class::

            actual\predicted,bad,good
            bad,0,5
            good,1,0

        Rows and columns may be in different orders. Instead of ``actual\predicted`` anything may stand in the
        corner that does not begin with "predict": such a file has its rows the other way round, and is
        refused. The first sheet of an Excel file (``.xlsx``) is read in the same way.
        """
        actual, predicted, values = _files.parse_csv(_files.read_text(path), str(path))
        return _from_cells(np.array(values), actual, predicted, str(path), check)

    @classmethod
    def from_c50(
        cls, path: str | os.PathLike[str], classes: Iterable[Any] | None = None, *, check: bool = True
    ) -> CostMatrix:
        """Matrix from a C5.0 ``.costs`` file: lines ``predicted, actual: cost``, comments after ``|``.

        Mistakes that are not listed cost 1. Where the file does not name every class, give ``classes``.
        """
        pairs = _files.parse_c50(_files.read_text(path), str(path))
        labels = None if classes is None else check_labels(classes)
        try:
            names = None if labels is None else map(str, labels.tolist())
            named = cls.from_pairs(pairs, names, default=1.0, check=check)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        return named if labels is None else cls(named.values, labels, check=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, check: bool = True) -> CostMatrix:
        """Matrix from what :meth:`to_dict` gave."""
        if not isinstance(data, Mapping) or "values" not in data or not set(data) <= {"values", "classes"}:
            raise ValueError(
                "data must be a mapping with the keys 'values' and 'classes', as to_dict() gives it"
            )
        try:
            return cls(data["values"], data.get("classes"), check=check)
        except (TypeError, OverflowError) as error:
            # The document comes from outside: a wrong type in it is a wrong value of the document.
            raise ValueError(f"data is not what to_dict() gives: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        """Values and classes as plain lists, ready for JSON."""
        return {"values": self.values.tolist(), "classes": self._labels()}

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the file that :meth:`from_csv` reads. Unlabelled classes are written as 0, 1, ..."""
        labels = [str(label) for label in self._label_or_code()]
        _files.write_csv(path, _files.format_csv(labels, self.values.tolist()))

    def align(self, classes: Iterable[Any], *, extra: Literal["error", "drop"] = "error") -> CostMatrix:
        """Return the same costs in the order of ``classes``.

        Parameters
        ----------
        classes : sequence of labels
            The same set of labels. Where the matrix has no labels it takes these, if the number fits. Labels
            read from a file are text and match other types by how these are written.
        extra : {"error", "drop"}
            What happens to classes of the matrix that ``classes`` does not have.
        """
        labels = check_labels(classes)
        if self.classes is None:
            if len(labels) != len(self):
                raise ValueError(
                    f"the cost matrix has {len(self)} classes without labels, but the data has {len(labels)} "
                    f"({some(labels.tolist())}); give it labels with CostMatrix(values, classes=...)"
                )
            return _unchecked(self.values, labels)
        order = lookup(self.classes.tolist(), labels.tolist(), "the cost matrix", _LACKING)
        if len(order) < len(self) and extra == "error":
            unused = [label for i, label in enumerate(self.classes.tolist()) if i not in order]
            raise ValueError(f"the cost matrix has classes that the data has not: {some(unused)}")
        return _unchecked(self.values[np.ix_(order, order)], labels)

    def codes(self, y: ArrayLike, name: str = "y") -> NDArray[np.intp]:
        """Row numbers of the labels ``y``; without labels ``y`` must be these numbers already."""
        labels = np.asarray(y)
        if labels.ndim != 1:
            raise ValueError(f"{name} must be one-dimensional, got shape {labels.shape}")
        if len(labels) == 0:
            return np.zeros(0, dtype=np.intp)
        try:
            met, inverse = np.unique(labels, return_inverse=True)
            unique = met.tolist()
        except TypeError:  # labels of several types, or None: not sortable, but still to be looked up
            position: dict[Any, int] = {}
            inverse = np.array([position.setdefault(label, len(position)) for label in labels.tolist()])
            unique = list(position)
        return np.array(lookup(self._label_or_code(), unique, name), dtype=np.intp)[inverse]

    def expand(self, y: ArrayLike) -> NDArray[np.float64]:
        """Costs per sample: ``expand(y)[i, k]`` is what predicting class ``k`` for sample ``i`` costs."""
        return self.values[self.codes(y)]

    def shift(self) -> CostMatrix:
        """Return costs less the row's minimum: what a decision costs more than the best one."""
        return _unchecked(self.values - self.values.min(axis=1, keepdims=True), self.classes)

    def normalise(self) -> CostMatrix:
        """Costs divided so that the smallest positive cost of a mistake is 1, Ting's unity condition.

        A matrix without a positive cost of a mistake comes back as it is.
        """
        mistakes = self.mistakes()
        positive = mistakes[mistakes > 0]
        if not len(positive):
            return self
        with np.errstate(over="ignore"):
            scaled = self.values / positive.min()
        if not np.isfinite(scaled).all():
            raise ValueError(f"costs are too far apart to be normalised: the smallest is {positive.min():g}")
        return _unchecked(scaled, self.classes)

    def mistakes(self) -> NDArray[np.float64]:
        """Costs off the diagonal, row by row."""
        return self.values[~np.eye(len(self), dtype=bool)]

    def require_nonnegative(self, learner_name: str) -> CostMatrix:
        """Return self, or say that ``learner_name`` cannot take a mistake that earns something."""
        negative = np.argwhere((self.values < 0) & ~np.eye(len(self), dtype=bool))
        if len(negative):
            names = self._label_or_code()
            pairs = [(names[i], names[j]) for i, j in negative]
            raise ValueError(
                f"{learner_name} cannot take negative costs of mistakes; negative for (actual, predicted): "
                f"{some(pairs)}; shift() makes the smallest cost of every row 0"
            )
        return self

    def vector(self, how: str = "sum") -> NDArray[np.float64]:
        """One cost per actual class: Breiman's sum of the row's mistakes, their maximum, minimum or mean.

        Rows are shifted first so that their minimum is 0: a reward for being right is a cost of being wrong.
        """
        vector = sample_vector(self.values, np.arange(len(self)), how)
        self.require_nonnegative("a cost vector")
        return vector

    def describe(self, noun: str = "case", limit: int = 6) -> str:
        """Say in words what the costliest mistakes are, those first, so that a transposed matrix is noticed.

        Parameters
        ----------
        noun : str
            What one sample is: "customer", "patient".
        limit : int
            Number of mistakes to list.
        """
        names = self._label_or_code()
        pairs = [(i, j) for i in range(len(self)) for j in range(len(self)) if i != j]
        pairs.sort(key=lambda pair: -self.values[pair])
        lines = [
            f"{_calling(names[i], names[j], noun)} {costs_or_earns(self.values[i, j])}."
            for i, j in pairs[:limit]
        ]
        if len(pairs) > limit:
            rest = [self.values[pair] for pair in pairs[limit:]]
            each = f"{rest[0]:g} each" if rest[-1] == rest[0] else f"{rest[-1]:g} to {rest[0]:g}"
            lines.append(f"The other {len(rest)} mistakes cost {in_currency(each)}.")
        diagonal = np.diag(self.values)
        if not diagonal.any():
            return "\n".join([*lines, "Being right costs nothing."])
        right = [
            f"Being right about {_name_class(name)} {costs_or_earns(cost)}."
            for name, cost in zip(names, diagonal, strict=True)
        ]
        return "\n".join(lines + right)

    def _label_or_code(self) -> list[Any]:
        return self._labels() or list(range(len(self)))


def as_cost_matrix(costs: Any, classes: Iterable[Any], *, check: bool = True) -> CostMatrix:
    """Cost matrix in the order of ``classes`` from anything that describes one.

    Parameters
    ----------
    costs : CostMatrix, array, dict, data frame, path or None
        A dict has ``(actual, predicted): cost``; a path is a ``.costs`` (C5.0), ``.json`` or CSV file; None
        is a cost of 1 for every mistake. Classes that ``costs`` names and the data has not are left out, as
        a fold of a cross-validation may lack a rare class; a class of the data without costs is an error.
    classes : sequence of labels
        Classes of the data.
    check : bool
        Whether to warn of costs that can hardly be meant, as :class:`~stakes.CostMatrix` does.

    Examples
    --------
    >>> as_cost_matrix({("b", "a"): 5, ("a", "b"): 1}, ["a", "b"]).values
    array([[0., 1.],
           [5., 0.]])
    """
    labels = check_labels(classes)
    if costs is None:
        return CostMatrix.uniform(labels)
    if isinstance(costs, CostMatrix):
        matrix = costs
    elif isinstance(costs, str | os.PathLike):
        matrix = _from_path(costs, labels, check)
    elif isinstance(costs, Mapping):
        read = CostMatrix.from_dict if "values" in costs else CostMatrix.from_pairs
        matrix = read(costs, check=check)
    elif hasattr(costs, "columns"):
        matrix = CostMatrix.from_frame(costs, check=check)
    else:
        matrix = CostMatrix(costs, check=check)
    try:
        return matrix.align(labels, extra="drop")
    except ValueError as error:
        if isinstance(costs, str | os.PathLike):
            raise ValueError(f"{os.fspath(costs)}: {error}") from None
        raise


def check_sample_costs(
    costs: Any, n_samples: int, n_classes: int, classes: Iterable[Any] | None = None
) -> NDArray[np.float64]:
    """Costs per sample as a finite float64 array of shape (n_samples, n_classes), or an exception.

    Parameters
    ----------
    costs : array or data frame
        Named columns of a data frame are brought into the order of ``classes``, if these are given. Columns
        that are only numbered are taken as they stand, as those of an array are.
    n_samples, n_classes : int
    classes : sequence of labels, optional
    """
    if isinstance(costs, CostMatrix):
        raise TypeError("costs must have one row per sample, got a CostMatrix; pass it as cost_matrix=")
    array = finite_array(costs if classes is None else in_class_order(costs, classes), "costs")
    if array.shape != (n_samples, n_classes):
        hint = "; costs per class go to cost_matrix=" if array.shape == (n_classes, n_classes) else ""
        raise ValueError(
            "costs must have one row per sample and one column per class, "
            f"shape ({n_samples}, {n_classes}), got {array.shape}{hint}"
        )
    return array


def mean_cost_matrix(
    costs: ArrayLike,
    y_codes: ArrayLike,
    classes: Sequence[Any] | NDArray[Any],
    sample_weight: ArrayLike | None = None,
) -> CostMatrix:
    """Class costs that stand for costs per sample: the mean row of each actual class.

    A class without rows (or without weight) gets a cost of 1 for every mistake.

    Examples
    --------
    >>> mean_cost_matrix([[0, 10], [0, 30], [2, 0]], [0, 0, 1], ["fraud", "fine"]).values
    array([[ 0., 20.],
           [ 2.,  0.]])
    """
    codes = np.asarray(y_codes, dtype=np.intp)
    k = len(classes)
    rows = check_sample_costs(costs, len(codes), k, classes)
    weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    values = 1.0 - np.eye(k)
    for code in range(k):
        of_class = codes == code
        if weight[of_class].sum() > 0:
            values[code] = np.average(rows[of_class], axis=0, weights=weight[of_class])
    return _unchecked(values, classes)


def sample_vector(costs: ArrayLike, y_codes: ArrayLike, how: str = "sum") -> NDArray[np.float64]:
    """One cost of a mistake per sample: what :meth:`~stakes.CostMatrix.vector` is for classes.

    Rows are shifted so that their minimum is 0; then the costs of the classes that are not the sample's own
    are added up, or their maximum, minimum or mean is taken.

    Examples
    --------
    >>> sample_vector([[0, 10, 2], [5, 5, 1]], [0, 2])
    array([12.,  8.])
    """
    if how not in ("sum", "max", "min", "mean"):
        raise ValueError(f"how must be 'sum', 'max', 'min' or 'mean', got {how!r}")
    codes = np.asarray(y_codes, dtype=np.intp)
    rows = np.asarray(costs, dtype=float)
    n_classes = rows.shape[1]
    if n_classes == 1:
        return np.zeros(len(rows))
    wrong = np.arange(n_classes) != codes[:, None]
    mistakes = (rows - rows.min(axis=1, keepdims=True))[wrong].reshape(len(rows), n_classes - 1)
    return np.asarray(getattr(mistakes, how)(axis=1))


def _unchecked(values: ArrayLike, classes: Iterable[Any] | None) -> CostMatrix:
    """Matrix that follows from another one, or is nobody's own: no warning says that it is odd."""
    return CostMatrix(values, classes, check=False)


def _from_path(path: str | os.PathLike[str], classes: NDArray[Any], check: bool) -> CostMatrix:
    suffix = Path(path).suffix.lower()
    if suffix == ".costs":
        # with the classes of the data in front, as the file need not name them all and may name more
        pairs = _files.parse_c50(_files.read_text(path), str(path))
        names = dict.fromkeys([*map(str, classes.tolist()), *(name for pair in pairs for name in pair)])
        return CostMatrix.from_pairs(pairs, list(names), default=1.0, check=check)
    if suffix == ".json":
        data = _files.read_json(path)
        try:
            return CostMatrix.from_dict(data, check=check)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    return CostMatrix.from_csv(path, check=check)


def _from_cells(
    cells: NDArray[Any], actual: Sequence[Any], predicted: Sequence[Any], where: str, check: bool
) -> CostMatrix:
    """Matrix with its columns brought into the order of its rows."""
    try:
        rows, columns = check_labels(actual), check_labels(predicted)
        order = lookup(columns.tolist(), rows.tolist(), "the rows")
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}: {error}") from None
    if len(order) != len(columns):
        unused = [label for j, label in enumerate(columns.tolist()) if j not in order]
        raise ValueError(f"{where} has no row for the predicted classes {some(unused)}")
    return CostMatrix(np.asarray(cells)[:, order], rows, check=check)


def _check_pairs(pairs: Any) -> dict[tuple[Any, Any], float]:
    if not isinstance(pairs, Mapping) or not pairs:
        raise ValueError(
            f"pairs must be a mapping of (actual, predicted) to a cost and not empty, got {pairs!r}"
        )
    entries: dict[tuple[Any, Any], float] = {}
    for key, cost in pairs.items():
        if not isinstance(key, tuple) or len(key) != 2:
            raise ValueError(f"every key of pairs must be a tuple (actual, predicted), got {key!r}")
        number = finite_array([cost], f"the cost of {key!r}")
        if number.shape != (1,):
            raise ValueError(f"the cost of {key!r} must be one number, got {cost!r}")
        entries[plain_label(key[0]), plain_label(key[1])] = float(number[0])
    return entries


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    frozen = array.copy()
    frozen.flags.writeable = False
    return frozen


def _name_class(label: Any) -> str:
    return label if isinstance(label, str) else f"class {label}"


def _calling(actual: Any, predicted: Any, noun: str) -> str:
    if isinstance(actual, str) and isinstance(predicted, str):
        article = "an" if actual[:1].lower() in set("aeiou") else "a"
        return f"Calling {article} {actual} {noun} {predicted}"
    return f"Calling a {noun} of class {actual} class {predicted}"
