"""Pictures of lab reports: which ones a table gets, and where every mark and word of them stands."""

import textwrap
from types import SimpleNamespace

import pytest

from pictures import drawn
from stakes.compare.statistics import rank_learners
from stakes.lab.results import Cell, Column, ResultTable, Row
from stakes.lab.specs import ColumnSpec, TableSpec
from stakes.report import lab_pictures
from stakes.report.lab_pictures import coverage_picture, dots_picture, front_picture, pictures


def shows(svg, lines):
    assert drawn(svg) == textwrap.dedent(lines).strip().splitlines()


# ---- dots by data set


def test_one_learner_by_data_set():
    """From 1 to 5, the ends of what is shown, with 6 % of room; a bar to below 0 is cut at the axis."""
    rows = [("iris", [Cell(3.0, 2.0, 1.0)]), ("here the last letter, 31, is no", [Cell(1.0, 5.0, 4.0)])]
    shows(
        dots_picture("T", rows, ["C4.5"], "cost"),
        """
        720 112: T
        axis line 246,62 696,62
        up 10-62 1@270.1 2@370.6 3@471 4@571.4 5@671.9
        below 100 cost@471
        name text end 234,27: iris
        s0/open circle 370.6,23 r4.5: the paper: 2
        s0/whisker line 370.6,23 571.4,23
        s0/full circle 471,23 r4.5: ours: 3
        name text end 234,53: here the last letter, 31, is …
        s0/open circle 671.9,49 r4.5: the paper: 5
        s0/whisker line 246,49 671.9,49
        s0/full circle 270.1,49 r4.5: ours: 1
        """,
    )


def test_three_learners_have_a_legend_lines_between_data_sets_and_the_papers_figures():
    rows = [("x", [Cell(1.0, 4.0), Cell(2.0), Cell(None, 3.0)]), ("y" * 30, [Cell(4.0), Cell(3.0), Cell()])]
    shows(
        dots_picture("T", rows, ["a", "b", "c"], "cost"),
        """
        720 144: T
        s0/full circle 22,14 r4.5
        name text start 32,18: a
        s1/full polygon 55,10 63,10 63,18 55,18
        name text start 69,18: b
        s2/full polygon 96,9 101,18 91,18
        name text start 106,18: c
        axis line 246,94 696,94
        up 30-94 1@270.1 2@404 3@538 4@671.9
        below 132 cost@471
        name text end 234,50: x
        s0/open circle 671.9,38 r4.5: the paper: 4
        s0/whisker line 270.1,38 270.1,38
        s0/full circle 270.1,38 r4.5: ours: 1
        s1/whisker line 404,46 404,46
        s1/full polygon 400,42 408,42 408,50 400,50: ours: 2
        s2/open polygon 538,49 543,58 533,58: the paper: 3
        grid line 246,62 696,62
        name text end 234,82: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
        s0/whisker line 671.9,70 671.9,70
        s0/full circle 671.9,70 r4.5: ours: 4
        s1/whisker line 538,78 538,78
        s1/full polygon 534,74 542,74 542,82 534,82: ours: 3
        """,
    )


def test_with_four_learners_the_papers_figures_are_left_out():
    rows = [("x", [Cell(float(i), 100.0) for i in (1, 2, 3, 4)])]
    lines = drawn(dots_picture("T", rows, ["a", "b", "c", "d"], "cost"))
    assert not any("paper" in line or "open" in line for line in lines)
    assert [line.partition(": ours")[0] for line in lines if ": ours" in line] == [
        "s0/full circle 67,38 r4.5",
        "s1/full polygon 260.8,42 268.8,42 268.8,50 260.8,50",
        "s2/full polygon 462.6,49 467.6,58 457.6,58",
        "s3/full polygon 660.4,56.5 665.9,62 660.4,67.5 654.9,62",
    ]


