"""What the meta-estimators share: checks of y, weights and costs, and the way to JSON and back."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import Tags, get_tags, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from stakes._base.answering import effective_tree
from stakes._base.features import check_features
from stakes._base.reporting import ReportMixin
from stakes._base.weights import check_weight
from stakes.costs import CostMatrix, as_cost_matrix, check_example_costs, mean_cost_matrix
from stakes.decision._choose import CostDecisionMixin


def inner_has_proba(wrapper: Any) -> bool:
    return hasattr(getattr(wrapper, "estimator_", wrapper.estimator), "predict_proba")


class CostWrapper(ReportMixin, CostDecisionMixin, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """What both wrappers share: y, weights and costs are checked here, X is the inner estimator's affair."""

    estimator: Any
    cost_matrix: Any
    cv: Any
    estimator_: Any
    classes_: NDArray[Any]

    def _check_fit(
        self, X: Any, y: Any, costs: Any, sample_weight: Any
    ) -> tuple[Any, NDArray[np.intp], NDArray[np.float64] | None, NDArray[np.float64] | None]:
        """X ready for indexing, class codes, costs per example and weights; sets what follows from them."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        y = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=None, input_name="y")
        check_classification_targets(y)
        X, y = indexable(X, y)
        check_features(self, X, reset=True)
        self.classes_, codes = np.unique(y, return_inverse=True)
        rows = None if costs is None else check_example_costs(costs, len(y), len(self.classes_))
        weight = None if sample_weight is None else check_weight(sample_weight, len(y))
        # An inner estimator that has costs of its own is decided and judged by them, unless told otherwise.
        given = (
            self.cost_matrix if self.cost_matrix is not None else getattr(self.estimator, "cost_matrix", None)
        )
        if given is None and rows is not None:
            self.cost_matrix_ = mean_cost_matrix(rows, codes, self.classes_, weight)
        else:
            self.cost_matrix_ = as_cost_matrix(given, self.classes_)
        return X, codes, rows, weight

    def answering_model(self) -> Any:
        """Return the fitted estimator inside, None before the fit."""
        return getattr(self, "estimator_", None)

    def effective_tree(self, *, unguarded: bool = False) -> Any:
        """Return the tree that the estimator inside answers by."""
        return effective_tree(self.estimator_, unguarded=unguarded)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = copy.copy(inner.input_tags)
        tags.classifier_tags.multi_class = inner.classifier_tags is None or inner.classifier_tags.multi_class
        return tags

    def to_dict(self) -> dict[str, Any]:
        """Fitted wrapper as plain data, ready for JSON, where the inner estimator can do the same."""
        check_is_fitted(self)
        if not hasattr(self.estimator_, "to_dict"):
            raise TypeError(
                f"{type(self).__name__} can be written only where its estimator has to_dict(); "
                f"{type(self.estimator_).__name__} has not, use pickle or skops for it"
            )
        plain = {name: value for name, value in self.get_params(deep=False).items() if _is_plain(value)}
        return {
            "format": "stakes-model",
            "version": 1,
            "type": type(self).__name__,
            "params": plain,
            "estimator": self.estimator_.to_dict(),
            "cost_matrix": self.cost_matrix_.to_dict(),
            "fitted": self._fitted_to_dict(),
        }

    def _fitted_to_dict(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], estimator_class: Any) -> Self:
        """Fitted wrapper from what :meth:`to_dict` gave.

        Parameters
        ----------
        data : mapping
        estimator_class : class
            Class of the inner estimator; it must have ``from_dict``. Parameters that are no plain values, as
            a splitter is, are not kept.
        """
        if not hasattr(estimator_class, "from_dict"):
            raise TypeError(f"estimator_class must have from_dict(), got {estimator_class!r}")
        if not isinstance(data, Mapping) or data.get("type") != cls.__name__:
            raise ValueError(
                f"data must be what {cls.__name__}.to_dict() gave, with 'type': {cls.__name__!r}"
            )
        missing = {"params", "estimator", "cost_matrix", "fitted"} - set(data)
        if missing:
            raise ValueError(
                f"data must have the keys {sorted(missing)}, as {cls.__name__}.to_dict() gives them"
            )
        if not isinstance(data["params"], Mapping) or not isinstance(data["fitted"], Mapping):
            raise ValueError(f"data['params'] and data['fitted'] must be what {cls.__name__}.to_dict() gave")
        inner = estimator_class.from_dict(data["estimator"])
        known = set(cls._get_param_names()) - {"estimator", "cost_matrix"}
        unknown = set(data["params"]) - known - {"cost_matrix"}
        if unknown:
            raise ValueError(f"data['params'] must be parameters of {cls.__name__}, got {sorted(unknown)}")
        matrix = CostMatrix.from_dict(data["cost_matrix"])
        wrapper = cls(inner, **{name: data["params"][name] for name in known & set(data["params"])})
        wrapper.cost_matrix = matrix
        wrapper.estimator_ = inner
        wrapper.classes_ = inner.classes_
        wrapper.cost_matrix_ = matrix.align(inner.classes_)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(inner, name):
                setattr(wrapper, name, getattr(inner, name))
        wrapper._fitted_from_dict(data["fitted"])
        return wrapper

    def _fitted_from_dict(self, fitted: Mapping[str, Any]) -> None:
        pass


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
