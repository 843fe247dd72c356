"""The cost by a column: every figure as sums over the rows, groups by hand, and what is refused."""

import itertools
import json
from dataclasses import asdict

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from typer.testing import CliRunner

from commands import run
from stakes import C45Classifier, CostMatrix, MinExpectedCost, RuleClassifier, datasets
from stakes._base.folds import stratified_folds
from stakes._base.groups import MOST_GROUPS
from stakes._cli import evaluate
from stakes.cli import app
from stakes.compare import evaluate_learners
from stakes.report import columns_by, model_report, model_view
from stakes.table import Table


@pytest.fixture(scope="module")
def german():
    data = datasets.load("german")
    X, y = data.X[["checking_status", "duration", "credit_amount", "housing", "age"]], np.asarray(data.y)
    costs = data.cost_matrix
    fitted = C45Classifier(cost_matrix=costs).fit(X[:500], y[:500])
    return (
        fitted,
        X[500:].reset_index(drop=True),
        y[500:],
        data.X["personal_status"][500:].reset_index(drop=True),
    )


def by_hand(model, X, y, rows):
    """Cost, best constant of all rows, and mistakes of some rows, each row for itself."""
    costs, labels = model.cost_matrix_.values, model.classes_.tolist()
    answer = model.predict(X)
    totals = [sum(costs[labels.index(truth), k] for truth in y) for k in range(len(labels))]
    best = int(np.argmin(totals))
    paid = [costs[labels.index(y[i]), labels.index(answer[i])] for i in rows]
    constant = [costs[labels.index(y[i]), best] for i in rows]
    return np.mean(paid), np.mean(constant), sum(y[i] != answer[i] for i in rows)


def test_categories_and_missing_values_are_groups(german):
    model, X, y, status = german
    status = status.astype(object)
    status[::7] = None
    view = model_view(model, X, y, by=status)
    (table,) = view.groups
    assert table.column == "personal_status" and table.groups[-1].name == "missing"
    sizes = [group.rows for group in table.groups[:-1]]
    assert sizes == sorted(sizes, reverse=True) and sum(sizes) + table.groups[-1].rows == len(y)
    for group in table.groups:
        rows = [i for i, name in enumerate(status) if (name or "missing") == group.name]
        cost, constant, errors = by_hand(model, X, y, rows)
        assert group.rows == len(rows) and group.errors == errors and group.undecided == group.tests == 0
        assert group.cost.mean == pytest.approx(cost) and group.constant == pytest.approx(constant)
        assert group.cost.low < cost < group.cost.high
    assert table.everything.cost == view.cost and table.everything.constant == pytest.approx(
        view.constant_cost
    )
    assert table.everything.errors == view.errors == sum(group.errors for group in table.groups)


def test_numbers_are_shown_by_quartiles(german):
    model, X, y, _ = german
    age = X["age"].to_numpy(copy=True)
    age[3] = np.nan
    (table,) = model_view(model, X, y, by=age).groups
    ordered = np.sort(age[~np.isnan(age)])
    edges = [ordered[int(np.ceil(share * len(ordered))) - 1] for share in (0.25, 0.5, 0.75)]
    a, b, c = (f"{edge:g}" for edge in edges)
    wanted = [f"up to {a}", f"over {a} to {b}", f"over {b} to {c}", f"over {c}", "missing"]
    assert table.column == "group" and [group.name for group in table.groups] == wanted
    ends = [-np.inf, *edges, np.inf]
    counts = [int(((age > low) & (age <= high)).sum()) for low, high in itertools.pairwise(ends)]
    assert [group.rows for group in table.groups] == [*counts, 1]


def test_dates_are_shown_as_dates(german):
    model, X, y, _ = german
    days = np.datetime64("2020-01-01") + np.arange(len(X)) % 50
    (table,) = model_view(model, X, y, by=pd.DataFrame({"since": days})).groups
    assert table.groups[0].name.startswith("up to 2020-01-1")
    (table,) = model_view(model, X, y, by=pd.DataFrame({"since": days.astype("datetime64[M]")})).groups
    assert [group.name for group in table.groups] == ["2020-01-01", "2020-02-01"]


