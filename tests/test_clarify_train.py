"""Training of CLARIFY: shared tables, determinism, projection, prices, honest accuracy."""

import gc
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clarify_programs import function, profile_of, run, scanned
from stakes.forensics.candidates import (
    NANOSECONDS,
    cheapest_of_equals,
    columns_of,
    expected,
    observe_all,
    prices_of,
    trees_with,
)
from stakes.forensics.guard import failing_point
from stakes.forensics.host.names import CallTree, Ending, Feature
from stakes.forensics.host.watch import Watch
from stakes.forensics.profile import observe, project, write_profile
from stakes.forensics.refit import Refitter
from stakes.forensics.runs import gather, read_runs
from stakes.forensics.training import Settings, all_columns, splits, train
from stakes.forensics.validation import guesses, report, validate
from stakes.tree import C45Classifier

CAUSES = ("full", "locked", "missing", "slow")


@pytest.fixture(scope="module")
def profiles():
    found = []
    for cause in CAUSES:
        for number in range(12):
            for repetition in range(2):
                profile = run(cause, number, random.Random(f"{cause} {number}"), repetition)
                found.append((f"{cause}-{number}-{repetition}", profile))
    return found


@pytest.fixture(scope="module")
def runs(profiles):
    return gather(profiles)


# ---- the slow twin: profile.project and profile.observe ----

calls = st.recursive(
    st.tuples(st.sampled_from("abcdef"), st.just([])),
    lambda below: st.tuples(st.sampled_from("abcdef"), st.lists(below, max_size=3)),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(calls, min_size=1, max_size=3), min_size=2, max_size=5),
    st.sets(st.sampled_from("abcdef")),
)
def test_columns_are_the_projections_of_the_profiles(programs, watched):
    found = [profile_of(program, label="x", lines=[(program[0][0], 5, 2)]) for program in programs]
    runs = gather([(str(number), profile) for number, profile in enumerate(found)])
    mask = np.array([one.name in watched for one in runs.functions])
    columns = columns_of(runs, mask, ("functions", "trees"))
    features = {
        columns.feature(column): columns.counts[:, column].tolist() for column in range(len(columns.keys))
    }
    projected = [project(profile, {function(name) for name in watched}) for profile in found]
    wanted = {}
    for one in {f for p in projected for f in p.functions}:
        wanted[Feature(one)] = [p.functions.get(one, 0) for p in projected]
    for depth in (1, 2):
        for tree in {tree for p in projected for tree in p.trees[depth]}:
            wanted[Feature(tree, depth)] = [p.trees[depth].get(tree, 0) for p in projected]
    assert features == {feature: counts for feature, counts in wanted.items() if len(set(counts)) > 1}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(calls, min_size=1, max_size=3), min_size=2, max_size=4), st.data())
def test_what_a_model_would_see_is_what_observe_says(programs, data):
    found = [profile_of(program, label="x", lines=[(program[0][0], 5, 2)]) for program in programs]
    runs = gather([(str(number), profile) for number, profile in enumerate(found)])
    names = sorted(data.draw(st.sets(st.sampled_from("abcdef"), min_size=1)))
    watched = tuple(function(name) for name in names)
    trees = [
        Feature(tree, depth)
        for p in found
        for depth in (1, 2)
        for tree in project(p, set(watched)).trees[depth]
    ]
    never = Feature(CallTree(watched[0], frozenset({CallTree(watched[0])})), 1)
    lines = [Feature(line) for line in runs.lines if line.function in watched]
    watch = Watch(watched, tuple(dict.fromkeys([*(Feature(f) for f in watched), *trees, never, *lines])))
    assert observe_all(runs, watch).tolist() == [observe(profile, watch) for profile in found]


# ---- gathering ----


def test_what_differs_between_runs_of_an_input_is_never_used(runs):
    usable = dict(zip((one.name for one in runs.functions), runs.usable(), strict=True))
    assert not usable.pop("log")
    assert all(usable.values())
    columns = columns_of(runs, runs.usable(), ("functions", "trees"))
    assert not any("log" in str(columns.feature(column)) for column in range(len(columns.keys)))


