"""Views of lab reports and comparisons: what is shown of results that are given by hand."""

import sys
from dataclasses import replace

import pytest
from jinja2 import UndefinedError

from stakes.compare.comparison import Comparison, Interval, LearnerResult
from stakes.compare.statistics import PairTest, rank_learners
from stakes.lab.peers import PeerComparison
from stakes.lab.results import Cell, Column, ResultTable, Row
from stakes.lab.specs import ColumnSpec, Protocol, TableSpec
from stakes.lab.store import Outcome, UnitTime
from stakes.lab.study import Reproduction
from stakes.lab.writers import ranks_text
from stakes.report import lab_views, page
from stakes.report.index import IndexView
from stakes.report.lab_views import (
    CellView,
    Failure,
    RowView,
    TimeLine,
    cell_view,
    comparison_view,
    duration,
    lab_view,
    time_lines,
)

COLUMNS = (Column("cost", 2), Column("errors", 0))
ROWS = (
    Row(("x", "1:1"), (Cell(1.5, 1.0, 0.125), Cell(3.0, 4.0))),
    Row(("x", "5:1"), (Cell(None, 2.0), Cell(5.0, 5.0, 0.5))),
    Row(("y", ""), (Cell(0.5), Cell())),
    Row(("Mean", ""), (Cell(1.0, 3.0, 0.25), Cell()), is_mean=True),
)
TABLE = ResultTable(
    "study", "table", "1", "Costs", ("data set", "costs"), COLUMNS, ROWS, ("a note",), True,
    ranks=rank_learners({"a": [1, 1], "b": [2, 2]}),
)  # fmt: skip
SPEC = TableSpec("table", "1", "Costs", "main", ("case",), (ColumnSpec("cost", "mean_cost", "a"),) * 2)
CELLS = (
    (CellView("1.50", "0.12", "1.00", "+0.50", "higher"), CellView("3", "", "4", "−1", "lower")),
    (CellView("", "", "2.00", "", ""), CellView("5", "0", "5", "+0", "same")),
    (CellView("0.50"), CellView()),
    (CellView("1.00", "0.25", "3.00", "−2.00", "lower"), CellView()),
)


def unit(learner, cpu, memory=None, failed=False):
    return UnitTime({"learner": learner, "fold": 0}, cpu, memory, failed)


TIMES = (unit("a", 1.0, 10), unit("b", 4.0, 20, True), unit("a", 2.0, 30), unit("a", 6.0))
FAILED = Outcome(
    "k", {"dataset": "x", "case": "", "fold": 0}, None, "Trace\n  where\nError: no\n", 1, 1, None
)


def found(*tables, **more):
    specs = tuple(replace(SPEC, kind=table.kind, number=table.number) for table in tables)
    protocol = Protocol("study", "A study", {}, specs, ("how",))
    parts = {
        "failures": (FAILED,),
        "n_units": 4,
        "seconds": 13.0,
        "memory": 30,
        "quick": True,
        "times": TIMES,
    }
    return Reproduction(protocol, tables, **parts | {"absent": (("lost", "why"),)} | more)


# ---- tables


def test_a_table_as_it_is_shown():
    [shown] = lab_view(found(TABLE)).tables
    assert (shown.name, shown.number, shown.title, shown.quick) == ("study-table-1", "Table 1", "Costs", True)
    assert (shown.head, shown.n_labels) == (("data set", "costs", "cost", "errors"), 2)
    assert shown.rows == (
        RowView(("x", "1:1"), CELLS[0]),
        RowView(("x", "5:1"), CELLS[1], again=True),
        RowView(("y", ""), CELLS[2]),
        RowView(("Mean", ""), CELLS[3], is_mean=True),
    )
    assert (shown.has_paper, shown.no_errors, shown.is_empty, shown.is_figure) == (True, True, False, False)
    assert (shown.notes, shown.ranks) == (("a note",), ranks_text(TABLE.ranks))
    assert [picture.caption[:13] for picture in shown.pictures] == ["Average ranks"]


