"""What a protocol file says, key by key, and the units that follow from it."""

import copy
import sys
from dataclasses import replace

import numpy as np
import pytest

from stakes import datasets
from stakes.compare.trial import Part
from stakes.lab import ProtocolError, compare_with_peers, make_plan
from stakes.lab._sections import Section
from stakes.lab.build import make_learner
from stakes.lab.peers import _values, peer_names
from stakes.lab.plan import NOT_ASKED, NOT_QUICK, is_wanted
from stakes.lab.protocol import parse_protocol
from stakes.lab.sources import Data, fresh_data, read_data, split_rows
from stakes.lab.specs import ColumnSpec, CostSpec, DataSpec, LearnerSpec, QuickSpec, SplitSpec, TableSpec
from stakes.lab.trial_costs import trial_costs

FULL = {
    "title": "All keys",
    "notes": ["one", "two"],
    "dataset": [
        {
            "name": "mine", "file": "mine.csv", "target": "kind", "group": "g", "rare": 3, "sample": 0.5,
            "as_numbers": True, "unknown": ["?"], "classes": ["q", "p"],
            "params": {"tree": {"min_samples_leaf": 7}},
            "costs": {"by_class": [1, 2], "classes": ["q", "p"]},
            "splits": {
                "kind": "holdout", "train": 0.6, "stratify": True, "method": "scikit-learn", "seed": 4,
                "repeats": 2,
            },
        },
        {"name": "German", "load": "german"},
        {
            "name": "drawn", "generate": "stakes.datasets.waveform",
            "splits": {"kind": "fresh", "train_rows": 5, "test_rows": 6},
        },
        {"name": "lost", "missing": "why"},
    ],
    "learners": {
        "tree": {
            "class": "stakes.C45Classifier", "params": {"prune": "error"}, "abstains": True, "costs": False,
        },
        "nb": {"class": "sklearn.naive_bayes.GaussianNB", "optional": True},
        "swept": {"class": "stakes.C45Classifier", "input": "frame", "grid": {"min_samples_leaf": [2, 5]}},
        "none": {"missing": "nobody has it"},
    },
    "study": {
        "main": {
            "datasets": ["mine", "German"], "learners": ["swept", "tree"],
            "cases": {"a": {"model": "ting", "per": "repeat", "seed": 3}, "b": {"matrix": [[0, 1], [2, 0]]}},
            "splits": {"folds": 4, "repeats": 3}, "prices": {"model": "davis"}, "attributes": ["n_nodes_"],
            "quick": {
                "repeats": 2, "folds": 2, "datasets": ["German"], "learners": ["tree"],
                "params": {"tree": {"min_samples_leaf": 50}},
            },
        },
        "plain": {},
    },
    "table": [
        {
            "number": "1", "title": "T", "rows": ["dataset", "case"], "mean": "Mean", "transpose": True,
            "ranks": "cost", "notes": ["n"], "datasets": ["German"], "learners": ["tree"],
            "columns": [
                {"learner": ["tree", "swept min_samples_leaf=2"], "measure": "mean_cost"},
                {
                    "learner": "tree", "measure": ["cost", "n_nodes_"], "label": "L",
                    "over": "swept min_samples_leaf=5", "digits": 4, "scale": 100, "mean": False,
                },
                {"measure": "error_rate", "learner": "tree", "minus": "tree"},
            ],
            "paper": {"German": {"a": [1, 2, 3, 4.5, 6]}},
            "paper_spread": {"German": {"a": [1, 2, 3, 4, 5]}},
        },
    ],
    "figure": [
        {
            "number": 2, "study": "plain", "rows": ["learner"], "x_label": "x", "log_x": True,
            "columns": [{"measure": "leaves"}],
        },
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def protocol(tmp_path_factory):
    return parse_protocol(FULL, tmp_path_factory.mktemp("full") / "full.toml")


# ---- reading


def test_every_key_of_a_data_set(protocol):
    mine, german = protocol.studies["main"].datasets
    assert (protocol.name, protocol.title, protocol.notes) == ("full", "All keys", ("one", "two"))
    assert mine == DataSpec(
        "mine", None, mine.file, None, "kind", "g", None, 3, 0.5, True, ("q", "p"), {},
        CostSpec("by_class", "study", (1.0, 2.0), ("q", "p")),
        SplitSpec("holdout", 10, 2, 0.6, 0, 0, True, "scikit-learn", 4), (), ("?",),
    )  # fmt: skip
    assert mine.file.endswith("mine.csv") and mine.params == {"tree": {"min_samples_leaf": 7}}
    assert german == DataSpec("German", "german") and german.params == {}
    whole = protocol.studies["plain"].datasets
    assert whole[2].splits == SplitSpec("fresh", train_rows=5, test_rows=6)
    assert [spec.missing for spec in whole] == [None, None, None, "why"]


def test_every_key_of_learners_and_studies(protocol):
    main, plain = protocol.studies["main"], protocol.studies["plain"]
    swept = LearnerSpec(
        "swept min_samples_leaf=2",
        "stakes.C45Classifier",
        {"min_samples_leaf": 2},
        "frame",
        family="swept",
        x=2.0,
    )
    tree = LearnerSpec(
        "tree", "stakes.C45Classifier", {"prune": "error"}, "table", True, False, family="tree"
    )
    assert main.learners == (
        swept,
        replace(swept, name="swept min_samples_leaf=5", params={"min_samples_leaf": 5}, x=5.0),
        tree,
    )
    nb = LearnerSpec("nb", "sklearn.naive_bayes.GaussianNB", {}, "numbers", family="nb", optional=True)
    none = LearnerSpec("none", "", {}, "numbers", family="none", missing="nobody has it")
    assert plain.learners == (tree, nb, *main.learners[:2], none)
    assert main.cases == {
        "a": CostSpec("ting", "repeat", seed=3),
        "b": CostSpec("matrix", "study", ((0.0, 1.0), (2.0, 0.0))),
    }
    assert (main.splits, main.prices) == (SplitSpec(folds=4, repeats=3), CostSpec("davis"))
    assert main.attributes == ("n_nodes_",)
    assert main.quick == QuickSpec(2, 2, ("German",), ("tree",), {"tree": {"min_samples_leaf": 50}})
    assert (plain.cases, plain.splits, plain.prices) == ({"": CostSpec()}, SplitSpec(), None)
    assert (plain.quick, plain.attributes) == (QuickSpec(), ())
    assert (SplitSpec().parts, SplitSpec(folds=3).parts, SplitSpec("holdout").parts) == (10, 3, 1)


def test_every_key_of_a_table(protocol):
    table, figure = protocol.tables
    other = "swept min_samples_leaf=5"
    columns = (
        ColumnSpec("tree", "mean_cost", "tree"),
        ColumnSpec("swept min_samples_leaf=2", "mean_cost", "swept min_samples_leaf=2"),
        ColumnSpec("L", "cost", "tree", other, None, 4, 100.0, False),
        ColumnSpec("L", "n_nodes_", "tree", other, None, 4, 100.0, False),
        ColumnSpec("error rate", "error_rate", "tree", None, "tree"),
    )
    assert table == TableSpec(
        "table", "1", "T", "main", ("dataset", "case"), columns, ("German",), ("tree",), "Mean",
        {("German", "a"): (1, 2, 3, 4.5, 6)}, {("German", "a"): (1, 2, 3, 4, 5)}, True, "cost",
        "", False, ("n",),
    )  # fmt: skip
    assert figure == TableSpec(
        "figure", "2", "", "plain", ("learner",), (ColumnSpec("leaves", "leaves"),), x_label="x", log_x=True
    )


def test_titles_of_columns(tmp_path):
    def titles(**column):
        [_, figure] = changed(tmp_path, figure__0__columns=[column]).tables
        return [column.label for column in figure.columns]

    both = ["tree", "nb"]
    assert titles(learner=both, measure="cost") == both
    assert titles(learner=both, measure="cost", label="L") == ["tree L", "nb L"]
    assert titles(learner=both, measure=["cost", "mean_cost"]) == [
        "tree cost", "tree mean cost", "nb cost", "nb mean cost",
    ]  # fmt: skip
    assert titles(learner="tree", measure=["cost", "leaves"]) == ["cost", "leaves"]


def test_figures_of_a_paper_by_three_labels(tmp_path):
    figures = {"German": {"a": {"tree": [1]}, "b": {"tree": [2], "nb": [3]}}}
    table = {
        "number": "1", "study": "plain", "rows": ["dataset", "case", "learner"], "paper": figures,
        "columns": [{"measure": "cost"}],
    }  # fmt: skip
    assert changed(tmp_path, table__0=table).tables[0].paper == {
        ("German", "a", "tree"): (1.0,), ("German", "b", "tree"): (2.0,), ("German", "b", "nb"): (3.0,),
    }  # fmt: skip


def test_one_row_each_is_enough_for_data_that_is_generated(tmp_path):
    fresh = {"kind": "fresh", "train_rows": 1, "test_rows": 1}
    assert changed(tmp_path, dataset__2__splits=fresh).studies["plain"].datasets[2].splits.train_rows == 1


def test_a_study_without_tables_has_one(tmp_path):
    def only(**study):
        values = {key: FULL[key] for key in ("title", "dataset", "learners")}
        return parse_protocol(values | {"study": {"s": study}}, tmp_path / "f.toml").tables

    [table] = only(learners=["tree", "nb"])
    columns = tuple(ColumnSpec(name, "mean_cost", name, digits=3) for name in ("tree", "nb"))
    assert table == TableSpec(
        "table", "s", "Mean cost per row", "s", ("dataset",), columns, mean="Mean", ranks="mean_cost"
    )
    [cases] = only(cases={"a": {"model": "equal"}, "b": {"model": "equal"}})
    assert cases.rows == ("dataset", "case")


def changed(place, **parts):
    """The protocol with other parts, each a dotted path with two underscores."""
    values = copy.deepcopy(FULL)
    for path, value in parts.items():
        *way, last = [int(key) if key.isdecimal() else key for key in path.split("__")]
        at = values
        for key in way:
            at = at[key]
        at[last] = value
    return parse_protocol(values, place / "f.toml")


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"dataset__3__load": "x"}, r"dataset\[3\].load must be given, .*, got 'load and missing'"),
        ({"dataset__2__splits": {"folds": 3}}, r"dataset\[2\].splits must be a table with kind = \"fresh\""),
        ({"dataset__2__splits__test_rows": 0}, "train_rows must be given with test_rows, both at least 1"),
        ({"dataset__0__sample": 1.0}, "sample must be a number between 0 and 1, got 1.0"),
        ({"dataset__0__as_numbers": 1}, "as_numbers must be true or false, got 1"),
        ({"dataset__0__rare": -1}, "rare must be an integer >= 0, got -1"),
        ({"dataset__0__rare": True}, "rare must be an integer >= 0, got True"),
        ({"dataset__0__classes": [1]}, "classes must be a list of texts"),
        ({"study__main__splits": 3}, "study.main.splits must be a table, got 3"),
        ({"dataset__0": 3}, r"dataset must be an array of tables, \[\[dataset\]\]"),
        ({"study__plain__costs": {"model": "ting", "by_class": [1]}}, "costs.model must be given, or else"),
        ({"study__plain__costs": {"matrix": [[0, 1], [1]]}}, "matrix must be a square list of lists"),
        ({"study__plain__costs": {"matrix": 3}}, "matrix must be a square list of lists"),
        ({"study__plain__costs": {"by_class": [True]}}, "by_class must be a list of numbers"),
        ({"study__main__quick__repeats": 0}, "quick.repeats must be an integer >= 1, got 0"),
        ({"study__main__quick__folds": 1}, "quick.folds must be an integer >= 2, got 1"),
        ({"study__main__quick__learners": ["nb"]}, "got 'nb'; the learners are 'swept', 'tree'"),
        ({"learners__swept__grid": {"a": [1], "b": [2]}}, "grid must be a table of one parameter"),
        ({"learners__swept__grid": {"a": 1}}, "grid must be a table of one parameter"),
        ({"table__0__columns__1__minus": "nb"}, "minus must be one of the learners"),
        ({"table__0__columns__1__scale": 0}, "scale must be a number between 0 and 1e"),
        ({"table__0__colums": 1}, "colums is not known; did you mean 'columns'.*The keys here are"),
        ({"table__0__paper": {"German": {"a": [1]}}}, "a must be a list of 5 numbers"),
        ({"figure__0__rows": ["places"]}, "got 'places'; .* are 'group', 'dataset', 'case', 'learner'"),
        ({"figure__0__study": "x"}, "study must be .*, got 'x'; the choices are 'main', 'plain'"),
        ({"zzz": 1}, "f.toml: zzz is not known; the keys here are [a-z', ]*[.]$"),
        ({"dataset__0": {"file": "a.csv"}}, r"dataset\[0\].name is missing; it must be text"),
        ({"dataset__2__splits__train_rows": 0}, "train_rows must be given with test_rows, both at least 1"),
        ({"study__plain__splits": {"repeats": 0}}, "splits.repeats must be an integer >= 1, got 0"),
        ({"study__plain__splits": {"train": 1.0}}, "splits.train must be a number between 0 and 1, got 1.0"),
        ({"study__plain__costs": {"by_class": [1, "a"]}}, "by_class must be a list of numbers"),
        ({"study__plain__costs": {"model": "equal", "zz": 1}}, "study.plain.costs.zz is not known"),
        ({"study__plain__zz": 1}, "study.plain.zz is not known"),
        ({"study__main__quick__zz": 1}, "study.main.quick.zz is not known"),
        ({"learners__tree__zz": 1}, "learners.tree.zz is not known"),
        ({"learners__tree__transposed": 1}, "learners.tree.transposed must be true or false, got 1"),
        ({"dataset__0__classes": ["a", 1]}, "classes must be a list of texts"),
        ({"table__0__columns__1__scale": True}, "scale must be a number between 0 and 1e"),
        ({"figure__0__columns": [{"learner": "tree"}]}, "measure is missing; it must be the name of a meas"),
        (
            {"figure__0__columns__0__zz": 1},
            "zz is not known; the keys here are 'digits', .*'mean', 'measure', 'minus', 'over', 'scale'[.]$",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path, parts, sentence):
    with pytest.raises(ProtocolError, match=sentence):
        changed(tmp_path, **parts)


