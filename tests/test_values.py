"""Values that parts of the package hand to each other: nobody changes them, and arrays are not compared.

Estimators are none: scikit-learn sets their parameters after they are made, and compares them by identity.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from dataclasses import fields, is_dataclass

from sklearn.base import BaseEstimator

import stakes

#: Filled step by step while something is read, drawn, planned or learnt.
MUTABLE = {
    "Course",
    "Decimals",
    "Declared",
    "Plan",
    "Range",
    "RawTable",
    "Run",
    "Sampler",
    "TextKinds",
    "Training",
    "_Picture",
}
#: Compared by identity although they hold no array themselves.
WITH_IDENTITY = {"FeatureCosts", "Runs", "Sampler", "Trained"}
#: Never compared.
WITHOUT_IDENTITY = {"Blend", "Kernel", "Linear", "TableEncoder", "RawTable", "Trees", "_Picture"}


def dataclasses():
    for info in pkgutil.walk_packages(stakes.__path__, "stakes."):
        # What is loaded into other programs when they start would start here, too.
        if not info.name.endswith(".sitecustomize"):
            for value in vars(importlib.import_module(info.name)).values():
                own = inspect.isclass(value) and is_dataclass(value) and value.__module__ == info.name
                if own and not issubclass(value, BaseEstimator):
                    yield value


def test_values_cannot_be_changed_but_for_those_that_are_filled():
    assert {kind.__name__ for kind in dataclasses() if not kind.__dataclass_params__.frozen} == MUTABLE


def test_what_holds_arrays_is_compared_by_identity():
    """Comparing arrays gives arrays, and an error where a truth value is wanted."""
    kinds = [*dataclasses()]
    array = re.compile(r"\b(NDArray|Matrix|Floats|Ints|Array|Table|DataFrame)\b")
    holding = {kind.__name__ for kind in kinds if any(array.search(str(f.type)) for f in fields(kind))}
    by_identity = {kind.__name__ for kind in kinds if not kind.__dataclass_params__.eq}
    assert by_identity == holding - WITHOUT_IDENTITY | WITH_IDENTITY
