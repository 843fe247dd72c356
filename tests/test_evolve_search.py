"""Searches of a few levels against trying every tree."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import evolve as twin
from stakes import GDTClassifier, _core
from test_evolve_core import population


@st.composite
def numeric_rows(draw, plain, n_values=(2, 3, 6), max_rows=80):
    """Without missing values: few values in many columns are counted as bits, many in few added up."""
    n = draw(st.integers(2, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(1, 8))
    values = [draw(st.sampled_from(n_values)) for _ in range(draw(st.integers(1, 3)))]
    columns = [rng.integers(v, size=n).tolist() for v in values]
    per_row = not plain and draw(st.booleans())
    weights = None if plain or per_row else rng.choice([0.25, 1.0, 3.0], n).tolist()
    return twin.Rows(
        columns,
        values,
        [False] * len(columns),
        rng.integers(n_classes, size=n).tolist(),
        n_classes,
        rng.integers(0, 9, (n if per_row else n_classes, n_classes)).astype(float),
        per_row,
        weights=weights,
        abstain=draw(st.sampled_from([None, 1.5])),
    )


@settings(max_examples=60, deadline=None)
@given(numeric_rows(plain=True), st.integers(1, 3), st.sampled_from([1, 2, 5]))
def test_a_proved_tree_costs_what_the_best_of_all_does(rows, depth, min_rows):
    made = population(rows, started=False, alpha=0.0, max_depth=depth, min_rows=min_rows, local_rows=1000)
    assert made.solve()
    made.start([])
    _, cost, *_ = made.report()
    assert cost * len(rows.classes) == pytest.approx(twin.least_cost(rows, depth, min_rows), abs=1e-9)
    before = made.report()[:3]
    for _ in range(3):
        made.step()
    assert made.report()[0] == before[0]


@settings(max_examples=5, deadline=None)
@given(numeric_rows(plain=True, n_values=(2,), max_rows=40))
def test_four_levels_are_proved_too(rows):
    made = population(rows, started=False, alpha=0.0, max_depth=4, local_rows=1000)
    assert made.solve()
    made.start([])
    assert made.report()[1] * len(rows.classes) == pytest.approx(twin.least_cost(rows, 4), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(numeric_rows(plain=False, n_values=(2, 6, 30)))
def test_two_levels_of_weighted_rows_are_exact(rows):
    made = population(rows, started=False, alpha=0.0, max_depth=2, local_rows=1000)
    made.solve()
    made.start([])
    total = sum(rows.weight(i) for i in range(len(rows.classes)))
    assert made.report()[1] * total == pytest.approx(twin.least_cost(rows, 2), abs=1e-9)


@settings(max_examples=12, deadline=None)
@given(numeric_rows(plain=True, n_values=(30,), max_rows=300))
def test_two_levels_of_many_values_are_exact(rows):
    made = population(rows, started=False, alpha=0.0, max_depth=2, local_rows=1000)
    made.start([])
    assert made.report()[1] * len(rows.classes) == pytest.approx(twin.least_cost(rows, 2), abs=1e-9)


@pytest.mark.parametrize(
    "changed",
    [
        {"alpha": 0.001},
        {"max_depth": 5},
        {"local_rate": 0.0},
        {"local_rows": 20},  # a sample proves nothing
    ],
    ids=str,
)
def test_nothing_else_is_proved(changed):
    rng = np.random.default_rng(0)
    columns = [rng.integers(2, size=50).tolist() for _ in range(3)]
    rows = twin.Rows(columns, [2] * 3, [False] * 3, rng.integers(2, size=50).tolist(), 2, 1.0 - np.eye(2))
    options = {"alpha": 0.0, "max_depth": 2, "local_rows": 1000}
    assert population(rows, started=False, **options).solve()
    assert not population(rows, started=False, **(options | changed)).solve()
    rows.columns[0][3] = None  # which branch it takes depends on the node
    assert not population(rows, started=False, **options).solve()


def test_a_proved_tree_needs_no_generations():
    rng = np.random.default_rng(1)
    X = rng.integers(2, size=(200, 6)).astype(float)
    y = (X[:, 0] + X[:, 1] + X[:, 2] > 1).astype(int) ^ (rng.random(200) < 0.1)
    model = GDTClassifier(alpha=0.0, max_depth=3, min_samples_leaf=1).fit(X, y)
    assert model.n_generations_ == 0
    rows = twin.Rows(X.T.astype(int).tolist(), [2] * 6, [False] * 6, y.tolist(), 2, 1.0 - np.eye(2))
    assert (model.predict(X) != y).sum() == twin.least_cost(rows, 3)
    longer = GDTClassifier(alpha=1e-9, max_depth=3, min_samples_leaf=1).fit(X, y)
    assert longer.n_generations_ > 0
    assert (longer.predict(X) != y).sum() == (model.predict(X) != y).sum()


def test_the_core_says_how_many_trees_it_has():
    rows = twin.Rows([[0, 1]], [2], [False], [0, 1], 2, 1.0 - np.eye(2))
    assert isinstance(made := population(rows), _core.Evolution) and made.size == 8


PROGRAM = """
import json
from stakes import GDTClassifier, RuleClassifier, _core, datasets

print(_core.instructions())
table, costs = datasets.load_table("german")
few = ["installment_commitment", "residence_since", "existing_credits", "num_dependents"]
searched = {"max_depth": 3, "alpha": 0.0}, few
evolved = {"max_generations": 20}, ["duration", "credit_amount", "checking_status"]
published = {"max_generations": 20, "variant": "paper"}, ["duration", "credit_amount", "checking_status"]
for options, names in (searched, evolved, published):
    model = GDTClassifier(cost_matrix=costs, **options).fit(table.select(names), table.labels())
    print(json.dumps(model.to_dict()))
rules = RuleClassifier(t_good=0.7, max_length=3, cost_matrix=costs).fit(table, table.labels())
print(rules.rule_set_.to_dict())
"""


def test_the_tree_is_the_same_whatever_the_instructions(capsys):
    """Kernels for wide instructions, which this process uses where it can, against those for any machine."""
    exec(PROGRAM)
    widest, *here = capsys.readouterr().out.splitlines()
    assert len(here) == 4
    widths = ["plain", "popcnt", "avx2", "avx512"]
    for asked in widths[: widths.index(widest)]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"STAKES_INSTRUCTIONS": asked},
            capture_output=True,
            text=True,
            check=True,
        )
        used, *trees = done.stdout.splitlines()
        assert used == asked and trees == here
