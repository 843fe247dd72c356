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


def run(*args, typed="", code=0):
    return commands.run("ask", *args, typed=typed, code=code)


def lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]
