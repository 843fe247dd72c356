"""Class labels: read from y, written to documents and read back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from stakes._base import documents
from stakes._base.weights import refuse_mask
from stakes.costs._labels import plain_label

Label = str | bool | int | float


def labels_to_dict(classes: NDArray[Any]) -> dict[str, Any]:
    """Class labels as plain values, with their type."""
    labels = classes.tolist()
    for label in labels:
        if not isinstance(label, bool | int | float | str) or not _finite(label):
            raise ValueError(
                f"class labels must be strings, booleans or finite numbers to be written, got {label!r}"
            )
    return {"dtype": "str" if classes.dtype.kind == "U" else classes.dtype.name, "labels": labels}


def labels_from_dict(data: Any) -> NDArray[Any]:
    """Read what :func:`labels_to_dict` wrote; anything else is a ValueError."""
    documents.check_mapping(data, "classes", ("dtype", "labels"))
    dtype, labels = data["dtype"], data["labels"]
    kinds = _LABEL_TYPES.get(dtype) if isinstance(dtype, str) else None
    if kinds is None:
        raise ValueError(f"the dtype of classes must be one of {', '.join(_LABEL_TYPES)}")
    if not isinstance(labels, list) or not labels or any(type(label) not in kinds for label in labels):
        raise ValueError(f"the labels of classes must be a list of values that fit the dtype {dtype}")
    if dtype == "object":
        array = np.empty(len(labels), dtype=object)
        array[:] = labels
        return array
    try:
        with np.errstate(over="ignore"):
            array = np.array(labels, dtype=dtype)
    except OverflowError:
        array = np.array([])
    if array.tolist() != labels:
        raise ValueError(f"the labels of classes do not fit the dtype {dtype}")
    return array


def _finite(label: Label) -> bool:
    return not isinstance(label, float) or math.isfinite(label)


_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


_LABEL_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "object": (str, bool, int, float),
    "bool": (bool,),
    "float32": (float,),
    "float64": (float,),
    **dict.fromkeys(_WHOLE, (int,)),
}


@dataclass(frozen=True, eq=False)
class CodedTarget:
    """Class labels of samples that are coded already; an estimator of stakes takes them as y.

    What wraps an estimator hands them on, so that text is compared once and not in every fold.

    Attributes
    ----------
    classes : array of shape (n_classes,)
        Distinct labels; there may be some that no sample has.
    codes : int32 array of shape (n_samples,)
        Position of each sample's label among them.
    """

    classes: NDArray[Any]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, labels: NDArray[Any]) -> Self:
        """Code an array of labels in their order."""
        classes, codes = np.unique(labels, return_inverse=True)
        return cls(classes, codes.astype(np.int32))

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.codes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the labels themselves, for whoever reads no codes."""
        return np.asarray(self.classes[self.codes], dtype)

    def met(self) -> CodedTarget:
        """Return the same labels with classes in order and without those that no sample has."""
        used = np.flatnonzero(np.bincount(self.codes, minlength=len(self.classes)))
        order = used[np.argsort(self.classes[used])]
        position = np.zeros(len(self.classes), dtype=np.int32)
        position[order] = np.arange(len(order))
        return CodedTarget(self.classes[order], position[self.codes])


def code_labels(y: Any, owner: str, n_samples: int | None = None) -> CodedTarget:
    """Read class labels, of so many samples, and code them; ``owner`` is named where y is missing."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    if isinstance(y, CodedTarget):
        check_classification_targets(y.codes)  # there may be too many classes
        target = y.met()
    else:
        target = CodedTarget.of(check_labels(y))
        for label in target.classes:
            plain_label(label)  # what cannot stand in a cost matrix or a file is no label
    if n_samples is not None and len(target) != n_samples:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {n_samples} rows, y {len(target)}"
        )
    return target


def check_labels(y: Any) -> NDArray[Any]:
    """Return class labels as an array; what cannot be classes is an error."""
    refuse_mask(y, "y")
    if isinstance(y, list | tuple):
        _check_alike(y)  # NumPy would make text of numbers, and of a gap among text
    labels = column_or_1d(_as_numpy(y), warn=True)
    if labels.dtype == object:
        _check_alike(labels.tolist())
    if labels.dtype.kind not in "biu" or not len(labels):  # whole numbers are finite: a tenth of a small fit
        labels = check_array(labels, ensure_2d=False, dtype=None, input_name="y")
    check_classification_targets(labels)
    return labels


def _as_numpy(y: Any) -> Any:
    """Return whole numbers and flags of pandas' own types in NumPy's, instead of as floats, which round."""
    dtype = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if dtype is None or dtype.kind not in "iub" or y.isna().any():
        return y
    return y.to_numpy(dtype=dtype)


def _check_alike(labels: Sequence[Any]) -> None:
    """Refuse labels with gaps, and those of which some are text and others are not."""
    kinds = set(map(type, labels))
    text = any(issubclass(kind, str) for kind in kinds)
    if not text and not any(kind.__name__ in _NO_LABEL for kind in kinds):
        return  # numbers and flags; infinities and NaN among them are looked for later
    first = labels[0]
    for row, label in enumerate(labels):
        if type(label).__name__ in _NO_LABEL or (isinstance(label, float) and math.isnan(label)):
            raise ValueError(
                f"y must have a class label for every sample, but row {row} has {label!r}; leave such rows "
                "out, or give the gap a label of its own"
            )
        if isinstance(label, str) != isinstance(first, str):
            raise ValueError(
                f"y must have labels of one type, but row 0 has {first!r} and row {row} has {label!r}; write "
                "all of them as text"
            )


_NO_LABEL = frozenset({"NoneType", "NAType", "NaTType"})
