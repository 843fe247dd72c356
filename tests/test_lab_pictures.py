"""Pictures of the lab: axes, marks and legends alone, then whole figures, worked out by hand."""

import textwrap

import pytest

from pictures import drawn
from stakes._text import svg
from stakes._text.svg import Axis
from stakes.compare.statistics import Ranks
from stakes.lab import pictures
from stakes.lab.pictures import critical_difference_picture, figure_picture
from stakes.lab.results import Cell, Column, ResultTable, Row


def shows(picture, lines):
    assert drawn(picture) == textwrap.dedent(lines).strip().splitlines()


# ---- axes


def test_an_axis_has_room_for_the_paper_and_for_both_ends_of_a_spread():
    assert pictures._ends(Cell(2.0, 9.0, 0.5)) == [9.0, 1.5, 2.5]
    assert pictures._ends(Cell(2.0)) == [2.0, 2.0] and pictures._ends(Cell(None, 9.0)) == [9.0]


@pytest.mark.parametrize(
    ("values", "options", "ends"),
    [
        ([2.0, 4.0], {}, (1.88, 4.12)),
        ([2.0, 4.0], {"zero": True}, (0.0, 4.24)),
        ([-2.0, -4.0], {"zero": True}, (-4.24, 0.24)),
        ([-1.0, 1.0], {"zero": True}, (-1.12, 1.12)),
        ([0.0, 4.0], {}, (-0.24, 4.24)),  # room below as well
        ([3.0], {}, (1.5, 4.5)),
        ([-3.0], {}, (-4.5, -1.5)),
        ([0.0], {}, (-1.0, 1.0)),
        ([0.0], {"zero": True}, (0.0, 1.0)),
        ([], {}, (-0.06, 1.06)),
        ([2.0, 40.0], {"log": True}, (1.6, 50.0)),
    ],
)
def test_an_axis_shows_all_values_with_some_room(values, options, ends):
    axis = Axis.around(iter(values), 10, 20, **options)
    assert (axis.low, axis.high) == pytest.approx(ends)
    assert (axis.start, axis.end, axis.log) == (10, 20, options.get("log", False))


def test_places_along_an_axis():
    assert [Axis(2, 4, 100, 300).at(v) for v in (2, 2.5, 4, 5)] == [100, 150, 300, 400]
    assert Axis(2, 4, 300, 100).at(2.5) == 250  # upwards
    assert Axis(0.1, 1000, 0, 100, log=True).at(10) == pytest.approx(50)
    assert Axis(3, 3, 7, 9).at(3) == 7


@pytest.mark.parametrize(
    ("low", "high", "n", "ticks"),
    [
        (0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 1, 2, [0, 0.5, 1]),
        (0, 1.25, 5, [0, 0.25, 0.5, 0.75, 1, 1.25]),
        (-0.1, 2.9, 3, [0, 1, 2]),  # not -0
        (-3, 3.5, 6, [-2, 0, 2]),
        (0.95, 2.05, 6, [1, 1.2, 1.4, 1.6, 1.8, 2]),
        (0, 12, 6, [0, 2, 4, 6, 8, 10, 12]),
        (10, 70, 6, [10, 20, 30, 40, 50, 60, 70]),
        (0, 0.3, 3, [0, 0.1, 0.2, 0.3]),
    ],
)
def test_round_numbers_along_an_axis(low, high, n, ticks):
    """The finest of steps 1, 2, 2.5 and 5 times a power of ten that has at most n steps, ends included."""
    found = Axis(low, high, 0, 1).ticks(n)
    assert found == ticks and "-0.0" not in map(str, found)


def test_round_numbers_along_a_logarithmic_axis():
    assert Axis(1, 1000, 0, 1, log=True).ticks() == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    assert Axis(0.5, 5, 0, 1, log=True).ticks() == [0.5, 1, 2, 5]
    assert Axis(1, 1001, 0, 1, log=True).ticks() == [1, 10, 100, 1000]  # too many for finer steps
    assert Axis(0, 1, 0, 1).ticks() == Axis(0, 1, 0, 1).ticks(6)