def test_a_missing_part_is_named(tmp_path):
    for part, words in (
        ("dataset", "dataset is missing; it must be an array of tables"),
        ("learners", "learners is missing; it must be a table of learners"),
        ("study", "study is missing; it must be a table of studies"),
    ):
        values = {key: value for key, value in FULL.items() if key != part}
        values = {key: value for key, value in values.items() if key not in ("table", "figure", "study")} | (
            {} if part == "study" else {"study": {"s": {}}}
        )
        with pytest.raises(ProtocolError, match=words):
            parse_protocol(values, tmp_path / "f.toml")


def test_values_that_are_long_are_cut():
    section = Section("f", "", {"a": "x" * 58, "b": "y" * 59})
    assert str(section.fail("a", "short", section.values["a"])).endswith(f"got '{'x' * 58}'")
    assert str(section.fail("b", "short", section.values["b"])).endswith(f"got '{'y' * 56}...")


# ---- the plan


def test_units_of_a_table(protocol):
    """Two cases, three repeats and four folds of one data set for three learners; the other is lost."""
    plan = make_plan(protocol, tables=["1"], datasets=["german"])
    names = ["swept min_samples_leaf=2", "swept min_samples_leaf=5", "tree"]
    assert list(plan.keys) == [("main", "German", case, name) for case in "ab" for name in names]
    assert all(len(set(keys)) == 12 for keys in plan.keys.values())
    assert len(plan.all_keys) == 72 and len(plan.tasks) == 24
    first = plan.tasks[5]
    assert (first.case, first.repeat, first.fold, first.splits.folds) == ("a", 1, 1, 4)
    assert first.keys == tuple(plan.keys["main", "German", "a", name][5] for name in names)
    assert (first.prices, first.attributes) == (CostSpec("davis"), ("n_nodes_",))
    assert not plan.quick and [table.number for table in plan.tables] == ["1"]


