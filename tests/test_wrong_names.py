"""A wrong name, wherever a command takes one: near ones come first, and no list is cut unseen."""

import json
import re

import numpy as np
import pytest

import commands
from stakes import C45Classifier, datasets, read_table
from stakes._cli import names
from stakes._cli.app import NAMES
from stakes._cli.commands.clarify import ClarifyGroup
from stakes._cli.commands.predict import FORMATS
from stakes._cli.commands.show import VIEWS
from stakes._cli.predict import SUFFIXES
from stakes.lab.measures import MEASURES
from stakes.lab.protocol import COST_MODELS, ROWS
from stakes.models import save_model
from stakes.table._readers.common import READERS

STUDY = """
title = "Mine"
[[dataset]]
name = "mine"
file = "rows.csv"

[learners.tree]
class = "stakes.C45Classifier"
params = { cost_use = "none" }

[study.main]
splits = { kind = "folds", folds = 3 }
costs = { model = "ting" }

[[table]]
number = "1"
rows = ["dataset"]
columns = [{ learner = "tree", measure = "mean_cost" }]
"""
FIT, PREDICT, SHOW = "fit rows.csv", "predict model.json rows.csv", "show model.json"
RULES = C45Classifier._parameter_constraints
#: A line, the name that comes first, and all that there are; None where the list counts the others.
LINES = [
    ("evalute rows.csv", "evaluate", NAMES),
    ("clarify trian runs", "train", ClarifyGroup.modules),
    (f"{PREDICT} --formt csv", "--format", None),
    (f"{FIT} --lerner gdt", "--learner", None),
    ("--debgu describe rows.csv", "--debug", ["--debug", "--version", "--help"]),
    (f"{PREDICT} --format pasquet", "parquet", FORMATS),
    (f"{PREDICT} -f CVS", "csv", FORMATS),
    (f"{PREDICT} -o answers.cvs", ".csv", SUFFIXES),
    (f"{SHOW} --format leafs", "leaves", VIEWS),
    (f"{FIT} --learner bosted", "boosted", names.FITTED),
    (f"{FIT} --cost-use weight", "weights", ("weights", "priors", "none")),
    (f"{FIT} --decision mincost", "min_cost", ("majority", "min_cost")),
    (f"{FIT} --criterion totalcost", "total_cost", names.CRITERIA),
    (f"{FIT} --prune errors", "error", names.PRUNING),
    (f"{FIT} --smoothing laplas", "laplace", ("none", "laplace", "m")),
    (f"{FIT} --set min_gian=3", "min_gain", ["dialect", "confidence"]),
    (f"{FIT} --set dialect=j84", "j48", ["c45", "j48"]),
    (f"{FIT} --target clas", "class", ["amount", "colour", "class"]),
    (f"{FIT} --drop amuont", "amount", ["amount", "colour"]),
    (f"{FIT} --weights amuont", "amount", ["amount", "colour"]),
    (f"{FIT} --config options.toml", "learner", ["data", "target", "learner", "output"]),
    ("describe rows.cvs", ".csv", READERS),
    ("describe germann", "german", {*datasets.names(), *datasets.ALIASES}),
    ("export model.json --to pyton", "python", names.LANGUAGES),
    ("evaluate rows.csv -l bosted", "boosted", [*names.LEARNERS, *names.PRICED_LEARNERS]),
    ("compare rows.csv -l bosted", "boosted", names.peers()),
    ("reproduce ting199", "ting1998", names.papers()),
    ("reproduce ting1998 --table prior", "priors", ["1", "2", "priors"]),
    ("reproduce ting1998 --datasets germann", "German", ["German", "Heart", "Vowel"]),
    ("ask model.json --set amuont=3", "amount", ["amount", "colour"]),
    ("ask model.json --set colour=bleu", "blue", ["blue", "red"]),
]
#: What stands in the study instead of something else.
STUDIES = [
    ('kind = "folds"', 'kind = "fold"', "folds", ("folds", "holdout", "all", "fresh")),
    ('model = "ting"', 'model = "tings"', "ting", COST_MODELS),
    ('rows = ["dataset"]', 'rows = ["datset"]', "dataset", ROWS),
    ('measure = "mean_cost"', 'measure = "mean_costs"', "mean_cost", MEASURES),
    ('learner = "tree"', 'learner = "treee"', "tree", ["tree"]),
    ('"mean_cost" }', '"mean_cost", minus = "tre" }', "tree", ["tree"]),
    ("[study.main]", "[study.main]\nsplit = {}", "splits", ["splits", "costs", "learners"]),
    ("[[table]]", '[[table]]\nstudy = "mane"', "main", ["main"]),
    ("cost_use =", "cost_sue =", "cost_use", RULES),
    ("C45Classifier", "C45Clasifier", "C45Classifier", None),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    rng = np.random.default_rng(0)
    rows = [(f"{a:.2f}", "red" if b else "blue") for a, b in zip(rng.random(60), rng.random(60) > 0.5)]
    lines = [f"{a},{b},{'no' if float(a) > 0.5 or b == 'red' else 'yes'}" for a, b in rows]
    (folder / "rows.csv").write_text("\n".join(["amount,colour,class", *lines]) + "\n")
    (folder / "rows.cvs").write_text("x0\n1\n")
    (folder / "options.toml").write_text('learnr = "gdt"\n')
    table = read_table(folder / "rows.csv")
    save_model(C45Classifier().fit(table, table.labels()), folder / "model.json")
    return folder


@pytest.fixture(autouse=True)
def inside(place, monkeypatch):
    monkeypatch.chdir(place)


def said(*line):
    """What a command says of a line that is wrong, on one line and without the frame around it."""
    result = commands.run(*line, code=None)
    assert result.exit_code in (1, 2) and result.stdout == "", result.stdout
    return " ".join(re.sub("[│╭╮╰╯─]", " ", result.stderr).split())


def check_hint(text, near, known):
    """The near name stands before all others, and all stand there or are counted."""
    first, _, rest = text.partition("did you mean ")[2].partition("? The ")
    assert first.startswith(repr(near)), text
    if known is None:
        assert re.search(r" are '.*' and \d+ more", rest), text
    else:
        assert not [name for name in known if repr(name) not in rest], text


@pytest.mark.parametrize(("line", "near", "known"), LINES)
def test_a_wrong_name_on_the_line(line, near, known):
    check_hint(said(*line.split()), near, known)


@pytest.mark.parametrize(("old", "new", "near", "known"), STUDIES)
def test_a_wrong_name_in_a_study(place, old, new, near, known):
    assert old in STUDY
    (place / "study.toml").write_text(STUDY.replace(old, new, 1))
    check_hint(said("reproduce", "study.toml", "-o", "out"), near, known)


def test_causes_that_are_to_be_one(tmp_path):
    record = ["clarify", "record", "--runs", tmp_path]
    for number, cause in enumerate(["full", "locked"]):
        line = [*record, "--label", cause, "--input", number, "--", "python", "-c", "raise SystemExit(3)"]
        commands.run(*line, code=3)
    check_hint(said("clarify", "train", tmp_path, "--merge", "full+loked"), "locked", ["full", "locked"])


def test_few_options_are_listed_in_full():
    text = said("show", "model.json", "--formt", "svg")
    assert "No such option: --formt; did you mean '--format'? The options are '--format', " in text
    assert "'--help'" in text and "more" not in text


def test_a_name_that_is_near_to_nothing():
    text = said("zzz")
    assert "No such command 'zzz'; the commands are 'demo', 'describe', 'fit', " in text
    assert json.dumps(text).count("did you mean") == 0


def test_a_slip_in_a_cost_file_is_named_by_compare_as_by_fit(tmp_path):
    """It is no failure of the learners, and no traceback."""
    costs = tmp_path / "costs.csv"
    costs.write_text("actual,good,bad\ngood,0,1\nbad,oops,0\n")
    told = commands.run("compare", "german", "--costs", str(costs), "--learner", "c4.5", code=None).stderr
    assert (
        "costs.csv" in told and "'oops'" in told and "Traceback" not in told and "learner failed" not in told
    )