def test_few_numbers_and_ties_make_fewer_groups(german):
    model, X, y, _ = german
    few = np.arange(len(y)) % 3 + 0.5
    (table,) = model_view(model, X, y, by=few).groups
    assert [group.name for group in table.groups] == ["0.5", "1.5", "2.5"]
    most = np.where(np.arange(len(y)) < 20, np.arange(len(y)), 99)
    (table,) = model_view(model, X, y, by=most).groups  # all quartiles are 99, the most
    assert [(group.name, group.rows) for group in table.groups] == [("any number", len(y))]


def test_many_categories_share_a_line(german):
    model, X, y, _ = german
    names = np.array([f"town {i % 41}" if i % 2 else "city" for i in range(len(y))])
    (table,) = model_view(model, X, y, by=names).groups
    assert len(table.groups) == MOST_GROUPS
    assert table.groups[0].name == "city" and table.groups[-1].name.endswith(" smaller groups")
    assert sum(group.rows for group in table.groups) == len(y)
    assert sum(group.errors for group in table.groups) == table.everything.errors


def test_weights_count_like_rows(german):
    model, X, y, status = german
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    by = pd.DataFrame({"status": status, "age": X["age"]})
    once = model_view(model, X, y, by=by, sample_weight=weight).groups
    twice = model_view(model, X.iloc[rows], y[rows], by=by.iloc[rows].reset_index(drop=True)).groups
    for a, b in zip(once, twice, strict=True):
        assert [(g.name, g.rows, g.errors) for g in a.groups] == [
            (g.name, g.rows, g.errors) for g in b.groups
        ]
        assert [g.cost.mean for g in a.groups] == pytest.approx([g.cost.mean for g in b.groups])


def test_tests_and_undecided_rows_are_counted(german):
    _, X, y, status = german
    prices = dict.fromkeys(X.columns, 0.1)
    costs = CostMatrix([[0, 5], [1, 0]], classes=["bad", "good"])
    options = {"cost_matrix": costs, "t_good": 0.7, "min_support": 0.05, "abstain_cost": 0.3}
    model = RuleClassifier(feature_costs=prices, **options).fit(X, y)
    view = model_view(model, X, y, by=status)
    (table,) = view.groups
    whole = table.everything
    assert whole.cost == view.total_cost and whole.undecided == view.n_undecided > 0
    assert whole.tests == pytest.approx(view.test_cost.mean) and whole.tests > 0
    for name in ("undecided", "errors", "rows"):
        assert sum(getattr(group, name) for group in table.groups) == pytest.approx(getattr(whole, name))
    assert whole.errors < view.errors  # rows that are left undecided are no mistakes
    page = model_report(model, X, y, by=status)
    assert "Mistakes are those among the rows that are decided." in page


def test_what_by_may_be(german):
    model, X, y, _ = german
    table = Table.from_data(X)
    whole = [
        model_view(model, X, y, by="housing"),
        model_view(model, X, y, by=["housing"]),
        model_view(model, X, y, by=X["housing"]),
        model_view(model, X, y, by=X[["housing"]]),
        model_view(model, X, y, by=pl.Series("housing", X["housing"].to_list())),
        model_view(model, table, y, by="housing"),
        model_view(model, X, y, by=table.select(["housing"])),
    ]
    assert all(view.groups == whole[0].groups for view in whole)
    two = model_view(model, X, y, by=["age", "housing"])
    assert [table.column for table in two.groups] == ["age", "housing"]
    assert model_view(model, X, y).groups == () and columns_by(None, X, 5) is None


@pytest.mark.parametrize(
    ("by", "error", "sentence"),
    [
        (
            "hosing",
            ValueError,
            "by names 'hosing'; did you mean 'housing'\\? The columns are 'checking_status', ",
        ),
        (["age", "zip"], ValueError, "by names 'zip'; the columns are 'checking_status', "),
        (np.arange(3), ValueError, "by must have a value for each of the 500 rows, got 3"),
        (np.zeros((500, 2)), ValueError, "values for each row or a data frame, got 2 dimensions"),
    ],
)
def test_what_by_may_not_be(german, by, error, sentence):
    model, X, y, _ = german
    with pytest.raises(error, match=sentence):
        model_view(model, X, y, by=by)


