"""Parameters: NumPy's values are taken as Python's are, and what is not accepted is named in a sentence."""

from __future__ import annotations

import inspect
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone

from attack.data import ESTIMATORS, an_estimator, check_valid, costs_for, numbers, same_answers
from attack.harness import Draw, Refused
from stakes import (
    BoostedStakes,
    C45Classifier,
    CostMatrix,
    FeatureCosts,
    GDTClassifier,
    MDLDiscretizer,
    RuleClassifier,
    Table,
    metrics,
)

#: Parameters that say how much work is done: what is large is not tried.
WORK = (
    "n_estimators",
    "population_size",
    "max_generations",
    "n_votes",
    "n_iter_no_change",
    "cv",
    "max_length",
)
#: Parameters that are whole objects, and have attacks of their own.
OBJECTS = ("estimator", "cost_matrix", "feature_costs", "callback", "checkpoint")

#: The same value in other types; a parameter that takes the first takes the others.
TYPES: dict[type, list[Any]] = {
    bool: [np.bool_, lambda v: np.array([v])[0]],
    int: [np.int64, np.int32, np.uint8, np.int16, lambda v: np.array([v])[0]],
    float: [np.float64, np.float32, np.float16, lambda v: np.array([v])[0]],
    str: [np.str_, lambda v: np.array([v])[0]],
}

STRANGE = [
    None,
    True,
    np.bool_(False),
    -1,
    0,
    1,
    2,
    0.5,
    -0.0,
    1.5,
    np.float32(0.5),
    np.int8(1),
    np.nan,
    np.inf,
    -np.inf,
    1e308,
    -1e308,
    5e-324,
    2**31,
    2**63,
    -(2**63) - 1,
    10**400,
    "",
    "1",
    "none",
    "auto",
    "\ud800",
    b"1",
    [],
    [0],
    [1, 2],
    ["x0"],
    [True, False],
    (0.5, 0.5),
    {},
    {"a": 1},
    {1},
    np.array(1),
    np.array([1.0]),
    np.array([[1]]),
    np.array([]),
    np.ma.masked,
    1 + 0j,
    Decimal("0.5"),
    Fraction(1, 2),
    range(2),
    int,
    len,
    np.datetime64("2020-01-01"),
]

CLASSES = {name: type(make()) for name, make in ESTIMATORS.items()}


@cache
def names_of(name: str) -> list[str]:
    """Parameters of an estimator that are single values."""
    return sorted(set(ESTIMATORS[name]().get_params(deep=False)) - set(OBJECTS))


def types_of_numbers(draw: Draw) -> None:
    """A parameter that takes a bool, an int or a float takes NumPy's, with the same answers."""
    name = draw.of([name for name in ESTIMATORS if name != "BoostedStakes" or draw.random() < 0.1])
    estimator = ESTIMATORS[name]()
    values = estimator.get_params(deep=False)
    accepted = {key: value for key, value in OTHER_VALUES.items() if key in values}
    known = {key: values[key] for key in names_of(name) if type(values[key]) in TYPES} | accepted
    parameter = draw.of(sorted(known))
    value = known[parameter]
    try:
        converted = draw.choice(TYPES[type(value)])(value)
    except OverflowError:
        converted = np.int64(value)  # too large for the others
    draw.note(type(converted).__name__, value)
    if isinstance(value, float):
        value = float(converted)  # as far as float16 can say it
    X, y = numbers(draw)
    settings = {"cost_matrix": costs_for(draw, y.max() + 1)}
    plain = draw.attempt(clone(estimator).set_params(**settings, **{parameter: value}).fit, X, y)
    other = clone(estimator).set_params(**settings, **{parameter: converted})
    same_answers(plain, X, other.fit(X, y), X)  # no error is accepted where Python's value is


