"""Units of work, the store that keeps them, and the memory and time that they are said to take."""

import sys
import time
import types
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import stakes
from stakes import C45Classifier, FeatureCosts, _core, datasets
from stakes.compare.trial import run_trial
from stakes.costs import davis_prices
from stakes.lab import runner, units
from stakes.lab.code_version import code_version, hash_files, imported_files
from stakes.lab.plan import Plan
from stakes.lab.sources import read_data, split_rows
from stakes.lab.specs import CostSpec, DataSpec, LearnerSpec, SplitSpec
from stakes.lab.store import Outcome, Store, UnitTime
from stakes.lab.trial_costs import trial_costs, trial_prices
from stakes.lab.units import Task, peak_memory, perform, reset_peak_memory, unit_key

TREE = LearnerSpec("tree", "stakes.C45Classifier", {"min_samples_leaf": 20})
BAD = LearnerSpec("bad", "stakes.C45Classifier", {"confidence": -1.0})


def task(*learners, **changes):
    parts = {
        "study": "s",
        "data": DataSpec("g", load="german"),
        "splits": SplitSpec(folds=3),
        "case": "5:1",
        "costs": CostSpec("ting"),
        "prices": CostSpec("davis"),
        "repeat": 1,
        "fold": 2,
        "attributes": ("n_nodes_", "classes_seen_", "absent_"),
        "learners": learners,
        "keys": tuple(learner.name for learner in learners),
    }
    return Task(**(parts | changes))


# ---- doing it


def test_a_unit_is_a_trial_on_its_rows_with_its_costs_and_prices():
    """Rows of fold 2 of repeat 1, and costs and prices that are drawn for just these."""
    failed, done = perform(task(BAD, TREE))
    what = {"study": "s", "dataset": "g", "case": "5:1", "repeat": 1, "fold": 2, "learner": "tree"}
    assert (done.key, done.what, done.traceback) == ("tree", what, None)
    data = read_data(DataSpec("g", load="german"))
    train, test = split_rows(SplitSpec(folds=3), data.strata, 1, 2)
    costs = trial_costs(CostSpec("ting"), data, train, 1, 2)
    prices = trial_prices(CostSpec("davis"), data.part.X.schema.names, 1, 2)
    model = C45Classifier(min_samples_leaf=20, cost_matrix=costs, feature_costs=prices)
    expected = run_trial(model, data.part.take(train), data.part.take(test), costs, prices)
    for name in ("weight", "cost", "errors", "rows", "right", "leaves", "nodes", "test_cost", "upfront_cost"):
        assert done.record[name] == getattr(expected, name), name
    assert done.record["attributes"] == {"n_nodes_": model.n_nodes_, "classes_seen_": None, "absent_": None}
    assert failed.record is None and "confidence" in failed.traceback
    assert failed.what["learner"] == "bad" and min(done.seconds, done.cpu, failed.seconds) >= 0


def test_times_are_those_of_the_unit_and_abstaining_is_handed_on(monkeypatch):
    told = []

    def trial(*parts, abstains):
        told.append(abstains)
        return run_trial(*parts)

    monkeypatch.setattr(units, "run_trial", trial)
    start, spent = time.perf_counter(), time.process_time()
    [done] = perform(task(replace(TREE, abstains=True)))
    assert 0 <= done.seconds <= time.perf_counter() - start and 0 <= done.cpu <= time.process_time() - spent
    assert told == [True]


def test_a_key_does_not_depend_on_the_order_of_parameters():
    one, two = (replace(TREE, params=dict(pairs)) for pairs in ([("a", 1), ("b", 2)], [("b", 2), ("a", 1)]))
    assert unit_key(task(one), one, "d") == unit_key(task(two), two, "d")


def test_a_unit_may_test_on_the_rows_that_it_learns_from():
    [one] = perform(task(TREE, splits=SplitSpec("all"), prices=None, repeat=0, fold=0))
    assert (one.record["weight"], one.record["train_weight"]) == (1000, 1000)
    assert one.record["test_cost"] is None