def test_any_classifier_of_others_too(german):
    from sklearn.linear_model import LogisticRegression

    _, X, y, status = german
    numbers = X[["duration", "age"]]
    model = MinExpectedCost(LogisticRegression()).fit(numbers, y)
    assert model_view(model, numbers, y, by=status).groups[0].everything.rows == len(y)
    with pytest.raises(TypeError, match=r"X has no names; by=numpy\.asarray"):
        model_view(model.fit(numbers.to_numpy(), y), numbers.to_numpy(), y, by="age")


def test_names_are_escaped(german):
    model, X, y, status = german
    evil = "<script>alert(1)</script>"
    page = model_report(model, X, y, by=pd.Series(np.where(status == "male_single", evil, "b"), name=evil))
    assert "<script>alert" not in page and page.count("&lt;script&gt;alert(1)") >= 3


@pytest.fixture
def files(german, tmp_path):
    """A model, and rows with a column that it was not fitted on."""
    model, X, y, status = german
    model.to_json(tmp_path / "model.json")
    X.assign(sex=status, **{"class": y}).to_csv(tmp_path / "test.csv", index=False)
    return tmp_path


def test_the_commands_know_columns_that_the_model_does_not(files, german, monkeypatch):
    model, X, y, status = german
    monkeypatch.chdir(files)
    (table,) = model_view(model, X, y, by=status.rename("sex")).groups
    invoke = CliRunner().invoke
    report = invoke(app, ["report", "model.json", "test.csv", "--by", "sex", "--by", "age"])
    assert report.exit_code == 0
    page = (files / "report.html").read_text(encoding="utf-8")
    assert "<h3>By sex</h3>" in page and "<h3>By age</h3>" in page and "male_single" in page
    result = invoke(app, ["evaluate", "test.csv", "--model", "model.json", "--by", "sex", "--json"])
    told = json.loads(result.stdout)["by"]["sex"]
    assert [(line["name"], line["cost"]["mean"]) for line in told] == [
        (group.name, group.cost.mean) for group in table.groups
    ]
    shown = invoke(app, ["evaluate", "test.csv", "--model", "model.json", "--by", "sex"]).stdout
    lines = [line for line in shown.splitlines() if "male_single" in line or "all rows" in line]
    for line, group in zip(lines, (table.groups[0], table.everything), strict=True):
        assert f"{group.cost.mean:.3f}" in line and f"{group.errors:.0f} (" in line


# ---- learners side by side ---------------------------------------------------------------------------------


def held_out(learners, X, y, costs, n_folds, seeds, prices=None):
    """What each row costs where it is held out, the mean over the seeds, each row for itself."""
    classes = np.unique(y).tolist()
    paid = {name: np.zeros(len(y)) for name in learners}
    for seed in seeds:
        fold = stratified_folds(np.searchsorted(classes, y), n_folds, seed)
        for (name, learner), k in itertools.product(learners.items(), range(n_folds)):
            model = clone(learner).fit(X[fold != k], y[fold != k])
            answer = model.predict(X[fold == k])
            row_costs = [costs[classes.index(a), classes.index(b)] for a, b in zip(y[fold == k], answer)]
            tests = 0 if prices is None else model.path_cost(X[fold == k], prices)
            paid[name][fold == k] += (np.array(row_costs) + tests) / len(seeds)
    return paid


def test_learners_have_the_cost_of_held_out_rows_by_group(german):
    model, X, y, status = german
    costs = model.cost_matrix_
    learners = {"CS": C45Classifier(cost_matrix=costs), "plain": C45Classifier(cost_use="none")}
    plan = {"cost_matrix": costs, "n_folds": 3, "n_repeats": 2, "random_state": 5}
    comparison = evaluate_learners(learners, X, y, by=pd.DataFrame({"sex": status, "age": X["age"]}), **plan)
    sex, age = comparison.by
    paid = held_out(learners, X, y, costs.values, 3, (5, 6))
    assert (sex.column, age.column, sex.groups[0].name) == ("sex", "age", "male_single")
    for group in sex.groups:
        rows = np.asarray(status == group.name)
        assert group.rows == rows.sum()
        assert group.costs == pytest.approx({name: paid[name][rows].mean() for name in learners})
    for table in (sex, age):
        assert table.everything.rows == len(y) == sum(group.rows for group in table.groups)
        for result in comparison.results:
            assert table.everything.costs[result.name] == pytest.approx(result.cost.mean)
    told = comparison.to_dict()["by"]
    assert [line["name"] for line in told["age"]] == [group.name for group in age.groups]
    assert told["sex"][0]["costs"] == sex.groups[0].costs
    bare = evaluate_learners(learners, X, y, **plan)
    assert bare.by == () and "by" not in bare.to_dict() and "by=" not in repr(bare)


