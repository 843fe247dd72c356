"""Small parts of the reductions at their edges: streams, samples of one row, answers of components, files."""

from __future__ import annotations

import copy
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from stakes import GBSE, AverageCost, C45Classifier, CostBoosting, Guard, MetaCost, Table
from stakes.boosted.encoder import TableEncoder
from stakes.boosted.folds import Training
from stakes.boosted.model import Blend
from stakes.boosted.smooth import Kernel, Linear
from stakes.boosted.trees import Trees
from stakes.reductions._components import Constant, Layout, fit_component, probabilities, votes
from stakes.reductions._rows import Rows, _parquet, joined
from stakes.reductions._sampling import Sample, Sampler, uniforms
from stakes.reductions._training import Part
from stakes.reductions.boosting import VARIANTS, scaled
from test_decision import changed
from test_reductions import COSTS, problem
from test_reductions_parts import FRAME, Keeper, fill, layout


@pytest.mark.parametrize("cls", [Rows, Sample, Part, Training, Blend, TableEncoder, Kernel, Linear, Trees])
def test_parts_cannot_be_changed(cls):
    with pytest.raises(FrozenInstanceError):
        object.__new__(cls).anything = 1


@pytest.mark.parametrize("cls", [Rows, Sample, Part])
def test_parts_that_hold_arrays_are_equal_only_to_themselves(cls):
    one, other = object.__new__(cls), object.__new__(cls)
    assert one == one and one != other and len({one, other}) == 2


# ---- samples -----------------------------------------------------------------------------------------------


def test_a_stream_is_philox_from_its_start():
    bits = np.random.Philox(key=np.array([7, 3], dtype=np.uint64))
    np.testing.assert_array_equal(uniforms(7, 3, 0, 23), np.random.Generator(bits).random(23))


def test_the_closest_is_taken_among_small_weights_too():
    weights = np.array([[0.01], [0.02], [0.03], [0.04]])
    closest = int(np.argmin(uniforms(1, 0, 0, 4) / weights[:, 0]))
    assert closest != 0
    sample = fill(Sampler("rejection", 1e-9, 1, 0), weights).sample()
    assert sample.actual.tolist() == [closest]


def test_a_sample_of_one_row_has_a_constant_component():
    one = np.array([2], np.int32)
    sample = Sample(Table.from_data(FRAME.iloc[:1]), one, one, one, None)
    found = fit_component(Keeper(), layout(Keeper(), False), sample, 0)
    assert isinstance(found, Constant) and found.code == 2


def test_rows_of_two_tables_are_joined():
    table = Table.from_data(FRAME)
    whole = joined([table, table.take(slice(0, 1))])
    assert whole.n_samples == 4 and whole.schema == table.schema
    assert whole.columns[1].tolist() == [0, 1, -1, 0]


# ---- components --------------------------------------------------------------------------------------------


class Floating(Keeper):
    """Names its classes by floating-point numbers, as some libraries do."""

    def fit(self, X, y):
        self.classes_ = np.array([0.0, 2.0])
        return self

    def predict(self, X):
        return np.full(len(X), 2.0)


def test_codes_may_come_back_as_floating_point_numbers():
    table, found, read = Table.from_data(FRAME), Floating().fit(None, None), layout(Floating(), False)
    assert votes(found, read, table).tolist() == [[0.0, 0.0, 1.0]] * 3
    assert probabilities(found, read, table).tolist() == [[0.25, 0.0, 0.75]] * 3


def test_what_reads_tables_and_what_is_linear():
    def read(estimator):
        found = Layout(estimator, Table.from_data(FRAME).schema, ["a", "b"], True)
        return found.reads_tables, found.crossed

    assert read(C45Classifier()) == (True, False)
    assert read(Guard(C45Classifier())) == (True, False)
    assert read(Guard(GaussianNB())) == (False, False)  # of this package, but not down to what it wraps
    assert read(make_pipeline(StandardScaler(), PCA(), LogisticRegression())) == (False, True)
    assert read(make_pipeline(StandardScaler(), LogisticRegression(), GaussianNB())) == (False, False)