#: Values that are not the default, where that is None or a word.
OTHER_VALUES: dict[str, Any] = {
    "max_depth": 2,
    "max_leaf_nodes": 3,
    "max_bins": 8,
    "min_samples_leaf": 2,
    "max_samples": 0.5,
    "alpha": 0.25,
    "n_jobs": 1,
    "random_state": 3,
    "abstain_cost": 0.5,
    "max_thresholds": 5,
    "smoothing": "laplace",
    "verbose": False,
    "t_good": 0.5,
    "t_bad": 0.5,
    "min_support": 0.05,
    "confidence": 0.3,
    "min_gain": 0.01,
}


def strange_values(draw: Draw) -> None:
    """Whatever a parameter is set to: a valid model, or a sentence that names the parameter."""
    name = draw.of([name for name in ESTIMATORS if name != "BoostedStakes" or draw.random() < 0.1])
    parameter = draw.of(names_of(name))
    value = draw.of(STRANGE)
    if parameter in WORK and isinstance(value, int | float) and not abs(value) < 10:
        value = 3
    X, y = numbers(draw)
    estimator = ESTIMATORS[name]().set_params(**{parameter: value})
    estimator.set_params(cost_matrix=costs_for(draw, y.max() + 1))
    try:
        model = draw.attempt(estimator.fit, X, y)
    except Refused as refused:
        named = [known for known in estimator.get_params() if known in str(refused)]
        assert named, f"names no parameter: {str(refused)[:200]}"
        raise
    check_valid(model, X, len(X))


def strange_pairs(draw: Draw) -> None:
    """Two parameters at once, at their accepted ends."""
    estimator = an_estimator(draw, but=("BoostedStakes",))
    values = estimator.get_params(deep=False)
    ends = {
        "max_depth": [0, 1, np.int64(2)],
        "max_leaf_nodes": [1, 2],
        "min_samples_leaf": [1, 1000, 0.5],
        "confidence": [1e-9, 1.0],
        "max_bins": [2, 255],
        "growth": ["best_first"],
        "criterion": ["gini", "gain", "cs_gain", "tan"],
        "smoothing": ["m", "laplace"],
        "smoothing_strength": [1e-300, 1e300],
        "min_gain": [0.0, 1e300],
        "n_estimators": [1],
        "alpha": [0.001, 1.0],
        "max_samples": [1e-9, 1.0],
        "sampling": ["rejection", "sample_weight"],
        "decision": ["majority", "min_cost"],
        "population_size": [2],
        "max_generations": [0],
        "elite_size": [0, 3],
        "crossover_rate": [0.0, 1.0],
        "mutation_rate": [0.0, 1.0],
        "abstain_cost": [0.0, 1e300],
        "t_good": [0.0, 1.0],
        "t_bad": [0.0, 1.0],
        "min_support": [0.0, 1e9],
        "cv": [2],
        "seeds": [0.0, 1.0],
        "local_search": [0.0, 1.0],
        "use_proba": [False],
        "bootstrap": [True],
        "relearn": [False],
        "unseen": ["error"],
        "dialect": ["j48"],
        "prune": [None, "cost"],
    }
    known = sorted(set(ends) & set(values))
    chosen = {key: draw.choice(ends[key]) for key in draw.sample(known, min(2, len(known)))}
    draw.note(chosen)
    X, y = numbers(draw)
    estimator.set_params(cost_matrix=costs_for(draw, y.max() + 1), **chosen)
    check_valid(draw.attempt(estimator.fit, X, y), X, len(X))


def words_for_progress(draw: Draw) -> None:
    """``verbose=1`` works where ``verbose=True`` does."""
    X, y = numbers(draw)
    estimator = draw.choice(
        [
            BoostedStakes(random_state=0) if draw.random() < 0.1 else GDTClassifier(alpha=0.0),
            GDTClassifier(alpha=0.0, population_size=4),
        ]
    )
    value = draw.of([0, 1, 2, np.bool_(False), np.int64(1), False, True])
    estimator.set_params(verbose=value)
    if isinstance(estimator, GDTClassifier):
        estimator.set_params(max_generations=1, population_size=4)
    with quiet():
        estimator.fit(X, y)


