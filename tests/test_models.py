"""Saved models: every class comes back, tampered files are refused, wrapped trees answer as they should."""

import gzip
import json
import platform
import random
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import stakes
from golden.tables import tables
from stakes import (
    AverageCost,
    C45Classifier,
    CostMatrix,
    Guard,
    MinExpectedCost,
    Table,
    datasets,
    load_model,
    reductions,
)
from stakes._base import documents
from stakes._base.saving import _CLASSES, _find
from stakes.export.python import export_python
from stakes.models import effective_tree, model_from_dict, save_model


@pytest.fixture(scope="module")
def data():
    table, costs = datasets.load_table("german")
    return table.take(slice(0, 300)), table.labels()[:300], costs


def models(costs):
    tree = C45Classifier(cost_matrix=costs)
    plain = C45Classifier(cost_matrix=costs, cost_use="none")
    return {
        "tree": tree,
        "guard": Guard(tree),
        "min": MinExpectedCost(plain, cost_matrix=costs),
        "both": Guard(MinExpectedCost(plain, cost_matrix=costs), cv=5),  # ten folds prefer the constant here
    }


@pytest.mark.parametrize("name", ["tree", "guard", "min", "both"])
def test_models_come_back(data, name, tmp_path):
    table, y, costs = data
    model = models(costs)[name].fit(table, y)
    save_model(model, tmp_path / "m.json")
    back = load_model(tmp_path / "m.json")
    assert type(back) is type(model)
    assert np.array_equal(back.predict(table), model.predict(table))
    assert np.array_equal(back.predict_proba(table), model.predict_proba(table))
    assert np.array_equal(back.expected_cost(table), model.expected_cost(table))
    assert back.feature_names_in_.tolist() == list(table.schema.names)


ENSEMBLES = [getattr(stakes, name) for name in set(stakes.__all__) & set(reductions.__all__)]


@pytest.mark.parametrize(
    "around", sorted((c for c in ENSEMBLES if hasattr(c, "fit")), key=lambda c: c.__name__)
)
def test_ensembles_of_other_models_come_back(data, around, tmp_path):
    table, y, _ = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = around(Guard(C45Classifier()), n_estimators=2).fit(table, y)
    save_model(model, tmp_path / "m.json")
    np.testing.assert_array_equal(
        load_model(tmp_path / "m.json").predict_proba(table), model.predict_proba(table)
    )


@pytest.mark.parametrize("name", ["tree", "guard", "min", "both"])
def test_effective_tree_answers_as_the_model(data, name):
    table, y, costs = data
    model = models(costs)[name].fit(table, y)
    scope: dict = {}
    exec(export_python(effective_tree(model)), scope)
    frame = table.to_frame().astype(object)
    rows = [dict(zip(frame.columns, row)) for row in frame.to_numpy().tolist()[:100]]
    assert [scope["predict"](row) for row in rows] == model.predict(table)[:100].tolist()


def test_guard_decides_by_the_shares_of_the_rows(data):
    table, y, costs = data
    guard = Guard(C45Classifier(cost_matrix=costs)).fit(table, y)
    assert np.array_equal(guard.expected_cost(table), guard.estimator_.expected_cost(table))
    assert np.array_equal(guard.decide(table, 0.2).undecided, guard.estimator_.decide(table, 0.2).undecided)


def test_every_class_with_to_dict_can_be_read():
    savable = {
        n
        for n in stakes.__all__
        if hasattr(getattr(stakes, n), "fit") and hasattr(getattr(stakes, n), "to_dict")
    }
    assert len(savable) > 15 and all(_find(name) is getattr(stakes, name) for name in savable)


OLD_FILES = sorted(Path(__file__).parent.glob("golden/saved/*.json.gz"))
OLD_MODELS = [path for path in OLD_FILES if path.name[0].isupper()]


def test_there_is_an_old_file_of_every_class():
    classes = {type(read(path)).__name__ for path in OLD_MODELS}
    assert classes == {cls.__name__ for cls in _CLASSES.values() if cls.__module__.startswith("stakes.")}


def read(path):
    document = json.loads(gzip.decompress(path.read_bytes()))
    assert document["version"] == 1 and "class" not in document
    return model_from_dict(document)


@pytest.mark.parametrize("path", OLD_MODELS, ids=lambda path: path.name.split(".")[0])
def test_files_of_version_1_are_read_and_written_as_version_2(path):
    """What they answer is compared with what they answered by ``make golden``."""
    model = read(path)
    document = json.loads(json.dumps(model.to_dict()))
    assert document["version"] == 2 and document["class"] == type(model).__name__
    X = tables()["mixed"].X
    answer = "transform" if hasattr(model, "transform") else "predict_proba"
    back = model_from_dict(document)
    np.testing.assert_array_equal(getattr(back, answer)(X), getattr(model, answer)(X))
    assert json.loads(json.dumps(back.to_dict())) == document


