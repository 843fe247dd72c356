"""A deployed model: what it says of counts, and which documents it refuses."""

import copy
import json
import marshal
import math
import random
from dataclasses import FrozenInstanceError, replace

import pytest

from stakes.forensics.host.counters import Counts
from stakes.forensics.host.model import ClarifyModel, Verdict
from stakes.forensics.host.names import CallTree, Ending, Feature, Function, Line, exception_name
from stakes.forensics.host.watch import Watch
from stakes.forensics.host.watching import selection_of
from stakes.forensics.host.watching import verdict as verdict_of

F, G, H = (Function("app.py", name, line) for line, name in enumerate("fgh", 1))

# Two features: f at most 2 is "a"; else g at most 0 is "b", else "c" or "b".
DOCUMENT = {
    "format": "stakes-clarify",
    "version": 1,
    "program": "app",
    "interpreter": "cpython 3.12",
    "versions": {},
    "watch": {"functions": [list(F), list(G)], "features": [["function", 0], ["function", 1]]},
    "guard": {"functions": [list(H)], "features": [["function", 0]], "counts": [1]},
    "tree": {
        "feature": [0, -1, 1, -1, -1],
        "threshold": [2, None, 0, None, None],
        "first_child": [1, -1, 3, -1, -1],
        "class_weights": [[4, 9, 5], [4, 0, 0], [0, 9, 5], [0, 8, 0], [0, 1, 4]],
    },
    "classes": ["a", "b", "c"],
    "texts": {"a": "It is a."},
    "ranges": [[0, 10], [0, 4]],
    "endings": [[1, "KeyError"]],
    "purity": 0.8,
    "expected_events": 3.0,
    "runs": [["r1", "a", [0, 0]], ["r2", "b", [10, 0]], ["r3", "c", [5, 4]], ["r4", "c", [6, 4]]],
}


@pytest.fixture(scope="module")
def model():
    return ClarifyModel.from_dict(DOCUMENT)


def test_the_way_through_the_tree(model):
    for counts, label, agree, similar, leaf in (
        ([2, 0], "a", 4, 4, 1),
        ([3, 0], "b", 8, 8, 3),
        ([10, 4], "c", 4, 5, 4),
    ):
        verdict = model.explain(counts)
        assert verdict == Verdict(
            label, {"a": "It is a."}.get(label, label), agree, similar, "", (), f"{model.digest}-{leaf}",
            tuple(counts),
        )  # fmt: skip
    assert str(model.explain([0, 0])) == "clarify: likely cause (4 of 4 similar runs): It is a."


def test_what_is_unknown_says_why(model):
    above = model.explain([11, 0])
    assert (above.label, above.text) == (None, "")
    assert above.why_unknown == "app.py:f:1 was counted 11 times, 0 to 10 in training"
    # Distances are in shares of the ranges, 10 and 4: r2 at 0.1, r4 at 1.5, r3 at 1.6, r1 at 1.1.
    assert above.nearest == (("r2", "b"), ("r1", "a"), ("r4", "c"))
    assert above.fingerprint == f"{model.digest}-3-unknown"
    assert str(above) == (
        "clarify: cause unknown: app.py:f:1 was counted 11 times, 0 to 10 in training. "
        "Nearest recorded runs: r2 (b); r1 (a); r4 (c)."
    )
    assert above.to_dict() == {
        "label": None, "text": "", "agree": 8, "similar": 8, "why_unknown": above.why_unknown,
        "nearest": [["r2", "b"], ["r1", "a"], ["r4", "c"]], "fingerprint": above.fingerprint, "counts": [11, 0],  # noqa: E501
    }  # fmt: skip
    assert model.explain([0, -1]).why_unknown.startswith("app.py:g:2 was counted -1 times")
    strict = ClarifyModel.from_dict(DOCUMENT | {"purity": 0.81})
    assert strict.explain([5, 1]).why_unknown == "4 of 5 similar runs agree"
    weights = [[0, 0, 0]] * 5
    empty = ClarifyModel.from_dict(
        DOCUMENT | {"purity": 0.0, "tree": DOCUMENT["tree"] | {"class_weights": weights}}
    )
    assert empty.explain([5, 1]).why_unknown == "0 of 0 similar runs agree"
    flat = ClarifyModel.from_dict(DOCUMENT | {"ranges": [[3, 3], [0, 4]]})
    assert flat.explain([4, 0]).nearest == (("r3", "c"), ("r4", "c"), ("r1", "a"))


