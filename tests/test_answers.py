"""One routing answers everything that a command or a report asks about rows."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from commands import run
from stakes import (
    BoostedStakes,
    C45Classifier,
    CostBagging,
    CostMatrix,
    FeatureCosts,
    GDTClassifier,
    Guard,
    MetaCost,
    MinExpectedCost,
    RuleClassifier,
    TradeoffSearchCV,
    _core,
)
from stakes.boosted import trees as boosted_trees
from stakes.boosted.model import Blend
from stakes.compare.trial import Part, run_trial
from stakes.decision import answers_of
from stakes.models import save_model
from stakes.report import model_report
from stakes.table import Table

COSTS = CostMatrix([[0, 1], [4, 0]], classes=["bad", "good"])
PRICES = {"age": 1.5, "income": 2.25, "job": 3.0, "town": 0.0}
N = 240


def a_frame(seed=0):
    """Columns of both kinds, so many missing values that some rows come to several leaves."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, N).astype(float),
            "income": rng.lognormal(3, 1, N),
            "job": rng.choice(["nurse", "cook", "smith"], N).astype(object),
            "town": rng.choice(["north", "south"], N),
        }
    )
    score = frame.age / 20 + (frame.job == "nurse") * 1.5 + (frame.town == "north") + rng.normal(size=N) / 4
    frame.loc[rng.random(N) < 0.2, "age"] = np.nan
    frame.loc[rng.random(N) < 0.2, "job"] = None
    return frame, np.where(score > 3, "good", "bad")


ONCE = {"route_leaves": 1, "route_mixture": 1}
#: Each by its name, with the passes over a block of rows that all its answers take together.
MODELS = {
    "tree": (C45Classifier(cost_matrix=COSTS), ONCE),
    "evolved": (GDTClassifier(cost_matrix=COSTS, population_size=8, max_generations=10), ONCE),
    "guard": (Guard(C45Classifier(cost_matrix=COSTS)), ONCE),
    "wrappers": (MinExpectedCost(Guard(C45Classifier(cost_use="none")), cost_matrix=COSTS), ONCE),
    "search": (
        TradeoffSearchCV(C45Classifier(criterion="cs_gain", cost_matrix=COSTS), param_range=[0.0, 0.5], cv=3),
        ONCE,
    ),
    "metacost": (MetaCost(C45Classifier(), cost_matrix=COSTS, n_estimators=3), ONCE),
    "bagging": (
        CostBagging(C45Classifier(), cost_matrix=COSTS, n_estimators=3),
        {"route_leaves": 3, "route_mixture": 3},
    ),
    "rules": (RuleClassifier(cost_matrix=COSTS, t_good=0.6), {"match_rules": 1}),
    "fallback": (
        RuleClassifier(cost_matrix=COSTS, t_good=0.2, fallback=C45Classifier()),
        {"match_rules": 1, **ONCE},
    ),
    "boosted": (BoostedStakes(cost_matrix=COSTS), {"proba": 1}),
}
#: Passes that a report adds, for the columns that were read and, in a tree, for what they cost: of the rows
#: that come to several leaves, or of all rows where these are matched with rules.
IN_REPORTS = {name: {"route_mixture": 2} for name in ("tree", "evolved", "guard", "wrappers", "search")}
IN_REPORTS |= {"rules": {"match_rules": 1}, "fallback": {"match_rules": 1}, "metacost": {"route_mixture": 1}}
#: Whose columns are shuffled, which makes other rows: one more block for each column and one for none.
SHUFFLED = ["metacost", "bagging", "boosted"]
each = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module")
def models():
    frame, y = a_frame()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boosted_trees, "ROUNDS", (20,))
        return {name: model.fit(frame, y) for name, (model, _) in MODELS.items()}


@pytest.fixture
def passes(monkeypatch):
    """Count the passes over rows: by trees, by rules, and of a blend."""
    counts = Counter()

    def count(owner, name):
        original = getattr(owner, name)

        def counted(*args, **options):
            counts[name] += 1
            return original(*args, **options)

        monkeypatch.setattr(owner, name, counted)

    for name in ("route_leaves", "route_mixture", "match_rules"):
        count(_core, name)
    count(Blend, "proba")
    return counts


@each
@pytest.mark.parametrize("abstain", [[], ["--abstain-cost", "0.3"]])
def test_predict_routes_each_row_once(models, passes, tmp_path, name, abstain):
    frame, _ = a_frame(1)
    frame.to_csv(tmp_path / "new.csv", index=False)
    save_model(models[name], tmp_path / "model.json")
    passes.clear()
    run("predict", tmp_path / "model.json", tmp_path / "new.csv", *abstain)
    assert passes == MODELS[name][1]


@each
def test_a_report_routes_each_row_once_whatever_the_number_of_columns(models, passes, name):
    frame, y = a_frame(1)
    model_report(models[name], frame, y, feature_costs=PRICES)
    n_blocks = 1 + (1 + len(PRICES) if name in SHUFFLED else 0)
    expected = Counter({call: n * n_blocks for call, n in MODELS[name][1].items()})
    assert passes == expected + Counter(IN_REPORTS.get(name))


def test_evaluating_a_saved_model_routes_each_row_once(models, passes, tmp_path):
    frame, y = a_frame(1)
    frame.assign(label=y).to_csv(tmp_path / "new.csv", index=False)
    for name, expected in (("tree", {"route_leaves": 1, "route_mixture": 2}), ("rules", {"match_rules": 2})):
        save_model(models[name], tmp_path / "model.json")
        passes.clear()
        run(
            *("evaluate", tmp_path / "new.csv", "--model", tmp_path / "model.json"),
            *("--target", "label", "--abstain-cost", "0.3"),
        )
        assert passes == expected


def test_a_trial_routes_each_test_row_once(passes):
    frame, y = a_frame()
    table = Table.from_data(frame)
    prices = FeatureCosts(PRICES)
    run_trial(C45Classifier(), Part(table, y), Part(table, y), COSTS, prices=prices)
    assert passes == {"route_leaves": 1, "route_mixture": 2}


@each
def test_columns_read_are_those_that_a_price_of_one_is_paid_for(models, name):
    """With one column alone at a price of 1 the price of a row's path is whether it was read."""
    rows, _ = a_frame(1)
    routing = models[name].answers(rows).routing
    if name in ("bagging", "boosted"):
        assert routing is None
        return
    read = {rows.columns[column]: share for column, share in routing.columns_read()}
    assert read and any(0 < share.mean() < 1 for share in read.values())
    for one in rows.columns:
        paid = routing.path_cost(FeatureCosts({other: float(other == one) for other in rows.columns}))
        np.testing.assert_array_equal(read.get(one, np.zeros(N)), paid)


def test_other_classifiers_are_asked_once():
    class Asked:
        cost_matrix_ = COSTS

        def __init__(self):
            self.calls = []

        def predict(self, X):
            self.calls.append("predict")
            return ["good"] * len(X)

        def predict_proba(self, X):
            self.calls.append("predict_proba")
            return [[0.25, 0.75]] * len(X)

        def decide(self, X, *abstain_cost):
            self.calls.append(("decide", *abstain_cost))

    model = Asked()
    answers = answers_of(model, [[0.0], [1.0]])
    assert model.calls == [] and answers.routing is None
    for _ in range(2):
        assert answers.expected_cost.tolist() == [[3.0, 0.25]] * 2
        assert answers.decision_proba is answers.probabilities
        assert answers.labels.tolist() == ["good"] * 2
    answers.decide()
    answers.decide(0.5)
    assert model.calls == ["predict_proba", "predict", ("decide",), ("decide", 0.5)]
