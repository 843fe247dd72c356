"""``report`` for every classifier: what the fitted model costs, as one HTML page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from stakes.report import Report


class ReportMixin:
    """Gives a fitted classifier its report."""

    def report(
        self, X: Any, y: Any, path: str | os.PathLike[str] | None = None, **options: Any
    ) -> Report | None:
        """Return a report on what the model costs on these rows, or write it to ``path``.

        One HTML page that needs nothing else: the bill next to answers that need no model, the confusion
        matrix with costs, the tree or the rules to unfold, the columns it uses, whether its probabilities
        come true, and for two classes a slider over the ratio of the costs.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_features)
            Rows, best ones that the model has not seen.
        y : array-like of shape (n_samples,)
            The true labels.
        path : path, optional
            Where the page is written; without it the report is returned.
        **options
            As in `stakes.report.model_report`: ``cost_matrix``, ``feature_costs``, ``sample_weight``, ``by``,
            ``title``, ``noun``, ``note``, ``questions``, ``currency``.

        Returns
        -------
        Report or None
            The text of the page, which a notebook shows as the last value of a cell. Its method
            ``save(path)`` writes it.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from stakes import C45Classifier, datasets
        >>> german = datasets.load("german")
        >>> X, y = german.X, german.y
        >>> tree = C45Classifier(cost_matrix=german.cost_matrix).fit(X[:700], y[:700])
        >>> report = tree.report(X[700:], y[700:], noun="customer", by="housing")
        >>> report.save(pathlib.Path(tempfile.mkdtemp()) / "report.html").name
        'report.html'
        """
        # The report knows all learners; imported here, no learner knows it before it is asked for.
        from stakes.report import model_report, write_report

        check_is_fitted(self)
        if path is None:
            return model_report(self, X, y, **options)
        write_report(path, self, X, y, **options)
        return None