def test_failures_of_another_kind_are_foreign(model):
    foreign = model.explain([0, 0], Ending(1, None))
    assert foreign.why_unknown == "no recorded run ended with exit status 1 and no uncaught exception"
    assert foreign.nearest == () and str(foreign) == f"clarify: cause unknown: {foreign.why_unknown}."
    assert model.explain([0, 0], Ending(1, "KeyError"), [1]).label == "a"
    assert model.explain([0, 0], Ending(None, "KeyError")).label == "a"
    elsewhere = model.explain([0, 0], Ending(1, "KeyError"), [0])
    assert elsewhere.why_unknown == "app.py:h:3 was counted 0 times, 1 in every recorded run"
    assert elsewhere.nearest == () and model.explain([0, 0], None, []).label == "a"
    open_ended = ClarifyModel.from_dict(DOCUMENT | {"endings": []})
    assert open_ended.explain([0, 0], Ending(7, None)).label == "a"


def test_all_that_is_watched_and_the_digest(model, tmp_path):
    assert model.watched.functions == (F, G, H) and len(model.watched.features) == 3
    path = tmp_path / "m.json"
    path.write_text(json.dumps(DOCUMENT | {"program": "ä"}, ensure_ascii=False), encoding="utf-8")
    again = ClarifyModel.read(path)
    assert again.document["program"] == "ä" and again.digest != model.digest and len(again.digest) == 16
    backwards = dict(reversed(DOCUMENT.items()))
    assert ClarifyModel.from_dict(backwards).digest == model.digest
    without = {key: value for key, value in DOCUMENT.items() if key not in ("guard", "endings", "runs")}
    bare = ClarifyModel.from_dict(without)
    assert bare.guard == Watch((), ()) and bare.explain([99, 0], Ending(3, None)).nearest == ()


def tree(**change):
    return {"tree": DOCUMENT["tree"] | change}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "must have format 'stakes-clarify'"),
        ({"version": 2}, "must have version 1, got 2"),
        ({"ranges": [[0, 1]]}, "one range per feature"),
        ({"endings": [[1]]}, "pairs of an exit status and an exception"),
        ({"endings": ["ab"]}, "pairs of an exit status and an exception"),
        ({"guard": DOCUMENT["guard"] | {"counts": []}}, "guard must have one count per feature"),
        ({"watch": {"functions": [], "features": [["function", 0]]}}, "what to watch cannot be read"),
        ({"watch": {"functions": [list(F)], "features": [["tree", 3, [0, []]]]}}, "cannot be read"),
        (tree(feature=[]), "it must have a node"),
        (tree(feature=[2, -1, 1, -1, -1]), "node 0 must test a feature and have two children after it"),
        (tree(first_child=[4, -1, 3, -1, -1]), "node 0 must test"),
        (tree(first_child=[0, -1, 3, -1, -1]), "node 0 must test"),
        (tree(class_weights=[[1, 1, 1]] * 4 + [[1, 1]]), "node 4 must have one weight per class"),
        (tree(threshold=["x"] * 5), "tree cannot be read"),
        (tree(threshold=[2]), "tree cannot be read"),
    ],
)
def test_documents_that_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        ClarifyModel.from_dict(DOCUMENT | change)


def test_documents_that_lack_something_are_refused():
    for key in [
        "interpreter",
        "versions",
        "watch",
        "tree",
        "classes",
        "texts",
        "ranges",
        "purity",
        "expected_events",
    ]:
        with pytest.raises(ValueError, match=rf"the model lacks {key}$"):
            ClarifyModel.from_dict({name: value for name, value in DOCUMENT.items() if name != key})
    with pytest.raises(ValueError, match="must have format"):
        ClarifyModel.from_dict([])


def test_what_was_learnt_cannot_be_changed_by_accident(model):
    for one, name in ((model, "digest"), (model.explain([0, 0]), "label"), (model.watch, "features")):
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, None)


