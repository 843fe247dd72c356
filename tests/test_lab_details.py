"""What the lab hands on, keeps and leaves out: many units, partial failures, small samples."""

import inspect
import json
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stakes._base.answering import model_size
from stakes._base.folds import stratified_folds
from stakes.compare.comparison import Comparison, Interval, LearnerResult
from stakes.compare.statistics import rank_learners
from stakes.lab import CheapestTree, ProtocolError, compare_with_peers, forensic, reproduce
from stakes.lab.results import Cell, Column, ResultTable, Row
from stakes.lab.sources import read_data, split_rows
from stakes.lab.specs import DataSpec, SplitSpec
from stakes.lab.store import Outcome, Store
from stakes.lab.writers import cell_text, to_json
from stakes.table import Table


def test_many_units_are_counted_once_each():
    with Store(":memory:") as store:
        for i in range(1001):
            store.add(Outcome(f"k{i}", {"n": i}, {"cost": i}, None, 1.0, 1.0, i))
        keys = [f"k{i}" for i in range(1001)]
        assert store.totals(keys) == (1001.0, 1000)
        assert sorted(time.what["n"] for time in store.times(keys)) == list(range(1001))
        assert store.totals([]) == (0, 0)


def test_all_options_of_a_run_are_handed_on(monkeypatch, tmp_path):
    told = {}

    class Stop(Exception):
        pass

    def run_plan(plan, store, **options):
        told.update(options)
        raise Stop

    def make_plan(protocol, **options):
        told.update(options)
        return None

    progress = print
    for name in ("study", "peers"):
        monkeypatch.setattr(sys.modules[f"stakes.lab.{name}"], "run_plan", run_plan)
    run = {"n_jobs": 3, "cluster": "tcp://x", "progress": progress}
    with pytest.raises(Stop):
        compare_with_peers("german", learners=["c4.5"], **run)
    assert told == run
    told.clear()
    monkeypatch.setattr(sys.modules["stakes.lab.study"], "make_plan", make_plan)
    asked = {"tables": ["1"], "figures": ["2"], "datasets": ["German"], "quick": True, "more": True}
    with pytest.raises(Stop):
        reproduce("ting1998", **asked, **run)
    assert told == asked | run


def test_rows_are_shuffled_by_seed_zero_unless_another_is_said():
    assert inspect.signature(compare_with_peers).parameters["seed"].default == 0


