"""Pictures of reports: where every line, mark and word stands, for small examples worked out by hand."""

import dataclasses
import math
import textwrap
from types import SimpleNamespace

import pytest

from pictures import drawn
from stakes.compare.comparison import Comparison, Interval, LearnerResult
from stakes.report._pictures import (
    NARROW,
    WIDE,
    comparison_picture,
    evolution_picture,
    ratio_picture,
    thin,
    threshold_picture,
    tradeoff_picture,
)
from stakes.report.curve import ThresholdCurve
from stakes.report.ratio import RatioView
from stakes.report.use import Tradeoff
from stakes.tree.tradeoff.path import TradeoffPoint


def shows(svg, lines):
    assert drawn(svg) == textwrap.dedent(lines).strip().splitlines()


CURVE = ThresholdCurve("Q", ((0.0, 2.0), (0.25, 1.0), (0.5, 1.5)), 0.2, 1.25)


def test_cost_by_threshold():
    """From 0 to 2.12, the highest cost and 6 % of room, below the words; each cost holds up to the next."""
    shows(
        threshold_picture(CURVE),
        """
        720 300: Cost per row by the probability from which Q is answered; the least, 1, lies just above 0.25
        across 60-700 0@248 0.5@198.9 1@149.9 1.5@100.8 2@51.8
        axis line 60,248 700,248
        below 266 0@60 0.2@188 0.4@316 0.6@444 0.8@572 1@700
        below 286 answer Q from this probability on@380
        s0/run polyline 60,51.8 220,51.8 220,149.9 380,149.9 380,100.8 700,100.8
        base line 60,125.4 700,125.4
        base-text text end 700,119.4: best constant
        mark line 188,20 188,248
        mark-text text start 194,32: 0.20: what the costs ask for
        """,
    )


@pytest.mark.parametrize(
    ("best", "words"),
    [
        (0.6, "mark-text text start 450,32: 0.60: what the costs ask for"),
        (0.75, "mark-text text end 534,32: 0.75: what the costs ask for"),
        (None, "base-text text end 700,119.4: best constant"),
    ],
)
def test_words_at_the_threshold_of_the_costs_stay_in_the_picture(best, words):
    assert drawn(threshold_picture(dataclasses.replace(CURVE, best=best)))[-1] == words


def test_long_curves_are_thinned_evenly_with_their_ends_and_the_least():
    points = [(float(i), 5.0) for i in range(1400)]
    assert thin(points, 1400) is points
    more = [(float(i), 1.0 if i == 703 else 5.0) for i in range(2 * 1398)]
    wanted = sorted({*range(0, 2796, 2), 2795, 703})
    assert thin(more, 1400) == [more[i] for i in wanted]


RATIO = RatioView(
    positive="bad",
    negative="good",
    ratios=(0.1, 1.0, 10.0),
    missed=(1.0, 10.0, 100.0),
    detected=(0.0, 6.0, 10.0),
    alarms=(0.0, 5.0, 45.0),
    n_positive=10.0,
    n_negative=90.0,
    own_detected=4.0,
    own_alarms=1.0,
    right_negative=0.0,
    alarm=10.0,
    right_positive=0.0,
    start=1,
    positive_first=False,
)


def test_bill_by_ratio():
    """In per cent of the constant: 160, 70, 68 for the model's answers, 100, 90, 50 for the moved line."""
    shows(
        ratio_picture(RATIO),
        """
        720 300: Bill in per cent of the best constant's, by the ratio of the costs
        s0/full circle 66,12 r4.5
        name text start 76,16: line moved with the costs
        s1/full polygon 267,8 275,8 275,16 267,16
        name text start 281,16: answers as they are
        across 60-700 0@248 50@188.4 100@128.8 150@69.2
        axis line 60,248 700,248
        below 266 0.1@60 0.2@156.3 0.5@283.7 1@380 2@476.3 5@603.7 10@700
        below 286 a missed bad costs so many times a false alarm@380
        ratio-frame rect 60,42 640,206
        url(#ratio-frame)/s1/run polyline 60,57.3 380,164.6 700,167.2
        url(#ratio-frame)/s0/run polyline 60,128.8 380,140.7 700,188.4
        base line 60,128.8 700,128.8
        base-text text end 700,122.8: best constant = 100%
        ratio-mark/ratio-mark/translate(380.0 0)/mark line 0,42 0,248
        """,
    )


