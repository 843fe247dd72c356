"""Tables from records that are given by hand, and every format that they are written in, whole."""

import math
import textwrap
from dataclasses import replace

import pytest

from stakes.compare.statistics import PairTest, Ranks, rank_learners
from stakes.lab import study, tables
from stakes.lab.plan import NOT_ASKED, Plan
from stakes.lab.results import Cell, Column, ResultTable, Row
from stakes.lab.specs import (
    ColumnSpec,
    DataSpec,
    LearnerSpec,
    Protocol,
    QuickSpec,
    SplitSpec,
    Study,
    TableSpec,
)
from stakes.lab.store import Outcome
from stakes.lab.study import Reproduction
from stakes.lab.writers import grid, latex_escape, ranks_text, to_csv, to_latex, to_markdown, write_tables

RANKS = Ranks(("a", "b"), (1.25, 1.75), 4, 0.125, 0.98, 0.05, (("a", "b"),), (PairTest("b", 1.0, 0.25, 0.5),))
TABLE = ResultTable(
    "p", "table", "1", "Costs", ("data set", "costs"), (Column("a|b", 1), Column("50 % of C_4", 2)),
    (
        Row(("x", "1:1"), (Cell(1.25, 1.0, 0.5), Cell(None, 2.0))),
        Row(("Mean", ""), (Cell(2.0), Cell(3.0, 4.0)), is_mean=True),
    ),
    ("a note",), ranks=RANKS,
)  # fmt: skip


def text(lines):
    return textwrap.dedent(lines).lstrip("\n")


# ---- formats


def test_markdown_whole():
    assert to_markdown(TABLE) == text(
        r"""
        ### Table 1: Costs

        | data set | costs | a\|b | 50 % of C_4 |
        |---|---|---|---|
        | x | 1:1 | 1.2 ± 0.5 (1.0, +0.2) | – (2.00) |
        | **Mean** |  | **2.0** | **3.00 (4.00, -1.00)** |

        Average ranks over 4 data sets: a 1.25, b 1.75. Friedman's p 0.12. Critical difference 0.98 at 0.05 (Nemenyi); not told apart: a = b. Wilcoxon against a, p after Holm: b 0.5.

        - Figures are ours ± standard error (the paper's, difference).
        - a note
        """  # noqa: E501
    )


def test_markdown_of_a_mean_alone_and_of_a_table_that_is_turned():
    alone = replace(TABLE, rows=(Row(("all", ""), (Cell(1.0), Cell()), is_mean=True),), ranks=None, notes=())
    assert to_markdown(alone) == text(
        r"""
        ### Table 1: Costs

        | data set | costs | a\|b | 50 % of C_4 |
        |---|---|---|---|
        | all |  | 1.0 |  |

        - Figures are means ± standard error.
        """
    )
    turned = replace(TABLE, transpose=True, ranks=None)
    assert grid(turned) == [
        ["", "x", "Mean"],
        ["costs", "1:1", ""],
        ["a|b", "1.2 ± 0.5 (1.0, +0.2)", "2.0"],
        ["50 % of C_4", "– (2.00)", "3.00 (4.00, -1.00)"],
    ]
    assert "**" not in to_markdown(turned)


def test_latex_whole():
    assert to_latex(TABLE) == text(
        r"""
        \begin{table}
        \caption{Table 1: Costs}
        \begin{tabular}{llrr}
        \hline
        data set & costs & a|b & 50 \% of C\_4 \\
        \hline
        x & 1:1 & 1.2 $\pm$ 0.5 (1.0, +0.2) & -- (2.00) \\
        Mean &  & 2.0 & 3.00 (4.00, -1.00) \\
        \hline
        \end{tabular}
        \par Figures are ours $\pm$ standard error (the paper's, difference).
        \par a note
        \end{table}
        """
    )
    assert r"\begin{tabular}{lrr}" in to_latex(replace(TABLE, transpose=True))
    assert latex_escape(r"\&$#{}~^π′≥≤") == (
        r"\textbackslash{}\&\$\#\{\}\textasciitilde{}\textasciicircum{}$\pi$$'$$\geq$$\leq$"
    )


