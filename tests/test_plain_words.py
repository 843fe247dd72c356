"""Numbers for people where results are printed; the attributes keep them in full."""

from dataclasses import dataclass, fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import C45Classifier, CostMatrix, FeatureCosts, RuleClassifier, datasets, metrics
from stakes._text.words import rounded_repr, short_repr
from stakes.compare import ConstantClassifier, evaluate_learners


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / 3, "0.3333"),
        (196.99999999999966, "197"),
        (123456.78, "123457"),
        (2.0, "2.0"),
        (0.25, "0.25"),
        (1e-7 / 3, "3.333e-08"),
        (2e20, "2e+20"),
        (float("inf"), "inf"),
        (np.float64(2 / 3), "0.6667"),
        ((1 / 3,), "(0.3333,)"),
        ([(), {"a": [1 / 3]}, "x", None, True, 3], "[(), {'a': [0.3333]}, 'x', None, True, 3]"),
    ],
)
def test_four_digits(value, text):
    assert short_repr(value, 4) == text


@given(st.floats(allow_nan=False))
def test_a_short_number_reads_back_nearly_the_same(value):
    back = float(short_repr(value))
    assert back == value or abs(back - value) <= 1e-6 * abs(value)


def test_data_classes_inside_others_are_rounded_too():
    @dataclass
    class Inner:
        share: float

    @rounded_repr
    @dataclass
    class Outer:
        inner: Inner
        parts: tuple

    assert (
        repr(Outer(Inner(2 / 3), (Inner(0.5),)))
        == "Outer(inner=Inner(share=0.6667), parts=(Inner(share=0.5),))"
    )


def test_results_are_printed_rounded():
    german = datasets.load("german")
    X, y = german.X[:300], german.y[:300]
    costs = CostMatrix(german.cost_matrix.values * 3 / 7, classes=german.cost_matrix.classes)
    prices = FeatureCosts({name: (i + 1) / 7 for i, name in enumerate(X.columns)})
    tree = C45Classifier(cost_matrix=costs, feature_costs=prices).fit(X, y)
    rules = RuleClassifier(cost_matrix=costs, t_good=0.7, min_support=0.05).fit(X, y)
    learners = {"tree": C45Classifier(), "constant": ConstantClassifier(costs)}
    printed = [
        costs,
        prices,
        tree,
        tree.leaf_table(as_frame=False),
        tree.explain(X[:3]),
        rules.explain(X[:3]),
        list(rules.rules_),
        metrics.best_constant(y, cost_matrix=costs),
        metrics.cost_by_class(y, tree.predict(X), cost_matrix=costs, as_frame=False),
        evaluate_learners(learners, X, y, cost_matrix=costs, n_folds=3),
    ]
    import re

    for value in printed:
        assert re.findall(r"\d\.\d{8,}", repr(value)) == []
    leaf = tree.leaf_table(as_frame=False)[0]
    assert all(f"{part.name}=" in repr(leaf) for part in fields(leaf))
    again = eval(repr(costs), {"CostMatrix": CostMatrix})
    assert np.allclose(again.values, costs.values, rtol=1e-6) and again != costs