def test_axes_have_their_numbers_lines_and_label():
    axis = Axis(0, 2, 100, 200)
    assert svg.x_axis(axis, 50, "cost", 10) == [
        '<line class="axis" x1="100.0" y1="50.0" x2="200.0" y2="50.0"/>',
        *(
            part
            for x, words in ((100, "0"), (125, "0.5"), (150, "1"), (175, "1.5"), (200, "2"))
            for part in (
                f'<line class="grid" x1="{x}.0" y1="10.0" x2="{x}.0" y2="50.0"/>',
                f'<text x="{x}.0" y="68.0" text-anchor="middle">{words}</text>',
            )
        ),
        '<text x="150.0" y="88.0" text-anchor="middle">cost</text>',
    ]
    assert not any("grid" in part for part in svg.x_axis(axis, 50, "cost"))
    assert svg.y_axis(Axis(0, 2, 200, 100), 60, 300)[2:4] == [
        '<line class="grid" x1="60.0" y1="175.0" x2="300.0" y2="175.0"/>',
        '<text x="52.0" y="179.0" text-anchor="end">0.5</text>',
    ]


# ---- parts


def test_texts_are_escaped_and_placed():
    assert svg.text(1, 2, "a<b") == '<text x="1.0" y="2.0" text-anchor="start">a&lt;b</text>'
    assert (
        svg.text(1, 2, "a", "end", "name") == '<text class="name" x="1.0" y="2.0" text-anchor="end">a</text>'
    )
    assert svg.run([(1, 2), (3.14, 4)]) == '<polyline class="run" points="1.0,2.0 3.1,4.0"/>'
    whole = svg.picture(10.4, 20.6, "a<b", ["<g/>", "<b/>"], ' id="x"')
    head = '<svg xmlns="http://www.w3.org/2000/svg" class="pic" viewBox="0 0 10 21" role="img" id="x">'
    assert whole == f"{head}<title>a&lt;b</title><style>{svg.STYLE}</style><g/><b/></svg>"


@pytest.mark.parametrize(
    ("shape", "part"),
    [
        (0, '<circle class="full" cx="10.0" cy="20.0" r="4.5"></circle>'),
        (1, '<polygon class="full" points="6.0,16.0 14.0,16.0 14.0,24.0 6.0,24.0"></polygon>'),
        (2, '<polygon class="full" points="10.0,15.0 15.0,24.0 5.0,24.0"></polygon>'),
        (3, '<polygon class="full" points="10.0,14.5 15.5,20.0 10.0,25.5 4.5,20.0"></polygon>'),
        (4, '<circle class="full" cx="10.0" cy="20.0" r="4.5"></circle>'),
    ],
)
def test_marks_have_four_shapes(shape, part):
    assert svg.mark(10, 20, shape) == part
    said = svg.mark(10, 20, shape, "open", "<5>")
    assert said == part.replace("full", "open").replace("></", "><title>&lt;5&gt;</title></", 1)


def test_a_legend_goes_on_in_the_next_line():
    """A name takes 30 and 7 for each letter: 65 for five; three of them pass 194, two do not."""
    parts, height = svg.legend(["first", "other", "third"], 10, 20, 194)
    assert height == 40
    assert parts == [
        f'<g class="s0">{svg.mark(16, 16, 0)}</g>',
        svg.text(26, 20, "first", kind="name"),
        f'<g class="s1">{svg.mark(81, 16, 1)}</g>',
        svg.text(91, 20, "other", kind="name"),
        f'<g class="s2">{svg.mark(16, 36, 2)}</g>',
        svg.text(26, 40, "third", kind="name"),
    ]
    assert svg.legend(["first", "other", "third"], 10, 20, 195)[1] == 20
    assert svg.legend(["a name that is too long for its line"], 10, 20, 5)[1] == 20
    assert svg.legend([], 10, 20, 5) == ([], 20)
    # Capitals are wider: the next mark does not stand in the name.
    assert svg.legend(["GDT", "GDT"], 0, 0, 1000)[0][2] == f'<g class="s1">{svg.mark(63, -4, 1)}</g>'
    seventh = svg.legend("abcdefg", 0, 0, 1000)[0][12]
    assert seventh.startswith('<g class="s0">') and "polygon" in seventh


