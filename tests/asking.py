"""Models to be asked by, and `stakes ask` itself in this process."""

import json

import numpy as np
import pytest

import commands
from stakes import C45Classifier, FeatureCosts, Guard
from stakes.models import save_model


def make_models(folder):
    """Save a model that needs age, then pain or a blood value; and a guarded one."""
    rng = np.random.default_rng(0)
    n = 400
    age = rng.integers(20, 80, n).astype(float)
    pain = rng.choice(["none", "dull", "sharp"], n, p=[0.6, 0.3, 0.1])
    blood = np.round(rng.normal(size=n), 1)
    number = rng.choice(["2", "3"], n)
    y = np.where(age <= 50, np.where(pain == "sharp", "ill", "well"), np.where(blood > -1, "ill", "well"))
    import pandas as pd

    frame = pd.DataFrame(
        {"age": age, "pain": pd.Categorical(pain), "blood=high": blood, "number": pd.Categorical(number)}
    )
    prices = FeatureCosts({"age": 0, "pain": 1, "blood=high": 12.5, "number": 1})
    tree = C45Classifier(feature_costs=prices).fit(frame, y)
    assert tree.get_n_leaves() >= 4
    save_model(tree, folder / "model.json")
    guard = Guard(C45Classifier(prune=None, collapse=False))  # unpruned on noise: the constant is better
    with pytest.warns(UserWarning):
        guard.fit(frame[["pain", "number"]], rng.choice(["ill", "well"], n, p=[0.2, 0.8]))
    assert guard.guarded_
    save_model(guard, folder / "guarded.json")
    return folder


#: For the model of `visits`.
QUESTIONS = """
[visit]
ask = "When was the last visit?"
min = 2020-01-01
max = "2030-12-31"
[sugar]
unit = "mg/dl"
min = 0
max = 1_000
[pain]
ask = "Does it hurt?"
[pain.answers]
none = "no pain at all"
[[together]]
columns = ["fat", "sugar"]
"""


def visits():
    """Return a tree that asks for the date of a visit, then for pain or for values of blood, and its rows."""
    import pandas as pd

    rng = np.random.default_rng(1)
    n = 600
    days = rng.integers(-300, 300, n)
    pain = rng.choice(["none", "dull", "sharp"], n, p=[0.6, 0.3, 0.1])
    sugar, fat = rng.integers(60, 181, n).astype(float), rng.integers(0, 12, n).astype(float)
    frame = pd.DataFrame(
        {
            "visit": np.datetime64("2024-06-30") + days.astype("timedelta64[D]"),
            "pain": pd.Categorical(pain),
            "sugar": sugar,
            "fat": fat,
        }
    )
    late = frame["visit"].to_numpy() > np.datetime64("2024-06-30")
    ill = np.where(late, (sugar > 80) & (fat > 0), pain == "sharp")
    blood = {"blood": (10, {"sugar": 2, "fat": 3})}
    prices = FeatureCosts.from_groups(blood, {"visit": 0, "pain": 1})
    y = np.where(ill, "ill", "well")
    return C45Classifier(feature_costs=prices).fit(frame, y), frame, y


def run(*args, typed="", code=0):
    return commands.run("ask", *args, typed=typed, code=code)


def lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]
