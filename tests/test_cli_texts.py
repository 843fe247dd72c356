# ruff: noqa: E501  tables are wide
"""Whole outputs of the commands on a dozen rows whose figures can be worked out by hand.

Names, labels and files have square brackets, which are not to be taken for styles of the terminal.
"""

import csv
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from commands import run, trimmed
from stakes import load_model, metrics, read_table
from stakes._cli import describe, fit
from stakes._cli.console import out
from stakes._cli.evaluate import comparison_grid
from stakes._cli.fit_words import FORCED, fit_facts, show_facts
from stakes.boosted import BoostedStakes
from stakes.compare.comparison import Comparison, Interval, LearnerResult
from stakes.compare.statistics import PairTest
from stakes.models import save_model
from stakes.table import Column

# Of those who rent, the young ones are bad; the last column says how many rows each one stands for.
LOANS = """age,home,class,n
20,rent,bad,1
22,rent,bad,1
23,rent,good,1
24,rent,bad,1
25,rent,good,1
35,rent,good,2
38,rent,good,1
21,[own],good,3
22,[own],good,3
23,[own],good,3
24,[own],good,3
36,[own],good,1
"""
TEST = """home,age,class,n
rent,19,bad,2
rent,41,bad,1
[own],27,good,1
,60,good,1
rent,,bad,1
rent,22,good,1
[own],31,,1
"""
# Nine categories, a column without a value, four classes.
ODD = "k,e,class\n" + "".join(f"c{i // 2},,{'abc'[i % 3]}\n" for i in range(18)) + "?,,[b]\n"


