"""Fitted trees as data: JSON and back, and what is refused."""

from __future__ import annotations

import copy
import json
import random

import numpy as np
import pytest

from oracles.random_trees import random_fitted, random_rows
from oracles.router import predict_code, probabilities
from stakes._base import documents
from stakes.tree.fitted import FittedTree
from stakes.tree.words import example


def assert_same(one, two):
    assert one.schema == two.schema
    assert one.labels == two.labels
    assert one.classes.dtype == two.classes.dtype
    assert one.min_cost == two.min_cost
    for name in one.tree.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(one.tree, name), getattr(two.tree, name), strict=True)
    for name in ("values", "decision", "costs"):
        a, b = getattr(one, name), getattr(two, name)
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_array_equal(a, b, strict=True)


@pytest.mark.parametrize("seed", range(40))
def test_json_and_back_is_exact(seed):
    fitted = random_fitted(seed)
    text = json.dumps(fitted.to_dict(), allow_nan=False)
    assert_same(FittedTree.from_dict(json.loads(text)), fitted)


@pytest.mark.parametrize("labels", [["a", 1, True, 0.5], [2**40, -1], [True, False], [1e-300, 0.1], ["x"]])
@pytest.mark.parametrize("as_object", [True, False])
def test_labels_keep_value_and_type(labels, as_object):
    if not as_object and len({type(label) for label in labels}) > 1:
        labels = [str(label) for label in labels]
    k = len(labels)
    base = example()
    tree = base.tree
    classes = np.empty(k, dtype=object)
    classes[:] = labels
    if len(set(classes.tolist())) < k:  # 1 == True
        classes[2] = "other"
    if not as_object:
        classes = np.array(labels)
    weights = np.ones((7, k))
    tree = type(tree)(**{**vars(tree), "class_weights": weights, "label": np.zeros(7, dtype=np.int32)})
    fitted = FittedTree(tree, base.schema, classes, weights / k, tree.label)
    back = FittedTree.from_dict(json.loads(json.dumps(fitted.to_dict())))
    assert_same(fitted, back)
    assert [type(label) for label in back.labels] == [type(label) for label in fitted.labels]


def test_labels_that_json_has_not_are_refused():
    base = example()
    for labels in (np.array([np.inf, 1.0]), np.array([None, "a"], dtype=object)):
        with pytest.raises(ValueError, match="class labels must be strings"):
            FittedTree(base.tree, base.schema, labels, base.values, base.decision).to_dict()


# node: 0 income<=24, 1 leaf, 2 income<=60, 3 housing, 4 leaf, 5 leaf, 6 leaf
TAMPERED = {
    "cycle": (("tree", "first_child", 2), 0, "must come after it"),
    "self": (("tree", "first_child", 2), 2, "must come after it"),
    "child out of range": (("tree", "first_child", 3), 6, "within the tree"),
    "huge child": (("tree", "first_child", 3), 2**31 - 1, "within the tree"),
    "shared child": (("tree", "first_child", 3), 4, "exactly one node"),
    "feature out of range": (("tree", "feature", 0), 2, "there are 2 columns"),
    "negative feature": (("tree", "feature", 0), -2, "column number"),
    "inner node made a leaf": (("tree", "feature", 3), -1, "a leaf of the tree"),
    "leaf with branches": (("tree", "n_branches", 1), 2, "a leaf of the tree"),
    "one branch": (("tree", "n_branches", 0), 1, "at least two branches"),
    "negative branches": (("tree", "n_branches", 0), -5, "at least two branches"),
    "threshold at a nominal node": (("tree", "threshold", 3), 1.5, "nominal column"),
    "no threshold": (("tree", "threshold", 0), None, "finite threshold"),
    "threshold at a leaf": (("tree", "threshold", 1), 1.0, "neither a threshold"),
    "numeric test on a nominal column": (("tree", "feature", 0), 1, "cannot have a threshold"),
    "branch that is not there": (("tree", "value_branch", 0), 2, "does not have"),
    "branch below -1": (("tree", "value_branch", 0), -2, "does not have"),
    "value_start falls": (("tree", "value_start", 1), 9, "never fall"),
    "value_start begins late": (("tree", "value_start", 0), 1, "begin with 0|never fall"),
    "value_start ends late": (("tree", "value_start", 7), 4, "end with the length"),
    "negative weight": (("tree", "class_weights", 1, 0), -1.0, "class_weights must be numbers from 0"),
    "huge weight": (("tree", "class_weights", 1, 0), 1e200, "class_weights must be numbers from 0"),
    "NaN weight": (("tree", "class_weights", 1, 0), float("nan"), "finite numbers"),
    "null weight": (("tree", "class_weights", 1, 0), None, "must hold numbers"),
    "ragged weights": (("tree", "class_weights", 1), [1.0], "rows of one length"),
    "label out of range": (("tree", "label", 0), 2, "class codes"),
    "text for a number": (("tree", "feature", 0), "0", "whole numbers"),
    "true for a number": (("tree", "feature", 1), True, "whole numbers"),
    "fraction for a code": (("decision", 0), 0.5, "whole numbers"),
    "long whole number": (("decision", 0), 10**400, "more than 20 digits"),
    "number beyond a double": (("values", 0, 0), 10**400, "finite numbers"),
    "decision out of range": (("decision", 0), 2, "class codes"),
    "negative probability": (("values", 0, 0), -0.1, "probabilities"),
    "no distribution": (("values", 0, 0), 0.0, "add up to 1"),
    "infinite cost": (("costs", 0, 1), float("inf"), "finite numbers"),
    "costs of another size": (("costs",), [[0.0]], "costs must be finite, of shape"),
    "min_cost no truth value": (("min_cost",), 1, "true or false"),
    "classes twice": (("classes", "labels"), ["bad", "bad"], "each once"),
    "unhashable label": (("classes", "labels"), [["bad"], "good"], "fit the dtype"),
    "strange dtype": (("classes", "dtype"), "datetime64[s]", "dtype of classes"),
    "label too big for its dtype": (("classes",), {"dtype": "int8", "labels": [1, 300]}, "do not fit"),
    "tree no object": (("tree",), [], "must be a JSON object"),
    "schema no object": (("schema",), 7, "schema"),
    "other format": (("format",), "pickle", "must have format"),
    "newer version": (("version",), 2, "install a newer stakes"),
    "version no number": (("version",), "1", "whole number from 1"),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_tampered_documents_are_refused(case):
    path, value, message = TAMPERED[case]
    document = json.loads(json.dumps(example().to_dict()))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=message):
        FittedTree.from_dict(document)


