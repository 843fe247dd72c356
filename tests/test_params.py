"""Parameters of trees and rules: their defaults, and where what is accepted ends."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from stakes import C45Classifier, MDLDiscretizer, RuleClassifier, TradeoffSearchCV
from stakes.rules.learn import Settings

MOST, MORE = 2**31 - 1, 2**31

RULES = {
    "t_good": None,
    "t_bad": 1.0,
    "min_support": 0.01,
    "max_length": None,
    "mark": "predicted",
    "cost_matrix": None,
    "class_costs": None,
    "cost_vector": "sum",
    "abstain_cost": None,
    "feature_costs": None,
    "validation_fraction": 0.0,
    "fallback": None,
    "keep_whole": False,
    "t_good_values": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "cv": 5,
    "max_candidates": 10_000_000,
    "max_memory": 1024,
    "categorical_features": None,
    "unseen": "missing",
    "n_jobs": None,
    "random_state": 0,
}
TREE = {
    "cost_matrix": None,
    "cost_use": "weights",
    "decision": "majority",
    "criterion": "gain_ratio",
    "feature_costs": None,
    "gamma": 1.0,
    "ratio_of_candidate": True,
    "split_at_loss": False,
    "reuse_cost": "free",
    "max_upfront_cost": None,
    "max_path_cost": None,
    "prune": "error",
    "confidence": 0.25,
    "raise_subtrees": True,
    "collapse": True,
    "min_samples_leaf": 2,
    "group_values": False,
    "max_depth": None,
    "max_leaf_nodes": None,
    "growth": "depth_first",
    "min_gain": 0.0,
    "max_bins": None,
    "smoothing": None,
    "smoothing_strength": 2.0,
    "cost_vector": "sum",
    "dialect": "c45",
    "categorical_features": None,
    "unseen": "missing",
    "n_jobs": None,
    "random_state": 0,
}
TRADEOFF = {
    "estimator": None,
    "param_name": "gamma",
    "param_range": None,
    "cv": 10,
    "objective": "accuracy",
    "select": "within",
    "tolerance": 0.01,
    "pay": "upfront",
    "cost_matrix": None,
    "n_jobs": None,
    "random_state": 0,
    "verbose": 0,
}
MDL = {"encode": "ordinal", "keep_whole": False, "categorical_features": None, "n_jobs": None}
ALL = {RuleClassifier: RULES, C45Classifier: TREE, TradeoffSearchCV: TRADEOFF, MDLDiscretizer: MDL}


@pytest.mark.parametrize("kind", ALL)
def test_defaults(kind):
    assert kind().get_params(deep=False) == ALL[kind]


def test_steps_inside_have_the_defaults_of_the_classifier():
    settings = asdict(Settings())
    assert settings.pop("n_threads") == 1
    assert settings == {name: RULES[name] for name in settings}


#: Parameter, values that are accepted, values that are not.
LIMITS = {
    RuleClassifier: [
        ("t_good", [None, 0, 1], [-0.01, 1.01, "auto"]),
        ("t_bad", [0, 1], [-0.01, 1.01, None]),
        ("min_support", [0, 7.5, {"a": 1}, [1, 2]], [-0.01, "few"]),
        ("max_length", [None, 1, MOST], [0, MORE, 1.5]),
        ("mark", ["predicted", "all"], ["none", None]),
        ("cost_vector", ["sum", "max", "min", "mean"], ["median"]),
        ("abstain_cost", [None, 0, 1e9], [-0.01]),
        ("validation_fraction", [0, 0.5], [-0.01, 0.51, None]),
        ("fallback", [None, C45Classifier()], [3, object()]),
        ("keep_whole", [True, False], ["yes", None]),
        ("t_good_values", [[0.5], (0.5,)], [0.5, None]),
        ("max_candidates", [1, 10**12], [0, 1.5, None]),
        ("max_memory", [0.001, 2**40 - 1], [0, 2**40]),
        ("categorical_features", [None, [0], ["a"]], ["a"]),
        ("unseen", ["missing", "error"], ["ignore"]),
        ("n_jobs", [None, -MOST, -1, 1, MOST], [0, -MORE, MORE, 1.5]),
        ("random_state", [None, 0, MOST], [-1, MORE, 1.5]),
    ],
    C45Classifier: [
        ("cost_use", ["weights", "priors", "none"], [None, "both"]),
        ("decision", ["majority", "min_cost"], ["max"]),
        (
            "criterion",
            [
                "gain_ratio",
                "gain",
                "gini",
                "total_cost",
                "cs_gain",
                "cs_gain_ratio",
                "nunez",
                "mitchell",
                "norton",
            ],
            ["entropy"],
        ),
        ("gamma", [0, 1e9], [-0.01, None]),
        ("ratio_of_candidate", [True, False], ["yes", None]),
        ("split_at_loss", [True, False], ["yes", None]),
        ("reuse_cost", ["free", "full"], ["half", None]),
        ("max_upfront_cost", [None, 0, 1e9], [-0.01]),
        ("max_path_cost", [None, 0, 1e9], [-0.01]),
        ("prune", [None, "error", "cost"], ["reduced"]),
        ("confidence", [1e-9, 1], [0, 1.01]),
        ("raise_subtrees", [True, False], ["yes", None]),
        ("collapse", [True, False], ["yes", None]),
        ("min_samples_leaf", [1e-9, 1e9], [0, None]),
        ("group_values", [True, False], ["yes", None]),
        ("max_depth", [None, 0, MOST], [-1, MORE, 1.5]),
        ("max_leaf_nodes", [None, 1, MOST], [0, MORE, 1.5]),
        ("growth", ["depth_first", "best_first"], ["worst_first"]),
        ("min_gain", [0, 1e9], [-0.01]),
        ("max_bins", [None, 2, 255], [1, 256, 2.5]),
        ("smoothing", [None, "laplace", "m"], ["none"]),
        ("smoothing_strength", [1e-9, 1e9], [0]),
        ("cost_vector", ["sum", "max", "min", "mean"], ["median"]),
        ("dialect", ["c45", "j48"], ["c50"]),
        ("categorical_features", [None, [0], ["a"]], ["a"]),
        ("unseen", ["missing", "error"], ["ignore"]),
        ("n_jobs", [None, -MOST, -1, 1, MOST], [0, -MORE, MORE, 1.5]),
        ("random_state", [None, 0, MOST], [-1, MORE, 1.5]),
    ],
    TradeoffSearchCV: [
        ("param_name", ["gamma"], [None, 3]),
        ("param_range", [None, [1], np.array([1.0])], ["a", 3]),
        ("objective", ["accuracy", "cost"], ["recall"]),
        ("select", ["within", "total"], ["best"]),
        ("tolerance", [0, 1e9], [-0.01, None]),
        ("pay", ["upfront", "path"], ["both"]),
        ("n_jobs", [None, 2, -1], [0, 1.5]),
        ("random_state", [None, 0, np.random.RandomState(0)], [-1, "x"]),
        ("verbose", [0, 1, True], [-1, "x"]),
    ],
    MDLDiscretizer: [
        ("encode", ["ordinal", "names"], ["onehot"]),
        ("keep_whole", [True, False], ["yes", None]),
        ("categorical_features", [None, [0], ["a"]], ["a"]),
        ("n_jobs", [None, -MOST, -1, 1, MOST], [0, -MORE, MORE, 1.5]),
    ],
}


@pytest.mark.parametrize("kind", LIMITS)
def test_limits_of_parameters(kind):
    for name, accepted, refused in LIMITS[kind]:
        for value in accepted:
            kind(**{name: value})._validate_params()
        for value in refused:
            with pytest.raises(ValueError, match=f"'{name}' parameter of {kind.__name__} must be"):
                kind(**{name: value})._validate_params()


X = np.zeros((2, 1))
UNFITTED = {
    RuleClassifier: [
        ("upfront_cost",),
        ("path_cost", X),
        ("apply", X),
        ("predict", X),
        ("predict_proba", X),
        ("decide", X),
        ("explain", X),
        ("rule_table",),
        ("export_text",),
        ("export_sql",),
    ],
    C45Classifier: [
        ("get_n_leaves",),
        ("get_depth",),
        ("upfront_cost",),
        ("path_cost", X),
        ("acquire", str),
        ("predict", X),
        ("predict_proba", X),
        ("decision_proba", X),
        ("expected_cost", X),
        ("decide", X),
        ("apply", X),
        ("explain", X),
        ("leaf_table",),
        ("export_text",),
        ("export_dot",),
        ("export_svg",),
        ("export_python",),
        ("export_c",),
        ("export_sql",),
    ],
    TradeoffSearchCV: [
        ("predict", X),
        ("predict_proba", X),
        ("decision_proba", X),
        ("decide", X),
        ("upfront_cost",),
        ("path_cost", X),
        ("describe",),
        ("plot",),
    ],
    MDLDiscretizer: [("transform", X), ("get_feature_names_out",)],
}


@pytest.mark.parametrize("kind, name, args", [(k, n, a) for k, calls in UNFITTED.items() for n, *a in calls])
def test_what_is_not_fitted_says_so(kind, name, args):
    with pytest.raises(NotFittedError, match=f"This {kind.__name__} instance is not fitted yet"):
        getattr(kind(), name)(*args)


@pytest.mark.parametrize("kind", ALL)
def test_missing_values_text_and_categories_are_welcome(kind):
    tags = kind().__sklearn_tags__()
    assert tags.input_tags.allow_nan and tags.input_tags.categorical and tags.input_tags.string
    assert tags.target_tags.required