# ---- rows --------------------------------------------------------------------------------------------------


def test_classes_are_checked_in_the_words_of_scikit_learn():
    X = np.arange(6.0)[:, np.newaxis]
    with pytest.raises(ValueError, match="Input y contains NaN"):
        AverageCost().fit(X, [0, 1, 0, 1, 0, np.nan])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        AverageCost().fit(X, X[:, 0] + 0.5)
    with pytest.warns(UserWarning, match="A column-vector y was passed"):
        model = AverageCost(n_estimators=1).fit(X, np.array([[0], [0], [0], [1], [1], [1]]))
    assert model.n_features_in_ == 1 and not hasattr(model, "feature_names_in_")


def test_files_are_read_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("stakes.reductions._rows.BLOCK", 7)
    frame, y = problem(20)
    frame.assign(kind=y).to_parquet(tmp_path / "rows.parquet")
    blocks = list(_parquet(tmp_path / "rows.parquet", "kind")())
    assert [len(labels) for _, labels in blocks] == [7, 7, 6]
    assert all(rows.column_names == ["x", "colour", "z"] for rows, _ in blocks)


def test_blocks_tell_their_columns_and_come_with_costs_once():
    frame, y = problem(40)
    costs = COSTS.values[COSTS.codes(y)]
    model = AverageCost(n_estimators=1).fit(lambda: iter([(frame, y, costs)]))
    assert model.n_features_in_ == 3 and model.feature_names_in_.tolist() == ["x", "colour", "z"]
    with pytest.raises(ValueError, match="with every block or as an argument, not both"):
        AverageCost().fit(lambda: iter([(frame, y, costs)]), costs=costs)
    short = iter([(frame, y), (frame, y[:-1])])
    with pytest.raises(ValueError, match="a block has 40 rows but 39 classes"):
        AverageCost().fit(lambda: short)


def test_categories_of_blocks_are_put_together_in_order():
    one = pd.DataFrame({"k": ["c", "a"] * 5, "m": ["u", "v"] * 5, "x": np.arange(10.0)})
    other = one.assign(k=["b", "d"] * 5)
    y = np.array([0, 1] * 5)
    model = AverageCost(n_estimators=1).fit(lambda: iter([(one, y), (other, y)]))
    assert [c.categories for c in model.schema_.columns] == [("a", "b", "c", "d"), ("u", "v"), ()]


# ---- boosting ----------------------------------------------------------------------------------------------


class Answers(Keeper):
    """Gives the probabilities of the second class that the rows hold."""

    weights = ()

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.array([0, 1])
        type(self).weights += (sample_weight.tolist(),)
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])


@pytest.mark.parametrize(
    "shares",
    [
        [0.9, 0.3, 0.4, 0.6],  # always right, not always as sure
        [0.75, 0.75, 0.75, 0.75],  # right as often as wrong
    ],
)
def test_boosting_goes_back_to_the_first_weights(shares, monkeypatch):
    monkeypatch.setattr(Answers, "weights", ())
    CostBoosting(Answers(), variant="csb1", n_estimators=2, cost_matrix=[[0, 4], [4, 0]]).fit(
        np.array(shares)[:, np.newaxis], [1, 0, 0, 1]
    )
    assert Answers.weights == ([1.0] * 4, [1.0] * 4)


def test_weights_below_one_are_scaled_too():
    np.testing.assert_allclose(scaled(np.array([0.1, 0.3]), None), [0.5, 1.5])


# ---- files -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def document():
    frame, y = problem(60)
    settings = {"cost_matrix": COSTS, "categorical_features": ["colour"], "alpha": lambda t: 1 / t}
    return AverageCost(C45Classifier(), n_estimators=2, **settings).fit(frame, y).to_dict()