def test_rows_and_columns_change_places():
    [shown] = lab_view(found(replace(TABLE, transpose=True))).tables
    assert (shown.head, shown.n_labels) == (("", "x, 1:1", "x, 5:1", "y", "Mean"), 1)
    assert shown.rows == (
        RowView(("cost",), tuple(cells[0] for cells in CELLS)),
        RowView(("errors",), tuple(cells[1] for cells in CELLS)),
    )


def test_what_a_table_lacks():
    bare = replace(
        TABLE, rows=(Row(("all", ""), (Cell(1.0, 1.0, 0.5), Cell(2.0)), is_mean=True),), ranks=None
    )
    [shown] = lab_view(found(bare)).tables
    assert (shown.rows[0].is_mean, shown.no_errors, shown.ranks, shown.pictures) == (False, False, "", ())
    empty = replace(TABLE, rows=ROWS[1:2], kind="figure", columns=COLUMNS[:1])
    empty = replace(empty, rows=(Row(("x", "5:1"), (Cell(None, 2.0),), x=1.0),), quick=False)
    [shown] = lab_view(found(empty)).tables
    assert (shown.is_empty, shown.is_figure, shown.has_paper, shown.quick) == (True, True, True, False)
    assert shown.no_errors is False


@pytest.mark.parametrize(
    ("cell", "digits", "verdict"),
    [
        (Cell(0.505, 0.5), 2, "same"),  # half of the last digit
        (Cell(0.5051, 0.5), 2, "higher"),
        (Cell(0.75, 0.5, spread=0.125), 2, "same"),  # two standard errors
        (Cell(0.76, 0.5, spread=0.125), 2, "higher"),
        (Cell(0.25, 0.5, spread=0.12), 2, "lower"),
        (Cell(1.0, 0.0, spread=0.3, paper_spread=0.4), 2, "same"),  # of both together
        (Cell(1.01, 0.0, spread=0.3, paper_spread=0.4), 2, "higher"),
        (Cell(1.0, 0.0, paper_spread=0.5), 2, "same"),
        (Cell(9.5, 10.0), 0, "same"),
        (Cell(9.4, 10.0), 0, "lower"),
    ],
)
def test_the_limits_of_the_same(cell, digits, verdict):
    assert cell_view(cell, digits).verdict == verdict


# ---- the whole report


def test_a_lab_report_with_all_its_parts():
    view = lab_view(found(TABLE))
    assert (view.title, view.command, view.quick) == ("A study", "stakes reproduce study --quick", True)
    assert (view.notes, view.absent) == (("how",), (("lost", "why"),))
    assert (view.n_units, view.n_failed, view.seconds, view.memory) == (4, 1, 13.0, 30)
    assert view.verdicts == {"same": 1, "lower": 2, "higher": 1}
    assert view.failures == (Failure("dataset x, fold 0", "Error: no", "Trace\n  where\nError: no"),)
    assert view.times == (TimeLine("a", 3, 0, 9.0, 2.0, 6.0, 30), TimeLine("b", 1, 1, 4.0, 4.0, 4.0, 20))
    assert lab_view(found(TABLE, quick=False)).command == "stakes reproduce study"


def test_failures_without_words_and_too_many_of_them():
    outcomes = (replace(FAILED, traceback=None), *(FAILED,) * 50)
    view = lab_view(found(TABLE, failures=outcomes))
    assert view.failures[0] == Failure("dataset x, fold 0", "", "")
    assert (len(view.failures), view.n_failed) == (50, 51)
    assert "The other failure is not shown here" in page.render(view)


def test_times_are_added_up_by_learner():
    assert time_lines([unit("b", 1.0), unit("a", 1.0)]) == (
        TimeLine("a", 1, 0, 1.0, 1.0, 1.0, None),
        TimeLine("b", 1, 0, 1.0, 1.0, 1.0, None),
    )
    assert time_lines([UnitTime({}, 2.0, None, False)])[0].learner == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0099, "9.9 ms"),
        (0.01, "10 ms"),
        (0.999, "999 ms"),
        (1, "1.0 s"),
        (59.94, "59.9 s"),
        (60, "1 min 0 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h 0 min"),
        (7380, "2 h 3 min"),
    ],
)
def test_durations_for_people(seconds, words):
    assert duration(seconds) == words


