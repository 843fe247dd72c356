"""The private names of scikit-learn that stakes uses; no other file imports one.

They are the checks of parameters that scikit-learn's own estimators declare, and indexing of any container.
"""

from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

__all__ = ["HasMethods", "Interval", "StrOptions", "safe_indexing"]