def test_information_beside_the_model(data):
    table, y, costs = data
    prices = dict.fromkeys(table.schema.names, 0.001)
    settings = {"cost_matrix": costs, "feature_costs": prices, "random_state": 7}
    frame = table.to_frame()
    one, two = (
        documents.dumps(
            Guard(C45Classifier(**settings), cv=3).fit(frame, pd.Series(y, name="risk")).to_dict()
        )
        for _ in range(2)
    )
    assert one == two
    info = json.loads(one)["info"]
    digest = info.pop("schema_sha256")
    assert len(digest) == 64
    assert CostMatrix.from_dict(info.pop("costs")) == costs.align(["bad", "good"])
    assert info.pop("feature_costs")["prices"] == prices
    assert info == {
        "stakes": version("stakes"),
        "target": "risk",
        "n_samples": 300,
        "classes": ["bad", "good"],
        "seed": 0,
    }
    assert str(Path.cwd()) not in one and platform.node() not in one
    without_seed = MinExpectedCost(C45Classifier(random_state=5), cost_matrix=costs).fit(table, y)
    assert without_seed.to_dict()["info"]["seed"] == 5


def test_answers_that_costs_per_sample_decided_come_back():
    """The best class of a leaf is then another one than its shares and the mean costs say."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(160, 3)), rng.integers(0, 3, 160)
    costs = rng.exponential(5.0, (160, 3)) * (y[:, None] != np.arange(3))
    settings = {"variant": "paper", "max_generations": 10, "population_size": 8, "random_state": 0}
    model = stakes.GDTClassifier(**settings).fit(X, y, costs=costs)
    fitted = model.fitted_tree_
    assert ((fitted.values @ fitted.cost_values).argmin(axis=1) != fitted.decision).any()
    assert model_from_dict(model.to_dict()).predict(X).tolist() == model.predict(X).tolist()


def test_other_columns_have_another_hash(data):
    table, y, _ = data
    hashes = {
        C45Classifier().fit(t, y).to_dict()["info"]["schema_sha256"]
        for t in (table, table.select(table.schema.names[:2]))
    }
    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.pop("format"), "format"),
        (lambda d: d.update(version=3), "newer stakes"),
        (lambda d: d.update({"class": "Oracle"}), "can be read, got 'Oracle'"),
        (lambda d: d.update({"class": ["Guard"]}), "can be read, got something else"),
        (lambda d: d["state"].pop("fitted"), "fitted"),
        (lambda d: d["state"].update(fitted=[]), "fitted"),
        (lambda d: d.update(params=3), "params"),
        (lambda d: d["params"].update(colour="red"), "colour"),
        (lambda d: d["state"].update(estimator=7), "the model must be a JSON object, got 7"),
        (lambda d: d["state"]["estimator"].update({"class": "Guard"}), "Guard"),
        (lambda d: d["state"]["fitted"].update(guarded="no"), "true or false"),
        (lambda d: d["state"]["fitted"].update(constant=9), "2 classes"),
        (lambda d: d["state"]["fitted"].update(prior=[0.5, 0.9]), "add up to 1"),
        (lambda d: d["state"]["fitted"].update(prior="half"), "Guard.to_dict"),
        (lambda d: d["state"]["cost_matrix"].update(values=[[0]]), "classes"),
        (lambda d: d["state"]["cost_matrix"].update(classes=["yes", "no"]), "bad"),
        (
            lambda d: d["state"]["estimator"]["state"]["model"]["tree"]["feature"].__setitem__(0, 99),
            "column 99",
        ),
        (lambda d: d["state"]["estimator"]["params"].update(confidence=-1), "confidence"),
    ],
)
def test_tampered_models_are_refused_by_a_sentence(data, tmp_path, change, words):
    table, y, costs = data
    document = Guard(C45Classifier(cost_matrix=costs)).fit(table, y).to_dict()
    change(document)
    path = tmp_path / "m.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=words) as caught:
        load_model(path)
    assert "m.json" in str(caught.value)


def test_random_damage_is_never_a_crash(data, tmp_path):
    table, y, costs = data
    document = json.dumps(Guard(C45Classifier(cost_matrix=costs, max_depth=3)).fit(table, y).to_dict())
    rng = random.Random(0)
    path = tmp_path / "m.json"
    for _ in range(150):
        at = rng.randrange(len(document))
        path.write_text(document[:at] + rng.choice('0179,]}[{"x-.') + document[at + 1 :])
        try:
            model = load_model(path)
        except ValueError as error:
            assert str(error)
        else:
            try:
                model.predict(table)
            except ValueError as error:
                assert str(error)


# ---- tables as input ---------------------------------------------------------------------------------------


def test_a_table_is_taken_as_it_is():
    table = Table.from_data([["a", 1], ["b", 2]])
    assert Table.from_data(table) is table
    assert table.shape == (2, 2) and table[[1]].columns[1].tolist() == [2.0]
    nominal = Table.from_data(table, categorical_features=["x1"])
    assert nominal.schema.columns[1].categories == (1, 2)


def test_encoding_a_table_is_by_value_and_by_writing():
    from stakes.table import Column, Schema

    schema = Schema((Column("a", "nominal", ("1", "2", "z")), Column("b", "nominal", (1, 2)), Column("c")))
    codes = np.array([0, 1, 2, -1], dtype=np.int32)
    table = Table(
        Schema(
            (Column("a"), Column("b", "nominal", ("2", "1", "7")), Column("c", "nominal", ("3", "4.5", "x")))
        ),
        [np.array([2.0, 1, 7, np.nan]), codes, np.array([0, 1, -1, 1], dtype=np.int32)],
    )
    encoded = schema.encode(table)
    assert encoded.columns[0].tolist() == [1, 0, -1, -1]
    assert encoded.columns[1].tolist() == [1, 0, -1, -1]
    assert np.array_equal(encoded.columns[2], [3, 4.5, np.nan, 4.5], equal_nan=True)
    with pytest.raises(ValueError, match="'a', row 2: value 7 is not one of"):
        schema.encode(table, unseen="error")
    table.columns[2] = np.array([0, 1, 2, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="row 2: could not convert 'x'"):
        schema.encode(table)
    with pytest.raises(ValueError, match="X has 1 features"):
        schema.encode(table.select(["a"]))


def test_tables_and_frames_give_the_same_trees(data):
    table, y, costs = data
    table = table.with_met_categories()  # a file's order of categories is its own, a frame's says nothing
    frame = table.to_frame()
    a, b = (C45Classifier(cost_matrix=costs).fit(X, y) for X in (table, frame))
    assert a.to_dict()["state"] == b.to_dict()["state"]
    assert np.array_equal(a.predict(frame), b.predict(table))
    with pytest.raises(ValueError, match=r"column 0 is .*Table.select"):
        a.predict(table.select(table.schema.names[::-1]))


def test_scikit_learn_splits_tables(data):
    from sklearn.model_selection import cross_val_score

    table, y, _ = data
    tree = C45Classifier(cost_matrix=CostMatrix.uniform(["bad", "good"]))
    assert np.array_equal(cross_val_score(tree, table, y), cross_val_score(tree, table.to_frame(), y))
    with pytest.raises(TypeError, match="row numbers"):
        table["age"]
    for names in (2, "age"):
        with pytest.raises(TypeError, match="names must be a list of names of columns, got"):
            table.select(names)
    with pytest.raises(ValueError, match="no column 'colour'"):
        table.select(["colour"])


def test_a_damaged_model_is_refused_before_much_is_made_of_it(monkeypatch):
    """The numbers of estimators and nodes are compared before any of them is read."""
    X, y = [[1.0], [2.0], [8.0], [9.0]] * 5, [0, 0, 1, 1] * 5
    made = []
    monkeypatch.setattr("stakes.reductions._saving.component_from_dict", lambda *given: made.append(given))
    ensemble = AverageCost(n_estimators=2).fit(X, y).to_dict()
    ensemble["state"]["estimators"] *= 1000
    with pytest.raises(ValueError, match="the model must have 1 estimators for each of its alphas"):
        AverageCost.from_dict(ensemble)
    assert not made

    tree = C45Classifier().fit(X, y).to_dict()
    for name in ("label", "threshold", "class_weights"):
        damaged = json.loads(json.dumps(tree))
        damaged["state"]["model"]["tree"][name] *= 1000
        with pytest.raises(ValueError, match=r"must have 3(000)? entries, got 3(000)?"):
            C45Classifier.from_dict(damaged)


def test_repeated_labels_are_found_at_once():
    labels = [f"c{i}" for i in range(30_000)]
    with pytest.raises(ValueError, match="classes must be distinct, repeated: 'c0', 'c1'"):
        CostMatrix([[0.0]], classes=labels * 2)
