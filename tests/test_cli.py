"""The command line: what it prints where, exit codes, and a sentence for everything that is wrong."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from commands import run
from stakes import C45Classifier, CostMatrix, Guard, datasets, load_model, metrics, read_table
from stakes.cli import app
from stakes.decision import cost_shares

COSTS = "actual\\predicted,bad,good\nbad,0,5\ngood,1,0\n"


def shell(*args, **options):
    command = [sys.executable, "-m", "stakes.cli", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with german credit as CSV in two parts, its costs, and models."""
    folder = tmp_path_factory.mktemp("cli")
    table, costs = datasets.load_table("german")
    write_csv(folder / "train.csv", table.take(slice(0, 700)))
    write_csv(folder / "test.csv", table.take(slice(700, 1000)))
    write_csv(folder / "few.csv", table.take(slice(700, 705)))
    (folder / "costs.csv").write_text(COSTS)
    (folder / "transposed.csv").write_text(COSTS.replace("actual\\predicted", "predicted"))
    (folder / "german.costs").write_text("good, bad: 5\nbad, good: 1\n")
    (folder / "costs.json").write_text(json.dumps(costs.to_dict()))
    run("fit", folder / "train.csv", "-c", folder / "costs.csv", "-o", folder / "model.json")
    return folder


@pytest.fixture(scope="module")
def guarded(place):
    """A model whose guard prefers the constant: pure noise."""
    rng = np.random.default_rng(0)
    lines = [f"{rng.normal()},{rng.choice(['bad', 'good'])}" for _ in range(60)]
    (place / "noise.csv").write_text("x,class\n" + "\n".join(lines) + "\n")
    result = run("fit", place / "noise.csv", "-c", place / "costs.csv", "-o", place / "guarded.json")
    assert "Note:" in result.stderr and "always predicting" in result.stderr
    assert "for everyone" in result.stdout
    return place / "guarded.json"


def write_csv(path, table):
    labels = table.labels().tolist()
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*table.schema.names, "class"])
        columns = [
            [column.categories[code] for code in values] if column.is_nominal else values.tolist()
            for column, values in zip(table.schema.columns, table.columns)
        ]
        writer.writerows(zip(*columns, labels))


@pytest.mark.parametrize(
    "command",
    [
        [],
        *(
            [name]
            for name in [
                "demo",
                "describe",
                "fit",
                "predict",
                "evaluate",
                "compare",
                "reproduce",
                "show",
                "ask",
                "export",
            ]
        ),
    ],
)
def test_help_has_an_example(command):
    text = run(*command, "--help").stdout
    assert "stakes " + (command[0] if command else "demo") in " ".join(text.split())
    assert "Exit codes" in text


def test_version():
    assert run("--version").stdout.startswith("stakes ")


# ---- describe ----------------------------------------------------------------------------------------------


def test_describe_says_costs_and_the_best_constant():
    text = run("describe", "german", "--noun", "customer").stdout
    assert "1000 rows, 20 columns (7 numeric, 13 nominal), no missing values." in text
    assert "Calling a bad customer good costs 5." in text
    assert "Always answering bad costs 700 in all, 0.7 per customer" in text


def test_describe_json_matches_the_metrics(place):
    facts = json.loads(run("describe", place / "train.csv", "-c", place / "costs.csv", "--json").stdout)
    table = read_table(place / "train.csv")
    best = metrics.best_constant(table.labels(), cost_matrix=CostMatrix.from_csv(place / "costs.csv"))
    assert facts["rows"] == 700
    assert facts["best_constant"] == {"label": best.label, "cost": best.cost, "cost_per_row": best.cost / 700}
    assert facts["threshold"] == pytest.approx(5 / 6)
    assert sum(line["rows"] for line in facts["classes"]) == 700


# ---- fit, predict ------------------------------------------------------------------------------------------


