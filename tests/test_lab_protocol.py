"""Protocol files: those of the papers are sound, those of users may be wrong and are told how."""

import textwrap
import tomllib
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from stakes import C45Classifier, CostMatrix, MinExpectedCost
from stakes.cli import app
from stakes.costs import abe_costs, ting_costs
from stakes.lab import ProtocolError, load_protocol, make_plan, papers, peers
from stakes.lab.allowed import check_paths
from stakes.lab.build import make_learner
from stakes.lab.protocol import FOLDER
from stakes.lab.sources import fresh_data, read_data, split_rows
from stakes.lab.specs import CostSpec, DataSpec, LearnerSpec, SplitSpec
from stakes.lab.trial_costs import trial_costs, trial_prices

GOOD = """
title = "Mine"

[[dataset]]
name = "mine"
file = "mine.csv"

[learners.tree]
class = "stakes.C45Classifier"
params = { cost_use = "none" }

[study.main]
splits = { folds = 3 }
costs = { file = "costs.csv" }
"""
ROWS = "x,y,class\n" + "".join(f"{i},{i * 7 % 5},{'pq'[i % 2]}\n" for i in range(30))


@pytest.fixture
def place(tmp_path):
    (tmp_path / "mine.csv").write_text(ROWS)
    (tmp_path / "costs.csv").write_text("actual,p,q\np,0,2\nq,5,0\n")
    return tmp_path


def write(place, text):
    path = place / "mine.toml"
    path.write_text(textwrap.dedent(text))
    return path


@pytest.mark.parametrize("name", papers())
def test_the_papers_protocols_can_be_read(name):
    protocol = load_protocol(name)
    for table in protocol.tables:
        assert (
            table.paper
            or "not in the paper" in table.title
            or "kept" in table.title
            or table.kind == "figure"
        )
        labels = {spec.name for spec in protocol.studies[table.study].datasets}
        if table.rows[0] == "dataset":
            named = {row[0] for row in table.paper} - labels
            assert all(table.mean is not None and row.startswith(table.mean) for row in named), named


def test_a_users_file(place):
    protocol = load_protocol(write(place, GOOD))
    assert protocol.name == "mine"
    study = protocol.studies["main"]
    assert study.datasets[0].file == str(place / "mine.csv")
    assert study.splits.folds == 3
    [table] = protocol.tables
    assert table.columns[0].learner == "tree" and table.columns[0].measure == "mean_cost"


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        (
            "folds = 3",
            "folds = 'ten'",
            "mine.toml: study.main.splits.folds must be an integer >= 2, got 'ten'",
        ),
        ("folds = 3", "folds = 1", "must be an integer >= 2, got 1"),
        ("folds = 3", "fold = 3", "study.main.splits.fold is not known; did you mean 'folds'"),
        (
            "folds = 3",
            "kind = 'tenfold'",
            "splits.kind must be one of its choices, got 'tenfold'; did you mean 'folds'",
        ),
        ('title = "Mine"', "", "mine.toml: title is missing; it must be text"),
        ('title = "Mine"', "title = 3", "title must be text, got 3"),
        ('file = "mine.csv"', "", "dataset.0..load must be given, or else file, generate or missing"),
        (
            'file = "costs.csv"',
            'model = "tings"',
            "costs.model must be a cost model.*got 'tings'; did you mean 'ting'",
        ),
        ('file = "costs.csv"', "matrix = [[0, 1]]", "matrix must be a square list of lists"),
        ('file = "costs.csv"', "by_class = ['a']", "by_class must be a list of numbers"),
        (
            "[study.main]",
            "[study.main]\ndatasets = ['yours']",
            "datasets must be a list of data sets, .*the data sets are 'mine'",
        ),
        (
            "[study.main]",
            "[study.main]\nlearners = ['rule']",
            "learners must be a list of learners, .*the learners are 'tree'",
        ),
        ('class = "stakes.C45Classifier"', "", "learners.tree.class must be an import path"),
        (
            "[learners.tree]",
            "[learners.tree]\ninput = 'text'",
            "learners.tree.input must be one of its choices, got 'text'; .* are 'table', 'numbers'",
        ),
        ("[study.main]", "[[table]]\nnumber = '1'\n[study.main]", "table.0..columns is missing"),
        ("title", "= 3\ntitle", "mine.toml: this is no TOML file"),
    ],
)
def test_what_is_wrong_is_said(place, old, new, sentence):
    with pytest.raises(ProtocolError, match=sentence):
        load_protocol(write(place, GOOD.replace(old, new, 1)))


