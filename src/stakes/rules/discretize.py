"""Fayyad and Irani's discretisation as a transformer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from stakes._base.features import any_columns, encode_rows
from stakes._base.parameters import N_JOBS
from stakes._base.private_sklearn import StrOptions
from stakes._base.saving import SavedModelMixin, saveable
from stakes._base.training import read_training
from stakes.rules.bins import Bins, mdl_bins


@saveable
@dataclass(eq=False, repr=False, kw_only=True)
class MDLDiscretizer(SavedModelMixin, TransformerMixin, BaseEstimator):
    """Cuts numeric columns into intervals that tell classes apart.

    A column is cut where the entropy of the classes falls most, and each part again, as long as the gain pays
    for the description of the cut (minimum description length). Rows with a missing value do not count, and
    stay missing. Nominal columns pass through.

    Parameters
    ----------
    encode : {"ordinal", "names"}
        What comes out: numbers of the intervals (and of the categories) from 0 as float64, missing as NaN; or
        their names as objects, missing as None.
    keep_whole : bool
        Whether a numeric column without a cut stays, as one interval; else it is dropped.
    categorical_features : list of names or indices, mask or None
        Columns that are nominal although they hold numbers.
    n_jobs : int or None
        Threads; the cuts do not depend on their number.

    Attributes
    ----------
    cuts_ : list of float64 arrays
        Cuts of each column; a value lies to the left of a cut where it is at most that. Empty where there is
        none.
    interval_names_ : dict of column name to list of str
        Names of the intervals (or categories) of the columns that stay.
    n_features_in_, feature_names_in_ : number and names of the columns

    References
    ----------
    U. M. Fayyad and K. B. Irani (1993). Multi-Interval Discretization of Continuous-Valued Attributes for
    Classification Learning. IJCAI, 1022-1027.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from stakes.rules import MDLDiscretizer
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> intervals = MDLDiscretizer(encode="names").fit(X, y)
    >>> intervals.interval_names_["petal width (cm)"]
    ['<= 0.8', '0.8 to 1.75', '> 1.75']
    >>> intervals.transform(X[50:51]).tolist()
    [['> 6.15', '2.95 to 3.35', '2.45 to 4.75', '0.8 to 1.75']]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "encode": [StrOptions({"ordinal", "names"})],
        "keep_whole": ["boolean"],
        "categorical_features": ["array-like", None],
        "n_jobs": N_JOBS,
    }

    _model_class = Bins
    _model_attribute = "bins_"

    encode: str = "ordinal"
    keep_whole: bool = False
    categorical_features: Sequence[Any] | None = None
    n_jobs: int | None = None

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the cuts.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            How many rows each row stands for.
        """
        training = read_training(self, X, y, sample_weight, check_finite=False)
        threads = effective_n_jobs(self.n_jobs)
        self._set_fitted(mdl_bins(training, whole=self.keep_whole, n_threads=threads))
        return self

    def _set_fitted(self, bins: Bins) -> None:
        self.bins_ = bins
        self.n_features_in_ = len(bins.schema)

    @property
    def cuts_(self) -> list[NDArray[np.float64]]:
        """Cuts of each column."""
        return list(self.bins_.cuts)

    @property
    def interval_names_(self) -> dict[str, list[str]]:
        """Names of the intervals of the columns that stay."""
        return {self.bins_.schema.names[j]: self.bins_.names(j) for j in self._kept()}

    def _kept(self) -> list[int]:
        return [j for j, n in enumerate(self.bins_.n_bins) if n > 0]

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the interval or category of each value, shape (n_samples, n_columns_that_stay)."""
        table = encode_rows(self, self._checked.schema, X)
        codes, kept = self.bins_.codes(table), self._kept()
        if self.encode == "ordinal":
            numbers = np.empty((table.n_samples, len(kept)))
            for position, j in enumerate(kept):
                numbers[:, position] = np.where(codes[j] < 0, np.nan, codes[j])
            return numbers
        words = np.empty((table.n_samples, len(kept)), dtype=object)
        for position, j in enumerate(kept):
            # the last entry answers for code -1
            words[:, position] = np.array([*self.bins_.names(j), None], dtype=object)[codes[j]]
        return words

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that stay."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        if input_features is not None:
            given = np.asarray(input_features, dtype=object)
            if len(given) != self.n_features_in_ or (names is not None and list(given) != list(names)):
                raise ValueError("input_features is not equal to feature_names_in_")
            names = given
        if names is None:
            names = np.array(self.bins_.schema.names, dtype=object)
        return names[self._kept()]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return any_columns(tags)
