"""The runner: killed, changed, failing, parallel and on a cluster, it ends with the same tables."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import pytest
from joblib.externals import loky
from typer.testing import CliRunner

from stakes import lab
from stakes.cli import app
from stakes.lab import Store, load_protocol, make_plan
from stakes.lab import units as lab_units
from stakes.lab.code_version import code_version
from stakes.lab.plan import NOT_ASKED
from stakes.lab.runner import WorkerDied
from stakes.lab.specs import CostSpec, DataSpec, LearnerSpec, SplitSpec
from stakes.lab.units import Task, perform, unit_key

#: The studies here name learners of their own.
reproduce = partial(lab.reproduce, allow_imports=True)

MODELS = '''
import os, time
from pathlib import Path
from sklearn.dummy import DummyClassifier

class Slow(DummyClassifier):
    def __init__(self, *, seconds=0.0, strategy="most_frequent", random_state=None):
        super().__init__(strategy=strategy, random_state=random_state)
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        return super().fit(X, y)

class Broken(DummyClassifier):
    """Fails unless a file is there, and on every training set of an odd number of class-p rows."""
    def __init__(self, *, fixed=""):
        super().__init__(strategy="most_frequent")
        self.fixed = fixed

    def fit(self, X, y):
        if not Path(self.fixed).exists() and (y == "p").sum() % 2:
            raise RuntimeError("an odd number of p")
        return super().fit(X, y)
'''

STUDY = """
title = "A study"

[[dataset]]
name = "one"
file = "one.csv"

[[dataset]]
name = "two"
file = "two.csv"

[[dataset]]
name = "lost"
missing = "it was never published"

[learners.tree]
class = "stakes.C45Classifier"
params = { min_samples_leaf = 2 }

[learners.slow]
class = "labmodels.Slow"
params = { seconds = SECONDS, strategy = "stratified" }

[study.main]
splits = { folds = 3, repeats = REPEATS }
costs = { model = "ting", per = "fold" }
quick = { repeats = 1, datasets = ["one"] }

[[table]]
number = "1"
title = "costs"
mean = "Mean"
ranks = "mean_cost"
columns = [
  { learner = ["tree", "slow"], measure = "mean_cost", digits = 4 },
  { label = "ratio", learner = "tree", over = "slow", measure = "cost" },
]