def test_parameters_of_the_ensemble_are_written_where_they_are_plain(document):
    names = set(AverageCost().get_params(deep=False))
    assert set(document["params"]) == names - {"estimator", "alpha"}
    assert document["version"] == 2


def test_rounds_of_no_weight_are_read(document):
    back = AverageCost.from_dict(changed(document, {"alphas": [0.0, 1.0]}))
    assert back.alphas_ == [0.0, 1.0] and back.n_features_in_ == 3
    assert back.feature_names_in_.tolist() == ["x", "colour", "z"]


@pytest.mark.parametrize(
    "change, words",
    [
        ({"version": 3}, "version"),
        ({"format": "other"}, "format"),
        ({"alphas": [-0.1, 0.5]}, "alphas must be from 0 to 1"),
        ({"alphas": [1.1, 0.5]}, "alphas must be from 0 to 1"),
        ({"estimators": {}}, "estimators must be a list and its seed a whole number"),
        ({"seed": "x"}, "estimators must be a list and its seed a whole number"),
        ({"seed": True}, "estimators must be a list and its seed a whole number"),
        ({"estimators": [{"constant": 0}]}, "must have 1 estimators for each of its alphas"),
    ],
)
def test_documents_of_another_shape_are_refused(document, change, words):
    with pytest.raises(ValueError, match=words):
        AverageCost.from_dict(changed(document, change))


@pytest.mark.parametrize("key", ["params", "classes", "cost_matrix", "schema", "sample_counts", "seed"])
def test_missing_pieces_are_named(document, key):
    damaged = copy.deepcopy(document)
    del (damaged if key == "params" else damaged["state"])[key]
    with pytest.raises(ValueError, match=f"lacks {key}"):
        AverageCost.from_dict(damaged)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_unit_of_costs_does_not_matter_to_boosting(variant):
    frame, y = problem(120)
    own = COSTS.expand(y) * np.linspace(1.0, 3.0, len(y))[:, None]
    units = (1.0, 0.01, 10.0)
    models = [
        CostBoosting(variant=variant, n_estimators=3, cost_matrix=COSTS.values * unit).fit(frame, y)
        for unit in units
    ]
    models += [
        CostBoosting(variant=variant, n_estimators=3).fit(frame, y, costs=own * unit)
        for unit in (1.0, 0.01, 10.0)
    ]
    for one, other in ((0, 1), (0, 2), (3, 4), (3, 5)):
        np.testing.assert_allclose(models[one].predict_proba(frame), models[other].predict_proba(frame))
        np.testing.assert_array_equal(models[one].predict(frame), models[other].predict(frame))


@pytest.mark.parametrize("labels", [[-1, 0], [1, 3]])
def test_the_relearnt_model_must_answer_class_codes(labels):
    frame, y = problem(60)
    written = MetaCost(cost_matrix=COSTS, n_estimators=2).fit(frame, y).to_dict()
    inner = written["state"]["model"]["state"]["model"]
    assert inner["classes"]["labels"] == [1, 2]
    inner["classes"]["labels"] = labels
    with pytest.raises(ValueError, match="must be class codes of the ensemble, from 0 to 2"):
        MetaCost.from_dict(written)


def test_a_component_of_pairs_says_yes_or_no():
    frame, y = problem(60)
    written = GBSE(cost_matrix=COSTS, n_estimators=2).fit(frame, y).to_dict()
    written["state"]["estimators"][0] = {"constant": 1}
    back = GBSE.from_dict(written)
    assert back._layout.reads_tables  # a constant says nothing of what the others read
    assert next(back.staged_predict_proba(frame)).tolist() == [[1 / 3] * 3] * 60
    written["state"]["estimators"][0] = {"constant": 2}
    with pytest.raises(ValueError, match="a constant component must be a class code, got 2"):
        GBSE.from_dict(written)