class HalfPeer(ClassifierMixin, BaseEstimator):
    """Fails in the second repeat."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        if self.random_state == 1:
            raise RuntimeError("not twice")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.classes_[0])


def test_a_learner_that_fails_in_some_trials_is_not_compared(monkeypatch):
    module = ModuleType("half_peer")
    module.HalfPeer, module.__version__ = HalfPeer, "1"
    monkeypatch.setitem(sys.modules, "half_peer", module)
    learners = {
        "good": {"class": "stakes.compare.ConstantClassifier"},
        "half": {"class": "half_peer.HalfPeer", "input": "table"},
    }
    monkeypatch.setattr(sys.modules["stakes.lab.peers"], "_learners", lambda: learners)
    found = compare_with_peers("german", n_folds=2, n_repeats=2)
    assert [one.name for one in found.comparison.results] == ["good"]
    assert len(found.failures) == 2 and sum(time.failed for time in found.times) == 2


def test_a_comparison_is_priced_where_one_learner_has_a_bill():
    one = Interval(1.0, 1.0, 1.0)
    plain = LearnerResult("a", one, 1.0, one, 0.0, None, None, 0.0)
    answered = LearnerResult("b", one, 1.0, one, 0.0, None, None, 0.0, total_cost=one)
    assert Comparison((plain, answered), 1, 2, 1, "p", 1.0).priced
    assert not Comparison((plain,), 1, 2, 1, "p", 1.0).priced


def test_a_table_as_json_is_text_that_people_can_read():
    table = ResultTable("p", "table", "1", "±", ("r",), (Column("c"),), (Row(("é",), (Cell(1.5),)),))
    lines = to_json(table).splitlines()
    assert lines[0] == "{" and lines[1] == ' "protocol": "p",' and ' "title": "±",' in lines
    assert json.loads(to_json(table))["rows"][0]["cells"][0]["ours"] == 1.5
    broken = ResultTable("p", "table", "1", "", ("r",), (Column("c"),), (Row(("a",), (Cell(np.nan),)),))
    with pytest.raises(ValueError, match="JSON compliant"):
        to_json(broken)
    assert cell_text(Cell(1.5, None, 0.25), 2) == "1.50 ± 0.25"


def test_size_of_a_tree_at_the_end_of_a_long_pipeline():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 1, 0, 0, 1, 1])
    model = make_pipeline(SimpleImputer(), StandardScaler(), DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert (model_size(model).leaves, model_size(model).nodes) == (4, 7)


def test_learners_of_equal_rank_keep_their_order():
    names = [f"l{i}" for i in range(30)]
    ranks = rank_learners({name: [float(i % 2)] * 3 for i, name in enumerate(names)})
    assert ranks.names == (*names[::2], *names[1::2])


# ---- rows


def test_columns_are_named_up_to_the_twentieth_where_none_is_the_class(tmp_path):
    names = [f"x{i:02}" for i in range(1, 23)]
    (tmp_path / "d.csv").write_text(",".join(names) + "\n" + ",".join("1" * 22) + "\n")
    with pytest.raises(ProtocolError, match=r"one of 'x01', .*, 'x20' and 2 more; none is called class"):
        read_data(DataSpec("d", file=str(tmp_path / "d.csv")))


def test_stratified_parts_follow_from_the_seed():
    codes = np.repeat([0, 1], 30)
    spec = SplitSpec("holdout", train=0.5, stratify=True, seed=2)
    first, again, other = (split_rows(spec, codes, repeat, 0)[0].tolist() for repeat in (0, 0, 1))
    assert first == again != other
    later = SplitSpec("holdout", train=0.5, stratify=True, seed=3)
    assert split_rows(later, codes, 0, 0)[0].tolist() == other


def test_folds_are_those_of_stakes_unless_told_otherwise():
    codes = np.repeat([0, 1, 2], [9, 7, 5])
    where = stratified_folds(codes, 3, 4)
    tests = [split_rows(SplitSpec(folds=3, seed=4), codes, 0, k)[1].tolist() for k in range(3)]
    assert tests == [np.flatnonzero(where == k).tolist() for k in range(3)]


# ---- Davis' tree


def test_errors_are_counted_until_they_pass_the_limit():
    def fold(errors):
        return SimpleNamespace(learn=lambda **_: None), SimpleNamespace(errors=lambda _: errors)

    folded = object.__new__(forensic._Folded)
    folded.parts = [fold(2), fold(3), fold(4)]
    assert [folded.errors(limit) for limit in (1, 2, 4, 5, 9)] == [2, 5, 5, 9, 9]


def test_the_price_of_a_tree_has_each_of_its_columns_once():
    tree = SimpleNamespace(feature=np.array([0, 2, -1, 0, -1]))
    assert forensic._price(tree, np.array([5.0, 7.0, 11.0])) == 16.0


def test_rows_with_missing_values_are_answered_one_by_one():
    """Of a = 0 most are p, of a = 1 most are q; b tells which, where it is known."""
    a, b = np.repeat([0.0, 1.0], 40), np.tile(np.arange(10.0), 8)
    y = np.where((a == 0) == (b < 7), "p", "q")
    table = Table.from_data(np.column_stack([a, b]))
    prices = dict.fromkeys(table.schema.names, 1.0)
    model = CheapestTree(criterion="gain_ratio", feature_costs=prices, n_folds=3).fit(table, y)
    assert model.predict(table).tolist() == y.tolist()
    blank = Table.from_data(np.column_stack([[0.0, 1.0, 0.0], [np.nan] * 3]))
    assert model.predict(blank).tolist() == ["p", "q", "p"]