def text(*args):
    """Standard output without blanks at the ends of lines; nothing may be said besides."""
    result = run(*args)
    assert result.stderr == ""
    return trimmed(result.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Data, costs, prices, and a tree and rules that were learnt from them."""
    place = tmp_path_factory.mktemp("texts")
    files = {
        "loans[x].csv": LOANS,
        "test[x].csv": TEST,
        "odd.csv": ODD,
        "costs.csv": "actual\\predicted,bad,good\nbad,0,5\ngood,1,0\n",
        "prices.csv": "feature,price\nage,2\nhome,3\n",
    }
    for name, content in files.items():
        (place / name).write_text(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        run("fit", "loans[x].csv", *COSTS, "-o", "m[x].json", *TREE)
        run("fit", "loans[x].csv", *COSTS, "-o", "r[x].json", *RULES)
    return place


COSTS = ["-c", "costs.csv", "--weights", "n"]
TREE = ["--no-guard", "--feature-costs", "prices.csv", "--prune", "none"]
RULES = ["--no-guard", "-l", "rules", "--min-support", "2", "--t-good", "0.6"]


@pytest.fixture(autouse=True)
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


# ---- describe


def test_describe():
    assert (
        text("describe", "loans[x].csv", *COSTS, "--feature-costs", "prices.csv", "--noun", "[man]")
        == """\
loans[x].csv: 12 rows, 2 columns (1 numeric, 1 nominal), no missing values.

Classes
┏━━━━━━━┳━━━━━━┳━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
┃ class ┃ rows ┃ share ┃ cost per row if always answered ┃
┡━━━━━━━╇━━━━━━╇━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┩
│ bad   │    3 │ 14.3% │                            0.86 │
│ good  │   18 │ 85.7% │                0.71  (cheapest) │
└───────┴──────┴───────┴─────────────────────────────────┘

Costs
Calling a bad [man] good costs 5.
Calling a good [man] bad costs 1.
Being right costs nothing.
It is cheaper to answer good from a probability of 0.833 on.
Always answering good costs 15 in all, 0.71 per [man]: a model has to beat that.

Prices of the columns
home costs 3.
age costs 2.
Everything together costs 5.

Columns
┏━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━┓
┃ column ┃ kind    ┃ missing ┃ values                ┃
┡━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━┩
│ age    │ numeric │         │ 20 to 38, median 23.5 │
│ home   │ nominal │         │ 2: rent, [own]        │
└────────┴─────────┴─────────┴───────────────────────┘
"""
    )


def test_describe_what_is_odd():
    assert (
        text("describe", "odd.csv")
        == """\
odd.csv: 19 rows, 2 columns (1 numeric, 1 nominal), 20 missing values (52.6%).

Classes
┏━━━━━━━┳━━━━━━┳━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
┃ class ┃ rows ┃ share ┃ cost per row if always answered ┃
┡━━━━━━━╇━━━━━━╇━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┩
│ [b]   │    1 │  5.3% │                            0.95 │
│ a     │    6 │ 31.6% │                0.68  (cheapest) │
│ b     │    6 │ 31.6% │                            0.68 │
│ c     │    6 │ 31.6% │                            0.68 │
└───────┴──────┴───────┴─────────────────────────────────┘

Costs
Calling a [b] case a costs 1.
Calling a [b] case b costs 1.
Calling a [b] case c costs 1.
Calling an a case [b] costs 1.
Calling an a case b costs 1.
Calling an a case c costs 1.
The other 6 mistakes cost 1 each.
Being right costs nothing.
Always answering a costs 13 in all, 0.68 per case: a model has to beat that.

Columns
┏━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
┃ column ┃ kind    ┃ missing ┃ values                                 ┃
┡━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┩
│ k      │ nominal │       1 │ 9: c0, c1, c2, c3, c4, c5, c6, c7, ... │
│ e      │ numeric │      19 │ none                                   │
└────────┴─────────┴─────────┴────────────────────────────────────────┘
"""
    )


def test_describe_as_json():
    facts = json.loads(text("describe", "odd.csv", "--json"))
    assert facts.pop("best_constant") == {
        "label": "a",
        "cost": pytest.approx(13),
        "cost_per_row": pytest.approx(13 / 19),
    }
    assert facts.pop("classes")[0] == {
        "label": "[b]",
        "rows": 1.0,
        "share": pytest.approx(1 / 19),
        "cost_as_constant": pytest.approx(18 / 19),
    }
    assert facts.pop("costs")["values"] == (1 - np.eye(4)).tolist()
    assert len(facts.pop("cost_words")) == 8 and facts.pop("notes") == []
    assert len(facts.pop("data_sha256")) == 64
    assert facts == {
        "data": "odd.csv",
        "rows": 19,
        "columns": [
            {
                "name": "k",
                "kind": "nominal",
                "missing": 1,
                "values": 9,
                "common": [f"c{i}" for i in range(8)],
            },
            {"name": "e", "kind": "numeric", "missing": 19, "min": None, "median": None, "max": None},
        ],
        "kinds": "2 columns (1 numeric, 1 nominal)",
        "missing": 20,
        "threshold": None,
    }


def test_of_categories_that_are_as_common_the_first_come_first():
    categories = tuple(f"c{i}" for i in range(50))
    found = describe._column(Column("a", "nominal", categories), np.array([*range(1, 48), 40, 20, -1]))
    assert found["common"] == ["c20", "c40", "c1", "c2", "c3", "c4", "c5", "c6"]
    assert (found["values"], found["missing"]) == (47, 1)


def test_describe_counts_rows_and_missing_values(tmp_path):
    (tmp_path / "d.csv").write_text("a,b,class\n1,x,p\n,x,q\n3,y,p\n4,?,\n")
    result = run("describe", tmp_path / "d.csv")
    assert result.stderr == "Note: 1 rows without a class are left out.\n"
    assert result.stdout.startswith(
        "d.csv: 3 rows, 2 columns (1 numeric, 1 nominal), 1 missing value (16.7%).\n"
    )
    facts = json.loads(run("describe", tmp_path / "d.csv", "--json").stdout)
    assert [column["missing"] for column in facts["columns"]] == [1, 0] and facts["missing"] == 1
    assert facts["columns"][0] == {
        "name": "a",
        "kind": "numeric",
        "missing": 1,
        "min": 1.0,
        "median": 2.0,
        "max": 3.0,
    }
    (tmp_path / "d.csv").write_text("a,n,class\n1,0,p\n2,0,q\n")
    said = run("describe", tmp_path / "d.csv", "--weights", "n", code=1).stderr
    assert said == "Error: the weights must not be all zero.\n"


# ---- fit


def test_fit():
    tree = run("fit", "loans[x].csv", *COSTS, "-o", "t[x].json", *TREE)
    assert tree.stderr == (
        "Note: --criterion gain_ratio chooses columns as if they were free; cs_gain, total_cost and others take "
        "their prices into account. The bill counts the prices all the same.\n"
    )
    assert (
        trimmed(tree.stdout)
        == """\
A tree with 3 leaves and depth 2 from 12 rows.
Cost per row with tests: not cross-validated (--no-guard), 0.71 for always answering good.
Tests: 3.76 per row one by one, 5 up front.
Written to t[x].json. See it with: stakes show t[x].json
"""
    )
    assert (
        text("fit", "loans[x].csv", *COSTS, "-o", "t[x].json", *RULES)
        == """\
1 rule of up to 1 conditions from 12 rows.
Cost per row: not cross-validated (--no-guard), 0.71 for always answering good.
The rules decide 62% of the training rows; predict answers the others by the cheapest class.
Written to t[x].json. See them with: stakes show t[x].json
"""
    )


def test_fit_as_json():
    facts = json.loads(text("fit", "loans[x].csv", *COSTS, "-o", "t[x].json", "--folds", 2, "--json"))
    model, table = load_model("t[x].json"), read_table("loans[x].csv")
    predicted, weights = model.predict(table.select(["age", "home"])), table.columns[2]
    bill = {"cost_matrix": model.cost_matrix_, "sample_weight": weights}
    assert facts == {
        "model": "t[x].json",
        "rows": 12,
        "classes": ["bad", "good"],
        "training_cost_per_row": pytest.approx(metrics.total_cost(table.labels(), predicted, **bill) / 21),
        "leaves": model.estimator_.get_n_leaves(),
        "depth": model.estimator_.get_depth(),
        "guarded": False,
        "cross_validated_cost_per_row": model.cv_cost_,
        "best_constant": "good",
        "best_constant_cost_per_row": pytest.approx(15 / 21),
    }
    facts = json.loads(run("fit", "loans[x].csv", *COSTS, "-o", "t[x].json", *TREE, "--json").stdout)
    # All are asked for their home, and those 8 of 21 that rent for their age.
    assert facts["training_test_cost_per_row"] == pytest.approx(3 + 2 * 8 / 21)
    assert facts["upfront_cost"] == 5 and "guarded" not in facts
    assert facts["cross_validated_cost_per_row"] is None and facts["best_constant"] == "good"
    facts = json.loads(text("fit", "loans[x].csv", *COSTS, "-o", "t[x].json", *RULES, "--json"))
    model = load_model("t[x].json")
    assert facts.pop("coverage") == metrics.coverage(model.decide(table.select(["age", "home"])), weights)
    assert facts == {
        "model": "t[x].json",
        "rows": 12,
        "classes": ["bad", "good"],
        "training_cost_per_row": metrics.mean_cost(
            table.labels(), model.predict(table.select(["age", "home"])), **bill
        ),
        "rules": len(model.rules_),
        "longest": 1,
        "t_good": 0.6,
        "accuracy_where_decided": 1.0,
        "cross_validated_cost_per_row": None,
        "best_constant": "good",
        "best_constant_cost_per_row": pytest.approx(15 / 21),
    }


def test_what_fit_says(capsys):
    facts = {
        "model": "m[x].json",
        "rows": 9,
        "leaves": 1,
        "depth": 0,
        "guarded": True,
        "best_constant": "[b]",
    }
    facts |= {"cross_validated_cost_per_row": 0.5, "best_constant_cost_per_row": 0.25}
    show_facts(facts)
    assert capsys.readouterr().out == (
        "A tree with 1 leaf and depth 0 from 9 rows.\n"
        "Cost per row: 0.5 in cross-validation, 0.25 for always answering [b].\n"
        "So the model answers [b] for everyone.\n"
        "Written to m[x].json. See it with: stakes show m[x].json\n"
    )
    facts = {"model": "m[x].json", "rows": 9, "cross_validated_cost_per_row": 0.125, "guarded": True}
    facts |= {"abstain_cost": 0.2, "best_constant": "[b]", "best_constant_cost_per_row": 0.25}
    show_facts(facts | {FORCED: 0.5, "upfront_cost": 2, "training_test_cost_per_row": 1.0})
    assert trimmed(capsys.readouterr().out) == (
        "An ensemble from 9 rows.\n"
        "Cost per row with tests and undecided rows: 0.12 in cross-validation (0.5 where every row is answered), 0.25 for always\n"
        "answering [b], 0.2 for never answering.\n"
        "Tests: 1 per row one by one, 2 up front.\n"
        "So the model answers [b] for everyone; where it may abstain, it leaves everyone undecided.\n"
        "Written to m[x].json.\n"
    )


def test_an_ensemble_has_no_leaves():
    class Ensemble(BoostedStakes):
        classes_, constant_, guarded_, cv_cost_, constant_cost_ = (
            np.array(["bad", "good"]),
            "bad",
            True,
            2.0,
            1.5,
        )

        def answers(self, table):
            labels = np.array(["bad"] * table.n_samples)
            return SimpleNamespace(labels=labels, routing=None, abstain_cost=None)

    problem = fit.read_problem("loans[x].csv", None, Path("costs.csv"), "n")
    assert fit_facts(Ensemble(), problem, Path("e.json")) == {
        "model": "e.json",
        "rows": 12,
        "classes": ["bad", "good"],
        "training_cost_per_row": 18 / 21,
        "guarded": True,
        "cross_validated_cost_per_row": 2.0,
        "best_constant": "bad",
        "best_constant_cost_per_row": 1.5,
    }


# ---- predict

PLAIN_COLUMNS = ["prediction", "p(bad)", "p(good)", "expected_cost"]


def answers(*options):
    """Rows that predict prints, numbers as numbers."""
    result = run("predict", "m[x].json", "test[x].csv", *options)
    assert result.stderr == ""
    return result.stdout


def test_predict_with_the_data_and_reasons():
    header, *rows = csv.reader(io.StringIO(answers("--with-data", "--explain")))
    assert header == ["home", "age", "n", "class", *PLAIN_COLUMNS, "why"]
    assert [row[:5] for row in rows] == [
        ["rent", "19.0", "2.0", "bad", "bad"],
        ["rent", "41.0", "1.0", "bad", "good"],
        ["[own]", "27.0", "1.0", "good", "good"],
        ["", "60.0", "1.0", "good", "good"],
        ["rent", "", "1.0", "bad", "bad"],
        ["rent", "22.0", "1.0", "good", "bad"],
        ["[own]", "31.0", "1.0", "", "good"],
    ]
    model = load_model("m[x].json")
    table = read_table("test[x].csv").select(["age", "home"])
    assert np.array([row[5:7] for row in rows], float).tolist() == model.decision_proba(table).tolist()
    for _, _, _, _, label, bad, good, cost, why in rows:
        assert float(cost) == pytest.approx(float(good) if label == "bad" else 5 * float(bad))
        assert f"→ {label}" in why
    assert answers().startswith(",".join(PLAIN_COLUMNS) + "\n")


UNDECIDED = """\
@relation predictions

@attribute home {rent,[own]}
@attribute age numeric
@attribute n numeric
@attribute class {bad,good}
@attribute prediction {good}
@attribute p(bad) numeric
@attribute p(good) numeric
@attribute expected_cost numeric

@data
rent,19,2,bad,?,0.75,0.25,0.1
rent,41,1,bad,good,0,1,0
[own],27,1,good,good,0,1,0
?,60,1,good,good,0,1,0
rent,?,1,bad,?,0.6000000000000001,0.4,0.1
rent,22,1,good,?,0.75,0.25,0.1
[own],31,1,?,good,0,1,0
"""


def test_predict_as_arff_leaves_undecided_rows_open():
    options = ["--with-data", "--abstain-cost", 0.1]
    assert answers(*options, "-f", "arff") == UNDECIDED
    run("predict", "m[x].json", "test[x].csv", *options, "-o", "answers.arff")
    assert Path("answers.arff").read_text() == UNDECIDED


def test_predict_writes_what_it_prints():
    printed = answers("--with-data", "--abstain-cost", 0.1)
    result = run("predict", "m[x].json", "test[x].csv", "--with-data", "--abstain-cost", 0.1, "-o", "a.CSV")
    assert (result.stdout, result.stderr) == ("", "Wrote a.CSV: 7 rows.\n")
    assert Path("a.CSV").read_bytes() == printed.encode()
    rows = json.loads(answers("--with-data", "--abstain-cost", 0.1, "--json"))
    assert list(rows[0]) == ["home", "age", "n", "class", *PLAIN_COLUMNS]
    assert [row["prediction"] for row in rows] == [None, "good", "good", "good", None, None, "good"]
    assert rows[3]["home"] is None and rows[4]["age"] is None and rows[6]["class"] is None
    assert [row["expected_cost"] for row in rows] == [0.1, 0.0, 0.0, 0.0, 0.1, 0.1, 0.0]
    for options in (["-o", "a.json"], ["-o", "a.csv", "--json"], ["-o", "a.txt", "-f", "json"]):
        run("predict", "m[x].json", "test[x].csv", "--with-data", "--abstain-cost", 0.1, *options)
        assert json.loads(Path(options[1]).read_text()) == rows and Path(options[1]).read_text().endswith(
            "\n"
        )
    pq = pytest.importorskip("pyarrow.parquet")
    for name in ("a.parquet", "a.pq"):
        run("predict", "m[x].json", "test[x].csv", "--with-data", "--abstain-cost", 0.1, "-o", name)
        assert pq.read_table(name).to_pylist() == rows


def test_predict_says_what_it_cannot_write(monkeypatch):
    endings = "'.csv', '.arff', '.parquet', '.pq', '.json'"
    for output, close in (("a.cvs", "did you mean '.csv'? The"), ("a", "the")):
        error = run("predict", "m[x].json", "test[x].csv", "-o", output, code=1).stderr
        assert error == (
            "Error: --output must end as a format does, or say --format; "
            f"got {output}; {close} endings are {endings}.\n"
        )
    error = run("predict", "m[x].json", "test[x].csv", "-f", "parquet", code=1).stderr
    assert error == "Error: Parquet cannot be printed; give a file with --output.\n"
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    error = run("predict", "m[x].json", "test[x].csv", "-o", "b.parquet", code=1).stderr
    assert error == "Error: writing Parquet needs pyarrow: pip install 'stakes[data]'.\n"


def test_predict_explains_what_a_guard_answers_by():
    run("fit", "loans[x].csv", *COSTS, "-o", "g.json", "--folds", 2)
    guard = load_model("g.json")
    assert not guard.guarded_
    table = read_table("test[x].csv").select(["age", "home"])
    texts = [
        row["why"]
        for row in json.loads(run("predict", "g.json", "test[x].csv", "--explain", "--json").stdout)
    ]
    assert texts == [str(why) for why in guard.estimator_.explain(table)]


def test_silence_costs_nothing_that_is_known():
    rows = json.loads(run("predict", "r[x].json", "test[x].csv", "--abstain", "--json").stdout)
    assert [row["prediction"] for row in rows] == [None, None, "good", None, None, None, "good"]
    assert [row["expected_cost"] is None for row in rows] == [True, True, False, True, True, True, False]
    rows = json.loads(run("predict", "r[x].json", "test[x].csv", "--abstain-cost", 0.4, "--json").stdout)
    model, table = load_model("r[x].json"), read_table("test[x].csv").select(["age", "home"])
    assert [row["expected_cost"] for row in rows] == model.decide(table, 0.4).expected_cost.tolist()


# ---- evaluate


def test_evaluate_a_model():
    result = run(
        "evaluate",
        "test[x].csv",
        "-m",
        "m[x].json",
        "--abstain-cost",
        0.1,
        "--weights",
        "n",
        "--noun",
        "[man]",
    )
    assert result.stderr == "Note: 1 rows without a class are left out.\n"
    assert (
        trimmed(result.stdout)
        == """\
On these 7 [man]s the model costs 38.21 in all: 5.46 per [man], 0.86 for mistakes and 4.6 for tests. There are 2
mistakes, 1 of them costly.
Always answering bad would cost 3; the model costs 12.7 times that.
Tests cost 4.6 per [man]; all columns that the model may ask for cost 5 up front.
83% of the cost of mistakes comes from bad [man]s, most of it (5) from calling them good.
Cost per row: 5.459, 95% interval 2.874 to 8.044.
With 0.1 for an undecided row: 43% are decided, at 5.373 per row in all.

Rows (and what they cost)
┏━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┓
┃ actual ┃ answered bad ┃ answered good ┃
┡━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━┩
│ bad    │        3 (0) │         1 (5) │
│ good   │        1 (1) │         2 (0) │
└────────┴──────────────┴───────────────┘
"""
    )


def test_evaluate_a_model_as_json():
    args = ["evaluate", "test[x].csv", "-m", "m[x].json", "--weights", "n", "--json"]
    facts = json.loads(run(*args, "--abstain-cost", 0.1).stdout)
    model, table = load_model("m[x].json"), read_table("test[x].csv").take(slice(0, 6))
    rows, weights, y = table.select(["age", "home"]), table.columns[2], table.labels()
    bill = {"cost_matrix": model.cost_matrix_, "sample_weight": weights}
    decision, predicted = model.decide(rows, 0.1), model.predict(rows)
    assert facts.pop("abstention") == {
        "cost_per_row": pytest.approx(
            metrics.cost_with_abstention(y, decision, abstain_cost=0.1, **bill)
            + weights @ model.path_cost(rows) / weights.sum()
        ),
        "coverage": metrics.coverage(decision, weights),
        "abstain_cost": 0.1,
    }
    total = metrics.total_cost(y, predicted, **bill)
    looked = weights @ model.path_cost(rows) / weights.sum()
    for name, mean in (
        ("cost_per_row", total / 7),
        ("test_cost_per_row", looked),
        ("total_cost_per_row", total / 7 + looked),
    ):
        assert facts.pop(name)["mean"] == pytest.approx(mean)
    assert [line["actual"] for line in facts.pop("classes")] == ["bad", "good"]
    assert facts.pop("confusion")["counts"] == [[3.0, 1.0], [1.0, 2.0]]
    assert facts == {
        "data": "test[x].csv",
        "rows": 7.0,
        "total": total,
        "errors": 2.0,
        "high_cost_errors": 1.0,
        "savings": pytest.approx(1 - (total + 7 * looked) / 3),
        "best_constant": "bad",
        "best_constant_cost_per_row": pytest.approx(3 / 7),
        "leaves": 3,
        "nodes": 5,
        "upfront_cost": 5.0,
    }
    dearer = Path("dearer.csv")
    dearer.write_text("feature,price\nage,20\nhome,30\n")
    facts = json.loads(run(*args, "--feature-costs", dearer, "-c", "costs.csv").stdout)
    assert facts["upfront_cost"] == 50.0 and "abstention" not in facts and "rules" not in facts


def test_evaluate_writes_a_report(tmp_path):
    result = run(
        "evaluate", "test[x].csv", "-m", "m[x].json", "--report", tmp_path / "r.html", "--noun", "tenant"
    )
    assert result.stderr.splitlines()[-1] == f"Wrote {tmp_path / 'r.html'}."
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "What the model costs on test[x].csv" in page and "tenants" in page


def test_report_says_the_bill_and_where_the_page_is(tmp_path):
    result = run("report", "m[x].json", "test[x].csv", "--weights", "n", "-o", tmp_path / "r[x].html")
    assert result.stdout.replace("\n", " ") == (
        "On these 7 cases the model costs 38.21 in all: 5.46 per case, 0.86 for mistakes and 4.6 for tests. "
        "There are 2 mistakes, 1 of them costly. "
        "Always answering bad would cost 3; the model costs 12.7 times that. "
        f"Written to {tmp_path / 'r[x].html'}: open it in a browser. "
    )
    page = (tmp_path / "r[x].html").read_text(encoding="utf-8")
    assert "What the model costs on test[x].csv" in page
    dearer = tmp_path / "dearer.csv"
    dearer.write_text("feature,price\nage,20\nhome,30\n")
    run("report", "m[x].json", "test[x].csv", "--feature-costs", dearer, "-o", tmp_path / "r.html")
    assert "all columns that the model may ask for cost 50 up front" in (tmp_path / "r.html").read_text(
        encoding="utf-8"
    )


def test_evaluate_rules():
    shown = trimmed(run("evaluate", "test[x].csv", "-m", "r[x].json", "--weights", "n").stdout)
    assert (
        "The rules decide 14% of the rows, 100% of these rightly; predict answers the others by the" in shown
    )
    facts = json.loads(run("evaluate", "test[x].csv", "-m", "r[x].json", "--weights", "n", "--json").stdout)
    assert facts["rules"] == {"coverage": pytest.approx(1 / 7), "accuracy_where_decided": 1.0}
    Path("renters.csv").write_text("home,age,class\nrent,20,bad\n")
    shown = run("evaluate", "renters.csv", "-m", "r[x].json").stdout
    assert "The rules decide none of the rows." in shown


def learner(name, mean, **more):
    interval = Interval(mean, mean - 0.125, mean + 0.125)
    known = {"savings": Interval(0.5, 0.4, 0.6), "leaves": 3.0, "nodes": 5.25} | more
    return LearnerResult(
        name, interval, 1000 * mean + 0.04, Interval(0.25, 0.2, 0.3), 7.04, seconds=0.0123, **known
    )


def shown(comparison, name="d[x]"):
    console = out()
    with console.capture() as captured:
        console.print(comparison_grid(comparison, name))
    return trimmed(captured.get())


def test_learners_side_by_side():
    few = {"savings": None, "leaves": None, "nodes": None}
    results = (learner("[b]one", 0.75), learner("two", 0.5), learner("three", 1.0, **few))
    tests = (PairTest("[b]one", 0.25, 0.01, 0.25), PairTest("three", 0.5, 0.2, 0.2))
    assert (
        shown(Comparison(results, 1000, 10, 1, "[bad]", 0.7, 0.75, tests))
        == """\
                                         d[x]: 10-fold cross-validation
┏━━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━┳━━━━━━━┳━━━━━━━┳━━━━━━━━┳━━━━━━━━━━━━━━━━━━┳━━━━━━━━┳━━━━━━━┳━━━━━━━━┓
┃ learner ┃ cost per row ┃   75% interval ┃ total ┃ saved ┃ errors ┃ high-cost errors ┃ leaves ┃ nodes ┃ fit ms ┃
┡━━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━╇━━━━━━━╇━━━━━━━╇━━━━━━━━╇━━━━━━━━━━━━━━━━━━╇━━━━━━━━╇━━━━━━━╇━━━━━━━━┩
│ [b]one  │        0.750 │ 0.625 to 0.875 │   750 │   50% │  25.0% │                7 │    3.0 │   5.2 │   12.3 │
│ two     │        0.500 │ 0.375 to 0.625 │   500 │   50% │  25.0% │                7 │    3.0 │   5.2 │   12.3 │
│ three   │        1.000 │ 0.875 to 1.125 │  1000 │       │  25.0% │                7 │        │       │   12.3 │
└─────────┴──────────────┴────────────────┴───────┴───────┴────────┴──────────────────┴────────┴───────┴────────┘
Always answering [bad] costs 0.7 per row. Cheapest here: two. May well be as cheap (corrected t-test, Holm): [b]one.
"""
    )
    clear = (PairTest("[b]one", 0.25, 0.01, 0.249), PairTest("three", 0.5, 0.0, 0.0))
    text = shown(Comparison(results, 1000, 10, 3, "[bad]", 0.7, 0.75, clear))
    assert "d[x]: 10-fold cross-validation, 3 times\n" in text
    assert text.endswith("Cheapest here: two. All others are costlier by more than chance.\n")
    twice = shown(Comparison(results, 1000, 10, 2, "x", 0.7))
    assert "cross-validation, 2 times\n" in twice and twice.endswith("Cheapest here: two.\n")
    half = Comparison(results, 1000, 10, 1, "x", 0.7, 0.5, clear)
    assert "50% interval" in shown(half)


def test_learners_side_by_side_with_prices():
    def priced(name, mean, bill):
        how = {"test_cost": Interval(0.25, 0, 1), "total_cost": Interval(bill, 0, 2.5), "upfront_cost": 12.34}
        return learner(name, mean, **how)

    assert (
        shown(Comparison((priced("one", 0.5, 2.0), priced("two", 0.75, 1.0)), 9, 5, 1, "a", 1.0))
        == """\
                                       d[x]: 5-fold cross-validation
┏━━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━┳━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━┳━━━━━━━━┓
┃ learner ┃ bill per row ┃   95% interval ┃ mistakes ┃ tests ┃ up front ┃ errors ┃ leaves ┃ nodes ┃ fit ms ┃
┡━━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━╇━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━╇━━━━━━━━┩
│ one     │        2.000 │ 0.000 to 2.500 │    0.500 │ 0.250 │     12.3 │  25.0% │    3.0 │   5.2 │   12.3 │
│ two     │        1.000 │ 0.000 to 2.500 │    0.750 │ 0.250 │     12.3 │  25.0% │    3.0 │   5.2 │   12.3 │
└─────────┴──────────────┴────────────────┴──────────┴───────┴──────────┴────────┴────────┴───────┴────────┘
Always answering a costs 1 per row. Cheapest here: two.
"""
    )


def test_the_cheapest_stands_out_on_a_terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    lines = shown(Comparison((learner("one", 0.75), learner("two", 0.5)), 9, 5, 1, "a", 1.0)).splitlines()
    green = [line for line in lines if "\x1b[1;32m" in line]
    assert len(green) == 1 and "two" in green[0]


# ---- show


def test_show_leaves():
    assert (
        text("show", "m[x].json", "-f", "leaves")
        == """\
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━┳━━━━━━━━━━━━━━━┳━━━━━━┳━━━━━━━┓
┃ leaf                      ┃ answer ┃ weight ┃ wrong ┃ expected cost ┃ cost ┃ share ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━╇━━━━━━━━━━━━━━━╇━━━━━━╇━━━━━━━┩
│ home is 'rent'; age <= 24 │ bad    │      4 │     1 │          0.06 │    1 │  100% │
│ home is '[own]'           │ good   │     13 │     0 │             0 │    0 │    0% │
│ home is 'rent'; age > 24  │ good   │      4 │     0 │             0 │    0 │    0% │
└───────────────────────────┴────────┴────────┴───────┴───────────────┴──────┴───────┘
"""
    )
    said = run("show", "m[x].json", "-f", "leaves", "-o", "l.txt")
    assert (said.stdout, said.stderr) == ("", "Wrote l.txt.\n")
    assert (
        Path("l.txt").read_text()
        == """\
home is '[own]' -> good
home is 'rent'; age <= 24 -> bad
home is 'rent'; age > 24 -> good
"""
    )
    model = load_model("m[x].json")
    for name in ("x.SVG", "x.dot", "x.gv", "x.txt"):
        run("show", "m[x].json", "-o", name, "--max-depth", 1)
    assert Path("x.SVG").read_text().strip() == model.export_svg(max_depth=1).strip()
    assert Path("x.dot").read_text() == Path("x.gv").read_text()
    assert Path("x.dot").read_text().strip() == model.export_dot(max_depth=1).strip()
    assert Path("x.txt").read_text().strip() == model.export_text(max_depth=1).strip()
    assert text("show", "m[x].json").strip() == model.export_text().strip()


def test_show_a_single_leaf():
    run("fit", "loans[x].csv", *COSTS, "--no-guard", "--max-depth", 0, "-o", "leaf.json")
    assert "every row" in text("show", "leaf.json", "-f", "leaves")


def test_show_rules():
    assert (
        text("show", "r[x].json", "-f", "leaves")
        == """\
┏━━━━━━━━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━━┳━━━━━━┓
┃ rule            ┃ answer ┃ quality ┃ support ┃ coverage ┃ cost ┃
┡━━━━━━━━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━━╇━━━━━━┩
│ home is '[own]' │ good   │    0.00 │      13 │       13 │    0 │
└─────────────────┴────────┴─────────┴─────────┴──────────┴──────┘
"""
    )
    model = load_model("r[x].json")
    assert text("show", "r[x].json", "-f", "text").strip() == model.export_text().strip()
    run("show", "r[x].json", "-f", "leaves", "-o", "r.txt")
    assert Path("r.txt").read_text().strip() == model.export_text(merged=False).strip()


def test_a_guard_that_answers_for_the_tree():
    run("fit", "loans[x].csv", *COSTS, "-o", "g.json", "--folds", 2)
    guard = load_model("g.json")
    guard.guarded_ = True
    save_model(guard, "guarded.json")
    said = run("show", "guarded.json")
    assert said.stderr == "Note: this model answers good for everyone; --tree has the tree.\n"
    assert "1 leaf" in said.stdout
    coloured = run("show", "guarded.json", env={"FORCE_COLOR": "1", "TERM": "xterm-256color"})
    assert coloured.stderr.startswith("\x1b[33mNote: ")
    said = run("show", "guarded.json", "--tree")
    assert said.stderr == (
        "Note: this model answers good for everyone; this is the tree it is guarded against.\n"
    )
    assert said.stdout.strip() == guard.estimator_.export_text().strip()


# ---- export


def test_export_hands_its_options_on():
    model = load_model("m[x].json")
    assert text("export", "m[x].json", "--to", "c", "--name", "credit") == trimmed(
        model.export_c(name="credit")
    )
    assert text("export", "m[x].json", "--to", "sql", "--table", "t", "--column", "answer") == trimmed(
        model.export_sql(table="t", output="answer")
    )
    assert text("export", "m[x].json", "--to", "python") == trimmed(model.export_python())
    assert text("export", "m[x].json", "--to", "dot") == trimmed(model.export_dot())
    assert json.loads(text("export", "m[x].json", "--to", "json")) == model.fitted_tree_.to_dict()
    run("export", "m[x].json", "-o", "t.JSON")
    assert json.loads(Path("t.JSON").read_text()) == model.fitted_tree_.to_dict()
    run("export", "m[x].json", "-o", "t.gv")
    assert trimmed(Path("t.gv").read_text()) == trimmed(model.export_dot())
    rules = load_model("r[x].json")
    args = ["export", "r[x].json", "--to", "sql", "--table", "t", "--column", "answer"]
    assert text(*args) == trimmed(rules.export_sql(table="t", output="answer"))
    assert text(*args, "--abstain") == trimmed(rules.export_sql(table="t", output="answer", abstain=True))
    assert json.loads(text("export", "r[x].json", "--to", "json")) == rules.rule_set_.to_dict()