# ---- critical differences


def test_ranks_on_a_line():
    """Learners hang from the line, the better half at the left; bars join those that are not told apart."""
    ranks = Ranks(
        ("a", "b<", "c", "d", "e"),
        (1.0, 1.5, 3.0, 4.5, 5.0),
        8,
        0.01,
        1.75,
        0.05,
        (("a", "b<"), ("c", "d")),
        (),
    )
    shows(
        critical_difference_picture(ranks),
        """
        720 170: Average ranks over 8 data sets; critical difference 1.75
        axis line 180,56 540,56
        axis line 180,50 180,56
        below 46 1@180
        axis line 270,50 270,56
        below 46 2@270
        axis line 360,50 360,56
        below 46 3@360
        axis line 450,50 450,56
        below 46 4@450
        axis line 540,50 540,56
        below 46 5@540
        axis line 180,14 337.5,14
        text start 343.5,18: critical difference 1.75
        group line 177,68 228,68
        group line 357,77 498,77
        stem path M180.0,56V96H168
        name text end 162,100: a 1.00
        stem path M225.0,56V118H168
        name text end 162,122: b< 1.50
        stem path M360.0,56V140H168
        name text end 162,144: c 3.00
        stem path M495.0,56V118H552
        name text start 558,122: d 4.50
        stem path M540.0,56V96H552
        name text start 558,100: e 5.00
        """,
    )


def test_a_critical_difference_beyond_the_line_is_drawn_as_long_as_the_line():
    ranks = Ranks(("a", "b"), (1.25, 1.75), 2, 1.0, 1.39, 0.05, (("a", "b"),), ())
    lines = drawn(critical_difference_picture(ranks))
    assert "axis line 180,14 540,14" in lines and "text start 546,18: critical difference 1.39" in lines


# ---- figures


def figure(columns, rows, **more):
    labels = tuple(Column(label) for label in columns)
    made = tuple(Row((name,), tuple(cells), x=x) for name, x, cells in rows)
    return ResultTable("p", "figure", "1", "F", more.pop("row_names", ("learner",)), labels, made, **more)


def test_a_figure_of_one_panel_with_the_papers_marks_and_error_bars():
    rows = [
        ("1:1", 1.0, [Cell(2.0, 6.0, 1.0)]),
        ("mean", None, [Cell(99.0)]),
        ("5:1", 3.0, [Cell(4.0)]),
        ("9", 5.0, [Cell()]),
    ]
    shows(
        figure_picture(figure(["cost"], rows, x_label="depth")),
        """
        720 260: Figure 1: F
        across 70-696 2@169 4@109 6@49
        name text start 20,20: cost
        s0/run polyline 103.5,169 383,109
        s0/open circle 103.5,49 r4.5: the paper: 6
        s0/whisker line 103.5,199 103.5,139
        s0/full circle 103.5,169 r4.5: 1:1: 2
        s0/whisker line 383,109 383,109
        s0/full circle 383,109 r4.5: 5:1: 4
        axis line 70,208 696,208
        below 226 1@103.5 2@243.3 3@383 4@522.7 5@662.5
        below 246 depth@383
        """,
    )


@pytest.mark.parametrize(("length", "second"), [(32, 20), (33, 40)])
def test_a_legend_breaks_where_its_panel_ends(length, second):
    """Names of 30 + 7 a letter from 190 on, in 510: two of 33 letters do not fit."""
    names = ["a" * length, "b" * length]
    picture = figure_picture(figure([f"c, {name}" for name in names], [("r", 1.0, [Cell(1.0), Cell(2.0)])]))
    [found] = [line for line in drawn(picture) if line.endswith(names[1])]
    assert found.split(":")[0].endswith(f",{second}")


