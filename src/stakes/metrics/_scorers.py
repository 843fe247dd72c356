"""Scorers for ``GridSearchCV`` and ``cross_validate``."""

from __future__ import annotations

from typing import Any

from sklearn import get_config
from sklearn.metrics import make_scorer

from stakes.costs import CostMatrix
from stakes.metrics._costs import mean_cost


def neg_mean_cost(
    y_true: Any,
    y_pred: Any,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
) -> float:
    """Mean cost with the sign turned, so that more is better; parameters as in :func:`total_cost`."""
    # not -mean_cost, which would write a cost of 0 as -0.0
    return 0.0 - mean_cost(
        y_true, y_pred, cost_matrix=cost_matrix, costs=costs, classes=classes, sample_weight=sample_weight
    )


def cost_scorer(cost_matrix: Any, classes: Any = None) -> Any:
    """Scorer by class costs: minus the mean cost.

    Parameters
    ----------
    cost_matrix : CostMatrix, array, dict, data frame or path
        With labels these are matched by name, so that a fold may lack a class.
    classes : sequence of labels, optional
        Labels for a matrix without them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> costs = CostMatrix([[0, 1, 1], [1, 0, 1], [1, 10, 0]], classes=[0, 1, 2])
    >>> cross_val_score(GaussianNB(), X, y, scoring=cost_scorer(costs)).round(2)
    array([-0.37, -0.33, -0.07, -0.67,  0.  ])
    """
    if isinstance(cost_matrix, list | tuple) or type(cost_matrix).__module__ == "numpy":
        cost_matrix = CostMatrix(cost_matrix, classes)
    return make_scorer(neg_mean_cost, cost_matrix=cost_matrix, classes=classes)


def sample_cost_scorer(classes: Any = None) -> Any:
    """Scorer by costs per sample, which come as metadata: ``search.fit(X, y, costs=...)``.

    Needs ``sklearn.set_config(enable_metadata_routing=True)``. The estimator that is searched says whether it
    wants the costs too: ``estimator.set_fit_request(costs=True)``, or ``False``.

    Parameters
    ----------
    classes : sequence of labels, optional
        Labels of the columns of the costs; needed where they are not 0, 1, ... and a fold may lack one.
    """
    if not get_config()["enable_metadata_routing"]:
        raise RuntimeError(
            "costs per sample reach a scorer by metadata routing only; switch it on first with "
            "sklearn.set_config(enable_metadata_routing=True)"
        )
    scorer = make_scorer(neg_mean_cost, classes=classes)
    return scorer.set_score_request(costs=True)
