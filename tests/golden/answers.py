"""What every estimator of the common tests answers on the ten tables, and how its trees are written."""

from __future__ import annotations

import hashlib
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from golden.command_lines import invoke
from golden.tables import Example, tables
from stakes import BoostedStakes
from stakes.models import save_model
from test_common import ESTIMATORS, FOREIGN, name_of

#: What comes out of linear algebra differs in its last digits between machines: kept as numbers.
WITH_BLAS = (BoostedStakes, LogisticRegression)
EVERY = 5  # of these numbers so many-th rows are kept

#: Names of estimators, and those in the files, which were made when parameters had other names.
NAMES_IN_FILES = {
    "RuleClassifier(abstain_cost=0.4,cv=3,keep_whole=True,mark=all,max_length=2,validation_fraction=0.25)": (
        "RuleClassifier(abstain_cost=0.4,cv=3,held_out=0.25,keep_whole=True,mark=all,max_length=2)"
    ),
    "TradeoffSearchCV(C45Classifiercv=3,param_range=[0.0, 0.02, 0.5])": (
        "TradeoffSearchCV(C45Classifiercv=3,grid=[0.0, 0.02, 0.5])"
    ),
}

#: How a saved tree is written, by what it is called.
VIEWS = {
    "text": ["show", "MODEL"],
    "leaves": ["show", "MODEL", "--json"],
    "svg": ["show", "MODEL", "--format", "svg"],
    "dot": ["export", "MODEL", "--to", "dot"],
    "sql": ["export", "MODEL", "--to", "sql", "--table", "rows"],
    "c": ["export", "MODEL", "--to", "c"],
    "python": ["export", "MODEL", "--to", "python"],
}


def answers() -> Iterator[tuple[str, Any]]:
    """Give names and answers: hashes, or lists of numbers that are compared with a tolerance."""
    with tempfile.TemporaryDirectory() as folder:
        for table, example in tables().items():
            for estimator in [*ESTIMATORS, *FOREIGN]:
                name = NAMES_IN_FILES.get(name_of(estimator), name_of(estimator))
                for what, value in of_model(estimator, example, Path(folder, "model.json")):
                    yield f"{table} | {name} | {what}", value


def of_model(estimator: Any, example: Example, path: Path) -> Iterator[tuple[str, Any]]:
    """Fit one estimator and give its answers; a refusal is an answer, too."""
    model = clone(estimator)
    if example.cost_matrix is not None:
        model.set_params(cost_matrix=example.cost_matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(example.X, example.y, sample_weight=example.sample_weight, costs=example.costs)
        except (ValueError, TypeError) as error:
            yield "refused", type(error).__name__
            return
        decisions = [model.decide(example.X), model.decide(example.X, 0.4)]
        inexact = is_inexact(model)
        for name, array in {
            "predict": model.predict(example.X),
            "predict_proba": model.predict_proba(example.X),
            "expected_cost": model.expected_cost(example.X),
            "decide": np.array([decision.undecided for decision in decisions]).T,
        }.items():
            yield name, numbers(array) if inexact and array.dtype.kind == "f" else digest(array)
        if estimator in FOREIGN:
            return
        save_model(model, path)
        yield from views(path)


def views(path: Path) -> Iterator[tuple[str, str]]:
    """Write a saved model in every way that it can be written."""
    for name, words in VIEWS.items():
        result = invoke(*(str(path) if word == "MODEL" else word for word in words))
        if result.exit_code == 0:
            yield name, digest(result.stdout)


def is_inexact(model: Any) -> bool:
    """Tell whether a model's probabilities come out of linear algebra."""
    inner = getattr(model, "estimator", None)
    return (
        isinstance(model, WITH_BLAS)
        or isinstance(inner, WITH_BLAS)
        or bool(getattr(model, "calibration", None))
    )


def numbers(array: Any) -> list[float]:
    """Keep some rows of an array."""
    return [float(f"{value:.12g}") for value in np.asarray(array)[::EVERY].ravel()]


def digest(value: Any) -> str:
    """Return a short hash of an array or a text; labels of any type count as their text."""
    if not isinstance(value, str):
        array = np.asarray(value)
        exact = array.astype("<f8").tobytes() if array.dtype.kind == "f" else repr(array.tolist()).encode()
        return hashlib.sha256(str(array.shape).encode() + exact).hexdigest()[:12]
    return hashlib.sha256(value.encode()).hexdigest()[:12]
