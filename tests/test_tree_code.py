"""Exported code answers as the slow router does, on random trees and rows with missing and unseen values."""

from __future__ import annotations

import ctypes
import re
import shutil
import sqlite3
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from oracles.random_trees import random_fitted, random_rows, raw_row
from oracles.router import leaves_reached, predict_code, probabilities
from stakes import C45Classifier
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


@needs_compiler
@pytest.mark.parametrize(
    "name", ["N_CLASSES", "NAME", "TOLERANCE", "COSTS", "CASES", "SCORE", "int", "tree", "add"]
)
def test_c_compiles_under_any_name(name, tmp_path):
    source = tmp_path / "tree.c"
    for min_cost in (True, False):
        source.write_text(export_c(replace(random_fitted(3), min_cost=min_cost), name=name), encoding="utf-8")
        flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic-errors", "-fsyntax-only"]
        done = subprocess.run(["cc", *flags, source], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert f"int {name}_predict(const double *x) {{" in source.read_text()


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


#: Names of columns that the query itself, or SQL, uses.
NAMES = ["n0", "b0_0", "P0", "s1", "m0", "n", "true", "false", "q_n0", "prediction"]


def with_odd_names():
    """A tree of truths over columns with such names, rows with gaps, and what it answers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, len(NAMES)))
    X[rng.random(X.shape) < 0.2] = np.nan
    y = np.nan_to_num(X[:, [0, 2, 6]]).sum(axis=1) > 0
    frame = pd.DataFrame(X, columns=NAMES)
    model = C45Classifier(prune=None).fit(frame, y)
    rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    return model.export_sql(table="data", output="answer"), rows, model.predict(frame).tolist()


def answers_of_query(base, query, rows):
    columns = ", ".join(f'"{name}" DOUBLE PRECISION' for name in NAMES)
    base.execute(f"CREATE TABLE data (id INTEGER, {columns})")
    marks = ", ".join("?" * (len(NAMES) + 1))
    base.executemany(f"INSERT INTO data VALUES ({marks})", [[i, *row] for i, row in enumerate(rows)])
    answers = base.execute(f"SELECT answer FROM ({query}) AS answered ORDER BY id").fetchall()
    base.close()
    return [bool(answer) for (answer,) in answers]


def test_columns_called_as_the_query_calls_its_own_in_sqlite():
    query, rows, expected = with_odd_names()
    assert answers_of_query(sqlite3.connect(":memory:"), query, rows) == expected


def test_columns_called_as_the_query_calls_its_own_in_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not among what the tests need")
    query, rows, expected = with_odd_names()
    assert answers_of_query(duckdb.connect(), query, rows) == expected


def test_the_query_has_no_name_of_a_column():
    query, *_ = with_odd_names()
    own = {name.casefold() for name in re.findall(r" AS (\w+)", query)}
    assert own and not own & {name.casefold() for name in NAMES}


def test_sql_refuses_nul():
    with pytest.raises(ValueError, match="NUL"):
        export_sql(random_fitted(0), table="a\0b")