@pytest.mark.parametrize(
    "table, sentence",
    [
        (
            "columns = [{measure = 'costs', learner = 'tree'}]",
            "columns.0..measure must be a measure.*got 'costs'; did you mean 'cost'",
        ),
        (
            "columns = [{measure = 'cost', learner = 'bush'}]",
            "learner must be a list of learners, .*the learners are 'tree'",
        ),
        (
            "columns = [{measure = 'cost', learner = 'tree', over = 'bush'}]",
            "over must be one of the learners",
        ),
        ("columns = [{measure = 'size_', learner = 'tree'}]", "one of the study's attributes"),
        (
            "rows = ['row']\ncolumns = [{measure = 'cost', learner = 'tree'}]",
            "rows must be .*, got 'row'; the choices are 'group', ",
        ),
        (
            "columns = [{measure = 'cost', learner = 'tree'}]\npaper = {mine = [1, 2]}",
            "mine must be a list of 1 num",
        ),
    ],
)
def test_what_is_wrong_in_a_table_is_said(place, table, sentence):
    with pytest.raises(ProtocolError, match=sentence):
        load_protocol(write(place, GOOD + "\n[[table]]\nnumber = '1'\n" + table + "\n"))


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        (
            "stakes.C45Classifier",
            "stakes.C46Classifier",
            "learners.tree: 'stakes.C46Classifier' must be the import",
        ),
        (
            "cost_use",
            "cost_usage",
            "learners.tree: stakes.C45Classifier: .*cost_usage.*did you mean 'cost_use'",
        ),
    ],
)
def test_learners_that_cannot_be_made_stop_before_anything_runs(place, old, new, sentence):
    with pytest.raises(ProtocolError, match=sentence):
        make_plan(load_protocol(write(place, GOOD.replace(old, new))))


def test_unknown_names_of_papers_tables_and_data_sets():
    with pytest.raises(
        ValueError, match=r"must be that of a paper .*got .ting2002.; the papers are .*ting1998"
    ):
        load_protocol("ting2002")
    with pytest.raises(
        ValueError, match="table must be one of those of ting1998, got '7'; the tables are '1', '2', 'priors'"
    ):
        make_plan(load_protocol("ting1998"), tables=["7"])
    with pytest.raises(ValueError, match=r"datasets must be some of those of ting1998.*got .titanic."):
        make_plan(load_protocol("ting1998"), datasets=["titanic"])


# ---- what the parts of a trial are made of


def test_learners_are_told_costs_and_seed_inside_too():
    costs = CostMatrix([[0, 1], [5, 0]])
    inner = {"class": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 2}}
    made = make_learner(LearnerSpec("m", "stakes.MinExpectedCost", {"estimator": inner}), costs, None, 7)
    assert isinstance(made, MinExpectedCost) and made.cost_matrix is costs
    tree = made.estimator.steps[-1][1]
    assert (tree.max_depth, tree.random_state) == (2, 7)
    inner = {"class": "stakes.C45Classifier"}  # the one around it has the costs, and may number the classes
    made = make_learner(LearnerSpec("m", "stakes.Guard", {"estimator": inner}), costs, None, 7)
    assert made.cost_matrix is costs and made.estimator.cost_matrix is None
    made = make_learner(
        LearnerSpec("m", "stakes.Guard", {"estimator": inner | {"costs": True}}), costs, None, 7
    )
    assert made.estimator.cost_matrix is costs
    made = make_learner(LearnerSpec("m", "stakes.C45Classifier", {"prune": {}}), costs, None, 7)
    assert made.prune is None
    with pytest.raises(
        ValueError, match="an estimator inside another has class, params, input and costs, got parm"
    ):
        make_learner(LearnerSpec("m", "stakes.Guard", {"estimator": inner | {"parm": 1}}), costs, None, 7)
    told = make_learner(LearnerSpec("m", "stakes.C45Classifier", {}, costs=False), costs, None, 7)
    assert isinstance(told, C45Classifier) and told.cost_matrix is None
    turned = make_learner(LearnerSpec("m", "stakes.C45Classifier", transposed=True), costs, None, 7)
    np.testing.assert_array_equal(turned.cost_matrix.values, costs.values.T)
    assert turned.cost_matrix.classes == costs.classes and (costs.values != costs.values.T).any()
    own = make_learner(
        LearnerSpec("m", "sklearn.tree.DecisionTreeClassifier", {"random_state": 1}), costs, None, 7
    )
    assert own.random_state == 1