def test_the_quick_version_of_a_study(protocol):
    plan = make_plan(protocol, tables=["1"], quick=True)
    assert plan.absent["main", "mine"] == NOT_QUICK
    assert plan.absent["main", "", "swept min_samples_leaf=5"] == NOT_QUICK
    assert {cell[3] for cell in plan.keys} == {"tree"} and len(plan.tasks) == 2 * 2 * 2
    assert plan.tasks[0].learners[0].params == {"prune": "error", "min_samples_leaf": 50}
    quick = plan.protocol.studies["main"]
    assert (quick.splits.repeats, quick.splits.folds) == (2, 2)
    assert (quick.datasets[0].splits.repeats, quick.datasets[0].splits.folds) == (2, 2)
    assert plan.protocol.studies["plain"].splits == SplitSpec() and plan.quick


def test_tables_beyond_the_paper_are_made_where_they_are_asked_for(tmp_path):
    protocol = changed(tmp_path, figure__0__more=True)
    assert [table.more for table in protocol.tables] == [False, True]

    def kinds(**asked):
        return [table.kind for table in make_plan(protocol, datasets=["German"], **asked).tables]

    assert kinds() == ["table"] and kinds(more=True) == ["table", "figure"]
    assert kinds(figures=["2"]) == ["figure"]


