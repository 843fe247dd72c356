"""Exported code answers as the slow router does, on random trees and rows with missing and unseen values."""

from __future__ import annotations

import ctypes
import shutil
import sqlite3
import subprocess

import numpy as np
import pytest

from oracles.random_trees import random_fitted, random_rows, raw_row
from oracles.router import leaves_reached, predict_code, probabilities
from stakes.export.c import export_c
from stakes.export.python import export_python
from stakes.export.sql import export_sql
from stakes.export.walk import NESTING, function_roots

CASES = [(seed, 31, "bushy") for seed in range(60)] + [
    (90, 400, "bushy"),
    (95, 260, "chain"),
    (92, 1, "bushy"),
]


@pytest.mark.parametrize("seed, size, deepest", [(95, 260, 2 * NESTING), (94, 400, 3 * NESTING)])
def test_rows_get_deep_into_the_chains(seed, size, deepest):
    """Deeper than several functions that call each other, or else their agreement would say nothing."""
    fitted = random_fitted(seed, size, "chain")
    reached = [
        max(fitted.tree.depth[node] for _, node in leaves_reached(fitted.tree, row))
        for row in random_rows(seed, fitted)
        if not any(value != value or value == -1 for value in row)
    ]
    depths = np.sort(reached)
    assert depths[-1] > deepest and len(np.unique(depths)) > 5
    assert len(function_roots(fitted)) > deepest // NESTING


@pytest.mark.parametrize("seed, size, shape", CASES)
def test_python_answers_as_the_router(seed, size, shape):
    fitted = random_fitted(seed, size, shape)
    module: dict = {}
    exec(compile(export_python(fitted), "exported", "exec"), module)
    names = [column.name for column in fitted.schema.columns]
    for i, row in enumerate(random_rows(seed, fitted)):
        raw = dict(zip(names, raw_row(i, fitted, row)))
        if i % 2:
            raw = {name: value for name, value in raw.items() if value is not None}
        assert module["predict_proba"](raw) == probabilities(fitted, row)
        answer = module["predict"](raw)
        assert answer == fitted.labels[predict_code(fitted, row)]
        assert type(answer) is type(fitted.labels[0])


needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler cc")


@needs_compiler
def test_c_answers_as_the_router(tmp_path):
    trees = {f"t{seed}_{size}": (seed, random_fitted(seed, size, shape)) for seed, size, shape in CASES}
    for name, (_, fitted) in trees.items():
        (tmp_path / f"{name}.c").write_text(export_c(fitted, name=name), encoding="utf-8")
    library = tmp_path / "trees.so"
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic-errors", "-shared", "-fPIC"]
    done = subprocess.run(
        ["cc", *flags, "-o", library, *tmp_path.glob("*.c")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = ctypes.CDLL(str(library))
    for name, (seed, fitted) in trees.items():
        proba, predict = getattr(loaded, f"{name}_proba"), getattr(loaded, f"{name}_predict")
        labels = (ctypes.c_char_p * fitted.n_classes).in_dll(loaded, f"{name}_classes")
        assert [text.decode() for text in labels] == [str(label) for label in fitted.labels]
        for row in random_rows(seed, fitted):
            x = (ctypes.c_double * len(row))(*row)
            p = (ctypes.c_double * fitted.n_classes)()
            proba(x, p)
            assert list(p) == pytest.approx(probabilities(fitted, row), rel=1e-14)
            assert predict(x) == predict_code(fitted, row)
        for j, column in enumerate(fitted.schema.columns):
            category = getattr(loaded, f"{name}_category")
            for code, value in enumerate(column.categories):
                assert category(j, str(value).encode()) == code
            assert category(j, b"never seen") == -1


def test_c_refuses_what_it_cannot_write():
    with pytest.raises(ValueError, match="name must be letters"):
        export_c(random_fitted(0), name="a b")


def in_sqlite(fitted, raw_rows):
    base = sqlite3.connect(":memory:")
    names = ['"' + column.name.replace('"', '""') + '"' for column in fitted.schema.columns]
    # Columns without a type keep what they are given.
    base.execute(f"CREATE TABLE data (id INTEGER, {', '.join(names)})")
    marks = ", ".join("?" * (len(names) + 1))
    base.executemany(f"INSERT INTO data VALUES ({marks})", [[i, *row] for i, row in enumerate(raw_rows)])
    answers = base.execute(f"SELECT {export_sql(fitted)} FROM data ORDER BY id").fetchall()
    whole = base.execute(export_sql(fitted, table="data", output='the "class"')).fetchall()
    base.close()
    assert [row[-1] for row in whole] == [answer for (answer,) in answers]
    return [answer for (answer,) in answers]


SQL_CASES = [*CASES, (93, 3000, "bushy"), (94, 400, "chain")]


@pytest.mark.parametrize("seed, size, shape", SQL_CASES)
def test_sql_answers_as_the_router(seed, size, shape):
    fitted = random_fitted(seed, size, shape)
    rows = random_rows(seed, fitted)
    answers = in_sqlite(fitted, [raw_row(i, fitted, row) for i, row in enumerate(rows)])
    assert answers == [fitted.labels[predict_code(fitted, row)] for row in rows]


@pytest.mark.parametrize(
    "value",
    [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -1e22 / 3, 1e300, 123456789.12345679, 2.0**-1022, -0.0],
)
def test_sql_thresholds_are_exact(value):
    from stakes.export.sql import _threshold

    base = sqlite3.connect(":memory:")
    assert base.execute(f"SELECT {_threshold(value)}").fetchone() == (value,)
    base.close()


def test_sql_refuses_nul():
    with pytest.raises(ValueError, match="NUL"):
        export_sql(random_fitted(0), table="a\0b")