@pytest.mark.parametrize("method", ["stakes", "scikit-learn"])
def test_folds_part_the_rows(method):
    codes = np.repeat([0, 1, 2], [30, 12, 11])
    spec = SplitSpec(folds=5, method=method, seed=3)
    parts = [split_rows(spec, codes, 0, fold) for fold in range(5)]
    assert sorted(np.concatenate([test for _, test in parts]).tolist()) == list(range(53))
    for train, test in parts:
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(53))
        assert set(codes[test]) == {0, 1, 2}
    again = split_rows(spec, codes, 1, 0)[1]
    assert again.tolist() != parts[0][1].tolist()
    assert split_rows(SplitSpec(folds=5, method=method, seed=4), codes, 0, 0)[1].tolist() == again.tolist()


def test_categories_can_be_taken_for_missing_values(place):
    (place / "mine.csv").write_text("a,b,class\nx,1,p\ny,2,q\nz,3,p\n,4,q\n")
    spec = DataSpec("mine", file=str(place / "mine.csv"), target="class", unknown=("y", "1"))
    table = read_data(spec).part.X
    assert table.schema.columns[0].categories == ("x", "z")
    assert table.columns[0].tolist() == [0, -1, 1, -1] and table.columns[1].tolist() == [1, 2, 3, 4]


def test_a_holdout_has_every_class():
    codes = np.array([0] * 50 + [1])
    for repeat in range(20):
        train, test = split_rows(SplitSpec(kind="holdout", train=0.2), codes, repeat, 0)
        assert len(train) == 10 and 50 in train
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(51))
    stratified = split_rows(SplitSpec(kind="holdout", train=0.5, stratify=True), np.repeat([0, 1], 10), 0, 0)
    assert np.bincount(np.repeat([0, 1], 10)[stratified[0]]).tolist() == [5, 5]
    with pytest.raises(ValueError, match="no split of 1 training rows has all 2 classes"):
        split_rows(SplitSpec(kind="holdout", train=0.02), codes, 0, 0)


def test_costs_of_a_trial():
    data = read_data(DataSpec("g", load="german"))
    train = np.arange(700)
    assert trial_costs(CostSpec("published"), data, train).values.tolist() == [[0, 1], [5, 0]]
    assert trial_costs(CostSpec("known"), data, train) == trial_costs(CostSpec("published"), data, train)
    assert trial_costs(CostSpec("by_class", values=(5, 1)), data, train).values.tolist() == [[0, 5], [1, 0]]
    assert trial_costs(CostSpec("equal"), data, train).values.tolist() == [[0, 1], [1, 0]]
    drawn = trial_costs(CostSpec("ting", "fold"), data, train, 3, 4)
    assert drawn == ting_costs(data.classes, 3004)
    assert trial_costs(CostSpec("ting", "repeat"), data, train, 3, 4) == ting_costs(data.classes, 3)
    shares = np.bincount(data.codes[train])
    assert trial_costs(CostSpec("abe", "repeat"), data, train, 2) == abe_costs(data.classes, shares, 2)
    path = trial_costs(CostSpec("stakes.costs.ting_costs", "repeat", seed=1), data, train, 2)
    assert path == ting_costs(data.classes, 3)
    with pytest.raises(ValueError, match="by_class must have 2 costs"):
        trial_costs(CostSpec("by_class", values=(1, 2, 3)), data, train)
    prices = trial_prices(CostSpec("davis", "repeat"), ("a", "b"), 1, 5)
    assert set(prices.features) == {"a", "b"}