def test_what_can_be_had_and_what_was_asked_for(protocol):
    plan = make_plan(protocol, figures=["2"], datasets=["German", "lost", "drawn"])
    assert plan.absent == {
        ("plain", "", "none"): "nobody has it",
        ("plain", "mine"): NOT_ASKED,
        ("plain", "lost"): "why",
    }
    sizes = [(task.data.name, len(task.learners)) for task in plan.tasks]
    assert sizes == [*[("German", 4)] * 10, ("drawn", 4)]  # the largest first
    with pytest.raises(ValueError, match="figure must be one of those of full, got '7'; the figures are '2'"):
        make_plan(protocol, figures=["7"])
    german = DataSpec("German", "g-credit")
    assert [is_wanted(german, names) for names in (None, ["GERMAN"], ["G-Credit"], ["x"], [])] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_parameters_of_a_data_set_and_its_own_splits(tmp_path):
    rows = "\n".join(f"{i},{'pq'[i % 2]}" for i in range(12))
    (tmp_path / "mine.csv").write_text(f"x,kind\n{rows}\n")
    plan = make_plan(changed(tmp_path), figures=["2"], datasets=["mine"])
    [first, second] = plan.tasks
    assert (first.repeat, second.repeat, first.splits.train) == (0, 1, 0.6)
    assert first.learners[0].params == {"prune": "error", "min_samples_leaf": 7}
    assert first.costs.model == "by_class" and first.learners[1].params == {}
    gone = make_plan(changed(tmp_path, dataset__0__file="no.csv"), figures=["2"], datasets=["mine"])
    assert gone.absent["plain", "mine"].startswith("is not available: ") and gone.tasks == []
    wrong = changed(tmp_path, dataset__0__classes=["q", "r"])
    with pytest.raises(
        ProtocolError, match="data set mine: classes must be the labels p, q, in any order, got q, r"
    ):
        make_plan(wrong, figures=["2"], datasets=["mine"])


