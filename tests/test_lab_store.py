"""The file of results: whatever is wrong with it or with the disk is one sentence that names it."""

import errno
import random
import sqlite3
from contextlib import contextmanager

import pytest

from commands import run
from stakes.lab import Store, load_protocol
from stakes.lab.store import Outcome

resource = pytest.importorskip("resource", reason="limits of a process are POSIX's")

KEYS = [f"key {number}" for number in range(60)]
STUDY = """
title = "A study"
[[dataset]]
name = "german"
load = "german"
[learners.none]
class = "sklearn.dummy.DummyClassifier"
[study.{name}]
{tables}
"""


def outcome(key, number=1.0):
    return Outcome(
        key, {"learner": "π′", "file": "b\udcff"}, {"cost": number, "p" * 200: 2.0}, None, 0.1, 0.2, 7
    )


@pytest.fixture
def path(tmp_path):
    """A store with some outcomes."""
    with Store(tmp_path / "results.sqlite") as store:
        for number, key in enumerate(KEYS):
            store.add(outcome(key, number))
        store.add(Outcome("failed", {"learner": "x"}, None, "Trace\udcff\n", 1, 2, None))
    return tmp_path / "results.sqlite"


@contextmanager
def full_disk(n_bytes):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def read_all(path):
    with Store(path) as store:
        return store.records(KEYS), store.failures([*KEYS, "failed"]), store.totals(KEYS), store.times(KEYS)


def test_what_is_kept_comes_back(path):
    records, failures, (cpu, memory), times = read_all(path)
    assert records == {key: outcome(key, float(number)).record for number, key in enumerate(KEYS)}
    assert [(failed.key, failed.record, failed.traceback) for failed in failures] == [
        ("failed", None, "Trace\\udcff\n")
    ]
    assert cpu == pytest.approx(12) and memory == 7
    assert times[0].what == {"learner": "π′", "file": "b\udcff"}


def test_flipped_bytes_are_noticed(path):
    content, draw, unnoticed, whole = path.read_bytes(), random.Random(0), 0, read_all(path)
    for _ in range(200):
        changed = bytearray(content)
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
        path.write_bytes(changed)
        try:
            records, *_ = read_all(path)
        except (ValueError, OSError) as error:
            assert str(path) in str(error)
        else:
            # a key that is another one is a unit that has not run; none may have other figures
            assert all(whole[0][key] == record for key, record in records.items())
            unnoticed += 1
    assert unnoticed < 200


def test_stores_of_before_are_read(path):
    connection = sqlite3.connect(path)
    connection.execute("alter table units drop column checksum")
    connection.execute("pragma user_version = 1")
    connection.close()
    whole = read_all(path)
    assert len(whole[0]) == len(KEYS) and read_all(path) == whole
    with Store(path) as store:
        store.add(outcome("new"))
        assert store.records(["new", KEYS[0]]).keys() == {"new", KEYS[0]}


def test_a_full_disk_is_a_sentence(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        with full_disk(20_000), pytest.raises(OSError, match="results cannot be kept") as caught:
            for number in range(300):
                store.add(outcome(f"key {number}"))
        assert caught.value.filename == str(tmp_path / "results.sqlite")
        assert caught.value.errno in (errno.ENOSPC, errno.EIO)
        assert len(store.records(f"key {number}" for number in range(300))) > 0


def test_reproduce_on_a_full_disk_ends_with_a_sentence(tmp_path):
    command = [
        "reproduce",
        "ting1998",
        "--table",
        1,
        "--datasets",
        "german",
        "--quick",
        "-j",
        1,
        "-o",
        tmp_path,
    ]
    with full_disk(100):
        error = run(*command, "-o", tmp_path, code=1).stderr
    assert error.startswith(f"Error: {tmp_path}/results.sqlite: results cannot be kept (")


@pytest.mark.parametrize(
    ("name", "tables", "sentence"),
    [
        ('"a/b"', "", "the number of a table, by default the name of its study, must be 1 to 100 characters"),
        ('"a\\\\b"', "", r"without / and \\, since files are called by it, got 'a\\\\b'"),
        (f'"{"a" * 101}"', "", "1 to 100 characters"),
        ("main", '[[figure]]\nnumber = "1/2"\ncolumns = [{measure = "mean_cost"}]', "the number of a figure"),
        (
            "main",
            '[[table]]\nnumber = "A"\ncolumns = [{measure = "mean_cost"}]\n' * 2,
            "two of its tables have the number 'a'",
        ),
    ],
)  # fmt: skip
def test_names_that_no_file_can_have_are_refused_before_the_run(tmp_path, name, tables, sentence):
    path = tmp_path / "study.toml"
    path.write_text(STUDY.format(name=name, tables=tables))
    with pytest.raises(ValueError, match=sentence):
        load_protocol(path)
    path.write_text(STUDY.format(name="main", tables=""))
    assert load_protocol(path).tables[0].number == "main"