def test_data_sets_can_be_changed(place):
    whole = read_data(DataSpec("m", file=str(place / "mine.csv")))
    assert read_data(DataSpec("m", file=str(place / "mine.csv"), sample=0.5)).codes.shape == (15,)
    rows = ROWS + "".join("1,2,rare\n" for _ in range(2))
    (place / "rare.csv").write_text(rows)
    less = read_data(DataSpec("m", file=str(place / "rare.csv"), rare=3))
    assert less.classes.tolist() == ["p", "q"]
    assert less.digest == whole.digest  # the same rows in the end
    (place / "gap.csv").write_text(ROWS.replace("0,0,p", "0,,p"))
    assert read_data(DataSpec("m", file=str(place / "gap.csv"))).digest != whole.digest
    (place / "words.csv").write_text("x,class\n" + "a,p\nb,q\nb,p\n,q\n")
    coded = read_data(DataSpec("m", file=str(place / "words.csv"), as_numbers=True))
    assert not coded.part.X.schema.columns[0].is_nominal
    assert np.isnan(coded.part.X.columns[0]).sum() == 1


def test_fresh_rows_differ_by_repeat():
    spec, splits = (
        DataSpec("w", generate="stakes.datasets.waveform"),
        SplitSpec("fresh", train_rows=30, test_rows=50),
    )
    first, again, other = (fresh_data(spec, splits, repeat) for repeat in (0, 0, 1))
    assert first.digest == again.digest != other.digest
    train, test = split_rows(splits, first.strata, 0, 0)
    assert (len(train), len(test)) == (30, 50)


# ---- what a file may name ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "subprocess.Popen",
        "os.system",
        "stakes.forensics.record",
        "stakes.load_model",
        "stakes.lab.build.import_object",
        "sklearn.datasets.fetch_openml",
        "labmodels.Slow",
    ],
)
def test_a_file_cannot_name_what_is_run(place, path):
    words = rf"mine\.toml: class must be an estimator of stakes or sklearn, got '{path}'.*--allow-imports"
    own = 'class = "stakes.C45Classifier"\nparams = { cost_use = "none" }'
    inner = f'class = "stakes.Guard"\nparams.estimator = {{ class = "{path}", params = {{ args = ["x"] }} }}'
    for text in (GOOD.replace("stakes.C45Classifier", path, 1), GOOD.replace(own, inner, 1)):
        file = write(place, text)
        with pytest.raises(ProtocolError, match=words):
            load_protocol(file)
        load_protocol(file, allow_imports=True)


def test_nothing_is_imported_that_a_file_must_not_name(place, monkeypatch):
    (place / "spring.py").write_text("raise SystemExit('sprung')")
    monkeypatch.syspath_prepend(place)
    with pytest.raises(ProtocolError, match=r"got 'spring\.Trap'"):
        load_protocol(write(place, GOOD.replace("stakes.C45Classifier", "spring.Trap", 1)))
    result = CliRunner().invoke(app, ["reproduce", str(place / "mine.toml"), "-o", str(place / "out")])
    assert result.exit_code == 1 and "--allow-imports" in result.stderr and not (place / "out").exists()


def test_known_learners_can_be_named(place):
    for path in (
        "sklearn.svm.SVC",
        "stakes.BoostedStakes",
        "stakes.lab.CheapestTree",
        "xgboost.XGBClassifier",
    ):
        load_protocol(write(place, GOOD.replace("stakes.C45Classifier", path, 1)))


def test_peers_are_among_the_learners_that_can_be_named():
    for name, values in peers._learners().items():
        check_paths(values, Path(name))
    for name in papers():
        check_paths(tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8")), Path(name))
