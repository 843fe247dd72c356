"""The steps between data and a fitted tree, and between a fitted tree and answers, with figures by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from oracles.hand_trees import towns
from stakes import C45Classifier, CostMatrix, FeatureCosts
from stakes._base.labels import code_labels
from stakes._base.training import Targets, TrainingSet
from stakes._core import GrowOptions, Prices
from stakes.table import Table
from stakes.tree.ask.acquire import Acquisition, acquire
from stakes.tree.ask.answers import encode_answer, encode_known
from stakes.tree.ask.questions import Outcome, why_words
from stakes.tree.c45 import classifier as c45
from stakes.tree.c45 import learn
from stakes.tree.c45.learn import deviate, row_weights
from stakes.tree.core import core_table, presort
from stakes.tree.model import node_probabilities
from stakes.tree.prices import core_prices, pay
from stakes.tree.words import example


def ints(*values):
    return np.array(values, dtype=np.int32)


# ---- weights and probabilities -----------------------------------------------------------------------------

CODES = ints(0, 1, 1, 0)


def weigh(cost_use, how, codes, weight, matrix, costs):
    """What rows weigh; classes are numbers where the costs do not name them."""
    classes = np.arange(2 if costs is None else costs.shape[1])
    given = {"weight": weight, "cost_matrix": matrix, "costs": costs}
    return row_weights(Targets(classes=classes, codes=codes, **given), cost_use, how)


def test_rows_weigh_what_mistaking_them_costs():
    matrix = CostMatrix([[0, 3], [1, 0]], ["a", "b"])
    weights = weigh("weights", "sum", CODES, None, matrix, None)
    # 3 + 1 + 1 + 3 are 8 for 4 rows
    assert weights.grow.tolist() == [1.5, 0.5, 0.5, 1.5] and weights.prune is weights.grow
    assert weights.plain is None and weights.per_class.tolist() == [1.5, 0.5]
    given = np.array([2.0, 1, 1, 0])
    weights = weigh("weights", "sum", CODES, given, matrix, None)
    # 6 + 1 + 1 are 8 for a weight of 4
    assert weights.grow.tolist() == [3, 0.5, 0.5, 0] and weights.plain is given
    assert weights.per_class.tolist() == [1.5, 0.5]
    priors = weigh("priors", "sum", CODES, given, matrix, None)
    assert priors.grow.tolist() == [3, 0.5, 0.5, 0] and priors.prune is priors.plain is given
    assert priors.per_class is None


def test_rows_weigh_by_their_own_costs():
    costs = np.array([[0.0, 6], [1, 0], [0.5, 0], [0, 0.5]])
    weights = weigh("weights", "sum", CODES, None, CostMatrix([[0, 3], [1, 0]]), costs)
    assert weights.grow.tolist() == [3, 0.5, 0.25, 0.25] and weights.per_class is None
    three = np.array([[0.0, 6, 2]])
    for how, share in (("sum", 8), ("max", 6), ("mean", 4)):
        own = weigh("weights", how, ints(0, 0), None, None, np.vstack([three, [[0, 1, 1]]]))
        least = {"sum": 2, "max": 1, "mean": 1}[how]
        np.testing.assert_allclose(own.grow, 2 * np.array([share, least]) / (share + least))


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
def test_rows_weigh_what_they_were_given_without_costs():
    given = np.array([2.0, 1, 1, 0])
    matrix = CostMatrix([[0, 3], [1, 0]])
    for weights in (
        weigh("none", "sum", CODES, given, matrix, np.ones((4, 2))),
        weigh("weights", "sum", CODES, given, None, None),
    ):
        assert weights.grow is weights.prune is weights.plain is given and weights.per_class is None
    small = weigh("weights", "sum", CODES, None, CostMatrix([[0, 0.01], [0.01, 0]]), None)
    assert small.grow.tolist() == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="costs must make at least one mistake on the training rows cost"):
        weigh("weights", "sum", ints(1, 1), None, CostMatrix([[0, 3], [0, 0]]), None)


def test_probabilities_of_nodes():
    counts, parent = np.array([[6.0, 2], [3, 0], [0, 0], [0, 0]]), ints(-1, 0, 0, 2)
    assert node_probabilities(counts, parent).tolist() == [[0.75, 0.25], [1, 0], [0.75, 0.25], [0.75, 0.25]]
    assert (
        node_probabilities(counts, parent, "laplace").tolist() == [[0.7, 0.3], [0.8, 0.2]] + [[0.7, 0.3]] * 2
    )
    m = node_probabilities(counts, parent, "m", 2.0)
    np.testing.assert_allclose(m, [[0.75, 0.25], [4.5 / 5, 0.5 / 5], [0.75, 0.25], [0.75, 0.25]])
    assert node_probabilities(counts, parent, "m", 1.0)[1].tolist() == [3.75 / 4, 0.25 / 4]


@pytest.mark.parametrize(
    "confidence, z",
    [(0, 4), (0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.1, 1.28), (0.2, 0.84),
     (0.25, 0.6925), (0.4, 0.25), (0.7, 0.125), (1, 0)],
)  # fmt: skip
def test_deviates(confidence, z):
    assert deviate(confidence, "c45") == pytest.approx(z)
    if 0 < confidence < 1:
        from statistics import NormalDist

        assert deviate(confidence, "j48") == pytest.approx(NormalDist().inv_cdf(1 - confidence))
    assert deviate(1.0, "j48") == 0


def test_class_codes():
    target = code_labels(["b", "a", "b"], "Tree", 3)
    classes, codes = target.classes, target.codes
    assert classes.tolist() == ["a", "b"] and codes.tolist() == [1, 0, 1] and codes.dtype == np.int32
    with pytest.raises(ValueError, match="Tree requires y to be passed, but the target y is None"):
        code_labels(None, "Tree", 3)
    with pytest.raises(ValueError, match="inconsistent numbers of samples: X has 3 rows, y 2"):
        code_labels(["a", "b"], "Tree", 3)
    with pytest.raises(ValueError, match="Unknown label type"):
        code_labels([0.5, 1.5], "Tree", 2)


def test_a_sorted_table_hands_itself_on():
    table = Table.from_data(pd.DataFrame({"x": [2.0, 1.0], "t": ["a", "b"]}))
    kept = presort(table)
    assert core_table(kept) is kept.core and core_table(table) is not core_table(table)


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
def test_cost_pruning_counts_costs_once(monkeypatch):
    """Weights that hold the costs are put aside while the loss multiplies shares by costs."""
    calls = []

    class Grown:
        def recount(self, rows, codes, weights):
            calls.append(("recount", weights))

        def prune_by_errors(self, rows, codes, weights, *how):
            calls.append(("errors", weights, *how))

        def prune_by_cost(self, costs):
            calls.append(("cost", costs.tolist()))

        def arrays(self):
            calls.append(("arrays",))
            return (*[ints(0)] * 6, np.array([6.0, 2.0]), ints(0))

    class Core:
        @staticmethod
        def grow_tree(rows, codes, n_classes, weights, *options):
            calls.append(("grow", weights, *options))
            return Grown()

    monkeypatch.setattr(learn, "_core", Core)
    monkeypatch.setattr(learn, "core_table", lambda table: "rows")
    monkeypatch.setattr(learn, "core_prices", lambda prices: "prices")
    costs = CostMatrix(np.eye(2), [0, 1])
    table = Table.from_data(np.zeros((4, 1)))
    rows = TrainingSet(table=table, classes=np.arange(2), codes=CODES, cost_matrix=costs)

    def steps(weights, prune):
        calls.clear()
        how = {"prune": prune, "confidence": 1.0, "raise_subtrees": True}
        _, observed = learn.learn_tree(rows, weights, growing, **how)
        return [step for step in calls if step[0] != "arrays"], observed

    growing = GrowOptions(dialect="j48", criterion="gain")
    grown = ("grow", "g", growing, "prices", None)
    priors = learn.RowWeights("g", None, None)
    assert steps(priors, "error") == (
        [grown, ("recount", None), ("errors", None, "j48", 1.0, 0.0, True)],
        None,
    )
    same = learn.RowWeights("g", "g", "g")
    assert steps(same, "cost") == ([grown, ("cost", [[1, 0], [0, 1]])], None)
    assert steps(same, None) == ([grown], None)
    weighted = learn.RowWeights("g", "g", None, np.array([3.0, 0.5]))
    found, observed = steps(weighted, "cost")
    assert found == [grown, ("recount", None), ("cost", [[1, 0], [0, 1]]), ("recount", "g")]
    assert observed.tolist() == [[2, 4]]
    # a class that weighs nothing cannot be divided by, and has to be counted
    free = replace(weighted, per_class=np.array([3.0, 0.0]))
    found, observed = steps(free, "error")
    assert found == [grown, ("errors", "g", "j48", 1.0, 0.0, True), ("recount", None)]
    assert observed.tolist() == [[6, 2]]


# ---- what the classifier hands on --------------------------------------------------------------------------

X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 0]])
Y = ["a", "a", "b", "b"]


def handed_on(monkeypatch, name, **params):
    """What C45Classifier calls a learner with; the learning itself is left out."""
    seen = {}

    class Enough(Exception):
        pass

    def learner(*args, **options):
        seen.update(options, args=args)
        raise Enough

    monkeypatch.setattr(c45, name, learner)
    with pytest.raises(Enough):
        C45Classifier(**params).fit(X, Y)
    return seen


def test_growing_gets_every_parameter(monkeypatch):
    given = {
        "dialect": "j48", "criterion": "cs_gain", "min_samples_leaf": 3.5, "group_values": True,
        "max_depth": 7, "max_leaf_nodes": 9, "min_gain": 0.5,
        "max_bins": 31, "collapse": False, "gamma": 0.75, "ratio_of_candidate": False, "max_upfront_cost": 11,
        "max_path_cost": 5, "split_at_loss": True,
    }  # fmt: skip
    pruning = {"prune": "cost", "confidence": 0.125, "raise_subtrees": False}
    prices = {"feature_costs": [2.0, 3.0]}
    seen = handed_on(
        monkeypatch,
        "learn_tree",
        growth="best_first",
        reuse_cost="full",
        n_jobs=3,
        **prices,
        **pruning,
        **given,
    )
    rows, weights, growing = seen.pop("args")
    assert seen == pruning | {"judge": None} and isinstance(core_prices(rows.price_arrays), Prices)
    assert growing == GrowOptions(best_first=True, reuse_free=False, n_threads=3, **given)
    assert rows.table.n_samples == 4 and rows.codes.tolist() == [0, 0, 1, 1] and len(rows.classes) == 2
    assert weights.grow is None and rows.cost_values.tolist() == [[0, 1], [1, 0]]


def test_growing_without_limits(monkeypatch):
    seen = handed_on(monkeypatch, "learn_tree", cost_matrix=[[0, 4], [1, 0]])
    rows, weights, growing = seen["args"]
    assert (growing.max_depth, growing.max_leaf_nodes, growing.max_bins) == (-1, 0, 0)
    assert growing.max_upfront_cost == growing.max_path_cost == np.inf
    assert growing.best_first is False and rows.price_arrays is None
    assert weights.grow.tolist() == [1.6, 1.6, 0.4, 0.4] and rows.cost_values[0, 1] == 4


def test_searching_gets_its_parameters(monkeypatch):
    params = {"criterion": "total_cost", "feature_costs": [2.0, 3.0]}
    seen = handed_on(monkeypatch, "learn_total_cost", **params)
    assert (seen["max_depth"], seen["max_bins"], seen["random_state"]) == (6, 64, 0)
    assert seen["max_path_cost"] == seen["max_upfront_cost"] == np.inf
    given = {"max_depth": 3, "max_bins": 9, "random_state": 5, "max_path_cost": 4.0, "max_upfront_cost": 2.0}
    seen = handed_on(monkeypatch, "learn_total_cost", n_jobs=2, **params, **given)
    assert {name: seen[name] for name in given} == given and seen["n_jobs"] == 2
    assert seen["args"][1].resource_price.tolist() == [2, 3]
    free = handed_on(monkeypatch, "learn_total_cost", criterion="total_cost")
    rows, prices = free["args"]
    assert prices.resource_price.tolist() == [0, 0] and rows.cost_values.tolist() == [[0, 1], [1, 0]]


def test_fitted_parts_of_a_classifier():
    costs = [[0, 4], [1, 0]]
    weighted = C45Classifier(cost_matrix=costs, max_depth=0, smoothing="m", smoothing_strength=4.0).fit(X, Y)
    fitted = weighted.fitted_tree_
    # half of the rows are of each class, and they weigh four fifths
    assert fitted.counts.tolist() == [[2, 2]] and fitted.tree.class_weights.tolist() == [[3.2, 0.8]]
    np.testing.assert_allclose(fitted.values, [[0.8, 0.2]])
    np.testing.assert_allclose(fitted.shares, [[0.5, 0.5]])
    assert fitted.costs.tolist() == costs and not fitted.min_cost and fitted.feature_costs is None
    laplace = C45Classifier(max_depth=0, smoothing="laplace").fit(X[:3], Y[:3]).fitted_tree_
    np.testing.assert_allclose(laplace.values, [[0.6, 0.4]])
    assert laplace.costs is None and laplace.observed is None and laplace.row_values is None
    assert C45Classifier(decision="min_cost", max_depth=0).fit(X, Y).fitted_tree_.min_cost
    own = C45Classifier(max_depth=0).fit(X, Y, [1, 3, 1, 1], costs=[[0, 2], [0, 6], [1, 0], [3, 0]])
    assert own.cost_matrix_ == CostMatrix([[0, 5], [2, 0]], ["a", "b"])
    assert own.fitted_tree_.counts.tolist() == [[4, 2]]


# ---- answers of a fitted tree ------------------------------------------------------------------------------


def model():
    tree = C45Classifier()
    tree._set_fitted(replace(towns(), feature_costs=FeatureCosts({"a <&> b": 1.0, "town": 10.0})))
    tree.feature_names_in_ = np.array(["a <&> b", "town"], dtype=object)
    return tree


FRAME = pd.DataFrame({"a <&> b": [1.0, 2.0, 1.0, np.nan, 9.0], "town": ["ash", "bay", "it's", "elm", "zoo"]})
SPREAD = np.array(
    [[0.625, 0.125, 0.25], [0, 1, 0], [0.25, 0, 0.75], [0.46875, 0.34375, 0.1875], [0.1, 0.6, 0.3]]
)
COSTS = np.array([[0.0, 1, 2.5], [1, 0, 1], [4, 1, 0]])


def test_answers_of_a_tree():
    tree = model()
    assert tree.apply(FRAME).tolist() == [4, 7, 2, -1, -1]
    np.testing.assert_allclose(tree.predict_proba(FRAME), SPREAD)
    np.testing.assert_allclose(tree.expected_cost(FRAME), SPREAD @ COSTS)
    assert tree.predict(FRAME).tolist() == [2, 2, 30, 2, 2]
    decision = tree.decide(FRAME, 0.64)
    assert decision.undecided.tolist() == [True, False, False, True, False]
    assert tree.get_depth() == 3 and tree.get_n_leaves() == 5 and tree.n_nodes_ == 8
    assert tree.cost_matrix_.values.tolist() == COSTS.tolist()


def test_bills_of_a_tree():
    tree = model()
    assert tree.upfront_cost() == 11 and tree.upfront_cost({"a <&> b": 5, "town": 7}) == 12
    # the town alone for those of it's; a share of 0.4 of the last row, whose town has no branch, stays there
    np.testing.assert_allclose(tree.path_cost(FRAME), [11, 11, 10, 11, 10.6])
    np.testing.assert_allclose(tree.path_cost(FRAME, {"a <&> b": 5, "town": 0}), [5, 5, 0, 5, 3])
    plain = C45Classifier()
    plain._set_fitted(towns())
    assert plain.upfront_cost() == 0 and plain.path_cost(FRAME.to_numpy()).tolist() == [0] * 5


def test_shares_of_rows_are_not_those_of_weights():
    tree = model()
    rows = np.vstack([[[0.1, 0.1, 0.8]] * 7, [[0.0, 0.0, 1.0]]])
    tree._set_fitted(replace(tree.fitted_tree_, row_values=rows, observed=rows * 10))
    assert tree.decision_proba(FRAME)[0].tolist() == [0.1, 0.1, 0.8]
    np.testing.assert_allclose(tree.predict_proba(FRAME), SPREAD)
    np.testing.assert_allclose(tree.expected_cost(FRAME)[0], [0.1 + 3.2, 0.1 + 0.8, 0.25 + 0.1])
    assert tree.decide(FRAME).labels[0] == 30


def test_writers_of_a_classifier_are_those_of_its_tree():
    from stakes.export import c, dot, python, sql, svg, text
    from stakes.tree import words

    tree, fitted = model(), model().fitted_tree_
    assert tree.export_text(max_depth=1) == text.export_text(fitted, max_depth=1) != tree.export_text()
    assert tree.export_dot(max_depth=1) == dot.export_dot(fitted, max_depth=1) != tree.export_dot()
    assert tree.export_svg(max_depth=1) == svg.draw_svg(fitted, max_depth=1) != tree.export_svg()
    assert tree.export_python() == python.export_python(fitted)
    assert tree.export_c() == c.export_c(fitted, name="tree") and "x_predict" in tree.export_c(name="x")
    assert tree.export_sql() == sql.export_sql(fitted)
    query = tree.export_sql(table="t")
    assert (
        query
        == f'SELECT *, {sql.export_sql(fitted)} AS "prediction" FROM "t"'
        == sql.export_sql(fitted, table="t")
    )
    assert tree.export_sql(table="t", output="o").endswith(' AS "o" FROM "t"')
    assert tree.leaf_table(as_frame=False) == words.leaf_table(fitted)
    assert [why.label for why in tree.explain(FRAME)] == tree.predict(FRAME).tolist()


def test_unseen_towns_are_missing_or_an_error():
    strange = FRAME[:1].assign(town="mars")
    tree = model()
    np.testing.assert_allclose(tree.predict_proba(strange), [[0.6 * 0.625 + 0.1, 0.075, 0.15 + 0.3]])
    tree.unseen = "error"
    with pytest.raises(ValueError, match="mars"):
        tree.predict(strange)
    with pytest.raises(ValueError, match="mars"):
        tree.acquire({"town": "mars"}.get)


def test_infinite_values_are_refused_while_routing():
    with pytest.raises(ValueError, match="infin"):
        model().predict(FRAME[:1].assign(**{"a <&> b": np.inf}))


# ---- prices ------------------------------------------------------------------------------------------------


def test_paying_for_columns():
    """Two tests of one blood sample, and a third that shares a discount with the second."""
    costs = FeatureCosts.from_groups({"blood": (5.0, {"x": 1.0, "y": 2.0})}, {"z": 4.0})
    prices = costs.arrays(["x", "y", "z"])
    first, paid = pay(prices, 0, frozenset())
    second, both = pay(prices, 1, paid)
    again, same = pay(prices, 0, both)
    assert (first, second, again, same) == (6, 2, 0, both) and paid < both
    later = FeatureCosts({"x": 4.0, "y": 6.0, "z": 8.0}, later={"x": ("g", 1.0), "y": ("g", 2.0)})
    prices = later.arrays(["x", "y", "z"])
    assert pay(prices, 0, frozenset())[0] == 4 and pay(prices, 1, frozenset())[0] == 6
    assert pay(prices, 1, pay(prices, 0, frozenset())[1])[0] == 2
    assert pay(prices, 0, pay(prices, 1, frozenset())[1])[0] == 1
    assert pay(prices, 2, pay(prices, 0, frozenset())[1])[0] == 8
    assert pay(prices, 0, pay(prices, 2, frozenset())[1])[0] == 4


# ---- questions ---------------------------------------------------------------------------------------------


def test_questions_in_words():
    talk = Acquisition(towns(), budget=3)
    question = talk.next_question
    assert (question.feature, question.kind, question.categories[0]) == ("town", "nominal", "ash")
    assert (question.price, question.share, question.spent, question.left) == (0.0, 1.0, 0.0, 3.0)
    assert question.probabilities == {1: 0.4, 2: 0.2, 30: 0.4}
    assert question.why == (
        "'zoo': several ways on; 'ash', 'bay', 'cod' or 2 more: a <&> b is asked next; \"it's\": 30; 'q\"': 2"
    )
    talk.answer("zoo")
    question = talk.next_question
    assert question.why == "any number: 2 (60% of the case waits for it)" and not talk.done
    assert question.probabilities == pytest.approx({1: 0.4, 2: 0.18, 30: 0.42})
    assert talk.asked[0].answer == "zoo" and Acquisition(towns()).next_question.left is None
    known = Acquisition(towns(), {"a <&> b": 9.0}).next_question
    assert known.why == "'zoo': several ways on; 'ash', 'bay', 'cod' or 3 more: 2; \"it's\": 30"
    missing = Acquisition(towns(), {"a <&> b": None}).next_question
    assert missing.why == "'ash', 'bay', 'cod' or 3 more: several ways on; \"it's\": 30; 'q\"': 2"
    assert Acquisition(example()).next_question.why == (
        "<= 24: bad; > 24 and <= 60: housing is asked next; > 60: good"
    )


def test_many_outcomes_are_cut_short():
    outcomes = tuple(Outcome(f"<= {i}", "x\\n", None) for i in range(7))
    shown = "; ".join(f"<= {i}: x\\n" for i in range(5))
    assert why_words(1.0, outcomes) == f"{shown}; 2 more" and why_words(1 - 1e-10, outcomes[:5]) == shown
    assert why_words(0.25, outcomes[:1]) == "<= 0: x\\n (25% of the case waits for it)"
    assert why_words(1.0, ()) == "nothing that could be told"


def test_bills_of_questions():
    costs = FeatureCosts({"a <&> b": 1.0, "town": 10.0})
    fitted = replace(towns(), feature_costs=costs)
    told = acquire(fitted, {"town": "ash", "a <&> b": None}.get)
    assert [(q.feature, q.price) for q in told.asked] == [
        ("town", 10.0),
        ("a <&> b", 0.0),
    ] and told.total == 10
    assert str(told).splitlines()[1] == "Asked: town (10), a <&> b (0); 10 in all."
    poor = acquire(fitted, {"town": "ash", "a <&> b": 1}.get, budget=9)
    assert [(q.feature, q.price) for q in poor.left_out] == [("town", 10.0)] and poor.total == 1
    assert str(poor).splitlines()[1:] == [
        "Asked: a <&> b (1); 1 in all.",
        "Too costly for the budget: town (10).",
    ]
    assert str(acquire(fitted, {}.get, budget=0)).splitlines()[1] == "Asked: nothing; 0 in all."
    rich = Acquisition(fitted, {"a <&> b": 1.0}, budget=10.5)
    assert rich.next_question.left == 10.5 and rich.next_question.price == 10
    rich = Acquisition(fitted, budget=11.25)
    rich.answer("ash")
    assert rich.next_question.left == 1.25 and rich.next_question.spent == rich.spent == 10
    rich = Acquisition(fitted, budget=10.5)
    rich.answer("ash")
    assert rich.done and rich.result.left_out[0].feature == "a <&> b" and rich.spent == 10


def test_answers_are_read():
    town, income = towns().schema.columns[1], towns().schema.columns[0]
    assert encode_answer(town, "zoo") == 7 and encode_answer(town, np.str_("bay")) == 1
    assert encode_answer(income, True) == 1.0 and encode_answer(income, " -1.5e3 ") == -1500
    with pytest.raises(ValueError, match=r"got '1,5'; write decimals with a point$"):
        encode_answer(income, "1,5")
    with pytest.raises(ValueError, match=r"or None where it is unknown, got '1_0'$"):
        encode_answer(income, "1_0")
    with pytest.raises(ValueError, match=r"'town' must be one of .*, got \['ash'\]"):
        encode_answer(town, ["ash"])
    assert encode_known(towns().schema, None, "missing") == {}
    assert encode_known(towns().schema, pd.Series({"town": "cod"}), "missing") == {1: 2}
    assert encode_known(towns().schema, {"town": "mars"}, "missing") == {1: -1}
    with pytest.raises(ValueError, match="'town' must be one of"):
        encode_known(towns().schema, {"town": "mars"}, "error")
    with pytest.raises(ValueError, match=r"row must have names of columns, got .*zzz.*; the columns .*[^?]$"):
        encode_known(towns().schema, {"zzz": 1}, "missing")