def test_a_plan_has_what_any_of_its_tables_shows(tmp_path):
    """One table is of one data set and learner, the other of all; alone, the first needs nothing else."""
    both = [
        {
            "number": number, "study": "plain", "rows": ["dataset", "learner"],
            "columns": [{"measure": "cost"}], **some,
        }
        for number, some in (("1", {"datasets": ["German"], "learners": ["tree"]}), ("2", {}))
    ]  # fmt: skip
    protocol = changed(tmp_path, table=both)
    alone = make_plan(protocol, tables=["1"], datasets=["German", "drawn"])
    assert {(cell[1], cell[3]) for cell in alone.keys} == {("German", "tree")}
    whole = make_plan(protocol, tables=["1", "2"], datasets=["German", "drawn"])
    assert {cell[1] for cell in whole.keys} == {"German", "drawn"}
    assert {cell[3] for cell in whole.keys} == {
        "tree",
        "nb",
        "swept min_samples_leaf=2",
        "swept min_samples_leaf=5",
    }


# ---- rows and costs


def test_rows_of_a_data_set():
    data = read_data(DataSpec("g", load="german", classes=("good", "bad")))
    table, published = datasets.load_table("german")
    assert data.classes.tolist() == ["good", "bad"] and data.size == 1000 * 20
    assert data.codes.tolist() == [int(label == "bad") for label in table.labels()]
    assert data.strata.tolist() == [int(label == "good") for label in table.labels()]
    assert data.published == published
    half = read_data(DataSpec("g", load="german", sample=0.25))
    drawn = np.sort(np.random.default_rng(0).permutation(1000)[:250])
    assert half.part.labels.tolist() == table.labels()[drawn].tolist()


