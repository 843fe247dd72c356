"""Every exported form of a tree answers as the tree does on real data, missing and unseen values included."""

from __future__ import annotations

import ctypes
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import numpy as np
import pytest

from stakes import C45Classifier, datasets, read_table

FOLDER = Path(os.environ.get("STAKES_DATA", ""))
SETS = sorted(
    path.name.removesuffix(".arff.gz")
    for path in (FOLDER.glob("*.arff.gz") if os.environ.get("STAKES_DATA") else [])
)
N_ROWS = 60

# Rows are given as plain values on purpose; scikit-learn remarks that they have no names.
pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")


@pytest.fixture(scope="module", params=["bundled german", *SETS])
def fitted(request):
    """A tree, rows as plain values with every fifth cell missing or never seen, and the tree's answers."""
    if request.param == "bundled german":
        data = datasets.load("german")
        X, y, costs = data.X, data.y, data.cost_matrix
    else:
        table = read_table(FOLDER / f"{request.param}.arff.gz", target="class")
        X, y, costs = table.to_frame(), table.labels(), None
    rng = np.random.default_rng(len(y))
    sample = rng.choice(len(y), min(len(y), 4000), replace=False)
    settings = {"smoothing": "laplace"} if costs is None else {"cost_matrix": costs, "decision": "min_cost"}
    model = C45Classifier(**settings).fit(X.iloc[sample], y[sample])
    rows = X.iloc[rng.choice(len(y), N_ROWS)].astype(object)
    numeric = [not column.is_nominal for column in model.fitted_tree_.schema.columns]
    cells = rows.to_numpy(dtype=object, na_value=None).copy()
    odd = rng.random(cells.shape) < 0.2
    for i, j in zip(*np.nonzero(odd)):
        cells[i, j] = None if numeric[j] or rng.random() < 0.5 else "never seen"
    answers = model.predict(cells)
    assert (model.apply(cells) < 0).any() or model.get_n_leaves() == 1
    return model, cells, answers


def test_python(fitted):
    model, cells, answers = fitted
    module: dict = {}
    exec(compile(model.export_python(), "exported", "exec"), module)
    names = model.fitted_tree_.schema.names
    assert [module["predict"](dict(zip(names, row))) for row in cells] == answers.tolist()


def test_sql(fitted):
    model, cells, answers = fitted
    base = sqlite3.connect(":memory:")
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in model.fitted_tree_.schema.names)
    base.execute(f"CREATE TABLE data (id INTEGER, {columns})")
    marks = ", ".join("?" * (cells.shape[1] + 1))
    base.executemany(
        f"INSERT INTO data VALUES ({marks})", [[i, *row] for i, row in enumerate(cells.tolist())]
    )
    found = base.execute(f"SELECT {model.export_sql()} FROM data ORDER BY id").fetchall()
    base.close()
    assert [answer for (answer,) in found] == answers.tolist()


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler cc")
def test_c(fitted, tmp_path):
    model, cells, answers = fitted
    source, library = tmp_path / "tree.c", tmp_path / "tree.so"
    source.write_text(model.export_c(), encoding="utf-8")
    subprocess.run(["cc", "-std=c99", "-O0", "-shared", "-fPIC", "-o", library, source], check=True)
    loaded = ctypes.CDLL(str(library))
    table = model.fitted_tree_.schema.encode(cells)
    codes = []
    for i in range(len(cells)):
        x = [float(column[i]) for column in table.columns]
        codes.append(loaded.tree_predict((ctypes.c_double * len(x))(*x)))
    assert model.classes_[codes].tolist() == answers.tolist()


def test_json(fitted):
    model, cells, answers = fitted
    again = C45Classifier.from_json(model.to_json())
    assert again.predict(cells).tolist() == answers.tolist()
    assert np.array_equal(again.expected_cost(cells), model.expected_cost(cells))


def test_explanations_end_in_the_same_answer(fitted):
    model, cells, answers = fitted
    assert [explanation.label for explanation in model.explain(cells[:20])] == answers[:20].tolist()
