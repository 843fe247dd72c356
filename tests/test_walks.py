"""CONTRIBUTING: the files that it names are there, its map is whole, and its examples work as they stand."""

from __future__ import annotations

import importlib
import json
import re
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from unittest import SkipTest
from unittest.mock import patch

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from commands import run
from stakes import C45Classifier, datasets, load_model, read_table
from stakes._base import saving
from stakes.datasets import load_table
from stakes.export import render
from stakes.table import TableFileError
from stakes.table._readers import common
from stakes.tree.c45 import criteria, pruning

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WALKS = dict(re.findall(r"^## Walk: (.+?)\n(.*?)(?=^## )", TEXT, re.MULTILINE | re.DOTALL))
LANGUAGES = importlib.import_module("stakes.export.languages")
REGISTRIES = [
    (criteria, "CRITERIA"),
    (datasets, "_MAKERS"),
    (pruning, "METHODS"),
    (common, "READERS"),
    (LANGUAGES, "_RENDERERS"),
    (saving, "_CLASSES"),
]
#: What each walk's example registers, by the place of its registry.
REGISTERED_IN = {
    "add an estimator": 5,
    "add a criterion": 0,
    "add a data set": 1,
    "add a pruning method": 2,
    "read another file format": 3,
    "add another export": 4,
    "change how a saved model looks": 5,
}