def test_rows_without_a_class_and_rare_classes_are_left_out(tmp_path):
    (tmp_path / "d.csv").write_text("x,class\n" + "1,a\n" * 3 + "2,b\n" * 2 + "3,?\n" + "4,c\n")
    read = [read_data(DataSpec("d", file=str(tmp_path / "d.csv"), rare=rare)) for rare in (0, 2, 3)]
    assert [data.part.labels.tolist() for data in read] == [list("aaabbc"), list("aaabb"), list("aaa")]
    (tmp_path / "e.csv").write_text("x,y\n1,2\n")
    with pytest.raises(
        ProtocolError, match="target must be the column of the classes, one of 'x', 'y'; none is"
    ):
        read_data(DataSpec("e", file=str(tmp_path / "e.csv")))


def test_parts_of_rows():
    codes = np.repeat([0, 1], 5)
    train, test = split_rows(SplitSpec("all"), codes, 0, 0)
    assert train.tolist() == test.tolist() == list(range(10))
    train, test = split_rows(SplitSpec("fresh", train_rows=4, test_rows=6), codes, 0, 0)
    assert (train.tolist(), test.tolist()) == ([0, 1, 2, 3], [4, 5, 6, 7, 8, 9])
    train, test = split_rows(SplitSpec("holdout", train=0.6, seed=3), codes, 2, 0)
    order = np.random.default_rng(5).permutation(10)
    assert (train.tolist(), test.tolist()) == (sorted(order[:6].tolist()), sorted(order[6:].tolist()))
    first = fresh_data(
        DataSpec("w", generate="stakes.datasets.waveform"), SplitSpec("fresh", 1, 1, 0.5, 2, 3, seed=4), 2
    )
    assert first.part.labels.tolist() == np.asarray(datasets.waveform(5, random_state=6).y).tolist()


