"""Test costs in metrics, comparison, report and commands: every figure against a plain loop."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

from commands import run
from stakes import C45Classifier, FeatureCosts, Guard, GuardWarning, MinExpectedCost, datasets, metrics
from stakes._base.answering import model_size, paid_tests
from stakes._cli.learners import PRICED_LEARNERS
from stakes._cli.names import CRITERIA, PRICED_CRITERIA
from stakes.compare import evaluate_learners
from stakes.compare.constant import ConstantClassifier
from stakes.report import model_report, model_view
from stakes.tree.c45.classifier import PRICED


@pytest.fixture(scope="module")
def german():
    table, costs = datasets.load_table("german")
    names = table.schema.names
    groups = {"bank": (0.04, {name: 0.01 for name in names[:6]})}
    prices = FeatureCosts.from_groups(groups, {name: 0.002 * j for j, name in enumerate(names[6:])})
    return table, table.labels(), costs, prices


@pytest.fixture(scope="module")
def priced_csv(german, tmp_path_factory):
    path = tmp_path_factory.mktemp("prices") / "prices.csv"
    german[3].to_csv(path)
    return path


# ---- metrics -----------------------------------------------------------------------------------------------


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("ab"), st.floats(0, 9), st.floats(0, 3)), min_size=1
    )
)
def test_total_bill_against_a_loop(rows):
    true, pred, tests, weight = zip(*rows)
    if sum(weight) < 1e-6:
        weight = [1.0] * len(rows)
    price = {("a", "b"): 4.0, ("b", "a"): 1.5}
    total_cost = metrics.cost_with_tests(
        true, pred, test_costs=tests, cost_matrix=price, sample_weight=weight
    )
    wrong = [price.get(pair, 0.0) for pair in zip(true, pred)]
    assert total_cost.misclassification == pytest.approx(sum(w * c for w, c in zip(weight, wrong)))
    assert total_cost.tests == pytest.approx(sum(w * c for w, c in zip(weight, tests)))
    assert total_cost.total == pytest.approx(total_cost.misclassification + total_cost.tests)
    assert total_cost.per_row == pytest.approx(total_cost.total / sum(weight))
    assert total_cost.by_row.tolist() == pytest.approx([a + b for a, b in zip(wrong, tests)])


def test_total_bill_with_costs_per_example_and_one_price():
    total_cost = metrics.cost_with_tests([0, 1], [1, 1], test_costs=2, costs=[[0, 7], [1, 0]])
    assert (total_cost.misclassification, total_cost.tests, total_cost.total, total_cost.rows) == (
        7,
        4,
        11,
        2,
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ([1.0], "one per row"),
        (-1, "not negative"),
        (float("nan"), "finite"),
        ("dear", "a number"),
        (None, "finite"),
    ],
)
def test_bad_test_costs(wrong, words):
    with pytest.raises(ValueError, match=f"test_costs must be.*{words}"):
        metrics.cost_with_tests([0, 1], [1, 1], test_costs=wrong)


# ---- feature costs -----------------------------------------------------------------------------------------


def test_looking_by_kind_of_model(german):
    table, y, costs, prices = german
    everything = prices.cost(prices.features)
    tree = C45Classifier(cost_matrix=costs, max_depth=3).fit(table, y)
    by_tree = paid_tests(tree, table, prices)
    assert by_tree.by_row.tolist() == tree.path_cost(table, prices).tolist()
    assert by_tree.upfront == tree.upfront_cost(prices) < everything
    assert tree.upfront_cost() == 0 and not tree.path_cost(table).any()
    assert paid_tests(ConstantClassifier(costs).fit(table, y), table, prices).upfront == 0
    wrapped = MinExpectedCost(C45Classifier(max_depth=3), cost_matrix=costs).fit(table, y)
    assert (
        paid_tests(wrapped, table, prices).by_row.tolist()
        == wrapped.estimator_.path_cost(table, prices).tolist()
    )
    other = paid_tests(GaussianNB().fit(np.eye(4), [0, 1, 0, 1]), np.eye(4), prices)
    assert other.by_row.tolist() == [everything] * 4 and other.upfront == everything
    with pytest.warns(GuardWarning):
        guard = Guard(C45Classifier(max_depth=0)).fit(table.take(slice(0, 50)), np.repeat(["a", "b"], 25))
    assert paid_tests(guard, table, prices).upfront == 0 and model_size(guard).nodes == 1
    assert model_size(tree).nodes == tree.n_nodes_


def test_prices_are_those_of_the_fit_unless_others_are_given(german):
    table, y, _, prices = german
    tree = C45Classifier(feature_costs=prices, max_depth=2).fit(table, y)
    double = FeatureCosts({name: 2 * price for name, price in prices.prices.items()}, prices.requires)
    assert tree.path_cost(table, double).tolist() == pytest.approx((2 * tree.path_cost(table)).tolist())
    assert tree.upfront_cost(double) == pytest.approx(2 * tree.upfront_cost())


def test_compare_reports_both_bills(german):
    table, y, costs, prices = german
    learners = {
        "tree": C45Classifier(cost_matrix=costs),
        "cheap": C45Classifier(cost_matrix=costs, criterion="cs_gain", gamma=5, feature_costs=prices),
        "constant": ConstantClassifier(costs),
    }
    plain = evaluate_learners(learners, table, y, cost_matrix=costs, n_folds=3)
    found = evaluate_learners(learners, table, y, cost_matrix=costs, feature_costs=prices, n_folds=3)
    assert found.priced and not plain.priced
    for before, after in zip(plain.results, found.results):
        assert before.cost == after.cost and before.nodes == after.nodes and before.total_cost is None
        assert after.total_cost.mean == pytest.approx(after.cost.mean + after.test_cost.mean)
        assert after.total_cost.low <= after.total_cost.mean <= after.total_cost.high
        assert after.test_cost.mean <= after.upfront_cost + 1e-12
    assert found.results[1].test_cost.mean < found.results[0].test_cost.mean
    assert found.results[2].total_cost.mean == found.results[2].cost.mean and found.results[2].nodes == 1
    assert found.cheapest.total_cost.mean == min(result.total_cost.mean for result in found.results)
    json.dumps(found.to_dict())


def test_the_view_and_the_page_show_them(german):
    table, y, costs, prices = german
    tree = C45Classifier(cost_matrix=costs, feature_costs=prices).fit(table, y)
    view = model_view(tree, table, y)
    total_cost = metrics.cost_with_tests(
        y, tree.predict(table), test_costs=tree.path_cost(table), cost_matrix=costs
    )
    assert view.total_cost.mean == pytest.approx(total_cost.per_row)
    assert view.test_cost.mean == pytest.approx(total_cost.tests / total_cost.rows)
    assert view.upfront_cost == tree.upfront_cost() and view.n_nodes == tree.n_nodes_
    assert view.walker["prices"] is not None
    comparison = evaluate_learners({"t": tree}, table, y, cost_matrix=costs, feature_costs=prices, n_folds=2)
    page = model_report(tree, table, y, comparison=comparison)
    assert "Tests per row" in page and "Up front" in page and f"{view.n_nodes} nodes" in page
    bare = model_view(C45Classifier().fit(table, y), table, y)
    assert bare.total_cost is None and bare.walker["prices"] is None
    assert "Tests per row" not in model_report(C45Classifier().fit(table, y), table, y)


# ---- commands ----------------------------------------------------------------------------------------------


def test_the_commands_know_every_priced_criterion():
    assert PRICED == PRICED_CRITERIA and set(PRICED) <= set(CRITERIA)
    assert set(PRICED) <= set(PRICED_LEARNERS)


def test_describe_says_prices(priced_csv, german):
    text = run("describe", "german", "--feature-costs", priced_csv).stdout
    assert "Prices of the columns" in text and "is paid once for" in text
    facts = json.loads(run("describe", "german", "--feature-costs", priced_csv, "--json").stdout)
    assert facts["price_words"] == FeatureCosts.from_csv(priced_csv).describe().splitlines()


def test_fit_with_prices_and_limits(priced_csv, tmp_path, german):
    model = tmp_path / "m.json"
    options = ("--criterion", "cs_gain", "--gamma", 0.1, "--max-path-cost", 0.06, "--max-upfront-cost", 0.1)
    facts = json.loads(
        run(
            "fit", "german", "--feature-costs", priced_csv, *options, "--no-guard", "-o", model, "--json"
        ).stdout
    )
    assert 0 < facts["training_test_cost_per_row"] <= 0.06 and facts["upfront_cost"] <= 0.1
    found = json.loads(run("evaluate", "german", "-m", model, "--json").stdout)
    assert found["test_cost_per_row"]["mean"] == pytest.approx(facts["training_test_cost_per_row"])
    assert found["total_cost_per_row"]["mean"] == pytest.approx(
        found["cost_per_row"]["mean"] + found["test_cost_per_row"]["mean"]
    )
    assert "Tests cost" in run("evaluate", "german", "-m", model).stdout
    assert "per row one by one" in run("fit", "german", "--feature-costs", priced_csv, "-o", model).stdout


@pytest.mark.parametrize(
    "options", [("--criterion", "nunez"), ("--gamma", 1), ("--max-path-cost", 1), ("--max-upfront-cost", 1)]
)
def test_what_needs_prices_says_so(options, tmp_path):
    assert "needs --feature-costs" in run("fit", "german", "-o", tmp_path / "m.json", *options, code=2).stderr


def test_evaluate_with_prices(priced_csv):
    text = run("evaluate", "german", "--feature-costs", priced_csv, "--folds", 2).stdout
    for word in ("bill per row", "mistakes", "tests", "up front", "leaves", "nodes", "CSGain"):
        assert word in text
    assert "nodes" in run("evaluate", "german", "--folds", 2).stdout
    facts = json.loads(
        run("evaluate", "german", "--feature-costs", priced_csv, "--folds", 2, "-l", "nunez", "--json").stdout
    )
    assert facts["results"][0]["total_cost"]["mean"] > facts["results"][0]["cost"]["mean"]
    assert "needs --feature-costs" in run("evaluate", "german", "-l", "nunez", code=1).stderr


def test_a_price_file_that_lacks_columns(tmp_path):
    (tmp_path / "p.csv").write_text("feature,price\nage,2\n")
    for command in ("describe", "fit", "evaluate"):
        words = run(command, "german", "--feature-costs", tmp_path / "p.csv", code=1).stderr
        assert "there is no price for the columns" in words


def test_a_slip_in_a_price_file_is_named_first(tmp_path):
    """Also where it is not the first of the columns that lack a price."""
    (tmp_path / "p.csv").write_text("feature,price\nduraton,2\n")
    words = run("describe", "german", "--feature-costs", tmp_path / "p.csv", code=1).stderr
    assert "for the columns 'duration', 'checking_status', 'credit_history'" in " ".join(words.split())
    assert "did you mean 'duraton'?" in words