def test_rows_drawn_anew_are_those_of_the_repeat():
    fresh = {
        "data": DataSpec("w", generate="stakes.datasets.waveform"),
        "splits": SplitSpec("fresh", train_rows=40, test_rows=20),
        "prices": None,
        "fold": 0,
    }
    [one] = perform(task(TREE, **fresh))
    found = datasets.waveform(60, random_state=1)
    assert (one.record["weight"], one.record["train_weight"]) == (20, 40)
    assert sum(one.record["rows"]) == 20
    assert one.record["rows"] == tuple(
        float((np.asarray(found.y)[40:] == c).sum()) for c in np.unique(found.y)
    )


def test_warnings_of_learners_are_not_shown(monkeypatch):
    """Here a warning is an error, so that one that is not ignored fails the unit."""

    def noisy(*given):
        warnings.warn("the same in every trial", stacklevel=2)
        return C45Classifier()

    monkeypatch.setattr(units, "make_learner", noisy)
    assert perform(task(TREE))[0].traceback is None


def test_an_attribute_is_one_number():
    assert units._plain(None) is None
    assert units._plain([1, 2, 3.5]) == 6.5 and units._plain(4) == 4.0


# ---- keys


def test_the_code_that_a_unit_depends_on(monkeypatch):
    files = [Path(_core.__file__), *imported_files("stakes.tree.c45.classifier")]
    assert code_version("stakes.C45Classifier") == f"stakes {hash_files(files)}"
    numpy = code_version("numpy.random.default_rng")
    assert numpy == f"numpy {np.__version__}"
    module = types.ModuleType("labfree")
    module.make = type("make", (), {"__module__": "labfree"})
    monkeypatch.setitem(sys.modules, "labfree", module)
    code_version.cache_clear()
    assert code_version("labfree.make") == "labfree.make "  # neither version nor file
    code_version.cache_clear()


def files_behind(path):
    folder = Path(stakes.__file__).parent
    return {file.relative_to(folder).as_posix() for file in imported_files(path)}


def test_results_do_not_depend_on_reports_commands_and_tables():
    names = files_behind("stakes.lab.units")
    assert {
        "lab/units.py",
        "lab/trial_costs.py",
        "compare/trial.py",
        "decision/_choose.py",
        "_base/folds.py",
    } <= names
    shown = (
        "_cli/",
        "report/",
        "export/",
        "rules/",
        "lab/tables.py",
        "lab/writers.py",
        "lab/study.py",
        "cli.py",
    )
    assert not any(name.startswith(shown) for name in names)


def test_a_learner_depends_on_what_it_imports():
    tree, rules = files_behind("stakes.tree.c45.classifier"), files_behind("stakes.rules.classifier")
    assert {"tree/c45/learn.py", "costs/_matrix.py", "table/_encode.py"} <= tree
    assert "rules/learn.py" in rules and not any(name.startswith("rules/") for name in tree)
    versions = {
        code_version(f"stakes.{name}") for name in ("C45Classifier", "RuleClassifier", "BoostedStakes")
    }
    assert len(versions) == 3


def test_files_are_hashed_by_name_and_content(tmp_path):
    one, two = tmp_path / "a.py", tmp_path / "b.py"
    one.write_text("1")
    two.write_text("1")
    found = {hash_files([one]), hash_files([two]), hash_files([one, two])}
    assert len(found) == 3 and all(len(digest) == 16 for digest in found)


def test_keys_know_costs_by_content_and_their_code():
    key = unit_key(task(), TREE, "d")
    assert len(key) == 32
    here, there = (CostSpec("file", "study", (place,), ("text",)) for place in ("here", "there"))
    other = CostSpec("file", "study", ("here",), ("other",))
    keys = [unit_key(task(costs=costs), TREE, "d") for costs in (here, there, other)]
    assert keys[0] == keys[1] != keys[2]
    assert units._cost_content(CostSpec("stakes.costs.ting_costs"))["code"].startswith("stakes ")
    assert "code" not in units._cost_content(CostSpec("ting"))
    turned = unit_key(task(attributes=("absent_", "n_nodes_", "classes_seen_")), TREE, "d")
    assert turned == key  # in whatever order they are asked for
    for change in ({"input": "numbers"}, {"abstains": True}):
        assert unit_key(task(), LearnerSpec("tree", TREE.path, TREE.params, **change), "d") != key
    inner = {
        "estimator": {"class": "numpy.random.default_rng", "params": {"x": {"class": "scipy.stats.norm"}}}
    }
    versions = list(units._versions("sklearn.base.clone", inner | {"plain": {"no": 1}, "n": 3}))
    assert [version.split()[0] for version in versions] == [
        "stakes",
        "sklearn",
        "stakes",
        "numpy",
        "stakes",
        "scipy",
    ]