def test_csv_whole():
    assert to_csv(TABLE) == text(
        """
        data set,costs,column,ours,standard error,paper,paper's error,difference
        x,1:1,a|b,1.25,0.5,1.0,,0.25
        x,1:1,50 % of C_4,,,2.0,,
        Mean,,a|b,2.0,,,,
        Mean,,50 % of C_4,3.0,,4.0,,-1.0
        """
    )


def test_files_are_named_after_the_table(tmp_path):
    paths = write_tables([replace(TABLE, title="Größe")], tmp_path / "new" / "folder")
    assert [path.name for path in paths] == [f"p-table-1.{kind}" for kind in ("md", "tex", "csv", "json")]
    assert paths[0].read_bytes().decode("utf-8") == to_markdown(replace(TABLE, title="Größe"))
    write_tables([TABLE], tmp_path / "new" / "folder")  # again


def test_ranks_in_words():
    apart = replace(RANKS, groups=())
    assert "(Nemenyi); all are told apart. Wilcoxon" in ranks_text(apart)
    three = replace(RANKS, groups=(("a", "b"), ("b", "c")))
    assert "not told apart: a = b; b = c." in ranks_text(three) and ranks_text(None) == ""


def test_the_page_of_a_protocol_and_its_files(tmp_path):
    failed = Outcome("k", {"learner": "a"}, None, "Trace", 0.0, 0.0, None)
    figure = ResultTable(
        "p", "figure", "1", "F", ("learner",), (Column("cost"),), (Row(("a",), (Cell(1.0),), x=1.0),)
    )
    made = Protocol("p", "A title", {}, (), ("first", "second"))
    found = Reproduction(made, (TABLE, figure), (failed, failed), 2, 1.0, 1, True)
    parts = ["# A title", "Made by `stakes reproduce p --quick`.", "- first\n- second"]
    whole = "\n\n".join([*parts, to_markdown(TABLE).rstrip(), to_markdown(figure).rstrip()]) + "\n"
    assert study.page(found) == whole
    study.write(found, tmp_path)
    assert (tmp_path / "p.md").read_bytes().decode("utf-8") == whole
    assert (tmp_path / "p-failures.txt").read_text() == "{'learner': 'a'}\nTrace\n{'learner': 'a'}\nTrace"
    assert {path.name for path in tmp_path.glob("*.svg")} == {"p-table-1-ranks.svg", "p-figure-1.svg"}
    beyond = replace(found, more=True)
    assert "Made by `stakes reproduce p --quick --more`." in study.page(beyond)
    plain = Reproduction(replace(made, notes=()), (), (), 2, 1.0, 1, False)
    assert study.page(plain) == "# A title\n\nMade by `stakes reproduce p`.\n"
    study.write(plain, tmp_path / "new")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["p.md"]


# ---- from records to tables


class Records:
    """A store that holds these records."""

    def __init__(self, records):
        self.held = records

    def records(self, keys):
        return {key: record for key, record in self.held.items() if key in keys}


LEARNERS = tuple(LearnerSpec(name, family=name) for name in ("a", "b", "gone"))
GROUPS = {"x": "small", "y": "small", "z": "large", "lost": "", "other": ""}
DATASETS = tuple(DataSpec(name, group=group) for name, group in GROUPS.items())


