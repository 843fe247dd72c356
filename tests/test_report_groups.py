"""The cost by a column: every figure as sums over the rows, groups by hand, and what is refused."""

import itertools
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner

from stakes import C45Classifier, CostMatrix, MinExpectedCost, RuleClassifier, datasets
from stakes.cli import app
from stakes.report import columns_by, groups, model_report, model_view
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
    assert len(table.groups) == groups.MOST_GROUPS
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
    run = CliRunner().invoke
    report = run(app, ["report", "model.json", "test.csv", "--by", "sex", "--by", "age"])
    assert report.exit_code == 0
    page = (files / "report.html").read_text(encoding="utf-8")
    assert "<h3>By sex</h3>" in page and "<h3>By age</h3>" in page and "male_single" in page
    result = run(app, ["evaluate", "test.csv", "--model", "model.json", "--by", "sex", "--json"])
    told = json.loads(result.stdout)["by"]["sex"]
    assert [(line["name"], line["cost"]["mean"]) for line in told] == [
        (group.name, group.cost.mean) for group in table.groups
    ]
    shown = run(app, ["evaluate", "test.csv", "--model", "model.json", "--by", "sex"]).stdout
    lines = [line for line in shown.splitlines() if "male_single" in line or "all rows" in line]
    for line, group in zip(lines, (table.groups[0], table.everything), strict=True):
        assert f"{group.cost.mean:.3f}" in line and f"{group.errors:.0f} (" in line


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["report", "model.json", "test.csv", "--by", "sxe"], "by names 'sxe'; did you mean 'sex'?"),
        (["evaluate", "test.csv", "--model", "model.json", "--by", "sxe"], "did you mean 'sex'?"),
        (["evaluate", "test.csv", "--by", "sex"], "needs --model"),
    ],
)
def test_commands_say_what_is_wrong(files, monkeypatch, arguments, sentence):
    monkeypatch.chdir(files)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code != 0
    assert sentence in f"{result.output}{result.exception}"
