"""What the meta-estimators share: checks of y, weights and costs, and the way to JSON and back."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import Tags, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from stakes._base import documents
from stakes._base.answering import asks_nothing, effective_tree
from stakes._base.background import Background, read_rows, typical_rows
from stakes._base.features import check_features, take_rows
from stakes._base.labels import CodedTarget, code_labels
from stakes._base.reporting import ReportMixin
from stakes._base.saving import SavedModel, inner_from_dict, inner_to_dict, target_name
from stakes._base.training import Targets, is_own, read_targets
from stakes.costs import CostMatrix
from stakes.decision._answers import AnswersMixin
from stakes.decision._explain import ExplainMixin
from stakes.table import Schema, Table


def inner_has_proba(wrapper: Any) -> bool:
    inner = getattr(wrapper, "estimator_", wrapper.estimator)
    return inner is None or hasattr(inner, "predict_proba")


class CostWrapper(SavedModel, ReportMixin, AnswersMixin, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """What both wrappers share: y, weights and costs are checked here, X is the inner estimator's affair."""

    estimator: Any
    cost_matrix: Any
    cv: Any
    estimator_: Any
    classes_: NDArray[Any]

    def _read(self, X: Any, y: Any, costs: Any, sample_weight: Any) -> tuple[Any, Targets]:
        """X ready for indexing, and all else that ``fit`` was given; sets what follows from it."""
        self._target_name = target_name(y)  # the estimator inside is given plain labels
        target = code_labels(y, type(self).__name__)
        if hasattr(X, "__next__"):
            raise TypeError(f"X must be rows that can be taken more than once, got a {type(X).__name__}")
        X, _ = indexable(X, target.codes)
        check_features(self, X, reset=True)
        # An inner estimator that has costs of its own is decided and judged by them, unless told otherwise.
        given = (
            self.cost_matrix if self.cost_matrix is not None else getattr(self.estimator, "cost_matrix", None)
        )
        targets = read_targets(target, sample_weight, costs, given, check=is_own(y))
        self._background = None if isinstance(y, CodedTarget) else self._typical_rows(X, targets)
        self.classes_, self.cost_matrix_ = targets.classes, targets.effective_cost_matrix
        return X, targets

    def _typical_rows(self, X: Any, targets: Targets) -> Background | None:
        """Typical rows; None where X is no table, which may be as the estimator likes it."""
        rows = read_rows(targets.weight, len(targets))
        inner = self.estimator
        while getattr(inner, "estimator", None) is not None:
            inner = inner.estimator
        try:
            table = Table.from_data(take_rows(X, rows), getattr(inner, "categorical_features", None))
        except (TypeError, ValueError):
            return None
        return typical_rows(table, targets.codes[rows], len(targets.classes), targets.class_weight)

    @available_if(inner_has_proba)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities of each row, where the estimator has such."""
        return super().predict_proba(X)

    def answering_model(self) -> Any:
        """Return the fitted estimator inside, None before the fit."""
        return getattr(self, "estimator_", None)

    def explain(self, X: Any, background: Any = None) -> Any:
        """As for every classifier; rules inside that give the same answers are told as rules."""
        check_is_fitted(self)
        rules = self.estimator_ if hasattr(self.estimator_, "rule_set_") else None
        if rules is None or background is not None or asks_nothing(self):
            return super().explain(X, background)
        same = np.array_equal(rules.predict(X), self.predict(X))
        return rules.explain(X) if same else super().explain(X)

    def _columns(self) -> Schema | None:
        inner = self.estimator_
        return inner._columns() if isinstance(inner, ExplainMixin) else None

    def effective_tree(self, *, unguarded: bool = False) -> Any:
        """Return the tree that the estimator inside answers by."""
        return effective_tree(self.estimator_, unguarded=unguarded)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = copy.copy(inner.input_tags)
        tags.classifier_tags.multi_class = inner.classifier_tags is None or inner.classifier_tags.multi_class
        return tags

    def _state(self) -> dict[str, Any]:
        inner = {"estimator": inner_to_dict(self.estimator_), "cost_matrix": self.cost_matrix_.to_dict()}
        return inner | {"fitted": self._fitted_to_dict()}

    def _fitted_to_dict(self) -> dict[str, Any]:
        return {}

    def _set_state(self, state: Mapping[str, Any]) -> None:
        documents.check_mapping(state, "the model's state", ("estimator", "cost_matrix", "fitted"))
        documents.check_mapping(state["fitted"], "fitted", ())
        self.estimator = self.estimator_ = inner = inner_from_dict(state["estimator"])
        self.classes_ = inner.classes_
        self.cost_matrix_ = CostMatrix.from_dict(state["cost_matrix"], check=False).align(inner.classes_)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(inner, name):
                setattr(self, name, getattr(inner, name))
        self._fitted_from_dict(state["fitted"])

    def _fitted_from_dict(self, fitted: Mapping[str, Any]) -> None:
        pass