def test_bills_beyond_twice_the_constant_leave_the_frame_and_free_constants_are_left_out():
    far = drawn(ratio_picture(dataclasses.replace(RATIO, own_alarms=90.0, own_detected=0.0)))
    assert "across 60-700 0@248 50@200.3 100@152.6 150@104.9 200@57.3" in far
    cheap = dataclasses.replace(
        RATIO, detected=(0.0, 10.0, 10.0), alarms=(0.0, 0.0, 0.0), own_alarms=0.0, own_detected=9.0
    )
    assert "across 60-700 0@248 25@200.3 50@152.6 75@104.9 100@57.3" in drawn(ratio_picture(cheap))
    free = dataclasses.replace(
        RATIO, missed=(0.0, 10.0, 100.0)
    )  # where a miss costs nothing, so does the constant
    runs = [line for line in drawn(ratio_picture(free)) if "run" in line]
    assert runs == [
        "url(#ratio-frame)/s1/run polyline 380,114.5 700,118.7",
        "url(#ratio-frame)/s0/run polyline 380,76.3 700,152.6",
    ]


def test_bills_that_are_always_beyond_twice_the_constant_are_in_the_frame():
    """Tests for 1,800, constants of 10, 100 and 900: the least share is 250 %, half of that is room."""
    costly = drawn(ratio_picture(dataclasses.replace(RATIO, tests=1800.0)))
    assert "across 60-700 0@248 100@197.1 200@146.3 300@95.4 400@44.5" in costly
    [moved] = [line for line in costly if "s0/run" in line]
    assert moved.endswith(" 700,120.8")


def test_the_axis_of_a_long_class_fits_a_phone():
    long = dataclasses.replace(RATIO, positive="will default soon")
    words = {
        size: [line for line in drawn(ratio_picture(long, size)) if "false alarm" in line]
        for size in (WIDE, NARROW)
    }
    assert words == {
        WIDE: ["below 286 a missed will default so… costs so many times a false alarm@380"],
        NARROW: ["below 256 a miss costs so many times a false alarm@192"],
    }


POINTS = (
    TradeoffPoint(0.5, 1.0, 0.9, 0.5, on_front=True),
    TradeoffPoint(1.0, 2.0, 0.8, 0.75),
    TradeoffPoint(None, 4.0, 0.95, 0.25, on_front=True, is_baseline=True),
)


def test_price_of_looking_against_mistakes():
    shows(
        tradeoff_picture(Tradeoff(POINTS[::-1], POINTS[0], "cost")),
        """
        720 300: cost of mistakes per row against the feature costs; full marks are on the front
        across 60-700 0.4@181.1 0.6@106.9
        axis line 60,248 700,248
        below 266 0@60 1@210.9 2@361.9 3@512.8 4@663.8
        below 286 feature costs@380
        name text start 10,16: cost of mistakes per row
        s0/run polyline 210.9,144 663.8,236.9
        s0/open circle 361.9,51.1 r4.5: 1.0: 2, 0.75
        s0/full circle 663.8,236.9 r4.5: baseline: 4, 0.25
        s0/full circle 210.9,144 r4.5: 0.5: 1, 0.5
        s1/full polygon 210.9,138.5 216.4,144 210.9,149.5 205.4,144: chosen
        name text start 220.9,136: chosen
        """,
    )