[table.paper]
"one" = [1.0, 2.0, 0.5]
"two" = [2.0, 3.0, 0.7]
"lost" = [3.0, 4.0, 0.75]
"Mean" = [2.0, 3.0, 0.6]
"""


def rows(seed, n=45):
    lines = ["x,y,class"]
    for i in range(n):
        a, b = (i * 37 + seed * 11) % 17, (i * 53 + seed) % 13
        lines.append(f"{a},{b},{'p' if a + b + i % 5 > 14 else 'q'}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "labmodels.py").write_text(MODELS)
    (tmp_path / "one.csv").write_text(rows(1))
    (tmp_path / "two.csv").write_text(rows(2))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("labmodels", None)
    code_version.cache_clear()


def study(place, seconds=0.0, repeats=2, change=("", "")):
    path = place / "study.toml"
    path.write_text(STUDY.replace("SECONDS", str(seconds)).replace("REPEATS", str(repeats)).replace(*change))
    return path


def tables(folder):
    kinds = (".md", ".csv", ".tex", ".json", ".svg")
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.suffix in kinds}


def count(folder, what="*"):
    path = Path(folder) / "results.sqlite"
    if not path.exists():
        return 0
    connection = sqlite3.connect(path)
    try:
        return connection.execute(f"select count({what}) from units").fetchone()[0]
    except sqlite3.OperationalError:  # the table is not there yet, or is being made
        return 0
    finally:
        connection.close()


def stakes(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def performed(monkeypatch):
    """Learners of the units that are really run."""
    seen = []

    def watched(task):
        seen.extend((task.data.name, task.repeat, task.fold, learner.name) for learner in task.learners)
        return perform(task)

    monkeypatch.setattr("stakes.lab.runner.perform", watched)
    return seen


def test_killed_and_started_again_it_ends_with_the_same_tables(place):
    path = study(place, seconds=0.06, repeats=3)
    whole, killed = place / "whole", place / "killed"
    reproduce(path, whole)
    command = [sys.executable, "-m", "stakes.cli", "reproduce", str(path), "-o", str(killed), "-j", "1"]
    command.append("--allow-imports")
    environment = os.environ | {"PYTHONPATH": str(place)}
    for least in (3, 14):  # killed twice, at different moments
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 60
        while count(killed) < least and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert least <= count(killed) < 36
        assert not tables(killed)
    before = count(killed)
    reproduce(path, killed)
    assert before < count(killed) == 36
    assert tables(killed) == tables(whole)


def test_what_is_done_is_not_done_again(place, performed):
    reproduce(study(place), place / "out")
    assert len(performed) == 2 * 2 * 3 * 2
    first = tables(place / "out")
    performed.clear()
    reproduce(study(place), place / "out")
    assert performed == [] and tables(place / "out") == first


def test_a_change_runs_what_it_touches(place, performed):
    reproduce(study(place), place / "out")
    performed.clear()
    reproduce(study(place, change=("min_samples_leaf = 2", "min_samples_leaf = 5")), place / "out")
    assert {unit[3] for unit in performed} == {"tree"} and len(performed) == 12
    performed.clear()
    reproduce(study(place, repeats=3), place / "out")
    assert {unit[1] for unit in performed} == {2} and len(performed) == 12
    performed.clear()
    (place / "two.csv").write_text(rows(3))
    lab_units.read_data.cache_clear()
    reproduce(study(place), place / "out")
    assert {unit[0] for unit in performed} == {"two"} and len(performed) == 12
    performed.clear()
    # names are not part of a unit
    reproduce(study(place, change=('name = "two"', 'name = "dos"')).rename(place / "s.toml"), place / "out")
    assert performed == []


def task(**changes):
    parts = {
        "study": "s",
        "data": DataSpec("d", load="german"),
        "splits": SplitSpec(folds=3),
        "case": "",
        "costs": CostSpec("ting"),
        "prices": None,
        "repeat": 0,
        "fold": 0,
        "attributes": (),
        "learners": (),
    }
    return Task(**(parts | changes))


def test_the_key_has_all_that_matters_and_nothing_else(place):
    tree = LearnerSpec("tree", "stakes.C45Classifier", {"min_samples_leaf": 2})
    key = unit_key(task(), tree, "digest")
    same = [
        unit_key(task(study="other", case="c"), tree, "digest"),
        unit_key(task(splits=SplitSpec(folds=3, repeats=9)), tree, "digest"),
        unit_key(
            task(), LearnerSpec("oak", "stakes.C45Classifier", {"min_samples_leaf": 2}, family="f"), "digest"
        ),
    ]
    assert set(same) == {key}
    others = [
        unit_key(task(), tree, "other"),
        unit_key(task(repeat=1), tree, "digest"),
        unit_key(task(fold=1), tree, "digest"),
        unit_key(task(splits=SplitSpec(folds=4)), tree, "digest"),
        unit_key(task(splits=SplitSpec(folds=3, seed=1)), tree, "digest"),
        unit_key(task(costs=CostSpec("ting", seed=1)), tree, "digest"),
        unit_key(task(prices=CostSpec("davis")), tree, "digest"),
        unit_key(task(attributes=("n_nodes_",)), tree, "digest"),
        unit_key(task(), LearnerSpec("tree", "stakes.C45Classifier", {"min_samples_leaf": 3}), "digest"),
        unit_key(
            task(),
            LearnerSpec("tree", "stakes.C45Classifier", {"min_samples_leaf": 2}, costs=False),
            "digest",
        ),
        unit_key(task(), LearnerSpec("tree", "labmodels.Slow", {}), "digest"),
    ]
    assert len({key, *others}) == len(others) + 1


def test_the_key_knows_the_code_of_ones_own_estimator(place):
    own = LearnerSpec("own", "labmodels.Slow", {})
    key = unit_key(task(), own, "d")
    (place / "labmodels.py").write_text(MODELS + "\n# changed\n")
    code_version.cache_clear()
    assert unit_key(task(), own, "d") != key
    inside = LearnerSpec("in", "stakes.MinExpectedCost", {"estimator": {"class": "labmodels.Slow"}})
    key = unit_key(task(), inside, "d")
    (place / "labmodels.py").write_text(MODELS)
    code_version.cache_clear()
    assert unit_key(task(), inside, "d") != key


def test_a_failing_unit_is_recorded_and_the_rest_goes_on(place):
    text = STUDY.replace("labmodels.Slow", "labmodels.Broken").replace(
        '{ seconds = SECONDS, strategy = "stratified" }', f'{{ fixed = "{place / "fixed"}" }}'
    )
    (place / "study.toml").write_text(text.replace("REPEATS", "4"))
    result = stakes("reproduce", place / "study.toml", "-o", place / "out", "-j", "1", "--allow-imports")
    assert result.exit_code == 1
    assert "RuntimeError: an odd number of p" in result.stderr and "units failed" in result.stderr
    failed = count(place / "out", "traceback")
    assert 0 < failed < 24 and count(place / "out") == 48
    assert "an odd number of p" in (place / "out" / "study-failures.txt").read_text()
    page = (place / "out" / "study.md").read_text()
    assert "trials failed, so that there is no figure" in page
    html = (place / "out" / "study.html").read_text(encoding="utf-8")
    assert f"{failed} of 48 units failed" in html and "Traceback (most recent call last)" in html
    table = json.loads((place / "out" / "study-table-1.json").read_text())
    assert table["rows"][0]["cells"][0]["ours"] is not None  # the tree's
    (place / "fixed").write_text("")
    result = stakes("reproduce", place / "study.toml", "-o", place / "out", "-j", "1", "--allow-imports")
    assert result.exit_code == 0 and count(place / "out", "traceback") == 0
    assert "trials failed" not in (place / "out" / "study.md").read_text()


def test_a_unit_that_kills_its_process_is_found(place, monkeypatch):
    """The pool stands in for worker processes: it delivers a part, and dies of one unit."""
    poison = ("two", 1, 2, "slow")
    deaths = []

    def pool(n_jobs, tasks):
        for task in tasks:
            units = [(task.data.name, task.repeat, task.fold, learner.name) for learner in task.learners]
            if poison in units:
                deaths.append(len(tasks))
                raise WorkerDied("the process that ran it died")
            yield perform(task)

    monkeypatch.setattr("stakes.lab.runner._on_cores", pool)
    monkeypatch.setattr("stakes.lab.runner.SUSPECTS", 2)
    found = reproduce(study(place), place / "out", n_jobs=2)
    [failed] = found.failures
    assert (failed.what["dataset"], failed.what["repeat"], failed.what["fold"]) == poison[:3]
    assert "died" in failed.traceback and failed.what["learner"] == "slow"
    assert count(place / "out") == 24 and deaths[0] > 1 and deaths[-1] == 1
    assert found.tables[0].rows[0].cells[0].ours is not None


def test_time_and_memory_are_recorded(place):
    found = reproduce(study(place, seconds=0.02), place / "out")
    connection = sqlite3.connect(place / "out" / "results.sqlite")
    lines = connection.execute("select what, seconds, memory from units").fetchall()
    connection.close()
    slow = [seconds for what, seconds, _ in lines if json.loads(what)["learner"] == "slow"]
    assert min(slow) >= 0.02 and found.seconds > 0
    assert all(memory > 10_000_000 for _, _, memory in lines)


def test_what_cannot_be_had_is_listed(place):
    page = reproduce(study(place), place / "out").tables[0]
    assert [row.labels[0] for row in page.rows] == ["one", "two", "lost", "Mean", "Mean, of those that ran"]
    assert "lost: it was never published." in page.notes
    lost = page.rows[2].cells[0]
    assert (lost.ours, lost.paper) == (None, 3.0)
    text = (place / "out" / "study.md").read_text()
    assert "| lost | – (3.0000) | – (4.0000) | – (0.75) |" in text
    (place / "two.csv").unlink()
    lab_units.read_data.cache_clear()
    [table] = reproduce(study(place), place / "other").tables
    assert any(note.startswith("two: is not available") for note in table.notes)


def test_the_quick_version_says_so_on_every_table(place):
    result = stakes("reproduce", study(place), "--quick", "-o", place / "out", "-j", "1", "--allow-imports")
    assert result.exit_code == 0
    assert "Quick version (1 repeat): a smoke test" in result.stdout
    assert "two, lost: not part of the quick version." in result.stdout
    assert "Quick version" in (place / "out" / "study-table-1.tex").read_text()
    assert count(place / "out") == 6


def test_part_of_a_study(place):
    plan = make_plan(load_protocol(study(place), allow_imports=True), datasets=["two"], tables=["1"])
    assert {cell[1] for cell in plan.keys} == {"two"}
    assert plan.absent["main", "one"] == NOT_ASKED


def test_several_processes_give_the_same_tables(place, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(place))
    loky.get_reusable_executor().shutdown()  # workers of an earlier test would have its environment
    alone, together = place / "alone", place / "together"
    reproduce(study(place), alone)
    seen = []
    reproduce(study(place), together, n_jobs=2, progress=lambda done, total, what: seen.append((done, total)))
    assert tables(alone) == tables(together) and count(together) == 24
    assert seen[0] == (0, 24) and seen[-1] == (24, 24)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_file_that_is_no_store(place):
    (place / "results.sqlite").write_text("not a database, but long enough to look at" * 30)
    with pytest.raises(ValueError, match="must be a file of results that this version of stakes wrote"):
        Store(place / "results.sqlite")
    connection = sqlite3.connect(place / "older.sqlite")
    connection.execute("create table units (key text)")
    connection.close()
    with pytest.raises(ValueError, match="it is of version 0, this one reads up to 2"):
        Store(place / "older.sqlite")


def test_no_such_cluster(place):
    pytest.importorskip("distributed")
    with pytest.raises(ValueError, match="cluster must be the address of a running Dask scheduler"):
        reproduce(study(place), cluster="nonsense://nowhere")


def test_on_a_cluster_that_loses_a_worker(place, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", str(place))
    path = study(place, seconds=0.08, repeats=4)
    reproduce(path, place / "alone")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a scheduler that loses a worker, and of sockets it closes late
        options = {"n_workers": 3, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with distributed.LocalCluster(**options, silence_logs=50) as cluster:
            killed = []

            def kill_one(done, total, what):
                if done >= total // 4 and not killed:
                    process = next(iter(cluster.workers.values())).pid
                    killed.append(process)
                    os.kill(process, signal.SIGKILL)

            found = reproduce(path, place / "out", cluster=cluster.scheduler_address, progress=kill_one)
    assert killed and not found.failures
    assert count(place / "out") == 48 == found.n_units
    assert tables(place / "out") == tables(place / "alone")