@pytest.mark.parametrize(
    ("figures", "many_scales", "log"),
    [
        ([1.0, 31.0], True, True),
        ([1.0, 30.0], True, False),
        ([1.0, 31.0], False, False),
        ([0.0, 31.0], True, False),
        ([-1.0, 31.0], True, False),
    ],
)
def test_figures_of_very_different_size_have_a_logarithmic_axis(figures, many_scales, log):
    rows = [("x", [Cell(figure)]) for figure in figures]
    lines = drawn(dots_picture("T", rows, ["a"], "cost", many_scales=many_scales))
    assert any("cost (logarithmic)@" in line for line in lines) is log
    assert any("below 100 cost@" in line for line in lines) is not log


def test_a_bar_that_reaches_below_the_axis_ends_there():
    rows = [("x", [Cell(1.0, None, 2.0)]), ("y", [Cell(100.0)])]
    lines = drawn(dots_picture("T", rows, ["a"], "cost", many_scales=True))
    assert [line for line in lines if "whisker" in line or "axis" in line] == [
        "axis line 31.4,62 696,62",
        "s0/whisker line 31.4,23 205.3,23",
        "s0/whisker line 666.6,49 666.6,49",
    ]


# ---- accuracy by coverage


def test_panels_of_coverage():
    """Panels three in a row and 190 apart; to the right from 95 % less the most undecided, here 55."""
    panels = [
        ("iris", [("rules", Cell(10.0, 40.0), Cell(90.0, 80.0)), ("tree", Cell(0.0), Cell(85.0, 50.0))]),
        ("a name of 26 letters is ok", [("rules", Cell(None, 5.0), Cell(None, 95.0))]),
        ("a name of 27 letters is cut", []),
        ("four", [("none", Cell(), Cell(70.0)), ("nor", Cell(20.0), Cell())]),
    ]
    shows(
        coverage_picture("T", panels),
        """
        720 414: T
        name text start 40,22: iris
        across 40-224 60@116.9 80@78.4 100@39.8
        axis line 40,142 224,142
        below 160 60 %@59.3 80 %@136.4 100 %@213.6
        below 178 of rows decided@132
        s0/open circle 59.3,78.4 r4.5: rules, the paper: 80
        s0/full circle 175,59.1 r4.5: rules: 90.0
        s0/full circle 213.6,68.7 r4.5: tree: 85.0
        name text start 280,22: a name of 26 letters is ok
        across 280-464 60@116.9 80@78.4 100@39.8
        axis line 280,142 464,142
        below 160 60 %@299.3 80 %@376.4 100 %@453.6
        below 178 of rows decided@372
        s0/open circle 434.3,49.4 r4.5: rules, the paper: 95
        name text start 520,22: a name of 27 letters is c…
        across 520-704 60@116.9 80@78.4 100@39.8
        axis line 520,142 704,142
        below 160 60 %@539.3 80 %@616.4 100 %@693.6
        below 178 of rows decided@612
        name text start 40,212: four
        across 40-224 60@306.9 80@268.4 100@229.8
        axis line 40,332 224,332
        below 350 60 %@59.3 80 %@136.4 100 %@213.6
        below 368 of rows decided@132
        """,
    )


def test_coverage_is_shown_from_nothing_on_where_nearly_all_is_undecided():
    lines = drawn(coverage_picture("T", [("x", [("rules", Cell(97.0), Cell(90.0))])]))
    assert "below 160 0 %@40 50 %@126.8 100 %@213.6" in lines


# ---- price against accuracy


def test_the_front_that_nothing_beats():
    """Stairs from one criterion to the next; single data sets are faint."""
    means = [("a", 1.0, 3.0), ("b", 2.0, 2.0), ("c", 3.0, 2.0), ("d", 5.0, 1.0)]
    shows(
        front_picture("T", means, [("b", "iris", 4.0, 5.0)], "price", "lost"),
        """
        720 360: T
        s0/full circle 22,14 r4.5
        name text start 32,18: a
        s1/full polygon 55,10 63,10 63,18 55,18
        name text start 69,18: b
        s2/full polygon 96,9 101,18 91,18
        name text start 106,18: c
        s3/full polygon 133,8.5 138.5,14 133,19.5 127.5,14
        name text start 143,18: d
        name text start 10,42: lost
        across 60-696 1@294.2 2@236.6 3@179 4@121.4 5@63.8
        axis line 60,308 696,308
        below 326 1@94.1 2@236 3@378 4@520 5@661.9
        below 346 price@378
        mark polyline 94.1,179 236,179 236,236.6 661.9,236.6 661.9,294.2
        s1/faint/open polygon 516,59.8 524,59.8 524,67.8 516,67.8: b, iris: 4, 5
        s0/full circle 94.1,179 r4.5: a, mean: 1, 3
        s1/full polygon 232,232.6 240,232.6 240,240.6 232,240.6: b, mean: 2, 2
        s2/full polygon 378,231.6 383,240.6 373,240.6: c, mean: 3, 2
        s3/full polygon 661.9,288.7 667.4,294.2 661.9,299.7 656.4,294.2: d, mean: 5, 1
        """,
    )