def test_costs_in_the_order_of_the_classes():
    classes, train = np.array(["p", "q"]), np.array([0])
    data = Data(Part(None, classes), classes, np.array([0, 1]), np.array([0, 1]), None, "")
    matrix = CostSpec("matrix", values=((0, 2), (3, 0)), classes=("q", "p"))
    assert trial_costs(matrix, data, train).values.tolist() == [[0, 3], [2, 0]]
    by_class = CostSpec("by_class", values=(2, 3), classes=("q", "p"))
    assert trial_costs(by_class, data, train).values.tolist() == [[0, 3], [2, 0]]
    assert trial_costs(CostSpec("known"), data, train).values.tolist() == [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="this one has none"):
        trial_costs(CostSpec("published"), data, train)
    assert trial_costs(CostSpec("abe"), data, train).values.shape == (2, 2)  # q has no training row


def test_learners_for_numbers_and_frames():
    nb = make_learner(LearnerSpec("n", "sklearn.naive_bayes.GaussianNB", input="numbers"), None, None, 0)
    assert [name for name, _ in nb.steps] == ["onehottable", "simpleimputer", "standardscaler", "gaussiannb"]
    assert nb.steps[1][1].strategy == "median"
    table, costs = datasets.load_table("german")
    framed = make_learner(LearnerSpec("n", "stakes.C45Classifier", input="frame"), costs, None, 0)
    assert list(framed.steps[0][1].transform(table).columns) == list(table.schema.names)
    inner = {"class": "sklearn.naive_bayes.GaussianNB", "input": "table"}
    made = make_learner(LearnerSpec("m", "stakes.MinExpectedCost", {"estimator": inner}), costs, None, 0)
    assert type(made.estimator).__name__ == "GaussianNB"
    plain = make_learner(LearnerSpec("m", "stakes.C45Classifier", {"criterion": "gain"}), None, None, 0)
    assert (plain.criterion, plain.cost_matrix, plain.feature_costs) == ("gain", None, None)


# ---- the protocol that nobody has to write


def test_the_protocol_of_a_comparison(tmp_path):
    values = _values("german", None, None, (), {"a": {}}, {"folds": 3})
    assert values["dataset"] == [{"name": "german", "load": "german"}]
    assert values["study"] == {"comparison": {"splits": {"folds": 3}, "costs": {"model": "known"}}}
    assert [(c["measure"], c["digits"], c.get("scale")) for c in values["table"][0]["columns"]] == [
        ("mean_cost", 3, None), ("error_rate", 1, 100), ("leaves", 1, None),
    ]  # fmt: skip
    for path in ("d.csv", "folder/d", str(tmp_path)):
        named = _values(path, "c.csv", "y", ("id",), {}, {})
        assert named["dataset"][0]["file"] == path and named["dataset"][0]["target"] == "y"
        assert named["study"]["comparison"]["costs"] == {"file": "c.csv"}
    with pytest.raises(ValueError, match="target is for files"):
        _values("german", None, "y", (), {}, {})
    assert peer_names()[:2] == ["c4.5", "c4.5cs"]


def test_what_failed_and_what_is_not_there_is_said(monkeypatch, tmp_path):
    learners = {
        "good": {"class": "stakes.C45Classifier"},
        "bad": {"class": "stakes.C45Classifier", "params": {"confidence": -1.0}},
        "peer": {"class": "not_installed.Peer", "optional": True},
    }
    monkeypatch.setattr(sys.modules["stakes.lab.peers"], "_learners", lambda: learners)
    steps, folder = [], tmp_path / "a" / "b"
    found = compare_with_peers("german", n_folds=2, folder=folder, progress=lambda *step: steps.append(step))
    assert [one.name for one in found.comparison.results] == ["good"]
    assert found.absent == {"peer": "not installed"}
    assert len(found.failures) == 2 and len(found.times) == 4 and steps[-1][:2] == (4, 4)
    assert (found.comparison.n_folds, found.comparison.n_repeats) == (2, 1)
    assert (folder / "results.sqlite").exists() and (folder / "comparison-table-1.csv").exists()
    with pytest.raises(ValueError, match="every learner failed; the first: "):
        compare_with_peers("german", learners=["bad"], n_folds=2)
    assert (
        compare_with_peers("german", learners=["good"], n_folds=2, n_repeats=2, seed=5).comparison.n_repeats
        == 2
    )