def built(spec, costs, is_quick=False, datasets=None, **more):
    """The table of a plan whose trials cost so much: {(data set, learner): costs of the trials}."""
    made = Study("main", datasets or DATASETS, LEARNERS, {"": None}, SplitSpec(repeats=2), **more)
    keys, draws, records = {}, {}, {}
    for (data, learner), values in costs.items():
        names = [f"{data}{learner}{i}" for i in range(len(values))]
        draws["main", data, ""] = [(data, i) for i in range(len(values))]
        keys["main", data, "", learner] = names
        records |= {
            key: {"cost": value, "weight": 1.0} for key, value in zip(names, values) if value is not None
        }
    absent = {
        ("main", "lost"): "it is lost",
        ("main", "other"): NOT_ASKED,
        ("main", "", "gone"): "not installed",
    }
    plan = Plan(Protocol("p", "T", {"main": made}, (spec,)), (spec,), [], keys, draws, absent, is_quick)
    [table] = tables.build_tables(plan, Records(records))
    return table


def spec(*columns, **more):
    parts = {"kind": "table", "number": "1", "title": "C", "study": "main", "rows": ("dataset",)}
    return TableSpec(**parts | {"columns": columns} | more)


COST = ColumnSpec("a", "cost", "a", digits=3)
TRIALS = {
    ("x", "a"): [1.0, 3.0], ("x", "b"): [2.0, 2.0], ("y", "a"): [4.0, 6.0], ("y", "b"): [8.0, 12.0],
    ("z", "a"): [7.0, 7.0], ("z", "b"): [None, 1.0],
}  # fmt: skip


def test_a_table_with_means_by_group():
    """The mean of x and y is 3.5, its error half of the root of 1 + 1."""
    paper = {("x",): (2.5,), ("y",): (4.0,), ("Mean, small",): (9.0,), ("lost",): (8.0,)}
    table = built(spec(COST, mean="Mean", paper=paper, paper_spread={("x",): (0.5,)}), TRIALS)
    assert (table.row_names, table.columns) == (("data set",), (Column("a", 3),))
    assert [(row.labels, row.is_mean, row.x) for row in table.rows] == [
        (("x",), False, None), (("y",), False, None), (("Mean, small",), True, None), (("z",), False, None),
        (("lost",), False, None),
    ]  # fmt: skip
    assert [row.cells[0] for row in table.rows] == [
        Cell(2, 2.5, 1, 0.5),
        Cell(5, 4.0, 1),
        Cell(3.5, 9.0, pytest.approx(math.sqrt(2) / 2)),
        Cell(7, None, 0),
        Cell(None, 8.0),
    ]
    assert table.notes == ("lost: it is lost.", "other: not asked for.")
    assert (table.quick, table.ranks, table.transpose) == (False, None, False)


def test_a_mean_of_those_that_ran_where_some_did_not():
    paper = {("x",): (2.5,), ("y",): (4.0,), ("lost",): (8.0,), ("Mean",): (9.0,)}
    flat = tuple(replace(data, group="") for data in DATASETS)
    part = {key: value for key, value in TRIALS.items() if key[0] in "xy"}
    made = spec(COST, mean="Mean", paper=paper, datasets=("x", "y", "lost"))
    table = built(made, part, datasets=flat)
    assert [row.labels[0] for row in table.rows] == ["x", "y", "lost", "Mean", "Mean, of those that ran"]
    spread = pytest.approx(math.sqrt(2) / 2)
    assert table.rows[3].cells == (Cell(None, 9.0),)
    assert table.rows[4].cells == (Cell(3.5, 3.25, spread),) and table.rows[4].is_mean
    assert tables.NOT_COMPARED not in table.notes
    # without the paper's figure for one of those that ran there is nothing to compare it with
    del paper["y",]
    table = built(made, part, datasets=flat)
    assert [row.cells[0] for row in table.rows[3:]] == [Cell(None, 9.0), Cell(3.5, None, spread)]
    assert tables.NOT_COMPARED in table.notes