def test_the_seventh_series_has_the_first_colour_again():
    means = [(str(i), float(i), 0.0) for i in range(7)]
    lines = drawn(front_picture("T", means, [("6", "iris", 1.0, 0.0)], "x", "y"))
    assert [line.split("/")[:2] for line in lines if "iris" in line] == [["s0", "faint"]]
    assert [line[:2] for line in lines if "mean" in line] == ["s0", "s1", "s2", "s3", "s4", "s5", "s0"]
    rows = [("x", [Cell(1.0)] * 7)]
    lines = drawn(dots_picture("T", rows, "abcdefg", "cost"))
    assert [line[:2] for line in lines if "ours" in line] == ["s0", "s1", "s2", "s3", "s4", "s5", "s0"]


def test_two_learners_have_a_legend_above_the_data_sets():
    lines = drawn(dots_picture("T", [("x", [Cell(1.0), Cell(2.0)])], ["one", "two"], "cost"))
    assert [line for line in lines if line.endswith((": one", ": two"))] == [
        "name text start 32,18: one",
        "name text start 83,18: two",
    ]
    assert any(line.startswith("up 30-56 ") for line in lines)


@pytest.mark.parametrize(("letters", "lines"), [(36, 1), (37, 2)])
def test_legends_end_where_the_picture_does(letters, lines):
    """Three names take 90 and 7 for each letter; 680 is there for them: 84 letters, and no more."""
    names = ["n" * 24, "m" * 24, "k" * letters]
    for picture in (
        dots_picture("T", [("x", [Cell(1.0), Cell(2.0), Cell(3.0)])], names, "cost"),
        front_picture("T", [(name, 1.0, 1.0) for name in names], [], "x", "y"),
    ):
        in_legend = [line for line in drawn(picture) if line.endswith(tuple(f": {name}" for name in names))]
        assert len({line.split()[3].partition(",")[2] for line in in_legend}) == lines


# ---- which pictures a table gets


@pytest.fixture
def asked(monkeypatch):
    """What the pictures are asked to draw: the name of the picture stands for the picture."""
    seen = []

    def watch(name):
        def draw(*args, **options):
            seen.append((name, args, options))
            return name

        monkeypatch.setattr(lab_pictures, name, draw)

    for name in (
        "dots_picture",
        "coverage_picture",
        "front_picture",
        "figure_picture",
        "critical_difference_picture",
    ):
        watch(name)
    return seen


def table(rows, columns, number="1", kind="table", **more):
    spec = TableSpec(kind, number, "Costs", "main", more.pop("row_names", ("dataset",)), tuple(columns))
    labels = tuple(Column(column.label) for column in columns)
    return spec, ResultTable("p", kind, number, "Costs", spec.rows, labels, tuple(rows), **more)


def found(*pairs):
    protocol = SimpleNamespace(tables=tuple(spec for spec, _ in pairs))
    return SimpleNamespace(protocol=protocol, tables=tuple(result for _, result in pairs))


def made(*pairs):
    """Pictures of the first table, by name and caption."""
    return [(picture.svg, picture.caption) for picture in pictures(pairs[0][1], found(*pairs))]


def row(*labels, cells, is_mean=False):
    return Row(labels, tuple(cells), is_mean)


OURS = "Full marks are ours, with a standard error to either side."
BOTH = "Full marks are ours, with a standard error to either side; open marks are the paper's."
COST = ColumnSpec("per row", "mean_cost", "C4.5")


