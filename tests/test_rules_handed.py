"""What the rule learner hands on: parameters to the search, threads to the core, defaults of its steps."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from stakes import MDLDiscretizer, RuleClassifier, _core
from stakes._base.training import TrainingSet
from stakes.rules.bins import Bins, mdl_bins
from stakes.rules.explain import RuleExplanation
from stakes.rules.inputs import class_cost_vector
from stakes.rules.learn import Settings, _set_aside, _supports, learn_rules, recounted, with_undecided_weights
from stakes.rules.model import RuleSet
from stakes.rules.path import CoveragePoint, point_sums
from stakes.rules.words import Rule, _Part, rule_table
from stakes.table import Column, Schema, Table
from test_rules_learn import CARS, CODES, IN_N, LABELS, TOWNS, examples, numbered, rules_on
from test_rules_words import by_hand, fitted, frame

X, Y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat(["a", "b"], 10)


@pytest.fixture
def handed(monkeypatch):
    """Arguments by name of each call of the core."""
    calls = {"search_rules": [], "match_rules": []}

    def noting(name, function):
        def call(*args, **options):
            calls[name].append(options | {"options": args[-1]})
            return function(*args, **options)

        return call

    for name in calls:
        monkeypatch.setattr(_core, name, noting(name, getattr(_core, name)))
    return calls


def test_every_parameter_reaches_the_search(handed):
    model = RuleClassifier(
        t_good=0.25, t_bad=0.75, min_support=[3, 4], max_length=1, mark="all", max_candidates=99,
        max_memory=1.5, keep_whole=True, validation_fraction=0.25, random_state=7, n_jobs=3,
    )  # fmt: skip
    assert model._read(X, Y, None, None)[1] == Settings(
        t_bad=0.75, min_support=[3.0, 4.0], max_length=1, mark="all", keep_whole=True,
        validation_fraction=0.25, max_candidates=99, max_memory=1.5, random_state=7, n_threads=3,
    )  # fmt: skip
    model.fit(np.hstack([X, X]), Y)
    (search,) = handed["search_rules"]
    assert search["class_costs"].tolist() == [1, 1] and search["row_costs"] is None
    assert search["options"] == _core.RuleOptions(
        t_good=[0.25], t_bad=0.75, min_support=[3, 4], max_length=1, mark_all=True, max_candidates=99,
        max_bytes=3 * 2**19, n_threads=3,
    )  # fmt: skip
    RuleClassifier(max_length=9).fit(X, Y)
    plain = handed["search_rules"][-1]["options"]
    assert plain.mark_all is False and plain.max_length == 1 and plain.max_bytes == 2**30


def test_steps_inside_have_the_defaults_of_the_classifier(handed):
    rows, settings = RuleClassifier()._read(X, Y, None, None)
    assert settings == Settings()
    (rules,) = learn_rules(rows, Settings(), [0.5])
    assert handed["search_rules"][0]["options"].n_threads == 1
    assert rules.to_dict() == RuleClassifier().fit(X, Y).rule_set_.to_dict()


def test_threads_asked_for_reach_the_core(handed):
    rules, rows = rules_on([IN_N], [0]), examples(TOWNS, CARS, CODES)
    table, model = by_hand().schema.encode(frame()), fitted(n_jobs=3)
    by_hand().match(table)
    by_hand().path_cost(table)
    with_undecided_weights(rules, rows)
    point_sums(rules, rows, 1.0)
    assert [call["n_threads"] for call in handed["match_rules"]] == [1] * 4
    handed["match_rules"].clear()
    model.apply(frame())
    model.path_cost(frame())
    point_sums(rules, rows, 1.0, 3)
    with_undecided_weights(rules, rows, 3)
    assert [call["n_threads"] for call in handed["match_rules"]] == [3] * 4


def test_threads_asked_for_cut_the_columns(monkeypatch):
    given = []
    monkeypatch.setattr(_core, "mdl_cuts", lambda *args: given.append(args[3:]) or [np.array([0.5])])
    codes = np.repeat([0, 1], 10).astype(np.int32)
    training = TrainingSet(table=Table.from_data(X), classes=np.array([0, 1]), codes=codes)
    assert mdl_bins(training).whole is False
    assert mdl_bins(training, whole=True, n_threads=4).whole is True
    MDLDiscretizer(n_jobs=3).fit(X, Y)
    assert given == [(None, 1), (None, 4), (None, 3)]


def test_cut_offs_that_are_tried_are_tenths():
    points = RuleClassifier(cv=2).coverage_path(X, Y)
    assert [point.t_good for point in points] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]


def test_values_do_not_change():
    """Those that hold arrays are equal to themselves alone."""
    bins, rows = by_hand().bins, examples(TOWNS, CARS, CODES)
    rule, point = Rule(("a",), "x", 0, 1, 1, 0), CoveragePoint(0.5, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    why, part = RuleExplanation("x", rule, (), {}), _Part((), 0, (), 0.0)
    assert len(bins.n_bins) == 3 and len(rows.weight_or_ones) == 5 and len(by_hand()) == 4
    assert point.total_cost == 0 and str(why).startswith(str(rule))
    for value in (bins, rows, by_hand(), rule, point, why, part, Settings()):
        with pytest.raises(FrozenInstanceError):
            setattr(value, next(iter(vars(value))), None)
    for value in (bins, rows, by_hand()):
        assert value == value and value != replace(value) and isinstance(hash(value), int)
    for value in (rule, point, part, Settings()):
        assert value == replace(value) and hash(value) == hash(replace(value))


# ---- single steps ------------------------------------------------------------------------------------------


def test_what_bins_leave_of_a_column():
    bins = by_hand().bins
    ranges = [bins.range(0, which) for which in ([0], [1], [2], [1, 2], [0, 1, 2])]
    assert [(kept.low, kept.high) for kept in ranges] == [
        (-np.inf, 18), (18, 65), (65, np.inf), (18, np.inf), (-np.inf, np.inf)
    ]  # fmt: skip
    assert bins.range(1, [2, 0]).codes == [0, 2]
    near = Bins(Schema((Column("x"), Column("y"))), (np.array([1.0, 1.25]), np.array([])))
    assert Bins.from_dict(near.to_dict()).cuts[0].tolist() == [1.0, 1.25]
    assert near.n_bins == (3, 0) and near.whole is False


def test_numbers_are_of_the_kind_that_the_core_takes():
    assert class_cost_vector([1, 2], LABELS).dtype == np.float64
    assert recounted(rules_on([IN_N], [1]), examples(TOWNS, CARS, CODES)).label.dtype == np.int32
    assert _supports(3, examples(TOWNS, CARS, CODES)).dtype == np.float64


def test_some_rows_without_weight_do_not_stop_the_check():
    kept = _set_aside(numbered(4), Settings(validation_fraction=0.5))[0].row_costs
    rows = numbered(4, weight=[float(i != kept[0]) for i in range(4)])
    assert _set_aside(rows, Settings(validation_fraction=0.5))[1] is not None


def test_the_first_rule_explains_too():
    why = fitted().explain(frame().iloc[[0]])[0]
    assert (why.label, why.rule) == ("ill", rule_table(by_hand())[0])


def test_documents_of_something_else_are_refused():
    for change in ({"format": "stakes-tree"}, {"version": 2}):
        with pytest.raises(ValueError, match="the model"):
            RuleSet.from_dict(by_hand().to_dict() | change)
    RuleSet.from_dict(by_hand().to_dict() | {"quality": [0.2, 0.3, 0.4, 1 + 1e-9]})  # rounding is no damage


def test_columns_under_other_names_are_refused():
    for model in (fitted(), MDLDiscretizer().fit(frame(), list("aabbabab"))):
        ask = getattr(model, "transform", getattr(model, "apply", None))
        with pytest.raises(ValueError, match="feature names should match those that were passed during fit"):
            ask(frame().rename(columns={"age": "years"}))


def test_names_of_columns_that_stay_are_objects():
    model = MDLDiscretizer().fit(X, Y)
    assert model.get_feature_names_out().dtype == object
    assert model.get_feature_names_out(["size"]).dtype == object