def test_tests_and_weights_count_for_learners_too(german):
    model, X, y, status = german
    prices = dict.fromkeys(X.columns, 0.1)
    plan = {"cost_matrix": model.cost_matrix_, "feature_costs": prices, "n_folds": 3, "by": status}
    learners = {"tree": C45Classifier(cost_matrix=model.cost_matrix_)}
    paid = held_out(learners, X, y, model.cost_matrix_.values, 3, (0,), prices)["tree"]
    for group in evaluate_learners(learners, X, y, **plan).by[0].groups:
        assert group.costs["tree"] == pytest.approx(paid[np.asarray(status == group.name)].mean())
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    weighted = evaluate_learners(learners, X, y, sample_weight=weight, **plan)
    table = weighted.by[0]
    assert table.everything.costs["tree"] == pytest.approx(weighted.results[0].total_cost.mean)
    for group in table.groups:
        assert group.rows == weight[np.asarray(status == group.name)].sum()


def test_undecided_rows_count_for_learners_too(german):
    model, X, y, status = german
    rules = {"rules": RuleClassifier(cost_matrix=model.cost_matrix_, t_good=0.7, min_support=0.05)}
    plan = {"cost_matrix": model.cost_matrix_, "n_folds": 3, "by": status}
    comparison = evaluate_learners(rules, X, y, abstain_costs={"rules": 0.25}, **plan)
    abstaining, answering = comparison.results
    costs = comparison.by[0].everything.costs
    assert abstaining.undecided > 0 and list(costs) == [abstaining.name, "rules"]
    assert list(costs.values()) == pytest.approx([abstaining.cost.mean, answering.cost.mean])


def test_evaluate_shows_learners_by_a_column_that_they_do_not_see(files, german, monkeypatch):
    model, X, y, status = german
    costs = model.cost_matrix_
    monkeypatch.chdir(files)
    costs.to_csv("costs.csv")
    line = ["test.csv", "-c", "costs.csv", "-l", "c4.5", "-l", "c4.5cs", "--folds", 3, "--drop", "sex"]
    text = run("evaluate", *line, "--by", "sex", "--by", "age").stdout
    learners = {
        "C4.5": C45Classifier(cost_matrix=costs, cost_use="none"),
        "C4.5CS": C45Classifier(cost_matrix=costs),
    }
    (table,) = evaluate_learners(learners, X, y, cost_matrix=costs, n_folds=3, by=status).by
    assert "Cost per row by sex" in text and "Cost per row by age" in text
    group = table.groups[0]
    cells = [group.name, f"{group.rows:g}", *(f"{group.costs[name]:.3f}" for name in learners)]
    (shown,) = (line for line in text.splitlines() if "male_single" in line)
    assert [cell.strip() for cell in shown.strip("│").split("│")] == cells
    told = json.loads(run("evaluate", *line, "--by", "sex", "--json").stdout)["by"]
    assert told == {"sex": [asdict(group) for group in table.groups]}
    assert "by" not in json.loads(run("evaluate", *line, "--json").stdout)


def test_many_learners_have_several_tables(files, monkeypatch):
    monkeypatch.chdir(files)
    monkeypatch.setattr(evaluate, "MOST_LEARNERS", 2)
    learners = [part for name in ("c4.5", "c4.5cs", "constant") for part in ("-l", name)]
    text = run("evaluate", "test.csv", *learners, "--folds", 2, "--by", "housing").stdout
    first, second = text.split("Cost per row by housing")[1:]
    assert "C4.5CS" in first and "best constant" not in first
    assert "best constant" in second and "C4.5" not in second


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["report", "model.json", "test.csv", "--by", "sxe"], "by names 'sxe'; did you mean 'sex'?"),
        (["evaluate", "test.csv", "--model", "model.json", "--by", "sxe"], "did you mean 'sex'?"),
        (["evaluate", "test.csv", "--by", "sxe"], "did you mean 'sex'?"),
    ],
)
def test_commands_say_what_is_wrong(files, monkeypatch, arguments, sentence):
    monkeypatch.chdir(files)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code != 0
    assert sentence in f"{result.output}{result.exception}"