def test_code_that_differs_between_runs_is_input_not_program():
    found = [
        (
            str(n),
            profile_of(
                [("main", [("body", [])] * n)], label=str(n % 2), path=path, versions={path: f"sha256:{n}"}
            ),
        )
        for n in range(4)
        for path in ("page.html",)
    ]
    runs = gather(found)
    assert runs.foreign == {"page.html"} and not runs.usable().any() and runs.versions == {}
    with pytest.raises(ValueError, match="nothing that was counted differs"):
        train(runs)


def test_runs_of_several_versions_or_interpreters_are_refused(profiles):
    other = profile_of([("main", [])], label="full", versions={"app": "app==2"})
    same = profile_of([("main", [])], label="full", versions={"app": "app==1"})
    with pytest.raises(ValueError, match=r"one version of app, got app==1 and app==2"):
        gather([("a", other), ("b", same)])
    with pytest.raises(ValueError, match=r"one interpreter, got cpython 3.11 and cpython 3.12"):
        gather(
            [
                ("a", profile_of([("main", [])], label="x")),
                ("b", _on(profile_of([("main", [])], label="x"), "cpython 3.11")),
            ]
        )


def _on(profile, interpreter):
    from dataclasses import replace

    return replace(profile, interpreter=interpreter)


def test_a_folder_of_profiles(tmp_path, profiles):
    with pytest.raises(ValueError, match="holds no profiles"):
        read_runs(tmp_path)
    (tmp_path / "deeper").mkdir()
    write_profile(profiles[0][1], tmp_path / "one.profile.gz")
    write_profile(profiles[-1][1], tmp_path / "deeper" / "two.profile")
    runs = read_runs(tmp_path)
    assert sorted(zip(runs.names, runs.labels)) == [("one", "full"), ("two", "slow")]
    write_profile(profiles[0][1].with_label(None), tmp_path / "three.profile")
    with pytest.warns(UserWarning, match="^1 runs have no label"):
        assert len(read_runs(tmp_path)) == 2
    write_profile(_cut(profiles[0][1]), tmp_path / "three.profile")
    with pytest.warns(UserWarning, match="three is left out"):
        assert len(read_runs(tmp_path)) == 2
    (tmp_path / "four.profile").write_text("{}")
    with pytest.raises(ValueError, match=r"four\.profile"):
        read_runs(tmp_path)


def test_reading_a_folder_of_profiles(tmp_path, profiles):
    (tmp_path / "folder.profile").mkdir()
    (tmp_path / "notes.txt").touch()
    for name, label in (("b", "x"), ("a", "y"), ("c", None), ("d", None)):
        write_profile(profiles[0][1].with_label(label), tmp_path / f"{name}.profile")
    steps, collecting = [], []

    def advance(done, total):
        steps.append((done, total))
        collecting.append(gc.isenabled())

    for enabled in (True, False):
        if not enabled:
            gc.disable()
        try:
            with pytest.warns(UserWarning, match="^2 runs have no label") as told:
                assert read_runs(tmp_path, advance).names == ("a", "b")
            assert gc.isenabled() == enabled and told[0].filename == __file__
        finally:
            gc.enable()
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)] * 2 and not any(collecting)
    with pytest.warns(UserWarning, match="the run b is left out") as told:
        assert len(gather([("a", profiles[0][1]), ("b", _cut(profiles[0][1])), ("c", profiles[1][1])])) == 2
    assert told[0].filename == __file__


def _cut(profile):
    from dataclasses import replace

    return replace(profile, complete=False)


def test_merged_causes(runs):
    merged = runs.relabel(["full+slow"])
    assert set(merged.labels) == {"full+slow", "locked", "missing"}
    for wrong in ("full", "full+nothing", ""):
        with pytest.raises(ValueError, match="a merge must join causes"):
            runs.relabel([wrong])


# ---- prices ----