def quiet() -> Any:
    """Catch what is printed."""
    import contextlib
    import io

    stack = contextlib.ExitStack()
    stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
    stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
    return stack


def strange_arguments(draw: Draw) -> None:
    """The classes and functions that are no estimators."""
    value, other = draw.of(STRANGE), draw.of(STRANGE)
    good = [[0, 1], [5, 0]]
    calls = {
        "CostMatrix": lambda: CostMatrix(value, other),
        "CostMatrix classes": lambda: CostMatrix(good, value),
        "from_pairs": lambda: CostMatrix.from_pairs({("a", "b"): value, ("b", "a"): other}),
        "from_pairs default": lambda: CostMatrix.from_pairs({("a", "b"): 1}, ["a", "b"], value),
        "from_dict": lambda: CostMatrix.from_dict({"values": value, "classes": other}),
        "from_frame": lambda: CostMatrix.from_frame(value),
        "FeatureCosts": lambda: FeatureCosts(value, other),
        "FeatureCosts prices": lambda: FeatureCosts({"a": value}, {"x": {"a"}, "y": other}),
        "FeatureCosts.from_dict": lambda: FeatureCosts.from_dict({"prices": value, "requires": other}),
        "Table.from_data": lambda: Table.from_data([[1.0, "a"], [2.0, None]], value),
        "take": lambda: Table.from_data([[1.0], [2.0]]).take(value),
        "select": lambda: Table.from_data([[1.0], [2.0]]).select(value),
        "total_cost": lambda: metrics.total_cost([0, 1], [1, 1], value),
        "mean_cost": lambda: metrics.mean_cost([0, 1], value, good),
        "savings": lambda: metrics.savings(value, [0, 1], good, sample_weight=other),
        "total_cost weight": lambda: metrics.total_cost([0, 1], [1, 1], good, sample_weight=value),
        "MDLDiscretizer": lambda: MDLDiscretizer(**{draw.choice(MDL): value}).fit([[1.0], [2.0]], [0, 1]),
    }
    draw.attempt(calls[draw.of(list(calls))])


MDL = sorted(inspect.signature(MDLDiscretizer).parameters)


def feature_prices(draw: Draw) -> None:
    """Prices of columns in odd forms."""
    X, y = numbers(draw)
    n = X.shape[1]
    prices = draw.of(
        ["list", "int64", "float32", "dict", "masked", "nan", "short", "strange", "infinite", "huge"]
    )
    given: Any = {
        "list": [1.5] * n,
        "int64": np.full(n, 2),
        "float32": np.full(n, 0.5, dtype=np.float32),
        "dict": {f"x{j}": np.int64(j) for j in range(n)},
        "masked": np.ma.masked_array(np.ones(n), np.arange(n) == 0),
        "nan": [np.nan] * n,
        "short": [1.0] * (n - 1),
        "strange": draw.choice(STRANGE),
        "infinite": [np.inf] * n,
        "huge": [1e308] * n,
    }[prices]
    draw.note(given)
    kind = draw.of([C45Classifier, GDTClassifier, RuleClassifier])
    estimator = kind(feature_costs=given)
    if kind is C45Classifier:
        estimator.set_params(criterion="cs_gain", max_path_cost=draw.choice([None, 1, np.float32(3)]))
    elif kind is GDTClassifier:
        estimator.set_params(population_size=6, max_generations=2, alpha=0.0)
    model = draw.attempt(estimator.fit, X, y)
    assert prices != "masked", "the mask of feature_costs is ignored"
    check_valid(model, X, len(X))


ATTACKS = [
    types_of_numbers,
    strange_values,
    strange_values,
    strange_pairs,
    strange_arguments,
    strange_values,
    types_of_numbers,
    strange_arguments,
    words_for_progress,
    feature_prices,
]