def test_endings_and_names():
    assert str(Ending(0, None)) == "exit status 0 and no uncaught exception"
    assert not Ending(1, "A").may_be(Ending(2, "A")) and not Ending(None, "A").may_be(Ending(1, "B"))

    class Local(Exception):
        pass

    Local.__module__ = "__main__"
    assert exception_name(Local).endswith("Local") and not exception_name(Local).startswith("__main__")
    tree = CallTree(F, frozenset({CallTree(H), CallTree(G, frozenset({CallTree(F)}))}))
    assert str(tree) == "app.py:f:1 -> {app.py:g:2 -> {app.py:f:1}, app.py:h:3}"
    assert tree.functions == {F, G, H} and Feature(Line(G, 4)).functions == {G}


def test_what_is_watched_as_plain_values():
    tree = CallTree(F, frozenset({CallTree(H), CallTree(G)}))
    watch = Watch((F, G, H), (Feature(tree, 2), Feature(Line(G, 9)), Feature(H)))
    plain = watch.to_dict()
    assert plain["features"] == [["tree", 2, [0, [[1, []], [2, []]]]], ["line", 1, 9], ["function", 2]]
    assert Watch.from_dict(plain) == watch and watch.needs_trees and watch.needs_lines
    only = Watch((H, F), (Feature(H),))
    assert not only.needs_trees and not only.needs_lines
    both = only | watch
    assert both.functions == (H, F, G) and both.features == (
        Feature(H),
        Feature(tree, 2),
        Feature(Line(G, 9)),
    )


#: What takes the place of some part of a model.
ODD = [
    None,
    True,
    -1,
    0,
    5,
    2**31,
    10**400,
    1.5,
    math.nan,
    math.inf,
    "",
    "x",
    "\ud800",
    [],
    [[]],
    {},
    {"a": 1},
]


def places(part, way=()):
    """Ways to all parts of a document."""
    if way:
        yield way
    entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, below in entries:
        yield from places(below, (*way, key))


def mutated(seed):
    """The document with one to three of its parts replaced, doubled or gone."""
    rng, document = random.Random(seed), json.loads(json.dumps(DOCUMENT))
    for _ in range(rng.choice([1, 1, 2, 3])):
        *above, last = rng.choice(list(places(document)))
        part = document
        for key in above:
            part = part[key]
        if rng.random() < 0.75:
            part[last] = copy.deepcopy(rng.choice(ODD))
        elif rng.random() < 0.5 or isinstance(part, dict):
            del part[last]
        else:
            part.append(part[last])
    return document


def test_mutated_models_are_refused_or_explain_all_counts():
    refused = 0
    for seed in range(400):
        try:
            model = ClarifyModel.from_dict(mutated(seed))
        except ValueError:
            refused += 1
            continue
        n_features, n_guards = len(model.watch.features), len(model.guard.features)
        for count in (0, 3, 99):
            for ending in (None, Ending(1, "KeyError"), Ending(3, None)):
                verdict = model.explain([count] * n_features, ending, [1] * n_guards)
                json.dumps([str(verdict), verdict.to_dict()], allow_nan=False).encode()
        selection = selection_of(model)
        functions = [tuple(function) for function in selection.functions]
        marshal.dumps(
            [functions, list(selection.lines), int(model.digest, 16), model.document["versions"]], 2
        )
        counts = Counts(1, 2, 3, False, False, functions, [1] * len(functions), [], [], [])
        assert verdict_of(model, [counts], Ending(1, "KeyError")).counts
        assert verdict_of(model, [replace(counts, full=True)]).why_unknown.startswith("not all that happened")
    assert 200 < refused < 390


def test_a_file_that_is_no_model_is_named(tmp_path):
    path = tmp_path / "model.json"
    for data in (b"", b"{", b"\xff", b"[" * 100_000, b'{"format": 1}', json.dumps(DOCUMENT).encode()[:-9]):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"model\.json"):
            ClarifyModel.read(path)


def test_a_tree_is_no_deeper_than_what_is_compared():
    deep = ["tree", 1, [0, [[1, [[0, []]]]]]]
    with pytest.raises(ValueError, match="more levels than its depth"):
        ClarifyModel.from_dict(DOCUMENT | {"watch": DOCUMENT["watch"] | {"features": [deep, deep]}})
    for place in (-1, 2, True, "0"):
        with pytest.raises(ValueError, match="must name one of the functions by number"):
            Watch.from_dict({"functions": [list(F), list(G)], "features": [["function", place]]})
