"""``report`` for every classifier: what the fitted model costs, as one HTML page."""

from __future__ import annotations

import os
from typing import Any

from sklearn.utils.validation import check_is_fitted


class ReportMixin:
    """Gives a fitted classifier its report."""

    def report(
        self, X: Any, y: Any, path: str | os.PathLike[str] | None = None, **options: Any
    ) -> str | None:
        """Return a report on what the model costs on these rows, or write it to ``path``.

        One HTML page that needs nothing else: the bill next to answers that need no model, the confusion
        matrix with costs, the tree or the rules to unfold, the columns it uses, and for two classes a slider
        over the ratio of the costs.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_features)
            Rows, best ones that the model has not seen.
        y : array-like of shape (n_samples,)
            The true labels.
        path : path, optional
            Where the page is written; without it the page is returned as text.
        **options
            As in `stakes.report.model_report`: ``cost_matrix``, ``feature_costs``, ``sample_weight``,
            ``title``, ``noun``, ``note``, ``questions``.
        """
        # The report knows all learners; imported here, no learner knows it before it is asked for.
        from stakes.report import model_report, write_report

        check_is_fitted(self)
        if path is None:
            return model_report(self, X, y, **options)
        write_report(path, self, X, y, **options)
        return None