def test_a_search_by_accuracy_shows_errors_in_per_cent():
    shows(
        tradeoff_picture(Tradeoff(POINTS, POINTS[2], "accuracy")),
        """
        720 300: errors, % against the feature costs; full marks are on the front
        across 60-700 5@236.9 10@175 15@113 20@51.1
        axis line 60,248 700,248
        below 266 0@60 1@210.9 2@361.9 3@512.8 4@663.8
        below 286 feature costs@380
        name text start 10,16: errors, %
        s0/run polyline 210.9,175 663.8,236.9
        s0/open circle 361.9,51.1 r4.5: 1.0: 2, 20
        s0/full circle 210.9,175 r4.5: 0.5: 1, 10
        s0/full circle 663.8,236.9 r4.5: baseline: 4, 5
        s1/full polygon 663.8,231.4 669.3,236.9 663.8,242.4 658.3,236.9: chosen
        name text end 653.8,228.9: chosen
        """,
    )


def test_cost_over_generations():
    shows(
        evolution_picture(SimpleNamespace(best_cost=[4.0, 3.0, 2.0])),
        """
        720 300: cost of the best tree over the generations
        across 60-700 2@236.9 2.5@190.4 3@144 3.5@97.6 4@51.1
        axis line 60,248 700,248
        below 266 0@60 0.5@210.9 1@361.9 1.5@512.8 2@663.8
        below 286 generation@380
        name text start 10,16: cost per training row
        s0/run polyline 60,51.1 361.9,144 663.8,236.9
        """,
    )


def result(name, mean, low, high, total_cost=None):
    cost = Interval(mean, low, high)
    return LearnerResult(name, cost, 0.0, cost, 0.0, None, None, 0.0, total_cost=total_cost)


def compared(*results):
    return Comparison(results, 10, 2, 1, "p", 2.5)


def test_costs_of_learners_with_their_intervals():
    """The cheapest first and in colour; a name of 35 letters is cut, one of 34 is not."""
    picture = comparison_picture(compared(result("b" * 35, 3.0, 2.0, 4.0), result("c" * 34, 2.0, 1.0, 3.0)))
    shows(
        picture,
        """
        720 116: Cost per row of 2 learners; the dashed line is the best constant, 2.5
        axis line 271.6,66 700,66
        up 14-66 1@294.6 2@422.1 3@549.5 4@677.1
        below 104 cost per row@485.8
        base line 485.8,14 485.8,66
        name text end 259.6,31: cccccccccccccccccccccccccccccccccc
        s0/whisker line 294.6,27 549.5,27
        s0/full circle 422.1,27 r4.5: cccccccccccccccccccccccccccccccccc: 2
        name text end 259.6,57: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…
        quiet/whisker line 422.1,53 677.1,53
        quiet/full circle 549.5,53 r4.5: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb: 3
        """,
    )


def test_the_longest_name_says_how_much_room_names_get():
    picture = comparison_picture(compared(result("one", 1.0, 1.0, 1.0), result("three", 2.0, 2.0, 2.0)))
    assert "axis line 57,66 700,66" in drawn(picture)  # 20, and 7.4 for each letter


def test_a_learner_without_an_interval_is_drawn_inside_the_axis():
    shows(
        comparison_picture(compared(result("C4.5", 1.0, -math.inf, math.inf), result("tree", 3.0, 2.0, 4.0))),
        """
        720 116: Cost per row of 2 learners; the dashed line is the best constant, 2.5
        axis line 49.6,66 700,66
        up 14-66 1@84.4 2@278 3@471.6 4@665.2
        below 104 cost per row@374.8
        base line 374.8,14 374.8,66
        name text end 37.6,31: C4.5
        s0/whisker line 84.4,27 84.4,27
        s0/full circle 84.4,27 r4.5: C4.5: 1
        name text end 37.6,57: tree
        quiet/whisker line 278,53 665.2,53
        quiet/full circle 471.6,53 r4.5: tree: 3
        """,
    )


def test_where_columns_have_prices_the_whole_bill_is_drawn():
    one = result("one", 1.0, 1.0, 1.0, Interval(3.0, 2.5, 3.5))
    lines = drawn(comparison_picture(compared(one, result("two", 2.0, 2.0, 2.0, Interval(2.0, 1.5, 2.5)))))
    assert any(line.startswith("below 104 bill per row@") for line in lines)
    assert [line.rpartition(": ")[2] for line in lines if "circle" in line] == ["2", "3"]
