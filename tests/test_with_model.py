"""Commands with a saved model: it remembers its target, its costs and the prices of its columns."""

import json

import pytest

from commands import LOAN_COSTS, LOANS, run
from stakes import C45Classifier, read_table
from stakes.models import load_model, model_info, save_model


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("remembered")
    (folder / "loans.csv").write_text(LOANS)
    (folder / "costs.csv").write_text(LOAN_COSTS)
    (folder / "other.csv").write_text(LOAN_COSTS.replace("yes,1", "yes,2"))
    (folder / "prices.csv").write_text("feature,price\nage,0.05\nincome,0.1\n")
    (folder / "higher.csv").write_text("feature,price\nage,0.05\nincome,0.15\n")
    given = ("-t", "repaid", "-c", folder / "costs.csv", "--feature-costs", folder / "prices.csv")
    run("fit", folder / "loans.csv", *given, "-o", folder / "model.json")
    return folder


def judged(place, *more, data="loans.csv", code=0):
    return run("evaluate", place / data, "--model", place / "model.json", "--json", *more, code=code)


def test_nothing_has_to_be_said_again(place):
    bare = judged(place)
    told = judged(
        *(place, "-t", "repaid", "-c", place / "costs.csv", "--feature-costs", place / "prices.csv"),
    )
    assert bare.stdout == told.stdout and bare.stderr == told.stderr == ""
    facts = json.loads(bare.stdout)
    assert facts["test_cost_per_row"]["mean"] == pytest.approx(0.1)
    page = place / "page.html"
    run("report", place / "model.json", place / "loans.csv", "-o", page)
    assert "0.1 for tests" in page.read_text()


def test_what_is_given_counts_and_a_difference_is_said(place):
    result = judged(place, "-c", place / "other.csv", "--feature-costs", place / "higher.csv")
    facts, own = json.loads(result.stdout), json.loads(judged(place).stdout)
    assert facts["test_cost_per_row"]["mean"] == pytest.approx(0.15)
    assert facts["best_constant"] == own["best_constant"] == "no"
    assert facts["cost_per_row"]["mean"] > own["cost_per_row"]["mean"]
    assert result.stderr.splitlines() == [
        f"Note: the model was fitted for other costs than those of {place / 'other.csv'}, which count here.",
        f"Note: the model was fitted for other feature costs than those of {place / 'higher.csv'}, which "
        "count here.",
    ]


def test_another_target_is_read_and_noted(place):
    (place / "renamed.csv").write_text(LOANS.replace("repaid", "paid_back"))
    result = judged(place, "-t", "paid_back", data="renamed.csv")
    assert result.stdout == judged(place).stdout.replace("loans.csv", "renamed.csv")
    note = "Note: the model was fitted to predict 'repaid', but --target names 'paid_back'.\n"
    assert result.stderr == note


def test_a_file_that_calls_its_target_class_is_read_as_ever(place):
    (place / "class.csv").write_text(LOANS.replace("repaid", "class"))
    result = judged(place, data="class.csv")
    assert result.stdout == judged(place).stdout.replace("loans.csv", "class.csv") and result.stderr == ""


def test_a_file_with_no_target_says_so(place):
    (place / "none.csv").write_text("age,income\n30,4\n")
    assert (
        "none.csv has no column named class; say with --target"
        in judged(place, data="none.csv", code=1).stderr
    )


@pytest.mark.parametrize("written", ["class", "Class"])
def test_a_column_named_class_may_be_one_that_the_model_reads(tmp_path, written):
    text = f"{written},survived\n" + "first,yes\nthird,no\n" * 20
    (tmp_path / "people.csv").write_text(text)
    run("fit", tmp_path / "people.csv", "-t", "survived", "-o", tmp_path / "model.json")
    answers = run("predict", tmp_path / "model.json", tmp_path / "people.csv").stdout.splitlines()
    assert [line.split(",")[0] for line in answers[1:3]] == ["yes", "no"]


def test_model_info_is_what_the_file_says(tmp_path, place):
    document = json.loads((place / "model.json").read_text())
    model = load_model(place / "model.json")
    assert model_info(model) == document["info"]
    assert (model_info(model)["target"], model_info(model)["n_samples"]) == ("repaid", 60)
    save_model(model, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (place / "model.json").read_bytes()
    table = read_table(place / "loans.csv", "repaid")
    unnamed = C45Classifier().fit(table.to_frame(), list(table.labels()))
    assert model_info(unnamed)["target"] is None