def test_costs_are_drawn_by_data_set_without_means_and_rows_that_have_none(asked):
    rows = [
        row("x", "1:1", cells=[Cell(1.0), Cell(9.0)]),
        row("y", "", cells=[Cell(2.0), Cell(9.0)]),
        row("z", "", cells=[Cell(None, 3.0), Cell(9.0)]),
        row("Mean", "", cells=[Cell(1.5), Cell(9.0)], is_mean=True),
    ]
    columns = [COST, ColumnSpec("leaves", "leaves", "C4.5")]
    assert made(table(rows, columns, row_names=("dataset", "case"))) == [("dots_picture", OURS)]
    shown = [("x, 1:1", [Cell(1.0)]), ("y", [Cell(2.0)])]
    assert asked == [
        ("dots_picture", ("Table 1: Costs: per row", shown, ["C4.5"], "per row"), {"many_scales": True})
    ]


def test_ratios_of_costs_are_drawn_rather_than_costs_and_share_a_scale(asked):
    ratio = ColumnSpec("ratio", "cost", "tree", over="C4.5")
    less = ColumnSpec("less", "cost", "tree", minus="C4.5")
    rows = [row(name, cells=[Cell(1.0), Cell(2.0, 4.0), Cell(3.0)]) for name in "xy"]
    assert made(table(rows, [COST, ratio, less])) == [("dots_picture", BOTH)]
    shown = [("x", [Cell(2.0, 4.0)]), ("y", [Cell(2.0, 4.0)])]
    assert asked == [
        ("dots_picture", ("Table 1: Costs: ratio", shown, ["tree"], "ratio"), {"many_scales": False})
    ]


@pytest.mark.parametrize(
    ("measure", "word", "many_scales"),
    [("mean_cost", "cost per row", True), ("cost", "cost", True), ("price_ratio_", "price ratio", False)],
)
def test_several_columns_are_named_by_their_learners_and_measure(asked, measure, word, many_scales):
    columns = [ColumnSpec("first", measure, "a"), ColumnSpec("second", measure)]
    rows = [row(name, cells=[Cell(1.0), Cell(2.0)]) for name in "xy"]
    assert made(table(rows, columns)) == [("dots_picture", OURS)]
    [(_, (title, _, names, label), options)] = asked
    assert (title, names, label) == (f"Table 1: Costs: {word}", ["a", "second"], word)
    assert options == {"many_scales": many_scales}


def test_the_papers_marks_are_spoken_of_only_where_they_are_drawn(asked):
    for n, caption in ((3, BOTH), (4, OURS)):
        rows = [row(name, cells=[Cell(1.0, 2.0)] * n) for name in "xy"]
        assert made(table(rows, [COST] * n)) == [("dots_picture", caption)]


def test_tables_that_get_no_picture(asked):
    assert made(table([row("x", cells=[Cell(None, 1.0)])] * 2, [COST])) == []  # nothing of ours
    assert made(table([row("x", cells=[Cell(1.0)])], [COST])) == []  # one data set
    leaves = ColumnSpec("leaves", "leaves", "C4.5")
    assert made(table([row(name, cells=[Cell(1.0)]) for name in "xy"], [leaves])) == []
    assert made(table([row(name, cells=[Cell(1.0)]) for name in "xy"], [COST], row_names=("learner",))) == []
    both = ("dataset", "learner")
    assert made(table([row("x", "a", cells=[Cell(1.0)])] * 2, [COST], row_names=both)) == []
    assert asked == []


def test_figures_say_whether_they_have_errors(asked):
    for spread, caption in (
        (0.5, "Bars are standard errors."),
        (None, "One trial each, hence no standard errors."),
    ):
        rows = [row("x", cells=[Cell(1.0, None, spread)]), row("y", cells=[Cell(1.0)])]
        pair = table(rows, [COST], kind="figure")
        assert made(pair) == [("figure_picture", caption)]
        assert asked.pop() == ("figure_picture", (pair[1],), {})


