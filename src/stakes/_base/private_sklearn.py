"""The private names of scikit-learn that stakes uses; no other file imports one.

They are the checks of parameters that its own estimators declare, indexing of any container, and the
common base of linear classifiers.
"""

from typing import Any

from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

__all__ = ["HasMethods", "Interval", "StrOptions", "is_linear_classifier", "safe_indexing"]


def is_linear_classifier(estimator: Any) -> bool:
    """Whether the scores of an estimator are linear in its features."""
    from sklearn.linear_model._base import LinearClassifierMixin  # takes time, and few need it

    return isinstance(estimator, LinearClassifierMixin)