def test_a_watched_function_is_free_for_the_next_feature(runs):
    columns = columns_of(runs, runs.usable(), ("functions", "trees"))
    events = expected(runs)
    prices = prices_of(columns, events)
    name = {str(columns.feature(column)): f"x{column}" for column in range(len(columns.keys))}
    check = next(n for n in name if n.startswith("app.py:check"))
    tree = next(n for n in name if n.startswith("D1 app.py:open_file") and "check" in n and "search" not in n)
    starts = {one.name: float(runs.starts[:, place].mean()) for place, one in enumerate(runs.functions)}
    assert prices.cost([name[check]]) == pytest.approx(NANOSECONDS["start"] * starts["check"])
    assert prices.marginal(name[check], given=[name[tree]]) == 0


def test_of_equal_columns_the_cheapest_stays(runs):
    columns = columns_of(runs, runs.usable(), ("functions",))
    kept = cheapest_of_equals(columns, expected(runs))
    assert len({column.tobytes() for column in kept.counts.T}) == len(kept.keys) < len(columns.keys) + 1


# ---- learning ----


@pytest.mark.parametrize("kinds", [("functions", "trees"), ("functions", "trees", "lines")])
def test_the_model_is_cheap_and_right(runs, profiles, kinds):
    trained = train(runs, Settings(kinds), texts={"slow": "The disk is slow. Wait."})
    names = {one.name for one in trained.model.watch.functions}
    assert "spin" not in names and "log" not in names
    assert trained.expected_events < 30 < trained.search.baseline_.test_cost
    assert guesses(trained.model, runs) == [(label, 1.0) for label in runs.labels]
    told = [trained.model.explain(observe(profile, trained.model.watch)) for _, profile in profiles]
    assert [verdict.label for verdict in told] == list(runs.labels)
    assert str(told[-1]) == "clarify: likely cause (12 of 12 similar runs): The disk is slow. Wait."


@pytest.fixture(scope="module")
def refitter(runs):
    rows = runs.distinct()
    part = runs.take(rows)
    return Refitter(runs, part, rows, expected(part), list(splits(part, 3, 0)))


def test_what_is_not_missed_is_left_out(runs, refitter):
    columns = all_columns(runs, Settings(("functions",))).rows(runs.distinct())
    tree = C45Classifier().fit(columns.counts.astype(float), np.array(columns.runs.labels))
    refitted = refitter.refit(columns, tree)
    everything = refitter._learn(runs.usable(), [], trees=True)
    for found in (refitted, everything):
        accuracy = refitter.accuracy(found)
        thin = refitter.thin(found, accuracy)
        assert refitter.accuracy(thin) >= accuracy
        assert refitter.price(thin) <= refitter.price(found)
    assert thin.watched.sum() < everything.watched.sum()


def test_the_first_that_is_good_enough_after_the_projection_is_chosen(runs, refitter):
    columns = all_columns(runs, Settings()).rows(runs.distinct())
    labels = np.array(columns.runs.labels)
    poor = columns.take([0])
    trees = [(one, C45Classifier().fit(one.counts.astype(float), labels)) for one in (poor, columns)]
    assert refitter.accuracy(refitter.choose(trees, 0.9)) == 1.0  # the first is not
    assert refitter.accuracy(refitter.choose(trees, 2.0)) == 1.0  # none is: the best
    first = refitter.refit(*trees[0])
    assert refitter.price(refitter.choose(trees, 0.0)) <= refitter.price(first)


def test_the_report_is_about_what_is_deployed(runs):
    trained = train(runs)
    part = runs.take(runs.distinct())
    counts = observe_all(part, trained.model.watch)
    said = [trained.model.explain(row).label for row in counts.tolist()]
    assert trained.accuracy == np.mean(np.array(said) == np.array(part.labels)) == 1.0


def test_without_trees_two_causes_cannot_be_told_apart(runs):
    fewer = Settings(("functions",), max_loss=0.05)
    found = validate(runs, fewer, folds=3)
    assert [pair[:2] for pair in found.pairs()] in ([], [("locked", "missing")])
    assert found.accuracy <= validate(runs, Settings(), folds=3).accuracy == 1.0


def test_counts_outside_training_are_unknown(runs):
    model = train(runs).model
    verdict = model.explain([10**6] * len(model.watch.features))
    assert verdict.label is None and "in training" in verdict.why_unknown and verdict.nearest