def test_means_of_fewer_data_sets_are_not_set_next_to_the_papers_over_all():
    paper = {("small",): (3.0,), ("x",): (2.5,), ("all of them",): (9.0,), ("a",): (2.0,)}
    data = (DataSpec("x", group="small"), DataSpec("other", group="small"))  # other is not asked for
    ran = {key: value for key, value in TRIALS.items() if key[0] == "x"}
    groups = built(spec(COST, rows=("group",), paper=paper), ran, datasets=data)
    assert [(row.labels[0], *row.cells) for row in groups.rows] == [
        ("small", Cell(None, 3.0)),
        ("small, of those that ran", Cell(2, None, 1)),
    ]
    assert tables.NOT_COMPARED in groups.notes
    learners = spec(ColumnSpec("cost", "cost"), rows=("learner",), learners=("a",), paper=paper)
    table = built(learners, ran, datasets=data)
    assert table.rows[0].cells == (Cell(2, None, 1),) and tables.NOT_COMPARED in table.notes
    table = built(learners, ran, datasets=data[:1])
    assert table.rows[0].cells == (Cell(2, 2.0, 1),) and tables.NOT_COMPARED not in table.notes


def test_differences_ratios_and_columns_without_a_mean():
    columns = (
        ColumnSpec("less", "cost", "b", minus="a", scale=100.0),
        ColumnSpec("over", "cost", "b", over="a", scale=10.0, mean=False),
    )
    table = built(spec(*columns, mean="Mean"), TRIALS)
    assert table.rows[0].cells[0] == Cell(0, None, 100)  # 1 and -1, times 100
    assert table.rows[1].cells[0].ours == 500 and table.rows[0].cells[1].ours == 10
    assert table.rows[1].cells[1].ours == 20
    assert table.rows[2].cells[0].ours == 250 and table.rows[2].cells[1] == Cell()
    assert table.rows[3].cells[0] == Cell()  # a trial of b failed
    assert "z, b: 1 of 2 trials failed, so that there is no figure." in table.notes


def test_rows_by_learner_and_by_group():
    table = built(spec(ColumnSpec("cost", "cost"), rows=("learner",), datasets=("x", "y")), TRIALS)
    assert [(row.labels, row.cells[0].ours) for row in table.rows] == [
        (("a",), 3.5),
        (("b",), 6.0),
        (("gone",), None),
    ]
    assert "gone: not installed." in table.notes
    few = built(spec(ColumnSpec("cost", "cost"), rows=("learner",), learners=("b",), datasets=("x",)), TRIALS)
    assert [row.labels for row in few.rows] == [("b",)]
    groups = built(spec(COST, rows=("group",), paper={("small",): (3.0,)}), TRIALS)
    assert [(row.labels, row.cells[0].ours, row.is_mean) for row in groups.rows] == [
        (("small",), 3.5, True), (("large",), 7.0, True), (("all data sets",), None, True),
    ]  # fmt: skip
    assert groups.rows[0].cells[0].paper == 3.0


def test_ranks_are_over_data_sets_on_which_all_ran():
    columns = (COST, ColumnSpec("b", "cost", "b"), ColumnSpec("gone", "cost", "gone"))
    table = built(spec(*columns, ranks="cost"), TRIALS)
    assert table.ranks == rank_learners({"a": [2.0, 5.0], "b": [2.0, 10.0]})
    assert built(spec(COST, ranks="cost"), TRIALS).ranks is None  # one learner
    assert built(spec(*columns, ranks="cost", datasets=("x", "z")), TRIALS).ranks is None  # one data set


def test_the_quick_version_says_what_is_left_out():
    def note(**more):
        return built(spec(COST, notes=("own",)), TRIALS, is_quick=True, **more).notes[:2]

    rest = ": a smoke test, not the paper's protocol."
    assert note() == (f"Quick version (2 repeats){rest}", "own")
    quick = QuickSpec(folds=3, params={"a": {}, "b": {}})
    assert note(quick=quick)[0] == f"Quick version (2 repeats, 3 folds, smaller settings of a, b){rest}"


def test_figures_have_places():
    """Learners at the value of their knob, cases one after another."""
    table = built(
        spec(ColumnSpec("cost", "cost"), kind="figure", rows=("case",), x_label="c", log_x=True), TRIALS
    )
    assert [row.x for row in table.rows] == [0.0] and (table.x_label, table.log_x) == ("c", True)