def test_columns_of_one_name_share_a_panel_with_a_legend_and_others_have_their_own():
    rows = [
        ("a", 0.0, [Cell(1.0), Cell(2.0), Cell(0.5)]),
        ("b", 1.0, [Cell(3.0), Cell(None, 4.0), Cell(1.0)]),
    ]
    columns = ["right, class 1", "right, class 2", "cost"]
    shows(
        figure_picture(figure(columns, rows, row_names=("case",), x_label="costs")),
        """
        720 520: Figure 1: F
        across 70-696 1@199 2@149 3@99 4@49
        name text start 20,20: right
        s0/full circle 196,16 r4.5
        name text start 206,20: class 1
        s1/full polygon 271,12 279,12 279,20 271,20
        name text start 285,20: class 2
        s0/run polyline 103.5,199 662.5,99
        s0/whisker line 103.5,199 103.5,199
        s0/full circle 103.5,199 r4.5: a: 1
        s0/whisker line 662.5,99 662.5,99
        s0/full circle 662.5,99 r4.5: b: 3
        s1/run polyline 103.5,149
        s1/whisker line 103.5,149 103.5,149
        s1/full polygon 99.5,145 107.5,145 107.5,153 99.5,153: a: 2
        s1/open polygon 658.5,45 666.5,45 666.5,53 658.5,53: the paper: 4
        axis line 70,208 696,208
        below 226 a@103.5 b@662.5
        below 248 costs@383
        across 70-696 0.6@429 0.8@369 1@309
        name text start 20,280: cost
        s1/run polyline 103.5,459 662.5,309
        s1/whisker line 103.5,459 103.5,459
        s1/full polygon 99.5,455 107.5,455 107.5,463 99.5,463: a: 0.5
        s1/whisker line 662.5,309 662.5,309
        s1/full polygon 658.5,305 666.5,305 666.5,313 658.5,313: b: 1
        axis line 70,468 696,468
        below 486 a@103.5 b@662.5
        below 508 costs@383
        """,
    )


def test_a_name_with_and_one_without_a_comma_have_a_panel_each():
    picture = figure_picture(figure(["right", "right, class 1"], [("a", 0.0, [Cell(1.0), Cell(2.0)])]))
    lines = drawn(picture)
    assert lines[0] == "720 520: Figure 1: F"
    assert [line for line in lines if "name" in line] == [
        "name text start 20,20: right",
        "name text start 20,280: right, class 1",
    ]


def test_places_may_be_logarithmic_where_all_are_above_zero():
    def below(*places, log_x=True):
        rows = [(str(x), x, [Cell(1.0)]) for x in places]
        lines = drawn(figure_picture(figure(["cost"], rows, log_x=log_x)))
        return next(line for line in lines if line.startswith("below 226"))

    assert below(1.0, 100.0) == "below 226 1@97.7 10@383 100@668.3"
    assert below(0.0, 10.0) == below(0.0, 10.0, log_x=False)
    assert below(0.1, 10.0) != below(0.1, 10.0, log_x=False)


def test_of_many_cases_some_have_their_names_below():
    for n, named in ((9, 9), (10, 5), (18, 9), (19, 7)):
        rows = [(f"c{i}", float(i), [Cell(1.0)]) for i in range(n)]
        lines = drawn(figure_picture(figure(["cost"], rows, row_names=("case",))))
        [below] = [line for line in lines if line.startswith("below 226")]
        step = -(-n // named)
        assert [word.partition("@")[0] for word in below.split()[2:]] == [f"c{i}" for i in range(0, n, step)]


def test_a_figure_without_rows_is_empty():
    assert drawn(figure_picture(figure(["cost"], [], log_x=True)))[0] == "720 260: Figure 1: F"