def test_runs_that_end_as_no_other_did_are_unknown(runs):
    assert train(runs).model.document["endings"] == [[1, "ValueError"]]
    only = runs.inputs[0]
    endings = [
        Ending(2, None) if name == only else one for name, one in zip(runs.inputs, runs.endings, strict=True)
    ]
    odd = replace(runs, endings=tuple(endings))
    assert train(odd).model.document["endings"] == [[1, "ValueError"], [2, None]]
    found = validate(odd, Settings(), folds=3)
    assert found.answered[:, -1].sum() == 1 and found.accuracy == 1.0


@pytest.mark.parametrize(
    ("kinds", "where"),
    [
        (("functions",), []),
        (("functions", "trees"), ["D1 app.py:scan:4 -> {app.py:stop:4}"]),
        (("functions", "trees", "lines"), ["app.py:scan:4@5"]),
    ],
)
def test_the_place_that_all_failures_passed_is_watched(kinds, where):
    def gathered(*wanted, **how):
        marked = "trees" not in kinds
        return gather((f"run {n}", scanned(*one, marked=marked, **how)) for n, one in enumerate(wanted))

    recorded = gathered(*((cause, n) for cause in ("deep", "flat") for n in range(2, 14)))
    settings = Settings(kinds)
    model = train(recorded, settings).model
    assert [str(feature) for feature in model.guard.features] == ["app.py:stop:4", *where]
    assert set(model.document["guard"]["counts"]) == {1}
    assert validate(recorded, settings, folds=3).explained > 0.8
    assert guesses(model, gathered(("deep", 5), ("flat", 6))) == [("deep", 1.0), ("flat", 1.0)]
    otherwise = gathered(("deep", 5), ("flat", 6), failing=False)
    assert guesses(model, otherwise) == [("deep", 0.0), ("flat", 0.0)]
    elsewhere = guesses(model, gathered(("deep", 5), ("flat", 6), caller="other"))
    assert elsewhere == [("deep", 0.0 if where else 1.0), ("flat", 0.0 if where else 1.0)]
    free = train(recorded, replace(settings, guard=False)).model
    assert free.watch == model.watch and free.guard == Watch((), ())
    assert free.document["expected_events"] < model.document["expected_events"]
    assert guesses(free, otherwise) == [("deep", 1.0), ("flat", 1.0)]


def test_functions_that_show_nothing_by_themselves():
    """That scan does not dig is seen only while digging is watched; learning goes on with something else."""

    def trap(cause, n):
        inside = [("look", [("dig", [])])] if cause == "deep" else [("look", []), ("dig", [])]
        return profile_of([("main", [("scan", inside)] * n)], label=cause, input=f"{cause} {n}")

    traps = gather((f"{cause} {n}", trap(cause, n)) for cause in ("deep", "flat") for n in range(2, 14))
    assert validate(traps, Settings(), folds=3).confusion.sum() == 24
    part = traps.take(traps.distinct())
    refitter = Refitter(traps, part, traps.distinct(), expected(part), list(splits(part, 3, 0)))
    with pytest.raises(ValueError, match="by themselves"):
        refitter.choose([], 0.0)


def named(runs, point):
    return [runs.functions[number].name for number in point]


def test_the_place_of_a_failure():
    scans = gather((f"run {n}", scanned("flat", n)) for n in range(2, 5))
    assert named(scans, failing_point(scans, scans.usable())) == ["stop", "scan"]
    several = gather((f"run {n}", scanned("flat", n, caller=("scan", "look")[n % 2])) for n in range(2, 6))
    called, caller = failing_point(several, several.usable())
    assert named(several, [called]) == ["stop"] and caller is None


def test_where_failures_have_no_place_in_common_none_is_watched(runs):
    assert failing_point(runs, runs.usable()) is None  # all that is called once is called by main
    scans = gather((f"run {n}", scanned("flat", n)) for n in range(2, 5))
    imports = "<frozen importlib._bootstrap>"  # varies with what is imported, and calls each module once
    loaded = [one._replace(path=imports) if one.name == "scan" else one for one in scans.functions]
    assert failing_point(replace(scans, functions=tuple(loaded)), scans.usable()) is None
    unstable = scans.usable()
    unstable[[function.name == "scan" for function in scans.functions]] = False
    assert failing_point(scans, unstable) is None


