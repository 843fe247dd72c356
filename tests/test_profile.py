"""The profile format, and projections next to what a program with fewer functions would have shown."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.forensics import (
    CallTree,
    Feature,
    Function,
    Line,
    Profile,
    Symptom,
    Watch,
    observe,
    project,
    read_profile,
    write_profile,
)
from stakes.forensics.profile import merge, profile_from_dict, profile_to_dict

FUNCTIONS = tuple(Function("app.py", name, line) for line, name in enumerate("abcd"))

# A run: the calls made by the program, each a function with the calls that it makes.
calls = st.recursive(
    st.tuples(st.integers(0, 3), st.just(())),
    lambda inner: st.tuples(st.integers(0, 3), st.lists(inner, max_size=4).map(tuple)),
    max_leaves=12,
)
runs = st.lists(calls, max_size=4)


def recorded(run) -> Profile:
    """Record as the tracer does: one tree for each function and set of trees below it."""
    starts, trees, counts = Counter(), {}, Counter()

    def visit(call):
        function, below = call
        starts[function] += 1
        tree = (function, tuple(sorted({visit(one) for one in below})))
        number = trees.setdefault(tree, len(trees))
        counts[number] += 1
        return number

    for call in run:
        visit(call)
    return Profile(
        FUNCTIONS,
        tuple(starts[i] for i in range(4)),
        tuple(trees),
        tuple(counts[i] for i in range(len(trees))),
    )


def seen(run, watched):
    """The run of a program in which only the watched functions exist."""
    calls = []
    for function, below in run:
        inner = seen(below, watched)
        calls.extend([(function, inner)] if function in watched else inner)
    return calls


def naive(run, depth):
    """Trees of each call to a depth, counted one by one."""

    def tree(call, levels):
        function, below = call
        return CallTree(
            FUNCTIONS[function], frozenset(tree(one, levels - 1) for one in below) if levels else frozenset()
        )

    counts = Counter()

    def visit(call):
        counts[tree(call, depth)] += 1
        for one in call[1]:
            visit(one)

    for call in run:
        visit(call)
    return dict(counts)


@given(runs, st.sets(st.integers(0, 3)))
def test_a_projection_is_what_a_program_with_fewer_functions_shows(run, watched):
    projection = project(recorded(run), {FUNCTIONS[i] for i in watched})
    smaller = seen(run, watched)
    for depth in range(3):
        assert projection.trees[depth] == naive(smaller, depth)
    assert {CallTree(f): n for f, n in projection.functions.items()} == naive(smaller, 0)


@given(runs, runs)
def test_the_profiles_of_two_processes_add_up(first, second):
    assert project(merge([recorded(first), recorded(second)])) == project(recorded(first + second))


@given(runs)
def test_written_and_read_again(run):
    profile = recorded(run)
    assert profile_from_dict(json.loads(json.dumps(profile_to_dict(profile)))) == profile


@pytest.mark.parametrize("name", ["one.profile", "one.profile.gz"])
def test_files(tmp_path, name):
    profile = Profile(
        FUNCTIONS[:1],
        (2,),
        ((0, ()),),
        (2,),
        lines=((0, 7, 3),),
        interpreter="cpython 3.12",
        versions={"app.py": "sha256:0"},
        input="x",
        label="cause",
        symptom=Symptom(1, "ValueError", "ValueError: no"),
    )
    write_profile(profile, tmp_path / name)
    assert read_profile(tmp_path / name) == profile
    assert (tmp_path / name).stat().st_mode & 0o077 == 0
    assert profile.with_label(None).label is None
    assert profile.line_counts == {Line(FUNCTIONS[0], 7): 3}


def test_counts_as_a_deployed_model_sees_them():
    profile = recorded([(0, ((1, ((2, ()),)),)), (0, ())])
    a, b, c, _ = FUNCTIONS
    watch = Watch(
        (a, c), (Feature(c), Feature(CallTree(a, frozenset({CallTree(c)})), 1), Feature(CallTree(a), 2))
    )
    assert observe(profile, watch) == [1, 1, 1]
    assert str(watch.features[1]) == "D1 app.py:a:0 -> {app.py:c:2}"
    with pytest.raises(ValueError, match="watched functions only"):
        Watch((a,), (Feature(b),))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": [1]}, "one count per function"),
        ({"tree_counts": []}, "one count per"),
        ({"trees": [[9, []]]}, "tree 0"),
        ({"trees": [[0, [0]]]}, "tree 0"),
        ({"counts": [-1, 0, 0, 0]}, "negative"),
        ({"lines": [[8, 1, 1]]}, "lines"),
        ({"functions": [["a"]]}, "cannot be read"),
        ({"symptom": {"unheard": 1}}, "cannot be read"),
        ({"versions": 3}, "cannot be read"),
        ({"counts": [float("inf"), 0, 0, 0]}, "counts must be a list of whole numbers"),
        ({"counts": 7}, "counts must be a list"),
        ({"trees": [[0, 5]]}, "trees must be a list"),
        ({"functions": [["a.py", "f", 10**400]] * 4}, "a function must be a path, a name and a line"),
        ({"label": ["x"]}, "label must be a text or null"),
        ({"input": {}}, "input must be a text or null"),
        ({"interpreter": None}, "interpreter must be a text"),
        ({"symptom": None}, "symptom cannot be read"),
        ({"symptom": {"exit_status": "1"}}, "symptom cannot be read"),
        ({"symptom": {"shown": "all"}}, "symptom cannot be read"),
    ],
)
def test_what_does_not_fit_together_is_refused(change, message):
    document = profile_to_dict(recorded([(0, ())]))
    with pytest.raises(ValueError, match=message):
        profile_from_dict({**document, **change})


def test_what_is_no_profile_is_refused(tmp_path):
    path = tmp_path / "x.gz"
    for data in (
        b"",
        b"\x1f\x8b\x08 broken",
        b"\xff\xfe",
        b'{"format": "other", "version": 1}',
        b'{"version": 1}',
    ):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"x\.gz"):
            read_profile(path)