def test_accuracy_is_drawn_by_coverage_for_data_sets_with_figures_of_ours(asked):
    columns = [ColumnSpec("open", "undecided"), ColumnSpec("right", "accuracy")]
    rows = [
        row("x", "a", cells=[Cell(1.0), Cell(90.0)]),
        row("x", "b", cells=[Cell(2.0), Cell(None, 80.0)]),
        row("x", "all", cells=[Cell(1.5), Cell(90.0)], is_mean=True),
        row("y", "a", cells=[Cell(3.0), Cell(None, 70.0)]),
    ]
    caption = (
        "Each mark is a learner or a cut-off. To the right how many of the rows it decides, upwards how "
        "many of these rightly, in per cent. Full marks are ours, open ones the paper's."
    )
    both = ("dataset", "learner")
    assert made(table(rows, columns, row_names=both)) == [("coverage_picture", caption)]
    points = [("a", Cell(1.0), Cell(90.0)), ("b", Cell(2.0), Cell(None, 80.0))]
    assert asked == [("coverage_picture", ("Table 1: Costs, by data set", [("x", points)]), {})]
    asked.clear()
    assert made(table([rows[-1], row("y", "b", cells=[Cell(1.0), Cell()])], columns, row_names=both)) == []
    assert made(table(rows, [columns[0], COST], row_names=both)) == []
    assert made(table(rows, [COST, columns[1]], row_names=both)) == []


def prices(*learners):
    return [ColumnSpec(f"price {name}", "price_ratio_", name) for name in learners]


def losses(*learners, minus="C4.5"):
    return [ColumnSpec(f"loss {name}", "error_rate", name, minus=minus) for name in learners]


def test_prices_are_drawn_against_the_accuracy_of_another_table(asked):
    rows = [
        row("x", cells=[Cell(0.25), Cell(0.5)]),
        row("y", cells=[Cell(0.75), Cell(None)]),
        row("w", cells=[Cell(0.1), Cell(0.1)]),
        row("Mean", cells=[Cell(0.5), Cell(0.5)], is_mean=True),
    ]
    lost = [
        row("x", cells=[Cell(1.0), Cell(2.0)]),
        row("y", cells=[Cell(2.0), Cell(5.0)]),
        row("Mean", cells=[Cell(1.5), Cell(3.5)], is_mean=True),
    ]
    first, wanted = table(rows, prices("a", "b")), table(lost, losses("a", "b"), "2")
    caption = (
        "Full marks are means over the data sets, faint ones single data sets. The dotted line joins the "
        "criteria that none beats in both price and accuracy."
    )
    assert made(first, wanted)[1:] == [("front_picture", caption)]
    means = [("price a", 0.5, 1.5), ("price b", 0.5, 2.0)]
    single = [("price a", "x", 0.25, 1.0), ("price a", "y", 0.75, 2.0), ("price b", "x", 0.5, 2.0)]
    title = "Price of the columns against accuracy lost"
    labels = "price of the columns, C4.5 = 1", "points of accuracy lost"
    assert asked[1] == ("front_picture", (title, means, single, *labels), {})
    others = [
        table(lost, losses("a", "c"), "3"),
        table(lost, losses("a", "b", minus=None), "4"),
        table(lost, [losses("a")[0], losses("b", minus=None)[0]], "5"),
        table(lost, losses("a", "b"), "2", kind="figure"),
    ]
    assert [name for name, _ in made(first, *others)] == ["dots_picture"]
    assert [name for name, _ in made(first, *others, wanted)] == ["dots_picture", "front_picture"]
    mixed = table(rows, [*prices("a"), COST])
    assert [name for name, _ in made(mixed, wanted)] == ["dots_picture"]
    bare = table([row("x", cells=[Cell(), Cell()])], losses("a", "b"), "2")
    assert [name for name, _ in made(first, bare)] == ["dots_picture"]


def test_ranks_are_drawn_last(asked):
    ranks = rank_learners({"a": [1, 1], "b": [2, 2]}, level=0.1)
    rows = [row(name, cells=[Cell(1.0)]) for name in "xy"]
    caption = (
        "Average ranks, the best at the left. Learners under one bar are not told apart at the level 0.1."
    )
    assert made(table(rows, [COST], ranks=ranks))[1:] == [("critical_difference_picture", caption)]
    assert asked[1] == ("critical_difference_picture", (ranks,), {})
