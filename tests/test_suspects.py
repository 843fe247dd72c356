"""Ids, leaks and test rows met in training: told where they are, and not where they are not."""

import json
import os
import time

import numpy as np
import pandas as pd
import pytest

from commands import run as stakes
from stakes import datasets
from stakes.table import Table, shared_rows, suspicious_columns

N = 200
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
NOISE = RNG.normal(size=N)


def suspects(column, codes=Y):
    table = Table.from_data(pd.DataFrame({"column": column} if not isinstance(column, dict) else column))
    return [(found.kind, found.words) for found in suspicious_columns(table, codes)]


@pytest.mark.parametrize(
    "column",
    [
        np.arange(N) + 1000.0,
        RNG.permutation(N),
        RNG.permutation(300)[:N],  # some rows of a file whose rows are numbered
        {"customer_id": RNG.integers(10**9, 10**10, N)},
        {"customerNo": RNG.integers(10**9, 10**10, N)},
        [f"C{i:05d}" for i in range(N)],
        [f"C{max(i, 5):05d}" for i in range(N)],  # a few met twice
    ],
)
def test_ids(column):
    [(kind, words)] = suspects(column)
    assert kind == "id" and "looks like an id" in words and words.endswith(f"values in {N} rows.")


WORDS = np.array(["paid", "dunned", "sold"])
LEAKS = [
    (Y * 7.0, Y),
    (np.where(Y, 5.0 + NOISE**2, -(NOISE**2)), Y),
    (np.where(Y == 1, RNG.uniform(5, 6, N), RNG.uniform(0, 4, N) + 8 * (NOISE > 0)), Y),  # inside an interval
    (np.where(Y, np.nan, NOISE), Y),  # only known for one class
    (WORDS[Y * (1 + (NOISE > 0))], Y),
    (np.where(Y, "yes", None), Y),
    (WORDS[np.arange(N) % 3], np.arange(N) % 3),
    (np.arange(N) % 3 * 10 + NOISE.clip(-4, 4), np.arange(N) % 3),
    (np.arange(N) % 10 * 1.0, Y),  # a code for each of two classes
]


@pytest.mark.parametrize(("column", "codes"), LEAKS)
def test_leaks(column, codes):
    assert suspects(column, codes) == [("leak", "Column 'column' alone decides the class.")]


def test_a_leak_with_an_error():
    column = WORDS[Y].copy()
    column[0] = WORDS[1]
    assert suspects(column) == [("leak", "Column 'column' alone decides the class, but for 1 of 200 rows.")]
    column[2] = WORDS[1]
    assert suspects(column) == []  # 2 of 100 errors are left


