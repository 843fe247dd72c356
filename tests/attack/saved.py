"""Model files: one that somebody has changed is refused, or it answers as a valid model would."""

from __future__ import annotations

import gzip
import json
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from attack.data import ESTIMATORS, check_valid, fitted, fitted_on
from attack.harness import Draw
from oracles.damage import mutate
from stakes import load_model
from stakes.models import model_from_dict, save_model

#: A file may not keep its reader longer than that.
SECONDS = 10.0


@cache
def text_of(name: str) -> str:
    """The file of a fitted model."""
    return json.dumps(fitted(name).to_dict())


OLD = sorted((Path(__file__).parents[1] / "golden" / "saved").glob("[A-Z]*.json.gz"))


@cache
def old_text(path: Path) -> str:
    """The file of a model that an earlier version has written, where it is not large."""
    return gzip.decompress(path.read_bytes()).decode()


def a_document(draw: Draw) -> Any:
    """Draw the document of a model; seldom a large one."""
    names = [name for name in ESTIMATORS if name != "BoostedStakes" or draw.random() < 0.2]
    return json.loads(text_of(draw.of(names)))


def leaves(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    """All plain values of a document, with where they stand."""
    if isinstance(document, dict):
        return [leaf for key in document for leaf in leaves(document[key], (*path, key))]
    if isinstance(document, list):
        return [leaf for i, value in enumerate(document) for leaf in leaves(value, (*path, i))]
    return [(path, document)]


def put(document: Any, path: tuple[Any, ...], value: Any) -> None:
    """Set the value at a place of a document."""
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = value


def read_and_try(draw: Draw, document: Any) -> None:
    """Read a document and ask the model, where there is one, all that a model can be asked."""
    started = time.monotonic()
    model = draw.attempt(model_from_dict, document)
    X, _ = fitted_on()
    draw.attempt(lambda: (model.answers(X).labels, model.predict_proba(X), model.expected_cost(X)))
    check_valid(model, X, len(X), learnt=False)
    again = draw.attempt(model_from_dict, json.loads(json.dumps(model.to_dict())))
    np.testing.assert_array_equal(again.predict(X), model.predict(X), "what is written of it")
    for method in (
        "path_cost",
        "explain",
        "leaf_table",
        "export_sql",
        "export_python",
        "export_c",
        "rule_table",
    ):
        if hasattr(model, method) and draw.random() < 0.3:
            given = [X] if method in ("path_cost", "explain") else []
            draw.attempt(getattr(model, method), *given)
    assert time.monotonic() - started < SECONDS, "it takes too long"


def changed_anywhere(draw: Draw) -> None:
    document = a_document(draw)
    for _ in range(draw.of([1, 1, 2, 3])):
        mutate(document, draw)
    read_and_try(draw, document)


def changed_values(draw: Draw) -> None:
    """One number or text becomes another of its kind, so that most checks of types pass."""
    document = a_document(draw)
    named = [(path, value) for path, value in leaves(document) if path[0] != "info"]
    texts = [leaf for leaf in named if isinstance(leaf[1], str)]
    path, value = draw.choice(texts if draw.random() < 0.4 else named)
    draw.note("/".join(map(str, path)), value)
    if isinstance(value, bool):
        new: Any = draw.choice([not value, 0, 1])
    elif isinstance(value, int):
        new = draw.choice([-1, 0, 1, value + 1, value - 1, -value, 255, 65536, 2**31 - 1, 2**31, 2**62])
    elif isinstance(value, float):
        new = draw.choice([-value, value * 2, 0.0, 1e308, -1e308, 5e-324, value + 1e-9, 0.5])
    elif isinstance(value, str):
        others = [text for _, text in texts]
        new = draw.choice([value + "l", value[:-1], "", "evil", draw.choice(others), "\u202e", value.upper()])
    else:
        new = draw.choice([0, "", [], {}])
    draw.note(new)
    put(document, path, new)
    read_and_try(draw, document)


def exchanged_parts(draw: Draw) -> None:
    """A part of one model stands in another, or two parts of a model have changed places."""
    document, other = a_document(draw), a_document(draw)
    inside = [
        path[:depth] for path, _ in leaves(document["state"], ("state",)) for depth in range(2, len(path) + 1)
    ]
    path = draw.choice(inside)
    draw.note("/".join(map(str, path)))
    source = other if draw.random() < 0.6 else document
    places = [
        place[:depth]
        for place, _ in leaves(source["state"], ("state",))
        for depth in range(2, len(place) + 1)
    ]
    alike = [place for place in places if place[-1] == path[-1]] or places
    value: Any = source
    for key in draw.choice(alike):
        value = value[key]
    put(document, path, json.loads(json.dumps(value)))
    read_and_try(draw, document)


def lists_of_other_lengths(draw: Draw) -> None:
    """A list loses entries, has some twice, or comes in another order."""
    document = a_document(draw)
    lists = sorted(
        {
            path[:d]
            for path, _ in leaves(document["state"], ("state",))
            for d in range(2, len(path))
            if isinstance(path[d], int)
        },
        key=str,
    )
    path = draw.choice(lists)
    value: Any = document
    for key in path:
        value = value[key]
    draw.note("/".join(map(str, path)))
    how = draw.of(["shuffled", "reversed", "shorter", "longer", "empty"])
    if how == "shuffled":
        draw.shuffle(value)
    elif how == "reversed":
        value.reverse()
    elif how == "shorter":
        value.pop()
    elif how == "longer":
        value.append(value[draw.randrange(len(value))])
    else:
        value.clear()
    read_and_try(draw, document)


def old_versions(draw: Draw) -> None:
    """Files of version 1, changed."""
    document = json.loads(old_text(draw.of([path for path in OLD if path.stat().st_size < 20_000])))
    mutate(document, draw)
    model = draw.attempt(model_from_dict, document)
    if hasattr(model, "predict"):
        draw.attempt(model.classes_.tolist)


def damaged_text(draw: Draw) -> None:
    """The bytes of a file are changed or cut."""
    text = text_of(draw.of([name for name in ESTIMATORS if name != "BoostedStakes"]))
    at = draw.randrange(len(text))
    how = draw.of(
        ["cut", "one", "one", "bytes", "twice", "bom", "utf-16", "nested", "nan", "digits", "empty"]
    )
    data = {
        "cut": text[:at],
        "one": text[:at] + draw.choice('0179,]}[{"x-. \\') + text[at + 1 :],
        "bytes": text,
        "twice": text + text,
        "bom": "\ufeff" + text,
        "utf-16": text,
        "nested": text[:-1] + ',"extra":' + "[" * 100_000 + "]" * 100_000 + "}",
        "nan": text.replace("0.5", "NaN", 1).replace("1.0", "Infinity", 1),
        "digits": text.replace("0", "0" * 5000, 1) if at % 2 else text.replace("1", "1" * 5000, 1),
        "empty": "",
    }[how].encode("utf-16" if how == "utf-16" else "utf-8")
    if how == "bytes":
        data = data[:at] + bytes([draw.randrange(128, 256)]) + data[at:]
    path = draw.folder / "model.json"
    path.write_bytes(data)
    model = draw.attempt(load_model, path)
    X, _ = fitted_on()
    draw.attempt(model.predict, X)
    check_valid(model, X, len(X))


def written_and_read(draw: Draw) -> None:
    """A model that is written and read back says the same, and is written alike."""
    name = draw.of(list(ESTIMATORS))
    path = draw.folder / "m.json"
    save_model(fitted(name), path)
    back, X = load_model(path), fitted_on()[0]
    np.testing.assert_array_equal(back.predict_proba(X), fitted(name).predict_proba(X))
    np.testing.assert_array_equal(back.expected_cost(X), fitted(name).expected_cost(X))
    save_model(back, draw.folder / "again.json")
    assert (draw.folder / "again.json").read_bytes() == path.read_bytes()


def parameters_in_files(draw: Draw) -> None:
    """The parameters of a file are checked as those of a program."""
    document = a_document(draw)
    holders = [document] + [value for value in _objects(document["state"]) if "params" in value]
    params = draw.choice(holders)["params"]
    name = draw.choice([*params, "t_good_values", "min_support", "n_jobs", "unseen"])
    value = draw.choice([None, 0, -1, 2**40, 1e300, -0.5, "x", [], [[]], {}, True, "class", [1e300] * 3])
    draw.note(name, value)
    params[name] = value
    read_and_try(draw, document)


def _objects(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(inner for one in value.values() for inner in _objects(one))]
    return [inner for one in value for inner in _objects(one)] if isinstance(value, list) else []


ATTACKS = [
    changed_anywhere,
    changed_values,
    exchanged_parts,
    changed_values,
    lists_of_other_lengths,
    damaged_text,
    parameters_in_files,
    changed_anywhere,
    old_versions,
    written_and_read,
]
