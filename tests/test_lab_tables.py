"""Tables: what their figures are, and how they are written."""

import csv
import io
import json

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from typer.testing import CliRunner

from stakes import C45Classifier, CostMatrix, datasets, read_table
from stakes.cli import app
from stakes.compare import CodedLabels, evaluate_learners, statistics
from stakes.compare.trial import Part, run_trial
from stakes.decision import InnerAnswers
from stakes.lab import CheapestTree, StochasticClassifier, compare_with_peers, reproduce
from stakes.lab.measures import figure
from stakes.lab.pictures import figure_picture
from stakes.lab.results import Cell, Column, ResultTable, Row
from stakes.lab.writers import to_csv, to_json, to_latex, to_markdown

STUDY = """
title = "Sweeps"

[[dataset]]
name = "german"
load = "german"
group = "G"

[learners.tree]
class = "stakes.C45Classifier"
grid = { confidence = [0.1, 0.25] }

[learners.plain]
class = "stakes.C45Classifier"
costs = false

[learners.none]
missing = "nobody has it"

[learners.peer]
class = "not_installed.Classifier"
optional = true

[study.main]
splits = { kind = "holdout", train = 0.7, repeats = 3 }

[study.main.cases]
"5:1" = { by_class = [1, 5] }
"1:1" = { model = "equal" }

[[table]]
number = "1"
ranks = "mean_cost"
rows = ["dataset", "case"]
columns = [
  { label = "right", learner = "plain", measure = "correct:1", scale = 100, digits = 1 },
  { label = "less", learner = "tree confidence=0.1", minus = "plain", measure = "error_rate", digits = 4 },
  { learner = ["none", "peer"], measure = "mean_cost" },
]

[table.paper.german]
"5:1" = [50.0, nan, 1.5, nan]

[[table]]
number = "2"
rows = ["group"]
transpose = true
columns = [{ label = "cost_ratio", learner = "plain", over = "tree confidence=0.25", measure = "cost" }]

[[figure]]
number = "1"
rows = ["learner"]
learners = ["tree"]
columns = [{ label = "leaves", measure = "leaves" }]
x_label = "confidence"
log_x = true
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    (place / "sweeps.toml").write_text(STUDY)
    return reproduce(place / "sweeps.toml", place / "out", allow_imports=True), place / "out"


def by_hand(repeat, learner, costs):
    table, _ = datasets.load_table("german")
    order = np.random.default_rng(repeat).permutation(1000)
    rows = Part(table, table.labels())
    return run_trial(learner, rows.take(np.sort(order[:700])), rows.take(np.sort(order[700:])), costs)


def test_figures_are_means_over_the_trials(made):
    first = made[0].tables[0]
    assert [row.labels for row in first.rows] == [("german", "5:1"), ("german", "1:1")]
    _, costs = datasets.load_table("german")  # good as bad 1, bad as good 5, as in the first case
    plain = [by_hand(r, C45Classifier(), costs) for r in range(3)]
    right = [100 * trial.right[1] / trial.rows[1] for trial in plain]
    cell = first.rows[0].cells[0]
    assert cell.ours == pytest.approx(np.mean(right))
    assert cell.spread == pytest.approx(np.std(right, ddof=1) / np.sqrt(3))
    assert cell.difference == pytest.approx(cell.ours - 50)
    told = [by_hand(r, C45Classifier(cost_matrix=costs, confidence=0.1), costs) for r in range(3)]
    less = np.mean([a.errors - b.errors for a, b in zip(told, plain)]) / 300
    assert first.rows[0].cells[1].ours == pytest.approx(less)
    told = [by_hand(r, C45Classifier(cost_matrix=costs), costs) for r in range(3)]
    ratio = sum(t.cost for t in plain) / sum(t.cost for t in told)
    group = made[0].tables[1].rows[0]
    assert group.labels == ("G",) and group.cells[0].ours == pytest.approx(ratio)


def test_learners_that_cannot_be_had_are_listed(made):
    first = made[0].tables[0]
    assert "none: nobody has it." in first.notes and "peer: not installed." in first.notes
    assert first.rows[0].cells[2] == Cell(paper=1.5)


def test_figure_has_places_and_a_picture(made):
    found, folder = made
    assert [row.x for row in found.tables[2].rows] == [0.1, 0.25]
    assert (folder / "sweeps-figure-1.svg").read_text().count("<circle") == 2
    assert "confidence" in figure_picture(found.tables[2])


def test_markdown_and_latex(made):
    _, folder = made
    page = (folder / "sweeps.md").read_text()
    assert page.startswith("# Sweeps") and "|  | G |" in page  # the second table is turned
    assert "Figures are ours ± standard error (the paper's, difference)." in page
    latex = (folder / "sweeps-table-2.tex").read_text()
    assert r"cost\_ratio" in latex and latex.count(r"\hline") == 3


def sample():
    cells = (Cell(0.5, 0.25, 0.125, 0.1), Cell(None, None))
    columns = (Column("a|b", 3), Column("50% & more_", 1))
    return ResultTable(
        "p", "table", "1", "T", ("data set",), columns, (Row(("x",), cells),), ("note",), quick=True
    )


def test_every_format_has_the_figures():
    table = sample()
    assert "| x | 0.500 ± 0.125 (0.250, +0.250) |  |" in to_markdown(table)
    assert "a\\|b" in to_markdown(table)
    assert r"50\% \& more\_" in to_latex(table)
    lines = list(csv.reader(io.StringIO(to_csv(table))))
    assert lines[1] == ["x", "a|b", "0.5", "0.125", "0.25", "0.1", "0.25"]
    assert lines[2] == ["x", "50% & more_", "", "", "", "", ""]
    assert json.loads(to_json(table))["notes"] == ["note"]


def from_json(text):
    """The table that `to_json` has written."""
    values = json.loads(text)
    rows = tuple(
        Row(tuple(row["labels"]), tuple(Cell(**cell) for cell in row["cells"]), row["is_mean"], row["x"])
        for row in values.pop("rows")
    )
    columns = tuple(Column(**column) for column in values.pop("columns"))
    ranks = values.pop("ranks")
    if ranks is not None:
        tests = tuple(statistics.PairTest(**test) for test in ranks.pop("against_best"))
        groups = tuple(tuple(group) for group in ranks.pop("groups"))
        names, places = tuple(ranks.pop("names")), tuple(ranks.pop("ranks"))
        ranks = statistics.Ranks(names=names, ranks=places, groups=groups, against_best=tests, **ranks)
    for name in ("row_names", "notes"):
        values[name] = tuple(values[name])
    return ResultTable(**values, rows=rows, columns=columns, ranks=ranks)


def test_json_can_be_read_back(made):
    for table in [sample(), *made[0].tables]:
        assert from_json(to_json(table)) == table


def test_figures_of_one_trial():
    record = {
        "cost": 6.0, "weight": 12.0, "errors": 2.0, "undecided": 2.0, "right": [4.0, 4.0, 0.0],
        "rows": [6.0, 6.0, 0.0], "abstained": [1.0, 1.0, 0.0], "leaves": None, "attributes": {"n_": 3.0},
    }  # fmt: skip
    assert figure(record, "mean_cost") == 0.5
    assert figure(record, "accuracy") == 0.8  # of the ten that were decided
    assert figure(record, "undecided") == pytest.approx(1 / 6)
    assert figure(record, "correct:0") == pytest.approx(2 / 3)
    assert figure(record, "undecided:1") == pytest.approx(1 / 6)
    assert np.isnan(figure(record, "correct:2")) and np.isnan(figure(record, "leaves"))
    assert figure(record, "n_") == 3.0


class FirstRow(InnerAnswers):
    """Decides the first row only."""

    def decide(self, abstain_cost=None):
        decision = self.inner.decide()
        undecided = np.arange(len(decision.labels)) > 0
        return type(decision)(decision.labels, undecided, decision.expected_cost)


class Silent(C45Classifier):
    def answers(self, X):
        return FirstRow(self, super().answers(X))


def test_rows_left_undecided_cost_nothing():
    table, costs = datasets.load_table("german")
    rows = Part(table, table.labels())
    trial = run_trial(Silent(cost_matrix=costs), rows, rows, costs, abstains=True)
    assert trial.undecided == 999 and sum(trial.abstained) == 999
    assert trial.errors + sum(trial.right) == 1 and trial.cost <= 5


def test_weights_count():
    table, costs = datasets.load_table("german")
    rows = Part(table, table.labels())
    doubled = Part(table, table.labels(), np.full(1000, 2.0))
    tree = C45Classifier(cost_matrix=costs, min_samples_leaf=4)
    heavy, light = run_trial(tree, doubled, doubled, costs), run_trial(tree, rows, rows, costs)
    assert heavy.weight == 2000 and light.weight == 1000
    assert sum(heavy.rows) == 2000


# ---- Davis' tree


def test_cheapest_tree_is_what_a_plain_search_finds():
    data = datasets.load("german")
    table = datasets.load_table("german")[0].take(slice(0, 300))
    y = np.asarray(data.y)[:300]
    prices = {name: 1.0 + i % 4 for i, name in enumerate(table.schema.names)}
    found = CheapestTree(criterion="cs_gain", feature_costs=prices, n_folds=3, random_state=0).fit(table, y)
    base = C45Classifier().fit(table, y)
    own = C45Classifier(criterion="cs_gain", gamma=found.gamma_, feature_costs=prices).fit(table, y)
    paid = sum(prices[name] for name in set(base.fitted_tree_.schema.names[f] for f in features(base)))
    assert found.price_ratio_ == pytest.approx(own.upfront_cost(prices) / paid) and not found.kept_
    assert np.array_equal(found.predict(table), own.predict(table))
    kept = CheapestTree(criterion="gain_ratio", feature_costs=prices, n_folds=3).fit(table, y)
    assert kept.kept_ and kept.price_ratio_ == 1.0
    with pytest.raises(ValueError, match="feature_costs must be prices"):
        CheapestTree().fit(table, y)


def features(tree):
    tested = tree.fitted_tree_.tree.feature
    return np.unique(tested[tested >= 0]).tolist()


# ---- stakes compare


@pytest.fixture
def small(tmp_path):
    lines = [f"{i % 7},{'xyz'[i % 5 % 3]},{'pqr'[i * i % 7 % 3]}" for i in range(90)]
    (tmp_path / "d.csv").write_text("\n".join(["a,b,class", *lines]) + "\n")
    (tmp_path / "c.csv").write_text("actual,p,q,r\np,0,1,2\nq,3,0,4\nr,5,6,0\n")
    return tmp_path / "d.csv", tmp_path / "c.csv"


def test_versus_says_what_compare_says(small, tmp_path):
    data, costs = small
    found = compare_with_peers(data, costs=costs, learners=["c4.5", "c4.5cs"], n_folds=3, folder=tmp_path)
    table, matrix = read_table(data), CostMatrix.from_csv(costs)
    trees = {"C4.5": C45Classifier(cost_use="none"), "C4.5CS": C45Classifier(cost_matrix=matrix)}
    expected = evaluate_learners(trees, table, table.labels(), cost_matrix=matrix, n_folds=3)
    assert [result.cost for result in found.comparison.results] == [
        result.cost for result in expected.results
    ]
    assert found.comparison.tests == expected.tests and len(expected.tests) == 1
    assert (found.comparison.constant, found.comparison.n_rows) == (expected.constant, 90)
    assert (tmp_path / "comparison-table-1.md").exists()


def test_compare_command(tmp_path):
    arguments = ["compare", "german", "-l", "c4.5cs", "-l", "constant", "--folds", "3", "-j", "1"]
    text = CliRunner().invoke(app, arguments)
    assert text.exit_code == 0 and "3-fold cross-validation" in text.stdout
    assert "Always answering bad costs 0.7 per row" in text.stdout
    facts = CliRunner().invoke(app, [*arguments, "--json", "-o", str(tmp_path)])
    assert "What learners cost on german" in (tmp_path / "comparison.html").read_text(encoding="utf-8")
    assert [result["name"] for result in json.loads(facts.stdout)["results"]] == ["C4.5CS", "best constant"]


def test_compare_names_what_is_wrong():
    result = CliRunner().invoke(app, ["compare", "german", "-l", "c4.6"])
    assert result.exit_code == 1 and "did you mean 'c4.5' or 'c4.5cs'?" in " ".join(result.stderr.split())
    result = CliRunner().invoke(app, ["compare", "nothing-of-the-kind", "-j", "1", "-l", "c4.5"])
    assert result.exit_code == 1 and "is not available" in result.stderr


def test_peers_that_are_installed_run(small):
    data, costs = small
    peers = ["forest", "logistic", "sklearn_mc"]
    found = compare_with_peers(data, costs=costs, learners=peers, n_folds=2)
    assert not found.failures and len(found.comparison.results) == 3


def test_coded_labels():
    from sklearn.tree import DecisionTreeClassifier

    X, y = np.arange(12.0)[:, None], np.array(["b", "a", "c"] * 4)
    model = CodedLabels(DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert model.estimator_.classes_.tolist() == [0, 1, 2]
    assert model.predict(X).tolist() == y.tolist()
    assert model.predict_proba(X).argmax(axis=1).tolist() == np.searchsorted(model.classes_, y).tolist()


def test_drawn_answers_follow_the_probabilities():
    X, y = np.zeros((200, 1)), np.repeat(["p", "q", "r"], [20, 80, 100])
    model = StochasticClassifier(DummyClassifier(), random_state=3).fit(X, y)
    many = np.zeros((20_000, 1))
    labels, counts = np.unique(model.predict(many), return_counts=True)
    assert labels.tolist() == ["p", "q", "r"]
    assert counts / 20_000 == pytest.approx([0.1, 0.4, 0.5], abs=0.015)
    assert (model.predict(many) == model.predict(many)).all()


def test_ranks_are_of_the_learners_in_the_table(made):
    """The study has one more, and two that are not available."""
    ranks = made[0].tables[0].ranks
    assert set(ranks.names) == {
        "plain",
        "tree confidence=0.1",
    }
    assert ranks.n_datasets == 2