def every_key(document, path=()):
    for key, value in document.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from every_key(value, (*path, key))


@pytest.mark.parametrize("path", list(every_key(example().to_dict())), ids=str)
def test_missing_keys_are_refused(path):
    document = json.loads(json.dumps(example().to_dict()))
    place = document
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    with pytest.raises(ValueError, match=r"\w+"):
        FittedTree.from_dict(document)


JUNK = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    7,
    2**31,
    -(2**40),
    10**30,
    0.5,
    -0.5,
    1e308,
    "",
    "a",
    [],
    [0],
    {},
    [[]],
]


def mutate(document, rng):
    """Change one place at random: replace, delete, double, swap or shift."""
    place = document
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(place[key], dict | list) and rng.random() < 0.85:
            place = place[key]
            continue
        action = rng.random()
        if action < 0.5:
            place[key] = copy.deepcopy(rng.choice(JUNK))
        elif action < 0.65 and type(place[key]) in (int, float):
            place[key] += rng.choice([-1, 1])
        elif action < 0.75:
            del place[key]
        elif isinstance(place, list):
            other = rng.choice(keys)
            place[key], place[other] = place[other], place[key]
            if action > 0.9:
                place.append(place[key])
        return


@pytest.mark.parametrize("seed", range(12))
def test_random_damage_is_refused_or_safe(seed):
    rng = random.Random(seed)
    fitted = random_fitted(seed, max_nodes=12)
    original = json.dumps(fitted.to_dict())
    refused = 0
    for _ in range(400):
        document = json.loads(original)
        for _ in range(rng.choice([1, 1, 2, 4])):
            mutate(document, rng)
        try:
            read = FittedTree.from_dict(document)
        except ValueError as error:
            assert len(str(error)) > 10
            refused += 1
            continue
        for row in random_rows(seed, read, 3):
            assert sum(probabilities(read, row)) == pytest.approx(1, abs=1e-5)
            assert 0 <= predict_code(read, row) < read.n_classes
    assert 100 < refused < 400


def test_files_say_what_is_wrong(tmp_path):
    path = tmp_path / "model.json"
    document = {"format": "stakes-model", "version": 1, "model": example().to_dict()}
    documents.save_json(path, document)
    assert documents.load_json(path) == document
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]
    text = path.read_text(encoding="utf-8")
    for end in range(0, len(text) - 2, 37):
        path.write_text(text[:end], encoding="utf-8")
        with pytest.raises(ValueError, match=r"cut short|not JSON"):
            documents.load_json(path)
    for content, message in [
        (b"\x80\x04\x95", "not UTF-8"),
        (b"income <= 3", "not JSON"),
        (b"[" * 100_000, "nested too deeply|cut short"),
        (b'{"format": NaN}', "NaN is not a JSON number"),
        (b'{"version": ' + b"9" * 5000 + b"}", "not JSON that can be read"),
        (b"[1]", 'no "format"'),
        (b'{"format": "other", "version": 1}', "must have format 'stakes-model', got 'other'"),
        (b'{"format": "stakes-model"}', "whole number from 1"),
        (b'{"format": "stakes-model", "version": 9}', "install a newer stakes"),
    ]:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            documents.load_json(path)


def test_saving_leaves_the_old_file_when_it_fails(tmp_path):
    path = tmp_path / "model.json"
    documents.save_json(path, {"format": "stakes-model", "version": 1})
    with pytest.raises(ValueError):
        documents.save_json(path, {"x": float("nan")})
    assert documents.load_json(path)["version"] == 1


def test_a_tree_too_deep_for_the_core_is_refused():
    fitted = random_fitted(1, 9000, "chain")
    with pytest.raises(ValueError, match="must not be deeper than 2000 tests"):
        fitted.validate()


def test_a_deep_chain_is_no_trouble():
    fitted = random_fitted(1, 3000, "chain")
    assert fitted.tree.depth.max() > 1000
    fitted.validate()
    assert len(fitted.tree.leaves) + np.sum(fitted.tree.feature >= 0) == fitted.tree.n_nodes
    assert fitted.tree.fractions().min() >= 0
