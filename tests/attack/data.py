"""Small tables, the estimators that are attacked, and what every valid answer must satisfy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from attack.harness import Draw
from stakes import (
    GBSE,
    GBSET,
    AverageCost,
    BoostedStakes,
    C45Classifier,
    CostBagging,
    CostBoosting,
    Costing,
    CostMatrix,
    DataSpaceExpansion,
    GDTClassifier,
    Guard,
    IterativeWeighting,
    MetaCost,
    MinExpectedCost,
    RuleClassifier,
    TradeoffSearchCV,
)
from stakes.decision import RELATIVE_ROUNDING

COSTS = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [9.0, 4.0, 0.0]])
LABELS = ["low", "mid", "top"]

#: One of each, small: as many as the seconds of an attack allow.
ESTIMATORS: dict[str, Any] = {
    "C45Classifier": lambda: C45Classifier(decision="min_cost"),
    "majority": C45Classifier,
    "priors": lambda: C45Classifier(cost_use="priors", smoothing="laplace", group_values=True),
    "GDTClassifier": lambda: GDTClassifier(population_size=8, max_generations=4, alpha=0.01, random_state=0),
    "RuleClassifier": RuleClassifier,
    "MinExpectedCost": lambda: MinExpectedCost(C45Classifier(cost_use="none")),
    "Guard": lambda: Guard(C45Classifier(), cv=3),
    "TradeoffSearchCV": lambda: TradeoffSearchCV(
        C45Classifier(criterion="cs_gain"), param_range=[0.0, 0.5], cv=3
    ),
    "IterativeWeighting": lambda: IterativeWeighting(C45Classifier(max_depth=2), n_estimators=2, n_votes=2),
    "BoostedStakes": lambda: BoostedStakes(random_state=0),
    **{
        kind.__name__: lambda kind=kind: kind(C45Classifier(max_depth=3), n_estimators=2, random_state=0)
        for kind in (
            GBSE,
            GBSET,
            DataSpaceExpansion,
            AverageCost,
            Costing,
            CostBagging,
            MetaCost,
            CostBoosting,
        )
    },
}


def an_estimator(draw: Draw, but: tuple[str, ...] = ()) -> Any:
    """Draw an estimator, seldom the slow one."""
    names = [name for name in ESTIMATORS if name not in but and name != "BoostedStakes"]
    if "BoostedStakes" not in but and draw.random() < 0.08:
        names = ["BoostedStakes"]
    return ESTIMATORS[draw.of(names)]()


def numbers(draw: Draw, n_classes: int | None = None, whole: bool = False) -> tuple[Any, Any]:
    """Draw a table of numbers, and classes 0, 1, ... that follow from it."""
    rng = np.random.default_rng(draw.randrange(2**32))
    n_classes = n_classes or draw.choice([2, 3])
    X = rng.normal(size=(draw.randrange(30, 50), draw.choice([2, 3, 4])))
    if whole:
        X = np.round(X * 8)
    score = X[:, 0] - X[:, 1] + rng.normal(size=len(X)) * 0.2
    return X, np.argsort(np.argsort(score)) * n_classes // len(X)


def mixed(draw: Draw) -> tuple[pd.DataFrame, Any]:
    """Draw a data frame of numbers and names with missing values, and classes that follow from it."""
    rng = np.random.default_rng(draw.randrange(2**32))
    n = draw.randrange(36, 60)
    amount = np.round(rng.normal(size=n) * 10)
    town = rng.choice(["north", "south", "west"], n).astype(object)
    colour = rng.choice(["red", "blue"], n).astype(object)
    score = amount / 10 + (town == "north") - (colour == "red") + rng.normal(size=n) * 0.2
    y = np.array(LABELS)[np.argsort(np.argsort(score)) * 3 // n]
    amount[rng.random(n) < 0.1] = np.nan
    town[rng.random(n) < 0.1] = None
    return pd.DataFrame({"amount": amount, "town": town, "colour": colour}), y


def costs_for(draw: Draw, n_classes: int) -> Any:
    """Draw class costs that make sense, in eighths, so that sums of them are exact."""
    values = np.array([[draw.randrange(1, 40) / 8 for _ in range(n_classes)] for _ in range(n_classes)])
    np.fill_diagonal(values, 0)
    return values


def check_valid(model: Any, X: Any, n_samples: int, *, learnt: bool = True) -> None:
    """Fail unless the answers about these rows are those of a valid model, however they are asked for.

    What a leaf answers stands in its file, since costs per sample may have decided it: only of a tree that
    was ``learnt`` here is it known which class is the best.
    """
    classes = model.classes_.tolist()
    answers = model.answers(X)
    proba, expected = answers.probabilities, answers.expected_cost
    assert proba.shape == expected.shape == (n_samples, len(classes)), "shapes"
    assert np.isfinite(proba).all() and (proba >= 0).all() and (proba <= 1 + 1e-9).all(), "probabilities"
    np.testing.assert_allclose(proba.sum(axis=1), 1, atol=1e-9, err_msg="sum of probabilities")
    assert np.isfinite(expected).all(), "expected cost"
    labels = model.predict(X)
    position = [classes.index(label) for label in labels.tolist()]  # a ValueError: not one of the classes
    assert answers.labels.tolist() == labels.tolist(), "predict and answers"
    np.testing.assert_array_equal(model.predict_proba(X), proba, "predict_proba and answers")
    np.testing.assert_array_equal(model.expected_cost(X), expected, "expected_cost and answers")
    weighed = model.decision_proba(X) @ model.cost_matrix_.values
    np.testing.assert_allclose(expected, weighed, rtol=1e-9, atol=1e-9 * np.abs(weighed).max(initial=1))
    decision = answers.decide()
    rows = np.arange(n_samples)
    if not isinstance(model, RuleClassifier):
        if answers.abstain_cost is not None:
            return
        assert not decision.undecided.any(), "undecided without a price"
        decided = [classes.index(label) for label in decision.labels.tolist()]
        best = expected.min(axis=1, initial=np.inf)
        cheap = expected[rows, decided] <= best + 2 * RELATIVE_ROUNDING * np.abs(best)
        assert cheap.all(), "decide is not the cheapest class"
    if learnt and isinstance(model, C45Classifier):
        # Its own weights decide, which costs may have shaped; a tie goes to any of the best.
        min_cost = model.fitted_tree_.min_cost
        score = proba @ model.cost_matrix_.values if min_cost else -proba
        best = score.min(axis=1)
        close = score[rows, position] <= best + 1e-9 * np.maximum(np.abs(best), 1e-300)
        assert close.all(), f"predict is not the best class by {'costs' if min_cost else 'majority'}"
    again = model.decide(X)
    assert again.labels.tolist() == decision.labels.tolist(), "decide and answers"


def same_answers(one: Any, X: Any, other: Any, Z: Any) -> None:
    """Fail unless two models answer the same about the same rows, each in its own form."""
    assert one.classes_.tolist() == other.classes_.tolist(), "classes"
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(Z), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(one.predict(X), other.predict(Z))
    np.testing.assert_allclose(one.expected_cost(X), other.expected_cost(Z), rtol=1e-9, atol=1e-12)


@cache
def fitted(name: str) -> Any:
    """One of the estimators, fitted once in a process on a frame with missing values, not to be changed."""
    frame, y = fitted_on()
    model = ESTIMATORS[name]()
    return model.set_params(cost_matrix=CostMatrix(COSTS, LABELS)).fit(frame, y)


@cache
def fitted_on() -> tuple[pd.DataFrame, Any]:
    """The rows of `fitted`."""
    return mixed(Draw("the rows of all fitted models"))
