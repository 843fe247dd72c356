"""`stakes describe model.json`: the card of a saved model."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from commands import LOAN_COSTS, LOANS, run
from stakes import BoostedStakes, C45Classifier, Guard
from stakes._base.intervals import mean_interval
from stakes.models import load_model, save_model

SAVED = Path(__file__).parent / "golden" / "saved"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("card")
    (folder / "loans.csv").write_text(LOANS)
    (folder / "costs.csv").write_text(LOAN_COSTS)
    (folder / "prices.csv").write_text("feature,price\nage,0.05\nincome,0.1\n")
    given = ("-t", "repaid", "-c", folder / "costs.csv", "--feature-costs", folder / "prices.csv")
    run("fit", folder / "loans.csv", *given, "--max-depth", "3", "-o", folder / "model.json")
    return folder


def card(path, *more):
    return json.loads(run("describe", path, "--json", *more).stdout)


def test_the_card_says_what_the_model_is_and_was_fitted_with(place):
    facts, model = card(place / "model.json", "--noun", "customer"), load_model(place / "model.json")
    assert facts["estimators"] == ["Guard", "C45Classifier"]
    assert facts["size"] == {"leaves": model.estimator_.get_n_leaves(), "depth": model.estimator_.get_depth()}
    assert (facts["target"], facts["classes"], facts["rows"]) == ("repaid", ["no", "yes"], 60)
    assert facts["cost_words"][0] == "Calling a no customer yes costs 5."
    assert facts["price_words"] == model.estimator_.feature_costs_.describe().splitlines()
    assert facts["settings"] == {"C45Classifier": {"max_depth": 3}}
    assert facts["seed"] == 0 and facts["format"] == "stakes-model 2"
    info = json.loads((place / "model.json").read_text())["info"]
    assert (facts["stakes"], facts["schema_sha256"]) == (info["stakes"], info["schema_sha256"])
    assert facts["held_out"] == {
        "cost_per_row": model.cv_cost_,
        "interval": list(model.cv_interval_),
        "best_constant": "no",
        "best_constant_cost_per_row": model.constant_cost_,
    }


def test_the_card_is_read_by_people(place):
    text = run("describe", place / "model.json").stdout
    model = load_model(place / "model.json")
    low, high = model.cv_interval_
    for words in (
        "model.json: Guard around C45Classifier, ",
        "repaid: no, yes",
        "60 rows, 2 columns (2 numeric, 0 nominal)",
        "Calling a no case yes costs 5.",
        f"per row in cross-validation (95% interval {low:.4g} to {high:.4g}); always answering no costs",
        "the model beats the best constant, and answers",
        "max_depth=3 of C45Classifier",
    ):
        assert words in text


def test_the_fingerprint_is_that_of_the_rows(place, tmp_path):
    """Files with the same columns and categories differ by one value, one label or one weight."""
    rows = LOANS.replace("\n", ",1\n").replace("repaid,1", "repaid,times")
    changed = {
        "same": rows,
        "value": rows.replace("21,1,no,1", "21,3,no,1"),
        "label": rows.replace("21,1,no,1", "21,1,yes,1"),
        "weight": rows.replace("21,1,no,1", "21,1,no,2"),
    }
    data = ("-t", "repaid", "--weights", "times")
    (tmp_path / "first.csv").write_text(rows)
    run("fit", tmp_path / "first.csv", *data, "--no-guard", "-o", tmp_path / "model.json")
    facts = card(tmp_path / "model.json")
    known = {}
    for name, text in changed.items():
        (tmp_path / "rows.csv").write_text(text)
        known[name] = card(tmp_path / "rows.csv", *data)["data_sha256"]
    assert facts["data_sha256"] == known["same"] and len(set(known.values())) == 4
    text = run("describe", tmp_path / "model.json", env={"COLUMNS": "120"}).stdout
    assert f"SHA-256 of the rows: {known['same']}" in text and facts["schema_sha256"] in text


def test_a_tree_without_tests_has_one_leaf(place, tmp_path):
    run("fit", place / "loans.csv", "-t", "repaid", "--max-depth", "0", "-o", tmp_path / "leaf.json")
    assert "C45Classifier, 1 leaf and depth 0" in run("describe", tmp_path / "leaf.json").stdout


def test_what_is_not_known_is_said(place, tmp_path):
    bare = tmp_path / "bare.json"
    run("fit", place / "loans.csv", "-t", "repaid", "--no-guard", "-o", bare)
    text = run("describe", bare).stdout
    assert "not known: it was not cross-validated" in text and "nobody has compared the model" in text
    document = json.loads((place / "model.json").read_text())
    document["state"]["fitted"] |= {"interrupted": True, "cv_cost": None}
    del document["state"]["fitted"]["cv_interval"]
    (tmp_path / "stopped.json").write_text(json.dumps(document))
    text = run("describe", tmp_path / "stopped.json").stdout
    assert "not known: the fit was interrupted" in text and "none: the fit was interrupted by Ctrl-C" in text


def test_a_guarded_model_answers_the_constant(tmp_path):
    (tmp_path / "noise.csv").write_text("a,class\n" + "".join(f"{i % 7},{'pq'[i % 2]}\n" for i in range(28)))
    run("fit", tmp_path / "noise.csv", "-o", tmp_path / "noise.json")
    facts = card(tmp_path / "noise.json")
    assert (
        facts["guarded"]
        and "the model answers p for everyone" in run("describe", tmp_path / "noise.json").stdout
    )


@pytest.mark.parametrize("name", sorted(path.name for path in SAVED.glob("[A-LN-Z]*.json.gz")))
def test_models_of_earlier_versions_have_a_card(name, tmp_path):
    (tmp_path / "old.json").write_bytes(gzip.decompress((SAVED / name).read_bytes()))
    facts = card(tmp_path / "old.json")
    assert facts["estimators"][0] == name.partition(".")[0]
    assert facts["stakes"] is None and facts["target"] is None and facts["size"]


@pytest.mark.parametrize("option", ["--costs", "--target", "--weights", "--feature-costs", "--test"])
def test_options_for_data_are_refused(place, option):
    result = run("describe", place / "model.json", option, "x", code=2)
    assert "is for data; a model has its own." in " ".join(result.stderr.replace("│", " ").split())


def test_what_is_no_classifier_has_no_card(tmp_path):
    (tmp_path / "cuts.json").write_bytes(gzip.decompress((SAVED / "MDLDiscretizer.json.gz").read_bytes()))
    result = run("describe", tmp_path / "cuts.json", code=1)
    assert "must be a classifier, got MDLDiscretizer, which predicts nothing" in result.stderr


# ---- the interval ------------------------------------------------------------------------------------------


def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=90) > 0, "b", "a")


def test_a_guard_keeps_the_interval_of_the_rows_that_were_held_out():
    X, y = problem()
    weight = np.random.default_rng(1).integers(1, 4, 90).astype(float)
    splits = [(np.arange(30, 90), np.arange(30)), (np.arange(60), np.arange(60, 90))]
    model = Guard(C45Classifier(), cv=splits).fit(X, y, weight)
    wrong = [
        C45Classifier().fit(X[train], y[train], weight[train]).predict(X[test]) != y[test]
        for train, test in splits
    ]
    tested = np.concatenate([test for _, test in splits])
    interval = mean_interval(np.concatenate(wrong).astype(float), weight[tested])
    assert model.cv_interval_ == (interval.low, interval.high)
    assert model.cv_cost_ == pytest.approx(interval.mean)


def test_the_interval_of_an_ensemble_has_its_tests(tmp_path):
    X, y = problem()
    model, priced = BoostedStakes().fit(X, y), BoostedStakes(feature_costs=[0.01, 0.02]).fit(X, y)
    low, high = model.cv_interval_
    assert low < model.cv_cost_ < high and high - low == pytest.approx(2 * (high - model.cv_cost_))
    assert priced.cv_interval_ == pytest.approx((low + 0.03, high + 0.03))
    save_model(priced, tmp_path / "model.json")
    read = load_model(tmp_path / "model.json")
    assert read.cv_interval_ == priced.cv_interval_
    save_model(read, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@pytest.mark.parametrize(
    ("ends", "words"), [([1.0], "two numbers"), ([2, 1], "two"), ("x", "must be a list")]
)
def test_a_damaged_interval_is_refused(place, tmp_path, ends, words):
    document = json.loads((place / "model.json").read_text())
    document["state"]["fitted"]["cv_interval"] = ends
    (tmp_path / "damaged.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match=f"cv_interval .*{words}"):
        load_model(tmp_path / "damaged.json")
