"""Rules on the command line and in reports."""

from __future__ import annotations

import csv
import io
import json
import sqlite3

import numpy as np
import pytest

from commands import run
from stakes import RuleClassifier, datasets, load_model
from stakes.report.views import model_view


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    path = tmp_path_factory.mktemp("rules") / "rules.json"
    options = ["--learner", "rules", "--t-good", 0.6, "--max-length", 2, "--no-guard"]
    result = run("fit", "german", *options, "-o", path)
    assert "rules of up to 2 conditions" in result.stdout and "The rules decide" in result.stdout
    return path


def test_fit_writes_what_the_library_fits(rules):
    table, costs = datasets.load_table("german")
    expected = RuleClassifier(t_good=0.6, max_length=2, cost_matrix=costs).fit(table, table.labels())
    assert str(load_model(rules).rules_) == str(expected.rules_)


def test_fit_chooses_the_cut_off(tmp_path):
    options = ["--learner", "rules", "--max-length", 1, "--abstain-cost", 0.3, "--folds", 2, "--json"]
    facts = json.loads(run("fit", "german", *options, "-o", tmp_path / "m.json").stdout)
    model = load_model(tmp_path / "m.json").estimator_
    assert facts["t_good"] == model.t_good_ and facts["rules"] == len(model.rules_)
    assert 0 <= facts["coverage"] <= 1


def test_show(rules, tmp_path):
    model = load_model(rules)
    assert run("show", rules).stdout.strip() == model.export_text()
    assert len(json.loads(run("show", rules, "--json").stdout)) == len(model.rules_)
    assert "quality" in run("show", rules, "--format", "leaves").stdout
    run("show", rules, "--format", "leaves", "-o", tmp_path / "rules.txt")
    assert (tmp_path / "rules.txt").read_text().strip() == str(model.rules_)
    assert "rules are shown" in run("show", rules, "--format", "svg", code=2).stderr


@pytest.mark.parametrize("abstain", [[], ["--abstain"]])
def test_export_sql_answers_as_predict_does(rules, abstain):
    german = datasets.load("german")
    base = sqlite3.connect(":memory:")
    names = ", ".join(f'"{name}"' for name in german.X.columns)
    base.execute(f"CREATE TABLE german ({names})")
    marks = ", ".join("?" * german.X.shape[1])
    base.executemany(f"INSERT INTO german VALUES ({marks})", german.X.astype(object).to_numpy().tolist())
    query = run("export", rules, "--to", "sql", "--table", "german", *abstain).stdout
    answers = [row[-1] for row in base.execute(query)]
    base.close()
    rows = list(csv.DictReader(io.StringIO(run("predict", rules, "german", *abstain).stdout)))
    assert [answer or "" for answer in answers] == [row["prediction"] for row in rows]
    assert ("" in {row["prediction"] for row in rows}) == bool(abstain)


def test_export_json_and_what_rules_are_not_written_as(rules):
    assert json.loads(run("export", rules, "--to", "json").stdout)["format"] == "stakes-rules"
    assert "sql or json" in run("export", rules, "--to", "c", code=2).stderr


def test_predict_explains(rules):
    rows = json.loads(run("predict", rules, "german", "--abstain", "--explain", "--json").stdout)
    silent = [row for row in rows if row["prediction"] is None]
    assert silent and all("no rule applies" in row["why"] for row in silent)
    assert all(row["expected_cost"] is None for row in silent)
    assert any(row["why"].startswith("if ") for row in rows)


def test_silence_is_for_rules(tmp_path):
    run("fit", "german", "--no-guard", "-o", tmp_path / "tree.json")
    assert "--abstain" in run("predict", tmp_path / "tree.json", "german", "--abstain", code=2).stderr


def test_evaluate_shows_coverage(rules, tmp_path):
    result = run("evaluate", "german", "--model", rules, "--report", tmp_path / "r.html", "--json")
    facts = json.loads(result.stdout)
    german, model = datasets.load("german"), load_model(rules)
    decision = model.decide(german.X)
    assert facts["rules"]["coverage"] == pytest.approx(1 - decision.undecided.mean())
    page = (tmp_path / "r.html").read_text()
    assert "Rules that speak for these rows" in page and "no rule applies" in page
    assert "The rules decide" in run("evaluate", "german", "--model", rules).stdout


def test_evaluate_compares_rules(tmp_path):
    options = ["-l", "rules", "-l", "constant", "--folds", 2, "--json"]
    results = json.loads(run("evaluate", "german", *options).stdout)["results"]
    assert [line["name"] for line in results] == ["rules", "best constant"]


def test_the_bill_by_rule_is_the_whole_bill(rules):
    german, model = datasets.load("german"), load_model(rules)
    view = model_view(model, german.X, german.y, cost_matrix=german.cost_matrix)
    assert sum(bill.cost for bill in view.leaves) == pytest.approx(view.total)
    assert sum(bill.rows for bill in view.leaves) == pytest.approx(len(german.y))
    assert np.isclose(sum(bill.share for bill in view.leaves), 1)


def test_rules_are_no_tree_to_ask_with(rules):
    assert "must be" in run("ask", rules, "-s", "age=30", code=1).stderr