def test_fit_writes_what_the_library_fits(place):
    table = read_table(place / "train.csv")
    costs = CostMatrix.from_csv(place / "costs.csv")
    expected = C45Classifier(cost_matrix=costs).fit(table, table.labels())
    model = load_model(place / "model.json")
    assert isinstance(model, Guard) and not model.guarded_
    test = read_table(place / "test.csv")
    assert np.array_equal(model.predict(test), expected.predict(test))
    assert np.allclose(model.expected_cost(test), expected.expected_cost(test))


@pytest.mark.parametrize("costs", ["costs.csv", "german.costs", "costs.json"])
def test_cost_files_of_all_kinds_give_the_same_model(place, tmp_path, costs):
    run("fit", place / "train.csv", "-c", place / costs, "-o", tmp_path / "m.json")
    assert (
        json.loads((tmp_path / "m.json").read_text())["state"]["estimator"]
        == json.loads((place / "model.json").read_text())["state"]["estimator"]
    )


def test_weights_column_is_a_weight_and_no_feature(tmp_path):
    rows = [("1", "a", 1), ("2", "a", 2), ("8", "b", 3), ("9", "b", 1), ("9.5", "a", 0)]
    (tmp_path / "w.csv").write_text("x,class,n\n" + "".join(f"{x},{c},{n}\n" for x, c, n in rows))
    run("fit", tmp_path / "w.csv", "--weights", "n", "--no-guard", "-o", tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert model.feature_names_in_.tolist() == ["x"]
    assert model.tree_.class_weights[0].tolist() == [3.0, 4.0]


def test_predict_prints_only_rows_on_stdout(place):
    result = run("predict", place / "model.json", place / "test.csv")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    model, table = load_model(place / "model.json"), read_table(place / "test.csv")
    assert [row["prediction"] for row in rows] == model.predict(table).tolist()
    for row in rows[:50]:
        bad, good = float(row["p(bad)"]), float(row["p(good)"])
        assert bad + good == pytest.approx(1)
        cost = good if row["prediction"] == "bad" else 5 * bad
        assert float(row["expected_cost"]) == pytest.approx(cost)
    assert result.stderr == ""


@pytest.mark.parametrize("suffix", [".csv", ".arff", ".parquet"])
def test_predict_writes_files_that_read_back(place, tmp_path, suffix):
    output = tmp_path / f"answers{suffix}"
    result = run("predict", place / "model.json", place / "test.csv", "-o", output, "--with-data")
    assert result.stdout == "" and "300 rows" in result.stderr
    back = read_table(output, target="prediction")
    assert (
        back.labels().tolist()
        == load_model(place / "model.json").predict(read_table(place / "test.csv")).tolist()
    )
    assert "expected_cost" in back.schema.names and "duration" in back.schema.names


def test_predict_finds_columns_by_name_and_numbers_that_are_text(tmp_path):
    (tmp_path / "train.csv").write_text("code,x,class\n" + "1,5,p\n2,6,q\nz,7,p\n" * 5)
    (tmp_path / "test.csv").write_text("extra,x,code\nhello,5,2\nworld,6,1\n")
    run("fit", tmp_path / "train.csv", "--no-guard", "-o", tmp_path / "m.json")
    rows = json.loads(run("predict", tmp_path / "m.json", tmp_path / "test.csv", "--json").stdout)
    assert [row["prediction"] for row in rows] == ["q", "p"]


def test_predict_abstains_and_explains(place):
    args = ["predict", place / "model.json", place / "test.csv", "--json"]
    rows = json.loads(run(*args, "--abstain-cost", "0.3", "--explain").stdout)
    decision = load_model(place / "model.json").decide(read_table(place / "test.csv"), 0.3)
    assert [row["prediction"] is None for row in rows] == decision.undecided.tolist()
    assert any(decision.undecided) and not all(decision.undecided)
    assert all("→" in row["why"] for row in rows)


def test_every_kind_of_model_is_explained(place):
    lines = (place / "train.csv").read_text().splitlines(keepends=True)
    (place / "part.csv").write_text("".join(lines[:150]))
    for learner, words in (("boosted", "typical rows: "), ("rules", "expected costs: "), ("c4.5", "→")):
        path = place / f"{learner}.json"
        run("fit", place / "part.csv", "-c", place / "costs.csv", "-l", learner, "-o", path)
        assert len(json.loads(path.read_text())["background"]["weights"]) == 2
        rows = json.loads(run("predict", path, place / "few.csv", "--explain", "--json").stdout)
        assert len(rows) == 5 and all(words in row["why"] for row in rows)


def test_a_model_keeps_rows_only_where_it_is_told_to(place):
    options = ["-c", place / "costs.csv", "--no-guard", "-o", place / "kept.json", "--keep-background"]
    run("fit", place / "train.csv", *options)
    document = json.loads((place / "kept.json").read_text())
    assert document["background"]["kept"] and len(document["background"]["weights"]) == 100
    shares = cost_shares(load_model(place / "kept.json"), read_table(place / "few.csv"))
    assert shares.compared_with == "kept rows"


def test_a_guarded_model_says_so_everywhere(guarded, place):
    saved = json.loads(guarded.read_text())
    assert saved["state"]["fitted"]["guarded"] is True
    rows = json.loads(run("predict", guarded, place / "noise.csv", "--json", "--explain").stdout)
    assert {row["prediction"] for row in rows} == {"bad"}
    assert all(row["why"].startswith("no column spoke, it is as for every row → bad: ") for row in rows)
    shown = run("show", guarded)
    assert "for everyone" in shown.stderr and shown.stdout.startswith("bad (60")
    assert run("show", guarded, "--tree", "--json").stdout.count('"node"') >= 1
    code = run("export", guarded, "--to", "python").stdout
    scope: dict = {}
    exec(code, scope)
    assert scope["predict"]({"x": 0.0}) == "bad"


# ---- evaluate ----------------------------------------------------------------------------------------------


def test_evaluate_compares_learners(place):
    args = ["evaluate", place / "train.csv", "-c", place / "costs.csv", "--folds", "3", "--repeats", "2"]
    learners = ["c4.5", "c4.5cs", "sklearn", "sklearn_mc", "constant"]
    options = [part for name in learners for part in ("-l", name)]
    facts = json.loads(run(*args, *options, "--json").stdout)
    names = [result["name"] for result in facts["results"]]
    assert len(names) == 5 and names[0] == "C4.5"
    for result in facts["results"]:
        assert result["cost"]["low"] <= result["cost"]["mean"] <= result["cost"]["high"]
        saved = 1 - result["cost"]["mean"] / facts["constant_cost"]
        assert result["savings"]["mean"] == pytest.approx(saved)
    table = run(*args).stdout
    assert "C4.5CS" in table and "Cheapest here" in table


def test_report_writes_the_page_of_evaluate(place, tmp_path):
    args = [place / "model.json", place / "test.csv", "--noun", "customer", "-o", tmp_path / "r.html"]
    said = run("report", *args, "--title", "Loans & co", "--note", "Held out.").stdout
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<title>Loans &amp; co</title>" in page and "Held out." in page and 'id="ratio-data"' in page
    model, table = load_model(place / "model.json"), read_table(place / "test.csv")
    total = metrics.total_cost(table.labels(), model.predict(table), cost_matrix=model.cost_matrix_)
    assert f"the model costs {total:g}" in said and f"the model costs {total:g}" in page


def test_a_report_needs_its_extra(place, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = run("report", place / "model.json", place / "test.csv", "-o", tmp_path / "r.html", code=1)
    assert "pip install 'stakes[report]'" in result.stderr and not (tmp_path / "r.html").exists()
    args = ["compare", place / "train.csv", "-c", place / "costs.csv", "-l", "c4.5", "--folds", "2"]
    result = run(*args, "-j", "1", "-o", tmp_path / "folder")  # the table is written all the same
    assert "Note:" in result.stderr and (tmp_path / "folder" / "comparison-table-1.csv").exists()


def test_evaluate_a_saved_model_agrees_with_the_metrics(place, tmp_path):
    args = ["evaluate", place / "test.csv", "--model", place / "model.json", "--abstain-cost", "0.4"]
    result = run(*args, "--json", "--report", tmp_path / "r.html")
    facts = json.loads(result.stdout)
    table, model = read_table(place / "test.csv"), load_model(place / "model.json")
    predicted, costs = model.predict(table), model.cost_matrix_
    y = table.labels()
    assert facts["total"] == metrics.total_cost(y, predicted, cost_matrix=costs)
    assert facts["high_cost_errors"] == metrics.high_cost_errors(y, predicted, cost_matrix=costs)
    assert facts["savings"] == pytest.approx(metrics.savings(y, predicted, cost_matrix=costs))
    assert facts["abstention"]["coverage"] == metrics.coverage(model.decide(table, 0.4))
    assert (tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert "undecided row" in run(*args).stdout


# ---- show, export ------------------------------------------------------------------------------------------


def test_show_and_export_are_what_the_tree_says(place, tmp_path):
    model, tree = place / "model.json", load_model(place / "model.json").estimator_
    assert run("show", model).stdout.rstrip("\n") == tree.export_text().rstrip("\n")
    assert run("show", model, "-f", "svg").stdout.startswith("<svg")
    assert run("show", model, "-f", "dot", "--max-depth", "2").stdout.startswith("digraph")
    assert len(json.loads(run("show", model, "--json").stdout)) == tree.get_n_leaves()
    assert "share" in run("show", model, "-f", "leaves").stdout
    run("show", model, "-o", tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text().startswith("<svg")
    for name, text in {
        "t.py": tree.export_python(),
        "t.c": tree.export_c(),
        "t.sql": tree.export_sql(),
        "t.dot": tree.export_dot(),
    }.items():
        run("export", model, "-o", tmp_path / name)
        assert (tmp_path / name).read_text().rstrip("\n") == text.rstrip("\n")
    assert json.loads(run("export", model, "--to", "json").stdout)["format"] == "stakes-tree"


# ---- what goes wrong ---------------------------------------------------------------------------------------

# Arguments, exit code, and what the sentence contains. {d} is a folder with good and bad files.
WRONG = [
    ("nonsense", 2, "nonsense"),
    ("fit", 2, "DATA"),
    ("fit {d}/train.csv --cost-use often", 2, "often"),
    ("fit {d}/train.csv --max-depth many", 2, "--max-depth"),
    ("fit {d}/train.csv --max-depth -1", 2, "--max-depth"),
    ("fit {d}/train.csv --folds 1", 2, "--folds"),
    ("fit {d}/train.csv --frobnicate", 2, "frobnicate"),
    ("fit {d}/train.csv --set max_bins=999", 2, "max_bins"),
    ("predict {d}/model.json", 2, "DATA"),
    ("predict {d}/model.json {d}/test.csv --format xls", 2, "xls"),
    ("predict {d}/model.json {d}/test.csv --abstain-cost -3", 2, "--abstain-cost"),
    ("export {d}/model.json", 2, "c, dot, python, sql, svg, text, json"),
    ("export {d}/model.json --to cobol", 2, "cobol"),
    ("show {d}/model.json --max-depth 0", 2, "--max-depth"),
    ("evaluate {d}/test.csv --report {d}/r.html", 2, "needs --model"),
    ("evaluate {d}/test.csv --model {d}/model.json --folds 3", 2, "cannot be used together with --model"),
    ("describe {d}/missing.csv", 1, "missing.csv: No such file"),
    ("describe no-such-data-set", 1, "data set"),
    ("describe {d}", 1, "is a folder"),
    ("describe {d}/train.xls", 1, "extension '.xls' is not known"),
    ("describe {d}/empty.csv", 1, "empty"),
    ("describe {d}/ragged.csv", 1, "line 3"),
    ("describe {d}/binary.csv", 1, "zero byte"),
    ("describe {d}/fraction.csv", 1, "numbers with fractions"),
    ("describe {d}/train.csv --target colour", 1, "no column 'colour'"),
    ("describe {d}/noclass.csv", 1, "say with --target"),
    ("describe {d}/nolabels.csv", 1, "class"),
    ("describe german --target class", 1, "--target is for files"),
    ("describe {d}/train.csv --costs {d}/nocosts.csv", 1, "nocosts.csv"),
    ("describe {d}/train.csv --costs {d}/transposed.csv", 1, "predicted"),
    ("describe {d}/train.csv --costs {d}/othercosts.csv", 1, "good"),
    ("describe {d}/train.csv --costs {d}/nan.csv", 1, "nan.csv"),
    ("describe {d}/train.csv --costs {d}/bad.costs", 1, "bad.costs"),
    ("describe {d}/train.csv --costs {d}/cut.json", 1, "cut.json is not JSON"),
    ("fit {d}/train.csv --costs {d}/negative.csv -o {d}/x.json", 1, "negative"),
    ("fit {d}/train.csv --set confidence=7 -o {d}/x.json", 2, "confidence"),
    ("fit {d}/train.csv --min-samples-leaf -1 -o {d}/x.json", 2, "min_samples_leaf"),
    ("fit {d}/train.csv --categorical colour -o {d}/x.json", 1, "colour"),
    ("fit {d}/train.csv --weights colour -o {d}/x.json", 1, "--weights names 'colour'"),
    ("fit {d}/train.csv --weights housing -o {d}/x.json", 1, "holds text"),
    ("fit {d}/weights.csv --weights w -o {d}/x.json", 1, "not negative"),
    ("fit {d}/train.csv -o {d}/no/such/folder/x.json", 1, "its folder does not exist"),
    ("evaluate {d}/train.csv -l c5", 1, "--learner 'c5' is not known; did you mean 'c4.5'?"),
    ("evaluate {d}/train.csv --level 95", 1, "level must be between 0 and 1"),
    ("evaluate {d}/tiny.csv --folds 10", 1, "n_folds must be between 2"),
    ("evaluate {d}/strange.csv --model {d}/model.json", 1, "does not know: 'ugly'"),
    ("report {d}/model.json {d}/strange.csv -o {d}/r.html", 1, "does not know: 'ugly'"),
    ("report {d}/model.json {d}/noise.csv -o {d}/r.html", 1, "lacks 20 of the columns"),
    ("predict {d}/missing.json {d}/test.csv", 1, "No such file"),
    ("predict {d}/train.csv {d}/test.csv", 1, "not JSON"),
    ("predict {d}/cut.json {d}/test.csv", 1, "cut short"),
    ("predict {d}/costs.json {d}/test.csv", 1, "format"),
    ("predict {d}/tampered.json {d}/test.csv", 1, "tampered.json"),
    ("predict {d}/unknown.json {d}/test.csv", 1, "the model's class must be one that can be read"),
    ("predict {d}/model.json {d}/tiny.csv", 1, "lacks 20 of the columns"),
    ("predict {d}/model.json {d}/textual.csv", 1, "could not convert 'long' to a number"),
    ("predict {d}/model.json {d}/test.csv -o {d}/answers.xls", 1, "--output must end as a format does"),
    ("predict {d}/model.json {d}/test.csv -f parquet", 1, "cannot be printed"),
    ("show {d}/costs.csv", 1, "not JSON"),
    ("show {d}/newer.json", 1, "newer stakes"),
    ("export {d}/model.json --to c --name 9lives", 1, "name"),
    ("demo -o {d}/train.csv", 1, "train.csv"),
]


@pytest.fixture(scope="module")
def wrong_place(place, guarded):
    text = (place / "model.json").read_text()
    document = json.loads(text)
    files = {
        "empty.csv": "",
        "ragged.csv": "a,b,class\n1,2,p\n1,2,3,4\n",
        "binary.csv": "a,class\n\0\0\n",
        "fraction.csv": "a,class\n1,0.5\n2,0.7\n",
        "noclass.csv": "a,b\n1,2\n3,4\n",
        "nolabels.csv": "a,class\n1,\n2,\n",
        "weights.csv": "a,w,class\n1,-1,p\n2,1,q\n",
        "tiny.csv": "a,class\n1,p\n2,q\n3,p\n",
        "othercosts.csv": "actual\\predicted,yes,no\nyes,0,1\nno,1,0\n",
        "nan.csv": "actual\\predicted,bad,good\nbad,0,dear\ngood,1,0\n",
        "negative.csv": "actual\\predicted,bad,good\nbad,0,-5\ngood,1,0\n",
        "bad.costs": "good bad 5\n",
        "cut.json": text[:500],
        "tampered.json": text.replace('"prior":[', '"prior":[7,'),
        "unknown.json": json.dumps(document | {"class": "Oracle"}),
        "newer.json": json.dumps(document | {"version": 99}),
        "strange.csv": (place / "test.csv")
        .read_text()
        .replace(",bad\n", ",ugly\n")
        .replace(",bad\r", ",ugly\r"),
    }
    rows = (place / "test.csv").read_text().splitlines()
    header, first = rows[0].split(","), rows[1].split(",")
    first[header.index("duration")] = "long"
    files["textual.csv"] = "\n".join([rows[0], ",".join(first)]) + "\n"
    for name, content in files.items():
        (place / name).write_text(content)
    return place


@pytest.mark.parametrize(("line", "code", "words"), WRONG, ids=[line for line, _, _ in WRONG])
def test_every_mistake_is_answered_by_a_sentence(wrong_place, line, code, words):
    result = run(*line.format(d=wrong_place).split(), code=code)
    assert result.stdout == ""
    said = result.stderr if code == 1 else "".join(c for c in result.stderr if c not in "│╭╮╰╯─")
    assert " ".join(words.split()) in " ".join(said.split())
    if code == 1:
        message = [text for text in result.stderr.splitlines() if not text.startswith("Note:")]
        assert len(message) == 1 and message[0].startswith("Error: ") and message[0].endswith((".", "!", "?"))


def test_debug_shows_the_traceback(place):
    for args in (["--debug", "describe", "nowhere.csv"], ["describe", "nowhere.csv", "--debug"]):
        result = CliRunner().invoke(app, args)
        assert isinstance(result.exception, FileNotFoundError)
    result = shell("describe", "nowhere.csv", "--debug")
    assert result.returncode == 1 and "Traceback" in result.stderr and result.stdout == ""


def test_as_a_process(place):
    good = shell("predict", place / "model.json", place / "test.csv")
    assert good.returncode == 0 and good.stderr == "" and len(good.stdout.splitlines()) == 301
    bad = shell("predict", "nowhere.json", place / "test.csv")
    assert (bad.returncode, bad.stdout) == (1, "") and bad.stderr.count("\n") == 1
    usage = shell("predict")
    assert usage.returncode == 2 and usage.stdout == "" and "Usage" in usage.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals are POSIX's")
def test_a_reader_that_has_seen_enough(place):
    answers = f"predict {place}/model.json {place}/test.csv --explain --with-data"
    line = f"{sys.executable} -m stakes.cli {answers} | head -1"
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0
    assert result.stderr == "" and len(result.stdout.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals are POSIX's")
@pytest.mark.parametrize("seconds", [0.05, 0.4, 1.5])
def test_control_c(place, seconds):
    """It ends a command while its libraries are imported, and while it works."""
    script = "import stakes.cli; print('ready', flush=True); stakes.cli.main()"
    args = ["evaluate", place / "train.csv", "--repeats", "5000"]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"  # before this import nobody catches the signal
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stdout == "" and stderr.strip() == "Stopped."


def test_pandas_is_not_needed(place, tmp_path):
    script = """
import sys
class Absent:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in ("pandas", "pyarrow"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
from stakes.cli import main
main()
"""
    for args in (
        ["describe", "german"],
        ["fit", place / "train.csv", "-c", place / "costs.csv", "-o", tmp_path / "m.json"],
        ["predict", tmp_path / "m.json", place / "test.csv", "-o", tmp_path / "a.arff"],
    ):
        command = [sys.executable, "-c", script, *map(str, args)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert result.returncode == 0, result.stderr
    assert Path(tmp_path / "a.arff").exists()
