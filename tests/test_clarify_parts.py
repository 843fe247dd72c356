"""The parts of learning what to watch, each next to figures worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from clarify_programs import function, profile_of
from stakes.forensics import candidates, places
from stakes.forensics import training as train_module
from stakes.forensics.candidates import (
    NANOSECONDS,
    Columns,
    Resource,
    cheapest_of_equals,
    columns_of,
    expected,
    nanoseconds,
    prices_of,
    resources,
    resources_of,
)
from stakes.forensics.host.names import CallTree, Ending, Feature, Line
from stakes.forensics.host.versions import changed_file
from stakes.forensics.host.watch import Watch
from stakes.forensics.passing import Shown
from stakes.forensics.profile import Profile, Symptom, merge
from stakes.forensics.refit import Refitted, Refitter
from stakes.forensics.runs import gather
from stakes.forensics.texts import read_texts
from stakes.forensics.training import Settings, Trained, learn, splits
from stakes.forensics.validation import Validation, never_unknown, report, twins
from stakes.tree import C45Classifier


def calls(**counts):
    """A main that calls each function so often, with a line in the first one."""
    return [("main", [(name, []) for name, count in counts.items() for _ in range(count)])]


@pytest.fixture(scope="module")
def runs():
    """Four inputs of two causes, the first one run twice; ``a`` is called by x, ``b`` by y."""
    shapes = [("x", 4, 0), ("x", 4, 0), ("x", 6, 0), ("y", 0, 2), ("y", 0, 4)]
    inputs = ["one", "one", "two", "three", "four"]
    return gather(
        (
            f"run {n}",
            profile_of(calls(a=a, b=b), label=cause, input=name, lines=[("main", 3, a), ("main", 4, 1)]),
        )
        for n, ((cause, a, b), name) in enumerate(zip(shapes, inputs, strict=True))
    )


# ---- prices ------------------------------------------------------------------------------------------------


LINE_0 = Resource("line", 0)


def start(number):
    return Resource("start", number)


def test_events_and_nanoseconds(runs):
    number = {one.name: place for place, one in enumerate(runs.functions)}
    a, b, main = number["a"], number["b"], number["main"]
    events = expected(runs)
    wanted = {main: 1.0, a: 14 / 5, b: 6 / 5}
    assert {name: pytest.approx(events[name]) for name in events} == {
        **{Resource(kind, place): n for kind in ("start", "return") for place, n in wanted.items()},
        LINE_0: 14 / 5,
        Resource("line", 1): 1.0,
    }
    assert NANOSECONDS == {"start": 13.0, "return": 21.0, "line": 21.5}
    assert resources([a, b], [1], False) == [start(a), start(b), Resource("line", 1)]
    assert resources([a], [], True) == [start(a), Resource("return", a)]
    assert nanoseconds([start(a), Resource("return", b), LINE_0], events) == pytest.approx(
        2.8 * 13 + 1.2 * 21 + 2.8 * 21.5
    )
    f = {one.name: one for one in runs.functions}
    plain = Watch((f["a"], f["main"]), (Feature(f["a"]), Feature(Line(f["main"], 3))))
    assert sorted(resources_of(plain, runs)) == sorted([start(a), start(main), LINE_0])
    tree = Watch((f["b"],), (Feature(CallTree(f["b"]), 1),))
    assert resources_of(tree, runs) == [start(b), Resource("return", b)]
    assert (
        str(LINE_0) == "l0"
        and prices_of(columns_of(runs, runs.usable(), ("lines",)), events).prices["l0"] > 0
    )


def test_what_each_column_needs(runs):
    number = {one.name: place for place, one in enumerate(runs.functions)}
    a, b, main = number["a"], number["b"], number["main"]
    columns = columns_of(runs, runs.usable(), ("functions", "trees", "lines"))
    needs = {str(columns.feature(j)): columns.resources(j) for j in range(len(columns.keys))}
    assert needs["app.py:a:1"] == {start(a)}
    assert needs["app.py:main:4@3"] == {LINE_0, start(main)}
    both = {Resource(kind, place) for kind in ("start", "return") for place in (main, b)}
    assert needs["D1 app.py:main:4 -> {app.py:b:1}"] == both
    assert "app.py:main:4@4" not in needs  # the same in all runs
    prices, events = prices_of(columns, expected(runs)), expected(runs)
    for j in range(len(columns.keys)):
        assert prices.cost([f"x{j}"]) == pytest.approx(nanoseconds(columns.resources(j), events))


def test_of_equal_columns_the_cheapest_stays_whatever_their_order(runs):
    number = {one.name: place for place, one in enumerate(runs.functions)}
    a, b, main = number["a"], number["b"], number["main"]
    values = np.array([[4, 4, 1, 0], [4, 4, 1, 0], [6, 6, 1, 0], [0, 0, 1, 2], [0, 0, 1, 4]])
    keys = [("line", 0), ("function", a), ("function", main), ("function", b)]
    kept = cheapest_of_equals(Columns(runs, keys, values), expected(runs))
    assert sorted(kept.keys) == sorted(
        [("function", a), ("function", b)]
    )  # main is constant, the line is dear
    assert candidates.first_of_equals(values, [3, 0, 1, 2]) == [3, 0]


def test_columns_of_some_kinds_rows_and_lines(runs):
    columns = columns_of(runs, runs.usable(), ("functions", "trees", "lines"))
    kinds = [key[0] for key in columns.keys]
    assert {key[0] for key in columns.of_kinds(("functions", "lines")).keys} == {"function", "line"}
    assert columns.of_kinds(("functions", "trees", "lines")) is columns
    part = columns.rows(np.array([2, 4]))
    assert part.runs.names == ("run 2", "run 4") and part.counts.tolist() == columns.counts[[2, 4]].tolist()
    assert part.keys == columns.keys and kinds.count("line") == 1
    only = columns_of(runs, np.zeros(len(runs.functions), dtype=bool), ("lines",), [0])
    assert only.keys == [("line", 0)] and only.counts.ravel().tolist() == [4, 4, 6, 0, 0]
    nothing = columns_of(runs, np.zeros(len(runs.functions), dtype=bool), ("lines",), [])
    assert nothing.counts.shape == (5, 0) and nothing.counts.dtype == np.int64


# ---- learning ----------------------------------------------------------------------------------------------


class Stop(Exception):
    pass


def test_the_least_accuracy_is_the_best_less_what_may_be_lost(runs, monkeypatch):
    handed = {}

    def search(columns, events, folds, settings):
        handed.setdefault("kinds", []).append({key[0] for key in columns.keys})
        return columns, SimpleNamespace(baseline_=SimpleNamespace(accuracy=0.75))

    def choose(self, trees, floor):
        handed["floor"] = floor
        raise Stop

    monkeypatch.setattr(train_module, "_search", search)
    monkeypatch.setattr(Refitter, "choose", choose)
    monkeypatch.setattr(train_module, "_candidates", lambda searches, floor: handed.update(offered=floor))
    settings = Settings(("functions", "trees", "lines"), max_loss=0.25, folds=2)
    with pytest.raises(Stop):
        learn(train_module.all_columns(runs, settings), runs.distinct(), settings)
    assert (handed["floor"], handed["offered"]) == (0.5, 0.5)
    assert handed["kinds"] == [{"function"}, {"function", "line"}, {"function", "line", "tree"}]


def test_candidates_come_from_the_cheapest_on_once_each(runs):
    columns = columns_of(runs, runs.usable(), ("functions",))

    def search(*points):
        results = [
            SimpleNamespace(test_cost=cost, accuracy=right, value=gamma) for cost, right, gamma in points
        ]
        fitted = C45Classifier(min_samples_leaf=1).fit(columns.counts.astype(float), np.array(runs.labels))
        return columns, SimpleNamespace(
            results_=results, estimator=C45Classifier(min_samples_leaf=1), best_estimator_=fitted
        )

    one = search((30.0, 0.9, 1.0), (10.0, 0.5, 8.0), (20.0, 0.75, 4.0))
    other = search((20.0, 0.8, 3.0), (20.0, 0.9, 2.0), (40.0, 1.0, 0.0))
    found = list(train_module._candidates([one, other], 0.75))
    assert [tree.gamma for _, tree in found[:-1]] == [2.0, 4.0, 1.0, 0.0]
    assert found[-1][1] is other[1].best_estimator_ and all(some is columns for some, _ in found)
    assert all(tree.min_samples_leaf == 1 and tree.get_n_leaves() == 2 for _, tree in found)


def test_what_is_offered():
    assert train_module._offers(("functions",)) == [("functions",)]
    assert train_module._offers(("functions", "trees")) == [("functions",), ("functions", "trees")]
    everything = ("functions", "trees", "lines")
    assert train_module._offers(everything) == [("functions",), ("functions", "lines"), everything]
    assert train_module._offers(("trees",)) == [("trees",)]


def test_folds_of_inputs(runs):
    assert len(list(splits(runs, 9, 0))) == 4  # not more than there are inputs
    assert len(list(splits(runs, 2, 0))) == 2
    for known, unseen in splits(runs, 2, 0):
        assert {runs.labels[row] for row in unseen} == {"x", "y"} == {runs.labels[row] for row in known}
    with pytest.raises(ValueError, match="at least two inputs, got one"):
        list(splits(runs.take([0, 1]), 2, 0))


def test_what_is_said_about_a_model():
    def watch(*paths):
        return Watch(tuple(function("f", path) for path in paths), ())

    assert train_module._program(watch("a/x.py", "b/y.py", "b/z.py")) == "b"
    assert train_module._program(watch()) == "the program"
    versions = {"a": "a==1", "c": "c==1", "m.py": "sha256:1"}
    assert train_module._versions(watch("m.py", "a/x.py"), versions) == {"a": "a==1", "m.py": "sha256:1"}
    texts = {"a": "A.", "b+c": "B and C."}
    assert train_module._texts(texts, ["a", "a+d", "b+c", "e", "b+e"]) == {
        "a": "A.",
        "a+d": "A. Or: d",
        "b+c": "B and C.",
    }


def test_of_equal_runs_of_a_cause_the_first_is_kept(runs):
    counts = np.array([[1, 2], [1, 2], [1, 3], [1, 2], [1, 2]])
    assert train_module._distinct_runs(runs, counts) == [
        ["run 0", "x", [1, 2]],
        ["run 2", "x", [1, 3]],
        ["run 3", "y", [1, 2]],
    ]


def test_settings_at_their_limits():
    for good in ({"max_loss": 0}, {"max_loss": 0.99}, {"folds": 2}, {"purity": 0}, {"purity": 1}):
        assert Settings(**good)
    for bad in ({"max_loss": 1}, {"purity": 1.01}, {"purity": -0.01}, {"folds": 1}):
        with pytest.raises(ValueError, match="must be"):
            Settings(**bad)
    with pytest.raises(ValueError, match="kinds must be some of functions, trees, lines, got "):
        Settings(kinds=("functions", "loops"))


# ---- settling ----------------------------------------------------------------------------------------------


class Steps(Refitter):
    """Settles to what is handed in, and tells what was asked for."""

    def __init__(self, accuracies):
        self.accuracies, self.asked = accuracies, []

    def refit(self, columns, tree):
        self.asked.append(columns)
        return columns

    def accuracy(self, refitted):
        return self.accuracies[refitted]

    def thin(self, refitted, accuracy):
        return refitted, accuracy


def test_the_first_that_is_accurate_enough_is_chosen_else_the_best():
    steps = Steps({"a": 0.5, "b": 0.75, "c": 0.9})
    assert steps.choose([("a", None), ("b", None), ("c", None)], 0.75) == ("b", 0.75)
    assert steps.asked == ["a", "b"]
    assert Steps({"a": 0.5, "b": 0.75, "c": 0.75}).choose([(n, None) for n in "abc"], 0.8) == ("b", 0.75)
    none_first = Steps({None: 1.0, "a": 0.5})
    assert none_first.choose([(None, None), ("a", None)], 0.0) == ("a", 0.5)
    with pytest.raises(ValueError, match="the same in all runs"):
        Steps({}).choose([(None, None)], 0.0)
    assert Steps({"a": 0.0}).choose([("a", None)], 0.5) == ("a", 0.0)


def test_functions_that_no_test_names_go_while_no_more_errors_are_made(runs):
    """From all functions to those that the tree names, and not further than errors allow."""

    class Learning(Refitter):
        def __init__(self, answers):
            self.answers, self.asked = dict(answers), []

        def _learn(self, watched, lines, trees):
            self.asked.append((tuple(watched.tolist()), lines, trees))
            assert len(self.asked) < 9, "it goes round in circles"
            return self.answers[tuple(watched.tolist())]

    def refitted(watched, named, errors):
        array = np.array(watched)
        return SimpleNamespace(watched=array, named=np.array(named), errors=errors, lines=[7])

    columns = columns_of(runs, runs.usable(), ("trees",))
    tree = C45Classifier(min_samples_leaf=1).fit(columns.counts.astype(float), np.array(runs.labels))
    start = Refitted(columns, tree, np.zeros(0, dtype=bool))
    all_of, some, fewest = tuple(start.named.tolist()), (True, False, True), (True, False, False)
    assert start.has_trees
    first, second = refitted(all_of, some, 1), refitted(some, fewest, 1)
    for last, expected_end in (
        (refitted(fewest, fewest, 2), second),
        (refitted(fewest, fewest, 1), None),
        (None, second),
    ):
        steps = Learning({all_of: first, some: second, fewest: last})
        assert steps.refit(columns, tree) is (last if expected_end is None else expected_end)
        assert steps.asked == [(all_of, [], True), (some, [7], True), (fewest, [7], True)]
    alone = refitted(all_of, all_of, 5)
    steps = Learning({all_of: alone})
    assert steps.refit(columns, tree) is alone and len(steps.asked) == 1
    assert Learning({all_of: None}).refit(columns, tree) is None
    plain = columns_of(runs, runs.usable(), ("functions",))
    tree = C45Classifier(min_samples_leaf=1).fit(plain.counts.astype(float), np.array(runs.labels))
    kept = Learning({}).refit(plain, tree)
    assert kept.columns is plain and kept.tree is tree and kept.watched.tolist() == kept.named.tolist()
    assert kept.errors == 0 and not kept.has_trees and kept.lines == []


def test_what_is_dear_and_not_missed_goes_first():
    """Prices of 13, 26 and 39 nanoseconds; the accuracy may rise, and never fall."""
    s0, s1, s2, r0 = start(0), start(1), start(2), Resource("return", 0)
    events = {s0: 1.0, s1: 2.0, s2: 3.0, r0: 9.0}

    class Thinning(Refitter):
        def __init__(self, accuracies):
            self.events, self.accuracies, self.tried = events, accuracies, []

        def accuracy(self, refitted):
            return self.accuracies.get(refitted.names, 0.5)

        def _without(self, refitted, resource):
            self.tried.append(resource)
            return Some(refitted.names - {resource, Resource("return", resource.number)})

    class Some:
        def __init__(self, names):
            self.names = frozenset(names)

        def resources(self):
            return sorted(self.names)

    everything = Some(events)
    steps = Thinning({frozenset({s0, r0, s1}): 0.75, frozenset({s1}): 0.75})
    assert steps.thin(everything, 0.75).names == {s1}
    assert steps.tried == [s2, s1, s0]
    better = Thinning({frozenset({s0, r0, s1}): 0.9, frozenset({s1}): 0.8})
    assert better.thin(everything, 0.75).names == {s0, r0, s1}  # 0.9 must then stay
    worse = Thinning({})
    assert worse.thin(everything, 0.75) is everything
    none = Thinning({})
    none._without = lambda refitted, resource: None
    assert none.thin(everything, 0.0) is everything
    same = Thinning({frozenset(events): 1.0})
    same._without = lambda refitted, resource: Some(refitted.names)
    assert same.thin(everything, 0.75) is everything  # as dear as before


def test_without_a_function_its_lines_are_not_counted_either():
    asked = []
    steps = Refitter(SimpleNamespace(line_function=np.array([0, 0, 1])), None, None, {}, [])
    steps._learn = lambda watched, lines, trees: asked.append((watched.tolist(), lines, trees))
    refitted = SimpleNamespace(watched=np.array([True, True]), lines=[0, 1, 2], has_trees=False)
    steps._without(refitted, start(0))
    steps._without(refitted, Resource("line", 1))
    assert asked == [([False, True], [2], False), ([True, True], [0, 2], False)]
    assert refitted.watched.tolist() == [True, True]


# ---- how often it is right ---------------------------------------------------------------------------------


def validation():
    confusion = np.array([[5, 3, 0], [1, 9, 0], [0, 0, 2]])
    answered = np.array([[4, 2, 0, 2], [1, 8, 0, 1], [0, 0, 1, 1]])
    return Validation(("a", "b", "c"), confusion, answered, (("a", "b"),))


def test_shares_of_runs():
    found = validation()
    assert (found.accuracy, found.explained) == (16 / 20, 13 / 20)
    assert (found.unknown, found.wrong) == (4 / 20, 3 / 20)
    assert found.to_dict() == {
        "accuracy": 0.8,
        "explained": 0.65,
        "wrong": 0.15,
        "unknown": 0.2,
        "classes": ["a", "b", "c"],
        "confusion": [[5, 3, 0], [1, 9, 0], [0, 0, 2]],
        "told": [[4, 2, 0, 2], [1, 8, 0, 1], [0, 0, 1, 1]],
        "pairs": [["a", "b", 4 / 18]],
        "twins": [["a", "b"]],
    }


def test_pairs_from_fifteen_of_a_hundred_on_worst_first():
    def pairs(*rows):
        confusion = np.array(rows)
        return Validation(tuple("abcd")[: len(rows)], confusion, confusion).pairs()

    assert pairs([85, 15], [15, 85]) == [("a", "b", 0.15)] and pairs([86, 14], [15, 85]) == []
    assert pairs([8, 2, 0], [0, 0, 0], [0, 5, 5]) == [("b", "c", 0.5), ("a", "b", 0.2)]
    assert pairs([0, 0], [0, 0]) == []


def test_purity_is_the_least_with_which_few_enough_are_wrong():
    answers = ((0, 0, 1.0), (0, 1, 11 / 12), (1, 1, 0.5), (1, 0, 0.25), (1, 0, 0.0))
    found = Validation(("a", "b"), np.zeros((2, 2), int), np.zeros((2, 3), int), answers=answers)
    assert found.at(0.0).answered.tolist() == [[1, 1, 0], [1, 1, 1]]  # 0 is outside training: never told
    assert found.at(0.5).answered.tolist() == [[1, 1, 0], [0, 1, 2]]
    assert found.purity(0.4) == 0.25 and found.purity(0.2) == 0.5 and found.purity(0.0) == 1.0
    only = Validation(("a", "b"), found.confusion, found.answered, answers=((0, 0, 11 / 12), (0, 1, 0.5)))
    assert only.purity(0.0) == 0.916
    assert Validation(("a",), found.confusion, found.answered, answers=((0, 0, 0.0),)).purity(1.0) == 1.0


def test_twins_are_runs_that_nothing_tells_apart(runs):
    counts = np.array([[1], [1], [2], [1], [3]])
    columns = Columns(runs, [("function", 0)], counts)
    assert twins(columns, np.array([0, 2, 3, 4])) == [("x", "y")]
    assert twins(columns, np.array([0, 1, 2, 4])) == []


def test_a_model_that_is_never_unknown():
    document = {"purity": 0.9, "ranges": [[0, 1], [2, 3]], "endings": [[1, None]], "classes": ["a"]}
    forced = never_unknown(document)
    assert forced == {
        "purity": 0.0, "ranges": [[-np.inf, np.inf]] * 2, "endings": None, "classes": ["a"],
    }  # fmt: skip
    assert document["purity"] == 0.9


def test_the_report_says_how_it_was_learnt():
    points = [
        SimpleNamespace(value=gamma, test_cost=cost, accuracy=0.5)
        for gamma, cost in ((None, 3.0), (2.0, 1.0))
    ]
    search = SimpleNamespace(front_=points, baseline_=SimpleNamespace(test_cost=9.0, accuracy=0.75))
    model = SimpleNamespace(document={"purity": 0.9, "expected_events": 4, "classes": ["a"]})
    trained = Trained(model, search, 12.5, 0.625)
    assert trained.expected_events == 4.0
    settings = Settings(("functions",), max_loss=0.25, purity=0.7)
    assert report(trained, validation(), settings) == {
        "purity": 0.7,
        "expected_events": 4,
        "classes": ["a"],
        "training": {
            "counted": ["functions"],
            "max_loss": 0.25,
            "nanoseconds": 12.5,
            "accuracy": 0.625,
            "front": [
                {"gamma": None, "nanoseconds": 3.0, "accuracy": 0.5},
                {"gamma": 2.0, "nanoseconds": 1.0, "accuracy": 0.5},
            ],
            "baseline": {"nanoseconds": 9.0, "accuracy": 0.75},
            "validation": validation().to_dict(),
        },
    }


# ---- recording ---------------------------------------------------------------------------------------------


def symptom_of(pieces, *patterns, keep=True):
    shown = Shown(patterns, keep)
    for piece in pieces:
        shown.see(piece)
    shown.end()
    return record_module().ended(Profile((), (), symptom=Symptom(0, "ValueError")), 3, shown).symptom


def test_the_last_line_of_stderr_is_the_message_where_it_is_kept():
    assert symptom_of([b"one\n  two \n\n"]) == Symptom(3, "ValueError", "two")
    assert symptom_of([b"one\n", b"tw", b"o"]) == Symptom(3, "ValueError", "two")
    assert symptom_of([b" \n"]).message == "" and symptom_of([b"50 %\r100 %\r"]).message == "100 %"
    assert symptom_of([b"x" + b"y" * 200]).message == "y" * 200
    assert symptom_of([b"secret"], keep=False) == Symptom(3, "ValueError")
    assert record_module().ended(Profile((), ()), -9).symptom == Symptom(-9)


def test_patterns_are_matched_line_by_line_and_nothing_of_the_lines_is_kept():
    pieces = [b"denied: secret\nfirst ha", b"lf and second half\n", b"a" * 9000, b"late\n", b"the end"]
    shown = Shown(("half and", "^denied", "secret\nfirst", "late", "end$"))
    for piece in pieces:
        shown.see(piece)
        assert len(shown._begun) <= 4096
    shown.end()
    assert shown.matched == ["^denied", "half and", "end$"]
    assert shown.message == "" and shown._begun == b""
    with pytest.raises(ValueError, match=r"must be regular expressions, got '\('"):
        Shown(["("])


def record_module():
    import sys

    return sys.modules["stakes.forensics.record"]


def test_the_environment_of_a_recorded_program():
    import os

    module = record_module()
    host = str(module.HOST_PATH)
    found = module.traced({"A": "1"}, "folder", trees=True, lines=True)
    assert found == {
        "A": "1", "PYTHONPATH": host, module.startup.FOLDER: "folder", module.startup.COUNT: "trees,lines",
    }  # fmt: skip
    found = module.traced({"PYTHONPATH": "p"}, "folder")
    assert found["PYTHONPATH"] == f"{host}{os.pathsep}p" and found[module.startup.COUNT] == ""


def test_profiles_of_several_processes():
    f, g = function("f"), function("gg")
    first = Profile(
        (f,), (2,), ((0, ()),), (2,), ((0, 9, 1),), interpreter="i", versions={"a": "1"}, label="l"
    )
    second = Profile(
        (g, f), (1, 3), ((1, ()), (0, (0,))), (3, 1), ((1, 9, 4), (1, 8, 1)), complete=False,
        versions={"b": "2"}, symptom=Symptom(1, "KeyError"),
    )  # fmt: skip
    whole = merge([first, second])
    assert whole == Profile(
        (f, g), (5, 1), ((0, ()), (1, (0,))), (5, 1), ((0, 8, 1), (0, 9, 5)), complete=False, interpreter="i",
        versions={"a": "1", "b": "2"}, label="l", symptom=Symptom(1, "KeyError"),
    )  # fmt: skip
    assert merge([first]).symptom == Symptom() and merge([first, first]).complete


def test_paths_that_mean_the_same_elsewhere(tmp_path):
    where = places.Places()
    assert where.relative("/v/lib/python3.12/site-packages/pip/req.py") == "pip/req.py"
    assert where.relative("/usr/lib/python3/dist-packages/apt/a.py") == "apt/a.py"
    assert where.relative("C:\\v\\lib\\python3.13t\\json\\a.py") == "json/a.py"
    assert where.relative("/usr/lib/pypy3.10/os.py") == "os.py"
    assert (where.relative("<string>"), where.relative("a.py")) == ("<string>", "a.py")
    assert where.relative("<frozen a/b>") == "<frozen a/b>"
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").write_text("")
    (inner / "m.py").write_text("x")
    (tmp_path / "alone.py").write_text("y")
    assert where.relative(str(inner / "m.py")) == "outer/inner/m.py"
    assert where.relative(str(tmp_path / "alone.py")) == "alone.py"
    found = where.versions([str(inner / "m.py"), "<string>", "/usr/lib/python3.12/os.py", "/no/such/file.py"])
    assert found == {"outer/inner/m.py": "sha256:2d711642b726b044"}  # sha256 of "x"
    site = tmp_path / "site-packages"
    (site / "demo-1.2.dist-info").mkdir(parents=True)
    (site / "demo-1.2.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: demo\nVersion: 1.2\n")
    (site / "demo-1.2.dist-info" / "RECORD").write_text("demo/__init__.py,,\n")
    (site / "demo").mkdir()
    (site / "demo" / "__init__.py").touch()  # from 3.12 on, files that are not there are no part of it
    (site / "own.py").write_text("x")
    found = where.versions([f"{site}/demo/__init__.py", f"{site}/own.py"])
    assert found == {"demo": "demo==1.2", "own.py": "sha256:2d711642b726b044"}


def test_what_is_no_file_has_no_content_to_compare(tmp_path):
    absent = f"{tmp_path}/absent.py"
    assert places.Places().versions(["/dev/zero", "no\0name.py", str(tmp_path), absent]) == {}
    assert changed_file({"a.py": "sha256:0"}, [("a.py", "no\0name.py")]) == ""


def test_texts_of_causes(tmp_path):
    path = tmp_path / "causes.json"
    path.write_text('{"a": "A."}')
    assert read_texts(path) == {"a": "A."}
    for text, message in (
        ('{"a": 1}', "must have a text for the cause 'a', got 1"),
        ('{"a": " "}', "must have a text for the cause 'a', got ' '"),
        ('["a"]', "must hold a text for each cause"),
        ("{", "cannot be read"),
        ("[" * 100_000, "nested too deeply"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            read_texts(path)
    assert Ending(1, None) != Ending(1, "KeyError")