@pytest.mark.parametrize(
    "column",
    [
        NOISE,
        np.round(NOISE * 1e6),  # whole numbers, all of them different
        np.full(N, 3.0),
        np.full(N, np.nan),
        ["same"] * N,
        [f"code{i}" for i in RNG.integers(0, 40, N)],
        np.arange(N) // 2,  # numbers met twice
        [f"2026-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(N)],
        [f"{1 + i % 28}.{1 + i // 28}.2026 12:30" for i in range(N)],
        [20_260_000 + 100 * (1 + i // 28) + 1 + i % 28 for i in range(N)],
        [f"{x:.6f}" for x in NOISE[1:]] + ["unknown"],  # numbers, but for one
        Y * 2 + NOISE,  # tells much, but not all
        WORDS[np.where(RNG.random(N) < 0.9, Y, 1 - Y)],
    ],
)
def test_no_false_alarms(column):
    assert suspects(column) == []


def test_few_rows_and_rare_classes_say_nothing():
    assert suspects(np.arange(40.0), Y[:40]) == []
    rare = (np.arange(N) > N - 6).astype(int)
    assert suspects(rare * 1.0, rare) == []


@pytest.mark.parametrize("name", ["german", "heart-cleveland", "splice", "letter", "mushroom", "hypothyroid"])
def test_the_papers_data_sets_raise_no_alarm(name):
    if name != "german" and "STAKES_DATA" not in os.environ:
        pytest.skip("STAKES_DATA names no folder of data sets")
    table, _ = datasets.load_table(name)
    known = table.take(np.flatnonzero(table.y >= 0))
    assert suspicious_columns(known, known.y) == []
    rows = np.random.default_rng(0).permutation(known.n_samples)
    assert not shared_rows(known.take(rows[: len(rows) // 2]), known.take(rows[len(rows) // 2 :])).matters


def test_a_million_rows_take_little_time():
    rng = np.random.default_rng(0)
    n = 1_000_000
    numbers = {f"x{j}": rng.integers(0, 10**6, n).astype(float) for j in range(5)}
    codes = {f"c{j}": pd.Categorical.from_codes(rng.integers(0, 9, n), list("abcdefghi")) for j in range(5)}
    table = Table.from_data(pd.DataFrame(numbers | codes | {"id": np.arange(n)}))
    start = time.process_time()
    found = suspicious_columns(table, rng.integers(0, 2, n))
    assert [column.name for column in found] == ["id"]
    assert time.process_time() - start < 2


def test_shared_rows():
    train = pd.DataFrame({"id": range(100), "age": NOISE[:100], "home": ["own", None] * 50})
    test = pd.DataFrame(
        {"home": ["own", None] * 10 + ["boat"] * 10, "age": NOISE[:30], "id": range(900, 930)}
    )
    found = shared_rows(Table.from_data(train), Table.from_data(test))
    assert (found.n_shared, found.n_test, found.twins) == (20, 30, 0.0)  # a boat is not a missing home
    assert found.matters
    test["age"] += 1e-9
    assert shared_rows(Table.from_data(train), Table.from_data(test)).n_shared == 0
    assert shared_rows(Table.from_data(train), Table.from_data(pd.DataFrame({"other": [1.0]}))).n_shared == 0
    zeros = Table.from_data([[0.0], [np.nan]]), Table.from_data([[-0.0], [-np.nan]])
    assert shared_rows(*zeros).n_shared == 2


def test_few_different_rows_are_shared_by_chance():
    table = Table.from_data(RNG.integers(0, 4, (400, 3)).astype(float))
    found = shared_rows(table.take(np.arange(200)), table.take(np.arange(200, 400)))
    assert found.n_shared > 150 and not found.matters


# -- commands


@pytest.fixture
def loans(tmp_path):
    frame = pd.DataFrame({
        "customer": np.arange(N), "age": NOISE, "job": WORDS[RNG.integers(0, 3, N)],
        "state": WORDS[Y], "class": np.array(["good", "bad"])[Y],
    })  # fmt: skip
    frame.to_csv(tmp_path / "loans.csv", index=False)
    frame.iloc[:50].to_csv(tmp_path / "test.csv", index=False)
    return tmp_path


def test_describe_tells_of_them(loans):
    notes = [
        "Column 'customer' looks like an id: 200 different values in 200 rows. What is learnt from it does "
        "not hold for new rows; leave it out.",
        "Column 'state' alone decides the class. Is it known before the decision? If not, leave it out.",
    ]
    shared = "50 of the 50 rows of test.csv are in loans.csv, too: what a model costs there is too low."
    path = loans / "loans.csv"
    assert stakes("describe", path).stderr.splitlines() == [f"Note: {note}" for note in notes]
    both = stakes("describe", path, "--test", loans / "test.csv").stderr.splitlines()
    assert both == [f"Note: {note}" for note in [*notes, shared]]
    told = stakes("describe", path, "--test", loans / "test.csv", "--json")
    assert json.loads(told.stdout)["notes"] == [*notes, shared] and told.stderr == ""
    assert stakes("describe", "german").stderr == ""
    assert "no.csv" in stakes("describe", path, "--test", loans / "no.csv", code=1).stderr
    (loans / "odd.csv").write_text("age,class\n1,good\nold,bad\n")
    odd = stakes("describe", path, "--test", loans / "odd.csv", code=1).stderr
    assert "odd.csv are not those of loans.csv: column 'age', row 1: could not convert 'old'" in odd


def test_fit_tells_of_them_and_of_the_test_file_beside(loans):
    fitted = stakes("fit", loans / "loans.csv", "--no-guard", "-o", loans / "m.json")
    assert fitted.stderr.count("Note: Column") == 2
    rows = "\n".join(f"{age}, {'yes' if y else 'no'}." for age, y in zip(NOISE, Y))
    (loans / "c.names").write_text("yes, no.\nage: continuous.\n")
    (loans / "c.data").write_text(rows)
    (loans / "c.test").write_text("\n".join(rows.splitlines()[:20]))
    pair = stakes("fit", loans / "c.data", "--no-guard", "-o", loans / "m.json").stderr
    assert pair == (
        "Note: 20 of the 20 rows of c.test are in c.data, too: what a model costs there is too low.\n"
    )
    assert stakes("describe", loans / "c.names").stderr == pair.replace("c.data", "c.names")
    (loans / "c.test").write_text("damaged")
    assert stakes("fit", loans / "c.data", "--no-guard", "-o", loans / "m.json").stderr == ""