def test_the_page_that_leads_to_reports(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr(page, "write_view", lambda path, view: seen.append((path, view)) or path)
    assert page.write_lab_index(tmp_path, [found(TABLE)]) == tmp_path / "index.html"
    [(_, view)] = seen
    assert view == IndexView("Reports of the lab", {"study.html": lab_view(found(TABLE))})
    text = page.render(view)
    assert (
        '<a href="study.html">A study</a>' in text
        and '<a href="study.html#study-table-1">Table 1</a>' in text
    )


# ---- comparisons


def result(name, mean):
    cost = Interval(mean, mean - 1, mean + 1)
    return LearnerResult(name, cost, 0.0, cost, 0.0, None, None, 0.0)


def comparison(*results, tests=(), level=0.75):
    return Comparison(results, 10, 2, 1, "p", 2.0, level, tests)


def test_the_view_of_a_comparison():
    compare_with_peers = PeerComparison(
        comparison(result("a", 1.0)), {"peer": "not installed"}, (FAILED,), TIMES
    )
    view = comparison_view(compare_with_peers, "data.csv")
    assert (view.title, view.comparison) == ("What learners cost on data.csv", compare_with_peers.comparison)
    assert (view.absent, view.n_units, view.n_failed) == ((("peer", "not installed"),), 4, 1)
    assert view.failures[0].last == "Error: no" and view.times == time_lines(TIMES)
    assert view.words == ("The cheapest is a, at 1.000 per row. Always answering p costs 2.000.",)
    text = page.render(view)
    assert "not installed" in text and "1 of 4 units failed" in text


def test_a_comparison_in_words():
    tests = (PairTest("b", 1.0, 0.01, 0.25), PairTest("c", 2.0, 0.01, 0.24))
    three = result("a", 1.0), result("b", 2.0), result("c", 3.0)
    assert list(lab_views._words(comparison(*three, tests=tests)))[1:] == [
        "Costlier than that constant: c.",
        "May well be as cheap as the cheapest (corrected t-test, Holm): b.",
    ]
    assert list(lab_views._words(comparison(*three[:2], tests=tests[1:])))[1:] == [
        "All others are costlier by more than chance (corrected t-test, Holm)."
    ]
    surer = list(lab_views._words(comparison(*three[:2], tests=tests[1:], level=0.875)))
    assert surer[1] == "May well be as cheap as the cheapest (corrected t-test, Holm): c."
    assert len(list(lab_views._words(comparison(result("a", 2.0))))) == 1


# ---- pages


def test_a_page_needs_jinja2(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"a report needs jinja2: pip install 'stakes\[report\]'"):
        page.render(lab_view(found(TABLE)))


def test_pages_are_written_as_they_are_rendered(tmp_path):
    whole = found(replace(TABLE, title="Kosten für €"))
    path = page.write_lab_report(str(tmp_path / "r.html"), whole)
    assert path == tmp_path / "r.html"
    text = path.read_bytes().decode("utf-8")
    assert text == page.render(lab_view(whole)) and "Kosten für €" in text


def test_templates_leave_no_gaps_escape_texts_and_know_every_name():
    text = page.render(IndexView("T & U", {}))
    assert text[text.index("<main") : text.index("<footer>")] == (
        '<main id="main" tabindex="-1">\n<div class="title">\n  <p class="eyebrow">0 reports</p>\n'
        "  <h1>T &amp; U</h1>\n"
        '<p class="lead">The papers\' figures next to ours. “As in the paper” is within two standard errors.'
        "</p></div>\n</main>\n"
    )
    with pytest.raises(UndefinedError, match="title"):
        page.render(IndexView("T", {"a.html": object()}))
