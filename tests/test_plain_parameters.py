"""Parameters may come out of NumPy's arrays, and flags be numbers where scikit-learn takes these."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import stakes
from stakes import C45Classifier, GDTClassifier, Guard, MDLDiscretizer, MinExpectedCost, TradeoffSearchCV
from stakes._base.parameters import PlainParameters

AROUND = {Guard, MinExpectedCost, TradeoffSearchCV}
#: What each kind of value looks like where it comes out of an array.
ARRAYS = {bool: [np.bool_], int: [np.int64], float: [np.float32, np.float64]}
#: Values for the parameters that are None by default.
VALUES = {
    "max_depth": 3,
    "max_leaf_nodes": 4,
    "max_bins": 16,
    "n_jobs": 1,
    "max_samples": 0.5,
    "max_length": 2,
}


def estimators():
    for name in stakes.__all__:
        kind = getattr(stakes, name)
        if inspect.isclass(kind) and hasattr(kind, "fit"):
            yield kind


def cases():
    for kind in estimators():
        defaults = kind(*([C45Classifier()] if kind in AROUND else [])).get_params(deep=False)
        for name, default in defaults.items():
            value = VALUES.get(name, default)
            for convert in ARRAYS.get(type(value), []):
                yield pytest.param(
                    kind, name, convert(value), id=f"{kind.__name__}-{name}-{convert.__name__}"
                )


@pytest.mark.parametrize("kind, name, value", list(cases()))
def test_numbers_of_arrays_are_plain(kind, name, value):
    model = kind(*([C45Classifier()] if kind in AROUND else []), **{name: value})
    plain = model.get_params()[name]
    assert type(plain) is type(value.item()) and plain == value.item()
    setattr(model, name, value)
    assert type(getattr(model, name)) is type(plain)
    again = clone(model)
    assert again.get_params()[name] is plain or again.get_params()[name] == plain


def test_every_estimator_is_among_them():
    assert len(list(estimators())) >= 15
    assert all(issubclass(kind, PlainParameters) for kind in estimators())


def test_the_core_takes_them():
    """What NumPy says is true was no flag for the compiled part."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    for model in (
        C45Classifier(),
        C45Classifier(dialect="j48"),
        GDTClassifier(population_size=4, max_generations=2),
        MDLDiscretizer(),
    ):
        given = {
            name: ARRAYS[type(value)][-1](value)
            for name, value in model.get_params().items()
            if type(value) in ARRAYS
        }
        other = clone(model).set_params(**given).fit(X, y)
        assert other.to_dict() == model.fit(X, y).to_dict()


@pytest.mark.parametrize("flag", [0, 1, True, np.True_, np.int64(1)])
def test_verbose_is_a_number_or_a_flag(flag):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in (GDTClassifier, stakes.BoostedStakes, TradeoffSearchCV):
            model = kind(*([C45Classifier()] if kind in AROUND else []), verbose=flag)
            model._validate_params()


@pytest.mark.parametrize("kind", [k for k in estimators() if "n_jobs" in inspect.signature(k).parameters])
def test_no_jobs_at_all_are_refused(kind):
    model = kind(*([C45Classifier()] if kind in AROUND else []), n_jobs=0)
    with pytest.raises(ValueError, match=r"'n_jobs' parameter of .* must be"):
        model._validate_params()