def test_of_several_places_the_last_is_taken_and_its_caller_where_it_is_the_same():
    def main(*calls):
        return profile_of([("main", list(calls))], label="any")

    opened, stopped, empty = ("scan", [("open", [])]), ("scan", [("stop", [])]), ("scan", [])
    twice = gather((f"run {n}", main(opened, *[empty] * n, stopped)) for n in range(2, 5))
    called, caller = failing_point(twice, twice.usable())
    assert named(twice, [called, caller]) == ["stop", "scan"] and len(trees_with(twice, caller, called)) == 1
    deeper = ("scan", [("stop", []), empty])
    nested = gather((f"run {n}", main(*[empty] * n, (stopped, deeper)[n % 2])) for n in range(2, 6))
    called, caller = failing_point(nested, nested.usable())
    assert named(nested, [called, caller]) == ["stop", "scan"] and trees_with(nested, caller, called) == []


def test_learning_is_repeatable(runs):
    assert train(runs).model.document == train(runs).model.document


def test_runs_of_one_input_stay_on_one_side(runs):
    for known, unseen in splits(runs, 4, 0):
        assert not {runs.inputs[row] for row in known} & {runs.inputs[row] for row in unseen}
        assert sorted([*known, *unseen]) == list(range(len(runs)))


def test_the_honest_accuracy_of_noise_is_that_of_guessing():
    rng = random.Random(0)
    found = []
    for number in range(60):
        calls = [("main", [(name, []) for name in "abcdefgh" for _ in range(rng.randint(0, 9))])]
        label = rng.choice("xy")
        # Repetitions have the label of their input: a split that tears them apart would look perfect.
        found += [(f"{number}-{one}", profile_of(calls, label=label, input=str(number))) for one in range(3)]
    assert validate(gather(found), Settings(("functions",))).accuracy < 0.75


def test_causes_with_equal_runs_are_named():
    found = [
        (
            f"{label}{number}",
            profile_of([("main", [("a", [])] * (number % 3 + 5 * (label == "z")))], label=label),
        )
        for number in range(9)
        for label in "xyz"
    ]
    checked = validate(gather(found), Settings(("functions",)), folds=3)
    assert checked.twins == (("x", "y"),)
    assert checked.pairs()[0][:2] == ("x", "y")
    assert checked.wrong < 0.1 < checked.unknown
    again = validate(gather(found).relabel(["x+y"]), Settings(("functions",)), folds=3)
    assert again.accuracy == 1.0 and again.twins == ()


def test_texts_of_merged_causes(runs):
    texts = {"full": "The disk is full.", "locked": "Somebody has the file."}
    model = train(runs.relabel(["full+slow"]), texts=texts).model
    assert model.document["texts"] == {
        "full+slow": "The disk is full. Or: slow",
        "locked": "Somebody has the file.",
    }


def test_one_cause_is_not_enough(runs):
    with pytest.raises(ValueError, match="at least two causes"):
        train(runs.take([0, 1]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kinds": ("loops",)}, "kinds must be some of functions, trees, lines"),
        ({"kinds": ()}, "kinds must be some of"),
        ({"max_loss": -0.1}, "max_loss must be from 0"),
        ({"folds": 1}, "folds must be at least 2, got 1"),
        ({"purity": 2}, "purity must be from 0 to 1, got 2"),
    ],
)
def test_settings_say_what_is_wrong(wrong, message):
    with pytest.raises(ValueError, match=message):
        Settings(**wrong)


def test_the_report_is_in_the_model(runs):
    import json

    trained = train(runs)
    document = report(trained, validate(runs, Settings(), folds=3), Settings(purity=0.7))
    again = json.loads(json.dumps(document, allow_nan=False))
    assert again["training"]["validation"]["accuracy"] == 1.0
    assert again["training"]["accuracy"] == trained.accuracy and again["purity"] == 0.7