# ---- memory


class Files:
    """Stands in for paths of the system: what they hold, or that there are none."""

    def __init__(self, texts):
        self.texts, self.written = texts, {}

    def __call__(self, name):
        def read_text(encoding):
            if name not in self.texts:
                raise FileNotFoundError(name)
            return self.texts[name]

        def write_text(text, encoding):
            if name not in self.texts:
                raise PermissionError(name)
            self.written[name] = text

        return types.SimpleNamespace(read_text=read_text, write_text=write_text)


def test_peak_memory_is_what_linux_says(monkeypatch):
    status = "VmPeak:\t 900 kB\nVmHWM:\t     7 kB\nVmRSS:\t 5 kB\n"
    files = Files({"/proc/self/status": status, "/proc/self/clear_refs": ""})
    monkeypatch.setattr(units, "Path", files)
    assert peak_memory() == 7 * 1024
    reset_peak_memory()
    assert files.written == {"/proc/self/clear_refs": "5"}


@pytest.mark.parametrize("status", [None, "VmRSS: 5 kB", "VmHWM: x kB", "VmHWM:"])
def test_elsewhere_it_is_what_resource_says(monkeypatch, status):
    monkeypatch.setattr(units, "Path", Files({} if status is None else {"/proc/self/status": status}))
    reset_peak_memory()  # not possible, and no error
    resource = types.ModuleType("resource")
    resource.RUSAGE_SELF, resource.getrusage = 3, lambda who: types.SimpleNamespace(ru_maxrss=5 * who)
    monkeypatch.setitem(sys.modules, "resource", resource)
    monkeypatch.setattr(sys, "platform", "freebsd")
    assert peak_memory() == 15 * 1024
    monkeypatch.setattr(sys, "platform", "darwin")  # bytes there
    assert peak_memory() == 15
    monkeypatch.setitem(sys.modules, "resource", None)
    assert peak_memory() is None


# ---- the store


def outcome(key, record=None, trace=None, cpu=1.0, memory=None, seconds=2.0):
    return Outcome(key, {"dataset": "ü", "learner": key}, record, trace, seconds, cpu, memory)


def test_the_store_gives_back_what_was_added(tmp_path):
    good, bad = outcome("k1", {"cost": 3.0}, memory=7), outcome("k2", None, "Trace", 2.5, 9)
    with Store(tmp_path / "s.sqlite") as store:
        for one in (good, bad, outcome("k3", {"cost": 4.0}, cpu=0.5)):
            store.add(one)
    with Store(str(tmp_path / "s.sqlite")) as store:
        keys = ["k1", "k2", "k3", "none"]
        assert store.records(keys) == {"k1": {"cost": 3.0}, "k3": {"cost": 4.0}}
        assert store.records(["k3"]) == {"k3": {"cost": 4.0}}
        assert store.failures(keys) == [bad]
        assert (
            store.totals(keys) == (4.0, 9) and store.totals(["k3"]) == (0.5, 0) and store.totals([]) == (0, 0)
        )
        times = [UnitTime(one.what, one.cpu, one.memory, one is bad) for one in (good, bad)]
        assert store.times(["k1", "k2"]) == times
        store.add(outcome("k2", {"cost": 5.0}))  # the next attempt
        assert store.failures(keys) == [] and store.records(["k2"]) == {"k2": {"cost": 5.0}}