def named_files(text):
    """What stands in backquotes and looks like a file or folder of this repository."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()}
    names = re.findall(r"`([\w./-]+)`", text)
    return [name for name in names if name.split("/")[0] in folders or re.search(r"\.(md|py|toml)$", name)]


@contextmanager
def restored():
    """What is registered meanwhile is gone afterwards."""
    with ExitStack() as stack:
        stack.enter_context(patch.dict(sys.modules))
        for module, name in REGISTRIES:
            stack.enter_context(patch.dict(getattr(module, name)))
        yield


@pytest.fixture(autouse=True)
def registries():
    """What a test registers is gone after it."""
    with restored():
        yield


@pytest.fixture(scope="module")
def german():
    return datasets.load("german")


def example(walk):
    """Run the example of a walk and return what it has defined."""
    (code,) = re.findall(r"```python\n(.*?)```", WALKS[walk], re.DOTALL)
    module = sys.modules["example"] = ModuleType("example")
    exec(compile(code, walk, "exec", dont_inherit=True), vars(module))
    return vars(module)


# ---- what is said of the repository ------------------------------------------------------------------------


def test_there_are_seven_walks_with_files_in_order_and_an_example_of_about_ten_lines():
    assert list(WALKS) == list(REGISTERED_IN)
    for walk, text in WALKS.items():
        assert re.findall(r"^(\d)\. ", text, re.MULTILINE)[:4] == ["1", "2", "3", "4"], walk
        assert any(name.startswith("src/") for name in named_files(text)), walk
        assert any(name.startswith("tests/") for name in named_files(text)), walk
        (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        lines = [line for line in code.splitlines() if line and not re.match(r"from|import", line)]
        assert len(lines) <= 12, walk
    assert TEXT.count("\n") < 300


def test_every_file_that_is_named_exists():
    names = set(named_files(TEXT))
    assert len(names) > 40
    assert {name for name in names if not (ROOT / name).exists()} == set()
    assert {name for name in names if name.endswith("/") and not (ROOT / name).is_dir()} == set()


def test_a_file_that_is_gone_would_be_noticed():
    text = "`src/stakes/gone.py` and `make quick`, `gone.md`, `C45Classifier`, `tests/`"
    assert named_files(text) == ["src/stakes/gone.py", "gone.md", "tests/"]


def test_the_map_is_whole():
    packages = {path.parent.name for path in ROOT.glob("src/stakes/*/__init__.py")}
    core = {path.name for path in (ROOT / "cpp").iterdir() if path.is_dir()}
    (table,) = re.findall(r"^\| package \|.*?\n\n", TEXT, re.MULTILINE | re.DOTALL)
    cells = [row.split("|")[1] for row in table.strip().splitlines()[2:]]
    assert set(re.findall(r"`(\w+)`", " ".join(cells))) == packages
    paragraph = TEXT[TEXT.index("The core is in `cpp/`") : TEXT.index("| folder |")]
    assert core <= set(re.findall(r"`(\w+)`", paragraph))
    assert {
        name for name in ("tests", "tools", "benchmarks", "docs", "examples") if f"| `{name}/`" not in TEXT
    } == set()


def test_packages_stand_in_the_order_of_the_layers():
    layers = re.search(
        r"^layers = \[\n(.*?)\]", (ROOT / "pyproject.toml").read_text(), re.MULTILINE | re.DOTALL
    )
    order = [set(re.findall(r"\w+", line)) for line in reversed(layers.group(1).splitlines())]
    (table,) = re.findall(r"^\| package \|.*?\n\n", TEXT, re.MULTILINE | re.DOTALL)
    rows = [set(re.findall(r"`(\w+)`", row.split("|")[1])) for row in table.strip().splitlines()[2:]]
    single = {"__main__", "cli", "models", "datasets"}
    assert rows == [layer - single for layer in order if layer - single]


def test_every_make_target_that_is_named_is_one():
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"(?:`|^)make ([a-z]+)", TEXT, re.MULTILINE))
    assert len(targets) > 7
    assert {target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)} == set()


# ---- the walks ---------------------------------------------------------------------------------------------


def test_an_estimator(german, tmp_path):
    TwoTests = example("add an estimator")["TwoTests"]
    assert TwoTests().get_params() == {"cost_matrix": None}
    model = TwoTests(cost_matrix=german.cost_matrix).fit(german.X, german.y)
    assert model.get_depth() == 2 and "checking_status" in model.export_sql()
    free = TwoTests().fit(german.X, german.y)
    assert (model.predict(german.X) == "bad").sum() > (free.predict(german.X) == "bad").sum()
    assert model.decide(german.X, abstain_cost=0.4).undecided.any()
    with restored():
        saving.saveable(TwoTests)
        model.to_json(tmp_path / "model.json")
        back = load_model(tmp_path / "model.json")
    assert type(back) is TwoTests and back.to_json() == model.to_json()
    weight = np.where(german.y == "bad", 5.0, 1.0)
    assert "checking_status" in model.report(german.X, german.y, sample_weight=weight)


def test_an_estimator_keeps_what_scikit_learn_asks():
    checked = 0
    for estimator, check in estimator_checks_generator(example("add an estimator")["TwoTests"]()):
        with suppress(SkipTest):
            check(estimator)
        checked += 1
    assert checked > 40


def test_a_criterion(german, tmp_path):
    example("add a criterion")
    prices = {name: 1.0 for name in german.X} | {"checking_status": 100.0}
    grown = {}
    for criterion in ("gain", "gain_per_price"):
        tree = C45Classifier(criterion=criterion, feature_costs=prices, prune=None, max_depth=4)
        grown[criterion] = tree.fit(german.X, german.y)
    assert grown["gain"].upfront_cost() > 100 > grown["gain_per_price"].upfront_cost()
    free = clone(grown["gain_per_price"]).set_params(gamma=0.0).fit(german.X, german.y)
    assert free.fitted_tree_.schema.names[free.tree_.feature[0]] == "checking_status"
    tree.to_json(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").to_json() == tree.to_json()


def test_a_data_set(tmp_path):
    example("add a data set")
    loans = datasets.load("loans-drawn")
    assert loans.X.shape == (500, 1) and loans.classes.tolist() == ["bad", "good"]
    assert loans.cost_matrix.to_dict()["values"] == [[0.0, 5.0], [1.0, 0.0]]
    assert datasets.names()["loans-drawn"] == "function draw_loans"
    run("fit", "loans-drawn", "--no-guard", "-o", tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").cost_matrix_.to_dict() == loans.cost_matrix.to_dict()


def test_a_pruning_method(german, tmp_path):
    example("add a pruning method")

    table, _ = load_table("german")  # as the command reads it, with its file's order of categories

    def paid(prune):
        tree = C45Classifier(cost_matrix=german.cost_matrix, prune=prune, decision="min_cost")
        fitted = tree.fit(table, german.y).fitted_tree_
        leaves = fitted.tree.leaves
        return fitted.node_costs()[leaves].sum() + len(leaves), len(leaves)

    kinds = {prune: paid(prune) for prune in ("complexity", "error", "cost", None)}
    assert 1 < kinds["complexity"][1] < kinds[None][1]
    assert all(kinds["complexity"][0] <= cost for cost, _ in kinds.values())
    model = tmp_path / "model.json"
    run("fit", "german", "--prune", "complexity", "--decision", "min_cost", "--no-guard", "-o", model)
    assert load_model(model).get_n_leaves() == kinds["complexity"][1]


def test_a_file_format(german, tmp_path):
    example("read another file format")
    file = tmp_path / "loans.jsonl"
    rows = [
        {"age": 20 + i % 30, "housing": "own" if i % 3 else "rent", "class": "good" if i % 30 > 9 else "bad"}
        for i in range(90)
    ]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n")
    table = read_table(file)
    assert repr(table) == "Table(90 rows, 1 numeric, 1 nominal, 2 classes)"
    assert table.labels().tolist() == [row["class"] for row in rows]
    assert table.columns[0].tolist() == [row["age"] for row in rows]
    assert read_table(file, "housing").classes.tolist() == ["own", "rent"]

    facts = json.loads(run("describe", file, "--json").stdout)
    assert facts["rows"] == 90
    run("fit", file, "--no-guard", "-o", tmp_path / "model.json")
    answers = run("predict", tmp_path / "model.json", file).stdout
    assert answers.count("\ngood,") == 60 and answers.count("\nbad,") == 30

    (tmp_path / "torn.jsonl").write_text('{"age": 20, "class": "go')
    with pytest.raises(TableFileError, match=r"torn.jsonl: the lines are not JSON"):
        read_table(tmp_path / "torn.jsonl")
    with pytest.raises(
        TableFileError, match=r"'\.xls' is not known; did you mean '\.xlsx'.*, '\.jsonl', with"
    ):
        read_table(tmp_path / "loans.xls")


def test_an_export(german, tmp_path):
    example("add another export")
    tree = C45Classifier(cost_matrix=german.cost_matrix, max_depth=1).fit(german.X, german.y)
    text = render(tree.fitted_tree_, "markdown")
    assert text.splitlines()[:3] == [
        "| where | answer |",
        "|---|---|",
        "| checking_status is '0<=X<200' | bad |",
    ]
    assert len(text.splitlines()) == 2 + tree.get_n_leaves()
    tree.to_json(tmp_path / "model.json")
    assert run("export", tmp_path / "model.json", "--to", "markdown").stdout.rstrip("\n") == text
    run("export", tmp_path / "model.json", "--to", "markdown", "-o", tmp_path / "tree.md")
    assert (tmp_path / "tree.md").read_text() == text + "\n"


def test_rules_are_exported_in_languages_of_their_own(tmp_path):
    from stakes import RuleClassifier
    from stakes.export import renders
    from stakes.rules import RuleSet

    rules = RuleClassifier(min_support=1).fit([[1.0], [2.0], [8.0], [9.0]] * 5, [0, 0, 1, 1] * 5)
    rules.to_json(tmp_path / "rules.json")
    refused = run("export", tmp_path / "rules.json", "--to", "dot", code=2).stderr
    assert "rules are written as sql or json." in refused
    renders("classes", RuleSet)(lambda rules: f"{len(rules.classes)} classes")
    assert run("export", tmp_path / "rules.json", "--to", "classes").stdout == "2 classes\n"
    refused = run("export", tmp_path / "rules.json", "--to", "dot", code=2).stderr
    assert "rules are written as classes or sql or json." in refused


def test_a_saved_model(german, tmp_path):
    CountingTree = example("change how a saved model looks")["CountingTree"]
    tree = CountingTree(cost_matrix=german.cost_matrix).fit(german.X, german.y)
    tree.to_json(tmp_path / "model.json")
    back = load_model(tmp_path / "model.json")
    assert type(back) is CountingTree and back.n_seen_ == 1000
    np.testing.assert_array_equal(back.predict_proba(german.X), tree.predict_proba(german.X))
    assert back.to_json() == tree.to_json()

    document = json.loads((tmp_path / "model.json").read_text())
    del document["state"]["n_seen"]
    (tmp_path / "older.json").write_text(json.dumps(document))
    older = load_model(tmp_path / "older.json")
    assert older.n_seen_ is None
    assert older.predict(german.X).tolist() == tree.predict(german.X).tolist()


def test_each_example_registers_one_thing_and_nothing_is_left_of_it():
    before = [dict(getattr(module, name)) for module, name in REGISTRIES]
    for walk, number in REGISTERED_IN.items():
        with restored():
            example(walk)
            more = [len(getattr(module, name)) for module, name in REGISTRIES]
        assert more == [len(known) + (place == number) for place, known in enumerate(before)], walk
        assert [dict(getattr(module, name)) for module, name in REGISTRIES] == before, walk


# ---- the glossary ------------------------------------------------------------------------------------------


def test_the_glossary_has_every_word_once_in_the_order_of_the_alphabet():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").partition("## Parameters by")[0]
    sections = [re.findall(r"^- \*\*(.+?)\*\*", section, re.MULTILINE) for section in text.split("\n## ")[1:]]
    assert len(sections) == 8 and all(len(terms) > 4 for terms in sections)
    assert [sorted(terms, key=str.lower) for terms in sections] == sections
    terms = [term for section in sections for entry in section for term in entry.split(", ")]
    assert len(terms) == len(set(terms)) > 80
    wanted = {
        "sample",
        "cost matrix",
        "feature cost",
        "abstain",
        "undecided",
        "path",
        "upfront",
        "bill",
        "guard",
    }
    assert wanted <= set(terms)