def test_many_units_are_read_in_parts():
    with Store(":memory:") as store:
        store._connection.execute("begin")
        for i in range(1201):
            store.add(outcome(str(i), {"cost": i}))
        store._connection.execute("commit")
        found = store.records(str(i) for i in range(1201))
        assert len(found) == 1201 and found["1000"] == {"cost": 1000}
        asked = []
        store._connection.set_trace_callback(asked.append)
        store.records(str(i) for i in range(1000))
        assert len(asked) == 2


def test_a_closed_store_is_closed():
    with Store(":memory:") as store:
        pass
    with pytest.raises(Exception, match="closed"):
        store.records(["k"])


def test_prices_are_drawn_with_the_seed_of_the_trial():
    prices = trial_prices(CostSpec("davis", "repeat", seed=2), ("a", "b"), 3, 7)
    assert isinstance(prices, FeatureCosts) and prices.prices == davis_prices(("a", "b"), 5)
    named = trial_prices(CostSpec("stakes.costs.davis_prices", "fold", seed=2), ("a", "b"), 3, 7)
    assert named.prices == davis_prices(("a", "b"), 3009)
    fixed = trial_prices(CostSpec("davis", "study", seed=2), ("a", "b"), 3, 7)
    assert fixed.prices == davis_prices(("a", "b"), 2)


def test_the_store_survives_a_kill_and_knows_its_version(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        pragmas = ("journal_mode", "synchronous", "user_version")
        found = [store._connection.execute(f"pragma {name}").fetchone()[0] for name in pragmas]
        assert found == ["wal", 1, 2] and store._connection.isolation_level is None


# ---- running


def test_each_unit_is_run_once_and_told_of(monkeypatch):
    """Two tables want the unit k1, k2 is done before; the store has all of them in the end."""
    first, second = task(TREE, TREE, keys=("k1", "k2")), task(TREE, TREE, keys=("k1", "k3"))
    plan = Plan(None, (), [first, second, first], {("a", "b", "", "c"): ["k1", "k2", "k3"]})
    ran, steps = [], []

    def done(one):
        ran.append(one.keys)
        return [outcome(key, {"cost": 1.0}) for key in one.keys]

    monkeypatch.setattr(runner, "perform", done)
    with Store(":memory:") as store:
        store.add(outcome("k2", {"cost": 2.0}))
        runner.run_plan(plan, store, progress=lambda *step: steps.append(step))
        assert ran == [("k1",), ("k3",)] and set(store.records(["k1", "k2", "k3"])) == {"k1", "k2", "k3"}
        assert steps == [(1, 3, ""), (2, 3, "ü"), (3, 3, "ü")]
        runner.run_plan(plan, store, progress=lambda *step: steps.append(step))
        runner.run_plan(plan, store)
        assert steps[3:] == [(3, 3, "")] and len(ran) == 2


def test_a_dead_worker_leaves_a_unit_with_its_last_words(monkeypatch):
    """Each unit of the suspects is tried alone; the rest goes on together afterwards."""
    tasks = [task(TREE, BAD, keys=(f"a{i}", f"b{i}")) for i in range(3)]
    trips = []

    def pool(n_jobs, some):
        trips.append((n_jobs, [one.keys for one in some]))
        for one in some:
            if "b0" in one.keys:
                raise runner.WorkerDied("it died")
            yield [outcome(key, {"cost": 1.0}) for key in one.keys]

    monkeypatch.setattr(runner, "_on_cores", pool)
    monkeypatch.setattr(runner, "SUSPECTS", 2)
    found = [one for part in runner._outcomes(tasks, 2, None) for one in part]
    pairs = [[one.keys for one in tasks], [("a0",)], [("b0",)], [("a1",)], [("b1",)], [tasks[2].keys]]
    assert trips == [(2, keys) for keys in pairs]
    assert [one.key for one in found] == ["a0", "b0", "a1", "b1", "a2", "b2"]
    assert found[1] == Outcome("b0", tasks[0].what(BAD), None, "it died\n", 0.0, 0.0, None)


def test_a_cluster_needs_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"--cluster needs Dask: pip install 'stakes\[dask\]'"):
        runner._client("tcp://nowhere:1")
